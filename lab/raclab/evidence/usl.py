"""Gunther's universal scalability law: throughput over the number of nodes, with contention and coherency.

X(N) = rate * N / (1 + contention * (N - 1) + coherency * N * (N - 1)); N. J. Gunther, "Guerrilla Capacity Planning", 2007.
N / X is linear in the three unknowns, so ordinary least squares fits it; neither share can be negative.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from raclab.errors import LabError


@dataclass(frozen=True)
class Scalability:
    """A fitted law.

    rate        throughput of one node, in the unit of the measured ones
    contention  share that is done by one at a time (sigma, no unit). Above 1: every node after the first takes more than it brings
    coherency   cost of each pair of nodes that must agree (kappa, no unit)
    """

    rate: float
    contention: float
    coherency: float

    def at(self, nodes: float) -> float:
        """Throughput of so many nodes."""
        return self.rate * nodes / (1 + self.contention * (nodes - 1) + self.coherency * nodes * (nodes - 1))

    @property
    def peak_nodes(self) -> float:
        """Nodes beyond which throughput falls: infinite without coherency, 1 where a second node already costs more than it brings."""
        if self.contention >= 1:
            return 1.0
        return max(1.0, math.sqrt((1 - self.contention) / self.coherency)) if self.coherency else math.inf


def fit(nodes: Sequence[float], throughput: Sequence[float]) -> Scalability:
    """Least squares of N / X, each point weighted by X / N, so that relative errors count; both shares at least 0.

    Raises LabError for fewer than three different numbers of nodes, or a throughput that is not above 0.
    """
    n, x = np.asarray(nodes, dtype=float), np.asarray(throughput, dtype=float)
    if len(n) != len(x) or len(set(n.tolist())) < 3:
        raise LabError("The scalability law needs the throughput of three different numbers of nodes or more.")
    if not (np.isfinite(x).all() and (x > 0).all() and (n >= 1).all()):
        raise LabError("The scalability law needs numbers of nodes from 1 up and throughputs above 0.")
    columns = np.stack([np.ones_like(n), n - 1, n * (n - 1)], axis=1) * (x / n)[:, None]
    best, least = np.zeros(3), math.inf
    for kept in ((0, *more) for size in (2, 1, 0) for more in combinations((1, 2), size)):
        found, *_ = np.linalg.lstsq(columns[:, kept], np.ones_like(n), rcond=None)
        left = float(np.sum((columns[:, kept] @ found - 1) ** 2))
        if found[0] > 0 and (found[1:] >= 0).all() and left < least - 1e-12:
            best, least = np.zeros(3), left
            best[list(kept)] = found
    return Scalability(float(1 / best[0]), float(best[1] / best[0]), float(best[2] / best[0]))
