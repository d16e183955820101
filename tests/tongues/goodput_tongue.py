"""goodput_tongue.py - a job as ml-goodput-measurement logs it: when its steps began, what else began and ended, saves and restores.

A step lasts until the next one, a save is durable when it blocks no more.
"""

import json

from story import MILLION, OPEN
from trainer_logs import Log, compile_before, excess, resumed, seconds

EDGES = {"init": "tpu_init", "prep": "training_prep", "input": "data_loading"}


def goodput(job, runs):
    """(text, Log) of a job."""
    log, lines = Log(), []

    def tell(at, **fields):
        lines.append((at, len(lines), json.dumps({"job_name": job, **fields})))

    for i, run in enumerate(runs):
        write_run(log, tell, run, resumed(runs, i))
    return "".join(line + "\n" for _, _, line in sorted(lines)), log


def write_run(log, tell, run, loaded):
    tell(run.start, job_start_time=seconds(run.start))
    steps = [s for s in run.spans if s.kind == "step"]
    begun = [(compile_before(run, s) or s).start for s in steps[:1]] + [s.start for s in steps[1:]]
    job_end = run.end if run.outcome == "completed" else None
    if job_end is not None:
        tell(job_end, job_end_time=seconds(job_end))
    part, before = [], None
    for step, start, end in zip(steps, begun, [*begun[1:], job_end]):
        tell(start, step_count=step.step, step_start_time=seconds(start))
        if before is not None and step.step <= before:  # step numbers go back: a run begins
            excess(log, part)
            part = []
        before = step.step
        if end is None:
            continue
        log.span("step", seconds(start), seconds(end), step.step)
        part.append((seconds(start), seconds(end) - seconds(start)))
    excess(log, part)
    for span in run.spans:
        whole = span.end < run.end or span.end == job_end
        if span.kind in ("step", "compile", "checkpoint", "restore") or not whole:
            continue
        if span.kind in EDGES:
            tell(span.start, **{EDGES[span.kind] + "_start_time": seconds(span.start)})
            tell(span.end, **{EDGES[span.kind] + "_end_time": seconds(span.end)})
        else:
            event = "eval_step" if span.kind == "eval" else span.kind
            tell(span.start, custom_badput_event_type=event, custom_badput_event_start_time=seconds(span.start))
            tell(span.end, custom_badput_event_type=event, custom_badput_event_end_time=seconds(span.end))
        log.span(span.kind, seconds(span.start), seconds(span.end))
    for span in run.spans:
        if span.kind == "restore" and span.end < run.end and loaded is not None:
            took = (span.end - span.start) / MILLION
            tell(
                span.end,
                step=loaded,
                event_type="restore",
                directory="gs://ckpt",
                checkpoint_manager_start_time=seconds(span.start),
                checkpoint_manager_duration_secs=took,
            )
            log.span("restore", seconds(span.start), seconds(span.start) + took, loaded)
    for commit in run.commits:
        save = next((s for s in run.spans if s.kind == "checkpoint" and commit.snapshot in (s.start, s.end)), None)
        if save and save.end < OPEN and (save.end < run.end or save.end == job_end):
            took = (save.end - save.start) / MILLION
            tell(
                save.end,
                step=commit.step,
                event_type="save",
                directory="gs://ckpt",
                synchronous=False,
                checkpoint_manager_blocking_start_time=seconds(save.start),
                checkpoint_manager_blocking_duration_secs=took,
            )
            log.span("checkpoint", seconds(save.start), seconds(save.start) + took)
            log.commit(commit.step, seconds(save.start) + took)
