"""Logs whose times lack something, or differ from the scheduler's: no clock, no year, another zone, a clock that is set apart."""

import json
import unittest

from job_logs import Logs, PRODUCTIVE, SACCT, T, clock, job, maxtext, megatron, pod, torchtitan


class ClocksApart(Logs):
    """A node's clock is some seconds behind or ahead of the scheduler's: of a step that reaches beyond its job, at either end, the part inside counts."""

    def listed(self, path):
        return self.rows(
            "SELECT kind, count FROM mpg_issues WHERE kind IN ('span_outside_allocation', 'span_without_allocation', 'missing_steps') AND instr(source, ?)",
            path,
        )

    def test_at_both_ends(self):
        otlp = [
            {
                "traceId": "1" * 32,
                "spanId": f"{i:016}",
                "name": "step",
                "startTimeUnixNano": str((T + 55 + 10 * i) * 10**9),
                "endTimeUnixNano": str((T + 65 + 10 * i) * 10**9),
                "attributes": [{"key": "mpg.step", "value": {"intValue": str(i)}}],
            }
            for i in range(100)
        ]
        otlp = {
            "resourceSpans": [
                {
                    "resource": {"attributes": [{"key": "mpg.job", "value": {"stringValue": "llama"}}]},
                    "scopeSpans": [{"spans": otlp}],
                }
            ]
        }
        for sacct in (job(5101, 60, 1200), job(5101, 0, 1050)):
            for files in (
                {"slurm-5101.out": megatron(55, 1, 100, saves=(100,))},
                {"llama.log": torchtitan(55, 1, 100, saves=(100,), done=True)},
                {"spans.jsonl": json.dumps(otlp) + "\n"},
            ):
                with self.subTest(files=files.keys(), sacct=sacct):
                    path = self.folder_of({"sacct.psv": SACCT + sacct, **files})
                    self.assertEqual([("5101", 1, 8 * 995, None)], self.seconds(path))
                    self.assertEqual([("span_outside_allocation", 1)], self.listed(path))

    def test_attempts_that_begin_at_once(self):
        """One that ended in the second in which it began holds nothing: what is told then is of the next."""
        pods = [pod("trainer-0", 60, 100, code=1), pod("trainer-1", 100, 100, code=1), pod("trainer-2", 100, 1200)]
        path = self.folder_of(
            {"pods.json": {"kind": "List", "items": pods}, "trainer.log": megatron(65, 1, 100, saves=(100,))}
        )
        self.assertEqual(
            [("ml/trainer", 8 * 1000)],
            self.rows(
                f"SELECT job, sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category IN {PRODUCTIVE} GROUP BY 1",
                path,
            ),
        )

    def test_records_of_your_own(self):
        """Those that name no attempt are as logs are; those that do are of that."""

        def records(start, first, last, **more):
            return "".join(
                json.dumps(
                    {
                        "record": "span",
                        "job": "5101",
                        "kind": "step",
                        "start_time": T + start + 10 * i,
                        "end_time": T + start + 10 * i + 10,
                        "step": first + i,
                        **more,
                    }
                )
                + "\n"
                for i in range(last - first + 1)
            )

        requeued = SACCT + job(5101, 0, 600, "NODE_FAIL") + job(5101, 700, 1800, submit=610)
        for sacct, text, wanted in (
            (SACCT + job(5101, 60, 1200), records(55, 1, 100), [(1, 995)]),
            (SACCT + job(5101, 0, 1050), records(55, 1, 100), [(1, 995)]),
            (requeued, records(10, 1, 50) + records(695, 51, 100), [(1, 500), (2, 495)]),
            (requeued, records(10, 1, 59) + records(695, 60, 100, attempt=2), [(1, 590), (2, 405)]),
            (requeued, records(595, 1, 100, attempt=1), [(1, 5)]),
        ):
            with self.subTest(sacct=len(sacct), wanted=wanted):
                path = self.folder_of({"sacct.psv": sacct, "trace.jsonl": text})
                rows = self.rows(
                    f"SELECT attempt, sum(chip_us) / 8000000 FROM trace_rollup(?) WHERE category IN {PRODUCTIVE} OR cause = 'no_checkpoint_data' OR category = 'lost' GROUP BY 1",
                    path,
                )
                self.assertEqual(wanted, rows)
                self.assertEqual(
                    [],
                    self.rows("SELECT detail FROM mpg_issues WHERE kind = 'missing_steps' AND instr(source, ?)", path),
                )

    def test_of_its_work_too(self):
        """Its FLOPs are those of the part inside."""
        log = megatron(55, 1, 100, saves=(100,)).replace(
            "| lm loss", "| throughput per GPU (TFLOP/s/GPU): 400.0 | lm loss"
        )
        for sacct in (job(5101, 60, 1200), job(5101, 0, 1050)):
            path = self.folder_of({"sacct.psv": SACCT + sacct, "slurm-5101.out": log})
            option = json.dumps(
                {"sources": [{"path": path + "/sacct.psv", "chip": "nvidia-h100-sxm"}, {"path": path + "/*.out"}]}
            )
            self.assertAlmostEqual(
                8 * 995 * 400 / 989.5,
                self.one("SELECT sum(chip_us) / 1e6 FROM trace_rollup(?) WHERE category = 'ideal'", option),
                delta=4,
            )

    def test_later_attempts_and_jobs(self):
        """As the first: and a restore just before the attempt is its own."""
        log = megatron(65, 1, 20, saves=(10,)) + megatron(395, 11, 100, load=10, saves=(100,))
        for sacct, wanted in (
            (
                job(5101, 60, 300, "NODE_FAIL") + job(5101, 400, 1500, submit=310),
                [("5101", 1, 8 * 100, 8 * 100), ("5101", 2, 8 * 895, None)],
            ),
            (
                job(5101, 60, 300, "NODE_FAIL") + job(5102, 400, 1500, submit=310),
                [("5101", 1, 8 * 100, 8 * 100), ("5102", 1, 8 * 895, None)],
            ),
        ):
            path = self.folder_of({"sacct.psv": SACCT + sacct, "llama.log": log})
            self.assertEqual(wanted, self.seconds(path))
            self.assertEqual([("span_outside_allocation", 1)], self.listed(path))


class OfAnotherZone(Logs):
    """A container's clock is UTC's where the scheduler's is of the site, or the other way round: what would fit is said, and no other job gets the lines."""

    def listed(self, files):
        folder = self.folder_of(files)
        self.seconds(folder)
        return sorted(
            self.rows(
                "SELECT substr(source, -8, 4), substr(detail, instr(detail, 'would')) FROM mpg_issues WHERE kind = 'job_at_another_time' AND instr(source, ?)",
                folder,
            )
        )

    def test_a_log_of_one_job(self):
        one = {"sacct.psv": SACCT + job(5101, 36000, 37200)}
        for hours, said in ((1, "1 hours earlier"), (-8, "8 hours later"), (5.5, "5.5 hours earlier")):
            self.assertEqual(
                [("5101", f"would be {said}: check zone, its own and the scheduler's")],
                self.listed({**one, "slurm-5101.out": megatron(36060 + int(hours * 3600), 1, 100)}),
            )
        for start, last in (
            (36060, 100),
            (36060, 150),
            (36900, 100),
            (36060, 700),
            (36060 + 2 * 3600, 700),
        ):  # within, or no shift fits
            self.assertEqual(
                [], self.listed({**one, "slurm-5101.out": megatron(start, 1, last, total=1000)}), (start, last)
            )

    def test_a_log_that_the_option_job_names(self):
        folder = self.folder_of(
            {
                "sacct.psv": SACCT + job(5101, 36000, 37200),
                "a.log": megatron(36060, 1, 100),
                "b.log": megatron(36061, 1, 100),
            }
        )
        for zone, said in (
            ("UTC", []),
            ("Asia/Tokyo", [("a.log", "would be 9 hours later: check zone, its own and the scheduler's")]),
        ):
            path = json.dumps(
                {"sources": [{"path": folder + "/sacct.psv"}, {"path": folder + "/*.log", "job": "5101", "zone": zone}]}
            )
            self.seconds(path)
            self.assertEqual(
                said,
                self.rows(
                    "SELECT substr(source, -5), substr(detail, instr(detail, 'would')) FROM mpg_issues WHERE kind = 'job_at_another_time' AND instr(source, ?)",
                    folder,
                ),
            )

    def test_logs_that_fit_jobs_of_other_times(self):
        """Named like several, or like a host that several held: each is a job of its own, which is listed once."""
        fleet = SACCT + job(5101, 0, 1200) + job(5102, 1300, 2600)
        path = self.folder_of(
            {"sacct.psv": fleet, "llama.log": megatron(18000, 1, 100), "n1.log": megatron(18001, 1, 99)}
        )
        self.assertEqual([], [row for row in self.seconds(path) if row[0].isdigit() and row[2]])
        self.assertEqual(
            [
                (
                    2,
                    "logs named like jobs which all ran at another time, the first like 5101: each is a job of its own. Check zone and year, theirs and the scheduler's",
                )
            ],
            self.rows(
                "SELECT count, detail FROM mpg_issues WHERE kind = 'job_at_another_time' AND instr(source, ?)", path
            ),
        )

    def test_logs_of_jobs_of_one_name(self):
        """Each job has a log: an hour of the one's is not the next one's, as it would be if the first had written them all."""
        files = {
            "sacct.psv": SACCT + "".join(job(5101 + i, 7200 * i, 7200 * i + 7100) for i in range(3)),
            **{
                f"slurm-{5101 + i}.out": megatron(7200 * i + 3660, 1 + 600 * i, 600 + 600 * i, total=5000)
                for i in range(3)
            },
        }
        self.assertEqual(
            [(str(5101 + i), "would be 1 hours earlier: check zone, its own and the scheduler's") for i in range(3)],
            self.listed(files),
        )
        self.assertEqual(
            [],
            self.rows(
                "SELECT file FROM trace_sources(?) WHERE format = 'megatron' AND job IS NOT substr(file, -8, 4)",
                self.folder_of(files),
            ),
        )


class WithoutAClock(Logs):
    """A log without a clock begins with its job. If the job began several times, each run of the log begins with an attempt."""

    ATTEMPTS = SACCT + job(5101, 0, 300, "NODE_FAIL") + job(5101, 1200, 2400, submit=310)
    FIRST, SECOND = maxtext(0, 19, saves=(9,)), maxtext(10, 99, load=9, saves=(99,))

    def steps(self, files):
        return self.seconds(self.folder_of({"sacct.psv": self.ATTEMPTS, **files}))

    def test_runs_and_attempts(self):
        for files in (
            {"slurm-5101.out": self.FIRST + self.SECOND},
            {"train_5101_0.out": self.FIRST, "train_5101_1.out": self.SECOND},
            {"5101/9.log": self.FIRST, "5101/10.log": self.SECOND},
        ):
            with self.subTest(list(files)):
                self.assertEqual([("5101", 1, 8 * 100, 8 * 100), ("5101", 2, 8 * 900, None)], self.steps(files))
                self.assertEqual(
                    [],
                    self.rows("SELECT 1 FROM mpg_issues WHERE kind IN ('span_without_allocation', 'parallel_files')"),
                )
                self.assertEqual(
                    [("the starts of the attempts of its job",)],
                    self.rows(
                        "SELECT DISTINCT json_extract(inferred, '$.start') FROM trace_sources(?) WHERE format = 'maxtext'",
                        self.path,
                    ),
                )

    def folder_of(self, files):
        self.path = super().folder_of(files)
        return self.path

    def test_jobs_of_one_name(self):
        """Nothing says which the log is of: it is listed."""
        path = self.folder_of(
            {"sacct.psv": SACCT + job(5101, 0, 1200) + job(5102, 1300, 2500), "llama.log": maxtext(0, 99)}
        )
        self.seconds(path)
        self.assertEqual(
            [("ambiguous_job", "its name fits more than one job: 5101,5102")],
            self.rows(
                "SELECT kind, detail FROM mpg_issues WHERE kind IN ('ambiguous_job', 'unmatched_log') AND instr(source, ?)",
                path,
            ),
        )
        path = self.folder_of({"sacct.psv": SACCT + job(5101, 0, 1200), "x.log": maxtext(0, 99)})
        self.seconds(path)
        self.assertEqual(
            [(1,)], self.rows("SELECT count(*) FROM mpg_issues WHERE kind = 'unmatched_log' AND instr(source, ?)", path)
        )

    def test_a_name_with_a_date_and_a_time(self):
        """They say when it began, and so of which of several jobs it is. Of a job that is known the log must fit in what it held then."""
        two = SACCT + job(5101, 0, 1200) + job(5102, 1300, 2600)
        first, second = maxtext(1, 100, saves=(100,)), maxtext(1, 80, saves=(80,))
        for one, other in (
            ("llama_20261101_000100.log", "llama_20261101_002200.log"),
            ("llama-2026-11-01T00-01-00.log", "llama-2026-11-01T00-22-00.log"),
            ("llama/2026-11-01/00-01-00/a.log", "llama/2026-11-01/00-22-00/a.log"),
            (
                "llama/wandb/run-20261101_000100-ab/files/output.log",
                "llama/wandb/run-20261101_002200-cd/files/output.log",
            ),
            ("llama/sky-2026-11-01-00-01-00-123456/run.log", "llama/sky-2026-11-01-00-22-00-654321/run.log"),
            ("llama.20261101000100", "llama.20261101002200"),
        ):
            with self.subTest(one):
                path = self.folder_of({"sacct.psv": two, one: first, other: second})
                self.assertEqual([("5101", 1, 8000, None), ("5102", 1, 6400, None)], self.seconds(path))
                self.assertEqual(
                    [(T + 60,), (T + 1320,)],
                    self.rows(
                        "SELECT min(start_time) FROM trace_records(?) WHERE record = 'spans' GROUP BY job ORDER BY job",
                        path,
                    ),
                )
        zoned = json.dumps(
            {
                "sources": [
                    {"path": self.folder_of({"sacct.psv": two})},
                    {"path": self.folder_of({"llama_20261101_012200.log": second}), "zone": "Europe/Berlin"},
                ]
            }
        )
        self.assertEqual(
            [("5102", '{"start":"the time in its name","job":"by its name and its time"}')],
            self.rows("SELECT job, inferred FROM trace_sources(?) WHERE format = 'maxtext'", zoned),
        )
        began = "SELECT min(start_time) FROM trace_records(?) WHERE record = 'spans'"
        requeued = SACCT + job(5101, 0, 600, "NODE_FAIL") + job(5101, 700, 1900)
        for name, wanted in (
            ("5101_20261101_001300.log", 780),
            ("5101_20261101_001640.log", 0),
            ("5101_20261101_050000.log", 0),
        ):  # of the second attempt; too late for that; of no time at all
            self.assertEqual(
                [(T + wanted,)],
                self.rows(
                    began,
                    self.folder_of({"sacct.psv": requeued if wanted else SACCT + job(5101, 0, 1900), name: first}),
                ),
                name,
            )
        for name in (
            "a_20261101_000100.log",
            "a_20261101T000100Z.log",
            "a-2026-11-01T01:01:00.123456+01:00.log",
            "20261101-000100-4711.log",
            "a_2026-11-01_00-01.log",
            "a_2026-11-01T00:01Z.log",
            "2026-11-01/00h01m00/a.log",
            f"run_{T + 60}.log",
            f"run-{T + 60}123/a.log",
            f"{T + 60}.5101.log",
        ):  # alone
            self.assertEqual([(T + 60.0,)], self.rows(began, self.folder_of({name: first})), name)
        self.assertEqual([(T + 4260.0,)], self.rows(began, self.folder_of({"a_20261101_0111.log": first})))
        # a part's number, a rotation, parts of longer words, a date in the middle
        for name in (
            "a-20261101-0003.log",
            "a.log.1793491260",
            "a1793491260.log",
            "a-17934912605.log",
            "a-1793491260f.log",
        ):
            self.assertEqual(
                [(None,)],
                self.rows(
                    "SELECT json_extract(inferred, '$.start') FROM trace_sources(?)", self.folder_of({name: first})
                ),
                name,
            )
        attempts = (
            SACCT
            + job(5101, 0, 600, "NODE_FAIL")
            + job(5101, 700, 1300, "NODE_FAIL", submit=610)
            + job(5101, 2600, 4000, submit=1310)
        )
        path = self.folder_of(
            {
                "sacct.psv": attempts,
                "5101/train_20261101_000100.log": maxtext(1, 50, saves=(30,)),
                "5101/train_20261101_004500.log": maxtext(31, 100, load=30, saves=(100,)),
            }
        )
        self.assertEqual(
            [("5101", 1, 8 * 300, 8 * 200), ("5101", 2, None, None), ("5101", 3, 8 * 700, None)], self.seconds(path)
        )  # of the first attempt and the third
        for name in (
            "train.log.20261101-000500",
            "train.log-20261101_000500",
            "train.out.20261101",
        ):  # when it was rotated
            self.assertEqual(
                [("start, chip",)],
                self.rows("SELECT missing FROM trace_sources(?)", self.folder_of({name: first})),
                name,
            )
        for name in (
            "a_20261131_000100.log",
            "a_20261101_250100.log",
            "a_120261101_0001001.log",
            "a_20261101.log",
        ):  # no such day or hour, or no date
            self.assertEqual(
                [("start, chip",)],
                self.rows("SELECT missing FROM trace_sources(?)", self.folder_of({name: first})),
                name,
            )
        path = self.folder_of(
            {"20261101_000100/sacct.psv": two, "20261101_000100/llama.log": first}
        )  # when it was exported
        self.assertEqual(
            [(None, "start, chip")],
            self.rows("SELECT job, missing FROM trace_sources(?) WHERE format = 'maxtext'", path),
        )

    def test_a_name_with_a_day(self):
        """Of jobs of one name it is the one that began on that day, in the log's zone, if that is one."""
        day = 86400
        fleet = SACCT + job(5101, 600, 1900) + job(5102, day + 3600, day + 6000)
        for name in ("llama_{}.log", "{}/llama.log"):
            for apart in ("", "-", "_"):
                path = self.folder_of(
                    {
                        "sacct.psv": fleet,
                        **{
                            name.format(apart.join(("2026", "11", f"0{1 + i}"))): maxtext(1, last, saves=(last,))
                            for i, last in enumerate((100, 80))
                        },
                    }
                )
                self.assertEqual([("5101", 1, 8000, None), ("5102", 1, 6400, None)], self.seconds(path))
                self.assertEqual(
                    [("by its name and the day in it", "the start of its job")] * 2,
                    self.rows(
                        "SELECT json_extract(inferred, '$.job'), json_extract(inferred, '$.start') FROM trace_sources(?) WHERE format = 'maxtext'",
                        path,
                    ),
                )
        for files in (
            {"llama_20261105.log": ""},
            {"llama_20261131.log": ""},
            {"20261101/llama.log": "", "20261101/sacct.psv": fleet},
            {"llama_20261101.log": "", "more.psv": SACCT + job(5103, 5000, 9000)},
        ):  # no such job, no such day, when it was exported, two jobs
            path = self.folder_of(
                {
                    **({} if "20261101/sacct.psv" in files else {"sacct.psv": fleet}),
                    **{name: text or maxtext(1, 100) for name, text in files.items()},
                }
            )
            self.assertEqual(
                [(None,)], self.rows("SELECT job FROM trace_sources(?) WHERE format = 'maxtext'", path), list(files)
            )
            self.seconds(path)
            self.assertEqual(
                [(1,)],
                self.rows("SELECT count(*) FROM mpg_issues WHERE kind = 'ambiguous_job' AND instr(source, ?)", path),
            )
        zoned = json.dumps(
            {
                "sources": [
                    {
                        "path": self.folder_of(
                            {"sacct.psv": SACCT + job(5101, -1200, 1900) + job(5102, day, day + 2000)}
                        )
                    },
                    {"path": self.folder_of({"llama_20261101.log": maxtext(1, 100)}), "zone": "Europe/Berlin"},
                ]
            }
        )
        self.assertEqual([("5101",)], self.rows("SELECT job FROM trace_sources(?) WHERE format = 'maxtext'", zoned))

    def test_a_clock_whose_date_may_have_its_day_first(self):
        """03/04/2026 is of March or April: it is not read, which is listed of each such log once; what is no date is not."""
        for form, told in (
            ("[11/01/2026 00:01:{:02}] ", "11/01/2026 00:01:10"),
            ("01.11.2026 00:01:{:02} ", "01.11.2026 00:01:10"),
            ("1/11/26 0:01:{:02} - INFO - ", "1/11/26 0:01:10"),
            ("[01/11/2026:00:01:{:02}] ", "01/11/2026:00:01:10"),
            ("[3/8, 00:01:{:02}] ", None),
            ("v1.2.10 00:01 {} ", None),
            ("2026/11/01 ", None),
            ("", None),
        ):
            for log in (
                maxtext(1, 5),
                "using world size: 8, data-parallel size: 8\n"
                + "".join(
                    f" iteration {step:8}/       5 | consumed samples: 1 | elapsed time per iteration (ms): 10000.0 | lm loss: 8.0E+00 |\n"
                    for step in range(1, 6)
                ),
            ):
                with self.subTest(form=form, log=log[:20]):
                    path = self.folder_of(
                        {
                            "sacct.psv": SACCT + job(5101, 0, 1200),
                            "slurm-5101.out": "".join(
                                form.format(10 + i) * (" 5" in line or "iteration" in line or "completed" in line)
                                + line
                                for i, line in enumerate(log.splitlines(True), -2 + log.startswith("u"))
                            ),
                        }
                    )
                    self.seconds(path)
                    listed = self.rows(
                        "SELECT count, detail FROM mpg_issues WHERE kind = 'unread_time' AND instr(source, ?)", path
                    )
                    self.assertEqual(
                        (
                            [
                                (
                                    1,
                                    f"the date of {told} may have its day first or its month: the clock of these lines is not read, so steps follow each other. Write dates as 2026-11-21",
                                )
                            ]
                            if told
                            else []
                        ),
                        listed,
                    )

    def test_fewer_runs_than_attempts(self):
        """The last ones, unless what the log tells took longer than the attempt."""
        self.assertEqual(
            [("5101", 1, None, None), ("5101", 2, 8 * 900, None)], self.steps({"slurm-5101.out": self.SECOND})
        )
        long = self.folder_of(
            {
                "sacct.psv": SACCT + job(5101, 0, 1000, "NODE_FAIL") + job(5101, 1200, 1500),
                "slurm-5101.out": self.SECOND,
            }
        )
        self.assertEqual([("5101", 1, 8 * 900, None), ("5101", 2, None, None)], self.seconds(long))
        many = self.folder_of(
            {
                "sacct.psv": SACCT + "".join(job(5101, 2000 * i, 2000 * i + 1000, "NODE_FAIL") for i in range(30)),
                "slurm-5101.out": self.SECOND,
            }
        )
        self.assertEqual(
            [("5101", attempt, 8 * 900 if attempt == 30 else None, None) for attempt in range(1, 31)],
            self.seconds(many),
        )

    def test_more_runs_than_attempts(self):
        """A launcher began anew within an attempt: where it fits."""
        files = {
            "sacct.psv": SACCT + job(5101, 0, 900, "NODE_FAIL") + job(5101, 1800, 3000),
            "slurm-5101.out": self.FIRST + maxtext(10, 39, load=9, saves=(39,)) + maxtext(40, 99, load=39, saves=(99,)),
        }
        self.assertEqual(
            [("5101", 1, 8 * 400, 8 * 100), ("5101", 2, 8 * 600, None)], self.seconds(self.folder_of(files))
        )

    def test_logs_of_one_attempt_that_go_on_with_each_other(self):
        """As those of a container that began anew in its pod, however they are called; ranks begin with one step."""
        first, second, third = (
            maxtext(1, 50, saves=(30,)),
            maxtext(31, 80, load=30, saves=(60,)),
            maxtext(61, 120, load=60, saves=(120,)),
        )
        pods = {"apiVersion": "v1", "kind": "List", "items": [pod("trainer-0-aaaaa", 0, 3000)]}
        for one, other, last in (
            ("ml_trainer-0-aaaaa_uid/c/0.log", "ml_trainer-0-aaaaa_uid/c/1.log", "ml_trainer-0-aaaaa_uid/c/2.log"),
            ("trainer/z.log", "trainer/y.log", "trainer/x.log"),
        ):
            path = self.folder_of({"list.json": pods, one: first, other: second, last: third})
            self.assertEqual([("ml/trainer", 1, 8 * (30 + 30 + 60) * 10, 8 * (20 + 20) * 10)], self.seconds(path))
            self.assertEqual(
                [(T + at,) for at in (0, 500, 1000)],
                self.rows(
                    "SELECT min(start_time) FROM trace_records(?) WHERE record = 'spans' GROUP BY CAST((start_time - ?) / 500 AS INTEGER) LIMIT 3",
                    path,
                    T,
                ),
            )
            self.assertEqual(
                [], self.rows("SELECT kind FROM mpg_issues WHERE kind = 'parallel_files' AND instr(source, ?)", path)
            )
        path = self.folder_of({"list.json": pods, "trainer-0-aaaaa.previous.log": first, "trainer-0-aaaaa.log": second})
        self.assertEqual([("ml/trainer", 1, 8 * (30 + 50) * 10, 8 * 20 * 10)], self.seconds(path))
        for files, wanted in (
            ({"trainer/0.log": first, "trainer/1.log": maxtext(1, 48)}, 500),
            ({"trainer/0.log": first, "trainer/1.log": maxtext(61, 80)}, 500),
        ):  # ranks; what does not go on
            self.assertEqual(
                [("ml/trainer", 1, 8 * wanted)],
                [row[:3] for row in self.seconds(self.folder_of({"list.json": pods, **files}))],
            )
        short = SACCT + job(5101, 0, 900)  # too short for both
        self.seconds(path := self.folder_of({"sacct.psv": short, "5101/0.log": first, "5101/1.log": second}))
        self.assertEqual(
            [(50,)], self.rows("SELECT count FROM mpg_issues WHERE kind = 'parallel_files' AND instr(source, ?)", path)
        )

    def test_logs_of_ranks(self):
        """Which tell the same steps at once: as many of them as attempts are no sign, but as many runs in each are."""
        both = self.FIRST + maxtext(10, 29, load=9, saves=(29,))
        self.assertEqual(
            [("5101", 1, 8 * 200, None), ("5101", 2, None, None)],
            self.steps(
                {
                    "log_5101_0.out": self.FIRST.replace("step 9", "step 19"),
                    "log_5101_1.out": "rank 1\n" + self.FIRST.replace("step 9", "step 19"),
                }
            ),
        )
        self.assertEqual(
            [("5101", 1, 8 * 100, 8 * 100), ("5101", 2, 8 * 200, None)],
            self.steps({"log_5101_0.out": both, "log_5101_1.out": "rank 1\n" + both}),
        )
        self.assertEqual(
            [20, 40],
            sorted(count for count, in self.rows("SELECT count FROM mpg_issues WHERE kind = 'parallel_files'")),
        )

    def test_beside_another_log_that_has_one(self):
        """A tracker tells the same steps with their times: each is done once, and when the tracker says; what it does not tell lies behind the step before."""

        def tracker(start, first, last, every=1):
            return "_step,_timestamp,train/loss\n" + "".join(
                f"{step},{T + start + 10 * (step - first + 1)},2.0\n" for step in range(first, last + 1, every)
            )

        one = {"sacct.psv": SACCT + job(5101, 0, 1500)}
        for name, every in (("wandb.csv", 1), ("wandb.csv", 10)):
            path = self.folder_of(
                {**one, "5101/out.log": maxtext(0, 99, saves=(50, 99)), f"5101/{name}": tracker(300, 0, 99, every)}
            )
            self.assertEqual([("5101", 1, 8 * 1000, None)], self.seconds(path))
            begun, ended = self.rows(
                "SELECT min(start_time) - ?, max(end_time) - ? FROM trace_records(?) WHERE record = 'spans' AND kind = 'step'",
                T,
                T,
                path,
            )[0]
            self.assertEqual((300, 1300), (begun, ended))
            self.assertEqual(
                0,
                self.one(
                    "SELECT count(*) FROM mpg_issues WHERE kind IN ('repeated_steps', 'overlapping_spans') AND instr(source, ?)",
                    path,
                ),
            )
        for steps, other in ((99, 49), (49, 99)):  # another run, which comes later
            path = self.folder_of(
                {
                    "sacct.psv": SACCT + job(5101, 0, 3000),
                    "5101/out.log": maxtext(0, steps, saves=(steps,)),
                    "5101/wandb.csv": tracker(1500, 0, other),
                }
            )
            self.assertEqual(
                [(0,)],
                self.rows(
                    "SELECT min(start_time) - ? FROM trace_records(?) WHERE record = 'spans' AND kind = 'step'", T, path
                ),
            )
        path = self.folder_of(
            {
                "sacct.psv": SACCT + job(5101, 0, 600, "NODE_FAIL") + job(5101, 1200, 2400),
                "5101/out.log": maxtext(0, 49, saves=(29,)) + maxtext(30, 99, load=29, saves=(99,)),
                "5101/a.csv": tracker(60, 0, 49),
                "5101/b.csv": tracker(1260, 30, 99),
            }
        )
        self.assertEqual([("5101", 1, 8 * 300, 8 * 200), ("5101", 2, 8 * 700, None)], self.seconds(path))

    def test_pods(self):
        """A log that has the name of a pod, or whose text has, begins with it."""
        pods = {
            "apiVersion": "v1",
            "kind": "List",
            "items": [pod("trainer-0-aaaaa", 0, 300, 1), pod("trainer-0-bbbbb", 1200, 2400)],
        }
        second = [("ml/trainer", 1, None, None), ("ml/trainer", 2, 8 * 900, None)]
        self.assertEqual(
            [("ml/trainer", 1, 8 * 100, 8 * 100), second[1]],
            self.seconds(
                self.folder_of(
                    {"pods.json": pods, "trainer-0-aaaaa.log": self.FIRST, "trainer-0-bbbbb.log": self.SECOND}
                )
            ),
        )
        self.assertEqual(
            second, self.seconds(self.folder_of({"pods.json": pods, "pods/trainer-0-bbbbb/log": self.SECOND}))
        )
        self.assertEqual(
            second,
            self.seconds(self.folder_of({"pods.json": pods, "a.log": "HOSTNAME=trainer-0-bbbbb\n" + self.SECOND})),
        )
        self.assertEqual(second, self.seconds(self.folder_of({"pods.json": pods, "trainer.log": self.SECOND})))
        both = "".join(
            f"[pod/trainer-0-{name}/train] {line}\n"
            for name, log in (("aaaaa", self.FIRST), ("bbbbb", self.SECOND))
            for line in log.splitlines()
        )
        self.assertEqual(
            [("ml/trainer", 1, 8 * 100, 8 * 100), second[1]],
            self.seconds(self.folder_of({"pods.json": pods, "all.log": both})),
        )
        self.assertEqual(
            [("ml/trainer", 1, 8 * 100, 8 * 100), ("ml/trainer", 2, None, None)],
            self.seconds(self.folder_of({"pods.json": pods, "trainer-0-aaaaa.log": self.FIRST})),
        )


class WithoutAYear(Logs):
    """A job that began in December, and its log that begins in January."""

    def test_the_year_after_the_job_began(self):
        def log(day):
            return maxtext(
                10,
                99,
                load=9,
                prefix=lambda seconds: f"I{day} 02:{seconds // 60:02}:{seconds % 60:02}.000000 140000 max_logging.py:36] ",
            )

        december = 60 * 86400 + 20 * 3600  # the 31st, 20:00
        both = (
            SACCT
            + job(5101, december, december + 10800, "NODE_FAIL")
            + job(5101, december + 6 * 3600, december + 7 * 3600)
        )
        for text, day, name, wanted in (
            (both, "0101", "slurm-5101.out", [(1, None), (2, 8 * 900)]),
            (SACCT + job(5101, december, december + 8 * 3600), "0101", "slurm-5101.out", [(1, 8 * 900)]),
            (SACCT + job(5101, december, december + 8 * 3600), "0101", "llama.out", [(1, 8 * 900)]),
            (SACCT + job(5101, december - 86400, december - 60000), "1231", "llama.out", [(1, 8 * 900)]),
        ):
            with self.subTest(name=name, day=day):
                self.assertEqual(
                    [("5101", attempt, seconds, None) for attempt, seconds in wanted],
                    self.seconds(self.folder_of({"sacct.psv": text, name: log(day)})),
                )

    def test_what_launchers_put_before_the_clock(self):
        """The year is asked for, and found, wherever in its line the clock stands; other logs are read as ever."""
        absl = lambda seconds: f"I1101 {clock(60 + seconds)[11:]}.000000 1 max_logging.py:36] "
        other = maxtext(0, 9, prefix=lambda seconds: clock(60 + seconds) + " ")
        for form in (
            "{}",
            "0: {}",
            "[rank0]: {}",
            "[1,0]<stdout>:{}",
            "[pod/trainer-0/main] {}",
            "(TrainWorker pid=4242, ip=10.0.0.1) {}",
            "\x1b[32m{}\x1b[0m",
        ):
            with self.subTest(form):
                log = "".join(form.format(line) + "\n" for line in maxtext(0, 9, prefix=absl).splitlines())
                path = self.folder_of(
                    {
                        "sacct.psv": SACCT + job(5101, 0, 1200) + job(5102, 0, 1200),
                        "slurm-5101.out": log,
                        "slurm-5102.out": other,
                    }
                )
                self.assertEqual([("5101", 1, 800, None), ("5102", 1, 800, None)], self.seconds(path))

    def test_rotated_over_the_new_year(self):
        """Parts of one log have the clock of one: its year is that of any, and the next one where they go back by half a year."""
        december = 60 * 86400 + 86400 - 300  # 23:55
        times = (
            lambda seconds: f"I{'1231 23' if seconds < 300 else '0101 00'}:{(55 + seconds // 60) % 60:02}:{seconds % 60:02}.000000 1 x.py:1] "
        )
        lines = maxtext(0, 59, prefix=times).splitlines(True)
        lines[:2] = [line.split("] ")[1] for line in lines[:2]]  # what the oldest part has may have no clock at all
        sacct = SACCT + job(5101, december, december + 1200)
        whole = self.seconds(self.folder_of({"sacct.psv": sacct, "slurm-5101.out": "".join(lines)}))
        self.assertEqual([("5101", 1, 8 * 600, None)], whole)
        for cuts in ((2, 20), (20, 40), (40, 50), (31, 32), (32, 60)):
            parts = [lines[a:b] for a, b in zip((0, *cuts), (*cuts, len(lines)))]
            names = ("slurm-5101.out.2", "slurm-5101.out.1", "slurm-5101.out")
            with self.subTest(cuts=cuts):
                path = self.folder_of({"sacct.psv": sacct, **{n: "".join(part) for n, part in zip(names, parts)}})
                self.assertEqual(whole, self.seconds(path))

    def test_the_year_in_a_name(self):
        """Of a log of no job: that of the day in its name, or in its folder's, if no scheduler's export lies there. A day of January may be that of a rotation."""
        log = maxtext(0, 9, prefix=lambda seconds: f"I1101 {clock(60 + seconds)[11:]}.000000 1 max_logging.py:36] ")
        for name, found in (
            ("train_20261101_000100.log", True),
            ("train-2026-11-01.log", True),
            ("train.n1.ann.log.INFO.20261101-000100.4711", True),
            ("2026-11-01/train.log", True),
            (f"train_{T}.log", True),
            ("train_20270101_000000.log", True),
            ("train-20270101.log", False),
            ("train.log-20261102", False),
            ("train.log", False),
        ):
            with self.subTest(name):
                path = self.folder_of({name: log, "b.log": megatron(60, 1, 5)})
                self.assertEqual(
                    [("chip", "the year in its name") if found else ("year", None)],
                    self.rows(
                        "SELECT missing, json_extract(inferred, '$.year') FROM trace_sources(?) WHERE format = 'maxtext'",
                        path,
                    ),
                )
                if found and "2027" not in name:
                    self.assertEqual(
                        [(T + 60,)],
                        self.rows(
                            "SELECT min(start_time) FROM trace_records(?) WHERE record = 'spans' AND job NOT GLOB '*b.log'",
                            path,
                        ),
                    )
        path = self.folder_of(
            {"sacct.psv": SACCT + job(5101, 0, 1200), "slurm-5101_2025-11-01.log": log}
        )  # its job's year counts first
        self.assertEqual(
            [("the year in which its job ran",)],
            self.rows("SELECT json_extract(inferred, '$.year') FROM trace_sources(?) WHERE format = 'maxtext'", path),
        )
        path = self.folder_of({"2025-11-01/sacct.psv": SACCT + job(5101, 0, 1200), "2025-11-01/x.log": log})
        self.assertEqual([("year",)], self.rows("SELECT missing FROM trace_sources(?) WHERE format = 'maxtext'", path))

    def test_jobs_of_one_name_before_and_after(self):
        december = 60 * 86400 + 20 * 3600
        jobs = SACCT + job(5101, december, december + 3600) + job(5102, december + 6 * 3600, december + 7 * 3600)
        for day, hour, wanted in (("1231", 20, "5101"), ("0101", 2, "5102")):
            log = maxtext(
                0,
                99,
                prefix=lambda seconds, at=f"I{day} {hour:02}": f"{at}:{seconds // 60:02}:{seconds % 60:02}.000000 140000 max_logging.py:36] ",
            )
            rows = self.seconds(self.folder_of({"sacct.psv": jobs, "llama.out": log}))
            self.assertEqual({wanted}, {name for name, _, productive, _ in rows if productive}, rows)


if __name__ == "__main__":
    unittest.main()
