"""The facts of lms_cpu_starvation are the published ones: a changed word anywhere fails here."""

import hashlib

import pytest

from raclab.evidence.published import Package, load
from raclab.paths import data_folder

# Of each file's text with line ends as LF.
DIGESTS = {
    "facts": "8b3b619032d05f908e059d70749d366d80f0f914c4555c4103f09922d0ca56a2",
    "parameters": "efdca80ed85c089506b454a7efccc40ce3d8a026d216c1681169da3522d4003d",
}


@pytest.fixture(scope="module")
def package() -> Package:
    return load("lms_cpu_starvation")


@pytest.mark.parametrize("name", DIGESTS)
def test_file_is_as_published(name: str) -> None:
    text = (data_folder() / "lms_cpu_starvation" / f"{name}.csv").read_text(encoding="utf-8")
    assert hashlib.sha256(text.encode()).hexdigest() == DIGESTS[name], f"{name}.csv differs from the published facts"


def test_facts(package: Package) -> None:
    facts = package.frame("facts").set_index("fact")["value"]
    assert facts["LMS in normal (time-share) priority up to version"] == "10.2.0.1"
    assert facts["LMS in real-time priority by default from version"] == "10.2.0.3"
    assert facts["most LMS processes configured by default on a huge server"] == "26"


def test_parameters(package: Package) -> None:
    parameters = package.frame("parameters").set_index("parameter")
    assert parameters.loc["_high_priority_processes", "default_value"] == "LMS*|VKTM*"
    assert parameters.loc["gcs_server_processes", "default_value"] == ""
    assert parameters.loc["_os_sched_high_priority", "since_version"] == "10.2.0.3"
