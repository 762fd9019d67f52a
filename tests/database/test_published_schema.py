"""Schema PUBLISHED: the CSVs as tables, exact, and what happens to damaged ones."""

import json
import shutil
from decimal import Decimal

import pytest

from raclab import paths
from raclab.database.engine import Engine
from raclab.database.oracle_error import OracleError
from raclab.database.session import Client, Session


@pytest.fixture
def data(tmp_path, monkeypatch):
    shutil.copytree(paths.ROOT / "data" / "nocache_sequences", tmp_path / "nocache_sequences")
    monkeypatch.setenv("RACLAB_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def ask():
    engines = []

    def ask(sql):
        engine = Engine()
        engines.append(engine)
        session = Session(engine, 1, Client())
        try:
            return session.execute(sql).rows
        finally:
            session.close()

    yield ask
    for engine in engines:
        engine.close()


def test_a_table_has_the_files_columns_and_exact_figures(data, ask):
    where = "event = 'row cache lock' and case like 'two nodes n%'"
    found = ask(f"select sum(total_waited_s), max(times_waited) from published.tkprof_waits where {where}")
    assert found == [(Decimal("62.86"), 5413)]


def test_the_long_name_and_the_short_name_are_one_table(data, ask):
    assert ask("select * from published.tkprof_waits minus select * from published.nocache_sequences_tkprof_waits") == []
    assert ask("select count(*) from all_tables where owner = 'PUBLISHED' and table_name = 'NOCACHE_SEQUENCES_TKPROF_WAITS'") == [(1,)]


def test_every_file_of_every_package_is_there(ask):
    files = {
        f"{package.parent.name}_{resource['name']}".upper()
        for package in (paths.ROOT / "data").glob("*/datapackage.json")
        for resource in json.loads(package.read_text(encoding="utf-8"))["resources"]
    }
    found = {name for (name,) in ask("select table_name from all_tables where owner = 'PUBLISHED'")}
    assert found == files


def test_a_short_name_that_two_myths_have_asks_for_the_long_one(data, ask):
    shutil.copytree(data / "nocache_sequences", data / "another_myth")
    with pytest.raises(OracleError, match=r"several myths .*ANOTHER_MYTH_TKPROF_WAITS, NOCACHE_SEQUENCES_TKPROF_WAITS") as raised:
        ask("select * from published.tkprof_waits")
    assert raised.value.code == 29913
    assert ask("select count(*) from published.another_myth_tkprof_waits")[0][0] > 0


def test_a_damaged_file_costs_its_own_table_only(data, ask):
    path = data / "nocache_sequences" / "tkprof_waits.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("62.86", "many"), encoding="utf-8")
    for name in ("tkprof_waits", "nocache_sequences_tkprof_waits"):
        with pytest.raises(OracleError, match=r"ORA-29913: published table .*'many', which is not a number"):
            ask(f"select * from published.{name}")
    assert ask("select count(*) from published.tkprof_calls")[0][0] > 0


def test_a_missing_file_and_a_damaged_package(data, ask):
    (data / "nocache_sequences" / "tkprof_waits.csv").unlink()
    with pytest.raises(OracleError, match="is not there"):
        ask("select * from published.tkprof_waits")
    (data / "nocache_sequences" / "datapackage.json").write_text("{", encoding="utf-8")
    with pytest.raises(OracleError, match="is not valid JSON"):
        ask("select * from published.tkprof_calls")


def test_no_data_folder_at_all(tmp_path, monkeypatch, ask):
    monkeypatch.setenv("RACLAB_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(OracleError, match="ORA-00942"):
        ask("select * from published.tkprof_waits")


def test_a_column_named_case_needs_no_quotes(data, ask):
    assert ask("select distinct case from published.tkprof_waits where case like 'two nodes n%' order by case") == [("two nodes nocache",)]
    assert ask("select max(case when case like 'two%' then 1 end) from published.tkprof_waits t") == [(1,)]
