"""The figures of logical_isolation are the published ones: a wrong digit anywhere fails here."""

import hashlib

import pytest

from raclab.evidence.published import Package, load
from raclab.paths import data_folder

# Of each file's text with line ends as LF.
DIGESTS = {
    "statspack_top5": "833b967dad11ea7378c17d8224f9e972774aca1dc89acaa05a8b86a5c7da0fab",
    "tkprof_waits": "f3970139aa107a6cb7eeec962cedcb578bc4d3eda6043a95aeeb95b1357032fa",
    "access_latency": "cc300b8df282328b543e6af7bcf7b148b2c16d5c5175633d25da635906156f84",
}


@pytest.fixture(scope="module")
def package() -> Package:
    return load("logical_isolation")


@pytest.mark.parametrize("name", DIGESTS)
def test_file_is_as_published(name: str) -> None:
    text = (data_folder() / "logical_isolation" / f"{name}.csv").read_text(encoding="utf-8")
    assert hashlib.sha256(text.encode()).hexdigest() == DIGESTS[name], f"{name}.csv differs from the published figures"


@pytest.mark.parametrize(
    ("event", "times", "longest", "total"),
    [
        ("log file sync", 13, 0.08, 0.28),
        ("global cache cr request", 21719, 0.31, 71.18),
        ("global cache null to x", 4881, 0.30, 97.41),
        ("buffer busy global cache", 1066, 0.31, 27.62),
        ("enqueue", 302, 0.17, 2.61),
    ],
)
def test_waits_of_the_trace(package: Package, event: str, times: int, longest: float, total: float) -> None:
    row = package.frame("tkprof_waits").set_index("event").loc[event]
    assert (row["times_waited"], row["max_wait_s"], row["total_waited_s"]) == (times, longest, total)


def test_shares_of_the_report_are_of_one_total(package: Package) -> None:
    """Each row's time and percentage give the same total, but for rounding."""
    top = package.frame("statspack_top5")
    totals = 100 * top["time_s"] / top["pct_ela_time"]
    assert totals.to_numpy() == pytest.approx(8449, rel=0.003)
    assert top["waits"].isna().sum() == 1


def test_what_the_source_does_not_state(package: Package) -> None:
    assert (package.source.year, package.source.version, package.source.machine) == (None, "not stated", "not stated")
    assert "Riyaj Shamsudeen" in package.source.title
