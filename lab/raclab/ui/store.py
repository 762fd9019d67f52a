"""The learner's file: predictions and answers, saved at once, shared by all notebooks.

``progress.json`` in the learner's folder (paths.learner_folder) has the shape

    {"schema": 1, "myths": {slug: {"predictions": {name: entry}, "exercises": {name: entry}}}}

where an entry is a flat object with at least ``at``, the local time with its offset from UTC. Every change reads the file again,
merges and replaces it under a lock, so notebooks that are open together don't lose each other's answers.
"""

import copy
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, TypeGuard

from filelock import FileLock, Timeout

SCHEMA = 1
SECTIONS = ("predictions", "exercises")
LOCK_TIMEOUT_S = 5.0

Entry = dict[str, Any]
Myths = dict[str, dict[str, dict[str, Entry]]]


class _Unreadable(Exception):
    """The file's text is not what this module writes."""


class _Newer(Exception):
    """The file was written by a later version of the course."""


def now() -> str:
    """The local time, to the second, with its offset from UTC."""
    return datetime.now().astimezone().isoformat(timespec="seconds")


class Store:
    """The learner's predictions and answers.

    folder    where progress.json lies; made when first needed
    warning   a sentence on what went wrong with the file, or ""; whoever shows entries shows it too

    No method raises for a file that is damaged or can't be written: what was entered stays in memory, is tried again with the next
    change, and ``warning`` says so.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "progress.json"
        self.warning = ""
        self._set_aside = ""
        self._unsaved: Myths = {}
        self._known: Myths = {}
        self._change(lambda myths: None)

    def entries(self, slug: str, section: str) -> dict[str, Entry]:
        """The entries of one myth by name; ``section`` is "predictions" or "exercises"."""
        self._refresh()
        return copy.deepcopy(self._known.get(slug, {}).get(section, {}))

    def everything(self) -> Myths:
        """All entries of all myths, by slug, section and name."""
        self._refresh()
        return copy.deepcopy(self._known)

    def record(self, slug: str, section: str, name: str, entry: Entry, *, keep_first: bool = False) -> Entry:
        """Save one entry, with the time, and return what now stands in the file.

        With ``keep_first`` an entry that is already there, perhaps from another window, stays and is returned.
        """
        stamped = {**entry, "at": now()}

        def put(myths: Myths) -> None:
            entries = myths.setdefault(slug, {}).setdefault(section, {})
            if not (keep_first and name in entries):
                entries[name] = stamped

        saved = self._change(put)
        stands = self._known[slug][section][name]
        if not saved:
            self._unsaved.setdefault(slug, {}).setdefault(section, {})[name] = stands
        return copy.deepcopy(stands)

    def forget(self, slug: str | None = None) -> None:
        """Remove all entries of one myth, or of all myths."""

        def drop(myths: Myths) -> None:
            if slug is None:
                myths.clear()
            else:
                myths.pop(slug, None)

        drop(self._unsaved)
        self._change(drop)

    def export(self) -> str:
        """All entries as JSON text, in the file's own shape."""
        return _to_text(self.everything())

    def _refresh(self) -> None:
        """Read the file; keep what is in memory if that fails."""
        try:
            with self._locked(writing=False):
                self._known = _merged(self._read(), self._unsaved)
        except (OSError, Timeout, _Newer) as error:
            self._warn(error)

    def _change(self, change: Callable[[Myths], None]) -> bool:
        """Read, merge what could not be saved before, apply ``change`` and replace the file.

        Where that fails, ``change`` is applied in memory alone, ``warning`` says why, and the result is False.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with self._locked(writing=True):
                before = self._read()
                myths = _merged(before, self._unsaved)
                change(myths)
                if myths != before:
                    self._write(_to_text(myths))
        except (OSError, Timeout, _Newer) as error:
            change(self._known)
            self._warn(error)
            return False
        self._known, self._unsaved = myths, {}
        self.warning = self._set_aside
        return True

    @contextmanager
    def _locked(self, *, writing: bool) -> Iterator[None]:
        """Hold the lock. A reader goes without it where the folder is missing or read only: there is no writer to meet."""
        if not writing and not os.access(self.folder, os.W_OK):
            yield
            return
        with FileLock(self.folder / "progress.lock", timeout=LOCK_TIMEOUT_S):
            yield

    def _read(self) -> Myths:
        try:
            text = self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return {}
        except UnicodeDecodeError:
            return self._put_aside()
        try:
            return _from_text(text)
        except _Unreadable:
            return self._put_aside()

    def _put_aside(self) -> Myths:
        """Rename the damaged file, so that nothing in it is lost, and begin with none."""
        stamp = datetime.now().strftime("%Y-%m-%dT%H-%M-%S")
        kept = self.path.with_name(f"{self.path.name}.damaged-{stamp}")
        count = 1
        while kept.exists():
            count += 1
            kept = self.path.with_name(f"{self.path.name}.damaged-{stamp}-{count}")
        os.replace(self.path, kept)
        self._set_aside = f"Your saved answers in {self.path} were damaged; the file is kept as {kept.name}, and a new one was begun."
        self.warning = self.warning or self._set_aside
        return {}

    def _write(self, text: str) -> None:
        """Replace the file in one step: a crash leaves the old one or the new one, never half of either."""
        handle, temporary = tempfile.mkstemp(prefix=".progress-", suffix=".json", dir=self.folder)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self.path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        if os.name == "posix":
            folder = os.open(self.folder, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def _warn(self, error: Exception) -> None:
        if isinstance(error, _Newer):
            cause = f"{self.path} was written by a newer version of this course; update it"
        elif isinstance(error, Timeout):
            cause = f"another program holds {self.folder / 'progress.lock'}; close it"
        else:
            reason = getattr(error, "strerror", None) or str(error)
            cause = f"{self.folder} can't be used ({reason}); make it writable, or set RACLAB_HOME to a folder that is"
        self.warning = f"Your answers are kept in memory only and are lost when the kernel stops: {cause}."


def _to_text(myths: Myths) -> str:
    return json.dumps({"schema": SCHEMA, "myths": myths}, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def _from_text(text: str) -> Myths:
    """The entries in a file's text; _Newer or _Unreadable if this module can't have written it."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise _Unreadable from None
    if not isinstance(document, dict) or not isinstance(document.get("schema"), int):
        raise _Unreadable
    if document["schema"] > SCHEMA:
        raise _Newer
    myths = document.get("myths")
    if not _well_formed(myths):
        raise _Unreadable
    return myths


def _well_formed(myths: Any) -> TypeGuard[Myths]:
    return isinstance(myths, dict) and all(
        isinstance(sections, dict)
        and all(
            section in SECTIONS and isinstance(entries, dict) and all(isinstance(e, dict) and "at" in e for e in entries.values())
            for section, entries in sections.items()
        )
        for sections in myths.values()
    )


def _merged(saved: Myths, unsaved: Myths) -> Myths:
    """The file's entries with those on top that could not be saved."""
    result = copy.deepcopy(saved)
    for slug, sections in unsaved.items():
        for section, entries in sections.items():
            result.setdefault(slug, {}).setdefault(section, {}).update(copy.deepcopy(entries))
    return result
