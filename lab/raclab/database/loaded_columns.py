"""Columns of rows on their way into the simulated cluster's tables."""

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

OWN_COLUMNS = frozenset(
    ("run", "session", "background", "SAMPLE_S", "qc_instance", "qc_session", "max_micro", "blocker_instance", "blocker_session")
)
"""Columns of a view's frame that are not Oracle's: they name sessions and moments as the simulation numbers them."""


@dataclass(frozen=True, eq=False)
class Coded:
    """A column of texts: which of ``texts`` each row has, counted from 1, and 0 where it has none."""

    texts: Sequence[str]
    codes: np.ndarray

    def __len__(self) -> int:
        return len(self.codes)


Column = np.ndarray | Coded | str | int | datetime.datetime
"""A column as it is loaded; one value stands for as many rows as the others have."""

Rows = dict[str, Column]
"""Rows of a table, by column."""


def column(values: pd.Series) -> Column:
    """A column of a frame as it is loaded: texts as codes, numbers as they are, null where a value is missing."""
    if values.dtype.kind in "iu" and isinstance(values.dtype, np.dtype):
        return values.to_numpy()
    if values.dtype.kind in "OU" or isinstance(values.dtype, pd.StringDtype):
        codes, texts = pd.factorize(values)
        if all(isinstance(text, str) for text in texts):
            return Coded(tuple(texts), codes + 1)
    plain = values.to_numpy(dtype=object, copy=True)
    plain[values.isna().to_numpy()] = None
    return plain


def where(known: np.ndarray, values: np.ndarray | int) -> np.ndarray:
    """The values of the rows of which they are known, one for each of these or one for all; null in the others."""
    column = np.full(len(known), None, dtype=object)
    column[known] = values
    return column


def columns_of(names: Sequence[str], rows: Iterable[Sequence[object]]) -> Rows:
    """Rows as columns; null where there is None."""
    made = list(zip(*rows, strict=True)) or [()] * len(names)
    return {name: filled(values) for name, values in zip(names, made, strict=True)}


def filled(values: Sequence[object]) -> np.ndarray:
    """A column as the engine reads it: numbers as such where none is missing, else objects."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    if len(values) and all(type(value) is int for value in values):
        return array.astype(np.int64)
    return array
