"""Which table, view or sequence a name in a statement means, and whether it may be changed."""

from collections.abc import Iterator
from typing import Any

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from raclab.database import dictionary_views, history_views, views
from raclab.database.dialect.catalog import Catalog, Columns
from raclab.database.dialect.nodes import folded, quoted
from raclab.database.dialect.parse import Parsed
from raclab.database.oracle_error import OracleError, unsupported

OWN = "LAB"
SCHEMAS = (OWN, "SYS", "PUBLISHED")
DICTIONARY = dictionary_views.NAMES
SYS_NAMES = views.names() | history_views.NAMES | DICTIONARY | {"DUAL"}


class Names:
    """The names of one statement.

    ``schema`` is the session's current schema; ``touched`` collects (schema, name) of every table that the statement reads or writes.
    """

    def __init__(self, parsed: Parsed, schema: str, catalog: Catalog) -> None:
        self.schema = schema
        self._catalog = catalog
        self.touched: set[tuple[str, str]] = set()
        self._defined: dict[tuple[str, str], Columns] = {}
        self._parsed = parsed
        self._checks = _checks(parsed)
        self._ctes = {folded(cte.args["alias"].this) for cte in parsed.tree.find_all(exp.CTE)}

    def offset_of(self, name: str) -> int | None:
        """Where a name stands in the statement's text."""
        return self._parsed.offset_of(name)

    def table(self, node: Any) -> exp.Expr:
        """A table with the schema that it is in. Raises ORA-00942 for a schema that there is not."""
        if not isinstance(node.this, exp.Identifier):
            raise unsupported("table functions")
        name = str(node.this.name)
        if "@" in name:
            raise unsupported("database links", self.offset_of(name))
        if node.args.get("catalog"):
            raise OracleError(933, "SQL command not properly ended: a table's name has at most a schema in front")
        schema = str(node.args["db"].name) if node.args.get("db") else None
        if schema is None and name in self._ctes:
            return node  # type: ignore[no-any-return]
        owner, found = self.resolve(schema, name)
        self.touched.add((owner, found))
        node.set("db", quoted(owner))
        if found != name:
            node.set("this", quoted(found))
            if not node.args.get("alias"):
                node.set("alias", exp.TableAlias(this=quoted(name)))
        return node  # type: ignore[no-any-return]

    def next_check(self) -> str:
        """The condition of the statement's next CHECK as it was written."""
        return next(self._checks)

    def define(self, table: str, columns: Columns) -> None:
        """The statement makes a table of LAB with these columns, or adds them to one."""
        self._defined[OWN, table] = {**(self._catalog.columns(OWN, table) or {}), **columns}

    def columns_of(self, table: Any) -> Columns | None:
        """The columns of a table as the catalog has them, or None where there is no such table."""
        schema = folded(table.args["db"]) if table.args.get("db") else None
        try:
            resolved = self.resolve(schema, folded(table.this))
            return self._defined.get(resolved) or self._catalog.columns(*resolved)
        except OracleError:
            return None

    def resolve(self, schema: str | None, name: str) -> tuple[str, str]:
        """Schema and name of a table, from its name as written; names of Oracle's underlying views (V_$X) mean V$X."""
        plain = name.replace("V_$", "V$", 1) if name.startswith(("V_$", "GV_$")) else name
        if name.startswith("DBA_") and name not in SYS_NAMES and name.replace("DBA_", "ALL_", 1) in DICTIONARY:
            plain = name.replace("DBA_", "ALL_", 1)  # the user LAB may see all that there is
        if schema is None:
            return ("SYS", plain) if plain in SYS_NAMES else (self.schema, name)
        if schema not in SCHEMAS or (schema == "SYS" and plain not in SYS_NAMES):
            raise missing(f"{schema}.{name}", self.offset_of(schema))
        return schema, plain if schema == "SYS" else name

    def writable(self, node: exp.Expr) -> tuple[str, str]:
        """Schema and name of a table that the statement changes. Raises ORA-01031 outside the schema LAB."""
        if not isinstance(node, exp.Table) or not isinstance(node.this, exp.Identifier):
            raise OracleError(903, "invalid table name")
        schema = folded(node.args["db"]) if node.args.get("db") else None
        owner, name = self.resolve(schema, folded(node.this))
        if owner != OWN:
            raise OracleError(1031, f"insufficient privileges: {owner}.{name} can only be read; tables of your own go into {OWN}")
        return owner, name

    def sequence(self, schema: exp.Expr | None, name: str) -> str:
        """A sequence's full name for DuckDB's nextval and currval."""
        return f'"{folded(schema) if isinstance(schema, exp.Identifier) else OWN}"."{name}"'


def _checks(parsed: Parsed) -> Iterator[str]:
    for place, token in enumerate(parsed.tokens[:-1]):
        if token.text.upper() == "CHECK" and parsed.tokens[place + 1].token_type is TokenType.L_PAREN:
            depth = 0
            for end in parsed.tokens[place + 1 :]:
                depth += {TokenType.L_PAREN: 1, TokenType.R_PAREN: -1}.get(end.token_type, 0)
                if not depth:
                    yield parsed.text[parsed.tokens[place + 1].end + 1 : end.start].strip()
                    break


def missing(name: str, offset: int | None = None) -> OracleError:
    """ORA-00942 for a name; says so where Oracle has such a view and the lab has not."""
    plain = name.rpartition(".")[2]
    known = plain.startswith(("V$", "GV$", "DBA_HIST", "DBA_", "ALL_", "USER_")) and plain not in SYS_NAMES
    hint = " in the simulated cluster; the views that it has are listed in ALL_VIEWS" if known else ""
    return OracleError(942, f"table or view {name} does not exist{hint}", offset)
