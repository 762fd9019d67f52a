"""A live run recorded without names, and replayed: LIVE still, and beside the other figures in a notebook."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import raclab
from raclab.evidence.measurement import Kind, Measurement
from raclab.evidence.recording import Ran, RecordingError, write

MYTH = raclab.myth("nocache_sequences")
TOGETHER = {"start_gap_s": 0.0}
NAMES = ("ANNA_MEIER", "dbhost17", "dbhost17.corp.example.com", "PAYROLL", "payroll1", "PAYROLLPDB", "notebook-of-anna", "10.1.2.3", "amei")


@pytest.fixture
def named(fake_oracle: Any, as_lab_user: Any) -> Any:
    """A marked database in which everything bears a name that must not be recorded."""
    oracle = fake_oracle(instances={1: "payroll1", 2: "payroll2"}, user="ANNA_MEIER", database="PAYROLL", container="PAYROLLPDB",
                         mark=("ANNA_MEIER", "PAYROLL", "PAYROLLPDB"))  # fmt: skip
    context = {"server_host": "dbhost17", "host": "notebook-of-anna", "os_user": "amei", "ip_address": "10.1.2.3", "db_name": "PAYROLL"}
    for parameter, value in context.items():
        oracle.others[f"'{parameter}'[)] from dual"] = lambda session, value=value: oracle.rows("X", (value,))
    oracle.others["host_name from gv[$]instance"] = lambda session: oracle.rows("I H", ("payroll1", "dbhost17"), ("payroll2", "dbhost18"))
    as_lab_user(oracle, "PAYROLL")
    return oracle


def planted(measured: Measurement) -> Measurement:
    """The measurement with the names in every text of it, and in views whose columns of text are not all Oracle's words."""
    text = " ".join(NAMES)
    history = pd.DataFrame(
        {"run": 0, "INST_ID": [1], "EVENT": [text], "PROGRAM": [text], "MACHINE": [text], "SQL_TEXT": [text], "VALUE": [3]}
    )
    frames = {}
    for name in ("sessions", "waits", "stats"):
        frame = getattr(measured, name).copy()
        for column in frame.select_dtypes(include=["str", "object"]).columns:
            frame[column] = frame[column].astype(str) + f" of {text}"
        frames[name] = frame
    source = dataclasses.replace(measured.source, title=f"on {text}", version=f"of {text}", machine=f"{text} at 10.1.2.3:1521")
    levers = {**measured.levers, "told": text}
    return Measurement(source, f"case of {text}", levers, **frames, views={"ACTIVE_SESSION_HISTORY": history, "ROWCACHE": history})


def test_no_name_of_a_host_or_a_person_is_written(named: Any, tmp_path: Path) -> None:
    with raclab.connect() as lab:
        measured = lab.run(MYTH, TOGETHER)
        (ran,) = lab._ran
        folder = lab.record(tmp_path / "plain")
    planted_in = write(tmp_path / "planted", [Ran(MYTH.slug, planted(measured), ran.names)])
    assert {"ANNA_MEIER", "dbhost17", "PAYROLL", "payroll1", "notebook-of-anna", "amei", "10.1.2.3", "127.0.0.1"} <= ran.names
    for place in (folder, planted_in):
        for path in place.iterdir():
            written = path.read_text(encoding="utf-8").lower()
            for name in (*NAMES, "127.0.0.1", str(named.server.port), "dbhost", "payroll"):
                assert name.lower() not in written, (path.name, name)
    assert "***" in (planted_in / "waits.csv").read_text() and "PROGRAM" not in (planted_in / "view_rowcache.csv").read_text()
    assert "row cache lock" in (planted_in / "waits.csv").read_text(), "the event's own name stays"


def test_a_live_run_comes_back_as_live_with_its_date(named: Any, tmp_path: Path) -> None:
    with raclab.connect() as lab:
        measured = [lab.run(MYTH, {**TOGETHER, "cache": cache}) for cache in (0, 1000)]
        lab.record(tmp_path / "runs")
        lab.record(tmp_path / "second", measured[1])
    back = raclab.replay(tmp_path / "runs")
    date = json.loads((tmp_path / "runs" / "datapackage.json").read_text())["raclab_recording"]["recorded"]
    assert [one.source.kind for one in back] == [Kind.LIVE, Kind.LIVE] and len(raclab.replay(tmp_path / "second")) == 1
    for was, is_ in zip(measured, back, strict=True):
        assert is_.case == f"{was.case}, recorded {date}" and is_.source.title == f"{was.source.title}, recorded {date}"
        assert is_.levers == was.levers and is_.source.version == was.source.version
        for name in ("sessions", "waits", "stats"):
            pd.testing.assert_frame_equal(getattr(was, name), getattr(is_, name), check_dtype=False)
    assert MYTH.sentence([back[0]]).startswith(f"LIVE, {back[0].case}: ")


def test_what_a_cut_run_had_measured_can_be_recorded(named: Any, tmp_path: Path) -> None:
    def work(session: Any) -> int:
        if session.inst_id == 2:
            raise RuntimeError("the network is gone")
        return 10_000

    named.work = work
    with raclab.connect() as lab:
        with pytest.raises(raclab.errors.LabError):
            lab.run(MYTH, TOGETHER)
        lab.record(tmp_path / "partial")
    (back,) = raclab.replay(tmp_path / "partial")
    assert "(1 of 2 sessions on 2 instances)" in back.case and back.sessions["inst_id"].tolist() == [1]


def test_nothing_run_is_nothing_to_record(named: Any, tmp_path: Path) -> None:
    with raclab.connect() as lab, pytest.raises(RecordingError, match=r"There is nothing to record yet: lab\.run"):
        lab.record(tmp_path / "none")


def test_only_runs_of_the_lab_are_recorded(named: Any, tmp_path: Path) -> None:
    with raclab.connect() as lab, pytest.raises(RecordingError, match=r"Only what lab.run"):
        lab.record(tmp_path / "other", MYTH.published()[0])
