"""What myths about block transfers share: a measurement with the parts of each wait, and its chart.

A simulation knows every part of a wait. AWR, of a publication or of a live database, knows the receive time on one side and the
serving node's own work, flushes and sends on the other; what those don't account for is drawn as such.
"""

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from raclab import palette
from raclab.cluster import gc_frames, gc_requests, gc_views
from raclab.cluster.gc_frames import LMS_WAITS, LMS_WORKS
from raclab.cluster.gc_requests import FLUSH, MESSAGE, RECEIVER, WIRE, Workload
from raclab.evidence import awr
from raclab.evidence.figures import Figure
from raclab.evidence.measurement import Measurement, Source
from raclab.evidence.student_t import interval_95
from raclab.myths.bars import DOWNWARDS, LEGEND, bar, drawn
from raclab.myths.drawing import label
from raclab.sim import Run

UNEXPLAINED = "not in the server's figures"
COMPONENTS = (MESSAGE, LMS_WAITS, LMS_WORKS, FLUSH, WIRE, RECEIVER, UNEXPLAINED)
INTERCONNECT = (MESSAGE, WIRE)
SAMPLING_S = 0.01
_MILLI = 1000.0


@dataclass(frozen=True, eq=False)
class BlockMeasurement(Measurement):
    """A simulated measurement that knows the parts of each wait; the lab's views get what Oracle would have, without these.

    parts  one row a run, requesting instance (inst_id), serving instance (server), kind (cr, current) and part: blocks, time_s
    lms    one row a run and instance: cpu_s of all LMS, requests that they served
    """

    parts: pd.DataFrame = field(default_factory=pd.DataFrame)
    lms: pd.DataFrame = field(default_factory=pd.DataFrame)


def simulate(load: Workload, seeds: Sequence[int], source: Source, case: str, levers: dict[str, object]) -> BlockMeasurement:
    """Run a workload once a seed. Views that need a single run come with a single seed only."""
    single = len(seeds) == 1
    built = gc_requests.build(load, SAMPLING_S if single else math.inf)
    runs: list[Run] = gc_requests.simulate(built, list(seeds))
    accounts = gc_frames.Accounts(built)
    views = gc_views.block_servers(built, accounts, runs)
    return BlockMeasurement(
        source,
        case,
        levers,
        gc_frames.sessions(built, runs),
        gc_frames.waits(built, runs),
        gc_frames.stats(built, accounts, runs),
        views | gc_views.of_one_run(built, runs[0]) if single else views,
        gc_frames.parts(accounts, runs),
        gc_frames.lms(built, accounts, runs),
    )


def receive_time(kind: str, instance: int | None = None) -> Figure:
    """AWR's average receive time of CR or current blocks in ms, on one instance or over all that received any."""

    def read(measured: Measurement) -> np.ndarray:
        label = awr.receive_time(kind)
        if instance is not None and (measured.stats["name"] == label).any():
            return _total(measured, label, instance)
        time, blocks = (_total(measured, f"gc {kind} block{name}", instance) for name in (" receive time", "s received"))
        return _a_block(awr.MILLISECONDS_PER_CENTISECOND * time, blocks)

    return Figure(awr.receive_time(kind), "ms", read)


def part_time(kind: str, part: str, instance: int | None = None) -> Figure:
    """Mean time of a part of the wait for one block in ms; NaN where a measurement does not know its parts."""

    def read(measured: Measurement) -> np.ndarray:
        if not isinstance(measured, BlockMeasurement):
            return np.full(measured.runs, math.nan)
        return _part_times(measured, kind, instance)[part]

    return Figure(f"{kind}: {part}", "ms", read)


@functools.lru_cache(maxsize=64)  # the published one stands in every chart, and chart and sentence ask for the same
def breakdown(measured: Measurement, kind: str, instance: int | None = None) -> Mapping[str, float]:
    """Mean milliseconds of one block by component, received by one instance or by all.

    Without parts, what the serving instance's own figures hold (of two instances, the other one), and the rest.
    """
    if isinstance(measured, BlockMeasurement):
        times = _part_times(measured, kind, instance)
        return {name: fmean(times[name].tolist()) for name in COMPONENTS if name != UNEXPLAINED} | {UNEXPLAINED: 0.0}
    nothing = dict.fromkeys(COMPONENTS, 0.0)
    if instance is None or set(measured.stats["inst_id"]) != {1, 2}:
        return nothing | {UNEXPLAINED: _mean(receive_time(kind, instance), measured)}
    printed = set(measured.stats["name"]) & set(awr.LABELS)
    averages = None if printed else awr.averages(measured)

    def of(node: int, label: str) -> float:
        if averages is None:
            return fmean(_total(measured, label, node).tolist())
        return float(averages[label].xs(node, level="inst_id").mean())

    server = 3 - instance
    flush = of(server, awr.flush_share(kind)) / 100 * of(server, awr.flush_time(kind))
    received = of(instance, awr.receive_time(kind))
    known = {
        LMS_WORKS: of(server, awr.work_time(kind)),
        FLUSH: 0.0 if math.isnan(flush) else flush,
        WIRE: of(server, awr.send_time(kind)),
    }
    return nothing | known | {UNEXPLAINED: max(0.0, received - sum(known.values()))}


def interconnect_share(measured: BlockMeasurement, kind: str, instance: int | None = None) -> float:
    """Percent of the receive time that message and wire take."""
    parts = breakdown(measured, kind, instance)
    return 100 * sum(parts[name] for name in INTERCONNECT) / sum(parts.values())


@dataclass(frozen=True)
class Panel:
    """One part of the chart: blocks of a kind, received by one instance or by all (None)."""

    title: str
    kind: str
    instance: int | None


def blocks_chart(measurements: Sequence[Measurement], panels: Sequence[Panel], title: str) -> go.Figure:
    """A panel a kind of block and receiver, a stacked bar a measurement: where the time of one block goes, in ms.

    A tick marks the receive time itself with its 95 % interval. Same traces whatever is measured. Two panels a row.
    """
    labels = [label(one) for one in measurements]
    rows = math.ceil(len(panels) / 2)
    layout = palette.layout()
    x_axis, y_axis = layout.pop("xaxis"), layout.pop("yaxis")
    traces: list[dict[str, Any]] = []
    notes = []
    for number, panel in enumerate(panels):
        row, column = divmod(number, 2)
        left, top = 0.54 * column, 1 - row / rows
        bottom = top - 1 / rows + (0.3 / rows if rows > 1 else 0.0)
        of_panel, longest = _traces(measurements, labels, panel, number)
        traces += of_panel
        suffix = str(number + 1) if number else ""
        layout[f"xaxis{suffix}"] = x_axis | {
            "anchor": f"y{suffix}", "domain": [left, left + 0.46], "range": [0, 1.1 * longest],
            "title": {"text": "ms a block" if row == rows - 1 else "", "font": {"size": 13}},
        }  # fmt: skip
        layout[f"yaxis{suffix}"] = y_axis | {
            "anchor": f"x{suffix}", "domain": [bottom, top], "showticklabels": column == 0, **DOWNWARDS,
        }  # fmt: skip
        notes.append(
            {
                **{"text": f"{panel.title}, ms", "x": left, "y": top, "xref": "paper", "yref": "paper"},
                **{"xanchor": "left", "yanchor": "bottom", "showarrow": False},
            }
        )
    layout |= {
        "barmode": "stack",
        "title": {"text": title},
        "annotations": notes,
        "height": 210 + rows * (90 + 50 * len(labels)),
        "margin": {"t": 80, "b": 140},
        "legend": dict(LEGEND),
    }
    return drawn(traces, layout)


def _traces(measurements: Sequence[Measurement], labels: Sequence[str], panel: Panel, number: int) -> tuple[list[dict[str, Any]], float]:
    """One panel's traces, and how far they reach in ms."""
    suffix = str(number + 1) if number else ""
    parts = [breakdown(one, panel.kind, panel.instance) for one in measurements]
    received = [_received(one, panel.kind, panel.instance) for one in measurements]
    common: dict[str, Any] = {"xaxis": f"x{suffix}", "yaxis": f"y{suffix}", "showlegend": number == 0}
    traces = [bar(name, name, [part[name] for part in parts], labels, "ms", **common, legendgroup=name) for name in COMPONENTS]
    traces.append(
        {
            **common,
            "y": labels,
            **{"type": "scatter", "mode": "markers", "name": "receive time, with 95 % interval", "legendgroup": "receive time"},
            **{"x": [mean for mean, _ in received], "hovertemplate": "%{y}<br>receive time: %{x:.3~g} ms<extra></extra>"},
            "marker": {"color": palette.TEXT, "symbol": "line-ns-open", "size": 22, "line": {"width": 3}},
            "error_x": {"type": "data", "array": [half for _, half in received], "color": palette.TEXT},
        }
    )
    return traces, max([1e-9, *(max(mean + half, sum(part.values())) for (mean, half), part in zip(received, parts, strict=True))])


def milliseconds(value: float) -> str:
    """Milliseconds with their unit: two decimals below 10, else three figures."""
    return f"{value:.2f} ms" if value < 9.995 else f"{value:,.0f} ms" if value >= 99.95 else f"{value:.1f} ms"


@functools.lru_cache(maxsize=64)  # every panel asks for the same
def _columns(measured: Measurement, frame: str) -> Mapping[str, np.ndarray]:
    """The columns of one of a measurement's frames."""
    return {str(name): column.to_numpy() for name, column in getattr(measured, frame).items()}


def _part_times(measured: BlockMeasurement, kind: str, instance: int | None) -> dict[str, np.ndarray]:
    """Mean time of each part for one block in ms, by run; NaN in a run that received none."""
    columns = _columns(measured, "parts")
    of_kind = columns["kind"] == kind
    if instance is not None:
        of_kind &= columns["inst_id"] == instance
    found = {}
    for name in dict.fromkeys(columns["part"][of_kind]):
        of = of_kind & (columns["part"] == name)
        runs = columns["run"][of].astype(np.int64)
        time, count = (np.bincount(runs, columns[column][of].astype(float), measured.runs) for column in ("time_s", "blocks"))
        found[str(name)] = _a_block(_MILLI * time, count)
    return found


def _total(measured: Measurement, name: str, instance: int | None) -> np.ndarray:
    """A statistic of one instance, or of all together, by run."""
    columns = _columns(measured, "stats")
    of = columns["name"] == name
    if instance is not None:
        of &= columns["inst_id"] == instance
    place = np.searchsorted(measured.run_numbers, columns["run"][of].astype(np.int64))
    return np.bincount(place, columns["value"][of].astype(float), measured.runs)


def _a_block(total: np.ndarray, blocks: np.ndarray) -> np.ndarray:
    """A total divided by the blocks; NaN where there were none."""
    mean: np.ndarray = np.divide(total, blocks, out=np.full(len(total), math.nan), where=blocks > 0)
    return mean


def _mean(figure: Figure, measured: Measurement) -> float:
    return fmean(figure.read(measured).tolist())


@functools.lru_cache(maxsize=64)
def _received(measured: Measurement, kind: str, instance: int | None) -> tuple[float, float]:
    """Mean receive time over the runs in ms, and half of its 95 % interval (0 for a single run)."""
    readings = receive_time(kind, instance).read(measured).tolist()
    half = interval_95(readings)[1] - fmean(readings)
    return fmean(readings), 0.0 if math.isnan(half) else half
