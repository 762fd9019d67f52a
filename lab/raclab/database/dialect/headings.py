"""Column headings: what Oracle calls a column that has no alias."""

import re

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from raclab.database.dialect.kinds import PSEUDO
from raclab.database.dialect.nodes import folded, quoted
from raclab.database.dialect.parse import Parsed

_LONGEST = 128
_PSEUDO = frozenset((*PSEUDO, "ROWID", "VALUE", "CONNECT_BY_ISLEAF", "CONNECT_BY_ISCYCLE"))
_SKIPPED = (TokenType.DISTINCT, TokenType.UNIQUE, TokenType.ALL, TokenType.HINT)


def give(parsed: Parsed) -> exp.Expr:
    """Give every selected expression but plain columns an alias: its text without blanks, upper case.

    In the outermost block the text is the statement's own. What only looks like a column, e.g. SYSDATE, keeps its name.
    """
    first = _first_block(parsed.tree)
    for select in parsed.tree.find_all(exp.Select):
        written = _written(parsed) if select is first else None
        if written is not None and len(written) != len(select.expressions):
            written = None
        for place, item in enumerate(list(select.expressions)):
            if isinstance(item, exp.Alias | exp.Star) or (isinstance(item, exp.Column) and item.name.upper() not in _PSEUDO):
                continue
            item.replace(exp.Alias(this=item.copy(), alias=quoted(_heading(item, written[place] if written else None))))
    return parsed.tree


def _first_block(tree: exp.Expr) -> exp.Expr | None:
    while isinstance(tree, exp.SetOperation | exp.Subquery):
        tree = tree.this
    return tree if isinstance(tree, exp.Select) else None


def _heading(item: exp.Expr, written: str | None) -> str:
    if isinstance(item, exp.Column):
        return folded(item.this)
    text = written if written is not None else item.sql("oracle", comments=False)
    return re.sub(r"\s+", "", text).upper()[:_LONGEST]


def _written(parsed: Parsed) -> list[str] | None:
    """The text of each expression between the first SELECT and its FROM."""
    tokens = parsed.tokens
    start = _select(tokens)
    if start is None:
        return None
    depth, pieces, begun = 0, [], None
    for place in range(start + 1, len(tokens)):
        token = tokens[place]
        if begun is None and token.token_type in _SKIPPED:
            continue
        if depth == 0 and token.token_type in (TokenType.COMMA, TokenType.FROM):
            pieces.append(parsed.text[tokens[begun].start : tokens[place - 1].end + 1] if begun is not None else "")
            begun = None
            if token.token_type is TokenType.FROM:
                return pieces
            continue
        if begun is None:
            begun = place
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
    return None


def _select(tokens: list[Token]) -> int | None:
    """Where the SELECT stands that names the columns: the first one, or behind WITH the first one outside parentheses."""
    depth = 0
    for place, token in enumerate(tokens):
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
        if token.token_type is TokenType.SELECT and (depth == 0 or tokens[0].token_type is not TokenType.WITH):
            return place
    return None
