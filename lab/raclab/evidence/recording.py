"""Writes measurements into a data package, and reads them back: runs that can be shown elsewhere, without the database.

A recording is a Frictionless Data Package: ``datapackage.json`` with the settings and sources, and a CSV for each frame, in which
``recorded_run`` says to which of the recorded measurements a row belongs. Names of hosts and people are taken out (anonymous.py).
"""

import csv
import dataclasses
import datetime
import hashlib
import io
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

import raclab
from raclab.errors import LabError
from raclab.evidence.anonymous import REMOVED, clean_frame, clean_levers, clean_text, names_to_remove
from raclab.evidence.data_package import DESCRIPTOR
from raclab.evidence.measurement import Measurement

FORMAT = 1
KEY = "raclab_recording"
RUN = "recorded_run"
FRAMES = ("sessions", "waits", "stats")
VIEW, EXTRA = "view.", "extra."


class RecordingError(LabError):
    """A recording can't be written or read; the message says why and what to do."""


@dataclass(frozen=True)
class Ran:
    """One run that can be recorded: the myth's slug, what was measured, and the names that must not be written down."""

    slug: str
    measurement: Measurement
    names: frozenset[str] = field(default=frozenset(), repr=False)


def write(folder: Path, ran: Sequence[Ran], *, overwrite: bool = False, today: datetime.date | None = None) -> Path:
    """Write the runs into a new folder and return it.

    ``overwrite`` replaces an earlier recording, and nothing else. Raises RecordingError.
    """
    if not ran:
        raise RecordingError("There is nothing to record yet: lab.run(...) first, then lab.record(path).")
    folder = Path(folder).expanduser()
    if folder.exists():
        _require_replaceable(folder, overwrite)
    names = names_to_remove(name for one in ran for name in one.names)
    frames = _together(ran, names)
    files = {name: _csv(frame) for name, frame in frames.items()}
    descriptor = _descriptor(ran, names, frames, files, today or datetime.date.today())
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".raclab-recording-") as made:
            whole = Path(made) / "whole"
            whole.mkdir()
            for name, text in files.items():
                (whole / _file(name)).write_bytes(text)
            (whole / DESCRIPTOR).write_bytes((json.dumps(descriptor, indent=2, ensure_ascii=False) + "\n").encode("utf-8"))
            if folder.exists():
                folder.rename(Path(made) / "earlier")
            whole.rename(folder)
    except OSError as error:
        raise RecordingError(f"{folder} can't be written ({error.strerror}): choose another place.") from None
    return folder


def _require_replaceable(folder: Path, overwrite: bool) -> None:
    if not folder.is_dir():
        raise RecordingError(f"{folder} is a file: name a new folder.")
    if not any(folder.iterdir()):
        return
    try:
        ours = KEY in json.loads((folder / DESCRIPTOR).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        ours = False
    if not ours:
        raise RecordingError(f"{folder} holds other files: name a new folder.")
    if not overwrite:
        raise RecordingError(f"{folder} holds a recording already: name a new folder, or say overwrite=True.")


def _together(ran: Sequence[Ran], names: frozenset[str]) -> dict[str, pd.DataFrame]:
    """All runs' frames by resource name, cleaned, with the run's number in front; those without rows are left out."""
    parts: dict[str, list[pd.DataFrame]] = {}
    for number, one in enumerate(ran, 1):
        measured = one.measurement
        frames = {name: getattr(measured, name) for name in FRAMES}
        frames |= {VIEW + view.lower(): frame for view, frame in measured.views.items()}
        frames |= {EXTRA + name: value for name, value in extras(measured).items() if isinstance(value, pd.DataFrame)}
        for name, frame in frames.items():
            view = name.removeprefix(VIEW).upper() if name.startswith(VIEW) else ""
            cleaned = clean_frame(frame, names, view).reset_index(drop=True)
            if len(cleaned) and len(cleaned.columns):
                cleaned.insert(0, RUN, number)
                parts.setdefault(name, []).append(cleaned)
    return {name: pd.concat(many, ignore_index=True) for name, many in parts.items()}


def extras(measurement: Measurement) -> dict[str, Any]:
    """What a measurement of a myth's own has beyond every other: its further fields."""
    common = {one.name for one in dataclasses.fields(Measurement)}
    return {one.name: getattr(measurement, one.name) for one in dataclasses.fields(measurement) if one.name not in common}


def _csv(frame: pd.DataFrame) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(frame.columns)
    for row in frame.itertuples(index=False):
        writer.writerow(["" if pd.isna(value) or value in (float("inf"), -float("inf")) else _cell(value) for value in row])
    return text.getvalue().encode("utf-8")


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else repr(value.item() if hasattr(value, "item") else value)


def _file(resource: str) -> str:
    return f"{resource.replace('.', '_')}.csv"


def _descriptor(
    ran: Sequence[Ran], names: frozenset[str], frames: Mapping[str, pd.DataFrame], files: Mapping[str, bytes], today: datetime.date
) -> dict[str, Any]:
    runs = [_run(one, names) for one in ran]
    first = runs[0]["source"]
    myths = ", ".join(dict.fromkeys(one.slug for one in ran))
    kinds = " and ".join(dict.fromkeys(one.measurement.badge for one in ran))
    return {
        "profile": "tabular-data-package",
        "name": "raclab-recording",
        "title": f"Recorded runs of {myths}",
        "description": (
            f"{kinds} figures of the RAC Myths Lab. Times are in seconds, statistics and views in Oracle's own units. {RUN} is the number, "
            f"from 1, of the run in {KEY}.runs. Names of hosts and people were taken out; {REMOVED} stands for one."
        ),
        "created": f"{today.isoformat()}T00:00:00Z",
        "measured": {"year": first["year"], "version": first["version"], "machine": first["machine"]},
        "sources": [{"title": title} for title in dict.fromkeys(run["source"]["title"] for run in runs)],
        KEY: {"version": FORMAT, "made_with": f"raclab {raclab.__version__}", "recorded": today.isoformat(), "runs": runs},
        "resources": [_resource(name, frame, files[name]) for name, frame in frames.items()],
    }


def _run(one: Ran, names: frozenset[str]) -> dict[str, Any]:
    measured, source = one.measurement, one.measurement.source
    values = {name: value for name, value in extras(measured).items() if not isinstance(value, pd.DataFrame)}
    return {
        "slug": one.slug,
        "kind": measured.badge,
        "shape": type(measured).__name__,
        "case": clean_text(measured.case, names),
        "levers": clean_levers(measured.levers, names),
        "source": {
            "title": clean_text(source.title, names),
            "year": source.year,
            "version": clean_text(source.version, names),
            "machine": clean_text(source.machine, names),
        },
        "values": {name: clean_text(value, names) if isinstance(value, str) else value for name, value in values.items()},
        "views": sorted(measured.views),
    }


def _resource(name: str, frame: pd.DataFrame, text: bytes) -> dict[str, Any]:
    return {
        "profile": "tabular-data-resource",
        "name": name,
        "path": _file(name),
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "bytes": len(text),
        "hash": f"sha256:{hashlib.sha256(text).hexdigest()}",
        "schema": {"fields": [{"name": str(column), "type": _type(frame[column])} for column in frame.columns], "missingValues": [""]},
    }


def _type(column: "pd.Series[Any]") -> str:
    if pd.api.types.is_integer_dtype(column):
        return "integer"
    return "number" if pd.api.types.is_numeric_dtype(column) else "string"
