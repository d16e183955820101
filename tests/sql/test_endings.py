"""Each source ends by itself: what another source of the folder saw later, or before, changes nothing of it."""

import os
import shutil
import unittest

from cases import Case
from fleets import ROOT

# A job long after all fixtures, or long before, in a pool of its own: as Slurm or as the native trace tells it.
SACCT = """JobID|JobIDRaw|Partition|Submit|Start|End|State|AllocTRES|NNodes
900|900|late|{0}-01-01T00:00:00|{0}-01-01T00:00:00|{0}-01-01T01:00:00|COMPLETED|billing=1,gres/gpu:h100=8|1
"""
NATIVE = """{{"record":"job","job":"900","chips":8,"submit_time":"{0}-01-01T00:00:00Z"}}
{{"record":"allocation","job":"900","pool":"late","chips":8,"start_time":"{0}-01-01T00:00:00Z","end_time":"{0}-01-01T01:00:00Z"}}
"""
MEGATRON = (
    " [2026-01-01 {:02}:00:00.000000] iteration {:8}/     100 | consumed samples: 10 | elapsed time per iteration (ms): 3600000.0 | "
    "learning rate: 3.0E-05 | global batch size: 1 | lm loss: 1.0E+00 | number of skipped iterations: 0 | number of nan iterations: 0 |\n"
)
SCHEDULERS = (
    "slurm",
    "slurm/sacct_jobs.psv",
    "slurm/squeue.json",
    "slurm/sacct.json",
    "kube/watch.json",
    "kube/cluster.json",
    "kube/claims.json",
    "kube/state.json",
    "pbs",
    "lsf",
    "sge",
    "flux",
    "condor",
    "swf",
    "public",
)
LOGS = (
    "training/megatron.log",
    "training/torchtitan.log",
    "training/nanogpt.log",
    "training/maxtext.log",
    "trainer/deepspeed.log",
    "trainer/nemo.log",
    "trainer/wandb-history.jsonl",
    "trainer/wandb-history.csv",
    "goodput/ranker-7.jsonl",
    "goodput/ranker-8.json",
    "otlp",
    "mlperf",
    "tfevents",
    "h100/hugging_face",
)
NATIVES = ("golden", "fleet")
ROLLUP = """SELECT job, pool, category, round(sum(chip_seconds), 3) FROM trace_rollup(?)
            WHERE job IS NOT '900' AND pool IS NOT 'late' GROUP BY job, pool, category HAVING round(sum(chip_seconds), 3) <> 0 ORDER BY 1, 2, 3"""


class Endings(Case):
    def copy(self, fixture, lines=None):
        """A folder with the fixture alone: a folder, or the first lines of a file."""
        root, source = self.new_folder(), os.path.join(ROOT, "fixtures", fixture)
        path = os.path.join(root, "of", os.path.basename(fixture))
        os.makedirs(os.path.dirname(path))
        if os.path.isdir(source):
            shutil.copytree(source, path)
        else:
            with open(source, encoding="utf-8") as file, open(path, "w", encoding="utf-8") as to:
                to.writelines(file.readlines()[:lines])
        return root

    def check(self, root, other):
        """The rows of the folder alone, and beside the other source, later and earlier."""
        alone = self.rows(ROLLUP, root)
        self.assertTrue(alone)
        path = os.path.join(root, "other.txt")
        for year in (2033, 2001):
            with open(path, "w", encoding="utf-8") as file:
                file.write(other.format(year))
            self.assertEqual(alone, self.rows(ROLLUP, root), year)
        os.remove(path)

    def test_schedulers(self):
        for fixture in SCHEDULERS:
            with self.subTest(fixture=fixture):
                self.check(self.copy(fixture), NATIVE)

    def test_native(self):
        for fixture in NATIVES:
            with self.subTest(fixture=fixture):
                self.check(self.copy(fixture), SACCT)

    def test_logs(self):
        for fixture in LOGS:
            for other in (NATIVE, SACCT):
                with self.subTest(fixture=fixture, other=other[:5]):
                    self.check(self.copy(fixture), other)

    def test_logs_that_stop(self):
        """Without a finish line, wherever: the job still ran when its last line was written, and nothing is known of it after that."""
        for fixture in (name for name in LOGS if name.endswith((".log", ".jsonl", ".csv"))):
            with open(os.path.join(ROOT, "fixtures", fixture), encoding="utf-8") as file:
                lines = len(file.readlines())
            for share in (0.5, 0.7, 0.9):
                root = self.copy(fixture, int(lines * share))
                if self.rows(ROLLUP, root):
                    with self.subTest(fixture=fixture, share=share):
                        self.check(root, NATIVE)

    def test_logs_that_begin_at_once_and_hang(self):
        """Each job holds its chips until its own log ends, whichever of them began with it."""
        step = " [2026-03-03 10:00:{:02d}] iteration {:8d}/ 100 | consumed samples: 1 | elapsed time per iteration (ms): 2000.0 | lm loss: 1.{}E+00 |\n"
        for begins in ((0, 0, 0), (0, 0, 4), (0, 4, 4), (0, 4, 8)):
            root = self.folder_of(
                {
                    f"{n}.log": "".join(step.format(begin + 2 * i, i, n) for i in range(1, 11))
                    + f"[2026-03-03 10:0{n}:00] Watchdog caught a time-out\n"
                    for n, begin in enumerate(begins, 1)
                }
            )
            with self.subTest(begins=begins):
                self.assertEqual(
                    [("unknown", sum(range(60, 240, 60)) - sum(begins))],
                    self.rows("SELECT category, sum(chip_seconds) FROM trace_rollup(?) GROUP BY 1", root),
                )

    def test_a_log_of_a_job_that_the_scheduler_lists_as_running(self):
        """The log is of later than the listing: both prove that the job still ran. A third source of years later proves nothing of it."""
        files = {
            "sacct.txt": SACCT.format(2026).replace("2026-01-01T01:00:00|COMPLETED", "Unknown|RUNNING"),
            "megatron-900.log": "[before the start of training step] datetime: 2026-01-01 00:10:00\n"
            + "".join(map(MEGATRON.format, range(2, 7), range(1, 6))),
        }
        rollup = "SELECT category, sum(chip_seconds) FROM trace_rollup(?) WHERE job = '900' GROUP BY category"
        alone = dict(self.rows(rollup, self.folder_of(files)))
        self.assertEqual(8 * 6 * 3600, sum(alone.values()))
        self.assertEqual(
            alone,
            dict(
                self.rows(rollup, self.folder_of({**files, "other.jsonl": NATIVE.format(2033).replace("900", "901")}))
            ),
        )


if __name__ == "__main__":
    unittest.main()
