"""What one check of ``doctor`` finds."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


class Verdict(StrEnum):
    """OK, WARN (the course works, but not as it should) or FAIL (it does not work)."""

    OK = "OK"
    WARN = "WARN"
    FAIL = "FAIL"


@dataclass(frozen=True)
class Finding:
    """What was found, in one sentence, and what to do about it ("" where nothing need be done)."""

    verdict: Verdict
    found: str
    do: str = ""


Check: TypeAlias = Callable[[], Finding]


def ok(found: str) -> Finding:
    """All is well."""
    return Finding(Verdict.OK, found)


def warn(found: str, do: str) -> Finding:
    """The course works, but not as it should."""
    return Finding(Verdict.WARN, found, do)


def fail(found: str, do: str) -> Finding:
    """The course, or this part of it, does not work."""
    return Finding(Verdict.FAIL, found, do)
