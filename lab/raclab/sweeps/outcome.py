"""What a sweep keeps of one setting: the figures of each run, and what they cost."""

import math
from dataclasses import asdict, dataclass, field
from time import perf_counter
from typing import Any

from raclab.errors import LabError
from raclab.evidence.figures import figures_of
from raclab.evidence.measurement import Measurement
from raclab.myths.base import Myth
from raclab.myths.levers import Levers
from raclab.sim.run import Stopped
from raclab.sim.watch import Watch, watching
from raclab.sweeps.version import version


@dataclass(frozen=True)
class Reading:
    """One figure: its value in each run, None where it was not measured."""

    unit: str
    values: list[float | None]


@dataclass(frozen=True)
class Outcome:
    """One setting, simulated.

    case      the setting's name, as a chart shows it
    source    title of the model
    figures   by label, in the order of ``figures_of``
    events    that the kernel handled, in all runs
    seconds   that it took, everything included
    refused   why there is no figure, "" if there are
    version   of the model's code (version.py)
    """

    case: str
    source: str
    figures: dict[str, Reading]
    events: int
    seconds: float
    refused: str
    version: str

    def as_dict(self) -> dict[str, Any]:
        """For a line of JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, kept: dict[str, Any]) -> "Outcome":
        """From such a line; TypeError, KeyError or AttributeError if it is none."""
        figures = {str(label): Reading(str(one["unit"]), [*one["values"]]) for label, one in kept.pop("figures").items()}
        return cls(figures=figures, **kept)


@dataclass(frozen=True)
class Job:
    """One setting to be simulated; can be pickled. ``wants_measurement`` has the whole measurement come back too."""

    myth: Myth
    levers: Levers
    seeds: list[int]
    wants_measurement: bool = False

    def do(self, watch: Watch | None = None) -> "Done":
        """Simulate it under a watch. A setting that the model refuses is an outcome too; Stopped passes on."""
        watch = watch or Watch()
        began = perf_counter()
        code = version(self.myth)
        try:
            with watching(watch):
                measured = self.myth.simulate(self.levers, self.seeds)
        except Stopped:
            raise
        except LabError as error:
            return Done(Outcome("", "", {}, watch.events, perf_counter() - began, str(error), code))
        except Exception as error:
            error.add_note(f"This was at {self.levers}.")
            raise
        figures = {figure.label: Reading(figure.unit, [_or_none(one) for one in figure.read(measured)]) for figure in figures_of(measured)}
        outcome = Outcome(measured.case, measured.source.title, figures, watch.events, perf_counter() - began, "", code)
        return Done(outcome, measured if self.wants_measurement else None)


@dataclass(frozen=True)
class Done:
    """What comes of a job."""

    outcome: Outcome
    measurement: Measurement | None = field(default=None)


def _or_none(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
