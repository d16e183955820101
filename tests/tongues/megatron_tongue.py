"""megatron_tongue.py - runs of a job as Megatron-LM's log tells of them: a line an iteration, timed without what comes between two.

What comes between two lines is of the last thing that they say in between. Saves inside of an iteration, input and hangs are part of it.
"""

from story import MILLION, stamp
from trainer_logs import Log, excess, resumed, seconds


def megatron(runs, steps_of_job, one_file):
    """[Log], one for each piece of each run: a job that was resized says anew what it runs on. In files of their own each stands alone."""
    logs, kept = [], None
    for i, run in enumerate(runs):
        for start, end, chips in run.pieces:
            inside = [s for s in run.steps() if start <= s.end < end or s.end == end == run.end]
            loaded = resumed(runs, i) if start == run.start else None
            logs.append(write_piece(run, inside, start, end, chips, steps_of_job, loaded))
            kept = None if inside else kept if loaded is None else loaded
    if (
        kept is not None and one_file
    ):  # the last runs came to no step, and what they loaded had been saved: what came after it is lost
        log, ended = [(log, s["end_time"]) for log in logs for s in log.spans if s["kind"] == "step"][-1]
        log.span("restore", ended - 1e-6, ended - 1e-6, kept)
    return logs


def write_piece(run, steps, start, end, chips, steps_of_job, loaded):
    log, printed = Log(), []
    log.line(
        start,
        f"using world size: {int(chips)}, data-parallel size: {int(chips)}, tensor-model-parallel size: 1, pipeline-model-parallel size: 1",
    )
    before = None
    for step in steps:
        took = round((step.end - step.start) / MILLION, 4)
        rate = round(step.flops / took / chips / 1e12, 1) if step.flops else None
        told = "" if rate is None else f"throughput per GPU (TFLOP/s/GPU): {rate:.1f} | "
        log.line(
            step.end,
            f" [{stamp(step.end)}] iteration {step.step:8}/{steps_of_job:8} | consumed samples: {step.step * 64:12} | "
            f"elapsed time per iteration (ms): {took * 1000:.1f} | {told}"
            "learning rate: 1.000000E-04 | global batch size:    64 | lm loss: 2.718000E+00 | loss scale: 1.0 | grad norm: 1.000 |",
        )
        begun = seconds(step.end) - took
        begun = begun if before is None else max(begun, before)
        before = seconds(step.end)
        log.span("step", begun, before, step.step, rate * 1e12 * took * chips if rate is not None else None)
        printed.append((begun, took))
    excess(log, printed)
    if loaded is not None:
        log.line(start + 1, f"  successfully loaded checkpoint from /ckpt [ t 1/1, p 1/1 ] at iteration {loaded}")
        if printed:
            log.span("restore", printed[0][0], printed[0][0], loaded)
    between(log, run, steps, printed, start, end)
    return log


def place_of(steps, at):
    """After how many lines of iterations something is printed that happens at a time: an iteration that goes on meanwhile ends first."""
    return sum(s.start < at for s in steps)


def between(log, run, steps, printed, start, end):
    """The lines between iterations, and what the gap is that they stand in: a save, if any says so. After the last iteration saves follow it, as long as they took."""
    said = {}  # place -> kind
    last = seconds(steps[-1].end) if steps else None
    for span in run.ended("eval", "checkpoint"):
        place = place_of(steps, span.end)
        inside = any(s.start < span.end <= s.end for s in steps)
        if place == 0 or inside or not start <= span.end < end:
            continue  # nothing of the kind comes before the first iteration
        if span.kind == "eval":
            log.line(
                span.end,
                f" validation loss at iteration {steps[place - 1].step} | lm loss value: 2.718000E+00 | lm loss PPL: 1.515000E+01 |",
            )
            said.setdefault(place, "eval")
        else:
            took = (span.end - span.start) / 1000
            log.line(span.end, f"    save-checkpoint ................................: ({took:.2f}, {took:.2f})")
            said[place] = "checkpoint"
            if place == len(steps):
                log.span("checkpoint", last, last + round(took, 2) / 1000)
                last += round(took, 2) / 1000
    for commit in run.commits:
        place = place_of(steps, commit.durable)
        at_the_end = commit.durable == end == run.end and run.outcome == "completed"
        if place == 0 or commit.snapshot < start or not (commit.durable < end or at_the_end):
            continue
        log.line(
            max(commit.durable, steps[place - 1].end),
            f"  successfully saved checkpoint from iteration {commit.step:8} to /ckpt [ t 1/1, p 1/1 ]",
        )
        if commit.step >= steps[place - 1].step:
            said[place] = "checkpoint"
        log.commit(commit.step, printed[place][0] if place < len(steps) else seconds(steps[place - 1].end))
    for place, kind in said.items():
        if place < len(steps) and printed[place][0] > seconds(steps[place - 1].end):
            log.span(kind, seconds(steps[place - 1].end), printed[place][0])
