"""Traces and histograms say the same as the tallies and the waits."""

import numpy as np
import pytest

from raclab.bench import simpy_sharing
from raclab.bench import simpy_stations as stations
from raclab.cluster import sequences
from raclab.cluster.parameters import Hardware
from raclab.myths.nocache_sequences import costs
from raclab.sim import Constant, Model, Run, Trace, run, run_seeds, tracing
from raclab.sim.ops import BUCKETS

MODELS = {
    "sequence": lambda: sequences.build(sequences.TestCase(costs(), Hardware(), nodes=2, rows=200)).model,
    "classes": lambda: stations.classes(2, [0, 1, 2, 2], 60, quantum=0.1).build(),
    "spinning": lambda: simpy_sharing.spinning(2, 5, 60).build(),
    "batches": lambda: stations.mailbox(5, 60, 1, 0).build(),
}


def traced(model: Model, seed: int = 3) -> tuple[Run, Trace]:
    with tracing() as here:
        outcome = run(model, seed)
    (trace,) = here.traces
    return outcome, trace


@pytest.mark.parametrize("name", MODELS)
def test_a_trace_adds_up_to_the_tallies_and_the_waits(name: str) -> None:
    model = MODELS[name]()
    outcome, trace = traced(model)
    lines = trace.lines
    assert (trace.model, trace.seed, trace.cut) == (model, 3, 0)
    assert (np.diff(lines["ended"]) >= 0).all()
    assert lines["ended"].max() == outcome.clock
    whole = lines["event"] >= 0
    assert whole.any() == bool(model.events)
    for row, tally in enumerate(outcome.tally):
        mine = lines[~whole & (lines["op"] == row)]
        assert sum(mine["took"].tolist()) == tally["time"]  # in the order of ending, hence to the last bit
        assert mine["took"].max(initial=0.0) == tally["longest"]
        assert 0 <= tally["hits"] - len(mine) <= 1  # the end of the run finds one in the middle
        if tally["hits"] == len(mine):
            assert mine["cpu"].sum() == pytest.approx(tally["cpu"], rel=1e-12)
        assert (mine["cpu"] >= 0).all()
        assert (mine["process"] == model.where[row].process).all()
    for process, event in np.ndindex(*outcome.waits.shape):
        mine, wait = lines[whole & (lines["process"] == process) & (lines["event"] == event)], outcome.waits[process, event]
        assert (len(mine), sum(mine["took"].tolist())) == (wait["hits"], wait["time"])
        assert mine["took"].max(initial=0.0) == wait["longest"]


@pytest.mark.parametrize("name", MODELS)
def test_a_histogram_counts_the_waits_that_the_trace_has(name: str) -> None:
    model = MODELS[name]()
    outcome, trace = traced(model)
    expected = np.zeros((len(model.cpus), max(1, len(model.events)), BUCKETS), dtype=np.int64)
    for line in trace.lines[trace.lines["event"] >= 0].tolist():
        _, took, _, process, _, event = line
        expected[model.processes[process].cpu, event, bucket(took)] += 1
    assert outcome.histogram.tolist() == expected.tolist()
    on = np.array([process.cpu for process in model.processes])
    for cpu in range(len(model.cpus)):
        assert outcome.histogram[cpu].sum(axis=1).tolist() == outcome.waits["hits"][on == cpu].sum(axis=0).tolist()


def bucket(seconds: float) -> int:
    """By whole nanoseconds, with Python's own numbers."""
    nanoseconds = round(seconds * 1e9)
    return next(k for k in range(BUCKETS) if nanoseconds <= 1000 * 2**k)


@pytest.mark.parametrize(
    ("microseconds", "counts_as"),
    [
        (0, 0),
        (0.4, 0),
        (1, 0),
        (1.001, 1),
        (2, 1),
        (2.1, 2),
        (4, 2),
        (4.001, 3),
        (1024, 10),
        (1025, 11),
        (2.0**38, 38),
        (2.0**39, 39),
        (1e18, 39),
    ],
)
def test_upper_bounds_belong_to_a_bucket_at_any_time(microseconds: float, counts_as: int) -> None:
    for begins in (0.0, 0.1, 977.7):
        model = Model()
        process = model.process("waiting", model.cpu(1))
        process.delay(Constant(begins))
        with process.wait("something"):
            process.delay(Constant(microseconds / 1e6))
        assert np.flatnonzero(run(model).histogram[0, 0]).tolist() == [counts_as]


def test_tracing_changes_no_figure_and_is_off_outside() -> None:
    model = MODELS["classes"]()
    watched, _ = traced(model)
    with tracing() as here:
        pass
    alone = run(model, 3)
    assert here.traces == []
    assert (watched.clock, watched.tally.tobytes(), watched.events) == (alone.clock, alone.tally.tobytes(), alone.events)


def test_a_trace_for_every_run_in_the_order_of_the_seeds() -> None:
    one, other = MODELS["batches"](), MODELS["spinning"]()
    with tracing() as here:
        run_seeds(one, [5, 1, 4])
        run(other, 2)
    assert [(trace.model, trace.seed) for trace in here.traces] == [(one, 5), (one, 1), (one, 4), (other, 2)]
    assert here.traces[1].lines.tolist() == traced(one, 1)[1].lines.tolist()


def test_a_trace_that_was_cut_says_so() -> None:
    model = MODELS["classes"]()
    _, whole = traced(model)
    with tracing(limit=100) as here:
        run(model, 3)
    (cut,) = here.traces
    assert len(cut.lines) == 100
    assert cut.cut == len(whole.lines) - 100
    assert cut.lines.tolist() == whole.lines[:100].tolist()


def test_a_trace_by_hand() -> None:
    model = Model()
    cpu = model.cpu(1, quantum=1)
    for name in ("a", "b"):
        process = model.process(name, cpu)
        with process.wait("event"):
            process.delay(Constant(0.5))
        process.run(Constant(1.5))
    _, trace = traced(model)
    a, b = 0, 1
    assert [(line["ended"], line["took"], line["cpu"], line["process"], line["event"]) for line in trace.lines] == [
        (0.5, 0.5, 0, a, -1),
        (0.5, 0.5, 0, a, 0),
        (0.5, 0.5, 0, b, -1),
        (0.5, 0.5, 0, b, 0),
        (3.0, 2.5, 1.5, a, -1),
        (3.5, 3.0, 1.5, b, -1),
    ]


def test_no_room_is_refused() -> None:
    with pytest.raises(ValueError, match="room for one line"), tracing(limit=0):
        pass
