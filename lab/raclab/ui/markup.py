"""Small pieces of HTML that every part of a notebook shows: badges, sources, prose, times."""

import html
import re
from collections.abc import Iterable
from datetime import datetime

from raclab.evidence.measurement import Kind, Measurement, Source
from raclab.evidence.table import badge_html


def badges(kinds: Iterable[Kind]) -> str:
    """Badges of several kinds, each once, in the order of Kind."""
    present = set(kinds)
    return " ".join(badge_html(kind) for kind in Kind if kind in present)


def source_line(source: Source) -> str:
    """One line of plain text: who, when, on what version and machine."""
    version, machine = (
        f"{what} not stated" if text == "not stated" else text for what, text in (("version", source.version), ("machine", source.machine))
    )
    year = str(source.year) if source.year else ""
    return ", ".join(part for part in (source.title, year, version, machine) if part)


def sources(measurements: Iterable[Measurement]) -> str:
    """The source lines of the measurements as plain text, each once."""
    return "; ".join(dict.fromkeys(source_line(m.source) for m in measurements))


def prose(text: str) -> str:
    """Plain text as HTML: escaped, `code` between backticks as such, line breaks kept."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text)).replace("\n", "<br>")


def clock(stamp: str) -> str:
    """A stored time for people: "2026-03-01 14:05"; what is no time is shown as it is."""
    try:
        return datetime.fromisoformat(stamp).strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return stamp
