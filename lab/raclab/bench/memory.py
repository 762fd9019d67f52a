"""How much memory a process has, or had at most."""

import re
import sys
from pathlib import Path

MEGABYTE = 2**20


def resident_mb(process: int | str = "self", what: str = "VmRSS") -> float | None:
    """Megabytes that a process has now, or (VmHWM) had at most; None where there is no /proc, or no such process any more."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return None
    found = re.search(rf"{what}:\s+(\d+)", status)
    return int(found[1]) * 1024 / MEGABYTE if found else None


def peak_mb() -> float | None:
    """Megabytes resident at most since the process began its program; None where the system does not say (Windows).

    On Linux from /proc: getrusage's figure there includes what the parent had when it started this process.
    """
    if (peak := resident_mb(what="VmHWM")) is not None:
        return peak
    if sys.platform == "win32":
        return None
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # in kilobytes; on macOS in bytes
    return most * (1 if sys.platform == "darwin" else 1024) / MEGABYTE
