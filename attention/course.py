"""The course's facts: its parts, what each asks for, and what it is worth."""

from pathlib import Path
from typing import TYPE_CHECKING

from attention.hints import HINTS
from attention.oracles import SECRET
from grading.core import errors
from grading.core.course import Calls, Course, Libraries, Part

if TYPE_CHECKING:
    from grading.marking import rubric

# What the notebooks import. Not matplotlib_inline: its import registers the display of figures with the shell that
# runs, so each kernel must do that itself.
_LIBRARIES = Libraries(
    tuple(
        "torch torch.nn torch.nn.functional secrets sympy matplotlib.pyplot matplotlib.backends.backend_agg "
        "PIL.PngImagePlugin PIL.BmpImagePlugin PIL.GifImagePlugin PIL.JpegImagePlugin PIL.PpmImagePlugin".split()
    ),
    Path(__file__).with_name("warmup.py"),
    Path(__file__).resolve().parent.parent / "source" / "attention" / "attention_course",
)

_ALL = (
    Part(
        1,
        "The projections of one head",
        "the shapes of one head",
        ("shape_W_Q_h", "shape_W_K_h", "shape_W_V_h"),
        5,
    ),
    Part(
        2,
        "All heads at once",
        "the stacked projections",
        ("shape_W_Q", "shape_W_K", "shape_W_V", "shape_q", "q_from_x", "shape_k", "shape_v", "m_from_y"),
        5,
    ),
    Part(3, "The attention score", "attention_logits", ("attention_logits",), 10),
    Part(
        4,
        "From heads to the output",
        "the output's shapes",
        ("shape_o_h", "shape_o", "shape_W_O_h", "shape_W_O"),
        5,
    ),
    Part(5, "Build MHA", "MyMHA", ("MyMHA",), 10),
    Part(6, "Rank of the stacked matrix", "rank_relation, stack_and_pick", ("rank_relation", "stack_and_pick"), 3, 2),
    Part(7, "Build GQA", "MyGQA", ("MyGQA",), 10),
    Part(8, "MHA inside GQA", "kv_head, G_for_MHA", ("kv_head", "G_for_MHA"), 3, 2),
    Part(9, "GQA inside MLA", "r_MLA, factor_gqa", ("r_MLA", "factor_gqa"), 5, 5),
    Part(10, "Compute the factors", "GQA_2_MLA", ("GQA_2_MLA",), 5),
    Part(11, "MLA is more", "an MLA that is not a GQA", ("W_DKV_MLA", "W_UM_MLA", "product"), 6, 4),
    Part(12, "The reduced form", "the reduced formulas", ("K_hat", "V_hat", "Q_hat_h", "O_hat_h"), 6, 4),
    Part(13, "The reduced form at work", "reduced_matrices", ("reduced_matrices", "relative_error"), 5),
    Part(14, "What is cached", "the kv-cache", ("kv_cache_MHA", "kv_cache_MLA"), 3, 2),
)
COURSE = Course(
    name="attention",
    title="The attention course",
    label="Attention",
    parts=_ALL,
    secret=SECRET,
    libraries=_LIBRARIES,
    calls=Calls(dtype="float64"),
    imports={"torch": "torch", "numpy": "NumPy"},
    symbols=tuple("D D_1 D_2 D_qk D_v H G d r L_1 L_2 B".split()),
    module="attention_course",
    others=("start", "coda"),
    packages=(Path(__file__).resolve().parent,),
    longest=("part13", "part07", "part05"),
)


class _Parts(dict[int, Part]):
    """The parts by number. An author may leave any of them out; what needs a missing one then says so in a line."""

    def __missing__(self, number: int) -> Part:
        raise errors.CourseError(f"the course has no part {number}, without which this can't be done.")


PARTS = _Parts((part.number, part) for part in COURSE.parts)


def sheet(number: int) -> "rubric.Sheet":
    """A sheet for the items of a part's hidden test."""
    from grading.bridge import probe  # which looks at the shell in which it is first imported
    from grading.marking import rubric

    probe.call_as(COURSE.calls)
    part = PARTS[number]
    return rubric.Sheet(number, part.automatic, part.task, HINTS[number])
