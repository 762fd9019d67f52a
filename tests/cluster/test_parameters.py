"""Every parameter says its unit and where it comes from, and those that are published are what was published."""

import dataclasses
import re

import pytest

from raclab.cluster import parameters
from raclab.cluster.nodes import master_of
from raclab.cluster.parameters import Hardware
from raclab.evidence import published
from raclab.sim import Uniform

FIELDS = [field.name for field in dataclasses.fields(Hardware)]


def told() -> dict[str, str]:
    """What the docstring says of each field: from its name to the next one's."""
    text = Hardware.__doc__ or ""
    pieces = re.split(r"^    (\w+)  +", text, flags=re.MULTILINE)
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


def test_the_docstring_tells_of_every_field_and_no_other() -> None:
    assert list(told()) == FIELDS


@pytest.mark.parametrize("name", FIELDS)
def test_each_has_a_source(name: str) -> None:
    assert re.search(r"Assumed|published|Oracle's default|Gigabit Ethernet", told()[name])


@pytest.mark.parametrize("name", FIELDS)
def test_each_has_a_unit(name: str) -> None:
    assert name.endswith("_s") or re.search(r"bytes|block size|of each node|share", told()[name])
    assert "Times in seconds, sizes in bytes" in (Hardware.__doc__ or "")


def test_published_latencies() -> None:
    latency = published.load("nocache_sequences").frame("access_latency").set_index("access")
    milliseconds = {"global cache wait": "low", "single-block or multi-block disk read": "high"}
    assert {latency.loc[access, "unit"] for access in milliseconds} == {"ms"}
    assert latency.loc["global cache wait", "low"] / 1000 == parameters.GLOBAL_CACHE_WAIT_LOW_S == Hardware().block_get_s
    assert latency.loc["single-block or multi-block disk read", "high"] / 1000 == parameters.DISK_ACCESS_HIGH_S == Hardware().redo_write_s


def test_a_block_on_gigabit_ethernet() -> None:
    assert Hardware().wire_s == pytest.approx(65.5e-6, rel=0.001)  # 8 KB at 125 MB/s


def test_times_vary_evenly_around_their_mean() -> None:
    assert Hardware(spread=0.5).varied(0.004) == Uniform(0.002, 0.006)
    assert Hardware(spread=0.0).varied(0.004) == Uniform(0.004, 0.004)


def test_masters_are_spread_over_the_nodes() -> None:
    for nodes in range(1, 9):
        masters = [master_of(resource, nodes) for resource in range(1_000)]
        counts = [masters.count(node) for node in range(nodes)]
        assert sum(counts) == 1_000
        assert min(counts) > 0.8 * 1_000 / nodes
