"""Recorded runs as measurements: one more source beside PUBLISHED, SIMULATED and LIVE of today."""

import dataclasses
from pathlib import Path
from typing import Any

from raclab.evidence.measurement import Measurement
from raclab.evidence.recorded import Recorded, damaged, read
from raclab.evidence.recording import RecordingError
from raclab.myths.registry import myth, slugs


def replay(path: str | Path) -> list[Measurement]:
    """The measurements that ``lab.record(path)`` has written, in order; their case and source say when they were recorded.

    Raises RecordingError for what is no recording, damaged, or from a newer lab.
    """
    return [measurement for _, measurement in replayed(path)]


def replayed(path: str | Path) -> list[tuple[str, Measurement]]:
    """As ``replay``, each measurement with the slug of its myth."""
    folder = Path(path).expanduser()
    return [(one.slug, _measurement(folder, one)) for one in read(folder)]


def of_myth(path: str | Path, slug: str) -> list[Measurement]:
    """A recording's measurements of one myth. Raises RecordingError if it has none, and as ``replay``."""
    found = replayed(path)
    mine = [measurement for of, measurement in found if of == slug]
    if not mine:
        others = ", ".join(dict.fromkeys(of for of, _ in found))
        raise RecordingError(f"{path} holds runs of {others or 'nothing'}, none of {slug}: open it in that notebook.")
    return mine


def _measurement(folder: Path, one: Recorded) -> Measurement:
    if one.slug not in slugs():
        raise RecordingError(f"The recording in {folder} has a run of {one.slug}, which this lab does not know: update the lab.")
    levers = myth(one.slug).levers  # which also loads the classes of that myth's measurements
    unknown = sorted(set(one.levers) - set(levers.specs()))
    if unknown:
        raise RecordingError(f"The recording in {folder} has a lever {unknown[0]}, which {one.slug} does not have: update the lab.")
    shape: Any = _shapes().get(one.shape)
    if shape is None:
        raise damaged(folder, f"there is no measurement of the form {one.shape!r}")
    wanted = {field.name for field in dataclasses.fields(shape)} - {field.name for field in dataclasses.fields(Measurement)}
    further: dict[str, Any] = {name: value for name, value in {**one.extra_frames, **one.values}.items() if name in wanted}
    try:
        made: Measurement = shape(source=one.source, case=one.case, levers=one.levers, **one.frames, views=one.views, **further)
    except (TypeError, ValueError) as error:
        raise damaged(folder, f"a measurement can't be made of it ({error})") from None
    return made


def _shapes() -> dict[str, type[Measurement]]:
    """Measurement and the classes made from it, by name."""
    found: dict[str, type[Measurement]] = {}
    open_ = [Measurement]
    while open_:
        shape = open_.pop()
        found[shape.__name__] = shape
        open_ += shape.__subclasses__()
    return found
