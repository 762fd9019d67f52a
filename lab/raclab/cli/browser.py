"""Finds a Chromium or Chrome, for the tests and for ``doctor``."""

import os
import shutil
from pathlib import Path

from raclab.errors import LabError

HOW_TO_GET = (
    "Install Chromium or Chrome (Debian: apt install chromium libatomic1; macOS: brew install --cask google-chrome; "
    "Windows: winget install Google.Chrome), or name one in RACLAB_BROWSER."
)

_COMMANDS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "~/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    r"${PROGRAMFILES}\Google\Chrome\Application\chrome.exe",
    r"${PROGRAMFILES(X86)}\Google\Chrome\Application\chrome.exe",
    r"${LOCALAPPDATA}\Google\Chrome\Application\chrome.exe",
    r"${LOCALAPPDATA}\Chromium\Application\chrome.exe",
)


def chromium() -> Path | None:
    """The program: RACLAB_BROWSER if set, else one on the PATH or where it is usually installed; None if there is none.

    Raises LabError if RACLAB_BROWSER names no file.
    """
    named = os.environ.get("RACLAB_BROWSER")
    if named:
        path = shutil.which(named)
        if path is None:
            raise LabError(f"RACLAB_BROWSER is {named}, and no such program can be run; correct it or unset it.")
        return Path(path)
    for command in _COMMANDS:
        if path := shutil.which(command):
            return Path(path)
    places = (Path(os.path.expandvars(place)).expanduser() for place in _PLACES)
    return next((place for place in places if place.is_file()), None)
