"""What each myth's simulation delivers fits the lab's views."""

import pytest

from raclab.database.embedded import EmbeddedLab
from raclab.database.loaded_rows import COUNTED
from raclab.myths.registry import myth, slugs

SUMMED = {"ACTIVE_SESSION_HISTORY", "PARAMETER", *COUNTED}
"""Views with rows of which not all are a run's, or not as the run brought them."""


@pytest.mark.parametrize("slug", slugs())
def test_a_run_is_loaded_and_found_again(slug: str) -> None:
    one = myth(slug)
    with EmbeddedLab() as lab:
        measured = lab.run(one, None, 1)
        sessions = lab.sql("select count(*) from gv$session where module = :module", {"module": slug}).frame.iloc[0, 0]
        assert sessions == len(measured.sessions)
        waits = lab.sql("select nvl(sum(total_waits_fg), 0) from gv$system_event where wait_class <> 'Idle'").frame.iloc[0, 0]
        assert waits == measured.waits.loc[measured.waits["wait_class"] != "Idle", "total_waits"].sum()
        for view, rows in measured.views.items():
            if view not in SUMMED:
                assert lab.sql(f"select count(*) from gv${view}").frame.iloc[0, 0] == len(rows)


def test_what_adds_up_adds_up_and_what_is_so_now_does_not() -> None:
    with EmbeddedLab() as lab:
        one = myth("lms_cpu_starvation")
        totals = []
        for _ in range(2):
            lab.run(one, None, 1)
            totals.append(lab.sql("select stat_name, value from gv$osstat where inst_id = 1").frame.set_index("STAT_NAME")["VALUE"])
        once, twice = totals
        assert twice["NUM_CPUS"] == once["NUM_CPUS"]
        assert twice["BUSY_TIME"] == 2 * once["BUSY_TIME"]
