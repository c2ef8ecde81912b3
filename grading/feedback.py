"""What feedback and the Formgrader show of a graded notebook: no hidden test to students, and nobody a script.

Texts of students are read by others, in a browser that is logged in. Their Markdown is shown without HTML of its own,
their HTML reduced to plain tables and texts; pictures come with the notebook or not at all.
"""

import html
import re
import time
from collections.abc import Callable

import bleach
from jinja2 import pass_context
from jinja2.runtime import Context
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor

from grading import limits, messages

_HIDDEN = "BEGIN HIDDEN TESTS"
_PICTURE = re.compile(r"data:image/(?:png|jpeg|gif);base64,[A-Za-z0-9+/=\s]+")
_UNSEEN = re.compile(r"(?is)<(style|script)\b.*?</\1\s*>")
SPENT = "attention_spent_s"  # the key in a page's resources for the time that its texts have taken
TAGS = frozenset(
    "a abbr b blockquote br caption code dd div dl dt em h1 h2 h3 h4 h5 h6 hr i li ol p pre s span strong sub sup "
    "table tbody td tfoot th thead tr tt u ul".split()
)
ATTRIBUTES = {"a": ["href"], "td": ["colspan", "rowspan"], "th": ["colspan", "rowspan"]}


class HideTests(NbGraderPreprocessor):
    """Cuts the hidden tests out of the graded notebook that becomes a feedback page; their report stays."""

    def preprocess_cell(self, cell: NotebookNode, resources: dict, cell_index: int) -> tuple[NotebookNode, dict]:
        """Cuts a cell's hidden tests, if it has any."""
        if _HIDDEN in cell.source:
            cell.source = f"{without_hidden_tests(cell.source)}\n{messages.HIDDEN_TESTS}"
        return cell, resources


def without_hidden_tests(source: str) -> str:
    """A cell's source up to the line on which its hidden tests begin."""
    before, found, _ = source.partition(_HIDDEN)
    return before[: before.rfind("\n") + 1].rstrip("\n") if found else source


class _Renderer(IPythonRenderer):
    """Markdown without HTML of its own, without links that run, with pictures of the notebook's own alone."""

    def __init__(self) -> None:
        super().__init__(escape=True, allow_harmful_protocols=False, exclude_anchor_links=True)

    def image(self, text: str, url: str, title: str | None = None) -> str:
        """A picture that the text itself holds, or its description."""
        return super().image(text, url, title) if _PICTURE.fullmatch(url) else text

    def block_code(self, code: str, info: str | None = None) -> str:
        """Code as it stands, in whatever language."""
        return f"<pre><code>{html.escape(code)}</code></pre>\n"


@pass_context
def markdown2html(context: Context, source: str) -> str:
    """HTML of a Markdown text that a student may have written."""
    return _shown(context, source, lambda text: MarkdownWithMath(renderer=_Renderer()).render(text))


@pass_context
def clean_html(context: Context, source: str) -> str:
    """HTML reduced to texts, lists and tables."""
    return _shown(context, source, lambda text: bleach.clean(_UNSEEN.sub("", text), TAGS, ATTRIBUTES))


def unchanged(text: str) -> str:
    """In place of nbconvert's filter for an old form of links, which takes minutes for some texts."""
    return text


def _shown(context: Context, source: str, convert: Callable[[str], str]) -> str:
    """A converted text; as it stands if it is too long or too deep, or if its page has taken too long already."""
    resources, started = context.get("resources", {}), time.monotonic()
    spent_s = resources.get(SPENT, 0.0)
    if len(source) <= limits.SHOWN_CHARS and spent_s < limits.PAGE_LIMIT_S:
        try:
            return convert(source)
        except RecursionError:
            pass
        finally:
            resources[SPENT] = spent_s + time.monotonic() - started
    return f"<pre>{html.escape(source)}</pre>"
