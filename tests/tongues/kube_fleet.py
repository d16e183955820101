"""kube_fleet.py - a fleet as a site with Kubernetes leaves it: watches, goodput logs and OpenTelemetry spans of its jobs, HLO of their programs."""

import os

from goodput_tongue import goodput
from hlo_tongue import hlo
from kube_tongue import Kube
from otlp_tongue import otlp


def write(story, folder):
    """The files, and the relations that they tell."""
    kube = Kube(story)
    kube.write(folder)
    found = kube.relations()
    found["spans"], found["commits"], found["programs"], found["traced"] = [], [], [], {}

    def put(name, text):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    for number, job in enumerate(kube.jobs):
        row, runs = story.jobs[job], story.launched(job)
        if number % 9 == 4 or not any(run.spans for run in runs):
            continue
        if (
            row["phase"] == "training"
            and row["framework"] == "jax"
            and number % 2
            and any(s.kind == "step" for run in runs for s in run.spans)
        ):
            source, (text, log) = "goodput", goodput(job, runs)
            put(f"goodput-{number}.jsonl", text)
        else:
            programs = {}
            for span in (
                s for run in runs for s in run.spans if s.executions is not None and s.flops and number % 3 == 0
            ):
                programs[span.program] = f"jit_step_{number}"
            for program, module in programs.items():
                put(f"module_{number}.txt", hlo(module, story.programs[program]))
                found["programs"].append(dict(program=module, flops=float(story.programs[program]), dtype="bf16"))
            source, (text, log) = "otlp", otlp(kube.name(job), row["phase"], runs, programs)
            next(j for j in found["jobs"] if j["job"] == kube.name(job))["phase"] = row["phase"]
            put(f"spans-{number}.json", text)
        found["spans"] += [dict(span, job=kube.name(job)) for span in log.spans]
        found["commits"] += [dict(commit, job=kube.name(job)) for commit in log.commits]
        if log.spans:  # a job whose only span has not ended has a file without spans
            found["traced"][kube.name(job)] = source
    return found
