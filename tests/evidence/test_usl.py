"""The scalability law finds the numbers that data were made from, and nothing that isn't there."""

import math

import pytest

from raclab.errors import LabError
from raclab.evidence.usl import Scalability, fit

NODES = range(1, 9)


@pytest.mark.parametrize(("contention", "coherency"), [(0.05, 0.02), (0.3, 0.0), (0.0, 0.01), (0.0, 0.0), (0.9, 0.3)])
def test_exactly_generated_data(contention: float, coherency: float) -> None:
    made = Scalability(25_000.0, contention, coherency)
    found = fit(NODES, [made.at(nodes) for nodes in NODES])
    assert found.rate == pytest.approx(made.rate)
    assert found.contention == pytest.approx(contention, abs=1e-6)
    assert found.coherency == pytest.approx(coherency, abs=1e-6)


def test_by_hand() -> None:
    assert Scalability(10.0, 0.5, 0.1).at(2) == pytest.approx(20 / 1.7)
    assert Scalability(10.0, 0.19, 0.01).peak_nodes == pytest.approx(9.0)
    assert Scalability(10.0, 0.5, 0.0).peak_nodes == math.inf
    assert Scalability(10.0, 0.9, 2.0).peak_nodes == 1.0
    falling = Scalability(10.0, 1.5, 0.0)
    assert falling.peak_nodes == 1.0 and falling.at(2) < falling.at(1)


def test_better_than_linear_is_no_negative_contention() -> None:
    found = fit([1, 2, 3, 4], [10.0, 21.0, 32.0, 43.0])
    assert found.contention == 0 and found.coherency == 0
    assert 10.0 < found.rate < 10.8


@pytest.mark.parametrize(("nodes", "rates"), [([1, 2], [1.0, 2.0]), ([1, 1, 1], [1.0, 1.0, 1.0]), ([1, 2, 3], [1.0, 0.0, 2.0])])
def test_too_little_is_refused(nodes: list[float], rates: list[float]) -> None:
    with pytest.raises(LabError, match="scalability law needs"):
        fit(nodes, rates)
