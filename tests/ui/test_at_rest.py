"""What every myth's levers show once nothing moves any more: the last position, from all seeds, as if nothing had been shown before."""

import json
import re

import pytest

from raclab.myths.registry import myth, slugs
from raclab.sim.watch import Watch, watching
from raclab.ui import explore
from raclab.ui.context import Context
from raclab.ui.explore import FIRST_SEEDS, Explorer
from raclab.ui.parameters import Parameters
from raclab.ui.store import Store

SETTLED_S = 120.0
FIRST_ANSWER_EVENTS = 2_500_000  # that of the sequence at 8 nodes has 2.1 million: 8 x 10,000 inserts, each some 13 events


@pytest.mark.parametrize("slug", slugs())
def test_a_drag_ends_at_the_figures_of_a_full_run(slug: str, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each move is answered from few seeds first and overtaken by the next one, except the last."""
    monkeypatch.setattr(explore, "AT_ONCE_S", 0.0)
    one = myth(slug)
    explorer = Explorer(Context(one, Parameters(None, 1, False), store))
    for name, spec in one.levers.specs().items():
        for value in (getattr(one.levers(), name), *spec.ends):
            explorer.move(one.levers.at({name: value}))
    assert explorer.settle(SETTLED_S)
    assert explorer.failures == []
    levers = one.levers.at({name: value})
    assert explorer.levers == levers
    simulated, published = one.simulate(levers, range(1, 9)), one.published()
    assert simulated.runs == 8
    assert json.loads(explorer.chart.figure) == json.loads(one.figure([*published, simulated]).to_json(validate=False))
    assert explorer.chart.alt == one.sentence([simulated, *published])
    words = "".join(child.value for child in explorer.children if hasattr(child, "value"))
    assert 'data-raclab-seeds="8"' in words and re.search(r"seeds 1 to 8(;|$)", words) and "so far" not in words


@pytest.mark.parametrize("slug", slugs())
def test_a_first_answer_is_little_work_wherever_a_lever_stands(slug: str) -> None:
    """In events, which every machine counts alike. A model that needs more would leave a learner waiting."""
    one = myth(slug)
    for name, spec in one.levers.specs().items():
        for value in spec.ends:
            with watching(Watch()) as watch:
                measured = one.simulate(one.levers.at({name: value}), range(1, 1 + FIRST_SEEDS))
            assert measured.runs == FIRST_SEEDS
            assert watch.events <= FIRST_ANSWER_EVENTS, (name, value)
