"""Functions inside functions, as deep as scripts nest them: the right answer, and no work that doubles at each level."""

import time

import pytest

from raclab.database.dialect.translate import translate

DEEP = 24
CPU_S = 2.0
"""Some hundred times what such a statement takes; one that doubles at each level would take days."""


def answer(session, shape, innermost, source):
    sql = innermost
    for _ in range(DEEP):
        sql = shape.format(sql)
    began = time.process_time()
    ((found,),) = session.execute(f"select {sql} from {source}").rows
    assert time.process_time() - began < CPU_S
    return found


@pytest.mark.parametrize(
    ("shape", "wanted"),
    [
        ("replace({}, 'q', 'b')", "X"),
        ("trim({})", "X"),
        ("substr({}, 1, 9)", "X"),
        ("nvl({}, 'none')", "X"),
        ("({} || 'y')", "X" + "y" * DEEP),
        ("rpad({} || '.', 2)", "X."),
        ("decode({}, 'X', 'X', 'none')", "X"),
    ],
)
def test_text_is_nested_deeply(reader, shape, wanted):
    assert answer(reader, shape, "dummy", "dual") == wanted


@pytest.mark.parametrize(("shape", "wanted"), [("trunc({} / 1)", 7), ("mod({}, 60)", 7), ("round({}, 2)", 7), ("floor({} * 1.0)", 7)])
def test_numbers_are_nested_deeply(reader, shape, wanted):
    assert answer(reader, shape, "x", "(select 7 x from dual)") == wanted


def test_the_kinds_of_an_inline_view_are_known_beside_sysdate():
    sql = translate("select a * 2 from (select to_char(sysdate, 'SSSSS') / 5 a from dual)", "LAB").sql[0]
    assert "ora.times" not in sql.lower(), "the product is of two numbers, and no macro has to find that out"
