"""What it takes to find the jobs of logs beside a scheduler's export grows with them and not with their square: in steps of SQLite's machine."""

import re
import time
import unittest

import cases
from fleets import connect


class Logs(cases.Case):
    """In looks whether to stop, of which one comes after so many steps of the connection that joins sources."""

    HEADS = "JobID|JobIDRaw|JobName|Partition|State|Submit|Start|End|AllocTRES\n"
    LINE = (
        " [%s] iteration %d/ %d | consumed samples: 1 | elapsed time per iteration (ms): 10000.0 | lm loss: 3.0E+00 |\n"
    )

    def at(self, second):
        return time.strftime("2026-01-%d %H:%M:%S", time.gmtime(second))

    def times(self, at, end):
        return "|".join(self.at(at + second).replace(" ", "T") for second in (0, 10, end))

    def looks(self, folder):
        db = connect()
        self.addCleanup(db.close)
        seen = []
        db.set_progress_handler(lambda: seen.append(1) and 0, 1)
        db.execute("SELECT sum(chip_us) FROM trace_rollup(?)", (folder,)).fetchall()
        return len(seen)

    def test_attempts_of_one_job(self):
        """Whose log is appended to by each, or of which each has a log."""

        def make(n, name):
            logs, sacct = {}, [self.HEADS]
            for i in range(n):
                sacct.append("7|7|train|gpu|NODE_FAIL|%s|gres/gpu:h100=8\n" % self.times(1000 * i, 900))
                logs.setdefault(name % i, []).extend(
                    self.LINE % (self.at(1000 * i + 30 + 10 * step), 4 * i + step, 9999) for step in range(1, 5)
                )
            files = {path: "".join(lines) for path, lines in logs.items()}
            return self.folder_of({"sacct.psv": "".join(sacct), **files})

        for name, few in ("slurm-7.out%.0s", 250), ("slurm-7_%d.out", 100):
            with self.subTest(name):
                first, many = (self.looks(make(n, name)) for n in (few, 4 * few))
                self.assertLess(many, 5 * first)

    def test_logs_of_many_jobs(self):
        """Each has a log, which says of a second run that it completed where the scheduler says it failed, or is like the others and without a clock."""

        def make(n, state, runs, clocks):
            sacct, files = [self.HEADS], {}
            for i in range(n):
                log = []
                for run in range(runs):
                    first = 40 * i + 400 * run
                    times = self.times(first, 300)
                    ended = "NODE_FAIL" if run < runs - 1 else state
                    sacct.append("%d|%d|train|gpu|%s|%s|gres/gpu:h100=8\n" % (i + 7, i + 7, ended, times))
                    log += [self.LINE % (self.at(first + 30 + 10 * step), step, 4) for step in range(1, 5)]
                text = "".join(log)
                files["slurm-%d.out" % (i + 7)] = text if clocks else re.sub(r"\[[^]]*\] ", "", text)
            return self.folder_of({"sacct.psv": "".join(sacct), **files})

        for shape in ("FAILED", 2, True), ("COMPLETED", 1, False):
            with self.subTest(shape):
                few, more, many = (self.looks(make(n, *shape)) for n in (150, 300, 900))
                self.assertLess(many - more, 1.03 * 4 * (more - few))

    def test_logs_of_one_name(self):
        """As a sweep's: times say of which job each is, or that jobs ran at once."""

        def make(n, path, apart):
            files = {"sacct.psv": self.HEADS.replace("|P", "|User|P")}
            for i in range(n):
                at, user = apart * i, "ab"[i % 2] * 4
                row = i + 7, i + 7, user, self.times(at, 300)
                files["sacct.psv"] += "%d|%d|Train|%s|gpu|COMPLETED|%s|gres/gpu:h100=8\n" % row
                lines = [self.LINE % (self.at(at + 10 * step), step, 4) for step in range(4, 8)]
                files[path.format(i, user)] = "".join(lines)
            return self.folder_of(files)

        for path in "runs/r{}/Train.log", "train/x{}.out", "{1}/r{0}/Train.log":
            for apart in 400, 1:
                with self.subTest(path, apart=apart):
                    few, more, many = (self.looks(make(n, path, apart)) for n in (100, 200, 400))
                    self.assertLess(many - more, 2.2 * (more - few))

    def test_logs_that_jobs_write(self):
        """Into one file, one after the other, or each into its own: what StdOut says is looked up."""

        def make(n, output):
            files = {"sacct.psv": self.HEADS.replace("|AllocTRES", "|AllocTRES|StdOut")}
            for i in range(n):
                row = i + 7, i + 7, self.times(400 * i, 300), output.format(i)
                files["sacct.psv"] += "%d|%d|train|gpu|COMPLETED|%s|gres/gpu:h100=8|/home/%s\n" % row
                lines = [self.LINE % (self.at(400 * i + 10 * step), step, 4) for step in range(4, 8)]
                files["%d/" % (i + 5000) + output.format(i)] = "".join(lines)
            return self.folder_of(files)

        for output in "exp/logs/a.log", "exp{}/logs/a.log":
            with self.subTest(output):
                few, more, many = (self.looks(make(n, output)) for n in (100, 200, 400))
                self.assertLess(many - more, 2.2 * (more - few))

    def test_logs_by_another_clock(self):
        """Each has its job's id in its name and speaks long after that job: 4,000 jobs more of that name, which have no log, are not looked at for each log."""

        def make(jobs, later):
            files = {"sacct.psv": self.HEADS}
            for i in range(jobs):
                row = i + 7, i + 7, self.times(400 * i, 300)
                files["sacct.psv"] += "%d|%d|train|gpu|COMPLETED|%s|gres/gpu:h100=8\n" % row
                if i < 800:
                    lines = [self.LINE % (self.at(400 * i + later + 10 * step), step, 4) for step in range(4, 8)]
                    files["slurm-%d.out" % (i + 7)] = "".join(lines)
            return self.folder_of(files)

        for later in 8 * 3600, 10**6:
            with self.subTest(later=later):
                few, many = (self.looks(make(jobs, later)) for jobs in (1000, 5000))
                self.assertLess(many, 1.6 * few)

    def test_a_name_of_many_jobs(self):
        """A log whose name a year's jobs have is of the one that ran then."""
        sacct, n = [self.HEADS], 1500
        for i in range(n):
            sacct.append("%d|%d|train|gpu|COMPLETED|%s|gres/gpu:h100=8\n" % (i + 7, i + 7, self.times(400 * i, 300)))
        log = "".join(self.LINE % (self.at(400 * 1234 + 10 * step), step, 4) for step in range(4, 8))
        for name in "train.log", "Train.out":
            with self.subTest(name):
                folder = self.folder_of({"sacct.psv": "".join(sacct), name: log})
                self.assertEqual(
                    [("1241", "by its name and its time")],
                    self.rows(
                        "SELECT job, json_extract(inferred, '$.job') FROM trace_sources(?) WHERE format = 'megatron'",
                        folder,
                    ),
                )

    def test_trials_that_begin_together(self):
        """Without a scheduler each is a job, and all say their steps at the same times, as those of a sweep on one clock may."""

        def make(n):
            lines = "".join(
                f'{{"_step": {step}, "_timestamp": {1_772_323_200 + 60 * step}, "loss": 2.5}}\n' for step in range(60)
            )
            return self.folder_of({f"trial{i}.jsonl": lines.replace("2.5", str(2 + i / 1000)) for i in range(n)})

        first, many = (self.looks(make(n)) for n in (50, 200))
        self.assertLess(many, 5 * first)
        folder = make(40)
        self.rows("SELECT count(*) FROM trace_rollup(?)", folder)
        self.assertEqual(39, self.one("SELECT count(*) FROM mpg_issues WHERE kind = 'parallel_logs'"))


if __name__ == "__main__":
    unittest.main()
