"""The figures of nocache_sequences are the published ones: a wrong digit anywhere fails here."""

import hashlib

import pytest

from raclab.evidence.published import Package, load
from raclab.paths import data_folder

# Of each file's text with line ends as LF.
DIGESTS = {
    "test_case": "21d82323e5d3101e458f2c3fc14b034f6b1128da480a38f0bd069997deb8ecc6",
    "tkprof_calls": "cb6ead2406d197a78586f8b09e63835ce52a5d04641c198557b91281827bdf1d",
    "tkprof_waits": "fdd293af6e4035fe9b0fab4f2ef9cd60b027fc21e25c14b8d0e365fdcf15c5af",
    "access_latency": "cc300b8df282328b543e6af7bcf7b148b2c16d5c5175633d25da635906156f84",
}


@pytest.fixture(scope="module")
def package() -> Package:
    return load("nocache_sequences")


@pytest.mark.parametrize("name", DIGESTS)
def test_file_is_as_published(name: str) -> None:
    text = (data_folder() / "nocache_sequences" / f"{name}.csv").read_text(encoding="utf-8")
    assert hashlib.sha256(text.encode()).hexdigest() == DIGESTS[name], f"{name}.csv differs from the published figures"


@pytest.mark.parametrize(
    ("case", "statement", "cpu_s", "elapsed_s", "query", "current"),
    [
        ("one node nocache", "insert", 5.28, 7.66, 794, 25670),
        ("one node nocache", "update seq$", 2.74, 3.04, 10000, 20287),
        ("two nodes nocache", "insert", 8.02, 81.23, 1584, 27191),
        ("two nodes nocache", "update seq$", 4.08, 11.18, 10000, 20290),
    ],
)
def test_executions(package: Package, case: str, statement: str, cpu_s: float, elapsed_s: float, query: int, current: int) -> None:
    calls = package.frame("tkprof_calls").set_index(["case", "statement", "call"])
    row = calls.loc[(case, statement, "Execute")]
    assert (row["count"], row["rows"]) == (10000, 10000)
    assert (row["cpu_s"], row["elapsed_s"], row["query"], row["current"]) == (cpu_s, elapsed_s, query, current)


@pytest.mark.parametrize(
    ("case", "statement", "event", "times", "longest", "total"),
    [
        ("two nodes nocache", "insert", "row cache lock", 5413, 2.93, 62.86),
        ("two nodes nocache", "update seq$", "gc current block 2-way", 5166, 0.01, 5.39),
        ("two nodes nocache", "insert", "gc current block 2-way", 63, 0.16, 0.41),
        ("two nodes order cache 1000", "insert", "DFS lock handle", 3430, 0.03, 2.94),
        ("two nodes order cache 1000", "insert", "row cache lock", 24, 0.00, 0.02),
    ],
)
def test_waits(package: Package, case: str, statement: str, event: str, times: int, longest: float, total: float) -> None:
    row = package.frame("tkprof_waits").set_index(["case", "statement", "event"]).loc[(case, statement, event)]
    assert (row["times_waited"], row["max_wait_s"], row["total_waited_s"]) == (times, longest, total)


def test_what_a_statement_waited_is_within_its_elapsed_time(package: Package) -> None:
    calls = package.frame("tkprof_calls")
    of_two = calls[(calls["case"] == "two nodes nocache") & (calls["call"] == "Execute")].set_index("statement")
    waits = package.frame("tkprof_waits")
    waited = waits[waits["case"] == "two nodes nocache"].groupby("statement")["total_waited_s"].sum()
    assert waited["update seq$"] < of_two.loc["update seq$", "elapsed_s"]
    assert waited.sum() + of_two.loc["insert", "cpu_s"] < of_two.loc["insert", "elapsed_s"]


def test_stated_latencies(package: Package) -> None:
    latency = package.frame("access_latency").set_index("access")
    assert tuple(latency.loc["global cache wait"]) == (1, 3, "ms")
    assert tuple(latency.loc["single-block or multi-block disk read"]) == (2, 4, "ms")
    assert tuple(latency.loc["buffer in the local SGA"]) == (10, 100, "ns")


def test_what_the_source_does_not_state(package: Package) -> None:
    assert (package.source.year, package.source.version, package.source.machine) == (None, "not stated", "not stated")
    assert "Riyaj Shamsudeen" in package.source.title
