"""Where things lie: the checkout's data and notebooks, and the learner's own folder."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
ORACLE_SCRIPTS = ROOT / "lab" / "oracle"


def data_folder() -> Path:
    """The recorded datasets: RACLAB_DATA if set, else ``data/`` of the checkout."""
    return Path(os.environ.get("RACLAB_DATA") or ROOT / "data")


def learner_folder() -> Path:
    """Where a learner's predictions and answers are kept: RACLAB_HOME if set, else the user's data folder."""
    import platformdirs

    return Path(os.environ.get("RACLAB_HOME") or platformdirs.user_data_dir("raclab", appauthor=False))
