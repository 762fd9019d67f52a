"""What is sent to a database and is no statement that it runs: SQL*Plus's commands, others' privileges, what the lab has not."""

import re
from itertools import pairwise

from sqlglot.tokenizer_core import Token, TokenType

from raclab.database.dialect.names import SCHEMAS
from raclab.database.oracle_error import OracleError, unsupported

_WRITE = {
    "DESCRIBE": "ask ALL_TAB_COLUMNS for a table's columns",
    "SHOW": "ask V$PARAMETER, or SYS_CONTEXT('USERENV', ...)",
    "EXECUTE": "write BEGIN ...; END;",
    "SET": "leave it out",
    "DEFINE": "use a bind variable",
    "VARIABLE": "bind variables need no declaration here",
    "EXIT": "close the connection",
    "CONNECT": "open another connection",
}
_NAMES = """
    @ @@ ACCEPT APPEND ARCHIVE ATTRIBUTE BREAK BTITLE CHANGE CLEAR COLUMN COMPUTE CONNECT COPY DEFINE DEL DESCRIBE DISCONNECT EDIT EXECUTE
    EXIT GET HELP HISTORY HOST INPUT LIST PASSWORD PAUSE PRINT PROMPT QUIT REMARK REPFOOTER REPHEADER RUN SAVE SHOW SPOOL START STORE
    TIMING TTITLE UNDEFINE VARIABLE WHENEVER /
"""
_COMMANDS = frozenset(_NAMES.split())
_SHORT = {
    "ACC": "ACCEPT", "ATT": "ATTRIBUTE", "BRE": "BREAK", "BTI": "BTITLE", "CL": "CLEAR", "COL": "COLUMN", "COMP": "COMPUTE",
    "CONN": "CONNECT", "DEF": "DEFINE", "DESC": "DESCRIBE", "DISC": "DISCONNECT", "ED": "EDIT", "EXEC": "EXECUTE", "HIST": "HISTORY",
    "HO": "HOST", "L": "LIST", "PASSW": "PASSWORD", "PAU": "PAUSE", "PRI": "PRINT", "PRO": "PROMPT", "R": "RUN", "REM": "REMARK",
    "SHO": "SHOW", "SPO": "SPOOL", "STA": "START", "TIMI": "TIMING", "TTI": "TTITLE", "UNDEF": "UNDEFINE", "VAR": "VARIABLE",
}  # fmt: skip
_SET_OF_SQL = ("TRANSACTION", "ROLE", "CONSTRAINT", "CONSTRAINTS")
_REFUSED = {"GRANT", "REVOKE", "AUDIT", "NOAUDIT", "SHUTDOWN", "STARTUP", "ADMINISTER", "FLASHBACK", "PURGE", "RECOVER"}
_NOT_HERE = {
    "EXPLAIN": "EXPLAIN PLAN: it has no plans of Oracle's",
    "LOCK": "LOCK TABLE",
    "ANALYZE": "ANALYZE",
    "ASSOCIATE": "ASSOCIATE STATISTICS",
}
_OBJECTS = re.compile(
    r"\s*(?:CREATE|ALTER|DROP)\s+(?:OR\s+REPLACE\s+)?(?:PUBLIC\s+|GLOBAL\s+|UNIQUE\s+|BITMAP\s+|EDITIONABLE\s+)*(?P<kind>[A-Z]+)",
    re.IGNORECASE,
)
_OTHERS = {"USER", "ROLE", "PROFILE", "TABLESPACE", "DATABASE", "SYSTEM", "DIRECTORY", "SYNONYM", "PFILE", "SPFILE", "DISKGROUP"}
_CODE = {"PROCEDURE", "FUNCTION", "PACKAGE", "TRIGGER", "TYPE", "LIBRARY"}
_KINDS = {"MATERIALIZED": "materialized views", "CLUSTER": "clusters", "CONTEXT": "contexts", "OUTLINE": "outlines"}


def refuse(first: str, tokens: list[Token], text: str) -> None:
    """Raise for what is no statement that the lab runs; ``first`` is the first word in capitals."""
    second = tokens[1].text.upper() if len(tokens) > 1 else ""
    command = _SHORT.get(first, first)
    if command in _COMMANDS or (first == "SET" and second not in _SET_OF_SQL):
        advice = _WRITE.get(command, "leave it out")
        raise OracleError(900, f"invalid SQL statement: {command} is a command of SQL*Plus, not SQL; {advice}", tokens[0].start)
    if first in _REFUSED:
        raise OracleError(1031, f"insufficient privileges: {first} is not for the user {SCHEMAS[0]}")
    if first in _NOT_HERE:
        raise unsupported(_NOT_HERE[first])
    if first == "WITH" and second in ("FUNCTION", "PROCEDURE") and len(tokens) > 2 and tokens[2].token_type is TokenType.VAR:
        raise unsupported("PL/SQL in WITH", tokens[1].start)
    if first in ("CREATE", "ALTER", "DROP") and second != "SESSION":
        _refuse_object(text)


def _refuse_object(text: str) -> None:
    match = _OBJECTS.match(text)
    kind = match["kind"].upper() if match else ""
    if kind in _OTHERS:
        raise OracleError(1031, f"insufficient privileges: {kind} is not for the user {SCHEMAS[0]}")
    if kind in _CODE:
        raise unsupported("PL/SQL")
    if kind in _KINDS:
        raise unsupported(_KINDS[kind])


def refuse_substitution(tokens: list[Token]) -> None:
    """Raise for ``&name``: SQL*Plus asks for such a variable before it sends the statement; a database never sees one."""
    for token, after in pairwise(tokens):
        if token.token_type in (TokenType.AMP, TokenType.DAMP) and after.start == token.end + 1 and after.token_type is TokenType.VAR:
            said = f"&{after.text} is a substitution variable of SQL*Plus; use a bind variable, :{after.text}"
            raise OracleError(911, f"invalid character: {said}", token.start)
