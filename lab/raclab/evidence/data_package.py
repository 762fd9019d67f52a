"""Reads ``datapackage.json``: what a folder of published figures says of itself.

The format is Frictionless' Data Package (version 1). The frictionless library checks the packages in the tests; reading its half a
second of imports at run time would be felt, so this module takes the part of the format that the packages use and refuses the rest.
Two properties are our own: ``unit`` of a field, and ``measured`` of the package with year, version and machine.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from raclab.evidence.errors import fault
from raclab.evidence.source import Kind, Source

DESCRIPTOR = "datapackage.json"
TYPES = ("string", "integer", "number")
CONSTRAINTS = ("required", "minimum", "maximum", "enum")


@dataclass(frozen=True)
class Field:
    """One column: its type (string, integer or number), its unit ("" if none) and what its values must be."""

    name: str
    type: str
    unit: str
    description: str
    required: bool
    minimum: float | None
    maximum: float | None
    enum: tuple[str, ...]


@dataclass(frozen=True)
class Resource:
    """One CSV file: where it lies, its columns in order, the columns that identify a row, and the texts that stand for no value."""

    name: str
    path: Path
    description: str
    fields: tuple[Field, ...]
    primary_key: tuple[str, ...]
    missing_values: tuple[str, ...]

    @property
    def units(self) -> dict[str, str]:
        """Unit by column, for the columns that have one."""
        return {field.name: field.unit for field in self.fields if field.unit}


@dataclass(frozen=True)
class Descriptor:
    """All that ``datapackage.json`` says that we use."""

    title: str
    description: str
    source: Source
    resources: Mapping[str, Resource]


def read_descriptor(folder: Path) -> Descriptor:
    """Read ``datapackage.json`` of one folder. Raises PublishedDataError if it is missing, damaged, or says what we can't read."""
    path = folder / DESCRIPTOR
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise fault(path, "is not there") from None
    except json.JSONDecodeError as error:
        raise fault(path, f"is not valid JSON ({error.msg})", error.lineno) from None
    except (OSError, UnicodeDecodeError) as error:
        raise fault(path, f"can't be read ({error})") from None
    try:
        return _descriptor(content, folder)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise fault(path, f"lacks a part that every data package here has ({type(error).__name__}: {error})") from None
    except ValueError as error:
        raise fault(path, str(error)) from None


def _descriptor(content: Mapping[str, Any], folder: Path) -> Descriptor:
    measured = content["measured"]
    source = Source(Kind.PUBLISHED, content["sources"][0]["title"], measured["year"], measured["version"], measured["machine"])
    resources = {entry["name"]: _resource(entry, folder) for entry in content["resources"]}
    return Descriptor(content["title"], content["description"], source, resources)


def _resource(entry: Mapping[str, Any], folder: Path) -> Resource:
    schema = entry["schema"]
    key = schema.get("primaryKey", ())
    return Resource(
        entry["name"],
        folder / entry["path"],
        entry.get("description", ""),
        tuple(_field(field, entry["name"]) for field in schema["fields"]),
        (key,) if isinstance(key, str) else tuple(key),
        tuple(schema.get("missingValues", ("",))),
    )


def _field(entry: Mapping[str, Any], resource: str) -> Field:
    where = f"column {entry['name']} of {resource}"
    if entry["type"] not in TYPES:
        raise ValueError(f"gives {where} the type {entry['type']!r}, where the lab reads {', '.join(TYPES)}")
    constraints = entry.get("constraints", {})
    unknown = sorted(set(constraints) - set(CONSTRAINTS))
    if unknown:
        raise ValueError(f"gives {where} the constraint {unknown[0]!r}, where the lab checks {', '.join(CONSTRAINTS)}")
    return Field(
        entry["name"],
        entry["type"],
        entry.get("unit", ""),
        entry.get("description", ""),
        bool(constraints.get("required", False)),
        constraints.get("minimum"),
        constraints.get("maximum"),
        tuple(constraints.get("enum", ())),
    )
