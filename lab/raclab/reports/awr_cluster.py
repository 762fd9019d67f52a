"""AWR's RAC sections, from AWR's own formulas (evidence/awr.py): load profile, workload characteristics, blocks served and got, pings."""

import math

import pandas as pd

from raclab.evidence import awr as formulas
from raclab.evidence.measurement import Measurement, Source
from raclab.reports.counted import Counted
from raclab.reports.delta import Delta
from raclab.reports.layout import Column, count, headed, number, ratio, share, table

BLOCK_BYTES = 8192
"""Block size that the estimated traffic rests on: the simulation's, and Oracle's default."""

_BLOCKS = {
    "Global Cache blocks received": ("gc cr blocks received", "gc current blocks received"),
    "Global Cache blocks served": ("gc cr blocks served", "gc current blocks served"),
    "GCS/GES messages sent": ("gcs messages sent", "ges messages sent"),
    "DBWR Fusion writes": ("DBWR fusion writes",),
}
_LIMITS = ("% <100us", "% <1ms", "% <10ms", "% <100ms", "% <1s", "% <10s")
_POWERS = ("0", "1", "10", "100", "1000", "10000")
_ENQUEUE = "avg global enqueue get time"


def load_profile(counted: Counted) -> str:
    """Blocks and messages between the instances, and the traffic that they make."""
    rows = []
    for label, names in _BLOCKS.items():
        value = counted.statistics(*names)
        if value > 0:
            rows.append([f"{label}:", number(ratio(value, counted.seconds), 2), number(ratio(value, counted.transactions), 2)])
    blocks = counted.statistics(*_BLOCKS["Global Cache blocks received"], *_BLOCKS["Global Cache blocks served"])
    if not rows or not blocks > 0:
        return ""
    messages = counted.statistics(*_BLOCKS["GCS/GES messages sent"])
    size = blocks * BLOCK_BYTES + (0.0 if math.isnan(messages) else 200 * messages)
    rows.append(["Estd Interconnect traffic (KB):", number(ratio(size / 1024, counted.seconds), 2), ""])
    note = f"Traffic: blocks of {BLOCK_BYTES // 1024} KB" + (
        "; messages are not counted" if math.isnan(messages) else " and messages of 200 bytes"
    )
    columns = [Column("", 36), Column("Per Second", 14), Column("Per Transaction", 16)]
    return headed("Global Cache Load Profile", table(columns, rows), [note])


def efficiency(counted: Counted) -> str:
    """Where blocks were found."""
    gets = counted.statistic("session logical reads")
    remote = counted.statistics(*_BLOCKS["Global Cache blocks received"])
    disk = counted.statistic("physical reads")
    if not gets > 0 or not remote > 0:
        return ""
    found = {"local cache": gets - remote - (0 if math.isnan(disk) else disk), "remote cache": remote, "disk": disk}
    lines = [
        f"{f'Buffer access - {where:>12} %:':>34}{share(times, gets, 2):>9}" for where, times in found.items() if not math.isnan(times)
    ]
    return headed("Global Cache Efficiency Percentages (Target local+remote 100%)", "\n".join(lines))


def averages(delta: Delta) -> pd.DataFrame:
    """AWR's averages by instance: milliseconds, and percent of blocks served; NaN where they can't be known."""
    stats = delta.frame("SYSSTAT").rename(columns={"INST_ID": "inst_id", "NAME": "name", "VALUE": "value"}).assign(run=0)
    flushed = {"CR_BLOCK_SERVER": ["FLUSHES"], "CURRENT_BLOCK_SERVER": [f"FLUSH{power}" for power in _POWERS]}
    views = {}
    for view, columns in flushed.items():
        flushes = delta.frame(view).set_index("INST_ID")[columns]
        known = delta.end.views[view]["INST_ID"].astype(float).tolist() if view in delta.end.views else []
        # what has not changed has no row in the difference, but is known to be 0
        views[view] = flushes.reindex(known).fillna(0).reset_index(names="INST_ID").assign(run=0)
    source = Source(delta.kind, delta.origin, None, "", "")
    measured = Measurement(source, "", {}, stats=stats[["run", "inst_id", "name", "value"]].astype({"inst_id": int}), views=views)
    if stats.empty:
        return pd.DataFrame(columns=[_ENQUEUE, *formulas.LABELS])
    found = formulas.averages(measured).droplevel("run")
    enqueue = []
    for instance in found.index:
        counted = Counted(delta, int(instance))
        gets = counted.statistics("global enqueue gets sync", "global enqueue gets async")
        enqueue.append(formulas.MILLISECONDS_PER_CENTISECOND * ratio(counted.statistic("global enqueue get time"), gets))
    return found.assign(**{_ENQUEUE: enqueue})[[_ENQUEUE, *formulas.LABELS]]


def workload(counted: Counted) -> str:
    """The averages of one instance."""
    found = averages(counted.delta)
    if counted.instance not in found.index:
        return ""
    lines = [
        f"{f'{_label(name)}:':>56}{number(float(value), 2):>10}"
        for name, value in found.loc[counted.instance].astype(float).to_dict().items()
        if not math.isnan(value)
    ]
    return headed("Global Cache and Enqueue Services - Workload Characteristics", "\n".join(lines))


def _label(name: object) -> str:
    text = str(name)
    return text[0].upper() + text[1:] + (" (ms)" if "time" in text else " %")


def side_by_side(delta: Delta) -> str:
    """The averages of all instances."""
    found = averages(delta).dropna(axis="columns", how="all")
    if found.empty or not len(found.columns):
        return ""
    columns = [Column("", 56), *(Column(f"I# {int(instance)}", 9) for instance in found.index)]
    rows = [[f"{_label(name)}:", *(number(float(value), 2) for value in found[name])] for name in found.columns]
    return headed("Global Cache and Enqueue Services - Workload Characteristics", table(columns, rows))


_CR_SERVED = {
    "CR Block Requests": "CR_REQUESTS",
    "CURRENT Block Requests": "CURRENT_REQUESTS",
    "Data Block Requests": "DATA_REQUESTS",
    "Undo Block Requests": "UNDO_REQUESTS",
    "TX Block Requests": "TX_REQUESTS",
    "Other Requests": "OTHER_REQUESTS",
    "Current Results": "CURRENT_RESULTS",
    "Private results": "PRIVATE_RESULTS",
    "Zero Results": "ZERO_RESULTS",
    "Disk Read Results": "DISK_READ_RESULTS",
    "Fail Results": "FAIL_RESULTS",
    "Fairness Down Converts": "FAIRNESS_DOWN_CONVERTS",
    "Fairness Clears": "FAIRNESS_CLEARS",
    "Free GC Elements": "FREE_GC_ELEMENTS",
    "Flushes": "FLUSHES",
    "Flushes Queued": "FLUSHES_QUEUED",
    "Flush Queue Full": "FLUSH_QUEUE_FULL",
    "Light Works": "LIGHT_WORKS",
    "Errors": "ERRORS",
}


def cr_served(counted: Counted) -> str:
    """V$CR_BLOCK_SERVER."""
    rows = counted.rows("CR_BLOCK_SERVER")
    if rows.empty:
        return ""
    known = {label: float(rows[column].iloc[0]) for label, column in _CR_SERVED.items()}
    lines = [[label, count(value)] for label, value in known.items() if not math.isnan(value)]
    return headed("Global CR Served Stats", table([Column("Statistic", 30, left=True), Column("Total", 18)], lines))


def current_served(counted: Counted) -> str:
    """V$CURRENT_BLOCK_SERVER: how long pins, flushes and writes took."""
    rows = counted.rows("CURRENT_BLOCK_SERVER")
    if rows.empty:
        return ""
    lines = []
    for label, prefix in (("Pins", "PIN"), ("Flushes", "FLUSH"), ("Writes", "WRITE")):
        values = [float(rows[name].iloc[0]) if (name := f"{prefix}{power}") in rows else 0.0 for power in _POWERS]
        known = [value for value in values if not math.isnan(value)]
        if sum(known) > 0:
            lines.append([label, count(sum(known)), *(share(value, sum(known)) for value in values)])
    columns = [Column("Statistic", 10, left=True), Column("Total", 12), *(Column(limit, 9) for limit in _LIMITS)]
    return headed("Global CURRENT Served Stats", table(columns, lines)) if lines else ""


def transfers(counted: Counted) -> str:
    """Blocks received by instance and class: how many at once, after a delay at the holder, after a delay in its queues."""
    return _transfers(counted, "Global Cache Transfer Stats", "", _counts)


def transfer_times(counted: Counted) -> str:
    """The same, average times in milliseconds."""
    return _transfers(counted, "Global Cache Transfer Times (ms)", "_TIME", _times)


def _transfers(counted: Counted, title: str, ending: str, shown: object) -> str:
    rows = counted.rows("INSTANCE_CACHE_TRANSFER")
    if rows.empty:
        return ""
    lines = []
    for place in range(len(rows)):
        row = rows.iloc[place]
        cells = [cell for kind in ("CR", "CURRENT") for cell in shown(row, kind)]  # type: ignore[operator]
        lines.append([str(int(row["INSTANCE"])), str(row["CLASS"]), *cells])
    parts = ("Immed", "Busy", "Congst")
    first = "All" if ending else "Blocks\nReceived"
    sign = "" if ending else "%"
    columns = [Column("Inst\nNo", 4), Column("Block\nClass", 14, left=True)]
    for kind in ("CR", "CUR"):
        columns += [Column(f"{kind}\n{first}", 9), *(Column(f"{sign}{part}", 7) for part in parts)]
    return headed(title, table(columns, lines))


def _parts(row: pd.Series, kind: str, ending: str) -> list[float]:
    def of(*names: str) -> float:
        values = [float(row[f"{kind}_{name}{ending}"]) for name in names]
        return sum(value for value in values if not math.isnan(value))

    return [of("2HOP", "3HOP"), of("BUSY"), of("CONGESTED")]


def _counts(row: pd.Series, kind: str) -> list[str]:
    parts = _parts(row, kind, "")
    return [count(sum(parts)), *(share(part, sum(parts)) for part in parts)]


def _times(row: pd.Series, kind: str) -> list[str]:
    counts, times = _parts(row, kind, ""), _parts(row, kind, "_TIME")
    averages_ms = [ratio(spent, times_) / 1000 for spent, times_ in zip([sum(times), *times], [sum(counts), *counts], strict=True)]
    return [number(value, 2) for value in averages_ms]


def pings(counted: Counted) -> str:
    """V$INSTANCE_PING: round trips of small and of block-sized messages."""
    rows = counted.rows("INSTANCE_PING")
    if rows.empty:
        return ""
    lines = []
    for row in rows.sort_values("INSTANCE").to_dict("records"):
        cells = []
        for size in ("500B", "8K"):
            pinged, micro = float(row[f"COUNT_{size}"]), float(row[f"WAIT_TIME_{size}"])
            cells += [count(pinged), number(ratio(micro, pinged) / 1000, 2)]
        lines.append([str(int(row["INSTANCE"])), *cells])
    columns = [Column("Target\nInstance", 8)]
    for size in ("500B", "8K"):
        columns += [Column(f"{size} Ping\nCount", 12), Column(f"Avg Latency\n{size} msg", 12)]
    return headed("Interconnect Ping Latency Stats", table(columns, lines), ["Latency of a round trip in milliseconds"])


SECTIONS = (load_profile, efficiency, workload, cr_served, current_served, transfers, transfer_times, pings)
