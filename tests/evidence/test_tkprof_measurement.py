"""Published tkprof rows as measurements."""

import pytest

from raclab.errors import LabError
from raclab.evidence.measurement import SESSION_COLUMNS, WAIT_COLUMNS, Kind
from raclab.evidence.published import Package, load
from raclab.evidence.tkprof import statement_calls, statement_waits, tkprof_measurement


@pytest.fixture(scope="module")
def package() -> Package:
    return load("nocache_sequences")


def test_two_nodes_nocache(package: Package) -> None:
    measurement = tkprof_measurement(package, "two nodes nocache", {"cache": 0, "nodes": 2}, name="2 nodes, NOCACHE")
    assert (measurement.badge, measurement.case, measurement.levers) == (Kind.PUBLISHED, "2 nodes, NOCACHE", {"cache": 0, "nodes": 2})
    assert measurement.sessions.to_dict("records") == [
        {"run": 0, "inst_id": 1, "session": 1, "calls": 10000, "cpu_s": 8.02, "elapsed_s": 81.23}
    ]
    waits = measurement.waits.set_index("event")
    assert waits["total_waits"].to_dict() == {
        "row cache lock": 5413,
        "gc current block 2-way": 63 + 5166,
        "gc cr block 2-way": 46,
        "log file switch completion": 3,
        "gc current grant busy": 1,
    }
    assert waits.loc["gc current block 2-way", "time_s"] == pytest.approx(0.41 + 5.39)
    assert waits.loc["gc current block 2-way", "max_s"] == 0.16
    assert waits["wait_class"].to_dict() == {
        "row cache lock": "Concurrency",
        "gc current block 2-way": "Cluster",
        "gc cr block 2-way": "Cluster",
        "log file switch completion": "Configuration",
        "gc current grant busy": "Cluster",
    }


def test_case_without_elapsed_time(package: Package) -> None:
    measurement = tkprof_measurement(package, "two nodes order cache 1000", {})
    assert measurement.sessions.empty and list(measurement.sessions.columns) == list(SESSION_COLUMNS)
    assert measurement.runs == 1
    assert measurement.one_run().waits.set_index("event").loc["DFS lock handle", ["wait_class", "total_waits"]].tolist() == ["Other", 3430]


def test_case_without_waits(package: Package) -> None:
    measurement = tkprof_measurement(package, "one node nocache", {})
    assert measurement.waits.empty and list(measurement.waits.columns) == list(WAIT_COLUMNS)
    assert measurement.sessions["elapsed_s"].tolist() == [7.66]


def test_another_statement(package: Package) -> None:
    measurement = tkprof_measurement(package, "two nodes nocache", {}, statement="update seq$")
    assert measurement.sessions["elapsed_s"].tolist() == [11.18]


def test_each_statement_by_itself(package: Package) -> None:
    waits = statement_waits(package, "two nodes nocache").set_index(["statement", "event"])
    assert waits.loc[("update seq$", "gc current block 2-way"), "times_waited"] == 5166
    calls = statement_calls(package, "two nodes nocache").set_index(["statement", "call"])
    assert calls.loc[("update seq$", "Parse"), "elapsed_s"] == 0.30
    assert statement_calls(package, "two nodes order cache 1000").empty


def test_unknown_case(package: Package) -> None:
    says = "no case 'three nodes'; they have one node nocache, two nodes nocache, two nodes order cache 1000"
    with pytest.raises(LabError, match=says):
        tkprof_measurement(package, "three nodes", {})
