"""Where figures come from. On its own, so that a cluster that is served shows published figures without pandas, in half the memory."""

from dataclasses import dataclass
from enum import StrEnum

NOT_STATED = "not stated"


class Kind(StrEnum):
    """Where a figure comes from; every table and chart shows it as a badge."""

    PUBLISHED = "PUBLISHED"
    SIMULATED = "SIMULATED"
    LIVE = "LIVE"


@dataclass(frozen=True)
class Source:
    """Who measured what, where: enough for a sceptic to look it up.

    ``year`` is None where the source bears no date; ``machine`` says "not stated" rather than nothing.
    """

    kind: Kind
    title: str
    year: int | None
    version: str
    machine: str

    @property
    def line(self) -> str:
        """The source in one line, as it stands under a table: title, year, version, machine."""
        parts = {"year": str(self.year or NOT_STATED), "version": self.version, "machine": self.machine}
        stated = [f"version {value}" if name == "version" else value for name, value in parts.items() if value != NOT_STATED]
        silent = [name for name, value in parts.items() if value == NOT_STATED]
        if silent:
            names = " and ".join(filter(None, (", ".join(silent[:-1]), silent[-1])))
            stated.append(f"{names} {NOT_STATED}")
        return f"{self.title} ({'; '.join(stated)})"
