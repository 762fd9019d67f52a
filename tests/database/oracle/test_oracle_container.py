"""The container's definition and its passwords."""

import importlib.util
import re
import stat
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from raclab.paths import ORACLE_SCRIPTS, ROOT

COMPOSE = yaml.safe_load((ORACLE_SCRIPTS / "compose.yaml").read_text(encoding="utf-8"))


@pytest.fixture
def make_secrets() -> ModuleType:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("make_secrets", ORACLE_SCRIPTS / "make_secrets.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_database_listens_on_loopback_only() -> None:
    assert [port.split(":")[0] for port in COMPOSE["services"]["oracle"]["ports"]] == ["127.0.0.1"]


def test_passwords_come_from_generated_files_only(make_secrets: ModuleType) -> None:
    service = COMPOSE["services"]["oracle"]
    assert service["environment"] == {"ORACLE_PASSWORD_FILE": "/run/secrets/oracle_password"}
    assert service["secrets"] == ["oracle_password"] and service["healthcheck"]["test"] == ["CMD", "healthcheck.sh"]
    assert COMPOSE["secrets"] == {"oracle_password": {"file": "./secrets/oracle_password"}}
    assert "oracle_password" in make_secrets.NAMES and Path(make_secrets.FOLDER) == ORACLE_SCRIPTS / "secrets"


def test_passwords_are_made_once_and_all_different(make_secrets: ModuleType, tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    made = make_secrets.make(folder)
    first = [path.read_text() for path in made]
    assert [path.name for path in made] == list(make_secrets.NAMES)
    assert len(set(first)) == len(first) and all(re.fullmatch("[A-Za-z][A-Za-z0-9]{23}", one) for one in first)
    assert make_secrets.make(folder) == [] and [path.read_text() for path in made] == first
    if sys.platform != "win32":
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_git_leaves_the_passwords_out() -> None:
    ignored = subprocess.run(["git", "check-ignore", "lab/oracle/secrets/oracle_password"], cwd=ROOT, check=False, capture_output=True)
    assert ignored.returncode == 0


def test_the_readme_names_every_variable() -> None:
    text = (ORACLE_SCRIPTS / "README.md").read_text(encoding="utf-8")
    for name in ("DSN", "USER", "PASSWORD", "WALLET", "WALLET_PASSWORD", "I_OWN_THIS_DATABASE", "ADMIN_USER", "ADMIN_PASSWORD"):
        assert f"RACLAB_{name}`" in text
    assert {path.name for path in ORACLE_SCRIPTS.glob("*.*") if path.name != "README.md" and not path.name.startswith(".")} <= set(
        re.findall(r"`([\w.]+)`", text)
    )
