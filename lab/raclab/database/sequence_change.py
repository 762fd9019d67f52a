"""ALTER SEQUENCE, which DuckDB has not: the sequence is made anew and goes on where it was."""

import re
from dataclasses import dataclass, field

import duckdb

from raclab.database.oracle_error import OracleError


@dataclass(frozen=True)
class SequenceChange:
    """A change of a sequence of LAB.

    numbers  its new INCREMENT BY, MINVALUE, MAXVALUE and START WITH, those that change
    restart  whether it begins again
    cycle, cache, ordered   None leaves them
    """

    name: str
    numbers: dict[str, int] = field(default_factory=dict)
    restart: bool = False
    cycle: bool | None = None
    cache: int | None = None
    ordered: bool | None = None

    def make(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Make the change. Raises ORA-02289 where there is no such sequence, ORA-04004 and 04007 for bounds that do not fit."""
        asked = "SELECT start_value, min_value, max_value, increment_by, cycle, last_value, comment FROM duckdb_sequences()"
        found = cursor.execute(f"{asked} WHERE schema_name = 'LAB' AND sequence_name = $1", [self.name]).fetchone()
        if found is None:
            raise OracleError(2289, f"sequence {self.name} does not exist")
        start, least, most, step, cycle, last, remark = found
        target = f'LAB."{self.name}"'
        if self.numbers or self.restart or self.cycle is not None:
            least, most = self.numbers.get("MINVALUE", least), self.numbers.get("MAXVALUE", most)
            given = self.numbers.get("INCREMENT BY", step)
            begins = start if last is None else last + given
            if self.restart:
                begins = self.numbers.get("START WITH", least if given > 0 else most)
            if least >= most:
                raise OracleError(4004, "MINVALUE must be less than MAXVALUE")
            if not least <= begins <= most:
                raise OracleError(4007, "MINVALUE and MAXVALUE must have the next number of the sequence between them")
            cycles = cycle if self.cycle is None else self.cycle
            cursor.execute(
                f"CREATE OR REPLACE SEQUENCE {target} INCREMENT BY {given} MINVALUE {least} MAXVALUE {most} START WITH {begins}"
                + (" CYCLE" if cycles else "")
            )
        cursor.execute(f"COMMENT ON SEQUENCE {target} IS '{self._remark(remark)}'")

    def _remark(self, old: str | None) -> str:
        kept = re.fullmatch(r"CACHE (\d+) (NO)?ORDER", old or "CACHE 20 NOORDER")
        cache, ordered = (int(kept[1]), kept[2] is None) if kept else (20, False)
        cache = cache if self.cache is None else self.cache
        ordered = ordered if self.ordered is None else self.ordered
        return f"CACHE {cache} {'ORDER' if ordered else 'NOORDER'}"
