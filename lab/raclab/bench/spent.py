"""What a peer writes down of an op or of a wait: the same four figures as the kernel's tally."""

from dataclasses import dataclass


@dataclass(slots=True)
class Spent:
    """Times begun, and the time from begin to end, that on a core, and the longest single one (s)."""

    hits: int = 0
    time: float = 0.0
    cpu: float = 0.0
    longest: float = 0.0

    def add(self, seconds: float) -> None:
        """One more, that took so long."""
        self.hits += 1
        self.time += seconds
        if seconds > self.longest:
            self.longest = seconds

    def as_tuple(self) -> tuple[int, float, float, float]:
        """hits, time, cpu, longest."""
        return self.hits, self.time, self.cpu, self.longest
