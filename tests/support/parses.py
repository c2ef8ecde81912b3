"""Counts how often this process parses a student's notebooks, by a word that stands in each and nowhere else."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def counted(*words: str) -> Iterator[Counter[str]]:
    """How often a notebook's file that holds each word is parsed within the block."""
    found, loads = Counter(dict.fromkeys(words, 0)), json.loads

    def counting(text: str | bytes, **options: object) -> object:
        whole = text.decode("utf-8", "replace") if isinstance(text, bytes | bytearray) else text
        if '"nbformat"' in whole:  # a kernel's messages repeat a cell, and no notebook's form
            found.update(word for word in words if word in whole)
        return loads(text, **options)

    json.loads = counting
    try:
        yield found
    finally:
        json.loads = loads
