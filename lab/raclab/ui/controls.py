"""Levers as widgets: which widget a lever gets, and its labels."""

from decimal import Decimal
from typing import Any

import ipywidgets as widgets

from raclab.myths.levers import LeverSpec

_STYLE = {"description_width": "initial"}


def control(spec: LeverSpec, default: Any) -> widgets.ValueWidget:
    """The widget for one lever, set to its default.

    Yes and no make a checkbox, other choices a slider over them, a range a slider in its steps.
    """
    text = f"{spec.label} ({spec.unit})" if spec.unit else spec.label
    common: dict[str, Any] = {"description": text, "tooltip": spec.help, "style": _STYLE}
    if spec.choices and all(isinstance(choice, bool) for choice in spec.choices):
        made = widgets.Checkbox(value=default, indent=False, **common)
    elif spec.choices:
        made = widgets.SelectionSlider(options=[(choice_text(spec, c), c) for c in spec.choices], value=default, **common)
    elif all(isinstance(number, int) for number in (spec.low, spec.high, spec.step, default)):
        made = widgets.IntSlider(default, spec.low, spec.high, spec.step, **common)
    else:
        shown = f".{_decimals(spec.step)}f"
        made = widgets.FloatSlider(default, min=spec.low, max=spec.high, step=spec.step, readout_format=shown, **common)
    made.add_class("raclab-lever")
    return made


def _decimals(step: float) -> int:
    """How many decimals a value needs that is a multiple of ``step``."""
    return max(0, -int(Decimal(str(step)).normalize().as_tuple().exponent))


def choice_text(spec: LeverSpec, value: Any) -> str:
    """A lever's value as shown to people: the lever's own name for it if it has one, "yes" and "no", or the value."""
    return spec.text(value)


def setting_text(specs: dict[str, LeverSpec], values: dict[str, Any]) -> str:
    """A whole setting in words: "CACHE = 20, ORDER = no"."""
    return ", ".join(
        f"{spec.label} = {choice_text(spec, values[name])}" + (f" {spec.unit}" if spec.unit else "") for name, spec in specs.items()
    )
