"""The attention course: what is asked, what is right, and what usually goes wrong. Nothing here grades."""
