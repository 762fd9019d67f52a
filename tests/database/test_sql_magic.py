"""%sql and %%sql in IPython."""

import pytest
from IPython.core.interactiveshell import InteractiveShell

from raclab.database.errors import SqlError
from raclab.database.magic import run
from raclab.evidence.table import Table


@pytest.fixture
def shell(shared_lab, monkeypatch):
    made = InteractiveShell()
    monkeypatch.setattr("IPython.core.getipython.get_ipython", lambda: made)
    shared_lab.register_magic()
    yield made
    made.history_manager.end_session()


def test_a_line_and_a_cell(shell):
    table = shell.run_line_magic("sql", "select 1 one from dual")
    assert isinstance(table, Table) and table.frame["ONE"].tolist() == [1]
    table = shell.run_cell_magic("sql", "", "select event\nfrom v$system_event -- all of them\norder by 1;\n")
    assert table.frame["EVENT"].tolist() == ["log file sync", "row cache lock"]
    assert "SIMULATED" in table._repr_html_()


def test_bind_variables_come_from_the_notebook(shell):
    import numpy as np

    shell.user_ns.update(wait_class="Commit", least=np.int64(5))
    cell = "select event, ':not_this' x from gv$system_event where wait_class = :wait_class and total_waits > :least /* :nor_this */"
    assert len(shell.run_cell_magic("sql", "", cell)) == 2


def test_the_result_goes_into_a_variable_and_another_instance_is_asked(shell):
    assert shell.run_cell_magic("sql", "found << 2", "select instance_name from v$instance") is None
    assert shell.user_ns["found"].frame["INSTANCE_NAME"].tolist() == ["rac2"]


def test_mistakes_are_one_sentence(shell, shared_lab):
    with pytest.raises(SqlError, match="no variable missing"):
        run(shared_lab, {}, "select :missing from dual")
    with pytest.raises(SqlError, match="takes a variable's name with <<"):
        run(shared_lab, {}, "what is this", "select 1 from dual")
    result = shell.run_cell("%sql select * from nosuch")
    assert isinstance(result.error_in_exec, SqlError)


def test_an_error_in_a_notebook_shows_the_sentence_alone(shell, capsys):
    shell.run_cell("%%sql\nselect * from nosuch")
    said = capsys.readouterr()
    assert (said.out + said.err).strip() == "SqlError: ORA-00942: table or view NOSUCH does not exist"


def test_outside_ipython_there_is_no_magic(shared_lab, monkeypatch):
    monkeypatch.setattr("IPython.core.getipython.get_ipython", lambda: None)
    with pytest.raises(SqlError, match=r"call lab\.sql"):
        shared_lab.register_magic()
