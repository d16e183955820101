"""A generated fleet as a site with Slurm leaves it, held against what happened: sacct, events of nodes, and the logs of three trainers."""

import os
import shutil
import time
import unittest
from collections import Counter

import slurm_fleet
import tongue_case
from sacct_tongue import Slurm
from story import MILLION
from tongue_case import PRODUCTIVE


class Slurms(tongue_case.TongueCase):
    tell = staticmethod(slurm_fleet.write)

    def check(self, story, folder, relations):
        as_of = story.end // MILLION
        # A node counts as down but for what a job holds of it, and that a job ended is known up to a second late.
        nodes = Counter(out["pool"] for out in relations["outages"] for _ in range(out["chips"]))
        expected, found = self.expected(relations, as_of), self.found(folder, as_of)
        self.check_near(expected, found, lambda key: nodes[key[0]] * MILLION if key[1] is None else 0)
        return found

    def test_the_ledger(self):
        trainers = set()
        for seed in self.seeds():
            with self.subTest(seed=seed):
                story, folder, relations = self.fleet(seed)
                trainers |= set(relations["trainers"].values())
                found = self.check(story, folder, relations)
                self.check_truth(story, relations, found)
                tongue_case.scrambled(folder, seed)
                again = self.found(folder, story.end // MILLION)
                self.assertEqual(found, again)
                ignored = self.rows(
                    "SELECT source FROM mpg_issues WHERE kind = 'ignored_file' AND source LIKE ? || '%'"
                    " AND detail NOT LIKE 'the same content as %'",  # logs of runs that printed how they are set up, and no more
                    folder,
                )
                self.assertEqual({"README.md", "weights.bin"}, {os.path.basename(source) for source, in ignored})
        self.assertEqual({"maxtext", "megatron", "torchtitan"}, trainers)

    def check_truth(self, story, relations, found):
        """What the generator booked itself: who held what, to a second an end; and of steps, saves and losses what logs can say of them."""
        names = {job: slurm.name(job) for slurm in [Slurm(story)] for job in slurm.number}
        self.check_held(story, names, found, relations["trainers"])
        for job, name in names.items():
            true = Counter(
                {
                    (pool, of, category, cause): us
                    for (of, pool, category, cause), us in story.truth.items()
                    if of == job
                }
            )
            trainer = relations["trainers"].get(name)
            resharded = any(
                cause == "reshard" for *_, cause in true
            )  # which no log tells, and which saves like a checkpoint
            if trainer is None or resharded or tongue_case.has_surplus(story, job):
                continue
            near = tongue_case.all_allocated(true, job) / 1000 + tongue_case.second_an_end(story, job)
            saved = tongue_case.of_jobs(true, [job], *PRODUCTIVE)
            told = tongue_case.of_jobs(found, [name], *PRODUCTIVE, "compile")
            if not any(commit.durable > run.end for run in story.runs[job] for commit in run.commits):
                self.assertGreaterEqual(told, saved - near, f"{name} {trainer}")
            if trainer == "maxtext":
                saves = tongue_case.of_jobs(true, [job], "checkpoint")
                cut = sum(
                    run.chips * (run.end - s.start)
                    for run in story.runs[job]
                    for s in run.spans
                    if s.kind == "checkpoint" and s.end >= run.end
                )
                self.assertAlmostEqual(
                    saves, tongue_case.of_jobs(found, [name], "checkpoint"), delta=near + cut, msg=name
                )

    def test_the_sums_of_the_fleet(self):
        """Capacity is what was installed, whatever the logs say, and the pools' sums are those of their jobs and idle nodes."""
        story, folder, _ = self.fleet(11)
        found, slurm = self.found(folder, story.end // MILLION), Slurm(story)
        for pool, cluster in slurm.cluster.items():
            true = sum(us for (_, of, category, _), us in story.truth.items() if of == pool and category != "queued")
            self.assertAlmostEqual(
                true,
                sum(us for (of, _, category, _), us in found.items() if of == cluster and category != "queued"),
                delta=2 * MILLION * 8192,
            )

    def test_until_when(self):
        """Unless asked, the ledger goes to where the jobs that run have run to."""
        story, folder, relations = self.fleet(12)
        running = {row["pool"] for row in relations["allocations"] if row["end_time"] is None}
        at_end = self.found(folder, story.end // MILLION)
        found = self.found(folder)
        self.assertTrue(running)
        self.assertEqual(
            {k: v for k, v in at_end.items() if k[0] in running}, {k: v for k, v in found.items() if k[0] in running}
        )

    def test_kept_and_noticed(self):
        """Asked twice it is answered from memory; a log that comes, grows or goes changes the answer to that of a new connection."""
        story, folder, relations = self.fleet(13)
        as_of = story.end // MILLION
        time.sleep(
            2.1
        )  # a file that changed in the last two seconds may be changing still: an answer over it is not kept
        begun = time.monotonic()
        first = self.found(folder, as_of)
        took = time.monotonic() - begun
        self.assertEqual(first, self.found(folder, as_of))
        self.assertLess(time.monotonic() - begun - took, took / 5)
        log = next(os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".out"))
        kept = os.path.join(self.new_folder(), "kept.out")

        def same_as_new(what):
            fresh = tongue_case.connect()
            expected = tongue_case.entries(fresh, f"trace_rollup('{folder}')", as_of)
            fresh.close()
            found = self.found(folder, as_of)
            self.assertEqual(expected, found, what)
            return found

        shutil.copy(log, kept)
        with open(log, "r+", encoding="utf-8") as file:
            file.truncate(os.path.getsize(log) // 2)
        self.assertNotEqual(first, same_as_new("changed"))
        os.remove(log)
        gone = same_as_new("vanished")
        self.assertNotEqual(first, gone)
        shutil.copy(kept, log)
        self.assertEqual(first, same_as_new("new"))


if __name__ == "__main__":
    unittest.main()
