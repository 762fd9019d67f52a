"""BLOCKING_SESSION in ASH: who is named had the lock at that moment, as far as a trace of the same run can tell."""

import numpy as np
import pandas as pd
import pytest

from raclab.database.loader import load
from raclab.database.session import Client, Session
from raclab.myths.registry import myth
from raclab.sim.tracing import tracing

CASES = [({}, "row cache lock"), ({"nodes": 3}, "row cache lock"), ({"cache": 20, "order": True}, "DFS lock handle")]


def by_process(lines):
    """The lines of each process, in their order."""
    ordered = lines[np.argsort(lines["process"], kind="stable")]
    numbers, begins = np.unique(ordered["process"], return_index=True)
    return dict(zip(numbers.tolist(), np.split(ordered, begins[1:]), strict=True))


def covering(lines, moment):
    """The line of a process that was under way at a moment."""
    return lines[np.searchsorted(lines["ended"], moment - 1e-9)]


@pytest.mark.parametrize(("levers", "event"), CASES)
def test_a_waiter_has_one_blocker_and_waits_until_that_one_has_gone_on(levers, event):
    one = myth("nocache_sequences")
    with tracing() as traced:
        measured = one.simulate(one.levers(**levers), [1])
    (trace,) = traced.traces
    assert trace.cut == 0
    numbers = {process.name: process.number for process in trace.model.processes}
    waits, steps = (by_process(trace.lines[np.logical_xor(trace.lines["event"] < 0, whole)]) for whole in (True, False))
    history = measured.views["ACTIVE_SESSION_HISTORY"]
    blocked = history[history["BLOCKING_SESSION_STATUS"] == "VALID"]
    assert set(blocked["EVENT"]) == {event} and len(blocked) > 30
    for moment, sampled in blocked.groupby("SAMPLE_S"):
        ((instance, session),) = set(zip(sampled["blocker_instance"], sampled["blocker_session"], strict=True))
        blocker = numbers[f"session {session} on node {instance}"]
        for waiting_on, waiter in zip(sampled["INST_ID"], sampled["session"], strict=True):
            process = numbers[f"session {waiter} on node {waiting_on}"]
            assert process != blocker, "who has the lock does not wait for it"
            wait = covering(waits[process], moment)
            assert trace.model.events[wait["event"]] == event and wait["ended"] - wait["took"] <= moment + 1e-9
            assert wait["ended"] >= covering(steps[blocker], moment)["ended"]


def test_what_is_said_of_blockers_goes_with_the_wait(engine):
    one = myth("nocache_sequences")
    measured = one.simulate(one.levers(), [1])
    history = measured.views["ACTIVE_SESSION_HISTORY"]
    assert set(history.loc[history["EVENT"].isna(), "BLOCKING_SESSION_STATUS"]) == {"NOT IN WAIT"}
    assert pd.Series.eq(history["blocker_session"] > 0, history["BLOCKING_SESSION_STATUS"] == "VALID").all()
    load(engine, measured, "nocache_sequences")
    session = Session(engine, 1, Client())
    blocked = "from gv$active_session_history w where blocking_session_status = 'VALID'"
    chains = session.execute(
        f"select count(*) {blocked} and exists (select 1 from gv$active_session_history h where h.sample_id = w.sample_id "
        "and h.session_id = w.blocking_session and h.inst_id = w.blocking_inst_id and h.session_serial# = w.blocking_session_serial# "
        "and h.blocking_session is null)"
    )
    assert session.execute(f"select count(*), count(blocking_session) {blocked}").rows == [2 * chains.rows[0]]
    assert chains.rows[0][0] == (history["BLOCKING_SESSION_STATUS"] == "VALID").sum() > 100
