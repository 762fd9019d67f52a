"""Checks answers that are numbers: what most exercises ask for."""

from raclab.evidence.measurement import Kind


def near(answer: float, right: float, tolerance: float, unit: str = "", kind: Kind | None = None) -> tuple[bool, str]:
    """Whether an answer is off by no more than a share of the right one, and a sentence that says so.

    kind   the evidence that the right answer rests on, None for arithmetic alone
    """
    if abs(answer - right) <= tolerance * right:
        return True, f"Right: {f'{right:,.0f}' if right >= 1000 else f'{right:.4g}'}{_with(unit)}{f' ({kind})' if kind else ''}."
    return False, f"{answer:,.6g}{_with(unit)} is too {'high' if answer > right else 'low'}."


def _with(unit: str) -> str:
    return f" {unit}" if unit else ""
