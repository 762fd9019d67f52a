"""Views of waits for events: by instance, by session, by class, by duration."""

from raclab.database.view_shape import Filling

FOREGROUND = " FILTER (WHERE NOT background)"
"""Behind an aggregate: of the sessions, without the background processes."""

MILLISECONDS = "greatest(1, CAST(WAIT_TIME_MICRO AS BIGINT) // 1024)"
"""WAIT_TIME_MILLI of a bucket of V$EVENT_HISTOGRAM_MICRO. V$EVENT_HISTOGRAM's holds those up to 1,024 times its bound: its millisecond
has 1,024 microseconds."""

BY_EVENT = "cluster.session_event JOIN cluster.event USING (event) GROUP BY ALL"
"""FROM clause of waits: a row for each combination of what is selected beside the aggregates."""

_CENTI = "round({} / 10000.0)"

MAX_WAIT = _CENTI.format("max(max_micro)")


def waited(which: str = "") -> dict[str, str]:
    """Waits and their times: centiseconds in TIME_WAITED and AVERAGE_WAIT, as Oracle has them, from microseconds.

    ``which`` restricts the rows counted.
    """
    waits, micro = f"sum(total_waits){which}", f"sum(micro){which}"
    return {
        "TOTAL_WAITS": f"coalesce({waits}, 0)",
        "TOTAL_TIMEOUTS": "0",
        "TIME_WAITED": f"coalesce({_CENTI.format(micro)}, 0)",
        "AVERAGE_WAIT": f"coalesce(round({micro} / 10000.0 / nullif({waits}, 0), 2), 0)",
        "TIME_WAITED_MICRO": f"coalesce({micro}, 0)",
    }


EVENT_IDS = {
    "EVENT_ID": "event_id",
    "WAIT_CLASS_ID": "wait_class_id",
    "WAIT_CLASS#": "wait_class_number",
    "WAIT_CLASS": "wait_class",
    "CON_ID": "0",
}
OF_CLASS = {
    **{name: EVENT_IDS[name] for name in ("WAIT_CLASS_ID", "WAIT_CLASS#", "WAIT_CLASS", "CON_ID")},
    "TOTAL_WAITS": "sum(total_waits)",
    "TIME_WAITED": _CENTI.format("sum(micro)"),
}
"""Columns of the views of wait classes."""

FILLINGS: dict[str, Filling] = {
    "EVENT_NAME": Filling(
        "cluster.instance, cluster.event",
        {
            "EVENT#": "event_number",
            "NAME": "event",
            "DISPLAY_NAME": "event",
            "PARAMETER1": "parameter1",
            "PARAMETER2": "parameter2",
            "PARAMETER3": "parameter3",
            **EVENT_IDS,
        },
    ),
    "SYSTEM_EVENT": Filling(
        BY_EVENT,
        {
            "EVENT": "event",
            **waited(),
            **{f"{name}_FG": value for name, value in waited(FOREGROUND).items()},
            **EVENT_IDS,
            "TOTAL_TIMEOUTS_FG": "0",
        },
    ),
    "SESSION_EVENT": Filling(BY_EVENT, {"SID": "sid", "EVENT": "event", "MAX_WAIT": MAX_WAIT, **waited(), **EVENT_IDS}),
    "SYSTEM_WAIT_CLASS": Filling(
        BY_EVENT,
        {
            **OF_CLASS,
            **{f"{name}_FG": waited(FOREGROUND)[name] for name in ("TOTAL_WAITS", "TIME_WAITED")},
        },
    ),
    "SESSION_WAIT_CLASS": Filling(BY_EVENT, {"SID": "sid", "SERIAL#": "sid", **OF_CLASS}),
    "EVENT_HISTOGRAM": Filling(
        'cluster."EVENT_HISTOGRAM_MICRO" AS h JOIN cluster.event AS e ON e.event = h.EVENT GROUP BY ALL',
        {"EVENT#": "event_number", "EVENT": "e.event", "WAIT_TIME_MILLI": MILLISECONDS, "WAIT_COUNT": "sum(WAIT_COUNT)", "CON_ID": "0"},
    ),
}
