"""Reads recordings (recording.py) and refuses, with a sentence, what is damaged, foreign, or from a lab that is newer than this one."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from raclab.evidence.csv_file import read_csv
from raclab.evidence.data_package import DESCRIPTOR, Descriptor, read_descriptor
from raclab.evidence.errors import PublishedDataError
from raclab.evidence.measurement import SESSION_COLUMNS, STAT_COLUMNS, WAIT_COLUMNS, Kind, Source, empty_frame
from raclab.evidence.recording import EXTRA, FORMAT, FRAMES, KEY, RUN, VIEW, RecordingError

KINDS = (Kind.LIVE, Kind.SIMULATED)
_COLUMNS = dict(zip(FRAMES, (SESSION_COLUMNS, WAIT_COLUMNS, STAT_COLUMNS), strict=True))


@dataclass(frozen=True)
class Recorded:
    """One recorded run: the myth, the class of its measurement (``shape``) and what that is made from.

    frames   sessions, waits, stats; ``views`` and ``extra_frames`` further ones; ``values`` further values of the class
    """

    slug: str
    shape: str
    source: Source
    case: str
    levers: Mapping[str, Any]
    frames: Mapping[str, pd.DataFrame]
    views: Mapping[str, pd.DataFrame]
    extra_frames: Mapping[str, pd.DataFrame]
    values: Mapping[str, Any]


def read(folder: Path) -> list[Recorded]:
    """The runs of a recording, in order. Raises RecordingError."""
    folder = Path(folder).expanduser()
    content = _content(folder)
    about = content[KEY]
    version = about.get("version") if isinstance(about, dict) else None
    if isinstance(version, int) and version > FORMAT:
        raise RecordingError(f"{folder} was recorded by a newer lab (format {version}; this one reads up to {FORMAT}): update the lab.")
    try:
        return _READERS[version](folder, content, about)  # type: ignore[index]
    except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
        raise damaged(folder, f"{DESCRIPTOR} lacks a part or has a wrong one ({type(error).__name__}: {error})") from None
    except PublishedDataError as error:
        raise damaged(folder, str(error).rpartition("; ")[0]) from None


def damaged(folder: Path, what: str) -> RecordingError:
    """The error for a recording that is not as it was written."""
    return RecordingError(f"The recording in {folder} is damaged: {what}. Copy it again from where it was made.")


def _content(folder: Path) -> dict[str, Any]:
    path = folder / DESCRIPTOR
    if not folder.is_dir():
        raise RecordingError(f"{folder} is no folder: name the one that lab.record(path) has made.")
    if not path.is_file():
        raise RecordingError(f"{folder} has no {DESCRIPTOR}, so it is no recording: name a folder that lab.record(path) has made.")
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise damaged(folder, f"{DESCRIPTOR} can't be read ({error})") from None
    if not isinstance(content, dict) or KEY not in content:
        raise RecordingError(f"{folder} is a data package, but no recording of this lab: name a folder that lab.record(path) has made.")
    return content


def _read_1(folder: Path, content: Mapping[str, Any], about: Mapping[str, Any]) -> list[Recorded]:
    for entry in content["resources"]:
        if Path(entry["path"]).name != entry["path"]:
            raise damaged(folder, f"{entry['path']!r} lies elsewhere")
        _check_hash(folder, entry)
    package = read_descriptor(folder)
    frames = _frames(folder, package, len(about["runs"]))
    date = str(about["recorded"])
    return [_recorded(folder, run, number, date, frames) for number, run in enumerate(about["runs"], 1)]


_READERS = {1: _read_1}


def _check_hash(folder: Path, entry: Mapping[str, Any]) -> None:
    try:
        text = (folder / entry["path"]).read_bytes()
    except OSError:
        raise damaged(folder, f"{entry['path']} is not there") from None
    # a version control system may have changed the line ends
    if entry["hash"] not in {f"sha256:{hashlib.sha256(one).hexdigest()}" for one in (text, text.replace(b"\r\n", b"\n"))}:
        raise damaged(folder, f"{entry['path']} is not as it was written")


def _frames(folder: Path, package: Descriptor, runs: int) -> dict[str, pd.DataFrame]:
    frames = {name: read_csv(resource) for name, resource in package.resources.items()}
    for name, frame in frames.items():
        if RUN not in frame or not frame[RUN].between(1, runs).all():
            raise damaged(folder, f"{name} has rows that belong to no run")
        if name not in FRAMES and not name.startswith((VIEW, EXTRA)):
            raise damaged(folder, f"{name} is no frame of a measurement")
    return frames


def _recorded(folder: Path, run: Mapping[str, Any], number: int, date: str, frames: Mapping[str, pd.DataFrame]) -> Recorded:
    source = run["source"]
    kind = Kind(run["kind"])
    if kind not in KINDS:
        raise damaged(folder, f"a run is said to be {kind}")
    own = {name: frame[frame[RUN] == number].drop(columns=RUN).reset_index(drop=True) for name, frame in frames.items()}
    own = {name: frame for name, frame in own.items() if len(frame)}
    if not isinstance(run["levers"], dict) or not isinstance(run["values"], dict):
        raise damaged(folder, "a run has no setting")
    return Recorded(
        str(run["slug"]),
        str(run["shape"]),
        Source(kind, f"{source['title']}, recorded {date}", source["year"], str(source["version"]), str(source["machine"])),
        f"{run['case']}, recorded {date}",
        run["levers"],
        {name: _completed(own[name], columns) if name in own else empty_frame(columns) for name, columns in _COLUMNS.items()},
        {name.removeprefix(VIEW).upper(): frame for name, frame in own.items() if name.startswith(VIEW)},
        {name.removeprefix(EXTRA): frame for name, frame in own.items() if name.startswith(EXTRA)},
        {name: tuple(value) if isinstance(value, list) else value for name, value in run["values"].items()},
    )


def _completed(frame: pd.DataFrame, columns: tuple[str, ...]) -> pd.DataFrame:
    missing = [name for name in columns if name not in frame]
    if missing:
        raise ValueError(f"no column {', '.join(missing)}")
    return frame
