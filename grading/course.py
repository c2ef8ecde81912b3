"""The course's facts: its parts, what each asks for, and what it is worth."""

from dataclasses import dataclass

ASSIGNMENT = "attention"
MODULE = "attention_course.py"  # what notebooks import from next door: released with them, and always the release's own


@dataclass(frozen=True)
class Part:
    """One part: `title` as in its heading, `task` as in reports, `names` that the answer must define; points."""

    number: int
    title: str
    task: str
    names: tuple[str, ...]
    automatic: int
    by_hand: int = 0
    figure: bool = False

    @property
    def stem(self) -> str:
        """The notebook's name without its suffix, and the start of its cells' ids."""
        return f"part{self.number:02d}"

    @property
    def points(self) -> int:
        """All points of the part."""
        return self.automatic + self.by_hand


_ALL = (
    Part(1, "The projections of one head", "the shapes of one head", ("shape_W_Q_h", "shape_W_K_h", "shape_W_V_h"), 5),
    Part(
        2,
        "All heads at once",
        "the stacked projections",
        ("shape_W_Q", "shape_W_K", "shape_W_V", "shape_q", "q_from_x", "shape_k", "shape_v", "m_from_y"),
        5,
    ),
    Part(3, "The attention score", "attention_logits", ("attention_logits",), 10),
    Part(4, "From heads to the output", "the output's shapes", ("shape_o_h", "shape_o", "shape_W_O_h", "shape_W_O"), 5),
    Part(5, "Build MHA", "MyMHA", ("MyMHA",), 10, figure=True),
    Part(6, "Rank of the stacked matrix", "rank_relation, stack_and_pick", ("rank_relation", "stack_and_pick"), 3, 2),
    Part(7, "Build GQA", "MyGQA", ("MyGQA",), 10, figure=True),
    Part(8, "MHA inside GQA", "kv_head, G_for_MHA", ("kv_head", "G_for_MHA"), 3, 2),
    Part(9, "GQA inside MLA", "r_MLA, factor_gqa", ("r_MLA", "factor_gqa"), 5, 5),
    Part(10, "Compute the factors", "GQA_2_MLA", ("GQA_2_MLA",), 5, figure=True),
    Part(11, "MLA is more", "an MLA that is no GQA", ("W_DKV_MLA", "W_UM_MLA", "product"), 6, 4),
    Part(12, "The reduced form", "the reduced formulas", ("K_hat", "V_hat", "Q_hat_h", "O_hat_h"), 6, 4),
    Part(13, "The reduced form at work", "reduced_matrices", ("reduced_matrices", "relative_error"), 5, figure=True),
    Part(14, "What is cached", "the kv-cache", ("kv_cache_MHA", "kv_cache_MLA"), 3, 2, figure=True),
)
PARTS = {part.number: part for part in _ALL}


def part_of(cell_id: str) -> Part:
    """The part that a cell id such as "part05-answer" belongs to; ValueError if it belongs to none."""
    stem = cell_id.split("-")[0]
    for part in _ALL:
        if part.stem == stem:
            return part
    raise ValueError(f"the cell id {cell_id!r} belongs to no part of the course")


def is_test(cell: dict) -> bool:
    """Whether a notebook's cell is the graded test of a part."""
    return cell["cell_type"] == "code" and cell["metadata"].get("nbgrader", {}).get("grade_id", "").endswith("-test")
