"""One statement over a DB-API connection: rows as a frame, errors as one sentence."""

import re
from typing import TYPE_CHECKING, Any

from raclab.database.errors import SqlError

if TYPE_CHECKING:
    import oracledb
    import pandas as pd

MAX_ROWS = 100_000


def run_statement(connection: "oracledb.Connection", text: str, binds: Any = None) -> "pd.DataFrame":
    """Run ``text`` with ``binds`` (mapping, sequence or None) and return its rows, at most MAX_ROWS.

    A statement without rows gives one row RESULT that says what was done. Raises SqlError.
    """
    import oracledb
    import pandas as pd

    statement = bare(text)
    if not statement:
        raise SqlError("There is no statement to run.")
    try:
        with connection.cursor() as cursor:
            cursor.arraysize = 1000
            cursor.execute(statement, binds if binds is not None else [])
            if cursor.description is None:
                return pd.DataFrame({"RESULT": [_done(statement, cursor.rowcount)]})
            names = [column[0] for column in cursor.description]
            return pd.DataFrame(cursor.fetchmany(MAX_ROWS), columns=names)
    except oracledb.Error as error:
        raise sql_error(error) from None


_END = re.compile(r"(?:\s|;|\n\s*/(?=\s*$))+$")
_BLOCK = re.compile(r"\s*(?:BEGIN|DECLARE|CREATE\s+(?:OR\s+REPLACE\s+)?(?:PROCEDURE|FUNCTION|PACKAGE|TRIGGER|TYPE))\b", re.IGNORECASE)


def bare(text: str) -> str:
    """A statement without the semicolon or the slash on a line of its own that ends it in SQL*Plus; a PL/SQL block keeps its semicolon."""
    statement = _END.sub("", "\n" + text).lstrip()
    return statement + ";" if _BLOCK.match(statement) else statement


def sql_error(error: Exception) -> SqlError:
    """The driver's error as a SqlError: first line only, without the driver's help link."""
    detail = error.args[0] if error.args else None
    message = str(getattr(detail, "message", error)).splitlines()
    offset = getattr(detail, "offset", 0)
    return SqlError(message[0] if message else str(error), int(getattr(detail, "code", 0) or 0), offset or None)


_VERBS = {"INSERT": "created", "UPDATE": "updated", "DELETE": "deleted", "MERGE": "merged"}


def _done(statement: str, rows: int) -> str:
    verb, *rest = statement.split(None, 2)
    verb = verb.upper()
    if verb in _VERBS:
        return f"{rows} row{'' if rows == 1 else 's'} {_VERBS[verb]}."
    if verb in {"CREATE", "DROP", "ALTER", "TRUNCATE"} and rest:
        ending = {"CREATE": "created", "DROP": "dropped", "ALTER": "altered", "TRUNCATE": "truncated"}[verb]
        return f"{rest[0].capitalize()} {ending}."
    return {"COMMIT": "Commit complete.", "ROLLBACK": "Rollback complete."}.get(verb, "Done.")
