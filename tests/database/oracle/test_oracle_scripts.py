"""The scripts of lab/oracle: what can be checked of them without an Oracle.

Plain SQL and PL/SQL are parsed (tests/support/oracle_syntax.py and plsql.py), and so is what blocks put together for EXECUTE IMMEDIATE.
"""

import dataclasses
import re
from pathlib import Path
from typing import Any

import pandas as pd
import plsql
import pytest
from oracle_syntax import SyntaxFault, check_sql

import raclab
from raclab.database.workload import Script, ScriptError, parse_script, read_script
from raclab.paths import ORACLE_SCRIPTS, data_folder

SCRIPTS = sorted(ORACLE_SCRIPTS.glob("*.sql"))
WORKLOADS = [path for path in SCRIPTS if path.name != "init.sql"]
LIVE = [slug for slug in raclab.slugs() if raclab.myth(slug).live is not None]
WORDS = re.compile(r"--[^\n]*|'[^']*'|\"[^\"]*\"|[\w$#]+|:=|\S")


def words(statement: str) -> list[str]:
    """A statement's words in lower case, without comments; literals as ''."""
    found = [word.lower() for word in WORDS.findall(statement) if not word.startswith("--")]
    return ["''" if word.startswith("'") else word for word in found]


def is_block(statement: str) -> bool:
    """Whether it is PL/SQL."""
    return words(statement)[0] in {"declare", "begin"}


def plain_statements() -> list[tuple[str, str]]:
    """(script, statement) of everything that is no PL/SQL, with SQL*Plus's variables filled in as names."""
    found = []
    for path in SCRIPTS:
        for statements in read_script(path).sections.values():
            found += [(path.name, re.sub(r"&(\w+)\.?", r"\1", one)) for one in statements if not is_block(one)]
    return found


@pytest.mark.parametrize(("name", "statement"), plain_statements())
def test_plain_sql_parses_as_oracle(name: str, statement: str) -> None:
    check_sql(statement)


def blocks() -> list[tuple[str, str]]:
    """(script, block) of all PL/SQL."""
    return [(path.name, one) for path in WORKLOADS for many in read_script(path).sections.values() for one in many if is_block(one)]


@pytest.mark.parametrize(("name", "block"), blocks())
def test_plsql_parses(name: str, block: str) -> None:
    assert plsql.parse(block)


def put_together(slug: str) -> dict[str, list[str]]:
    """What the blocks of a myth's script execute by EXECUTE IMMEDIATE, by section, at all of its settings."""
    myth = raclab.myth(slug)
    assert myth.live is not None
    script = read_script(ORACLE_SCRIPTS / myth.live.script)
    found: dict[str, list[str]] = {}
    for levers in dict.fromkeys(settings(myth)):
        binds = {f"lever_{name}": int(value) if isinstance(value, bool) else value for name, value in levers.as_dict().items()}
        binds |= {**script.binds, "my_number": 2, "all_sessions": 3, "my_instance": 1}
        for section, statements in script.sections.items():
            for block in filter(is_block, statements):
                found.setdefault(section, []).extend(plsql.dynamic(block, binds))
    return found


def settings(myth: Any) -> list[Any]:
    """The defaults, the presets, and each choice of each lever by itself."""
    default = myth.levers()
    specs = myth.levers.specs()
    single = [dataclasses.replace(default, **{name: choice}) for name, spec in specs.items() for choice in spec.choices]
    ends = [dataclasses.replace(default, **{name: type(getattr(default, name))(end)})
            for name, spec in specs.items() if not spec.choices for end in (spec.low, spec.high)]  # fmt: skip
    return [default, *getattr(myth, "presets", {}).values(), *single, *ends]


@pytest.mark.parametrize("slug", LIVE)
def test_what_blocks_put_together_parses_at_every_setting(slug: str) -> None:
    found = put_together(slug)
    for statement in {one for many in found.values() for one in many}:
        check_sql(statement)
    if slug in {"nocache_sequences", "latch_spin_cpu", "scale_out", "parallel_across_instances", "logical_isolation"}:
        assert found["setup"]


PLANTED = {
    "plain": [
        (
            "create table raclab_x (a number not null)",
            [
                "create tabel raclab_x (a number not null)",
                "create table raclab_x (a number not nul)",
                "create table raclab_x (a number,)",
                "create table raclab_x (a number",
                "create table raclab_x (a number) pctfre 5",
                "create table t (a number) partition by hash (a) partitions 4 nologging",
            ],
        ),
        (
            "insert into t (a) select level from dual connect by level <= 3",
            ["insert in to t (a) select 1 from dual", "insert into t (a) values (1", "insert into t (a) select level form dual d where"],
        ),
        ("drop table t purge", ["drop tabel t purge", "drop table t pruge"]),
        ("create sequence s cache 10", ["create sequence s cahce 10"]),
        ("grant select on sys.v_$session to r", ["grant selct on sys.v_$session to r", "grant create session create table to u"]),
        ('create user u identified by "x" default tablespace t quota 5M on t', ["create user u identified by default tablespace t"]),
        ("create index i on t (a) local", ["create index i on t (a", "create index i t (a)"]),
        ("select count(*) from t where a = :b", ["select count(*) from t where", "selct 1 from dual"]),
        ("update t set a = a + 1 where b = 2", ["update t st a = 1"]),
    ],
    "block": [
        ("begin null; end;", ["begin null end;", "begin end;", "begin nul; end;", "begin null; end", "begin null; end; x"]),
        (
            "begin if 1 = 2 then null; else commit; end if; end;",
            [
                "begin if 1 = 2 null; end if; end;",
                "begin if 1 = then null; end if; end;",
                "begin if 1 = 2 then null; end; end;",
                "begin if 1 = 2 then null; elsif then null; end if; end;",
            ],
        ),
        (
            "declare v number := 1; begin v := v + 1; end;",
            [
                "declare v := 1; begin v := 1; end;",
                "declare v number := ; begin v := 1; end;",
                "declare v number; begin v = 1; end;",
                "declare v number; begin v := 1 +; end;",
                "declare v varchar2 10; begin v := 1; end;",
            ],
        ),
        (
            "begin for i in 1 .. 3 loop null; end loop; end;",
            [
                "begin for i in 1 . 3 loop null; end loop; end;",
                "begin for i 1 .. 3 loop null; end loop; end;",
                "begin for i in 1 .. 3 null; end loop; end;",
                "begin for i in 1 .. 3 loop null; end lop; end;",
            ],
        ),
        (
            "begin while 1 < 2 loop exit when 1 = 1; end loop; end;",
            ["begin while loop null; end loop; end;", "begin while 1 < 2 loop exit when; end loop; end;"],
        ),
        (
            "declare v number; begin select a into v from t where b = 1; end;",
            ["declare v number; begin select a from t where b = 1; end;", "declare v number; begin select a into v form t where; end;"],
        ),
        (
            "begin insert into t (a) values (s.nextval); commit; end;",
            ["begin insert into t (a) vales (1); end;", "begin insert into t (a) values (1; end;"],
        ),
        (
            "begin execute immediate 'drop table t purge'; end;",
            [
                "begin execute imediate 'x'; end;",
                "begin execute immediate; end;",
                "begin execute immediate 'x' into; end;",
                "begin execute immediate 'x' using ; end;",
            ],
        ),
        (
            "begin dbms_stats.gather_table_stats(user, 'T'); end;",
            ["begin dbms_stats.gather_table_stats(user, 'T'; end;", "begin dbms_stats gather; end;"],
        ),
    ],
}


@pytest.mark.parametrize(("kind", "good", "faults"), [(kind, good, faults) for kind, cases in PLANTED.items() for good, faults in cases])
def test_a_planted_fault_is_found_in_each_kind_of_statement(kind: str, good: str, faults: list[str]) -> None:
    check = check_sql if kind == "plain" else plsql.parse
    check(good)
    for fault in faults:
        with pytest.raises(SyntaxFault):
            check(fault)


def test_a_fault_within_what_a_block_puts_together_is_found() -> None:
    (sent,) = plsql.dynamic(
        "begin execute immediate 'create table t (a ' || case when :x = 1 then 'number' else 'number,' end || ')'; end;", {"x": 0}
    )
    with pytest.raises(SyntaxFault):
        check_sql(sent)
    with pytest.raises(SyntaxFault, match="1 values for 2 binds"):
        plsql.dynamic("begin execute immediate 'select :a + :b from dual' using 1; end;", {})


@pytest.mark.parametrize("word", ["then", "loop", "end", "into", "begin", ";", ")", "from", ":=", "immediate"])
def test_a_word_left_out_of_the_workloads_is_found(word: str) -> None:
    """Each of the words, taken out of each block where it stands first, makes the block one that does not parse."""
    tried = 0
    for _, block in blocks():
        place = re.search(
            rf"(?<![\w']){re.escape(word)}(?![\w'])", re.sub(r"--[^\n]*|'[^']*'", lambda text: " " * len(text[0]), block), re.IGNORECASE
        )
        if place is None or (word == "from" and "into" not in block):
            continue
        tried += 1
        with pytest.raises(SyntaxFault):
            plsql.parse(block[: place.start()] + block[place.end() :])
    assert tried


@pytest.mark.parametrize("path", WORKLOADS, ids=lambda path: path.name)
def test_a_workload_has_its_sections_and_drops_what_it_makes(path: Path) -> None:
    script = read_script(path)
    assert set(script.sections) - {"setup", "teardown"} in ({"workload"}, {"client"})
    dynamic = put_together(path.stem)
    setup = [*script.sections.get("setup", ()), *dynamic.get("setup", [])]
    teardown = [*script.sections.get("teardown", ()), *dynamic.get("teardown", [])]
    made = {
        name.lower() for one in setup if not is_block(one) for name in re.findall(r"^create (?:table|sequence) (\w+)", one, re.IGNORECASE)
    }
    dropped = {
        name.lower() for one in teardown if not is_block(one) for name in re.findall(r"^drop (?:table|sequence) (\w+)", one, re.IGNORECASE)
    }
    if path.stem == "latch_spin_cpu":  # whatever there is of the lever's sixteen, by the dictionary
        assert made == {f"raclab_latch_{number}" for number in range(1, 17)} and dropped == {"raclab_latch_1"}
    else:
        assert made == dropped
    assert all(name.startswith("raclab_") for name in made)
    assert "Not tested against an Oracle database" in path.read_text(encoding="utf-8")


def test_every_workload_is_a_myths_and_every_other_myth_says_why_it_has_none() -> None:
    assert {path.name for path in WORKLOADS} == {raclab.myth(slug).live.script for slug in LIVE}
    for slug in set(raclab.slugs()) - set(LIVE):
        assert raclab.myth(slug).not_live.endswith("."), slug


@pytest.mark.parametrize("slug", LIVE)
def test_every_bind_of_a_live_myth_has_a_value(slug: str) -> None:
    myth = raclab.myth(slug)
    assert myth.live is not None
    script = read_script(ORACLE_SCRIPTS / myth.live.script)
    known = {f"lever_{name}" for name in myth.levers.specs()} | set(script.binds) | {"calls", "my_number", "all_sessions", "my_instance"}
    bound = {name for many in script.sections.values() for one in many for name in re.findall(r"(?<![:\w]):(\w+)", no_text(one))}
    if script.array:
        assert re.findall(r":(\w+)", script.array) == ["client", "n"] and "lever_bulk" in known and "rows_per_session" in script.binds
        bound -= {"client", "n"}
    else:
        assert "calls" in bound
    assert bound <= known


def no_text(statement: str) -> str:
    """A statement without literals and comments."""
    return re.sub(r"--[^\n]*|'[^']*'", "", statement)


def test_the_workload_is_the_published_case() -> None:
    published = pd.read_csv(data_folder() / "nocache_sequences" / "test_case.csv", dtype=str)
    case = dict(published.iloc[:, :2].to_numpy().tolist())
    script = read_script(ORACLE_SCRIPTS / "nocache_sequences.sql")
    rows, payload, start = (case[key] for key in ("rows inserted per node", "row payload bytes", "sequence start"))
    assert script.binds == {"rows_per_session": int(rows)}
    assert f"varchar2({payload})" in script.sections["setup"][0] and f"rpad('x', {payload}, 'x')" in script.sections["workload"][0]
    assert f"start with {start} " in script.sections["setup"][1]
    assert raclab.myth("nocache_sequences").levers().commit_every == int(case["commit every"])


def test_the_sequence_is_what_the_levers_say() -> None:
    block = read_script(ORACLE_SCRIPTS / "nocache_sequences.sql").sections["setup"][1]
    assert re.findall(r"case when :lever_cache < 2 then '(\w+)' else '(\w+) ' \|\|", block) == [("nocache", "cache")]
    assert re.findall(r"case when :lever_order = 1 then ' (\w+)' else ' (\w+)' end", block) == [("order", "noorder")]


def test_what_the_lab_grants_is_reading_only() -> None:
    script = read_script(ORACLE_SCRIPTS / "init.sql")
    for section in ("grants", "diagnostics_pack"):
        for statement in script.sections[section]:
            assert re.fullmatch(r"grant select on sys\.(g?v_\$|dba_hist_)[a-z_]+ to &lab_role", statement), statement
    to_user = [one for one in script.sections["user"] if one.startswith("grant")]
    assert to_user == ["grant create session, create table, create sequence to &lab_user", "grant &lab_role to &lab_user"]


def test_the_diagnostics_pack_is_apart() -> None:
    grants = " ".join(read_script(ORACLE_SCRIPTS / "init.sql").sections["grants"])
    assert "active_session_history" not in grants and "dba_hist" not in grants


def test_a_script_is_taken_apart() -> None:
    script = parse_script(
        "x.sql", "-- bind: n = 7 rows\n-- section: one\nselect 1\nfrom dual;\n\nbegin\n  a := 1;\nend;\n/\n-- section: two\nx;\n"
    )
    assert script == Script("x.sql", {"one": ("select 1\nfrom dual", "begin\n  a := 1;\nend;"), "two": ("x",)}, {"n": 7})


@pytest.mark.parametrize(
    "text",
    [
        "-- section: a\nselect 1 from dual\n-- section: b\nx;",
        "-- section: a\nbegin null; end;",
        "-- section: a\ndrop table t",
    ],
)
def test_a_statement_without_an_end_is_refused(text: str) -> None:
    with pytest.raises(ScriptError, match=r"x\.sql has a statement without an end"):
        parse_script("x.sql", text)


def test_a_missing_script_or_section_is_named(tmp_path: Path) -> None:
    with pytest.raises(ScriptError, match=r"gone\.sql can't be read"):
        read_script(tmp_path / "gone.sql")
    with pytest.raises(ScriptError, match=r"x\.sql has no statement in a section workload"):
        parse_script("x.sql", "-- section: setup\nx;").section("workload")
