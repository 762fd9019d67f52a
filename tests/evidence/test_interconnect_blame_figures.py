"""The figures of interconnect_blame are the published ones: a wrong digit anywhere fails here."""

import hashlib

import pytest

from raclab.evidence.published import Package, load
from raclab.paths import data_folder

# Of the file's text with line ends as LF.
DIGEST = "fdacedb4fe81b72e71121563da5e3c85a2d6f907f1170ff69f2a0a6e33600ff5"


@pytest.fixture(scope="module")
def package() -> Package:
    return load("interconnect_blame")


def test_file_is_as_published() -> None:
    text = (data_folder() / "interconnect_blame" / "awr_gc_workload.csv").read_text(encoding="utf-8")
    assert hashlib.sha256(text.encode()).hexdigest() == DIGEST


@pytest.mark.parametrize(
    ("node", "metric", "unit", "value"),
    [
        (1, "avg global cache cr block receive time", "ms", 63.3),
        (1, "avg global cache current block receive time", "ms", 42.1),
        (1, "avg global cache cr block flush time", "ms", 51.5),
        (1, "avg global cache current block send time", "ms", 4.8),
        (2, "avg global cache cr block receive time", "ms", 10.4),
        (2, "avg global cache current block receive time", "ms", 3.2),
        (2, "global cache log flushes for cr blocks served", "percent", 5.0),
        (2, "avg global cache cr block flush time", "ms", 4380.0),
        (2, "avg global enqueue get time", "ms", 0.3),
    ],
)
def test_averages(package: Package, node: int, metric: str, unit: str, value: float) -> None:
    row = package.frame("awr_gc_workload").set_index(["node", "metric"]).loc[(node, metric)]
    assert (row["unit"], row["value"]) == (unit, value)


def test_both_nodes_have_the_same_averages(package: Package) -> None:
    frame = package.frame("awr_gc_workload")
    by_node = frame.groupby("node")["metric"].agg(list).to_dict()
    assert by_node[1] == by_node[2] and len(by_node[1]) == 11


def test_what_the_source_does_not_state(package: Package) -> None:
    assert (package.source.year, package.source.version, package.source.machine) == (None, "not stated", "not stated")
    assert "Riyaj Shamsudeen" in package.source.title
