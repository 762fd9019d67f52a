"""The kernel against SimPy: same model, same variates, every figure equal to the last bit (==, nothing approximate)."""

import math

import pytest

from raclab.bench import simpy_stations as stations
from raclab.bench.simpy_stations import Pair
from raclab.sim import ops, run

TIMED = (ops.RUN, ops.DELAY, ops.ACQUIRE, ops.CALL, ops.TAKE)

PAIRS = [
    stations.first_come(cores=1, customers=6, rounds=150),
    stations.first_come(cores=3, customers=20, rounds=80),
    stations.first_come(cores=1, customers=6, rounds=60, quantum=0.05),
    stations.first_come(cores=2, customers=12, rounds=60, quantum=0.03),
    stations.classes(cores=1, priorities=[0, 1], rounds=200),
    stations.classes(cores=1, priorities=[0, 0, 1, 1, 1, 1], rounds=100),
    stations.classes(cores=3, priorities=[3, 0, 1, 2, 0, 1, 2, 3, 1, 2, 1, 2], rounds=100),
    stations.classes(cores=2, priorities=[0, 1, 2, 1, 2, 1, 2, 2], rounds=100, quantum=0.04),
    stations.lock(customers=8, rounds=150),
    stations.mailbox(customers=8, rounds=150, servers=1, most=1),
    stations.mailbox(customers=12, rounds=100, servers=3, most=1),
    stations.mailbox(customers=12, rounds=100, servers=2, most=3),
    stations.mailbox(customers=12, rounds=100, servers=1, most=0),
    stations.moving_home(nodes=4, rounds=150),
]


@pytest.mark.parametrize("seed", [1, 2, 77, 2**40])
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_every_op_takes_exactly_the_time_that_it_takes_in_simpy(pair: Pair, seed: int) -> None:
    model = pair.build()
    ours, peer = run(model, seed), pair.simulate(seed)
    assert ours.clock == peer.clock > 0
    assert [None if math.isnan(ended) else ended for ended in ours.ended] == [None if math.isnan(ended) else ended for ended in peer.ended]
    for process, steps in enumerate(peer.steps):
        rows = [row for row, where in enumerate(model.where) if where.process == process and model.program[row][0] in TIMED]
        tally = ours.tally[rows]
        assert len(rows) == len(steps)
        for mine, theirs in zip(tally, steps, strict=True):
            finished = (mine["time"], mine["cpu"], mine["longest"])
            assert finished == (theirs.time, theirs.cpu, theirs.longest)
            assert 0 <= mine["hits"] - theirs.hits <= (0 if model.processes[process].essential else 1)  # a server is left in the middle
    assert sum(steps[-1].hits for steps in peer.steps) > 200


def test_another_seed_is_another_run() -> None:
    pair = PAIRS[0]
    assert run(pair.build(), 1).clock != run(pair.build(), 2).clock


def test_preemption_and_turns_happen_in_the_models_compared() -> None:
    """Else the pairs would prove nothing of them: a burst in its process's own time is shorter than one that gives way."""
    for pair in (PAIRS[2], PAIRS[3], *PAIRS[4:8]):
        model = pair.build()
        outcome = run(model, 1)
        bursts = outcome.tally[[row for row, op in enumerate(model.program) if op[0] == ops.RUN]]
        assert (bursts["time"] > bursts["cpu"] * (1 + 1e-9)).any()
