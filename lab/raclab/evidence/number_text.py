"""Numbers as text for tables: every digit that was measured, none that only the arithmetic left behind."""

import math
from collections.abc import Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import pandas as pd

_DECIMALS = 4
_ROUNDING = 1e-11


def is_number(value: Any) -> bool:
    """True for integers, floats and decimals, NumPy's among them; False for truth values."""
    return isinstance(value, Real | Decimal) and not isinstance(value, bool)


def column_text(values: Sequence[Any]) -> list[str]:
    """The cells of one column as text; "" for None, NaN and NaT.

    Floats that fit into four decimals all get as many decimals as the one that needs most, so that they stand under each other. Where
    any does not fit, each is given with at least four significant digits and three decimals, or all of its digits before the point.
    """
    cells = [None if pd.api.types.is_scalar(value) and pd.isna(value) else value for value in values]
    floats = [float(value) for value in cells if isinstance(value, float) and math.isfinite(value)]
    decimals = next((n for n in range(_DECIMALS + 1) if all(_fits(value, n) for value in floats)), None)
    return [_cell(value, decimals) for value in cells]


def _fits(value: float, decimals: int) -> bool:
    return abs(value) < 1e15 and abs(value - round(value, decimals)) <= _ROUNDING * abs(value)


def _cell(value: Any, decimals: int | None) -> str:
    if value is None:
        return ""
    if not isinstance(value, float) or not math.isfinite(value):
        return str(value)
    if decimals is not None:
        return f"{value:.{decimals}f}"
    if value != 0 and not 1e-9 <= abs(value) < 1e15:
        return f"{value:.4g}"
    return f"{value:.{max(3, 3 - math.floor(math.log10(abs(value) or 1)))}f}"
