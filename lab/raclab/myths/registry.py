"""Finds the myths: every module of this package that defines MYTH, by slug."""

import importlib
import pkgutil

from raclab.myths.base import Myth

_PLUMBING = {
    "answers",
    "attended",
    "bars",
    "base",
    "block_drawing",
    "cpu_drawing",
    "drawing",
    "levers",
    "live_places",
    "parts_drawing",
    "registry",
    "replay",
    "share_drawing",
}


def slugs() -> list[str]:
    """The slugs of all myths, in alphabetical order; imports none of them."""
    package = importlib.import_module("raclab.myths")
    return sorted(m.name for m in pkgutil.iter_modules(package.__path__) if m.name not in _PLUMBING)


def myth(slug: str) -> Myth:
    """The myth of that slug.

    Raises KeyError with a sentence that lists the known slugs.
    """
    if slug not in slugs():
        raise KeyError(f"There is no myth {slug!r}; there are: {', '.join(slugs())}.")
    found: Myth = importlib.import_module(f"raclab.myths.{slug}").MYTH
    return found
