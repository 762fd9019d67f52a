"""Little's law on every single run: the integral of how many are inside is the sum of the times that they are."""

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from raclab.sim import Distribution, Exponential, Model, Uniform, run

times = st.one_of(st.floats(0.01, 3.0).map(Exponential), st.floats(0.5, 3.0).map(lambda high: Uniform(0.0, high)))
customers = st.lists(st.tuples(times, times, times, st.integers(0, 3), st.integers(1, 20)), min_size=1, max_size=8)


def station(of: list[tuple[Distribution, Distribution, Distribution, int, int]], cores: int, quantum: float, shared: bool) -> Model:
    """Customers think outside; inside they use a core, hold a lock for a while, and use a core again."""
    model = Model(notes=10_000)
    cpu, lock, inside = model.cpu(cores, quantum), model.lock(), model.cell()
    for number, (thinks, works, holds, priority, rounds) in enumerate(of):
        customer = model.process(f"customer {number}", cpu, priority)
        with customer.loop(rounds):
            customer.delay(thinks)
            customer.add(inside, 1)
            customer.note(inside)
            with customer.wait("inside"):
                customer.run(works)
                customer.acquire(lock, shared=shared)
                customer.delay(holds)
                customer.release(lock)
                customer.run(works)
            customer.add(inside, -1)
            customer.note(inside)
    return model


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(customers, st.integers(1, 3), st.sampled_from([math.inf, 0.3, 0.05]), st.booleans(), st.integers(0, 2**63 - 1))
def test_number_inside_is_arrival_rate_times_time_inside(
    of: list[tuple[Distribution, Distribution, Distribution, int, int]], cores: int, quantum: float, shared: bool, seed: int
) -> None:
    outcome = run(station(of, cores, quantum, shared), seed)
    visits, waits = sum(rounds for *_, rounds in of), outcome.waits[:, 0]
    assert waits["hits"].sum() == visits == len(outcome.notes) / 2
    at, inside = outcome.notes["time"], outcome.notes["value"]
    assert inside[-1] == 0
    mean_inside = (inside[:-1] * np.diff(at)).sum() / outcome.clock
    arrival_rate, mean_time = visits / outcome.clock, waits["time"].sum() / visits
    assert mean_inside == pytest.approx(arrival_rate * mean_time, rel=1e-9)
