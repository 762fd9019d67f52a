"""The way to a real Oracle, taken to the embedded lab: real SQL, a real listener, and no PL/SQL."""

import contextlib
import signal
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from arrivals import arriving

import raclab
from raclab.database import live_session
from raclab.database.connecting import Connector
from raclab.database.embedded import EmbeddedLab
from raclab.database.interlock import InterlockError
from raclab.database.live import LiveRun, LiveRunError, LiveRunStoppedError, Progress, run_live
from raclab.database.live_session import LiveSession
from raclab.database.oracle import OracleLab, connect_oracle
from raclab.database.reading import is_reading
from raclab.database.settings import oracle_settings
from raclab.database.workload import parse_script, read_script
from raclab.evidence.measurement import Kind
from raclab.paths import ORACLE_SCRIPTS

MYTH = raclab.myth("nocache_sequences")
TABLES = "select table_name from user_tables order by table_name"
MARK = (
    "create table raclab_mark (lab_user varchar2(128), db_unique_name varchar2(128), con_name varchar2(128), "
    "lab_role varchar2(128), made_at date)"
)

PLAIN = """
-- section: setup
create table raclab_plain (id number, payload varchar2(500));
-- section: workload
insert into raclab_plain select level, 'x' from dual connect by level <= :rows_per_session;
select count(*) from raclab_plain;
-- section: teardown
drop table raclab_plain;
"""

ENDLESS = """
-- section: setup
create table raclab_plain (id number);
insert into raclab_plain select level from dual connect by level <= 3000;
commit;
-- section: workload
select count(*) from raclab_plain a, raclab_plain b, raclab_plain c where mod(a.id * b.id + c.id, 7) = 1;
-- section: teardown
drop table raclab_plain;
"""


def in_turn(sessions: int) -> Any:
    """So many sessions, on the open instances in turn."""
    return lambda instances: [position % instances for position in range(sessions)]


@pytest.fixture
def embedded(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddedLab]:
    """An embedded lab, and the RACLAB_ variables set to it."""
    with EmbeddedLab() as lab:
        monkeypatch.setenv("RACLAB_DSN", lab.dsn)
        monkeypatch.setenv("RACLAB_USER", lab.user)
        monkeypatch.setenv("RACLAB_PASSWORD", lab.password)
        yield lab


@pytest.fixture
def arrived(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every statement that reaches a session of the embedded lab, in order of arrival."""
    return arriving(monkeypatch)


def own(embedded: EmbeddedLab, monkeypatch: pytest.MonkeyPatch) -> str:
    """Make the mark, as init would, and name the database; its name."""
    name, container = embedded.sql(
        "select sys_context('userenv', 'db_unique_name'), sys_context('userenv', 'con_name') from dual"
    ).frame.iloc[0]
    embedded.sql(MARK)
    embedded.sql("insert into raclab_mark values (:u, :n, :c, 'R', sysdate)", {"u": embedded.user, "n": name, "c": container})
    embedded.sql("commit")
    monkeypatch.setenv("RACLAB_I_OWN_THIS_DATABASE", name)
    return str(name)


@pytest.mark.parametrize("owned", ["", "PROD1", "raclab"])
def test_nothing_that_writes_reaches_a_database_that_is_not_the_labs(
    embedded: EmbeddedLab, arrived: list[str], owned: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RACLAB_I_OWN_THIS_DATABASE", owned)
    connector = Connector(oracle_settings())
    with OracleLab(connector, connector.open(), "Oracle Database 19c Enterprise Edition (19.21.0.0.0)") as lab:
        assert lab.kind is Kind.LIVE
        for write in (lambda: lab.run(MYTH), lambda: lab.sql("create table t (a number)"), lambda: lab.sql("delete from raclab_mark")):
            with pytest.raises(InterlockError, match="nothing was sent that writes"):
                write()
        assert len(lab.sql("select * from gv$instance")) == 2
    assert arrived and [statement for statement in arrived if not is_reading(statement)] == []


def test_a_served_cluster_is_recognised_and_says_so(embedded: EmbeddedLab) -> None:
    with connect_oracle() as lab:
        assert lab.kind is Kind.SIMULATED
        assert lab.sql("select instance_name from v$instance").badges == (Kind.SIMULATED,)
        with pytest.raises(
            InterlockError,
            match=r"somebody serves to many, for reading only: .*unset RACLAB_DSN to run nocache_sequences on one of your own",
        ):
            lab.run(MYTH)


def test_both_instances_are_reached(embedded: EmbeddedLab) -> None:
    with connect_oracle() as lab:
        for number in (1, 2):
            assert int(lab.sql("select instance_number from v$instance", instance=number).frame.iloc[0, 0]) == number


def test_the_workload_ends_at_plsql_and_everything_is_removed(embedded: EmbeddedLab, monkeypatch: pytest.MonkeyPatch) -> None:
    own(embedded, monkeypatch)
    with connect_oracle() as lab, pytest.raises(LiveRunError) as raised:
        lab.run(MYTH)
    assert str(raised.value).startswith("Setting up nocache_sequences failed with ORA-03001")
    assert str(raised.value).endswith("; all that the run made is removed.")
    assert raised.value.partial is None
    assert embedded.sql(TABLES).frame["TABLE_NAME"].tolist() == ["RACLAB_MARK"]
    _wait_until_gone(embedded)


def test_a_workload_without_plsql_runs_from_end_to_end(embedded: EmbeddedLab, monkeypatch: pytest.MonkeyPatch) -> None:
    name = own(embedded, monkeypatch)
    run = LiveRun(
        slug="plain",
        script=parse_script("plain.sql", PLAIN),
        values={"rows_per_session": 20},
        case=lambda instances: f"plain SQL, {instances} instances",
        levers=lambda instances: {},
        places=in_turn(4),
    )
    measured = run_live(Connector(oracle_settings()), run, name, say=lambda _: None)
    assert measured.case == "plain SQL, 2 instances (4 sessions on 2 instances)"
    assert measured.sessions[["inst_id", "session"]].to_numpy().tolist() == [[1, 1], [1, 2], [2, 1], [2, 2]]
    assert (measured.sessions["elapsed_s"] > 0).all()
    assert embedded.sql(TABLES).frame["TABLE_NAME"].tolist() == ["RACLAB_MARK"]


@pytest.mark.parametrize(
    ("call_timeout_s", "interrupted", "kind", "wanted"),
    [
        (
            2.0,
            False,
            LiveRunError,
            "(and in 1 more) took longer than 2 s and was cancelled (DPY-4024); all that the run made is removed.",
        ),
        (60.0, True, LiveRunStoppedError, "The run was stopped; all that the run made is removed."),
    ],
)
def test_calls_that_would_not_end_are_broken_off_over_the_wire(
    embedded: EmbeddedLab, monkeypatch: pytest.MonkeyPatch, call_timeout_s: float, interrupted: bool, kind: type[LiveRunError], wanted: str
) -> None:
    name = own(embedded, monkeypatch)
    run = LiveRun(
        "endless", parse_script("endless.sql", ENDLESS), {}, lambda _: "", lambda _: {}, in_turn(2), call_timeout_s=call_timeout_s
    )

    def progress(report: Progress) -> None:
        if interrupted and report.step == "running" and report.elapsed_s > 0.5:
            signal.raise_signal(signal.SIGINT)

    began = time.monotonic()
    with pytest.raises(kind) as raised:
        run_live(Connector(oracle_settings()), run, name, progress=progress, say=lambda _: None)
    assert time.monotonic() - began < 40
    assert wanted in str(raised.value)
    assert embedded.sql(TABLES).frame["TABLE_NAME"].tolist() == ["RACLAB_MARK"]


def _wait_until_gone(embedded: EmbeddedLab) -> None:
    """Until no session of the run is there; one whose connection was cut is over when its server has noticed."""
    deadline = time.monotonic() + 60
    while not embedded.sql("select distinct module from gv$session where module = 'raclab'").frame.empty:
        assert time.monotonic() < deadline


class Relay:
    """Passes the bytes of every connection on to another port, until it is told to cut some."""

    def __init__(self, port: int) -> None:
        self.target = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.connections: list[tuple[bytearray, socket.socket, socket.socket]] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                server = socket.create_connection(("127.0.0.1", self.target))
                asked = bytearray()
                self.connections.append((asked, client, server))
                for source, sink, note in ((client, server, asked), (server, client, bytearray())):
                    threading.Thread(target=self._pass, args=(source, sink, note), daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket, note: bytearray) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                note.extend(data)
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)

    def cut(self, asked_for: bytes) -> None:
        """End the connections on which the client has said this."""
        for asked, *ends in self.connections:
            if asked_for in asked:
                for end in ends:
                    with contextlib.suppress(OSError):
                        end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Stop listening and cut everything."""
        self.listener.close()
        self.cut(b"")


def test_connections_cut_in_the_middle_leave_the_rest(embedded: EmbeddedLab, monkeypatch: pytest.MonkeyPatch) -> None:
    """The network to instance 2 goes while its session works: the other's figures stay, and the table goes."""
    name = own(embedded, monkeypatch)
    relay = Relay(int(embedded.dsn.split(":")[1].split("/")[0]))
    monkeypatch.setenv("RACLAB_DSN", f"127.0.0.1:{relay.port}/RAC1")
    original = LiveSession.work

    def work(self: LiveSession, *rest: Any) -> Any:
        if self.instance.inst_id == 2:
            relay.cut(b"SERVICE_NAME=rac2")
        return original(self, *rest)

    monkeypatch.setattr(LiveSession, "work", work)
    run = LiveRun("plain", parse_script("plain.sql", PLAIN), {"rows_per_session": 20}, lambda _: "plain SQL", lambda _: {}, in_turn(2))
    with pytest.raises(LiveRunError, match=r"session 1 on instance 2 lost its session: .* \(DPY-4011\)") as raised:
        run_live(Connector(oracle_settings()), run, name, say=lambda _: None)
    relay.close()
    assert raised.value.partial is not None and raised.value.partial.sessions["inst_id"].tolist() == [1]
    assert embedded.sql(TABLES).frame["TABLE_NAME"].tolist() == ["RACLAB_MARK"]


COMMITTING = """
-- section: setup
create table raclab_plain (id number, payload varchar2(500));
-- section: workload
insert into raclab_plain select level, 'x' from dual connect by level <= :rows_per_session;
commit;
-- section: teardown
drop table raclab_plain;
"""


@pytest.mark.parametrize("point", ["before the barrier", "at the statement", "at the commit", "at the reading of the statistics"])
def test_a_connection_cut_at_any_point_leaves_no_table_and_the_other_sessions_figures(
    embedded: EmbeddedLab, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    name = own(embedded, monkeypatch)
    relay = Relay(int(embedded.dsn.split(":")[1].split("/")[0]))
    monkeypatch.setenv("RACLAB_DSN", f"127.0.0.1:{relay.port}/RAC1")
    read = LiveSession.snapshot
    done = live_session.execute
    reads = dict.fromkeys((1, 2), 0)

    def cut(inst_id: int, here: bool) -> None:
        if inst_id == 2 and here:
            relay.cut(b"SERVICE_NAME=rac2")

    def snapshot(self: LiveSession) -> Any:
        reads[self.instance.inst_id] += 1
        wanted = {"before the barrier": 1, "at the reading of the statistics": 2}.get(point)
        cut(self.instance.inst_id, reads[self.instance.inst_id] == wanted)
        return read(self)

    def execute(connection: Any, statement: str, values: Any) -> int:
        place = "at the commit" if statement == "commit" else "at the statement" if statement.startswith("insert") else ""
        cut(2 if values.get("my_instance") == 2 else 1, place == point)
        return done(connection, statement, values)

    monkeypatch.setattr(LiveSession, "snapshot", snapshot)
    monkeypatch.setattr(live_session, "execute", execute)
    script = parse_script("committing.sql", COMMITTING)
    run = LiveRun("plain", script, {"rows_per_session": 20}, lambda _: "plain SQL", lambda _: {}, in_turn(2), views=("LATCH", "OSSTAT"))
    with pytest.raises(LiveRunError, match=r"session 1 on instance 2 lost its session: .* \(DPY-4011\)") as raised:
        run_live(Connector(oracle_settings()), run, name, say=lambda _: None)
    relay.close()
    partial = raised.value.partial
    kept = [] if partial is None else partial.sessions["inst_id"].tolist()
    assert kept == ([] if point == "before the barrier" else [1])
    assert embedded.sql(TABLES).frame["TABLE_NAME"].tolist() == ["RACLAB_MARK"]
    _wait_until_gone(embedded)


def test_the_clients_arrays_reach_the_table(embedded: EmbeddedLab, monkeypatch: pytest.MonkeyPatch) -> None:
    """As far as the embedded lab goes with scale_out.sql: its INSERT, over a table without partitions and virtual columns."""
    name = own(embedded, monkeypatch)
    insert = read_script(ORACLE_SCRIPTS / "scale_out.sql").array
    text = f"""
-- section: setup
create table raclab_changes (client number not null, n number not null);
create table raclab_seen (rows_ number);
-- section: client
{insert};
-- section: teardown
insert into raclab_seen select count(*) from raclab_changes;
commit;
drop table raclab_changes;
"""
    values = {"rows_per_session": 25, "lever_bulk": 10}
    run = LiveRun("scale_out", parse_script("x.sql", text), values, lambda _: "clients", lambda _: {}, in_turn(3))
    measured = run_live(Connector(oracle_settings()), run, name, say=lambda _: None)
    assert measured.sessions["calls"].tolist() == [25] * 3
    assert embedded.sql("select max(rows_) from raclab_seen").frame.iloc[0, 0] == 75
