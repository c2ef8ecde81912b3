"""What answers must give, by formulas as their papers print them, in NumPy alone; and hidden inputs from a secret."""

import hashlib
import os

import numpy as np

SECRET = "OPTIMISERS_COURSE_SECRET"


def drawn(name: str, *shape: int) -> np.ndarray:
    """Normal numbers of a shape that follow from the name and from the instructor's secret."""
    seed = hashlib.sha256(f"{os.environ.get(SECRET, '')} {name}".encode()).digest()
    return np.random.default_rng(list(seed)).normal(size=shape)


def sgd_step(w: np.ndarray, g: np.ndarray, v: np.ndarray, lr: float, mu: float) -> tuple[np.ndarray, np.ndarray]:
    """Weights and velocity after a step; all of one shape. Source: Sutskever et al., 2013, equations 1 and 2, with
    the learning rate outside the velocity, as PyTorch's SGD has it."""
    velocity = mu * v + g
    return w - lr * velocity, velocity


def corrected(average: np.ndarray, beta: float, t: int) -> np.ndarray:
    """A running average from 0, freed of its pull to 0. Source: Kingma and Ba, 2015, arXiv:1412.6980, algorithm 1."""
    return average / (1 - beta**t)
