"""The documents as data: pages, and the blocks and tables in them."""

import re
from pathlib import Path

import pytest

from dev import packages

ROOT = packages.REPOSITORY
DOCS = ROOT / "docs"
README, SECURITY = ROOT / "README.md", ROOT / "SECURITY.md"
PAGES = [README, SECURITY, *sorted(DOCS.glob("*.md"))]

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


def text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def prose(page: Path) -> str:
    """A page without its blocks of code, fenced and indented: nothing in them is a link, a heading or a table."""
    kept = re.sub(r"(?ms)^```.*?^```$", "", text(page))
    return re.sub(r"(?m)^ {4,}.*$", "", kept)


def blocks(page: Path) -> list[list[str]]:
    """The indented blocks of a page, without their indentation."""
    found = re.findall(r"(?m)(?:^ {4}.*\n|^\n(?= {4}))+", text(page))
    return [[line[4:] for line in block.strip("\n").splitlines()] for block in found]


def rows(page: Path, heading: str) -> list[list[str]]:
    """The cells of the table below the heading of a page that begins so, without its head."""
    (section,) = re.findall(rf"(?ms)^## {re.escape(heading)}.*?(?=^## |\Z)", text(page))
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
