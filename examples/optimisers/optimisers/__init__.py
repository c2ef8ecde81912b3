"""A second course, of two small parts: what an author writes besides the notebooks in source/."""
