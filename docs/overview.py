"""Draws docs/overview.png: the picture of start.ipynb, with its three panels next to each other.

Run from anywhere: python docs/overview.py
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt

sys.path.append(str(Path(__file__).resolve().parent.parent / "source" / "attention"))
from attention_course import start


def main() -> None:
    """Draws the picture next to this file."""
    figure, panels = plt.subplots(1, 3, figsize=(15, 2.05), layout="constrained")
    start.fill(panels, H=12, G=3, d=64, r=256)
    figure.supxlabel(f"circles: the query heads; {start.CAPTION}", fontsize=start.SMALLEST)
    figure.savefig(Path(__file__).with_name("overview.png"), dpi=110, bbox_inches="tight", metadata={"Software": None})


if __name__ == "__main__":
    main()
