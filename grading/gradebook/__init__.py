"""nbgrader's gradebook: set up, read, and copied as data."""
