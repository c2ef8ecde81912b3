"""A real browser for tests of pages: headless Chromium that reaches this machine and nothing else."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect, sync_playwright

ARTEFACTS = Path(__file__).parents[1] / "web" / "artefacts"  # screenshots; git ignores them, CI may keep them
NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",  # root in a container has no other way; all pages are ours
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
LIMIT_MS = 180_000  # one step of a user, which takes up to 5 s on two quiet cores; a busy machine takes many times that
HERE = ("localhost", "127.0.0.1")


@dataclass
class Browser:
    """An open browser: `foreign` are the addresses elsewhere that pages asked for, in vain; `errors` what broke."""

    context: BrowserContext
    foreign: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def page(self) -> Page:
        """A new empty tab."""
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        return page


@contextmanager
def opened(width: int = 1400, height: int = 900) -> Iterator[Browser]:
    """A browser with a fresh profile; at the end it is gone."""
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program(), args=list(FLAGS))
        context = running.new_context(viewport={"width": width, "height": height})
        context.set_default_timeout(LIMIT_MS)
        expect.set_options(timeout=LIMIT_MS)
        browser = Browser(context)
        context.route("**/*", lambda route: _guard(browser, route))
        try:
            yield browser
        finally:
            running.close()


def program() -> str:
    """The path of Chromium; without it no test passes."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.fail("Chromium is not installed. `make test` installs it as root; else: apt-get install chromium.")
    return found


def photograph(page: Page, name: str, whole: bool = False) -> None:
    """Keeps a screenshot as tests/web/artefacts/NAME.png."""
    ARTEFACTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=ARTEFACTS / f"{name}.png", full_page=whole)


def _guard(browser: Browser, route: Route) -> None:
    address = urlsplit(route.request.url)
    if address.scheme in ("data", "blob", "file") or address.hostname in HERE:
        route.continue_()
    else:
        browser.foreign.append(route.request.url)
        route.abort()
