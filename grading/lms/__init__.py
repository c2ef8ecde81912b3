"""Marks for learning platforms, Canvas, Moodle and Gradescope, and answers for programs that compare them."""
