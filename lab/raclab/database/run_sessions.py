"""What the sessions of a run are in the database."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

PROGRAM = "raclab simulator"
"""V$SESSION.PROGRAM of them."""


@dataclass(frozen=True)
class Identity:
    """What the run's sessions are in the database.

    sids        by (instance, session number); background processes' by (instance, name)
    began       when the run began; ``seconds`` is how long it took
    """

    sids: Mapping[tuple[int, int], int]
    background: Mapping[tuple[int, str], int]
    module: str
    action: str
    began: datetime.datetime
    seconds: float

    @cached_property
    def _numbered(self) -> np.ndarray:
        """The SID by instance and session number, -1 where there is none."""
        table = np.full([1 + max(pair[place] for pair in self.sids) for place in (0, 1)], -1, dtype=np.int64)
        for pair, sid in self.sids.items():
            table[pair] = sid
        return table

    def of(self, frame: pd.DataFrame, instance: str = "inst_id", session: str = "session") -> np.ndarray:
        """The SID of each row of a frame; of a background process where ``background`` names one. KeyError for one that there is not."""
        instances = frame[instance].to_numpy(dtype=np.int64)
        found = np.full(len(frame), -1, dtype=np.int64)
        if session in frame:
            numbers = frame[session].to_numpy(dtype=np.int64)
            known = (instances < len(self._numbered)) & (numbers < self._numbered.shape[1])
            found[known] = self._numbered[instances[known], numbers[known]]
        if "background" in frame:
            which, names = pd.factorize(frame["background"])
            for place, name in enumerate(names):
                named = which == place
                for there in np.unique(instances[named]).tolist():
                    found[named & (instances == there)] = self.background[there, name]
        if (found < 0).any():
            raise KeyError(f"a row of a session that the run has not: {frame[found < 0].iloc[0].to_dict()}")
        return found
