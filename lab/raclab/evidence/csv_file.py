"""Reads one CSV of published figures and checks every value against its data package."""

import csv
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from raclab.evidence.data_package import Field, Resource
from raclab.evidence.errors import fault

if TYPE_CHECKING:
    import pandas as pd

Value = str | int | float | None

_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


def read_csv(resource: Resource) -> "pd.DataFrame":
    """The file's rows as a frame: ``str``, ``int64`` (``Int64`` where values are missing) and ``float64`` columns.

    Raises PublishedDataError, naming file and line, at the first thing that is not as the data package says.
    """
    import pandas as pd

    rows = read_rows(resource)
    return pd.DataFrame({field.name: _series(field, [row[i] for row in rows]) for i, field in enumerate(resource.fields)})


def read_rows(resource: Resource) -> list[list[Value]]:
    """The file's rows, None for a value that is missing. Raises as read_csv does."""
    lines = _lines(resource.path)
    if not lines:
        raise fault(resource.path, "is empty")
    _check_header(resource, lines[0][1])
    if len(lines) == 1:
        raise fault(resource.path, "has a header and no rows")
    rows = [_row(resource, number, cells) for number, cells in lines[1:]]
    _check_key(resource, [number for number, _ in lines[1:]], rows)
    return rows


def _lines(path: Path) -> list[tuple[int, list[str]]]:
    """Each record with the number of the line it ends on."""
    number = 0
    try:
        # utf-8-sig: a spreadsheet that saves the file again puts a byte order mark in front.
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True)
            lines = []
            for cells in reader:
                number = reader.line_num
                lines.append((number, cells))
            return lines
    except FileNotFoundError:
        raise fault(path, "is not there") from None
    except csv.Error as error:
        raise fault(path, f"this is not CSV ({error})", number + 1) from None
    except UnicodeDecodeError:
        raise fault(path, "is not text in UTF-8") from None
    except OSError as error:
        raise fault(path, f"can't be read ({error.strerror})") from None


def _check_header(resource: Resource, header: list[str]) -> None:
    wanted = [field.name for field in resource.fields]
    missing = [name for name in wanted if name not in header]
    extra = [name for name in header if name not in wanted]
    if missing:
        raise fault(resource.path, f"the column {', '.join(missing)} is missing", 1)
    if extra:
        raise fault(resource.path, f"the column {', '.join(extra)} is not in the data package", 1)
    if header != wanted:
        raise fault(resource.path, f"the columns must stand in this order: {', '.join(wanted)}", 1)


def _row(resource: Resource, number: int, cells: list[str]) -> list[Value]:
    if len(cells) != len(resource.fields):
        raise fault(resource.path, f"there are {len(cells)} values for {len(resource.fields)} columns", number)
    values: list[Value] = []
    for field, text in zip(resource.fields, cells, strict=True):
        try:
            value = None if text in resource.missing_values else _value(field, text)
            _check(field, value, text)
        except ValueError as error:
            raise fault(resource.path, str(error), number) from None
        values.append(value)
    return values


def _value(field: Field, text: str) -> Value:
    if field.type == "string":
        return text
    if field.type == "integer":
        if not _INTEGER.fullmatch(text):
            raise ValueError(f"{field.name} is {text!r}, which is not a whole number")
        return int(text)
    if not _NUMBER.fullmatch(text) or not math.isfinite(float(text)):
        raise ValueError(f"{field.name} is {text!r}, which is not a number")
    return float(text)


def _check(field: Field, value: Value, text: str) -> None:
    if value is None:
        if field.required:
            raise ValueError(f"{field.name} has no value")
        return
    if field.enum and text not in field.enum:
        raise ValueError(f"{field.name} is {text!r}, which is none of: {', '.join(field.enum)}")
    if isinstance(value, str):
        return
    if field.minimum is not None and value < field.minimum:
        raise ValueError(f"{field.name} is {text}, below its least possible value {field.minimum}")
    if field.maximum is not None and value > field.maximum:
        raise ValueError(f"{field.name} is {text}, above its greatest possible value {field.maximum}")


def _check_key(resource: Resource, numbers: list[int], rows: list[list[Value]]) -> None:
    places = [i for i, field in enumerate(resource.fields) if field.name in resource.primary_key]
    seen: dict[tuple[Value, ...], int] = {}
    for number, row in zip(numbers, rows, strict=True) if places else ():
        key = tuple(row[i] for i in places)
        if key in seen:
            shown = ", ".join(str(value) for value in key)
            raise fault(resource.path, f"the row for {shown} stands a second time (first on line {seen[key]})", number)
        seen[key] = number


def _series(field: Field, values: list[Value]) -> "pd.Series[Any]":
    import pandas as pd

    if field.type == "integer":
        return pd.Series(values, dtype="Int64" if None in values else "int64")
    return pd.Series(values, dtype="float64" if field.type == "number" else "str")
