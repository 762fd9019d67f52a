"""Views of what instances and sessions are set to: parameters, options, NLS."""

from raclab.database.view_shape import Filling

_BOOLEAN, _TEXT, _WHOLE = 1, 2, 3
_KINDS = "CASE kind WHEN 1 THEN 'boolean' WHEN 2 THEN 'string' ELSE 'integer' END"

# TYPE and value of what every instance has; what runs bring (cpu_count, ...) is whole numbers
_PARAMETERS = {
    "cluster_database": (_BOOLEAN, "'TRUE'"),
    "cluster_database_instances": (_WHOLE, "CAST((SELECT count(*) FROM cluster.instance) AS VARCHAR)"),
    "db_name": (_TEXT, "'raclab'"),
    "db_unique_name": (_TEXT, "'raclab'"),
    "instance_name": (_TEXT, "'rac' || inst_id"),
    "instance_number": (_WHOLE, "CAST(inst_id AS VARCHAR)"),
    "thread": (_WHOLE, "CAST(inst_id AS VARCHAR)"),
}
_PARAMETER_ROWS = " UNION ALL ".join(
    (
        *(
            f"SELECT inst_id, '{name}' AS name, {kind} AS kind, {value} AS value FROM cluster.instance"
            for name, (kind, value) in _PARAMETERS.items()
        ),
        f'SELECT INST_ID, NAME, {_WHOLE}, arg_max(VALUE, rowid) FROM cluster."PARAMETER" GROUP BY INST_ID, NAME',
    )
)
_PARAMETER = {
    "NUM": "row_number() OVER (PARTITION BY inst_id ORDER BY name)",
    "NAME": "name",
    "TYPE": "kind",
    "VALUE": "value",
    "DISPLAY_VALUE": "value",
    "ISDEFAULT": "'FALSE'",
    "ISMODIFIED": "'FALSE'",
    "ISADJUSTED": "'FALSE'",
    "ISDEPRECATED": "'FALSE'",
    "CON_ID": "0",
}

_OPTIONS = ("Real Application Clusters", "Parallel execution")

NLS = {
    "NLS_LANGUAGE": "'AMERICAN'",
    "NLS_TERRITORY": "'AMERICA'",
    "NLS_NUMERIC_CHARACTERS": "'.,'",
    "NLS_CALENDAR": "'GREGORIAN'",
    "NLS_DATE_FORMAT": "map_extract_value(getvariable('userenv'), 'NLS_DATE_FORMAT')",
    "NLS_DATE_LANGUAGE": "'AMERICAN'",
    "NLS_CHARACTERSET": "'AL32UTF8'",
    "NLS_SORT": "'BINARY'",
    "NLS_COMP": "'BINARY'",
}
"""What the lab's SQL goes by, as an expression by parameter."""

FILLINGS: dict[str, Filling] = {
    "PARAMETER": Filling(f"({_PARAMETER_ROWS})", _PARAMETER),
    "SYSTEM_PARAMETER": Filling('SYS."GV$PARAMETER"', {name: f'"{name}"' for name in _PARAMETER}),
    # without a server parameter file every parameter has a line that specifies nothing
    "SPPARAMETER": Filling(
        f"({_PARAMETER_ROWS})", {"SID": "'*'", "NAME": "name", "TYPE": _KINDS, "ISSPECIFIED": "'FALSE'", "ORDINAL": "0", "CON_ID": "0"}
    ),
    "OPTION": Filling(
        f"(SELECT inst_id, unnest({list(_OPTIONS)}) AS name FROM cluster.instance)",
        {"PARAMETER": "name", "VALUE": "'TRUE'", "CON_ID": "0"},
    ),
    "NLS_PARAMETERS": Filling(
        f"(SELECT inst_id, unnest({list(NLS)}) AS name, unnest([{', '.join(NLS.values())}]) AS value FROM cluster.instance)",
        {"PARAMETER": "name", "VALUE": "value", "CON_ID": "0"},
    ),
}
