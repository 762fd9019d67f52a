"""Several outputs that one cell shows together: badge and source, chart, the same in words."""

import html
import json
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from raclab.evidence.measurement import Measurement
from raclab.ui.chart import CONFIG
from raclab.ui.markup import badges, prose, sources

_PLOTLY_MIME = "application/vnd.plotly.v1+json"


class Exhibit:
    """What a cell shows, one output after the other; as text it is the sentence.

    parts   mime bundles (dicts) and objects with a display of their own
    text    the same in words
    """

    def __init__(self, parts: Sequence[Any], text: str) -> None:
        self.parts = list(parts)
        self.text = text

    def _ipython_display_(self) -> None:
        from IPython.display import display

        for part in self.parts:
            display(part, raw=isinstance(part, dict))  # type: ignore[no-untyped-call]

    def __repr__(self) -> str:
        return self.text


def markup(inner: str, text: str) -> dict[str, Any]:
    """HTML as a mime bundle, with the same as plain text."""
    return {"text/html": f'<div class="raclab-text mathjax_ignore">{inner}</div>', "text/plain": text}


def caption(measurements: Sequence[Measurement]) -> dict[str, Any]:
    """Badges and sources of the measurements."""
    text = sources(measurements)
    kinds = " ".join(dict.fromkeys(m.badge for m in measurements))
    return markup(f"<p>{badges(m.source.kind for m in measurements)} {html.escape(text)}</p>", f"[{kinds}] {text}")


def static_chart(figure: go.Figure, alt: str) -> dict[str, Any]:
    """A chart that doesn't move, drawn by JupyterLab itself; ``alt`` is its text alternative."""
    shown = go.Figure(figure)
    shown.update_layout(meta={"alt": alt})
    document = json.loads(shown.to_json(validate=False))
    return {_PLOTLY_MIME: {**document, "config": CONFIG}, "text/plain": alt}


def sentence(text: str) -> dict[str, Any]:
    """What the chart shows, in words."""
    return markup(f"<p>{prose(text)}</p>", text)
