"""``%sql`` and ``%%sql``: one statement to the lab, its rows as a table with badge and source.

    %sql select * from gv$instance

    %%sql rows << 2
    select event, total_waits from v$system_event where wait_class = :wait_class

The line of ``%%sql`` may name a variable for the result (``name <<``) and the instance to ask (a number). Bind variables are the
notebook's own variables of that name.
"""

import re
from typing import TYPE_CHECKING, Any

from raclab.database.errors import SqlError
from raclab.evidence.table import Table

if TYPE_CHECKING:
    from raclab.database.lab import Lab

_LINE = re.compile(r"\s*(?:(?P<target>[A-Za-z_]\w*)\s*<<)?\s*(?P<instance>\d+)?\s*")
_BIND = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|--[^\n]*|/\*.*?\*/|:(?P<name>[A-Za-z_]\w*)", re.DOTALL)


def register(lab: "Lab") -> None:
    """Make the running IPython's ``%sql`` and ``%%sql`` ask this lab. Raises SqlError outside IPython."""
    from IPython.core.getipython import get_ipython

    shell: Any = get_ipython()
    if shell is None:
        raise SqlError("%sql works in a notebook only; elsewhere call lab.sql(...).")

    def sql(line: str, cell: str | None = None) -> Table | None:
        """Run one statement on the lab."""
        return run(lab, shell.user_ns, line, cell)

    shell.register_magic_function(sql, magic_kind="line_cell", magic_name="sql")


def run(lab: "Lab", variables: dict[str, Any], line: str, cell: str | None = None) -> Table | None:
    """What the magic does. ``variables`` are the notebook's; the result goes into one of them where the line names it.

    Raises SqlError with one sentence.
    """
    target, instance, text = None, 1, line
    if cell is not None:
        match = _LINE.fullmatch(line)
        if match is None:
            raise SqlError(f"%%sql takes a variable's name with << and the number of an instance on its line, not {line.strip()!r}.")
        target, instance, text = match["target"], int(match["instance"] or 1), cell
    result = lab.sql(text, _binds(text, variables), instance)
    if target is None:
        return result
    variables[target] = result
    return None


def _binds(text: str, variables: dict[str, Any]) -> dict[str, Any]:
    names = {match["name"]: None for match in _BIND.finditer(text) if match["name"]}
    missing = [name for name in names if name not in variables]
    if missing:
        raise SqlError(f"The statement has the bind variable :{missing[0]}, but the notebook has no variable {missing[0]}.")
    return {name: _plain(variables[name]) for name in names}


def _plain(value: Any) -> Any:
    """A NumPy number as Python's own, which the driver takes."""
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", 0) == 0 else value
