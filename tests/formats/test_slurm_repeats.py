"""Exports that overlap, in the mapping sql/formats/slurm.sql: what waited or ran in one and is further in the next, and nodes that both show."""

import json
import unittest

from slurm import Mapped


class Mapping(Mapped):
    def test_exports_that_overlap(self):
        """What waited in the first and has started in the second waits no more, and counts as no attempt."""
        g = "gres/gpu=8"
        first = (
            self.job(1, "PENDING", 1000, "Unknown", "Unknown", g, "")
            + self.job(2, "REQUEUED", 1000, 1010, 1020, g, g, "n1")
            + self.job(2, "PENDING", 1020, "Unknown", "Unknown", g, "")
            + "c|3|3_[1-3]|a|PENDING|1000|Unknown|Unknown|gres/gpu=8|||\n"
        )
        second = (
            self.job(1, "COMPLETED", 1000, 1030, 1040, g, g, "n1")
            + self.job(2, "REQUEUED", 1000, 1010, 1020, g, g, "n1")
            + self.job(2, "REQUEUED", 1020, 1050, 1060, g, g, "n1")
            + self.job(2, "PENDING", 1060, "Unknown", "Unknown", g, "")
            + "c|4|3_1|a|COMPLETED|1000|1030|1040|gres/gpu=8|gres/gpu=8|n2|\nc|3|3_[2-3]|a|PENDING|1000|Unknown|Unknown|gres/gpu=8|||\n"
        )
        third = "c|3|3_3|a|RUNNING|1000|1070|Unknown|gres/gpu=8|gres/gpu=8|n3|\n"
        for jobs, of_3 in (
            (first + second, (16, None)),
            (second + first, (16, None)),
            (first + second + third, (8, None)),
            (third + second + first, (8, None)),
        ):
            self.map_text(jobs)
            found = self.rows(
                "SELECT job, attempt, chips, start_time, end_time, outcome FROM allocations ORDER BY job, attempt"
            )
            self.assertEqual(
                found,
                [
                    ("1", 1, 8, 1030, 1040, "completed"),
                    ("2", 1, 8, 1010, 1020, "preempted"),
                    ("2", 2, 8, 1050, 1060, "preempted"),
                    ("2", 3, 0, 1060, None, None),
                ]
                + [("3", 1, 8, 1070, None, None)] * (of_3[0] == 8)
                + [("4", 1, 8, 1030, 1040, "completed")],
            )
            self.assertEqual(
                self.rows("SELECT job, chips, min_chips FROM jobs ORDER BY job"),
                [("1", 8, None), ("2", 8, None), ("3", *of_3), ("4", 8, None)],
            )
        # Job 2 waits again, to the end.
        self.assertEqual(
            self.rows(
                "SELECT sum(chip_us) / 8000000 FROM mpg_rollup WHERE job = '2' AND category = 'queued' AND as_of = 1100"
            ),
            [(10 + 30 + 40,)],
        )

    def test_exports_that_are_cut(self):
        """Windows of sacct --truncate give pieces of one attempt, also of a job that ran when the first was made; a requeue submits again."""
        g = "gres/gpu=8"
        for state, end, start, submit, attempt in (
            ("COMPLETED", 2000, 2000, 900, 1),
            ("COMPLETED", 1999, 2000, 900, 1),  # until 23:59:59, and from 00:00:00
            ("RUNNING", "Unknown", 2000, 900, 1),
            ("RUNNING", 2000, 2000, 900, 1),
            ("COMPLETED", 2000, 2000, 1990, 2),
            ("NODE_FAIL", 1900, 2000, 900, 2),
            ("RUNNING", "Unknown", 2000, 1990, 2),
        ):
            later = self.job(1, "COMPLETED", submit, start, 3000, g, g, "n1")
            first = self.job(1, state, 900, 1000, end, g, g, "n1")
            for jobs in (first + later, later + first):
                self.map_text(jobs)
                self.assertEqual(
                    [(1, 1000), (attempt, 2000)],
                    self.rows("SELECT attempt, start_time FROM allocations ORDER BY start_time"),
                    (state, end, submit),
                )

    def test_tasks_that_wait_in_rows_of_their_own(self):
        """`sacct --array`: all have the id of the array, as the one that starts last keeps it."""

        def task(raw, number, state, start, end="Unknown", submit=1000):
            started = start != "Unknown" and start != "None"
            return (
                f"c|{raw}|3_{number}|a|{state}|{submit}|{start}|{end}|gres/gpu=8|{'gres/gpu=8' if started else ''}||\n"
            )

        first = "".join(task(3, n, "PENDING", "Unknown") for n in (1, 2, 3)) + self.job(
            1, "PENDING", 1000, "Unknown", "Unknown", "gres/gpu=8", ""
        )
        second = (
            task(4, 1, "COMPLETED", 1030, 1040) + task(3, 2, "PENDING", "Unknown") + task(3, 3, "PENDING", "Unknown")
        )
        third = (
            task(4, 1, "COMPLETED", 1030, 1040)
            + task(5, 2, "RUNNING", 1050)
            + task(3, 3, "CANCELLED by 7", "None", 1060)
        )
        fourth = task(3, 3, "REQUEUED", 1055, 1060) + task(3, 3, "PENDING", "Unknown", submit=1060)
        jobs, ran = [("1", 8), ("3_1", 8), ("3_2", 8), ("3_3", 8)], ("4", 1, 8, 1030, 1040)
        for text, wanted, held in (
            (first, jobs, []),
            (second, [("3_2", 8), ("3_3", 8), ("4", 8)], [ran]),
            (first + second, [("1", 8), ("3_2", 8), ("3_3", 8), ("4", 8)], [ran]),
            (second + first, [("1", 8), ("3_2", 8), ("3_3", 8), ("4", 8)], [ran]),
            (
                second + third,
                [("3_3", 8), ("4", 8), ("5", 8)],
                [("3_3", 1, 0, 1060, 1060), ran, ("5", 1, 8, 1050, None)],
            ),
            (
                first + second + fourth,
                [("1", 8), ("3", 8), ("3_2", 8), ("4", 8)],
                [("3", 1, 8, 1055, 1060), ("3", 2, 0, 1060, None), ran],
            ),
        ):
            self.map_text(text)
            self.assertEqual(self.rows("SELECT job, chips FROM jobs ORDER BY job"), wanted, text)
            self.assertEqual(
                self.rows("SELECT job, attempt, chips, start_time, end_time FROM allocations ORDER BY job, attempt"),
                held,
            )
        self.map_text(first)
        self.assertEqual(
            self.rows("SELECT sum(chip_us) / 1000000 FROM mpg_rollup WHERE category = 'queued' AND as_of = 1100"),
            [(4 * 800,)],
        )
        self.assertEqual(self.rows("SELECT DISTINCT labels ->> '$.array_job' FROM jobs WHERE job <> '1'"), [(3,)])

    def test_what_ran_in_one_export_and_began_anew_in_the_next(self):
        """No export tells the end of the first attempt: it ended when the job was submitted again, or else when it started again."""
        g = "gres/gpu=8"
        runs = self.job(1, "RUNNING", 50, 100, "Unknown", g, g, "n1")
        for later, wanted in (
            (
                self.job(1, "COMPLETED", 300, 400, 500, g, g, "n2"),
                [(1, 8, 100, 300, None), (2, 8, 400, 500, "completed")],
            ),
            (
                self.job(1, "PENDING", 300, "Unknown", "Unknown", g, ""),
                [(1, 8, 100, 300, None), (2, 0, 300, None, None)],
            ),
            (
                self.job(1, "CANCELLED by 7", 300, "None", 350, g, ""),
                [(1, 8, 100, 300, None), (2, 0, 350, 350, "cancelled")],
            ),
            (  # not submitted again: its nodes had to boot, or the export was cut
                self.job(1, "COMPLETED", 50, 250, 500, g, g, "n1"),
                [(1, 8, 100, 250, None), (1, 8, 250, 500, "completed")],
            ),
            (self.job(1, "RUNNING", 50, 100, "Unknown", g, g, "n1"), [(1, 8, 100, None, None)]),
            (self.job(2, "COMPLETED", 300, 400, 500, g, g, "n2"), [(1, 8, 100, None, None)]),
        ):
            for jobs in (runs + later, later + runs):
                self.map_text(jobs)
                self.assertEqual(
                    self.rows(
                        "SELECT attempt, chips, start_time, end_time, outcome FROM allocations WHERE job = '1' ORDER BY attempt, start_time"
                    ),
                    wanted,
                    later,
                )

    def test_events_of_exports_that_overlap(self):
        """What was open in the first export and has ended in the second ended; what both have is there once."""
        first = "c|Cluster||900|Unknown|||gres/gpu=16\nc|Cluster||900|905|slurmctld disconnect||gres/gpu=16\nc|Node|n1|950|970||DOWN|gres/gpu=8\nc|Node|n2|1050|Unknown||DOWN|gres/gpu=8\n"
        second = (
            "c|Cluster||900|1300|||gres/gpu=16\nc|Cluster||1300|Unknown|||gres/gpu=24\nc|Node|n1|950|970||DOWN|gres/gpu=8\n"
            "c|Node|n2|1050|1200||DOWN|gres/gpu=8\nc|Node|n1|1050|1100||DOWN|gres/gpu=8\n"
        )
        for events in (first, first + first):  # the cluster is not gone at the end of its disconnection
            self.map_text(self.job(1, "COMPLETED", 1000, 1000, 1010, "gres/gpu=4", "gres/gpu=4", "n3"), events)
            self.assertEqual(self.rows("SELECT chips, start_time, end_time FROM capacity"), [(16, 900, None)])
        for events in (first + second, second + first, second + second, second):
            self.map_text(self.job(1, "COMPLETED", 1000, 1000, 1010, "gres/gpu=4", "gres/gpu=4", "n3"), events)
            self.assertEqual(
                self.rows("SELECT chips, start_time, end_time FROM capacity ORDER BY 2"),
                [(16, 900, 1300), (24, 1300, None)],
            )
            self.assertEqual(
                self.rows("SELECT chips, start_time, end_time FROM outages ORDER BY 2, 3"),
                [(8, 950, 970), (8, 1050, 1100), (8, 1050, 1200)],
            )

    def test_an_id_that_is_given_anew(self):
        """A job stays with its user: another user's rows are another job's. Those of a requeue, or without a user, are not."""
        head, row = (
            "JobIDRaw|User|State|Submit|Start|End|ReqTRES|AllocTRES\n",
            "7|{}|{}|{}|{}|{}|gres/gpu=8|gres/gpu=8\n",
        )
        for user, jobs in (("bob", [("7", 720), ("7#2", 400)]), ("ann", [("7", 1120)]), ("", [("7", 1120)])):
            path = self.file(
                head + row.format("ann", "REQUEUED", 1000, 1010, 1100) + row.format(user, "COMPLETED", 2000, 2050, 2100)
            )
            self.assertEqual(
                jobs,
                self.rows(
                    "SELECT job, sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category = 'untraced' GROUP BY 1",
                    path,
                ),
            )

    def test_an_id_that_two_jobs_have_at_once(self):
        """No requeue is submitted while the attempt before runs: they are of two clusters of one name, which is listed, whoever's they are."""
        head, row = (
            "JobIDRaw|Cluster|JobName|User|State|Submit|Start|End|ElapsedRaw|ReqTRES|AllocTRES\n",
            "7|c|train|{}|COMPLETED|{}|{}|{}|9000|gres/gpu=8|gres/gpu=8\n",
        )
        for user, submit, jobs, listed in (
            ("ann", 1000 + 3000, ["7", "7#2"], 1),
            ("bob", 1000 + 3000, ["7", "7#2"], 1),
            ("ann", 1000 + 10000, ["7"], 0),
            ("bob", 1000 + 8000, ["7", "7#2"], 1),
            ("bob", 1000 + 10000, ["7", "7#2"], 0),
            ("ann", 1000 + 8000, ["7"], 0),  # an hour that the clock showed twice, perhaps
        ):
            path = self.folder_of(
                {
                    "east/sacct.psv": head + row.format("ann", 1000, 1000, 10000),
                    "west/sacct.psv": head + row.format(user, submit, submit, submit + 9000),
                }
            )
            self.assertEqual(
                jobs,
                [job for (job,) in self.rows("SELECT DISTINCT job FROM trace_rollup(?) WHERE job IS NOT NULL", path)],
            )
            self.assertEqual(
                listed,
                self.one(
                    "SELECT total(count) FROM mpg_issues WHERE kind = 'conflict' AND source LIKE ? || '%' AND detail LIKE 'ids that two jobs of c had at once, the first 7:%'",
                    path,
                ),
            )

    def test_an_id_that_the_same_user_had_before(self):
        """A requeue is submitted as the attempt before ends; what is submitted long after an end, or has another name, is another job."""
        head, row = (
            "JobIDRaw|JobName|User|State|Submit|Start|End|ReqTRES|AllocTRES\n",
            "7|{}|ann|{}|{}|{}|{}|gres/gpu=8|gres/gpu=8\n",
        )
        day, one, two = 86400, [("7", 1)], [("7", 1), ("7#2", 1)]
        for state, name, submit, wanted in (
            ("COMPLETED", "a", 1100 + 30 * day, two),
            ("FAILED", "a", 1100 + 30 * day, two),
            ("CANCELLED by 7", "a", 1100 + 2 * day, two),
            ("TIMEOUT", "a", 1100 + day, two),
            ("PREEMPTED", "a", 1100 + 30 * day, two),
            ("NODE_FAIL", "a", 1100 + 30 * day, two),
            ("FAILED", "b", 1400, two),
            ("FAILED", "a", 1100, one),
            ("FAILED", "a", 1400, one),
            ("PREEMPTED", "a", 1100, one),
            ("NODE_FAIL", "a", 1500, one),
            ("NODE_FAIL", "a", 1100 + day // 2, one),
            ("REQUEUED", "a", 1100, one),
            ("REQUEUED", "a", 1100 + 30 * day, one),
            ("REQUEUED", "b", 1400, one),
        ):
            rows = [
                row.format("a", state, 1000, 1010, 1100),
                row.format(name, "COMPLETED", submit, submit + 50, submit + 100),
            ]
            for text in (head + rows[0] + rows[1], head + rows[1] + rows[0], head + rows[0] + rows[1] + rows[0]):
                path = self.file(text)
                self.assertEqual(
                    wanted if wanted == two else [("7", 2)],
                    self.rows(
                        "SELECT job, count(*) FROM trace_records(?) WHERE record = 'allocations' GROUP BY 1", path
                    ),
                    (state, name, submit),
                )
                self.assertEqual(
                    [(len(wanted) - 1,)] * (wanted == two),
                    self.rows("SELECT count FROM mpg_issues WHERE kind = 'run_anew' AND source = ?", path),
                )
        # Nothing asks for chips between the two: it was no attempt that waited for the next.
        path = self.file(
            head
            + row.format("a", "FAILED", 1000, 1010, 1100)
            + row.format("a", "COMPLETED", 1100 + 30 * day, 1150 + 30 * day, 1200 + 30 * day)
        )
        self.assertEqual(
            8 * (10 + 50),
            self.one("SELECT sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category = 'queued'", path),
        )

    def test_a_time_that_elapsed_denies(self):
        """Held from Start to End; what Elapsed and Suspended lack of that is listed."""
        for elapsed, suspended, said in (
            ("990", "00:00:00", 0),
            ("390", "00:10:00", 0),
            ("390", "00:00:00", 1),
            ("390", "", 1),
            ("4590", "00:00:00", 1),
        ):
            path = self.file(
                f"JobIDRaw|State|Submit|Start|End|ElapsedRaw|Suspended|ReqTRES|AllocTRES\n7|COMPLETED|1000|1010|2000|{elapsed}|{suspended}|gres/gpu=8|gres/gpu=8\n"
            )
            self.assertEqual(
                8 * 990,
                self.one("SELECT sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category = 'untraced'", path),
            )
            self.assertEqual(
                said, self.one("SELECT count(*) FROM mpg_issues WHERE kind = 'conflict' AND source = ?", path)
            )

    def test_an_event_that_the_later_export_has_no_more(self):
        """It was open when the first was made and is not in the second, which has the cluster: it ended between, and lasts until it was last seen."""
        head = "Cluster|ClusterNodes|Event|NodeName|TimeStart|TimeEnd|Duration|Reason|State|User|TRES\n"
        whole = "c|n[1-2]|Cluster||100|Unknown|{}|||root|cpu=4,gres/gpu=16\n"
        down = "c||Node|{}|{}|Unknown|{}|bad|DOWN|root|cpu=2,gres/gpu=8\n"
        first = (
            head + whole.format("00:23:20") + down.format("n1", 1000, "00:08:20") + down.format("n2", 1200, "00:05:00")
        )
        jobs = "JobIDRaw|JobID|Cluster|State|Submit|Start|End|ReqTRES|AllocTRES|NodeList\n1|1|c|COMPLETED|2000|2000|3000|gres/gpu=8|gres/gpu=8|n1\n"
        for second, seconds, said in (
            (whole.format("00:48:20") + down.format("n2", 1200, "00:30:00"), 500 + 1800, 1),
            (down.format("n2", 1200, "00:30:00"), 1000 + 1800, 0),
        ):
            folder = self.folder_of({"a.psv": first, "b.psv": head + second, "jobs.psv": jobs})
            self.assertEqual(
                8 * seconds,
                self.one("SELECT sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category = 'down'", folder),
            )
            self.assertEqual(
                said,
                self.one("SELECT count(*) FROM mpg_issues WHERE kind = 'lost_end' AND source LIKE ? || '%'", folder),
            )

    def test_resources_of_a_cluster_that_overlap(self):
        """Of two rows of a cluster that have ended the later one counts from its start, and that is said; what follows without a gap is no fault."""
        head = "Cluster|ClusterNodes|Event|NodeName|TimeStart|TimeEnd|Reason|State|User|TRES\n"
        rows = (
            "c|n[1-2]|Cluster||0|{}|||root|cpu=4,gres/gpu=16\nc|n[1-3]|Cluster||18000|36000|||root|cpu=4,gres/gpu=24\n"
        )
        jobs = "JobIDRaw|JobID|Cluster|State|Submit|Start|End|ReqTRES|AllocTRES|NodeList\n1|1|c|COMPLETED|0|1|36000|gres/gpu=8|gres/gpu=8|n1\n"
        for end, said in ((18000, []), (21600, [("conflict", 1)])):
            folder = self.folder_of({"events.psv": head + rows.format(end), "jobs.psv": jobs})
            self.assertEqual(
                16 * 18000 + 24 * 18000,
                self.one("SELECT sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category <> 'queued'", folder),
            )
            self.assertEqual(
                said, self.rows("SELECT kind, count FROM mpg_issues WHERE source = ? || '/events.psv'", folder)
            )

    def test_jobs_that_a_later_export_lacks(self):
        """Windows that do not touch: a job that ran or waited in the first and is not in the second ended when it was last seen, if the
        second is of its user, partition and time."""
        head = "Cluster|JobIDRaw|JobID|User|Partition|State|Submit|Start|End|ElapsedRaw|Suspended|ReqTRES|AllocTRES|NodeList\n"

        def row(job, state, start, end, now, user="u", partition="p"):
            held = "" if start is None else "gres/gpu=8"
            times = (start or 1000, start or "Unknown", end or "Unknown", (end or now) - start if start else 0)
            return (
                "|".join(
                    map(str, ("c", job, job, user, partition, state, *times, "00:00:00", "gres/gpu=8", held, "n1"))
                )
                + "\n"
            )

        runs, waits = row(1, "RUNNING", 1000, None, 2000), row(1, "PENDING", None, None, 2000)
        beside = row(2, "COMPLETED", 1000, 1900, 0)
        later = row(3, "COMPLETED", 8000, 8500, 0) + row(4, "RUNNING", 8600, None, 9000)
        for first, second, seconds, listed in (
            (runs, later, 1000, 1),
            (runs, later + row(1, "COMPLETED", 1000, 2500, 0), 1500, 0),
            (runs, row(4, "RUNNING", 8600, None, 9000, "v"), 8000, 0),
            (runs, row(4, "RUNNING", 8600, None, 9000, "v") + row(5, "RUNNING", 8600, None, 9000, "w"), 1000, 1),
            (runs, row(4, "RUNNING", 8600, None, 9000, "u", "q"), 8000, 0),
            (runs, row(4, "RUNNING", 900, None, 9000), 8000, 0),  # of a window before it
            (runs, row(4, "RUNNING", 1000, None, 2200), 1200, 0),  # the same export in parts
            (runs, row(3, "COMPLETED", 8000, 8500, 0), 7500, 1),  # of ended jobs alone, perhaps
            (waits, later, 900, 1),
            (waits + runs.replace("c|1|1", "c|6|6"), later, 1000, 2),
        ):
            for files in (
                {"1.psv": head + first + beside, "2.psv": head + second},
                {"2.psv": head + first + beside, "1.psv": head + second},
            ):
                folder = self.folder_of(files)
                self.assertEqual(
                    8 * seconds,
                    self.one("SELECT sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE job IN ('1')", folder),
                    (first, second),
                )
                self.assertEqual(
                    listed,
                    self.one(
                        "SELECT total(count) FROM mpg_issues WHERE kind = 'lost_end' AND source LIKE ? || '%'", folder
                    ),
                    (first, second),
                )
        folder = self.folder_of({"1.psv": head + runs + beside + head + later})
        self.assertEqual(
            8 * 1000, self.one("SELECT sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE job = '1'", folder)
        )
        # Without Suspended it may have been suspended: it is held, and that is said.
        text = (head + runs + beside + head + later).replace("|Suspended|", "|").replace("|00:00:00|", "|")
        path = self.file(text, "sacct.psv")
        self.assertEqual(8 * 8000, self.one("SELECT sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE job = '1'", path))
        self.assertEqual(1, self.one("SELECT count FROM mpg_issues WHERE kind = 'lost_end' AND source = ?", path))
        path = self.file(head.replace("|Suspended", "") + runs.replace("|00:00:00|", "|"), "sacct.psv")
        self.assertEqual(8 * 1000, self.one("SELECT sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE job = '1'", path))
        self.assertEqual(0, self.one("SELECT count(*) FROM mpg_issues WHERE kind = 'lost_end' AND source = ?", path))

    def test_arrays_of_exports_without_their_raw_ids(self):
        """JobID is the column that sacct prints by itself: what waits of an array is one job through all exports, without the tasks that left."""
        head = "Cluster|JobID|State|Submit|Start|End|ElapsedRaw|ReqTRES|AllocTRES|NodeList\n"

        def row(job, state, start, end, now=0):
            held = "" if start is None else "gres/gpu=8"
            elapsed = (end or now) - start if start else 0
            times = "|".join(map(str, (1000, start or "Unknown", end or "Unknown", elapsed)))
            return f"c|{job}|{state}|{times}|gres/gpu=8|{held}|n1\n"

        first = row("7_[2-4,6-8:2%1]", "PENDING", None, None) + row("7_1", "RUNNING", 1000, None, 1500)
        second = (
            row("7_[4,6,8]", "PENDING", None, None)
            + row("7_1", "COMPLETED", 1000, 1600)
            + row("7_2", "COMPLETED", 1600, 1800)
            + row("7_3", "RUNNING", 1800, None, 2000)
        )
        third = "".join(
            (
                row("7_3", "COMPLETED", 1800, 2100),
                row("7_4", "COMPLETED", 2100, 2200),
                row("7_6", "COMPLETED", 2100, 2300),
                row("7_8", "RUNNING", 2400, None, 3000),
            )
        )
        for exports, queued in (
            ([first], 5 * 500),
            ([first, second], 600 + 800 + 3 * 1000),
            ([first, second, third], 600 + 800 + 1100 + 1100 + 1400),
            ([first, third], 500 + 800 + 1100 + 1100 + 1400),  # task 2 was last seen in the first
        ):
            for order in (1, -1):
                folder = self.folder_of({f"{i}.psv": head + text for i, text in enumerate(exports[::order])})
                self.assertEqual(
                    8 * queued,
                    self.one("SELECT sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category = 'queued'", folder),
                    (len(exports), order),
                )
        # Of raw ids alone nobody knows how many tasks wait.
        raw = "JobIDRaw|State|Submit|Start|End|ReqTRES|AllocTRES\n7|PENDING|1000|Unknown|Unknown|gres/gpu=8|\n8|COMPLETED|1000|1000|2000|gres/gpu=8|gres/gpu=8\n"
        path = self.file(raw)
        self.assertEqual(
            8000, self.one("SELECT sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category = 'queued'", path)
        )
        self.assertEqual(1, self.one("SELECT count FROM mpg_issues WHERE kind = 'missing_field' AND source = ?", path))

    def test_exports_with_and_without_their_cluster(self):
        """Where only one of the files names it, and no other is named, all jobs are of it."""
        g = "gres/gpu=8"
        path = self.folder_of(
            {
                "1.psv": self.HEADER.replace("Cluster|", "")
                + self.job(1, "RUNNING", 1000, 1010, "Unknown", g, g, "n1").removeprefix("c|"),
                "2.psv": self.HEADER + self.job(1, "COMPLETED", 1000, 1010, 1050, g, g, "n1"),
            }
        )
        self.map(path)
        self.assertEqual(
            self.rows("SELECT job, pool, chips, start_time, end_time FROM allocations"), [("1", "c", 8, 1010, 1050)]
        )

    def test_nodes_that_were_shown_twice(self):
        """Files of two days: the node is there once, as the later of them shows it."""

        def node(state, reason=""):
            return f"NodeName=n1 Arch=x86_64\n   State={state} CPUTot=8\n   CfgTRES=cpu=8,gres/gpu=8\n{reason}\n"

        for days, wanted in ((("IDLE", "DOWN"), [(8, 1200, None, "hw_down")]), (("DOWN", "IDLE"), [])):
            folder = self.folder_of(
                {
                    f"{day}.txt": node(state, f"   Reason=x [root@{1100 + 100 * day}]\n" * (state == "DOWN"))
                    for day, state in enumerate(days)
                }
            )
            self.db.execute(
                "CREATE TEMP TABLE slurm_now AS SELECT *, _file, _line FROM slurm_nodes_trace(?)", (folder,)
            )
            self.map(
                self.file(self.HEADER + self.job(1, "COMPLETED", 1000, 1000, 1010, "gres/gpu=4", "gres/gpu=4", "n3"))
            )
            self.assertEqual(self.rows("SELECT chips, start_time, end_time FROM capacity"), [(8, 1000, None)])
            self.assertEqual(self.rows("SELECT chips, start_time, end_time, kind FROM outages"), wanted)
        # JSON names the cluster, text does not.
        named = json.dumps(
            {"nodes": [{"name": "n1", "cluster_name": "c", "state": ["IDLE"], "tres": "cpu=8,gres/gpu=8"}]}
        )
        self.db.execute(
            "CREATE TEMP TABLE slurm_now AS SELECT *, _file, _line FROM slurm_nodes_trace(?)",
            (self.folder_of({"1.txt": node("DOWN"), "2.json": named}),),
        )
        self.map(self.file(self.HEADER + self.job(1, "COMPLETED", 1000, 1000, 1010, "gres/gpu=4", "gres/gpu=4", "n3")))
        self.assertEqual(
            (self.rows("SELECT pool, chips FROM capacity"), self.rows("SELECT * FROM outages")), ([("c", 8)], [])
        )


if __name__ == "__main__":
    unittest.main()
