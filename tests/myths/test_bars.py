"""Charts are made without plotly's checks; here plotly checks those of every myth."""

import json
from collections.abc import Sequence

import plotly.graph_objects as go
import pytest

from raclab.evidence.measurement import Measurement
from raclab.myths.bars import bar, drawn, stack_layout, written
from raclab.myths.base import Myth
from raclab.myths.registry import myth, slugs


def checked(figure: go.Figure) -> go.Figure:
    """The same figure by way of plotly's checks; ValueError for a property that plotly does not know."""
    return go.Figure(json.loads(figure.to_json(validate=False)))


def same(figure: go.Figure) -> bool:
    """Whether plotly, checking, would leave the figure as it is."""
    return bool(json.loads(checked(figure).to_json()) == json.loads(figure.to_json(validate=False)))


@pytest.mark.parametrize("one", [myth(slug) for slug in slugs()], ids=slugs())
def test_every_chart_of_a_myth_passes_plotlys_checks(one: Myth) -> None:
    simulated = one.simulate(one.levers(), [1, 2])
    sets: list[Sequence[Measurement]] = [[simulated], [*one.published(), simulated]]
    for measurements in sets:
        assert same(one.figure(measurements))


def test_a_wrong_property_is_found() -> None:
    labels = ["one", "two"]
    traces = [bar("CPU", "CPU", [1.0, 2.0], labels), written("what", [1.0, 2.0], labels, ["a", "b"])]
    layout = stack_layout("Where the time goes", len(labels), {"title": {"text": "seconds"}})
    assert same(drawn(traces, layout))
    for wrong in (drawn([traces[0] | {"orientation": "sideways"}], layout), drawn(traces, layout | {"barmod": "stack"})):
        with pytest.raises(ValueError, match=r"orientation|barmod"):
            checked(wrong)


def test_traces_and_layout_stay_the_callers() -> None:
    layout = stack_layout("Where the time goes", 1, {})
    trace = bar("CPU", "CPU", [float("nan")], ["one"])
    figure = drawn([trace], layout)
    figure.data[0].name = "other"
    figure.layout.title.text = "other"
    assert (trace["name"], trace["type"], trace["x"], layout["title"]["text"]) == ("CPU", "bar", [0.0], "Where the time goes")
