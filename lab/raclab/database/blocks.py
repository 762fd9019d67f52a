"""The few PL/SQL blocks that clients send around their SQL: those that say who they are, that wait, or that print.

``BEGIN DBMS_APPLICATION_INFO.SET_MODULE(...); END;`` and its like, DBMS_SESSION.SLEEP, DBMS_OUTPUT.PUT_LINE (whose text nobody reads,
as in a client that has not asked for it) and ``NULL``; ``CALL`` of the same. Every other block is ORA-03001.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from raclab.database.oracle_error import OracleError, unsupported

LONGEST_SLEEP_S = 60.0

_BLOCK = re.compile(r"\s*BEGIN\b(?P<body>.*)\bEND\s*;?\s*", re.IGNORECASE | re.DOTALL)
_SINGLE = re.compile(r"\s*CALL\b(?P<body>[^;]*);?\s*", re.IGNORECASE | re.DOTALL)
_CALL = re.compile(r"(?P<name>[\w.$]+)\s*(?:\((?P<arguments>.*)\))?", re.DOTALL)
_ARGUMENT = re.compile(
    r"\s*(?:\w+\s*=>\s*)?(?:'(?P<text>(?:[^']|'')*)'|:(?P<bind>\w+)|(?P<number>\d*\.?\d+(?:E\d+)?)|(?P<null>NULL))\s*(?:,|$)", re.IGNORECASE
)
_COMMENT = re.compile(r"('(?:[^']|'')*')|--[^\n]*|/\*.*?\*/", re.DOTALL)

_TOLD: dict[str, tuple[str, ...]] = {
    "DBMS_APPLICATION_INFO.SET_MODULE": ("module", "action"),
    "DBMS_APPLICATION_INFO.SET_ACTION": ("action",),
    "DBMS_APPLICATION_INFO.SET_CLIENT_INFO": ("client_info",),
    "DBMS_SESSION.SET_IDENTIFIER": ("client_identifier",),
    "DBMS_SESSION.CLEAR_IDENTIFIER": (),
}
_SLEEPS = ("DBMS_SESSION.SLEEP", "DBMS_LOCK.SLEEP")
_SILENT = {"NULL": 0, "DBMS_OUTPUT.ENABLE": 1, "DBMS_OUTPUT.DISABLE": 0, "DBMS_OUTPUT.PUT_LINE": 1, "DBMS_OUTPUT.NEW_LINE": 0}
_TAKEN = "DBMS_APPLICATION_INFO.SET_..., DBMS_SESSION.SET_IDENTIFIER and SLEEP, DBMS_OUTPUT.PUT_LINE and NULL"

Describe = Callable[[Mapping[str, str]], None]
Sleep = Callable[[float], None]


def run(text: str, values: list[Any], describe: Describe, sleep: Sleep) -> None:
    """Run a block. ``values`` are the bind variables by place. Raises OracleError for any block that does more."""
    plain = _COMMENT.sub(lambda match: match[1] or " ", text)
    single = _SINGLE.fullmatch(plain)
    match = single or _BLOCK.fullmatch(plain)
    if match is None:
        raise unsupported(f"PL/SQL but blocks that call {_TAKEN}")
    for statement in [match["body"].strip()] if single else _statements(match["body"]):
        _run_call(statement, values, describe, sleep)


def _statements(body: str) -> list[str]:
    parts = re.findall(r"((?:[^;']|'(?:[^']|'')*')+);", body)
    if re.sub(r"((?:[^;']|'(?:[^']|'')*')+);", "", body).strip():
        raise OracleError(6550, "PLS-00103: a statement of the block does not end in a semicolon")
    return [part.strip() for part in parts if part.strip()]


def _run_call(statement: str, values: list[Any], describe: Describe, sleep: Sleep) -> None:
    match = _CALL.fullmatch(statement)
    name = match["name"].upper() if match else ""
    if match is None or name not in (*_TOLD, *_SLEEPS, *_SILENT):
        raise unsupported(f"PL/SQL for {name or 'this statement'}; blocks may call {_TAKEN}")
    given = _arguments(match["arguments"] or "", values)
    most = len(_TOLD[name]) if name in _TOLD else 1 if name in _SLEEPS else _SILENT[name]
    if len(given) > most or (name in _SLEEPS and not given):
        raise OracleError(6550, f"PLS-00306: wrong number or types of arguments in call to {name}")
    if name in _SLEEPS:
        _wait(given[0], sleep)
    elif name in _TOLD:
        told = dict.fromkeys(_TOLD[name], "") | dict(zip(_TOLD[name], given, strict=False))
        describe({"client_identifier": ""} if name == "DBMS_SESSION.CLEAR_IDENTIFIER" else told)


def _wait(said: str, sleep: Sleep) -> None:
    try:
        seconds = float(said)
    except ValueError:
        raise OracleError(6502, "PL/SQL: numeric or value error: character to number conversion error") from None
    if not 0 <= seconds <= LONGEST_SLEEP_S:
        raise unsupported(f"SLEEP of {said} seconds; it takes 0 to {LONGEST_SLEEP_S:g}")
    sleep(seconds)


def _arguments(text: str, values: list[Any]) -> list[str]:
    found, at = [], 0
    while at < len(text.rstrip()):
        match = _ARGUMENT.match(text, at)
        if match is None:
            raise unsupported("PL/SQL expressions; a call takes literals and bind variables")
        if match["bind"]:
            if not values:
                raise OracleError(1008, "not all variables bound")
            value = values.pop(0)
            found.append("" if value is None else str(value))
        else:
            found.append("" if match["null"] else match["number"] or match["text"].replace("''", "'"))
        at = match.end()
    return found
