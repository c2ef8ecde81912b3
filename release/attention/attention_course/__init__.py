"""What the notebooks of the course import from next door: part 13's MyMHA, and the code of checks and figures.

This folder is released next to the notebooks. Grading uses the course's own copy of it, so leave it as it is. A check
or a figure gets what it looks at as an argument, and no answer is in here.
"""

from attention_course.mha import MyMHA, try_out

__all__ = ["MyMHA", "try_out"]
