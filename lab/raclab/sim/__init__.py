"""A discrete-event kernel that knows nothing of Oracle.

Processes are programs of op codes (ops.py), written with a builder (model.py), interpreted by one compiled loop
(kernel.py) and run once a seed, on threads (run.py). Time is in seconds throughout.
"""

from raclab.sim.model import Constant, Distribution, Empirical, Exponential, Label, Model, Process, Uniform
from raclab.sim.run import Run, run, run_seeds, warm_up

__all__ = [
    "Constant",
    "Distribution",
    "Empirical",
    "Exponential",
    "Label",
    "Model",
    "Process",
    "Run",
    "Uniform",
    "run",
    "run_seeds",
    "warm_up",
]
