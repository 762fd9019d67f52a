"""The chart that the levers move: a plotly figure that is sent whole, small, and drawn in place.

plotly's own FigureWidget carries 5 MB of plotly.js in its widget state, which ends up in every executed notebook, and sends each
drawing's defaults back to the kernel. This one has the figure alone as its state, a few kilobytes; the browser asks for plotly.js once
a page, and gets the copy that was installed with the Python package, so nothing is fetched from a network.
"""

from pathlib import Path
from typing import Any

import anywidget
import plotly
import plotly.graph_objects as go
from traitlets import Int, Unicode

_STATIC = Path(__file__).parent / "static"
_PLOTLY_JS = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"

# Also the configuration of charts that don't move.
CONFIG = {"displaylogo": False, "responsive": True, "modeBarButtonsToRemove": ["select2d", "lasso2d"]}


class Chart(anywidget.AnyWidget):
    """A plotly chart in the browser.

    figure   the figure as plotly's JSON
    alt      what the chart shows, in words, for screen readers
    run      number of the run that it shows; the drawn element carries it as data-raclab-run once it is painted
    """

    _esm = _STATIC / "chart.js"
    figure = Unicode("{}").tag(sync=True)
    alt = Unicode("").tag(sync=True)
    run = Int(0).tag(sync=True)
    plotly_version = Unicode(plotly.__version__).tag(sync=True)

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self.on_msg(_send_plotly)

    def show(self, figure: go.Figure, run: int, alt: str) -> None:
        """Draw this figure, which shows in words ``alt``: one message to the browser."""
        with self.hold_sync():
            self.figure = figure.to_json(validate=False)
            self.run = run
            self.alt = alt


def _send_plotly(chart: Chart, content: dict[str, Any], buffers: list[Any]) -> None:
    if content.get("want") == "plotly":
        chart.send({"plotly": chart.plotly_version}, [_PLOTLY_JS.read_bytes()])
