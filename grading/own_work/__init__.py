"""What somebody works on in work/: the release put there, its visible checks, and marks for whoever learns alone."""
