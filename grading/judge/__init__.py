"""nbgrader's Execute step: a student's cells in a walled kernel, hidden tests in the trusted process."""
