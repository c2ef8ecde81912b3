"""What feedback and the Formgrader show of a graded notebook: no hidden test to students, and nobody a script.

Texts of students are read by others, in a browser that is logged in. Their Markdown is shown without HTML of its own,
their HTML reduced to plain tables and texts; pictures come with the notebook or not at all.
"""

import contextlib
import html
import re
import time
from collections.abc import Callable, Iterator
from io import StringIO

from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup
from mistune.util import striptags
from nbconvert.exporters import HTMLExporter
from nbconvert.filters import ansi
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath, MathBlockParser, MathInlineParser
from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from grading.core import cells, limits, messages, pictures, slow_texts
from grading.marking import budget
from grading.pages import mathml, safe_html, wording
from grading.submission import in_memory

_PICTURE = re.compile(r"data:image/(?:png|jpeg);base64,([A-Za-z0-9+/=\s]+)")
_LONG = 30  # characters of TeX in a line that a phone may not have room for
_PYTHON, _COLOURS = PythonLexer(stripnl=False, ensurenl=False), HtmlFormatter(nowrap=True)
_CELL = HtmlFormatter(cssclass=" highlight hl-ipython3")  # as nbconvert has it
_CODE = '<pre class="code" tabindex="0"><code>{}</code></pre>'
# Escapes in one text of an output, for which nbconvert takes 0.5 s, and in all of a page; a long traceback has 2,000.
_MOST_COLOURS, _PAGE_COLOURS = 10_000, 50_000
_SHORT_CHARS = 2_000  # a text that takes 0.1 s at most: its time is not watched while it runs
SPENT = "spent_s"  # the key in a page's resources for the time that its texts have taken
WRITTEN = "written_chars"  # for the HTML that they have become
COLOURS = "colours"  # and for the colours of its outputs


class HideTests(NbGraderPreprocessor):
    """Cuts the hidden tests out of the graded notebook that becomes a feedback page; their report stays."""

    def preprocess_cell(self, cell: NotebookNode, resources: dict, cell_index: int) -> tuple[NotebookNode, dict]:
        """Cuts a cell's hidden tests, if it has any."""
        if cells.HIDDEN in cell.source:
            cell.source = f"{cells.without_hidden_tests(cell.source)}\n{messages.HIDDEN_TESTS}"
        return cell, resources


class NbgraderPages(in_memory.Unread, HTMLExporter):
    """nbgrader's own page of a graded notebook, in a course that was written for nbgrader alone."""


class _Blocks(MathBlockParser):
    """The blocks of Markdown, for which HTML is text."""

    def parse_raw_html(self, m: re.Match, state: object) -> None:
        """Takes nothing for HTML: mistune looks for a tag's end in one call in C, whose time doubles with each
        attribute."""


class _Inline(MathInlineParser):
    """What stands in a line of Markdown, for which HTML is text."""

    def parse_inline_html(self, m: re.Match, state: object) -> None:
        """Takes nothing for HTML, as in a block."""


class _Renderer(IPythonRenderer):
    """Markdown without HTML of its own, without links that run, with pictures of the notebook's own alone."""

    def __init__(self, deadline: float, lower: int = 0) -> None:
        super().__init__(escape=True, allow_harmful_protocols=False, exclude_anchor_links=True)
        self.deadline, self.lower = deadline, lower

    def image(self, text: str, url: str, title: str | None = None) -> str:
        """A picture that the text itself holds, or its description."""
        found = _PICTURE.fullmatch(url)
        size = pictures.pixels(found[1]) if found else None
        if size is None or size > limits.TEXT_PIXELS_A_CHAR * len(url):
            return text
        described = html.unescape(striptags(text)).strip() or wording.PICTURE_IN_TEXT
        return f'<img src="{html.escape(url)}" alt="{html.escape(described)}">'

    def link(self, text: str, url: str, title: str | None = None) -> str:
        """A link to another page of the web, or its text and where it was to lead."""
        if safe_html.WEB.fullmatch(url):
            link = super().link(text.replace(' tabindex="0"', ""), url)
            return link.replace("<a ", f'<a rel="{safe_html.REL}" ', 1)
        where = html.escape(html.unescape(url))
        return text if where in ("", text) else f"{text} ({where})"

    def heading(self, text: str, level: int, **attrs: object) -> str:
        """A heading, below those of the page that it becomes a part of."""
        level = min(level + self.lower, 6)
        return f"<h{level}>{text}</h{level}>\n"

    def table(self, text: str) -> str:
        """A table that scrolls by itself where it is wider than the page."""
        return f'<div class="wide" role="group" tabindex="0" aria-label="table"><table>{text}</table></div>\n'

    def table_cell(self, text: str, align: str | None = None, head: bool = False) -> str:
        """A table's cell."""
        tag, style = "th" if head and text.strip() else "td", f' style="text-align:{align}"' if align else ""
        return f"<{tag}{style}>{text}</{tag}>\n"

    def task_list_item(self, text: str, checked: bool = False) -> str:
        """An item of a list of things to do, ticked or not."""
        return f"<li>{'☑' if checked else '☐'} {text}</li>\n"

    def block_code(self, code: str, info: str | None = None) -> str:
        """Code as it stands, in whatever language."""
        return f'<pre tabindex="0"><code>{html.escape(code)}</code></pre>\n'

    def block_math(self, body: str) -> str:
        """A formula on a line of its own."""
        return f'<span class="formula" role="group" tabindex="0" aria-label="formula">{self._drawn(body, True)}</span>'

    def inline_math(self, body: str) -> str:
        """A formula in a line."""
        long = len(body) > _LONG
        return f'<span class="long" tabindex="0">{self._drawn(body)}</span>' if long else self._drawn(body)

    def latex_environment(self, name: str, body: str) -> str:
        """A formula that begins with its environment."""
        return self.block_math(f"\\begin{{{name}}}{body}\\end{{{name}}}")

    def _drawn(self, body: str, block: bool = False) -> str:
        if time.thread_time() < self.deadline:
            return mathml.shown(body, block)
        return f'<code class="tex">{html.escape(body)}</code>'


def markdown(source: str, resources: dict, lower: int = 0) -> Markup:
    """HTML of a Markdown text that a student may have written; its headings `lower` levels down."""

    def convert(text: str, end: float) -> str:
        return MarkdownWithMath(_Renderer(end, lower), _Blocks(), _Inline()).render(text)

    return _shown(resources, source, convert)


def tables(source: str, resources: dict) -> Markup:
    """HTML reduced to texts, lists and tables."""
    return _shown(resources, source, lambda text, _: safe_html.reduced(text), limits.HTML_CHARS)


def code(source: str, resources: dict) -> Markup:
    """Python, its words in colours."""
    return _shown(resources, source, lambda text, end: _CODE.format(_coloured(text, _COLOURS, end)))


def _coloured(source: str, formatter: HtmlFormatter, end: float) -> str:
    """Python in colours.

    Errors  TooMuch if it takes longer than until `end`: thousands of lines of spaces alone take minutes.
    """

    def words() -> Iterator[tuple]:
        for word in _PYTHON.get_tokens(source):
            if time.thread_time() > end:
                raise safe_html.TooMuch
            yield word

    written = StringIO()
    formatter.format(words(), written)
    return written.getvalue()


@pass_context
def markdown2html(context: Context, source: str) -> str:
    """nbconvert's filter of this name: HTML of a Markdown text that a student may have written."""
    return markdown(source, context.get("resources", {}))


@pass_context
def clean_html(context: Context, source: str | bytes) -> str:
    """nbconvert's filter of this name: HTML reduced to texts, lists and tables; what is ours already stays."""
    if isinstance(source, Markup):
        return source
    text = source.decode("utf-8", "replace") if isinstance(source, bytes) else source  # nbconvert encodes pictures
    return tables(text, context.get("resources", {}))


@pass_context
def highlight_code(context: Context, source: str, language: str | None = None, metadata: dict | None = None) -> str:
    """nbconvert's filter of this name: a cell's source, its words in colours; whatever it says, it is Python."""
    return _shown(context.get("resources", {}), source, lambda text, end: _coloured(text, _CELL, end))


@pass_context
def ansi2html(context: Context, text: str) -> str:
    """nbconvert's filter of this name, whose time grows with the square of the colours; of too many none is shown."""
    resources, colours = context.get("resources", {}), text.count("\x1b")
    on_page = resources.get(COLOURS, 0) + colours
    if colours > _MOST_COLOURS or on_page > _PAGE_COLOURS:
        return slow_texts.eased(html.escape(ansi.strip_ansi(text)))
    resources[COLOURS] = on_page
    return slow_texts.eased(ansi.ansi2html(text))


def unchanged(text: str) -> str:
    """In place of nbconvert's filter for an old form of links, which takes minutes for some texts."""
    return text


def _shown(
    resources: dict, source: str, convert: Callable[[str, float], str], limit_chars: int = limits.SHOWN_CHARS
) -> Markup:
    """A converted text; as it stands if it or its page would be too long, if it is too deep, or if that takes long."""
    started, spent_s = time.thread_time(), resources.get(SPENT, 0.0)
    left_s = limits.PAGE_LIMIT_S - spent_s
    if len(source) <= limit_chars and left_s > 0:
        short = len(source) <= _SHORT_CHARS
        try:
            with contextlib.nullcontext() if short else budget.limited(left_s, limits.JUDGE_BYTES):
                written = slow_texts.eased(convert(source, started + left_s))
            written_chars = resources.get(WRITTEN, 0) + len(written)
            if written_chars <= limits.PAGE_CHARS:  # a text that names a picture once may show it thousands of times
                resources[WRITTEN] = written_chars
                return Markup(written)
        except (RecursionError, safe_html.TooMuch, budget.TooMuch):
            pass
        finally:
            resources[SPENT] = spent_s + time.thread_time() - started
    return Markup(f'<pre tabindex="0">{html.escape(slow_texts.eased(source))}</pre>')
