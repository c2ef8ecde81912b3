"""What every page must pass: valid HTML, nothing that runs or is loaded, accessible, fit for a phone."""

import functools
import json
import platform
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element

import html5lib
import pytest
from browser import FLAGS, NAMES
from playwright.sync_api import Browser, Page, sync_playwright

WEB = Path(__file__).parents[1] / "web"
RUNS = frozenset("script iframe frame object embed applet link base form input button svg audio video source".split())
LOADS = ("src", "srcset", "data", "poster", "background", "action", "formaction", "ping", "manifest", "cite")
_STYLE_LOADS = re.compile(r"(?i)url\s*\(|@import|image-set|expression\s*\(")
PHONE = 375


def faults_of_html(page: str) -> list[str]:
    """What html5lib, as strict as the standard, finds wrong with a page's syntax."""
    return _parsed(page)[1]


@functools.cache
def _parsed(page: str) -> tuple[Element, list[str]]:
    parser = html5lib.HTMLParser(namespaceHTMLElements=False)
    tree = parser.parse(page)
    return tree, [f"line {line}: {code} {values}" for (line, _), code, values in parser.errors]


def faults_of_content(pages: list[Path]) -> list[str]:
    """What html-validate finds wrong: elements, attributes and contents that the standard does not allow."""
    program = WEB / "node_modules" / ".bin" / "html-validate"
    if not program.exists() or shutil.which("node") is None:
        missing = "html-validate is not installed; `make test` installs it (Debian, Ubuntu: apt-get install npm)."
        pytest.fail(missing) if platform.system() == "Linux" else pytest.skip(missing)
    command = [program, "--config", WEB / "html-validate.json", "--formatter", "json", *pages]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = json.loads(done.stdout)
    return [
        f"{Path(f['filePath']).name}:{m['line']} {m['ruleId']}: {m['message']}" for f in found for m in f["messages"]
    ]


def what_runs_or_loads(page: str) -> list[str]:
    """Elements and attributes of a page that could run a script or load something from elsewhere."""
    found = []
    for element in _parsed(page)[0].iter():
        tag = str(element.tag).rsplit("}", 1)[-1].lower()
        found += [f"<{tag}>"] * (tag in RUNS)
        found += ["a style that loads"] * (tag == "style" and bool(_STYLE_LOADS.search(element.text or "")))
        for name, value in element.items():
            name = str(name).rsplit("}", 1)[-1].lower()
            picture = tag == "img" and name == "src" and value.startswith("data:image/")
            if name.startswith("on") or (name in LOADS and not picture):
                found.append(f"<{tag} {name}={value[:60]!r}>")
            if name == "style" and _STYLE_LOADS.search(value):
                found.append(f"<{tag} style={value[:60]!r}>")
            if name == "href" and not re.match(r"https?://|mailto:|#|[\w.-]+\.html$", value):
                found.append(f"<{tag} href={value[:60]!r}>")
            if tag == "meta" and name == "http-equiv" and value.lower() == "refresh":
                found.append("<meta refresh>")
    return found


@dataclass
class Window:
    """An open browser: `asked` are the addresses that pages asked for beside themselves, `said` what they ran."""

    browser: Browser
    asked: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    @contextmanager
    def page(self, path: Path, width: int = PHONE, media: str = "screen", guarded: bool = True) -> Iterator[Page]:
        """A page, everything in it unfolded; unguarded its own policy against scripts does not hold."""
        context = self.browser.new_context(viewport={"width": width, "height": 800}, bypass_csp=not guarded)
        try:
            page = context.new_page()
            page.on("request", lambda request: self._ask(request.url, path))
            page.on("dialog", lambda dialog: (self.said.append(dialog.message), dialog.dismiss()))
            page.emulate_media(media=media)
            page.goto(path.as_uri())
            page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
            yield page
        finally:
            context.close()

    def _ask(self, address: str, path: Path) -> None:
        if address != path.as_uri() and not address.startswith("data:"):
            self.asked.append(address)


@contextmanager
def window() -> Iterator[Window]:
    """A browser without a profile; without Chromium a test fails on Linux, where `make test` installs it."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        missing = "Chromium is not installed (Debian, Ubuntu: apt-get install chromium)."
        pytest.fail(missing) if platform.system() == "Linux" else pytest.skip(missing)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        try:
            yield Window(browser)
        finally:
            browser.close()


def hard_to_use(page: Page) -> list[str]:
    """What axe finds that is serious or critical for people who read with other means than their eyes or a mouse."""
    page.evaluate((WEB / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{v['id']} ({v['impact']}): {v['nodes'][0]['html'][:200]}"
        for v in found["violations"]
        if v["impact"] in ("serious", "critical")
    ]


def too_wide(page: Page) -> list[str]:
    """By how much a page is wider than its window, if it is."""
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return [f"{wide} px"] if wide else []
