"""For students: which parts pass their visible checks."""
