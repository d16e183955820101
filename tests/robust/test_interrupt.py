"""An interruption ends whatever the extension does, soon: no work goes on for long between two looks at it (poll_gaps.py)."""

import ctypes
import json
import os
import sqlite3
import tempfile
import threading
import time
import unittest

import figures
import poll_gaps
from fleets import ROOT, connect, quote
from poll_gaps import FULL, gaps, text

ALONE = "it interrupts after milliseconds, and measures gaps"
N = 3_000_000 if FULL else 100_000
MOST = 0.1  # seconds of a processor between two looks
MOST_TO_GIVE_BACK = 0.2  # and after the last, of up to 2 GB


def span(i, n):
    return f'{{"record":"span","job":"j","attempt":1,"kind":"step","start_time":{2 * i},"end_time":{2 * i + 2},"step":{i}}}\n'


def capacity(n):
    return f'{{"record":"capacity","pool":"p","chips":8,"start_time":0,"end_time":{2 * n}}}\n'


def one_job(n):
    """A job of n steps that arrive in no order."""
    yield capacity(n)
    yield f'{{"record":"allocation","job":"j","attempt":1,"pool":"p","chips":8,"start_time":0,"end_time":{2 * n}}}\n'
    for i in range(n):
        yield span(i * 7919 % n, n)


def many_jobs(n):
    yield capacity(n)
    for i in range(n // 2):
        yield (
            f'{{"record":"allocation","job":"j{i}","attempt":1,"pool":"p","chips":1,"start_time":{i * 7919 % n},'
            f'"end_time":{i * 7919 % n + 50}}}\n'
        )


def crowd(n):
    """Tasks of one job that come in no order, and all go at once."""
    for i in range(n):
        yield f'{{"record":"allocation","job":"j","attempt":1,"task":"t{i * 7919 % n}","pool":"p","chips":1,"start_time":{i * 104729 % n},"end_time":{2 * n}}}\n'


def still(n):
    """A job that does nothing, for millions of seconds."""
    end = min(5 * n, 6_000_000)
    yield f'{{"record":"capacity","pool":"p","chips":9,"start_time":0,"end_time":{end}}}\n'
    yield f'{{"record":"allocation","job":"j","attempt":1,"pool":"p","chips":8,"start_time":0,"end_time":{end}}}\n'


def goodput(n):
    """Phases and re-initialisations that all overlap: pairs of them would be n * n / 64."""
    yield '{"job_name":"g","job_start_time":1700000000.0}\n'
    for i in range(n // 8):
        for kind, end in (("tpu_init", 9e5), ("elastic_reinit", 8e5)):
            yield f'{{"job_name":"g","{kind}_start_time":{1.7e9 + i}}}\n'
            yield f'{{"job_name":"g","{kind}_end_time":{1.7e9 + i + end}}}\n'
    for i in range(n):
        yield f'{{"job_name":"g","step_count":{i},"step_start_time":{1.7e9 + i}}}\n'


def outages(n):
    """Of as many kinds, all at once: the square of their number in rows of one pool, which are given back in one piece."""
    yield capacity(n)
    for i in range(min(n // 500, 2000)):
        yield f'{{"record":"outage","pool":"p","kind":"k{i}","chips":1,"start_time":{i},"end_time":{n + i}}}\n'


def hlo(n):
    yield "HloModule m\n\nENTRY e {\n  p0 = f32[128,128] parameter(0)\n"
    for i in range(n):
        yield f"  a{i} = f32[128,128] add({'p0' if i == 0 else f'a{i - 1}'}, p0)\n"
    yield f"  ROOT r = f32[128,128] add(a{n - 1}, p0)\n}}\n"


def repeated(path, n, head=0):
    """A fixture again and again, to n * 100 bytes; its first `head` lines once."""
    lines = text(path).splitlines(keepends=True)
    yield "".join(lines[:head])
    body = "".join(lines[head:])
    for _ in range(n * 100 // len(body) + 1):
        yield body


INPUTS = {
    "rows.csv": lambda n: ["id,job,start\n", *(f"{i},job-{i % 5000},{i * 3}\n" for i in range(n))],
    "wide.csv": lambda n: [
        ",".join(f"c{i}" for i in range(60000)) + "\n",
        *([",".join(["1"] * 60000) + "\n"] * (n // 10000)),
    ],
    "rows.jsonl": lambda n: (f'{{"id":{i},"job":"job-{i % 5000}","nested":{{"a":[1,2]}}}}\n' for i in range(n)),
    "one.jsonl": one_job,
    "jobs.jsonl": many_jobs,
    "chrome.json": lambda n: [
        "[",
        *(
            f'{{"ph":"X","name":"k{i % 50}","pid":1,"tid":{i % 8},"ts":{i},"dur":5,"args":{{"stream":7}}}},\n'
            for i in range(n)
        ),
        '{"ph":"X","name":"k","pid":1,"tid":1,"ts":1,"dur":5}]\n',
    ],
    "prom.txt": lambda n: ["# TYPE m gauge\n", *(f'm{{gpu="{i % 8}"}} {i}\n' for i in range(n))],
    "prom.json": lambda n: [
        '{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"m"},"values":[',
        ",".join(f'[{1700000000 + i},"{i}"]' for i in range(n)),
        "]}]}}\n",
    ],
    "crowd.jsonl": crowd,
    "still.jsonl": still,
    "goodput.jsonl": goodput,
    "outages.jsonl": outages,
    "big.hlo": hlo,
    "sacct.psv": lambda n: repeated("slurm/sacct_jobs.psv", n, 1),
    "nodes.txt": lambda n: repeated("slurm/scontrol_nodes.txt", n),
    "mllog": lambda n: repeated("mlperf/results/pod16/toy_lm/result_0.txt", n),
    "train.log": lambda n: repeated("training/nanogpt.log", n),
    "otlp.json": lambda n: (json.dumps(json.loads(text("otlp/finetune.json"))) + "\n" for _ in range(n // 500)),
    "evil.log": lambda n: ["a" * 300 + "b\n"] * 3,
    "swf": lambda n: repeated(
        "swf/small.swf", n, sum(line.startswith(";") for line in text("swf/small.swf").splitlines())
    ),
}

SERIES = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT %d) " % N
PLACE = "(i * 7919) % 1000003"
STATEMENTS = {
    "parse of CSV": "SELECT count(*) FROM csv_trace({rows.csv})",
    "gzip": "SELECT count(*) FROM csv_trace({rows.csv.gz})",
    "zstd": "SELECT count(*) FROM csv_trace({rows.csv.zst})",
    "a header of 60,000 names": "SELECT count(*), max(record) FROM csv_trace({wide.csv})",
    "parse of JSON Lines": "SELECT count(*) FROM jsonl_trace({rows.jsonl})",
    "csv_rollup, many groups": "SELECT count(*) FROM csv_rollup({rows.csv}, 'start', 'job, id') WHERE threads = 1",
    "csv_rollup, 2 threads": "SELECT count(*) FROM csv_rollup({rows.csv}, 'start', 'job, id') WHERE threads = 2",
    "jsonl_rollup, 2 threads": "SELECT count(*) FROM jsonl_rollup({rows.jsonl}, 'id', 'id') WHERE threads = 2",
    "a ledger of one job": "SELECT count(*) FROM trace_ledger({one.jsonl})",
    "a roll-up of one job, 2 threads": "SELECT category, sum(chip_us) FROM trace_rollup({one.jsonl}) WHERE threads = 2 GROUP BY 1",
    "a timeline": "SELECT count(*) FROM trace_timeline({one.jsonl}, 'j')",
    "a ledger of many jobs": "SELECT count(*) FROM trace_ledger({jobs.jsonl})",
    "a roll-up of many jobs, 2 threads": "SELECT category, sum(chip_us) FROM trace_rollup({jobs.jsonl}) WHERE threads = 2 GROUP BY 1",
    "a job of very many tasks": "SELECT * FROM trace_rollup({crowd.jsonl}) WHERE threads = 1",
    "a roll-up of very many buckets": "SELECT bucket, chip_us FROM trace_rollup({still.jsonl}) WHERE bucket_width = 1 AND threads = 1 LIMIT 1",
    "a timeline of very many buckets": "SELECT * FROM trace_timeline({still.jsonl}, 'j') WHERE bucket_width = 1 LIMIT 1",
    "a ledger of outages that overlap": "SELECT * FROM trace_ledger({outages.jsonl}) LIMIT 1",
    "records": "SELECT count(*) FROM trace_records({one.jsonl})",
    "Chrome": "SELECT count(*) FROM chrome_trace({chrome.json})",
    "Prometheus, text": "SELECT count(*) FROM prometheus_trace({prom.txt})",
    "Prometheus, JSON": "SELECT count(*) FROM prometheus_trace({prom.json})",
    "goodput_trace": "SELECT count(*) FROM goodput_trace({goodput.jsonl})",
    "goodput_report": "SELECT rows FROM goodput_report({goodput.jsonl})",
    "HLO": "SELECT flops FROM hlo_cost({big.hlo})",
    "sacct": "SELECT count(*) FROM slurm_trace({sacct.psv})",
    "scontrol": "SELECT count(*) FROM slurm_nodes_trace({nodes.txt})",
    "MLLOG": "SELECT count(*) FROM mllog_trace({mllog})",
    "a pattern": "SELECT count(*) FROM log_trace({train.log}, 'step:(?<step>[0-9]+)/.*loss:(?<loss>[0-9.]+)')",
    "a pattern that finds nothing": "SELECT count(*) FROM log_trace({train.log}, '(?<x>zzzz)')",
    "a pattern that goes on and on": "SELECT count(*) FROM log_trace({evil.log}, '(?<x>(a+)+)$') WHERE on_error = 'skip'",
    "OTLP": "SELECT count(*) FROM otlp_trace({otlp.json})",
    "SWF": "SELECT count(*) FROM swf_trace({swf})",
    "interval_union": f"{SERIES} SELECT interval_union({PLACE}, {PLACE} + 1) FROM n",
    "peak_concurrency": f"{SERIES} SELECT peak_concurrency({PLACE}, {PLACE} + 9) FROM n",
    "mpg_median": f"{SERIES} SELECT mpg_median({PLACE}) FROM n",
    "mpg_rollup over tables": "SELECT category, sum(chip_us) FROM mpg_rollup GROUP BY 1",
}
TABLES = f"""
    CREATE TABLE capacity(pool, chips, start_time, end_time);
    INSERT INTO capacity VALUES ('p', 8, 0, {2 * N});
    CREATE TABLE allocations(job, attempt, pool, chips, start_time, end_time);
    INSERT INTO allocations VALUES ('j', 1, 'p', 8, 0, {2 * N});
    CREATE TABLE spans(job, attempt, kind, start_time, end_time, step);
    {SERIES} INSERT INTO spans SELECT 'j', 1, 'step', (i * 7919) % {N} * 2, (i * 7919) % {N} * 2 + 2, i FROM n;
"""


def setUpModule():
    Case.folder = tempfile.TemporaryDirectory()


def tearDownModule():
    Case.folder.cleanup()


class Case(unittest.TestCase):
    made = set()  # inputs that lie in the folder, for all tests

    def statement(self, sql):
        for name in {part.partition("}")[0] for part in sql.split("{")[1:]}:
            plain = name.removesuffix(".gz").removesuffix(".zst")
            path = os.path.join(self.folder.name, plain)
            if plain not in self.made:
                with open(path, "w") as file:
                    file.writelines(INPUTS[plain](N))
                self.made.add(plain)
            if name != plain and name not in self.made:
                self.assertEqual(0, os.system(f"{'gzip -1kf' if name.endswith('.gz') else 'zstd -qf'} {path}"))
                self.made.add(name)
            sql = sql.replace("{" + name + "}", quote(os.path.join(self.folder.name, name)))
        return sql

    def connect(self, sql):
        db = connect()
        if "mpg_rollup" in sql:
            db.executescript(TABLES)
        return db


# How many looks a statement takes at the least that SQLite does not take itself to count rows: of N = 100,000, about two thirds of them.
OWN = {
    "parse of CSV": 35,
    "gzip": 120,
    "zstd": 60,
    "a header of 60,000 names": 350,
    "parse of JSON Lines": 30,
    "csv_rollup, many groups": 360,
    "csv_rollup, 2 threads": 4,
    "jsonl_rollup, 2 threads": 4,
    "a ledger of one job": 850,
    "a roll-up of one job, 2 threads": 60,
    "a timeline": 870,
    "a ledger of many jobs": 800,
    "a roll-up of many jobs, 2 threads": 2_000,
    "a ledger of outages that overlap": 220,
    "a job of very many tasks": 2_500,
    "a roll-up of very many buckets": 1_600,
    "a timeline of very many buckets": 530,
    "records": 470,
    "Chrome": 200,
    "Prometheus, text": 90,
    "Prometheus, JSON": 700,
    "goodput_trace": 410,
    "goodput_report": 820,
    "HLO": 870,
    "sacct": 50,
    "scontrol": 120,
    "MLLOG": 120,
    "a pattern": 6_000,
    "a pattern that finds nothing": 6_000,
    "a pattern that goes on and on": 19_000,
    "OTLP": 80,
    "SWF": 1_400,
    "interval_union": 380_000,
    "peak_concurrency": 380_000,
    "mpg_median": 200_000,
    "mpg_rollup over tables": 600_000,
}


class Gaps(poll_gaps.Case, Case):
    def test_gaps(self):
        rows = []
        for name, sql in STATEMENTS.items():
            with self.subTest(name):
                db, sql = self.connect(sql), self.statement(sql)
                threads, steps = 2 if "2 threads" in name else 1, (
                    4 if sql.startswith("WITH") else 1
                )  # which takes steps of its own
                total, count, own, widest, end = gaps(db, sql, steps)
                if (
                    FULL and widest >= MOST * threads
                ):  # the code's gaps are there each time, a host's slow page now and then
                    total, count, own, widest, end = gaps(db, sql, steps)
                rows.append(
                    {
                        "statement": name,
                        "records": N,
                        "processor seconds": f"{total:.2f}",
                        "looks": count,
                        "widest gap": f"{1000 * widest:.1f} ms",
                        "after the last": f"{1000 * end:.1f} ms",
                    }
                )
                if FULL:
                    self.judge(widest, MOST * threads, name)
                    self.judge(end, MOST_TO_GIVE_BACK, name)
                else:
                    self.assertGreaterEqual(own, OWN[name])
        self.judged()
        if FULL:
            figures.record("interrupt", rows)


class Interrupts(poll_gaps.Judge, Case):
    """From another thread, at several moments of a statement's run."""

    def interrupted(self, sql, at):
        """Processor seconds from the interruption on; None where the statement was done before it."""
        db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        db.enable_load_extension(True)
        db.load_extension(os.path.join(ROOT, "mpg"))
        outcome = []

        def work():
            try:
                outcome.append(len(db.execute(sql).fetchall()))
            except sqlite3.OperationalError as error:
                outcome.append(str(error))

        thread = threading.Thread(target=work)
        start = time.process_time()
        thread.start()
        while time.process_time() - start < at and thread.is_alive():
            time.sleep(0.001)
        before = time.process_time()
        db.interrupt()
        thread.join(60)
        self.assertFalse(thread.is_alive(), sql)
        after = time.process_time() - before
        db.close()
        if outcome != ["interrupted"]:
            self.assertIsInstance(outcome[0], int, (sql, outcome))
            return None
        return after

    def test_interrupts(self):
        for name in (
            "parse of CSV",
            "zstd",
            "csv_rollup, 2 threads",
            "a roll-up of one job, 2 threads",
            "a timeline",
            "a roll-up of many jobs, 2 threads",
            "goodput_report",
            "HLO",
            "interval_union",
        ):
            sql, hit = " UNION ALL ".join([f"SELECT * FROM ({self.statement(STATEMENTS[name])})"] * 8), 0
            for k in range(4 if not FULL else 12):
                with self.subTest(name, k=k):
                    after = self.interrupted(sql, 0.01 + (0.07 if FULL else 0.02) * k)
                    if after is not None:
                        hit += 1
                        if FULL:
                            self.judge(after, 0.1 * (2 if "2 threads" in name else 1) + 0.05)  # and what closing takes
            self.assertGreater(hit, 0, name)
        self.judged()

    def test_an_aggregate_that_was_interrupted_is_not_worked_out(self):
        """SQLite asks for its result all the same, to clean up; a sort of what it has would take a second buffer."""
        lib = ctypes.CDLL("libsqlite3.so.0")  # that of the sqlite3 module
        lib.sqlite3_memory_used.restype = lib.sqlite3_memory_highwater.restype = ctypes.c_int64
        for name in ("interval_union", "peak_concurrency"):
            db, used = connect(), []

            def stop():
                used.append(lib.sqlite3_memory_used())
                lib.sqlite3_memory_highwater(1)
                if len(used) == 9:
                    db.interrupt()
                return 0

            with self.subTest(name):
                db.set_progress_handler(stop, 100_000)
                with self.assertRaisesRegex(sqlite3.OperationalError, "^interrupted$"):
                    db.execute(STATEMENTS[name]).fetchall()
                self.assertGreater(used[-1] - used[0], 1_000_000)
                self.assertLess(lib.sqlite3_memory_highwater(0) - used[-1], 100_000)

    def test_the_connection_goes_on(self):
        sql = self.statement(STATEMENTS["a ledger of one job"])
        db = connect()
        expected = db.execute(sql).fetchall()
        db.set_progress_handler(lambda: 1, 50)
        for statement in STATEMENTS.values():
            if "mpg_rollup" not in statement:
                with self.assertRaisesRegex(sqlite3.OperationalError, "^interrupted$"):
                    db.execute(self.statement(statement)).fetchall()
        db.set_progress_handler(None, 0)
        self.assertEqual(expected, db.execute(sql).fetchall())

    def test_progress(self):
        """A handler is called while nothing but the extension is at work: before the first row comes."""
        db, calls = connect(), []
        db.set_progress_handler(lambda: calls.append(1) or 0, 10)
        rows = db.execute(self.statement(STATEMENTS["a ledger of one job"]))
        before = len(calls)
        rows.fetchall()
        self.assertGreater(before, N // 20_000)


if __name__ == "__main__":
    unittest.main()
