"""The notebook's parameters: one clear sentence for each that is wrong."""

from typing import Any

import pytest

from raclab.errors import LabError
from raclab.ui.parameters import HIGHEST_SEED, ParameterError, check, refuse_unknown


def test_defaults_take_eight_seeds_from_the_first() -> None:
    assert list(check(None, 1, False).seeds) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert list(check(None, 5, True).seeds) == [5, 6]


def test_dsn_is_taken_without_blanks_around_it() -> None:
    assert check(" db:1521/X ", 1, False).dsn == "db:1521/X"


@pytest.mark.parametrize(
    ("dsn", "seed", "quick", "words"),
    [
        (5, 1, False, "dsn is 5"),
        ("  ", 1, False, "dsn is '  '"),
        (None, "3", False, "seed is '3'; it takes a whole number"),
        (None, True, False, "seed is True"),
        (None, 1.0, False, "seed is 1.0"),
        (None, -1, False, f"seed is -1; it takes 0 to {HIGHEST_SEED}"),
        (None, HIGHEST_SEED + 1, False, f"it takes 0 to {HIGHEST_SEED}"),
        (None, 1, 1, "quick is 1; it takes True or False"),
        (None, 1, "no", "quick is 'no'"),
    ],
)
def test_wrong_value_gives_one_sentence(dsn: Any, seed: Any, quick: Any, words: str) -> None:
    with pytest.raises(ParameterError) as caught:
        check(dsn, seed, quick)
    sentence = str(caught.value)
    assert words in sentence
    assert sentence.endswith(".") and "\n" not in sentence
    assert isinstance(caught.value, LabError)


def test_known_parameters_and_notebooks_without_papermill_pass() -> None:
    refuse_unknown(["", "import raclab", "seed = 3; anything = 4"])
    refuse_unknown(["", "seed = 1", "# Parameters\nseed = 3\nquick = True\ndsn = None\n"])


@pytest.mark.parametrize("assignment", ["sede = 3", "sede: int = 3", "(sede, seed) = 3, 4"])
def test_unknown_parameter_is_named(assignment: str) -> None:
    with pytest.raises(ParameterError, match=r"no parameter sede; it takes dsn, seed, quick\."):
        refuse_unknown(["seed = 1", f"# Parameters\n{assignment}\n"])


def test_all_unknown_parameters_are_named_at_once() -> None:
    with pytest.raises(ParameterError, match="no parameter fast, sede;"):
        refuse_unknown(["# Parameters\nsede = 3\nfast = True\nseed = 4\n"])


def test_only_the_last_injected_cell_counts() -> None:
    refuse_unknown(["# Parameters\nsede = 3\n", "# Parameters\nseed = 3\n"])
