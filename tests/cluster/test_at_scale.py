"""64 nodes with 64 sessions each: everything is conserved, memory stays bounded, and size costs no more than it must."""

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from raclab.cluster import at_scale
from raclab.cluster.at_scale import Built, TooLarge, batch_case, measure, sequence_case
from raclab.errors import LabError
from raclab.sim import Process, run

MEGABYTES_AT_MOST = 500
# in a process of its own, whose memory nothing else has used
ALONE = """
import json
from raclab.bench.memory import peak_mb
from raclab.cluster import at_scale
from raclab.sim import kernel, run

def of(frame, column, name):
    return frame[frame[column] == name]  # DataFrame.query would import more than it is worth here

def told(case):
    built = getattr(at_scale, case)()
    outcome = run(built.model)
    frames = at_scale.measure(built, [outcome])
    return {
        "mb": peak_mb(),
        "sessions": len(built.sessions), "ended": int((outcome.ended > 0).sum()), "calls": int(frames["sessions"]["calls"].sum()),
        "cpu_s": [float(frames["sessions"]["cpu_s"].sum()),
                  float(of(frames["stats"], "name", "CPU used by this session")["value"].sum()) / 100],
        "statistics": {name: float(value) for name, value in frames["stats"].groupby("name")["value"].sum().items()},
        "commits": int(of(frames["waits"], "event", "log file sync")["total_waits"].sum()),
    }

cases = {case: told(case) for case in ("sequence_case", "batch_case")}
print(json.dumps({"compiled": sum(kernel.interpret.stats.cache_misses.values()), **cases}))
"""


@pytest.fixture(scope="module")
def alone() -> dict[str, Any]:
    """What both cases told, one after the other in one process. Compiling needs more memory than they do: it must have been done before."""
    if sys.platform == "win32":
        pytest.skip("Windows does not tell the peak")
    for _ in range(2):
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", ALONE], capture_output=True, text=True, check=True)
        told: dict[str, Any] = json.loads(done.stdout)
        if not told["compiled"]:
            return told
    pytest.skip("the compiled kernel can't be kept here")


@pytest.mark.parametrize("case", ["sequence_case", "batch_case"])
def test_64_nodes_with_64_sessions_need_less_than_500_megabytes(case: str, alone: dict[str, Any]) -> None:
    told = alone[case]
    assert told["sessions"] == told["ended"] == 64 * 64
    rows, commits = (10, 2) if case == "sequence_case" else (4, 1)
    assert told["calls"] == 64 * 64 * rows
    assert told["commits"] == told["statistics"]["user commits"] == 64 * 64 * commits
    assert told["cpu_s"][0] == pytest.approx(told["cpu_s"][1])
    for kind in ("cr", "current"):
        received = told["statistics"].get(f"gc {kind} blocks received", 0.0)
        assert received == told["statistics"].get(f"gc {kind} blocks served", 0.0)
        assert received > 0 or (case, kind) == ("sequence_case", "cr")
    assert told["mb"] < MEGABYTES_AT_MOST


def test_no_number_is_drawn_twice_and_none_is_lost() -> None:
    built = sequence_case(16, 16, cache=20, order=True)
    outcome = run(built.model)
    assert outcome.cells[built.next_number] == 1 + 16 * 16 * 10 + outcome.cells[list(built.left)].sum()


def test_no_block_is_exclusive_on_two_nodes() -> None:
    built = batch_case(16, 16)
    modes = built.fusion.directory.modes(run(built.model))
    assert ((modes == "X").sum(axis=0) <= 1).all()
    assert not ((modes == "X").any(axis=0) & (modes == "S").any(axis=0)).any()


def written(built: Built) -> int:
    """Ops that were written in Python, each of them for however many processes."""
    return sum(len(program.lines) for program in {process.program for process in built.model.processes})


CASES: list[Callable[[int, int], Built]] = [sequence_case, lambda nodes, sessions: sequence_case(nodes, sessions, cache=20), batch_case]


@pytest.fixture(scope="module", params=CASES, ids=["sequence", "cached sequence", "batch"])
def sizes(request: pytest.FixtureRequest) -> tuple[Built, Built]:
    """A case on 8 nodes with 8 sessions each, and on 64 with 64."""
    return request.param(8, 8), request.param(64, 64)


def test_what_is_written_does_not_grow_with_nodes_or_sessions(sizes: tuple[Built, Built]) -> None:
    small, large = sizes
    for built in sizes:
        assert len(built.model.program) > 0
    assert written(large) == written(small)


def test_a_session_has_as_many_ops_in_a_large_cluster(sizes: tuple[Built, Built]) -> None:
    most = []
    for built in sizes:
        rows = np.bincount(built.model.where.process)
        most.append(int(max(rows[process.number] for process in sessions_of(built))))
    assert most[0] == most[1]


def test_events_grow_with_the_sessions_and_not_with_their_pairs(sizes: tuple[Built, Built]) -> None:
    """64 times as many sessions. Growing with pairs of sessions would be 4,096 times as many events, with pairs of nodes 512 times."""
    small, large = sizes
    assert run(large.model).events <= 2 * 64 * run(small.model).events


def sessions_of(built: Built) -> list[Process]:
    """The processes of the sessions."""
    return [part for session in built.sessions for part in session if isinstance(part, Process)]


@pytest.mark.parametrize(
    ("build", "nodes", "sessions", "sentence"),
    [
        (sequence_case, 65, 1, "A cluster has 1 to 64 nodes here, not 65."),
        (batch_case, 0, 1, "A cluster has 1 to 64 nodes here, not 0."),
        (
            sequence_case, 64, 1_021,
            "Each of 64 nodes can have 1 to 1,020 sessions, not 1,021: there is room for 65,536 processes in all.",
        ),
        (batch_case, 2, 0, "Each of 2 nodes can have 1 to 32,764 sessions, not 0: there is room for 65,536 processes in all."),
        (batch_case, 3, 5, "Half of 15 threads can't belong to each organization: take an even number of nodes or sessions."),
    ],
)  # fmt: skip
def test_sizes_that_there_are_not(build: Callable[[int, int], Built], nodes: int, sessions: int, sentence: str) -> None:
    with pytest.raises(TooLarge) as error:
        build(nodes, sessions)
    assert str(error.value) == sentence
    assert isinstance(error.value, LabError)


def test_a_batch_of_more_ops_than_there_is_room_for() -> None:
    built = batch_case(64, 400)
    with pytest.raises(LabError, match=r"^This model would have [0-9,]+ ops in 25,856 processes; there is room for 12,000,000\. "):
        run(built.model)


def test_the_frames_have_a_row_a_session() -> None:
    built = batch_case(4, 2)
    outcome = run(built.model)
    assert len(measure(built, [outcome])["sessions"]) == 8
    assert at_scale.MOST_NODES == 64
