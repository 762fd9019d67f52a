"""RAC Myths Lab: test what is said about Oracle RAC.

The names below are imported when first used, so that ``import raclab`` stays quick.
"""

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_WHERE = {
    "connect": "raclab.database.lab",
    "myth": "raclab.myths.registry",
    "slugs": "raclab.myths.registry",
    "replay": "raclab.myths.replay",
    "sweep": "raclab.sweeps.sweep",
    "open": "raclab.ui.page",
    "Kind": "raclab.evidence.measurement",
    "Measurement": "raclab.evidence.measurement",
}

if TYPE_CHECKING:
    from raclab.database.lab import connect
    from raclab.evidence.measurement import Kind, Measurement
    from raclab.myths.registry import myth, slugs
    from raclab.myths.replay import replay
    from raclab.sweeps.sweep import sweep
    from raclab.ui.page import open

__all__ = ["Kind", "Measurement", "connect", "myth", "open", "replay", "slugs", "sweep"]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'raclab' has no attribute {name!r}")
    return getattr(importlib.import_module(_WHERE[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_WHERE])
