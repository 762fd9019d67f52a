"""Stacked bars of one session's time, CPU and waiting, where only the CPU of some measurements is known."""

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from raclab.evidence.compare import mean
from raclab.evidence.figures import CPU
from raclab.evidence.measurement import Measurement
from raclab.myths.bars import bar, drawn, marked, seconds_axis, stack_layout
from raclab.myths.drawing import UNACCOUNTED, label, seconds_text
from raclab.myths.parts_drawing import Looks, PartsMeasurement, parts_of

NOT_SPLIT = "CPU, not split"


def cpu_chart(measurements: Sequence[Measurement], looks: Looks, title: str) -> go.Figure:
    """A bar a measurement: its parts in seconds, or its CPU as one piece where the parts are not known; the CPU is written out.

    Same traces whatever is measured. The first measurement is on top.
    """
    labels = [label(one) for one in measurements]
    parts = [_parts(one, looks) for one in measurements]
    bars = [bar(name, looks.get(name, UNACCOUNTED), [part[name] for part in parts], labels) for name in (NOT_SPLIT, *looks)]
    ends = [sum(part.values()) for part in parts]
    texts = [f"{seconds_text(mean(one, CPU))} CPU" for one in measurements]
    totals = marked("CPU of one session", ends, labels, texts, "")
    return drawn([*bars, totals], stack_layout(title, len(labels), seconds_axis(ends, 1.3)))


def _parts(one: Measurement, looks: Looks) -> dict[str, float]:
    if isinstance(one, PartsMeasurement):
        known = parts_of(one, list(looks))
        return {NOT_SPLIT: 0.0} | {name: known[name] for name in looks}
    cpu = mean(one, CPU)
    return {NOT_SPLIT: 0.0 if math.isnan(cpu) else cpu} | dict.fromkeys(looks, 0.0)
