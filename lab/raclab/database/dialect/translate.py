"""One Oracle statement as DuckDB's: what kind of statement it is, and what to run."""

import contextlib
import logging
import re
import threading
from dataclasses import dataclass, replace
from enum import Enum, auto

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from raclab.database.dialect import (
    allowed,
    checks,
    commands,
    ddl,
    expressions,
    fetch,
    headings,
    hierarchy,
    levels,
    merges,
    outer_joins,
    pivots,
    returning,
    rownum,
    sequence_numbers,
    with_queries,
    zoned_views,
)
from raclab.database.dialect.catalog import Catalog, Columns
from raclab.database.dialect.changes import defaults, several_inserts, single_changes, without_table, writes
from raclab.database.dialect.names import SCHEMAS, Names
from raclab.database.dialect.parse import Parsed, parse, tokenize
from raclab.database.foreign_keys import Write
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
    SAVEPOINT = auto()
    SESSION = auto()
    BLOCK = auto()


@dataclass(frozen=True)
class Translation:
    """What to run.

    verb     what kind of statement it is
    sql      DuckDB's statements, in order; empty where there is nothing to run
    binds    names of the bind variables by place, upper case; DuckDB's $1 is the first place
    touched  (schema, name) of every table read or written
    returned for CHANGE: how many bind variables after those of ``binds`` receive what it returns
    steps    for DEFINE: what to do in order, statements of DuckDB's or changes that take more than one
    writes   for CHANGE: what is done to which table
    setting  for SESSION: name and value; for SAVEPOINT and ROLLBACK TO: a word and the savepoint's name
    """

    verb: Verb
    sql: tuple[str, ...] = ()
    binds: tuple[str, ...] = ()
    touched: frozenset[tuple[str, str]] = frozenset()
    setting: tuple[str, str] = ("", "")
    returned: int = 0
    steps: tuple[str | ddl.Change, ...] = ()
    writes: tuple[Write, ...] = ()


_QUERIES = ("SELECT", "WITH", "(")
_CHANGES = ("INSERT", "UPDATE", "DELETE", "MERGE")
_VERBS = frozenset(
    (*_QUERIES, *_CHANGES, "CREATE", "ALTER", "DROP", "TRUNCATE", "COMMENT", "COMMIT", "ROLLBACK", "SAVEPOINT", "SET", "RENAME")
)
_PLSQL = ("BEGIN", "DECLARE", "CALL")
_SET = re.compile(r"\s*ALTER\s+SESSION\s+SET\s+(?P<name>\w+)\s*=\s*(?P<value>'[^']*'|\"[^\"]*\"|[\w$#.]+)\s*$", re.IGNORECASE)
_PARALLEL = re.compile(
    r"\s*ALTER\s+SESSION\s+(?:ENABLE|DISABLE|FORCE)\s+PARALLEL\s+(?:DML|DDL|QUERY)(?:\s+PARALLEL\s+\d+)?\s*$", re.IGNORECASE
)
_COMMENTED = re.compile(r"--|/\*")
_KEPT_SETTINGS = ("CURRENT_SCHEMA", "NLS_DATE_FORMAT")


_kept: dict[tuple[str, str], tuple[Translation, tuple[Columns | None, ...]]] = {}
_translating = threading.Lock()  # Python runs one thread at a time anyway, and a tree needs much memory


def translate(text: str, schema: str, catalog: Catalog | None = None) -> Translation:
    """Translate one statement for a session whose current schema is ``schema``. Raises OracleError.

    ``catalog`` tells the columns of the tables; a translation is kept while those that it touches have the same columns.
    """
    catalog = catalog or Catalog()
    if kept := _kept_translation(text, schema, catalog):
        return kept
    with _translating:
        if kept := _kept_translation(text, schema, catalog):
            return kept  # of a class that begins with the same statement, one session has translated it for all
        made = _translate(text, schema, catalog)
        _kept[text, schema] = made, _columns(made, catalog)
    while len(_kept) > KEPT:
        with contextlib.suppress(KeyError, StopIteration, RuntimeError):  # another session's thread may be here too
            _kept.pop(next(iter(_kept)))
    return made


def _kept_translation(text: str, schema: str, catalog: Catalog) -> Translation | None:
    kept = _kept.get((text, schema))
    return kept[0] if kept is not None and kept[1] == _columns(kept[0], catalog) else None


def _columns(statement: Translation, catalog: Catalog) -> tuple[Columns | None, ...]:
    return tuple(catalog.columns(*table) for table in sorted(statement.touched))


def _translate(text: str, schema: str, catalog: Catalog) -> Translation:
    tokens = tokenize(text)
    first = tokens[0].text.upper() if tokens else ""
    if first in _PLSQL:
        return Translation(Verb.BLOCK)
    commands.refuse(first, tokens, text)
    if first not in _VERBS:
        raise OracleError(900, f"invalid SQL statement: {f'it can not begin with {first}' if first else 'there is none'}", 0)
    if first in ("COMMIT", "ROLLBACK"):
        return _end_of_transaction(first, [token.text.upper() for token in tokens[1:]])
    if first == "SAVEPOINT":
        return _savepoint(tokens[1:])
    if first == "SET":
        return _transaction([token.text.upper() for token in tokens[1:]])
    if first == "ALTER" and len(tokens) > 1 and tokens[1].text.upper() == "SESSION":
        return _session(text)
    commands.refuse_substitution(tokens)
    if first in _CHANGES:
        changing, returned = returning.split(text, tokens)
        changing = merges.split(changing, tokens)
        made = _statement(parse(changing, tokenize(changing) if changing is not text else tokens), schema, catalog)
        return replace(made, returned=returned)
    if first in _QUERIES:
        with_queries.refuse_search(tokens)
        return _statement(parse(text, tokens), schema, catalog)
    plain = ddl.simpler(" ".join(text[: tokens[-1].end + 1].split("\n")) if not _COMMENTED.search(text) else text)
    return _statement(parse(plain, tokenize(plain)), schema, catalog, modifies=first == "ALTER" and plain.startswith("CREATE"))


def _end_of_transaction(verb: str, words: list[str]) -> Translation:
    rest = words[1:] if words[:1] == ["WORK"] else words
    if verb == "ROLLBACK" and rest[:1] == ["TO"] and len(rest) in (2, 3):
        return Translation(Verb.ROLLBACK, setting=("TO", rest[-1]))
    if rest and not (verb == "COMMIT" and rest[0] in ("COMMENT", "WRITE")):
        code, said = (2185, "a token other than WORK follows COMMIT") if verb == "COMMIT" else (2181, "invalid option to ROLLBACK WORK")
        raise OracleError(code, said)
    return Translation(Verb[verb])


def _savepoint(tokens: list[Token]) -> Translation:
    if len(tokens) != 1:
        raise OracleError(3048 if len(tokens) > 1 else 1740, "a savepoint has one name")
    return Translation(Verb.SAVEPOINT, setting=("SAVEPOINT", tokens[0].text.upper()))


def _transaction(words: list[str]) -> Translation:
    """SET TRANSACTION: what the lab's transactions are anyway is taken."""
    if words[:2] in (["TRANSACTION", "NAME"], ["TRANSACTION", "ISOLATION"]) or words == ["TRANSACTION", "READ", "WRITE"]:
        return Translation(Verb.SESSION)
    raise unsupported("SET TRANSACTION READ ONLY, SET ROLE and SET CONSTRAINTS")


def _session(text: str) -> Translation:
    if _PARALLEL.match(text):
        return Translation(Verb.SESSION)
    match = _SET.match(text)
    if match is None:
        raise unsupported("ALTER SESSION but SET with one parameter, or ENABLE, DISABLE and FORCE PARALLEL, which change nothing here")
    name, value = match["name"].upper(), match["value"]
    plain = value[1:-1] if value[0] in "'\"" else value.upper()
    if name == "CURRENT_SCHEMA" and plain not in SCHEMAS:
        raise OracleError(1435, f"user {plain} does not exist")
    if name not in _KEPT_SETTINGS and not name.startswith(("NLS_", "TIME_ZONE", "STATISTICS_LEVEL", "MAX_DUMP_FILE_SIZE")):
        raise OracleError(2248, f"invalid option for ALTER SESSION: the simulated cluster has no {name}")
    return Translation(Verb.SESSION, setting=(name, plain))


def _statement(parsed: Parsed, schema: str, catalog: Catalog, modifies: bool = False) -> Translation:
    tree = parsed.tree
    names = Names(parsed, schema, catalog)
    sequence_numbers.check(tree, names)

    def render(part: exp.Expr) -> str:
        return _print(_prepared(part, names))

    def done(verb: Verb, *sql: str) -> Translation:
        return Translation(verb, sql, parsed.binds, frozenset(names.touched))

    if isinstance(tree, exp.Query):
        _check_query(parsed)
        checks.check(tree, names.columns_of)
        headings.give(parsed)
        return done(Verb.QUERY, render(parsed.tree))
    if isinstance(tree, exp.Delete) and tree.args.get("tables") and not tree.this:
        tree.set("this", tree.args["tables"][0])
        tree.set("tables", None)
    if isinstance(tree, exp.MultitableInserts):
        allowed.check(tree)
        if parsed.binds:
            raise unsupported("bind variables in INSERT ALL and INSERT FIRST; use executemany")
        inserts = list(several_inserts(tree, names))
        written = tuple(write for insert in inserts for write in writes(insert, names))
        return replace(done(Verb.CHANGE, *(render(insert) for insert in inserts)), writes=written)
    if isinstance(tree, exp.Insert | exp.Update | exp.Delete | exp.Merge):
        allowed.check(tree)
        written = writes(tree, names)
        if isinstance(tree, exp.Insert) and isinstance(tree.expression, exp.Query) and tree.args.get("returning"):
            raise OracleError(933, "SQL command not properly ended: INSERT ... SELECT returns nothing", parsed.offset_of("RETURNING"))
        if isinstance(tree, exp.Update | exp.Merge):
            defaults(tree)
        checks.check(tree, names.columns_of)
        headings.give(parsed)
        if isinstance(tree, exp.Update):
            single_changes(tree)
            for change in tree.expressions:
                without_table(change)
        if isinstance(tree, exp.Merge):
            merges.branches(tree, names.columns_of)
        return replace(done(Verb.CHANGE, render(tree)), writes=written)
    if isinstance(tree, exp.Create | exp.Drop | exp.Alter | exp.TruncateTable | exp.Comment):
        if parsed.binds:
            raise OracleError(1027, "bind variables not allowed for data definition operations")
        query = tree.args.get("expression")
        if isinstance(query, exp.Query):
            allowed.check(query.copy().transform(lambda node: exp.Null() if isinstance(node, exp.QueryOption) else node))
            checks.check(tree, names.columns_of)
            headings.give(parsed)
        made = ddl.modified(tree, names, render) if modifies and isinstance(tree, exp.Create) else ddl.statements(tree, names, render)
        return replace(done(Verb.DEFINE), steps=tuple(made))
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
    tree = hierarchy.rewrite(outer_joins.rewrite(with_queries.rewrite(pivots.rewrite(tree))), names.columns_of)
    tree = levels.rewrite(rownum.rewrite(tree))
    tree = zoned_views.rewrite(fetch.rewrite(tree))
    return sequence_numbers.once_a_row(expressions.rewrite(tree, names))


def _print(tree: exp.Expr) -> str:
    return tree.sql("duckdb", comments=False)
