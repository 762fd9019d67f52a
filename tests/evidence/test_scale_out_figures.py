"""The figures of scale_out are the published ones: a wrong digit anywhere fails here."""

import hashlib

import pytest

from raclab.evidence.published import Package, load
from raclab.paths import data_folder

# Of each file's text with line ends as LF.
DIGESTS = {
    "facts": "59e27238f1773182d3d0b30b360d15fc833892a97abc41a15e11ddc722599833",
    "pvss_events": "1359e24874712c5744c3376c82c1adf5712e4bf57d8ab4b91e1f1320d36255b0",
    "pvss_steps": "a6c27a56b5e8037d900a5605c8745c5c71c4e5f0714d91b6595e01cbb34aa61d",
}


@pytest.fixture(scope="module")
def package() -> Package:
    return load("scale_out")


@pytest.mark.parametrize("name", DIGESTS)
def test_file_is_as_published(name: str) -> None:
    text = (data_folder() / "scale_out" / f"{name}.csv").read_text(encoding="utf-8")
    assert hashlib.sha256(text.encode()).hexdigest() == DIGESTS[name], f"{name}.csv differs from the published figures"


def test_steps(package: Package) -> None:
    assert package.frame("pvss_steps")["changes_per_s"].tolist() == [100, 2000, 16000, 150000, 150000]


@pytest.mark.parametrize(
    ("step", "event", "waits", "time_s", "pct"),
    [(2, "db file sequential read", 29242, 137, 42.56), (3, "gc buffer busy", 27883, 728, 31.6), (4, "row cache lock", 813, 665, 27.6)],
)
def test_top_events(package: Package, step: int, event: str, waits: int, time_s: int, pct: float) -> None:
    rows = package.frame("pvss_events")
    row = rows[rows["step"] == step].sort_values("pct", ascending=False).iloc[0]
    assert (row["event"], row["waits"], row["time_s"], row["pct"]) == (event, waits, time_s, pct)


def test_the_source_says_when_and_on_what(package: Package) -> None:
    assert package.source.year == 2008 and package.source.version == "not stated"
    assert "6 nodes" in package.source.machine and "32 SATA disks" in package.source.machine
