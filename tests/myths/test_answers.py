"""Answers that are numbers: what counts as right, and what is said."""

import pytest

from raclab.evidence.measurement import Kind
from raclab.myths.answers import near


@pytest.mark.parametrize(
    ("answer", "right", "tolerance", "unit", "kind", "said"),
    [
        (1.5, 1.5, 0.0, "s", None, "Right: 1.5 s."),
        (97.0, 100.0, 0.03, "ms", Kind.PUBLISHED, "Right: 100 ms (PUBLISHED)."),
        (33_000.0, 32_768.0, 0.01, "semaphores", Kind.PUBLISHED, "Right: 32,768 semaphores (PUBLISHED)."),
        (0.1, 0.1, 0.0, "", Kind.SIMULATED, "Right: 0.1 (SIMULATED)."),
    ],
)
def test_right(answer: float, right: float, tolerance: float, unit: str, kind: Kind | None, said: str) -> None:
    assert near(answer, right, tolerance, unit, kind) == (True, said)


@pytest.mark.parametrize(
    ("answer", "said"), [(103.1, "103.1 ms is too high."), (96.9, "96.9 ms is too low."), (12_345.0, "12,345 ms is too high.")]
)
def test_wrong(answer: float, said: str) -> None:
    assert near(answer, 100.0, 0.03, "ms") == (False, said)
