"""M/M/1 once more, in cimba, written as cimba's own examples are: customers are the times at which they came."""

import cimba
from cimba import random

from raclab.bench.cimba_cores import run


class Queue(cimba.Model):
    """An arrival process, a line and a server; ends with the last customer."""

    between_s: cimba.Param[float]
    service_s: cimba.Param[float]
    customers: cimba.Param[int]
    line: cimba.Store[float]
    spent: float = 0.0
    time_in_system: cimba.Output[float]

    @cimba.process
    def arrivals(self) -> None:
        """One customer after the other comes."""
        for _ in range(self.customers):
            cimba.hold(random.exponential(self.between_s))
            self.line.put(cimba.now())

    @cimba.process
    def server(self) -> None:
        """One customer after the other is served."""
        for _ in range(self.customers):
            came = self.line.get()
            cimba.hold(random.exponential(self.service_s))
            self.spent += cimba.now() - came
        self.time_in_system = self.spent / self.customers
        cimba.end_trial()


class Peer:
    """The model with its parameters."""

    def __init__(self, customers: int, between_s: float, service_s: float) -> None:
        self.model = Queue()
        self.model.between_s, self.model.service_s, self.model.customers = between_s, service_s, customers

    def simulate(self, seed: int, replications: int = 1) -> dict[str, list[float]]:
        """The mean time in the system, in each replication."""
        return {"time in the system (s)": run(self.model, seed, replications)[self.model].time_in_system.values[0].tolist()}
