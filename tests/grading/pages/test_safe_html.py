"""HTML of students: what does not pass, which links do, that nothing has a second reading, and that time is bounded."""

import html
import re
import time
from collections.abc import Callable

import busy
import html5lib
import nbformat
import page_checks
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nbconvert.exporters import HTMLExporter
from nbconvert.filters import strings
from nbgrader.server_extensions.formgrader import handlers

from dev.packages import REPOSITORY
from grading.core import limits
from grading.gradebook import course_folder
from grading.pages import feedback, safe_html

RUN = "window.hit=1"
REL = 'rel="noopener noreferrer"'
HOSTILE = {
    "script": f"<script>{RUN}</script>",
    "script-in-capitals": f"<ScRiPt/x>{RUN}</sCrIpT >",
    "script-never-closed": f"<b>a</b><script>{RUN}",
    "script-in-script": f"<scr<script>ipt>{RUN}</script>",
    "script-in-svg": f"<svg><script>{RUN}</script></svg>",
    "event-handlers": f'<b onclick="{RUN}" ONMOUSEOVER={RUN} on\x00load={RUN}>x</b><td onfocus={RUN} autofocus>',
    "event-handler-after-a-slash": f"<b/onclick={RUN}>x",
    "quotes-that-end-early": f'<td colspan="1" onclick="{RUN}"" onload={RUN}>',
    "image": f"<img src=x onerror={RUN}><image src=x onerror={RUN}>",
    "svg": f"<svg onload={RUN}><animate onbegin={RUN} attributeName=x><a xlink:href='javascript:{RUN}'>x</a></svg>",
    "svg-use": "<svg><use href='data:image/svg+xml,<svg id=x onload=alert(1)/>#x'/></svg>",
    "math": f"<math href='javascript:{RUN}'><mtext><b onclick={RUN}>x</b></mtext><maction>x</maction>",
    "style": "<style>@import url(//e.example/x.css); body { display: none }</style>",
    "style-attribute": "<p style='position:fixed;background:url(//e.example)' class='modal' id='main'>x</p>",
    "iframe": f"<iframe srcdoc='<script>{RUN}</script>' src='javascript:{RUN}'></iframe>",
    "frames": f"<frameset onload={RUN}><frame src='javascript:{RUN}'></frameset><object data=x></object><embed src=x>",
    "form": "<form action=//e.example><input name=points value=10><button formaction=//e.example>x</button></form>",
    "base": "<base href=//e.example/><link rel=stylesheet href=//e.example/x.css>",
    "meta": '<meta http-equiv="refresh" content="0;url=//e.example/">',
    "end-of-the-page": f"</td></table></div></pre></code></details></style></body></html><script>{RUN}</script>",
    "comment": f"<!-- <script>{RUN}</script> --><!--><img onerror={RUN}>--><!--[if IE]><script>x</script><![endif]-->",
    "comment-never-closed": f"<!-- <b>x</b> <script>{RUN}</script>",
    "cdata": f"<![CDATA[<script>{RUN}</script>]]><svg><![CDATA[</svg><img src=x onerror={RUN}>]]></svg>",
    "processing-instruction": f"<?xml-stylesheet href='javascript:{RUN}'?><!DOCTYPE x [<!ENTITY y '<script>'>]>",
    "title": "<p title='</noscript><img onerror=x>' lang=de>x</p>",
    "template": f"<template><script>{RUN}</script></template><noscript><p title='</noscript><img onerror={RUN}>'>",
    "raw-text": f"<title><img src=x onerror={RUN}></title><textarea></textarea><img onerror={RUN}><xmp><img src=x>",
    "plaintext": f"<plaintext><img src=x onerror={RUN}></plaintext>",
    "half-a-character": "\ud800<b>\udfff</b>",
    "control-characters": "<b\x00>\x1b[31m\x00</b>\x0c<\x00script>x</script>",
    # Readings that change when the result is read again: https://research.securitum.com (mutation XSS).
    "mutation-mglyph": f"<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img onerror={RUN}&gt;'>",
    "mutation-form": f"<form><math><mtext></form><form><mglyph><style></math><img src onerror={RUN}>",
    "mutation-svg-style": f"<svg></p><style><a id='</style><img src=1 onerror={RUN}>'>",
    "mutation-foreign-title": f"<svg><title><style><img src=x onerror={RUN}></style></title></svg>",
    "mutation-annotation": f"<math><annotation-xml encoding='text/html'><style><img onerror={RUN}></style>",
    "mutation-noscript": f"<noscript><style></noscript><img src=x onerror={RUN}>",
    "mutation-table": f"<table><style></table><img onerror={RUN}></style><a><table><tr><td><a href=//x><p></table>",
    "mutation-select": f"<select><iframe></select><img src=x onerror={RUN}></iframe>",
}
LINKS = {  # what is written as href, and whether a link remains
    "https://example.org/a?b=c#d": True,
    "HTTP://example.org": True,
    "mailto:ada@uni.example": True,
    "https://example.org:8080/a_b?c=(d)": True,
    "http://localhost:8888/files/evil.html": False,  # the server that shows the page, and the like
    "http://127.0.0.1:8888/formgrader?path=x": False,
    "http://[::1]:8888/x": False,
    "http://0x7f.0x1/x": False,
    "http://2130706433/x": False,
    "http://hub/x": False,
    "http://grading.local/x": False,
    "http://a.localhost/x": False,
    "https://example.org@localhost/x": False,
    "https://example.org\\@localhost/x": False,
    "https:\\\\example.org": False,
    "http:///evil.html": False,
    "http://./evil.html": False,
    "attachment:evil.html": False,
    "evil.html": False,
    "part06.html": False,
    "../gradebook": False,
    "/formgrader/api/grade/1": False,
    "//example.org/x": False,
    "?x=1": False,
    "#top": False,
    "": False,
    "http:../api": False,  # a browser reads it as relative to a page that came by http
    "https:example.org": False,
    "javascript:alert(1)": False,
    " javascript:alert(1)": False,
    "java\nscript:alert(1)": False,
    "JaVaScRiPt&colon;alert(1)": False,
    "&#106;avascript:alert(1)": False,
    "\x01javascript:alert(1)": False,
    "data:text/html,<script>alert(1)</script>": False,
    "vbscript:x": False,
    "file:///etc/passwd": False,
    "blob:https://example.org/x": False,
    "view-source:https://example.org": False,
    "ftp://example.org": False,
}


def filtered(source: str) -> str:
    """As nbconvert's pages, the Formgrader's among them, get it: through the filter that the configuration names."""
    template = _exporter().environment.from_string("{{ source | clean_html }}")
    return template.render(source=source, resources={})


def as_bytes(source: str) -> str:
    """As nbconvert hands over some pictures."""
    return filtered(source.encode("utf-8", "replace"))


def shown(source: str) -> str:
    """As feedback pages show it."""
    return str(feedback.tables(source, {}))


def _exporter() -> HTMLExporter:
    return HTMLExporter(config=course_folder.config(REPOSITORY))


ways = pytest.mark.parametrize("clean", [shown, filtered, as_bytes])


def faults(clean: str) -> list[str]:
    """What should not be in the result, for a browser that reads it as a page, or as the inside of an element."""
    tree = html5lib.parseFragment(clean, container="div", namespaceHTMLElements=False)
    found = [f"<{e.tag}>" for e in list(tree.iter())[1:] if e.tag not in safe_html.TAGS]
    for element in tree.iter():
        kept = safe_html.ATTRIBUTES.get(element.tag, set())
        kept = kept | {"rel"} if "href" in element.keys() else kept  # noqa: SIM118
        found += [f"<{element.tag} {name}>" for name in element.keys() if name not in kept]  # noqa: SIM118
    # Whether it reads the same wherever it stands, and once more; pages replace half characters.
    for around in ("{}", "<table><tr><td>{}</td></tr></table>", "<details>{}</details>", "<ul><li>{}</li></ul>"):
        found += page_checks.what_runs_or_loads(f"<!DOCTYPE html><title>t</title>{around.format(clean)}")
    return found


@ways
@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_that_runs_or_loads_passes(name: str, clean: Callable[[str], str]):
    result = clean(HOSTILE[name])
    assert faults(result) == []
    assert safe_html.reduced(result) == result
    assert not re.search(r"[\ud800-\udfff]", result)


@pytest.mark.parametrize("name", ["script", "script-in-capitals", "script-never-closed", "style"])
def test_what_a_script_or_a_style_holds_is_not_shown_as_text(name: str):
    assert RUN not in safe_html.reduced(HOSTILE[name]) and "@import" not in safe_html.reduced(HOSTILE[name])


@ways
@pytest.mark.parametrize("href", LINKS, ids=repr)
def test_links_lead_to_the_web_or_are_shown_as_text(href: str, clean: Callable[[str], str]):
    for quoted in (f'"{href}"', f"'{href}'"):
        result = clean(f"<a href={quoted}>there</a>")
        assert result == (f'<a href="{href}" {REL}>there</a>' if LINKS[href] else "<a>there</a>")


@pytest.mark.parametrize("href", LINKS, ids=repr)
@pytest.mark.parametrize("written", ["[there]({})", "<{}>", "[there]\n\n[there]: {}", "[![there](x)]({})", "# [x]({})"])
def test_links_in_markdown_lead_to_the_web_or_are_shown_as_text(href: str, written: str):
    result = str(feedback.markdown(written.format(href), {}))
    links = re.findall(r"<a [^>]*>", result)
    assert links in ([], [f'<a {REL} href="{html.escape(href)}">'] if LINKS[href] else [])
    assert links or not LINKS[href]
    assert "<img" not in result


def test_a_link_of_markdown_that_is_none_says_where_it_was_to_lead():
    assert feedback.markdown("[there](evil.html?a&b)", {}) == "<p>there (evil.html?a&amp;b)</p>\n"


def test_a_picture_that_is_attached_or_lies_elsewhere_is_shown_as_its_description():
    for address in ("attachment:plot.png", "plot.png", "//example.org/x.png", "https://example.org/x.png"):
        assert feedback.markdown(f"![my plot]({address})", {}) == "<p>my plot</p>\n"


@pytest.mark.parametrize(
    "kind", ["text/html", "text/markdown", "text/latex", "image/svg+xml", "text/plain", "cell", "raw"]
)
def test_in_the_formgrader_no_link_of_a_student_s_leads_to_its_own_server(kind: str):
    wrong = [href for href, kept in LINKS.items() if not kept and "\n" not in href]
    html_of_all = "\n".join(
        f'<a href="{href}">x</a><img src="{href}"><area href="{href}"><base href="{href}"><form action="{href}"></form>'
        f'<svg><a xlink:href="{href}">x</a></svg><math href="{href}"><mi href="{href}">x</mi></math>'
        for href in wrong
    )
    markdown = "\n\n".join(f"[x]({href}) ![x]({href}) <{href}> $\\href{{{href}}}{{x}}$ {href}" for href in wrong)
    source = html_of_all if kind in ("text/html", "image/svg+xml", "raw") else markdown
    cell = nbformat.v4.new_code_cell("1")
    cell.outputs = [nbformat.v4.new_output("display_data", data={kind: source})] if "/" in kind else []
    cells = [cell, nbformat.v4.new_markdown_cell(source if kind == "cell" else "")]
    cells += [nbformat.v4.new_raw_cell(source, metadata={"raw_mimetype": "text/html"})] if kind == "raw" else []
    page = _formgrader_page(nbformat.v4.new_notebook(cells=cells))
    shown = html5lib.parse(page, namespaceHTMLElements=False).find("body")
    addresses = [
        (element.tag, value)
        for element in shown.iter()
        for name, value in element.items()
        if str(name).split("}")[-1] in ("href", "src", "action", "formaction", "srcset", "data", "poster")
    ]
    # The page's own, a drawing shown as a picture, and of "view-source:https://example.org" what is an address.
    fine = re.compile(r"/formgrader/.*|data:image/svg\+xml;base64,.*|https://example\.org(/x)?")
    assert [each for each in addresses if not fine.fullmatch(each[1])] == []


def _formgrader_page(notebook: nbformat.NotebookNode) -> str:
    """A graded notebook as the Formgrader shows it."""
    config = course_folder.config(REPOSITORY)
    config.HTMLExporter.template_name = "formgrade"
    lab = str(REPOSITORY / "grading" / "pages" / "lab" / "templates")
    config.HTMLExporter.extra_template_basedirs = [lab, handlers.template_path]
    names = ("assignment_id", "notebook_id", "submission_id", "base_url", "student", "last_name", "first_name")
    resources = {**dict.fromkeys(names, ""), "index": 0, "total": 1, "notebook_path": ""}
    return HTMLExporter(config=config).from_notebook_node(notebook, resources=resources)[0]


def test_a_table_of_pandas_passes_with_its_texts_and_spans():
    table = (
        "<style scoped>\n .dataframe tbody tr th { vertical-align: top; }\n</style>\n"
        '<table border="1" class="dataframe">'
        '<thead><tr style="text-align: right;"><th></th><th colspan="2">&lt;D_qk&gt;</th></tr></thead>'
        "<tbody><tr><th>0</th><td>1.5</td><td><b>2</b></td></tr></tbody></table>"
    )
    assert safe_html.reduced(table).strip() == (
        '<table><thead><tr><th></th><th colspan="2">&lt;D_qk&gt;</th></tr></thead>'
        "<tbody><tr><th>0</th><td>1.5</td><td><b>2</b></td></tr></tbody></table>"
    )


@pytest.mark.parametrize("name", ["colspan", "rowspan"])
def test_no_cell_takes_so_many_columns_or_rows_that_a_browser_is_busy_for_a_minute(name: str):
    spans = {"2": "2", "100": "100", "101": "100", "1000": "100", "9" * 5000: None, " 7": None, "x": None, "٣": None}
    for asked, kept in spans.items():
        attribute = "" if kept is None else f' {name}="{kept}"'
        table = f"<table><tbody><tr><td{attribute}>x</td></tr></tbody></table>"
        assert safe_html.reduced(f'<table><tr><td {name}="{asked}">x</td></tr></table>') == table


def _wide(columns: int, cells: int, rows: int, inside: str = "a") -> str:
    row = f'<tr><td colspan="{columns}">{inside}</td>' + f'<td colspan="{columns}">a</td>' * (cells - 1) + "</tr>"
    return f"<table>{row}{'<tr><td>1</td></tr>' * rows}</table>"


@pytest.mark.parametrize(
    "table",
    [
        _wide(100, 1_500, 1_000),  # Chromium's page crashes
        _wide(100, 1_500, 0),
        _wide(100, 20, 1_000),
        _wide(100, 1_000, 500, "<table><tr></tr></table>"),
        _wide(100, 1_000, 500, '<a href="https://a.example/</table><tr>">x</a>'),
        "<table>" + '<tr><td rowspan="100" colspan="100">a</td></tr>' * 100 + "</table>",
        _wide(1, 2_000, 1_000),
    ],
)
def test_no_table_has_many_more_places_than_it_has_letters(table: str):
    assert not re.search("<td [a-z]+span=", shown(table))


def test_a_title_that_asks_for_all_columns_there_could_be_is_a_cell_like_the_others():
    table = '<table><tr><td colspan="100">title</td></tr>' + "<tr><td>1</td><td>2</td></tr>" * 20 + "</table>"
    assert shown(table).count("<td>") == 41


def test_a_large_table_is_shown_as_a_table():
    row = "<tr><th>1</th>" + '<td class="x">0.123</td>' * 20 + "</tr>"
    large = f'<div><table border="1"><tbody>{row * 150}</tbody></table></div>'
    assert limits.SHOWN_CHARS < len(large) < limits.HTML_CHARS
    assert shown(large).count("<td>0.123</td>") == 150 * 20


def test_long_code_in_the_formgrader_is_shown_as_code():
    source = "\n".join(f"x{n} = torch.zeros(({n}, 2))  # ({n}, 2)" for n in range(150))
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    page, _ = _exporter().from_notebook_node(notebook)
    assert '<span class="n">x149</span>' in page and "&lt;span" not in page


def test_no_text_of_a_student_reaches_bleach(monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("bleach read a text")

    monkeypatch.setattr(strings.bleach, "clean", refuse)
    monkeypatch.setattr(strings.bleach.sanitizer.Cleaner, "clean", refuse)
    cell = nbformat.v4.new_code_cell("1")
    for text in HOSTILE.values():
        readable = text.encode("utf-8", "replace").decode()
        for kind in ("text/html", "text/markdown", "text/latex", "image/svg+xml"):
            cell.outputs.append(nbformat.v4.new_output("display_data", data={kind: readable}))
    cells = [cell, nbformat.v4.new_markdown_cell(HOSTILE["script"]), nbformat.v4.new_raw_cell(HOSTILE["script"])]
    page, _ = _exporter().from_notebook_node(nbformat.v4.new_notebook(cells=cells))
    _, body = page.split("</head>")
    assert page_checks.what_runs_or_loads(f"<!DOCTYPE html><title>t</title>{body}") == []


PIECES = [*HOSTILE.values(), *(f"<{tag}>" for tag in sorted(safe_html.TAGS)), *(f"</{t}>" for t in safe_html.TAGS)]
PIECES += [
    "<svg>",
    "</svg>",
    "<math>",
    "<mtext>",
    "<style>",
    "</style>",
    "<!--",
    "-->",
    "<select>",
    "<form>",
    "x",
    "<",
    "&lt;",
]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_no_mixture_of_pieces_passes(source: str):
    result = safe_html.reduced(source)
    assert faults(result) == []


def _bomb(opened: str, repeated: str) -> str:
    """Formatting elements that stay open, and texts that each bring all of them back."""
    half = limits.HTML_CHARS // 2
    return "<p>" + (opened * (half // len(opened))) + repeated * (half // len(repeated))


BOMBS = {
    "many-open-elements-in-many-paragraphs": "<p>" + "".join(f"<b x={n}>" for n in range(5000)) + "<p>x" * 12_000,
    "many-open-elements-in-few-paragraphs": "<p>" + "".join(f"<b x={n}>" for n in range(8000)) + "<p>x" * 2000,
    "hidden-by-quotes": "<p>" + "".join(f"<b {n}='\" y'>x</b>\">" for n in range(2500)) + "<p>x" * 12_000,
    "deep": "<div>" * (limits.HTML_CHARS // 5),
    "deep-lists": "<ul><li>" * (limits.HTML_CHARS // 8),
    "deep-tables": "<table><td>" * (limits.HTML_CHARS // 11),
    "deep-and-misnested": _bomb("<b><i><a href=x>", "</b><p>x"),
    "one-element-of-many-attributes": "<b " + " ".join(f"a{n}" for n in range(17_000)) + ">x</b>",
    "entities": "&" * limits.HTML_CHARS,
    "angles": "<" * limits.HTML_CHARS,
    "comments": "<!--" * (limits.HTML_CHARS // 4),
    "white-space": "<b " + " " * (limits.HTML_CHARS - 10),
    "spaces-in-tags": ("<b" + " " * 500) * (limits.HTML_CHARS // 510),
    "too-long": "<b>x</b>" * limits.HTML_CHARS,
}


@ways
@pytest.mark.parametrize("name", BOMBS)
def test_huge_and_deep_texts_take_little_time_and_room(name: str, clean: Callable[[str], str]):
    started = time.process_time()
    result = clean(BOMBS[name])
    assert busy.within(time.process_time() - started, 3), "0.5 s at most; the first bomb would take minutes"
    assert len(result) < 9 * len(BOMBS[name]) + 1000
    assert not re.search(rf"<(?!/?(?:{'|'.join(safe_html.TAGS)})\b)", result)


def test_what_is_too_much_is_shown_as_its_source():
    assert shown(BOMBS["deep"]).startswith('<pre tabindex="0">&lt;div&gt;&lt;div&gt;')
