"""The RACLAB_ variables that name a real Oracle and say who may do what there.

    RACLAB_DSN                     connect string: host:port/service, a descriptor, or an alias in TNS_ADMIN or the wallet
    RACLAB_USER, RACLAB_PASSWORD   who connects
    RACLAB_WALLET                  folder of a wallet, for TLS; RACLAB_WALLET_PASSWORD if it needs one
    RACLAB_I_OWN_THIS_DATABASE     the database's db_unique_name; without it nothing is ever written there

No value of a password appears in a message or a repr.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from raclab.database.errors import ConnectError

HOW_TO_NAME = "host:port/service"


@dataclass(frozen=True)
class OracleSettings:
    """Where and as whom to connect.

    dsn              connect string without user and password
    user, password   empty where a wallet is to identify the user
    wallet           folder of the wallet, "" for none
    """

    dsn: str
    user: str = ""
    password: str = field(default="", repr=False)
    wallet: str = ""
    wallet_password: str = field(default="", repr=False)


def oracle_settings(dsn: str | None = None, environ: Mapping[str, str] | None = None) -> OracleSettings:
    """The settings from the environment; ``dsn`` goes before RACLAB_DSN.

    A DSN of the form user/password@... is taken apart, so that its password goes no further. Raises ConnectError where
    something is missing.
    """
    import oracledb

    given = os.environ if environ is None else environ
    text = (dsn or given.get("RACLAB_DSN") or "").strip()
    if not text:
        raise ConnectError(f"RACLAB_DSN is not set: set it to {HOW_TO_NAME} of your database.")
    user, password, rest = None, None, text
    if "@" in text:
        try:
            user, password, rest = oracledb.ConnectParams().parse_dsn_with_credentials(text)
        except oracledb.Error:
            rest = ""
        if not rest:
            raise ConnectError(f"RACLAB_DSN can't be read: set it to {HOW_TO_NAME}, and RACLAB_USER and RACLAB_PASSWORD beside it.")
    settings = OracleSettings(
        dsn=rest,
        user=user or given.get("RACLAB_USER", ""),
        password=password or given.get("RACLAB_PASSWORD", ""),
        wallet=given.get("RACLAB_WALLET", ""),
        wallet_password=given.get("RACLAB_WALLET_PASSWORD", ""),
    )
    if not settings.wallet and not (settings.user and settings.password):
        raise ConnectError(no_credentials(settings.user))
    return settings


def owned_database() -> str:
    """What RACLAB_I_OWN_THIS_DATABASE says at this moment, "" if it is not set."""
    return os.environ.get("RACLAB_I_OWN_THIS_DATABASE", "").strip()


def no_credentials(user: str = "") -> str:
    """The sentence for a missing user or password."""
    missing = "RACLAB_PASSWORD" if user else "RACLAB_USER and RACLAB_PASSWORD"
    return f"The database needs a user and a password: set {missing}."
