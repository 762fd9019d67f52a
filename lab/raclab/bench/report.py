"""What the benchmark prints: tables of medians with smallest and largest, what was aimed at, and whether it is met."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from raclab.bench.agreement import Agreement, mean_and_interval
from raclab.bench.database import PEER, Timed, below
from raclab.bench.moves import Move, slowest
from raclab.bench.scale import FEW
from raclab.bench.timing import Race, Spread, short

MILLI = 1000.0
KERNEL = "kernel"
AIM_RATIOS = {"SimPy": 100.0, "cimba": 4.0}
AIM_SCALE_S, AIM_SCALE_MB, AIM_SCALE_COST = 2.0, 500.0, 3.0
AIM_WAITS_S = {"8 seeds x 20,000 inserts": 0.1, "fresh process: import raclab": 1.0, "fresh process: then its first call, 8 seeds": 1.0}
AIM_MOVE_S = 0.1
AIM_CONNECT_S, AIM_LOADING_S, AIM_SEEN_S, AIM_FIRST_S = 0.02, 0.1, 0.05, 0.15
SLOWEST = 5


@dataclass(frozen=True)
class Raced:
    """One case: the times of everybody, and whether the means agree with cimba's, whose first run took ``first_s`` with compiling."""

    name: str
    race: Race
    agreements: Sequence[Agreement] = field(default_factory=list)
    first_s: float = 0.0


def how(rounds: int, no_cimba: str, *, judge: bool) -> str:
    """How the times are taken."""
    lines = [
        f"Each of {rounds} rounds: everybody once with the round's seed, one after the other in this process; who begins changes.",
        "Kernel and SimPy draw the same numbers, and what they compute must be equal to the last bit. Building the model counts for both.",
        no_cimba
        or "cimba draws numbers of its own: its means must agree. Setting up and compiling don't count; it is told to keep no histories.",
    ]
    return "\n".join(lines if judge else [*lines, "Small models: the aims are those of the full run, and not judged here."])


def print_races(raced: Sequence[Raced], *, judge: bool) -> None:
    """A line for each case and engine; aims are for the full size, and judged only there."""
    rows = []
    for one in raced:
        for name, spread in one.race.times.items():
            ratio, times = one.race.ratio(name, KERNEL), (f"{short(spread.median * MILLI)} ms", spread.range(MILLI))
            if name == KERNEL:
                rows.append((one.name, name, *times, "1", "", "", "", ""))
                continue
            aim = f">= {AIM_RATIOS[name]:g}", _met(ratio.median >= AIM_RATIOS[name], judge)
            rows.append((one.name, name, *times, short(ratio.median), ratio.range(), *aim, _verdict(one, name)))
    _print_table(("case", "engine", "median", "range", "ratio to kernel", "range", "aim", "met", "computes"), rows)


def print_agreements(raced: Sequence[Raced]) -> None:
    """A line for each figure that was compared with cimba's; nothing without cimba."""
    rows = [
        (
            one.name,
            agreement.figure,
            mean_and_interval(agreement.ours),
            mean_and_interval(agreement.theirs),
            f"{agreement.standard_errors_off:+.1f}",
            "yes" if agreement.holds else "NO",
            f"{one.first_s:.1f} s" if not number else "",
        )
        for one in raced
        for number, agreement in enumerate(one.agreements)
    ]
    if rows:
        replications = len(raced[0].agreements[0].ours)
        head = f"mean of {replications} runs (95 % interval): kernel"
        _print_table(("case", "figure", head, "cimba", "standard errors off", "agree", "cimba's first run, compiling"), rows)


def print_scale(nodes: int, sessions: int, cases: Mapping[str, Mapping[str, Spread]], *, judge: bool) -> None:
    """A large cluster in fresh processes."""
    rows = []
    for case, spreads in cases.items():
        total, cost = spreads["total_s"], spreads["cost"]
        rows.append(
            (case, "build, run and frames", total.text("ms", MILLI), f"< {AIM_SCALE_S:g} s", _met(total.median < AIM_SCALE_S, judge))
        )
        rows += [(case, f"of that, {name}", spreads[f"{name}_s"].text("ms", MILLI), "", "") for name in ("build", "run", "frames")]
        if "peak_mb" in spreads:
            peak = spreads["peak_mb"]
            rows.append(
                (case, "peak memory of the process", peak.text("MB"), f"< {AIM_SCALE_MB:g} MB", _met(peak.median < AIM_SCALE_MB, judge))
            )
        rows.append((case, "events", f"{spreads['events'].median:,.0f}", "", ""))
        for count, name in ((nodes, "large"), (FEW, "small")):
            rows.append((case, f"CPU an event, {count} nodes", spreads[f"ns_{name}"].text("ns"), "", ""))
        aim = f"<= {AIM_SCALE_COST:g}"
        rows.append((case, f"{nodes} nodes over {FEW}, pair by pair", cost.text("x"), aim, _met(cost.median <= AIM_SCALE_COST, judge)))
    _print_table((f"{nodes} nodes x {sessions} sessions", "what, in a fresh process", "median (range)", "aim", "met"), rows)


def print_waits(moves: Mapping[str, Spread], fresh: Sequence[Mapping[str, float]]) -> None:
    """What somebody at the notebook waits for."""
    started = {
        "fresh process: import raclab": "import",
        "fresh process: then import of the myth (numba, pandas, plotly)": "myth",
        "fresh process: then its first call, 8 seeds": "call",
    }
    waits = {**moves, **{name: Spread(tuple(one[key] for one in fresh)) for name, key in started.items()}}
    rows = []
    for name, spread in waits.items():
        aim = AIM_WAITS_S.get(name)
        rows.append((name, spread.text("ms", MILLI), f"< {aim * MILLI:,.0f} ms" if aim else "", _met(spread.median < aim) if aim else ""))
    _print_table(("what a learner waits for", "median (range)", "aim", "met"), rows)


def print_moves(by_myth: Sequence[Sequence[Move]], *, judge: bool) -> None:
    """Levers moved back to their defaults and to their ends, one at a time: of each myth the defaults and the slowest end."""
    rows = []
    for moves in by_myth:
        default, end = moves[0], slowest(moves[1:])
        met = _met(end.first.median < AIM_MOVE_S and default.first.median < AIM_MOVE_S, judge)
        for move, verdict in ((default, ""), (end, met)):
            first, whole = (spread.text("ms", MILLI) for spread in (move.first, move.whole))
            rows.append((move.slug, move.to or "defaults", first, whole, f"< {AIM_MOVE_S * MILLI:g} ms" if verdict else "", verdict))
    head = ("a lever is moved", "to", "to the first chart: median (range)", "to that of all seeds", "aim of the first", "met")
    _print_table(head, rows)


def print_database(timed: Timed, *, judge: bool) -> None:
    """Connecting and loading; the diagnostic statements, and the slowest of them. Each beside the trivial statement of the same moment."""
    names = {
        "connect": "fresh process: import raclab and connect",
        "first": "fresh process: then its first statement",
        "change": "fresh process: later its first INSERT",
    }
    rows = [(names[name], one.times.text("ms", MILLI), one.ratios.text("x"), "", "") for name, one in timed.started.items()]
    aimed = [("a further client connects", timed.connecting, AIM_CONNECT_S)]
    aimed += [(f"loading {slug}", one, AIM_LOADING_S) for slug, one in timed.loading.items()]
    for what, one, aim in aimed:
        met = _met(one.times.median < aim, judge)
        rows.append((what, one.times.text("ms", MILLI), one.ratios.text("x"), f"< {aim * MILLI:g} ms", met))
    _print_table(("the lab database", "median (range)", f"over {PEER}: median (range)", "aim", "met"), rows)
    asked = (
        ("the first time", AIM_FIRST_S, [one.first for one in timed.asked]),
        ("once seen", AIM_SEEN_S, [one.seen for one in timed.asked]),
    )
    spread = [
        (
            when,
            *(f"{short(below(share, values) * MILLI)} ms" for share in (0.5, 0.95, 1.0)),
            f"< {aim * MILLI:g} ms",
            _met(max(values) < aim, judge),
        )
        for when, aim, values in asked
    ]
    _print_table((f"{len(timed.asked)} diagnostic statements", "median", "95 % within", "slowest", "aim of the slowest", "met"), spread)
    slow = [
        (f"{short(one.seen * MILLI)} ms", f"{short(one.ratio)} x", f"{short(one.first * MILLI)} ms", " ".join(one.text.split())[:90])
        for one in sorted(timed.asked, key=lambda one: -one.seen)[:SLOWEST]
    ]
    _print_table(("once seen", f"over {PEER}", "the first time", "the slowest of them once seen"), slow)


def faults(raced: Sequence[Raced]) -> list[str]:
    """A sentence for whatever computes something else than the kernel."""
    different = [one.name for one in raced if not one.race.equal(KERNEL, "SimPy")]
    apart = [f"{one.name}: {agreement.figure}" for one in raced for agreement in one.agreements if not agreement.holds]
    sentences = []
    if different:
        sentences.append(f"The kernel and SimPy disagree on: {'; '.join(different)}. This is a fault in the kernel or in the peer.")
    if apart:
        sentences.append(
            f"The kernel's means and cimba's are too far apart: {'; '.join(apart)}. This is a fault in the kernel or the peer."
        )
    return sentences


def _verdict(one: Raced, name: str) -> str:
    if name == "SimPy":
        return f"the same in all {len(one.race.answers[name])} rounds" if one.race.equal(KERNEL, name) else "DIFFERENT"
    return "the same on average" if all(agreement.holds for agreement in one.agreements) else "DIFFERENT"


def _met(met: bool, judge: bool = True) -> str:
    return ("yes" if met else "no") if judge else "-"


def _print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    print()
    for row in (head, ["-" * width for width in widths], *rows):
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
