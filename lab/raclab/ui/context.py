"""What the parts of one notebook share: the myth, the parameters, the learner's file, and what failed."""

from collections.abc import Callable
from dataclasses import dataclass, field

from raclab.myths.base import Myth
from raclab.ui.panel import Failure
from raclab.ui.parameters import Parameters
from raclab.ui.store import Store


@dataclass
class Context:
    """Shared by all parts of a page.

    failures    everything that went wrong in a callback, in order
    listeners   called when the learner's file has changed, so that parts shown elsewhere in the notebook follow
    """

    myth: Myth
    parameters: Parameters
    store: Store
    failures: list[Failure] = field(default_factory=list)
    listeners: list[Callable[[], None]] = field(default_factory=list)

    def answers_changed(self) -> None:
        """Tell every part that shows predictions or answers."""
        for listener in self.listeners:
            listener()
