"""The container's definition and its passwords."""

import importlib.util
import os
import re
import shutil
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


# --- two RAC nodes ---

RAC = ORACLE_SCRIPTS / "rac"
RAC_COMPOSE = yaml.safe_load((RAC / "compose.yaml").read_text(encoding="utf-8"))
SETTINGS = dict(
    line.split("=", 1) for line in (RAC / "settings.env").read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")
)


def test_the_cluster_publishes_one_port_and_on_loopback_only() -> None:
    published = {name: service["ports"] for name, service in RAC_COMPOSE["services"].items() if "ports" in service}
    assert published == {"racnodepc1-cman": ["127.0.0.1:${RACLAB_ORACLE_PORT:-1521}:1521"]}
    assert not any(service.get("network_mode") or service.get("privileged") for service in RAC_COMPOSE["services"].values())


def test_the_clusters_settings_are_complete_and_hold_no_password() -> None:
    text = (RAC / "compose.yaml").read_text(encoding="utf-8")
    assert set(re.findall(r"\$\{(\w+)\}", text)) <= set(SETTINGS)
    shell = (RAC / "up.sh").read_text(encoding="utf-8")
    assert set(SETTINGS) <= set(re.findall(r"\$\{?(\w+)", text + shell))
    assert not any(word in name for name in SETTINGS for word in ("PASSWORD", "PWD", "SECRET", "KEY"))
    assert SETTINGS["ASM_DISK_1"] == SETTINGS["ASM_DISK_2"] == "", "no disk is overwritten by default"


def test_both_nodes_are_alike_but_for_their_addresses_and_the_first_sets_up() -> None:
    first, second = (RAC_COMPOSE["services"][f"racnodep{number}"] for number in (1, 2))
    own = {"container_name", "hostname", "environment"}
    assert {name: value for name, value in first.items() if name not in own} == {
        name: value for name, value in second.items() if name not in own
    }
    assert set(first["environment"]) - set(second["environment"]) == {"OP_TYPE"} and first["environment"]["OP_TYPE"] == "setuprac"
    assert first["secrets"] == ["pwdsecret", "keysecret"]
    assert set(RAC_COMPOSE["secrets"]) == {"pwdsecret", "keysecret"}


def test_the_clusters_secrets_are_made_once_and_decrypt(make_secrets: ModuleType, tmp_path: Path) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl")
    folder = tmp_path / "secrets"
    plain, key, encrypted = make_secrets.make_rac(folder)
    decrypted = subprocess.run(["openssl", "pkeyutl", "-decrypt", "-inkey", key, "-in", encrypted], check=True, capture_output=True).stdout
    assert decrypted.decode() == plain.read_text() and len(decrypted) == make_secrets.LENGTH
    assert make_secrets.make_rac(folder) == []
    if sys.platform != "win32":
        assert stat.S_IMODE(plain.stat().st_mode) == stat.S_IMODE(key.stat().st_mode) == 0o600
    named = {Path(secret["file"]).name for secret in RAC_COMPOSE["secrets"].values()}
    assert named == {key.name, encrypted.name}


def test_the_cluster_says_that_it_is_untested() -> None:
    for name in ("README.md", "compose.yaml", "up.sh"):
        assert "untested" in (RAC / name).read_text(encoding="utf-8").lower()
    readme = (RAC / "README.md").read_text(encoding="utf-8")
    assert {path.name for path in RAC.iterdir() if path.name != "README.md"} == set(re.findall(r"^\| `([\w.]+)`", readme, re.MULTILINE))


@pytest.mark.skipif(shutil.which("bash") is None or sys.platform != "linux", reason="needs bash on Linux")
def test_the_script_parses_and_refuses_before_it_does_anything() -> None:
    assert subprocess.run(["bash", "-n", RAC / "up.sh"], check=False).returncode == 0
    tried = subprocess.run(
        ["bash", RAC / "up.sh"], check=False, capture_output=True, text=True, env={"PATH": os.environ["PATH"], "HOME": "/"}
    )
    assert tried.returncode == 1 and tried.stdout == ""
    assert re.search(r"sudo|is not installed|more than 32 GB|ASM_DISK_1", tried.stderr)
