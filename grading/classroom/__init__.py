"""A whole class at once, on many workers, with nothing lost when a run is stopped."""
