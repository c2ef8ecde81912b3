"""What part 11 asks in a student's kernel: the matrices of the example."""

from grading.bridge import probe


@probe.remote
def variable(name):
    """The value that the answer gave to a name, in a list; an empty one if it gave none."""
    return [globals()[name]] if name in globals() else []
