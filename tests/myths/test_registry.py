import inspect

import pytest

from raclab.evidence.measurement import Kind
from raclab.myths.base import Myth
from raclab.myths.levers import Levers
from raclab.myths.registry import myth, slugs
from raclab.paths import NOTEBOOKS, ORACLE_SCRIPTS

ALL = [myth(slug) for slug in slugs()]
every_myth = pytest.mark.parametrize("one", ALL, ids=slugs())


def test_an_unknown_slug_is_answered_with_the_known_ones() -> None:
    with pytest.raises(KeyError, match=r"There is no myth 'nonsense'; there are: .*nocache_sequences"):
        myth("nonsense")


def test_every_notebook_is_named_after_its_myth() -> None:
    names = {f"{one.number:02d}_{one.slug}" for one in ALL}
    assert {path.stem for path in NOTEBOOKS.glob("*.ipynb")} <= names


def test_no_two_myths_have_the_same_number() -> None:
    assert len({one.number for one in ALL}) == len(ALL)


@every_myth
def test_slug_names_module_and_script(one: Myth) -> None:
    assert inspect.getmodule(type(one)).__name__ == f"raclab.myths.{one.slug}"  # type: ignore[union-attr]
    if one.live:
        assert (ORACLE_SCRIPTS / one.live.script).is_file()


@every_myth
def test_levers_have_defaults_in_range_and_a_label(one: Myth) -> None:
    levers = one.levers()
    for name, spec in levers.specs().items():
        assert spec.label and spec.help, name
        assert spec.choices or spec.low < spec.high, name


@every_myth
def test_each_lever_moves_something(one: Myth) -> None:
    """From its lowest to its highest value each lever changes what is measured, beside the case's name."""
    base = one.levers()
    for name, spec in base.specs().items():
        ends = [_setting(one, base, name, value) for value in spec.ends]
        elapsed = [one.simulate(levers, [1]).sessions["elapsed_s"].sum() for levers in ends]
        assert elapsed[0] != elapsed[1], name


def _setting(one: Myth, base: Levers, name: str, value: object) -> Levers:
    # ORDER means something only with a cache; more jobs than cores are needed for cores to matter;
    # only a partitioned table has a local index
    context = {"order": {"cache": 20}, "cores": {"jobs": 8}, "index": {"partitioning": "list"}}.get(name, {})
    known = {other: setting for other, setting in context.items() if other in base.specs()}
    return one.levers(**(base.as_dict() | known | {name: value}))


@every_myth
def test_same_levers_and_seeds_same_result(one: Myth) -> None:
    levers = one.levers()
    first, again, other = (one.simulate(levers, [seed]) for seed in (5, 5, 6))
    assert first.sessions.equals(again.sessions) and first.waits.equals(again.waits)
    assert not first.sessions.equals(other.sessions)


@every_myth
def test_figure_has_the_same_traces_whatever_is_measured(one: Myth) -> None:
    published = one.published()
    shapes = []
    for levers in (one.levers(), *getattr(one, "presets", {}).values()):
        figure = one.figure([*published, one.simulate(levers, [1, 2])])
        shapes.append([(trace.type, trace.name) for trace in figure.data])
    assert all(shape == shapes[0] for shape in shapes)


@every_myth
def test_every_bar_and_every_sentence_says_what_kind_of_figure_it_is(one: Myth) -> None:
    measurements = [*one.published(), one.simulate(one.levers(), [1])]
    figure = one.figure(measurements)
    for measurement, label in zip(measurements, figure.data[0].y, strict=True):
        assert measurement.badge in label
        assert f"{measurement.badge}, {measurement.case}" in one.sentence(measurements)


@every_myth
def test_verdict_rows_carry_a_badge(one: Myth) -> None:
    assert set(one.verdict()["evidence"]) <= set(Kind)


@every_myth
def test_predictions_offer_the_measured_answer(one: Myth) -> None:
    for prediction in one.predictions:
        assert any(choice.startswith(prediction.measured) for choice in prediction.choices), prediction.name


@every_myth
def test_exercises_refuse_a_wrong_answer_and_name_no_right_one(one: Myth) -> None:
    for exercise in one.exercises:
        right, sentence = exercise.check(type(exercise.example)(1))
        assert not right and sentence, exercise.name
