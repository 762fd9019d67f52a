"""Whether two simulators that draw different random numbers agree: means of independent replications, with their intervals."""

import math
from dataclasses import dataclass
from statistics import fmean, stdev

from raclab.evidence.student_t import interval_95

STANDARD_ERRORS = 3.0


@dataclass(frozen=True)
class Agreement:
    """One figure, in each replication of the one and of the other."""

    figure: str
    ours: tuple[float, ...]
    theirs: tuple[float, ...]

    @property
    def standard_errors_off(self) -> float:
        """The difference of the means, in standard errors of that difference."""
        variance = sum(stdev(values) ** 2 / len(values) for values in (self.ours, self.theirs))
        return (fmean(self.theirs) - fmean(self.ours)) / math.sqrt(variance)

    @property
    def holds(self) -> bool:
        """Whether the means are within three standard errors of each other."""
        return abs(self.standard_errors_off) <= STANDARD_ERRORS


def mean_and_interval(values: tuple[float, ...]) -> str:
    """The mean with its 95 % interval by Student's t, e.g. "4.01 (3.95 to 4.07)"."""
    low, high = interval_95(values)
    return f"{fmean(values):.5g} ({low:.5g} to {high:.5g})"
