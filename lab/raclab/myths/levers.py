"""Levers: a frozen dataclass whose fields say how they may be moved.

Widgets, validation and documentation are all made from the fields' metadata.
"""

from dataclasses import dataclass, field, fields
from typing import Any, cast

from raclab.errors import LabError


class LeverError(LabError, ValueError):
    """A lever has a value it can't have; the message names the lever, the value and the allowed range."""


@dataclass(frozen=True)
class LeverSpec:
    """How one lever may be moved.

    choices   the allowed values in order (any type), or () where ``low`` to ``high`` in steps of ``step`` applies
    names     what to call each choice, in the same order ("NOCACHE" for 0), or () where the values speak for themselves
    """

    label: str
    unit: str
    help: str
    low: float = 0
    high: float = 0
    step: float = 1
    choices: tuple[Any, ...] = ()
    names: tuple[str, ...] = ()

    def describe(self) -> str:
        """The allowed values in words."""
        unit = f" {self.unit}" if self.unit else ""
        if self.choices:
            return "one of " + ", ".join(str(choice) for choice in self.choices) + unit
        return f"{self.low:g} to {self.high:g}{unit}"


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
    """A dataclass field with its LeverSpec as metadata."""
    return field(default=default, metadata={"lever": LeverSpec(label, unit, help, low, high, step, choices, names)})


@dataclass(frozen=True)
class Levers:
    """Base of every myth's levers; refuses values out of range when made."""

    def __post_init__(self) -> None:
        for name, spec in self.specs().items():
            value = getattr(self, name)
            if spec.choices:
                good = any(value == choice and type(value) is type(choice) for choice in spec.choices)
            else:
                number = isinstance(value, int | float) and not isinstance(value, bool)
                good = number and spec.low <= value <= spec.high
            if not good:
                raise LeverError(f"{spec.label} ({name}) can't be {value!r}: it takes {spec.describe()}.")

    @classmethod
    def specs(cls) -> dict[str, LeverSpec]:
        """LeverSpec of each lever by field name, in the order of definition."""
        return {f.name: cast(LeverSpec, f.metadata["lever"]) for f in fields(cls)}

    def as_dict(self) -> dict[str, Any]:
        """The setting as a plain dict, as a measurement carries it."""
        return {f.name: getattr(self, f.name) for f in fields(self)}
