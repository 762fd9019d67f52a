"""The version of a myth's model: results that were kept are only used for the code and the data that gave them."""

import hashlib
import inspect
from pathlib import Path

import numba
import numpy as np

import raclab
from raclab.myths.base import Myth
from raclab.paths import data_folder

_PARTS = ("sim", "cluster", "evidence", "myths", "sweeps")
_known: dict[tuple[str, str], str] = {}


def version(myth: Myth) -> str:
    """Twelve hexadecimal digits that change with the package's models, the myth's module, its published data, numpy or numba."""
    known = (myth.slug, str(data_folder()))  # the code of a running process does not change
    if known not in _known:
        _known[known] = _digest(myth)
    return _known[known]


def _digest(myth: Myth) -> str:
    package = Path(raclab.__file__).parent
    files = sorted(path for part in _PARTS for path in (package / part).rglob("*.py"))
    try:
        own = Path(inspect.getfile(type(myth)))
        files += [] if own in files else [own]
    except (TypeError, OSError):
        pass  # defined in a notebook: it has no file
    files += sorted((data_folder() / myth.slug).glob("*"))
    digest = hashlib.sha256(f"{raclab.__version__} {np.__version__} {numba.__version__}".encode())
    for file in files:
        if file.is_file():
            digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:12]
