"""M/M/1, twice: as a program for the kernel, and in plain SimPy. Both write down when each customer came and went.

Both draw the same variates in the same order, so every figure must be equal to the last bit.
"""

from collections.abc import Iterator

import numpy as np
import simpy

from raclab.bench.simpy_cores import Steps
from raclab.bench.simpy_peer import Outcome, Pair, Peer, pause
from raclab.bench.spent import Spent
from raclab.sim import Exponential, Model, Run


def open_queue(customers: int, between_s: float, service_s: float) -> Pair:
    """So many customers come one by one, ``between_s`` apart on average, to one server, who takes ``service_s`` on average."""

    def build() -> Model:
        model = Model(notes=2 * customers)
        cpu, line, anybody = model.cpu(1), model.semaphore(), model.cell()
        arrivals, server = model.process("arrivals", cpu), model.process("server", cpu)
        with arrivals.loop(customers):
            arrivals.delay(Exponential(between_s))
            arrivals.note(anybody)
            arrivals.post(line)
        with server.loop(customers):
            server.wait_for(line)
            server.delay(Exponential(service_s))
            server.note(anybody)
        return model

    def simulate(seed: int) -> Outcome:
        peer = Peer(seed)
        env, line, outcome = peer.env, simpy.Store(peer.env), peer.outcome

        def arrivals(steps: list[Spent], times: Iterator[float]) -> Steps:
            for _ in range(customers):
                yield from pause(env, between_s * next(times), steps[0])
                line.put(env.now)

        def server(steps: list[Spent], times: Iterator[float]) -> Steps:
            waiting, serving = steps
            for _ in range(customers):
                began = env.now
                came = yield line.get()
                waiting.add(env.now - began)
                yield from pause(env, service_s * next(times), serving)
                outcome.in_system.append(env.now - came)

        peer.start(1, arrivals)
        peer.start(2, server)
        return peer.run()

    return Pair(f"M/M/1, {customers:,} customers", build, simulate)


def in_system(run: Run) -> list[float]:
    """From the kernel's run: how long each customer was there, in the order of coming."""
    came, left = (run.notes["time"][run.notes["process"] == process] for process in (0, 1))
    times: list[float] = np.subtract(left, came).tolist()
    return times
