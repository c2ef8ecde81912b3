"""Turns of phrase that no text of the course uses, each with what to write instead; tests/project/test_voice.py looks.

A turn is a regular expression for whole words. Code, links and names of files are taken out before it is looked for.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Turn:
    """A turn of phrase that is banned, and what says the same in plain English."""

    banned: str
    instead: str


TURNS = (
    Turn(r"(?:is|are|was|were) to (?:be|have|return|contain)", '"must", "should", or the verb'),
    Turn(r"anew|afresh", '"again" or "from scratch"'),
    Turn(r"mend(?:s|ed|ing)?", '"fix"'),
    Turn(r"beside", '"next to", "alongside" or "in addition to"'),
    Turn(r"loops? (?:\w+ ){0,7}(?:is|are) free", '"loops are allowed"'),
    Turn(r"(?:asked|found|allowed|given) (?:is|are)", '"expected …, got …", or who does it'),
    Turn(r"are told|is told|was told|were told|to be told|said of", '"reported" or "explained"'),
    Turn(r"what is worth what", '"points"'),
    Turn(r"hand-ins?|handed in", '"submission", "submitted"'),
    Turn(r"hand(?:s|ing)? (?:it|them|this|these|your \w+|in)(?: in)", '"submit"'),
    Turn(r"no powers?|no substitutes?", '"not a power", "not interchangeable"'),
    Turn(r"(?<!there )(?:is no (?!longer|more )[a-z]+|are no [a-z]+s)", '"is not a …", "isn\'t a …"'),
    Turn(r"has it (?:a|an|the)|how many \w+ has", '"does it have"'),
    Turn(r"(?:numbers|bytes|points|minutes|times) a (?:position|token|head|sample|part)", '"per position", "per …"'),
    Turn(r"as a rule", '"usually"'),
    Turn(r"just|simply|obviously|trivially", "nothing: leave it out"),
    Turn(r"further (?:tests|below|above)", '"more tests", "below", "above"'),
    Turn(r"what is too much", '"the rest"'),
    Turn(r"(?:a|the|from) readers?", '"grader", of written answers'),
    Turn(r"your teacher", '"your instructor"'),
    Turn(r"the marking", '"grading"'),
)
NAMES = re.compile(
    r"```.*?```|`[^`]*`|\$\$.*?\$\$|\$[^$]*\$|<[^>]*>|!?\]\([^)]*\)|https?:\S+|[\w./*-]*[/_][\w./*-]+|\w+\.(?:py|md|ipynb|csv|html)",
    re.DOTALL,
)
EXCLAIMED = re.compile(r"\w!(?=[\s\")]|$)")


def found(text: str) -> list[str]:
    """The banned turns in a text, each with what to write instead; none if it is written well."""
    said = NAMES.sub(lambda match: "¶" + "\n" * match[0].count("\n"), text)
    said = re.sub(r"(?m)^ {4,}\S.*$", "", said)
    plain = " ".join(said.split())
    out = []
    for turn in TURNS:
        for match in re.finditer(rf"\b(?:{turn.banned})\b", plain, re.IGNORECASE):
            around = plain[max(0, match.start() - 40) : match.end() + 40]
            out.append(f"“{match[0]}” in “…{around}…”: write {turn.instead}")
    for match in EXCLAIMED.finditer(plain):
        out.append(f"“!” in “…{plain[max(0, match.start() - 40) : match.end() + 10]}…”: write a full stop")
    return out
