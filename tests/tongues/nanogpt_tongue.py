"""nanogpt_tongue.py - a run as a log of a nanoGPT speed-run tells of it: when it began, and how long its steps took all together.

What lies between steps is in no time of the log, so each step begins where the one before ended, the first at the date.
"""

from story import MILLION, stamp
from trainer_logs import Log, excess


def nanogpt(runs, steps_of_job):
    """[Log], one for each piece of each run that came to a step."""
    logs = []
    for run in runs:
        for start, end, chips in run.pieces:
            steps = [s for s in run.steps() if start <= s.end < end or s.end == end == run.end]
            if steps:
                logs.append(write_piece(run, steps, start, end, chips, steps_of_job))
    return logs


def write_piece(run, steps, start, end, chips, steps_of_job):
    log, printed, total, began = Log(), [], 0, start // MILLION
    log.line(start, stamp(start, "%a %b %e %H:%M:%S %Y", 0))
    for gpu in range(min(8, int(chips))):
        log.line(
            start, f"|   {gpu}  NVIDIA H100 80GB HBM3          On  |   00000000:19:00.0 Off |                    0 |"
        )
    saves = [c for c in run.commits if start <= c.snapshot and c.durable < end]
    for step in steps:
        took = round((step.end - step.start) / 1000)  # milliseconds
        log.line(
            step.end,
            f"step:{step.step}/{steps_of_job} train_loss:2.7182 train_time:{total + took}ms step_avg:{took}.00ms",
        )
        log.span("step", began + total / 1000, began + (total + took) / 1000, step.step)
        printed.append((began + total / 1000, took / 1000))
        total += took
        if any(c.step == step.step for c in saves):
            log.line(step.end + 1, "saving checkpoint to out")
            log.commit(step.step, began + total / 1000)
    excess(log, printed)
    return log
