"""How values cross between a hidden test and a student's kernel: as data, and nothing else."""
