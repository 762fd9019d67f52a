"""A chart of shares: how the time of a measurement is divided, whatever its total."""

import math
from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from raclab import palette
from raclab.evidence.measurement import Measurement
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
    chart = go.Figure(layout=palette.layout())
    for name in ("CPU", *components, "other waits", UNACCOUNTED):
        chart.add_bar(
            x=[part[name] for part in parts], y=labels, name=name, orientation="h",
            marker=palette.bar_marker(_DRAWN_AS.get(name, name)),
            hovertemplate="%{y}<br>" + name + ": %{x:.3~g} %<extra></extra>",
        )  # fmt: skip
    chart.add_scatter(
        x=[100.0] * len(labels), y=labels, mode="text", name="what 100 % are", text=[f" {total}" for total in totals],
        textposition="middle right", cliponaxis=False, showlegend=False, hoverinfo="skip",
    )  # fmt: skip
    chart.update_xaxes(title="percent of the sessions' time", range=[0, 160], tickvals=list(range(0, 101, 20)))
    chart.update_yaxes(autorange="reversed", showgrid=False)
    legend = {"orientation": "h", "traceorder": "normal", "yref": "container", "yanchor": "bottom", "y": 0.01, "x": 0}
    chart.update_layout(barmode="stack", title=title, height=190 + 62 * len(labels), margin={"b": 100}, legend=legend)
    return chart
