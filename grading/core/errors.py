"""What the user can mend: one line that says what is wrong, where, and what to do."""


class CourseError(Exception):
    """Something that the user can fix; the text is one line that says what is wrong, where, and what to do.

    Where commands do it, they follow, a line each.
    """
