"""Static rules: what the text of a student's cells tells, without running it."""
