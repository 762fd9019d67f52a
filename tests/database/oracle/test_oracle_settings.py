"""RACLAB_ variables: what is taken from where, and what never shows."""

import pytest

from raclab.database.errors import ConnectError
from raclab.database.settings import OracleSettings, oracle_settings

FULL = {
    "RACLAB_DSN": "db.example:1521/LAB",
    "RACLAB_USER": "raclab",
    "RACLAB_PASSWORD": "hush",
    "RACLAB_WALLET": "/w",
    "RACLAB_WALLET_PASSWORD": "mum",
}


def test_everything_comes_from_the_environment() -> None:
    assert oracle_settings(environ=FULL) == OracleSettings("db.example:1521/LAB", "raclab", "hush", "/w", "mum")


def test_a_dsn_that_is_given_goes_before_the_variable() -> None:
    assert oracle_settings("other:1521/X", FULL).dsn == "other:1521/X"


def test_credentials_in_the_dsn_are_taken_out_of_it() -> None:
    settings = oracle_settings("scott/tiger@db.example:1521/LAB", FULL)
    assert (settings.user, settings.password, settings.dsn) == ("scott", "tiger", "db.example:1521/LAB")


def test_a_repr_holds_no_password() -> None:
    text = repr(oracle_settings("scott/tiger@db.example:1521/LAB", FULL))
    assert "tiger" not in text and "mum" not in text and "scott" in text


def test_a_wallet_may_stand_for_user_and_password() -> None:
    assert oracle_settings("alias", {"RACLAB_WALLET": "/w"}).user == ""


@pytest.mark.parametrize("dsn", ["scott/tiger@", "tiger/@@"])
def test_a_damaged_dsn_is_not_repeated(dsn: str) -> None:
    with pytest.raises(ConnectError, match="RACLAB_DSN can't be read: set it to host:port/service") as raised:
        oracle_settings(dsn, FULL)
    assert "tiger" not in str(raised.value)


def test_without_a_dsn_there_is_nothing_to_connect_to() -> None:
    with pytest.raises(ConnectError, match="RACLAB_DSN is not set"):
        oracle_settings(environ={})
