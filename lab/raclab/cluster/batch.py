"""Batch jobs that need nothing but CPU, on one node."""

from dataclasses import dataclass

from raclab.cluster.nodes import TIME_SHARE
from raclab.sim import Model, Process, Uniform

PIECES = 200


@dataclass(frozen=True)
class BatchNode:
    """Jobs that start together on a node.

    cpu_s      CPU that each job needs, in seconds; drawn in PIECES pieces that vary by half around their mean
    quantum_s  time slice of the operating system's scheduler
    """

    jobs: int
    cores: int
    cpu_s: float
    quantum_s: float = 10e-3


def build(node: BatchNode, sampling_s: float) -> tuple[Model, tuple[Process, ...]]:
    """The node as a model, and the jobs' processes in order."""
    model = Model(sampling=sampling_s)
    cpu = model.cpu(node.cores, node.quantum_s)
    jobs = tuple(model.process(f"job {number + 1}", cpu, TIME_SHARE) for number in range(node.jobs))
    piece = node.cpu_s / PIECES
    job = model.together(jobs)
    with job.loop(PIECES):
        job.run(Uniform(0.5 * piece, 1.5 * piece))
    job.end()
    return model, jobs
