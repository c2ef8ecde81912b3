"""Part 3's slider: a factor for four logits, with a picture of their softmax; still pictures anywhere else."""

import base64
import math

from attention_course import labels
from attention_course.figure import BLUE, ORANGE, SMALLEST, YELLOW, png, show, subplots
from attention_course.sliders import somebody_looks

LOGITS = (2.0, 1.0, 0.0, -1.0)
SCALES = (0.1, 1.0, 10.0)


def softmax_handle() -> None:
    """Prints the softmax of four logits times 0.1, 1 and 10; below it, bars and a slider for the factor.

    Where nobody can move the slider, the bars stand still.
    """
    print(f"logits {', '.join(f'{logit:g}' for logit in LOGITS)}, all times a factor")
    for scale in SCALES:
        print(f"factor {scale:>4g}: weights {'  '.join(f'{weight:.2f}' for weight in softmax(scale))}")
    if not somebody_looks():
        show(_bars(SCALES), _alt(SCALES))
        return
    import ipywidgets  # where there is a slider, and nowhere else: it takes half a second
    from IPython.display import display

    picture = ipywidgets.HTML()
    slider = ipywidgets.FloatLogSlider(value=1.0, min=-1.5, max=1.5, step=0.05, description="factor")

    def redraw(_=None):
        picture.value = _html(slider.value)

    slider.observe(redraw, "value")
    redraw()
    display(ipywidgets.VBox([slider, picture]))


def softmax(scale: float) -> list[float]:
    """The softmax of the logits, each times `scale`."""
    raised = [math.exp(scale * (logit - max(LOGITS))) for logit in LOGITS]
    return [part / sum(raised) for part in raised]


def _alt(scales: tuple[float, ...]) -> str:
    weights = "; ".join(f"factor {s:.3g}: {', '.join(f'{weight:.2f}' for weight in softmax(s))}" for s in scales)
    return f"Bars: softmax weights of the logits {', '.join(f'{logit:g}' for logit in LOGITS)}. {weights}."


def _html(scale: float) -> str:
    """The bars for one factor as a picture in HTML."""
    picture = base64.b64encode(png(_bars((scale,)))).decode()
    return f'<img alt="{_alt((scale,))}" src="data:image/png;base64,{picture}">'


def _bars(scales: tuple[float, ...]):
    size, room = (3.0 * len(scales) + 0.8, 2.8), {"left": 0.56, "bottom": 0.46, "across": 0.13}
    figure, panels = subplots(1, len(scales), figsize=size, sharey=True, squeeze=False, **room)
    colours = (BLUE, ORANGE, YELLOW)
    for n, (panel, factor) in enumerate(zip(panels[0], scales, strict=True)):
        weights = softmax(factor)
        panel.bar(range(len(LOGITS)), weights, color=colours[n], edgecolor="0.2")
        panel.set(ylim=(0, 1.12), title=f"factor {factor:.3g}")
        for place, weight in enumerate(weights):
            labels.write(panel, place, weight + 0.01, f"{weight:.2f}", ha="center", va="bottom", fontsize=SMALLEST)
        logits = [f"{factor * logit:.3g}" for logit in LOGITS]
        labels.scale(panel, "x", range(len(LOGITS)), logits, name="logits times the factor", size=SMALLEST)
        labels.scale(panel, "y", None, [] if n else None, name="" if n else "weight")
        panel.spines[["top", "right"]].set_visible(False)
    return figure
