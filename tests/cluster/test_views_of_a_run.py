"""Rows for further V$ views: Oracle's column names, and figures that agree with the frames."""

import numpy as np
import pandas as pd
import pytest
from documented import assert_columns_are_oracles

from raclab.cluster import frames, sequences, views
from raclab.cluster.ash_frame import history_of
from raclab.cluster.parameters import Hardware
from raclab.cluster.sequences import INSERT, NEXTVAL, Built, StatementCosts
from raclab.cluster.sequences import TestCase as Case
from raclab.cluster.sql_ids import sql_id
from raclab.sim import Run


def simulate(costs: StatementCosts, **levers: object) -> tuple[Built, Run]:
    built = sequences.build(Case(costs, Hardware(), **({"rows": 400, "commit_every": 50} | levers)), sampling_s=0.001)
    return built, sequences.simulate(built, [1])[0]


def history(built: Built, run: Run) -> pd.DataFrame:
    """The samples of the sessions; background processes have theirs apart."""
    found = history_of(frames.ledger(built), run)
    return found[found["session"] > 0]


def test_sql_ids_are_oracles() -> None:
    """The SQL_IDs that any database gives these statements: the recursive update of SEQ$, and two of connection pools' tests."""
    assert sql_id(frames.STATEMENTS[NEXTVAL]) == "4m7m0t6fjcs5x"
    assert sql_id("select 1 from dual") == "520mkxqpf15q8"
    assert sql_id("SELECT 1 FROM DUAL") == "bunvx480ynf57"
    assert len(sql_id(frames.STATEMENTS[INSERT])) == 13


@pytest.mark.parametrize("levers", [{}, {"cache": 20, "order": True, "nodes": 3}, {"cache": 20, "sessions": 2}])
def test_columns_are_oracles(costs: StatementCosts, levers: dict[str, object]) -> None:
    assert_columns_are_oracles(views.of(*simulate(costs, **levers)))


class TestRowcache:
    def test_gets_are_ranges_and_requests_are_waits(self, costs: StatementCosts) -> None:
        built, run = simulate(costs, nodes=3, cache=5)
        rows = views.rowcache(built, run).set_index("INST_ID")
        assert rows["GETS"].sum() == 3 * 400 / 5 == rows["MODIFICATIONS"].sum()
        waits = frames.waits(built, [run]).query("event == 'row cache lock'").groupby("inst_id")["total_waits"].sum()
        assert rows["DLM_REQUESTS"].tolist() == waits.tolist()

    def test_what_one_node_gets_another_has_released(self, costs: StatementCosts) -> None:
        built, run = simulate(costs, start_gap_s=100.0)
        rows = views.rowcache(built, run).set_index("INST_ID")
        assert rows["DLM_RELEASES"].to_dict() == {1: 1, 2: 0}
        assert rows["DLM_REQUESTS"].to_dict() == {1: 0, 2: 1}


class TestEnqueueStatistics:
    def test_nocache_has_no_enqueue_of_its_own(self, costs: StatementCosts) -> None:
        assert views.enqueue_statistics(*simulate(costs)).empty

    @pytest.mark.parametrize(
        ("levers", "kind", "event"),
        [({"cache": 20, "order": True}, "SV", "DFS lock handle"), ({"cache": 20, "sessions": 4}, "SQ", "enq: SQ - contention")],
    )
    def test_waits_are_those_of_the_event(self, costs: StatementCosts, levers: dict[str, object], kind: str, event: str) -> None:
        built, run = simulate(costs, **levers)
        rows = views.enqueue_statistics(built, run)
        waits = frames.waits(built, [run])
        waits = waits[waits["event"] == event].groupby("inst_id")[["total_waits", "time_s"]].sum()
        assert set(rows["EQ_TYPE"]) == {kind}
        assert rows["TOTAL_WAIT#"].tolist() == waits["total_waits"].tolist()
        assert rows["CUM_WAIT_TIME"].to_numpy() == pytest.approx(1000 * waits["time_s"].to_numpy())
        assert (rows["SUCC_REQ#"] + rows["FAILED_REQ#"] == rows["TOTAL_REQ#"]).all()
        assert (rows["TOTAL_REQ#"] >= rows["TOTAL_WAIT#"]).all()

    def test_every_ordered_number_is_a_request(self, costs: StatementCosts) -> None:
        rows = views.enqueue_statistics(*simulate(costs, cache=20, order=True, sessions=2))
        assert rows["TOTAL_REQ#"].tolist() == [800, 800]


class TestActiveSessionHistory:
    def test_sampled_time_is_time_spent(self, costs: StatementCosts) -> None:
        """Samples are evenly spread: an event's samples are its time over their distance, within four standard errors of counting."""
        built, run = simulate(costs)
        samples = history(built, run)
        step = run.sampled[1] - run.sampled[0]
        assert np.diff(run.sampled) == pytest.approx(step)
        spent = frames.waits(built, [run]).groupby("event")["time_s"].sum()
        for event, seconds in spent.items():
            seen = int((samples["EVENT"] == event).sum())
            assert abs(seen - seconds / step) <= 4 * np.sqrt(seconds / step) + 1

    def test_who_waits_has_an_event_and_who_works_has_none(self, costs: StatementCosts) -> None:
        samples = history(*simulate(costs))
        waiting = samples["SESSION_STATE"] == "WAITING"
        assert set(samples["SESSION_STATE"]) == {"WAITING", "ON CPU"}
        assert samples.loc[waiting, "EVENT"].notna().all()
        assert samples.loc[~waiting, "EVENT"].isna().all()
        assert (samples["WAIT_CLASS"].notna() == waiting).all()

    def test_statements(self, costs: StatementCosts) -> None:
        samples = history(*simulate(costs))
        update, insert = (sql_id(frames.STATEMENTS[name]) for name in (NEXTVAL, INSERT))
        assert set(samples.loc[samples["EVENT"] == "row cache lock", "SQL_ID"]) == {insert}
        assert set(samples.loc[samples["EVENT"] == "gc current block 2-way", "SQL_ID"]) == {update}
        assert samples.loc[samples["EVENT"] == "log file sync", "SQL_ID"].isna().all()
        assert set(samples.loc[samples["SQL_ID"] == update, "SQL_OPNAME"]) == {"UPDATE"}

    def test_a_session_is_seen_from_its_start_to_its_end(self, costs: StatementCosts) -> None:
        built, run = simulate(costs, start_gap_s=0.5)
        samples = history(built, run)
        for node, _, process in built.sessions:
            mine = samples.loc[samples["INST_ID"] == node + 1, "SAMPLE_S"]
            assert mine.min() >= node * 0.5
            assert mine.max() <= run.ended[process.number]
            assert len(mine) == ((run.sampled >= node * 0.5) & (run.sampled <= run.ended[process.number])).sum()
