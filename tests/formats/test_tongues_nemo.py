"""A generated fleet as NeMo's console tells of it, a file a run, held against the native ledger and what the generator booked."""

import unittest

import test_tongues_deepspeed as deepspeed
from story import MILLION, stamp
from trainer_logs import resumed, without_pauses


def milli(at):
    return at // 1000 / 1000


def lines_of(run, loaded, chips):
    """(text, steps as (number, start, end), saves as (step, start, end), restore or None) of a run. Lines of steps have no clock: they follow one another, by the
    milliseconds that each took, from the last line that has one."""
    steps, saves, out = (
        [],
        [],
        [
            f"Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/{int(chips)}\n",
            f"[NeMo I {stamp(run.start, digits=0)} nemo_logging:393] Setting up optimizers\n",
        ],
    )
    done = run.steps()
    restore = next(iter(run.ended("restore")), None) if loaded is not None else None
    clock = first = None
    if restore is not None and done and restore.end <= done[0].end:
        took = (restore.end - restore.start) // 1000 / 1000
        out.append(
            f"[NeMo I {stamp(restore.end, digits=0)} nemo_logging:393] Global Checkpoint Load : Rank : 0 : Start time : {milli(restore.start):.3f}s : Time spent in load_checkpoint: {took:.3f}s\n"
        )
        restore, clock = (None, milli(restore.start), milli(restore.start) + took), milli(restore.start) + took
    else:
        restore = None
    events = sorted(
        [(s.end, 0, s) for s in done]
        + [(s.end, 1, s) for s in run.ended("checkpoint") if any(step.end <= s.start for step in done)],
        key=lambda e: e[:2],
    )
    for _, is_save, s in events:
        took = (s.end - s.start) // 1000 / 1000
        if is_save:
            number = [step.step for step in done if step.end <= s.start][-1]
            out.append(
                f"[NeMo I {stamp(s.end, digits=0)} nemo_logging:393] Global Checkpoint Save : Rank: 0 : Iteration: {number} : Start time: {milli(s.start):.3f}s : Save duration: {took:.3f}s\n"
            )
            out.append(f"Successfully saved checkpoint from iteration {number:7d} to /ckpt/step={number}.ckpt\n")
            if clock is None:  # what stands before the first clock is told from it, backwards
                back = milli(s.start) - first
                steps = [(n, start + back, end + back) for n, start, end in steps]
            saves.append((number, milli(s.start), milli(s.start) + took))
            clock = milli(s.start) + took
        else:
            at = clock if clock is not None else (first or 0)
            out.append(
                f"Training epoch 0, iteration {s.step}/9999 | lr: 1.961e-06 | global_batch_size: 8 | global_step: {s.step} | reduced_train_loss: 2.500 | train_step_timing in s: {took:.3f}\n"
            )
            steps.append((s.step, at, at + took))
            if clock is None:
                first = at + took
            else:
                clock = at + took
    if clock is None:  # the clock of the other lines
        steps = [(n, start + run.start // MILLION, end + run.start // MILLION) for n, start, end in steps]
    return "".join(out), steps, saves, restore


def told(job, runs, chips):
    """(texts of the files, relations) of one job: what docs/formats/trainer.md says of them, computed anew."""
    logs = [lines_of(run, resumed(runs, i), chips) for i, run in enumerate(runs)]
    found = {name: [] for name in ("allocations", "capacity", "spans", "commits")}
    attempt, firsts = 0, []
    for _, steps, saves, restore in logs:
        if not steps:
            continue
        attempt += 1
        own = dict(job=job, attempt=attempt)
        begun = restore[1] if restore else steps[0][1]
        ended = max([steps[-1][2]] + [end for _, _, end in saves])
        before = 0  # a save within a step ends before the step's own time is over: the next step begins where it is
        for number, start, end in steps:
            if end > max(start, before):
                found["spans"].append(dict(own, kind="step", start_time=max(start, before), end_time=end, step=number))
            before = max(before, end)
        spans = [(s["start_time"], s["end_time"]) for s in found["spans"] if s["attempt"] == attempt]
        within = [[] for _ in spans]  # of each step, what ends in it and is none of it
        for start, end in [save[1:] for save in saves] + ([restore[1:]] if restore else []):
            nth = next((i for i, span in enumerate(spans) if span[1] >= end - 1e-5), None)
            if nth is not None and end > max(start, spans[nth][0]):
                within[nth].append((max(start, spans[nth][0]), end))
        lasted = [end - start - sum(b - a for a, b in inner) for (start, end), inner in zip(spans, within)]
        firsts.append((own, spans[0][0], within[0], lasted))
        for number, start, end in saves:
            found["spans"].append(dict(own, kind="checkpoint", start_time=start, end_time=end))
            found["commits"].append(dict(own, step=number, durable_time=end))
        if restore:
            found["spans"].append(dict(own, kind="restore", start_time=restore[1], end_time=restore[2]))
        found["capacity"].append(dict(pool=job, chips=chips, start_time=begun, end_time=ended))
        found["allocations"].append(
            dict(own, pool=job, chips=chips, start_time=begun, end_time=ended, outcome="failed")
        )
    others = without_pauses([[(took, 1) for took in lasted[1:]] for *_, lasted in firsts])
    for (own, begun, inner, lasted), usual in zip(firsts, others):
        mean = sum(took for took, _ in usual) / len(usual) if usual else None
        if usual and lasted[0] > mean:
            compiled = begun + lasted[0] - mean
            for start, end in sorted(inner):
                compiled += end - start if start < compiled else 0
            found["spans"].append(dict(own, kind="compile", start_time=begun, end_time=compiled))
    last = found["allocations"][-1]
    last["outcome"] = runs[-1].outcome
    if last["outcome"] is None:
        last["end_time"] = None
    return [text for text, *_ in logs], found


class Logs(deepspeed.Logs):
    tell = staticmethod(lambda story, folder: deepspeed.write(story, folder, told))


if __name__ == "__main__":
    unittest.main()
