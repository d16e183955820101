"""A generated fleet as its trainers' event files tell of it, a folder a job and a file a run, held against the native ledger and what the generator booked."""

import json
import os
import struct
import unittest
from collections import Counter

import tfevents
import tongue_case
from story import MILLION
from tongue_case import PRODUCTIVE
from trainer_logs import without_pauses


def single(number):
    """A number as a float of 4 bytes has it."""
    return struct.unpack("<f", struct.pack("<f", number))[0]


def told(job, runs, chips):
    """(texts of the files, allocations, capacity, spans) of one job: what docs/formats/tfevents.md says of them, computed anew."""
    files, found = [], {"allocations": [], "capacity": [], "spans": []}
    lasted = without_pauses(
        [[((b.end - a.end) / MILLION, 1) for a, b in zip(run.steps(), run.steps()[1:])] for run in runs]
    )
    attempt = 0
    for nth, run in enumerate(runs):
        begun, steps, text = run.start / MILLION, run.steps(), tfevents.begin(run.start / MILLION)
        before = None
        for s in steps:
            at, took = s.end / MILLION, single((s.end - s.start) / MILLION)
            values = [("learning/loss", 2.5), ("perf/step_time_seconds", took)]
            rate = single(s.flops / chips / max(took, 1e-6) / 1e12) if s.flops else None
            values += [("perf/per_device_tflops_per_sec", rate)] if rate is not None else []
            text += b"".join(
                tfevents.event(at, s.step, (5, [(1, tfevents.simple(name, value))])) for name, value in values
            )
        files.append(text)
        if not steps:
            continue
        attempt += 1
        times = [s.end / MILLION for s in steps]
        measured = lasted[nth] or sum(lasted, [])  # of the attempt, or else of the job
        mean = sum(took for took, _ in measured) / len(measured) if measured else None
        for s, at in zip(steps, times):
            start = before if before is not None else max(begun, at - mean) if mean is not None else at
            took = single((s.end - s.start) / MILLION)
            rate = single(s.flops / chips / max(took, 1e-6) / 1e12) if s.flops else None
            if before is None and start > begun:
                found["spans"].append(dict(job=job, attempt=attempt, kind="init", start_time=begun, end_time=start))
            if at > start:
                found["spans"].append(
                    dict(
                        job=job,
                        attempt=attempt,
                        kind="step",
                        start_time=start,
                        end_time=at,
                        step=s.step,
                        flops=rate * 1e12 * chips * took if rate is not None else None,
                    )
                )
            before = at
        found["capacity"].append(dict(pool=job, chips=chips, start_time=begun, end_time=times[-1]))
        found["allocations"].append(
            dict(
                job=job, attempt=attempt, pool=job, chips=chips, start_time=begun, end_time=times[-1], outcome="failed"
            )
        )
    if found["allocations"]:
        last = found["allocations"][-1]
        last["outcome"] = runs[-1].outcome
        if last["outcome"] is None:
            last["end_time"] = None
    return files, found


def write(story, folder):
    """The files and the relations that they tell; of jobs that trained on one number of chips, run after run."""
    found, sources = {name: [] for name in ("jobs", "allocations", "capacity", "spans")}, []
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
            with open(
                os.path.join(folder, name, f"events.out.tfevents.{int(runs[nth].start / MILLION)}.host.{nth}"), "wb"
            ) as file:
                file.write(text)
        sources.append(
            {
                "path": name,
                "job": name,
                "pool": name,
                "chips": chips,
                **({"outcome": runs[-1].outcome} if runs[-1].outcome else {}),
            }
        )
        found["jobs"].append(dict(job=name, phase="training", framework="jax", chips=chips, of=job))
        for relation, rows in of_job.items():
            found[relation] += rows
    with open(os.path.join(folder, "fleet.json"), "w", encoding="utf-8") as file:
        json.dump({"sources": sources}, file)
    return found


class EventFiles(tongue_case.TongueCase):
    tell = staticmethod(write)

    def test_the_ledger(self):
        for seed in self.seeds():
            with self.subTest(seed=seed):
                story, folder, relations = self.fleet(seed)
                names = {row.pop("of"): row["job"] for row in relations["jobs"]}
                self.assertGreater(len(names), 3)
                as_of, chips = story.end // MILLION, {row["job"]: row["chips"] for row in relations["jobs"]}
                expected, found = self.expected(relations, as_of), self.found(os.path.join(folder, "fleet.json"), as_of)
                spans = Counter(row["job"] for row in relations["spans"])
                self.check_near(expected, found, lambda key: 2 * chips.get(key[0], 0) * spans[key[0]])
                self.check_truth(story, names, found)

    def check_truth(self, story, names, found):
        """Steps that the generator booked as surviving are so here, but for one a run, whose beginning no event file has."""
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
