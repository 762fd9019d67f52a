"""What the frames add up to is what the simulation spent, and both sides of a transfer tell the same."""

import numpy as np
import pandas as pd
import pytest

from raclab.cluster import frames, sequences
from raclab.cluster.parameters import Hardware
from raclab.cluster.sequences import Built, StatementCosts
from raclab.cluster.sequences import TestCase as Case
from raclab.evidence.measurement import SESSION_COLUMNS, STAT_COLUMNS, WAIT_COLUMNS
from raclab.sim import Run, ops

SEEDS = [1, 2, 3]
CASES = {
    "1 node": {"nodes": 1},
    "2 nodes": {},
    "3 nodes, 2 sessions, a gap": {"nodes": 3, "sessions": 2, "start_gap_s": 0.05, "hardware": Hardware(cores=1)},
    "cache 10": {"cache": 10, "sessions": 3},
    "cache 10 order, 4 nodes": {"cache": 10, "order": True, "nodes": 4},
}


@pytest.fixture(scope="module", params=CASES)
def outcome(request: pytest.FixtureRequest, costs: StatementCosts) -> tuple[Built, list[Run]]:
    case = Case(costs, **({"hardware": Hardware(), "rows": 300, "commit_every": 40} | CASES[request.param]))
    built = sequences.build(case)
    return built, sequences.simulate(built, SEEDS)


def stats(built: Built, runs: list[Run]) -> pd.DataFrame:
    return frames.stats(built, runs).pivot(index=["run", "inst_id"], columns="name", values="value")


def test_frames_have_a_measurements_columns(outcome: tuple[Built, list[Run]]) -> None:
    assert tuple(frames.sessions(*outcome).columns) == SESSION_COLUMNS
    assert tuple(frames.waits(*outcome).columns) == WAIT_COLUMNS
    assert tuple(frames.stats(*outcome).columns) == STAT_COLUMNS


def test_a_row_for_each_run_and_session(outcome: tuple[Built, list[Run]]) -> None:
    built, _ = outcome
    sessions = frames.sessions(*outcome)
    wanted = [
        (run, node + 1, number)
        for run in range(len(SEEDS))
        for node in range(built.case.nodes)
        for number in range(1, built.case.sessions + 1)
    ]
    assert sessions[["run", "inst_id", "session"]].to_records(index=False).tolist() == wanted
    assert set(sessions["calls"]) == {300}


def test_elapsed_is_cpu_and_waits_and_what_is_known_to_be_neither(outcome: tuple[Built, list[Run]]) -> None:
    """The rest is the statements' own time off CPU, and the queue for CPU; never less than nothing."""
    built, runs = outcome
    key = ["run", "inst_id", "session"]
    sessions = frames.sessions(built, runs).set_index(key)
    waited = frames.waits(built, runs).groupby(key)["time_s"].sum()
    rest = sessions["elapsed_s"] - sessions["cpu_s"] - waited
    outside = np.array([where.event == "" and where.activity != "" for where in built.model.where])
    owner = np.array([where.process for where in built.model.where])
    for run_number, run in enumerate(runs):
        for node, number, process in built.sessions:
            mine = run.tally[outside & (owner == process.number)]
            other = mine["time"].sum() - mine["cpu"].sum()
            assert rest[run_number, node + 1, number] == pytest.approx(other, rel=1e-9, abs=1e-9)
            assert other > 0


def test_instances_add_up_their_sessions(outcome: tuple[Built, list[Run]]) -> None:
    built, runs = outcome
    by_instance = frames.sessions(built, runs).groupby(["run", "inst_id"])[["cpu_s", "elapsed_s", "calls"]].sum()
    waits = frames.waits(built, runs).groupby(["run", "inst_id", "event"])[["total_waits", "time_s"]].sum()
    totals = stats(built, runs)
    assert totals["DB time"].to_numpy() == pytest.approx(100 * by_instance["elapsed_s"].to_numpy())
    assert totals["CPU used by this session"].to_numpy() == pytest.approx(100 * by_instance["cpu_s"].to_numpy())
    assert (totals["execute count"] - totals["recursive calls"] == by_instance["calls"]).all()
    sync = waits.xs("log file sync", level="event")
    assert (totals["user commits"].to_numpy() == sync["total_waits"].to_numpy()).all()
    assert totals["redo synch time"].to_numpy() == pytest.approx(100 * sync["time_s"].to_numpy())
    waited = waits.groupby(level=["run", "inst_id"])["time_s"].sum()
    assert (totals["DB time"].to_numpy() >= totals["CPU used by this session"].to_numpy() + 100 * waited.to_numpy()).all()


def test_blocks_received_are_blocks_served(outcome: tuple[Built, list[Run]]) -> None:
    built, runs = outcome
    totals = stats(built, runs).groupby("run").sum()
    assert (totals["gc current blocks received"] == totals["gc current blocks served"]).all()
    assert (totals["gc current blocks received"] > 0).all() == (built.case.nodes > 1)
    received = [number for number, event in enumerate(built.model.events) if event.startswith("gc current block")]
    assert [int(run.waits[:, received]["hits"].sum()) for run in runs] == totals["gc current blocks received"].tolist()


def test_a_range_costs_one_change_of_the_block(outcome: tuple[Built, list[Run]]) -> None:
    built, runs = outcome
    changed = slice(built.cluster.changed, built.cluster.changed + built.case.nodes)
    totals = stats(built, runs)["recursive calls"]
    for number, run in enumerate(runs):
        assert totals[number].tolist() == run.cells[changed].tolist()


def test_commits_are_what_the_script_asks_for(outcome: tuple[Built, list[Run]]) -> None:
    built, runs = outcome
    assert set(stats(built, runs)["user commits"]) == {8 * built.case.sessions}  # 300 rows, one every 40 and one at the end


def test_cpu_of_the_background_is_on_the_node(outcome: tuple[Built, list[Run]]) -> None:
    """A node's cores have worked for its sessions, LMS, LCK0, LMD0 and LGWR, never more than they can."""
    built, runs = outcome
    owner = np.array([where.process for where in built.model.where])
    code = np.array([op[0] for op in built.model.program])
    for run in runs:
        for node, cpu in enumerate(built.cluster.cpus):
            mine = [process.number for process in built.model.processes if process.cpu == cpu]
            spent = run.tally["cpu"][np.isin(owner, mine) & (code == ops.RUN)].sum()
            assert run.used[node] == pytest.approx(spent)
            assert run.used[node] <= built.case.hardware.cores * run.clock


def test_nobody_waits_before_its_session_begins(costs: StatementCosts) -> None:
    built = sequences.build(Case(costs, Hardware(), nodes=3, rows=50, start_gap_s=10.0))
    sessions = frames.sessions(built, sequences.simulate(built, SEEDS))
    alone = sequences.build(Case(costs, Hardware(), nodes=1, rows=50))
    elapsed = frames.sessions(alone, sequences.simulate(alone, SEEDS))["elapsed_s"].mean()
    assert sessions["elapsed_s"].to_numpy() == pytest.approx(elapsed, rel=0.25)  # ten seconds apart they never meet
    assert (sessions["elapsed_s"] < 1).all()
