"""A statement with views of SYS written into it, for a transaction that began before they were created."""

import re
from collections.abc import Mapping

from raclab.database.view_shape import Definition

_STRING, _OTHER_NAME = r"'(?:[^']|'')*'", r'"(?:[^"]|"")*"'
_VIEW = r'(?:"SYS"|\bSYS|\bcluster)\."?(?P<view>[\w$]+)"?(?:(?P<alias>\s+AS\s+(?:\w+|"[^"]+"))|(?P<column>\.))?'
_PARTS = re.compile(f"{_STRING}|{_VIEW}|{_OTHER_NAME}")


def written_out(sql: str, views: Mapping[str, Definition]) -> str:
    """A statement of the engine's that reads the queries of these views instead of the views, and so on into views in views."""

    def part(found: re.Match[str]) -> str:
        view = views.get(found["view"] or "")
        if view is None or not view.query:
            return found[0]
        if found["column"]:
            return f'"{found["view"]}".'
        alias = found["alias"] or f' AS "{found["view"]}"'
        return f"({written_out(view.query, views)}){alias}"

    return _PARTS.sub(part, sql)
