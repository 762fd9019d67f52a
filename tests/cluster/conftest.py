"""What the cluster's tests share."""

import pytest

from raclab.cluster.parameters import Hardware
from raclab.cluster.sequences import StatementCosts
from raclab.myths.nocache_sequences import costs as published_costs


@pytest.fixture(scope="session")
def costs() -> StatementCosts:
    """What one insert costs, from the published one-node run."""
    return published_costs()


@pytest.fixture(scope="session")
def steady() -> Hardware:
    """The hardware with every time constant, so that latencies can be added up on paper."""
    return Hardware(spread=0.0)
