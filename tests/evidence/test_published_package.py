"""The package as callers see it: frames, units and tables."""

import json
from pathlib import Path

import pytest

from raclab.errors import LabError
from raclab.evidence.measurement import Kind
from raclab.evidence.published import load, slugs

SLUG = "nocache_sequences"


def test_types_of_the_columns() -> None:
    calls = load(SLUG).frame("tkprof_calls")
    assert [str(calls[name].dtype) for name in ("case", "count", "cpu_s")] == ["str", "int64", "float64"]


def test_a_frame_is_the_callers_own() -> None:
    package = load(SLUG)
    mine = package.frame("tkprof_calls")
    mine["elapsed_s"] = 0.0
    assert package.frame("tkprof_calls")["elapsed_s"].max() == 81.23


def test_units() -> None:
    assert load(SLUG).units("tkprof_waits") == {"times_waited": "waits", "max_wait_s": "s", "total_waited_s": "s"}


def test_table_has_badge_and_source() -> None:
    table = load(SLUG).table("tkprof_waits")
    assert (table.badge, len(table)) == (Kind.PUBLISHED, 10)
    assert "Riyaj Shamsudeen" in table.source and "year, version and machine not stated" in table.source


def test_unknown_table_names_those_that_exist() -> None:
    with pytest.raises(LabError, match="no table 'waits'; they have test_case, tkprof_calls, tkprof_waits, access_latency"):
        load(SLUG).frame("waits")


def test_values_that_may_be_missing(tmp_path: Path) -> None:
    folder = tmp_path / "other_myth"
    folder.mkdir()
    (folder / "facts.csv").write_text("who,count,time_s\na,1,\n,,2.5\nc,-,3\n", encoding="utf-8")
    fields = [
        {"name": "who", "type": "string"},
        {"name": "count", "type": "integer", "unit": "calls", "constraints": {"maximum": 3}},
        {"name": "time_s", "type": "number", "unit": "s"},
    ]
    schema = {"fields": fields, "missingValues": ["", "-"]}
    content = {
        "title": "t",
        "description": "d",
        "measured": {"year": 2008, "version": "10.2.0.4", "machine": "a box"},
        "sources": [{"title": "somebody"}],
        "resources": [{"name": "facts", "path": "facts.csv", "schema": schema}],
    }
    (folder / "datapackage.json").write_text(json.dumps(content), encoding="utf-8")
    package = load("other_myth", tmp_path)
    facts = package.frame("facts")
    assert [str(dtype) for dtype in facts.dtypes] == ["str", "Int64", "float64"]
    assert facts.isna().to_numpy().tolist() == [[False, False, True], [True, True, False], [False, True, False]]
    assert package.source.line == "somebody (2008; version 10.2.0.4; a box)"
    assert slugs(tmp_path) == ["other_myth"]
