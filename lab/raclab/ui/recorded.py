"""Recorded runs beside the simulation at the same setting, figure by figure."""

from collections.abc import Sequence

import pandas as pd

from raclab.evidence.compare import compare
from raclab.evidence.figures import Figure, figures_of, statistic
from raclab.evidence.measurement import Measurement
from raclab.myths.base import Myth

COLUMNS = ("case", "figure", "unit", "recorded", "simulated", "error_pct", "why")
NOT_MODELLED = "not in the simulation"


def beside_simulation(myth: Myth, recorded: Measurement, seeds: Sequence[int]) -> pd.DataFrame:
    """Each figure of a recorded run beside the simulation at its setting: COLUMNS; the error is in percent of the recorded figure.

    Levers that the recorded run could not follow are as by default. Of its statistics those of the global cache are compared; a wait
    that the simulation does not have says so.
    """
    known = set(myth.levers.specs())
    levers = myth.levers(**{name: value for name, value in recorded.levers.items() if name in known})
    simulated = myth.simulate(levers, seeds)
    frame = compare(recorded, simulated, _compared(recorded, simulated))
    absent = {f"{event}: {what}" for event in set(recorded.waits["event"]) - set(simulated.waits["event"]) for what in ("waits", "time")}
    why = [NOT_MODELLED if figure in absent else note for figure, note in zip(frame["figure"], frame["note"], strict=True)]
    named = frame.rename(columns={"a": "recorded", "b": "simulated"}).assign(case=recorded.case, why=why)
    return named[list(COLUMNS)]


def _compared(recorded: Measurement, simulated: Measurement) -> list[Figure]:
    """Sessions' and waits' figures of the recorded run, and the statistics of the global cache that both have."""
    both = set(recorded.stats["name"]) & set(simulated.stats["name"])
    statistics = [statistic(str(name)) for name in sorted(both) if str(name).startswith("gc ")]
    return [*figures_of(_without_statistics(recorded)), *statistics]


def _without_statistics(measured: Measurement) -> Measurement:
    return Measurement(measured.source, measured.case, measured.levers, measured.sessions, measured.waits)
