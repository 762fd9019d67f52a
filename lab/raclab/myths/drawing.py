"""The chart that most myths share: where a session's time goes, one stacked bar a measurement."""

import functools
import math
from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from raclab import palette
from raclab.evidence.compare import Estimate, mean, value
from raclab.evidence.figures import CPU, ELAPSED, Figure, wait_time
from raclab.evidence.measurement import Measurement
from raclab.myths.bars import bar, drawn, elapsed_marks, seconds_axis, stack_layout

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
        events = tuple(event for event in measured.event_sums if event not in named)
        return component_time(events).read(measured) if events else np.zeros(measured.runs)

    return Figure("other waits", "s", read)


def breakdown(measurement: Measurement, components: Components) -> dict[str, float]:
    """Mean seconds of a session by component: CPU, each component, "other waits", and what nothing accounts for."""
    return dict(_breakdown(measurement, tuple(components.items())))


@functools.lru_cache(maxsize=64)  # the published ones stand in every chart, and chart and sentence ask for the same
def _breakdown(measurement: Measurement, named: tuple[tuple[str, tuple[str, ...]], ...]) -> dict[str, float]:
    components = dict(named)
    means = {"CPU": mean(measurement, CPU)}
    means |= {name: mean(measurement, component_time(events)) for name, events in components.items()}
    means["other waits"] = mean(measurement, other_waits(components))
    total = mean(measurement, ELAPSED)
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
    bars = [bar(name, name, [part[name] for part in parts], labels) for name in ("CPU", *components, "other waits", UNACCOUNTED)]
    totals = elapsed_marks(estimates, ends, labels, [_total(estimate) for estimate in estimates])
    # room on the right for the elapsed time that stands behind the longest bar
    return drawn([*bars, totals], stack_layout(title, len(labels), seconds_axis(ends, 1.22)))


def _drawn_end(estimate: Estimate, part: Mapping[str, float]) -> float:
    if math.isnan(estimate.mean):
        return sum(seconds for seconds in part.values() if not math.isnan(seconds))
    return estimate.mean


def _total(estimate: Estimate) -> str:
    return "only waits published" if math.isnan(estimate.mean) else seconds_text(estimate.mean)


def seconds_text(seconds: float) -> str:
    """Seconds to three figures, with the unit that suits: 81.2 s, 1.04 ms."""
    if seconds < 0.1:
        return f"{1000 * seconds:.3g} ms"
    return f"{seconds:.3g} s" if seconds < 999.5 else f"{seconds:,.0f} s"
