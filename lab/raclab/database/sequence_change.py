"""The options of a sequence, and ALTER SEQUENCE, which DuckDB has not: the sequence is made anew and goes on where it was.

A single process needs no cache and gives its numbers in order anyway: CACHE and ORDER are kept for ALL_SEQUENCES, in the sequence's
comment, and change nothing else.
"""

import re
from dataclasses import dataclass

import duckdb

from raclab.database.oracle_error import OracleError

CACHE = 20
"""Oracle's, where a statement says nothing."""

_REMARK = re.compile(r"CACHE (\d+) (NO)?ORDER")


@dataclass(frozen=True)
class SequenceOptions:
    """What a statement says of a sequence: INCREMENT BY, MINVALUE, MAXVALUE and START WITH as numbers by these words, those that it has,
    and of the others None what it does not speak of.
    """

    numbers: dict[str, int]
    cycle: bool | None = None
    cache: int | None = None
    ordered: bool | None = None

    @property
    def sql(self) -> str:
        """For DuckDB's CREATE SEQUENCE."""
        return "".join(f" {words} {number}" for words, number in self.numbers.items()) + (" CYCLE" if self.cycle else "")

    @property
    def remark(self) -> str:
        """The comment of a sequence made with them."""
        return self.remark_after(None)

    def remark_after(self, old: str | None) -> str:
        """The comment of a sequence that had this one and is changed."""
        kept = _REMARK.fullmatch(old or "")
        cache = self.cache if self.cache is not None else int(kept[1]) if kept else CACHE
        ordered = self.ordered if self.ordered is not None else kept is not None and kept[2] is None
        return f"CACHE {cache} {'ORDER' if ordered else 'NOORDER'}"


@dataclass(frozen=True)
class SequenceChange:
    """A change of a sequence of LAB; with ``restart`` it begins again."""

    name: str
    options: SequenceOptions
    restart: bool = False

    def make(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Make the change. Raises ORA-02289 where there is no such sequence, ORA-04004 and 04007 for bounds that do not fit."""
        asked = "SELECT start_value, min_value, max_value, increment_by, cycle, last_value, comment FROM duckdb_sequences()"
        found = cursor.execute(f"{asked} WHERE schema_name = 'LAB' AND sequence_name = $1", [self.name]).fetchone()
        if found is None:
            raise OracleError(2289, f"sequence {self.name} does not exist")
        start, least, most, step, cycle, last, remark = found
        target = f'LAB."{self.name}"'
        numbers = self.options.numbers
        if numbers or self.restart or self.options.cycle is not None:
            least, most = numbers.get("MINVALUE", least), numbers.get("MAXVALUE", most)
            given = numbers.get("INCREMENT BY", step)
            begins = start if last is None else last + given
            if self.restart:
                begins = numbers.get("START WITH", least if given > 0 else most)
            if least >= most:
                raise OracleError(4004, "MINVALUE must be less than MAXVALUE")
            if not least <= begins <= most:
                raise OracleError(4007, "MINVALUE and MAXVALUE must have the next number of the sequence between them")
            cycles = cycle if self.options.cycle is None else self.options.cycle
            cursor.execute(
                f"CREATE OR REPLACE SEQUENCE {target} INCREMENT BY {given} MINVALUE {least} MAXVALUE {most} START WITH {begins}"
                + (" CYCLE" if cycles else "")
            )
        cursor.execute(f"COMMENT ON SEQUENCE {target} IS '{self.options.remark_after(remark)}'")
