"""Schema PUBLISHED: one table for each CSV of published figures, read only.

A table is named after its myth and file, e.g. NOCACHE_SEQUENCES_TKPROF_WAITS; where no other myth has a file of that name, TKPROF_WAITS
will do. Columns are those of the CSV.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import duckdb

from raclab import paths
from raclab.evidence.csv_file import Value, read_rows
from raclab.evidence.data_package import DESCRIPTOR, Field, Resource, read_descriptor
from raclab.evidence.errors import PublishedDataError
from raclab.evidence.source import Source

_DIGITS = 38
_MOST_DECIMALS = 18


@dataclass
class Published:
    """What is in the schema, by table name: ``sources`` its source line; ``refused`` why a name can't be read."""

    sources: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)


def create(root: duckdb.DuckDBPyConnection) -> Published:
    """Create and fill the schema. A damaged file costs its own table only."""
    root.execute("CREATE SCHEMA PUBLISHED")
    published = Published()
    tables: dict[str, list[str]] = {}
    for slug, resource, source in _resources(published):
        stem = resource.path.stem.upper()
        table = f"{slug.upper()}_{stem}"
        tables.setdefault(stem, []).append(table)
        try:
            _fill(root, table, resource.fields, read_rows(resource))
        except PublishedDataError as error:
            published.refused[table] = str(error)
            continue
        published.sources[table] = source.title if source.year is None else f"{source.title}, {source.year}"
    for stem, full in tables.items():
        if len(full) > 1:
            published.refused[stem] = f"several myths have a table of this name: {', '.join(full)}"
        elif full[0] in published.refused:
            published.refused[stem] = published.refused[full[0]]
        else:
            root.execute(f'CREATE VIEW PUBLISHED."{stem}" AS SELECT * FROM PUBLISHED."{full[0]}"')
            published.sources[stem] = published.sources[full[0]]
    return published


def _resources(published: Published) -> Iterator[tuple[str, Resource, Source]]:
    """Slug, CSV and source of every data package; files of a package that can't be read go to ``refused``."""
    folder = paths.data_folder()
    for package in sorted(folder.iterdir()) if folder.is_dir() else []:
        if not (package / DESCRIPTOR).is_file():
            continue
        try:
            descriptor = read_descriptor(package)
        except PublishedDataError as error:
            for path in package.glob("*.csv"):
                stem = path.stem.upper()
                published.refused[stem] = published.refused[f"{package.name.upper()}_{stem}"] = str(error)
            continue
        for resource in descriptor.resources.values():
            yield package.name, resource, descriptor.source


def _fill(root: duckdb.DuckDBPyConnection, table: str, fields: tuple[Field, ...], rows: list[list[Value]]) -> None:
    """All rows in one statement: with one for each, the schema took four times as long, at the start of every cluster."""
    columns = [(one, [_plain(row[place], one) for row in rows]) for place, one in enumerate(fields)]
    types = [_type(one, values) for one, values in columns]
    named = ", ".join(f'"{one.name.upper()}" {kind}' for one, kind in zip(fields, types, strict=True))
    root.execute(f'CREATE TABLE PUBLISHED."{table}" ({named})')
    # as text, so that each value gets its column's type with the digits that it has
    lists = ", ".join(f"unnest(${number}::VARCHAR[]::{kind}[])" for number, kind in enumerate(types, 1))
    texts = [[None if value is None else str(value) for value in values] for _, values in columns]
    root.execute(f'INSERT INTO PUBLISHED."{table}" SELECT {lists}', texts)


def _plain(value: Value, of: Field) -> Any:
    if value is None or of.type != "number":
        return value
    return Decimal(repr(float(value)))  # the digits that were published, not those of the binary fraction


def _type(of: Field, values: list[Any]) -> str:
    if of.type == "string":
        return "VARCHAR"
    if of.type == "integer":
        return "DECIMAL(38, 0)"
    decimals = max((-value.as_tuple().exponent for value in values if value is not None), default=0)
    return f"DECIMAL({_DIGITS}, {max(decimals, 0)})" if decimals <= _MOST_DECIMALS else "DOUBLE"
