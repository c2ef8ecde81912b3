"""What of a submission is taken in: a clean copy of each notebook, files as data, a time."""
