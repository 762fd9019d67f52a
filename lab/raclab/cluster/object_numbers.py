"""OBJ# of segments: Oracle gives them in the order of creation, here they are hashes of the name, the same everywhere."""

import math
import zlib

from raclab.cluster.roster import Segment

FIRST, RANGE = 70_000, 900_000  # above the dictionary's own objects, and of the length that a DBA is used to


def object_number(segment: Segment | None) -> float:
    """A segment's OBJ#, NaN for none."""
    if segment is None:
        return math.nan
    return FIRST + zlib.crc32(f"{segment.owner}.{segment.name}".encode()) % RANGE
