"""Takes the names of hosts and people out of a measurement before it is written down.

Columns of text are kept only where their values are Oracle's own words (events, statistics, latches); programs, machines, users,
modules and SQL go. From what is kept, and from the setting in words, the names that the lab knows of are taken out, and whatever
has the shape of an address.
"""

import re
from collections.abc import Iterable, Mapping

import pandas as pd

REMOVED = "***"

ORACLES_WORDS = frozenset(
    {
        # of a measurement's own frames
        *("event", "wait_class", "name", "part", "kind"),
        # of V$ views
        *("EVENT", "WAIT_CLASS", "NAME", "PARAMETER", "TYPE", "EQ_NAME", "EQ_TYPE", "REQ_REASON", "CLASS", "STAT_NAME", "STATISTIC_NAME"),
        *("SERVER_TYPE", "SESSION_STATE", "SESSION_TYPE", "SQL_OPNAME", "CUMULATIVE"),
    }
)
"""Columns of text whose values Oracle, or the lab's model, has coined."""

WORDS_OF_A_VIEW: Mapping[str, frozenset[str]] = {"PQ_TQSTAT": frozenset({"PROCESS"})}
"""Further ones that are Oracle's words in this view only: P000 and QC here, the client's process elsewhere."""

NAMES_OF_NOBODY = frozenset({"free", "freepdb1", "xe", "xepdb1", "orcl", "orclpdb1", "sys", "system", "raclab", "lab", "root", "localhost"})
"""Names that an installation gives by itself, and words of Oracle's at the same time."""

_SHORTEST = 3
_ADDRESSES = re.compile(
    r"""
    (?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])            # IPv4; a version has five numbers
    | \b(?:[0-9a-fA-F]{1,4}:){3,7}[0-9a-fA-F]{1,4}\b      # IPv6, written out
    | (?:[0-9a-fA-F]{1,4}:)+:(?:[0-9a-fA-F]{1,4}:?)*      # IPv6, abridged
    | \S+@\S+                                             # somebody at a host
    | \b[\w-]+(?:\.[\w-]+){2,}(?<=[A-Za-z]{2})\b          # a host with its domain
    | \b[\w.-]+:\d{2,5}\b                                 # host:port
    | (?:/home/|/Users/|\\Users\\)\S+                     # a person's folder
    """,
    re.VERBOSE,
)


def names_to_remove(names: Iterable[str]) -> frozenset[str]:
    """The names in lower case, hosts also without their domain; without those too short to tell and those of nobody."""
    lower = {name.strip().lower() for name in names}
    lower |= {name.split(".")[0] for name in lower if not name.replace(".", "").isdigit()}
    return frozenset(name for name in lower if len(name) >= _SHORTEST and name not in NAMES_OF_NOBODY)


def clean_text(text: str, names: frozenset[str]) -> str:
    """The text with every name (in any case, as a whole word) and every address replaced by REMOVED."""
    if names:
        words = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
        text = re.sub(rf"(?<![A-Za-z0-9])(?:{words})(?![A-Za-z0-9])", REMOVED, text, flags=re.IGNORECASE)
    return _ADDRESSES.sub(REMOVED, text)


def clean_frame(frame: pd.DataFrame, names: frozenset[str], view: str = "") -> pd.DataFrame:
    """The frame's columns of numbers, and those of text that hold Oracle's words, cleaned; all others are left out."""
    kept = ORACLES_WORDS | WORDS_OF_A_VIEW.get(view, frozenset())
    columns = {}
    for name, column in frame.items():
        if pd.api.types.is_bool_dtype(column):
            columns[name] = column.astype("int64")
        elif pd.api.types.is_numeric_dtype(column):
            columns[name] = column
        elif name in kept:
            texts = {value: clean_text(value, names) for value in column.unique() if isinstance(value, str)}
            columns[name] = column.map(texts)
    return pd.DataFrame(columns, index=frame.index)


def clean_levers(levers: Mapping[str, object], names: frozenset[str]) -> dict[str, object]:
    """A setting with the names taken out of its texts."""
    return {name: clean_text(value, names) if isinstance(value, str) else value for name, value in levers.items()}
