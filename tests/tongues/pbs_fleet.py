"""pbs_fleet.py - a fleet as a site with PBS leaves it: accounting logs, what is installed, and a nanoGPT log of each attempt of a training job."""

import os

from nanogpt_tongue import nanogpt
from pbs_tongue import Pbs


def write(story, folder):
    """The files, and the relations that they tell."""
    pbs = Pbs(story)
    pbs.write(folder)
    found = pbs.relations()
    found["spans"], found["commits"], found["traced"] = [], [], set()
    for job, number in pbs.number.items():
        runs = story.launched(job)
        if story.jobs[job]["phase"] != "training" or number % 11 == 5:
            continue
        last = max((s.step for run in runs for s in run.spans if s.step is not None), default=0)
        logs = nanogpt(runs, last if runs[-1].outcome == "completed" else last + 1000)
        for i, log in enumerate(logs):
            os.makedirs(os.path.join(folder, "logs", str(number)), exist_ok=True)
            with open(os.path.join(folder, "logs", str(number), f"run{i}.txt"), "w", encoding="utf-8") as file:
                file.write(log.text())
            found["spans"] += [dict(span, job=pbs.name(job)) for span in log.spans]
            found["commits"] += [dict(commit, job=pbs.name(job)) for commit in log.commits]
        if logs:
            found["traced"].add(pbs.name(job))
    return found
