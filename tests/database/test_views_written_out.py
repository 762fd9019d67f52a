"""Wide views are written into statements with the columns that these name: what a statement gives is the same."""

import pytest

from raclab.database.definitions import definitions
from raclab.database.oracle_error import OracleError
from raclab.database.parsed import KEPT, Parsed
from raclab.database.session import Client, Session
from raclab.database.written_out import narrowed, written_out


@pytest.fixture(scope="module")
def cluster(shared_lab):
    session = Session(shared_lab._engine, 1, Client(program="test"))
    yield shared_lab._engine, session
    session.close()


SESSION = '"SYS"."V$SESSION"'
NARROW = [
    f'SELECT "SID" FROM {SESSION}',
    f'SELECT COUNT(*) AS "N" FROM {SESSION}',
    f'SELECT 2 * "SID" AS "A", "SID" * 2 AS "B", (1 + "SID") * 3 AS "C" FROM {SESSION} AS "S"',
    f'SELECT * FROM (SELECT "SID" FROM {SESSION})',
    f'SELECT "X".*, 1 AS "ONE" FROM (SELECT "SID", CASE WHEN "SID" > 2 THEN 1 END * 7 AS "N" FROM {SESSION}) AS "X"',
    f"SELECT 'SELECT * FROM (' AS \"T\" FROM {SESSION}",
    f'SELECT "A"."SID" FROM ({SESSION} AS "A" CROSS JOIN {SESSION} AS "B") WHERE EXISTS(SELECT * FROM "SYS"."DUAL")',
    f'SELECT "SYS"."V$SESSION"."SID" FROM {SESSION}',
]
WHOLE = [
    f"SELECT * FROM {SESSION}",
    f'SELECT DISTINCT * FROM {SESSION} AS "S"',
    f'SELECT "S".* FROM {SESSION} AS "S"',
    f'SELECT 1 AS "ONE", * FROM {SESSION}',
    f'SELECT "SID" FROM (SELECT * FROM {SESSION})',
    f'SELECT COUNT(*) AS "N" FROM (SELECT DISTINCT * FROM {SESSION})',
    f'SELECT "SID" FROM {SESSION} UNION ALL SELECT * FROM (SELECT 1) AS "X"',
    f'SELECT COUNT(*) AS "N" FROM {SESSION} NATURAL JOIN "SYS"."V$INSTANCE" AS "I"',
    f'SELECT "A" FROM {SESSION} AS "S"("A", "B")',
]


@pytest.mark.parametrize("sql", NARROW)
def test_a_view_is_narrowed_to_what_is_named(sql):
    made = narrowed(sql)
    assert made.names == {"everybody"}
    assert ("cluster.everybody" in made.sql, '"CLIENT_INFO"' in made.sql) == (True, False)


@pytest.mark.parametrize("sql", WHOLE)
def test_a_view_stays_where_a_star_may_need_all_of_it(sql):
    made = narrowed(sql)
    assert made.sql == sql and "V$SESSION" in made.names


@pytest.mark.parametrize("sql", NARROW + WHOLE[:-2])
def test_both_give_the_same(cluster, sql):
    engine, session = cluster
    session.execute("select * from v$session, v$instance")  # the engine's, with all of their columns
    assert sorted(map(repr, engine.rows(narrowed(sql).sql))) == sorted(map(repr, engine.rows(sql)))


def test_narrowed_views_have_the_rows_of_whole_ones(cluster):
    engine, _ = cluster
    engine.rows("SET VARIABLE now = current_timestamp::TIMESTAMP")
    for name, one in definitions().items():
        if one.shown is None or one.shown.here or not any(word in one.sql for word in ("GROUP BY", "JOIN", "unnest(")):
            continue
        engine.need([name])
        whole = engine.rows(f'SELECT * FROM SYS."{name}"')
        names = [column for column, _ in one.columns]
        assert len(engine.rows(written_out(one.shown.only(()), {}).sql)) == len(whole), name
        chosen = names[1::2]
        shown = engine.rows("SELECT " + ", ".join(f'"{column}"' for column in chosen) + f" FROM ({one.shown.only(chosen)})")
        assert sorted(map(repr, shown)) == sorted(repr(row[1::2]) for row in whole), name


def test_a_column_that_only_gv_has_stays_unknown_to_v(cluster):
    with pytest.raises(OracleError, match='ORA-00904: "INST_ID": invalid identifier'):
        cluster[1].execute("select inst_id, sid from v$session")


def test_parsed_statements_are_kept_and_run_with_other_values_on_any_connection(cluster):
    engine, _ = cluster
    parsed, first, second = Parsed(), engine.cursor(), engine.cursor()
    one = parsed.of(first, "SELECT $1 + 1")
    assert parsed.of(second, "SELECT $1 + 1") is one
    assert [second.execute(one, [value]).fetchone() for value in (1, 41)] == [(2,), (42,)]
    for number in range(KEPT):
        parsed.of(first, f"SELECT {number}")
    assert parsed.of(first, "SELECT $1 + 1") is not one
