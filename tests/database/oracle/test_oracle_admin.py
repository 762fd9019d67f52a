"""``oracle init | check | drop`` against a database that answers as the test tells it."""

import re
from typing import Any

import pytest

from raclab.cli import main
from raclab.database.errors import ConnectError
from raclab.database.oracle_admin import OracleAdminError, check, drop, init, printed
from raclab.database.reading import is_reading
from raclab.database.workload import read_script
from raclab.paths import ORACLE_SCRIPTS

ADMIN = "Adm1n-of-the-test"
MADE = ["create role RACLAB_READER", "create user RACLAB identified by", "create table RACLAB.raclab_mark"]


@pytest.fixture
def database(fake_oracle: Any, as_lab_user: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A database without the lab in it, that the operator has named as their own."""
    oracle = fake_oracle(mark=None)
    as_lab_user(oracle)
    monkeypatch.setenv("RACLAB_ADMIN_PASSWORD", ADMIN)
    oracle.users["SYS"] = ADMIN
    rows = oracle.rows
    oracle.others.update(
        {
            "from dba_users": lambda session: rows("N", (0,)),
            "from dba_roles": lambda session: rows("N", (0,)),
            "from gv[$]session ": lambda session: rows("N", (0,)),
            "from database_properties": lambda session: rows("V", ("USERS",)),
            "from dba_objects": lambda session: rows("T N", ("TABLE", "RACLAB_MARK"), ("TABLE", "RACLAB_SEQ_ROWS")),
        }
    )
    return oracle


@pytest.fixture
def made(database: Any) -> Any:
    """The same database after init."""
    database.others["from raclab[.]raclab_mark"] = lambda session: database.rows("U D C R", ("RACLAB", "FREE", "FREEPDB1", "RACLAB_READER"))
    return database


def written(oracle: Any) -> list[str]:
    """What was sent that does not only read."""
    return [statement for statement in oracle.sent() if not is_reading(statement)]


def test_init_makes_role_user_and_mark(database: Any) -> None:
    told = init()
    sent = written(database)
    assert [one for one in sent if one.startswith("create")] == [
        "create role RACLAB_READER",
        f'create user RACLAB identified by "{database.password}" default tablespace USERS quota 500M on USERS',
        "create table RACLAB.raclab_mark ( lab_user varchar2(128) not null, db_unique_name varchar2(128) not null, "
        "con_name varchar2(128), lab_role varchar2(128) not null, made_at date not null )",
    ]
    assert sent[-1] == "insert into RACLAB.raclab_mark values ('RACLAB', 'FREE', 'FREEPDB1', 'RACLAB_READER', sysdate)"
    assert sum(one.startswith("grant select on sys.") for one in sent) == len(read_script(ORACLE_SCRIPTS / "init.sql").section("grants"))
    assert not any("active_session_history" in one for one in sent)
    assert told.startswith("Made in FREE FREEPDB1: user RACLAB, role RACLAB_READER and the mark RACLAB_MARK.")
    assert database.password not in told and ADMIN not in told
    assert any(end == "commit" for _, end in database.ends)


def test_the_diagnostics_pack_is_granted_on_request(database: Any) -> None:
    init(diagnostics_pack=True)
    assert any("gv_$active_session_history to RACLAB_READER" in one for one in written(database))


def test_views_that_a_release_does_not_have_are_named(database: Any) -> None:
    database.refuse["grant select on sys.v_[$]event_histogram_micro"] = (942, "table or view does not exist")
    assert init().startswith("Not in this release, so not granted: SYS.V_$EVENT_HISTOGRAM_MICRO.\nMade in FREE")


@pytest.mark.parametrize(
    ("pattern", "removed"),
    [
        ("^create role", []),
        ("^grant select on sys.v_[$]process", ["drop role RACLAB_READER"]),
        ("^create user", ["drop role RACLAB_READER"]),
        ("^grant create session", ["drop user RACLAB cascade", "drop role RACLAB_READER"]),
        ("^insert into", ["drop user RACLAB cascade", "drop role RACLAB_READER"]),
    ],
)
def test_an_init_that_fails_removes_what_it_made_and_nothing_else(database: Any, pattern: str, removed: list[str]) -> None:
    database.refuse[pattern] = (1031, f"insufficient privileges near {database.password}")
    with pytest.raises(OracleAdminError, match=r"failed with ORA-01031: .*; what had been made is removed again") as raised:
        init()
    assert [one for one in written(database) if one.startswith("drop")] == removed
    assert database.password not in str(raised.value)


def test_what_a_failed_init_can_not_remove_is_named(database: Any) -> None:
    database.refuse.update({"^create user": (1031, "insufficient privileges"), "^drop role": (1031, "insufficient privileges")})
    with pytest.raises(OracleAdminError, match="left to be done by hand: drop role RACLAB_READER"):
        init()


REFUSED = {
    "the user exists": (lambda one: one.others.update({"from dba_users": lambda s: one.rows("N", (1,))}), "The user RACLAB exists"),
    "the role exists": (lambda one: one.others.update({"from dba_roles": lambda s: one.rows("N", (1,))}), "The role RACLAB_READER exists"),
    "in the root": (lambda one: setattr(one, "container", "CDB$ROOT"), "set RACLAB_DSN to a pluggable database, such as FREEPDB1"),
    "another database": (lambda one: setattr(one, "database", "PROD1"), "RACLAB_I_OWN_THIS_DATABASE says FREE, and PROD1 is connected"),
    "tablespace": (
        lambda one: one.others.update({"from database_properties": lambda s: one.rows("V", ("SYSTEM",))}),
        "The default tablespace is SYSTEM",
    ),
    "a name that is more": (
        lambda one: one.others.update({"from database_properties": lambda s: one.rows("V", ('USERS" quota',))}),
        "can't be used in a statement",
    ),
    "no dictionary": (
        lambda one: one.refuse.update({"from dba_users": (942, "table or view does not exist")}),
        "Asking the data dictionary failed",
    ),
}


@pytest.mark.parametrize("why", REFUSED)
def test_init_refuses_and_writes_nothing(database: Any, why: str) -> None:
    change, wanted = REFUSED[why]
    change(database)
    with pytest.raises(OracleAdminError) as raised:
        init()
    assert wanted in str(raised.value)
    assert [one for one in written(database) if not one.startswith(("create role", "drop role", "grant select"))] == []
    assert why == "a name that is more" or written(database) == []


@pytest.mark.parametrize("action", [init, drop])
def test_nothing_is_changed_in_a_database_that_is_not_named(made: Any, action: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RACLAB_I_OWN_THIS_DATABASE")
    with pytest.raises(OracleAdminError, match="RACLAB_I_OWN_THIS_DATABASE says nothing, and FREE is connected"):
        action()
    assert written(made) == []


@pytest.mark.parametrize(
    ("variable", "value", "wanted"),
    [
        ("RACLAB_USER", "rac lab", "RACLAB_USER takes a letter"),
        ("RACLAB_USER", "x" * 23, "22 at most"),
        ("RACLAB_USER", 'r" identified by x', "RACLAB_USER takes a letter"),
        ("RACLAB_PASSWORD", 'a"b', "RACLAB_PASSWORD takes printable characters without a double quote"),
        ("RACLAB_PASSWORD", "a\nb", "RACLAB_PASSWORD takes printable characters"),
    ],
)
def test_names_and_passwords_that_could_be_more(
    database: Any, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, wanted: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(OracleAdminError) as raised:
        init()
    assert wanted in str(raised.value) and 'a"b' not in str(raised.value)
    assert database.sent() == []


def test_the_administrators_password_is_asked_for(database: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RACLAB_ADMIN_PASSWORD")
    prompts: list[str] = []

    def ask(prompt: str) -> str:
        prompts.append(prompt)
        return ADMIN

    assert "Made in FREE" in init(ask=ask)
    assert prompts == ["Password of SYS: "]


def test_without_a_terminal_the_variable_is_named(database: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RACLAB_ADMIN_PASSWORD")

    def ask(prompt: str) -> str:
        raise EOFError

    with pytest.raises(OracleAdminError, match="set RACLAB_ADMIN_PASSWORD or type it"):
        init(ask=ask)


def test_a_wrong_administrators_password_names_its_own_variable(database: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RACLAB_ADMIN_PASSWORD", "wrong")
    with pytest.raises(ConnectError, match=r"ORA-01017: .* check RACLAB_ADMIN_USER and RACLAB_ADMIN_PASSWORD\.") as raised:
        init()
    assert "wrong at" in str(raised.value) and str(raised.value).count("wrong") == 1


def test_drop_removes_exactly_user_and_role(made: Any) -> None:
    assert drop() == "Removed from FREE FREEPDB1: user RACLAB and role RACLAB_READER."
    assert written(made) == ["drop user RACLAB cascade", "drop role RACLAB_READER"]


@pytest.mark.parametrize(
    "mark", [("RACLAB", "TEST1", "FREEPDB1", "R"), ("RACLAB", "FREE", "PDB2", "R"), ("OTHER", "FREE", "FREEPDB1", "R")]
)
def test_drop_leaves_a_user_that_bears_no_mark_of_this_database(made: Any, mark: tuple[str, ...]) -> None:
    made.others["from raclab[.]raclab_mark"] = lambda session: made.rows("U D C R", mark)
    with pytest.raises(OracleAdminError, match="The lab did not make the user RACLAB in FREE FREEPDB1, so nothing is removed"):
        drop()
    assert written(made) == []


def test_drop_leaves_a_user_without_a_mark(database: Any) -> None:
    with pytest.raises(OracleAdminError, match="The lab did not make the user RACLAB"):
        drop()
    assert written(database) == []


def test_drop_leaves_a_schema_that_holds_more(made: Any) -> None:
    made.others["from dba_objects"] = lambda session: made.rows("T N", ("TABLE", "MY_RESULTS"), ("TABLE", "RACLAB_MARK"))
    with pytest.raises(OracleAdminError, match="RACLAB also holds TABLE MY_RESULTS, which the lab did not make, so nothing is removed"):
        drop()
    assert written(made) == []
    assert drop(everything=True).startswith("Removed")


def test_drop_waits_for_nobody(made: Any) -> None:
    made.others["from gv[$]session "] = lambda session: made.rows("N", (3,))
    with pytest.raises(OracleAdminError, match=r"Sessions of RACLAB are connected \(3\): close them"):
        drop()
    assert written(made) == []


def test_check_tells_what_there_is(fake_oracle: Any, as_lab_user: Any) -> None:
    oracle = fake_oracle(instances={1: "RAC1", 2: "RAC2"})
    oracle.others["where 1 = 0"] = lambda session: oracle.rows("N", (0,))
    as_lab_user(oracle)
    found = check()
    told = found.told.splitlines()
    assert found.readable and found.runnable
    assert told[0].startswith("Connected to FREE FREEPDB1 as RACLAB: Oracle Database 23ai Free")
    assert told[1:] == [
        "2 instances are open: RAC1, RAC2; 2 within reach.",
        "Every view that the course needs can be read.",
        "The lab may write here: live runs are possible.",
    ]
    assert written(oracle) == []


def test_check_tells_what_is_missing(fake_oracle: Any, as_lab_user: Any) -> None:
    oracle = fake_oracle(mark=None)
    oracle.others["from gv[$]latch"] = lambda session: session._read("nothing")
    oracle.others["where 1 = 0"] = lambda session: oracle.rows("N", (0,))
    as_lab_user(oracle)
    found = check()
    told = found.told.splitlines()
    assert not found.readable and not found.runnable
    assert told[1] == "One instance is open, RAC1: what needs RAC can't be shown live."
    assert told[2] == "Can't be read: GV$LATCH."
    assert told[3].startswith("RACLAB is not a user that the lab made in FREE")


WHAT_CHECK_ENDS_WITH = {
    "everything there": ({}, {}, [], 0),
    "no mark": ({"mark": None}, {}, [], 1),
    "no mark, for reading": ({"mark": None}, {}, ["--for-reading"], 0),
    "a view that can't be read": ({}, {"from gv[$]latch": (942, "table or view does not exist")}, [], 1),
    "a view that can't be read, for reading": ({}, {"from gv[$]latch": (942, "table or view does not exist")}, ["--for-reading"], 1),
    "an instance out of reach": ({"instances": {1: "RAC1", 2: "RAC2"}, "elsewhere": {2: "PROD1"}}, {}, [], 1),
}


@pytest.mark.parametrize("why", WHAT_CHECK_ENDS_WITH)
def test_check_ends_with_status_1_where_something_needed_is_missing(
    fake_oracle: Any, as_lab_user: Any, capsys: pytest.CaptureFixture[str], why: str
) -> None:
    what, refuse, options, status = WHAT_CHECK_ENDS_WITH[why]
    oracle = fake_oracle(**what)
    oracle.refuse.update(refuse)
    oracle.others["where 1 = 0"] = lambda session: oracle.rows("N", (0,))
    as_lab_user(oracle)
    assert main(["oracle", "check", *options]) == status
    assert capsys.readouterr().out.startswith("Connected to FREE FREEPDB1")
    assert written(oracle) == []


@pytest.mark.parametrize("diagnostics_pack", [False, True])
def test_what_print_shows_is_what_init_runs(database: Any, capsys: pytest.CaptureFixture[str], diagnostics_pack: bool) -> None:
    assert main(["oracle", "init", "--print", *(["--diagnostics-pack"] if diagnostics_pack else [])]) == 0
    shown = capsys.readouterr().out
    assert database.sent() == [], "it connects to nothing"
    assert database.password not in shown and ADMIN not in shown
    values = {"lab_password": database.password, "database": "FREE", "container": "FREEPDB1", "lab_tablespace": "USERS"}
    filled = re.sub(r"&(\w+)\.?", lambda name: values[name[1]], shown)
    printed = [" ".join(one.split()) for one in re.sub(r"(?m)^--.*$", "", filled[filled.index("create role") :]).split(";\n")]
    init(diagnostics_pack=diagnostics_pack)
    assert [one for one in printed if one] == [*written(database), "commit"]


def test_what_print_shows_is_what_drop_runs(made: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["oracle", "drop", "--print"]) == 0
    shown = re.sub(r"(?m)^--.*$", "", capsys.readouterr().out)
    assert made.sent() == []
    drop()
    assert [one.strip() for one in shown.split(";") if one.strip()] == written(made)


def test_print_checks_the_users_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RACLAB_USER", 'x" identified by y')
    with pytest.raises(OracleAdminError, match="RACLAB_USER takes a letter"):
        printed("init")


def test_another_database_can_be_named_on_the_command_line(
    fake_oracle: Any, as_lab_user: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    oracle = fake_oracle()
    oracle.others["where 1 = 0"] = lambda session: oracle.rows("N", (0,))
    as_lab_user(oracle)
    monkeypatch.delenv("RACLAB_DSN")
    assert main(["oracle", "check", "--dsn", oracle.dsn]) == 0
