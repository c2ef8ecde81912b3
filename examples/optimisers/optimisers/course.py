"""The example course's facts: two parts in NumPy; nothing is preloaded for them but that."""

from pathlib import Path

from grading.core.course import Calls, Course, Libraries, Part

COURSE = Course(
    name="optimisers",
    title="Two optimisers",
    label="Optimisers",
    parts=(
        Part(1, "Momentum", "sgd_step", ("sgd_step",), 6),
        Part(2, "Adam's bias correction", "corrected", ("corrected",), 4, by_hand=2),
    ),
    secret="OPTIMISERS_COURSE_SECRET",
    libraries=Libraries(("numpy",)),
    calls=Calls(limit_s=5),
    imports={"numpy": "NumPy"},
    packages=(Path(__file__).resolve().parent,),
)
# Where to look when an item is lost; never the answer.
HINTS = {
    1: {
        "velocity": "What is left of the old velocity, and what is added to it?",
        "weights": "Which velocity moves the weights, the one that came in or the new one, and in which direction?",
    },
    2: {"value": "What share of the average's weight do t steps from 0 hold, and what does a division by it do?"},
}
