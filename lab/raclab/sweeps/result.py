"""What a sweep gives: a tidy frame with its provenance, what was skipped, and a chart of two levers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from raclab import __version__, palette
from raclab.evidence.measurement import Kind, Measurement
from raclab.evidence.student_t import interval_95
from raclab.evidence.table import Table
from raclab.myths.base import Myth
from raclab.sweeps.grid import Grid, SweepError
from raclab.sweeps.outcome import Outcome, Reading

FIGURE_COLUMNS = ("figure", "unit", "mean", "low", "high", "runs", "case", "remark", "events", "seconds", "evidence")
SYMBOLS = ("circle", "square", "diamond", "cross", "x", "triangle-up")
COLOURS = (palette.BLUE, palette.VERMILLION, palette.GREEN, palette.ORANGE, palette.PURPLE, palette.SKY_BLUE)


@dataclass(frozen=True)
class Sweep:
    """The settings of a sweep that were simulated.

    frame         one row a setting and figure: the levers under their names, then FIGURE_COLUMNS. ``mean`` over the runs with its
                  two-sided 95 % interval ``low`` to ``high`` (NaN for one run) in ``unit`` ("" for a count); ``events`` of the kernel and
                  ``seconds`` are those of the whole setting; ``remark`` says what can't have the effect asked for
    skipped       the combinations that can't be had: the levers that were asked for, and the reason
    levers        the levers that vary, the last one fastest
    measurements  one a setting, in the order of the frame, if they were asked for
    source        the model, the version of its code, levers, and seeds, in one line
    summary       how many settings came from where, in a sentence
    """

    myth: Myth
    frame: pd.DataFrame
    skipped: pd.DataFrame
    levers: tuple[str, ...]
    measurements: tuple[Measurement, ...]
    source: str
    summary: str

    @property
    def figures(self) -> list[str]:
        """The figures that the frame has."""
        return self.frame["figure"].unique().tolist()

    def of(self, figure: str) -> pd.DataFrame:
        """The rows of one figure, one a setting; plotly express takes them as they are. SweepError names the figures that there are."""
        rows = self.frame[self.frame["figure"] == figure]
        if not len(rows):
            raise SweepError(f"There is no figure {figure!r} here; there are: {', '.join(self.figures) or 'none'}.")
        return rows.reset_index(drop=True)

    def chart(self, x: str, y: str = "elapsed", colour: str | None = None) -> go.Figure:
        """One figure (``y``) over a lever, with its 95 % interval; a line for each value of another lever (``colour``).

        SweepError where further levers vary: the lines would be several in one.
        """
        if beyond := [name for name in self.levers if name not in (x, colour)]:
            raise SweepError(f"{', '.join(beyond)} varies too; name it as colour, or draw result.of({y!r}) with plotly express.")
        specs = self.myth.levers.specs()
        if unknown := [name for name in (x, colour) if name is not None and name not in specs]:
            raise SweepError(f"There is no lever {unknown[0]} here; there are: {', '.join(specs)}.")
        rows = self.of(y)
        parts = [("", rows)] if colour is None else [(f"{specs[colour].label} = {specs[colour].text(v)}", p) for v, p in _by(rows, colour)]
        layout, unit = palette.layout(), rows["unit"].iloc[0]
        layout["xaxis"] |= {"title": {"text": f"{specs[x].label} ({specs[x].unit})" if specs[x].unit else specs[x].label}}
        layout["yaxis"] |= {"title": {"text": f"{y} ({unit})" if unit else y}, "rangemode": "tozero"}
        layout |= {"title": {"text": f"{palette.KIND_SIGNS['SIMULATED']} SIMULATED: {y} by {specs[x].label}"}, "showlegend": bool(colour)}
        layout["legend"] = {"x": 1.02, "y": 1.0}  # beside the lines: there may be many
        if specs[x].choices:  # as the slider has them: CACHE 0 and 10,000 are neighbours of others, not ends of an axis
            layout["xaxis"] |= {"type": "category", "categoryarray": [specs[x].text(one) for one in specs[x].choices]}
        return go.Figure([_line(name, part, x, specs[x], number) for number, (name, part) in enumerate(parts)], layout)

    def table(self) -> Table:
        """The first figure of each setting, for reading: the levers that vary, mean and interval."""
        columns = [*self.levers, "figure", "unit", "mean", "low", "high", "runs"]
        first = self.frame.drop_duplicates("case") if not self.levers else self.frame.drop_duplicates(list(self.levers))
        return Table(first[columns].reset_index(drop=True), Kind.SIMULATED, f"{self.source}. {self.summary}")

    def __repr__(self) -> str:
        return repr(self.table())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


def _by(rows: pd.DataFrame, name: str) -> list[tuple[Any, pd.DataFrame]]:
    return [(value, rows[rows[name] == value]) for value in rows[name].unique().tolist()]


def _line(name: str, rows: pd.DataFrame, x: str, spec: Any, number: int) -> dict[str, Any]:
    half = (rows["high"] - rows["mean"]).fillna(0.0)
    colour = COLOURS[number % len(COLOURS)]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": [spec.text(one) for one in rows[x]] if spec.choices else rows[x].tolist(),
        "y": rows["mean"].tolist(),
        "error_y": {"type": "data", "array": half.tolist(), "color": palette.TEXT, "thickness": 1},
        "marker": {"color": colour, "symbol": SYMBOLS[number % len(SYMBOLS)], "size": 8, "line": {"color": palette.TEXT, "width": 1}},
        "line": {"color": colour},
        "text": rows["case"].tolist(),
        "hovertemplate": "%{text}<br>%{y:.4~g}<extra></extra>",
    }


def result_of(
    myth: Myth,
    grid: Grid,
    seeds: Sequence[int],
    outcomes: dict[int, Outcome],
    measurements: dict[int, Measurement],
    summary: str,
) -> Sweep:
    """The settings that have an outcome, in the order of the grid."""
    done = [(grid.settings[place], outcomes[place]) for place in sorted(outcomes)]
    refused = [(levers, outcome.refused) for levers, outcome in done if outcome.refused]
    good = [(levers, outcome) for levers, outcome in done if not outcome.refused]
    absent: dict[str, Reading] = {}
    for _, outcome in good:
        for label, reading in outcome.figures.items():
            absent.setdefault(label, _absent(label, reading.unit, len(seeds)))
    rows: list[dict[str, Any]] = []
    for levers, outcome in good:
        whole = {
            "runs": len(seeds),
            "case": outcome.case,
            "remark": levers.remark(),
            "events": outcome.events,
            "seconds": outcome.seconds,
            "evidence": Kind.SIMULATED.value,
        }
        for label, nothing in absent.items():
            reading = outcome.figures.get(label, nothing)
            rows.append({**levers.as_dict(), "figure": label, "unit": reading.unit, **_estimate(reading.values), **whole})
    names = list(myth.levers.specs())
    varying = list(grid.axes)
    columns = [*varying, *(name for name in names if name not in varying), *FIGURE_COLUMNS]
    not_had = [({name: getattr(levers, name) for name in grid.axes}, reason) for levers, reason in refused]
    skipped = pd.DataFrame([{**setting, "reason": reason} for setting, reason in [*grid.skipped, *not_had]])
    sources = list(dict.fromkeys(outcome.source for _, outcome in good)) or ["nothing simulated"]
    code = next(iter(outcomes.values())).version if outcomes else "unknown"
    settled = {name: getattr(grid.settings[0], name) for name in names if name not in varying}
    at = ", ".join(f"{name} = {value}" for name, value in settled.items())
    source = (
        f"{'; '.join(sources)}, raclab {__version__} ({code}), {myth.slug}: {', '.join(varying) or 'no lever'} varied"
        f"{f'; {at}' if at else ''}; seeds {_seeds_text(seeds)}"
    )
    return Sweep(
        myth,
        pd.DataFrame(rows, columns=columns),
        skipped if len(skipped) else pd.DataFrame(columns=[*varying, "reason"]),
        tuple(varying),
        tuple(measurements[place] for place in sorted(measurements) if not outcomes[place].refused),
        source,
        summary,
    )


def _absent(label: str, unit: str, runs: int) -> Reading:
    """What stands for a figure that a setting does not have: no waits for an event are 0 waits, a statistic that is missing is unknown."""
    is_wait = label.endswith((": waits", ": time"))
    return Reading(unit, [0.0 if is_wait else None] * runs)


def _estimate(values: Sequence[float | None]) -> dict[str, float]:
    known = [one for one in values if one is not None]
    if not known or len(known) < len(values):
        return {"mean": math.nan, "low": math.nan, "high": math.nan}
    low, high = interval_95(known)
    return {"mean": fmean(known), "low": low, "high": high}


def _seeds_text(seeds: Sequence[int]) -> str:
    if len(seeds) > 1 and list(seeds) == list(range(seeds[0], seeds[0] + len(seeds))):
        return f"{seeds[0]} to {seeds[-1]}"
    return ", ".join(map(str, seeds))
