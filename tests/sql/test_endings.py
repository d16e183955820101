"""What logs leave open beside records of later: the fleet was observed for longer, their jobs were not."""
import datetime
import os
import shutil
import unittest

from cases import Case
from fleets import ROOT

# A job of Slurm, long after all fixtures, in a pool of its own.
LATE = """JobID|JobIDRaw|Partition|Submit|Start|End|State|AllocTRES|NNodes
900|900|late|2031-01-01T00:00:00|2031-01-01T00:00:00|2031-01-01T01:00:00|COMPLETED|billing=1,gres/gpu:h100=8|1
"""
LOGS = (  # files, and files of a folder that belongs to them
   "training/megatron.log", "training/torchtitan.log", "training/nanogpt.log", "training/maxtext.log", "trainer/deepspeed.log", "trainer/nemo.log",
    "trainer/wandb-history.jsonl", "trainer/wandb-history.csv", "goodput/ranker-7.jsonl", "otlp/spans.jsonl",
    "mlperf:results/pod16/toy_lm/result_0.txt", "tfevents:")
ROLLUP = "SELECT category, round(sum(chip_seconds), 3) FROM trace_rollup(?) WHERE job IS NOT '900' GROUP BY category HAVING round(sum(chip_seconds), 3) <> 0"


class Endings(Case):
    def folder(self, fixture, share, *others):
        """A folder with the first `share` of the fixture's lines, and the other files."""
        root = self.folder_of({name: text for name, text in others})
        folder, _, name = fixture.rpartition(":")
        if folder:
            shutil.copytree(os.path.join(ROOT, "fixtures", folder), os.path.join(root, folder))
            path = os.path.join(root, folder, name)
            for other in ("result_1.txt", "result_2.txt") if name else ():
                os.remove(os.path.join(os.path.dirname(path), other))
        else:
            path = shutil.copy(os.path.join(ROOT, "fixtures", name), root)
        if os.path.isfile(path):
            with open(path, encoding="utf-8") as file:
                lines = file.readlines()
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(lines[:int(len(lines) * share)])
        return root

    def sums(self, folder):
        """Chip-seconds by category; that of work whose fate hangs on how the job ended as one."""
        sums = dict(self.rows(ROLLUP, folder))
        sums["unproven"] = round(sum(sums.pop(category, 0) for category in ("lost", "pending", "unknown")), 3)
        return sums

    def test_a_later_record_of_another_job_adds_nothing(self):
        """The log alone, whose job still runs, against the log beside a job of years later: no chip-time more, and none below 0. What waits
        for a checkpoint may be lost, for the job has ended."""
        listed = 0
        for fixture in LOGS:
            for share in (0.5, 0.7, 0.9, 1):
                alone, found = (self.sums(self.folder(fixture, share, *others)) for others in ((), (("sacct.txt", LATE),)))
                with self.subTest(fixture=fixture, share=share):
                    self.assertEqual(alone, found)
                listed += len(self.rows("SELECT 1 FROM mpg_issues WHERE kind = 'log_stopped'"))
        self.assertGreater(listed, 10)

    def test_within_an_hour_the_job_still_runs(self):
        """And so does its capacity: nothing is idle below 0, and what waits for a checkpoint still waits."""
        for fixture in ("training/megatron.log", "training/torchtitan.log", "trainer/deepspeed.log"):
            log = self.folder(fixture, 0.7)
            alone = dict(self.rows(ROLLUP, log))
            last = datetime.datetime.fromtimestamp(self.one("SELECT max(last_time) FROM trace_sources(?)", log), datetime.timezone.utc)
            start = (last + datetime.timedelta(minutes=10)).strftime("%Y-%m-%dT%H:%M:%S")
            end = (last + datetime.timedelta(minutes=20)).strftime("%Y-%m-%dT%H:%M:%S")
            text = "\n".join(LATE.splitlines()[:1] + [f"900|900|late|{start}|{start}|{end}|COMPLETED|billing=1,gres/gpu:h100=8|1", ""])
            found = dict(self.rows(ROLLUP, self.folder(fixture, 0.7, ("sacct.txt", text))))
            self.assertEqual([], self.rows("SELECT * FROM mpg_issues WHERE kind IN ('log_stopped', 'oversubscribed')"))
            self.assertAlmostEqual(8 * 1200, found.pop("unknown") - alone.pop("unknown", 0), delta=8)  # sacct has whole seconds
            self.assertEqual(alone, found)


if __name__ == "__main__":
    unittest.main()
