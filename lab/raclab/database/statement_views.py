"""Views of statements beside V$SQL: one row a statement, as V$SQL has here, and its text in pieces."""

from raclab.database.added_views import ADDED
from raclab.database.instance_views import DBID
from raclab.database.view_shape import Filling, documented
from raclab.database.wait_classes import COMMANDS

_OWN = {"VERSION_COUNT": "1", "CON_DBID": str(DBID)}
_LENGTH = 64
_PIECES = f"""(SELECT inst_id, ADDRESS, HASH_VALUE, SQL_ID, COMMAND_TYPE, SQL_TEXT AS text,
    unnest(range((length(SQL_TEXT) + {_LENGTH - 1}) // {_LENGTH})) AS piece FROM SYS."GV$SQL")"""


def _of_sql(view: str) -> Filling:
    """A view over V$SQL's rows: the columns that both have, and V$SQL fills."""
    there = {"CON_ID", *ADDED["SQL"].brought, *ADDED["SQL"].shown}
    shared = {column.name: f'"{column.name}"' for column in documented()[view] if column.name in there}
    own = {column.name: _OWN[column.name] for column in documented()[view] if column.name in _OWN}
    return Filling('SYS."GV$SQL"', shared | own)


_TEXTS = Filling(
    _PIECES,
    {
        **{name: f'"{name}"' for name in ("ADDRESS", "HASH_VALUE", "SQL_ID", "COMMAND_TYPE")},
        "PIECE": "piece",
        "SQL_TEXT": f"substr(text, piece * {_LENGTH} + 1, {_LENGTH})",
        "CON_ID": "0",
    },
)

FILLINGS: dict[str, Filling] = {
    "SQLCOMMAND": Filling(
        f"(SELECT inst_id, unnest({list(COMMANDS.values())}) AS number, unnest({list(COMMANDS)}) AS name FROM cluster.instance)",
        {"COMMAND_TYPE": "number", "COMMAND_NAME": "name", "CON_ID": "0"},
    ),
    "SQLAREA": _of_sql("SQLAREA"),
    "SQLSTATS": _of_sql("SQLSTATS"),
    **dict.fromkeys(("SQLTEXT", "SQLTEXT_WITH_NEWLINES"), _TEXTS),
}
