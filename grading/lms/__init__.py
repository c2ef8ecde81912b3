"""Marks for learning platforms: Canvas and Moodle."""
