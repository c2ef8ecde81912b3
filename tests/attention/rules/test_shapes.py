"""Comments that name shapes: told from prose in any notation, and counted for the statements that they stand by."""

import ast
import time

import busy
import pytest
from hand_written import notebook
from hypothesis import given, settings
from hypothesis import strategies as st

from attention.rules import shapes
from attention.rules.shapes import shapes_named

SHAPES = [
    "(batch B, length L_1, width D_1)",
    "B samples, H heads, L_1 positions",
    "[B samples, L_1 positions, H*D_qk]",
    "(B, H heads, L_1, L_2)",
    "(B: batch, H: heads, L_1: length)",
    "(B, λ)",
    "(B, λ, μ)",
    "(β, η, λ₁, δ)",
    "β η λ μ -> β λ (η δ)",
    "bf16[b, h, l, m]",
    "q: f32[b,h,l,d]",
    "Tensor[b, l, m]",
    "B-by-L_1-by-D_1",
    "(B-by-H-by-length)",
    "(B-by-L_1-by-width)",
    "(H*D_v-by-B-by-D_qk)",
    "(B-by-L_1-by-(H*D_v))",
    "(B, ?, H)",
    "(B, :, D_1)",
    "(B, -1, H, D_qk)",
    "(batch, length 1, D)",
    "(Batch, Länge 1, D)",
    "B-H-L_1",
    "q: B-H-L_1-D_qk",
    "B - L_1 - H*D_qk",
    "B–H–L",
    "(B-H-L_1)",
    "B-H/G-G-L_1-L_2",
    "B-H-L_1-D_qk -> B-L_1-HD_v",
    "|B, L, D|",
    "「B, L_1, D」",
    "(B,L_1,H∗D_qk)",
    "'b h l d'",
    '"N, T, C"',
    "bxhxl",
    "bhqk",
    "bld -> bhld",
    "scores B,H,L_1,L_2",
    "attention weights B H L_1 L_2",
    "its shape is B, L_1, H*D_qk.",
    "batch query_pos n_heads d_head",
    "[batch seq d_model]",
    "(batch L1 heads dk)",
    "(批, 头, 长一, 维)",
    "形状：（批量，头数，序列长度，头*值维）",
    "【批次、头、长、维】",
    "(B، L_1، H، D_qk)",
    "(バッチ, ヘッド, 系列長1, 次元)",
    "(배치, 헤드, 길이1, 차원)",
    "(Б, Г, Д1, Д2)",
    "(батч, голова, длина, длина)",
    "(lot, têtes, longueur_1, dim_clé)",
    "(lot, longueur_1, têtes * dim_valeur)",
    "(lote, cabezas, longitud1, clave)",
    "(Batch, Köpfe, L1, Dqk)",
    "(lotto, teste, lunghezza_1, D_qk)",
    'Float[Tensor, "B L_1 H*D_qk"]',
    "Float['B L_1 D']",
    "q: Float[torch.Tensor, 'b l (h d)']",
    "BHLD",
    "[BLHD]",
    "q: BLD",
    "(B, L_1, all heads)",
    "(batch, len x, heads, D_qk)",
    "(batch, heads, length of x, length of y)",
    "[lote, cabezas, largo de x, largo de y]",
    "(Stapel, Köpfe, Länge x, Länge y)",
    "(batch, number of heads, tokens)",
    "(#batch, #heads, L_1, L_2)",
    "(B, L_1, D)",
    "[B,H,L,D]",
    "B x L x D",
    "<B, H>",
    "{B,L}",
    "shape: B, H, L_1, L_2",
    "(batch, heads, len_q, dim)",
    "B×L",
    "(B, H*D_qk)",
    "torch.Size([B, L])",
    "-> (B, L_1, H, D_qk)",
    "→ (B, L_1, H, D_qk)",
    "q: (B, L_1, H*D_qk)",
    "q, k, v: (B, H, L, d)",
    "(B,L1,D1)",
    "(B, H, L1, L2) attention weights",
    "project the queries, (B, L_1, H * D_qk)",
    "(B, L_1, H·D_qk)",
    "(B,H,L_1,L_2) -> (B,L_1,H*D_v)",
    "[B, L_1, H, D_qk] -> [B, H, L_1, D_qk]",
    "shape (B, L_1, D_1)",
    "shape = (B, L_1, D_1)",
    "shape [B, H, L_1, D_qk]",
    "output shape: (B, L_1, D_1)",
    "(B, L_q, H, d_k)",
    "(b, h, l1, l2)",
    "(b, l1, dqk)",
    "(b, l1, h*dqk)",
    "(b, h, seqlen, dqk)",
    "(b h l1 d)",
    "b h l d",
    "(B, H, L1, Dqk)",
    "(batch_size, num_heads, seq_len, head_dim)",
    "(batch_size, seq_len, d_model)",
    "(bs, n_heads, q_len, d_head)",
    "(bsz, nh, T, hs)",
    "(bs, slen, nheads, hdim)",
    "(batch, seq1, seq2)",
    "(batch, nquery, nkey)",
    "(batch, words_1, words_2)",
    "batch x heads x len_q x len_k",
    "(B, H, T, S)",
    "(N, L, E)",
    "(n, h, s, t)",
    "[B x H x L_1 x L_2]",
    "(B x L_1 x D_1)",
    "$(B, L_1, D_1)$",
    "`(B, L_1, D_1)`",
    "(B, L_{1}, D_{qk})",
    "(B, L₁, D₁)",
    "(B, H, L_1, L_2), sums to 1 along the last axis",
    "scores: B,H,L_1,L_2",
    "B, L_1, D_1",
    "B,L_1,H*D_qk",
    r"$B \times L_1 \times D_1$",
    r"(B, L_1, H \cdot D_{qk})",
    "B \u0445 H \u0445 L_1",  # a Cyrillic letter between
    "(\u0412, \u041d, L_1)",  # Cyrillic letters that look like B and H
    "(b, l_1, (h d))",
    "[b l (h d)]",
    "(B, L_1, H D_qk)",
    "⟨B, H, L_1⟩",
    "[B ⨉ L_1 ⨉ D_1]",
    "shape B, L_1, D_1",
    "(B, L_1, H, D_qk).transpose -> (B, H, L_1, D_qk)",
    "k.shape == (B, L_2, H*D_qk)",
    "(B, L_1, self.H, self.D_qk)",
    "(B, L_1, self.H * self.D_qk)",
    "(B, L_1, H*(D_qk))",
    "(B, H/G, G, L_1, L_2)",
    "(B, H//G, G, L_1, L_2)",
    "(B, G, 1, L_2, D_qk)",
    "(B, 1, L_2, G, D_v)",
    "(B*H, L_1, D_qk)",
    "(BH, L_1, D_qk)",
    "B*H x L_1 x D_qk",
    "(B, L_1, H, d_qk)",
    "(H, B, L_1, D_qk)",
    "(..., L_1, L_2)",
    "(B, ..., D_v)",
    "(*, L_1, D)",
    "Q (B,H,L_1,D_qk)",
    "out: [batch, length, D_1]",
    "Shape: [batch, seq, dim]",
    "(B,H,Lq,Lk)",
    "(B, H, L_x, L_y)",
    "(B, Lx, D)",
    "(B, nheads, Lx, dk)",
    "(B, n_q, H, d)",
    "tensor of shape (B, L_1, D_1)",
    "Tensor[B, L_1, D_1]",
    "float32[B, L_1, D_1]",
    "B L_1 H D_qk",
    "B · H · L_1 · L_2",
    "(B; H; L_1)",
    "(B | H | L_1)",
    "<B,H,L_1,L_2>",
    "(B, heads, L_1, per_head)",
    "(batch, query positions, heads, width)",
    "(batch, query position, key position)",
    "(batch, position, head, feature)",
    "dims: batch, head, query, key",
    "size: [B, H, L, L]",
    "(L_2,)",
    "(D_v,)",
    "(B)",
    "[B]",
    "3-D: (B, L_1, D_1)",
    "(B, L_1, D_1); the residual is not added",
    "now B×H×L_1×D_qk",
    "B by L_1 by D_1",
    "(B, L_1, D_1) = x.shape",
    "(num_samples, num_queries, num_heads, head_size)",
    "(B=2, L_1=5, D_1)",
    "batch, len_a, heads * width",
    "(B, share, G, L_a, L_b)",
    "B, H, L_1, L_2.",
    "#: (B, L_1, D_1)",
    "(B, L_1, D_1)  (unchanged)",
    "now (B, L_1, H, D_qk), as in part 2",
    "q(B, L_1, D_1)",
    "reshape(B, L_1, H, D_qk)",
    "queries: [B, H, L_1, D_qk]",
    "(B', L', D')",
    "(B , L_1 , D_1 )",
    "BxLxD",
    "B*L_1 x D_1",
]
NO_SHAPES = [
    "keys: G heads, values: G heads",
    "for B samples, one after the other",
    "step A, step B",
    "(head h, position i)",
    "side-by-side",
    "Step-by-step",
    "(Head-by-head)",
    "H heads",
    "W[:, h]",
    "q[:, 0]",
    "(step 1, step 2)",
    "(key1, key2)",
    "(nothing, none)",
    "step1, step2, step3",
    "attend (keys of y, values of y)",
    "(query x, key y)",
    "multiply (q of x, k of y)",
    "softmax (over the length of y)",
    "project x (length of x)",
    "(in x, out y)",
    "for all positions of x, all positions of y",
    "Q-K-V",
    "W_Q-W_K-W_V",
    "MHA-GQA-MLA",
    "H - h - 1",
    "L_1 - 1",
    "key-value-heads",
    "(batch size B)",
    "(num heads H)",
    "heads H and width D",
    "head-by-head",
    "| q | k | v |",
    "'softmax'",
    "'key' and 'value'",
    "axis",
    "best",
    "bugs",
    "big",
    "stack Q, K, V",
    "split by H, D_qk, D_v",
    "options A, B, C, D",
    "as in part B",
    "see W_Q W_K W_V",
    "n_heads times d_head",
    "[n_heads times d_head]",
    "(all heads in d_model)",
    "(key value heads)",
    "先缩放 (乘以 scale), 再 softmax",
    "(先缩放, 再求和)",
    "(缩放, 求和, 归一)",
    "(查询, 键, 值)",
    "（见上）",
    "(每个头)",
    "(requêtes, clés, valeurs)",
    "(voir, plus, haut)",
    "(multiplier, puis normaliser)",
    "(запросы, ключи, значения)",
    "(и, а, но)",
    "(siehe oben)",
    "(α, β)",
    "α, β",
    "average (α, v)",
    "by mean and deviation (μ, σ)",
    "φ(β, η, λ)",
    "BEST",
    "BUGS",
    "the BLHD layout, or so",
    "tensors['queries']",
    "see config['n heads']",
    "scale (softmax, then sum)",
    "(as is)",
    "as it is",
    "scale",
    "softmax over the keys",
    "(2, 3)",
    "[1, 2, 3]",
    "2 x 3",
    "project the tokens",
    "no cache needed",
    "scale (see part 3)",
    "softmax(q @ k)",
    "x, then y",
    "queries, keys and values",
    "attention weights",
    "sum over l_2",
    "divide by sqrt(D_qk)",
    "TODO",
    "same as above",
    "I think (not sure) this is right",
    "(see the paper)",
    "(optional)",
    "use F.softmax(x, dim=-1)",
    "transpose(1, 2)",
    ".transpose(1, 2)",
    "dim=-1",
    "for all heads, at once",
    "heads first",
    "q, k, v",
    "query, key, value",
    "Q K^T",
    "W_O",
    "(this works)",
    "compute attention: softmax, scale, sum",
    "logits (before the softmax)",
    "weights (after softmax)",
    "combine (concat, then project)",
    "merge (reshape, view)",
    "step 1",
    "step 1: project",
    "a / b",
    "H = 4",
    "(H = 4)",
    "L_1 = L_2",
    "x",
    "(i.e. the output)",
    "note: this, that, other",
    "first the keys, then the values",
    "per head",
    "batch first",
    "max(a, b)",
    "view(B, -1)",
    "attention (MHA)",
    "project with (W_Q, W_K, W_V)",
    "stack (Q, K, V)",
    "(q | k | v)",
    "(keys, values)",
    "normalise (per row)",
    "first (a), then (b)",
    "all heads (in parallel)",
    "einsum('bhqd,bhkd->bhqk')",
    "see https://example.org/a,b",
    "0.5",
    "(1)",
    "(0, 1, 2)",
    "2, 3",
    "",
    "#",
    "(x)",
    "f(x) = x",
    "x > 0",
    "if x < 0, y > 1",
    "it is so, as it is",
    "the scale, the root",
    "This is MHA, not GQA",
    "q.k / sqrt(d)",
    "x.shape",
    "shape",
    "the shape is right",
    "batch",
    "(heads)",
    "one, two, three",
]


@pytest.mark.parametrize("comment", SHAPES)
def test_a_shape_in_letters_is_read_in_any_notation(comment: str):
    assert shapes_named(f"# {comment}") >= 1
    assert shapes_named(f"#{comment}") >= 1


@pytest.mark.parametrize("comment", NO_SHAPES)
def test_prose_numbers_and_remarks_on_code_name_no_shape(comment: str):
    assert shapes_named(f"# {comment}") == 0


@pytest.mark.parametrize(
    ("comment", "number"),
    [
        ("# (B, L_1, D_1)", 1),
        ("# q: (B, L_1, D_qk), k: (B, L_2, D_qk), v: (B, L_2, D_v)", 3),
        ("# (B, L_1, H*D_qk) -> (B, L_1, H, D_qk) -> (B, H, L_1, D_qk)", 1),
        ("# B x L_1 x D, B x L_2 x D", 2),
        ("# [B, L] (see above)", 1),
    ],
)
def test_shapes_are_counted_and_a_change_of_one_is_one(comment: str, number: int):
    assert shapes_named(comment) == number


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60) | st.text(alphabet="(B, L_1*x[]{}<>:=->#dq.;|", max_size=60))
def test_no_comment_makes_the_count_fail(text: str):
    assert shapes_named("#" + text) >= 0


@pytest.mark.parametrize(
    "piece", ["a,", "x ", "B x ", "a x", "a*", "(", "[B, ", "batch_", "B ", "(B*", "a b, ", "a - b * "]
)
def test_a_long_comment_takes_no_long_time(piece: str):
    started = time.process_time()
    shapes_named("# (" + piece * 100_000)
    assert busy.within(time.process_time() - started, 1.0)


# Counting -------------------------------------------------------------------------------------------------------------


def count(body: str, before: str = "", after: str = "", more: tuple[str, ...] = ()) -> tuple[int, int, bool]:
    """How many statements of a forward with this body are commented, how many there are, and whether it is enough."""
    lines = "\n".join("        " + line for line in body.splitlines())
    source = f"{before}class MyMHA(nn.Module):\n    def forward(self, x, y):\n{lines}\n{after}"
    ast.parse(source)
    with notebook("part05", source, *more):
        verdict = shapes.shape_comments("part05-answer", "MyMHA")
    words = verdict.found.split()
    return int(words[0]), int(words[3]), verdict.right


COUNTS = [
    # Same line, above, below, and inside a statement of several lines.
    ("q = f(x)  # (B, L)", 1, 1),
    ("# (B, L)\nq = f(x)", 1, 1),
    ("q = f(x)\n# (B, L)", 1, 1),
    ("q = f(\n    x,  # (B, L)\n)", 1, 1),
    ("q = f(\n    # (B, L)\n    x,\n)", 1, 1),
    ("q = f(\n    x,\n)  # (B, L)", 1, 1),
    ("# (B, L)\nq = f(\n    x,\n)", 1, 1),
    ("q = f(\n    x,\n)\n# (B, L)", 1, 1),
    ("# project\n# (B, L)\nq = f(x)", 1, 1),
    ("# (B, L)\n# project\nq = f(x)", 1, 1),
    ("# (B, L)\n\nq = f(x)", 0, 1),
    ("q = f(x)\n\n# (B, L)", 0, 1),
    ("q = f(x)\nb = 1  # (B, L)", 0, 1),
    ("q = f(x)\nprint(q.shape)  # (B, L)", 1, 1),
    ("q = f(x)\nassert q.ndim == 2  # (B, L)\nk = f(y)\nprint(k)", 1, 2),
    ("q = f(x)  # (B, L)\nprint(q)\nk = f(y)", 1, 2),
    ("q = f(x)\nq.neg_()  # (B, L)", 1, 2),
    ("split = lambda t: t.view(2)\njoin = lambda t: t.T\nq = f(x)  # (B, L)\nreturn join(split(q))", 1, 2),
    ("split = lambda t: t.view(2)  # (B, L)\nreturn split(x)", 1, 2),
    ("q = f(x)  # project", 0, 1),
    ("q = '# (B, L)' + f(x)", 0, 1),
    # A comment serves the statements of its own line, and between two statements one, or as many as it names shapes.
    ("q = f(x)\nk = f(y)  # (B, L)", 1, 2),
    ("q = f(x)  # (B, L)\nk = f(y)\nv = f(y)", 1, 3),
    ("q = f(x)\n# (B, L)\nk = f(y)", 1, 2),
    ("q = f(x)\n# (B, L)\nk = f(y)\n# (B, L)", 2, 2),
    ("# (B, L)\nq = f(x)\n# (B, L)\nk = f(y)", 2, 2),
    ("q = f(x)  # (B, L)\n# (B, L)\nk = f(y)", 2, 2),
    ("q = f(x)\n# q: (B, L), k: (B, M)\nk = f(y)", 2, 2),
    ("q = f(x)\n# (B, L)\n# (B, M)\nk = f(y)", 2, 2),
    ("q = f(x); k = f(y)  # (B, L)", 2, 2),
    ("q, k = f(x), f(y)  # (B, L)", 1, 1),
    # Words that stand in the lists of several comments are dimensions, in whatever language.
    ("q = f(x)  # (partia, głowy * szerokość)\nk = f(y)  # (partia, głowy, szerokość)", 2, 2),
    ("q = f(x)  # (yığın, uzunluk_1)\nk = f(y)  # (yığın, başlık, uzunluk 1)", 2, 2),
    ("q = f(x)  # (queries, keys)\nk = f(y)  # (queries, keys)", 0, 2),
    ("q = f(x)  # (see above, or below)\nk = f(y)  # (see above, or below)", 0, 2),
    ("q = f(x)  # (partia, głowy)", 0, 1),
    # What computes a tensor, and what does not.
    ("B, L_1, _ = x.shape\nL_2 = y.size(1)\nn = self.H // self.G\nq = f(x)  # (B, L)", 1, 1),
    ("batch, length = x.shape[0], x.shape[1]\nrows = batch * length\nq = f(x)  # (B, L)", 1, 1),
    ("scale = self.D_qk ** -0.5\nroot = np.sqrt(self.D_qk)\nr = 1 / root\nq = f(x)  # (B, L)", 1, 1),
    ("root = torch.sqrt(torch.tensor(self.D_qk))\nq = f(x)  # (B, L)", 1, 1),
    ("root = torch.tensor(self.D_qk).sqrt()\nper_kv = self.n_heads // self.n_kv\nq = f(x)  # (B, L)", 1, 1),
    ("shape = (x.shape[0], -1, self.H)\nsizes = [*x.shape]\nq = f(x)  # (B, L)", 1, 1),
    ("d: int = self.D_qk\nd //= 2\nq: torch.Tensor = f(x)  # (B, L)", 1, 1),
    ("H, G = self.H, self.G\nq = f(x)  # (B, L)", 1, 1),
    ("assert x.dim() == 3\nprint(f(x))\nself.seen = True\nq = f(x)  # (B, L)\nreturn q", 1, 1),
    ('"""(B, L)"""\nq = f(x)\nreturn q', 0, 1),
    ("G = x @ y\nH = G @ G", 0, 2),
    ("q = x + y\nk = x[0]\nv = x.T\nreturn q * k", 0, 3),
    ("q = f(x)\nq *= 2\nq /= self.scale\nq.div_(2)", 0, 4),
    ("q = x @ y\nh = x\nq = h @ q", 0, 2),
    ("with torch.no_grad():\n    q = f(x)  # (B, L)\nif q is None:\n    q = f(y)\nelse:\n    q = f(x)", 1, 3),
    ("def attend(q):\n    return f(q)  # (B, L)\nreturn attend(x)", 1, 2),
    ("return f(x)  # (B, L)", 1, 1),
]


@pytest.mark.parametrize(("body", "commented", "statements"), COUNTS)
def test_statements_and_those_with_a_comment_are_counted(body: str, commented: int, statements: int):
    assert count(body) == (commented, statements, statements > 0 and 2 * commented >= statements)


@pytest.mark.parametrize("statements", range(1, 10))
def test_half_of_the_statements_is_enough_and_less_is_not(statements: int):
    for commented in range(statements + 1):
        lines = [f"t{n} = f(x)" + "  # (B, L)" * (n < commented) for n in range(statements)]
        assert count("\n".join(lines)) == (commented, statements, commented * 2 >= statements)


def test_a_forward_that_computes_nothing_or_is_missing_has_no_comments():
    assert count("pass  # (B, L)") == (0, 0, False)
    with notebook("part05", "class Other:\n    def forward(self): pass"):
        verdict = shapes.shape_comments("part05-answer", "MyMHA")
    assert not verdict.right and "`MyMHA`" in verdict.found and verdict.no_value  # no hint about comments


def test_one_comment_and_several_are_counted_in_whole_sentences():
    for commented, words in [(1, "1 of the 3 statements"), (0, "0 of the 3 statements")]:
        lines = [f"t{n} = f(x)" + "  # (B, L)" * (n < commented) for n in range(3)]
        source = "class MyMHA(nn.Module):\n    def forward(self, x, y):\n" + "".join(f"        {o}\n" for o in lines)
        with notebook("part05", source):
            found = shapes.shape_comments("part05-answer", "MyMHA").found
        verb = "has" if commented == 1 else "have"
        assert found == f"{words} of `forward` that compute a tensor {verb} a comment with a shape."


@pytest.mark.parametrize("pattern", ["A{0} = A{1}", "A{0} = g(A{1})", "class A{0}(A{1}): pass"])
@pytest.mark.parametrize("last", ["MyMHA = A0", "class MyMHA:\n    forward = A0"])
def test_names_that_lead_on_without_end_are_given_up(pattern: str, last: str):
    began = time.thread_time()
    with notebook("part05", "\n".join([*(pattern.format(n, n + 1) for n in range(2000)), last])):
        assert not shapes.shape_comments("part05-answer", "MyMHA").right
    assert busy.within(time.thread_time() - began, 5)  # a tenth of a second; with every name followed, no end


GOOD, POOR = "q = f(x)  # (B, L)", "q = f(x)"
FORWARD = "def forward(self, x, y):\n    {}\n"


@pytest.mark.parametrize(
    ("cells", "right"),
    [
        ([f"class MyMHA(nn.Module):\n    def forward(self, x, y):\n        {GOOD}"], True),
        (["pass", f"class MyMHA(nn.Module):\n    def forward(self, x, y):\n        {GOOD}"], True),
        (
            [
                f"class MyMHA:\n    def forward(self, x): {POOR}",
                f"class MyMHA:\n    def forward(self, x):\n        {GOOD}",
            ],
            True,
        ),
        (
            [f"class MyMHA:\n    def forward(self):\n        {GOOD}\nclass MyMHA:\n    def forward(self): {POOR}"],
            False,
        ),
        ([f"class MyMHA:\n    pass\n{FORWARD.format(GOOD)}MyMHA.forward = forward"], True),
        ([f"class MyMHA:\n    pass\n{FORWARD.format(GOOD)}setattr(MyMHA, 'forward', forward)"], True),
        ([f"class MyMHA:\n    def forward(self): {POOR}\n{FORWARD.format(GOOD)}MyMHA.forward = forward"], True),
        ([f"class MyMHA:\n    def forward(self): {POOR}\n{FORWARD.format(GOOD)}MyMHA.describe = forward"], False),
        ([f"{FORWARD.format(GOOD)}class MyMHA:\n    forward = forward"], True),
        ([f"class MyMHA:\n    def attend(self, x):\n        {GOOD}\n    forward = attend"], True),
        ([f"class Base:\n    def forward(self, x):\n        {GOOD}\nclass MyMHA(Base):\n    pass"], True),
        (["class MyMHA(Base):\n    pass", f"class Base:\n    def forward(self, x):\n        {GOOD}"], True),
        ([f"class MHA:\n    def forward(self, x):\n        {GOOD}\nMyMHA = MHA"], True),
        (
            [f"class MyMHA:\n    class A:\n        def forward(self): {POOR}\n    def forward(self):\n        {GOOD}"],
            True,
        ),
        ([f"%%time\nclass MyMHA:\n    def forward(self, x):\n        {GOOD}"], True),
        ([f"!ls\nclass MyMHA:\n    def forward(self, x):\n        # (B, L)\n        {POOR}\n%timeit 1"], True),
        (
            [
                f"def make():\n    class MHA:\n        def forward(self):\n            {GOOD}\n    return MHA",
                "MyMHA = make()",
            ],
            True,
        ),
        ([f"def make():\n    class MHA:\n        def forward(self): {POOR}\n    return MHA\nMyMHA = make()"], False),
        ([f"def make(): return make()\ndef forward(self): {POOR}\nMyMHA = make()"], False),
        ([f"{FORWARD.format(GOOD)}MyMHA = type('MyMHA', (nn.Module,), {{'forward': forward}})"], True),
        ([f"{FORWARD.format(POOR)}MyMHA = type('MyMHA', (nn.Module,), {{'forward': forward}})"], False),
        (
            [f"class MHA:\n    def forward(self):\n        {GOOD}\nMyMHA = torch.no_grad()(MHA)"],
            True,
        ),
        (
            [f"class MyMHA:\n    def forward(self):\n        {GOOD}\nclass MyMHA(MyMHA):\n    pass"],
            True,
        ),
        ([f"class MyMHA:\n    def _go(self):\n        {GOOD}\n    forward = torch.no_grad()(_go)"], True),
        ([f"class MyMHA:\n    def _go(self): {POOR}\n    forward = torch.no_grad()(_go)"], False),
        ([f"{FORWARD.format(GOOD)}class MyMHA:\n    forward = torch.compile(forward)"], True),
        ([f"{FORWARD.format(GOOD)}fast = torch.compile(forward)\nclass MyMHA:\n    forward = fast"], True),
        ([f"{FORWARD.format(GOOD)}class MyMHA:\n    pass\nMyMHA.forward = torch.no_grad()(forward)"], True),
        (
            [
                f"def make():\n    def go(self):\n        {GOOD}\n    return go",
                "class MyMHA:\n    forward = make()",
            ],
            True,
        ),
        (
            [
                "class MyMHA:\n    def __init__(self):\n        self.forward = self.go\n"
                f"    def go(self):\n        {GOOD}",
            ],
            True,
        ),
        ([f"{FORWARD.format(GOOD)}MyMHA = type('MyMHA', (nn.Module,), dict(forward=forward))"], True),
        (
            [
                f"class Outer:\n    class Inner:\n        def forward(self):\n            {GOOD}",
                "class MyMHA(Outer.Inner): pass",
            ],
            True,
        ),
        (["class Outer:\n    Inner = Outer.Inner\nclass MyMHA(Outer.Inner): pass"], False),
        (
            [
                f"class Base:\n    def forward(self):\n        {GOOD}",
                "def base(): return Base\nclass MyMHA(base()): pass",
            ],
            True,
        ),
        (["class MyMHA:\n    forward = f\nf = g(f)\ng = f(g)"], False),
        (["class MyMHA(MyMHA):\n    pass"], False),
        (["MyMHA = MyMHA"], False),
        (["class MyMHA:\n    def forward(self, x:\n"], False),
    ],
)
def test_the_forward_that_counts_is_the_one_that_runs(cells: list[str], right: bool):
    with notebook("part05", *cells):
        assert shapes.shape_comments("part05-answer", "MyMHA").right == right


@pytest.mark.parametrize("end", "\x0b \x0c \x1c \x1d \x1e \x85 \u2028 \u2029".split(" "), ids=ascii)
def test_what_ends_a_line_elsewhere_and_not_for_python_moves_no_comment(end: str):
    body = "# (B, L_1)\nq = f(x)\n# (B, L_2)\nk = f(y)\n# (B, L_1)\nreturn q"
    for before in (f"# from{end} the lecture\n", f"note = 'one{end}two'\n", *(["\x0c\n"] if end == "\x0c" else [])):
        assert count(body, before)[0] == count(body)[0] == 2


@pytest.mark.parametrize(("first", "then"), [(">>> ", "... "), ("In [1]: ", "   ...: ")])
def test_comments_are_read_below_the_prompts_of_a_console(first: str, then: str):
    lines = ["class MyMHA(nn.Module):", "    def forward(self, x, y):", "        # (B, L_1, H*D_qk)"]
    lines += ["        q = self.W_Q(x)", "        return q @ q.mT", "        # (B, L_1, L_1)"]
    copied = "\n".join(prompt + line for prompt, line in zip([first] + [then] * 5, lines, strict=True))
    for source in ("\n".join(lines), copied):
        with notebook("part05", source):
            assert shapes.shape_comments("part05-answer", "MyMHA").found.startswith("2 of the 2 statements")


def test_an_answer_that_calls_nine_hundred_methods_of_its_own_is_read_in_some_seconds():
    calls = "".join(f"        a = self.f{n}(x)\n" for n in range(900))
    methods = "".join(f"    def f{n}(self, x): return x\n" for n in range(900))
    with notebook("part05", f"class MyMHA:\n    def forward(self, x):\n{calls}{methods}"):
        started = time.thread_time()
        assert not shapes.shape_comments("part05-answer", "MyMHA").right
        assert busy.within(time.thread_time() - started, 9.0)  # 2 s; before only so many were looked for, 20 s
