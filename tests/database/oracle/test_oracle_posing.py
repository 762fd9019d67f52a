"""The embedded lab posing as a production database: whatever a notebook calls, nothing that writes or loads reaches it.

Recorded is what arrives at its sessions and what the listener is told of the ends of transactions; half an interlock is none.
"""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from arrivals import arriving

import raclab
from raclab.database import oracle as oracle_module
from raclab.database.embedded import EmbeddedLab
from raclab.database.interlock import MARK_TABLE
from raclab.database.oracle import OracleLab
from raclab.database.reading import is_reading
from raclab.errors import LabError
from raclab.evidence.measurement import Kind

LIVE = [slug for slug in raclab.slugs() if raclab.myth(slug).live is not None]
MARK = (
    f"create table {MARK_TABLE} "
    "(lab_user varchar2(128), db_unique_name varchar2(128), con_name varchar2(128), lab_role varchar2(128), made_at date)"
)


@pytest.fixture
def production(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[EmbeddedLab]:
    """An embedded lab that says it is an Oracle, with the RACLAB_ variables set to it and no interlock."""
    monkeypatch.setenv("RACLAB_HOME", str(tmp_path))
    with EmbeddedLab() as lab:
        monkeypatch.setenv("RACLAB_DSN", lab.dsn)
        monkeypatch.setenv("RACLAB_USER", lab.user)
        monkeypatch.setenv("RACLAB_PASSWORD", lab.password)
        monkeypatch.setattr(oracle_module, "version_of", lambda connection: "Oracle Database 19c Enterprise Edition (19.21.0.0.0)")
        yield lab


@pytest.fixture
def arrived(production: EmbeddedLab, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every statement that reaches a session from now on."""
    return arriving(monkeypatch)


def everything(lab: OracleLab, page: Any, folder: Path) -> dict[str, Callable[[], object]]:
    """Every function that a notebook has over a lab, and every way to its connections that writes."""
    cursor = lab.connection.cursor()
    simulated = raclab.myth("start_here").simulate(raclab.myth("start_here").levers(), [1])
    return {
        **{f"run {slug}": (lambda slug=slug: lab.run(raclab.myth(slug))) for slug in LIVE},
        "load": lambda: lab.load(simulated),
        "reset": lambda: lab.reset(),
        "record": lambda: lab.record(folder / "recording"),
        "page.run": lambda: page.run(),
        "page.live": lambda: page.live(),
        "page.live now": lambda: page.live(run=True),
        "page.sql": lambda: page.sql("select instance_name from gv$instance"),
        "page.sql that writes": lambda: page.sql("delete from raclab_mark"),
        "page.compare": lambda: page.compare(),
        "insert": lambda: lab.sql("insert into t values (1)"),
        "update": lambda: lab.sql("update t set a = 1"),
        "merge": lambda: lab.sql("merge into t using dual on (1 = 1) when matched then update set a = 1"),
        "ddl": lambda: lab.sql("create table t (a number)"),
        "truncate": lambda: lab.sql("truncate table t"),
        "plsql": lambda: lab.sql("begin null; end;"),
        "session": lambda: lab.sql("alter session set current_schema = sys"),
        "lock": lambda: lab.sql("lock table t in exclusive mode"),
        "for update": lambda: lab.sql("select 1 from dual for update"),
        "with and insert": lambda: lab.sql("insert into t with x as (select 1 a from dual) select a from x"),
        "second instance": lambda: lab.sql("delete from t", instance=2),
        "cursor": lambda: cursor.execute("delete from t"),
        "many": lambda: cursor.executemany("insert into t values (:1)", [(1,), (2,)]),
        "procedure": lambda: cursor.callproc("p"),
        "frame": lambda: lab.connection.fetch_df_all("delete from t"),
        "snapshot": lambda: lab.snapshot(),
        "snapshots": lambda: lab.snapshots(),
        "delta": lambda: lab.delta(),
        "awr_report": lambda: lab.awr_report(),
        "trace": lambda: lab.trace(1),
        "tkprof": lambda: lab.tkprof(1),
    }


HALF = {
    "nothing": ("", None),
    "named, and no mark": ("raclab", None),
    "another database named": ("PROD1", ("{user}", "raclab", "{container}")),
    "a mark, and nothing named": ("", ("{user}", "raclab", "{container}")),
    "the mark of another user": ("raclab", ("SOMEBODY", "raclab", "{container}")),
    "the mark of another database": ("raclab", ("{user}", "PROD1", "{container}")),
    "the mark of another container": ("raclab", ("{user}", "raclab", "OTHERPDB")),
}


@pytest.mark.parametrize("why", HALF)
def test_nothing_that_writes_arrives_without_a_whole_interlock(
    production: EmbeddedLab, arrived: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, why: str
) -> None:
    owned, mark = HALF[why]
    container = production.sql("select sys_context('userenv', 'con_name') from dual").frame.iloc[0, 0] or ""
    if mark is not None:
        values = [value.format(user=production.user, container=container) for value in mark]
        production.sql(MARK)
        production.sql(f"insert into {MARK_TABLE} values (:1, :2, :3, 'R', sysdate)", values)
        production.sql("commit")
    monkeypatch.setenv("RACLAB_I_OWN_THIS_DATABASE", owned)
    tables = production.sql("select table_name from user_tables").frame["TABLE_NAME"].tolist()
    arrived.clear()
    page = raclab.open("nocache_sequences", quick=True)
    lab = page.lab
    assert type(lab) is OracleLab and lab.kind is Kind.LIVE, "it poses as production"
    refused = {}
    for name, call in everything(lab, page, tmp_path).items():
        try:
            call()
        except (LabError, PermissionError) as error:
            refused[name] = str(error)
    lab.close()
    assert arrived, "the recording has recorded"
    assert [statement for statement in arrived if not is_reading(statement)] == []
    assert production.sql("select table_name from user_tables").frame["TABLE_NAME"].tolist() == tables
    assert {f"run {slug}" for slug in LIVE} <= set(refused) and "page.live now" in refused and "insert" in refused
    assert {"page.sql", "page.compare", "page.run"}.isdisjoint(refused), "what only reads or simulates goes on"


def test_the_whole_interlock_lets_it_through(production: EmbeddedLab, arrived: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The counter-check: the same recording sees statements that write once all three agree."""
    names = production.sql("select sys_context('userenv', 'db_unique_name'), sys_context('userenv', 'con_name') from dual").frame.iloc[0]
    production.sql(MARK)
    production.sql(f"insert into {MARK_TABLE} values (:1, :2, :3, 'R', sysdate)", [production.user, names.iloc[0], names.iloc[1]])
    production.sql("commit")
    monkeypatch.setenv("RACLAB_I_OWN_THIS_DATABASE", str(names.iloc[0]))
    arrived.clear()
    with raclab.connect() as lab, contextlib.suppress(LabError):
        lab.sql("create table t (a number)")
    assert "create table t (a number)" in arrived
