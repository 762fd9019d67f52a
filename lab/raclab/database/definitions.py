"""Every view of SYS: its columns, and the statement that creates it.

The engine takes a millisecond and more to create a view, and there are more than two hundred: each is created when a statement first
needs all of it (see written_out.py). What views there are, and with what columns, is known without: the dictionary reads it from a
table of its own.
"""

from functools import cache

from raclab import __version__
from raclab.database import dictionary_views, history_views, views
from raclab.database.view_shape import DESCRIBED, Definition


@cache
def definitions() -> dict[str, Definition]:
    """All of them, by name; and the table of what they are."""
    found = {**views.definitions(__version__), **history_views.definitions(), **dictionary_views.definitions()}
    rows = [(view, place, name, stored) for view, one in found.items() for place, (name, stored) in enumerate(one.columns, 1)]
    unnested = ", ".join(f"unnest(${place}) AS {name}" for place, name in enumerate(("view", "position", "name", "stored"), 1))
    table = f"CREATE TABLE cluster.{DESCRIBED} AS SELECT {unnested}"
    return found | {DESCRIBED: Definition((), table, tuple(list(column) for column in zip(*rows, strict=True)))}
