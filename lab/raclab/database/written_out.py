"""A statement of the engine's with views of SYS written into it, instead of their names.

The engine takes most of its time for a statement to look through every column of every view in it, and Oracle's views have many: a view
that is written into a statement has only the columns whose names stand somewhere in there. And a transaction does not see views that
were created after it began: these are written into its statements too.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from raclab.database.definitions import definitions
from raclab.database.view_shape import Definition

KEPT = 500
"""Statements that are kept as they were written out."""

WORTH = 20
"""Characters that a query may have for each column that it spares the engine."""

_STRING = r"'(?:[^']|'')*'"
_VIEW = r'(?:"SYS"|\bSYS|\bcluster)\."?(?P<view>[\w$]+)"?(?:(?P<alias>\s+AS\s+(?:\w+|"[^"]+"))|(?P<column>\.))?'
_PARTS = re.compile(rf"""{_STRING}|{_VIEW}|(?P<name>"(?:[^"]|"")*"|[\w$]+)|(?P<sign>[()*,.])""")
_QUERY = re.compile(r"\s*(?:SELECT|WITH|FROM|VALUES)\b")
_BEFORE_STAR = ("SELECT", "DISTINCT", "ALL", ",", ".", "(")
_ALL_COLUMNS = ("NATURAL", "PIVOT", "UNPIVOT", "COLUMNS", "POSITIONAL")


@dataclass(frozen=True)
class WrittenOut:
    """The statement, and the views that it still names."""

    sql: str
    names: frozenset[str]


@lru_cache(KEPT)
def narrowed(sql: str) -> WrittenOut:
    """A statement with the views written into it of which it needs some columns only."""
    return written_out(sql, {})


def written_out(sql: str, unseen: Mapping[str, Definition]) -> WrittenOut:
    """As ``narrowed``, with these views written into it in any case, and so on into views in views."""
    views, needed = definitions(), set[str]()
    names, whole = _read(sql)

    def part(found: re.Match[str]) -> str:
        name = found["view"] or ""
        view = views.get(name)
        if view is None:
            return found[0]
        if found["column"]:
            return f'"{name}".'
        query = _narrow(view, names) if found.start() not in whole else ""
        if not query and name in unseen:
            query = view.query
        if not query:
            needed.add(name)
            return found[0]
        inner = written_out(query, unseen)
        needed.update(inner.names)
        alias = found["alias"] or f' AS "{name}"'
        return f"({inner.sql}){alias}"

    return WrittenOut(_PARTS.sub(part, sql), frozenset(needed))


def _narrow(view: Definition, names: set[str]) -> str:
    """The query of those columns, or "" where it would take longer to parse it than it saves."""
    if view.shown is None:
        return ""
    query = view.shown.only(names)
    spared = sum(name not in names for name, _ in view.columns)
    return query if len(query) < WORTH * spared else ""


def _read(sql: str) -> tuple[set[str], set[int]]:
    """The names in a statement, in capitals; and where those views stand in it of which a query with a star may need every column."""
    names, starred, stood = set[str](), set[int](), dict[int, int]()
    within, queries, before = [0], 1, ["", ""]
    for found in _PARTS.finditer(sql):
        here, sign = within[-1], found["sign"] or ""
        word = (found["name"] or "").strip('"').upper()
        if found["view"] and not found["column"]:
            stood[found.start()] = here
            if sql[found.end() :].startswith("("):  # columns with other names
                starred.add(here)
        elif word:
            names.add(word)
        if sign == "(" and _QUERY.match(sql, found.end()):
            within.append(queries)
            queries += 1
        elif sign == "(":
            within.append(here)
        elif sign == ")" and len(within) > 1:  # else there is one too many, which the engine will say
            within.pop()
        if word in _ALL_COLUMNS or (sign == "*" and before[1] in _BEFORE_STAR and before != ["COUNT", "("]):
            starred.add(here)
        before = [before[1], sign or word]
    return names, {place for place, query in stood.items() if query in starred}
