"""Of what kind every expression of a statement is, as far as the statement and the catalog tell (catalog.py names the kinds).

Each node keeps its kind; ``kind`` reads it, scopes.py works it out. A kind that is not known costs only speed: the lab's macros then
choose by the type that DuckDB finds.
"""

from collections.abc import Callable

from sqlglot import exp

from raclab.database.dialect import types
from raclab.database.dialect.catalog import kind_of_type
from raclab.database.dialect.function_kinds import result_kind
from raclab.database.dialect.nodes import results
from raclab.database.oracle_error import OracleError

_KEY = "kind"
_MOST_SCALE = 20
"""Digits after the point up to which a product stays exact; 18 are left before it."""

_PASSED_ON = (
    exp.Paren,
    exp.Neg,
    exp.Alias,
    exp.Window,
    exp.IgnoreNulls,
    exp.RespectNulls,
    exp.Distinct,
    exp.Order,
    exp.Ordered,
    exp.If,
    exp.Any,
)
_FIXED: dict[type[exp.Expr], str] = {
    exp.DPipe: "T",
    exp.Trim: "T",
    exp.GroupConcat: "T",
    exp.RawString: "T",
    exp.National: "T",
    exp.Interval: "I",
    exp.Extract: "F",
    exp.Systimestamp: "S",
    exp.CurrentTimestamp: "S",
    exp.Localtimestamp: "S",
    exp.CurrentDate: "D",
    exp.AtTimeZone: "S",
}
PSEUDO = {
    "SYSDATE": "D",
    "USER": "T",
    "UID": "N0",
    "SESSIONTIMEZONE": "T",
    "DBTIMEZONE": "T",
    "ROWNUM": "N0",
    "LEVEL": "N0",
    "NEXTVAL": "N0",
    "CURRVAL": "N0",
}


def kind(node: exp.Expr) -> str | None:
    """An expression's kind, or None."""
    return node.meta.get(_KEY)


def noted(node: exp.Expr) -> bool:
    """Whether a kind was noted, be it that it is not known."""
    return _KEY in node.meta


def keep(node: exp.Expr, found: str | None) -> exp.Expr:
    """Note an expression's kind."""
    node.meta[_KEY] = found
    return node


def is_number(found: str | None) -> bool:
    """Whether a kind is a number."""
    return found is not None and found[0] in "NF"


def of_sum(left: str | None, right: str | None, minus: bool = False) -> str | None:
    """The kind of a sum or a difference."""
    if left is None or right is None:
        return None
    pair = left[0] + right[0]
    if all(letter in "NFT" for letter in pair):
        return "F" if "F" in pair else f"N{max(_scale(left), _scale(right))}"
    if minus and pair[0] in "DS" and pair[1] in "DS":
        return "F" if pair == "DD" else "I6"
    if pair[0] in "DS" and pair[1] in "NFT":
        return "D"
    if pair[0] in "NFT" and pair[1] in "DS" and not minus:
        return "D"
    if "I" in pair and (pair[1] == "I" or not minus):
        return "I9" if pair == "II" else pair.replace("I", "", 1)[0]
    return None


def of_product(left: str | None, right: str | None) -> str | None:
    """The kind of a product: exact while the digits after the point are few enough."""
    if left is None or right is None:
        return None
    if "I" in (left[0], right[0]):
        return "I9"
    if left[0] not in "NFT" or right[0] not in "NFT":
        return None
    if "F" in (left, right) or _scale(left) + _scale(right) > _MOST_SCALE:
        return "F"
    return f"N{_scale(left) + _scale(right)}"


def _scale(found: str) -> int:
    return int(found[1:]) if found[0] == "N" else 10


def common(found: list[str | None]) -> str | None:
    """The kind of several results, of which each row gives one; nulls (no kind) take the others' kind."""
    known = [one for one in found if one is not None]
    if not known or len(known) < len(found):
        return None
    if all(one == known[0] for one in known):
        return known[0]
    if all(is_number(one) for one in known):
        return "F" if "F" in known else f"N{max(_scale(one) for one in known)}"
    return "T" if "T" in known else None


def of_node(node: exp.Expr, kind_of: Callable[[exp.Expr], str | None]) -> str | None:
    """The kind of an expression that is no column, from those of its parts."""
    said = _FIXED.get(type(node))
    if said is not None:
        return said
    if isinstance(node, exp.Literal):
        return _literal(node)
    if isinstance(node, exp.Add | exp.Sub):
        return of_sum(kind_of(node.left), kind_of(node.right), isinstance(node, exp.Sub))
    if isinstance(node, exp.Mul):
        return of_product(kind_of(node.left), kind_of(node.right))
    if isinstance(node, exp.Div):
        return "I9" if (kind_of(node.left) or "")[:1] == "I" else "F"
    if isinstance(node, exp.Cast):
        return _cast(node)
    if isinstance(node, exp.Case):
        return common([kind_of(result) for result in results(node) if not isinstance(result, exp.Null)])
    if isinstance(node, exp.WithinGroup):
        ordered = node.expression.expressions
        return "F" if node.this.name.upper() == "PERCENTILE_CONT" else kind_of(ordered[0]) if ordered else None
    if isinstance(node, exp.Anonymous):
        return result_kind(node.name.upper(), [kind_of(one) for one in node.expressions], node.expressions, common)
    if isinstance(node, _PASSED_ON):
        inner = node.this if node.this is not None else next(iter(node.expressions), None)
        return kind_of(inner) if isinstance(inner, exp.Expr) else None
    return None


def _literal(node: exp.Literal) -> str:
    if node.is_string:
        return "T"
    if "e" in node.name.lower():
        return "F"
    return f"N{len(node.name.partition('.')[2])}"


def _cast(node: exp.Cast) -> str | None:
    if node.to.this in types.ZONED:
        return "S"
    try:
        return kind_of_type(types.stored(node.to))
    except OracleError:
        return None
