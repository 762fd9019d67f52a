"""The figures of parallel_across_instances are the published ones: a wrong digit anywhere fails here."""

import hashlib

import pytest

from raclab.evidence.published import Package, load
from raclab.paths import data_folder

# Of each file's text with line ends as LF.
DIGESTS = {
    "plan": "04979ca6f32077ea03ea4d122980c105c7e951f168219aeb2364e5d6fbcd0106",
    "px_processes": "5f72b381a9fe835d5dbcd88c796633a8f6ff13806c9d9b76fee3c4999db2cf66",
    "test_case": "00022450b8dd111d69cb34aa829808a3753bfabe84cb31739740965bac7be1e1",
}


@pytest.fixture(scope="module")
def package() -> Package:
    return load("parallel_across_instances")


@pytest.mark.parametrize("name", DIGESTS)
def test_file_is_as_published(name: str) -> None:
    text = (data_folder() / "parallel_across_instances" / f"{name}.csv").read_text(encoding="utf-8")
    assert hashlib.sha256(text.encode()).hexdigest() == DIGESTS[name], f"{name}.csv differs from the published figures"


def test_bytes_of_the_join(package: Package) -> None:
    processes = package.frame("px_processes")
    join = processes[(processes["case"] == "hash join, DOP 16") & processes["interconnect_bytes"].notna()]
    assert join["interconnect_bytes"].sum() == 2_371_595_990
    assert len(join) == 16 and set(join["slave_set"]) == {2}
    assert join.groupby("inst_id")["interconnect_bytes"].sum().to_dict() == {1: 1_187_603_479, 2: 1_183_992_511}


def test_bytes_of_the_aggregation(package: Package) -> None:
    processes = package.frame("px_processes")
    known = processes[(processes["case"] == "single table aggregation") & processes["interconnect_bytes"].notna()]
    assert known.loc[known["process"] == "QC", "interconnect_bytes"].tolist() == [3314]
    assert known.loc[known["process"] != "QC", "interconnect_bytes"].tolist() == [2152] * 8


def test_placement_of_dop_8(package: Package) -> None:
    processes = package.frame("px_processes").query("case == 'hash join, DOP 8'")
    assert set(processes.loc[processes["process"] != "QC", "inst_id"]) == {2}
    assert processes.loc[processes["process"] == "QC", "inst_id"].tolist() == [1]


def test_the_plan_estimates_85_million_rows(package: Package) -> None:
    assert set(package.frame("plan")["estimated_rows"].dropna()) == {"85M"}
