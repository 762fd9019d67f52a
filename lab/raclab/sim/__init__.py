"""A discrete-event kernel that knows nothing of Oracle.

Processes are programs of op codes (ops.py), written with a builder (model.py), interpreted by one compiled loop
(kernel.py) and run once a seed, on threads (run.py). Time is in seconds throughout.
"""

from raclab.sim.model import Model
from raclab.sim.program import Label, Number, Process, Program
from raclab.sim.run import Run, SimulationError, Stopped, run, run_seeds, warm_up
from raclab.sim.times import Constant, Distribution, Empirical, Exponential, Uniform
from raclab.sim.tracing import Trace, Tracing, tracing
from raclab.sim.watch import Watch, watching

__all__ = [
    "Constant",
    "Distribution",
    "Empirical",
    "Exponential",
    "Label",
    "Model",
    "Number",
    "Process",
    "Program",
    "Run",
    "SimulationError",
    "Stopped",
    "Trace",
    "Tracing",
    "Uniform",
    "Watch",
    "run",
    "run_seeds",
    "tracing",
    "warm_up",
    "watching",
]
