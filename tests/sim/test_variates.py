"""The counter-based random numbers."""

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from splitmix import by_hand

from raclab.bench.bulk_variates import exponentials, uniforms
from raclab.sim import Constant, Distribution, Exponential, Model, Uniform, run
from raclab.sim.ops import CONSTANT, EXPONENTIAL, UNIFORM
from raclab.sim.variates import uniform, variate


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.integers(0, 2**63 - 1), st.integers(0, 65_535), st.integers(0, 2**40))
def test_it_is_the_published_function(seed: int, process: int, draw: int) -> None:
    assert uniform(seed, process, draw) == by_hand(seed, process, draw)


def test_bulk_draws_are_the_same_draws() -> None:
    numbers, times = uniforms(5, 3), exponentials(5, 3)
    for draw in range(10_000):
        u = uniform(5, 3, draw)
        assert next(numbers) == u
        assert next(times) == variate(EXPONENTIAL, 1.0, 0.0, u)


@pytest.mark.parametrize("what", ["draws", "processes", "seeds"])
def test_numbers_are_even_and_independent(what: str) -> None:
    """In each direction: chi-square over 100 bins, and no correlation with the next."""
    n = 100_000
    place = {"draws": lambda i: (1, 2, i), "processes": lambda i: (1, i, 2), "seeds": lambda i: (i, 1, 2)}[what]
    u = np.array([uniform(*place(i)) for i in range(n)])
    chi_square = ((np.histogram(u, 100, (0, 1))[0] - n / 100) ** 2 / (n / 100)).sum()
    assert 61 < chi_square < 149  # 99.9 % of a chi-square with 99 degrees of freedom
    assert abs(np.corrcoef(u[:-1], u[1:])[0, 1]) < 3.3 / math.sqrt(n)


@pytest.mark.parametrize(
    ("times", "mean", "deviation"),
    [(Constant(2.5), 2.5, 0.0), (Exponential(2.5), 2.5, 2.5), (Uniform(1.0, 4.0), 2.5, 3 / math.sqrt(12))],
)
def test_distributions_have_their_mean_and_deviation(times: Distribution, mean: float, deviation: float) -> None:
    n = 200_000
    drawn = np.array([variate(times.law, times.x, times.y, uniform(1, 1, i)) for i in range(n)])
    assert drawn.mean() == pytest.approx(mean, abs=4 * deviation / math.sqrt(n) + 1e-12)
    assert drawn.std() == pytest.approx(deviation, rel=0.01, abs=1e-9)
    assert drawn.min() >= 0


def test_quantiles() -> None:
    assert variate(CONSTANT, 3.0, 9.0, 0.7) == 3.0
    assert variate(UNIFORM, 1.0, 5.0, 0.25) == 2.0
    assert variate(EXPONENTIAL, 2.0, 0.0, 0.0) == 0.0
    assert variate(EXPONENTIAL, 2.0, 0.0, 0.5) == pytest.approx(2 * math.log(2))
    assert math.isfinite(variate(EXPONENTIAL, 2.0, 0.0, 1 - 2**-53))


def test_a_lever_moves_the_model_and_not_the_noise() -> None:
    """Process 1's draws stay the same whatever process 0 does."""

    def ended(rounds: int) -> float:
        model = Model()
        cpu = model.cpu(1)
        other, process = model.process("other", cpu), model.process("process", cpu)
        with other.loop(rounds):
            other.delay(Exponential(1))
        with process.loop(20):
            process.delay(Exponential(1))
        return float(run(model, 9).ended[1])

    assert len({ended(rounds) for rounds in random.Random(1).sample(range(1, 500), 5)}) == 1
