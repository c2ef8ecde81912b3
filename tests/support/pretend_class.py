"""A class that exists as numbers only, of any size: abilities, marks, mistakes, and everything that can go wrong."""

import numpy as np

from attention import course
from attention.course import COURSE
from grading.core import messages
from grading.pages.class_data import NOT_MARKED, NOT_THERE, WRITTEN, ClassResults, Item, Mistake, Student

# The items of the hidden tests, as their first lines name them.
ITEMS = {
    1: [("shape_W_Q_h", 1), ("shape_W_K_h", 2), ("shape_W_V_h", 2)],
    2: [("shape_W_Q, shape_W_K, shape_W_V", 1), ("shape_q", 1), ("q_from_x", 1), ("shape_k, shape_v", 1),
        ("m_from_y", 1)],
    3: [("shape", 2), ("right up to a constant factor", 4), ("exact", 4)],
    4: [("shape_o_h", 1), ("shape_o", 1), ("shape_W_O_h", 2), ("shape_W_O", 1)],
    5: [("attributes", 1), ("projections", 2), ("output shape", 2), ("values", 4), ("shape comments", 1)],
    6: [("rank_relation", 1), ("A stacks the copies of every W", 1), ("B gets every W back from its copies", 1)],
    7: [("attributes", 1), ("projections, without copies", 3), ("output shape", 1), ("values", 4),
        ("shape comments", 1)],
    8: [("kv_head", 2), ("G_for_MHA", 1)],
    9: [("r_MLA", 1), ("factor_gqa: the shapes (D, r) and (r, D)", 1), ("factor_gqa: the product", 2),
        ("factor_gqa: rank-deficient matrices", 1)],
    10: [("order, types and shapes", 1), ("the product", 2), ("prints both shapes", 1), ("prints the error", 1)],
    11: [("the shapes of the factors", 2), ("product", 2), ("the rows of product differ", 2)],
    12: [("identity (1), every head", 3), ("identity (2), summed over the heads", 3)],
    13: [("shapes (r, D), (r, D), (H·r, D), (D, H·r)", 1), ("equal to the vanilla model", 2),
         ("equal at this part's sizes on the device, below 5e-4", 1),
         ("your own run: relative_error and both outputs", 1)],
    14: [("kv_cache_MHA", 1), ("kv_cache_MLA", 2)],
}  # fmt: skip
MISTAKES = {
    (3, "exact"): ["root-forgotten", "root-of-the-values", "width-for-its-root"],
    (5, "values"): ["softmax-over-the-queries", "heads-joined-in-the-wrong-order", "root-forgotten"],
    (7, "values"): ["neighbouring-heads", "softmax-over-the-heads"],
    (8, "kv_head"): ["quotient-for-remainder", "counted-from-one"],
    (12, "identity (1), every head"): ["factor-forgotten", "factor-inverted"],
    (14, "kv_cache_MLA"): ["latent-kept-twice"],
}


def results(students: int, seed: int = 5) -> ClassResults:
    """A class of that many students, drawn from a seed: the able win more, some break rules or lack files."""
    random = np.random.default_rng(seed)
    hardness = {(part, what): random.normal(-0.4, 0.9) for part, items in ITEMS.items() for what, _ in items}
    return ClassResults(COURSE, tuple(_student(f"student-{n:03d}", random, hardness) for n in range(students)))


def _student(name: str, random: np.random.Generator, hardness: dict) -> Student:
    ability, stops_after = random.normal(0, 1.2), int(random.choice([14, 14, 14, random.integers(3, 14)]))
    marks, won, mistakes, breaches, ungraded, unread = {}, {}, [], {}, {}, []
    for part in course.PARTS.values():
        number, chance = part.number, random.random()
        if chance < 0.015:
            why = NOT_MARKED if chance < 0.005 else NOT_THERE
            marks[number], ungraded[number] = None if chance < 0.005 else 0.0, why
            continue
        if chance > 0.985:
            breaches[number] = messages.breach_import("Answer", 3, "import math", "torch, NumPy")
        for what, points in ITEMS[number]:
            right = number <= stops_after and number not in breaches
            against = -1 if what == "shape_q" else 1  # an item that the able get wrong
            right = right and against * ability - hardness[number, what] + random.normal(0, 0.8) > 0
            right = right or what == "attributes"  # and one that everybody has
            won[Item(number, what, float(points))] = float(points) if right else 0.0
            keys = MISTAKES.get((number, what), [])
            if not right and keys and number <= stops_after and random.random() < 0.7:
                key = keys[min(int(random.exponential(0.7)), len(keys) - 1)]
                mistakes.append(Mistake(number, key, "The size is off by a factor. What is divided by, and why?"))
        marks[number] = sum(w for item, w in won.items() if item.part == number)
        if part.by_hand and number <= stops_after:
            if random.random() < 0.1:
                unread.append(number)
            else:
                share = 1 / (1 + np.exp(-ability - random.normal()))
                written = Item(number, WRITTEN, float(part.by_hand), by_hand=True)
                won[written] = float(round(share * part.by_hand))
                marks[number] += won[written]
    return Student(name, marks, won, tuple(mistakes), breaches, ungraded, tuple(unread))
