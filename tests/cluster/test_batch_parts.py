"""What the batch is put together from: services, row locks, the rightmost leaf, and the batch itself."""

import dataclasses

import pytest

from raclab.cluster import block_frames, cache_fusion, nodes, organizations, right_hand_leaf, row_locks
from raclab.cluster.organizations import Batch
from raclab.cluster.parameters import Hardware
from raclab.cluster.row_locks import ROW_LOCK
from raclab.cluster.services import Service
from raclab.errors import LabError
from raclab.evidence.measurement import SESSION_COLUMNS, STAT_COLUMNS, WAIT_COLUMNS
from raclab.sim import Constant, Model, Run, run


def waits(model: Model, outcome: Run, event: str) -> tuple[int, float]:
    if event not in model.events:
        return 0, 0.0
    tally = outcome.waits[:, model.events.index(event)]
    return int(tally["hits"].sum()), float(tally["time"].sum())


class TestServices:
    def test_sessions_go_round(self) -> None:
        assert Service("ORG1", (0, 2)).place(5) == [0, 2, 0, 2, 0]
        assert Service("ORG1", (0, 2)).place(3, first=1) == [2, 0, 2]

    @pytest.mark.parametrize("where", [(), (1, 1), (-1,)])
    def test_a_service_runs_somewhere_and_nowhere_twice(self, where: tuple[int, ...]) -> None:
        with pytest.raises(LabError, match="must run on one node or more"):
            Service("ORG1", where)


class TestRowLocks:
    @pytest.mark.parametrize("other_node", [0, 1])
    def test_the_second_waits_for_the_commit_of_the_first(self, steady: Hardware, other_node: int) -> None:
        """From another node, the news that the row is free takes a message."""
        model = Model()
        cluster = nodes.build(model, 2, steady)
        locks = row_locks.build(cluster, 3)
        row = model.cell(1)
        for node, starts, works in ((0, 0.0, 2.0), (other_node, 0.5, 0.0)):
            process = model.process(f"from {starts} s", cluster.cpus[node])
            process.delay(Constant(starts))
            locks.take(process, node, row)
            process.delay(Constant(works))
            locks.give_back(process, row)
            process.end()
        message = steady.message_s if other_node else 0.0
        assert waits(model, run(model), ROW_LOCK) == (1, pytest.approx(1.5 + message))

    def test_different_rows_do_not_meet(self, steady: Hardware) -> None:
        model = Model()
        cluster = nodes.build(model, 2, steady)
        locks = row_locks.build(cluster, 2)
        for node in (0, 1):
            process, row = model.process(f"on {node}", cluster.cpus[node]), model.cell(node)
            locks.take(process, node, row)
            process.delay(Constant(1.0))
            locks.give_back(process, row)
            process.end()
        outcome = run(model)
        assert outcome.clock == 1.0
        assert waits(model, outcome, ROW_LOCK) == (0, 0.0)


class TestRightHandLeaf:
    @pytest.mark.parametrize("partitions", [1, 2])
    def test_no_entry_is_lost_and_a_full_leaf_is_split(self, partitions: int) -> None:
        model, capacity, each = Model(), 10, 25
        cluster = nodes.build(model, 2, Hardware())
        total = 2 * 2 * each
        fusion = cache_fusion.build(cluster, right_hand_leaf.blocks_needed(partitions, total, capacity))
        leaves = right_hand_leaf.build(cluster, 0, partitions, total, capacity)
        start = [model.cells[leaves.leaf + number] for number in range(partitions)]
        for node in (0, 1):
            for number in (0, 1):
                process, partition = model.process(f"{number} on {node}", cluster.cpus[node]), model.cell(node % partitions)
                with process.loop(each):
                    leaves.insert(fusion.session(process, node), partition, 1e-4)
                process.end()
        cells = run(model).cells
        splits = [int(cells[leaves.leaf + number]) - first for number, first in enumerate(start)]
        entries = [capacity * count + capacity - int(cells[leaves.left + number]) for number, count in enumerate(splits)]
        assert entries == [total // partitions] * partitions
        assert sum(splits) == total // capacity

    def test_one_leaf_for_two_nodes_is_a_hot_block(self) -> None:
        hot, apart = (
            block_frames.waits(built, organizations.simulate(built, [1]))
            for built in (
                organizations.build(Batch(Hardware(), rows=200, gets=0, partitioning="list", local_index=local)) for local in (False, True)
            )
        )
        gc = [frame[frame["wait_class"] == "Cluster"]["time_s"].sum() for frame in (hot, apart)]
        assert gc[0] > 10 * gc[1]


class TestBatch:
    @pytest.mark.parametrize(
        ("changes", "common", "own"),
        [
            ({}, 800, 0),
            ({"overlap": 0.5}, 400, 200),
            ({"overlap": 0.0}, 0, 400),
            ({"partitioning": "list"}, 0, 400),
            ({"partitioning": "hash"}, 800, 0),
            ({"rows_per_block": 40_000}, 2, 0),
        ],
    )
    def test_blocks(self, changes: dict[str, object], common: int, own: int) -> None:
        case = dataclasses.replace(Batch(Hardware()), **changes)  # type: ignore[arg-type]
        assert (case.common_blocks, case.own_blocks) == (common, own)

    @pytest.mark.parametrize(
        ("affinity", "count", "nodes_of"), [(True, 2, [{0}, {1}]), (False, 2, [{0, 1}, {0, 1}]), (True, 1, [{0}, {0}])]
    )
    def test_services_place_the_threads(self, affinity: bool, count: int, nodes_of: list[set[int]]) -> None:
        built = organizations.build(Batch(Hardware(), nodes=count, affinity=affinity, threads=4))
        placed = [{node for node, _, of, _, _ in built.sessions if of == number} for number in (0, 1)]
        assert placed == nodes_of

    @pytest.mark.parametrize("threads", [1, 3, 7])
    def test_every_row_is_worked_on_once(self, threads: int) -> None:
        built = organizations.build(Batch(Hardware(), threads=threads, rows=100))
        assert sum(thread[4] for thread in built.sessions) == 200
        changed = run(built.model).cells[built.fusion.cluster.changed :][:2].sum()
        assert changed == 2 * 200 + 0, "a change of the row's block and one of a leaf each, and none of the 200 fills a leaf"

    def test_frames_have_a_measurements_columns_and_add_up(self) -> None:
        built = organizations.build(Batch(Hardware(), rows=100))
        runs = organizations.simulate(built, [1, 2])
        sessions, waited, stats = (make(built, runs) for make in (block_frames.sessions, block_frames.waits, block_frames.stats))
        assert tuple(sessions.columns) == SESSION_COLUMNS
        assert tuple(waited.columns) == WAIT_COLUMNS
        assert tuple(stats.columns) == STAT_COLUMNS
        by_name = stats.pivot(index=["run", "inst_id"], columns="name", values="value")
        assert by_name["DB time"].to_numpy() == pytest.approx(100 * sessions.groupby(["run", "inst_id"])["elapsed_s"].sum().to_numpy())
        assert (by_name["consistent gets"] == 300).all()
        for kind in ("cr", "current"):
            total = by_name.groupby("run").sum()
            assert (total[f"gc {kind} blocks received"] == total[f"gc {kind} blocks served"]).all()
        key = ["run", "inst_id", "session"]
        rest = sessions.set_index(key)["elapsed_s"] - sessions.set_index(key)["cpu_s"] - waited.groupby(key)["time_s"].sum()
        assert (rest > -1e-9).all()
        assert rest.max() < 0.1 * sessions["elapsed_s"].max(), "what is left is the queue for a core"
