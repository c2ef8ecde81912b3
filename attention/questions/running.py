"""What a hidden test asks of the code that runs when it calls an answer: PyTorch's own attention, PyTorch at all, the
student's own functions.

PyTorch's profiler tells its operations, whatever calls them, and Python's its functions. Neither changes anything.
"""

from attention.questions.versions import digest, fingerprint
from grading.bridge import probe


def is_attention(name):
    """Whether a function or an operation of PyTorch's bears the name of attention."""
    return any([word in name.lower() for word in ("attention", "multi_head", "multihead", "transformer", "_sdp_")])


def looking(seen, ran):
    """A profile function for Python that records which of PyTorch's own attention is called, what is started, and the
    code of all functions that run."""
    home = nn.__file__.rpartition("nn")[0]  # PyTorch's folder
    inside = ("nn", "ao", "_decomp", "_refs", "_higher_order_ops", "nested", "onnx", "sparse")
    folders = tuple([home + one for one in inside])
    starts = {"fork", "forkpty", "fork_exec", "posix_spawn", "posix_spawnp"}
    starts |= {"start_new_thread", "start_joinable_thread"}

    def look(frame, event, called):
        code, name = frame.f_code, str(getattr(called, "__name__", ""))
        if event == "call":  # of a function, not of a class's body
            ran.add(code)
            tells = code.co_qualname if code.co_filename.startswith(folders) else ""
            if code.co_filename.startswith(home + "_inductor"):  # whose patterns of attention have a file of that name
                tells = code.co_filename
            if code.co_flags & 1 and is_attention(tells):
                seen.add(code.co_qualname.split(".")[0])
        elif event == "c_call" and (is_attention(name) or name in starts):
            seen.add("process" if name in starts else name)

    return look


def ends(call, operations, look):
    """Whether a call ends without an error while Python's functions, and PyTorch's operations, are looked at."""
    import sys

    before = sys.getprofile()
    try:
        with operations:
            sys.setprofile(look)
            try:
                call()
            finally:
                sys.setprofile(before)
    except Exception:  # of a model that fails, which loses other points, or of a profiler where another one runs
        return False
    return True


def students(ran):
    """The fingerprints of those functions that are of no installed package."""
    import sys

    installed = (sys.prefix, sys.base_prefix)
    return [fingerprint(code) for code in ran if not code.co_filename.startswith(installed)][:1000]


@probe.remote(using=(is_attention, looking, ends, digest, fingerprint, students))
def of_models(name, cases):
    """What runs while models of these sizes are made and called: the names of PyTorch's own attention, with "process"
    for another process or thread, in which it would run unseen; and the fingerprints of the student's functions.
    """
    import contextlib
    import sys

    def call():
        models = [(globals()[name](*sizes), sizes) for sizes in cases]
        [model(torch.ones(2, 3, sizes[0]), torch.ones(2, 4, sizes[1])) for model, sizes in models]

    seen, ran, as_written = set(), set(), contextlib.nullcontext()
    if "torch._dynamo" in sys.modules:  # to compile a right answer, PyTorch may put its own attention into it
        as_written = torch.compiler.set_stance("force_eager")
    with as_written:
        profiler = torch.autograd.profiler_legacy.profile()
        if not ends(call, profiler, looking(seen, ran)):
            ends(call, contextlib.nullcontext(), looking(seen, ran))
    operations = [event.name for event in profiler.function_events or ()]
    named = [one.partition("::") for one in operations if is_attention(one)]
    seen.update([name for home, _, name in named if home in ("aten", "onnx")])  # what it defines; a student may, too
    return sorted(seen), students(ran)


@probe.remote(using=(is_attention, looking, ends, digest, fingerprint, students))
def of_function(name, *given):
    """Whether PyTorch computes anything in a call of a function, whether another process or thread is started, in which
    it would unseen, and the fingerprints of the student's functions."""
    profiler, seen, ran = torch.autograd.profiler_legacy.profile(), set(), set()
    ends(lambda: globals()[name](*given), profiler, looking(seen, ran))
    home = nn.__file__.rpartition("nn")[0]  # PyTorch's folder
    by_torch = any([code.co_filename.startswith(home) for code in ran])
    by_torch = by_torch or any([event.name.startswith("aten::") for event in profiler.function_events or ()])
    return by_torch, "process" in seen, students(ran)
