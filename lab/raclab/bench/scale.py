"""The largest clusters of at_scale.py, timed: how long a lab of 64 nodes takes, what memory, and what an event costs there."""

import json
import time
from collections.abc import Callable

from raclab.bench.memory import peak_mb
from raclab.bench.timing import Spread, in_fresh_processes
from raclab.cluster import at_scale
from raclab.cluster.at_scale import Built
from raclab.sim import Run, run, warm_up

FEW = 2  # nodes of the small cluster, with as many sessions a node, that do as much work in all

CASES: dict[str, Callable[[int, int, int], Built]] = {
    "sequence": lambda nodes, sessions, rows: at_scale.sequence_case(nodes, sessions, rows=rows),
    "batch": lambda nodes, sessions, rows: at_scale.batch_case(nodes, sessions, rows=rows),
}
ROWS = {"sequence": 10, "batch": 4}


def here(case: str, nodes: int, sessions: int, pairs: int) -> dict[str, float]:
    """Measured in this process, which should have done nothing else before.

    build_s, run_s, frames_s  wall-clock seconds for one run of the cluster: writing its model, simulating, the measurement's frames
    events                    how many it handled
    peak_mb                   the process's peak memory by then, numba and pandas included; missing on Windows, which doesn't tell
    ns_large_k, ns_small_k    CPU for an event in the k-th of so many pairs of runs, of this cluster and of one of FEW nodes
    """
    warm_up()
    times = [time.perf_counter()]
    built = CASES[case](nodes, sessions, ROWS[case])
    times.append(time.perf_counter())
    outcome = run(built.model)
    times.append(time.perf_counter())
    at_scale.measure(built, [outcome])
    times.append(time.perf_counter())
    figures = {"build_s": times[1] - times[0], "run_s": times[2] - times[1], "frames_s": times[3] - times[2], "events": outcome.events}
    if (peak := peak_mb()) is not None:
        figures["peak_mb"] = peak
    small = CASES[case](FEW, sessions, ROWS[case] * nodes // FEW)
    for pair in range(pairs):
        for name, one in (("large", built), ("small", small))[:: 1 if pair % 2 else -1]:
            figures[f"ns_{name}_{pair}"] = _ns_an_event(lambda one=one, seed=pair + 2: run(one.model, seed))  # type: ignore[misc]
    return figures


def measured(case: str, nodes: int, sessions: int, processes: int, pairs: int) -> dict[str, Spread]:
    """What ``here`` measures, in so many fresh processes; and ``total_s``, and ``cost``: an event here over one on FEW nodes, by pairs."""
    program = (
        "import json\nfrom raclab.bench.scale import here\n"
        f"print(json.dumps(here({json.dumps(case)}, {nodes}, {sessions}, {pairs})))"
    )  # fmt: skip
    told = in_fresh_processes(program, processes)
    names = [name for name in told[0] if not name.startswith("ns_")]
    spreads = {name: Spread(tuple(one[name] for one in told)) for name in names}
    spreads["total_s"] = Spread(tuple(one["build_s"] + one["run_s"] + one["frames_s"] for one in told))
    for name in ("large", "small"):
        spreads[f"ns_{name}"] = Spread(tuple(one[f"ns_{name}_{pair}"] for one in told for pair in range(pairs)))
    both = zip(spreads["ns_large"].values, spreads["ns_small"].values, strict=True)
    return spreads | {"cost": Spread(tuple(large / small for large, small in both))}


def _ns_an_event(call: Callable[[], Run]) -> float:
    began = time.process_time()
    outcome = call()
    return (time.process_time() - began) / outcome.events * 1e9
