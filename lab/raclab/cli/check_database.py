"""Checks of ``doctor`` on the lab database: the simulated cluster, and a real Oracle if one is named."""

import os
import time

from raclab.cli.finding import Finding, ok, warn

_INSTANCES = "select instance_name from gv$instance order by inst_id"


def simulated_cluster() -> Finding:
    """The simulated cluster starts and answers SQL. Raises LabError, which says what to do."""
    from raclab.database.embedded import EmbeddedLab

    began = time.perf_counter()
    with EmbeddedLab() as lab:
        names = lab.sql(_INSTANCES).frame.iloc[:, 0].tolist()
    return ok(f"{', '.join(names)} answer; started and stopped in {time.perf_counter() - began:.1f} s")


def oracle() -> Finding:
    """The database of RACLAB_DSN can be reached, if that is set. Raises LabError, which says what to do."""
    if not os.environ.get("RACLAB_DSN"):
        return ok("RACLAB_DSN is not set: the notebooks use the simulated cluster")

    from raclab.database.oracle import connect_oracle
    from raclab.database.settings import owned_database

    with connect_oracle() as lab:
        answer = f"{lab.dsn} answers: {lab.version}"
        if lab.interlock.open:
            return ok(f"{answer}; live runs are possible")
        if owned_database():
            return warn(f"{answer}; no live runs. {lab.interlock.closed}", "python -m raclab oracle check says more")
        return ok(f"{answer}; for reading only, as RACLAB_I_OWN_THIS_DATABASE is not set")
