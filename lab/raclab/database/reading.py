"""Tells a statement that only reads from one that may write, load or lock.

What can't be told for certain counts as writing. A function that a query calls can do anything; that is the database's to
forbid, and the lab's own user has no such functions.
"""

from functools import lru_cache
from itertools import pairwise

MAX_CACHED = 512


@lru_cache(maxsize=MAX_CACHED)
def is_reading(text: str) -> bool:
    """Whether ``text`` is one SELECT, or WITH and SELECT, that takes no locks and draws no numbers from a sequence.

    Not reading: FOR UPDATE (locks rows), NEXTVAL (changes the sequence), WITH FUNCTION or PROCEDURE (PL/SQL), several statements,
    and whatever can't be taken apart.
    """
    from sqlglot.dialects.oracle import Oracle
    from sqlglot.errors import TokenError
    from sqlglot.tokenizer_core import Token, TokenType

    try:
        tokens: list[Token] = Oracle().tokenize(text)
    except TokenError:
        return False
    while tokens and tokens[-1].token_type is TokenType.SEMICOLON:
        tokens.pop()
    words = [token.text.upper() if token.token_type is not TokenType.STRING else "" for token in tokens]
    first = next((word for word in words if word != "("), "")
    if first not in {"SELECT", "WITH"} or any(token.token_type is TokenType.SEMICOLON for token in tokens):
        return False
    pairs = set(pairwise(words))
    forbidden = {("FOR", "UPDATE"), ("WITH", "FUNCTION"), ("WITH", "PROCEDURE"), (".", "NEXTVAL")}
    return not pairs & forbidden
