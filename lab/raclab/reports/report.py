"""A report as text: shown as preformatted text in a notebook, printed elsewhere, saved where one wants it."""

import html
from dataclasses import dataclass
from pathlib import Path

from raclab.evidence.measurement import Kind
from raclab.evidence.table import badge_html
from raclab.reports.errors import ReportError

MOST_SHOWN = 1_000
_FRAME = "max-height:40em;overflow:auto;border:1px solid;padding:0.5em"
_TEXT = "margin:0;white-space:pre;line-height:1.25;background:none;color:inherit"


@dataclass(frozen=True)
class Report:
    """Text with its title, its badge and its source.

    ``print(report)`` gives the text alone, ``save(path)`` writes it into a file. A cell shows the first MOST_SHOWN lines of it.
    """

    title: str
    text: str
    kind: Kind
    source: str

    def save(self, path: str | Path) -> Path:
        """Write the text into a file (UTF-8) and return its path. Raises ReportError if that can't be done."""
        where = Path(path).expanduser()
        try:
            where.write_text(self.text, encoding="utf-8")
        except OSError as error:
            raise ReportError(f"{where} can't be written ({error.strerror or error}): name a file in a folder of your own.") from None
        return where

    def lines(self) -> list[str]:
        """The text's lines."""
        return self.text.splitlines()

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self._shown()

    def _shown(self) -> str:
        lines = self.lines()
        if len(lines) <= MOST_SHOWN:
            return self.text
        more = f"... {len(lines) - MOST_SHOWN:,} more lines: print(...) shows them all, .save(path) writes them into a file"
        return "\n".join([*lines[:MOST_SHOWN], more, ""])

    def _repr_html_(self) -> str:
        # the tabindex lets a keyboard scroll it
        return (
            f"<p>{badge_html(self.kind)} {html.escape(self.source)}</p>\n"
            f'<div class="raclab-report mathjax_ignore" tabindex="0" role="region" '
            f'aria-label="{html.escape(self.title)}" style="{_FRAME}"><pre style="{_TEXT}">{html.escape(self._shown())}</pre></div>'
        )
