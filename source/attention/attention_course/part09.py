"""Part 9's visible check and figure: two factors of an easy matrix, and who reads what in GQA and in MLA."""

import numpy as np

from attention_course import symbols
from attention_course.answers import function, named, picture, pieces
from attention_course.figure import BLACK, BLUE, ORANGE, SMALLEST, lines, show, subplots
from attention_course.labels import write
from attention_course.table import Table, expect, numbers, unwritten

LETTERS = ("D_1", "D_2", "D", "D_qk", "D_v", "d", "H", "G", "r")
TWO = "two matrices, W_UM and W_DKV"
LABELLED = 20  # points, of a side of the smallest box with a label in it
EASY = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]])  # G = 2, d = 1; H = D = 4


def check_part09(names):
    """Looks at the form of both answers and factors one easy matrix; whether `r_MLA` is right stays open."""
    table = Table(9)
    with table.line("r_MLA is written in symbols"):
        _in_symbols(symbols.unquoted(named(names, "r_MLA")))
    with table.line("factor_gqa returns two matrices"):
        two = pieces(_easy(names), 2, TWO)
        W_UM, W_DKV = numbers(two[0]), numbers(two[1])
    with table.line("W_UM has D rows, W_DKV has D columns, and they can be multiplied"):
        expect(W_UM.ndim == 2 and W_UM.shape[0] == 4, f"D = 4: expected W_UM with 4 rows, got shape {W_UM.shape}")
        expect(W_DKV.ndim == 2 and W_DKV.shape[1] == 4, f"D = 4: expected W_DKV with 4 columns, got {W_DKV.shape}")
        expect(W_UM.shape[1] == W_DKV.shape[0], f"r differs: W_UM has shape {W_UM.shape}, W_DKV {W_DKV.shape}")
    with table.line("for [[1, 0, 0, 0], [0, 1, 0, 0]] and H = 4, W_UM @ W_DKV is two copies of it"):
        product = W_UM @ W_DKV
        expect(np.allclose(product, np.vstack([EASY, EASY]), atol=1e-5), f"got {np.round(product, 3).tolist()}")
    table.end()


def _easy(names):
    """What `factor_gqa` gives for the easy matrix; fails the line if it stops and has calculated with letters."""
    factor_gqa = function(names, "factor_gqa")
    try:
        return factor_gqa(EASY.copy(), 4)
    except Exception as error:
        if unwritten(error):
            raise
        used = getattr(getattr(factor_gqa, "__code__", None), "co_names", ())
        letters = ", ".join(name for name in used if getattr(names.get(name), "free_symbols", None))
        where = "Inside factor_gqa, work out numbers from the shape of W_M_GQA and from H"
        expect(not letters, f"it calculates with letters of the setup cell: {letters}. {where}")
        raise


def _in_symbols(r_MLA):
    used = getattr(r_MLA, "free_symbols", None)
    asked = f"expected an expression in {', '.join(LETTERS)}, got {r_MLA!r}"
    number = ". A number fits a single model: write letters. Has one of them been given a value?"
    expect(used, asked + number if isinstance(r_MLA, (int, float)) else asked)
    strange = sorted({str(letter) for letter in used} - set(LETTERS))
    expect(not strange, f"expected only {', '.join(LETTERS)}, got {', '.join(strange)}")


def draw_part09(names):
    """Shows who reads what: a GQA with H = 6, G = 2, d = 2, and next to it the MLA that your factors make of it."""
    H, G, d = 6, 2, 2
    with picture():
        W = np.random.default_rng(9).standard_normal((G * d, H * d))
        two = pieces(function(names, "factor_gqa")(W.copy(), H), 2, TWO)
        W_UM, W_DKV = numbers(two[0]), numbers(two[1])
        expect(W_UM.shape[:1] == (H * d,) and W_UM.ndim == 2, f"expected W_UM with {H * d} rows, got {W_UM.shape}")
        strength = np.abs(W_UM).reshape(H, d, -1).max(axis=1)
        read = strength > 1e-6 * strength.max()
        right = W_DKV.shape == (W_UM.shape[1], H * d) and np.allclose(W_UM @ W_DKV, np.tile(W, (H // G, 1)), atol=1e-5)
        heads = np.arange(H)[:, None] % G == np.arange(G * d) // d
        for h in range(H):
            print(f"query head {h}: GQA reads key/value head {h % G}; your MLA reads latent numbers {_listed(read[h])}")
        print(f"your product is the stacked matrix: {'yes' if right else 'no, not yet'}")

        figure, panels = subplots(1, 2, figsize=(10, 4.2))
        _draw_readers(panels[0], heads, G, [f"key {j // d}\n[{j % d}]" for j in range(G * d)])
        panels[0].set_title(f"GQA: {H} query heads share {G} key heads of {d} numbers")
        _draw_readers(panels[1], read, G, [f"c\n[{j}]" for j in range(read.shape[1])])
        panels[1].set_title(f"MLA with your factors: {H} query heads, {read.shape[1]} latent numbers")
        show(
            figure,
            f"""Left: query heads 0 to {H - 1} above, the numbers of {G} key heads below; each query head has lines to
            the key head of its number modulo {G}. Right: the same query heads, and lines to the latent numbers that
            the up-projection you found reads for each.""",
        )


def _listed(read):
    return ", ".join(str(j) for j in np.flatnonzero(read)) or "none"


def _draw_readers(axes, read, G, labels):
    """Query heads above, numbers below, and a line where a head reads a number."""
    H, count = read.shape
    above, below = np.arange(H) + 0.5, (np.arange(count) + 0.5) * H / count
    looks = [((BLUE, "-"), (ORANGE, (0, (4, 1.5))))[h % G] for h in range(H)]
    pairs = np.argwhere(read)
    if len(pairs):
        pieces = [[(above[h], 1), (below[j], 0)] for h, j in pairs]
        lines(axes, pieces, *zip(*(looks[h] for h, _ in pairs), strict=True), width=1.8)
    axes.scatter(above, np.ones(H), s=420, color=[colour for colour, _ in looks], edgecolor=BLACK, zorder=2)
    for h, (colour, _) in enumerate(looks):
        ink = "white" if colour == BLUE else BLACK
        write(axes, above[h], 1, str(h), ha="center", va="center", fontsize=11, color=ink, zorder=3)
    side = min(39.0, 0.85 * _share(axes, count))  # points
    axes.scatter(below, np.zeros(count), s=side**2, marker="s", color="white", edgecolor=BLACK, zorder=2)
    if side > LABELLED:
        for place, label in zip(below, labels, strict=True):
            write(axes, place, 0, label, ha="center", va="center", fontsize=SMALLEST, zorder=3)
    write(axes, H / 2, 1.22, "query heads", ha="center", fontsize=10)
    write(axes, H / 2, -0.42, "numbers kept per position, for the keys alone", ha="center", fontsize=10)
    axes.set(xlim=(-0.2, H + 0.2), ylim=(-0.5, 1.4))
    axes.axis("off")


def _share(axes, count):
    """The points that each of `count` numbers has in the panel's width."""
    return axes.get_window_extent().width * 72 / axes.figure.dpi / (count + 1)
