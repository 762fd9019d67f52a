"""The settings of a sweep: what is swept, what is skipped with its reason, and what is refused in one sentence."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from fake_myth import FakeLevers, FakeMyth

from raclab.errors import LabError
from raclab.sweeps.grid import MOST_SETTINGS, grid_of, seeds_of


def test_all_combinations_the_last_lever_fastest() -> None:
    grid = grid_of(FakeMyth(), {"nodes": range(1, 3), "cache": [0, 20]})
    assert grid.settings == [FakeLevers(nodes=nodes, cache=cache) for nodes in (1, 2) for cache in (0, 20)]
    assert grid.axes == {"nodes": (1, 2), "cache": (0, 20)}
    assert grid.skipped == []


@pytest.mark.parametrize("nodes", [[2, 3, 2], (2, 3), range(2, 4), np.array([2, 3]), np.arange(2, 4), pd.Series([2, 3]), iter([2, 3])])
def test_values_come_in_many_shapes_and_each_counts_once(nodes: Any) -> None:
    assert [levers.nodes for levers in grid_of(FakeMyth(), {"nodes": nodes}).settings] == [2, 3]


def test_one_value_settles_a_lever_and_is_no_axis() -> None:
    grid = grid_of(FakeMyth(), {"redo_ms": np.linspace(1, 2, 3), "nodes": np.int64(4), "order": True})
    assert grid.settings == [FakeLevers(redo_ms=ms, nodes=4, order=True) for ms in (1.0, 1.5, 2.0)]
    assert list(grid.axes) == ["redo_ms"]
    assert all(type(levers.redo_ms) is float and type(levers.nodes) is int for levers in grid.settings)


def test_no_lever_at_all_is_the_default_setting() -> None:
    assert grid_of(FakeMyth(), {}).settings == [FakeLevers()]


def test_combinations_that_the_levers_refuse_are_skipped_with_the_reason() -> None:
    grid = grid_of(FakeMyth(), {"nodes": [7, 8], "order": [False, True]})
    assert len(grid.settings) == 3
    assert grid.skipped == [({"nodes": 8, "order": True}, "ORDER can't be had on 8 nodes.")]


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"nodez": [1]}, "There is no lever nodez here; there are: cache, order, nodes, redo_ms."),
        ({"nodes": [1, 9]}, "Nodes (nodes) can't be 9: it takes whole numbers from 1 to 8."),
        ({"nodes": [1, 2.5]}, "Nodes (nodes) can't be 2.5: it takes whole numbers from 1 to 8."),
        ({"nodes": "2"}, "Nodes (nodes) can't be '2': it takes whole numbers from 1 to 8."),
        ({"cache": [0, 21]}, "CACHE (cache) can't be 21: it takes one of 0, 20, 1000."),
        ({"nodes": [], "cache": 0}, "nodes has no values; give at least one, or leave it out."),
        ({"nodes": {1, 2}}, "nodes is {1, 2}; it takes one value or a list of them, in the order wanted."),
        ([1, 2], 'The levers are [1, 2]; they are given by name, as in {"cache": [...]}.'),
        ({"nodes": 8, "order": True}, "None of the 1 settings can be had: ORDER can't be had on 8 nodes."),
    ],
)
def test_what_can_t_be_swept_is_one_sentence(asked: Any, sentence: str) -> None:
    with pytest.raises(LabError) as refused:
        grid_of(FakeMyth(), asked)
    assert str(refused.value) == sentence


def test_a_grid_without_end_is_refused_before_it_is_made() -> None:
    with pytest.raises(LabError, match=r"8 x 90,?000|are 720,000 settings; a sweep has at most 100,000"):
        grid_of(FakeMyth(), {"nodes": range(1, 9), "redo_ms": np.linspace(0.1, 20, MOST_SETTINGS - 10_000)})


@pytest.mark.parametrize(("asked", "seeds"), [(3, [1, 2, 3]), ([4, 9], [4, 9]), (range(5, 7), [5, 6])])
def test_seeds_are_a_number_or_themselves(asked: Any, seeds: list[int]) -> None:
    assert seeds_of(asked) == seeds


@pytest.mark.parametrize("asked", [0, -1, True, 2.0, "8", [], [1, 1], [-1], [1.5], None])
def test_other_seeds_are_one_sentence(asked: Any) -> None:
    with pytest.raises(LabError, match=r"^seeds is .*; it takes a number of seeds, such as 8"):
        seeds_of(asked)
