"""INSERT, UPDATE and DELETE with RETURNING ... INTO: what is returned, and how many bind variables receive it."""

from collections.abc import Sequence

from sqlglot.tokenizer_core import Token, TokenType

from raclab.database.oracle_error import OracleError, unsupported

_VERBS = ("INSERT", "UPDATE", "DELETE")


def split(text: str, tokens: Sequence[Token]) -> tuple[str, int]:
    """The statement up to INTO, and the number of variables after it; the text as it is, and 0, where nothing is returned.

    Raises ORA-03001 for RETURN instead of RETURNING, which the listener does not know, ORA-00925 where INTO is missing, and ORA-01745
    where something else than a bind variable shall receive a value.
    """
    start = _place(tokens, ("RETURNING", "RETURN")) if tokens and tokens[0].text.upper() in _VERBS else None
    if start is None or start == len(tokens) - 1:
        return text, 0
    if tokens[start].text.upper() == "RETURN":
        raise unsupported("RETURN ... INTO; write RETURNING ... INTO", tokens[start].start)
    into = next((at for at in range(start, len(tokens)) if tokens[at].text.upper() == "INTO"), None)
    if into is None:
        raise OracleError(925, "missing INTO keyword", tokens[-1].end)
    receivers = [token for token in tokens[into + 1 :] if token.token_type is not TokenType.COMMA]
    names, colons = receivers[1::2], receivers[::2]
    if not names or len(names) != len(colons) or any(token.text != ":" for token in colons):
        raise OracleError(1745, "invalid host/bind variable name: after INTO stands a list of them", tokens[into].start)
    first, last = tokens[start + 1], tokens[into - 1]
    return f"{text[: tokens[start].start]}RETURNING {text[first.start : last.end + 1]}", len(names)


def _place(tokens: Sequence[Token], words: tuple[str, ...]) -> int | None:
    """Where one of these words stands outside of all parentheses."""
    depth = 0
    for at, token in enumerate(tokens):
        depth += {TokenType.L_PAREN: 1, TokenType.R_PAREN: -1}.get(token.token_type, 0)
        if not depth and at and token.text.upper() in words and token.token_type is not TokenType.STRING:
            return at
    return None
