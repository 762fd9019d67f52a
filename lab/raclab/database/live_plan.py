"""What a live run does: a myth's workload at a setting of its levers."""

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from raclab.database.workload import Script
from raclab.errors import LabError
from raclab.evidence.measurement import Kind


@dataclass(frozen=True)
class LiveRun:
    """What a live run does.

    slug             the myth, also the sessions' ACTION
    script           its workload
    values           what its binds get: levers as lever_NAME, and the script's own; numbers, or texts of a lever's choices
    case             the setting in a few words, from the number of instances that took part
    levers           as in the measurement, from the same number
    places           from the number of open instances: the instance of each session, counted from 0
    start_gap_s      how much later each further session starts, seconds
    call_timeout_s   limit of every single call, seconds
    needs_rac        what one instance can't show, a sentence
    least_instances  open instances below which nothing is sent that writes
    views            views whose growth is read for each instance (instance_figures.VIEWS)
    session_views    views that each session reads for itself (instance_figures.SESSION_VIEWS)

    Besides ``values`` a session binds my_number (from 1), all_sessions and my_instance (the position of its instance, from 1).
    """

    slug: str
    script: Script
    values: Mapping[str, Any]
    case: Callable[[int], str]
    levers: Callable[[int], Mapping[str, object]]
    places: Callable[[int], Sequence[int]]
    start_gap_s: float = 0.0
    call_timeout_s: float = 600.0
    needs_rac: str = ""
    kind: Kind = Kind.LIVE
    least_instances: int = 1
    views: tuple[str, ...] = ()
    session_views: tuple[str, ...] = ()


def live_run(
    slug: str,
    live: Any,
    script: Script,
    levers: Any,
    binds: Mapping[str, int],
    call_timeout_s: float,
    kind: Kind = Kind.LIVE,
) -> LiveRun:
    """What to run: the myth's ``live`` (myths.base.Live) at its levers' setting.

    Raises LabError for a bind that the script does not have or a value that is no positive number.
    """
    for name, value in binds.items():
        if name not in script.binds:
            raise LabError(f"{script.name} has no bind {name}; it has {', '.join(script.binds) or 'none'}.")
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise LabError(f"{name} can't be {value!r}: it takes a whole number from 1.")
    setting = levers.as_dict()
    idle = ignored(levers, live, script, changed_only=False)
    values = {f"lever_{name}": int(value) if isinstance(value, bool) else value for name, value in setting.items()}

    def followed(instances: int) -> dict[str, object]:
        return {name: value for name, value in live.as_run(levers, instances).as_dict().items() if name not in idle}

    return LiveRun(
        slug=slug,
        script=script,
        values={**values, **script.binds, **binds},
        case=lambda instances: live.case(levers, instances) if live.case else _described(live.as_run(levers, instances), idle),
        levers=followed,
        places=lambda instances: live.places(levers, instances),
        start_gap_s=float(setting.get("start_gap_s", 0.0)),
        call_timeout_s=call_timeout_s,
        needs_rac=live.needs_rac,
        kind=kind,
        least_instances=live.least_instances,
        views=live.views,
        session_views=live.session_views,
    )


def ignored(levers: Any, live: Any, script: Script, changed_only: bool = True) -> list[str]:
    """The levers that a live run can't follow; only those moved from their default, or all.

    Followed is what the script binds, what the number and place of the sessions depends on, and ``start_gap_s``.
    """
    text = "\n".join(statement for statements in script.sections.values() for statement in statements)
    followed = {"start_gap_s", *live.placing}
    followed |= {"bulk"} if script.array else set()
    followed |= {name for name in levers.as_dict() if re.search(rf":lever_{name}\b", text)}
    default = type(levers)().as_dict()
    return [name for name, value in levers.as_dict().items() if name not in followed and (not changed_only or value != default[name])]


def _described(levers: Any, idle: list[str]) -> str:
    """The setting in the levers' own words, without those that had no effect."""
    default = type(levers)().as_dict()
    levers = dataclasses.replace(levers, **{name: default[name] for name in idle})
    describe = getattr(levers, "describe", None)
    return str(describe()) if describe else ", ".join(f"{name} {value}" for name, value in levers.as_dict().items() if name not in idle)
