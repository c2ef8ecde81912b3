"""Outputs kept as attributes of an object of the function's own: a second statement is found there as in variables."""

import textwrap

import pytest
from hand_written import notebook

from attention import rules
from attention.rules.statements import second_statement

HEAD = "class Hats:\n    pass\n\ndef reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H):\n"
MADE = "h = {}\nh.K = W_DKV\nh.V = W_DKV\n"
KEPT, RETURN = "h.Q = f(W_UK, W_Q)\nh.O = g(W_O, W_UV)\n", "return h.K, h.V, h.Q, h.O"
FREE = {
    "of a class": MADE.format("Hats()") + KEPT + RETURN,
    "of a class made on the spot": MADE.format('type("Hats", (), {})()') + KEPT + RETURN,
    "of a class within": "class Own:\n    '''Nothing.'''\n" + MADE.format("Own()") + KEPT + RETURN,
    "of a module": MADE.format("nn.Module()") + KEPT + RETURN,
    "annotated": MADE.format("Hats()") + KEPT.replace("h.Q =", "h.Q: torch.Tensor =") + RETURN,
    "two at once": MADE.format("Hats()") + "h.Q, h.O = f(W_UK, W_Q), g(W_O, W_UV)\n" + RETURN,
    "all at once": MADE.format("Hats()") + KEPT + "return tuple(vars(h).values())",
    "all of its mapping": MADE.format("Hats()") + KEPT + "K, V, Q, O = h.__dict__.values()\nreturn K, V, Q, O",
    "all at once, next to a variable called vars": "vars = 3\n"
    + MADE.format("Hats()")
    + KEPT
    + "return tuple(h.__dict__.values())",
    "a draft of it": MADE.format("Hats()") + "h.Q = f(W_Q, W_UK)\n" + KEPT + RETURN,
}
CHANGED = {
    "scaled": "h.Q = h.Q * 2",
    "scaled by *=": "h.Q *= 2",
    "scaled in place": "h.Q.mul_(2)",
    "scaled by setattr": "setattr(h, 'Q', h.Q * 2)",
    "scaled in vars": "vars(h)['Q'] = h.Q * 2",
    "scaled in its mapping": "h.__dict__['Q'] = h.Q * 2",
    "scaled in a list of all": "list(vars(h).values())[2].mul_(2)",
    "scaled by update": "vars(h).update(Q=2 * h.Q)",
    "scaled by its own method": "h.scale(2)",
    "scaled under another name": "i = h\ni.Q = i.Q * 2",
    "scaled in a list": "i = [h]\ni[0].Q = h.Q * 2",
    "scaled by a function within": "def scale():\n    h.Q = h.Q * 2\nscale()",
    "allocated and filled": "h.Q = torch.empty(H, 2)\nh.Q[:] = f(W_UK, W_Q)",
    "allocated and written to": "h.Q = torch.empty(H, 2)\ntorch.matmul(W_UK, W_Q, out=h.Q)",
}
TWO = {name: MADE.format("Hats()") + KEPT + change + "\n" + RETURN for name, change in CHANGED.items()}
TWO |= {f"{name}, all at once": two.replace(RETURN, "return tuple(vars(h).values())") for name, two in TWO.items()}
TWO |= {
    "of all, one scaled": MADE.format("Hats()") + KEPT + "K, V, Q, O = vars(h).values()\nreturn K, V, 2 * Q, O",
    "by a vars of one's own": "vars = lambda h: h\n" + MADE.format("Hats()") + KEPT + "return tuple(vars(h).values())",
    "in a class within that has a setter": "class Own:\n    Q = property(f, set_2)\n"
    + MADE.format("Own()")
    + KEPT
    + RETURN,
    "a reshape in the return": MADE.format("Hats()") + KEPT + RETURN.replace("h.Q", "h.Q.reshape(-1, 2)"),
    "another attribute": MADE.format("Hats()") + KEPT + RETURN.replace("h.Q", "h.Q_hat"),
    "a tensor and its view": "h = f(W_UK, W_Q)\nreturn W_DKV, W_DKV, h.T, g(W_O, W_UV)",
    "a tensor's numbers": "h = f(W_UK, W_Q)\nh.data = h.data * 2\nreturn W_DKV, W_DKV, h.data, g(W_O, W_UV)",
    "made of the product": "h = Hats(f(W_UK, W_Q))\nh.Q = h.Q * 2\nreturn W_DKV, W_DKV, h.Q, g(W_O, W_UV)",
    "made by a function within": "i = lambda: f(W_UK)\nh = i()\nh.Q = h.T * 2\nh.Q = h.Q * W_Q\nreturn h, h, h.Q, h",
}

OWN = "class Pair:\n    def __init__(self, U, Q):\n        self.U, self.Q = U, {}\n"
METHODS = "    def blocks(self):\n        return self.U.mT @ self.Q\n"
METHODS += "    def __mul__(self, times):\n        return self.Q * times\n"
ONE_QUERY = "p = Pair(W_UK, W_Q)\n{}\nreturn W_DKV, W_DKV, {}, g(W_O, W_UV)"
FREE |= {
    "an object's attribute": OWN.format("U @ Q") + ONE_QUERY.format("", "p.Q"),
    "what an object's method computes": OWN.format("Q") + METHODS + ONE_QUERY.format("", "p.blocks()"),
    "what an object's operator computes": OWN.format("Q") + METHODS + ONE_QUERY.format("", "p * 2"),
    "an object that reads what it has set": OWN.format("Q")
    + "        self.V = self.U\n"
    + ONE_QUERY.format("", "p.V * 2"),
    "an object next to a model that is filled": OWN.format("Q")
    + METHODS
    + "def fill(model):\n    model.U.weight = nn.Parameter(model.Q.weight)\n"
    + ONE_QUERY.format("", "p.blocks()"),
}
TWO |= {
    f"an object's attribute, {name}": OWN.format("U @ Q")
    + METHODS
    + ONE_QUERY.format(change.replace("h.", "p."), "p.Q")
    for name, change in CHANGED.items()
    if "own method" not in name  # it has none
}
TWO |= {
    "an object that computes, and its method": OWN.format("U @ Q") + METHODS + ONE_QUERY.format("", "p.blocks()"),
    "an object's own change": OWN.format("U @ Q")
    + "    def scale(self):\n        self.Q = self.Q * 2\n"
    + ONE_QUERY.format("p.scale()", "p.Q"),
    "an object's own change in place": OWN.format("U @ Q")
    + "    def scale(self):\n        return self.Q.T.mul_(2)\n"
    + ONE_QUERY.format("p.scale()", "p.Q"),
    "an object's own change by out": OWN.format("U @ Q")
    + "    def scale(self):\n        torch.mul(self.Q, 2, out=self.Q)\n"
    + ONE_QUERY.format("p.scale()", "p.Q"),
    "an object's own change by +=": OWN.format("U @ Q")
    + "    def scale(self):\n        self.Q += self.Q\n"
    + ONE_QUERY.format("p.scale()", "p.Q"),
    "an object's own change of its entries": OWN.format("U @ Q")
    + "    def scale(self):\n        self.Q.data[0] = 2\n"
    + ONE_QUERY.format("p.scale()", "p.Q"),
    "an object that a helper changes": OWN.format("U @ Q")
    + "def scale(p):\n    p.Q = 2 * p.Q\n"
    + ONE_QUERY.format("scale(p)", "p.Q"),
    "an object that its `__init__` gives away": OWN.format("U @ Q") + "        f(self)\n" + ONE_QUERY.format("", "p.Q"),
}


def second(body: str) -> object:
    with notebook("part13", HEAD + textwrap.indent(body, "    ")):
        return second_statement("part13-answer", "reduced_matrices", rules.SIZES)


OWN_VARS = "def vars(h):\n    return {1: h.K, 2: h.V, 3: 2 * h.Q, 4: h.O}"


@pytest.mark.parametrize("place", ["above it", "in a cell of its own"])
def test_what_a_vars_of_the_notebook_s_own_gives_is_not_taken_for_the_attributes(place: str):
    body = HEAD + textwrap.indent(FREE["all at once"], "    ")
    cells = [f"{OWN_VARS}\n\n\n{body}"] if place == "above it" else [body, OWN_VARS]
    with notebook("part13", *cells):
        assert second_statement("part13-answer", "reduced_matrices", rules.SIZES) is not None


@pytest.mark.parametrize("body", FREE.values(), ids=FREE)
def test_an_output_that_one_statement_puts_into_an_attribute_is_free(body: str):
    assert second(body) is None


@pytest.mark.parametrize("body", TWO.values(), ids=TWO)
def test_what_a_second_statement_does_to_an_attribute_is_found(body: str):
    assert second(body) is not None


def test_the_line_and_the_output_are_those_of_the_change():
    _, line, output = second(TWO["scaled"])
    assert (line, output) == (10, 2)
