"""The scripts of lab/oracle: what can be checked of them without an Oracle.

sqlglot's Oracle dialect parses the plain statements. Of PL/SQL it knows nothing, so blocks are checked for their outline: that
BEGIN, LOOP, IF and END match, which statements they hold, what they bind.
"""

import re
from pathlib import Path

import pandas as pd
import pytest
import sqlglot

import raclab
from raclab.database.workload import Script, ScriptError, parse_script, read_script
from raclab.paths import ORACLE_SCRIPTS, data_folder

SCRIPTS = sorted(ORACLE_SCRIPTS.glob("*.sql"))
WORKLOADS = [path for path in SCRIPTS if path.name != "init.sql"]
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
    parsed = sqlglot.parse(statement, dialect="oracle")
    assert len(parsed) == 1 and parsed[0] is not None, name
    assert parsed[0].sql(dialect="oracle")


def blocks() -> list[tuple[str, str]]:
    """(script, block) of all PL/SQL."""
    return [(path.name, one) for path in WORKLOADS for many in read_script(path).sections.values() for one in many if is_block(one)]


@pytest.mark.parametrize(("name", "block"), blocks())
def test_plsql_is_balanced(name: str, block: str) -> None:
    expected: list[str] = []
    found = words(block)
    for position, word in enumerate(found):
        after = found[position + 1 : position + 2]
        if word in {"begin", "loop", "if", "case"} and found[position - 1 : position] != ["end"]:
            expected.append(word)
        elif word == "end":
            opened = expected.pop()
            closing = after[0] if after and after[0] in {"loop", "if", "case"} else ""
            assert closing == ("" if opened in {"begin", "case"} else opened), f"{name}: {opened} closed by END {closing}"
    assert expected == []
    assert found.count("(") == found.count(")")
    assert found[-2:] == ["end", ";"]


@pytest.mark.parametrize("path", WORKLOADS, ids=lambda path: path.name)
def test_a_workload_has_its_sections_and_drops_what_it_makes(path: Path) -> None:
    script = read_script(path)
    assert set(script.sections) == {"setup", "workload", "teardown"}
    setup = " ".join(script.sections["setup"]).lower()
    made = set(re.findall(r"create (?:table|sequence) (\w+)", setup))
    dropped = set(re.findall(r"drop (?:table|sequence) (\w+)", " ".join(script.sections["teardown"]).lower()))
    assert made == dropped and made
    assert all(name.startswith("raclab_") for name in made)
    assert "Not tested against an Oracle database" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("slug", [slug for slug in raclab.slugs() if raclab.myth(slug).live is not None])
def test_every_bind_of_a_live_myth_has_a_value(slug: str) -> None:
    myth = raclab.myth(slug)
    assert myth.live is not None
    script = read_script(ORACLE_SCRIPTS / myth.live.script)
    known = {f"lever_{name}" for name in myth.levers.specs()} | set(script.binds) | {"calls"}
    bound = {name for many in script.sections.values() for one in many for name in re.findall(r"(?<![:\w]):(\w+)", no_text(one))}
    assert bound <= known
    assert "calls" in bound


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
