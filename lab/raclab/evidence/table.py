"""A table that says where its figures come from, as rich text in a notebook and as plain text elsewhere."""

import html
from dataclasses import dataclass

import pandas as pd

from raclab.evidence.measurement import Kind


@dataclass(frozen=True)
class Table:
    """A frame with its badge and its source.

    frame   the rows, for further work in pandas
    badge   PUBLISHED, SIMULATED or LIVE; several where the rows mix kinds and have a column of their own to say which
    source  one line: who measured it or what computed it
    """

    frame: pd.DataFrame
    badge: Kind | tuple[Kind, ...]
    source: str

    @property
    def badges(self) -> tuple[Kind, ...]:
        """The badges as a tuple, one or more."""
        return self.badge if isinstance(self.badge, tuple) else (self.badge,)

    def __repr__(self) -> str:
        return f"{self.frame.to_string(index=False)}\n[{' + '.join(self.badges)}] {self.source}"

    def _repr_html_(self) -> str:
        badges = " ".join(f'<span class="raclab-badge raclab-{kind.lower()}">{kind}</span>' for kind in self.badges)
        caption = f'<caption style="caption-side:bottom;text-align:left">{badges} {html.escape(self.source)}</caption>'
        body = self.frame.to_html(index=False, border=0, na_rep="", justify="left")
        return body.replace("<thead>", f"{caption}<thead>", 1)

    def __len__(self) -> int:
        return len(self.frame)
