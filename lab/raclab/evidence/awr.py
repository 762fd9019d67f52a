"""AWR's averages of the global cache, "Workload Characteristics", by AWR's own formulas.

Time statistics are centiseconds in V$SYSSTAT, so ten times a quotient is milliseconds. Receive times are over blocks received, build,
pin and send times over blocks served, flush times over the *flushes* (V$CR_BLOCK_SERVER.FLUSHES; for current blocks the sum of
V$CURRENT_BLOCK_SERVER's FLUSH columns). The formulas are those of Statspack's and AWR's report scripts; see the design's table.
"""

import math

import pandas as pd

from raclab.evidence.measurement import Measurement

MILLISECONDS_PER_CENTISECOND = 10.0
KINDS = ("cr", "current")
_WORK = {"cr": "build", "current": "pin"}


def receive_time(kind: str) -> str:
    """AWR's label of the average receive time, in ms."""
    return f"avg global cache {kind} block receive time"


def work_time(kind: str) -> str:
    """AWR's label of the average build time (CR) or pin time (current), in ms."""
    return f"avg global cache {kind} block {_WORK[kind]} time"


def send_time(kind: str) -> str:
    """AWR's label of the average send time, in ms."""
    return f"avg global cache {kind} block send time"


def flush_share(kind: str) -> str:
    """AWR's label of the share of blocks served that needed a log flush, in percent."""
    return f"global cache log flushes for {kind} blocks served"


def flush_time(kind: str) -> str:
    """AWR's label of the average time of a log flush, in ms."""
    return f"avg global cache {kind} block flush time"


LABELS = tuple(label(kind) for kind in KINDS for label in (receive_time, work_time, send_time, flush_share, flush_time))


def averages(measurement: Measurement) -> pd.DataFrame:
    """AWR's figures of each run and instance: index (run, inst_id), columns LABELS; ms, shares in percent.

    NaN where the denominator is zero or a statistic is missing. A measurement whose statistics are AWR's averages already (a
    publication that printed no more) gives those.
    """
    given = measurement.stats[measurement.stats["name"].isin(LABELS)]
    if len(given):
        return given.pivot(index=["run", "inst_id"], columns="name", values="value").reindex(columns=list(LABELS))
    counted = measurement.stats.pivot_table(index=["run", "inst_id"], columns="name", values="value", aggfunc="sum")
    flushes = {"cr": _flushes(measurement, "CR_BLOCK_SERVER"), "current": _flushes(measurement, "CURRENT_BLOCK_SERVER")}
    found = pd.DataFrame(index=counted.index)
    for kind in KINDS:

        def statistic(name: str, kind: str = kind) -> pd.Series:
            column = f"gc {kind} {name}"
            return counted[column] if column in counted else pd.Series(math.nan, counted.index)

        received, served = (statistic(f"blocks {way}").where(lambda count: count > 0) for way in ("received", "served"))
        flushed = flushes[kind].reindex(counted.index)
        found[receive_time(kind)] = MILLISECONDS_PER_CENTISECOND * statistic("block receive time") / received
        found[work_time(kind)] = MILLISECONDS_PER_CENTISECOND * statistic(f"block {_WORK[kind]} time") / served
        found[send_time(kind)] = MILLISECONDS_PER_CENTISECOND * statistic("block send time") / served
        found[flush_share(kind)] = 100 * flushed / served
        flush_cs = statistic("block flush time")
        found[flush_time(kind)] = MILLISECONDS_PER_CENTISECOND * flush_cs / flushed.where(flushed > 0)
    return found


def accounted(averages: pd.DataFrame, kind: str, server: int) -> pd.Series:
    """Milliseconds of a block that the *serving* instance's figures account for, by run: its work, its sends, its flushes' share.

    A flush time without flushes counts as nothing.
    """
    of = averages.xs(server, level="inst_id")
    flushed: pd.Series = (of[flush_share(kind)] / 100 * of[flush_time(kind)]).fillna(0.0)
    total: pd.Series = of[work_time(kind)] + of[send_time(kind)] + flushed
    return total


def _flushes(measurement: Measurement, view: str) -> pd.Series:
    frame = measurement.views.get(view)
    if frame is None or frame.empty:
        return pd.Series(dtype=float, index=pd.MultiIndex.from_arrays([[], []], names=["run", "inst_id"]))
    columns = [column for column in frame.columns if column.startswith("FLUSH")]
    summed: pd.Series = frame.set_index(["run", "INST_ID"])[columns].sum(axis=1).rename_axis(["run", "inst_id"])
    return summed
