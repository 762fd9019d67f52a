"""The figures of nfs_throughput are the published ones: a wrong digit anywhere fails here."""

import hashlib

import pytest

from raclab.evidence.published import Package, load
from raclab.paths import data_folder

# Of each file's text with line ends as LF.
DIGESTS = {
    "facts": "9396a6cdcacac2dfb1858b4ec225e83e0ec9c1b967e211f1228fbf3fcd361d0a",
    "scan": "6479487fd15ded54c820edbf2dd230559ccb2b1f604bf2583ad7cee6894fbe69",
}


@pytest.fixture(scope="module")
def package() -> Package:
    return load("nfs_throughput")


@pytest.mark.parametrize("name", DIGESTS)
def test_file_is_as_published(name: str) -> None:
    text = (data_folder() / "nfs_throughput" / f"{name}.csv").read_text(encoding="utf-8")
    assert hashlib.sha256(text.encode()).hexdigest() == DIGESTS[name], f"{name}.csv differs from the published figures"


def test_scan(package: Package) -> None:
    scan = package.frame("scan").set_index("client")
    assert set(scan["rows"]) == {40_025_111} and set(scan["dop"]) == {32}
    assert scan.loc["direct NFS", "elapsed_s"] == 6.36 and scan.loc["direct NFS", "throughput_gb_s"] == "1.14"
    assert scan.loc["kernel NFS", "elapsed_s"] == 16.18
    assert scan["elapsed_s"].isna().sum() == 1 and "8" in scan.index[scan["elapsed_s"].isna()][0]


def test_facts(package: Package) -> None:
    facts = package.frame("facts").set_index("fact")["value"]
    assert facts["users at which kernel NFS stops scaling"] == "32"
    assert facts["random 8 KB reads with direct NFS and a tiny buffer cache"] == "90000"
    assert facts["throughput of those reads"] == "729"
    assert facts["kernel NFS setting that closed the gap"] == "rpcmod:clnt_max_conns=8"


def test_the_source_says_when_and_on_what(package: Package) -> None:
    assert package.source.year == 2009 and package.source.version == "not stated"
    assert "T5240" in package.source.machine and "10 gigabit" in package.source.machine
