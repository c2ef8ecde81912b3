"""What a hidden test asks of the code that runs when it calls an answer: PyTorch's own attention, PyTorch at all, the
student's own functions.

PyTorch's profiler tells its operations, whatever calls them, and Python's its functions. Neither changes anything.
"""

from attention.questions.models import set_weights
from attention.questions.versions import digest, fingerprint
from grading.bridge import probe


def is_attention(name):
    """Whether a function or an operation of PyTorch's bears the name of attention."""
    return any([word in name.lower() for word in ("attention", "multi_head", "multihead", "transformer", "_sdp_")])


def looking(seen, ran, homes):
    """A profile function for Python that records which of PyTorch's own attention is called, what is started, the code
    of all functions that run, and of those written in C the modules."""
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
            if code.co_qualname == "script" and code.co_filename.startswith(home + "jit"):
                one = frame.f_locals.get("obj")  # what TorchScript compiles runs unseen
                ran.add(getattr(getattr(one, "forward", one), "__code__", code))
        elif event == "c_call":
            if is_attention(name) or name in starts:
                seen.add("process" if name in starts else name)
            of = (called, type(getattr(called, "__self__", None)))
            homes.update([str(getattr(one, "__module__", "")).partition(".")[0] for one in of])

    return look


def calls(seen):
    """A mode of PyTorch's in which those of its functions are recorded that bear the name of attention."""

    class Calls(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            name = str(getattr(function, "__name__", ""))
            seen.update({name} if is_attention(name) else ())
            return function(*args, **(kwargs or {}))

    return Calls()


def as_written():
    """A context in which what the answer has PyTorch compile runs as it is written: compiled, PyTorch may put its own
    attention into a right one, and keeps its operations to itself."""
    import contextlib
    import sys

    known = "torch._dynamo" in sys.modules  # which comes with the first thing that is compiled, and takes seconds
    return torch.compiler.set_stance("force_eager") if known else contextlib.nullcontext()


def ends(call, operations, look):
    """Whether a call ends without an error while Python's functions, and PyTorch's operations, are looked at.

    Functions are looked at twice: a profiler that the answer itself runs takes the place of ours.
    """
    import sys

    before, traced = sys.getprofile(), sys.gettrace()
    try:
        with operations:
            sys.settrace(look)
            sys.setprofile(look)
            try:
                call()
            finally:
                sys.setprofile(before)
                sys.settrace(traced)
    except Exception:  # of a model that fails, which loses other points, or of a profiler where another one runs
        return False
    return True


def students(ran):
    """The fingerprints of those functions that are of no installed package, and "file" if one lies in a file of the
    student's, next to the notebook or elsewhere."""
    import os
    import sys

    installed, here = (sys.prefix, sys.base_prefix), os.getcwd() + os.sep
    theirs = [code for code in ran if not code.co_filename.startswith(installed)]
    # The course's own files count, too: a notebook may write into them, and no answer has to call what is there.
    engine = getattr(sys.modules.get("grading"), "__file__", None)
    ours = os.path.join(os.path.dirname(engine), "") if engine else "none"
    named = [code.co_filename for code in theirs if not code.co_filename.startswith(ours)]
    files = [name for name in named if name.startswith(here) or os.path.isfile(name)]
    return sorted({fingerprint(code) for code in theirs})[:10_000] + ["file"][: len(files)]


def used(model, weights, x, y):
    """Calls a model, as it was made and with these weights, as the tests that look at its values do."""
    try:
        model(x, y)
    except Exception:  # which loses other points
        pass
    set_weights(model, weights)
    model(x, y)


@probe.remote(using=(is_attention, looking, calls, ends, as_written, digest, fingerprint, students, set_weights, used))
def of_models(name, cases):
    """What runs while models are made, by their sizes, and called: the names of PyTorch's own attention, with "process"
    for another process or thread, in which it would run unseen; and the fingerprints of the student's functions.
    """

    def call():
        models = [(globals()[name](*sizes), given) for sizes, *given in cases]
        [used(model, *given) for model, given in models]

    torch.set_default_dtype(cases[0][2].dtype)
    seen, ran = set(), set()
    with as_written():
        profiler = torch.autograd.profiler_legacy.profile()
        if not ends(call, profiler, looking(seen, ran, set())):  # for one, where the answer runs a profiler itself
            ends(call, calls(seen), looking(seen, ran, set()))
    operations = [event.name for event in profiler.function_events or ()]
    named = [one.partition("::") for one in operations if is_attention(one)]
    seen.update([name for home, _, name in named if home in ("aten", "onnx")])  # what it defines; a student may, too
    return sorted(seen), students(ran)


@probe.remote(using=(is_attention, looking, ends, digest, fingerprint, students))
def of_function(name, *given):
    """Whether PyTorch computes anything in a call of a function, whether another process or thread is started, in which
    it would unseen, and the fingerprints of the student's functions."""
    profiler, seen, ran, homes = torch.autograd.profiler_legacy.profile(), set(), set(), set()
    ends(lambda: globals()[name](*given), profiler, looking(seen, ran, homes))
    home = nn.__file__.rpartition("nn")[0]  # PyTorch's folder
    by_torch = "torch" in homes or any([code.co_filename.startswith(home) for code in ran])
    by_torch = by_torch or any([event.name.startswith("aten::") for event in profiler.function_events or ()])
    return by_torch, "process" in seen, students(ran)
