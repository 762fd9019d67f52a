"""The validation table of docs/kernel.md: each queue with its known answer, what the kernel measures, and the interval."""

from collections.abc import Callable

from raclab.bench import closed_forms
from raclab.bench.queues import Estimate, Queue, all_queues

BEGIN, END = "<!-- validation table: python -m raclab bench --validation -->", "<!-- end of the validation table -->"

FORMULAS: dict[Callable[..., object], str] = {
    closed_forms.wait_with_servers: "Erlang C; Gross and Harris, ch. 2",
    closed_forms.wait_with_any_service: "Pollaczek and Khinchine; Kleinrock 1, ch. 5",
    closed_forms.times_with_preemption: "preemptive resume; Kleinrock 2, ch. 3",
    closed_forms.waits_without_preemption: "Cobham 1954; Kleinrock 2, ch. 3",
    closed_forms.wait_for_repair: "finite source; Gross and Harris, ch. 2",
    closed_forms.rounds_of_a_closed_network: "mean value analysis; Reiser and Lavenberg 1980",
    closed_forms.time_of_a_group_commit: "balance equations, solved",
}


def row(queue: Queue, estimate: Estimate) -> str:
    """One line of the table."""
    low, high = estimate.interval
    off = (estimate.mean - queue.exact) / estimate.standard_error
    figures = f"{queue.exact:.4f} | {estimate.mean:.4f} | {low:.4f} to {high:.4f} | {off:+.1f}"
    return f"| {queue.name} | {queue.figure} | {FORMULAS[queue.formula]} | {figures} |"


def markdown() -> str:
    """The whole table, between its two marks."""
    head = "| queue | figure | formula and source | exact | simulated | 95 % interval | standard errors off |"
    rule = "| --- | --- | --- | ---: | ---: | --- | ---: |"
    return "\n".join([BEGIN, head, rule, *(row(queue, queue.simulate()) for queue in all_queues()), END])
