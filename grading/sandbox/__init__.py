"""The walls around a student's processes, and the preloaded process behind them that forks kernels."""
