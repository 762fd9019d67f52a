"""Whether the rows that a run gives for a view have Oracle's columns."""

from collections.abc import Mapping

import pandas as pd

from raclab.paths import ROOT

OURS = {
    "run",
    "INST_ID",
    "session",
    "background",
    "blocker_instance",
    "blocker_session",
    "SAMPLE_S",
    "max_micro",
    "NAME",
}  # columns that the lab database turns into Oracle's


def assert_columns_are_oracles(rows: Mapping[str, pd.DataFrame], known_besides: Mapping[str, set[str]] | None = None) -> None:
    """Every view's rows say run and instance, and have no column that Oracle 19c does not document for it.

    ``known_besides`` has, by view, the documented columns of views that the lab's own list lacks.
    """
    listed = pd.read_csv(ROOT / "lab" / "raclab" / "database" / "view_columns.csv", skiprows=2)
    documented = {**(known_besides or {}), **listed.groupby("view")["column"].agg(set)}
    for name, frame in rows.items():
        assert {"run", "INST_ID"} <= set(frame.columns), name
        assert set(frame.columns) - OURS <= documented[name], name
