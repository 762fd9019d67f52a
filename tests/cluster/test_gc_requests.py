"""What a wait for a block is made of, on paper and in the frames; both sides of a transfer tell the same."""

import numpy as np
import pandas as pd
import pytest
from documented import assert_columns_are_oracles

from raclab.cluster import gc_frames, gc_requests, gc_views
from raclab.cluster.ash_frame import history_of
from raclab.cluster.gc_frames import LMS_WORKS, SHOWN_PARTS, Accounts
from raclab.cluster.gc_requests import FLUSH, KINDS, MESSAGE, RECEIVER, WIRE, Built, Workload
from raclab.cluster.lms import TIME_SHARE
from raclab.cluster.machine_frames import osstat_of
from raclab.cluster.nodes import NodeSetup
from raclab.cluster.parameters import Hardware
from raclab.evidence.measurement import SESSION_COLUMNS, STAT_COLUMNS, WAIT_COLUMNS
from raclab.sim import Run, ops

SEEDS = [1, 2, 3]
BOTH_WAYS = ((0, 1), (1, 0))
STARVED = NodeSetup(lms=2, lms_priority=TIME_SHARE, lgwr_priority=TIME_SHARE, runnable=6)
CASES = {
    "healthy": {},
    "busy": {"busy_cr": 0.3, "busy_current": 0.1},
    "starved": {"setups": (NodeSetup(), STARVED), "busy_cr": 0.1},
    "4 nodes ask node 1": {"nodes": 4, "asks": ((1, 0), (2, 0), (3, 0)), "setups": (STARVED,), "busy_cr": 0.2},
    "full link": {"bandwidth_used": 0.8, "sessions": 2},
}

# Oracle 19c's columns of the views, as far as they bear on what the model knows.
DOCUMENTED = {
    "CR_BLOCK_SERVER": {
        *("CR_REQUESTS", "CURRENT_REQUESTS", "DATA_REQUESTS", "UNDO_REQUESTS", "TX_REQUESTS", "OTHER_REQUESTS"),
        *("FLUSHES", "FLUSHES_QUEUED", "FLUSH_QUEUE_FULL", "FLUSH_MAX_TIME"),
    },
    "CURRENT_BLOCK_SERVER": {f"{name}{limit}" for name in ("PIN", "FLUSH") for limit in (0, 1, 10, 100, 1000, 10000)},
    "INSTANCE_CACHE_TRANSFER": {
        *("INSTANCE", "CLASS", "LOST", "LOST_TIME"),
        *(f"{k}_{n}{t}" for k in ("CR", "CURRENT") for n in ("BLOCK", "2HOP", "3HOP", "BUSY", "CONGESTED") for t in ("", "_TIME")),
    },
    "OSSTAT": {"STAT_NAME", "VALUE", "OSSTAT_ID", "COMMENTS", "CUMULATIVE"},
}


def run(load: Workload, seeds: list[int] = SEEDS, sampling_s: float = float("inf")) -> tuple[Built, Accounts, list[Run]]:
    built = gc_requests.build(load, sampling_s)
    runs = gc_requests.simulate(built, seeds)
    return built, Accounts(built), runs


@pytest.fixture(scope="module", params=CASES)
def outcome(request: pytest.FixtureRequest) -> tuple[Built, Accounts, list[Run]]:
    return run(Workload(Hardware(), **({"asks": BOTH_WAYS, "blocks": 150} | CASES[request.param])))  # type: ignore[arg-type]


def alone(hardware: Hardware, **load: object) -> tuple[Built, Accounts, list[Run]]:
    """One session that asks, and nobody else about."""
    return run(Workload(hardware, ((1, 0),), sessions=1, blocks=60, **load), [1])  # type: ignore[arg-type]


def busy_waits(built: Built, runs: list[Run]) -> pd.DataFrame:
    """The waits without the pauses between two requests."""
    return gc_frames.waits(built, runs).query("wait_class != 'Idle'")


def by_event(built: Built, runs: list[Run]) -> pd.DataFrame:
    frame = busy_waits(built, runs).groupby("event")[["total_waits", "time_s"]].sum()
    return frame.assign(mean_s=frame["time_s"] / frame["total_waits"])


class TestOnPaper:
    def test_two_way_is_message_lms_wire_and_a_core(self, steady: Hardware) -> None:
        found = by_event(*alone(steady)[::2])
        request = steady.message_bytes / steady.bandwidth + steady.message_s
        wanted = request + steady.lms_cpu_s + steady.wire_s + steady.message_s + steady.receive_cpu_s
        assert set(found.index) == {"gc cr block 2-way", "gc current block 2-way"}
        assert found["mean_s"].to_numpy() == pytest.approx(wanted)

    def test_a_third_master_costs_a_message_and_an_lms_more(self, steady: Hardware) -> None:
        found = by_event(*alone(steady, nodes=3)[::2])["mean_s"]
        hop = steady.message_bytes / steady.bandwidth + steady.message_s + steady.lms_cpu_s
        for kind in KINDS:
            assert found[f"gc {kind} block 3-way"] - found[f"gc {kind} block 2-way"] == pytest.approx(hop)

    def test_a_third_master_is_as_frequent_as_a_hash_makes_it(self) -> None:
        built, _, runs = run(Workload(Hardware(), ((1, 0),), nodes=5, blocks=1000))
        found = by_event(built, runs)["total_waits"]
        three = sum(found[f"gc {kind} block 3-way"] for kind in KINDS) / found.sum()
        assert three == pytest.approx(3 / 5, abs=4 * np.sqrt(0.6 * 0.4 / found.sum()))

    def test_a_busy_block_waits_for_lgwr_and_the_write(self, steady: Hardware) -> None:
        quick, busy = (by_event(*alone(steady, busy_cr=share, cr_share=1.0)[::2])["mean_s"] for share in (0.0, 1.0))
        assert busy["gc cr block busy"] - quick["gc cr block 2-way"] == pytest.approx(steady.lgwr_cpu_s + steady.redo_write_s)

    def test_a_node_may_have_its_own_redo_write(self, steady: Hardware) -> None:
        load = {"busy_cr": 1.0, "cr_share": 1.0}
        slow = alone(steady, setups=(NodeSetup(redo_write_s=0.1),), **load)
        other = alone(steady, setups=(NodeSetup(), NodeSetup(redo_write_s=0.1)), **load)
        write = [by_event(*found[::2]).loc["gc cr block busy", "mean_s"] for found in (slow, other)]
        assert write[0] - write[1] == pytest.approx(0.1 - steady.redo_write_s)

    def test_other_traffic_delays_by_the_m_d_1_formula(self) -> None:
        """Poisson bursts of one size on each link: a request stands behind u s / (2 (1 - u)) of them on average."""
        used = 0.6
        built, accounts, runs = run(Workload(Hardware(), BOTH_WAYS, blocks=3000, bandwidth_used=used, sessions=2), list(range(1, 9)))
        hardware = built.load.hardware
        burst_s = built.load.other_bytes / hardware.bandwidth
        measured = [
            sum(flow.parts[MESSAGE] for flow in accounts.flows(one)) / sum(flow.blocks for flow in accounts.flows(one)) for one in runs
        ]
        idle = hardware.message_s + hardware.message_bytes / hardware.bandwidth
        own = 4 / 5.5e-3 * hardware.wire_s / hardware.bandwidth  # our own blocks use a few percent more of the link
        by_hand = idle + burst_s * used / (2 * (1 - used))
        assert own < 0.05
        assert np.mean(measured) == pytest.approx(by_hand, rel=0.06)
        for one in runs:
            assert one.sent / one.clock / hardware.bandwidth == pytest.approx(used, abs=0.06)


class TestAccounts:
    def test_parts_add_up_to_the_waits(self, outcome: tuple[Built, Accounts, list[Run]]) -> None:
        built, accounts, runs = outcome
        for number, one in enumerate(runs):
            waits = gc_frames.waits(built, [one])
            flows = accounts.flows(one)
            for kind in KINDS:
                of_kind = waits[waits["event"].str.startswith(f"gc {kind} ")]
                assert sum(flow.waited_s for flow in flows if flow.kind == kind) == pytest.approx(of_kind["time_s"].sum()), number
                assert sum(flow.blocks for flow in flows if flow.kind == kind) == of_kind["total_waits"].sum()
            assert all(seconds >= -1e-12 for flow in flows for seconds in flow.parts.values())

    def test_every_session_gets_all_its_blocks(self, outcome: tuple[Built, Accounts, list[Run]]) -> None:
        built, _, runs = outcome
        waits = busy_waits(built, runs).groupby(["run", "inst_id", "session"])["total_waits"].sum()
        assert set(waits) == {150}
        assert len(waits) == len(runs) * len(built.sessions) == len(gc_frames.sessions(built, runs))

    def test_frames_have_a_measurements_columns(self, outcome: tuple[Built, Accounts, list[Run]]) -> None:
        built, accounts, runs = outcome
        assert tuple(gc_frames.sessions(built, runs).columns) == SESSION_COLUMNS
        assert tuple(gc_frames.waits(built, runs).columns) == WAIT_COLUMNS
        assert tuple(gc_frames.stats(built, accounts, runs).columns) == STAT_COLUMNS

    def test_received_on_one_side_is_served_on_the_other(self, outcome: tuple[Built, Accounts, list[Run]]) -> None:
        built, accounts, runs = outcome
        totals = gc_frames.stats(built, accounts, runs).groupby("name")["value"].sum()
        for kind in KINDS:
            assert totals[f"gc {kind} blocks received"] == totals[f"gc {kind} blocks served"] > 0

    def test_db_time_is_cpu_and_waits_and_pauses(self, outcome: tuple[Built, Accounts, list[Run]]) -> None:
        built, accounts, runs = outcome
        totals = gc_frames.stats(built, accounts, runs).groupby(["run", "inst_id", "name"])["value"].sum()
        sessions = gc_frames.sessions(built, runs).groupby(["run", "inst_id"])[["cpu_s", "elapsed_s"]].sum()
        db_time = totals.xs("DB time", level="name")
        asking = db_time[db_time > 0]
        idle = gc_frames.waits(built, runs).query("wait_class == 'Idle'").groupby(["run", "inst_id"])["time_s"].sum()
        assert asking.to_numpy() == pytest.approx(100 * (sessions["elapsed_s"] - idle).to_numpy())
        waited = gc_frames.waits(built, runs).groupby(["run", "inst_id"])["time_s"].sum()
        assert (sessions["elapsed_s"] > waited).all()

    def test_a_servers_parts_are_parts_of_the_receivers_time(self, outcome: tuple[Built, Accounts, list[Run]]) -> None:
        built, accounts, runs = outcome
        totals = gc_frames.stats(built, accounts, runs).groupby("name")["value"].sum()
        for kind, work in zip(KINDS, ("build", "pin"), strict=True):
            served = sum(totals[f"gc {kind} block {part} time"] for part in (work, "flush", "send"))
            assert 0 < served < totals[f"gc {kind} block receive time"]

    def test_lms_cpu_is_the_work_for_blocks_and_for_masters(self, outcome: tuple[Built, Accounts, list[Run]]) -> None:
        built, accounts, runs = outcome
        for one in runs:
            for node in range(built.load.nodes):
                requests = int(one.tally["hits"][accounts.serves[node]].sum())
                assert accounts.lms_cpu_s(one, node) == pytest.approx(requests * accounts.service_s(one, node))
                assert accounts.lms_cpu_s(one, node) <= one.used[node] + 1e-9

    def test_parts_frame_is_what_the_flows_say(self, outcome: tuple[Built, Accounts, list[Run]]) -> None:
        _, accounts, runs = outcome
        frame = gc_frames.parts(accounts, runs)
        assert set(frame["part"]) == set(SHOWN_PARTS)
        assert frame["time_s"].sum() == pytest.approx(sum(flow.waited_s for one in runs for flow in accounts.flows(one)))


class TestViews:
    def test_columns_are_oracles(self) -> None:
        built, accounts, runs = run(Workload(Hardware(), BOTH_WAYS, blocks=50, busy_cr=0.2), [1], 0.01)
        views = gc_views.block_servers(built, accounts, runs) | gc_views.of_one_run(built, runs[0])
        assert_columns_are_oracles(views, DOCUMENTED)
        assert all(len(frame) for frame in views.values())

    def test_flushes_are_counted_on_the_node_that_serves(self) -> None:
        built, accounts, runs = run(Workload(Hardware(), ((1, 0),), blocks=200, busy_cr=0.3, busy_current=0.2))
        views = gc_views.block_servers(built, accounts, runs)
        waits = gc_frames.waits(built, runs).groupby(["run", "event"])["total_waits"].sum()
        cr = views["CR_BLOCK_SERVER"].set_index(["run", "INST_ID"])
        current = views["CURRENT_BLOCK_SERVER"].set_index(["run", "INST_ID"])
        for number in range(len(runs)):
            assert cr.loc[(number, 1), "FLUSHES"] == waits[number, "gc cr block busy"] > 0
            assert current.loc[(number, 1)].sum() == waits[number, "gc current block busy"] > 0
            assert cr.loc[(number, 2), "FLUSHES"] == current.loc[(number, 2)].sum() == 0
        asked = cr[["DATA_REQUESTS", "UNDO_REQUESTS", "TX_REQUESTS", "OTHER_REQUESTS"]].sum(axis=1)
        assert (asked == cr["CR_REQUESTS"] + cr["CURRENT_REQUESTS"]).all()

    @pytest.mark.parametrize(
        ("write_s", "column"), [(0.2e-3, "FLUSH1"), (5e-3, "FLUSH10"), (50e-3, "FLUSH100"), (0.5, "FLUSH1000"), (5.0, "FLUSH10000"),
                                (50.0, "FLUSH10000")]
    )  # fmt: skip
    def test_a_flush_stands_in_the_column_of_its_time(self, steady: Hardware, write_s: float, column: str) -> None:
        setups = (NodeSetup(redo_write_s=write_s),)
        built, accounts, runs = run(Workload(steady, ((1, 0),), setups, sessions=1, blocks=20, cr_share=0.0, busy_current=1.0), [1])
        row = gc_views.block_servers(built, accounts, runs)["CURRENT_BLOCK_SERVER"].iloc[0]
        assert row[column] == 20
        assert row.filter(like="FLUSH").sum() == 20

    def test_transfers_are_the_waits(self) -> None:
        built, _, runs = run(Workload(Hardware(), ((1, 0), (2, 0)), nodes=3, blocks=100, busy_cr=0.2), [1])
        rows = gc_views.instance_cache_transfer(built, runs[0]).set_index(["INST_ID", "INSTANCE"])
        waits = gc_frames.waits(built, runs)
        assert list(rows.index) == [(2, 1), (3, 1)]
        for kind in KINDS:
            of_kind = waits[waits["event"].str.startswith(f"gc {kind} ")].groupby("inst_id")[["total_waits", "time_s"]].sum()
            column = kind.upper()
            assert rows[f"{column}_BLOCK"].tolist() == of_kind["total_waits"].tolist()
            assert rows[f"{column}_BLOCK_TIME"].to_numpy() == pytest.approx(1e6 * of_kind["time_s"].to_numpy(), rel=1e-5)
            pieces = rows[[f"{column}_2HOP", f"{column}_3HOP", f"{column}_BUSY"]].sum(axis=1)
            assert (pieces == rows[f"{column}_BLOCK"]).all()

    def test_a_nodes_cores_are_busy_or_idle(self) -> None:
        built, _, runs = run(Workload(Hardware(), BOTH_WAYS, (NodeSetup(), NodeSetup(runnable=9)), blocks=100), [1])
        rows = osstat_of(gc_frames.ledger(built), runs[0]).set_index(["INST_ID", "STAT_NAME"])["VALUE"]
        for node in (1, 2):
            assert rows[node, "BUSY_TIME"] + rows[node, "IDLE_TIME"] == pytest.approx(100 * 4 * runs[0].clock, abs=1)
        assert rows[2, "IDLE_TIME"] <= 4 < rows[1, "IDLE_TIME"]  # the slices that the end of the run cuts off are not in BUSY_TIME
        assert 0 < rows[1, "LOAD"] < 4 and 9 * 0.95 < rows[2, "LOAD"] < 4 + 9  # what asks and serves comes on top of the batch

    def test_history_samples_waits(self) -> None:
        built, _, runs = run(Workload(Hardware(), BOTH_WAYS, (NodeSetup(), STARVED), blocks=100), [1], 0.005)
        history = history_of(gc_frames.ledger(built), runs[0]).query("session > 0")
        step = runs[0].sampled[1] - runs[0].sampled[0]
        spent = busy_waits(built, runs).groupby("event")["time_s"].sum()
        waiting = history["SESSION_STATE"] == "WAITING"
        assert set(history.loc[waiting, "EVENT"]) <= set(spent.index)
        assert history.loc[~waiting, ["EVENT", "WAIT_CLASS"]].isna().all(axis=None)
        cpu = np.array([where.activity == "think" for where in built.model.where]) & np.array(
            [op[0] == ops.RUN for op in built.model.program]
        )
        on_cpu_s = runs[0].tally["time"][cpu].sum()  # on a core or in line for one
        assert abs((~waiting).sum() - on_cpu_s / step) <= 5 * np.sqrt(on_cpu_s / step) + 2
        for event, seconds in spent.items():
            seen = int((history["EVENT"] == event).sum())
            assert abs(seen - seconds / step) <= 5 * np.sqrt(seconds / step) + 2


def test_names_of_the_parts_are_those_that_a_wait_is_made_of() -> None:
    assert {MESSAGE, LMS_WORKS, FLUSH, WIRE, RECEIVER} <= set(SHOWN_PARTS)
