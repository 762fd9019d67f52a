"""The sequence test case against its peer in SimPy: equal to the last bit (==), for several seeds, sizes, nodes and levers."""

from dataclasses import replace
from typing import Any

import pytest

from raclab.bench import simpy_sequence as peer
from raclab.cluster import sequences
from raclab.cluster.parameters import Hardware
from raclab.cluster.sequences import INSERT, NEXTVAL, Built, StatementCosts
from raclab.cluster.sequences import TestCase as Case
from raclab.sim import Run, ops

CROWDED = Hardware(cores=1, quantum_s=1e-4)  # sessions queue for CPU, are preempted by LMS and LGWR, and take turns

SMALL: dict[str, dict[str, Any]] = {
    "1 node": {"nodes": 1},
    "2 nodes": {},
    "3 nodes": {"nodes": 3},
    "4 nodes": {"nodes": 4, "commit_every": 7},
    "cache 2": {"cache": 2},
    "cache 20, 3 nodes, one after the other": {"cache": 20, "nodes": 3, "start_gap_s": 0.05},
    "cache 20 order": {"cache": 20, "order": True},
    "cache 1000 order, 4 nodes": {"cache": 1000, "order": True, "nodes": 4},
    "order alone is NOCACHE": {"order": True},
    "slow redo": {"hardware": Hardware(redo_write_s=0.02), "commit_every": 1},
    "3 sessions a node": {"sessions": 3, "cache": 5},
    "3 sessions, one core in slices": {"sessions": 3, "cache": 5, "hardware": CROWDED},
    "3 sessions, order, one core in slices": {"sessions": 3, "cache": 5, "order": True, "hardware": CROWDED},
    "2 sessions on each of 3 nodes, one core": {"sessions": 2, "nodes": 3, "commit_every": 10, "hardware": replace(CROWDED, quantum_s=1.0)},
    "6 sessions on four cores": {"sessions": 6, "cache": 5},
}


def simulate_both(case: Case, seed: int) -> tuple[Built, Run, peer.Outcome]:
    built = sequences.build(case, notes=True)
    return built, sequences.simulate(built, [seed])[0], peer.simulate(case, seed, note=True)


def assert_equal(built: Built, ours: Run, theirs: peer.Outcome) -> None:
    assert ours.clock == theirs.makespan > 0
    assert [ours.ended[process.number] for _, _, process in built.sessions] == theirs.ended
    assert ours.notes.tolist() == theirs.drawn
    assert len(theirs.drawn) == built.case.rows * len(built.sessions)
    assert ours.used.tolist() == theirs.used
    assert waits(built, ours) == {key: (spent.hits, spent.time, spent.longest) for key, spent in theirs.waits.items() if spent.hits}


def waits(built: Built, run: Run) -> dict[tuple[int, str], tuple[int, float, float]]:
    found = {}
    for _, _, process in built.sessions:
        for number, event in enumerate(built.model.events):
            hits, time, _, longest = run.waits[process.number, number].tolist()
            if hits:
                found[process.number, event] = hits, time, longest
    return found


STEPS = {
    (INSERT, ops.RUN): "insert cpu",
    (INSERT, ops.DELAY): "insert other",
    (NEXTVAL, ops.RUN): "seq$ cpu",
    (NEXTVAL, ops.DELAY): "seq$ other",
    ("", ops.RUN): "service",
    ("", ops.DELAY): "redo write",
}


def steps(built: Built, run: Run) -> dict[tuple[int, str], tuple[float, float, float]]:
    """Each op outside the sessions' waits that takes time, named as in the peer; the delay until a session starts has no name there."""
    sessions = {process.number for _, _, process in built.sessions}
    found = {}
    for row, (op, where) in enumerate(zip(built.model.program, built.model.where, strict=True)):
        name = STEPS.get((where.activity, op[0]))
        if name is None or where.event not in ("", "log file parallel write") or (where.process in sessions and not where.activity):
            continue
        assert (where.process, name) not in found, "the program has the step twice; choose commit_every so that it has it once"
        _, time, cpu, longest = run.tally[row].tolist()
        if time:
            found[where.process, name] = time, cpu, longest
    return found


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("name", SMALL)
def test_every_number_and_every_wait_at_the_same_instant(costs: StatementCosts, name: str, seed: int) -> None:
    levers = {"hardware": Hardware(), "rows": 100, "commit_every": 30} | SMALL[name]
    assert_equal(*simulate_both(Case(costs, **levers), seed))


@pytest.mark.parametrize("rows", [1, 2, 29, 700])
def test_every_size(costs: StatementCosts, rows: int) -> None:
    assert_equal(*simulate_both(Case(costs, Hardware(), rows=rows, commit_every=10, cache=3), 5))


@pytest.mark.parametrize("levers", [{}, {"cache": 20, "order": True}, {"nodes": 3, "hardware": CROWDED, "sessions": 2, "cache": 4}])
def test_every_op_takes_exactly_as_long(costs: StatementCosts, levers: dict[str, Any]) -> None:
    case = Case(costs, **({"hardware": Hardware(), "rows": 200, "commit_every": 20} | levers))
    built, ours, theirs = simulate_both(case, 11)
    expected = {key: (spent.time, spent.cpu, spent.longest) for key, spent in theirs.steps.items() if spent.hits}
    got = steps(built, ours)
    assert {name for _, name in got} >= {"insert cpu", "insert other", "seq$ cpu", "seq$ other", "service", "redo write"}
    assert got == expected


def test_the_published_size(costs: StatementCosts) -> None:
    """2 x 10,000 rows, NOCACHE: the case that the benchmark times."""
    built, ours, theirs = simulate_both(Case(costs, Hardware(), start_gap_s=3.0), 1)
    assert_equal(built, ours, theirs)
    assert len(theirs.drawn) == 20_000
