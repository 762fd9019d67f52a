"""Published figures: what others have measured, read from ``data/<slug>/``.

Each folder is a data package of its own, so that whoever adds a myth adds a folder and edits no file that others edit too.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from raclab.errors import LabError
from raclab.evidence.csv_file import read_csv
from raclab.evidence.data_package import DESCRIPTOR, Resource, read_descriptor
from raclab.evidence.errors import PublishedDataError, fault
from raclab.evidence.measurement import Source
from raclab.evidence.table import Table
from raclab.paths import data_folder

__all__ = ["Package", "PublishedDataError", "load", "slugs"]


@dataclass(frozen=True)
class Package:
    """The published figures of one myth.

    slug         the myth's slug, and the name of the folder
    title        of the package
    description  how to read the figures, and what they do not say
    source       who measured them, on what, when
    resources    the description of each CSV (columns, units), by its name without ".csv"
    frames       the rows of each CSV, by the same name
    """

    slug: str
    title: str
    description: str
    source: Source
    resources: Mapping[str, Resource]
    frames: Mapping[str, pd.DataFrame]

    def frame(self, name: str) -> pd.DataFrame:
        """A copy of one CSV's rows. Raises LabError for a name that the package does not have."""
        return self.frames[self._known(name)].copy()

    def units(self, name: str) -> dict[str, str]:
        """Unit by column of one CSV, for the columns that have one."""
        return self.resources[self._known(name)].units

    def table(self, name: str) -> Table:
        """One CSV as a table with badge and source."""
        return Table(self.frame(name), self.source.kind, self.source.line)

    def _known(self, name: str) -> str:
        if name not in self.frames:
            raise LabError(f"The published figures of {self.slug} have no table {name!r}; they have {', '.join(self.frames)}.")
        return name


def slugs(folder: Path | None = None) -> list[str]:
    """The myths that have published figures, in alphabetical order. ``folder`` is the data folder, None for the usual one."""
    root = folder or data_folder()
    return sorted(path.parent.name for path in root.glob(f"*/{DESCRIPTOR}"))


def load(slug: str, folder: Path | None = None) -> Package:
    """Read and check all published figures of one myth.

    ``folder`` is the data folder, None for the usual one. Raises PublishedDataError, one sentence with file, line and remedy, if
    anything is missing or is not as the data package says.
    """
    root = folder or data_folder()
    home = root / slug
    if not root.is_dir():
        raise fault(root, "is not there, and it holds the published figures")
    if not slug.isidentifier() or not home.is_dir():
        raise fault(home, f"is not there: there are published figures for {', '.join(slugs(root)) or 'no myth'}")
    descriptor = read_descriptor(home)
    frames = {name: read_csv(resource) for name, resource in descriptor.resources.items()}
    return Package(slug, descriptor.title, descriptor.description, descriptor.source, descriptor.resources, frames)
