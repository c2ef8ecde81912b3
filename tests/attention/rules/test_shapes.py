"""Comments that name shapes, counted for the statements that they stand by."""

import ast
import time

import busy
import pytest
from hand_written import notebook

from attention.rules import shapes


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
