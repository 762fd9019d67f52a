"""The kernel against SimPy: same model, same variates, every figure equal to the last bit (==, nothing approximate)."""

import math

import numpy as np
import pytest

from raclab.bench import simpy_chance, simpy_sharing
from raclab.bench import simpy_stations as stations
from raclab.bench.simpy_peer import Pair
from raclab.sim import ops, run

TIMED = (ops.RUN, ops.DELAY, ops.ACQUIRE, ops.CALL, ops.TAKE, ops.SPIN, ops.SEND, ops.WAIT)

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
    simpy_sharing.shared_lock(readers=6, writers=3, rounds=100),
    simpy_sharing.semaphore(units=3, customers=15, rounds=60),
    simpy_sharing.link(senders=6, rounds=100),
    simpy_sharing.spinning(cores=8, sessions=6, rounds=100),
    simpy_sharing.spinning(cores=2, sessions=6, rounds=100),
    simpy_sharing.spinning(cores=1, sessions=4, rounds=100),
    simpy_chance.chance(probability=0.3, processes=5, rounds=100),
    simpy_chance.cache(size=4, keys=10, readers=3, rounds=150),
    simpy_chance.cache(size=10, keys=10, readers=3, rounds=100),
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


def test_spinners_both_get_the_latch_and_give_up_in_the_models_compared() -> None:
    for pair in [pair for pair in PAIRS if pair.name.startswith("latch")]:
        model = pair.build()
        outcome = run(model, 1)
        codes = np.array([op[0] for op in model.program])
        spins, sleeps = (int(outcome.tally["hits"][codes == code].sum()) for code in (ops.SPIN, ops.ACQUIRE))
        assert 20 < sleeps < spins - 20
        assert outcome.tally["cpu"][codes == ops.SPIN].sum() > 1


def test_preemption_and_turns_happen_in_the_models_compared() -> None:
    """Else the pairs would prove nothing of them: a burst in its process's own time is shorter than one that gives way."""
    for pair in (PAIRS[2], PAIRS[3], *PAIRS[4:8]):
        model = pair.build()
        outcome = run(model, 1)
        bursts = outcome.tally[[row for row, op in enumerate(model.program) if op[0] == ops.RUN]]
        assert (bursts["time"] > bursts["cpu"] * (1 + 1e-9)).any()
