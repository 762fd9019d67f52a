"""The options of CREATE SEQUENCE and ALTER SEQUENCE."""

from collections.abc import Iterable

from sqlglot import exp

from raclab.database.oracle_error import OracleError
from raclab.database.sequence_change import SequenceChange, SequenceOptions

_BOUNDS = {"increment": "INCREMENT BY", "minvalue": "MINVALUE", "maxvalue": "MAXVALUE", "start": "START WITH"}


def options(given: Iterable[exp.SequenceProperties]) -> SequenceOptions:
    """Read them. Raises ORA-04010 for a cache of one number, ORA-04002 for an increment of zero."""
    numbers: dict[str, int] = {}
    words: set[str] = set()
    cache = None
    for part in given:
        numbers |= {said: _number(part.args[key]) for key, said in _BOUNDS.items() if part.args.get(key)}
        words |= {str(option.name).upper() for option in part.args.get("options") or []}
        cache = _number(part.args["cache"]) if part.args.get("cache") else cache
    if cache is not None and cache < 2:
        raise OracleError(4010, "the number of values to CACHE must be greater than 1")
    if numbers.get("INCREMENT BY") == 0:
        raise OracleError(4002, "INCREMENT must be a non-zero integer")
    return SequenceOptions(
        numbers,
        cycle=_either(words, "CYCLE"),
        cache=0 if "NOCACHE" in words else cache,
        ordered=_either(words, "ORDER"),
    )


def change(name: str, given: Iterable[exp.SequenceProperties], restart: bool) -> SequenceChange:
    """ALTER SEQUENCE. Raises ORA-02283 for START WITH without RESTART, and what ``options`` raises."""
    said = options(given)
    if "START WITH" in said.numbers and not restart:
        raise OracleError(2283, "cannot alter starting sequence number: write RESTART START WITH")
    return SequenceChange(name, said, restart)


def _either(words: set[str], word: str) -> bool | None:
    return True if word in words else False if f"NO{word}" in words else None


def _number(given: exp.Expr) -> int:
    try:
        return int(given.sql())
    except ValueError:
        raise OracleError(1722, f"invalid number: {given.sql()} in the options of a sequence") from None
