"""slurm_fleet.py - a fleet as a site with Slurm leaves it: sacct, the events of nodes, and a log of each training job's trainer."""

import os

from maxtext_tongue import maxtext
from megatron_tongue import megatron
from sacct_tongue import Slurm
from torchtitan_tongue import torchtitan
from trainer_logs import counted_from_one


def trainer_of(story, job, number):
    """Which trainer wrote a log of the job; None where there is none, or it was lost."""
    row = story.jobs[job]
    traced = any(run.steps() for run in story.launched(job))
    if row["phase"] != "training" or not traced or number % 11 == 5:
        return None
    return "maxtext" if row["framework"] == "jax" else ("megatron", "torchtitan")[number % 2]


def write(story, folder, tongue=Slurm):
    """The files, and the relations that they tell."""
    slurm = tongue(story)
    slurm.write(folder)
    found = slurm.relations()
    found["spans"], found["commits"], found["trainers"] = [], [], {}
    for job, number in slurm.number.items():
        trainer, runs = trainer_of(story, job, number), story.launched(job)
        if not trainer or not slurm.log_name(job):
            continue
        if trainer != "maxtext":
            runs = counted_from_one(runs)
        last = max(s.step for run in runs for s in run.spans if s.step is not None)
        steps = last + 1 if runs[-1].outcome == "completed" else last + 1000
        logs = (
            maxtext(runs, number % 2 == 0, steps)
            if trainer == "maxtext"
            else megatron(runs, steps, number % 3 > 0)
            if trainer == "megatron"
            else torchtitan(runs)
        )
        files = (
            {slurm.log_name(job): logs}
            if number % 3
            else {f"{number}/attempt{i}.log": [log] for i, log in enumerate(logs)}
        )
        for name, parts in files.items():
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write("".join(log.text() for log in parts))
        for log in logs:
            found["spans"] += [dict(span, job=slurm.name(job)) for span in log.spans]
            found["commits"] += [dict(commit, job=slurm.name(job)) for commit in log.commits]
        found["trainers"][slurm.name(job)] = trainer
    return found
