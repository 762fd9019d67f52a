"""Columns of fixed width, as Oracle's text reports have them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

WIDTH = 80
NOTHING = ""


@dataclass(frozen=True)
class Column:
    """A column: its heading (lines parted by a line feed), its width, and whether it stands on the left."""

    heading: str
    width: int
    left: bool = False

    def cell(self, text: str) -> str:
        """The text in the column's width. A name is cut; a number that does not fit is kept, for a wrong one is worse."""
        return text[: self.width].ljust(self.width) if self.left else text.rjust(self.width)


def table(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> str:
    """Heading lines, rule and rows."""
    heads = [column.heading.split("\n") for column in columns]
    height = max(len(head) for head in heads)
    lines = []
    for place in range(height):
        words = [head[place - height + len(head)] if place >= height - len(head) else "" for head in heads]
        lines.append(" ".join(column.cell(word) for column, word in zip(columns, words, strict=True)))
    lines.append(" ".join("-" * column.width for column in columns))
    lines += [" ".join(column.cell(text) for column, text in zip(columns, row, strict=True)) for row in rows]
    return "\n".join(line.rstrip() for line in lines)


def headed(title: str, body: str, notes: Sequence[str] = ()) -> str:
    """A section: its title underlined, notes, and what it says; "" if it says nothing."""
    if not body:
        return ""
    said = "".join(f"-> {note}\n" for note in notes)
    return f"{title}\n{'~' * min(len(title), WIDTH)}\n{said}{body}\n"


def count(value: float) -> str:
    """A whole number with its thousands parted; "" if it is not known."""
    return NOTHING if _unknown(value) else f"{value:,.0f}"


def number(value: float, decimals: int = 1) -> str:
    """A number with decimals; "" if it is not known."""
    return NOTHING if _unknown(value) else f"{value:,.{decimals}f}"


def time(microseconds: float) -> str:
    """A time in the unit that suits it, as 12.2 and later print it: ns, us, ms, s."""
    if _unknown(microseconds):
        return NOTHING
    if microseconds == 0:
        return "0"
    if microseconds < 1:
        return f"{microseconds * 1000:.2f}ns"
    for unit, size in (("us", 1.0), ("ms", 1e3)):
        if microseconds < 1000 * size:
            return f"{microseconds / size:.2f}{unit}"
    return f"{microseconds / 1e6:.2f}s"


def share(part: float, whole: float, decimals: int = 1) -> str:
    """Percent; "" where there is no whole."""
    return number(100 * part / whole, decimals) if whole > 0 else NOTHING


def ratio(part: float, whole: float) -> float:
    """The quotient, NaN where there is none."""
    return part / whole if whole else math.nan


def _unknown(value: float) -> bool:
    return value is None or math.isnan(value) or math.isinf(value)
