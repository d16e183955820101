"""Clocks of trainers' logs: set while they ran, behind the text, in some lines alone, or none."""

import datetime
import json
import unittest

from training import Case


class ClocksThatAreSet(Case):
    """40 steps of ten seconds, by a clock without a zone: steps that go on tell that it was set back. Where it was set forward the hour counts, and is listed."""

    LINES = {
        "megatron": (
            "using world size: 1, data-parallel size: 1\n",
            " [{:%Y-%m-%d %H:%M:%S}] iteration {:8d}/     100 | consumed samples: 1 | elapsed time per iteration (ms): 10000.0 | lm loss: 1.0E+00 |\n",
        ),
        "torchtitan": (
            "",
            "[rank0]:[titan] {:%Y-%m-%d %H:%M:%S},000 - root - INFO - step: {:2d}  loss:  8.0  grad_norm: 1.0  memory: 1.0GiB(2.0%)  tps: 100  tflops: 10.0  mfu: 1.0%\n",
        ),
        "maxtext": (
            "Num_devices: 1\n",
            "{:%Y-%m-%d %H:%M:%S} completed step: {}, seconds: 10.000, TFLOP/s/device: 50.0, Tokens/s/device: 10.0, total_weights: 10, loss: 9.0\n",
        ),
        "trainer": (
            "",
            "[{:%Y-%m-%d %H:%M:%S},100] [INFO] [timer.py:215:stop] epoch=0/micro_step=1/global_step={}, RunningAvgSamplesPerSec=10.0, CurrSamplesPerSec=10.0\n",
        ),
        "nemo": (
            "",
            "{:%Y-%m-%d %H:%M:%S},100 Training epoch 0, iteration {}/99 | global_step: {} | reduced_train_loss: 0.5 | train_step_timing in s: 10.0\n",
        ),
    }

    def log(self, name, begin, turn, after=20):
        """A clock that turns after so many steps."""
        head, line = self.LINES[name]
        at = lambda i: datetime.datetime.fromisoformat(begin) + datetime.timedelta(
            seconds=10 * i + (turn if i > after else 0)
        )
        return self.file(head + "".join(line.format(at(i), i, i) for i in range(1, 41)))

    def test_an_hour(self):
        for name in self.LINES:
            for begin, turn, longest, said in (
                ("2026-10-25 02:56:35", -3600, 10, "repeated_time"),
                ("2026-03-29 01:56:35", 3600, 3610, "skipped_time"),
            ):
                path = self.log(name, begin, turn)
                first, last = self.rows("SELECT min(start_time), max(end_time) FROM trace_ledger(?)", path)[0]
                told = self.rows(
                    "SELECT kind, count FROM mpg_issues WHERE source = ? AND kind IN ('repeated_time', 'skipped_time', 'line_out_of_order')",
                    path,
                )
                self.assertEqual([(said, 1)], told, name)
                self.assertAlmostEqual(390 + longest, last - first, delta=100, msg=name)
                # Who gave a zone is told to check it.
                given = json.dumps({"sources": [{"path": path, "zone": "Africa/Lagos"}]})
                for of, advice in ((path, "give"), (given, "check")):
                    self.rows("SELECT count(*) FROM trace_ledger(?)", of)
                    detail = self.one("SELECT detail FROM mpg_issues WHERE source = ? AND kind = ?", path, said)
                    self.assertIn(f"{advice} the zone", detail.lower())

    def test_any_time(self):
        """A clock that is set by seconds or days, once, as steps go on: none lasts longer, and none is lost."""
        for name in self.LINES:
            for turn, after in ((-30, 20), (-1800, 20), (-7200, 20), (-3 * 86400, 20), (-60, 1)):
                with self.subTest(name=name, turn=turn, after=after):
                    path = self.log(name, "2026-03-02 10:00:00", turn, after)
                    lasted = self.rows("SELECT round(end_time - start_time, 3) FROM trace_training_steps(?)", path)
                    self.assertEqual([(10.0,)] * 40, lasted)
                    self.assertEqual(
                        [(1, 400)],
                        self.rows(
                            "SELECT count(DISTINCT attempt), round(max(end_time) - min(start_time)) FROM trace_training_steps(?)",
                            path,
                        ),
                    )
                    self.assertEqual(
                        [("repeated_time", 1)],
                        self.rows(
                            "SELECT kind, count FROM mpg_issues WHERE source = ? AND kind IN ('repeated_time', 'skipped_time', 'line_out_of_order')",
                            path,
                        ),
                    )

    def test_that_is_none(self):
        """Two hosts of other zones or clocks, a clock that is set back and forth, and a run from the start."""
        head, line = self.LINES["megatron"]
        begin = datetime.datetime(2026, 10, 25, 2, 56, 35)
        at = lambda i, off: line.format(begin + datetime.timedelta(seconds=10 * i + off), i)
        for text in ("".join(at(i, off) for i in range(1, 41) for off in (0, zone)) for zone in (-3600, -45)):
            path = self.file(head + text)
            self.map("megatron", path)
            self.assertEqual({"line_out_of_order"}, set(self.issues(path)) - {"parallel_lines", "end_before_start"})
        path = self.file(head + "".join(at(i, -1800 if i in (20, 30) else 0) for i in range(1, 41)))
        self.map("megatron", path)
        self.assertIn("line_out_of_order", self.issues(path))
        path = self.file(head + "".join(at(i, 0) for i in range(1, 41)) + "".join(at(i, -3600) for i in range(1, 41)))
        self.map("megatron", path)
        self.assertNotIn("repeated_time", self.issues(path))

    def test_one_that_nothing_sets_right(self):
        """It is listed: set back and forth, twice, or by the lines of the last step."""
        for name in self.LINES.keys() - {"maxtext"}:  # which lists the steps that go back, repeated_steps
            head, line = self.LINES[name]
            for turned in ({20}, {10, 30}, {40}):
                text = ""
                for i in range(1, 41):
                    at = datetime.datetime(2026, 3, 2, 10) + datetime.timedelta(seconds=10 * i - 1800 * (i in turned))
                    text += line.format(at, i, i)
                path = self.file(head + text)
                self.rows("SELECT category FROM trace_ledger(?)", path)
                self.assertIn("line_out_of_order", self.issues(path), (name, turned))
        # NeMo's own lines say nothing but the time: some have that of one above.
        begin = datetime.datetime(2026, 3, 2, 10)
        said = "[NeMo I {:%Y-%m-%d %H:%M:%S} nemo_logging:393] Epoch\n"
        step = self.LINES["nemo"][1].split(" ", 2)[2]
        back = lambda i: 10 * i - 100 * (i > 20) - 100 * (i > 30)
        text = "".join(
            said.format(begin + datetime.timedelta(seconds=back(i))) + step.format(i, i) for i in range(1, 41)
        )
        path = self.file(text)
        self.rows("SELECT category FROM trace_ledger(?)", path)
        self.assertIn("line_out_of_order", self.issues(path))


class WithoutAClock(Case):
    """Lines of steps that tell what each took, ten of 2 s, and not when."""

    LINES = {
        "megatron": " iteration {:8d}/     100 | consumed samples: 1 | elapsed time per iteration (ms): 2000.0 | lm loss: 1.0E+00 |\n",
        "maxtext": "completed step: {}, seconds: 2.000, TFLOP/s/device: 1.0, loss: 9.0\n",
        "nanogpt": "iter {}: loss 3.0, time 2000.00ms, mfu 1.00%\n",
        "trainer": "Training epoch 0, iteration {0}/99 | global_step: {0} | reduced_train_loss: 0.5 | train_step_timing in s: 2.0\n",
    }
    SACCT = "JobID|State|Start|End|AllocTRES|Submit|Partition\n4711|COMPLETED|2026-03-03T10:00:00|2026-03-03T10:01:00|gres/gpu=8|2026-03-03T10:00:00|gpu\n"
    T0 = 1772532000  # 2026-03-03T10:00:00Z

    def steps(self, name):
        return "".join(self.LINES[name].format(n) for n in range(1, 11))

    def times(self, path):
        return self.rows(
            "SELECT round(min(start_time) - ?2, 3), round(max(end_time) - ?2, 3) FROM trace_records(?1) WHERE record = 'spans' AND kind = 'step'",
            path,
            self.T0,
        )[0]

    def test_begins_at_the_first_line_that_has_one(self):
        """A launcher's or a compiler's warning, whoever started the program; what comes after the steps says nothing of their begin."""
        for name in self.LINES:
            for line, year in (
                ("2026-03-03 10:00:05.123456: W external/xla/service.cc:7] old driver", False),
                ("[2026-03-03 10:00:05,123] torch.distributed.run: [WARNING] OMP_NUM_THREADS", False),
                ("WARNING:2026-03-03 10:00:05,123:jax._src: slow", False),
                ("[rank0]:[2026-03-03 10:00:05,123] x", False),
                ("0: 2026-03-03T10:00:05.123Z INFO x", False),
                ("W0303 10:00:05.123000 140 torch/distributed/run.py:793] OMP_NUM_THREADS", True),
            ):
                text = f"hello\n{line}\n{line.replace('0:05', '0:09')}\n" + self.steps(name)
                with self.subTest(name=name, line=line):
                    alone = self.file(text)
                    self.assertEqual(
                        (5.123, 25.123),
                        self.times(json.dumps({"sources": [{"path": alone} | ({"year": 2026} if year else {})]})),
                    )
                    self.assertEqual(
                        [(3,)],
                        self.rows("SELECT count FROM mpg_issues WHERE source = ? AND kind = 'unmatched_lines'", alone),
                    )
                    if not year or name == "maxtext":
                        self.assertEqual(
                            [(8 * 20.0,)],
                            self.rows(
                                "SELECT sum(chip_seconds) FROM trace_rollup(?) WHERE job = '4711' AND category IN ('unrated', 'ideal', 'inefficiency')",
                                self.folder_of({"slurm-4711.out": text, "sacct.psv": self.SACCT}),
                            ),
                        )

    def test_begins_at_a_clock_without_dashes(self):
        for name in self.LINES:
            path = self.file("[20260303 10:00:05][rank-0/8][INFO ] [main.py:7] : hello\n" + self.steps(name))
            self.assertEqual((5, 25), self.times(path), name)

    def test_a_clock_beside_what_steps_of_nanogpt_took(self):
        """A pause of ten minutes lies between two of its steps: they follow each other no longer than the clock says."""
        for form in (
            "iter {0}: loss 3.0, time 2000.00ms, mfu 1.00%\n",
            "step:{0}/19 train_loss:3.0 train_time:{1}ms step_avg:2000.00ms\n",
            "step    {0}/19 | loss 3.0 | 2000.00 ms | 41.5% bf16 MFU | 1 tok/s\n",
        ):
            for digits in (0, 3):
                at = [12.75 + 2 * i + (600 if i > 9 else 0) for i in range(20)]
                stamp = lambda t: f"2026-03-03T10:{int(t) // 60:02}:" + (
                    f"{t % 60:06.3f}Z " if digits else f"{int(t) % 60:02}Z "
                )
                text = "".join(stamp(t) + form.format(i, 2000 * (i + 1)) for i, t in enumerate(at))
                path = self.file(text)
                fleet = json.dumps({"sources": [{"path": path, "chips": 1, "outcome": "completed"}]})
                self.assertEqual(
                    [("unknown", 600), ("unrated", 40)],
                    self.rows("SELECT category, round(sum(chip_seconds), 3) FROM trace_rollup(?) GROUP BY 1", fleet),
                    (form, digits),
                )
                shift = 0 if digits else 0.75
                self.assertEqual((10.75 - shift, at[-1] - shift), self.times(fleet), (form, digits))
                # The option start says nothing beside it.
                self.assertEqual(
                    self.times(fleet), self.times(json.dumps({"sources": [{"path": path, "start": 1}]})), (form, digits)
                )

    def test_a_time_after_the_steps(self):
        """It is not when they began: that is missed, and the scheduler's job says it."""
        for name in ("megatron", "maxtext", "nanogpt"):
            text = self.steps(name) + "[2026-03-03 10:00:50,123] torch.distributed.elastic: [ERROR] failed\n"
            self.assertEqual(
                [(1,)], self.rows("SELECT instr(missing, 'start') > 0 FROM trace_sources(?)", self.file(text)), name
            )
            self.assertEqual(
                (0, 20), self.times(self.folder_of({"slurm-4711.out": text, "sacct.psv": self.SACCT})), name
            )

    def test_a_clock_behind_the_text(self):
        """Docker's and Loki's lines of JSON have it there: a pause of 100 s is seen, and a clock of the text itself goes first."""
        for name in ("megatron", "maxtext", "trainer"):
            for text, time in (("log", "time"), ("line", "timestamp")):
                at = lambda n: datetime.datetime.fromtimestamp(
                    self.T0 + 2 * n + 100 * (n > 5), datetime.timezone.utc
                ).isoformat()
                path = self.file(
                    "".join(
                        json.dumps({text: line + "\n", "stream": "stdout", time: at(n)}) + "\n"
                        for n, line in enumerate(self.steps(name).splitlines(), 1)
                    )
                )
                self.assertEqual(
                    [(20.0, 120.0)],
                    self.rows(
                        "SELECT sum(end_time - start_time), max(end_time) - min(start_time) FROM trace_training_steps(?)",
                        path,
                    ),
                    name,
                )
                self.assertEqual((0, 120), self.times(path), name)
                self.assertEqual(
                    [(0,)], self.rows("SELECT coalesce(instr(missing, 'start'), 0) FROM trace_sources(?)", path), name
                )
        own = "".join(
            json.dumps({"log": f"2026-03-03 10:00:{2 * n:02d},000 {line}\n", "time": "2026-03-04T00:00:00Z"}) + "\n"
            for n, line in enumerate(self.steps("maxtext").splitlines(), 1)
        )
        self.assertEqual((0, 20), self.times(self.file(own)))

    def test_behind_syslog_and_the_journal(self):
        """Each has a stamp of its own for a line, and a pause of 100 s is seen. Syslog's has no year: without the option it is missed, and so is no start."""

        def stamped(n):
            return datetime.datetime.fromtimestamp(self.T0 + 2 * n + 100 * (n > 5), datetime.timezone.utc)

        wheres = {
            f"{date}{fraction} node1 train[123]: ": date.startswith(("%b", "<13>%b"))
            for date in (
                "%b %d %H:%M:%S",
                "%b  3 %H:%M:%S",
                "<13>%b  3 %H:%M:%S",
                "%Y-%m-%dT%H:%M:%S+0000",
                "<13>1 %Y-%m-%dT%H:%M:%SZ",
                "Tue %Y-%m-%d %H:%M:%S UTC",
                "%s",
            )
            for fraction in ("", ".000000")
            if fraction == ("" if date != "%s" else ".000000") or date.endswith("%d %H:%M:%S")
        }
        around = {
            where: (
                lambda n, line, where=where: stamped(n).strftime(where.replace("%s", str(int(stamped(n).timestamp()))))
                + line
            )
            for where in wheres
        }
        us = lambda n: str(int(stamped(n).timestamp()) * 1000000)
        around["json"] = lambda n, line: json.dumps(
            {
                "__CURSOR": "s=1",
                "__REALTIME_TIMESTAMP": us(n),
                "__MONOTONIC_TIMESTAMP": "12",
                "_PID": "7",
                "MESSAGE": line,
            }
        )
        around["MESSAGE first"] = lambda n, line: json.dumps(
            {"MESSAGE": line, "_SOURCE_REALTIME_TIMESTAMP": "1", "__REALTIME_TIMESTAMP": us(n)}
        )
        around["export"] = lambda n, line: f"__CURSOR=s=1\n__REALTIME_TIMESTAMP={us(n)}\n_PID=7\nMESSAGE={line}\n"
        for name in ("megatron", "maxtext", "trainer"):
            lines = self.steps(name).splitlines()
            for where, line_of in around.items():
                with self.subTest(name=name, where=where):
                    path = self.file("".join(line_of(n, line) + "\n" for n, line in enumerate(lines, 1)))
                    for year in ({"year": 2026}, {}):
                        fleet = json.dumps({"sources": [{"path": path} | year]})
                        needed = wheres.get(where) and not year
                        self.assertEqual(
                            [(needed or None, None)],
                            self.rows(
                                "SELECT nullif(instr(missing, 'year') > 0, 0), nullif(instr(missing, 'start') > 0, 0) FROM trace_sources(?)",
                                fleet,
                            ),
                        )
                        if not needed:
                            self.assertEqual((0, 120), self.times(fleet))

    def test_a_listing_of_google_cloud(self):
        """`gcloud logging read --format=json` writes a key a line, the latest entry first: each line's time is that of its entry, and a pause of 100 s is seen."""
        at = lambda n: datetime.datetime.fromtimestamp(self.T0 + 2 * n + 100 * (n > 5), datetime.timezone.utc).strftime(
            "%Y-%m-%dT%H:%M:%S.000000Z"
        )
        for name in ("megatron", "maxtext", "trainer"):
            entries = [
                {
                    "insertId": f"a{n}",
                    "logName": "projects/p/logs/stdout",
                    "receiveTimestamp": "2026-03-04T00:00:00Z",
                    "severity": "INFO",
                    "textPayload": line,
                    "timestamp": at(n),
                }
                for n, line in enumerate(self.steps(name).splitlines(), 1)
            ]
            for order in (1, -1):
                path = self.file(json.dumps(entries[::order], indent=2) + "\n", "listing.json")
                self.assertEqual((0, 120), self.times(path), (name, order))
                self.assertEqual(
                    [(20.0,)], self.rows("SELECT sum(end_time - start_time) FROM trace_training_steps(?)", path), name
                )
                self.assertEqual(
                    [(72,)],
                    self.rows("SELECT count FROM mpg_issues WHERE source = ? AND kind = 'unmatched_lines'", path),
                )

    def test_a_number_beside_the_line(self):
        """What CloudWatch, Loki, Fluent Bit, Elasticsearch and loggers of JSON write for a time, in the line or in one above or below it; Splunk's table has a date behind the text."""
        at = lambda n: self.T0 + 2 * n + 100 * (n > 5)
        date = lambda n: datetime.datetime.fromtimestamp(at(n), datetime.timezone.utc).strftime(
            "%Y-%m-%dT%H:%M:%S.000+0000"
        )
        forms = {
            "aws logs": lambda n, line: "        "
            + json.dumps({"timestamp": at(n) * 1000, "message": line, "ingestionTime": 1}, indent=12)
            + ",\n",
            "aws logs, a line": lambda n, line: json.dumps(
                {"logStreamName": "s", "timestamp": at(n) * 1000, "message": line}
            )
            + "\n",
            "Loki": lambda n, line: "    " + json.dumps([str(at(n) * 10**9), line], indent=8) + ",\n",
            "Loki, a line": lambda n, line: json.dumps([str(at(n) * 10**9), line]) + ",\n",
            "Fluent Bit": lambda n, line: f'[0] kube.log: [[{at(n)}.000000000, {{}}], {{"log"=>{json.dumps(line)}}}]\n',
            "Fluent Bit's JSON": lambda n, line: json.dumps({"date": at(n) + 0.5, "log": line}) + "\n",
            "a logger": lambda n, line: json.dumps({"level": "info", "ts": at(n) + 0.25, "msg": line}) + "\n",
            "ts": lambda n, line: f"{at(n)}.0000 {line}\n",
            "Splunk": lambda n, line: f'"{line}","{date(n)}"\n',
            "Splunk, more columns": lambda n, line: f'"{line}",{date(n)},n1,main,"x y"\n',
            "Splunk's JSON": lambda n, line: json.dumps({"result": {"_raw": line, "_time": date(n)}}) + "\n",
            "CloudWatch's table": lambda n, line: f'{at(n) * 1000},"{line}"\n',
            "Grafana's table": lambda n, line: f'"{{app=""x""}}",{at(n) * 1000},"{line}",{at(n) * 10**9},1_a\n',
            "Elasticsearch": lambda n, line: json.dumps(
                {"_index": "x", "_source": {"message": line, "@timestamp": date(n)}}
            )
            + "\n",
            "Filebeat": lambda n, line: json.dumps(
                {
                    "@timestamp": date(n),
                    "kubernetes": {"labels": {f"label-{i}": "x" * 20 for i in range(20)}},
                    "message": line,
                }
            )
            + "\n",
            "python-json-logger": lambda n, line: json.dumps(
                {"message": line, "asctime": date(n)[:19].replace("T", " ") + ",000", "exc_info": None}
            )
            + "\n",
            "Elasticsearch, a key a line": lambda n, line: "      "
            + json.dumps(
                {"_id": n, "_source": {"@timestamp": date(n), "host": {"name": "n1"}, "message": line}, "sort": [n]},
                indent=8,
            )
            + ",\n",
            "Azure": lambda n, line: json.dumps(
                {"LogMessage": line, "Pod": {"Name": "p"}, "TimeGenerated": date(n)}, indent=2
            )
            + ",\n",
            "json-pretty": lambda n, line: json.dumps(
                {"MESSAGE": line, "__REALTIME_TIMESTAMP": str(at(n) * 10**6), "_PID": "7"}, indent="\t"
            )
            + "\n",
            "gcloud's YAML": lambda n, line: "---\ninsertId: a{0}\nreceiveTimestamp: '2026-03-04T00:00:00.1Z'\ntextPayload: |\n  {1}\ntimestamp: '{2}'\n".format(
                n, line, date(n)[:19] + ".123456789Z"
            ),
            "gcloud's JSON, JSON": lambda n, line: "  "
            + json.dumps(
                {
                    "insertId": f"a{n}",
                    "jsonPayload": {"message": line},
                    "receiveTimestamp": date(20),
                    "timestamp": date(n)[:19] + "Z",
                },
                indent=4,
            )
            + ",\n",
        }
        for name in ("megatron", "maxtext", "trainer"):
            lines = list(enumerate(self.steps(name).splitlines(), 1))
            for form, entry in forms.items():
                for order in (1, -1) if name == "maxtext" else (1,):
                    with self.subTest(name=name, form=form, order=order):
                        path = self.file("".join(entry(n, line) for n, line in lines[::order]), "x.log")
                        begin, end = self.times(path)
                        self.assertEqual((0, 120), (begin // 1, end // 1))
                        self.assertEqual(
                            [(20.0,)], self.rows("SELECT sum(end_time - start_time) FROM trace_training_steps(?)", path)
                        )
                        self.assertIn(
                            self.rows(
                                "SELECT coalesce(instr(missing, 'start'), 0), json_extract(inferred, '$.start') FROM trace_sources(?)",
                                path,
                            ),
                            ([(0, "the clock of what kept the log")], [(0, None)][: "Elastic" in form]),
                        )

    def test_when_an_entry_was_received(self):
        """Google Cloud says it too, for many entries at once: it is no time of a line."""
        for name in ("megatron", "maxtext", "nanogpt", "trainer"):
            entry = (
                '{{"insertId":"a","receiveTimestamp":{space}"2026-03-03T10:10:00Z","severity":"INFO","textPayload":{space}"{}\\n",'
                '"timestamp":{space}"2026-03-03T10:{:02}:{:02}Z"}}\n'
            )
            for space in ("", " "):
                path = self.file(
                    "".join(
                        entry.format(line, *divmod(2 * n + 100 * (n > 5), 60), space=space)
                        for n, line in enumerate(self.steps(name).splitlines(), 1)
                    )
                )
                self.assertEqual((0, 120), self.times(path), name)

    def test_runs_of_one_job(self):
        """Each file begins by its own clock, whatever their names sort as."""
        for name in ("megatron", "maxtext", "nanogpt"):
            begin = "[2026-03-03 10:0{}:00,000] torch.distributed.run: [WARNING] x\n"
            folder = self.folder_of(
                {"b.log": begin.format(1) + self.steps(name), "a.log": begin.format(5) + self.steps(name)}
            )
            self.assertEqual(
                [(1, 60, 80), (2, 300, 320)],
                self.rows(
                    "SELECT attempt, min(start_time) - ?2, max(end_time) - ?2 FROM trace_records(?1) WHERE record = 'spans' AND kind = 'step' GROUP BY 1",
                    json.dumps({"sources": [{"path": folder, "job": "x"}]}),
                    self.T0,
                ),
                name,
            )


class LinesTwice(Case):
    """What a collector asks for overlaps what it has: a log with some of its lines a second time is what it is without them."""

    LINES = ClocksThatAreSet.LINES | {
        "nemo": (
            "",
            "[NeMo I {:%Y-%m-%d %H:%M:%S} nemo_logging:393] Training epoch 0, iteration {}/99 | lr: 1e-05 | global_batch_size: 512 | global_step: {} | reduced_train_loss: 5.0 | train_step_timing in s: 10.0\n",
        )
    }

    def test_lines_twice(self):
        for name, (head, line) in self.LINES.items():
            at = lambda i: datetime.datetime(2026, 3, 2, 10) + datetime.timedelta(seconds=10 * i)
            lines = [line.format(at(i), i, i) for i in range(1, 41)]
            told = lambda path: (
                self.rows("SELECT attempt, step, start_time, end_time FROM trace_training_steps(?)", path),
                self.rows("SELECT category, sum(chip_us) FROM trace_rollup(?) GROUP BY 1 ORDER BY 1", path),
            )
            plain = told(self.file(head + "".join(lines)))
            self.assertEqual(40, len(plain[0]))
            for until, since in ((30, 20), (40, 20)):
                path = self.file(head + "".join(lines[:until] + lines[since:]))
                self.assertEqual(plain, told(path), (name, until, since))
                said = self.rows("SELECT kind, count FROM mpg_issues WHERE source = ?", path)
                self.assertEqual(
                    [until - since], [n for kind, n in said if kind in ("repeated_record", "parallel_lines")]
                )

    def test_lines_twice_with_others_between(self):
        """Saves and what a program says of itself, which have no clock: they count once too."""
        at = lambda i: datetime.datetime(2026, 3, 2, 10) + datetime.timedelta(seconds=10 * i)
        kept = lambda i, line: f"{at(i):%Y-%m-%dT%H:%M:%S}.5Z {line}\n"
        for name, head, line, save in (
            (
                "megatron",
                "using world size: 8, data-parallel size: 8\n",
                lambda i: self.LINES["megatron"][1].format(at(i), i),
                lambda i: f"  successfully saved checkpoint from iteration {i:7d} to /ckpt\n",
            ),
            (
                "nanogpt",
                "Initializing a new model from scratch\n",
                lambda i: kept(i, f"iter {i}: loss 3.0, time 10000.00ms, mfu 30.00%"),
                lambda i: "saving checkpoint to out\n",
            ),
            (
                "nemo",
                "Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/8\n",
                lambda i: kept(
                    i, f"Training epoch 0, iteration {i}/99 | global_step: {i} | train_step_timing in s: 10.0"
                ),
                lambda i: f"Successfully saved checkpoint from iteration {i} to /ckpt\n",
            ),
        ):
            lines = [line(i) + (save(i) if i % 10 == 0 else "") for i in range(1, 41)]
            told = lambda path: (
                self.rows("SELECT attempt, step, start_time, end_time FROM trace_training_steps(?)", path),
                self.rows("SELECT category, sum(chip_us) FROM trace_rollup(?) GROUP BY 1 ORDER BY 1", path),
                self.rows("SELECT step, durable_time FROM trace_records(?) WHERE record = 'commits'", path),
            )
            plain = told(self.file(head + "".join(lines), "log"))
            self.assertEqual(40, len(plain[0]))
            for parts in (
                (head, *lines, head, *lines),
                (head, *lines, *lines[25:]),
                (head, *lines[:30], *lines[15:]),
                (head, *lines[:30], head, *lines),
            ):
                with self.subTest(name=name, lines=len(parts)):
                    path = self.file("".join(parts), "log")
                    self.assertEqual(plain, told(path))
                    copies = "".join(parts).count("\n") - "".join((head, *lines)).count("\n")
                    self.assertEqual(copies, self.issues(path)["repeated_record"])


class Start(Case):
    def test_beside_a_clock(self):
        """Lines of steps that have a clock count by it, and a row says that the option does not."""
        for name, form in (
            ("maxtext", "2026-03-03 10:00:{:02} completed step: {}, seconds: 2.000, TFLOP/s/device: 1.0, loss: 1.0\n"),
            (
                "megatron",
                " [2026-03-03 10:00:{:02}.0] iteration {:8d}/ 10 | elapsed time per iteration (ms): 2000.0 | lm loss: 1.0 |\n",
            ),
            (
                "deepspeed",
                "[2026-03-03 10:00:{:02},000] [INFO] [x.py:1:y] [Rank 0] step={}, skipped=0, lr=[1e-05], mom=[0.9]\n",
            ),
            (
                "torchtitan",
                "[titan] 2026-03-03 10:00:{:02},000 - root - INFO - step: {:2d}  loss:  8.0  tps: 100  tflops: 10.0\n",
            ),
            ("nanogpt", "2026-03-03T10:00:{:02}.0Z iter {}: loss 10.9, time 2000.00ms, mfu 1.00%\n"),
        ):
            path = self.file("".join(form.format(2 * n, n) for n in range(1, 9)), name + ".log")
            fleet = json.dumps({"sources": [{"path": path, "start": 1783072800, "chips": 1}]})
            with self.subTest(name=name):
                self.assertEqual(
                    [(1772532016,)], self.rows("SELECT max(end_time) FROM trace_records(?) WHERE kind = 'step'", fleet)
                )
                self.assertEqual(
                    [(1,)],
                    self.rows(
                        "SELECT count FROM mpg_issues WHERE kind = 'unused_option' AND source IN (?, ?) AND detail LIKE '%\"start\"%'",
                        path,
                        fleet,
                    ),
                )

    def test_forms(self):
        """The option start: Unix seconds, also as text, or a date, which is of the option zone if it names none."""
        logs = {
            "maxtext.log": "Num_devices: 1\n"
            + "".join(f"completed step: {n}, seconds: 2.000, TFLOP/s/device: 1.0, loss: 1.0\n" for n in range(3)),
            "megatron.log": "".join(
                f" iteration {n:8d}/      10 | consumed samples: 1 | elapsed time per iteration (ms): 2000.0 | learning rate: 1E-3 | lm loss: 1.0E+00 |\n"
                for n in range(3)
            ),
            "nanogpt.log": "".join(
                f"step:{n}/10 train_loss:5.0 train_time:{2000 * n}ms step_avg:2000.00ms\n" for n in range(1, 4)
            ),
            "nemo1.log": "".join(
                f"Epoch 0: : {n}%|#| {n}/100 [00:10<00:00, reduced_train_loss=0.5, global_step={n}.0, consumed_samples=1.0, train_step_timing in s=2.000]\r"
                for n in range(3)
            )
            + "\n",
        }
        for name, text in logs.items():
            path = self.file(text, name)
            for start, zone, begin in (
                (1783072800.5, None, 1783072800.5),
                ("1783072800.5", "Europe/Berlin", 1783072800.5),
                ("2026-07-03 10:00:00.5", None, 1783072800.5),
                ("2026-07-03T10:00:00.5", "Europe/Berlin", 1783065600.5),
                ("2026-07-03T10:00:00Z", "Europe/Berlin", 1783072800),
            ):
                source = {"path": path, "start": start} | ({"zone": zone} if zone else {})
                self.assertEqual(
                    [(begin,)],
                    self.rows("SELECT min(start_time) FROM trace_training_steps(?)", json.dumps({"sources": [source]})),
                    (name, start, zone),
                )


if __name__ == "__main__":
    unittest.main()
