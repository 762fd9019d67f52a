"""Oracle's dictionary views over what exists: tables, views, columns, constraints, indexes, sequences, users.

``dictionary_columns.csv`` holds their columns as Oracle 19c documents them; what has no meaning here is null. USER_X is ALL_X of the
schema LAB, without its owner; a DBA_X that is not here is ALL_X, since the user LAB may see all that there is. DBA_OBJECTS also has the
segments that the simulated sessions work on, which nobody can select from.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from raclab.database.instance_views import RELEASE
from raclab.database.sequence_change import CACHE
from raclab.database.view_shape import DESCRIBED, Column, Definition, columns_in, selection
from raclab.database.wait_classes import COMMANDS

COLUMNS_FILE = Path(__file__).with_name("dictionary_columns.csv")

_OWN = "schema_name IN ('LAB', 'PUBLISHED')"
_VIEWS = f"""(
  SELECT schema_name, view_name, view_oid AS number FROM duckdb_views() WHERE {_OWN}
  UNION ALL SELECT 'SYS', view, 1000 + row_number() OVER (ORDER BY view) FROM cluster.{DESCRIBED} WHERE position = 1
)"""

# NUMBER(p,s) is DECIMAL(p,s); NUMBER alone is DECIMAL(38,10) in tables, and DECIMAL(38,0) in SYS's views
_NUMBER = "data_type LIKE 'DECIMAL%' OR data_type LIKE '%INT%'"
_ANY_NUMBER = "data_type LIKE 'DECIMAL(38%' OR data_type LIKE '%INT%'"
_DATA_TYPE = f"""CASE WHEN data_type = 'VARCHAR' THEN 'VARCHAR2' WHEN data_type IN ('TIMESTAMP_S', 'DATE') THEN 'DATE'
  WHEN data_type = 'TIMESTAMP' THEN 'TIMESTAMP(6)'
  WHEN data_type = 'DOUBLE' THEN 'BINARY_DOUBLE' WHEN data_type = 'FLOAT' THEN 'BINARY_FLOAT'
  WHEN data_type = 'BLOB' THEN 'RAW' WHEN data_type = 'INTERVAL' THEN 'INTERVAL DAY(2) TO SECOND(6)' WHEN {_NUMBER} THEN 'NUMBER'
  ELSE data_type END"""
_LENGTH = "CASE WHEN data_type = 'VARCHAR' THEN coalesce(most, 4000) END"
_BYTES = f"""CASE data_type WHEN 'VARCHAR' THEN {_LENGTH} WHEN 'BLOB' THEN 2000 WHEN 'TIMESTAMP_S' THEN 7 WHEN 'DATE' THEN 7
  WHEN 'TIMESTAMP' THEN 11 WHEN 'INTERVAL' THEN 11 WHEN 'DOUBLE' THEN 8 WHEN 'FLOAT' THEN 4 ELSE 22 END"""
_WHOLE = "schema_name <> 'SYS' AND (data_type = 'DECIMAL(38,0)' OR data_type LIKE '%INT%')"
# a VARCHAR2's length is a check of the table
_ALL_COLUMNS = f"""(
    SELECT schema_name, table_name, column_name, column_index, data_type, is_nullable, column_default, numeric_precision, numeric_scale,
      comment
    FROM duckdb_columns() WHERE {_OWN}
    UNION ALL SELECT 'SYS', view, name, position, replace(stored, ', ', ','), true, NULL, NULL, NULL, NULL FROM cluster.{DESCRIBED}
  )"""
_COLUMNS = (
    _ALL_COLUMNS
    + r""" LEFT JOIN (
    SELECT schema_name, table_name, constraint_column_names[1] AS column_name,
      CAST(nullif(regexp_extract(constraint_text, '^CHECK\(\(length\([^()]*\) <= (\d+)\)\)$', 1), '') AS BIGINT) AS most
    FROM duckdb_constraints() WHERE constraint_type = 'CHECK' AND constraint_text LIKE 'CHECK((length(%'
  ) USING (schema_name, table_name, column_name)"""
)
_COLUMN = {
    "OWNER": "schema_name",
    "TABLE_NAME": "table_name",
    "COLUMN_NAME": "column_name",
    "DATA_TYPE": _DATA_TYPE,
    "DATA_LENGTH": _BYTES,
    "DATA_PRECISION": f"CASE WHEN {_ANY_NUMBER} THEN NULL WHEN {_NUMBER} THEN numeric_precision END",
    "DATA_SCALE": f"CASE WHEN {_WHOLE} THEN 0 WHEN {_ANY_NUMBER} THEN NULL WHEN {_NUMBER} THEN numeric_scale END",
    "NULLABLE": "CASE WHEN is_nullable THEN 'Y' ELSE 'N' END",
    "COLUMN_ID": "column_index",
    "DATA_DEFAULT": r"regexp_replace(column_default, '(?i)ora\.(\w+)\(\)', '\1', 'g')",
    "CHAR_LENGTH": f"coalesce({_LENGTH}, 0)",
    "CHAR_USED": "CASE WHEN data_type = 'VARCHAR' THEN 'B' END",
    "CHARACTER_SET_NAME": "CASE WHEN data_type = 'VARCHAR' THEN 'CHAR_CS' END",
    "HISTOGRAM": "'NONE'",
    "DEFAULT_ON_NULL": "'NO'",
    "IDENTITY_COLUMN": "'NO'",
}
_OF_COLUMN = ("OWNER", "TABLE_NAME", "COLUMN_NAME")

# what constraints.py keeps of a learner's table in the table's comment
_NOTED = "FROM duckdb_tables() WHERE schema_name = 'LAB' AND comment IS NOT NULL"
_SHAPE = """[{"kind": "VARCHAR", "columns": ["VARCHAR"], "name": "VARCHAR", "condition": "VARCHAR", "to": "VARCHAR",
  "to_columns": ["VARCHAR"], "rule": "VARCHAR", "generated": "BOOLEAN"}]"""
_CONSTRAINTS = f"""(
  SELECT schema_name, table_name, one.*
  FROM (SELECT schema_name, table_name, unnest(from_json(json_extract(comment, '$.constraints'), '{_SHAPE}')) AS one {_NOTED})
)"""
_SEARCH = """CASE kind WHEN 'N' THEN '"' || columns[1] || '" IS NOT NULL' WHEN 'C' THEN condition END"""
_REFERRED = f"""(SELECT table_name AS "to", list_sort(columns) AS led_to, name AS key_name FROM {_CONSTRAINTS} WHERE kind IN ('P', 'U'))"""

# indexes of their own, and those that a key has
_INDEXES = f"""(
  SELECT schema_name, upper(index_name) AS index_name, table_name, is_unique, 'NO' AS of_key,
    list_transform(string_split(trim(expressions, '[]'), ', '), lambda one: trim(one, '''"')) AS columns
  FROM duckdb_indexes() WHERE {_OWN}
  UNION ALL
  SELECT schema_name, name, table_name, true, 'YES', columns FROM {_CONSTRAINTS} WHERE kind IN ('P', 'U')
)"""

_OBJECTS = f"""(
  SELECT schema_name, table_name AS name, table_oid AS number, 'TABLE' AS kind FROM duckdb_tables() WHERE {_OWN}
  UNION ALL SELECT schema_name, view_name, number, 'VIEW' FROM {_VIEWS}
  UNION ALL SELECT schema_name, sequence_name, sequence_oid, 'SEQUENCE' FROM duckdb_sequences() WHERE schema_name = 'LAB'
  UNION ALL SELECT schema_name, index_name, index_oid, 'INDEX' FROM duckdb_indexes() WHERE schema_name = 'LAB'
)"""
_REMARKS = f"""(
  SELECT schema_name, table_name AS name, json_extract_string(comment, '$.comment') AS remark {_NOTED}
  UNION ALL SELECT schema_name, view_name, comment FROM duckdb_views() WHERE schema_name = 'LAB'
)"""
_OBJECT = {
    "OWNER": "schema_name",
    "OBJECT_NAME": "name",
    "OBJECT_ID": "number",
    "DATA_OBJECT_ID": "CASE WHEN kind IN ('TABLE', 'INDEX') THEN number END",
    "OBJECT_TYPE": "kind",
    "STATUS": "'VALID'",
    "TEMPORARY": "'N'",
    "GENERATED": "'N'",
    "SECONDARY": "'N'",
    "ORACLE_MAINTAINED": "CASE schema_name WHEN 'SYS' THEN 'Y' ELSE 'N' END",
}
_SEGMENTS = """SELECT DISTINCT OWNER, OBJECT_NAME, CAST("OBJ#" AS BIGINT), OBJECT_TYPE FROM cluster."SEGMENT_STATISTICS" """
_USERS = "(SELECT *, unnest(['LAB', 'PUBLISHED', 'SYS']) AS name, unnest([100, 101, 0]) AS number FROM cluster.instance WHERE inst_id = 1)"
_USER = {
    "USERNAME": "name",
    "USER_ID": "number",
    "CREATED": "created",
    "COMMON": "'NO'",
    "ORACLE_MAINTAINED": "CASE name WHEN 'SYS' THEN 'Y' ELSE 'N' END",
    "INHERITED": "'NO'",
}
_NLS, _NLS_COLUMNS = 'SYS."V$NLS_PARAMETERS"', {"PARAMETER": '"PARAMETER"', "VALUE": '"VALUE"'}
_NONE = ("(SELECT 1) WHERE false", dict[str, str]())

FILLINGS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "ALL_TABLES": (
        f"duckdb_tables() WHERE {_OWN}",
        {
            "OWNER": "schema_name",
            "TABLE_NAME": "table_name",
            "STATUS": "'VALID'",
            "PARTITIONED": "'NO'",
            "TEMPORARY": "'N'",
            "NESTED": "'NO'",
            "SECONDARY": "'N'",
            "DROPPED": "'NO'",
            "EXTERNAL": "'NO'",
            "READ_ONLY": "CASE schema_name WHEN 'LAB' THEN 'NO' ELSE 'YES' END",
        },
    ),
    "ALL_TAB_COLS": (
        _COLUMNS,
        {
            **_COLUMN,
            "HIDDEN_COLUMN": "'NO'",
            "VIRTUAL_COLUMN": "'NO'",
            "USER_GENERATED": "'YES'",
            "SEGMENT_COLUMN_ID": "column_index",
            "INTERNAL_COLUMN_ID": "column_index",
            "QUALIFIED_COL_NAME": "column_name",
        },
    ),
    "ALL_TAB_COLUMNS": (_COLUMNS, _COLUMN),
    "ALL_VIEWS": (_VIEWS, {"OWNER": "schema_name", "VIEW_NAME": "view_name", "READ_ONLY": "'N'"}),
    "ALL_OBJECTS": (_OBJECTS, _OBJECT),
    "DBA_OBJECTS": (
        f"(SELECT * FROM {_OBJECTS} "
        f"UNION ALL ({_SEGMENTS} WHERE (OWNER, OBJECT_NAME) NOT IN (SELECT (schema_name, name) FROM {_OBJECTS})))",
        _OBJECT,
    ),
    "ALL_INDEXES": (
        _INDEXES,
        {
            "OWNER": "schema_name",
            "INDEX_NAME": "index_name",
            "INDEX_TYPE": "'NORMAL'",
            "TABLE_OWNER": "schema_name",
            "TABLE_NAME": "table_name",
            "TABLE_TYPE": "'TABLE'",
            "UNIQUENESS": "CASE WHEN is_unique THEN 'UNIQUE' ELSE 'NONUNIQUE' END",
            "COMPRESSION": "'DISABLED'",
            "STATUS": "'VALID'",
            "PARTITIONED": "'NO'",
            "TEMPORARY": "'N'",
            "VISIBILITY": "'VISIBLE'",
            "CONSTRAINT_INDEX": "of_key",
        },
    ),
    "ALL_IND_COLUMNS": (
        f"(SELECT *, unnest(columns) AS column_name, generate_subscripts(columns, 1) AS place FROM {_INDEXES})",
        {
            "INDEX_OWNER": "schema_name",
            "INDEX_NAME": "index_name",
            "TABLE_OWNER": "schema_name",
            "TABLE_NAME": "table_name",
            "COLUMN_NAME": "column_name",
            "COLUMN_POSITION": "place",
            "DESCEND": "'ASC'",
        },
    ),
    "ALL_IND_EXPRESSIONS": _NONE,
    "ALL_CONSTRAINTS": (
        f"{_CONSTRAINTS} LEFT JOIN {_REFERRED} USING (\"to\") WHERE kind <> 'R' OR led_to = list_sort(to_columns)",
        {
            "OWNER": "schema_name",
            "CONSTRAINT_NAME": "name",
            "CONSTRAINT_TYPE": "CASE kind WHEN 'N' THEN 'C' ELSE kind END",
            "TABLE_NAME": "table_name",
            "SEARCH_CONDITION": _SEARCH,
            "SEARCH_CONDITION_VC": _SEARCH,
            "R_OWNER": "CASE WHEN kind = 'R' THEN schema_name END",
            "R_CONSTRAINT_NAME": "CASE WHEN kind = 'R' THEN key_name END",
            "DELETE_RULE": "CASE WHEN kind = 'R' THEN rule END",
            "STATUS": "'ENABLED'",
            "DEFERRABLE": "'NOT DEFERRABLE'",
            "DEFERRED": "'IMMEDIATE'",
            "VALIDATED": "'VALIDATED'",
            "GENERATED": "CASE WHEN generated THEN 'GENERATED NAME' ELSE 'USER NAME' END",
            "INDEX_OWNER": "CASE WHEN kind IN ('P', 'U') THEN schema_name END",
            "INDEX_NAME": "CASE WHEN kind IN ('P', 'U') THEN name END",
        },
    ),
    "ALL_CONS_COLUMNS": (
        f"(SELECT *, unnest(columns) AS column_name, generate_subscripts(columns, 1) AS place FROM {_CONSTRAINTS})",
        {
            "OWNER": "schema_name",
            "CONSTRAINT_NAME": "name",
            "TABLE_NAME": "table_name",
            "COLUMN_NAME": "column_name",
            "POSITION": "CASE WHEN kind IN ('P', 'U', 'R') THEN place END",
        },
    ),
    "ALL_SEQUENCES": (
        "duckdb_sequences() WHERE schema_name = 'LAB'",
        {
            "SEQUENCE_OWNER": "schema_name",
            "SEQUENCE_NAME": "sequence_name",
            "MIN_VALUE": "min_value",
            "MAX_VALUE": "max_value",
            "INCREMENT_BY": "increment_by",
            "CYCLE_FLAG": "CASE WHEN cycle THEN 'Y' ELSE 'N' END",
            # the options that the engine's sequences have not stand in its comment: CACHE 20 NOORDER
            "ORDER_FLAG": "CASE WHEN comment LIKE '% ORDER' THEN 'Y' ELSE 'N' END",
            "CACHE_SIZE": f"coalesce(CAST(regexp_extract(comment, 'CACHE (\\d+)', 1) AS BIGINT), {CACHE})",
            "LAST_NUMBER": "coalesce(last_value + increment_by, start_value)",
            "SCALE_FLAG": "'N'",
            "EXTEND_FLAG": "'N'",
            "SHARDED_FLAG": "'N'",
            "SESSION_FLAG": "'N'",
            "KEEP_VALUE": "'N'",
        },
    ),
    "ALL_TAB_COMMENTS": (
        f"{_OBJECTS} LEFT JOIN {_REMARKS} USING (schema_name, name) WHERE kind IN ('TABLE', 'VIEW')",
        {"OWNER": "schema_name", "TABLE_NAME": "name", "TABLE_TYPE": "kind", "COMMENTS": "remark", "ORIGIN_CON_ID": "0"},
    ),
    "ALL_COL_COMMENTS": (
        _ALL_COLUMNS,
        {**{name: _COLUMN[name] for name in _OF_COLUMN}, "COMMENTS": "comment", "ORIGIN_CON_ID": "0"},
    ),
    **dict.fromkeys(("ALL_MVIEWS", "ALL_MVIEW_COMMENTS", "ALL_TAB_IDENTITY_COLS", "ALL_SYNONYMS", "ALL_DB_LINKS"), _NONE),
    "ALL_USERS": (_USERS, _USER),
    "DBA_USERS": (
        _USERS,
        {**_USER, "ACCOUNT_STATUS": "'OPEN'", "AUTHENTICATION_TYPE": "'PASSWORD'", "PROXY_ONLY_CONNECT": "'N'", "EDITIONS_ENABLED": "'N'"},
    ),
    **dict.fromkeys(("DBA_WAITERS", "DBA_BLOCKERS"), ("(SELECT 1) WHERE false", {})),  # as V$LOCK
    "DICTIONARY": ("SYS.ALL_VIEWS WHERE OWNER = 'SYS'", {"TABLE_NAME": "VIEW_NAME"}),
    "DICT": ("SYS.ALL_VIEWS WHERE OWNER = 'SYS'", {"TABLE_NAME": "VIEW_NAME"}),
    "TAB": ("SYS.USER_OBJECTS WHERE OBJECT_TYPE IN ('TABLE', 'VIEW')", {"TNAME": "OBJECT_NAME", "TABTYPE": "OBJECT_TYPE"}),
    "GLOBAL_NAME": ("(SELECT 1)", {"GLOBAL_NAME": "'RACLAB'"}),
    "PRODUCT_COMPONENT_VERSION": (
        'SYS."V$VERSION"',
        {"PRODUCT": "BANNER", "VERSION": f"'{RELEASE}'", "VERSION_FULL": f"'{RELEASE}'", "STATUS": "'Simulated'"},
    ),
    "NLS_SESSION_PARAMETERS": (f"{_NLS} WHERE PARAMETER <> 'NLS_CHARACTERSET'", _NLS_COLUMNS),
    "NLS_INSTANCE_PARAMETERS": (f"{_NLS} WHERE PARAMETER NOT IN ('NLS_CHARACTERSET', 'NLS_DATE_FORMAT')", _NLS_COLUMNS),
    "NLS_DATABASE_PARAMETERS": (
        _NLS,
        {**_NLS_COLUMNS, "VALUE": "CASE PARAMETER WHEN 'NLS_DATE_FORMAT' THEN 'DD-MON-RR' ELSE VALUE END"},
    ),
    "AUDIT_ACTIONS": (
        f"(SELECT unnest({list(COMMANDS.values())}) AS number, unnest({list(COMMANDS)}) AS name)",
        {"ACTION": "number", "NAME": "name"},
    ),
}

_OWNERS = ("OWNER", "INDEX_OWNER", "TABLE_OWNER", "SEQUENCE_OWNER")
_WITH_TABLE_OWNER = ("ALL_INDEXES", "ALL_SYNONYMS")


@cache
def documented() -> dict[str, tuple[Column, ...]]:
    """Columns by view."""
    return columns_in(COLUMNS_FILE)


def _of_user(view: str, columns: tuple[tuple[str, str], ...]) -> dict[str, Definition]:
    """USER_X of an ALL_X with an owner."""
    owners = [name for name, _ in columns if name in _OWNERS]
    if not view.startswith("ALL_") or not owners:
        return {}
    left_out = owners[:1] if view in _WITH_TABLE_OWNER else owners
    name = view.replace("ALL_", "USER_", 1)
    sql = f"CREATE VIEW SYS.{name} AS SELECT * EXCLUDE ({', '.join(left_out)}) FROM SYS.{view} WHERE {owners[0]} = 'LAB'"
    return {name: Definition(tuple(pair for pair in columns if pair[0] not in left_out), sql)}


@cache
def definitions() -> dict[str, Definition]:
    """Every view, by name."""
    found: dict[str, Definition] = {}
    for view, (rows, known) in FILLINGS.items():
        shown = selection(rows, ((one.name, one.stored, known.get(one.name)) for one in documented()[view]))
        columns = tuple((one.name, one.stored) for one in documented()[view])
        found[view] = Definition(columns, f"CREATE VIEW SYS.{view} AS {shown}")
        found |= _of_user(view, columns)
    return found


NAMES = frozenset(definitions())
"""The names of all dictionary views that there are."""
