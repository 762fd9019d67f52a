"""Levers: a frozen dataclass whose fields say how they may be moved.

Widgets, validation and documentation are all made from the fields' metadata.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self, cast

import numpy as np

from raclab.errors import LabError


class LeverError(LabError, ValueError):
    """A lever has a value it can't have; the message names the lever, the value and the allowed range."""


@dataclass(frozen=True)
class LeverSpec:
    """How one lever may be moved.

    choices   the allowed values in order (any type), or () where ``low`` to ``high`` in steps of ``step`` applies
    names     what to call each choice, in the same order ("NOCACHE" for 0), or () where the values speak for themselves
    whole     whether only whole numbers are allowed between ``low`` and ``high``
    """

    label: str
    unit: str
    help: str
    low: float = 0
    high: float = 0
    step: float = 1
    choices: tuple[Any, ...] = ()
    names: tuple[str, ...] = ()
    whole: bool = False

    @property
    def ends(self) -> tuple[Any, Any]:
        """The first and the last of the allowed values."""
        if self.choices:
            return self.choices[0], self.choices[-1]
        return (int(self.low), int(self.high)) if self.whole else (float(self.low), float(self.high))

    def describe(self) -> str:
        """The allowed values in words."""
        unit = f" {self.unit}" if self.unit else ""
        if self.choices:
            return "one of " + ", ".join(str(choice) for choice in self.choices) + unit
        return f"{'whole numbers from ' if self.whole else ''}{self.low:g} to {self.high:g}{unit}"

    def text(self, value: Any) -> str:
        """A value as shown to people: the lever's own name for it if it has one, "yes" and "no", or the value."""
        if self.names and value in self.choices:
            return self.names[self.choices.index(value)]
        if isinstance(value, bool):
            return "yes" if value else "no"
        return f"{value:,}" if isinstance(value, int) else str(value)

    def checked(self, name: str, value: Any) -> Any:
        """The value as Python's own type that the lever has; LeverError with one sentence if it can't have it.

        Whole numbers do for fractional ones, numpy's numbers for Python's; a text, a yes or a no never stands for a number.
        """
        plain = value.item() if isinstance(value, np.generic) else value
        if self.choices:
            good = [choice for choice in self.choices if type(plain) in _does_for(choice) and plain == choice]
            if good:
                return good[0]
        elif type(plain) in _does_for(0 if self.whole else 0.0) and self.low <= plain <= self.high:
            return plain if self.whole else float(plain)
        raise LeverError(f"{self.label} ({name}) can't be {plain!r}: it takes {self.describe()}.")


def _does_for(wanted: Any) -> tuple[type, ...]:
    return (int, float) if isinstance(wanted, float) else (type(wanted),)


def lever(
    default: Any,
    label: str,
    *,
    help: str,
    unit: str = "",
    low: float = 0,
    high: float = 0,
    step: float = 1,
    choices: tuple[Any, ...] = (),
    names: tuple[str, ...] = (),
) -> Any:
    """A dataclass field with its LeverSpec as metadata. Where default, range and step are whole, the lever is."""
    whole = all(isinstance(number, int) for number in (default, low, high, step))
    return field(default=default, metadata={"lever": LeverSpec(label, unit, help, low, high, step, choices, names, whole)})


@dataclass(frozen=True)
class Levers:
    """Base of every myth's levers; refuses values out of range when made."""

    def __post_init__(self) -> None:
        for name, spec in self.specs().items():
            object.__setattr__(self, name, spec.checked(name, getattr(self, name)))  # frozen for everybody else

    @classmethod
    def specs(cls) -> dict[str, LeverSpec]:
        """LeverSpec of each lever by field name, in the order of definition."""
        return {f.name: cast(LeverSpec, f.metadata["lever"]) for f in fields(cls)}

    @classmethod
    def refuse_unknown(cls, names: Mapping[str, Any]) -> None:
        """LeverError with one sentence if any of the names is no lever's."""
        known = cls.specs()
        if unknown := [str(name) for name in names if name not in known]:
            raise LeverError(f"There is no lever {', '.join(unknown)} here; there are: {', '.join(known)}.")

    @classmethod
    def at(cls, values: Mapping[str, Any]) -> Self:
        """The setting with these values and the defaults for the rest; LeverError for an unknown name or a value out of range."""
        cls.refuse_unknown(values)
        return cls(**values)

    def remark(self) -> str:
        """A sentence about what can't have the effect asked for at this setting, or was lowered; "" if there is nothing to say."""
        return ""

    def as_dict(self) -> dict[str, Any]:
        """The setting as a plain dict, as a measurement carries it."""
        return {f.name: getattr(self, f.name) for f in fields(self)}
