"""How Sphinx makes the web edition; `dev/site.py` starts it. Nothing in a page comes from another host."""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.writers.html5 import HTML5Translator

from grading.pages import mathml

project = html_title = "The attention course"
extensions = ["myst_nb"]
templates_path = ["templates"]

myst_enable_extensions = ["dollarmath"]
myst_dmath_double_inline = True  # a formula of its own may stand on a line of a paragraph or a list
myst_heading_anchors = 4
nb_execution_mode = "off"

html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["course.css"]
html_math_renderer = "mathml"
html_copy_source = False  # it would be a second copy of each page, for nobody
html_show_sourcelink = False
html_show_copyright = False
html_use_index = False
html_domain_indices = False
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"


LONG = 60  # characters of TeX, of a formula in a line that may be wider than a phone and can then be scrolled


def setup(app: Sphinx) -> None:
    """Registers what draws formulas: MathML, which browsers show without a script."""
    app.add_html_math_renderer("mathml", (_formula, None), (_block, None))


def _formula(writer: HTML5Translator, node: nodes.math) -> None:
    shown = _shown(node, block=False)
    if len(node.astext()) > LONG:
        shown = f'<span class="formula" tabindex="0" role="group" aria-label="formula">{shown}</span>'
    writer.body.append(shown)
    raise nodes.SkipNode


def _block(writer: HTML5Translator, node: nodes.math_block) -> None:
    shown = _shown(node, block=True)
    writer.body.append(f'<div class="formula" tabindex="0" role="group" aria-label="formula">{shown}</div>\n')
    raise nodes.SkipNode


def _shown(node: nodes.Element, block: bool) -> str:
    shown = mathml.shown(node.astext(), block)
    if not shown.startswith("<math"):
        raise ExtensionError(f"{node.source}: this formula can't be shown: {node.astext()}")
    return shown
