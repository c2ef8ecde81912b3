"""Part 13's visible check and figure: the reduced form, computed next to the vanilla one."""

import torch

from attention_course.answers import function, named, picture, pieces
from attention_course.figure import BLACK, BLUE, RED, SMALLEST, show, subplots
from attention_course.labels import scale, write
from attention_course.mha import MyMHA
from attention_course.table import Table, expect, kind, numbers

D, H, r = 1024, 32, 50  # the part's own sizes
HATS = ("W_K_MLA_hat", "W_V_MLA_hat", "W_Q_MLA_hat", "W_O_MLA_hat")
WEIGHTS = {"W_DKV": (r, D), "W_UK": (D, r), "W_UV": (D, r), "W_Q": (D, D), "W_O": (D, D)}
MODELS = ("model_MHA_vanilla", "model_MHA_reduced")
BOUND = 5e-4  # of relative_error
SLIP = 0.8  # in the figure's deliberate mistake every score is 0.8 of what it should be
# What a right answer's relative error stays below, for scores near 1 and for the scores of the student's own run.
LIMITS = {"float64": (1e-12, 1e-10), "float32": (1e-5, BOUND), "bfloat16": (0.05, 0.5)}
SCORES = ("scores near 1", "scores in the thousands, as in your run")


def check_part13(names, sizes):
    """Looks at a notebook's names: shapes, a case in plain numbers, and the run on B, L_1, L_2. Prints a line each."""
    table = Table(13)
    for case in ((6, 3, 5), (8, 1, 3)):
        with table.line("D = {}, H = {}, r = {}: four torch tensors of the right shapes".format(*case)):
            _shapes(names, *case)
    # Where all sizes are 1, everything is a number: a score is 5 x times 3 * 2 * y, and an output 11 * 7 * 2 * y.
    single = [torch.tensor([[number]]) for number in (2.0, 3.0, 7.0, 5.0, 11.0)]
    with table.line("all sizes 1, W_DKV = 2, W_UK = 3, W_Q = 5: Q hat times K hat is 30"):
        K, _, Q, _ = (matrix.item() for matrix in names["reduced_matrices"](*single, 1))
        expect(abs(Q * K - 30) < 1e-3, f"expected 30, got {Q * K:.4g}")
    with table.line("all sizes 1, W_DKV = 2, W_UV = 7, W_O = 11: O hat times V hat is 154"):
        _, V, _, O = (matrix.item() for matrix in names["reduced_matrices"](*single, 1))  # noqa: E741  (its letter)
        expect(abs(O * V - 154) < 1e-2, f"expected 154, got {O * V:.4g}")
    B, L_1, L_2 = sizes
    with table.line("your run: five weights, x and y, with x and y on the device"):
        _tensors(names, WEIGHTS | {"x": (B, L_1, D), "y": (B, L_2, D)})
    with table.line(f"your run: two models, and their outputs of shape {(B, L_1, D)} on the device"):
        for name in MODELS:
            named(names, name)
        _tensors(names, {"output_vanilla": (B, L_1, D), "output_reduced": (B, L_1, D)})
    with table.line(f"your run: relative_error is one number, below {BOUND:.0e}"):
        error = numbers(named(names, "relative_error"))
        expect(error.size == 1, f"expected one number, got {error.size}")
        expect(0 <= error.item() < BOUND, f"expected less than {BOUND:.0e}, got {error.item():.1e}")
    table.end()


def _shapes(names, D, H, r):
    """Fails the line unless `reduced_matrices` returns four tensors of the right shapes."""
    ones = torch.ones
    returned = function(names, "reduced_matrices")(ones(r, D), ones(D, r), ones(D, r), ones(D, D), ones(D, D), H)
    four = pieces(returned, 4, "four tensors")
    for name, matrix, shape in zip(HATS, four, ((r, D), (r, D), (H * r, D), (D, H * r)), strict=True):
        expect(isinstance(matrix, torch.Tensor), f"{name}: expected a torch tensor, got {kind(matrix)}")
        expect(matrix.shape == shape, f"{name}: expected shape {shape}, got {tuple(matrix.shape)}")


def _tensors(names, shapes):
    """Fails the line unless the names hold tensors of these shapes; all but weights must be on the device."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    for name, shape in shapes.items():
        value = named(names, name)
        expect(isinstance(value, torch.Tensor), f"`{name}`: expected a torch tensor, got {kind(value)}")
        expect(value.shape == shape, f"`{name}`: expected shape {shape}, got {tuple(value.shape)}")
        here = name in WEIGHTS or value.device.type == device
        expect(here, f"`{name}`: expected it on the device, {device}, got it on {value.device}")


def draw_part13(names):
    """Shows how large your reduced form's error is in three dtypes, and how large one deliberate mistake is."""
    with picture():
        answer, device = function(names, "reduced_matrices"), names.get("device", "cpu")
        _shapes(names, D, H, r)
        figure, panels = subplots(1, 2, figsize=(10, 4.2), left=0.73, right=0.3, bottom=0.82, across=0.36, sharey=True)
        said = []
        for column, (axes, scores) in enumerate(zip(panels, SCORES, strict=True)):
            data = _data(near_one=column == 0)
            found = {dtype: _errors(answer, dtype, device, data) for dtype in LIMITS}
            _panel(axes, scores, found)
            print(f"{scores[0].upper()}{scores[1:]}:")
            for dtype, (error, slip) in found.items():
                limit = LIMITS[dtype][column]
                yours = f"{'below' if error < limit else 'NOT below'} {limit:.0e}"
                hidden = "hides in the rounding" if error < limit else "hides in your error"
                shows = "shows" if slip > 5 * error else hidden
                line = f"{dtype:9} your relative error {yours};  the mistake {shows}"
                print(f"  {line}")
                said.append(f"{scores}, {line}")
        panels[1].axvline(BOUND, color=BLACK, linestyle="--", linewidth=1, label="your run must stay below 5e-4")
        handles, labels = panels[1].get_legend_handles_labels()
        figure.legend(handles, labels, loc="lower center", ncols=3, fontsize=SMALLEST, frameon=False)
        show(
            figure,
            f"""Two panels, each with a row for float64, float32 and bfloat16, and the relative error on a log axis: a
            disc for your reduced form, a cross for the deliberate mistake. {"; ".join(said)}.""",
        )


def _panel(axes, title, found):
    """One row per dtype: a disc for the error of the reduced form, a cross for the mistake."""
    rows = range(len(found))
    errors, slips = zip(*found.values(), strict=True)
    axes.hlines(rows, errors, slips, color="0.8", linewidth=5, zorder=1)
    axes.scatter(errors, rows, s=75, color=BLUE, zorder=3, label="your reduced form")
    axes.scatter(slips, rows, s=75, color=RED, marker="X", zorder=4, label="a mistake: every score 20 % too small")
    for row, pair in enumerate(found.values()):
        for number, place in zip(pair, ((0, 10), (6, -19)), strict=True):
            write(axes, number, row, f"{number:.0e}", offset=place, behind="white", ha="center", fontsize=SMALLEST)
    right = max(5.0, *(number for number in (*errors, *slips) if number < 1e300))
    axes.set(xscale="log", xlim=(1e-16, right), ylim=(len(found) - 0.4, -0.6))
    marks = [10.0**power for power in range(-16, 300, 4 if right < 1e8 else 40)]
    scale(axes, "x", marks, name="relative error (log scale)")
    scale(axes, "y", rows, list(found) if axes.get_subplotspec().is_first_col() else [])
    axes.set_title(title, fontsize=11)
    axes.spines[["top", "right"]].set_visible(False)


def _data(near_one):
    """The five weights, x and y at random, in float64: 1 sample, L_1 = 40, L_2 = 120."""
    random = torch.Generator().manual_seed(1)
    shapes = [*WEIGHTS.values(), (1, 40, D), (1, 120, D)]
    scales = [gain * shape[1] ** -0.5 for gain, shape in zip((1, 1.5, 1, 1.5, 1), shapes, strict=False)] + [1, 1]
    scales = scales if near_one else [1] * len(shapes)
    return [
        s * torch.randn(shape, generator=random, dtype=torch.float64) for s, shape in zip(scales, shapes, strict=True)
    ]


def _errors(answer, dtype, device, data):
    """The relative errors of the reduced form and of its deliberate mistake."""
    *W, x, y = (values.to(device=device, dtype=getattr(torch, dtype)) for values in data)
    K, V, Q, O = answer(*W, H)  # noqa: E741  (the matrix's letter)
    W_DKV, W_UK, W_UV, W_Q, W_O = W
    vanilla = _output(x, y, D // H, W_Q, W_UK @ W_DKV, W_UV @ W_DKV, W_O)
    outputs = [_output(x, y, r, share * Q, K.repeat(H, 1), V.repeat(H, 1), O) for share in (1, SLIP)]
    return [float((output - vanilla).norm() / vanilla.norm()) for output in outputs]


def _output(x, y, width, *weights):
    """The output, in float64, of a MyMHA with these weights, whose heads have this width."""
    with torch.device("meta"):  # it takes no memory and no time: the weights are replaced anyway
        model = MyMHA(D, D, width, width, H)
    for name, weight in zip(("W_Q", "W_K", "W_V", "W_O"), weights, strict=True):
        getattr(model, name).weight = torch.nn.Parameter(weight)
    return model(x, y).detach().double()
