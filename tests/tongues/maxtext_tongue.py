"""maxtext_tongue.py - runs of a job as MaxText's log tells of them, behind absl's prefix (without a year) or a clock in ISO 8601."""

from story import MILLION, OPEN, stamp
from trainer_logs import Log, compile_before, excess, resumed, seconds


def maxtext(runs, absl, steps_of_job):
    """[Log], one for each piece of each run: a job that was resized says anew what it runs on."""
    logs = []
    for i, run in enumerate(runs):
        done = run.steps()
        for start, end, chips in run.pieces:
            log = Log()
            inside = [s for s in done if start <= s.end < end or (s.end == end == run.end)]
            write_piece(
                log,
                run,
                inside,
                start,
                end,
                chips,
                absl,
                steps_of_job,
                resumed(runs, i) if start == run.start else None,
            )
            logs.append(log)
    return logs


def at_time(absl, at, text):
    return (
        f"I{stamp(at, '%m%d %H:%M:%S')} 4242 train.py:301] {text}"
        if absl
        else f"{stamp(at, '%Y-%m-%dT%H:%M:%S')}Z {text}"
    )


def write_piece(log, run, steps, start, end, chips, absl, steps_of_job, loaded):
    def line(at, text):
        log.line(at, at_time(absl, at, text))

    log.line(start, f"Config param steps: {steps_of_job}")
    log.line(start, f"Num_devices: {int(chips)}, shape ({int(chips)},)")
    printed, before = [], None
    for n, step in enumerate(steps):
        made = compile_before(run, step) if n == 0 else None
        took = round((step.end - (made or step).start) / MILLION, 3)
        rate = round(step.flops / took / chips / 1e12, 3) if step.flops else None
        line(
            step.end,
            f"completed step: {step.step}, seconds: {took:.3f}"
            + (f", TFLOP/s/device: {rate:.3f}" if rate is not None else "")
            + ", Tokens/s/device: 1024.000, total_weights: 65536, loss: 2.718",
        )
        begun = seconds(step.end) - took
        begun = begun if before is None else max(begun, before)
        before = seconds(step.end)
        log.span("step", begun, before, step.step, rate * 1e12 * took * chips if rate is not None else None)
        printed.append((begun, took))
    excess(log, printed)
    lasting(log, line, run, start, end, loaded)
    saves(log, line, run, start, end)


def lasting(log, line, run, start, end, loaded):
    for span in run.ended("eval", "checkpoint", "restore"):
        if not start <= span.end < end:
            continue
        took = round((span.end - span.start) / MILLION, 3)
        if span.kind == "eval":
            line(span.end, f"Completed eval step: 0, seconds: {took:.3f}, running loss=2.718")
        elif span.kind == "checkpoint":
            line(span.end, f"Finished blocking save in {took:.2f} seconds. Continuing to write to gs://ckpt/run.")
            took = round(took, 2)
        elif loaded is None:
            continue
        else:
            line(span.end, f"Finished load in {took:.2f} seconds @ gs://ckpt/run/{loaded}")
            took = round(took, 2)
        log.span(span.kind, seconds(span.end) - took, seconds(span.end), loaded if span.kind == "restore" else None)


def saves(log, line, run, start, end):
    """A save that blocks is printed when it is done, another when it begins and when Orbax has finished it."""
    begun = []
    for commit in run.commits:
        blocking = next(
            (s for s in run.spans if s.kind == "checkpoint" and s.start == commit.snapshot and s.end == commit.durable),
            None,
        )
        at_the_end = commit.durable == end == run.end and run.outcome == "completed"
        if blocking and (start <= commit.durable < end or at_the_end):
            line(commit.durable, f"saved a checkpoint at step {commit.step}")
            begun.append((commit.durable, commit.step, commit.durable))
        elif not blocking and start <= commit.snapshot < end:
            line(commit.snapshot, f"Started an asynchronous checkpoint save for step {commit.step}")
            finished = commit.durable if commit.durable < end else OPEN
            if finished < OPEN:
                line(
                    finished,
                    f"Finished save (rank 0) in {(finished - commit.snapshot) / MILLION:.2f} seconds @ gs://ckpt/run/{commit.step}",
                )
            begun.append((commit.snapshot, commit.step, finished))
    for (_, step, durable), (later, _, _) in zip(begun, begun[1:] + [(OPEN, 0, 0)]):
        durable = durable if durable < OPEN else later
        if durable < OPEN:
            log.commit(step, seconds(durable))
