"""The figures of kernel_time_semaphores are the published ones: a wrong digit anywhere fails here."""

import hashlib

import pytest

from raclab.evidence.published import Package, load
from raclab.paths import data_folder

# Of each file's text with line ends as LF.
DIGESTS = {
    "facts": "7da52f63cb49fbb4895ab83a4e5d10831c04c5fbb87ac061af543c4ae13a5a53",
    "perf_system": "d280b56e476668cef3c91679e4f8ee2c44df4e33efb000792bf2f02a163ec3f8",
    "px_activity": "379c7f6f89c6c2b2dc704e7f6c5390a4f23c8a9050ca4288bc54abc14c9e0e81",
}


@pytest.fixture(scope="module")
def package() -> Package:
    return load("kernel_time_semaphores")


@pytest.mark.parametrize("name", DIGESTS)
def test_file_is_as_published(name: str) -> None:
    text = (data_folder() / "kernel_time_semaphores" / f"{name}.csv").read_text(encoding="utf-8")
    assert hashlib.sha256(text.encode()).hexdigest() == DIGESTS[name], f"{name}.csv differs from the published figures"


def test_facts(package: Package) -> None:
    facts = package.frame("facts").set_index("fact")["value"]
    assert facts["CPUs of the profiled box"] == "128"
    assert facts["share of kernel time in the profile"] == "76.4"
    assert (facts["semaphore sets before"], facts["semaphores per set before"]) == ("3", "1502")
    assert (facts["semaphore sets listed after"], facts["semaphores per set after"]) == ("34", "93")


def test_the_spin_lock_leads_the_profile(package: Package) -> None:
    profile = package.frame("perf_system")
    assert tuple(profile.loc[0, ["percent", "function", "dso"]]) == (67.8, "__ticket_spin_lock", "kernel")
    assert profile["samples"].is_monotonic_decreasing
    assert profile["percent"].sum() < 100


def test_the_source_says_when_and_who(package: Package) -> None:
    assert package.source.year == 2016 and "Randolf Geist" in package.source.title
    assert "128 CPUs" in package.source.machine
