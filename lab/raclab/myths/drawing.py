"""The chart that most myths share: where a session's time goes, one stacked bar a measurement."""

import functools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from raclab import palette
from raclab.evidence.compare import Estimate, value
from raclab.evidence.figures import CPU, ELAPSED, Figure, wait_time
from raclab.evidence.measurement import Measurement

UNACCOUNTED = "not accounted for"

Components = Mapping[str, tuple[str, ...]]
"""Wait events that are drawn as one component, by the component's name."""


def component_time(events: tuple[str, ...]) -> Figure:
    """Seconds that a session waited for any of the events."""
    figures = [wait_time(event) for event in events]

    def read(measured: Measurement) -> np.ndarray:
        total: np.ndarray = np.nansum([figure.read(measured) for figure in figures], axis=0)
        return total

    return Figure(" + ".join(events), "s", read)


def other_waits(components: Components) -> Figure:
    """Seconds that a session waited for anything that no component names."""
    named = [event for events in components.values() for event in events]

    def read(measured: Measurement) -> np.ndarray:
        events = tuple(event for event in measured.waits["event"].unique() if event not in named)
        return component_time(events).read(measured) if events else np.zeros(measured.runs)

    return Figure("other waits", "s", read)


def breakdown(measurement: Measurement, components: Components) -> dict[str, float]:
    """Mean seconds of a session by component: CPU, each component, "other waits", and what nothing accounts for."""
    return dict(_breakdown(measurement, tuple(components.items())))


@functools.lru_cache(maxsize=64)  # the published ones stand in every chart, and chart and sentence ask for the same
def _breakdown(measurement: Measurement, named: tuple[tuple[str, tuple[str, ...]], ...]) -> dict[str, float]:
    components = dict(named)
    means = {"CPU": value(measurement, CPU).mean}
    means |= {name: value(measurement, component_time(events)).mean for name, events in components.items()}
    means["other waits"] = value(measurement, other_waits(components)).mean
    total = value(measurement, ELAPSED).mean
    accounted = sum(seconds for seconds in means.values() if not math.isnan(seconds))
    return means | {UNACCOUNTED: max(0.0, total - accounted) if not math.isnan(total) else math.nan}


def label(measurement: Measurement) -> str:
    """What stands beside a bar: the kind of evidence, then the case."""
    return f"{palette.KIND_SIGNS[measurement.badge]} {measurement.badge}<br>{measurement.case}"


def time_chart(measurements: Sequence[Measurement], components: Components, title: str) -> go.Figure:
    """Horizontal stacked bars of ``breakdown``, in seconds, with each elapsed time written out and its 95 % interval.

    One trace a component and one for the elapsed times, whatever is measured. The first measurement is on top.
    """
    parts = [breakdown(one, components) for one in measurements]
    labels = [label(one) for one in measurements]
    estimates = [value(one, ELAPSED) for one in measurements]
    ends = [_drawn_end(estimate, part) for estimate, part in zip(estimates, parts, strict=True)]
    bars = [_bar(name, [part[name] for part in parts], labels) for name in ("CPU", *components, "other waits", UNACCOUNTED)]
    layout = palette.layout()
    # room on the right for the elapsed time that stands behind the longest bar
    layout["xaxis"] |= {"title": {"text": "seconds of one session"}, "range": [0, 1.22 * max([*ends, 1e-9])]}
    layout["yaxis"] |= {"autorange": "reversed", "showgrid": False}
    layout["margin"] |= {"b": 100}
    layout["legend"] = {"orientation": "h", "traceorder": "normal", "yref": "container", "yanchor": "bottom", "y": 0.01, "x": 0}
    layout |= {"barmode": "stack", "title": {"text": title}, "height": 190 + 62 * len(labels)}
    return go.Figure([*bars, _totals(estimates, ends, labels)], layout)


def _bar(name: str, seconds: Sequence[float], labels: Sequence[str]) -> dict[str, Any]:
    return {
        "type": "bar",
        "x": [0.0 if math.isnan(one) else one for one in seconds],
        "y": labels,
        "name": name,
        "orientation": "h",
        "marker": palette.bar_marker(name),
        "hovertemplate": "%{y}<br>" + name + ": %{x:.3~g} s<extra></extra>",
    }


def _totals(estimates: Sequence[Estimate], ends: Sequence[float], labels: Sequence[str]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": ends,
        "y": labels,
        "name": "elapsed, with 95 % interval",
        "mode": "markers+text",
        "marker": {"color": palette.TEXT, "symbol": "line-ns-open", "size": 12},
        "text": [_total(estimate) for estimate in estimates],
        "textposition": "middle right",
        "cliponaxis": False,
        "showlegend": False,
        "error_x": {"type": "data", "array": [_half(estimate) for estimate in estimates], "color": palette.TEXT},
        "hovertemplate": "%{y}<br>elapsed: %{text}<extra></extra>",
    }


def _drawn_end(estimate: Estimate, part: Mapping[str, float]) -> float:
    if math.isnan(estimate.mean):
        return sum(seconds for seconds in part.values() if not math.isnan(seconds))
    return estimate.mean


def _half(estimate: Estimate) -> float:
    return 0.0 if math.isnan(estimate.high) else estimate.high - estimate.mean


def _total(estimate: Estimate) -> str:
    return "only waits published" if math.isnan(estimate.mean) else seconds_text(estimate.mean)


def seconds_text(seconds: float) -> str:
    """Seconds to three figures, with the unit that suits: 81.2 s, 1.04 ms."""
    if seconds < 0.1:
        return f"{1000 * seconds:.3g} ms"
    return f"{seconds:.3g} s" if seconds < 999.5 else f"{seconds:,.0f} s"
