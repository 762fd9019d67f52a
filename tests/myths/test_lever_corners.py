"""What can't be: values out of range, of another type, and combinations at the ends of all levers; of every myth."""

import itertools
import math
from typing import Any

import numpy as np
import pytest

from raclab.errors import LabError
from raclab.myths.base import Myth
from raclab.myths.levers import LeverError, Levers
from raclab.myths.registry import myth, slugs

ALL = [myth(slug) for slug in slugs()]
every_myth = pytest.mark.parametrize("one", ALL, ids=slugs())
NO_VALUES = [None, "2", "", math.nan, math.inf, -math.inf, [1], {}, b"1", 1j, np.array([1, 2]), object()]


def ends_of(one: Myth) -> dict[str, tuple[Any, Any]]:
    """Each lever's lowest and highest value."""
    return {name: spec.ends for name, spec in one.levers.specs().items()}


def corners_of(one: Myth) -> list[dict[str, Any]]:
    """Settings at the ends of all levers, such that each pair of levers meets in all four combinations of its ends.

    All corners of nine levers are 512. Levers numbered from 1 in binary: in row r, a lever is at its high end if the bits that its number
    shares with r are odd in number (a Hadamard matrix), which takes 16 rows. The corner with everything high is added.
    """
    ends = ends_of(one)
    rows = 1 << len(ends).bit_length()
    picks = [[(place & row).bit_count() % 2 for place in range(1, len(ends) + 1)] for row in range(rows)] + [[1] * len(ends)]
    return [{name: pair[bit] for (name, pair), bit in zip(ends.items(), pick, strict=True)} for pick in picks]


@every_myth
def test_the_corners_meet_every_pair_of_levers_in_every_combination(one: Myth) -> None:
    ends, corners = ends_of(one), corners_of(one)
    for a, b in itertools.combinations(ends, 2):
        assert {(corner[a], corner[b]) for corner in corners} == set(itertools.product(ends[a], ends[b]))


@every_myth
def test_at_every_corner_there_is_an_answer_or_one_sentence(one: Myth) -> None:
    """One seed each: figures that are numbers, a chart and a sentence; or a refusal that says why."""
    published = one.published()
    for corner in corners_of(one):
        try:
            measured = one.simulate(one.levers(**corner), [1])
        except LabError as refused:
            assert str(refused).endswith("."), corner
            continue
        for frame in (measured.sessions, measured.waits, measured.stats):
            numbers = frame.select_dtypes("number").to_numpy(dtype=float)
            assert np.isfinite(numbers).all() and (numbers >= 0).all(), corner
        assert len(measured.sessions) and (measured.sessions["elapsed_s"] > 0).all(), corner
        said = one.sentence([measured])
        assert "nan" not in said and one.levers(**corner).remark() in said, corner
        assert one.figure([*published, measured]).data


@every_myth
def test_a_value_that_a_lever_can_t_have_is_refused_with_its_name_and_range(one: Myth) -> None:
    for name, spec in one.levers.specs().items():
        beyond = [] if spec.choices else [spec.low - 1, spec.high + 1, -1e300, 10**30]
        if spec.whole:
            beyond += [spec.low + 0.5, float(spec.high)]
        if not all(isinstance(choice, bool) for choice in spec.choices) or not spec.choices:
            beyond += [True]
        for value in (*NO_VALUES, *beyond):
            with pytest.raises(LeverError) as refused:
                one.levers(**{name: value})
            assert str(refused.value).startswith(f"{spec.label} ({name}) can't be ") and spec.describe() in str(refused.value)


@every_myth
def test_an_unknown_lever_is_answered_with_the_known_ones(one: Myth) -> None:
    with pytest.raises(LeverError) as refused:
        one.levers.at({"nodez": 1})
    assert str(refused.value) == f"There is no lever nodez here; there are: {', '.join(one.levers.specs())}."


@every_myth
def test_numpy_s_numbers_give_the_same_setting(one: Myth) -> None:
    default = one.levers()
    given = {name: value if isinstance(value, str) else np.array([value])[0] for name, value in default.as_dict().items()}
    assert one.levers(**given) == default
    assert {name: type(value) for name, value in one.levers(**given).as_dict().items()} == {
        name: type(value) for name, value in default.as_dict().items()
    }


REMARKS = [
    ("parallel_across_instances", {"dop": 64, "max_servers": 16}, "DOP 64 was lowered to 16: 2 server sets find 32 servers"),
    ("parallel_across_instances", {"dop": 2, "instances": 8}, "Only 2 of the 8 instances get servers."),
    ("parallel_across_instances", {"join": False, "rows_per_group": 10}, "join method and rows per group don't count"),
    ("kernel_time_semaphores", {"sets": 1, "semaphores_per_set": 16}, "There are 16 semaphores, so 16 servers start"),
    ("logical_isolation", {"index": "local"}, "Oracle refuses a local index on a table without partitions (ORA-14016)"),
    ("logical_isolation", {"nodes": 1, "affinity": False}, "On one node affinity has nothing to choose from."),
    ("nfs_throughput", {"direct": True, "connections": 8}, "the connections per mount don't count"),
    ("scale_out", {"nodes": 8, "clients": 5}, "3 of the 8 nodes have no client."),
    ("scale_out", {"name_server": True}, "bulk, direct path, space and indexes don't count"),
    ("scale_out", {"direct": True}, "locks the table until its commit"),
    ("latch_spin_cpu", {"sessions": 1, "same": False}, "One session has nobody to share a table with."),
    ("nocache_sequences", {"order": True}, "Without a cache each number is taken from SEQ$"),
    ("nocache_sequences", {"order": True, "cache": 20, "nodes": 1}, "On one node the numbers are in order anyway"),
    ("nocache_sequences", {"nodes": 1, "start_gap_s": 1}, "the start gap does not count"),
]


@pytest.mark.parametrize(("slug", "setting", "sentence"), REMARKS, ids=lambda one: one if isinstance(one, str) and "_" in one else "")
def test_what_has_no_effect_or_is_lowered_is_said(slug: str, setting: dict[str, Any], sentence: str) -> None:
    one = myth(slug)
    levers = one.levers.at(setting)
    assert sentence in levers.remark()
    assert sentence in one.sentence([one.simulate(levers, [1])])


# What a remark says has no effect has none: the same figures with the lever at its other end.
WITHOUT_EFFECT = [
    ("nocache_sequences", {}, {"order": True}),
    ("nocache_sequences", {"nodes": 1, "cache": 20}, {"order": True}),
    ("nocache_sequences", {"nodes": 1}, {"start_gap_s": 10.0}),
    ("parallel_across_instances", {"join": False}, {"partition_wise": False, "rows_per_group": 1_000_000}),
    ("nfs_throughput", {"direct": True}, {"connections": 16}),
    ("scale_out", {"name_server": True}, {"bulk": 1, "direct": True, "preallocated": True, "indexes": 6}),
    ("latch_spin_cpu", {"sessions": 1}, {"same": False}),
    ("logical_isolation", {"nodes": 1}, {"affinity": False}),
    ("logical_isolation", {}, {"index": "local"}),
    ("parallel_across_instances", {"dop": 16, "max_servers": 16}, {"dop": 64}),
]


@pytest.mark.parametrize(("slug", "base", "changed"), WITHOUT_EFFECT)
def test_what_is_said_to_have_no_effect_has_none(slug: str, base: dict[str, Any], changed: dict[str, Any]) -> None:
    one = myth(slug)
    levers: list[Levers] = [one.levers.at(base), one.levers.at(base | changed)]
    assert levers[1].remark()
    first, second = (one.simulate(each, [1]) for each in levers)
    assert first.sessions.equals(second.sessions) and first.waits.equals(second.waits)
