"""How often a node's servers (LMS, LCK0, LMD0) were asked, and how many requests they have taken on."""

import numpy as np

from raclab.sim import Model, Run, ops


def calls(model: Model, run: Run) -> np.ndarray:
    """By mailbox: how often its server was asked directly by its number; requests that it passed on as their master."""
    program = model.program
    direct = (program["code"] == ops.CALL) & (program["at"] < 0)
    counted: np.ndarray = np.bincount(program["a"][direct], run.tally["hits"][direct], model.mailboxes)
    return counted


def served(model: Model, run: Run) -> np.ndarray:
    """By mailbox: how many requests its servers have taken on."""
    program = model.program
    taking = np.flatnonzero(program["code"] == ops.TAKE)
    counted: np.ndarray = np.bincount(program["a"][taking], run.tally["hits"][taking + 1], model.mailboxes)
    return counted
