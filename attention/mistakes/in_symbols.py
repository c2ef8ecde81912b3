"""Usual mistakes in answers in symbols: parts 1, 2, 4, 8, 9 and 14, by the name of the student's variable.

Written as the answers are, and compared by value; see grading/marking/expressions.py.
"""

SHAPES: dict[int, dict[str, dict[str, tuple[str, ...]]]] = {
    1: {
        "shape_W_Q_h": {
            "matrix-transposed": ("D_1", "D_qk"),
            "queries-from-y": ("D_qk", "D_2"),
            "key-as-wide-as-a-value": ("D_v", "D_1"),
            "all-heads-for-one": ("H*D_qk", "D_1"),
            "width-shared-out": ("D_qk/H", "D_1"),
            "axis-for-one-head": ("H", "D_qk", "D_1"),
            "axis-of-one": ("1", "D_qk", "D_1"),
            "lengths-for-widths": ("D_qk", "L_1"),
            "entries-counted": ("D_qk*D_1",),
        },
        "shape_W_K_h": {
            "matrix-transposed": ("D_2", "D_qk"),
            "keys-from-x": ("D_qk", "D_1"),
            "key-as-wide-as-a-value": ("D_v", "D_2"),
            "all-heads-for-one": ("H*D_qk", "D_2"),
            "width-shared-out": ("D_qk/H", "D_2"),
            "axis-for-one-head": ("H", "D_qk", "D_2"),
            "axis-of-one": ("1", "D_qk", "D_2"),
            "lengths-for-widths": ("D_qk", "L_2"),
            "entries-counted": ("D_qk*D_2",),
            "one-matrix-for-both-sequences": ("D_qk", "D_1 + D_2"),
        },
        "shape_W_V_h": {
            "matrix-transposed": ("D_2", "D_v"),
            "values-from-x": ("D_v", "D_1"),
            "value-as-wide-as-a-key": ("D_qk", "D_2"),
            "all-heads-for-one": ("H*D_v", "D_2"),
            "width-shared-out": ("D_v/H", "D_2"),
            "axis-for-one-head": ("H", "D_v", "D_2"),
            "axis-of-one": ("1", "D_v", "D_2"),
            "lengths-for-widths": ("D_v", "L_2"),
            "entries-counted": ("D_v*D_2",),
        },
    },
    2: {
        "shape_W_Q": {
            "matrix-transposed": ("D_1", "H*D_qk"),
            "queries-from-y": ("H*D_qk", "D_2"),
            "one-head-for-all": ("D_qk", "D_1"),
            "axis-for-the-heads": ("H", "D_qk", "D_1"),
            "stacked-along-the-other-axis": ("D_qk", "H*D_1"),
        },
        "shape_W_K": {
            "matrix-transposed": ("D_2", "H*D_qk"),
            "keys-from-x": ("H*D_qk", "D_1"),
            "key-as-wide-as-a-value": ("H*D_v", "D_2"),
            "one-head-for-all": ("D_qk", "D_2"),
            "axis-for-the-heads": ("H", "D_qk", "D_2"),
            "stacked-along-the-other-axis": ("D_qk", "H*D_2"),
        },
        "shape_W_V": {
            "matrix-transposed": ("D_2", "H*D_v"),
            "values-from-x": ("H*D_v", "D_1"),
            "value-as-wide-as-a-key": ("H*D_qk", "D_2"),
            "one-head-for-all": ("D_v", "D_2"),
            "axis-for-the-heads": ("H", "D_v", "D_2"),
            "stacked-along-the-other-axis": ("D_v", "H*D_2"),
        },
        "shape_q": {
            "one-head-for-all": ("D_qk",),
            "axis-for-the-heads": ("H", "D_qk"),
            "axis-of-one": ("1", "H*D_qk"),
            "every-position-at-once": ("L_1", "H*D_qk"),
        },
        "shape_k": {
            "one-head-for-all": ("D_qk",),
            "key-as-wide-as-a-value": ("H*D_v",),
            "axis-for-the-heads": ("H", "D_qk"),
            "axis-of-one": ("1", "H*D_qk"),
            "every-position-at-once": ("L_2", "H*D_qk"),
        },
        "shape_v": {
            "one-head-for-all": ("D_v",),
            "value-as-wide-as-a-key": ("H*D_qk",),
            "axis-for-the-heads": ("H", "D_v"),
            "axis-of-one": ("1", "H*D_v"),
            "every-position-at-once": ("L_2", "H*D_v"),
        },
    },
    4: {
        "shape_o_h": {
            "value-as-wide-as-a-key": ("D_qk",),
            "axis-of-one": ("1", "D_v"),
            "every-position-at-once": ("L_1", "D_v"),
        },
        "shape_o": {
            "value-as-wide-as-a-key": ("H*D_qk",),
            "one-head-for-all": ("D_v",),
            "axis-for-the-heads": ("H", "D_v"),
            "every-position-at-once": ("L_1", "H*D_v"),
            "heads-as-wide-as-the-output": ("H*D_1",),
            "stack-as-wide-as-the-output": ("D_1",),
        },
        "shape_W_O_h": {
            "matrix-transposed": ("D_v", "D_1"),
            "value-as-wide-as-a-key": ("D_1", "D_qk"),
            "all-heads-for-one": ("D_1", "H*D_v"),
            "output-in-the-other-space": ("D_2", "D_v"),
            "axis-of-one": ("1", "D_1", "D_v"),
            "width-shared-out": ("D_1/H", "D_v"),
            "heads-as-wide-as-the-output": ("D_1", "D_1"),
        },
        "shape_W_O": {
            "matrix-transposed": ("H*D_v", "D_1"),
            "value-as-wide-as-a-key": ("D_1", "H*D_qk"),
            "one-head-for-all": ("D_1", "D_v"),
            "output-in-the-other-space": ("D_2", "H*D_v"),
            "stacked-along-the-other-axis": ("H*D_1", "D_v"),
            "axis-for-the-heads": ("H", "D_1", "D_v"),
            "heads-as-wide-as-the-output": ("D_1", "H*D_1"),
            "stack-as-wide-as-the-output": ("D_1", "D_1"),
        },
    },
}
EXPRESSIONS: dict[int, dict[str, dict[str, str]]] = {
    8: {
        "G_for_MHA": {
            "one-head-for-all-queries": "1",
            "query-heads-for-each": "H/G",
            "left-open": "G",
            "width-counted-too": "H*D_qk",
        },
    },
    9: {"r_MLA": {"full-width": "D", "width-forgotten": "G", "keys-and-values-together": "2*G*d", "left-open": "r"}},
    14: {
        "kv_cache_MHA": {
            "keys-alone": "D",
            "cache-of-one-head": "2*d",
            "heads-counted-twice": "2*H*D",
            "cache-of-GQA": "2*G*d",
            "positions-counted-too": "2*L_2*D",
        },
        "kv_cache_MLA": {
            "latent-kept-twice": "2*r",
            "latent-of-every-head": "H*r",
            "latent-shared-out": "r/H",
            "cache-of-the-vanilla-form": "2*D",
            "rank-of-GQA": "G*d",
            "keys-and-values-together": "2*G*d",
        },
    },
}
