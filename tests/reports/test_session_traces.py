"""A simulated session's trace and its summary agree with what the views say of the session, for every myth that can be traced."""

import pytest

import raclab
from raclab.cluster.sql_ids import sql_id
from raclab.database.embedded import EmbeddedLab
from raclab.evidence.measurement import Kind
from raclab.reports.errors import TraceError
from raclab.reports.tkprof_reader import read_tkprof
from raclab.reports.trace_reader import read_trace

# slug, levers, whether the views show the run itself or multiply a sample of it
TRACED = [
    ("start_here", {"jobs": 3}, True),
    ("nocache_sequences", {"nodes": 2}, True),
    ("nocache_sequences", {"nodes": 3, "cache": 20, "order": True}, True),
    ("logical_isolation", {}, True),
    ("interconnect_blame", {}, True),
    ("lms_cpu_starvation", {}, True),
    ("scale_out", {}, True),
    ("nfs_throughput", {"oltp": True}, True),
    ("parallel_across_instances", {}, True),
    ("latch_spin_cpu", {"sessions": 4}, False),
    ("kernel_time_semaphores", {}, False),
]


@pytest.fixture(scope="module")
def lab():
    with EmbeddedLab() as made:
        yield made


def run(lab, slug, levers, seed):
    """The measurement, and (INST_ID, SID) of the run's sessions: the last instance's first, in the order of their numbers."""
    known = int(lab.sql("select max(sid) from gv$session").frame.iloc[0, 0])
    measured = lab.run(raclab.myth(slug), levers, seed)
    sql = "select inst_id, sid from gv$session where module = :m and sid > :known order by 1 desc, 2"
    return measured, lab.sql(sql, {"m": slug, "known": known}).frame.astype(int).values.tolist()


def waits_of(lab, sid):
    rows = lab.sql("select event, total_waits, time_waited_micro from gv$session_event where sid = :sid", {"sid": sid}).frame
    return {event: (waits, micro) for event, waits, micro in rows.itertuples(index=False)}


@pytest.mark.parametrize(("slug", "levers", "whole"), TRACED, ids=lambda value: value if isinstance(value, str) else None)
def test_a_trace_adds_up_to_what_the_views_say(lab, slug, levers, whole):
    measured, sessions = run(lab, slug, levers, 3)
    instance, sid = sessions[0]
    report = lab.trace((instance, sid))
    trace = read_trace(report.text)
    assert report.kind is Kind.SIMULATED and "(SIMULATED; no Oracle wrote it)" in report.lines()[0]
    assert ("The run is a sample" in report.text) is not whole
    assert (trace.calls["c"] <= trace.calls["e"] + 1).all()
    assert trace.calls["tim"].is_monotonic_increasing
    assert [one.sql_id for one in trace.statements] == [sql_id(one.text) for one in trace.statements]
    if whole:
        # wait by wait, to the microsecond
        found = trace.waits.groupby("event")["ela"].agg(["count", "sum"])
        assert {event: tuple(row) for event, row in zip(found.index, found.to_numpy().tolist(), strict=True)} == waits_of(lab, sid)
        mine = measured.sessions[(measured.sessions["inst_id"] == instance) & (measured.sessions["session"] == 1)]["cpu_s"].iloc[0]
        # the CPU before a session's first statement is nobody's
        assert 0.98 * mine <= trace.calls[trace.calls["dep"] == 0]["c"].sum() / 1e6 <= mine + 1e-5

    calls, waits = read_tkprof(lab.tkprof(sid).text)
    assert calls["count"].sum() == len(trace.calls)
    in_trace = trace.waits[trace.waits["statement"] >= 0]
    assert waits["times_waited"].sum() == len(in_trace)
    assert waits["total_waited_s"].sum() == pytest.approx(in_trace["ela"].sum() / 1e6, abs=0.006 * max(1, len(waits)))


def test_calls_are_those_that_the_model_counts(lab):
    """A session's executions of each statement; those of recursive statements are in their callers' time."""
    _, sessions = run(lab, "nocache_sequences", {"nodes": 2, "cache": 20}, 2)
    sid = sessions[0][1]
    trace = read_trace(lab.trace(sid).text)
    executed = trace.calls[trace.calls["call"] == "EXEC"].groupby("statement").size()
    assert {trace.statements[number].text.split()[0]: count for number, count in executed.items()} == {
        "INSERT": 10_000, "update": 500, "COMMIT": 10,
    }  # fmt: skip
    assert {one.text.split()[0]: one.depth for one in trace.statements} == {"INSERT": 0, "update": 1, "COMMIT": 0}
    assert trace.commits == 10
    top = trace.calls[trace.calls["dep"] == 0]["e"].sum()
    sql = "select value from gv$sess_time_model where sid = :sid and stat_name = 'DB time'"
    assert top == pytest.approx(int(lab.sql(sql, {"sid": sid}).frame.iloc[0, 0]), rel=1e-4)


def test_the_same_run_is_traced_the_same_and_another_one_is_not(lab):
    sids = [run(lab, "interconnect_blame", None, seed)[1][0][1] for seed in (1, 1, 2)]
    first, again, other = (read_trace(lab.trace(sid).text).waits["ela"].tolist() for sid in sids)
    assert first == again != other


def test_sessions_that_can_not_be_traced():
    with EmbeddedLab() as lab:
        with pytest.raises(TraceError, match="SID 999 is no simulated session: nothing was run yet"):
            lab.trace(999)
        myth = raclab.myth("start_here")
        lab.run(myth)
        own = int(lab.sql("select sid from gv$session where module = 'start_here'").frame.iloc[0, 0])
        with pytest.raises(TraceError, match=rf"SID {own} is a session of instance 1, not of 2"):
            lab.tkprof((2, own))
        lab.load(myth.simulate(myth.levers(), [1]), "start_here")
        loaded = lab.sql("select max(sid) from gv$session where module = 'start_here'").frame.iloc[0, 0]
        with pytest.raises(TraceError, match="was loaded as a measurement, without the seed"):
            lab.trace(loaded)
        lab.reset()
        with pytest.raises(TraceError, match="is no simulated session"):
            lab.trace(own)


def test_a_myth_that_is_not_simulated_step_by_step_says_so(monkeypatch):
    from raclab.reports.traced_run import traced_run

    class Formula:
        slug = "a_formula"

        def simulate(self, levers, seeds=(1,)):
            return raclab.myth("start_here").published()

    with pytest.raises(TraceError, match="a_formula does not simulate its sessions step by step"):
        traced_run(Formula(), None, 1, 1, 1)
    monkeypatch.setattr("raclab.reports.traced_run.MOST_LINES", 10)
    with pytest.raises(TraceError, match="and 10 are kept: trace a smaller one"):
        myth = raclab.myth("start_here")
        traced_run(myth, myth.levers(), 1, 1, 1)
