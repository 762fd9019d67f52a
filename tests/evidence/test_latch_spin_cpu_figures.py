"""The figures of latch_spin_cpu are the published ones: a wrong digit anywhere fails here."""

import hashlib

import pytest

from raclab.evidence.published import Package, load
from raclab.paths import data_folder

# Of each file's text with line ends as LF.
DIGESTS = {
    "cpu_seconds": "2832b7aecc57637cbe00ea3880b5584ed8c27d4bc4ce9ce53433319ed8345553",
    "test_case": "1a7ea9639c2b483c44a3fc06fd1ca30ca91933a9d8e6fae250c52bafa139674c",
}


@pytest.fixture(scope="module")
def package() -> Package:
    return load("latch_spin_cpu")


@pytest.mark.parametrize("name", DIGESTS)
def test_file_is_as_published(name: str) -> None:
    text = (data_folder() / "latch_spin_cpu" / f"{name}.csv").read_text(encoding="utf-8")
    assert hashlib.sha256(text.encode()).hexdigest() == DIGESTS[name], f"{name}.csv differs from the published figures"


def test_the_case_whose_gets_are_known(package: Package) -> None:
    frame = package.frame("cpu_seconds")
    row = frame[(frame["version"] == "9.2.0.8") & (frame["same_table"] == "yes")].iloc[0]
    assert (row["cpu_s_each"], row["latch_wait_s_each"]) == (177.8, 7.7)
    for stated in ("33 million misses", "67 million gets", "1500 sleeps each"):
        assert stated in row["note"]


def test_only_the_pentiums_misses_are_known(package: Package) -> None:
    frame = package.frame("cpu_seconds")
    row = frame[frame["platform"].str.startswith("Intel 830") & (frame["same_table"] == "yes")].iloc[0]
    assert row["cpu_s_each"] == 90 and "7.6 million latch misses" in row["note"]


def test_the_source_says_when_and_who(package: Package) -> None:
    assert package.source.year == 2008 and "Jonathan Lewis" in package.source.title
