"""Services: which nodes a workload's sessions may connect to, and where each of them lands."""

from dataclasses import dataclass

from raclab.errors import LabError


@dataclass(frozen=True)
class Service:
    """A service and the nodes that run it, numbered from 0."""

    name: str
    nodes: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.nodes or min(self.nodes) < 0 or len(set(self.nodes)) != len(self.nodes):
            raise LabError(f"The service {self.name} must run on one node or more, each named once, not on {self.nodes}.")

    def place(self, sessions: int, first: int = 0) -> list[int]:
        """The node of each of so many sessions that connect one after the other: round robin, from the ``first`` of its nodes on."""
        return [self.nodes[(first + number) % len(self.nodes)] for number in range(sessions)]
