"""Checks statements of lab/oracle for their syntax: plain SQL by sqlglot's Oracle dialect, and what that takes on trust by patterns."""

import re

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError


class SyntaxFault(Exception):
    """A statement is not as Oracle's syntax has it."""


_NAME = r"[a-z_][\w$#]*(?:\.[a-z_][\w$#]*)?"
_PRIVILEGES = r"create session|create table|create sequence"
_PATTERNS = [
    rf"create role {_NAME}",
    rf'create user {_NAME} identified by "[^"]+" default tablespace {_NAME} quota \d+m on {_NAME}',
    rf"create (?:unique )?index {_NAME} on {_NAME} \({_NAME}(?:, {_NAME})*\)(?: local)?",
    rf"create sequence {_NAME}(?: (?:start with \d+|increment by \d+|cache \d+|nocache|order|noorder))*",
    rf"grant select on sys\.[\w$]+ to {_NAME}",
    rf"grant (?:{_PRIVILEGES})(?:, (?:{_PRIVILEGES}))* to {_NAME}",
    rf"grant {_NAME} to {_NAME}",
    rf"drop user {_NAME} cascade",
    rf"drop role {_NAME}",
    rf"drop table {_NAME} purge",
    rf"drop sequence {_NAME}",
    rf"alter table {_NAME} (?:modify partition {_NAME} )?allocate extent \(size \d+[km]\)",
    r"alter session set parallel_force_local = (?:true|false)",
    r"commit|rollback",
]
_SIMPLE = re.compile("|".join(f"(?:{pattern})" for pattern in _PATTERNS), re.IGNORECASE)
_PARTITION = rf"partition {_NAME} values \(\d+\)"
# physical attributes stand before the partitions
_TABLE_ENDING = re.compile(
    rf"(?:\s+(?:pctfree \d+|initrans \d+|nologging))*"
    rf"(?:\s+partition by (?:hash \({_NAME}\) partitions \d+|list \({_NAME}\) \({_PARTITION}(?:, {_PARTITION})*\)))?$",
    re.IGNORECASE,
)
_VIRTUAL = re.compile(rf"({_NAME}) as \(ora_hash\({_NAME}, \d+, \d+\)\)", re.IGNORECASE)
_KINDS = (exp.Select, exp.Insert, exp.Update, exp.Delete)


def check_sql(text: str) -> None:
    """Raise SyntaxFault unless ``text``, without its semicolon, is one statement of the kinds that the lab's scripts use."""
    flat = " ".join(re.sub(r"--[^\n]*", "", text).split())
    if _SIMPLE.fullmatch(flat):
        return
    creates = flat.lower().startswith("create table ")
    if creates:
        flat = _VIRTUAL.sub(r"\1 number", _TABLE_ENDING.sub("", flat))
    if re.search(r",\s*\)|\(\s*,|,\s*,", re.sub(r"'[^']*'", "''", flat)):
        raise SyntaxFault(f"a comma without its neighbour: {flat}")
    _check_words(flat)
    parsed = _parsed(flat)
    if not isinstance(parsed, exp.Create if creates else _KINDS):
        raise SyntaxFault(f"no statement that the scripts use: {flat}")
    if creates and parsed.args.get("properties"):
        raise SyntaxFault(f"an unknown ending: {flat}")


def check_expression(text: str) -> None:
    """Raise SyntaxFault unless ``text`` is an expression or a condition."""
    if not text.strip():
        raise SyntaxFault("an expression is missing")
    _check_words(text)
    parsed = _parsed(f"select case when 1 = 1 then ({text}) end from dual")
    if any(isinstance(one, exp.Alias) for one in parsed.find_all(exp.Alias)) or len(parsed.args["expressions"]) != 1:
        raise SyntaxFault(f"no single expression: {text}")


def _check_words(text: str) -> None:
    """What sqlglot lets pass: CASE without THEN, INSERT without INTO."""
    words = re.findall(r"[a-z_][\w$#]*", re.sub(r"'[^']*'|/\*.*?\*/", " ", text.lower()))
    if words.count("when") != words.count("then"):
        raise SyntaxFault(f"WHEN without THEN: {text}")
    if words[:1] == ["insert"] and words[1:2] != ["into"]:
        raise SyntaxFault(f"INSERT without INTO: {text}")


def _parsed(text: str) -> exp.Expression:
    try:
        found = sqlglot.parse(text, dialect="oracle")
    except SqlglotError as error:
        raise SyntaxFault(f"{str(error).splitlines()[0]}: {text}") from None
    if len(found) != 1 or found[0] is None:
        raise SyntaxFault(f"not one statement: {text}")
    return found[0]
