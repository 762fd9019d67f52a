"""Which widget a lever gets, and what it says."""

import ipywidgets as widgets

from raclab.myths.levers import LeverSpec
from raclab.ui.controls import choice_text, control, setting_text


def spec(**metadata: object) -> LeverSpec:
    return LeverSpec("Label", str(metadata.pop("unit", "")), "what it does", **metadata)  # type: ignore[arg-type]


def test_choices_make_a_slider_over_them_with_their_names() -> None:
    made = control(spec(choices=(0, 1000), names=("NOCACHE", "CACHE 1000")), 1000)
    assert isinstance(made, widgets.SelectionSlider)
    assert made.options == (("NOCACHE", 0), ("CACHE 1000", 1000)) and made.value == 1000


def test_yes_and_no_make_a_checkbox() -> None:
    made = control(spec(choices=(False, True)), True)
    assert isinstance(made, widgets.Checkbox) and made.value is True


def test_whole_range_makes_an_int_slider() -> None:
    made = control(spec(low=1, high=8), 2)
    assert isinstance(made, widgets.IntSlider)
    assert (made.min, made.max, made.step, made.value) == (1, 8, 1, 2)


def test_range_with_fractions_makes_a_float_slider_with_as_many_decimals_as_its_steps_need() -> None:
    for step, shown in ((0.1, ".1f"), (0.25, ".2f"), (0.5, ".1f"), (1, ".0f")):
        made = control(spec(low=0.0, high=20, step=step), 4.0)
        assert isinstance(made, widgets.FloatSlider)
        assert (made.min, made.max, made.step, made.value, made.readout_format) == (0, 20, step, 4.0, shown)


def test_every_control_says_what_it_is_in_which_unit_and_what_it_does() -> None:
    for made in (
        control(spec(choices=(1, 2), unit="rows"), 1),
        control(spec(choices=(False, True), unit="rows"), True),
        control(spec(low=1, high=8, unit="rows"), 2),
        control(spec(low=0.1, high=8, unit="rows"), 2.0),
    ):
        assert made.description == "Label (rows)"
        assert made.tooltip == "what it does"
        assert "raclab-lever" in made._dom_classes


def test_values_as_people_read_them() -> None:
    assert choice_text(spec(choices=(0, 20), names=("NOCACHE", "20")), 0) == "NOCACHE"
    assert choice_text(spec(choices=(False, True)), False) == "no"
    assert choice_text(spec(low=1, high=20_000), 10_000) == "10,000"
    assert choice_text(spec(low=0.1, high=20), 0.5) == "0.5"
    assert setting_text({"a": spec(unit="ms", low=0.1, high=9), "b": spec(choices=(False, True))}, {"a": 0.5, "b": True}) == (
        "Label = 0.5 ms, Label = yes"
    )
