"""Every data package under data/ is valid, complete and read by the lab as frictionless reads it."""

import csv
import json

import frictionless
import pandas as pd
import pytest

from raclab.evidence import published
from raclab.evidence.measurement import NOT_STATED
from raclab.paths import data_folder

SLUGS = published.slugs()


def test_there_are_packages() -> None:
    assert "nocache_sequences" in SLUGS
    folders = sorted(path.name for path in data_folder().iterdir() if path.is_dir())
    assert folders == SLUGS, "a folder under data/ has no datapackage.json"


@pytest.fixture(params=SLUGS)
def slug(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_frictionless_finds_no_fault(slug: str) -> None:
    report = frictionless.validate(str(data_folder() / slug / "datapackage.json"))
    assert report.valid, report.flatten(["title", "fieldName", "rowNumber", "note"])
    assert report.stats["tasks"] > 0


def test_every_csv_is_described(slug: str) -> None:
    package = published.load(slug)
    described = {resource.path.name for resource in package.resources.values()}
    assert described == {path.name for path in (data_folder() / slug).glob("*.csv")}


def test_package_says_where_its_figures_come_from(slug: str) -> None:
    content = json.loads((data_folder() / slug / "datapackage.json").read_text(encoding="utf-8"))
    assert content["name"] == slug.replace("_", "-")
    for part in ("title", "description", "sources", "contributors", "licenses"):
        assert content[part], part
    assert any(contributor["role"] == "author" for contributor in content["contributors"])
    assert "not the" in content["licenses"][0]["title"], "the note says what is not taken over"
    assert (data_folder() / slug / "README.md").is_file()
    measured = content["measured"]
    assert measured["year"] is None or 1990 <= measured["year"] <= 2030
    assert all(measured[part] for part in ("version", "machine")), f"say {NOT_STATED!r} where the source says nothing"


def test_every_column_is_described_and_measured_ones_have_a_unit(slug: str) -> None:
    for name, resource in published.load(slug).resources.items():
        assert resource.description and resource.primary_key, name
        for field in resource.fields:
            assert field.description, f"{name}.{field.name}"
            assert field.unit or field.type == "string", f"{name}.{field.name} has no unit"
            if field.name.endswith("_s") and not field.name.endswith(("gb_s", "per_s")):
                assert field.unit == "s"


def test_the_lab_reads_the_values_that_frictionless_reads(slug: str) -> None:
    package = published.load(slug)
    for resource in frictionless.Package(str(data_folder() / slug / "datapackage.json")).resources:
        rows = [row.to_dict() for row in resource.read_rows()]
        ours = [{key: None if pd.isna(v) else v for key, v in row.items()} for row in package.frame(resource.name).to_dict("records")]
        assert [{key: float(v) if hasattr(v, "as_tuple") else v for key, v in row.items()} for row in rows] == ours


def test_the_lab_reads_every_line(slug: str) -> None:
    package = published.load(slug)
    for name, resource in package.resources.items():
        with resource.path.open(encoding="utf-8", newline="") as file:
            assert len(package.frame(name)) == sum(1 for _ in csv.reader(file)) - 1
