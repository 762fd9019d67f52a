"""The line at a notebook's top: it brings the stylesheet and the labels for screen readers into the page."""

from pathlib import Path
from typing import Any

import anywidget
from traitlets import Unicode

_STATIC = Path(__file__).parent / "static"


class Frame(anywidget.AnyWidget):
    """One line that says what this notebook runs on.

    html   the line
    text   the same without markup, for outputs that show no widgets

    The stylesheet travels in a widget because anywidget puts it into the page's head, where it stays; a style element in an output
    is dropped when JupyterLab drops cells that are scrolled out of sight.
    """

    _esm = _STATIC / "frame.js"
    _css = _STATIC / "raclab.css"
    html = Unicode("").tag(sync=True)

    def __init__(self, html: str, text: str, **traits: Any) -> None:
        super().__init__(html=html, **traits)
        self.text = text

    def __repr__(self) -> str:
        return self.text
