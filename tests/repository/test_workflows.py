"""The GitHub workflow and .ci/run, which can't be run here: their form, and that they run what they should."""

import os
import re
import subprocess
import sys
from typing import Any

import pytest
import yaml

from raclab.paths import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TEST = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8"))


def _steps(job: str) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = TEST["jobs"][job]["steps"]
    return steps


def _commands(job: str) -> str:
    return "\n".join(step.get("run", "") for step in _steps(job))


def test_workflows_are_as_github_wants_them() -> None:
    check = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", *map(str, WORKFLOWS)]
    done = subprocess.run(check, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_actions_are_pinned_by_major_version() -> None:
    used = re.findall(r"uses: *(\S+)", "".join(path.read_text(encoding="utf-8") for path in WORKFLOWS))
    assert used
    assert [action for action in used if not re.fullmatch(r"actions/[\w-]+@v\d+", action)] == []


def test_the_suite_runs_everywhere_and_every_night() -> None:
    matrix = TEST["jobs"]["suite"]["strategy"]["matrix"]
    assert [name.split("-")[0] for name in matrix["os"]] == ["ubuntu", "macos", "windows"]
    requires = re.search(r">=(3\.\d+),<3\.(\d+)", (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert requires is not None
    assert matrix["python"] == [requires[1], f"3.{int(requires[2]) - 1}"]
    assert TEST[True]["schedule"][0]["cron"]  # YAML 1.1 reads the key "on" as true
    assert "make test" in _commands("suite")
    assert "RACLAB_INSIST_BROWSER" in TEST["jobs"]["suite"]["env"]


def test_windows_runs_the_commands_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8").replace("\\", "/")
    windows = [step for step in _steps("suite") if "Windows" in step.get("name", "")]
    installing = windows[0]["run"].strip().splitlines()
    assert len(installing) == 3
    for command in installing:
        assert command.replace("python -m venv", "py -m venv") in readme


def test_no_step_is_green_that_failed() -> None:
    assert TEST["defaults"]["run"]["shell"] == "bash"  # GitHub runs it with -e and -o pipefail
    text = (ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8")
    assert "continue-on-error" not in text
    assert "|| true" not in text


def test_one_job_has_an_oracle() -> None:
    service = TEST["jobs"]["oracle"]["services"]["oracle"]
    assert service["image"] == "gvenzl/oracle-free:23-slim-faststart"
    assert "healthcheck.sh" in service["options"]
    assert "FREEPDB1" in TEST["jobs"]["oracle"]["env"]["RACLAB_DSN"]
    assert "-m oracle" in _commands("oracle")
    assert TEST["jobs"]["oracle"]["env"]["RACLAB_INSIST_ORACLE"]  # skipped is not tested


@pytest.mark.skipif(os.name == "nt", reason="for Debian")
def test_ci_run_is_a_sound_script() -> None:
    script = ROOT / ".ci" / "run"
    text = script.read_text(encoding="utf-8")
    assert os.access(script, os.X_OK)
    assert subprocess.run(["bash", "-n", str(script)]).returncode == 0
    assert "set -euo pipefail" in text
    assert "RACLAB_INSIST_BROWSER=1" in text
    assert text.rstrip().splitlines()[-1].startswith("exec make test")
