"""The same seed gives the same run on every platform: the figures that docs/kernel.md states, and plain Python that arrives at them too."""

from splitmix import by_hand as uniform_by_hand

from raclab.paths import ROOT
from raclab.sim import Model, Uniform, run

SEED, CUSTOMERS = 42, 5


def by_hand() -> list[float]:
    """When each customer ends: it arrives after 1 to 3 s and needs the one core for 0 to 2 s; first come, first served."""
    arrives = {customer: 1 + (3 - 1) * uniform_by_hand(SEED, customer, 0) for customer in range(CUSTOMERS)}
    free, ends = 0.0, {}
    for customer in sorted(arrives, key=lambda one: arrives[one]):
        free = ends[customer] = max(free, arrives[customer]) + 2 * uniform_by_hand(SEED, customer, 1)
    return [ends[customer] for customer in range(CUSTOMERS)]


def by_the_kernel() -> list[float]:
    model = Model()
    cpu = model.cpu(1)
    for customer in range(CUSTOMERS):
        process = model.process(f"customer {customer}", cpu)
        process.delay(Uniform(1, 3))
        process.run(Uniform(0, 2))
    outcome = run(model, SEED)
    assert outcome.clock == max(outcome.ended)
    return outcome.ended.tolist()


def documented() -> tuple[list[list[float]], list[float]]:
    """The table of the document: the draws of each customer, and when it ends; as hexadecimal fractions, which lose no bit."""
    text = (ROOT / "docs" / "kernel.md").read_text(encoding="utf-8")
    table = text[text.index("<!-- same everywhere -->") : text.index("<!-- end of same everywhere -->")]
    rows = [[cell.strip(" `") for cell in line.split("|")[1:-1]] for line in table.splitlines() if line.startswith("| ")][2:]
    return [[float.fromhex(cell) for cell in row[1:3]] for row in rows], [float.fromhex(row[3]) for row in rows]


def test_the_document_plain_python_and_the_kernel_agree_to_the_last_bit() -> None:
    draws, ends = documented()
    assert draws == [[uniform_by_hand(SEED, customer, number) for number in (0, 1)] for customer in range(CUSTOMERS)]
    assert ends == by_hand() == by_the_kernel()


def test_somebody_waits_in_that_run() -> None:
    """Else it would show nothing but the draws."""
    alone = [1 + 2 * uniform_by_hand(SEED, customer, 0) + 2 * uniform_by_hand(SEED, customer, 1) for customer in range(CUSTOMERS)]
    assert sum(end > early + 1e-9 for end, early in zip(by_hand(), alone, strict=True)) >= 2
