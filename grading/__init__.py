"""Grading for the attention course: how a mark is found, and what a student reads about it."""
