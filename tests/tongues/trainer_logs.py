"""trainer_logs.py - what the writers of trainers' logs share: lines in the order of time, and what such a log leaves to be read.

A writer is a function of the runs of one job. It gives the lines of each run, and the spans and commits that they stand for by the rules of
docs/formats/log.md, in seconds: what it does not print is no part of these.
"""

from dataclasses import replace

from story import MILLION


class Log:
    """The lines of one run, and what is to be read from them."""

    def __init__(self):
        self.lines, self.spans, self.commits = [], [], []

    def line(self, at, text):
        self.lines.append((at, len(self.lines), text))

    def span(self, kind, start, end, step=None, flops=None):
        self.spans.append(dict(kind=kind, start_time=start, end_time=end, step=step, flops=flops))

    def commit(self, step, durable):
        self.commits.append(dict(step=step, durable_time=durable))

    def text(self):
        return "".join(text + "\n" for _, _, text in sorted(self.lines, key=lambda line: line[:2]))


def seconds(at):
    return at / MILLION


def compile_before(run, first):
    """The compilation that ends where the first step begins: part of what a trainer prints as that step."""
    return next((s for s in run.spans if s.kind == "compile" and s.end == first.start), None)


def without_pauses(runs):
    """Of the steps of each run of a job, as (seconds, how many steps), those in which no pause may lie: none takes three times as long as
    most and a minute more."""
    each = sorted(took / n for run in runs for took, n in run)
    most = each[(len(each) - 1) // 2] if each else 0
    return [[(took, n) for took, n in run if took / n <= 3 * most or took <= 60 + most] for run in runs]


def excess(log, steps):
    """`compile` of a run: what the first step took over the mean of the others. Steps are (start in seconds, how long)."""
    others = [took for _, took in steps[1:]]
    if others and steps[0][1] > sum(others) / len(others):
        log.span("compile", steps[0][0], steps[0][0] + steps[0][1] - sum(others) / len(others))


def counted_from_one(runs):
    """The runs, with their steps and saves numbered from 1 on, as the trainers of PyTorch do."""
    if min((s.step for run in runs for s in run.spans if s.step is not None), default=1) > 0:
        return runs
    return [
        replace(
            run,
            spans=[replace(s, step=None if s.step is None else s.step + 1) for s in run.spans],
            commits=[replace(c, step=c.step + 1) for c in run.commits],
        )
        for run in runs
    ]


def resumed(runs, i):
    """The checkpoint that run i went on from, None where it began anew: the step before its first, where earlier runs have done that."""
    steps = [[s.step for s in run.spans if s.step is not None] for run in runs]
    if not steps[i] or not any(steps[:i]):
        return None
    first = min(steps[i]) - 1
    return first if first >= min(min(s) for s in steps[:i] if s) else None
