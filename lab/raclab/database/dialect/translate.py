"""One Oracle statement as DuckDB's: what kind of statement it is, and what to run."""

import logging
import re
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache

from sqlglot import exp

from raclab.database.dialect import allowed, ddl, expressions, fetch, headings, hierarchy, levels, outer_joins, rownum
from raclab.database.dialect.names import SCHEMAS, Names
from raclab.database.dialect.parse import Parsed, parse, tokenize
from raclab.database.oracle_error import OracleError, unsupported

# sqlglot warns on stderr of what it reads as a bare command; here that becomes an error of the statement.
logging.getLogger("sqlglot").addHandler(logging.NullHandler())

KEPT = 2000
"""Translations kept, by text and current schema."""


class Verb(Enum):
    """What a statement does."""

    QUERY = auto()
    CHANGE = auto()
    DEFINE = auto()
    COMMIT = auto()
    ROLLBACK = auto()
    SESSION = auto()
    BLOCK = auto()


@dataclass(frozen=True)
class Translation:
    """What to run.

    verb     what kind of statement it is
    sql      DuckDB's statements, in order; empty where there is nothing to run
    binds    names of the bind variables by place, upper case; DuckDB's $1 is the first place
    touched  (schema, name) of every table read or written
    setting  for SESSION: name and value; for BLOCK: the calls, each a name and its arguments' text
    """

    verb: Verb
    sql: tuple[str, ...] = ()
    binds: tuple[str, ...] = ()
    touched: frozenset[tuple[str, str]] = frozenset()
    setting: tuple[str, str] = ("", "")


_QUERIES = ("SELECT", "WITH", "(")
_CHANGES = ("INSERT", "UPDATE", "DELETE", "MERGE")
_VERBS = frozenset((*_QUERIES, *_CHANGES, "CREATE", "ALTER", "DROP", "TRUNCATE", "COMMENT", "COMMIT", "ROLLBACK", "SET"))
_PLSQL = ("BEGIN", "DECLARE", "CALL", "EXEC", "EXECUTE")
_SQLPLUS = {"DESC": "DESCRIBE", "DESCRIBE": "DESCRIBE", "SHOW": "SHOW", "PROMPT": "PROMPT", "SPOOL": "SPOOL", "COLUMN": "COLUMN"}
_REFUSED = {"GRANT", "REVOKE", "AUDIT", "NOAUDIT", "SHUTDOWN", "STARTUP", "ADMINISTER", "FLASHBACK", "PURGE"}
_NOT_HERE = {"EXPLAIN": "EXPLAIN PLAN", "LOCK": "LOCK TABLE", "SAVEPOINT": "savepoints", "ANALYZE": "ANALYZE", "RENAME": "RENAME"}
_OBJECTS = re.compile(
    r"\s*(?:CREATE|ALTER|DROP)\s+(?:OR\s+REPLACE\s+)?(?:PUBLIC\s+|GLOBAL\s+|UNIQUE\s+|BITMAP\s+)*(?P<kind>[A-Z]+)", re.IGNORECASE
)
_OTHERS = {"USER", "ROLE", "PROFILE", "TABLESPACE", "DATABASE", "SYSTEM", "DIRECTORY", "SYNONYM", "PFILE", "SPFILE", "DISKGROUP"}
_CODE = {"PROCEDURE", "FUNCTION", "PACKAGE", "TRIGGER", "TYPE", "LIBRARY"}
_SET = re.compile(r"\s*ALTER\s+SESSION\s+SET\s+(?P<name>\w+)\s*=\s*(?P<value>'[^']*'|\"[^\"]*\"|[\w$#.]+)\s*$", re.IGNORECASE)
_KEPT_SETTINGS = ("CURRENT_SCHEMA", "NLS_DATE_FORMAT")


@lru_cache(maxsize=KEPT)
def translate(text: str, schema: str) -> Translation:
    """Translate one statement for a session whose current schema is ``schema``. Raises OracleError."""
    tokens = tokenize(text)
    first = tokens[0].text.upper() if tokens else ""
    if first in _PLSQL:
        return Translation(Verb.BLOCK)
    if first in _SQLPLUS:
        raise OracleError(900, f"invalid SQL statement: {_SQLPLUS[first]} is a command of SQL*Plus, not SQL")
    if first in _REFUSED:
        raise OracleError(1031, f"insufficient privileges: {first} is not for the user {SCHEMAS[0]}")
    if first in _NOT_HERE:
        raise unsupported(_NOT_HERE[first])
    if first not in _VERBS:
        raise OracleError(900, f"invalid SQL statement: {f'it can not begin with {first}' if first else 'there is none'}", 0)
    if first in ("COMMIT", "ROLLBACK"):
        return _end_of_transaction(first, [token.text.upper() for token in tokens[1:]])
    if first == "SET":
        raise unsupported("SET TRANSACTION, SET ROLE and SET CONSTRAINTS")
    if first == "ALTER" and len(tokens) > 1 and tokens[1].text.upper() == "SESSION":
        return _session(text)
    if first in ("CREATE", "ALTER", "DROP"):
        _refuse_object(text)
    return _statement(parse(text, tokens), schema)


def _end_of_transaction(verb: str, words: list[str]) -> Translation:
    if "TO" in words and verb == "ROLLBACK":
        raise unsupported("savepoints")
    if words not in ([], ["WORK"]):
        code, said = (2185, "a token other than WORK follows COMMIT") if verb == "COMMIT" else (2181, "invalid option to ROLLBACK WORK")
        raise OracleError(code, said)
    return Translation(Verb[verb])


def _session(text: str) -> Translation:
    match = _SET.match(text)
    if match is None:
        raise unsupported("ALTER SESSION but SET with one parameter")
    name, value = match["name"].upper(), match["value"]
    plain = value[1:-1] if value[0] in "'\"" else value.upper()
    if name == "CURRENT_SCHEMA" and plain not in SCHEMAS:
        raise OracleError(1435, f"user {plain} does not exist")
    if name not in _KEPT_SETTINGS and not name.startswith(("NLS_", "TIME_ZONE", "STATISTICS_LEVEL", "MAX_DUMP_FILE_SIZE")):
        raise OracleError(2248, f"invalid option for ALTER SESSION: the simulated cluster has no {name}")
    return Translation(Verb.SESSION, setting=(name, plain))


def _refuse_object(text: str) -> None:
    match = _OBJECTS.match(text)
    kind = match["kind"].upper() if match else ""
    if kind in _OTHERS:
        raise OracleError(1031, f"insufficient privileges: {kind} is not for the user {SCHEMAS[0]}")
    if kind in _CODE:
        raise unsupported("PL/SQL")


def _statement(parsed: Parsed, schema: str) -> Translation:
    tree = parsed.tree
    names = Names(parsed, schema)

    def render(part: exp.Expr) -> str:
        return _print(_prepared(part, names))

    def done(verb: Verb, *sql: str) -> Translation:
        return Translation(verb, sql, parsed.binds, frozenset(names.touched))

    if isinstance(tree, exp.Query):
        _check_query(parsed)
        headings.give(parsed)
        return done(Verb.QUERY, render(parsed.tree))
    if isinstance(tree, exp.Delete) and tree.args.get("tables") and not tree.this:
        tree.set("this", tree.args["tables"][0])
        tree.set("tables", None)
    if isinstance(tree, exp.Insert | exp.Update | exp.Delete | exp.Merge):
        allowed.check(tree)
        target = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
        names.writable(target)
        headings.give(parsed)
        if isinstance(tree, exp.Update):
            for change in tree.expressions:
                if isinstance(change, exp.EQ) and isinstance(change.this, exp.Column):
                    change.this.set("table", None)
        return done(Verb.CHANGE, render(tree))
    if isinstance(tree, exp.Create | exp.Drop | exp.Alter | exp.TruncateTable | exp.Comment):
        if parsed.binds:
            raise OracleError(1027, "bind variables not allowed for data definition operations")
        query = tree.args.get("expression")
        if isinstance(query, exp.Query):
            allowed.check(query.copy().transform(lambda node: exp.Null() if isinstance(node, exp.QueryOption) else node))
            headings.give(parsed)
        return done(Verb.DEFINE, *ddl.statements(tree, names, render))
    if isinstance(tree, exp.Command):
        raise unsupported(f"such a {str(tree.this).upper()} statement")
    raise OracleError(900, "invalid SQL statement")


def _check_query(parsed: Parsed) -> None:
    allowed.check(parsed.tree)
    for clause in parsed.tree.find_all(exp.Group, exp.Order):
        if not any(clause.args.get(part) for part in ("expressions", "rollup", "cube", "grouping_sets")):
            raise OracleError(936, "missing expression", len(parsed.text) - 1)
    for select in parsed.tree.find_all(exp.Select):
        if not select.args.get("from_"):
            raise OracleError(923, "FROM keyword not found where expected", parsed.offset_of("SELECT"))
        if len(select.expressions) > 1 and any(isinstance(item, exp.Star) for item in select.expressions):
            raise OracleError(923, "FROM keyword not found where expected: put an alias in front of * when other columns follow")


def _prepared(tree: exp.Expr, names: Names) -> exp.Expr:
    for node in list(tree.walk()):
        for extra in ("hint", "locks", "partition"):
            if node.args.get(extra):
                node.set(extra, None)
    fetch.refuse_limit(tree)
    tree = hierarchy.rewrite(outer_joins.rewrite(tree))
    tree = levels.rewrite(rownum.rewrite(tree))
    tree = fetch.rewrite(tree)
    return expressions.rewrite(tree, names)


def _print(tree: exp.Expr) -> str:
    return tree.sql("duckdb", comments=False)
