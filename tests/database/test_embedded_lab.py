"""Starting, using and ending the embedded lab."""

import os
import subprocess
import sys
import threading

import oracledb
import pytest

import raclab
from raclab.database.embedded import EmbeddedLab
from raclab.database.errors import ConnectError, SqlError
from raclab.errors import LabError
from raclab.evidence.measurement import Kind


def python(code, **environment):
    """Run a program of its own; returns what it did."""
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, env={**os.environ, **environment}, check=False
    )


def test_connect_without_a_dsn_starts_a_simulated_cluster(monkeypatch):
    monkeypatch.delenv("RACLAB_DSN", raising=False)
    with raclab.connect() as lab:
        assert isinstance(lab, EmbeddedLab)
        assert lab.kind is Kind.SIMULATED
        assert lab.dsn.startswith("127.0.0.1:") and lab.dsn.endswith("/RAC1")
        assert lab.connection.cursor().execute("select 1 from dual").fetchone() == (1,)
        assert lab.instance(1) is lab.connection
        assert lab.instance(2).instance_name == "rac2"
        assert lab.password not in repr(lab)


def test_each_lab_has_a_password_and_a_port_of_its_own():
    with EmbeddedLab() as one, EmbeddedLab() as other:
        assert one.password != other.password and len(one.password) >= 24
        assert one.dsn != other.dsn
        with pytest.raises(oracledb.DatabaseError, match="ORA-01017"):
            oracledb.connect(user=one.user, password=other.password, dsn=one.dsn)


def test_sql_gives_a_table_with_badge_and_source(lab, myth):
    table = lab.sql("select inst_id, instance_name from gv$instance order by 1;")
    assert table.frame["INSTANCE_NAME"].tolist() == ["rac1", "rac2"]
    assert (table.badge, table.source) == (Kind.SIMULATED, "RAC Myths Lab simulated cluster, nothing run yet")
    lab.run(myth)
    table = lab.sql("select event from v$system_event where wait_class = :c", {"c": "Commit"}, instance=2)
    assert table.frame["EVENT"].tolist() == ["log file sync"]
    assert table.source == "RAC Myths Lab simulated cluster, 1 run since its start, the last of a_fake_myth: 2 nodes"


def test_rows_of_published_figures_say_so(lab):
    table = lab.sql("select * from published.nocache_sequences_tkprof_waits")
    assert table.badge is Kind.PUBLISHED and "Shamsudeen" in table.source
    both = lab.sql("select p.event from published.nocache_sequences_tkprof_waits p left join gv$system_event s on s.event = p.event")
    assert both.badges == (Kind.PUBLISHED, Kind.SIMULATED)
    assert "Shamsudeen" in both.source and "simulated cluster" in both.source
    assert lab.sql("select table_name from all_tables").badge is Kind.SIMULATED


def test_statements_without_rows_say_what_was_done(lab):
    said = [
        lab.sql(statement).frame["RESULT"].tolist()
        for statement in (
            "create table t (a number)",
            "insert into t values (1)",
            "insert into t select level from dual connect by level <= 3",
            "update t set a = 2 where a = 9",
            "commit",
            "delete from t",
            "rollback",
            "drop table t",
        )
    ]
    assert said == [
        ["Table created."],
        ["1 row created."],
        ["3 rows created."],
        ["0 rows updated."],
        ["Commit complete."],
        ["4 rows deleted."],
        ["Rollback complete."],
        ["Table dropped."],
    ]


@pytest.mark.parametrize(("sql", "code", "said"), [("select * from nosuch", 942, "NOSUCH"), ("", 0, "no statement")])
def test_an_error_is_one_sentence_for_the_learner(lab, sql, code, said):
    with pytest.raises(SqlError, match=said) as raised:
        lab.sql(sql)
    assert raised.value.code == code
    assert isinstance(raised.value, LabError)
    assert "\n" not in str(raised.value) and "docs.oracle.com" not in str(raised.value)
    assert raised.value.__cause__ is None and raised.value.__suppress_context__ == bool(sql)


def test_an_instance_that_is_not_there(lab):
    for number in (0, 3):
        with pytest.raises(ConnectError, match=f"instances 1 to 2, and no instance {number}"):
            lab.instance(number)


def test_a_connection_that_was_closed_is_made_again(lab):
    first = lab.connection
    first.close()
    assert lab.connection is not first
    assert lab.sql("select 1 one from dual").frame["ONE"].tolist() == [1]


def test_levers_as_a_mapping_or_as_they_are(lab, myth):
    assert lab.run(myth, {"nodes": 1}).case == "1 nodes"
    assert lab.run(myth, myth.levers(nodes=3)).case == "3 nodes"
    with pytest.raises(LabError, match="has no lever colour; it has nodes"):
        lab.run(myth, {"colour": "red"})
    with pytest.raises(LabError, match="1 to 8"):
        lab.run(myth, {"nodes": 9})


def test_closing_leaves_no_thread_and_no_port(monkeypatch):
    before = set(threading.enumerate())
    lab = EmbeddedLab()
    other = oracledb.connect(user=lab.user, password=lab.password, dsn=lab.dsn)
    lab.close()
    lab.close()
    assert set(threading.enumerate()) == before
    with pytest.raises(oracledb.Error):
        other.cursor().execute("select 1 from dual")
    with pytest.raises(oracledb.Error):
        oracledb.connect(user=lab.user, password=lab.password, dsn=lab.dsn)
    with pytest.raises(ConnectError, match="closed"):
        lab.sql("select 1 from dual")


def test_a_lab_that_nobody_closed_is_closed_at_the_end_in_silence():
    done = python(
        "import raclab; lab = raclab.connect(); kept = [lab, lab.connection, lab.connection.cursor()]\n"
        "try:\n    lab.sql('select nosuch from dual')\nexcept Exception as error:\n    kept.append(error)\n"
        "print(lab.sql('select 1 one from dual').frame['ONE'][0])",
        RACLAB_DSN="",
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "1\n", "")


def test_an_error_that_ends_the_program_shows_only_itself():
    done = python("import raclab; lab = raclab.connect(); lab.sql('select nosuch from dual')", RACLAB_DSN="")
    assert done.returncode == 1
    assert "nanobind" not in done.stderr and "duckdb" not in done.stderr.lower()
    assert done.stderr.strip().endswith('ORA-00904: "NOSUCH": invalid identifier')


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_process_leaves_the_lab_alone(lab):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            lab.sql("select 1 from dual")
            said = "answered"
        except ConnectError as error:
            said = str(error)
        lab.close()
        os.write(writer, said.encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert "lives in the process that started it" in os.read(reader, 1000).decode()
    os.close(reader)
    os.close(writer)
    assert lab.sql("select 1 one from dual").frame["ONE"].tolist() == [1]


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to oneself there")
def test_ctrl_c_in_the_middle_of_a_statement_leaves_lab_and_connection_usable():
    done = python(
        """
import os, signal, threading, time, raclab
lab = raclab.connect()
lab.sql("create table t (a number)")
lab.sql("insert into t values (1)")
heavy = ("select count(*) from (select level l from dual connect by level <= 200000) a, "
         "(select level l from dual connect by level <= 200000) b where mod(a.l * b.l, 7) = 3")
start = time.monotonic()
try:
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    lab.sql(heavy)
    print("finished")
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - start < 20)
print(lab.sql("select count(*) n from t").frame["N"][0])
lab.close()
""",
        RACLAB_DSN="",
    )
    assert (done.stdout, done.stderr) == ("interrupted True\n1\n", "")


def test_many_threads_each_with_a_connection_of_its_own(lab):
    answers = []

    def ask(number):
        with oracledb.connect(user=lab.user, password=lab.password, dsn=lab.dsn) as connection:
            answers.append(connection.cursor().execute("select :n from dual", n=number).fetchone()[0])

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == list(range(8))


def test_importing_the_package_imports_no_engine():
    done = python(
        "import sys, raclab; print(sorted({'duckdb', 'sqlglot', 'oracledb', 'seerdb', 'pandas', 'plotly', 'numba'} & set(sys.modules)))"
    )
    assert done.stdout == "[]\n"
