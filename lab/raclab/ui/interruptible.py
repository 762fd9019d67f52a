"""What the interrupt button leaves in a cell: one sentence, and a kernel that goes on."""

from collections.abc import Iterator
from contextlib import contextmanager

from raclab.errors import LabError


class Interrupted(LabError):
    """A cell was interrupted."""


@contextmanager
def interruptible(how_it_is: str = "") -> Iterator[None]:
    """An interruption of the body ends the cell with a sentence rather than with a traceback; cells that wait do not run either."""
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted(" ".join(filter(None, ("Stopped.", how_it_is, "Run the cell again to start anew.")))) from None
