"""A chart of shares: how the time of a measurement is divided, whatever its total."""

import math
from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from raclab import palette
from raclab.evidence.measurement import Measurement
from raclab.myths.bars import bar, drawn, percent_axis, stack_layout, written
from raclab.myths.drawing import UNACCOUNTED, Components, breakdown, label

# the palette has a style a component of the sequence's chart; these are drawn in the same ones
_DRAWN_AS: Mapping[str, str] = {
    "gc cr": "enq: SQ - contention",
    "gc current": "gc current block",
    "gc buffer busy": "row cache lock",
    "other waits": palette.OTHER,
}


def shares(measurement: Measurement, components: Components) -> dict[str, float]:
    """Percent of the sessions' time by component; of the time waited alone, where CPU and elapsed time are not known."""
    seconds = {name: 0.0 if math.isnan(time) else time for name, time in breakdown(measurement, components).items()}
    total = sum(seconds.values())
    return {name: 100 * time / total if total else 0.0 for name, time in seconds.items()}


def share_chart(measurements: Sequence[Measurement], components: Components, totals: Sequence[str], title: str) -> go.Figure:
    """Horizontal bars of 100 %, each divided by component, with what the 100 % are written behind it.

    One trace a component and one for the totals, whatever is measured. The first measurement is on top.
    """
    parts = [shares(one, components) for one in measurements]
    labels = [label(one) for one in measurements]
    names = ("CPU", *components, "other waits", UNACCOUNTED)
    bars = [bar(name, _DRAWN_AS.get(name, name), [part[name] for part in parts], labels, "%") for name in names]
    behind = written("what 100 % are", [100.0] * len(labels), labels, totals)
    return drawn([*bars, behind], stack_layout(title, len(labels), percent_axis("percent of the sessions' time", 160)))
