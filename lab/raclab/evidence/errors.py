"""What can be wrong with published figures, and what to do about it."""

import os
from pathlib import Path

from raclab import paths
from raclab.errors import LabError


class PublishedDataError(LabError):
    """Published figures are missing or damaged; the message names file, line and remedy."""


def fault(path: Path, what: str, line: int | None = None) -> PublishedDataError:
    """The error for one fault in one file: where it is, what is wrong, and how to get the file back.

    ``what`` completes a sentence that begins with the file's name, e.g. "is not there"; ``line`` counts from 1.
    """
    separator = f", line {line}: " if line is not None else " "
    return PublishedDataError(f"{_shown(path)}{separator}{what}; {_remedy(path)}.")


def _shown(path: Path) -> str:
    try:
        return path.resolve().relative_to(paths.ROOT).as_posix()
    except ValueError:
        return str(path)


def _remedy(path: Path) -> str:
    shown = _shown(path)
    if os.environ.get("RACLAB_DATA"):
        return f"correct it, copy it again from {paths.ROOT / 'data'}, or unset RACLAB_DATA to use that folder"
    if (paths.ROOT / ".git").exists() and not Path(shown).is_absolute():
        return f'bring it back with: git -C "{paths.ROOT}" checkout -- {shown}'
    return "copy it again from the project's repository"
