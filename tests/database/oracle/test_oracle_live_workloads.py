"""Every myth's live run over the real driver, against a database that answers as the test tells it; and what instances counted."""

from typing import Any

import pandas as pd
import pytest

import raclab
from raclab.database import instance_figures, views
from raclab.database.live import LiveRunError
from raclab.database.live_session import Load
from raclab.database.reading import is_reading
from raclab.evidence.measurement import Kind, Measurement

LIVE = [slug for slug in raclab.slugs() if raclab.myth(slug).live is not None]
TWO = {1: "RAC1", 2: "RAC2"}
SOONER = {"start_gap_s": 0.0}


def run(slug: str, levers: dict[str, Any] | None = None, **more: Any) -> tuple[Measurement, list[str]]:
    """The live run of a myth, and what it said."""
    myth, said = raclab.myth(slug), []
    chosen = {name: value for name, value in SOONER.items() if name in myth.levers.specs()} | (levers or {})
    with raclab.connect() as lab:
        measured = lab.run(myth, chosen, say=said.append, **more)
    return measured, said


@pytest.fixture
def rac(fake_oracle: Any, as_lab_user: Any) -> Any:
    """A marked database with two instances, whose statistics know the global cache."""
    oracle = fake_oracle(instances=TWO)
    as_lab_user(oracle)
    return oracle


@pytest.mark.parametrize("slug", LIVE)
@pytest.mark.parametrize("instances", [1, 2])
def test_every_live_myth_runs_and_its_chart_and_sentence_take_the_figures(rac: Any, slug: str, instances: int) -> None:
    rac.instances = {number: TWO[number] for number in range(1, instances + 1)}
    myth = raclab.myth(slug)
    few = {"rows_per_session": 20} if slug == "scale_out" else {}
    if instances < myth.live.least_instances:
        with pytest.raises(LiveRunError, match=r"needs 2 open instances and GV.INSTANCE shows 1, so nothing was sent that writes"):
            run(slug, binds=few)
        assert [one for one in rac.sent() if not is_reading(one) and not one.endswith("for update nowait")] == [], "but for the claim"
        return
    measured, _ = run(slug, binds=few)
    assert measured.source.kind is Kind.LIVE and len(measured.sessions) == len(myth.live.places(myth.levers(), instances))
    assert set(measured.sessions["inst_id"]) <= set(rac.instances)
    assert len(myth.figure([*myth.published(), measured]).data) == len(myth.figure(myth.published() or [measured]).data)
    said = myth.sentence([measured])
    assert said.startswith(f"LIVE, {measured.case}: ") and "By hand" not in said
    assert not rac.objects - {"RACLAB_MARK"}


PLACES = {
    ("start_here", (("jobs", 3),), 2): [1, 1, 1],
    ("latch_spin_cpu", (("sessions", 2),), 2): [1, 1],
    ("parallel_across_instances", (), 2): [1],
    ("interconnect_blame", (), 2): [1] * 4 + [2] * 4,
    ("lms_cpu_starvation", (("runnable", 2),), 2): [1] * 3 + [2] * 4,
    ("logical_isolation", (("threads", 2),), 2): [1, 1, 2, 2],
    ("logical_isolation", (("threads", 2), ("affinity", False)), 2): [1, 1, 2, 2],
    ("logical_isolation", (("threads", 2), ("nodes", 1)), 2): [1] * 4,
    ("logical_isolation", (("threads", 2),), 1): [1] * 4,
    ("scale_out", (("clients", 40), ("nodes", 2)), 2): [1] * 8 + [2] * 8,
    ("nocache_sequences", (("nodes", 3),), 2): [1, 1, 2],
}


@pytest.mark.parametrize(("slug", "levers", "instances"), PLACES)
def test_sessions_go_where_the_myth_puts_them(rac: Any, slug: str, levers: Any, instances: int) -> None:
    rac.instances = {number: TWO[number] for number in range(1, instances + 1)}
    few = {"rows_per_session": 5} if slug == "scale_out" else {}
    measured, _ = run(slug, dict(levers), binds=few)
    assert sorted(measured.sessions["inst_id"].tolist()) == PLACES[slug, levers, instances]


def test_without_affinity_each_organizations_threads_are_on_both_instances() -> None:
    levers = raclab.myth("logical_isolation").levers(threads=2, affinity=False)
    assert raclab.myth("logical_isolation").live.places(levers, 2) == [0, 1, 0, 1]


def test_sessions_know_their_numbers(rac: Any) -> None:
    run("interconnect_blame")
    bound = [values for (_, text), (_, values) in zip(rac.statements, rac.binds, strict=True) if text.startswith("declare")]
    assert sorted(values[0] for values in bound) == list(range(1, 9)), "my_number"
    assert {values[1] for values in bound} == {8}, "all_sessions"


def test_clients_send_arrays_of_the_levers_size(rac: Any) -> None:
    measured, _ = run("scale_out", {"clients": 2, "nodes": 1, "bulk": 10, "indexes": 1}, binds={"rows_per_session": 25})
    inserts = [sid for sid, text in rac.statements if text.startswith("insert into raclab_changes")]
    assert measured.sessions["calls"].tolist() == [25, 25]
    assert len(inserts) in {2 * 3, 2 * 25}, "three calls each; the stand-in may see each row by itself"
    assert measured.rate == pytest.approx(50 / measured.sessions["elapsed_s"].max())
    assert measured.case.startswith("1 node, 2 clients, bulk 10") and "16 at most" in raclab.myth("scale_out").live.explains


def test_more_clients_than_a_database_should_get_are_lowered_and_said(rac: Any) -> None:
    measured, _ = run("scale_out", {"clients": 300, "nodes": 2, "bulk": 10}, binds={"rows_per_session": 1})
    assert len(measured.sessions) == 16 and measured.levers["clients"] == 16 and "16 clients" in measured.case


# --- what instances counted ---


def test_the_views_read_are_documented_columns() -> None:
    for view, counters in instance_figures.VIEWS.items():
        assert {*counters.keys, *counters.counts} <= {column.name for column in views.documented()[view]}, view
    for view, columns in instance_figures.SESSION_VIEWS.items():
        assert set(columns) <= {column.name for column in views.documented()[view]}, view
    for slug in LIVE:
        live = raclab.myth(slug).live
        assert set(live.views) <= set(instance_figures.VIEWS) and set(live.session_views) <= set(instance_figures.SESSION_VIEWS)


def rowcache(oracle: Any, grown: tuple[int, int]) -> None:
    """V$ROWCACHE of two instances: dc_sequences in two rows on the first, and something that stands still."""
    reads: list[int] = []

    def answer(session: Any) -> Any:
        reads.append(session.sid)
        more = (0, 0) if len(reads) == 1 else grown
        names = "INST_ID TYPE PARAMETER GETS GETMISSES MODIFICATIONS FLUSHES DLM_REQUESTS DLM_CONFLICTS DLM_RELEASES"
        quiet = ("PARENT", "dc_users", 7, 0, 0, 0, 0, 0, 0)
        return oracle.rows(
            names,
            (1, "PARENT", "dc_sequences", 100 + more[0], 10, 5, 5, 3, 0, 0),
            (1, "PARENT", "dc_sequences", 1, 0, 0, 0, 0, 0, 0),
            (2, "PARENT", "dc_sequences", 50 + more[1], 10, 5, 5, 3, 0, 0),
            (1, *quiet),
            (2, *quiet),
        )

    oracle.others["from gv[$]rowcache"] = answer


def test_what_instances_counted_over_the_run_is_in_the_views(rac: Any) -> None:
    rowcache(rac, (20, 30))
    measured, said = run("nocache_sequences", {"nodes": 2})
    assert set(measured.views) == {"ROWCACHE"}, "V$ENQUEUE_STATISTICS can't be read here"
    frame = measured.views["ROWCACHE"]
    assert frame[["run", "INST_ID", "PARAMETER", "GETS", "DLM_REQUESTS"]].to_numpy().tolist() == [
        [0, 1, "dc_sequences", 20, 0],
        [0, 2, "dc_sequences", 30, 0],
    ]
    assert said == ["V$ROWCACHE: counted for whole instances, so what others did there meanwhile is in it."]


def test_a_counter_that_fell_counts_from_zero() -> None:
    key = (1, "PARENT", "dc_sequences")
    before, after = {"ROWCACHE": {key: (9.0,) * 7}}, {"ROWCACHE": {key: (4.0,) * 7}}
    assert instance_figures.grown(before, after)["ROWCACHE"]["GETS"].tolist() == [4.0]
    assert instance_figures.grown(after, after) == {}


def test_the_serving_instances_statistics_stand_beside_the_sessions_own(rac: Any) -> None:
    reads: list[int] = []

    def answer(session: Any) -> Any:
        reads.append(1)
        more = 0 if len(reads) == 1 else 40
        return rac.rows("INST_ID NAME VALUE", (1, "gc cr blocks served", 100 + more), (2, "gc cr blocks served", 7))

    rac.others["from gv[$]sysstat"] = answer
    measured, _ = run("interconnect_blame")
    served = measured.stats[measured.stats["name"] == "gc cr blocks served"]
    assert served[["inst_id", "value"]].to_numpy().tolist() == [[1, 40.0]] and "SYSSTAT" not in measured.views


def test_counters_that_can_not_be_read_at_the_end_cost_the_views_only(rac: Any) -> None:
    reads: list[int] = []

    def answer(session: Any) -> Any:
        reads.append(1)
        if len(reads) > 1:
            raise RuntimeError("the network is gone")
        return rac.rows("INST_ID TYPE PARAMETER A B C D E F G", (1, "PARENT", "dc_sequences", 1, 1, 1, 1, 1, 1, 1))

    rac.others["from gv[$]rowcache"] = answer
    measured, said = run("nocache_sequences", {"nodes": 2})
    assert len(measured.sessions) == 2 and measured.views == {}
    assert said[0].startswith("Reading the counters of the instances lost its session") and said[0].endswith("are kept without them.")


def test_the_table_queues_say_what_crossed_the_interconnect(rac: Any) -> None:
    names = "DFO_NUMBER TQ_ID SERVER_TYPE NUM_ROWS BYTES WAITS TIMEOUTS PROCESS INSTANCE"
    rac.others["from v[$]pq_tqstat"] = lambda session: rac.rows(
        names,
        (1, 0, "Producer", 10, 600, 0, 0, "P000", 1),
        (1, 0, "Producer", 10, 400, 0, 0, "P001", 2),
        (1, 0, "Consumer", 10, 500, 0, 0, "P002", 1),
        (1, 0, "Consumer", 10, 500, 0, 0, "P003", 2),
        (1, 1, "Producer", 1, 30, 0, 0, "P002", 1),
        (1, 1, "Producer", 1, 70, 0, 0, "P003", 2),
        (1, 1, "Consumer", 2, 100, 0, 0, "QC", 1),
    )
    measured, _ = run("parallel_across_instances")
    assert measured.traffic.groupby(["kind", "inst_id"])["bytes"].sum().to_dict() == {
        ("join", 1): 300.0,
        ("join", 2): 200.0,
        ("result", 1): 0.0,
        ("result", 2): 70.0,
    } or set(measured.traffic["bytes"]) == {300.0, 200.0, 0.0, 70.0}
    said = raclab.myth("parallel_across_instances").sentence([measured])
    assert "500 bytes of rows between servers and 70 bytes to the coordinator" in said and "on CPU" not in said
    assert list(measured.views["PQ_TQSTAT"]["PROCESS"])[-1] == "QC" and set(measured.views["PQ_TQSTAT"]["INST_ID"]) == {1}


def test_what_the_keeper_of_the_blocks_received_is_not_the_others_wait(rac: Any) -> None:
    stats = pd.DataFrame(
        [(0, 1, "gc cr blocks received", 5.0), (0, 2, "gc cr blocks received", 9.0), (0, 1, "gc cr blocks served", 9.0)],
        columns=["run", "inst_id", "name", "value"],
    )
    measured, _ = run("lms_cpu_starvation", {"runnable": 1})
    fields = {**{name: getattr(measured, name) for name in ("source", "case", "levers", "sessions", "waits")}, "stats": stats}
    read = raclab.myth("lms_cpu_starvation").live.reads(Measurement(**fields))
    assert read.stats[["inst_id", "name"]].to_numpy().tolist() == [[2, "gc cr blocks received"], [1, "gc cr blocks served"]]


def test_the_machines_class_is_in_the_source(rac: Any) -> None:
    rac.others["platform_name from v[$]database"] = lambda session: rac.rows("P", ("Linux x86 64-bit",))
    rac.others["from v[$]osstat"] = lambda session: rac.rows("N V", ("NUM_CPUS", 2), ("PHYSICAL_MEMORY_BYTES", 4 * 2**30))
    measured, _ = run("start_here")
    assert measured.source.machine == "Linux x86 64-bit, 2 CPUs, 4 GB"


def test_a_load_is_statements_or_an_array() -> None:
    assert Load(("a", "b")).array == "" and Load((), "insert").statements == ()
