"""Makes the passwords of the database in compose.yaml: a file each in lab/oracle/secrets. Those that exist stay as they are.

With --rac also what rac/compose.yaml needs: a password, a key, and the password encrypted with it by openssl, as Oracle's images expect.

The folder is for its owner alone. The files in it are readable, because the container's user, another than the owner, has to
read the one that is mounted into the container.
"""

import secrets
import string
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent / "secrets"
NAMES = ("oracle_password", "raclab_password")
RAC_NAMES = ("rac_password", "rac_key.pem", "rac_password.enc")
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


def make_rac(folder: Path = FOLDER) -> list[Path]:
    """Make the files of the two-node cluster, all three or none, and return them. Needs openssl."""
    plain, key, encrypted = (folder / name for name in RAC_NAMES)
    if all(path.exists() for path in (plain, key, encrypted)):
        return []
    folder.mkdir(mode=0o700, exist_ok=True)
    plain.touch(mode=0o600)
    plain.write_text(password(), encoding="ascii", newline="")
    subprocess.run(["openssl", "genrsa", "-out", key, "4096"], check=True, capture_output=True)
    key.chmod(0o600)
    # the key holds its public half
    subprocess.run(["openssl", "pkeyutl", "-encrypt", "-inkey", key, "-in", plain, "-out", encrypted], check=True, capture_output=True)
    return [plain, key, encrypted]


if __name__ == "__main__":
    new = make() + (make_rac() if "--rac" in sys.argv[1:] else [])
    print(f"Made {', '.join(path.name for path in new)} in {FOLDER}." if new else f"The passwords in {FOLDER} are there already.")
