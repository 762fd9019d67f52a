"""What a run says of the machines: V$OSSTAT, the parameters that follow from them, and V$INSTANCE_PING."""

import numpy as np
import pandas as pd

from raclab.cluster.ledger import Ledger
from raclab.sim import Run

CENTISECONDS = 100.0
MICROSECONDS = 1e6
PING_BYTES = {"500B": 500, "8K": 8192}


def osstat_of(ledger: Ledger, run: Run) -> pd.DataFrame:
    """V$OSSTAT: cores, times in centiseconds, and LOAD, the mean number of processes on a core or waiting for one over the run.

    USER_TIME and SYS_TIME are apart where the model knows what the kernel's own work is.
    """
    roster, scale = ledger.roster, ledger.roster.scale(run)
    on_cpu = np.array([process.cpu for process in roster.model.processes])
    wanted = ledger.of_processes(run.tally["time"], ledger.on_core)
    waited = wanted - ledger.of_processes(run.tally["cpu"], ledger.on_core)
    queues = roster.model.where.activity_is(*roster.queueing) & ~ledger.on_core
    queued = ledger.of_processes(run.tally["time"], queues)
    in_kernel = roster.model.where.activity_is(*roster.system)
    system = ledger.of_processes(run.tally["cpu"], in_kernel)
    rows: list[tuple[int, int, str, float]] = []
    for node, cpu in enumerate(roster.cpus):
        here = on_cpu == cpu
        cores, busy = roster.cores_of(node), float(run.used[cpu])
        queue = float((ledger.queue_s(run) if roster.to_the_end else waited + queued)[here].sum())
        seconds = {
            "BUSY_TIME": busy,
            "IDLE_TIME": max(0.0, cores * run.clock - busy),
            "OS_CPU_WAIT_TIME": queue,
        }
        if roster.system:
            seconds |= {"USER_TIME": busy - float(system[here].sum()), "SYS_TIME": float(system[here].sum())}
        values = {"NUM_CPUS": float(cores), "LOAD": (busy + queue) / run.clock}
        values |= {name: float(round(CENTISECONDS * scale * value)) for name, value in seconds.items()}
        rows.extend((0, node + 1, name, value) for name, value in values.items())
    return pd.DataFrame(rows, columns=["run", "INST_ID", "STAT_NAME", "VALUE"])


def parameters_of(ledger: Ledger) -> pd.DataFrame:
    """V$PARAMETER's cpu_count, gcs_server_processes and db_block_size, as the model has them."""
    roster = ledger.roster
    rows = []
    for node in range(roster.nodes):
        rows.append((0, node + 1, "cpu_count", str(roster.cores_of(node))))
        if roster.hardware:
            servers = sum(there == node and name.startswith("LMS") for there, name in roster.background)
            rows.append((0, node + 1, "gcs_server_processes", str(servers)))
            rows.append((0, node + 1, "db_block_size", str(roster.hardware.block_bytes)))
    return pd.DataFrame(rows, columns=["run", "INST_ID", "NAME", "VALUE"])


def instance_ping_of(ledger: Ledger) -> pd.DataFrame:
    """V$INSTANCE_PING, times in microseconds: one ping of each size a run, there and back at the interconnect's mean times without load.

    The model has no PING process; this is what one would measure on its idle interconnect.
    """
    roster, hardware = ledger.roster, ledger.roster.hardware
    rows: list[dict[str, object]] = []
    if hardware is None:
        return pd.DataFrame(rows)
    for node in range(roster.nodes):
        for other in range(roster.nodes):
            if other == node:
                continue
            row: dict[str, object] = {"run": 0, "INST_ID": node + 1, "INSTANCE": other + 1}
            for size, count in PING_BYTES.items():
                took = round(MICROSECONDS * 2 * (hardware.message_s + count / hardware.bandwidth))
                row |= {f"{column}_{size}": took for column in ("CURRENT", "AVERAGE", "MAX", "WAIT_TIME")}
                row |= {f"COUNT_{size}": 1, f"WAIT_TIME_SQUARED_{size}": took * took}
            rows.append(row)
    return pd.DataFrame(rows)
