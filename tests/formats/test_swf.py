"""The Standard Workload Format: swf_trace and the mapping sql/formats/swf.sql.

What the table says of a log is held against a reading of it in Python, and the ledger against sums made from that."""

import gzip
import json
import os
import random
import re
import unittest

import cases
from fleets import ROOT

SMALL = os.path.join(ROOT, "fixtures/swf/small.swf")
SACCT = os.path.join(ROOT, "fixtures/slurm/sacct_jobs.psv")
PBS = os.path.join(ROOT, "fixtures/pbs/accounting.log")
T0 = 1700000000
FIELDS = (
    "job_number submit_time wait_time run_time allocated_processors average_cpu_time used_memory requested_processors requested_time "
    "requested_memory status user_id group_id executable_number queue_number partition_number preceding_job_number think_time"
).split()
REALS = "submit_time wait_time run_time average_cpu_time used_memory requested_time requested_memory think_time".split()
EXPECTED = "expected a job of the Standard Workload Format, 18 numbers, or a comment that begins with ;, found "


def read_plain(path):
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if not line.startswith(";"):
                values = [float(word) for word in line.split()]
                yield tuple(None if v == -1 else v if name in REALS else int(v) for name, v in zip(FIELDS, values)) + (
                    number,
                )


class Case(cases.Case):
    FILE = "log.swf"


class Files(Case):
    def test_fields(self):
        found = self.rows(f"SELECT {', '.join(FIELDS)}, _line FROM swf_trace(?)", SMALL)
        wanted = list(read_plain(SMALL))
        self.assertEqual(len(found), 10)
        self.assertEqual(found, wanted)
        self.assertEqual([list(map(type, row)) for row in found], [list(map(type, row)) for row in wanted])
        self.assertEqual(self.issues(SMALL), {})

    def test_header(self):
        self.assertEqual(
            self.rows("SELECT DISTINCT unix_start_time, max_procs, max_nodes, computer FROM swf_trace(?)", SMALL),
            [(T0, 32, 8, "Toy cluster")],
        )
        header = {}
        with open(SMALL, encoding="utf-8") as file:
            for label, value in re.findall(r"^;\s*(\w+): (.*(?:\n;[ ]+[^:\n]*$)*)", file.read(), re.M):
                header.setdefault(label, []).append(re.sub(r"\n; *", "\n", value).strip())
        self.assertEqual(
            json.loads(self.one("SELECT header FROM swf_trace(?) LIMIT 1", SMALL)),
            {k: v if len(v) > 1 else v[0] for k, v in header.items()},
        )
        self.assertEqual(self.one("SELECT count(DISTINCT header) FROM swf_trace(?)", SMALL), 1)

    def test_derived(self):
        self.assertEqual(
            self.rows(
                "SELECT job_number, submit_unix - ?2, start_unix - ?2, end_unix - ?2, outcome FROM swf_trace(?1)",
                SMALL,
                T0,
            ),
            [
                (1, 0, 10, 610, "completed"),
                (2, 30, 30, 330, "failed"),
                (3, 60, None, None, "cancelled"),
                (4, 90, 620, 740, "cancelled"),
                (5, 100, 500, 800, "completed"),
                (5, 100, 500, 600, "preempted"),
                (5, None, None, None, "preempted"),
                (5, None, None, None, "completed"),
                (6, 200, 700, 700, "completed"),
                (7, 300, 800, 1000, None),
            ],
        )

    def test_declaration(self):
        types = dict(self.rows("SELECT name, type FROM pragma_table_xinfo('swf_trace') WHERE hidden = 0"))
        self.assertEqual(list(types)[:18], FIELDS)
        self.assertEqual(
            {name for name, kind in types.items() if kind == "REAL"},
            set(REALS) | {"submit_unix", "start_unix", "end_unix"},
        )

    def test_several_files(self):
        with open(SMALL, "rb") as file:
            text = file.read()
        path = self.file(gzip.compress(text), "a.swf.gz")
        with open(os.path.join(os.path.dirname(path), "b.swf"), "wb") as file:
            file.write(text.replace(b"UnixStartTime: 17", b"UnixStartTime: 18"))
        self.assertEqual(
            self.rows("SELECT min(submit_unix), count(*) FROM swf_trace(?) GROUP BY _file", os.path.dirname(path)),
            [(T0, 10), (T0 + 10**8, 10)],
        )


class Errors(Case):
    def test_wrong_formats(self):
        with open(SACCT, encoding="utf-8") as file:
            start = file.readline()[:30]
        self.assertTrue(
            self.error("SELECT * FROM swf_trace(?)", SACCT).startswith(
                f'swf_trace: {SACCT}:1:1: {EXPECTED}1 field "{start}'
            )
        )
        self.assertRegex(
            self.error("SELECT * FROM swf_trace(?)", PBS),
            re.escape(f"swf_trace: {PBS}:1:1: {EXPECTED}") + r'\d+ fields "03/31/2025 11:00:00;Q;101\.pod;',
        )
        self.assertRegex(
            self.error("SELECT * FROM slurm_trace(?)", SMALL),
            'expected a header of sacct field names such as .*, found "; Version: 2.2"',
        )

    def test_broken_files(self):
        self.assertRegex(
            self.error("SELECT * FROM swf_trace(?)", self.file(bytes(range(256)) * 50)), "^swf_trace: .*:1:1: expected "
        )
        pick = random.Random(5)
        text = b"".join(b"%d 0 %d" % (i, pick.getrandbits(40)) + b" 1" * 15 + b"\n" for i in range(9999))
        cut = self.file(gzip.compress(b"; UnixStartTime: 1\n" + text)[:-900], "cut.gz")
        self.assertIn("truncated gzip stream", self.error("SELECT count(*) FROM swf_trace(?)", cut))

    def test_a_log_that_is_being_written(self):
        with open(SMALL, encoding="utf-8") as file:
            text = file.read()
        path = self.file(text[:-30])
        self.assertEqual(self.one("SELECT count(*) FROM swf_trace(?)", path), 9)
        self.assertEqual(self.issues(path), {"unfinished_record": 1})
        self.assertEqual(self.one("SELECT count(*) FROM swf_trace(?)", self.file(text[:-1])), 10)

    def test_skipped_records(self):
        path = self.file("; UnixStartTime: 5\n1 2 3\n2 0 x" + " 1" * 15 + "\n3" + " 1" * 17 + "\n")
        self.assertEqual(
            self.error("SELECT * FROM swf_trace(?)", path), f'swf_trace: {path}:2:1: {EXPECTED}3 fields "1 2 3"'
        )
        self.assertEqual(self.rows("SELECT job_number FROM swf_trace(?) WHERE on_error = 'skip'", path), [(3,)])
        self.assertEqual(self.issues(path), {"skipped_record": 2})

    def test_no_start_time(self):
        path = self.file("3" + " 1" * 17 + "\n")
        self.assertEqual(
            self.rows("SELECT submit_unix, unix_start_time, max_procs, header FROM swf_trace(?)", path),
            [(1.0, None, None, "{}")],
        )
        self.assertEqual(self.issues(path), {"no_start_time": 1})

    def test_start_times_as_programs_write_them(self):
        """Python's floats are seconds. A date is none, and an issue says so; a header without the label has none."""
        for value, start, said in (
            ("1000000000.0", 1000000000, None),
            ("1000000000.00 (UTC)", 1000000000, None),
            ("1000000000.5", None, "not in Unix seconds"),
            ("2023-05-01 00:00:00", None, "not in Unix seconds"),
            ("1000000000.", None, "not in Unix seconds"),
            (".0", None, "not in Unix seconds"),
            ("-1", None, "has no UnixStartTime"),
        ):
            path = self.file(f"\n; Version: 2\n; UnixStartTime: {value}\n; MaxProcs: 16.0\n3" + " 1" * 17 + "\n")
            with self.subTest(value=value):
                self.assertEqual(self.rows("SELECT unix_start_time, max_procs FROM swf_trace(?)", path), [(start, 16)])
                found = [row[0] for row in self.rows("SELECT detail FROM mpg_issues WHERE source = ?", path)]
                self.assertEqual([said in detail for detail in found], [True] if said else [])

    def test_arguments(self):
        self.assertEqual(
            self.error("SELECT * FROM swf_trace"), "swf_trace: expected a path, as in swf_trace('log.swf')"
        )
        self.assertEqual(self.rows("SELECT * FROM swf_trace(NULL)"), [])


class Mapping(Case):
    def map(self, path):
        self.db.execute("CREATE TEMP TABLE swf_jobs AS SELECT *, _file, _line FROM swf_trace(?)", (path,))
        self.script("formats/swf.sql")

    def test_relations(self):
        self.map(SMALL)
        self.assertEqual(
            self.rows(
                "SELECT job, attempt, chips, start_time - ?1, end_time - ?1, outcome FROM allocations ORDER BY job, attempt",
                T0,
            ),
            [
                ("1", 1, 16, 10, 610, "completed"),
                ("2", 1, 8, 30, 330, "failed"),
                ("3", 1, 0, 60, 60, "cancelled"),
                ("4", 1, 24, 620, 740, "cancelled"),
                ("5", 1, 8, 500, 600, "preempted"),
                ("5", 2, 8, 650, 750, "preempted"),
                ("5", 3, 8, 820, 920, "completed"),
                ("6", 1, 1, 700, 700, "completed"),
                ("7", 1, 4, 800, 1000, None),
            ],
        )
        self.assertEqual(
            self.rows("SELECT pool, chip, chips, start_time, end_time FROM capacity"),
            [("Toy cluster", None, 32, T0, T0 + 1000)],
        )
        self.assertEqual(
            self.rows(
                "SELECT name, owner, priority, chips, min_chips, submit_time, json(labels) FROM jobs WHERE job = '4'"
            ),
            [
                (
                    "executable 3",
                    "group 2",
                    "queue 2",
                    24,
                    None,
                    T0 + 90,
                    '{"user":3,"group":2,"queue":2,"partition":1,"executable":3,"preceding_job":2,"requested_seconds":600.0}',
                )
            ],
        )
        self.assertEqual(self.rows("SELECT name FROM temp.sqlite_schema WHERE name LIKE 'swf%'"), [])

    def test_ledger(self):
        self.map(SMALL)
        held = 16 * 600 + 8 * 300 + 24 * 120 + 3 * 8 * 100 + 4 * 200
        waited = 16 * 10 + 24 * 530 + 8 * (400 + 50 + 70) + 500 + 4 * 500
        self.assertEqual(
            self.rows("SELECT category, sum(chip_us) FROM mpg_rollup GROUP BY 1"),
            [("idle", (32000 - held) * 10**6), ("queued", waited * 10**6), ("untraced", held * 10**6)],
        )
        self.assertEqual(
            self.rows("SELECT kind, line, count FROM mpg_issues WHERE severity <> 'info'"), [("missing_field", 20, 1)]
        )  # job 3 was cancelled, and does not tell its wait

    def test_random_logs_add_up(self):
        """Jobs of one part: what is held is the sum of processors times run time."""
        pick = random.Random(11)
        lines, held = ["; UnixStartTime: 1000\n; MaxProcs: 100000\n"], 0
        for job in range(1, 301):
            run, chips, status = pick.choice((-1, 0, 17, 400)), pick.choice((-1, 0, 4, 9)), pick.choice((0, 1, 5, -1))
            asked = pick.choice((-1, 4, 16))
            lines.append(
                f"{job} {job * 3} {pick.choice((-1, 0, 90))} {run} {chips} -1 -1 {asked} -1 -1 {status} 1 1 1 1 1 -1 -1\n"
            )
            held += max(run, 0) * (chips if chips > 0 else max(asked, 0))
        path = self.file("".join(lines))
        self.map(path)
        self.assertEqual(self.one("SELECT sum(chips * (end_time - start_time)) FROM allocations"), held)
        self.assertEqual(
            self.one("SELECT sum(chip_us) FROM mpg_rollup WHERE category NOT IN ('idle', 'queued')"), held * 10**6
        )

    def test_numbers_of_the_header(self):
        """As people write them: with commas, or words behind. What is no number is listed, and not read."""
        job = "1 0 10 50 4 -1 -1 -1 -1 -1 1 1 1 1 1 1 -1 -1\n"
        for value, chips, said in (
            ("1,024", 1024, []),
            ("163,840 (racks)", 163840, []),
            ("128; of them 4 are reserved", 128, []),
            ("1024,", 1024, []),
            ("1,02", 16, [1]),
            ("about 100", 16, [1]),
            ("12.5", 16, [1]),
            ("-1", 16, []),
        ):
            path = self.file(f"; UnixStartTime: 1000\n; MaxProcs: {value}\n; MaxNodes: 16\n{job}")
            self.assertEqual(
                (chips * 50 - 4 * 50 + chips * 10) * 10**6,
                self.one("SELECT sum(chip_us) FROM trace_rollup(?) WHERE category = 'idle'", path),
                value,
            )
            self.assertEqual(
                said,
                [
                    n
                    for n, in self.rows(
                        "SELECT count FROM mpg_issues WHERE kind = 'missing_field' AND source = ?", path
                    )
                ],
                value,
            )

    def test_waits_and_run_times_below_zero(self):
        rest = "4 -1 -1 4 -1 -1 1 1 1 1 1 1 -1 -1"
        path = self.file(
            f"; UnixStartTime: 1000\n; MaxProcs: 8\n1 0 10 50 {rest}\n2 0 0 -7 {rest}\n3 100 -20 50 {rest}\n"
        )
        self.map(path)
        self.assertEqual(
            self.rows("SELECT job, start_time, end_time FROM allocations ORDER BY 1"),
            [("1", 1010, 1060), ("2", 1000, 1000), ("3", 1100, 1150)],
        )
        self.assertEqual(
            self.rows("SELECT source, severity, line, count FROM mpg_issues WHERE kind = 'end_before_start'"),
            [(path, "data_loss", 4, 2)],
        )

    def test_a_job_that_was_submitted_before_the_log_begins(self):
        """A time below 0 but -1, which is none: the pool was not observed then."""
        rest = "0 50 4 -1 -1 4 -1 -1 1 1 1 1 1 1 -1 -1"
        path = self.file(f"; UnixStartTime: 1000\n; MaxProcs: 8\n1 -200 {rest}\n2 0 {rest}\n")
        self.map(path)
        self.assertEqual([("2", 1000)], self.rows("SELECT job, start_time FROM allocations"))
        self.assertEqual(
            [(path, "data_loss", 3, 1)],
            self.rows("SELECT source, severity, line, count FROM mpg_issues WHERE kind = 'impossible_time'"),
        )

    def test_a_number_that_is_given_again(self):
        """Its line has a submit time of its own: it starts after that, and not where the first job of the number ended."""
        rest = "4 -1 -1 4 -1 -1 1 1 1 1 1 1 -1 -1"
        self.map(
            self.file(f"; UnixStartTime: 1000\n; MaxProcs: 8\n2 50 0 10 {rest}\n1 0 0 10 {rest}\n1 100 5 10 {rest}\n")
        )
        self.assertEqual(
            self.rows("SELECT job, attempt, start_time, end_time FROM allocations ORDER BY 1, 2"),
            [("1", 1, 1000, 1010), ("1", 2, 1105, 1115), ("2", 1, 1050, 1060)],
        )

    def test_lines_of_one_job_that_is_submitted_once(self):
        """Whole lines, none of which is a part: each waited since the job was submitted. Where they run at once, that is listed."""

        def line(wait, run, status):
            return f"1 0 {wait} {run} 8 -1 -1 8 100 -1 {status} 1 1 1 1 1 -1 -1\n"

        for text, held, said in (
            (line(10, 100, 0) + line(200, 50, 1), [(10, 110), (200, 250)], None),
            (line(10, 100, 0) + line(10, 100, 1), [(10, 110), (10, 110)], 1),
        ):
            path = self.file(f"; UnixStartTime: {T0}\n" + text, "a.swf")
            self.assertEqual(
                held,
                self.rows(
                    "SELECT start_time - ?2, end_time - ?2 FROM trace_records(?1) WHERE record = 'allocations' ORDER BY attempt",
                    path,
                    T0,
                ),
            )
            self.rows("SELECT category FROM trace_rollup(?)", path)
            self.assertEqual(said, self.one("SELECT sum(count) FROM mpg_issues WHERE kind = 'overlapping_attempts'"))

    def test_a_job_that_was_cancelled_and_tells_no_wait(self):
        path = self.file(
            f"; UnixStartTime: {T0}\n1 0 -1 -1 -1 -1 -1 8 100 -1 5 1 1 1 1 1 -1 -1\n2 0 10 50 8 -1 -1 8 100 -1 1 1 1 1 1 1 -1 -1\n",
            "a.swf",
        )
        self.assertEqual(
            [("2", 80)],
            self.rows(
                "SELECT job, sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category = 'queued' GROUP BY 1", path
            ),
        )
        self.assertEqual(
            {"missing_field": 1}, {kind: n for kind, n in self.issues(path).items() if kind != "no_capacity"}
        )

    def test_a_job_that_ran_on_no_processors(self):
        """It counts with those that it requested, which is listed; one that never ran needs no row."""
        path = self.file(
            f"; UnixStartTime: {T0}\n1 0 0 50 0 -1 -1 8 100 -1 1 1 1 1 1 1 -1 -1\n2 0 10 0 0 -1 -1 8 100 -1 5 1 1 1 1 1 -1 -1\n",
            "a.swf",
        )
        self.assertEqual(
            [("1", 400)],
            self.rows(
                "SELECT job, sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category = 'untraced' GROUP BY 1", path
            ),
        )
        self.assertEqual(1, self.issues(path).get("missing_field"))

    def test_a_job_that_got_processors_and_tells_no_run_time(self):
        """It may still run: it holds nothing, and is listed. One that was cancelled while it waited is not."""
        rest = "-1 -1 4 -1 -1"
        path = self.file(
            f"; UnixStartTime: 1000\n; MaxProcs: 8\n1 0 10 -1 4 {rest} -1 1 1 1 1 1 -1 -1\n2 0 10 -1 -1 {rest} 5 1 1 1 1 1 -1 -1\n"
        )
        self.map(path)
        self.assertEqual(
            [("missing_field", 3, 1)], self.rows("SELECT kind, line, count FROM mpg_issues WHERE source = ?", path)
        )

    def test_lines_without_a_number_or_a_time(self):
        """They are left out and listed, and the rest counts. A part's submit time is in the line before."""
        rest = "4 -1 -1 4 -1 -1 %d 1 1 1 1 1 -1 -1\n"
        lines = [
            "; UnixStartTime: 1000\n; MaxProcs: 8\n",
            "1 0 10 50 " + rest % 1,
            "-1 5 0 70 " + rest % 1,
            "-1 6 0 80 " + rest % 1,
            "3 -1 0 90 " + rest % 1,
            "4 7 0 20 " + rest % 2,
            "4 -1 0 30 " + rest % 3,
            "5 -1 0 40 " + rest % 3,
        ]
        path = self.file("".join(lines), "log.swf")
        self.map(path)
        self.assertEqual(
            self.rows("SELECT job, start_time, end_time FROM allocations ORDER BY 1, 2"),
            [("1", 1010, 1060), ("4", 1007, 1027), ("4", 1027, 1057)],
        )
        self.assertEqual(
            self.rows(
                "SELECT kind, line, count FROM mpg_issues WHERE source = ? AND severity = 'data_loss' ORDER BY line",
                path,
            ),
            [("missing_field", 4, 4)],
        )
        self.assertEqual(
            self.one("SELECT sum(chip_us) FROM trace_rollup(?) WHERE category = 'untraced'", path),
            4 * (50 + 20 + 30) * 10**6,
        )

    def test_several_logs(self):
        with open(SMALL, encoding="utf-8") as file:
            text = file.read()
        folder = os.path.dirname(self.file(text, "a.swf"))
        for name, computer in (("b.swf", "Toy cluster"), ("c.swf", "Other")):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text.replace("Toy cluster", computer))
        self.map(folder)
        self.assertEqual(
            self.rows("SELECT job, pool FROM allocations WHERE job LIKE '%/1' ORDER BY job"),
            [("1/1", "Toy cluster 1"), ("2/1", "Toy cluster 2"), ("3/1", "Other")],
        )
        self.assertEqual(self.one("SELECT count(*) FROM capacity"), 3)

    def test_a_log_that_was_split(self):
        """Its header is in the first part alone: the others are of its machine, at its time. A log of no header, before it or of numbers that begin anew, is not."""
        with open(SMALL, encoding="utf-8") as file:
            lines = file.read().splitlines(keepends=True)
        head = [line for line in lines if line.startswith(";")]
        jobs = [line for line in lines if not line.startswith(";")]
        ask = "SELECT job, pool, category, sum(chip_us) FROM trace_rollup(?) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
        once = self.rows(ask, SMALL)
        for cuts in (
            (4,),
            (8,),
            (1, 4),
            (2, 3, 4, 9),
            (5,),
            (6,),
            (7,),
            (5, 6, 7),
            (4, 6),
            (6, 8),
        ):  # 4 to 8 are of one job
            parts = [jobs[a:b] for a, b in zip((0, *cuts), (*cuts, None))]
            folder = self.folder_of({f"x{i}": "".join((head if i == 0 else []) + part) for i, part in enumerate(parts)})
            self.assertEqual(once, self.rows(ask, folder), cuts)
            self.assertEqual(
                [(os.path.join(folder, f"x{i + 1}"), len(part)) for i, part in enumerate(parts[1:])],
                self.rows(
                    "SELECT source, count FROM mpg_issues WHERE kind = 'joined_log' AND source LIKE ? || '%' ORDER BY 1",
                    folder,
                ),
            )
            self.assertEqual(
                set(), set(self.issues(folder)) & {"missing_field", "parts_disagree", "line_out_of_order"}, cuts
            )
        for names in (("b", "a"), ("a", "b")):
            files = dict(zip(names, ("".join(head + jobs), jobs[0] + jobs[1])))
            self.assertEqual(
                {"Toy cluster", "swf"}, {row[1] for row in self.rows(ask, self.folder_of(files)) if row[1]}, names
            )

    def test_in_the_shell(self):
        self.script("formats/swf.sql", swf=SMALL)
        self.assertEqual(self.one("SELECT count(*) FROM allocations"), 9)


if __name__ == "__main__":
    unittest.main()
