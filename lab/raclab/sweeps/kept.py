"""Where a sweep keeps its outcomes as they come, so that it can go on after an interruption.

A file of JSON lines that is only ever appended to: the first line says what the file is, each further one holds a key and an outcome. What
a kill has left half written is no JSON, and is passed over; the next line begins on a line of its own.
"""

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from raclab.myths.levers import Levers
from raclab.sweeps.grid import SweepError
from raclab.sweeps.outcome import Outcome

_HEADER = b'{"raclab": "outcomes of sweeps", "format": 1}\n'


def key_of(slug: str, levers: Levers, seeds: Sequence[int], version: str) -> str:
    """What an outcome is kept under: the same only for the same myth, levers, seeds and model code."""
    text = json.dumps([slug, levers.as_dict(), list(seeds), version], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


class Store(Protocol):
    """Keeps outcomes by key. ``place`` names it in a sentence."""

    place: str

    def get(self, key: str) -> Outcome | None:
        """The outcome kept under the key, or None."""

    def add(self, key: str, outcome: Outcome) -> None:
        """Keep one more."""


class InMemory:
    """Keeps outcomes as long as the process lives."""

    place = "memory"

    def __init__(self) -> None:
        self._outcomes: dict[str, Outcome] = {}

    def get(self, key: str) -> Outcome | None:
        """The outcome kept under the key, or None."""
        return self._outcomes.get(key)

    def add(self, key: str, outcome: Outcome) -> None:
        """Keep one more."""
        self._outcomes[key] = outcome

    def forget(self, keys: Sequence[str]) -> None:
        """Keep these no longer."""
        for key in keys:
            self._outcomes.pop(key, None)


class InFile:
    """Keeps outcomes in a file, which is made if it is not there.

    damaged   lines that could not be read

    Raises SweepError for a file that is something else, or that can't be read or written.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path).expanduser()
        self.place = str(self._path)
        self.damaged = 0
        self._outcomes: dict[str, dict[str, Any]] = {}
        content = self._read()
        if not (_HEADER.startswith(content) or content.startswith(_HEADER)):
            raise SweepError(f"{self.place} holds something else than outcomes of sweeps; give another file.")
        for line in filter(None, content[len(_HEADER) :].split(b"\n")):
            self._take(line)
        if len(content) < len(_HEADER):
            self._append(_HEADER[len(content) :])
        elif not content.endswith(b"\n"):
            self._append(b"\n")

    def get(self, key: str) -> Outcome | None:
        """The outcome kept under the key, or None."""
        kept = self._outcomes.get(key)
        if kept is None:
            return None
        try:
            return Outcome.from_dict(dict(kept))
        except (TypeError, KeyError, AttributeError):
            return None

    def add(self, key: str, outcome: Outcome) -> None:
        """Append one more; it is on disk when this returns."""
        kept = outcome.as_dict()
        self._append(json.dumps({"key": key, "outcome": kept}, allow_nan=False).encode() + b"\n")
        self._outcomes[key] = kept

    def _take(self, line: bytes) -> None:
        try:
            kept = json.loads(line)
            self._outcomes[kept["key"]] = dict(kept["outcome"])
        except (ValueError, TypeError, KeyError):
            self.damaged += 1

    def _read(self) -> bytes:
        try:
            return self._path.read_bytes()
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise SweepError(f"{self.place} can't be read ({error.strerror}); give another file.") from None

    def _append(self, data: bytes) -> None:
        try:
            with open(self._path, "ab", buffering=0) as file:
                file.write(data)
                os.fsync(file.fileno())
        except OSError as error:
            raise SweepError(f"{self.place} can't be written ({error.strerror}); give another file, or make room there.") from None
