"""Two notebooks on one GPU: nothing of one reaches the next, and what one does to it costs no other its result.

Runs only where PyTorch computes on a GPU. Programs for the GPU are compiled by `torch.cuda._compile_kernel`, which a
student can call as well.
"""

import re
import threading
import time
from collections.abc import Iterator

import pytest
from kernel_runs import Run, opened

from dev import gpu
from grading.sandbox.kept_sandboxes import Pool

pytestmark = pytest.mark.skipif(gpu.unavailable() is not None, reason=str(gpu.unavailable()))

PRODUCT = "import torch\na = torch.ones(2000, 2000, device='cuda')\nprint((a @ a)[0, 0].item())"
RIGHT = "2000.0"
MOST = "import torch\npattern, count = 0x5EC0DE5EC0DE, int(torch.cuda.mem_get_info()[0] * 0.9) // 8\n"
FILL = MOST + "held = torch.full((count,), pattern, device='cuda')\ntorch.cuda.synchronize()\nprint(count > 2**26)"
LOOK = MOST + (
    "fresh, not_zero = torch.empty(count, dtype=torch.int64, device='cuda'), 0\n"
    "for start in range(0, count, 2**27):\n"
    "    not_zero += int((fresh[start : start + 2**27] != 0).sum())\n"
    "print(count > 2**26, not_zero)"
)
PROGRAM = '''
import torch
out = torch.zeros(4096, dtype=torch.int32, device="cuda")
program = torch.cuda._compile_kernel("""extern "C" __global__ void run(volatile int* out) {{ {body} }}""", "run")
'''
SHARED = (
    "__shared__ volatile int s[12000]; int seen = 0; for (int i = threadIdx.x; i < 12000; i += blockDim.x) {{ {do} }}"
)
WRITE_SHARED = PROGRAM.format(
    body=SHARED.format(do="s[i] = 7;") + "__syncthreads(); out[blockIdx.x] = s[(threadIdx.x * 7) % 12000];"
) + ("for _ in range(200):\n    program((4096, 1, 1), (256, 1, 1), (out,))\nprint(out.sum().item())")
LOOK_AT_SHARED = PROGRAM.format(body=SHARED.format(do="seen += s[i] != 0;") + "atomicAdd((int*)out, seen);") + (
    "program((1024, 1, 1), (256, 1, 1), (out,))\nprint(out[0].item())"
)
ENDLESS = PROGRAM.format(body="while (out[0] == 0) out[1] += 1;") + (
    "for _ in range(8):\n    program((512, 1, 1), (256, 1, 1), (out,))\nprint('begun')"
)
FORBIDDEN = (
    PROGRAM.format(body="out[1LL << 40] = 1;") + "program((1, 1, 1), (1, 1, 1), (out,))\ntorch.cuda.synchronize()"
)


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    """Kernels with the GPU."""
    with opened() as pool:
        yield pool


def test_memory_that_a_notebook_filled_is_zero_for_the_next(pool: Pool):
    assert Run(pool, FILL).printed == "True"
    assert Run(pool, LOOK).printed == "True 0"


def test_memory_within_a_processor_of_the_gpu_is_zero_for_the_next(pool: Pool):
    written = Run(pool, WRITE_SHARED)
    assert written.errors == [] and int(written.printed) == 4096 * 7
    assert Run(pool, LOOK_AT_SHARED).printed == "0"


@pytest.mark.parametrize(
    ("cells", "errors"),
    [
        ([ENDLESS], []),
        ([ENDLESS, "torch.cuda.synchronize()"], []),
        ([FORBIDDEN, "print('goes on')"], ["AcceleratorError"]),
    ],
    ids=["a program without end", "one that is waited for", "a forbidden address"],
)
def test_after_a_notebook_that_does_its_worst_the_next_computes(pool: Pool, cells: list[str], errors: list[str]):
    assert Run(pool, *cells, timeout_s=5).errors == errors
    after = Run(pool, PRODUCT)
    assert (after.printed, after.errors) == (RIGHT, [])


@pytest.mark.parametrize(
    "worst", [ENDLESS + "\ntorch.cuda.synchronize()", FORBIDDEN], ids=["a program without end", "a forbidden address"]
)
def test_beside_a_notebook_that_does_its_worst_another_computes(worst: str):
    with opened() as first, opened() as second:
        Run(second, PRODUCT)  # the sandbox is there, and CUDA's files are read
        beside = threading.Thread(target=Run, args=(first, worst), kwargs={"timeout_s": 15})
        beside.start()
        time.sleep(5)
        honest = Run(second, PRODUCT)
        beside.join()
    assert (honest.printed, honest.errors) == (RIGHT, [])


def test_memory_that_cuda_pins_is_bounded(pool: Pool):
    pin = (
        "import torch\nheld = []\ntry:\n"
        "    for _ in range(128):\n"
        "        held.append(torch.empty(2**26, dtype=torch.uint8, pin_memory=True))\n"
        "except RuntimeError as error:\n    print(error)\n"
        "print(len(held) * 64)"
    )
    said = Run(pool, pin).printed
    assert re.match(r"CUDA error: out of memory", said) and 256 <= int(said.splitlines()[-1]) < 1024
