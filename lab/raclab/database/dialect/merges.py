"""MERGE: its branches as DuckDB takes them, and DELETE WHERE, which Oracle has inside the branch that updates."""

from collections.abc import Callable, Sequence
from typing import Any

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from raclab.database.dialect.catalog import Columns
from raclab.database.dialect.changes import without_table
from raclab.database.dialect.nodes import cast, every, folded
from raclab.database.dialect.scopes import Blocks, source_name
from raclab.database.oracle_error import OracleError, unsupported

_STORED = {"T": "VARCHAR", "D": "TIMESTAMP_S", "S": "TIMESTAMP", "F": "DOUBLE", "B": "BLOB", "I": "INTERVAL"}


def split(text: str, tokens: Sequence[Token]) -> str:
    """A MERGE with its DELETE WHERE as a branch of its own, behind the one that it belongs to; other statements as they are.

    Raises ORA-00905 for a branch with AND or DELETE, which other databases have.
    """
    if not tokens or tokens[0].text.upper() != "MERGE":
        return text
    words = ["" if token.token_type in (TokenType.STRING, TokenType.IDENTIFIER) else token.text.upper() for token in tokens]
    for place in range(1, len(words)):
        if (words[place - 1], words[place]) in (("MATCHED", "AND"), ("THEN", "DELETE")):
            said = "missing keyword: a branch of MERGE has its condition in WHERE, and DELETE WHERE after UPDATE SET"
            raise OracleError(905, said, tokens[place].start)
    start = next((place for place in range(1, len(words)) if words[place - 1 : place + 1] == ["DELETE", "WHERE"]), None)
    if start is None:
        return text
    first, where = tokens[start - 1], tokens[start]
    branch = (["WHEN", "MATCHED"], ["WHEN", "NOT", "MATCHED"])
    begins = (at for at in range(start, len(words)) if words[at : at + 2] == branch[0] or words[at : at + 3] == branch[1])
    end = next((tokens[at].start for at in begins), len(text))
    return f"{text[: first.start]}WHEN MATCHED AND ({text[where.end + 1 : end].rstrip()}) THEN DELETE {text[end:]}"


def branches(tree: exp.Merge, columns_of: Callable[[Any], Columns | None]) -> None:
    """Columns named without their table, a WHERE as the branch's condition, and before an update what it deletes. Raises ORA-38104."""
    target = source_name(tree.this)
    matched_by = {folded(column.this) for column in tree.args["on"].find_all(exp.Column) if folded(column.args.get("table")) == target}
    ordered: list[exp.Expr] = []
    for branch in tree.args["whens"].expressions:
        then = branch.args["then"]
        if then.args.get("where"):
            branch.set("condition", then.args["where"].this)
            then.set("where", None)
        if isinstance(then, exp.Update):
            for change in then.expressions:
                without_table(change)
                if folded(change.this.this) in matched_by:
                    said = f'columns referenced in the ON clause cannot be updated: "{folded(change.this.this)}"'
                    raise OracleError(38104, said)
            ordered.append(branch)
        elif isinstance(then, exp.Insert):
            for column in then.this.expressions if isinstance(then.this, exp.Tuple) else ():
                column.set("table", None)
            ordered.append(branch)
        else:
            _delete(branch, ordered[-1] if ordered else None, tree, Blocks(columns_of))
            ordered.insert(len(ordered) - 1, branch)
    tree.args["whens"].set("expressions", ordered)


def _delete(branch: exp.Expr, updating: exp.Expr | None, tree: exp.Merge, blocks: Blocks) -> None:
    """Make a branch delete the rows that the one before it updates and that then, with their new values, fulfil its condition."""
    if updating is None or not isinstance(updating.args["then"], exp.Update):
        raise OracleError(905, "missing keyword: DELETE WHERE belongs to UPDATE SET")
    condition = branch.args["condition"]
    if condition.find(exp.Query):
        raise unsupported("subqueries in DELETE WHERE of MERGE")
    given = {folded(change.this.this): change.expression for change in updating.args["then"].expressions}
    target = source_name(tree.this)
    known = dict(blocks.scope(tree).get(target) or ())
    for column in list(condition.find_all(exp.Column)):
        name, table = folded(column.this), column.args.get("table")
        if name not in given or (table is not None and folded(table) != target):
            continue
        held = blocks.holders(column, tree)
        if table is None and (held is None or len(held) > 1):
            raise OracleError(918, f'"{name}": column ambiguously specified: put its table in front')
        if isinstance(given[name], exp.Var):
            raise unsupported("DELETE WHERE of MERGE on a column that is set to DEFAULT")
        column.replace(_as_stored(given[name].copy(), known.get(name)))
    before = [updating.args["condition"].copy()] if updating.args.get("condition") else []
    branch.set("condition", every([exp.Paren(this=one) for one in [*before, condition]]))


def _as_stored(value: exp.Expr, kind: str | None) -> exp.Expr:
    """A value as the column takes it, e.g. rounded."""
    stored = f"DECIMAL(38, {kind[1:]})" if kind and kind[0] == "N" else _STORED.get(kind or "")
    return cast(exp.Paren(this=value), stored) if stored else exp.Paren(this=value)
