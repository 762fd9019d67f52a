"""Wait classes, as V$EVENT_NAME has them."""

import pytest

from raclab.evidence.published import load, slugs
from raclab.oracle_names import WAIT_CLASSES, wait_class


@pytest.mark.parametrize(
    ("event", "name"),
    [
        ("row cache lock", "Concurrency"),
        ("gc current block 2-way", "Cluster"),
        ("gc cr block 2-way", "Cluster"),
        ("gc current grant busy", "Cluster"),
        ("DFS lock handle", "Other"),
        ("enq: SQ - contention", "Configuration"),
        ("log file switch completion", "Configuration"),
        ("log file sync", "Commit"),
        ("log file parallel write", "System I/O"),
        ("db file sequential read", "User I/O"),
    ],
)
def test_wait_class(event: str, name: str) -> None:
    assert wait_class(event) == name


def test_only_classes_that_oracle_has() -> None:
    oracles = {
        *("Administrative", "Application", "Cluster", "Commit", "Concurrency", "Configuration", "Idle", "Network", "Other"),
        *("Queueing", "Scheduler", "System I/O", "User I/O"),
    }
    assert set(WAIT_CLASSES.values()) <= oracles


def test_unknown_event_is_not_called_other() -> None:
    with pytest.raises(LookupError, match="The wait class of the event 'row cash lock' is not known here"):
        wait_class("row cash lock")


def test_every_published_tkprof_event_has_a_class() -> None:
    for slug in slugs():
        package = load(slug)
        if "tkprof_waits" in package.frames and "case" in package.frame("tkprof_waits"):
            for event in package.frame("tkprof_waits")["event"]:
                assert wait_class(str(event))
