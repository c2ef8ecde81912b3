"""Times of several jobs that can be compared: taken in turns, within one run, medians."""

import statistics
import time
from collections.abc import Callable, Hashable

import torch


def captured(job: Callable[[], object], pool: tuple[int, int]) -> Callable[[], object]:
    """The same work as a CUDA graph: on a GPU Python and PyTorch take longer to ask for a short step than it takes.

    Graphs of one `pool` (torch.cuda.graph_pool_handle) share memory, so that only one may run at a time.

    Errors  torch.OutOfMemoryError if there is no room for what the job makes on the way.
    """
    aside = torch.cuda.Stream()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):  # the first call also loads and chooses kernels, which no graph can hold
        job()
    torch.cuda.current_stream().wait_stream(aside)
    torch.cuda.empty_cache()  # a graph has memory of its own
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        job()
    return graph.replay


def timed(
    jobs: dict[Hashable, Callable[[], object]], device: torch.device, least_s: float, rounds: int
) -> dict[Hashable, float]:
    """The median seconds of each job, all of them taking turns; a timing repeats a job for about `least_s`.

    On a GPU by the clock, once all that was asked for is done; on a CPU the computing time of this thread.
    """

    def wait() -> None:
        if device.type == "cuda":
            torch.cuda.synchronize(device)

    clock = time.perf_counter if device.type == "cuda" else time.thread_time

    def seconds(job: Callable, times: int) -> float:
        wait()
        started = clock()
        for _ in range(times):
            job()
        wait()
        return (clock() - started) / times

    for job in jobs.values():
        job()  # the first call also loads and chooses kernels
    times = {key: max(1, round(least_s / max(seconds(job, 1), 1e-7))) for key, job in jobs.items()}
    taken: dict[Hashable, list[float]] = {key: [] for key in jobs}
    for _ in range(rounds):
        for key, job in jobs.items():
            taken[key].append(seconds(job, times[key]))
    return {key: statistics.median(found) for key, found in taken.items()}
