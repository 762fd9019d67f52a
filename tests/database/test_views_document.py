"""docs/views.md says of every column whether the views fill it."""

from views_document import run_everything, tables, written

from raclab.database.engine import Engine


def test_the_document_lists_the_columns_that_are_filled_and_those_that_are_null(engine: Engine) -> None:
    """To write it anew: python tests/support/views_document.py"""
    run_everything(engine)
    assert written() == tables(engine)
