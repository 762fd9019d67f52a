"""How the simulation kernel is checked and timed: peers in SimPy, queues with a known answer, and the benchmark."""

from collections.abc import Sequence


def main(argv: Sequence[str]) -> int:
    """``python -m raclab bench``: the arguments behind ``bench``; returns the exit code."""
    from raclab.bench.command import main as benchmark

    return benchmark(argv)
