"""The diagnostic SQL that DBAs run, over the runs of six simulations, against answers worked out with pandas.

``diagnostic_queries.txt`` holds the statements. Behind each stands a pandas expression over the plain rows of the views (one frame a
view, GV$'s rows, columns in lower case), which knows nothing of the statement: ``=>`` for rows in order, ``=~`` for rows in any order.
"""

import math
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from raclab.database.engine import Engine
from raclab.database.loader import load
from raclab.database.session import Client, Session
from raclab.myths.registry import myth

RUNS = [
    ("lms_cpu_starvation", {}),
    ("parallel_across_instances", {}),
    ("nocache_sequences", {}),
    ("nocache_sequences", {"cache": 1000, "order": True}),
    ("latch_spin_cpu", {}),
    ("logical_isolation", {}),
]
FRAMES = {
    "E": "system_event", "SE": "session_event", "S": "session", "ST": "sysstat", "SS": "sesstat", "N": "statname", "O": "osstat",
    "A": "active_session_history", "L": "latch", "RC": "rowcache", "EN": "enqueue_statistics", "H": "event_histogram_micro",
    "CR": "cr_block_server", "CU": "current_block_server", "IT": "instance_cache_transfer", "IP": "instance_ping", "P": "parameter",
    "SG": "segment_statistics", "PX": "px_session", "PP": "px_process", "PS": "px_process_sysstat", "TQ": "pq_tqstat", "I": "instance",
    "SV": "services", "PR": "process", "TM": "sys_time_model", "STM": "sess_time_model", "Q": "sql", "EV": "event_name",
    "MH": "sysmetric_history", "MS": "sysmetric_summary", "WH": "waitclassmetric_history",
}  # fmt: skip
HISTORIES = {
    "HN": "dba_hist_snapshot", "HE": "dba_hist_system_event", "HST": "dba_hist_sysstat", "HTM": "dba_hist_sys_time_model",
    "HSQ": "dba_hist_sqlstat", "HSG": "dba_hist_seg_stat", "HA": "dba_hist_active_sess_history", "HRC": "dba_hist_rowcache_summary",
    "HIP": "dba_hist_interconnect_pings", "HMS": "dba_hist_sysmetric_summary", "HMH": "dba_hist_sysmetric_history",
    "HBG": "dba_hist_bg_event_summary",
}  # fmt: skip


def statements():
    """Text, whether the order counts, and the expression of the answer."""
    text = []
    for line in Path(__file__).with_name("diagnostic_queries.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith(("=>", "=~")):
            yield pytest.param("\n".join(text), line[1] == ">", line[2:].strip(), id=" ".join(" ".join(text).split())[:90])
            text = []
        elif line and not line.startswith("#"):
            text.append(line)


@pytest.fixture(scope="module")
def cluster():
    """A session on instance 1 of the loaded cluster, and the views' rows as frames."""
    engine = Engine()
    for slug, levers in RUNS:
        one = myth(slug)
        load(engine, one.simulate(one.levers(**levers), seeds=[1]), slug)
    session = Session(engine, 1, Client(program="sqlplus", machine="desk", osuser="dba"))
    views = {name: f"gv${view}" for name, view in FRAMES.items()} | HISTORIES
    yield session, {name: frame(session, f"select * from {view}") for name, view in views.items()}
    session.close()
    engine.close()


def frame(session, sql):
    outcome = session.execute(sql)
    found = pd.DataFrame(outcome.rows, columns=[name.lower() for name, _ in outcome.columns])
    for name in found:
        if found[name].map(lambda value: isinstance(value, Decimal)).any():
            found[name] = found[name].map(lambda value: None if value is None else float(value)).astype(float)
    return found


def here(rows):
    """The rows of instance 1, as V$ shows them."""
    return rows[rows.inst_id == 1].drop(columns="inst_id")


def stat(frames, name):
    """A statistic by instance."""
    found = frames["ST"]
    return found[found.name == name].groupby("inst_id").value.sum().reindex([1, 2]).fillna(0)


def last_run(rows, keys, values):
    """By instance and keys, what values have grown by since the snapshot before the last one."""
    wide = rows.set_index(["snap_id", "instance_number", *keys])[values]
    last = rows.snap_id.max()
    return (wide.loc[last] - wide.loc[last - 1].reindex(wide.loc[last].index).fillna(0))[lambda d: (d != 0).any(axis=1)].reset_index()


def rows_of(answer):
    if isinstance(answer, pd.Series):
        answer = answer.reset_index()
    if isinstance(answer, pd.DataFrame):
        return list(answer.itertuples(index=False, name=None))
    return answer if isinstance(answer, list) else [(answer,)]


def plain(value):
    if value is None or value is pd.NaT or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool | np.bool_ | int | float | Decimal | np.number):
        return float(f"{float(value):.9g}")
    return pd.Timestamp(value).isoformat() if isinstance(value, pd.Timestamp) or hasattr(value, "isoformat") else value


def compared(rows, ordered):
    made = [tuple(plain(value) for value in row) for row in rows]
    return made if ordered else sorted(made, key=repr)


@pytest.mark.parametrize(("sql", "ordered", "answer"), list(statements()))
def test_a_diagnostic_query_gives_what_pandas_gives(cluster, sql, ordered, answer):
    session, frames = cluster
    run_s = float(session.execute("select intsize_csec from v$sysmetric where rownum = 1").rows[0][0]) / 100
    names = {
        **frames,
        "pd": pd,
        "np": np,
        "here": here,
        "stat": lambda name: stat(frames, name),
        "last_run": last_run,
        "LAST_S": run_s,
        "len": len,
        "round": round,
    }
    wanted = rows_of(eval(answer, names))
    assert wanted, "an answer without rows checks nothing"
    assert compared(session.execute(sql).rows, ordered) == compared(wanted, ordered)


def test_there_are_enough_of_them():
    assert len(list(statements())) >= 230
