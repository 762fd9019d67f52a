"""The live runner over the real driver, against a database that answers as the test tells it."""

import datetime
import signal
import threading
import time
from typing import Any

import pytest

import raclab
from raclab.database import live
from raclab.database.connecting import Connector
from raclab.database.errors import ConnectError, SqlError
from raclab.database.guarded import GuardedConnection
from raclab.database.live import LiveRunError, LiveRunStoppedError, Progress
from raclab.errors import LabError
from raclab.evidence.measurement import Kind

MYTH = raclab.myth("nocache_sequences")
TOGETHER = {"start_gap_s": 0.0}
TWO = {1: "RAC1", 2: "RAC2"}
OWN = {"RACLAB_SEQ", "RACLAB_SEQ_ROWS"}


@pytest.fixture
def rac(fake_oracle: Any, as_lab_user: Any) -> Any:
    """A marked database with two instances."""
    oracle = fake_oracle(instances=TWO)
    as_lab_user(oracle)
    return oracle


def open_sessions(oracle: Any) -> int:
    """How many sessions that sent something have not been closed."""
    return len({sid for sid, _ in oracle.statements} - {sid for sid, end in oracle.ends if end == "closed"})


def workers(oracle: Any) -> list[int]:
    """The SIDs that were sent the workload."""
    return [sid for sid, statement in oracle.statements if statement.startswith("declare")]


def assert_clean(oracle: Any, left_alone: int = 0) -> None:
    """Nothing of the run is left: no object, no claim, no session but the lab's own and those ``left_alone``."""
    assert not oracle.objects & OWN
    deadline = time.monotonic() + 30
    while oracle.claimed or open_sessions(oracle) > 1 + left_alone:
        assert time.monotonic() < deadline
        threading.Event().wait(0.01)


def test_a_run_is_a_measurement_of_kind_live(rac: Any) -> None:
    with raclab.connect() as lab:
        assert lab.kind is Kind.LIVE
        measured = lab.run(MYTH, {"nodes": 2, **TOGETHER})
    assert measured.badge == "LIVE"
    assert measured.case.startswith("2 nodes, NOCACHE") and measured.case.endswith(" (2 sessions on 2 instances)")
    assert measured.sessions[["inst_id", "session", "calls", "cpu_s"]].to_numpy().tolist() == [[1, 1, 10_000, 8.0], [2, 1, 10_000, 8.0]]
    assert (measured.sessions["elapsed_s"] > 0).all()
    first = measured.waits[measured.waits["inst_id"] == 1].set_index("event")
    assert first.loc["row cache lock", ["wait_class", "total_waits", "time_s", "max_s"]].tolist() == ["Concurrency", 5413, 62.86, 2.93]
    assert first.loc["gc current block 2-way", "total_waits"] == 5167
    assert measured.waits.loc[measured.waits["inst_id"] == 2].set_index("event").loc["gc current block 2-way", "total_waits"] == 5168
    assert_clean(rac)


def test_only_what_the_run_itself_waited_for_counts(rac: Any) -> None:
    with raclab.connect() as lab:
        waits = lab.run(MYTH, TOGETHER).one_run().waits.query("inst_id == 1").set_index("event")
    assert set(waits.index) == {"row cache lock", "gc current block 2-way", "log file sync"}, "no idle time, nothing from before"
    assert waits.loc["log file sync", "total_waits"] == 2
    assert waits.loc["log file sync", "time_s"] == pytest.approx(0.004)
    assert waits["max_s"].isna().to_dict() == {"row cache lock": False, "gc current block 2-way": False, "log file sync": True}


def test_statistics_are_added_up_over_an_instance(fake_oracle: Any, as_lab_user: Any) -> None:
    as_lab_user(fake_oracle())
    with raclab.connect() as lab:
        stats = lab.run(MYTH, {"nodes": 3, **TOGETHER}, say=lambda _: None).stats
    assert stats[["inst_id", "name", "value"]].to_numpy().tolist() == [
        [1, "CPU used by this session", 2400.0],
        [1, "execute count", 60_000.0],
        [1, "user commits", 33.0],
    ]


def test_the_source_names_the_version_and_nobody(rac: Any) -> None:
    with raclab.connect() as lab:
        source = lab.run(MYTH, TOGETHER).source
    assert source.kind is Kind.LIVE and source.year == datetime.date.today().year and source.machine == "not stated"
    assert source.version.startswith("Oracle Database 23ai Free")
    assert not any(word in repr(source) for word in ("127.0.0.1", "RACLAB_", "FREEPDB1", "RAC1", str(rac.server.port)))


def test_each_session_is_on_its_instance_and_all_are_connected_before_anything_is_written(rac: Any) -> None:
    with raclab.connect() as lab:
        lab.run(MYTH, TOGETHER)
    sent = [" ".join(statement.split()).lower() for _, statement in rac.statements]
    first_write = next(position for position, text in enumerate(sent) if text.startswith(("drop", "create")))
    workload = [position for position, text in enumerate(sent) if text.startswith("declare")]
    last_connected = max(position for position, text in enumerate(sent) if "'sid'" in text)
    assert last_connected < first_write < min(workload)
    assert len(set(workers(rac))) == 2


def test_sessions_start_together(rac: Any) -> None:
    ready = threading.Barrier(2)
    rac.work = lambda session: ready.wait(30) + 1
    with raclab.connect() as lab:
        measured = lab.run(MYTH, TOGETHER)
    assert sorted(measured.sessions["calls"]) == [1, 2], "each saw the other at work"


def test_start_gap_sets_the_sessions_apart(rac: Any) -> None:
    began: dict[int, float] = {}

    def work(session: Any) -> int:
        began[session.inst_id] = time.monotonic()
        return 1

    rac.work = work
    with raclab.connect() as lab:
        measured = lab.run(MYTH, {"start_gap_s": 2.0})
    assert began[2] - began[1] > 1.5
    assert (measured.sessions["elapsed_s"] < 1.5).all(), "the gap is not the session's time"


def test_levers_reach_the_database_as_binds(rac: Any) -> None:
    with raclab.connect() as lab:
        measured = lab.run(MYTH, {"cache": 1000, "order": True, "commit_every": 10, **TOGETHER}, binds={"rows_per_session": 50})
    sent = list(zip(rac.statements, rac.binds, strict=True))
    assert [values for (_, text), (_, values) in sent if text.startswith("begin")] == [[1000, 1]]
    assert [values for (_, text), (_, values) in sent if text.startswith("declare")] == [[10, 50, None]] * 2
    assert measured.levers == {"cache": 1000, "order": True, "nodes": 2, "commit_every": 10, "start_gap_s": 0.0}


def test_a_lever_without_effect_is_named(rac: Any) -> None:
    said: list[str] = []
    with raclab.connect() as lab:
        measured = lab.run(MYTH, {"redo_write_ms": 1.0, **TOGETHER}, say=said.append)
    assert said == ["redo_write_ms has no effect here: that is the database's own."]
    assert "redo" not in measured.case and "redo_write_ms" not in measured.levers


def test_one_instance_runs_all_sessions_and_says_what_needs_rac(fake_oracle: Any, as_lab_user: Any) -> None:
    as_lab_user(fake_oracle())
    said: list[str] = []
    with raclab.connect() as lab:
        measured = lab.run(MYTH, {"nodes": 2, **TOGETHER}, say=said.append)
    assert said == [f"One instance is open: all 2 sessions run there. {MYTH.live.needs_rac}"]
    assert measured.case.startswith("1 node, NOCACHE") and measured.case.endswith(" (2 sessions on 1 instance)")
    assert measured.levers["nodes"] == 1
    assert measured.sessions[["inst_id", "session"]].to_numpy().tolist() == [[1, 1], [1, 2]]


def test_more_sessions_than_instances_share_them(rac: Any) -> None:
    said: list[str] = []
    with raclab.connect() as lab:
        measured = lab.run(MYTH, {"nodes": 3, **TOGETHER}, say=said.append)
    assert said == ["2 instances are open: the 3 sessions share them."]
    assert measured.sessions[["inst_id", "session"]].to_numpy().tolist() == [[1, 1], [1, 2], [2, 1]]


def test_module_and_action_are_set_and_reset(rac: Any) -> None:
    with raclab.connect() as lab:
        lab.run(MYTH, TOGETHER)
    for sid in workers(rac):
        assert [attributes for who, attributes in rac.tracing if who == sid] == [
            {"module": "raclab", "action": "nocache_sequences"},
            {"module": None, "action": None},
        ]


def test_progress_is_reported_in_the_callers_thread(rac: Any) -> None:
    reports: list[tuple[Progress, bool]] = []
    with raclab.connect() as lab:
        lab.run(MYTH, TOGETHER, progress=lambda report: reports.append((report, threading.current_thread() is threading.main_thread())))
    steps = list(dict.fromkeys(report.step for report, _ in reports))
    assert steps == ["connecting", "setting up", "running"]
    assert all(main for _, main in reports)
    assert str(Progress("running", 1, 2, 3.4)) == "running: 1 of 2, 3 s"


def test_what_an_earlier_run_left_behind_is_removed(rac: Any) -> None:
    rac.objects |= OWN
    with raclab.connect() as lab:
        lab.run(MYTH, TOGETHER)
    assert_clean(rac)


# --- failures ---


def test_a_failing_session_leaves_the_others_figures(rac: Any) -> None:
    def work(session: Any) -> int:
        if session.inst_id == 2:
            raise failing(1653, "unable to extend table RACLAB.RACLAB_SEQ_ROWS by 128 in tablespace USERS")
        return 10_000

    rac.work = work
    with raclab.connect() as lab, pytest.raises(LiveRunError) as raised:
        lab.run(MYTH, TOGETHER)
    assert str(raised.value) == (
        "The workload in session 1 on instance 2 failed with ORA-01653: unable to extend table RACLAB.RACLAB_SEQ_ROWS by 128 in "
        "tablespace USERS; the figures of 1 of 2 sessions are in .partial; all that the run made is removed."
    )
    partial = raised.value.partial
    assert partial is not None and partial.sessions["inst_id"].tolist() == [1]
    assert partial.case.endswith("(1 of 2 sessions on 2 instances)")
    assert_clean(rac)


def test_a_connection_cut_in_the_middle_leaves_the_others_figures(rac: Any) -> None:
    def work(session: Any) -> int:
        if session.inst_id == 1:
            raise RuntimeError("the network is gone")
        return 10_000

    rac.work = work
    with raclab.connect() as lab, pytest.raises(LiveRunError) as raised:
        lab.run(MYTH, TOGETHER)
    assert "session 1 on instance 1 lost its session" in str(raised.value) and "(DPY-4011)" in str(raised.value)
    assert raised.value.partial is not None and raised.value.partial.sessions["inst_id"].tolist() == [2]
    assert_clean(rac)


def test_a_session_that_can_not_get_ready_stops_the_others_before_they_begin(rac: Any) -> None:
    rac.others["v[$]session_event"] = lambda session: refuse_on(session, 2)
    with raclab.connect() as lab, pytest.raises(LiveRunError, match="session 1 on instance 2 failed with ORA-00942") as raised:
        lab.run(MYTH, TOGETHER)
    assert raised.value.partial is None and workers(rac) == []
    assert_clean(rac)


def refuse_on(session: Any, inst_id: int) -> Any:
    """ORA-00942 on one instance; elsewhere what would have come."""
    if session.inst_id == inst_id:
        raise failing(942, "table or view does not exist")
    return session._read("v$session_event")


def test_a_call_that_takes_too_long_is_cancelled(rac: Any) -> None:
    def work(session: Any) -> int:
        if session.inst_id == 2:
            threading.Event().wait(2.6)  # the break is answered after this
        return 10_000

    rac.work = work
    with raclab.connect() as lab, pytest.raises(LiveRunError) as raised:
        lab.run(MYTH, TOGETHER, call_timeout_s=2.0)
    assert "session 1 on instance 2 took longer than 2 s and was cancelled (DPY-4024)" in str(raised.value)
    assert raised.value.partial is not None and raised.value.partial.sessions["inst_id"].tolist() == [1]
    assert_clean(rac)


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("^create table", "Setting up nocache_sequences failed with ORA-01031: insufficient privileges"),
        ("^begin", "Setting up nocache_sequences failed with ORA-01031: insufficient privileges"),
        (
            "gv[$]instance",
            "Reading V$VERSION and GV$INSTANCE failed with ORA-01031: insufficient privileges: python -m raclab oracle check",
        ),
        ("v[$]version", "Reading V$VERSION and GV$INSTANCE failed with ORA-01031: insufficient privileges: python -m raclab oracle check"),
    ],
)
def test_a_failure_before_the_workload_leaves_nothing(rac: Any, pattern: str, wanted: str) -> None:
    with raclab.connect() as lab:
        rac.refuse[pattern] = (1031, "insufficient privileges")
        with pytest.raises(LabError) as raised:
            lab.run(MYTH, TOGETHER)
    assert str(raised.value).startswith(wanted)
    assert getattr(raised.value, "partial", None) is None and workers(rac) == []
    assert_clean(rac)


def test_what_can_not_be_dropped_is_named_and_the_figures_are_kept(rac: Any) -> None:
    def work(session: Any) -> int:
        rac.refuse["^drop table"] = (54, "resource busy and acquire with NOWAIT specified or timeout expired")
        return 10_000

    rac.work = work
    with raclab.connect() as lab, pytest.raises(LiveRunError) as raised:
        lab.run(MYTH, TOGETHER)
    assert str(raised.value).startswith(
        "The run is measured, but the figures of 2 of 2 sessions are in .partial; dropping its objects failed"
    )
    assert str(raised.value).endswith("the next run removes them, or python -m raclab oracle drop does.")
    assert raised.value.partial is not None and len(raised.value.partial.sessions) == 2


def test_the_control_session_lost_during_the_run_is_replaced_for_the_cleaning_up(rac: Any) -> None:
    lost = threading.Event()

    def drop(session: Any) -> Any:
        if not lost.is_set() and "RACLAB_SEQ_ROWS" in rac.objects:
            lost.set()
            raise RuntimeError("the network is gone")
        return session._change("drop table raclab_seq_rows purge")

    rac.others["^drop table"] = drop
    with raclab.connect() as lab:
        assert len(lab.run(MYTH, TOGETHER).sessions) == 2
    assert lost.is_set()
    assert_clean(rac)


def test_a_service_that_leads_to_another_database_is_not_taken_for_the_instance(rac: Any) -> None:
    rac.elsewhere[2] = "PROD1"
    with raclab.connect() as lab:
        with pytest.raises(LabError, match="The service in RACLAB_DSN does not lead to instance RAC2"):
            lab.run(MYTH, TOGETHER)
        with pytest.raises(ConnectError, match="does not lead to instance RAC2"):
            lab.instance(2)
    assert not any(text.startswith(("drop", "create", "begin", "declare")) for text in rac.sent())


def test_every_session_asks_the_interlock_for_itself(rac: Any) -> None:
    with raclab.connect() as lab:
        lab.run(MYTH, TOGETHER)
    for sid in {sid for sid, text in rac.statements if not text.startswith("select")}:
        asked = [" ".join(text.split()) for who, text in rac.statements if who == sid]
        first_write = next(position for position, text in enumerate(asked) if not text.startswith("select"))
        assert any(text.endswith("from RACLAB_MARK") for text in asked[:first_write])


def test_one_run_at_a_time_in_a_schema(rac: Any) -> None:
    rac.claimed = True
    with raclab.connect() as lab, pytest.raises(LiveRunError, match="Another run is under way"):
        lab.run(MYTH, TOGETHER)
    assert not any(text.startswith(("drop", "create", "begin", "declare")) for text in rac.sent())


def test_an_error_of_the_callers_own_is_not_swallowed_and_still_cleaned_up_after(rac: Any) -> None:
    def progress(report: Progress) -> None:
        if report.step == "running":
            raise ZeroDivisionError

    with raclab.connect() as lab, pytest.raises(ZeroDivisionError):
        lab.run(MYTH, TOGETHER, progress=progress)
    assert_clean(rac)


# --- Ctrl-C ---


@pytest.fixture
def broken_calls(monkeypatch: pytest.MonkeyPatch) -> list[GuardedConnection]:
    """The connections whose calls were cancelled, in order. The driver's own cancel takes place as well."""
    cancelled: list[GuardedConnection] = []
    original = GuardedConnection.cancel

    def cancel(self: GuardedConnection) -> None:
        cancelled.append(self)
        original(self)

    monkeypatch.setattr(GuardedConnection, "cancel", cancel)
    return cancelled


def test_ctrl_c_cancels_cleans_up_and_keeps_what_finished(rac: Any, broken_calls: list[Any]) -> None:
    def work(session: Any) -> int:
        if session.inst_id == 2:
            deadline = time.monotonic() + 30  # a real database hears the break; this one is told
            while not broken_calls and time.monotonic() < deadline:
                threading.Event().wait(0.01)
        return 10_000

    def interrupt(report: Progress) -> None:
        if report.step == "running" and report.done == 1:
            signal.raise_signal(signal.SIGINT)

    rac.work = work
    with raclab.connect() as lab:
        with pytest.raises(LiveRunStoppedError) as raised:
            lab.run(MYTH, TOGETHER, progress=interrupt)
        assert str(raised.value) == (
            "The run was stopped; the figures of 1 of 2 sessions are in .partial; all that the run made is removed."
        )
        assert len(lab.sql("select 'x' from dual")) == 1, "the lab goes on"
    assert len(broken_calls) == 1
    assert raised.value.partial is not None and raised.value.partial.sessions["inst_id"].tolist() == [1]
    assert_clean(rac)


def test_ctrl_c_before_the_start_keeps_nothing(rac: Any) -> None:
    def interrupt(report: Progress) -> None:
        if report.step == "setting up" and report.done == 1:
            signal.raise_signal(signal.SIGINT)

    with (
        raclab.connect() as lab,
        pytest.raises(LiveRunStoppedError, match=r"The run was stopped; all that the run made is removed\.") as raised,
    ):
        lab.run(MYTH, TOGETHER, progress=interrupt)
    assert raised.value.partial is None and workers(rac) == []
    assert_clean(rac)


def test_ctrl_c_between_two_starts_lets_the_later_session_not_begin(rac: Any) -> None:
    def interrupt(report: Progress) -> None:
        if report.step == "running" and report.done == 1:
            signal.raise_signal(signal.SIGINT)

    with raclab.connect() as lab, pytest.raises(LiveRunStoppedError) as raised:
        lab.run(MYTH, {"start_gap_s": 10.0}, progress=interrupt)
    assert len(workers(rac)) == 1 and raised.value.partial is not None
    assert_clean(rac)


def test_a_session_that_does_not_hear_the_break_is_not_waited_for_for_ever(rac: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "CANCEL_GRACE_S", 0.3)
    deaf = threading.Event()

    def work(session: Any) -> int:
        if session.inst_id == 2:
            deaf.wait(60)
        return 10_000

    def interrupt(report: Progress) -> None:
        if report.step == "running" and report.done == 1:
            signal.raise_signal(signal.SIGINT)

    rac.work = work
    began = time.monotonic()
    with raclab.connect() as lab, pytest.raises(LiveRunStoppedError) as raised:
        lab.run(MYTH, TOGETHER, progress=interrupt)
    assert time.monotonic() - began < 30
    assert raised.value.partial is not None
    assert_clean(rac, left_alone=1)
    deaf.set()


# --- the lab around it ---


def failing(code: int, message: str) -> Exception:
    """An error of the database."""
    from seerdb.server.backend import BackendError

    return BackendError(message, ora_code=code)


def test_instances_are_reached_by_number(rac: Any) -> None:
    with raclab.connect() as lab:
        for number in (1, 2):
            assert lab.sql("select sys_context('userenv', 'sid') from dual", instance=number).frame.iloc[0, 1] == str(number)
        assert lab.instance(2) is lab.instance(2)
        with pytest.raises(ConnectError, match=r"There is no open instance 3; open: 1, 2\."):
            lab.instance(3)


def test_a_lost_session_is_said_and_the_next_cell_works(rac: Any) -> None:
    rac.others["from nowhere"] = lambda session: (_ for _ in ()).throw(RuntimeError("cut"))
    with raclab.connect() as lab:
        with pytest.raises(SqlError, match=r"The session is lost: .* \(DPY-4011\)\. Run the cell again\."):
            lab.sql("select 1 from nowhere")
        assert len(lab.sql("select 'x' from dual")) == 1


def test_a_slow_statement_is_cancelled_and_named(rac: Any) -> None:
    def slow(session: Any) -> Any:
        threading.Event().wait(1.6)
        return session._read("from dual")

    rac.others["from slow"] = slow
    with raclab.connect() as lab:
        lab.connection.call_timeout = 1000
        with pytest.raises(SqlError, match=r"was cancelled \(DPY-4024\)"):
            lab.sql("select 1 from slow")


def test_a_simulated_cluster_that_is_served_is_not_called_live(rac: Any) -> None:
    rac.banner = "RAC Myths Lab simulated cluster"
    with raclab.connect() as lab:
        assert lab.kind is Kind.SIMULATED
        table = lab.sql("select 'x' from dual")
        assert table.badges == (Kind.SIMULATED,) and table.source.startswith("simulated cluster served at 127.0.0.1:")


@pytest.mark.parametrize("refused", ["load", "reset"])
def test_what_only_a_simulation_can_do_is_refused(rac: Any, refused: str) -> None:
    with raclab.connect() as lab, pytest.raises(LabError, match="real database"):
        lab.load(MYTH.published()[0]) if refused == "load" else lab.reset()


def test_a_myth_without_a_workload_is_refused(rac: Any) -> None:
    class Elsewhere:
        slug = "elsewhere"
        live = None

    with raclab.connect() as lab, pytest.raises(LabError, match="elsewhere has no workload for a real database"):
        lab.run(Elsewhere())


@pytest.mark.parametrize(
    ("binds", "wanted"),
    [
        ({"rows": 5}, r"nocache_sequences\.sql has no bind rows; it has rows_per_session\."),
        ({"rows_per_session": 0}, "rows_per_session can't be 0: it takes a whole number from 1"),
        ({"rows_per_session": "1; drop table t"}, "rows_per_session can't be '1; drop table t'"),
    ],
)
def test_binds_are_checked(rac: Any, binds: Any, wanted: str) -> None:
    with raclab.connect() as lab, pytest.raises(LabError, match=wanted):
        lab.run(MYTH, TOGETHER, binds=binds)


def test_no_password_in_reprs_and_closing_twice_is_nothing(rac: Any) -> None:
    lab = raclab.connect()
    assert rac.password not in repr(lab) + repr(vars(lab)) + repr(lab.connection) + repr(vars(lab.connector))
    lab.close()
    lab.close()


def test_thirty_sessions_start_and_end(rac: Any) -> None:
    connector = Connector(raclab.database.settings.oracle_settings())
    run = raclab.database.oracle.live_run(
        MYTH.slug,
        MYTH.live,
        raclab.database.workload.read_script(raclab.paths.ORACLE_SCRIPTS / MYTH.live.script),
        MYTH.levers(start_gap_s=0.0),
        {},
        60.0,
    )
    many = live.LiveRun(**{**vars(run), "places": lambda instances: [position % instances for position in range(30)]})
    measured = live.run_live(connector, many, "FREE", say=lambda _: None)
    assert measured.sessions.groupby("inst_id")["session"].agg(["min", "max"]).to_numpy().tolist() == [[1, 15], [1, 15]]
    assert_clean(rac)
