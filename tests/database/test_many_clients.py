"""Many clients at once, each running the corpus of statements: no error, no growth.

The suite takes a dozen. For the full size, with the figures printed::

    RACLAB_CLIENTS=200 python -m pytest tests/database/test_many_clients.py -s --timeout=0
"""

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import oracledb
import pytest

from raclab.bench.memory import resident_mb

CLIENTS = int(os.environ.get("RACLAB_CLIENTS", "12"))
FULL = "RACLAB_CLIENTS" in os.environ
MOST_MB, MOST_GROWTH_MB = 300, 25
PASSWORD = "for many clients"

ROWS = "(select 1 id, 'a' name, 10 value from dual union all select 2, 'b', 20 from dual union all select 3, null, 30 from dual)"
TREE = (
    "(select 1 id, null boss, 'king' name from dual union all select 2, 1, 'blake' from dual "
    "union all select 3, 1, 'clark' from dual union all select 4, 2, 'allen' from dual)"
)


def corpus() -> list[str]:
    """The statements of sql_answers.txt; in the suite every seventh."""
    statements, lines = [], []
    for line in Path(__file__).with_name("sql_answers.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("=>"):
            statements.append("\n".join(lines).replace("ROWS", ROWS).replace("TREE", TREE))
            lines = []
        elif line and not line.startswith("#"):
            lines.append(line.replace("\\n", "\n"))
    return statements if FULL else statements[::7]


@pytest.fixture
def served() -> Iterator[tuple[str, int]]:
    """A cluster in a process of its own: DSN and process id."""
    environment = {**os.environ, "RACLAB_SERVE_PASSWORD": PASSWORD, "RACLAB_DSN": ""}
    command = [sys.executable, "-m", "raclab", "serve", "--port", "0"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = ""
        while not (match := re.search(r"DSN +(\S+)\n", said)):
            line = process.stdout.readline()
            assert line, said
            said += line
        threading.Thread(target=process.stdout.read, daemon=True).start()
        yield match[1], process.pid
        process.kill()


def test_all_at_once_without_an_error_and_without_growth(served):
    dsn, process = served

    def resident(what="VmRSS"):
        return resident_mb(process, what) or 0.0  # where the system does not say

    statements = corpus()
    errors: list[str] = []
    rounds, taken, memory = 3, [], {}
    begin, end = threading.Barrier(CLIENTS + 1, timeout=600), threading.Barrier(CLIENTS + 1, timeout=3600)

    def client(number: int) -> None:
        try:
            connection = oracledb.connect(user="lab", password=PASSWORD, dsn=dsn.replace("RAC1", f"RAC{number % 2 + 1}"))
        except oracledb.Error as error:
            errors.append(f"connecting: {error}")
            begin.abort()
            return
        with connection, connection.cursor() as cursor:
            for _ in range(rounds):
                begin.wait()
                for statement in statements:
                    try:
                        cursor.execute(statement)
                        cursor.fetchall()
                    except oracledb.Error as error:
                        errors.append(f"{error}: {statement[:80]}")
                end.wait()
            begin.wait()

    with oracledb.connect(user="lab", password=PASSWORD, dsn=dsn) as alone:
        alone.cursor().execute("select 1 from dual").fetchall()
        memory["one connection"] = resident()
        start = time.monotonic()
        threads = [threading.Thread(target=client, args=(number,)) for number in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for number in range(rounds):
            begin.wait()
            if number == 0:
                connecting = time.monotonic() - start
                memory[f"{CLIENTS} connections"] = resident()
            started = time.monotonic()
            end.wait()
            taken.append(time.monotonic() - started)
            memory[f"after round {number + 1}"] = resident()
        [(count,)] = alone.cursor().execute("select count(*) from gv$session where program is not null and type = 'USER'").fetchall()
        begin.wait()
        for thread in threads:
            thread.join()
    memory["all gone"], memory["at most"] = resident(), resident("VmHWM")
    if FULL:
        print(f"\n{CLIENTS} clients connected in {connecting:.1f} s; {len(statements)} statements each, {rounds} rounds of")
        print(", ".join(f"{seconds:.1f} s ({CLIENTS * len(statements) / seconds:.0f} statements a second)" for seconds in taken))
        print("server memory: " + ", ".join(f"{name} {mb:.0f} MB" for name, mb in memory.items()))
    assert errors[:3] == []
    assert count >= CLIENTS
    assert memory["after round 3"] - memory["after round 2"] < MOST_GROWTH_MB
    assert max(memory.values()) < MOST_MB
