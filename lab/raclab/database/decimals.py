"""Binary results as the decimal numbers that they stand for: 0.30000000000000004 is 0.3 in Oracle, whose numbers are decimal."""

from typing import Any

_BINARY = ("DOUBLE", "FLOAT")


def decimals(columns: list[tuple[str, str]], rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The rows of a result whose columns have these DuckDB types, binary numbers freed of the noise in their last digits."""
    places = [place for place, (_, kind) in enumerate(columns) if kind in _BINARY]
    if not places:
        return rows
    freed = [list(row) for row in rows]
    for row in freed:
        for place in places:
            if row[place] is not None:
                row[place] = _decimal(row[place])
    return [tuple(row) for row in freed]


def _decimal(value: float) -> float:
    """The nearest number of 13 digits where it is the value to 15 digits, all that a sum or a quotient holds for sure; else the value."""
    short = float(f"{value:.13g}")
    return short if f"{short:.15g}" == f"{value:.15g}" else value
