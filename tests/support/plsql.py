"""Parses the PL/SQL that the scripts of lab/oracle are written in, and works out the statements that they put together.

A part of PL/SQL only: blocks, declarations, assignments, IF, LOOP, WHILE, FOR, EXIT, calls, EXECUTE IMMEDIATE and static SQL. Expressions
and SQL are sqlglot's to judge (oracle_syntax.py). ``dynamic`` runs a block as far as its control flow rests on binds and literals.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlglot
from oracle_syntax import SyntaxFault, check_expression, check_sql
from sqlglot import exp

_TOKEN = re.compile(
    r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|\"[^\"]*\"|:?[A-Za-z_][\w$#]*|\d+(?:\.\d+)?(?!\.)|\d+|:=|\.\.|\|\||<>|<=|>=|\S", re.DOTALL
)
_TYPE = re.compile(r"(?:pls_integer|number|rowid|varchar2 \( \d+ \)|[a-z_]\w*)")
_TABLE_TYPE = re.compile(r"type [a-z_]\w* is table of (?:number|rowid) index by pls_integer")
MOST_TURNS = 32  # of a loop, when a block is run: more than any makes objects in
_STATIC = {"select", "insert", "update", "delete"}


@dataclass(frozen=True)
class Statement:
    """``kind`` and its parts: expressions and SQL as text, inner statements as lists."""

    kind: str
    parts: tuple[Any, ...] = ()


@dataclass
class _Reader:
    tokens: list[str]
    place: int = 0

    def peek(self, ahead: int = 0) -> str:
        return self.tokens[self.place + ahead].lower() if self.place + ahead < len(self.tokens) else ""

    def take(self, *wanted: str) -> str:
        token = self.peek()
        if wanted and token not in wanted:
            raise SyntaxFault(f"{' or '.join(wanted)} expected before {' '.join(self.tokens[self.place : self.place + 5]) or 'the end'}")
        self.place += 1
        return self.tokens[self.place - 1]

    def until(self, *ends: str) -> str:
        """The text up to one of ``ends`` outside brackets and CASE; the end itself is left."""
        depth, cases, start = 0, 0, self.place
        while self.place < len(self.tokens):
            token = self.peek()
            if depth == 0 and cases == 0 and token in ends:
                return " ".join(self.tokens[start : self.place])
            depth += (token == "(") - (token == ")")
            cases += (token == "case") - (token == "end" and cases > 0)
            if depth < 0 or token == ";":
                break
            self.place += 1
        raise SyntaxFault(f"{' or '.join(ends)} expected after {' '.join(self.tokens[start : start + 8])}")


def parse(block: str) -> list[Statement]:
    """The statements of a block, declarations first. Raises SyntaxFault."""
    reader = _Reader([token for token in _TOKEN.findall(block) if not token.startswith("--")])
    found = _block(reader)
    if reader.place != len(reader.tokens):
        raise SyntaxFault(f"text after the block: {' '.join(reader.tokens[reader.place :])}")
    return found


def _block(reader: _Reader) -> list[Statement]:
    found = []
    if reader.peek() == "declare":
        reader.take()
        while reader.peek() != "begin":
            found.append(_declaration(reader))
    reader.take("begin")
    found += _statements(reader, "end")
    reader.take("end")
    reader.take(";")
    return found


def _declaration(reader: _Reader) -> Statement:
    if reader.peek() == "type":
        text = reader.until(";").lower()
        reader.take(";")
        if not _TABLE_TYPE.fullmatch(text):
            raise SyntaxFault(f"no type: {text}")
        return Statement("type")
    name = _name(reader)
    if reader.peek() == "constant":
        reader.take()
    kind = reader.until(":=", ";").lower()
    if not _TYPE.fullmatch(kind):
        raise SyntaxFault(f"{name} has no type: {kind}")
    value = ""
    if reader.take(":=", ";") == ":=":
        value = _expression(reader, ";")
        reader.take(";")
    return Statement("assign", (name, value)) if value else Statement("declare", (name,))


def _statements(reader: _Reader, *ends: str) -> list[Statement]:
    found: list[Statement] = []
    while reader.peek() not in ends:
        found.append(_statement(reader))
    if not found:
        raise SyntaxFault(f"a statement expected before {' '.join(reader.tokens[reader.place : reader.place + 3])}")
    return found


def _statement(reader: _Reader) -> Statement:
    word = reader.peek()
    if word == "if":
        return _if(reader)
    if word == "while":
        reader.take()
        condition = _expression(reader, "loop")
        return Statement("while", (condition, _loop(reader)))
    if word == "for":
        return _for(reader)
    if word in {"declare", "begin"}:
        return Statement("block", (_block(reader),))
    if word == "exit":
        reader.take()
        if reader.peek() == "when":
            reader.take()
            _expression(reader, ";")
        reader.take(";")
        return Statement("exit")
    if word in {"commit", "rollback", "null"}:
        reader.take()
        reader.take(";")
        return Statement(word)
    if word == "execute":
        return _execute(reader)
    if word in _STATIC:
        return _static(reader)
    return _assignment_or_call(reader)


def _if(reader: _Reader) -> Statement:
    branches = []
    reader.take("if")
    while True:
        condition = _expression(reader, "then")
        reader.take("then")
        branches.append((condition, _statements(reader, "elsif", "else", "end")))
        if reader.peek() != "elsif":
            break
        reader.take()
    if reader.peek() == "else":
        reader.take()
        branches.append(("", _statements(reader, "end")))
    for token in ("end", "if", ";"):
        reader.take(token)
    return Statement("if", tuple(branches))


def _for(reader: _Reader) -> Statement:
    reader.take("for")
    name = _name(reader)
    reader.take("in")
    if reader.peek() == "(" and reader.peek(1) == "select":
        query = reader.until("loop")[1:-1]
        check_sql(query)
        return Statement("cursor for", (name, query, _loop(reader)))
    low = _expression(reader, "..")
    reader.take("..")
    high = _expression(reader, "loop")
    return Statement("for", (name, low, high, _loop(reader)))


def _loop(reader: _Reader) -> list[Statement]:
    reader.take("loop")
    found = _statements(reader, "end")
    for token in ("end", "loop", ";"):
        reader.take(token)
    return found


def _execute(reader: _Reader) -> Statement:
    reader.take("execute")
    reader.take("immediate")
    text = _expression(reader, "into", "using", ";")
    into: list[str] = []
    using: list[str] = []
    if reader.peek() == "into":
        reader.take()
        into = [_name(reader)]
        while reader.peek() == ",":
            reader.take()
            into.append(_name(reader))
    if reader.peek() == "using":
        reader.take()
        using = [_expression(reader, ",", ";")]
        while reader.take(",", ";") == ",":
            using.append(_expression(reader, ",", ";"))
        return Statement("execute", (text, tuple(into), tuple(using)))
    reader.take(";")
    return Statement("execute", (text, tuple(into), tuple(using)))


def _static(reader: _Reader) -> Statement:
    text = reader.until(";")
    reader.take(";")
    plain = re.sub(
        r"^(select .*?)(?: bulk collect)? into [a-z_]\w*(?: , [a-z_]\w*)* from ", r"\1 from ", text, flags=re.IGNORECASE | re.DOTALL
    )
    if text.lower().startswith("select ") and plain == text:
        raise SyntaxFault(f"SELECT without INTO: {text}")
    check_sql(re.sub(r"\s*\.\s*", ".", plain))
    return Statement("sql", (text,))


def _assignment_or_call(reader: _Reader) -> Statement:
    start = reader.place
    name = reader.take()
    if not re.fullmatch(r":?[A-Za-z_]\w*", name):
        raise SyntaxFault(f"no statement begins with {name}")
    if reader.peek() == ":=":
        reader.take()
        value = _expression(reader, ";")
        reader.take(";")
        return Statement("assign", (name, value))
    reader.place = start
    text = reader.until(";")
    reader.take(";")
    if not re.fullmatch(r"[a-z_]\w*(?: \. [a-z_]\w*)+(?: \(.*\))?", text, re.IGNORECASE | re.DOTALL):
        raise SyntaxFault(f"neither an assignment nor a call: {text}")
    check_expression(re.sub(r"\s*\.\s*", ".", text))
    return Statement("call", (text,))


def _expression(reader: _Reader, *ends: str) -> str:
    text = reader.until(*ends)
    check_expression(re.sub(r"(?<=[\w$#])\s*\.\s*(?=[A-Za-z_])", ".", text))
    return text


def _name(reader: _Reader) -> str:
    name = reader.take()
    if not re.fullmatch(r"[A-Za-z_]\w*", name) or name.lower() in {"constant", "in", "loop", "then", "begin", "end"}:
        raise SyntaxFault(f"a name expected instead of {name}")
    return name


# --- what a block executes ---


@dataclass
class _Run:
    known: dict[str, Any]
    found: list[str] = field(default_factory=list)

    def run(self, statements: Sequence[Statement]) -> None:
        for one in statements:
            getattr(self, "_" + one.kind.replace(" ", "_"), lambda *parts: None)(*one.parts)

    def _assign(self, name: str, value: str) -> None:
        try:
            self.known[name.lower()] = evaluate(value, self.known)
        except KeyError:  # a function of the database, or what was read from it
            self.known.pop(name.lower(), None)

    def _block(self, statements: Sequence[Statement]) -> None:
        self.run(statements)

    def _if(self, *branches: tuple[str, Sequence[Statement]]) -> None:
        for condition, statements in branches:
            if not condition or evaluate(condition, self.known):
                self.run(statements)
                return

    def _for(self, name: str, low: str, high: str, statements: Sequence[Statement]) -> None:
        try:
            values = range(int(evaluate(low, self.known)), int(evaluate(high, self.known)) + 1)
        except KeyError:
            return
        for value in values[:MOST_TURNS]:
            self.known[name.lower()] = value
            self.run(statements)

    def _cursor_for(self, name: str, query: str, statements: Sequence[Statement]) -> None:
        self.known[f"{name.lower()}.table_name"] = "RACLAB_LATCH_1"
        self.run(statements)

    def _execute(self, text: str, into: Sequence[str], using: Sequence[str]) -> None:
        statement = str(evaluate(text, self.known))
        binds = re.findall(r"(?<!:):[a-z_]\w*", re.sub(r"'[^']*'", "''", statement), re.IGNORECASE)
        if len(binds) != len(using):
            raise SyntaxFault(f"{len(using)} values for {len(binds)} binds: {statement}")
        self.found.append(statement)


def dynamic(block: str, binds: Mapping[str, Any]) -> list[str]:
    """The statements that a block's EXECUTE IMMEDIATE would send, in order; loops over what is read from the database are left out."""
    run = _Run({f":{name}": value for name, value in binds.items()})
    run.run(parse(block))
    return run.found


def evaluate(text: str, known: Mapping[str, Any]) -> Any:
    """The value of an expression over literals, binds and variables. Raises KeyError for what only a database knows."""
    plain = re.sub(r"(?<=[\w$#])\s*\.\s*(?=[A-Za-z_])", ".", text)
    return _value(sqlglot.parse_one(f"select {plain}", dialect="oracle").expressions[0], known)


def _value(node: Any, known: Mapping[str, Any]) -> Any:
    if isinstance(node, exp.Literal):
        return node.this if node.is_string else float(node.this) if "." in node.this else int(node.this)
    if isinstance(node, exp.Placeholder):
        return known[f":{node.name}"]
    if isinstance(node, exp.Column):
        return known[node.sql().lower()]
    if isinstance(node, exp.Paren):
        return _value(node.this, known)
    if isinstance(node, exp.Case):
        return _case(node, known)
    if isinstance(node, exp.ToChar):
        return str(_value(node.this, known))
    if isinstance(node, exp.Binary):
        left, right = _value(node.left, known), _value(node.right, known)
        if isinstance(node, exp.DPipe):
            return "".join("" if one is None else str(one) for one in (left, right))
        return _BINARY[type(node)](left, right)
    raise KeyError(node.sql())


def _case(node: exp.Case, known: Mapping[str, Any]) -> Any:
    chosen = None if node.this is None else _value(node.this, known)
    for branch in node.args["ifs"]:
        tested = _value(branch.this, known)
        if tested if node.this is None else tested == chosen:
            return _value(branch.args["true"], known)
    default = node.args.get("default")
    return None if default is None else _value(default, known)


_BINARY = {
    exp.EQ: lambda a, b: a == b,
    exp.NEQ: lambda a, b: a != b,
    exp.LT: lambda a, b: a < b,
    exp.LTE: lambda a, b: a <= b,
    exp.GT: lambda a, b: a > b,
    exp.GTE: lambda a, b: a >= b,
    exp.And: lambda a, b: a and b,
    exp.Or: lambda a, b: a or b,
    exp.Add: lambda a, b: a + b,
    exp.Sub: lambda a, b: a - b,
    exp.Mul: lambda a, b: a * b,
    exp.Mod: lambda a, b: a % b,
}
