"""The report's figures are those of the views' SQL and of the simulation; sections without figures are left out."""

import re
from pathlib import Path

import pytest

import raclab
from raclab.database.embedded import EmbeddedLab
from raclab.evidence import awr as formulas
from raclab.evidence.measurement import Kind
from raclab.reports.errors import ReportError
from raclab.reports.layout import Column, table, time
from raclab.reports.report import MOST_SHOWN, Report

LINE = re.compile(r"\s*(\S.*?):\s+([\d,.]+)(?:\s+([\d,.]+))?")


@pytest.fixture(scope="module")
def lab():
    with EmbeddedLab() as made:
        yield made


@pytest.fixture(scope="module")
def blocks(lab):
    """Half a second of redo write on one node: what a node got, served and flushed."""
    measured = lab.run(raclab.myth("interconnect_blame"), {}, seed=4)
    return measured, lab.snapshot("after the blocks")


@pytest.fixture(scope="module")
def report(lab, blocks):
    return lab.awr_report(end=blocks[1], instance=1)


def sections(text):
    """The lines under each title."""
    parts = re.split(r"^(.+)\n~+\n", text, flags=re.MULTILINE)
    return {title: body.rstrip().splitlines() for title, body in zip(parts[1::2], parts[2::2], strict=True)}


def rows_of(lines):
    """The lines under the rule."""
    rule = max(place for place, line in enumerate(lines) if line.startswith("--"))
    return lines[rule + 1 :]


def number(text):
    return float(text.replace(",", ""))


def test_the_head_says_what_it_is(report, blocks):
    assert report.lines()[:2] == [
        "RAC MYTHS LAB: SIMULATED CLUSTER",
        "Every figure is SIMULATED. The layout is AWR's, the cluster is no Oracle database.",
    ]
    assert report.kind is Kind.SIMULATED
    assert re.search(rf"  End Snap: +{blocks[1]} .*after the blocks", report.text)


def test_top_events_are_those_of_the_views(lab, report):
    rows = lab.sql(
        "select event, wait_class, total_waits_fg, time_waited_micro_fg from v$system_event "
        "where wait_class <> 'Idle' and total_waits_fg > 0 order by 4 desc"
    ).frame
    db_time = float(lab.sql("select value from v$sys_time_model where stat_name = 'DB time'").frame.iloc[0, 0])
    top = rows_of(sections(report.text)["Top 10 Foreground Events by Total Wait Time"])
    lines = [line for line in top if not line.startswith("DB CPU")]
    assert len(lines) == min(10, len(rows)) >= 3
    for line, (event, wait_class, waits, micro) in zip(lines, rows.itertuples(index=False), strict=True):
        found = re.match(r"(.{30}) +([\d,]+) +([\d,.]+) +(\S+) +([\d.]+) (\w.*)", line)
        assert found, line
        assert found[1].strip() == event and found[6].strip() == wait_class
        assert number(found[2]) == waits
        assert number(found[3]) == pytest.approx(micro / 1e6, abs=0.05)
        assert found[4] == time(micro / waits)
        assert number(found[5]) == pytest.approx(100 * micro / db_time, abs=0.05)


def test_the_clusters_averages_are_the_simulations_own(report, blocks):
    measured, _ = blocks
    wanted = formulas.averages(measured).xs(1, level="inst_id").iloc[0].dropna()
    lines = [LINE.match(line) for line in sections(report.text)["Global Cache and Enqueue Services - Workload Characteristics"]]
    found = {match[1].lower().removesuffix(" (ms)").removesuffix(" %"): number(match[2]) for match in lines}
    assert set(found) == set(wanted.index) and len(found) >= 8
    counted = measured.stats[measured.stats["inst_id"] == 1].set_index("name")["value"]
    for label, value in found.items():
        kind = "cr" if " cr " in label else "current"
        flushes = found[f"global cache log flushes for {kind} blocks served"] / 100 * counted[f"gc {kind} blocks served"]
        times = flushes if "flush time" in label else counted[f"gc {kind} blocks {'received' if 'receive' in label else 'served'}"]
        # V$SYSSTAT has whole hundredths of a second
        assert value == pytest.approx(wanted[label], abs=0.006 + (5 / times if label.endswith("time") else 0)), label
    # and those are the means of the waits themselves
    waits = measured.waits[(measured.waits["inst_id"] == 1) & measured.waits["event"].str.startswith("gc cr block")]
    assert found["avg global cache cr block receive time"] == pytest.approx(
        1000 * waits["time_s"].sum() / waits["total_waits"].sum(), abs=0.006
    )


def test_the_load_profile_is_a_second_of_the_interval(lab, report):
    profile = {match[1]: number(match[2]) for line in sections(report.text)["Load Profile"] if (match := LINE.match(line))}
    received = "select sum(value) from v$sysstat where name in ('gc cr blocks received', 'gc current blocks received')"
    seconds = lab.delta(end="after the blocks").seconds
    assert profile["Global Cache blocks received"] == pytest.approx(float(lab.sql(received).frame.iloc[0, 0]) / seconds, abs=0.06)
    db_time = lab.sql("select value / 1000000 from v$sys_time_model where stat_name = 'DB time'").frame.iloc[0, 0]
    assert profile["DB Time(s)"] == pytest.approx(float(db_time) / seconds, abs=0.0006)


def test_histograms_add_up_to_all_waits(report):
    for line in rows_of(sections(report.text)["Wait Event Histogram"]):
        shares = [float(cell) for cell in line[40:].split()]
        assert sum(shares) == pytest.approx(100, abs=0.05 * len(shares) + 0.2), line


def test_served_and_transferred_blocks(lab, report):
    found = sections(report.text)
    served = {line[:30].strip(): number(line[30:]) for line in rows_of(found["Global CR Served Stats"])}
    assert served["CR Block Requests"] == lab.sql("select cr_requests from v$cr_block_server").frame.iloc[0, 0]
    transfer = rows_of(found["Global Cache Transfer Stats"])[0].split()
    received = int(lab.sql("select cr_2hop + nvl(cr_3hop, 0) + cr_busy from v$instance_cache_transfer").frame.iloc[0, 0])
    assert transfer[:3] == ["2", "data", "block"] and number(transfer[3]) == received


def test_other_myths_fill_other_sections(lab):
    lab.run(raclab.myth("latch_spin_cpu"), {"sessions": 4}, seed=1)
    of_latches = sections(lab.awr_report().text)
    (latch,) = [line for line in of_latches["Latch Sleep Breakdown"] if line.startswith("cache buffers chains")]
    misses = lab.sql("select misses, spin_gets from v$latch where name = 'cache buffers chains'").frame.iloc[0]
    assert number(latch.split()[4]) == misses["MISSES"] and number(latch.split()[6]) == misses["SPIN_GETS"]
    assert not {"Global Cache Load Profile", "Dictionary Cache Stats", "Enqueue Activity"} & set(of_latches)
    lab.run(raclab.myth("nocache_sequences"), {"cache": 20}, seed=1)
    of_sequences = sections(lab.awr_report().text)
    assert "Latch Activity" not in of_sequences
    cache = next(line for line in of_sequences["Dictionary Cache Stats"] if line.startswith("dc_sequences"))
    assert number(cache.split()[1]) == number(cache.split()[3]) == 500


def test_all_instances_side_by_side(lab):
    lab.run(raclab.myth("nocache_sequences"), {"nodes": 3}, seed=1)
    text = lab.awr_report(instance="all").text
    top = [line.split() for line in rows_of(sections(text)["Top Timed Foreground Events"]) if "row cache lock" in line]
    assert [line[0] for line in top] == ["1", "2", "3"]
    of_instances = lab.delta().events.frame
    wanted = of_instances[of_instances["EVENT"] == "row cache lock"].sort_values("INST_ID")["TOTAL_WAITS"].tolist()
    assert [number(line[4]) for line in top] == wanted
    assert len(rows_of(sections(text)["Load Profile, per Second"])) == 3


def test_nothing_between_the_snapshots_is_a_head_alone(lab):
    begin, end = lab.snapshot(), lab.snapshot()
    assert sections(lab.awr_report(begin, end).text) == {}


def test_no_line_is_wider_than_a_screen_of_text(report):
    assert max(map(len, report.lines())) <= 132


def test_a_report_in_a_cell_and_in_a_file(tmp_path: Path, report):
    assert "<pre" in report._repr_html_() and "SIMULATED" in report._repr_html_() and 'tabindex="0"' in report._repr_html_()
    assert report.save(tmp_path / "awr.txt").read_text(encoding="utf-8") == str(report)
    with pytest.raises(ReportError, match=r"can't be written .*name a file in a folder of your own"):
        report.save(tmp_path / "nowhere" / "awr.txt")
    long = Report("long", "line <&>\n" * (MOST_SHOWN + 5), Kind.SIMULATED, "a test")
    assert "... 5 more lines" in repr(long) and "... 5 more lines" in long._repr_html_() and "&lt;&amp;&gt;" in long._repr_html_()
    assert str(long).count("\n") == MOST_SHOWN + 5


def test_columns_keep_numbers_and_cut_names():
    text = table([Column("Name", 4, left=True), Column("Much\nof it", 5)], [["a long name", "1,234,567"]])
    assert text == "      Much\nName of it\n---- -----\na lo 1,234,567"


@pytest.mark.parametrize(
    ("microseconds", "text"),
    [(0, "0"), (0.5, "500.00ns"), (12, "12.00us"), (999.9, "999.90us"), (10_034, "10.03ms"), (2_500_000, "2.50s"), (float("nan"), "")],
)
def test_times_in_the_unit_that_suits_them(microseconds, text):
    assert time(microseconds) == text
