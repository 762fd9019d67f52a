"""The counter-based random numbers with Python's unlimited integers, from the published mixing function (SplitMix64's finaliser)."""

_ALL = 2**64 - 1
_GOLDEN = 0x9E3779B97F4A7C15


def _mix(z: int) -> int:
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & _ALL
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & _ALL
    return z ^ (z >> 31)


def by_hand(seed: int, process: int, draw: int) -> float:
    """A uniform number from 0 to below 1."""
    z = _mix(seed * _GOLDEN + 1 & _ALL)
    z = _mix(z + process * _GOLDEN & _ALL)
    return (_mix(z + draw * _GOLDEN & _ALL) >> 11) / 2**53
