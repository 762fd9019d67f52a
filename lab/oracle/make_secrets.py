"""Makes the passwords of the database in compose.yaml: a file each in lab/oracle/secrets. Those that exist stay as they are.

The folder is for its owner alone. The files in it are readable, because the container's user, another than the owner, has to
read the one that is mounted into the container.
"""

import secrets
import string
from pathlib import Path

FOLDER = Path(__file__).parent / "secrets"
NAMES = ("oracle_password", "raclab_password")
LENGTH = 24


def password() -> str:
    """Letters and digits, a letter first: safe in SQL and on every command line. 142 bits."""
    return secrets.choice(string.ascii_letters) + "".join(secrets.choice(string.ascii_letters + string.digits) for _ in range(LENGTH - 1))


def make(folder: Path = FOLDER) -> list[Path]:
    """Make the files that are missing and return them."""
    folder.mkdir(mode=0o700, exist_ok=True)
    made = []
    for name in NAMES:
        path = folder / name
        if not path.exists():
            path.write_text(password(), encoding="ascii", newline="")
            path.chmod(0o644)
            made.append(path)
    return made


if __name__ == "__main__":
    new = make()
    print(f"Made {', '.join(path.name for path in new)} in {FOLDER}." if new else f"The passwords in {FOLDER} are there already.")
