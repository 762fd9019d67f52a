"""Colours, patterns and marks of every chart and badge of the course.

The colours are those of Okabe and Ito's colour-blind-safe set ("Color Universal Design", 2008), without its black and yellow, which
vanish on one of JupyterLab's two backgrounds. Each component also has a fill pattern and each kind of evidence a mark of its own, so that
no figure depends on colour alone. The lightest (orange, sky blue) have 2.2:1 on white: fills therefore carry an outline in TEXT, and text
is never written in any of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

ORANGE = "#E69F00"
SKY_BLUE = "#56B4E9"
GREEN = "#009E73"
BLUE = "#0072B2"
VERMILLION = "#D55E00"
PURPLE = "#CC79A7"
GREY = "#8A8A8A"

# One grey reads on white and on JupyterLab's near-black alike (4.3:1 on either), so a chart is legible wherever it is shown.
# In JupyterLab the course's stylesheet replaces it with the theme's own text colour.
TEXT = "#7A7A7A"
GRID = "rgba(128, 128, 128, 0.25)"


@dataclass(frozen=True)
class Style:
    """How one component of elapsed time is drawn: fill ``colour`` and plotly's ``pattern`` shape ("" is solid)."""

    colour: str
    pattern: str = ""


OTHER = "other"

COMPONENTS: Mapping[str, Style] = MappingProxyType(
    {
        "CPU": Style(GREEN),
        "row cache lock": Style(VERMILLION, "/"),
        "gc current block": Style(SKY_BLUE, "x"),
        "gc current block 2-way": Style(SKY_BLUE, "x"),
        "DFS lock handle": Style(PURPLE, "\\"),
        "log file sync": Style(ORANGE, "."),
        "enq: SQ - contention": Style(BLUE, "-"),
        # parts of the wait for a block
        "message": Style(SKY_BLUE, "\\"),
        "LMS waits for CPU": Style(VERMILLION, "/"),
        "LMS works": Style(GREEN),
        "log flush": Style(ORANGE, "."),
        "wire": Style(BLUE, "-"),
        "receiver's CPU": Style(PURPLE, "x"),
        "not in the server's figures": Style(GREY),
        OTHER: Style(GREY, "+"),
        "not accounted for": Style(GREY),
    }
)

# Kinds of evidence: a plotly marker symbol, the sign before a name, and the colour of the badge's ground.
KIND_SYMBOLS: Mapping[str, str] = MappingProxyType({"PUBLISHED": "diamond", "SIMULATED": "circle", "LIVE": "star"})
KIND_SIGNS: Mapping[str, str] = MappingProxyType({"PUBLISHED": "◆", "SIMULATED": "●", "LIVE": "★"})
KIND_COLOURS: Mapping[str, str] = MappingProxyType({"PUBLISHED": ORANGE, "SIMULATED": SKY_BLUE, "LIVE": GREEN})


def style(component: str) -> Style:
    """The style of a wait event or other component; what has none of its own is drawn as "other"."""
    return COMPONENTS.get(component, COMPONENTS[OTHER])


def bar_marker(component: str) -> dict[str, Any]:
    """A plotly ``marker`` for the bars of one component: colour, pattern and a thin outline."""
    drawn = style(component)
    return {
        "color": drawn.colour,
        "line": {"color": TEXT, "width": 1},
        "pattern": {"shape": drawn.pattern, "fillmode": "overlay", "fgcolor": "rgba(255, 255, 255, 0.6)", "size": 7, "solidity": 0.25},
    }


def layout() -> dict[str, Any]:
    """Layout keys that every chart starts from: transparent, readable in light and dark, nothing that moves by itself."""
    # What a chart's own title keeps when it is given as text alone; on the left, a narrow window cuts off least of it.
    template = {"layout": {"title": {"x": 0, "xanchor": "left", "xref": "container", "font": {"size": 15}}}}
    axis = {"gridcolor": GRID, "linecolor": TEXT, "zerolinecolor": GRID, "automargin": True}
    return {
        "template": template,
        "paper_bgcolor": "rgba(0, 0, 0, 0)",
        "plot_bgcolor": "rgba(0, 0, 0, 0)",
        "font": {"color": TEXT, "size": 13},
        "xaxis": dict(axis),
        "yaxis": dict(axis),
        "legend": {"orientation": "h", "y": -0.2, "x": 0, "xref": "container"},
        "margin": {"l": 60, "r": 20, "t": 50, "b": 40},
        "height": 380,
        "autosize": True,
        "hovermode": "closest",
        "uirevision": "raclab",
    }
