"""A table that says where its figures come from, as rich text in a notebook and as plain text elsewhere."""

import html
from dataclasses import dataclass

import pandas as pd

from raclab import palette
from raclab.evidence.measurement import Kind
from raclab.evidence.number_text import column_text, is_number

# Black on the chart's colour of the kind: readable on a light and on a dark page, because the badge brings its own ground along.
BADGE_TEXT = "#000000"
_BADGE = f"color:{BADGE_TEXT};padding:1px 6px;border:1px solid {palette.TEXT};border-radius:3px;font-weight:600;white-space:nowrap"
# A page without a doctype does not hand its text colour down to tables; and a caption is no wider than its table.
_TABLE = "color:inherit;min-width:24em"
_CAPTION = "caption-side:bottom;text-align:left;color:inherit;padding-top:4px"


@dataclass(frozen=True)
class Table:
    """A frame with its badge and its source.

    frame   the rows, for further work in pandas
    badge   PUBLISHED, SIMULATED or LIVE; several where the rows mix kinds and have a column of their own to say which
    source  one line: who measured it or what computed it

    Shown are the first rows up to pandas' option ``display.max_rows``; the caption says how many there are.
    """

    frame: pd.DataFrame
    badge: Kind | tuple[Kind, ...]
    source: str

    @property
    def badges(self) -> tuple[Kind, ...]:
        """The badges as a tuple, one or more."""
        return self.badge if isinstance(self.badge, tuple) else (self.badge,)

    def __repr__(self) -> str:
        text = pd.DataFrame({place: column.cells for place, column in enumerate(self._columns())}, dtype="str")
        text.columns = pd.Index([str(name) for name in self.frame.columns])
        rows = text.to_string(index=False) if len(text) else "  ".join(text.columns)
        return f"{rows}\n[{' + '.join(self.badges)}] {self.source}{self._how_many()}"

    def _repr_html_(self) -> str:
        badges = " ".join(badge_html(kind) for kind in self.badges)
        columns = self._columns()
        head = "".join(f'<th scope="col" style="text-align:{column.align}">{html.escape(column.name)}</th>' for column in columns)
        rows = zip(*([_cell_html(text, column.align) for text in column.cells] for column in columns), strict=True)
        body = "\n".join(f"<tr>{''.join(row)}</tr>" for row in rows)
        return (
            f'<table class="dataframe raclab-table mathjax_ignore" style="{_TABLE}">\n'
            f'<caption style="{_CAPTION}">{badges} {html.escape(self.source + self._how_many())}</caption>\n'
            f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"
        )

    def __len__(self) -> int:
        return len(self.frame)

    def _shown(self) -> int:
        most = pd.get_option("display.max_rows")
        return len(self) if most is None else min(len(self), int(most))

    def _how_many(self) -> str:
        if not len(self):
            return " - no rows"
        return "" if self._shown() == len(self) else f" - the first {self._shown()} of {len(self)} rows"

    def _columns(self) -> "list[_Column]":
        shown = self.frame.head(self._shown())
        columns = []
        for place, name in enumerate(shown.columns):
            values = shown.iloc[:, place].tolist()
            cells = column_text(values)
            filled = [value for value, text in zip(values, cells, strict=True) if text]
            right = bool(filled) and all(is_number(value) for value in filled)
            columns.append(_Column(str(name), "right" if right else "left", cells))
        return columns


@dataclass(frozen=True)
class _Column:
    name: str
    align: str
    cells: list[str]


def badge_html(kind: Kind) -> str:
    """The badge of one kind of evidence as HTML that needs no style sheet."""
    return (
        f'<span class="raclab-badge raclab-{kind.lower()}" style="background:{palette.KIND_COLOURS[kind]};{_BADGE}">'
        f'<span aria-hidden="true">{palette.KIND_SIGNS[kind]}</span> {kind}</span>'
    )


def _cell_html(text: str, align: str) -> str:
    return f'<td style="text-align:{align}">{html.escape(text)}</td>'
