"""The most memory that this process has used."""

import sys
from pathlib import Path

MEGABYTE = 2**20


def peak_mb() -> float | None:
    """Megabytes resident at most since the process began its program; None where the system does not say (Windows).

    On Linux from /proc: getrusage's figure there includes what the parent had when it started this process.
    """
    status = Path("/proc/self/status")
    if status.exists():
        kilobytes = next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return kilobytes * 1024 / MEGABYTE
    if sys.platform == "win32":
        return None
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # in kilobytes; on macOS in bytes
    return peak * (1 if sys.platform == "darwin" else 1024) / MEGABYTE
