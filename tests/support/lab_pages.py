"""What a user does in JupyterLab and in nbgrader's Formgrader, step by step, as a test can say it."""

import re

from playwright.sync_api import FrameLocator, Locator, Page, expect

SHOWN = ".jp-NotebookPanel:not(.lm-mod-hidden)"  # the notebook whose tab is in front


class Notebook:
    """A notebook that is open in JupyterLab's front tab; it is opened by a double click unless it is there already."""

    def __init__(self, page: Page, name: str, there: bool = False) -> None:
        self.page, self.name = page, name
        if not there:
            page.locator(f".jp-DirListing-item[title*='{name}']").dblclick()
        page.locator(f".lm-TabBar-tab.lm-mod-current[title*='{name}']").wait_for()
        page.locator(f"{SHOWN} .jp-Cell").first.wait_for()
        # What is run before the kernel answers is silently not run.
        page.locator(f"{SHOWN} .jp-NotebookPanel-toolbar", has_text="Python 3 (ipykernel)").wait_for()
        page.locator(".jp-StatusBar-TextItem", has_text=re.compile(r"\| Idle$")).wait_for()

    def cell(self, text: str) -> Locator:
        """The code cell that contains a text."""
        return self.page.locator(f"{SHOWN} .jp-CodeCell").filter(has_text=text).first

    def run(self, cell: Locator) -> str:
        """Runs a cell with Shift+Enter, waits until it has run, and returns what it shows."""
        cell.locator(".cm-content").click()
        before = cell.locator(".jp-InputPrompt").inner_text()
        self.page.keyboard.press("Shift+Enter")
        expect(cell.locator(".jp-InputPrompt")).not_to_have_text(before)
        expect(cell.locator(".jp-InputPrompt")).to_have_text(re.compile(r"\[\d+\]:"))
        return cell.locator(".jp-OutputArea").inner_text()

    def slide(self, name: str, key: str, shown: str) -> str:
        """Presses a key on the slider of a name, waits until `shown` is there, and returns its alternative text."""
        slider = self.page.locator(f"{SHOWN} .widget-slider").filter(has_text=name)
        slider.get_by_role("slider").press(key)
        picture = self.page.locator(f"{SHOWN} {shown}")
        picture.wait_for()
        return picture.get_attribute("alt")

    def write(self, cell: Locator, text: str) -> None:
        """Puts a text in place of what a cell contains."""
        cell.locator(".cm-content").click()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(text)

    def write_text(self, old: str, new: str) -> None:
        """Puts a text in place of a Markdown cell's, and renders it."""
        cell = self.page.locator(f"{SHOWN} .jp-MarkdownCell").filter(has_text=old)
        cell.dblclick()
        cell.locator(".cm-content").click()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(new)
        self.page.keyboard.press("Shift+Enter")

    def validate(self) -> str:
        """Presses nbgrader's button Validate and returns what its dialog says; the dialog stays open."""
        self.page.locator(f"{SHOWN} .validate-button").first.click()
        dialog = self.page.locator(".jp-Dialog").filter(has_text="Validation Results")
        dialog.wait_for()
        return dialog.inner_text()

    def close_dialog(self) -> None:
        """Presses OK in the dialog that is open."""
        self.page.locator(".jp-Dialog button").filter(has_text=re.compile("ok", re.I)).click()
        self.page.locator(".jp-Dialog").wait_for(state="detached")

    def save(self) -> None:
        """Saves with Control+S, and waits until the tab shows no unsaved change."""
        self.page.keyboard.press("Control+S")
        self.page.locator(f".lm-TabBar-tab.lm-mod-current[title*='{self.name}']:not(.jp-mod-dirty)").wait_for()


def open_lab(page: Page, address: str) -> None:
    """Opens JupyterLab and waits for its list of files."""
    page.goto(address)
    page.locator(".jp-DirListing-item").first.wait_for()


def open_assignments(page: Page) -> Locator:
    """Opens nbgrader's Assignment List from the menu Nbgrader, and returns its panel."""
    page.locator(".lm-MenuBar-itemLabel", has_text="Nbgrader").click()
    page.locator(".lm-Menu-itemLabel", has_text=re.compile("^Assignment List$")).click()
    panel = page.locator("#nbgrader-assignment-list, .nbgrader-assignment-list").first
    panel.wait_for()
    return panel


def open_formgrader(page: Page) -> FrameLocator:
    """Opens the Formgrader from the menu Nbgrader, and returns its panel."""
    page.locator(".lm-MenuBar-itemLabel", has_text="Nbgrader").click()
    page.locator(".lm-Menu-itemLabel", has_text=re.compile("^Formgrader$")).click()
    return page.frame_locator("iframe[src*='formgrader']")


def follow(panel: FrameLocator | Page, *names: str) -> None:
    """Follows the Formgrader's links of these names, one after the other."""
    for name in names:
        panel.get_by_role("link", name=name, exact=True).click()


def press(panel: FrameLocator | Page, name: str, button: str) -> str:
    """Presses a button in the row of a name of the Formgrader's table; what its message says, which is closed then."""
    row(panel, name).locator(f".{button} a").click()
    message = panel.locator(".modal.in")
    message.locator("button").last.wait_for()
    said = message.inner_text()
    message.locator("button").last.click()
    panel.locator(".modal-backdrop").wait_for(state="detached")
    return said


def row(panel: FrameLocator | Page, name: str) -> Locator:
    """The row of a Formgrader's table that contains a name, once it is not being worked on."""
    return panel.locator("#main-table tr").filter(has_text=name).filter(has_not_text="Please wait")


def mark(panel: FrameLocator, cell: str, points: float, comment: str) -> None:
    """Types marks and a comment for a written answer in the Formgrader, and waits until each is saved."""
    for ready in (f"#{cell}_extra_credit[placeholder]", f"#{cell}-comment[placeholder]"):
        panel.locator(ready).wait_for()  # the page listens to its fields from then on
    for field, text, kind in ((f"#{cell}", str(points), "grade"), (f"#{cell}-comment", comment, "comment")):
        panel.locator(field).fill(text)
        with panel.owner.page.expect_response(
            lambda answer, kind=kind: f"/formgrader/api/{kind}/" in answer.url and answer.ok
        ):
            panel.locator(field).press("Tab")
