"""torchtitan_tongue.py - runs of a job as torchtitan's log tells of them, to the millisecond: a step lasts from line to line.

What lies between two lines and is no save, restore or validation is part of the step: input, hangs and stalls.
"""

from story import MILLION, stamp
from trainer_logs import Log, compile_before, excess, resumed


def torchtitan(runs):
    """[Log], one for each piece of each run: a job that was resized says anew what it runs on."""
    logs = []
    for i, run in enumerate(runs):
        for start, end, chips in run.pieces:
            inside = [s for s in run.steps() if start <= s.end < end or s.end == end == run.end]
            logs.append(write_piece(run, inside, start, end, chips, resumed(runs, i) if start == run.start else None))
    return logs


def write_piece(run, steps, start, end, chips, loaded):
    log = Log()

    def line(at, text):
        log.line(at // 1000, f"[rank0]:[titan] {stamp(at, digits=0)},{at // 1000 % 1000:03} - root - INFO - {text}")
        return at // 1000 / 1000

    begun = line(start, "Starting job: a fleet")
    line(start, f"Building 1-D device mesh with ['dp_shard'], [{int(chips)}]")
    events = [(s.end, 1, "step", s) for s in steps]
    events += [
        (s.end, 2, s.kind, s)
        for s in run.ended("eval", "checkpoint", *(["restore"] if loaded is not None else []))
        if start <= s.end < end
    ]
    blocking = {s.end for s in run.spans if s.kind == "checkpoint"}
    events += [
        (c.durable, 3, "written", c)
        for c in run.commits
        if c.durable < end and c.snapshot >= start and c.durable not in blocking
    ]
    if steps:
        events.append(((compile_before(run, steps[0]) or steps[0]).start, 0, "starts", steps[0]))
    asynchronous = {c.snapshot for c in run.commits if c.durable not in blocking}
    printed, staged, last, before, previous, saving = [], [], None, None, begun, 0
    saved = 0  # when the last save or staging ended
    for at, _, kind, thing in sorted(events, key=lambda e: (e[0] // 1000, e[1])):
        took = None if kind in ("written", "starts", "step") else round((thing.end - thing.start) / MILLION, 2)
        now = at // 1000 / 1000
        if kind == "starts":
            before = line(at, f"Training starts at step {thing.step}.")
            if before > begun:
                log.span("init", begun, before)
        elif kind == "step":
            rate = round(thing.flops / max(now - before, 0.001) / chips / 1e12, 2) if thing.flops else None
            line(
                at,
                f"step: {thing.step:2}  loss:  2.7182  grad_norm:  1.2040  memory: 45.23GiB(57.12%)  tps: 1,024"
                + (f"  tflops: {rate:,.2f}  mfu: 12.00%" if rate is not None else ""),
            )
            log.span(
                "step", before, now, thing.step, rate * 1e12 * (now - before) * chips if rate is not None else None
            )
            printed.append((before, now - before - saving))
            before, last, saving = now, thing.step, 0
        elif kind == "eval":
            line(at, f"validate step: {last or 1:2}  loss:  2.7182  memory: 30.11GiB(38.03%)  tps: 43,690")
            log.span("eval", previous, now)
            before, saving = now, 0
        elif kind == "restore":
            line(at - 1, f"Loading the checkpoint from ./outputs/checkpoint/step-{loaded}.")
            line(at, f"Finished loading the checkpoint in {took:.2f} seconds.")
            log.span("restore", now - took, now, loaded)
        elif kind == "checkpoint":
            later = thing.end in asynchronous
            line(at, f"Finished {'staging' if later else 'saving'} the checkpoint in {took:.2f} seconds.")
            log.span("checkpoint", now - took, now)
            if before is not None:  # a save of before a reshard may end after it, before the steps begin
                saving += now - max(now - took, before, saved)
            saved = now
            for step, _, is_staged in staged:
                if is_staged and step != last:
                    log.commit(step, now)
            staged = [s for s in staged if not s[2] or s[0] == last]
            if last is not None:
                staged.append((last, now, later))
        else:
            line(at, f"Finished writing the checkpoint for step {thing.step}.")
            for step, saved, later in staged:
                if later:
                    log.commit(step, now)
            staged = [s for s in staged if not s[2]]
        previous = now
    for step, saved, later in staged:
        if not later:
            log.commit(step, saved)
    excess(log, printed)
    return log
