"""Ops that pick one of many by a number that the program has worked out."""

import pytest

from raclab.sim import Constant, Model, run


def test_fetch_reads_one_of_many_cells() -> None:
    model = Model(notes=3)
    process = model.process("reader", model.cpu(1))
    first, *_ = [model.cell(value) for value in (5, 7, 11)]
    which, found = model.cell(), model.cell()
    for number in (2, 0, 1):
        process.set(which, number)
        process.fetch(found, first, by=which)
        process.note(found)
    assert run(model).notes["value"].tolist() == [11, 5, 7]


def test_subtract_takes_one_cell_from_another() -> None:
    model = Model()
    process = model.process("counter", model.cpu(1))
    cell, other = model.cell(5), model.cell(7)
    process.subtract(cell, other)
    cells = run(model).cells
    assert (cells[cell], cells[other]) == (-2, 7)


def test_a_number_that_leads_nowhere_is_refused() -> None:
    model = Model()
    process = model.process("reader", model.cpu(1))
    which, found = model.cell(9), model.cell()
    process.fetch(found, which, by=which)
    with pytest.raises(IndexError, match="isn't in the model"):
        run(model)


def test_a_call_goes_to_the_mailbox_that_a_cell_says() -> None:
    model = Model()
    cpu = model.cpu(3)
    boxes = [model.mailbox() for _ in range(3)]
    served = [model.cell() for _ in boxes]
    for box, count in zip(boxes, served, strict=True):
        server = model.process(f"server {box}", cpu, essential=False)
        with server.forever():
            server.take(box, 1)
            server.run(Constant(1.0))
            server.add(count, 1)
            server.done()
    client = model.process("client", cpu)
    which = model.cell()
    for number in (2, 0, 2):
        client.set(which, number)
        client.call(boxes[0], by=which)
    client.end()
    outcome = run(model)
    assert outcome.cells[served].tolist() == [1, 0, 2]
    assert outcome.clock == 3.0
