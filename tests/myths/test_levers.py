from dataclasses import dataclass

import pytest

from raclab.errors import LabError
from raclab.myths.levers import LeverError, Levers, lever


@dataclass(frozen=True)
class Two(Levers):
    size: float = lever(2.0, "Size", help="How large.", unit="MB", low=0.5, high=8)
    mode: str = lever("a", "Mode", help="Which.", choices=("a", "b"))


def test_specs_come_in_the_order_of_definition() -> None:
    assert list(Two.specs()) == ["size", "mode"]
    assert Two.specs()["size"].describe() == "0.5 to 8 MB"
    assert Two.specs()["mode"].describe() == "one of a, b"


@pytest.mark.parametrize(("setting", "sentence"), [
    ({"size": 9}, "Size (size) can't be 9: it takes 0.5 to 8 MB."),
    ({"size": float("nan")}, "Size (size) can't be nan: it takes 0.5 to 8 MB."),
    ({"size": "2"}, "Size (size) can't be '2': it takes 0.5 to 8 MB."),
    ({"size": True}, "Size (size) can't be True: it takes 0.5 to 8 MB."),
    ({"mode": "c"}, "Mode (mode) can't be 'c': it takes one of a, b."),
])  # fmt: skip
def test_a_value_out_of_range_is_refused_in_one_sentence(setting: dict[str, object], sentence: str) -> None:
    with pytest.raises(LeverError) as refused:
        Two(**setting)  # type: ignore[arg-type]
    assert str(refused.value) == sentence
    assert isinstance(refused.value, LabError)


def test_a_choice_of_another_type_is_not_the_same_choice() -> None:
    @dataclass(frozen=True)
    class Switch(Levers):
        on: bool = lever(False, "On", help="", choices=(False, True))

    with pytest.raises(LeverError):
        Switch(on=1)  # type: ignore[arg-type]
