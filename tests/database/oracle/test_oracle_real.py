"""Against a real Oracle: only where RACLAB_DSN and its companions are set, and a run only behind the open interlock."""

import os
from collections.abc import Iterator
from typing import Any

import pytest

import raclab
from raclab.database.oracle import OracleLab
from raclab.database.oracle_admin import check, drop, init
from raclab.evidence.measurement import Kind

pytestmark = pytest.mark.oracle
MYTH = raclab.myth("nocache_sequences")
FEW = {"rows_per_session": 200}


@pytest.fixture
def lab() -> Iterator[Any]:
    """The database of the environment."""
    with raclab.connect() as connected:
        yield connected


def needs_open_interlock(lab: Any) -> None:
    """Skip where the lab may not write."""
    if not lab.interlock.open:
        pytest.skip(lab.interlock.closed)


def test_connects_and_reads(lab: Any) -> None:
    assert isinstance(lab, OracleLab) and lab.kind is Kind.LIVE
    assert len(lab.sql("select inst_id, instance_name, status from gv$instance")) >= 1


def test_check_finds_what_a_run_needs(lab: Any) -> None:
    needs_open_interlock(lab)
    told = check().told
    unreadable = (
        next((line for line in told.splitlines() if line.startswith("Can't be read: ")), "").rstrip(".").split(": ")[-1].split(", ")
    )
    assert not {"GV$INSTANCE", "V$SESSION_EVENT", "V$SESSTAT", "V$STATNAME", "GV$SYSTEM_EVENT"} & set(unreadable)
    assert told.endswith("The lab may write here: live runs are possible.")


@pytest.mark.parametrize("levers", [{"cache": 0}, {"cache": 1000}, {"cache": 1000, "order": True}])
def test_a_small_run_measures_and_leaves_nothing(lab: Any, levers: dict[str, Any]) -> None:
    needs_open_interlock(lab)
    measured = lab.run(MYTH, {"nodes": 2, "start_gap_s": 0.0, **levers}, binds=FEW, say=lambda _: None)
    assert measured.badge == "LIVE"
    assert measured.sessions["calls"].tolist() == [200, 200]
    assert (measured.sessions["elapsed_s"] > 0).all() and (measured.waits["time_s"] >= 0).all()
    executed = measured.stats[measured.stats["name"] == "execute count"]["value"].sum()
    assert executed >= 400
    assert lab.sql("select object_name from user_objects where object_name like 'RACLAB_SEQ%'").frame.empty


def test_the_interlock_closes_when_the_database_is_not_named(lab: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RACLAB_I_OWN_THIS_DATABASE", "")
    with raclab.connect() as other, pytest.raises(raclab.errors.LabError, match="nothing was sent that writes"):
        other.run(MYTH)


def test_init_and_drop_of_a_second_user(monkeypatch: pytest.MonkeyPatch) -> None:
    if not os.environ.get("RACLAB_ADMIN_PASSWORD"):
        pytest.skip("needs RACLAB_ADMIN_PASSWORD")
    monkeypatch.setenv("RACLAB_USER", "RACLAB_T2")
    monkeypatch.setenv("RACLAB_PASSWORD", "Second_of_the_test_1")
    assert "user RACLAB_T2" in init()
    try:
        assert "live runs are possible" in check().told
    finally:
        assert drop().startswith("Removed from")
