"""docs/kernel.md says what there is, no more and no less."""

import re

from raclab.paths import ROOT
from raclab.sim import ops

TEXT = (ROOT / "docs" / "kernel.md").read_text(encoding="utf-8")


def test_it_lists_every_op() -> None:
    source = (ROOT / "lab" / "raclab" / "sim" / "ops.py").read_text(encoding="utf-8")
    named = re.findall(r"^([A-Z_]+) = \d+  # ", source, re.MULTILINE)
    assert [getattr(ops, name) for name in named] == list(range(len(named)))
    assert len(named) > ops.END
    table = TEXT[TEXT.index("## Ops") : TEXT.index("## Equal to SimPy")]
    assert re.findall(r"^\| `([A-Z_]+)` \|", table, re.MULTILINE) == named


def test_it_names_the_tests_that_hold_what_it_promises() -> None:
    named = set(re.findall(r"`(tests/[\w/]+\.py)`", TEXT))
    assert len(named) >= 6
    assert [path for path in sorted(named) if not (ROOT / path).is_file()] == []
