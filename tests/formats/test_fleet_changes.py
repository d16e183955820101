"""What may be changed in the files of a fleet without a change of its figures, or with one that is known: in the tongues of all schedulers."""

import json
import os
import pickle
import random
import re
import shutil
import tempfile
import unittest
from collections import Counter
from unittest import mock

import kube_state_tongue
import story as stories
import tongue_case
from batch_tongue import Condor, Flux, Sge
from kube_state_tongue import KubeState
from kube_tongue import Kube
from lsf_tongue import Lsf
from pbs_tongue import Pbs
from sacct_tongue import Slurm
from story import MILLION, OPEN, microseconds

SITES = {
    "slurm": Slurm,
    "pbs": Pbs,
    "kube": Kube,
    "lsf": Lsf,
    "kube_state": KubeState,
    "sge": Sge,
    "flux": Flux,
    "condor": Condor,
}
SHIFT = ((37 * 24 + 1) * 60 + 13) * 60 + 7  # seconds: 37 days 01:13:07
NATIVE = ("capacity.csv", "outages.csv", "fleet.json")


FULL = bool(os.environ.get("MPG_FULL"))


def copied(told):
    """All of a story anew, in a fifth of the time of copy.deepcopy()."""
    return pickle.loads(pickle.dumps(told))


def shifted(told, seconds):
    """The same story at another time."""

    def later(at):
        return at if at >= OPEN else at + seconds * MILLION

    def text(at):
        us = microseconds(at)
        return at if us >= OPEN else f"{later(us) // MILLION}.{later(us) % MILLION:06d}"

    told = copied(told)
    told.begin, told.end = later(told.begin), later(told.end)
    for row in [*told.capacity, *told.jobs.values(), *(row for rows in told.allocations.values() for row in rows)]:
        row.update({key: text(value) for key, value in row.items() if key.endswith("_time")})
    for outage in told.outages:
        outage.start, outage.end = later(outage.start), later(outage.end)
    for run in (run for runs in told.runs.values() for run in runs):
        run.start, run.end = later(run.start), later(run.end)
        run.pieces = [(later(start), later(end), chips) for start, end, chips in run.pieces]
    return told


def renamed(told, prefix):
    """The same story of jobs and owners of other names."""
    told = copied(told)
    told.jobs = {
        prefix + job: dict(row, owner=prefix + row["owner"], name=prefix + row["name"])
        for job, row in told.jobs.items()
    }
    told.runs = {prefix + job: runs for job, runs in told.runs.items()}
    told.allocations = {prefix + job: rows for job, rows in told.allocations.items()}
    return told


def files_of(folder):
    return sorted(
        os.path.join(place, name) for place, _, names in os.walk(folder) for name in names if name not in NATIVE
    )


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def put(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def apart(path):
    """(records, text of a file of some of them)"""
    text = read(path)
    try:
        whole = json.loads(text)
    except ValueError:
        whole = None
    if isinstance(whole, list):
        return whole, json.dumps
    if isinstance(whole, dict) and "jobs" in whole:
        return whole["jobs"], lambda records: json.dumps({"jobs": records})
    if isinstance(whole, dict) and "data" in whole:
        return whole["data"]["result"], lambda records: json.dumps(
            {"status": "success", "data": {"resultType": "matrix", "result": records}}
        )
    lines = text.splitlines(keepends=True)
    header = lines[: path.endswith(".psv") or lines[0].startswith("#")]
    return lines[len(header) :], lambda records: "".join(header + records)


class Changes(tongue_case.TongueCase):
    made = {}  # of each site its folder, its tongue and its ledger

    @classmethod
    def setUpClass(cls):
        every = mock.patch.multiple(kube_state_tongue, EVERY=7200, KEPT=7200)
        every.start()
        cls.addClassCleanup(every.stop)
        folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, folder)
        cls.told = stories.generate(folder, 32, "1e3")
        cls.as_of = cls.told.end // MILLION

    def write(self, kind, told, change=None):
        """The folder of the files of this story at such a site, and the site."""
        site = SITES[kind](copied(told))
        if change:
            change(site)
        folder = self.new_folder()
        site.write(folder)
        return folder, site

    def ledger(self, folder, as_of):
        path = os.path.join(folder, "fleet.json")
        return self.found(path if os.path.exists(path) else folder, as_of)

    def check(self, expected, found, what):
        self.assertGreater(len(expected), 20, what)
        self.assertEqual(
            {},
            {
                key: (expected[key], found[key])
                for key in sorted(set(expected) | set(found), key=repr)
                if expected[key] != found[key]
            },
            what,
        )

    def each(self, change):
        """Calls it with each kind of site, a copy of its files, its tongue and its ledger."""
        for kind in SITES:
            with self.subTest(kind):
                if kind not in self.made:
                    folder, site = self.write(kind, self.told)
                    kept = tempfile.mkdtemp()
                    self.addClassCleanup(shutil.rmtree, kept)
                    self.made[kind] = (
                        shutil.copytree(folder, kept, dirs_exist_ok=True),
                        site,
                        self.ledger(folder, self.as_of),
                    )
                folder, site, expected = self.made[kind]
                change(kind, shutil.copytree(folder, os.path.join(self.new_folder(), "site")), site, expected)

    def test_at_another_time(self):
        def change(kind, _, site, expected):
            folder, _ = self.write(kind, shifted(self.told, SHIFT))
            self.check(expected, self.ledger(folder, self.as_of + SHIFT), kind)

        self.each(change)

    def test_a_file_in_two(self):
        """Whichever part comes first by name. (A page of samples is one record.)"""

        def change(kind, folder, _, expected, parts):
            for path in files_of(folder):
                records, text = apart(path)
                if len(records) > 1 and not path.endswith(".prom"):
                    base, end = os.path.splitext(path)
                    os.remove(path)
                    for part, some in zip(parts, (records[: len(records) // 2], records[len(records) // 2 :])):
                        put(f"{base}-{part}{end}", text(some))
            self.check(expected, self.ledger(folder, self.as_of), f"{kind} {parts}")

        for parts in ("ab", "ba"):
            self.each(lambda *args, parts=parts: change(*args, parts))

    def test_in_another_order(self):
        """But for watches of Kubernetes: what is added anew, or is deleted, is so after what stands above."""

        def change(kind, folder, _, expected):
            for path in files_of(folder):
                records, text = apart(path)
                if kind != "kube":
                    random.Random(os.path.basename(path)).shuffle(records)
                    put(path, text(records))
            self.check(expected, self.ledger(folder, self.as_of), kind)

        self.each(change)

    def test_in_other_folders(self):
        def change(kind, folder, _, expected):
            for i, path in enumerate(files_of(folder)):
                at = os.path.join(os.path.dirname(path), ("x", "y/z", "a b")[i % 3], os.path.basename(path))
                os.makedirs(os.path.dirname(at), exist_ok=True)
                os.rename(path, at)
            self.check(expected, self.ledger(folder, self.as_of), kind)

        self.each(change)

    def test_under_other_names(self):
        def number(site):
            if hasattr(site, "number"):
                site.number = {job: n + 70000 for job, n in site.number.items()}

        def new_name(kind, name):
            if name is None or kind.startswith("kube"):
                return name and name.replace("ml/", "ml/zz-")
            digits = re.search(r"\d+(?=\.|$)", name)
            return (
                name[: digits.start()]
                + str(int(digits[0]) + 70000 * (1000 if kind == "flux" else 1))
                + name[digits.end() :]
            )

        def change(kind, _, site, expected):
            folder, _ = self.write(kind, renamed(self.told, "zz-"), number)
            for path in files_of(folder):
                text = read(path)
                if kind == "slurm":
                    text = re.sub(r"(?<=\|)n(?=\[|\d)", "gpu-", text)
                elif kind == "pbs":
                    text = re.sub(r"(s\d+)n1", r"\1-gpu", text)
                elif kind == "kube_state":
                    text = re.sub(r'("?node"?[=:] ?")', r"\1gpu-", text)
                put(path, text)
            self.check(
                Counter({(pool, new_name(kind, job), *rest): us for (pool, job, *rest), us in expected.items()}),
                self.ledger(folder, self.as_of),
                kind,
            )

        self.each(change)

    def test_without_a_job(self):
        """What it held is free, or down; all else is as it was."""

        def change(kind, _, site, expected):
            of = site.kube if kind == "kube_state" else site
            ends = {job: max(run.end for run in runs) for job, runs in self.told.runs.items() if runs}
            last = {
                pool: sorted(end for job, end in ends.items() if self.told.runs[job][0].pool == pool)[-3:]
                for pool in {runs[0].pool for runs in self.told.runs.values() if runs}
            }
            jobs = [
                job
                for job in (of.number if hasattr(of, "number") else of.jobs)
                if ends[job] < OPEN and ends[job] not in last[self.told.runs[job][0].pool]
            ]
            for job in random.Random(3).sample(jobs, 2 if FULL else 1):

                def without(site, job=job):
                    if hasattr(site, "number"):
                        del site.number[job]
                    elif hasattr(site, "jobs"):
                        site.jobs.remove(job)

                told = copied(self.told)
                if kind == "kube_state":
                    for rows in (told.jobs, told.runs, told.allocations):
                        del rows[job]
                    timed = site.timed

                    def unchanged(site):
                        site.timed = timed

                folder, _ = self.write(kind, told, unchanged if kind == "kube_state" else without)
                found = self.ledger(folder, self.as_of)
                names = {str(of.number[job] * 1000 + i) for i in range(1, 100)} if kind == "flux" else {of.name(job)}
                self.assertEqual(0, sum(us for key, us in found.items() if key[1] in names))
                self.check(
                    Counter({k: us for k, us in expected.items() if k[1] and k[1] not in names}),
                    Counter({k: us for k, us in found.items() if k[1]}),
                    f"{kind} {job}",
                )
                held = Counter()
                for (pool, name, category, _), us in expected.items():
                    if name in names and category != "queued":
                        held[pool] += us
                self.assertGreater(sum(held.values()), 0)
                for pool in {key[0] for key in expected if key[0]}:
                    free, now = (
                        sum(us for (of_pool, name, _, _), us in ledger.items() if of_pool == pool and name is None)
                        for ledger in (expected, found)
                    )
                    self.assertEqual(free + held[pool], now, f"{kind} {pool}")

        self.each(change)


if __name__ == "__main__":
    unittest.main()
