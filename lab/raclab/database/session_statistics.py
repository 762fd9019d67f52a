"""V$SESSTAT from what is known of each session: its CPU, calls and waits, by Oracle's rules of what counts as what."""

import math
from collections.abc import Iterator

from raclab.evidence.measurement import Measurement

CENTISECONDS = 100.0
MICROSECONDS = 1e6

# what a wait for an event counts as, and its time, by the beginning of the event's name
_OF_WAITS = (
    ("gc cr block", ("gc cr blocks received",), "gc cr block receive time"),
    ("gc current block", ("gc current blocks received",), "gc current block receive time"),
    ("log file sync", ("user commits", "redo synch writes"), "redo synch time"),
)
_CLASS_TIMES = {
    "Application": "application wait time",
    "Concurrency": "concurrency wait time",
    "Cluster": "cluster wait time",
    "User I/O": "user I/O wait time",
}

Values = dict[tuple[int, int, str], float]
"""By instance, session number and statistic."""


def by_session(measurement: Measurement) -> Values:
    """What V$SESSTAT shows of the sessions of a single run; times in centiseconds."""
    found: Values = {}
    elapsed: dict[tuple[int, int], float] = {}
    sessions = measurement.sessions
    columns = ("inst_id", "session", "cpu_s", "calls", "elapsed_s")
    for inst, session, cpu, calls, took in zip(*(sessions[name].tolist() for name in columns), strict=True):
        found[inst, session, "CPU used by this session"] = CENTISECONDS * cpu
        found[inst, session, "execute count"] = calls
        elapsed[inst, session] = took
    for inst, session, name, value in _of_waits(measurement, elapsed):
        found[inst, session, name] = found.get((inst, session, name), 0.0) + value
    model = _db_time(measurement)
    for (inst, session), took in elapsed.items():  # as the time model has it, or else elapsed time without idle waits
        found[inst, session, "DB time"] = CENTISECONDS * model.get((inst, session), took)
    brought = measurement.views.get("SESSTAT")
    if brought is not None:
        for inst, session, name, value in zip(*(brought[one].tolist() for one in ("INST_ID", "session", "NAME", "VALUE")), strict=True):
            found[inst, session, name] = value
    return {key: value for key, value in found.items() if not math.isnan(value)}


def _of_waits(measurement: Measurement, elapsed: dict[tuple[int, int], float]) -> Iterator[tuple[int, int, str, float]]:
    """What each wait counts as. Takes idle waits away from the elapsed times."""
    columns = ("inst_id", "session", "event", "wait_class", "total_waits", "time_s")
    for inst, session, event, of_class, count, seconds in zip(*(measurement.waits[name].tolist() for name in columns), strict=True):
        if of_class == "Idle":
            elapsed[inst, session] = elapsed.get((inst, session), 0.0) - seconds
            continue
        time = CENTISECONDS * seconds
        yield inst, session, "non-idle wait time", time
        yield inst, session, "non-idle wait count", count
        if of_class in _CLASS_TIMES:
            yield inst, session, _CLASS_TIMES[of_class], time
        for starts, counts, of_time in _OF_WAITS:
            if event.startswith(starts):
                yield inst, session, of_time, time
                for name in counts:
                    yield inst, session, name, count


def _db_time(measurement: Measurement) -> dict[tuple[int, int], float]:
    """Seconds of DB time by session, as far as the time model says."""
    model = measurement.views.get("SESS_TIME_MODEL")
    if model is None:
        return {}
    rows = zip(*(model[name].tolist() for name in ("INST_ID", "session", "STAT_NAME", "VALUE")), strict=True)
    return {(inst, session): micro / MICROSECONDS for inst, session, name, micro in rows if name == "DB time"}
