"""A workload script of lab/oracle: its sections, its statements, its binds.

The script is one that SQL*Plus understands: a statement ends with a semicolon at the end of its line, a PL/SQL block with a
line that holds only a slash. Two kinds of comment say the rest:

    -- section: NAME            begins a section
    -- bind: NAME = VALUE ...   a bind variable of the script's own and its default, a number

Sections of a workload: ``setup`` and ``teardown`` run once, ``workload`` in every session. Where the client's own calls are what is
measured, ``client`` stands in its place, with one INSERT of two numbers (session, row) that the lab executes in arrays.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from raclab.errors import LabError

_SECTION = re.compile(r"--\s*section:\s*(\w+)\s*$")
_BIND = re.compile(r"--\s*bind:\s*(\w+)\s*=\s*(\d+)\b")
_PLSQL = re.compile(r"(declare|begin)\b", re.IGNORECASE)


class ScriptError(LabError):
    """A script of lab/oracle is missing or damaged; the message names it."""


@dataclass(frozen=True)
class Script:
    """A script taken apart: its name, statements by section (without their terminators), and its own binds' defaults."""

    name: str
    sections: Mapping[str, tuple[str, ...]]
    binds: Mapping[str, int]

    def section(self, name: str) -> tuple[str, ...]:
        """The statements of a section; ScriptError if there is none."""
        if not self.sections.get(name):
            raise ScriptError(f"{self.name} has no statement in a section {name}: restore it from the repository.")
        return self.sections[name]

    @property
    def array(self) -> str:
        """The INSERT that the client executes in arrays; "" in other scripts."""
        return self.sections["client"][0] if self.sections.get("client") else ""


def read_script(path: Path) -> Script:
    """Read and take apart a script. Raises ScriptError."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise ScriptError(f"{path.name} can't be read from {path.parent}: restore it from the repository.") from None
    return parse_script(path.name, text)


def parse_script(name: str, text: str) -> Script:
    """Take a script apart. Raises ScriptError for a statement that does not end."""
    sections: dict[str, list[str]] = {}
    binds: dict[str, int] = {}
    current: list[str] | None = None
    statement: list[str] = []
    for line in text.splitlines():
        stripped = line.strip()
        section = _SECTION.match(stripped)
        if section and statement:
            break
        if section:
            current = sections.setdefault(section[1], [])
        elif bind := _BIND.match(stripped):
            binds[bind[1]] = int(bind[2])
        elif statement or (current is not None and stripped and not stripped.startswith("--")):
            statement.append(line)
            block = _PLSQL.match(statement[0].lstrip()) is not None
            if stripped == "/" if block else stripped.endswith(";"):
                assert current is not None
                current.append("\n".join(statement[:-1] if block else statement).strip().removesuffix("" if block else ";"))
                statement = []
    if statement:
        raise ScriptError(f"{name} has a statement without an end ({statement[0].strip()}): restore it from the repository.")
    return Script(name, {key: tuple(statements) for key, statements in sections.items()}, binds)
