"""Logs of trainers: log_trace and the mappings sql/formats/{maxtext,megatron,nanogpt,torchtitan}.sql.

What the table says of a log is held against Python's re and datetime; the mappings against figures that the trainers'
authors published with their logs, and against sums made by hand."""
import datetime
import gzip
import json
import os
import random
import re
import threading
import unittest

import cases
from fleets import ROOT

FIXTURES = os.path.join(ROOT, "fixtures/training")
REAL = os.path.join(ROOT, "../shared/traces/training_logs")
NANOGPT = r"step:(?<step>\d+)/(?<steps>\d+) (?:train_loss:(?<loss>\S+)|val_loss:(?<val_loss>\S+)) train_time:(?<ms>\d+)ms step_avg:(?<average>\S+)ms"


def number(text):
    try:
        return json.loads(text) if re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?", text) else text
    except ValueError:
        return text


def read_plain(path, pattern):
    """The matched lines by Python's regular expressions: number, text, fields."""
    compiled = re.compile(pattern.replace("(?<", "(?P<"))
    with open(path, encoding="utf-8", newline="\n") as file:
        for n, line in enumerate(file.read().split("\n")[:-1], 1):
            found = compiled.search(line.removesuffix("\r"))
            if found:
                yield n, line, {name: number(text) for name, text in found.groupdict().items() if text is not None}


class Case(cases.Case):
    FILE = "train.log"

    def compare(self, path, pattern):
        wanted = list(read_plain(path, pattern))
        found = [(n, text, json.loads(fields)) for n, text, fields in self.rows("SELECT _line, text, fields FROM log_trace(?, ?)", path, pattern)]
        self.assertEqual(found, wanted)
        return len(found)

    def map(self, name, log, **parameters):
        given = dict.fromkeys("log chips chip pool job outcome start zone year flops".split()) | {"log": log} | parameters
        self.script(f"formats/{name}.sql", **given)
        self.assertEqual(self.rows("SELECT name FROM temp.sqlite_schema WHERE type = 'table' AND name LIKE 'training%'"), [("training_steps",)])

    def seconds(self):
        return {(category, cause): round(us / 1e6, 3) for category, cause, us in
                self.rows("SELECT category, cause, sum(chip_us) FROM mpg_rollup WHERE category NOT IN ('ideal', 'inefficiency') GROUP BY 1, 2")}

    def productive(self):
        return round(self.one("SELECT sum(chip_us) FROM mpg_rollup WHERE category IN ('ideal', 'inefficiency', 'unrated')") / 1e6, 3)


class Lines(Case):
    def test_fixtures(self):
        self.assertEqual(self.compare(FIXTURES + "/nanogpt.log", NANOGPT), 34)
        self.assertEqual(self.compare(FIXTURES + "/maxtext.log", r"completed step: (?<step>\d+), seconds: (?<s>[\d.]+),.*loss: (?<loss>\S+)"), 15)
        self.assertEqual(self.compare(FIXTURES + "/megatron.log", r"iteration\s+(?<step>\d+).*lm loss: (?<loss>\S+)"), 8)

    def test_the_real_log(self):
        path = REAL + "/nanogpt_2024-10-10.txt"
        if not os.path.exists(path):
            self.skipTest("../shared is not here")
        self.assertEqual(self.compare(path, NANOGPT), 6251)
        self.assertEqual(self.rows("""SELECT step, fields ->> '$.ms', fields ->> '$.average', fields ->> '$.val_loss' FROM log_trace(?, ?)
                                      ORDER BY rowid DESC LIMIT 1""", path, NANOGPT), [(6200, 1339067, 216.33, 3.2785)])
        self.assertEqual(self.rows("SELECT kind, severity, line, count FROM mpg_issues WHERE source = ?", path), [("unmatched_lines", "info", 1, 585)])

    def test_types(self):
        path = self.file("2026-11-21 15:01:26 step 7 x\n")
        self.assertEqual(self.rows(r"SELECT typeof(text), typeof(time), time, typeof(step), typeof(fields) FROM log_trace(?, '^(?<time>\S+ \S+) step (?<step>\d+)')", path),
                         [("text", "real", 1795273286.0, "integer", "text")])

    def test_numbers(self):
        """What a program prints of a double is a number however small: leading zeros are no digits of it."""
        pick = random.Random(5)
        numbers = [pick.random() * 10.0 ** -pick.randrange(20) for _ in range(300)] + [0.00029999999999999997, 5e-324, 0.0]
        texts = [repr(v) for v in numbers] + [format(v, ".25f")[:22] for v in numbers[:50] if v < 1e-4]
        texts += ["0.00000000000000000000", "-0.00000000000000000000", "-0.00029999999999999997"]
        path = self.file("".join(f"x={text} y\n" for text in texts))
        self.assertEqual(self.rows(r"SELECT fields ->> '$.x', typeof(fields ->> '$.x') FROM log_trace(?, 'x=(?<x>\S+)')", path), [(float(text), "real") for text in texts])
        for text in ("0.123456789012345678", "10.0000000000000000", "0.0000123456789012345678"):  # 18 digits and more
            self.assertEqual(self.rows(r"SELECT fields ->> '$.x' FROM log_trace(?, 'x=(?<x>\S+)')", self.file(f"x={text} y\n")), [(text,)])

    def test_zones(self):
        """Against Python's zoneinfo, over the days on which the clocks change."""
        import zoneinfo
        berlin, lines, wanted = zoneinfo.ZoneInfo("Europe/Berlin"), [], []
        for hours in range(0, 24 * 400, 7):
            at = datetime.datetime(2025, 10, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(hours=hours)
            local = at.astimezone(berlin)
            lines.append(local.strftime("%Y-%m-%d %H:%M:%S,250 x\n"))
            wanted.append((local.replace(fold=0).timestamp() + 0.25,))
        self.assertEqual(self.rows("SELECT time FROM log_trace(?, '(?<time>.*) x', 'ignore', 'Europe/Berlin')", self.file("".join(lines))), wanted)

    def test_unmatched(self):
        path = self.file("one\nstep 1\ntwo\n")
        pattern = r"step (?<step>\d+)"
        self.assertEqual(self.rows("SELECT step, text FROM log_trace(?, ?)", path, pattern), [(1, "step 1")])
        self.assertEqual(self.rows("SELECT step, fields, text FROM log_trace(?, ?, 'rows')", path, pattern),
                         [(None, None, "one"), (1, '{"step":1}', "step 1"), (None, None, "two")])
        self.assertEqual(self.error("SELECT * FROM log_trace(?, ?, 'error')", path, pattern),
                         f'log_trace: {path}:1:1: expected a line that matches the pattern, found "one"')
        self.assertEqual(self.rows("SELECT step FROM log_trace(?, ?, 'error') WHERE on_error = 'skip'", path, pattern), [(1,)])
        self.assertEqual(self.issues(path), {"skipped_record": 2, "unmatched_lines": 2})
        self.assertEqual(self.rows("SELECT * FROM log_trace(?, 'nothing')", path), [])
        self.assertEqual(self.rows("SELECT severity, kind, line, count, detail FROM mpg_issues WHERE source = ? ORDER BY kind", path),
                         [("warning", "no_match", 1, 1, 'no line matches the pattern; the first is "one"'),
                          ("info", "unmatched_lines", 1, 3, '3 of 3 lines did not match; the first is "one"')])

    def test_compressed_glob_and_folder(self):
        with open(FIXTURES + "/nanogpt.log", "rb") as file:
            text = file.read()
        path = self.file(gzip.compress(text), "a.log.gz")
        folder = os.path.dirname(path)
        with open(folder + "/b.log", "wb") as file:
            file.write(text)
        for of_both in (folder, folder + "/*.log*"):
            self.assertEqual(self.rows("SELECT _file, count(*), max(_line) FROM log_trace(?, ?) GROUP BY 1", of_both, NANOGPT),
                             [(path, 34, 45), (folder + "/b.log", 34, 45)])

    def test_golden_series(self):
        """Megatron's own JSON of a run, in which nine of ten values of one series are the text "nan"."""
        if not os.path.exists(REAL):
            self.skipTest("../shared is not here")
        with open(REAL + "/bert__bert_release__golden_values_dev_dgx_h100.json", encoding="utf-8") as file:
            text = file.read()
        times = [v for v in json.loads(text)["iteration-time"]["values"].values() if v != "nan"]
        self.assertEqual(
            self.rows("""SELECT count(*), sum(type = 'text' AND value = 'nan'), count(*) FILTER (WHERE type = 'real'), avg(value) FILTER (WHERE type = 'real')
                         FROM json_each(?, '$.iteration-time.values')""", text), [(4001, 3801, 200, sum(times) / 200)])


class Errors(Case):
    def test_arguments(self):
        path = self.file("x\n")
        usage = r"expected a path and a pattern, as in log_trace('train.log', 'step (?<step>\d+)')"
        for sql, text in (
            ("SELECT * FROM log_trace", usage),
            ("SELECT * FROM log_trace(?1)", usage),
            ("SELECT * FROM log_trace(?1, 7)", usage),
            ("SELECT * FROM log_trace(?1, 'a(?<b>c')", "pattern: missing closing parenthesis, at offset 7, its end"),
            ("SELECT * FROM log_trace(?1, 'x', 'no')", "unmatched: expected 'ignore', 'rows' or 'error'"),
            ("SELECT * FROM log_trace(?1, 'x', 'ignore', 5)", "zone: expected text"),
            ("SELECT * FROM log_trace(?1, 'x', 'ignore', 'UTC', 'x')", "year: expected a year from 1970 to 2261"),
            ("SELECT * FROM log_trace(?1, 'x') WHERE on_error = 'no'", "on_error: expected 'stop' or 'skip'"),
        ):
            self.assertEqual(self.error(sql, *([path] if "?1" in sql else [])), "log_trace: " + text)
        self.assertEqual(self.rows("SELECT * FROM log_trace(NULL, 'x')"), [])
        self.assertEqual(self.rows("SELECT * FROM log_trace(?, NULL)", path), [])
        self.db.execute(f"CREATE VIEW stored AS SELECT * FROM log_trace('{path}', 'x')")
        self.assertEqual(self.error("SELECT * FROM stored"), 'unsafe use of virtual table "log_trace"')

    def test_broken_files(self):
        binary = self.file(bytes(range(256)) * 50)
        self.assertEqual(self.error("SELECT * FROM log_trace(?, 'x')", binary), f"log_trace: {binary}:1:1: expected text, found byte 0x00")
        cut = self.file(gzip.compress(os.urandom(50000).hex().encode() + b"\nx\n" * 90000)[:-200], "cut.gz")
        self.assertIn("truncated gzip stream", self.error("SELECT count(*) FROM log_trace(?, 'x')", cut))
        latin = self.file("caf\u00e9 step 1\n\u00fc\n".encode("latin-1"))
        self.assertEqual(self.rows(r"SELECT step FROM log_trace(?, 'step (?<step>\d)')", latin), [(1,)])

    def test_every_letter_is_a_letter(self):
        """PCRE2's machine code once found no \\S in some letters: each of them, against Python's."""
        letters = [chr(code) for code in range(0x3a, 0x3000) if not chr(code).isspace() and not 0x7f <= code <= 0xa0]
        path = self.file("".join(f"{letter} step {i}\n" for i, letter in enumerate(letters)).encode())
        found = self.rows(r"SELECT step, fields ->> '$.who' FROM log_trace(?, '^(?<who>\S+) step (?<step>\d+)') ORDER BY step", path)
        self.assertEqual(found, list(enumerate(letters)))

    def test_a_log_that_is_being_written(self):
        with open(FIXTURES + "/nanogpt.log", encoding="utf-8") as file:
            text = file.read()
        for size in (1, 500, len(text) // 2, len(text) - 40, len(text)):
            path = self.file(text[:size])
            whole = len(list(read_plain(path, NANOGPT)))
            self.assertEqual(self.one("SELECT count(*) FROM log_trace(?, ?)", path, NANOGPT), whole)
            self.assertEqual("unfinished_line" in self.issues(path), size != len(text) and text[size - 1] != "\n")

    def test_a_catastrophic_pattern(self):
        path = self.file("a" * 5000 + "\nb\n")
        self.assertRegex(self.error("SELECT * FROM log_trace(?, '(?<x>(a+)+[bc])$')", path),
                         f"^log_trace: {path}:1:1: the pattern takes more than 10000000 steps on this line: ")
        self.assertEqual(self.rows("SELECT text FROM log_trace(?, '^(?<x>(a+)+[bc]|b)$') WHERE on_error = 'skip'", path), [("b",)])
        self.assertEqual(self.issues(path), {"skipped_record": 1})

    def test_interrupt(self):
        for text, pattern in (("x\n" * 5000000, "y"), (("a" * 5000 + "\n") * 200, "(?<x>(a+)+[bc])")):
            path = self.file(text)
            timer = threading.Timer(0.1, self.db.interrupt)
            timer.start()
            self.assertEqual(self.error("SELECT count(*) FROM log_trace(?, ?) WHERE on_error = 'skip'", path, pattern), "interrupted")
            timer.join()

    def test_texts_outlive_their_row(self):
        self.assertEqual(self.rows("SELECT max(step), fields ->> '$.loss', text FROM log_trace(?, ?)", FIXTURES + "/nanogpt.log", NANOGPT)[0][:2], (30, 7.9))

    def test_memory_does_not_grow_with_the_file(self):
        with open(FIXTURES + "/nanogpt.log", "rb") as file:
            text = file.read()
        peaks = []
        for times in (200, 15000):
            path = self.file("")
            with open(path, "wb") as file:
                for _ in range(times):
                    file.write(text)
            self.one("SELECT sum(length(fields)) FROM log_trace(?, ?)", path, NANOGPT)
            peaks.append(cases.peak())
        self.assertLess(peaks[1] - peaks[0], 8 * 1024)  # kB; the second file is 50 MB


class ProgressBars(Case):
    """What tqdm draws over and over is one line of a log, of a megabyte and more: no mapping gives up on it, whatever stands before it."""

    def test_all(self):
        bar = "".join(f"\r Generating train split: {i:6d} examples [00:{i % 60:02d}, {i / 3:.2f} examples/s]" for i in range(20000))
        for name in ("maxtext", "megatron", "torchtitan", "nanogpt"):
            with open(f"{FIXTURES}/{name}.log", encoding="utf-8") as file:
                lines = file.readlines()
            self.map(name, self.file("".join(lines)))
            wanted = self.rows("SELECT attempt, step, start_time, end_time, loss FROM training_steps")
            for prefix in ("", "[rank0]:", "2026-11-21T15:00:00.5Z ", "[titan] 2026-11-21 15:00:00,000 - root - INFO - ", "0: [default0]: "):
                with self.subTest(name=name, prefix=prefix):
                    self.map(name, self.file("".join(lines[:5] + [prefix + bar + "\n"] + lines[5:])))
                    self.assertEqual(self.rows("SELECT attempt, step, start_time, end_time, loss FROM training_steps"), wanted)


class MaxText(Case):
    def test_fixture(self):
        log = FIXTURES + "/maxtext.log"
        self.map("maxtext", log)
        self.assertEqual(self.rows("SELECT attempt, chips, start_time, end_time, outcome FROM allocations"),
                         [(1, 4, 0, 47.5, "failed"), (2, 4, 47.5, 71.5, "completed")])
        self.assertEqual(self.rows("SELECT chip, chips FROM capacity"), [("TPU v5", 4)] * 2)
        self.assertEqual(self.rows("SELECT attempt, step, durable_time FROM commits"), [(1, 4, 39.1)])
        others = (2 + 2 + 1.6 + 2 + 2 + 2 + 2.4) / 7
        self.assertEqual(self.seconds(), {("compile", None): round(4 * (31.5 - others) + 4 * (12 - 2), 3), ("eval", None): 8, ("lost", None): 4 * 6.4})
        self.assertEqual(self.productive(), round(4 * (others + 2 + 2 + 1.6 + 2 + 7 * 2), 3))
        self.assertEqual(self.rows("SELECT step, mfu FROM training_steps WHERE attempt = 1 AND step = 3"), [(3, 156.25 / 459)])

    def test_several_hosts(self):
        """Every host prints every line, behind what the launcher says of it."""
        with open(FIXTURES + "/maxtext.log", encoding="utf-8") as file:
            lines = file.readlines()
        relations = ("SELECT attempt, chips, start_time, end_time, outcome FROM allocations", "SELECT chip, chips, start_time FROM capacity",
                     "SELECT attempt, kind, start_time, end_time, step, flops FROM spans", "SELECT DISTINCT attempt, step, durable_time FROM commits",
                     "SELECT attempt, step, mfu FROM training_steps")
        self.map("maxtext", FIXTURES + "/maxtext.log")
        wanted = [self.rows(sql) for sql in relations]
        for prefixes in (("0: ", "1: "), ("(run pid=7, ip=10.0.0.1) ", "(run pid=9, ip=10.0.0.2) "), ("", "", ""), ("[pod/a-0-0/jax] ",)):
            self.map("maxtext", self.file("".join(prefix + line for line in lines for prefix in prefixes)))
            self.assertEqual([self.rows(sql) for sql in relations], wanted)
        # With a clock: what comes again after a pause is a restart, though nothing else says so.
        at = "2026-11-21T15:00:{:02}.5Z completed step: {}, seconds: 2.0, TFLOP/s/device: 100.0, loss: 1.5\n"
        self.map("maxtext", self.file("".join(at.format(s, n) for s, n in ((2, 0), (2, 0), (4, 1), (5, 1), (30, 1), (32, 2)))), chips=8)
        self.assertEqual(self.rows("SELECT attempt, step FROM training_steps"), [(1, 0), (1, 1), (2, 1), (2, 2)])

    def test_the_clock_of_a_cluster(self):
        """Behind what kubectl logs --timestamps writes the chip is found too."""
        with open(FIXTURES + "/maxtext.log", encoding="utf-8") as file:
            text = "".join(f"2026-11-21T15:{n // 60:02}:{n % 60:02}.123456789Z {line}" for n, line in enumerate(file))
        self.map("maxtext", self.file(text))
        self.assertEqual(self.rows("SELECT DISTINCT chip, chips FROM capacity"), [("TPU v5", 4)])

    def test_evaluations_without_seconds(self):
        """As MaxText prints them: a step's line comes after the next one's start, and what an evaluation took is in the seconds of the step behind it."""
        text, now, last, line = "Config param steps: 12\n", 0, 0, ""
        for step in range(13):
            now += 1
            seconds, last = now - last, now
            if (step + 1) % 5 == 0:
                for n in range(10):
                    now += 0.5
                    text += f"I0317 10:00:{now:09.6f} 125344 train.py:9] Completed eval step {n}\n"
                text += f"I0317 10:00:{now:09.6f} 125344 metric_logger.py:9] eval metrics after step: {step}, loss=9.855, total_weights=75264.0\n"
            text += f"I0317 10:00:{now:09.6f} 125344 metric_logger.py:9] {line}\n" if line else ""
            line = f"completed step: {step}, seconds: {seconds:.3f}, TFLOP/s/device: 50.000, loss: 3.000"
        self.map("maxtext", self.file(text), chips=4)
        self.assertEqual(self.seconds(), {("eval", None): 4 * 10, ("unrated", None): 4 * 12})
        self.assertEqual(self.rows("SELECT end_time - start_time FROM spans WHERE kind = 'eval'"), [(5,), (5,)])

    def test_names_of_chips(self):
        """As JAX writes them; on some a device is half a chip."""
        for name, devices, peak in (("TPU v3", 2, 123), ("TPU v4", 1, 275), ("TPU v5 lite", 1, 197), ("TPU v6 lite", 1, 918), ("TPU7x", 2, 2307)):
            self.map("maxtext", self.file(f"System Information: Jax Backend: PJRT C API\nTFRT {name}\nBuilt on Mar 4 2026 11:32:08 (1772652728) cl/878335365\n"
                                          "Num_devices: 64, shape (1, 64)\ncompleted step: 4, seconds: 1.000, TFLOP/s/device: 50.000, loss: nan\n"))
            self.assertEqual(self.rows("SELECT chip, chips FROM capacity"), [(name, 64 // devices)])
            self.assertEqual(self.rows("SELECT loss, tflops_per_chip, round(mfu, 9) FROM training_steps"), [(None, 50 * devices, round(50 * devices / peak, 9))])

    def test_a_clock_in_the_lines(self):
        """The same run with the prefixes of Python's logging and of absl: ends are told, and a pause is seen."""
        at = datetime.datetime(2026, 11, 21, 15)
        for form in ("%Y-%m-%d %H:%M:%S.000 I completed", "I%m%d %H:%M:%S.000000 140123 metric_logger.py:198] completed"):
            lines = [(at + datetime.timedelta(seconds=s)).strftime(form) + f" step: {n}, seconds: 2.000, TFLOP/s/device: 100.0, loss: 1.5\n"
                     for n, s in enumerate((2, 4, 6, 16, 18))]
            self.map("maxtext", self.file("".join(lines)), chips=8, chip="tpu-v5p", year=2026, outcome="completed", pool="p", job="run")
            start = at.replace(tzinfo=datetime.timezone.utc).timestamp()
            self.assertEqual(self.rows("SELECT job, pool, chips, start_time, end_time, outcome FROM allocations"), [("run", "p", 8, start, start + 18, "completed")])
            self.assertEqual(self.seconds(), {("unknown", None): 8 * 8})
            self.assertEqual(round(self.one("SELECT program_goodput(category, chip_us) FROM mpg_rollup"), 6), round(100 / 459, 6))

    def test_chips_of_two_devices(self):
        """MaxText counts devices, of which a TPU v3 and a tpu7x have two each: 8 of them are 4 chips, with twice the rate of one."""
        lines = "Num_devices: 8, shape (1, 1, 8, 1)\n" + "".join(f"completed step: {n}, seconds: 2.000, TFLOP/s/device: 100.0, Tokens/s/device: 50.0, loss: 1.5\n"
                                                                 for n in range(4))
        for log, given, chip, peak in (("TFRT TPU v3\n", {}, "TPU v3", 123), ("", {"chip": "TPU_7X"}, "TPU_7X", 2307), ("", {"chip": "tpu7x", "chips": 4}, "tpu7x", 2307)):
            self.map("maxtext", self.file(log + lines), outcome="completed", **given)
            self.assertEqual(self.rows("SELECT chip, chips FROM capacity UNION ALL SELECT NULL, chips FROM allocations"), [(chip, 4), (None, 4)])
            self.assertEqual(self.rows("SELECT DISTINCT tflops_per_chip, tokens_per_s_per_chip, flops FROM training_steps"), [(200, 100, 2 * 8 * 100e12)])
            for goodput in (self.one("SELECT program_goodput(category, chip_us) FROM mpg_rollup"), self.one("SELECT avg(mfu) FROM training_steps")):
                self.assertAlmostEqual(goodput, 200 / peak, 6)

    def test_saves(self):
        step = "completed step: {}, seconds: 1.000, TFLOP/s/device: 1.0, loss: 1.5\n"
        saving = "Started an asynchronous checkpoint save for step {}\n"
        path = self.file("".join([step.format(0), saving.format(0), step.format(1), saving.format(1), step.format(2), "saved a checkpoint at step 2\n", step.format(3)]))
        self.map("maxtext", path, chips=1)
        self.assertEqual(self.rows("SELECT step, snapshot_time, durable_time FROM commits"), [(0, 1, 2), (1, 2, 3), (2, 3, 3)])
        self.assertEqual(self.seconds(), {("pending", None): 1, ("unrated", None): 3})

    def test_the_real_log(self):
        path = REAL + "/understand_logs_and_metrics.md"
        if not os.path.exists(path):
            self.skipTest("../shared is not here")
        self.map("maxtext", path)
        self.assertEqual(self.rows("SELECT tflops_per_chip, round(100 * mfu, 2) FROM training_steps WHERE step = 9 AND attempt = 1"), [(134.924, 29.4)])
        self.assertEqual(self.rows("SELECT DISTINCT chip, chips FROM capacity"), [("TPU v5", 4)])
        self.assertEqual(round(self.one("SELECT sum(seconds) FROM training_steps WHERE attempt = 1"), 3), 90.311)


class Megatron(Case):
    T0 = 1772442000

    def test_fixture(self):
        self.map("megatron", FIXTURES + "/megatron.log", chip="h100 80gb hbm3")
        self.assertEqual(self.rows("SELECT attempt, chips, start_time - ?1, end_time - ?1, outcome FROM allocations", self.T0),
                         [(1, 8, 0, 99, "failed"), (2, 8, 240, 329, "completed")])
        self.assertEqual(self.rows("SELECT attempt, step, executions, seconds, loss FROM training_steps WHERE step = 30"),
                         [(1, 30, 10, 20, 8.80211), (2, 30, 10, 24, 8.80211)])
        self.assertEqual(self.rows("SELECT attempt, step, durable_time - ? FROM commits", self.T0), [(1, 20, 55), (2, 40, 289)])
        self.assertEqual(self.seconds(), {("checkpoint", None): 80, ("eval", None): 32, ("lost", None): 320, ("queued", None): 8 * 141})
        self.assertEqual(self.productive(), 8 * (30 + 20 + 24 + 20 + 20 + 20))
        flops = 6 * 260.4e12 * 240
        self.assertAlmostEqual(self.one("SELECT program_goodput(category, chip_us) FROM mpg_rollup"), flops / 989.5e12 / self.productive(), 6)

    def test_without_a_clock(self):
        line = " iteration {:8d}/{:8d} | consumed samples: 1 | elapsed time per iteration (ms): {:.1f} | learning rate: 1E-3 | lm loss: 1.0E+00 |\n"
        timer = "    {} ................................: (100.00, {:.2f})\n"
        path = self.file("".join([
            line.format(1, 5, 4000), line.format(2, 5, 1000), timer.format("save-checkpoint", 3000),
            "  successfully saved checkpoint from iteration       2 to /ckpt\n", timer.format("evaluate", 500), line.format(4, 5, 1000), line.format(5, 5, 1000)]))
        self.map("megatron", path, chips=2, start="2026-03-02T09:00:00Z")
        self.assertEqual(self.rows("SELECT step, executions, start_time - ?1, end_time - ?1 FROM training_steps", self.T0),
                         [(1, 1, 0, 4), (2, 1, 4, 5), (4, 2, 8.5, 10.5), (5, 1, 10.5, 11.5)])
        self.assertEqual(self.rows("SELECT step, durable_time - ? FROM commits", self.T0), [(2, 8)])
        self.assertEqual(self.seconds(), {("checkpoint", None): 6, ("compile", None): 6, ("eval", None): 1, ("unrated", None): 2 * 5})

    def test_ranks(self):
        """MindSpeed-MM prints on every rank; Megatron-LM itself on the last one, as the fixture does."""
        with open(FIXTURES + "/megatron.log", encoding="utf-8") as file:
            lines = file.readlines()
        sql = ("SELECT attempt, chips, start_time, end_time, outcome FROM allocations", "SELECT attempt, kind, start_time, end_time, step, flops FROM spans", "SELECT DISTINCT step, durable_time FROM commits")
        for strip in (False, True):
            if strip:
                lines = [re.sub(r"^ *\[20[-\d :.]+\]", "", line) for line in lines]
            self.map("megatron", self.file("".join(lines)))
            wanted = [self.rows(s) for s in sql]
            self.map("megatron", self.file("".join(f"[Rank {rank} | Local Rank {rank}] {line}" for line in lines for rank in ((3, 0, 1, 2) if "iteration" in line else (0,)))))
            self.assertEqual([self.rows(s) for s in sql], wanted)

    def test_a_clock_of_whole_seconds(self):
        """Iterations of any length, with pauses between some: what the log cuts off of each time adds up to no second of the run."""
        pick = random.Random(7)
        for longest in (0.3, 3, 9):
            now, text, ends, busy = 0.4, "using world size: 2\n", [], 0
            for step in range(1, 301):
                now += pick.choice((5, 0.7)) if pick.random() < 0.05 else 0
                seconds = round(pick.uniform(0.1, longest), 4)
                now += seconds
                busy += seconds
                ends.append(now)
                at = datetime.datetime.fromtimestamp(self.T0 + int(now), datetime.timezone.utc)
                text += f" [{at:%Y-%m-%d %H:%M:%S}] iteration {step:8d}/     300 | elapsed time per iteration (ms): {seconds * 1000:.1f} | lm loss: 1.0E+00 |\n"
            self.map("megatron", self.file(text))
            rows = self.rows("SELECT start_time - ?1, end_time - ?1, seconds FROM training_steps", self.T0)
            for (start, end, seconds), true in zip(rows, ends):
                self.assertAlmostEqual(end - start, seconds, 5)
                self.assertTrue(true - 1 < end < true + 1e-5, (end, true))
            self.assertTrue(all(a[1] < b[0] + 1e-5 for a, b in zip(rows, rows[1:])))
            found = self.seconds()
            self.assertAlmostEqual(self.productive() + found.get(("compile", None), 0), 2 * busy, 1)
            self.assertLess(abs(found[("unknown", None)] - 2 * (ends[-1] - 0.4 - busy)), 2)

    def test_of_deepspeed(self):
        """Megatron-DeepSpeed tells seconds, and saves `at` an iteration, as Megatron-LM itself once did; torchrun names the ranks."""
        line = "[default7]: iteration {:8d}/  115311 | consumed samples: 1 | elapsed time per iteration (s): {} | global batch size:  2048 | lm loss: 2.4E+00 | TFLOPs: 149.02 |\n"
        path = self.file("[default0]:using world size: 384, data-parallel-size: 8\n" + line.format(12693, 105.5) + line.format(12694, "100")
                         + "[default0]:  successfully saved checkpoint at iteration   12694 to /ckpt\n" + line.format(12696, 100.25))
        self.map("megatron", path, outcome="failed")
        self.assertEqual(self.rows("SELECT step, executions, start_time, end_time, seconds FROM training_steps"),
                         [(12693, 1, 0, 105.5, 105.5), (12694, 1, 105.5, 205.5, 100), (12696, 2, 205.5, 406, 200.5)])
        self.assertEqual(self.rows("SELECT step, durable_time FROM commits"), [(12694, 205.5)])
        self.assertEqual(self.seconds()[("lost", None)], 384 * 200.5)


class SeveralFiles(Case):
    """Runs of one job in a file each: without a clock they follow one another as those of one file do."""
    MAXTEXT = ("Num_devices: 4\nConfig param steps: 6\ncompleted step: 0, seconds: 10.0\ncompleted step: 1, seconds: 2.0\nSaved a checkpoint at step 1\ncompleted step: 2, seconds: 2.5\n",
               "Num_devices: 4\ncompleted step: 2, seconds: 9.0\ncompleted step: 3, seconds: 2.0\nCompleted eval step: 0, seconds: 1.0\ncompleted step: 4, seconds: 2.0\n",
               "Num_devices: 4\ncompleted step: 2, seconds: 8.0\n")
    MEGATRON = tuple("using world size: 4\n" + "".join(f" iteration {i:8d}/     100 | consumed samples: 1 | elapsed time per iteration (ms): 2000.0 | global batch size: 1 | lm loss: 1.0E+00 |\n"
                                                     for i in steps) for steps in ((10, 20), (20, 30), (20, 30)))
    NANOGPT = tuple("".join(f"step:{i}/100 train_loss:3.0 train_time:{(i - first + 1) * 500}ms step_avg:500.0ms\n" for i in range(first, last)) for first, last in ((1, 9), (5, 8), (3, 6)))

    def relations(self):
        return [self.rows(sql) for sql in ("SELECT attempt, chips, start_time, end_time, outcome FROM allocations ORDER BY 1", "SELECT chips, start_time, end_time FROM capacity ORDER BY 2",
                                           "SELECT attempt, kind, start_time, end_time, step FROM spans ORDER BY 1, 3, 2", "SELECT attempt, step, durable_time FROM commits ORDER BY 1, 3")]

    def test_as_in_one_file(self):
        for name, logs in (("maxtext", self.MAXTEXT), ("megatron", self.MEGATRON), ("nanogpt", self.NANOGPT)):
            for given in ({}, {"start": 1.7e9}, {"start": "2026-03-01 08:00:00"}):
                with self.subTest(name=name, given=given):
                    self.map(name, self.file("".join(logs)), job="run", chips=4, outcome="failed", **given)
                    wanted = self.relations()
                    allocations = wanted[0]
                    self.assertEqual(len(allocations), 3)
                    self.assertTrue(all(a[3] == b[2] for a, b in zip(allocations, allocations[1:])), allocations)
                    self.map(name, self.folder_of({f"{i}.log": log for i, log in enumerate(logs)}), job="run", chips=4, outcome="failed", **given)
                    self.assertEqual(self.relations(), wanted)

    def test_a_file_with_a_date_has_its_own(self):
        logs = (self.NANOGPT[0], "Mon Mar  2 09:00:00 2026\n" + self.NANOGPT[1], self.NANOGPT[2])
        self.map("nanogpt", self.folder_of({f"{i}.log": log for i, log in enumerate(logs)}), job="run", outcome="failed")
        at = 1772442000.0
        self.assertEqual(self.rows("SELECT start_time, end_time FROM allocations ORDER BY attempt"), [(0, 4), (4, 5.5), (at, at + 1.5)])

    def test_clocks_say_the_order(self):
        """Names do so only where there is no clock: 'slurm-1000.out' sorts before 'slurm-999.out'."""
        first = "2026-03-02 09:00:00"
        at = lambda s: (datetime.datetime.fromisoformat(first) + datetime.timedelta(seconds=s)).isoformat(" ")
        megatron = " [{}] iteration {:8d}/     100 | consumed samples: 1 | elapsed time per iteration (ms): 1000.0 | global batch size: 1 | lm loss: 1.0E+00 |\n"
        with open(FIXTURES + "/torchtitan.log", encoding="utf-8") as file:
            torchtitan = file.read().splitlines(keepends=True)
        restart = next(i for i, line in enumerate(torchtitan) if "10:05:00" in line)
        for name, logs in (
                ("maxtext", ["".join(f"{at(s + step)} completed step: {step}, seconds: 1.0\n" for step in range(4)) for s in (0, 60)]),
                ("megatron", ["".join(megatron.format(at(s + step), step) for step in (10, 20, 30)) for s in (0, 60)]),
                ("nanogpt", ["Mon Mar  2 09:00:00 2026\n" + self.NANOGPT[0], "Mon Mar  2 10:00:00 2026\n" + self.NANOGPT[1]]),
                ("torchtitan", ["".join(torchtitan[:restart]), "".join(torchtitan[restart:])])):
            with self.subTest(name=name):
                self.map(name, self.folder_of(dict(zip(("1.log", "2.log"), logs))), job="run", chips=8)
                wanted = self.relations()
                self.assertEqual(["failed"], [outcome for _, _, _, end, outcome in wanted[0] if end is not None and outcome != "completed"])
                self.map(name, self.folder_of(dict(zip(("slurm-999.out", "slurm-1000.out"), logs))), job="run", chips=8)
                self.assertEqual(wanted, self.relations())


    def test_runs_of_several_sizes(self):
        """A restart on other chips: what the smaller run did was done by a whole gang."""
        first = "".join(f"2026-03-02 09:00:{s:02d} completed step: {s}, seconds: 1.0\n" for s in range(1, 11))
        then = "".join(f"2026-03-02 09:01:{s:02d} completed step: {s + 10}, seconds: 1.0\n" for s in range(1, 11))
        for devices in ((4, 8), (8, 4)):
            logs = {f"{i}.log": f"Num_devices: {n}\n" + log for i, (n, log) in enumerate(zip(devices, (first, then)))}
            self.map("maxtext", self.folder_of(logs), job="run", outcome="completed")
            self.assertEqual({key: us for key, us in self.seconds().items() if key[0] != "queued"}, {("unrated", None): 10 * 12})
            self.map("maxtext", self.file("".join(logs.values())), job="run", outcome="completed")
            self.assertEqual({key: us for key, us in self.seconds().items() if key[0] != "queued"}, {("unrated", None): 10 * 12})

    def test_restarts_on_other_chips_in_one_file(self):
        """Each run says anew how many it has; one that does not has as many as the file tells of."""
        step = " iteration {:8d}/     100 | consumed samples: 1 | elapsed time per iteration (ms): 1000.0 | global batch size: 1 | lm loss: 1.0E+00 |\n"
        card = "|   {}  NVIDIA H100 80GB HBM3          On  |   00000000:26:00.0 Off |                    0 |\n"
        titan = "[rank0]:[titan] 2026-03-03 10:00:{:02d},000 - root - INFO - {}\n"
        for name, first, then, last in (
                ("megatron", "using world size: 4\n" + step.format(1), "using world size: 8\n" + step.format(2), step.format(1)),
                ("nanogpt", card.format(0) + card.format(3) + "step:1/9 train_loss:3.0 train_time:500ms\n", card.format(7) + "step:2/9 train_loss:3.0 train_time:1000ms\n", "step:1/9 train_loss:3.0 train_time:500ms\n"),
                ("torchtitan", titan.format(0, "Building 1-D device mesh with ['dp'], [4]") + titan.format(1, "step:  1  loss: 1.0  "),
                 titan.format(2, "Building 2-D device mesh with ['dp', 'tp'], [4, 2]") + titan.format(3, "step:  2  loss: 1.0  "), titan.format(4, "step:  1  loss: 1.0  "))):
            with self.subTest(name=name):
                self.map(name, self.file(first + then + last))
                self.assertEqual(self.rows("SELECT attempt, chips FROM allocations ORDER BY attempt"), [(1, 4), (2, 8), (3, 8)])


class TorchTitan(Case):
    T0 = 1772532000

    def test_fixture(self):
        """Two ranks in one log, in colour; one of them counts."""
        self.map("torchtitan", FIXTURES + "/torchtitan.log")
        self.assertEqual(self.rows("SELECT attempt, chips, start_time - ?1, round(end_time - ?1, 3), outcome FROM allocations", self.T0),
                         [(1, 8, 2, 88.1, "failed"), (2, 8, 302, 352.5, "completed")])
        self.assertEqual(self.rows("SELECT DISTINCT chip FROM capacity"), [("NVIDIA H100 80GB HBM3",)])
        self.assertEqual(self.rows("SELECT attempt, step, executions, round(seconds, 3), tokens_per_s_per_chip, round(mfu_reported, 6) FROM training_steps"),
                         [(1, 1, 1, 30, 546, 0.0135), (1, 10, 9, 9, 16384, 0.4044), (1, 20, 10, 10, 16384, 0.4044), (1, 30, 10, 14.1, 11620, 0.2868),
                          (1, 40, 10, 10, 16384, 0.4044), (2, 30, 10, 20, 7373, 0.182), (2, 40, 10, 10, 16384, 0.4044), (2, 50, 10, 10, 16384, 0.4044)])
        # The catalogue's peak is a little above the one that torchtitan takes.
        for mfu, reported in self.rows("SELECT mfu, mfu_reported FROM training_steps"):
            self.assertAlmostEqual(mfu * 989.5 / 989, reported, 3)
        self.assertEqual(self.rows("SELECT step, round(snapshot_time - ?1, 3), round(durable_time - ?1, 3) FROM commits", self.T0), [(20, 61.1, 65.1)])
        first = 30 - (9 + 10 + 14.1 + 10) / 39
        self.assertEqual({key: round(value, 1) for key, value in self.seconds().items()},
                         {("checkpoint", None): 32, ("compile", None): round(8 * first, 1), ("eval", None): 24, ("lost", None): round(8 * (10.1 + 10), 1),
                          ("queued", None): round(8 * (302 - 88.1), 1), ("restore", None): 48, ("startup", None): 8 * (10 + 4), ("unknown", None): 4})


    def test_ranks_without_a_name(self):
        """As srun keeps a log: every rank prints every line, and none says which it is. A restart is told by its markers, or by its pause."""
        with open(FIXTURES + "/torchtitan.log", encoding="utf-8") as file:
            lines = [line.removeprefix("[rank0]:") for line in file if line.startswith("[rank0]:")]
        self.map("torchtitan", self.file("".join(lines)))
        sql = ("SELECT attempt, chips, start_time, end_time, outcome FROM allocations", "SELECT * FROM training_steps",
               "SELECT attempt, kind, start_time, end_time, step FROM spans WHERE kind <> 'checkpoint' AND kind <> 'restore'", "SELECT DISTINCT step FROM commits")
        wanted, seconds = [self.strip(self.rows(s)) for s in sql], self.seconds()
        self.map("torchtitan", self.file("".join(line * 8 for line in lines)))
        self.assertEqual([self.strip(self.rows(s)) for s in sql], wanted)
        self.assertEqual(self.seconds(), seconds)
        steps = [line * 2 for line in lines if "step: " in line]  # what grep leaves of it
        self.map("torchtitan", self.file("".join(steps)), chips=8)
        self.assertEqual(self.rows("SELECT attempt, step FROM training_steps"), [(1, 1), (1, 10), (1, 20), (1, 30), (1, 40), (2, 30), (2, 40), (2, 50)])
        self.map("torchtitan", self.file("".join(s for s in steps if "step:  1 " in s or "step: 30 " in s)), chips=8)
        self.assertEqual(self.rows("SELECT attempt, step FROM training_steps"), [(1, 1), (1, 30), (2, 30)])

    @staticmethod
    def strip(rows):
        return [tuple(v for v in row if not isinstance(v, str) or not v.endswith(".log")) for row in rows]

    def test_steps_without_a_loss(self):
        """Ranks of pipelines that do not hold the last stage print -1, others may have nan: steps as any."""
        with open(FIXTURES + "/torchtitan.log", encoding="utf-8") as file:
            text = file.read()
        self.map("torchtitan", self.file(text))
        wanted = self.rows("SELECT step, start_time, end_time, flops FROM training_steps")
        for loss, value in ((" -1.0000", -1.0), ("    nan", None)):
            self.map("torchtitan", self.file(re.sub(r"loss: +[\d.]+", "loss: " + loss, text)))
            self.assertEqual(self.rows("SELECT step, start_time, end_time, flops FROM training_steps"), wanted)
            self.assertEqual(self.rows("SELECT DISTINCT loss FROM training_steps"), [(value,)])


class NanoGpt(Case):
    def test_fixture(self):
        self.map("nanogpt", FIXTURES + "/nanogpt.log", flops=1.5e14)
        start = 1772535600
        self.assertEqual(self.rows("SELECT chips, start_time - ?1, round(end_time - ?1, 3), outcome FROM allocations", start), [(2, 0, 26.95, "completed")])
        self.assertEqual(self.rows("SELECT count(*), round(sum(seconds), 3), sum(step = 30 AND val_loss IS NOT NULL) FROM training_steps"), [(30, 26.75, 1)])
        others = (19 * 0.25 + 10 * 0.2) / 29
        self.assertEqual(self.seconds(), {("compile", None): round(2 * (20 - others), 3), ("startup", None): 0.4})
        self.assertEqual(self.productive(), round(2 * (26.75 - 20 + others), 3))
        self.assertAlmostEqual(self.one("SELECT mfu FROM training_steps WHERE step = 30"), 1.5e14 / 0.2 / 2 / 989.5e12, 9)

    def test_loss_of_nan(self):
        path = self.file("step:0/2 val_loss:nan train_time:100ms step_avg:nanms\nstep:1/2 train_loss:nan train_time:200ms step_avg:nanms\nstep:2/2 train_loss:3.5 train_time:300ms step_avg:nanms\n")
        self.map("nanogpt", path)
        self.assertEqual(self.rows("SELECT step, seconds, loss, val_loss FROM training_steps"), [(1, 0.1, None, None), (2, 0.1, 3.5, None)])

    def test_the_original(self):
        path = self.file("step 0: train loss 4.1938, val loss 4.2005\niter 0: loss 4.2140, time 3947.73ms, mfu -100.00%\n"
                         "iter 10: loss 3.4401, time 100.00ms, mfu 0.20%\nsaving checkpoint to out\niter 20: loss 3.0300, time 110.00ms, mfu 0.21%\n")
        self.map("nanogpt", path, chips=1)
        self.assertEqual(self.rows("SELECT step, executions, round(end_time - start_time, 5), loss, mfu_reported FROM training_steps"),
                         [(0, 1, 3.94773, 4.214, None), (10, 10, 1, 3.4401, 0.002), (20, 10, 1.1, 3.03, 0.0021)])
        self.assertEqual(self.rows("SELECT step, round(durable_time, 5) FROM commits"), [(10, 4.94773)])

    def test_the_real_log(self):
        path = REAL + "/nanogpt_2024-10-10.txt"
        if not os.path.exists(path):
            self.skipTest("../shared is not here")
        self.map("nanogpt", path)
        # The trainer starts its clock anew after step 10, and divides by the 6190 steps since.
        self.assertEqual(self.rows("SELECT max(step), count(*), round(1000 * sum(seconds) FILTER (WHERE step > 10)) FROM training_steps"), [(6200, 6200, 1339067)])
        self.assertEqual(self.rows("SELECT average_ms, round(1339067.0 / 6190, 2) FROM training_steps WHERE step = 6200"), [(216.33, 216.33)])
        self.assertEqual(self.rows("SELECT chip, chips, start_time FROM capacity"), [("NVIDIA H100 80GB HBM3", 8, 1728604704)])
        self.assertEqual(self.rows("SELECT outcome FROM allocations"), [("completed",)])


if __name__ == "__main__":
    unittest.main()
