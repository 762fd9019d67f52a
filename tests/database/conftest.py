"""A small simulated measurement with known figures, a myth that gives it, and labs to load it into."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd
import pytest

from raclab.database.embedded import EmbeddedLab
from raclab.database.engine import Engine
from raclab.database.session import Client, Session
from raclab.evidence.measurement import Kind, Measurement, Source
from raclab.myths.levers import Levers, lever

SIMULATED = Source(Kind.SIMULATED, "a test", 2026, "test", "none")


def simulated(nodes: int = 2, runs: int = 1, case: str = "2 nodes, NOCACHE", kind: Kind = Kind.SIMULATED) -> Measurement:
    """One session a node. On node n: 100 n waits of 0.5 n seconds for the row cache lock, 10 n of 0.01 n seconds for log file sync."""
    sessions, waits, stats, rowcache, enqueues, samples = [], [], [], [], [], []
    for run in range(runs):
        for node in range(1, nodes + 1):
            sessions.append((run, node, 1, 1000, 0.25 * node, 4.0 * node))
            waits.append((run, node, 1, "row cache lock", "Concurrency", 100 * node, 0.5 * node, 0.02 * node))
            waits.append((run, node, 1, "log file sync", "Commit", 10 * node, 0.01 * node, 0.002))
            stats.append((run, node, "user commits", 10.0 * node))
            stats.append((run, node, "gc current blocks received", 7.0 * node))
            rowcache.append((run, node, "PARENT", "dc_sequences", 50 * node, 5 * node))
            enqueues.append((run, node, "Sequence Cache", "SQ", "contention", 20 * node, 2 * node, 12.6 * node))
            samples.append((run, node, 1, 1.0, "WAITING", "row cache lock", "Concurrency", "abc"))
            samples.append((run, node, 1, 2.0, "ON CPU", None, None, "abc"))
    ash = ["run", "INST_ID", "session", "SAMPLE_S", "SESSION_STATE", "EVENT", "WAIT_CLASS", "SQL_ID"]
    return Measurement(
        Source(kind, SIMULATED.title, SIMULATED.year, SIMULATED.version, SIMULATED.machine),
        case,
        {},
        pd.DataFrame(sessions, columns=["run", "inst_id", "session", "calls", "cpu_s", "elapsed_s"]),
        pd.DataFrame(waits, columns=["run", "inst_id", "session", "event", "wait_class", "total_waits", "time_s", "max_s"]),
        pd.DataFrame(stats, columns=["run", "inst_id", "name", "value"]),
        {
            "ROWCACHE": pd.DataFrame(rowcache, columns=["run", "INST_ID", "TYPE", "PARAMETER", "GETS", "GETMISSES"]),
            "ENQUEUE_STATISTICS": pd.DataFrame(
                enqueues, columns=["run", "INST_ID", "EQ_NAME", "EQ_TYPE", "REQ_REASON", "TOTAL_REQ#", "TOTAL_WAIT#", "CUM_WAIT_TIME"]
            ),
            "ACTIVE_SESSION_HISTORY": pd.DataFrame(samples, columns=ash),
        },
    )


@dataclass(frozen=True)
class FakeLevers(Levers):
    """One lever: how many nodes."""

    nodes: int = lever(2, "Nodes", help="nodes of the cluster", low=1, high=8)


class FakeMyth:
    """Gives the measurement above, and says which seeds it was asked for."""

    slug: ClassVar[str] = "a_fake_myth"
    levers: ClassVar[type[Any]] = FakeLevers

    def __init__(self) -> None:
        self.seeds: list[Sequence[int]] = []

    def simulate(self, levers: Any, seeds: Sequence[int] = (1,)) -> Measurement:
        self.seeds.append(list(seeds))
        return simulated(levers.nodes, len(seeds), f"{levers.nodes} nodes")


@pytest.fixture
def measurement() -> Callable[..., Measurement]:
    return simulated


@pytest.fixture
def myth() -> FakeMyth:
    return FakeMyth()


@pytest.fixture
def lab() -> Iterator[EmbeddedLab]:
    with EmbeddedLab() as made:
        yield made


@pytest.fixture(scope="module")
def shared_lab() -> Iterator[EmbeddedLab]:
    """One lab for a module's tests that only read; the measurement is loaded once."""
    with EmbeddedLab() as made:
        made.load(simulated(), "a_fake_myth")
        yield made


@pytest.fixture
def engine() -> Iterator[Engine]:
    made = Engine()
    yield made
    made.close()


@pytest.fixture(scope="module")
def learners_engine() -> Iterator[Engine]:
    """One for a module's tests that change nothing but the schema LAB, and leave none of it behind."""
    made = Engine()
    yield made
    made.close()


@pytest.fixture
def session(learners_engine: Engine) -> Iterator[Session]:
    made = Session(learners_engine, 1, Client(program="test"))
    yield made
    made.close()
    with learners_engine.writing() as root:
        root.execute("DROP SCHEMA LAB CASCADE")
        root.execute("CREATE SCHEMA LAB")
    learners_engine.catalog.forget()


@pytest.fixture
def another_session(learners_engine: Engine, session: Session) -> Iterator[Session]:
    """On the other instance; closed before the first one, and before what both have left is dropped."""
    made = Session(learners_engine, 2, Client(program="test"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def reader() -> Iterator[Session]:
    """A session for a module's tests that leave nothing behind."""
    made = Engine()
    session = Session(made, 1, Client(program="test"))
    yield session
    session.close()
    made.close()
