"""DuckDB's errors as Oracle's: the code that Oracle gives in that case, and its words with the names of the statement."""

import re
from collections.abc import Callable

import duckdb

from raclab.database.dialect.names import missing
from raclab.database.oracle_error import OracleError, unsupported

_RAISED = {
    "01436": "CONNECT BY loop in user data",
    "01428": "argument is out of range",
    "01476": "divisor is equal to zero",
    "01489": "result of string concatenation is too long: LISTAGG gives at most 4000 bytes",
    "01760": "illegal argument for function: the unit is DAY, HOUR, MINUTE or SECOND, or YEAR or MONTH",
    "01867": "the interval is invalid",
    "01821": "date format not recognized",
    "02003": "invalid USERENV parameter",
}
"""Words for the errors that our own macros raise by their code."""

_NAME = r'"?([\w$#]+)"?'
_TYPES_DIFFER = "inconsistent datatypes: an operator or function can't take values of these types"

_WORDS: list[tuple[str, int, str]] = [
    (rf"Sequence with name {_NAME} does not exist", 2289, "sequence {1} does not exist"),
    (rf"Index with name {_NAME} does not exist", 1418, "specified index {1} does not exist"),
    (rf"Existing object {_NAME} is of type (\w+), trying to", 942, "table or view {1} does not exist: it is a {2}"),
    (r"ORDER (?:BY )?term out of range", 1785, "ORDER BY item must be the number of a SELECT-list expression"),
    (r"[Cc]olumn with name .* already exists", 1430, "column being added already exists in table"),
    (rf"with name {_NAME} already exists", 955, "name {1} is already used by an existing object"),
    (r"already exists", 955, "name is already used by an existing object"),
    (r'Referenced column "([^"]+)" (?:was )?not found', 904, '"{1}": invalid identifier'),
    (rf"Referenced update column {_NAME} not found", 904, '"{1}": invalid identifier'),
    (r'Column "([^"]+)" referenced that exists in the SELECT clause', 904, '"{1}": invalid identifier'),
    (r'Referenced table "([^"]+)" not found', 904, '"{1}": invalid identifier'),
    (r'"([^"]+)" does not have a column (?:named|with name) "([^"]+)"', 904, '"{1}"."{2}": invalid identifier'),
    (rf"column (?:named|with name) {_NAME}", 904, '"{1}": invalid identifier'),
    (r"Cannot extract field '([^']+)'", 904, '"{1}": invalid identifier'),
    (r'Ambiguous reference to (?:column name|table) "([^"]+)"', 918, '"{1}": column ambiguously specified: put its table in front'),
    (r'Duplicate alias "([^"]+)"', 918, '"{1}": column ambiguously specified'),
    (r'column "([^"]+)" must appear in the GROUP BY', 979, '"{1}": not a GROUP BY expression'),
    (r"GROUP BY", 979, "not a GROUP BY expression"),
    (r"aggregate function calls cannot be nested", 978, "nested group function without GROUP BY"),
    (r"cannot contain aggregates|aggregate function calls? (?:are|is) not", 934, "group function is not allowed here"),
    (r"cannot contain window functions|window functions? (?:are|is) not", 30483, "window functions are not allowed here"),
    (r"same number of result columns", 1789, "query block has incorrect number of result columns"),
    (r"More than one row returned by a subquery", 1427, "single-row subquery returns more than one row"),
    (r"Subquery returns (\d+) columns - expected (\d+)", 913, "too many values: {1} columns where {2} expected"),
    (r"violates (?:primary key|unique) constraint|UNIQUE constraint violation", 1, "unique constraint violated"),
    (rf"NOT NULL constraint failed: {_NAME}\.{_NAME}", 1400, 'cannot insert NULL into ("LAB"."{1}"."{2}")'),
    (r'CHECK\(\(length\("?([\w$#]+)"?\) <= (\d+)\)\)', 12899, 'value too large for column "{1}" (maximum: {2})'),
    (rf"CHECK constraint failed on table {_NAME}", 2290, "check constraint of table {1} violated"),
    (r"is not an? table|[Cc]an only (?:delete|update|merge)", 1732, "data manipulation operation not legal on this view"),
    (r"Could not convert string .* to (?:U?INT|U?HUGEINT|DOUBLE|FLOAT|DECIMAL)", 1722, "invalid number"),
    (r"DECIMAL\((\d+), ?(\d+)\)", 1438, "value larger than specified precision allowed for this column: NUMBER({1},{2})"),
    (r"Could not parse string.*(?:Month out of range|month name)", 1843, "not a valid month"),
    (r"Could not parse string.*Day out of range", 1847, "day of month must be between 1 and last day of month"),
    (r"Could not parse string.*Hour out of range", 1850, "hour must be between 0 and 23"),
    (r"Could not parse string.*Minutes? out of range", 1851, "minutes must be between 0 and 59"),
    (r"Could not parse string.*Seconds? out of range", 1852, "seconds must be between 0 and 59"),
    (r"Could not parse string.*trailing", 1830, "date format picture ends before converting entire input string"),
    (r"Date out of range", 1839, "date not valid for month specified"),
    (r"missing \): ", 12725, "unmatched parentheses in regular expression"),
    (r"missing \]: ", 12726, "unmatched bracket in regular expression"),
    (r"(?:repetition operator|invalid (?:character class|escape|perl|named)|bad repetition)", 12728, "invalid regular expression"),
    (r"(?i)unknown time ?zone", 1882, "timezone region not found"),
    (r'Could not parse string "([^"]*)" according to format', 1861, 'literal does not match format string: "{1}"'),
    (r'invalid (?:date|timestamp) field format: "([^"]*)"', 1861, 'literal does not match format string: "{1}"; use TO_DATE'),
    (r"(?:date|timestamp|time).*(?:out of range|field value)", 1841, "(full) year must be between -4713 and +9999, or such a day is not"),
    (r"cannot take (?:logarithm|square root)", 1428, "argument is out of range"),
    (r"Overflow|out of range", 1426, "numeric overflow"),
    (r"sequence is not yet defined", 8002, "sequence CURRVAL is not yet defined in this session"),
    (r"reached (?:maximum|minimum) value of sequence", 8004, "sequence exceeds MAXVALUE or MINVALUE and cannot be instantiated"),
    (r"Conflict|write-write", 8177, "can't serialize access for this transaction: another session changed the same rows"),
    (r"Cannot (?:compare|mix) values of type|Unimplemented type for cast|must be of type", 932, _TYPES_DIFFER),
    (r"No function matches|Could not choose a best|supplied arguments", 932, _TYPES_DIFFER),
    (r"depends on it|[Dd]ependenc", 2429, "other objects depend on it; drop these first"),
]
"""Patterns of DuckDB's messages, in order, with Oracle's code and words; {1} and {2} are the pattern's groups."""


def _raised(match: re.Match[str]) -> OracleError:
    code, words = match[1], match[2].strip()
    return OracleError(int(code), _RAISED.get(code) or f"unimplemented feature: the simulated cluster has no {words}")


def _counts(match: re.Match[str]) -> OracleError:
    columns, values = int(match[1]), int(match[2])
    many = values > columns
    return OracleError(913 if many else 947, f"{'too many' if many else 'not enough'} values: {values} for {columns} columns")


def _with_words(code: int, words: str) -> Callable[[re.Match[str]], OracleError]:
    return lambda match: OracleError(code, words.format(match[0], *(group or "" for group in match.groups())))


_RULES: list[tuple[re.Pattern[str], Callable[[re.Match[str]], OracleError]]] = [
    (re.compile(r"\bORA-(\d{5})([^\n]*)"), _raised),
    (re.compile(r'(?:Table|View) with name "?([\w$#@ .-]+?)"? does not exist'), lambda match: missing(match[1])),
    (re.compile(r"expected (\d+) columns but (\d+) values"), _counts),
    (re.compile(r"has (\d+) columns but (\d+) values were supplied"), _counts),
    (re.compile(r"must be (?:a )?constant"), lambda match: unsupported("argument here that is not a constant")),
    *((re.compile(pattern, re.DOTALL), _with_words(code, words)) for pattern, code, words in _WORDS),
]


def oracle_error(error: Exception) -> OracleError:
    """Oracle's error for one of DuckDB's. What no rule knows is ORA-03001, without DuckDB's words."""
    if isinstance(error, duckdb.InterruptException):
        return OracleError(1013, "user requested cancel of current operation")
    if isinstance(error, duckdb.OutOfMemoryException):
        return OracleError(4030, "out of process memory: the statement needs more than the simulated cluster gives to all sessions")
    if isinstance(error, duckdb.ConnectionException):
        return OracleError(1034, "the simulated cluster is closed; start it again with raclab.connect()")
    said = str(error).split("\n\nLINE ")[0]
    for pattern, rule in _RULES:
        if match := pattern.search(said):
            return rule(match)
    return unsupported("way to run this statement; try it in simpler parts")
