"""How the service is doing, in numbers: whether it is well, and what Prometheus reads. None of it holds a name."""

import time

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics import Histogram

from grading.classroom.service.status import Board, Status

SILENT_S = 30.0  # after which a service that has not looked for submissions is unwell
BUCKETS_S = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600)


class Metrics:
    """The status as Prometheus reads it."""

    def __init__(self, board: Board) -> None:
        self._board, self._registry = board, CollectorRegistry()
        self._times = Histogram(
            "watch_feedback_seconds",
            "From a submission's arrival to its end",
            buckets=BUCKETS_S,
            registry=self._registry,
        )
        self._registry.register(self)

    def text(self) -> bytes:
        """All metrics."""
        for seconds in self._board.new_times():
            self._times.observe(seconds)
        return generate_latest(self._registry)

    def collect(self) -> list:
        """What prometheus_client asks a collector for."""
        now = self._board.read()
        done = CounterMetricFamily("watch_submissions", "Submissions that came to their end", labels=["outcome"])
        for outcome, number in sorted(now.counts.items()):
            done.add_metric([outcome], number)
        gauges = {
            "watch_waiting": ("Submissions in line", len(now.waiting)),
            "watch_at_work": ("Submissions that are being graded", len(now.at_work)),
            "watch_workers": ("Submissions that can be graded at once", now.workers),
            "watch_healthy": ("1 while it grades, 0 while something keeps it from it", health(now)["status"] == "ok"),
        }
        return [done, *(GaugeMetricFamily(name, text, value=float(value)) for name, (text, value) in gauges.items())]


def health(now: Status) -> dict:
    """Whether the service is well, and what it does, without names."""
    silent = time.monotonic() - now.looked > SILENT_S
    trouble = now.kind or ("It has not looked for submissions for a while." if silent else "")
    state = "unwell" if trouble else "ok" if now.ready else "starting"
    if state == "starting":
        trouble = "The workers are starting."
    return {"status": state, "trouble": trouble, "waiting": len(now.waiting), "at_work": len(now.at_work)}
