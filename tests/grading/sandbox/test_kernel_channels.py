"""What a cell prints, by whatever way, is that cell's output: all of it, once, and soon if the cell goes on."""

import socket
import threading
from collections.abc import Iterator

import pytest
from kernel_runs import Run, opened
from nbclient import NotebookClient
from nbclient.util import run_sync
from nbformat.v4 import new_notebook

from grading.judge import kernels
from grading.sandbox import frames, kernel_channels
from grading.sandbox.kept_sandboxes import Pool


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    """Kernels without the course's libraries, which take no part here."""
    with opened(bare=True) as pool:
        yield pool


def test_what_a_program_prints_is_its_own_cell_s_output_and_never_the_next_one_s(pool: Pool):
    cells = [f"import os\nnothing = os.system('echo {n}')" for n in range(20)]
    assert [output.text for output in Run(pool, *cells).outputs] == [f"{n}\n" for n in range(20)]


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_both_streams_are_captured_past_python(pool: Pool, stream: str):
    (output,) = Run(pool, f"import os, sys\nnothing = os.write({1 + (stream == 'stderr')}, b'raw')").outputs
    assert (output.name, output.text) == (stream, "raw")


def test_what_is_written_past_python_stands_between_what_is_printed_before_and_after(pool: Pool):
    run = Run(pool, "import os\nfor n in range(50):\n    print(n); nothing = os.write(1, b'raw%d\\n' % n)")
    assert run.printed.split() == [text for n in range(50) for text in (str(n), f"raw{n}")]


def test_bytes_that_are_no_text_are_told_in_their_own_cell(pool: Pool):
    run = Run(pool, "import os\nnothing = os.write(1, b'a\\xc3')", "nothing = os.write(1, b'b')")
    *first, last = [output.text for output in run.outputs]
    assert ("".join(first), last) == ("a\ufffd", "b")


def test_mocks_of_a_cell_do_not_reach_what_prints(pool: Pool):
    mocked = "from unittest import mock\nimport os, time\n"
    for name in ("os.read", "os.write", "time.monotonic"):
        mocked += f"with mock.patch('{name}', side_effect=RuntimeError):\n    print('{name}', flush=True)\n"
    run = Run(pool, mocked, "print('next')")
    assert run.printed.split() == ["os.read", "os.write", "time.monotonic", "next"] and not run.errors


def test_a_letter_of_several_bytes_is_whole_wherever_a_piece_ends(pool: Pool):
    run = Run(pool, "import os\ntext = 'x' + 'ä€' * 60_000\nprint(os.write(1, text.encode()) > 100)", "print(text)")
    first, *_ = run.outputs
    assert first.text.count("ä€") > 1000 and "\ufffd" not in run.printed


def test_more_than_a_pipe_holds_is_written_by_a_program_without_waiting_for_the_cell_s_end(pool: Pool):
    run = Run(pool, "import subprocess, sys\nsubprocess.run([sys.executable, '-c', \"print('x' * 500_000)\"])")
    assert run.printed.count("x") == 500_000 and run.errors == []


def test_a_forked_process_prints_into_the_cell(pool: Pool):
    run = Run(
        pool,
        "import multiprocessing\n"
        "def say(n): print('number', n)\n"
        "with multiprocessing.get_context('fork').Pool(2) as pool: pool.map(say, range(4), chunksize=1)",
    )
    assert sorted(run.printed.splitlines()) == [f"number {n}" for n in range(4)]


def test_a_forked_process_displays_nothing_and_spoils_nothing(pool: Pool):
    run = Run(
        pool,
        "import os\nif (child := os.fork()) == 0:\n    display('x' * 100_000); os._exit(0)\nos.waitpid(child, 0)[1]",
        "'here'",
    )
    shown = [output for output in run.outputs if output.output_type != "stream"]  # Python 3.12 warns of fork there
    assert [output.data["text/plain"] for output in shown] == ["0", "'here'"]


def test_a_forked_process_that_goes_on_takes_none_of_the_kernel_s_cells(pool: Pool):
    cells = ["import os\nchild = os.fork()\nprint('here')", *(f"print({n})" for n in range(5)), "os.kill(child, 9)"]
    run = Run(pool, *cells, timeout_s=20)
    assert run.printed.splitlines()[-5:] == ["0", "1", "2", "3", "4"] and run.errors == []


def test_a_handler_of_a_signal_prints_while_the_kernel_does(pool: Pool):
    run = Run(
        pool,
        "import signal, time\n"
        "signal.signal(signal.SIGALRM, lambda *_: print('tick', flush=True))\n"
        "before = signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)\n"
        "for n in range(200): print(n, flush=True); time.sleep(0.001)\n"
        "before = signal.setitimer(signal.ITIMER_REAL, 0)",
        "print('next')",
        timeout_s=20,
    )
    assert run.printed.endswith("next") and "tick" in run.printed and run.errors == []


def test_an_array_may_go_with_a_message(pool: Pool):
    send = (
        "import numpy, comm\nchannel = comm.create_comm('a', data={}, buffers=[numpy.arange(9.0).reshape(3, 3)])\n"
        "channel.send({}, buffers=[numpy.ones((2, 2)).T])\nprint('sent')"
    )
    run = Run(pool, send, "print('next')")
    assert run.printed == "sent\nnext" and run.errors == []


def test_what_was_printed_before_a_kernel_died_is_there(pool: Pool):
    run = Run(pool, "import os, time\nprint('first')\nos.write(1, b'second')\ntime.sleep(2)\nos._exit(1)")
    assert run.died and sorted(run.printed.split()) == ["first", "second"]


def test_a_cell_that_prints_on_and_on_can_be_stopped_and_the_next_one_runs(pool: Pool):
    run = Run(pool, "while True: print('x' * 100)", "while True: print('y', flush=True)", "print('next')", timeout_s=1)
    assert run.printed.endswith("next") and run.errors.count("KeyboardInterrupt") == 2 and not run.died


@pytest.mark.parametrize("waits", ["await asyncio.sleep(60)", "time.sleep(60)", "while True: pass"])
def test_a_cell_that_waits_can_be_stopped_and_leaves_a_kernel_that_responds(
    pool: Pool, waits: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(kernels.KernelManager, "pool", pool, raising=False)
    client = NotebookClient(new_notebook(), kernel_manager_class=kernels.KernelManager)
    with client.setup_kernel():
        client.kc.execute(f"import asyncio, time\nprint('waits')\n{waits}")
        while run_sync(client.kc.iopub_channel.get_msg)(60)["content"].get("text") != "waits\n":
            pass
        run_sync(client.km.interrupt_kernel)()
        assert run_sync(client.kc.responds)(60.0)


def test_a_thread_prints_into_the_cell_that_runs(pool: Pool):
    begin = (
        "import threading, time\n"
        "def count():\n    for n in range(200): print(n, flush=n % 2); time.sleep(0.001)\n"
        "thread = threading.Thread(target=count); thread.start()"
    )
    run = Run(pool, begin, "time.sleep(0.05)\nprint('from here on')\nthread.join()")
    before, after = (list(map(int, part.split())) for part in run.printed.split("from here on"))
    assert after == list(range(after[0], 200)) and sorted({*before, *after}) == [*before, *after]


@pytest.mark.parametrize(
    "breaks",
    [
        "from unittest import mock\nimport time\nwait = time.sleep\n"
        "with mock.patch('time.monotonic', side_effect=RuntimeError): wait(0.5)",
        "import os, sys, time\nclosed, sys.stdout = sys.stdout, sys.stderr\nclosed.close()\n"
        "nothing = os.system('echo lost')\ntime.sleep(0.5)\n"
        "closed.pub_thread, sys.stdout = sys.stderr.pub_thread, closed",
        "import json, time\nclosed, json.dumps = json.dumps, None\nprint('a')\ntime.sleep(0.5)\njson.dumps = closed",
    ],
)
def test_whatever_a_cell_does_to_what_prints_the_next_one_prints_soon(pool: Pool, breaks: str):
    soon = "import os, time\nprint('first')\nwrite = os.write(1, bytes(100_000))\ntime.sleep(3)\nos._exit(1)"
    run = Run(pool, breaks, soon, timeout_s=20)
    assert run.died and "first" in run.printed and run.printed.count("\0") == 100_000


def test_a_message_of_more_frames_than_are_taken_in_ends_nothing(pool: Pool):
    run = Run(
        pool, "import comm\ncomm.create_comm('a').send({}, buffers=[b'x'] * 2000)\nprint('sent')", "print('next')"
    )
    assert run.printed == "sent\nnext" and run.errors == [] and not run.died


def test_half_of_a_letter_is_printed_as_a_question_mark(pool: Pool):
    run = Run(pool, "print('a\\ud800b')", "print('next')")
    assert run.printed == "a?b\nnext" and run.errors == []


def test_a_reply_that_linux_keeps_no_room_for_is_read_and_the_next_cell_runs(pool: Pool):
    run = Run(pool, "raise ValueError('x' * 3_000_000)", "print('next')", timeout_s=20)
    assert run.printed == "next" and run.errors == ["ValueError"]


def test_no_cell_waits_for_a_judge_that_is_late_to_read_and_all_comes_in_order():
    ours, theirs = socket.socketpair(socket.AF_UNIX, frames.KIND)
    channel, coming = kernel_channels.Channel(frames), frames.Unpacked(most=10, room=10_000)
    channel.connect(theirs.detach())
    with ours, channel._sock:
        for n in range(300):
            channel.send_multipart([b"%d" % n, bytes(5000)])  # 1.5 MB, where Linux keeps 0.2
        sends = threading.Thread(target=channel.finish)
        sends.start()
        found = [coming.feed(ours.recv(frames.PACKET_BYTES))[0] for _ in range(300)]
        sends.join()
    assert found == [b"%d" % n for n in range(300)]


def test_a_cell_that_closes_a_stream_goes_on(pool: Pool):
    run = Run(pool, "import os\nos.close(1); os.close(2)\nprint('still')", "print('there')\n1 / 0")
    assert run.printed == "still\nthere" and run.errors == ["ZeroDivisionError"]
