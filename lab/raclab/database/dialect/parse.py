"""From a statement's text to sqlglot's tree, and from sqlglot's complaints to Oracle's errors."""

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from sqlglot import exp
from sqlglot.dialects.oracle import Oracle
from sqlglot.errors import ErrorLevel, ParseError, TokenError
from sqlglot.parsers.oracle import OracleParser
from sqlglot.tokenizer_core import Token, TokenType

from raclab.database.dialect.function_table import AGGREGATES
from raclab.database.oracle_error import OracleError, unsupported

LONGEST = 100_000
"""Characters in the longest statement taken."""

_QUOTED_OR_CONTROL = re.compile(r"""('[^']*'|"[^"]*"|--[^\n]*|/\*.*?(?:\*/|\Z))|[\x00-\x08\x0e-\x1f\x7f]""", re.DOTALL)

_SPECIAL_CALLS = ("CAST", "EXTRACT", "TRIM", "LISTAGG")
_SPECIAL_WORDS = ("CASE", "ANY", "PRIOR", "CONNECT_BY_ROOT")


def _query_or_list(parser: Any) -> exp.Expr:
    """What stands in the parentheses behind ALL and SOME."""
    if parser._curr.token_type in (TokenType.SELECT, TokenType.WITH):
        return parser._parse_select()  # type: ignore[no-any-return]
    return exp.Tuple(expressions=parser._parse_csv(parser._parse_assignment))


class _Parser(OracleParser):
    """Oracle's grammar with every function left as it was written: functions.py knows them all."""

    FUNCTIONS = {}  # noqa: RUF012 (sqlglot's own way)
    FUNCTION_PARSERS = {  # noqa: RUF012
        **{name: OracleParser.FUNCTION_PARSERS[name] for name in _SPECIAL_CALLS},
        "ALL": lambda parser: exp.All(this=_query_or_list(parser)),
        "SOME": lambda parser: exp.Any(this=_query_or_list(parser)),
    }
    NO_PAREN_FUNCTION_PARSERS = {name: OracleParser.NO_PAREN_FUNCTION_PARSERS[name] for name in _SPECIAL_WORDS}  # noqa: RUF012
    TYPE_LITERAL_PARSERS = {}  # noqa: RUF012


class LabOracle(Oracle):
    """sqlglot's Oracle dialect with the parser above."""

    Parser = _Parser


_DIALECT = LabOracle()


@dataclass(frozen=True)
class Parsed:
    """A statement: its text, tokens, tree, and the bind names in order of appearance, one for each place."""

    text: str
    tokens: list[Token]
    tree: exp.Expr
    binds: tuple[str, ...]

    def offset_of(self, name: str) -> int | None:
        """Where a name first stands in the text, 0-based."""
        return next((token.start for token in self.tokens if token.text.upper() == name.upper()), None)


def offset_of_words(text: str, words: list[str]) -> int | None:
    """Where names that follow each other with dots stand in a statement's text; the last of them where they don't, else None."""
    if not words:
        return None
    tokens = [token for token in tokenize(text) if token.token_type is not TokenType.STRING]
    wanted = [word.upper() for word in words]
    folded = [token.text.upper() for token in tokens]
    dotted = [part for word in wanted for part in (word, ".")][:-1]
    for place in range(len(tokens)):
        if folded[place : place + len(dotted)] == dotted:
            return tokens[place].start
    return next((token.start for token, said in zip(tokens, folded, strict=True) if said == wanted[-1]), None)


def tokenize(text: str) -> list[Token]:
    """The statement's tokens. Raises OracleError for an unclosed quote or comment, a control character, and text that is too long."""
    if len(text) > LONGEST:
        raise OracleError(1795, f"the statement has {len(text)} characters; the simulated cluster takes {LONGEST}")
    _refuse_control_characters(text)
    try:
        return list(_DIALECT.tokenize(text))
    except TokenError:
        if text.count("'") % 2:
            raise OracleError(1756, "quoted string not properly terminated", text.rfind("'")) from None
        if text.count('"') % 2:
            raise OracleError(1740, "missing double quote in identifier", text.rfind('"')) from None
        raise OracleError(911, "invalid character, or a comment that is not closed") from None


def _refuse_control_characters(text: str) -> None:
    """Raise ORA-00911 for one outside of quotes and comments, where sqlglot would take it for a part of a name."""
    for found in _QUOTED_OR_CONTROL.finditer(text):
        if not found[1]:
            raise OracleError(911, f"invalid character: control character {ord(found[0])}", found.start())


def parse(text: str, tokens: list[Token]) -> Parsed:
    """Parse one statement. Raises OracleError with Oracle's code for what is wrong with it."""
    if not tokens:
        raise OracleError(900, "invalid SQL statement: there is none")
    for token in tokens:
        if token.token_type is TokenType.SEMICOLON:
            raise OracleError(933, "SQL command not properly ended: send one statement, without a semicolon", token.start)
    tokens = [token for token in tokens if token.token_type is not TokenType.HINT]  # whatever it says, the rows are the same
    for token, after in pairwise(tokens):
        nothing = token.token_type is TokenType.COMMA and after.token_type in _NO_EXPRESSION
        if nothing or (token.token_type is TokenType.IN and text[token.end + 1 : after.end + 2].replace(" ", "") == "()"):
            raise OracleError(936, "missing expression", after.start)
    tokens, binds = _name_binds(_words_as_names(_without_precisions(_of_each(tokens))))
    try:
        trees = _DIALECT.parser(error_level=ErrorLevel.IMMEDIATE).parse(tokens, text)
    except ParseError as error:
        raise _complaint(error, text, tokens) from None
    except (TokenError, ValueError):  # the latter where a bind variable stands for a name
        raise OracleError(911, "invalid character, or a bind variable where a name has to be") from None
    except RecursionError:
        raise unsupported("way to nest a statement so deeply; put the inner parts into WITH queries") from None
    if len(trees) != 1 or trees[0] is None:
        raise OracleError(933, "SQL command not properly ended")
    return Parsed(text, tokens, trees[0], binds)


_NO_EXPRESSION = (TokenType.COMMA, TokenType.FROM, TokenType.R_PAREN, TokenType.WHERE, TokenType.GROUP_BY, TokenType.ORDER_BY)
_ENDS_A_NAME = {
    TokenType.COMMA,
    TokenType.FROM,
    TokenType.R_PAREN,
    TokenType.EQ,
    TokenType.NEQ,
    TokenType.IN,
    TokenType.NOT,
    TokenType.IS,
    TokenType.LIKE,
    TokenType.AND,
    TokenType.OR,
    TokenType.DPIPE,
    TokenType.ASC,
    TokenType.DESC,
    TokenType.ALIAS,
    TokenType.ORDER_BY,
    TokenType.GROUP_BY,
    TokenType.HAVING,
}


_ORDINARY = (TokenType.CURRENT_TIME, TokenType.CURRENT_DATETIME, TokenType.CURRENT_USER)
"""Words that begin a function in other databases, and name a column in Oracle's scripts."""


def _words_as_names(tokens: list[Token]) -> list[Token]:
    """Let CASE be a column's name where no CASE expression can begin: published tables have such a column. Others always are."""
    following = [*tokens[1:], None]
    return [
        Token(TokenType.IDENTIFIER, token.text.upper(), token.line, token.col, token.start, token.end)
        if (token.token_type is TokenType.CASE and (after is None or after.token_type in _ENDS_A_NAME)) or token.token_type in _ORDINARY
        else token
        for token, after in zip(tokens, following, strict=True)
    ]


_UNITS = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")


def _of_each(tokens: list[Token]) -> list[Token]:
    """``count(unique x)`` is ``count(distinct x)``, and ``count(all x)`` is ``count(x)``."""
    out: list[Token] = []
    for token in tokens:
        opened = len(out) > 1 and out[-1].token_type is TokenType.L_PAREN and out[-2].text.upper() in AGGREGATES
        if opened and token.token_type is TokenType.ALL:
            continue
        unique = opened and token.text.upper() == "UNIQUE" and token.token_type is not TokenType.STRING
        out.append(Token(TokenType.DISTINCT, "DISTINCT", token.line, token.col, token.start, token.end) if unique else token)
    return out


def _without_precisions(tokens: list[Token]) -> list[Token]:
    """Leave out the digits in ``INTERVAL '100' DAY(3) TO SECOND(6)``, which the text shows anyway."""
    out: list[Token] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        out.append(token)
        place += 1
        literal = len(out) > 2 and out[-3].token_type is TokenType.INTERVAL and out[-2].token_type is TokenType.STRING
        spans = len(out) > 4 and out[-2].text.upper() == "TO" and out[-5].token_type is TokenType.INTERVAL
        opens = place < len(tokens) and tokens[place].token_type is TokenType.L_PAREN
        if opens and (literal or spans) and token.text.upper() in _UNITS:
            while place < len(tokens) and tokens[place].token_type in (TokenType.L_PAREN, TokenType.NUMBER, TokenType.COMMA):
                place += 1
            place += 1
    return out


def _name_binds(tokens: list[Token]) -> tuple[list[Token], tuple[str, ...]]:
    """Number the bind variables by place, and return their names: ``:x`` and ``:1`` become ``:B0``, ``:B1`` ..."""
    out: list[Token] = []
    names: list[str] = []
    for token in tokens:
        before = out[-1] if out else None
        if before is not None and before.token_type is TokenType.COLON and _BIND.fullmatch(token.text) and token.token_type is not _STRING:
            names.append(token.text.upper())
            token = _renamed(token, f"B{len(names) - 1}")
        out.append(token)
    return out, tuple(names)


_BIND = re.compile(r"[^\W_][\w$#]*")
_STRING = TokenType.STRING


def _renamed(token: Token, text: str) -> Token:
    return Token(TokenType.VAR, text, token.line, token.col, token.start, token.end)


def _complaint(error: ParseError, text: str, tokens: list[Token]) -> OracleError:
    detail: dict[str, Any] = error.errors[0] if error.errors else {}
    said = str(detail.get("description") or error).lower()
    offset = _offset(detail, text)
    near = f': near "{detail["highlight"]}"' if detail.get("highlight") else ""
    kinds = {token.token_type for token in tokens}
    opened = sum(token.token_type is TokenType.L_PAREN for token in tokens)
    closed = sum(token.token_type is TokenType.R_PAREN for token in tokens)
    if opened > closed:
        return OracleError(907, f"missing right parenthesis{near}", offset)
    if tokens[0].token_type is TokenType.SELECT and TokenType.FROM not in kinds:
        return OracleError(923, f"FROM keyword not found where expected{near}", offset)
    if "table name" in said or "expected table" in said:
        return OracleError(903, f"invalid table name{near}", offset)
    if "required keyword" in said or "expected expression" in said:
        return OracleError(936, f"missing expression{near}", offset)
    if "unexpected token" in said:
        return OracleError(933, f"SQL command not properly ended{near}", offset)
    return OracleError(900, f"invalid SQL statement{near}", offset)


def _offset(detail: dict[str, Any], text: str) -> int | None:
    line, column = detail.get("line"), detail.get("col")
    if not line or not column:
        return None
    before = sum(len(part) + 1 for part in text.split("\n")[: int(line) - 1])
    start = before + int(column) - len(str(detail.get("highlight") or ""))
    return min(max(start, 0), max(len(text) - 1, 0))
