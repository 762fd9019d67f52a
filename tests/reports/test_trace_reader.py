"""Reading extended SQL traces: Oracle's lines beside those that do not matter, and tkprof's layout over them, there and back."""

import pytest

from raclab.reports.errors import ReportError, TraceError
from raclab.reports.tkprof import tkprof_text
from raclab.reports.tkprof_reader import read_tkprof
from raclab.reports.trace_reader import NO_STATEMENT, read_trace

# made by hand, in the form that Oracle writes since 11g: binds, row sources, a cursor number used twice, waits of no cursor
TRACE = """\
Trace file /somewhere/orcl_ora_1.trc
*** 2026-01-01 08:00:00.000
WAIT #0: nam='SQL*Net message from client' ela= 1000000 driver id=1 #bytes=1 p3=0 obj#=-1 tim=1000
=====================
PARSING IN CURSOR #140 len=31 dep=0 uid=84 oct=2 lid=84 tim=1001 hv=1 ad='7f' sqlid='9babjv8yq8ru3'
INSERT INTO t
VALUES (s.NEXTVAL)
END OF STMT
PARSE #140:c=100,e=150,p=0,cr=2,cu=0,mis=1,r=0,dep=0,og=1,plh=0,tim=1002
BINDS #140:
 Bind#0
  oacdty=01 mxl=32(00)
=====================
PARSING IN CURSOR #141 len=11 dep=1 uid=0 oct=6 lid=0 tim=1003 hv=2 ad='7e' sqlid='4m7m0t6fjcs5x'
update seq$
END OF STMT
PARSE #141:c=0,e=10,p=0,cr=0,cu=0,mis=0,r=0,dep=1,og=4,plh=1,tim=1004
WAIT #141: nam='gc current block 2-way' ela= 700 p1=1 p2=2 p3=3 obj#=74 tim=1005
EXEC #141:c=200,e=900,p=0,cr=1,cu=2,mis=0,r=1,dep=1,og=4,plh=1,tim=1006
STAT #141 id=1 cnt=0 pid=0 pos=1 obj=0 op='UPDATE'
CLOSE #141:c=0,e=1,dep=1,type=3,tim=1007
WAIT #140: nam='row cache lock' ela= 2500 cache id=13 mode=0 request=5 obj#=-1 tim=1008
WAIT #140: nam='row cache lock' ela= 20007500 cache id=13 mode=0 request=5 obj#=-1 tim=1009
EXEC #140:c=1300,e=20011000,p=3,cr=4,cu=5,mis=0,r=1,dep=0,og=1,plh=0,tim=1010
XCTEND rlbk=0, rd_only=0, tim=1011
WAIT #140: nam='log file sync' ela= 4000 buffer#=1 sync scn=2 p3=0 obj#=-1 tim=1012
=====================
PARSING IN CURSOR #140 len=8 dep=0 uid=84 oct=3 lid=84 tim=1013 hv=3 ad='7d' sqlid='a'
select 1
END OF STMT
EXEC #140:c=0,e=20,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=0,tim=1014
FETCH #140:c=0,e=30,p=0,cr=3,cu=0,mis=0,r=1,dep=0,og=1,plh=0,tim=1015
XCTEND rlbk=1, rd_only=1, tim=1016
"""


def test_what_a_trace_says():
    trace = read_trace(TRACE)
    assert [(one.text, one.sql_id, one.depth, one.user, one.command) for one in trace.statements] == [
        ("INSERT INTO t\nVALUES (s.NEXTVAL)", "9babjv8yq8ru3", 0, 84, 2),
        ("update seq$", "4m7m0t6fjcs5x", 1, 0, 6),
        ("select 1", "a", 0, 84, 3),
    ]
    assert trace.calls[["statement", "call", "e", "r"]].values.tolist() == [
        [0, "PARSE", 150, 0], [1, "PARSE", 10, 0], [1, "EXEC", 900, 1], [0, "EXEC", 20011000, 1], [2, "EXEC", 20, 0], [2, "FETCH", 30, 1],
    ]  # fmt: skip
    assert trace.waits.values.tolist() == [
        [NO_STATEMENT, "SQL*Net message from client", 1000000, 1000],
        [1, "gc current block 2-way", 700, 1005],
        [0, "row cache lock", 2500, 1008],
        [0, "row cache lock", 20007500, 1009],
        [0, "log file sync", 4000, 1012],
    ]
    assert (trace.commits, trace.rollbacks) == (1, 1)


def test_lines_of_an_open_file_do_as_well():
    assert len(read_trace(iter(TRACE.splitlines(keepends=True))).calls) == 6


def test_tkprof_there_and_back():
    text = tkprof_text(read_trace(TRACE), "a head")
    calls, waits = read_tkprof(text)
    assert list(calls["statement"].unique()) == ["INSERT INTO t\nVALUES (s.NEXTVAL)", "update seq$", "select 1"]
    executed = calls[calls["call"] == "Execute"].set_index("statement")
    assert executed.loc["INSERT INTO t\nVALUES (s.NEXTVAL)"].tolist() == ["Execute", 1, 0.0, 20.01, 3, 4, 5, 1]
    assert waits.to_dict("records")[0] == {
        "statement": "INSERT INTO t\nVALUES (s.NEXTVAL)",
        "event": "row cache lock",
        "times_waited": 2,
        "max_wait_s": 20.01,
        "total_waited_s": 20.01,
    }
    # totals: the recursive statement's wait stands with the recursive ones, a wait of no cursor with the others
    non_recursive, recursive = text.split("OVERALL TOTALS FOR ALL ")[1:3]
    assert "SQL*Net message from client" in non_recursive and "gc current block 2-way" not in non_recursive
    assert "gc current block 2-way" in recursive
    assert "Misses in library cache during parse: 1" in text
    assert "    1  internal SQL statements in session." in text


def test_tkprof_text_of_another_hand_is_read():
    # tkprof's own spacing of 11g, with the plan hash in the line of the SQL_ID
    text = """

********************************************************************************

SQL ID: 4m7m0t6fjcs5x Plan Hash: 1935744642

update seq$ set x=:1 where obj#=:2


call     count       cpu    elapsed       disk      query    current        rows
------- ------  -------- ---------- ---------- ---------- ----------  ----------
Parse    10000      0.35       0.30          0          0          0           0
Execute  10000      4.08      11.18          0      10000      20290       10000
Fetch        0      0.00       0.00          0          0          0           0
------- ------  -------- ---------- ---------- ---------- ----------  ----------
total    20000      4.43      11.48          0      10000      20290       10000

Elapsed times include waiting on following events:
  Event waited on                             Times   Max. Wait  Total Waited
  ----------------------------------------   Waited  ----------  ------------
  gc current block 2-way                       5166        0.01          5.39
********************************************************************************
"""
    calls, waits = read_tkprof(text)
    assert calls[calls["call"] == "Execute"].values.tolist() == [
        ["update seq$ set x=:1 where obj#=:2", "Execute", 10000, 4.08, 11.18, 0, 10000, 20290, 10000]
    ]
    assert waits.values.tolist() == [["update seq$ set x=:1 where obj#=:2", "gc current block 2-way", 5166, 0.01, 5.39]]


@pytest.mark.parametrize("text", ["", "Dump file of something else\nno call in it\n"])
def test_what_is_no_trace_is_refused(text):
    with pytest.raises(TraceError, match="no line of an extended SQL trace"):
        read_trace(text)
    with pytest.raises(ReportError, match="no statement of a tkprof report"):
        read_tkprof(text)
