"""Where the rows of a statement come from: the simulation, the published figures, or both."""

from raclab.database.dialect.names import DICTIONARY, OWN
from raclab.database.dialect.translate import translate
from raclab.database.engine import Engine
from raclab.database.oracle_error import OracleError
from raclab.database.views import BANNER
from raclab.evidence.measurement import Kind

_DESCRIBING = DICTIONARY | {"DUAL"}


def provenance(engine: Engine, text: str) -> tuple[Kind | tuple[Kind, ...], str]:
    """Badge and source line for a statement's rows."""
    try:
        touched = translate(text.strip().rstrip(";").rstrip(), OWN, engine.catalog).touched
    except OracleError:
        touched = frozenset()
    sources = engine.published.sources
    published = sorted({sources[name] for schema, name in touched if schema == "PUBLISHED" and name in sources})
    simulated = any(schema != "PUBLISHED" and name not in _DESCRIBING for schema, name in touched)
    if published and not simulated:
        return Kind.PUBLISHED, "; ".join(published)
    source = f"{BANNER}, {_runs(engine)}"
    if any(schema == OWN for schema, _ in touched):
        source += "; tables of your own"
    if published:
        return (Kind.PUBLISHED, Kind.SIMULATED), "; ".join([*published, source])
    return Kind.SIMULATED, source


def _runs(engine: Engine) -> str:
    if not engine.runs:
        return "nothing run yet"
    return f"{len(engine.runs)} run{'' if len(engine.runs) == 1 else 's'} since its start, the last of {engine.runs[-1]}"
