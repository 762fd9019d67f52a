"""What docs/views.md says of each view, from a cluster that has run every myth. Run as a script, writes it."""

import re
from pathlib import Path

from raclab.database.engine import Engine
from raclab.database.loader import load
from raclab.database.unsimulated_views import UNSIMULATED
from raclab.database.view_shape import documented
from raclab.database.views import ADDED, TABLES
from raclab.myths.registry import myth, slugs
from raclab.paths import ROOT

DOCUMENT = ROOT / "docs" / "views.md"
BEGIN = "<!-- views -->"
FURTHER = ({"cache": 20, "order": True},)
"""Levers of nocache_sequences under which a view has rows that it has not with any myth's own."""


def run_everything(engine: Engine) -> None:
    """Every myth once, each with a single seed, and then snapshots are there too."""
    for slug in slugs():
        one = myth(slug)
        load(engine, one.simulate(one.levers(), [1]), slug)
    sequences = myth("nocache_sequences")
    for levers in FURTHER:
        load(engine, sequences.simulate(sequences.levers(**levers), [1]), sequences.slug)


def tables(engine: Engine) -> str:
    """One table a view: its columns that show something in some row, where the rows are from, and its columns that are null.

    Views of what the lab does not simulate stand in one list at the end.
    """
    engine.need(f"GV${view}" for view in documented())
    counted = engine.rows("SELECT " + ", ".join(f'(SELECT count(*) FROM SYS."GV${view}")' for view in UNSIMULATED))[0]
    assert not any(counted), "a view that is said to have no rows has some"
    empty = ["### Views without rows", _listed([f"V${view}" for view in sorted(UNSIMULATED)])]
    return "\n\n".join([*(_table(engine, view) for view in sorted(documented()) if view not in UNSIMULATED), *empty])


def _table(engine: Engine, view: str) -> str:
    columns = [column.name for column in documented()[view]]
    counted = ", ".join(f'count("{name}")' for name in columns)
    counts = engine.rows(f'SELECT {counted} FROM SYS."GV${view}"')[0]
    shown = [name for name, count in zip(columns, counts, strict=True) if count]
    null = [name for name, count in zip(columns, counts, strict=True) if not count]
    from_ = "the run's own rows" if view in ADDED else "counters of the lab" + (", and the run's rows" if view in TABLES else "")
    rows = [("filled", _listed(shown)), ("from", from_), ("null", _listed(null))]
    return "\n".join([f"### V${view}", "", "| | |", "| --- | --- |", *(f"| {name} | {text} |" for name, text in rows)])


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "none"


def written(document: Path = DOCUMENT) -> str:
    """The tables as they stand in the document."""
    return re.split(re.escape(BEGIN) + r"\s*", document.read_text(encoding="utf-8"), maxsplit=1)[1].strip()


def main() -> None:
    engine = Engine()
    run_everything(engine)
    head = DOCUMENT.read_text(encoding="utf-8").split(BEGIN)[0]
    DOCUMENT.write_text(f"{head}{BEGIN}\n\n{tables(engine)}\n", encoding="utf-8")
    engine.close()


if __name__ == "__main__":
    main()
