"""The few PL/SQL blocks that clients send around their SQL: those that only say who they are.

``BEGIN DBMS_APPLICATION_INFO.SET_MODULE(...); END;`` and its like, and ``BEGIN NULL; END;``. Every other block is ORA-03001.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from raclab.database.oracle_error import OracleError, unsupported

_BLOCK = re.compile(r"\s*BEGIN\b(?P<body>.*)\bEND\s*;?\s*", re.IGNORECASE | re.DOTALL)
_CALL = re.compile(r"(?P<name>[\w.]+)\s*(?:\((?P<arguments>.*)\))?", re.DOTALL)
_ARGUMENT = re.compile(r"\s*(?:\w+\s*=>\s*)?(?:'(?P<text>(?:[^']|'')*)'|:(?P<bind>\w+)|(?P<null>NULL))\s*(?:,|$)", re.IGNORECASE)

_CALLS: dict[str, tuple[str, ...]] = {
    "DBMS_APPLICATION_INFO.SET_MODULE": ("module", "action"),
    "DBMS_APPLICATION_INFO.SET_ACTION": ("action",),
    "DBMS_APPLICATION_INFO.SET_CLIENT_INFO": ("client_info",),
    "DBMS_SESSION.SET_IDENTIFIER": ("client_identifier",),
    "DBMS_SESSION.CLEAR_IDENTIFIER": (),
    "NULL": (),
}


def run(text: str, values: list[Any], describe: Callable[[Mapping[str, str]], None]) -> None:
    """Run a block. ``values`` are the bind variables by place. Raises OracleError for any block that does more."""
    match = _BLOCK.fullmatch(text)
    if match is None:
        raise unsupported("PL/SQL")
    for statement in _statements(match["body"]):
        _run_call(statement, values, describe)


def _statements(body: str) -> list[str]:
    parts = re.findall(r"((?:[^;']|'(?:[^']|'')*')+);", body)
    if re.sub(r"((?:[^;']|'(?:[^']|'')*')+);", "", body).strip():
        raise OracleError(6550, "PLS-00103: a statement of the block does not end in a semicolon")
    return [part.strip() for part in parts if part.strip()]


def _run_call(statement: str, values: list[Any], describe: Callable[[Mapping[str, str]], None]) -> None:
    match = _CALL.fullmatch(statement)
    name = match["name"].upper() if match else ""
    if match is None or name not in _CALLS:
        raise unsupported("PL/SQL except calls of DBMS_APPLICATION_INFO.SET_ and DBMS_SESSION.SET_IDENTIFIER")
    given = _arguments(match["arguments"] or "", values)
    if len(given) > len(_CALLS[name]):
        raise OracleError(6550, f"PLS-00306: wrong number of arguments in call to {name}")
    told = dict.fromkeys(_CALLS[name], "") | dict(zip(_CALLS[name], given, strict=False))
    if name == "DBMS_SESSION.CLEAR_IDENTIFIER":
        told = {"client_identifier": ""}
    describe(told)


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
            found.append("" if match["null"] else match["text"].replace("''", "'"))
        at = match.end()
    return found
