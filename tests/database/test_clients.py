"""python-oracledb in all its thin forms, and the other clients that get in: each connects, queries, binds, reads errors.

node-oracledb is tried where it is installed (docs/clients.md says how).
"""

import asyncio
import datetime
import os
import shutil
import subprocess
import sys
import textwrap
import warnings
from decimal import Decimal

import duckdb
import oracledb
import pandas as pd
import pytest
import sqlalchemy

from raclab.database.embedded import EmbeddedLab
from raclab.paths import ROOT


@pytest.fixture(scope="module")
def wire():
    with EmbeddedLab() as made:
        yield made


@pytest.fixture
def connection(wire):
    with oracledb.connect(user=wire.user, password=wire.password, dsn=wire.dsn) as made:
        yield made


def login(wire, **further):
    return {"user": wire.user, "password": wire.password, "dsn": wire.dsn} | further


# -- python-oracledb


def test_async(wire):
    async def asked():
        async with oracledb.connect_async(**login(wire)) as connection:
            with connection.cursor() as cursor:
                await cursor.execute("select inst_id, :x from gv$instance order by 1", x="hi")
                assert await cursor.fetchall() == [(1, "hi"), (2, "hi")]
            with pytest.raises(oracledb.DatabaseError, match="ORA-00942"):
                await connection.fetchone("select * from nosuch")
            await connection.ping()
            return await connection.fetchall("select :1 + 1 from dual", [1])

    assert asyncio.run(asked()) == [(2,)]


def test_pool(wire):
    pool = oracledb.create_pool(**login(wire), min=1, max=3, increment=1)
    with pool.acquire() as one, pool.acquire() as other:
        assert one.cursor().execute("select :x from dual", x=1).fetchone() == (1,)
        assert one.session_id != other.session_id
        assert pool.busy == 2
    with pool.acquire() as again:
        assert again.is_healthy()
        with pytest.raises(oracledb.DatabaseError, match="ORA-00904"):
            again.cursor().execute("select nosuch from dual")
    pool.close()


def test_async_pool(wire):
    async def asked():
        pool = oracledb.create_pool_async(**login(wire), min=1, max=4)

        async def one(number):
            async with pool.acquire() as connection:
                return await connection.fetchone("select :n from dual", [number])

        found = await asyncio.gather(*(one(number) for number in range(12)))
        await pool.close()
        return found

    assert asyncio.run(asked()) == [(number,) for number in range(12)]


def test_pool_of_the_servers_in_the_dsn(wire):
    with oracledb.connect(**login(wire, dsn=f"{wire.dsn}:pooled", cclass="LAB", purity=oracledb.PURITY_SELF)) as connection:
        assert connection.cursor().execute("select user from dual").fetchone() == ("LAB",)


def test_pipelining(wire):
    async def asked():
        async with oracledb.connect_async(**login(wire)) as connection:
            await connection.execute("create table piped (a number)")
            pipeline = oracledb.create_pipeline()
            pipeline.add_execute("insert into piped values (:1)", [1])
            pipeline.add_executemany("insert into piped values (:1)", [(2,), (3,)])
            pipeline.add_fetchall("select a from piped order by a")
            pipeline.add_fetchone("select nosuch from dual")
            pipeline.add_fetchmany("select level from dual connect by level <= 50", num_rows=5)
            pipeline.add_commit()
            found = await connection.run_pipeline(pipeline, continue_on_error=True)
            return [result.rows for result in found], [str(result.error) for result in found if result.error]

    rows, errors = asyncio.run(asked())
    assert rows[2] == [(1,), (2,), (3,)] and rows[4] == [(number,) for number in range(1, 6)]
    assert len(errors) == 1 and errors[0].startswith('ORA-00904: "NOSUCH"')


def test_data_frames(connection):
    frame = connection.fetch_df_all("select inst_id, instance_name from gv$instance where inst_id > :1 order by 1", [0])
    assert frame.column_names() == ["INST_ID", "INSTANCE_NAME"]
    assert duckdb.from_arrow(frame).fetchall() == [(1, "rac1"), (2, "rac2")]
    sizes = [batch.num_rows() for batch in connection.fetch_df_batches("select level n from dual connect by level <= 1000", size=300)]
    assert sum(sizes) == 1000 and len(sizes) > 1
    with pytest.raises(oracledb.DatabaseError, match="ORA-00942"):
        connection.fetch_df_all("select * from nosuch")


def test_rows_from_a_data_frame(connection):
    connection.cursor().execute("create table framed (a number, b varchar2(10))")
    connection.cursor().executemany("insert into framed values (:1, :2)", duckdb.sql("from (values (1, 'x'), (2, null)) t (a, b)"))
    assert connection.cursor().execute("select * from framed order by a").fetchall() == [(1, "x"), (2, None)]


def test_batch_errors(connection):
    cursor = connection.cursor()
    cursor.execute("create table batched (a number primary key)")
    cursor.executemany("insert into batched values (:1)", [(1,), (2,), (1,), (3,), (2,)], batcherrors=True, arraydmlrowcounts=True)
    assert [(error.offset, error.code) for error in cursor.getbatcherrors()] == [(2, 1), (4, 1)]
    assert cursor.getarraydmlrowcounts() == [1, 1, 0, 1, 0]
    connection.commit()
    assert cursor.execute("select count(*) from batched").fetchone() == (3,)


@pytest.mark.parametrize(("arraysize", "prefetch"), [(1, 0), (7, 2), (5000, 5000)])
def test_array_sizes(connection, arraysize, prefetch):
    cursor = connection.cursor()
    cursor.arraysize, cursor.prefetchrows = arraysize, prefetch
    cursor.execute("select level from dual connect by level <= 500")
    assert cursor.fetchone() == (1,)
    assert [len(cursor.fetchmany(20)), len(cursor.fetchall())] == [20, 479]


def test_health_and_session_attributes(connection):
    connection.ping()
    assert connection.is_healthy()
    connection.module, connection.action, connection.clientinfo = "payroll", "close", "month 3"
    found = connection.cursor().execute(
        "select module, action, client_info, program, status from gv$session where sid = :s and inst_id = :i",
        s=connection.session_id,
        i=1,
    )
    assert found.fetchone()[:3] == ("payroll", "close", "month 3")


def test_what_the_database_can_not_do_is_an_error_and_no_hang(connection):
    cursor = connection.cursor()
    for wanted, do in [
        ("ORA-03001", lambda: cursor.execute("begin for i in 1 .. 3 loop null; end loop; end;")),
        ("ORA-|DPY-", lambda: cursor.callproc("dbms_stats.gather_table_stats", ["LAB", "T"])),
        ("ORA-|DPY-", lambda: connection.changepassword("a", "b")),
        ("ORA-|DPY-", lambda: connection.gettype("SYS.ODCINUMBERLIST")),
        ("ORA-|DPY-", lambda: connection.queue("Q").deqone()),
        ("ORA-03001", lambda: connection.tpc_begin(connection.xid(1, "global", "branch"))),
    ]:
        with pytest.raises(oracledb.Error, match=wanted):
            do()
    assert cursor.execute("select 1 from dual").fetchone() == (1,)


def test_pandas_over_the_plain_connection(connection):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # pandas prefers SQLAlchemy
        frame = pd.read_sql("select inst_id, instance_name from gv$instance where inst_id >= :i order by 1", connection, params={"i": 1})
    assert frame["INSTANCE_NAME"].tolist() == ["rac1", "rac2"]


# -- others


def test_seerdbs_own_client(wire):
    import seerdb

    host, rest = wire.dsn.split(":")
    port, service = rest.split("/")
    with seerdb.connect(host=host, port=int(port), user=wire.user, password=wire.password, service_name=service) as connection:
        cursor = connection.cursor()
        cursor.execute("select inst_id, :x from gv$instance order by 1", {"x": "hi"})
        assert [tuple(row) for row in cursor.fetchall()] == [(1, "hi"), (2, "hi")]
        with pytest.raises(seerdb.Error, match="ORA-00942"):
            cursor.execute("select * from nosuch")


def test_sqlalchemy(wire):
    host, service = wire.dsn.split("/")
    engine = sqlalchemy.create_engine(f"oracle+oracledb://{wire.user}:{wire.password}@{host}/?service_name={service}")
    metadata = sqlalchemy.MetaData()
    orders = sqlalchemy.Table(
        "orders",
        metadata,
        sqlalchemy.Column("id", sqlalchemy.Integer, primary_key=True),
        sqlalchemy.Column("item", sqlalchemy.String(9), nullable=False),
        sqlalchemy.Column("price", sqlalchemy.Numeric(10, 2)),
        sqlalchemy.Column("sold", sqlalchemy.DateTime),
    )
    day = datetime.datetime(2026, 1, 2, 3, 4, 5)
    try:
        metadata.create_all(engine)
        with engine.begin() as connection:
            connection.execute(
                orders.insert(),
                [{"id": 1, "item": "a", "price": Decimal("1.10"), "sold": day}, {"id": 2, "item": "b", "price": None, "sold": None}],
            )
        with pytest.raises(sqlalchemy.exc.IntegrityError, match="ORA-00001"), engine.begin() as connection:
            connection.execute(orders.insert(), {"id": 3, "item": "c"})
            connection.execute(orders.insert(), {"id": 1, "item": "again"})
        with engine.connect() as connection:
            query = sqlalchemy.select(orders).where(orders.c.item.in_(["a", "b", "c"])).order_by(orders.c.id.desc()).limit(2)
            assert connection.execute(query).all() == [(2, "b", None, None), (1, "a", Decimal("1.10"), day)]
            joined = sqlalchemy.select(sqlalchemy.func.count()).select_from(orders.join(orders.alias("o"), sqlalchemy.true()))
            assert connection.execute(joined).scalar() == 4
        inspector = sqlalchemy.inspect(engine)
        assert "orders" in inspector.get_table_names()
        reflected = sqlalchemy.Table("orders", sqlalchemy.MetaData(), autoload_with=engine)
        found = [(column.name, str(column.type), column.nullable, column.primary_key) for column in reflected.columns]
        assert found == [
            ("id", "INTEGER", False, True),
            ("item", "VARCHAR(9)", False, False),
            ("price", "NUMBER", True, False),
            ("sold", "DATE", True, False),
        ]
        assert (reflected.c.price.type.precision, reflected.c.price.type.scale) == (10, 2)
        frame = pd.read_sql(sqlalchemy.text("select instance_name n from gv$instance where inst_id = :i"), engine, params={"i": 2})
        assert frame["n"].tolist() == ["rac2"]
        pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}).to_sql("from_pandas", engine, index=False)
        assert pd.read_sql("select * from from_pandas order by a", engine)["b"].tolist() == ["x", "y"]
    finally:
        engine.dispose()


def test_sqlalchemy_reflects_constraints_by_name(wire):
    host, service = wire.dsn.split("/")
    engine = sqlalchemy.create_engine(f"oracle+oracledb://{wire.user}:{wire.password}@{host}/?service_name={service}")
    metadata = sqlalchemy.MetaData()
    column, integer = sqlalchemy.Column, sqlalchemy.Integer
    sqlalchemy.Table(
        "parent",
        metadata,
        column("id", integer),
        column("name", sqlalchemy.String(9), comment="of whom"),
        sqlalchemy.PrimaryKeyConstraint("id", name="parent_pk"),
        sqlalchemy.UniqueConstraint("name", name="parent_name"),
    )
    key = sqlalchemy.ForeignKey("parent.id", name="child_parent", ondelete="CASCADE")
    sqlalchemy.Table("child", metadata, column("p", integer, key), sqlalchemy.CheckConstraint("p > 0", name="child_p"), comment="a child")
    try:
        metadata.create_all(engine)
        inspector = sqlalchemy.inspect(engine)
        [found] = inspector.get_foreign_keys("child")
        assert (found["name"], found["constrained_columns"], found["referred_table"], found["referred_columns"], found["options"]) == (
            "child_parent",
            ["p"],
            "parent",
            ["id"],
            {"ondelete": "CASCADE"},
        )
        assert inspector.get_pk_constraint("parent") == {"name": "parent_pk", "constrained_columns": ["id"]}
        assert [one["name"] for one in inspector.get_unique_constraints("parent")] == ["parent_name"]
        assert inspector.get_check_constraints("child") == [{"name": "child_p", "sqltext": "p > 0"}]
        assert inspector.get_table_comment("child") == {"text": "a child"}
        assert [one["comment"] for one in inspector.get_columns("parent")] == [None, "of whom"]
        metadata.drop_all(engine)
        assert not {"parent", "child"} & set(sqlalchemy.inspect(engine).get_table_names())
    finally:
        engine.dispose()


def test_jupysql(wire):
    beside = ROOT / ".venv" / "clients"
    if not (beside / "sql").is_dir():
        pytest.skip("JupySQL is not installed beside the lab: `make .venv/clients/.ready`")
    host, service = wire.dsn.split("/")
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(JUPYSQL), f"oracle+oracledb://{wire.user}:{wire.password}@{host}/?service_name={service}"],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(beside), "PLOOMBER_STATS_ENABLED": "false"},
        check=False,
    )
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "['rac1', 'rac2']"), done.stderr


JUPYSQL = """
    import sys
    from IPython.core.interactiveshell import InteractiveShell
    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "sql")
    shell.run_line_magic("config", "SqlMagic.autopandas = True")
    shell.run_line_magic("config", "SqlMagic.displaycon = False")
    shell.run_line_magic("sql", sys.argv[1])
    least = 1
    shell.user_ns["least"] = 1
    frame = shell.run_cell_magic("sql", "", "select instance_name n from gv$instance where inst_id >= {{least}} order by inst_id")
    print(frame["n"].tolist())
"""


def test_node_oracledb(wire, tmp_path):
    node = shutil.which("node")
    modules = os.environ.get("NODE_PATH", "")
    if not node or not any(os.path.isdir(os.path.join(folder, "oracledb")) for folder in modules.split(os.pathsep) if folder):
        pytest.skip("needs node, and NODE_PATH to a folder with node-oracledb")
    script = tmp_path / "client.js"
    script.write_text(textwrap.dedent(NODE))
    done = subprocess.run([node, script, wire.dsn, wire.password], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["true", '[[1,"hi"],[2,"hi"]]', "904", "1", '[[1,"x"]]']


NODE = """
    const oracledb = require('oracledb');
    (async () => {
      const [connectString, password] = process.argv.slice(2);
      const connection = await oracledb.getConnection({user: 'lab', password, connectString});
      console.log(connection.thin);
      const found = await connection.execute('select inst_id, :x from gv$instance order by 1', {x: 'hi'});
      console.log(JSON.stringify(found.rows));
      try { await connection.execute('select nosuch from dual'); } catch (error) { console.log(error.errorNum); }
      await connection.execute('create table noded (a number, b varchar2(10))');
      const done = await connection.execute('insert into noded values (:1, :2)', [1, 'x'], {autoCommit: true});
      console.log(done.rowsAffected);
      console.log(JSON.stringify((await connection.execute('select * from noded')).rows));
      await connection.close();
    })().catch(error => { console.error(error); process.exit(1); });
"""
