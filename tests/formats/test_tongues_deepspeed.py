"""A generated fleet as DeepSpeed's logs tell of it, a file a run, held against the native ledger and what the generator booked."""

import json
import os
import unittest
from collections import Counter

import tongue_case
from story import MILLION, stamp
from tongue_case import PRODUCTIVE
from trainer_logs import counted_from_one, resumed, without_pauses


def milli(at):
    return at // 1000 / 1000


def lines_of(run, loaded, chips):
    """(text, steps as (number, end), saves as (step, start, end), restore or None) of a run, to the millisecond."""
    steps, saves, out = [(s.step, milli(s.end)) for s in run.steps()], [], []

    def line(at, text):
        out.append((at // 1000, len(out), f"[{stamp(at, digits=0)},{at // 1000 % 1000:03}] [INFO] {text}\n"))

    line(run.start, f"[launch.py:163:main] dist_world_size={int(chips)}")
    restore = next(iter(run.ended("restore")), None) if loaded is not None else None
    if restore is not None and (not steps or milli(restore.end) <= steps[0][1]):
        line(
            restore.start,
            f"[torch_checkpoint_engine.py:27:load] [Torch] Loading checkpoint from ckpt/global_step{loaded}/mp_rank_00_model_states.pt...",
        )
        line(
            restore.end,
            f"[torch_checkpoint_engine.py:29:load] [Torch] Loaded checkpoint from ckpt/global_step{loaded}/mp_rank_00_model_states.pt.",
        )
        restore = (loaded, milli(restore.start), milli(restore.end))
    else:
        restore = None
    for s in run.steps():
        line(
            s.end,
            f"[timer.py:260:stop] epoch=0/micro_step={4 * s.step}/global_step={s.step}, RunningAvgSamplesPerSec=25.02, CurrSamplesPerSec=25.70, MemAllocated=4.32GB, MaxMemAllocated=38.49GB",
        )
    for s in run.ended("checkpoint"):
        done = [step.step for step in run.steps() if step.end <= s.start]
        if done:
            line(
                s.start,
                f"[logging.py:96:log_dist] [Rank 0] [Torch] Checkpoint global_step{done[-1]} is about to be saved!",
            )
            line(
                s.end, f"[torch_checkpoint_engine.py:33:commit] [Torch] Checkpoint global_step{done[-1]} is ready now!"
            )
            saves.append((done[-1], milli(s.start), milli(s.end)))
    return "".join(text for _, _, text in sorted(out, key=lambda entry: entry[:2])), steps, saves, restore


def inside(saves, before, end):
    """Seconds of saves in a step: of those that end in it."""
    return sum(done - max(start, before) for _, start, done in saves if before < done <= end)


def told(job, runs, chips):
    """(texts of the files, relations) of one job: what docs/formats/trainer.md says of them, computed anew."""
    runs = counted_from_one(runs)
    logs = [lines_of(run, resumed(runs, i), chips) for i, run in enumerate(runs)]
    found = {name: [] for name in ("allocations", "capacity", "spans", "commits")}
    between = without_pauses(
        [
            [(b[1] - a[1] - inside(saves, a[1], b[1]), b[0] - a[0]) for a, b in zip(steps, steps[1:])]
            for _, steps, saves, _ in logs
        ]
    )
    attempt = 0
    for nth, (run, (_, steps, saves, restore)) in enumerate(zip(runs, logs)):
        if not steps:
            continue
        attempt += 1
        own = dict(job=job, attempt=attempt)
        after = steps[1][0] - steps[0][0] if len(steps) > 1 else 1
        measured = between[nth] or sum(between, [])  # of the attempt, or else of the job
        mean = sum(took for took, _ in measured) / sum(n for _, n in measured)
        above = restore[2] if restore else milli(run.start)
        first = max(steps[0][1] - mean * after, min(above, steps[0][1]))
        begun = min(first, milli(run.start))
        ended = max([steps[-1][1]] + [end for _, _, end in saves])
        if first > milli(run.start):
            found["spans"].append(dict(own, kind="init", start_time=milli(run.start), end_time=first))
        for (_, before), (number, end) in zip([(None, first)] + steps, steps):
            found["spans"].append(dict(own, kind="step", start_time=before, end_time=end, step=number))
        for number, start, end in saves:
            found["spans"].append(dict(own, kind="checkpoint", start_time=start, end_time=end))
            found["commits"].append(dict(own, step=number, durable_time=end))
        if restore:
            found["spans"].append(
                dict(own, kind="restore", step=restore[0], start_time=restore[1], end_time=restore[2])
            )
        found["capacity"].append(dict(pool=job, chips=chips, start_time=begun, end_time=ended))
        found["allocations"].append(
            dict(own, pool=job, chips=chips, start_time=begun, end_time=ended, outcome="failed")
        )
    last = found["allocations"][-1]
    last["outcome"] = runs[-1].outcome
    if last["outcome"] is None:
        last["end_time"] = None
    return [text for text, *_ in logs], found


def write(story, folder, told=told):
    """The files and the relations that they tell; of jobs that trained on one number of chips, run after run."""
    found, sources = {name: [] for name in ("jobs", "allocations", "capacity", "spans", "commits")}, []
    for number, (job, runs) in enumerate(sorted((job, story.launched(job)) for job in story.runs)):
        sizes = {piece[2] for run in runs for piece in run.pieces}
        if (
            story.jobs[job]["phase"] != "training"
            or len(sizes) > 1
            or not runs[-1].steps()
            or max(len(run.steps()) for run in runs) < 2
        ):
            continue
        name, chips = f"run-{number}", sizes.pop()
        files, of_job = told(name, runs, chips)
        os.makedirs(os.path.join(folder, name))
        for nth, text in enumerate(files):
            with open(os.path.join(folder, name, f"{nth}.log"), "w", encoding="utf-8") as file:
                file.write(text)
        sources.append(
            {
                "path": name,
                "format": "trainer",
                "job": name,
                "pool": name,
                **({"outcome": runs[-1].outcome} if runs[-1].outcome else {}),
            }
        )
        found["jobs"].append(dict(job=name, phase="training", framework="pytorch", chips=chips, of=job))
        for relation, rows in of_job.items():
            found[relation] += rows
    with open(os.path.join(folder, "fleet.json"), "w", encoding="utf-8") as file:
        json.dump({"sources": sources}, file)
    return found


class Logs(tongue_case.TongueCase):
    tell = staticmethod(write)
    EACH = 2  # microseconds that a time of a span may be off by

    def test_the_ledger(self):
        for seed in self.seeds():
            with self.subTest(seed=seed):
                story, folder, relations = self.fleet(seed)
                names = {row.pop("of"): row["job"] for row in relations["jobs"]}
                self.assertGreater(len(names), 3)
                as_of, chips = story.end // MILLION, {row["job"]: row["chips"] for row in relations["jobs"]}
                expected, found = self.expected(relations, as_of), self.found(os.path.join(folder, "fleet.json"), as_of)
                spans = Counter(row["job"] for row in relations["spans"])
                self.check_near(expected, found, lambda key: self.EACH * chips.get(key[0], 0) * spans[key[0]])
                self.check_truth(story, names, found)

    def check_truth(self, story, names, found):
        """Steps that the generator booked as surviving are so here, but for one a run, whose beginning no log has."""
        compared = 0
        for job, name in names.items():
            runs = story.runs[job]
            if runs[-1].outcome != "completed" or tongue_case.has_surplus(story, job):
                continue
            true = Counter(
                {
                    (pool, of, category, cause): us
                    for (of, pool, category, cause), us in story.truth.items()
                    if of == job
                }
            )
            longest = max(s.end - s.start for run in runs for s in run.spans if s.kind == "step")
            slack = sum(run.chips * longest for run in runs)
            self.assertGreaterEqual(
                tongue_case.of_jobs(found, [name], *PRODUCTIVE),
                tongue_case.of_jobs(true, [job], *PRODUCTIVE) - slack,
                name,
            )
            compared += 1
        self.assertGreater(compared, 0)


if __name__ == "__main__":
    unittest.main()
