"""Chrome trace JSON: chrome_trace and chrome_trace_info.

What the tables say of a trace is held against Python's json and, for times, its decimal arithmetic."""

import decimal
import gzip
import json
import os
import random
import sqlite3
import unittest

from chrome import MEMBERS, NUMBERS, RANKS, SHARED, TPU, Case, nanoseconds, plain, read_plain, real_traces


class Traces(Case):
    def test_fixtures(self):
        for path in RANKS + [TPU]:
            self.assertGreater(self.check_trace(path), 10)
            self.check_info(path)
        self.assertEqual(self.rows("SELECT * FROM mpg_issues"), [])

    def test_real_traces(self):
        """Kineto of NVIDIA, AMD and MTIA, old and new; all of them with MPG_FULL."""
        paths = real_traces()
        if not paths:
            self.skipTest("no ../shared/traces")
        if not os.environ.get("MPG_FULL"):
            paths = [path for path in paths if os.path.getsize(path) < 200_000]
        self.assertGreater(len(paths), 10)
        for path in paths:
            self.check_trace(path)
            self.check_info(path)
        self.assertEqual(self.rows("SELECT * FROM mpg_issues"), [])

    def test_wrong_files_of_theirs(self):
        if not real_traces():
            self.skipTest("no ../shared/traces")
        wrong = os.path.join(SHARED, "kineto/execution_trace/benchmark_simple_add_et.json.gz")
        found = f'{wrong}:1:1: expected a Chrome trace, an array of events or an object with "traceEvents", found an object with "schema", "pid", "time", "start_ts", "nodes", "finish_ts"'
        for table in ("chrome_trace", "chrome_trace_info"):
            self.assertEqual(self.error(f"SELECT * FROM {table}(?)", wrong), f"{table}: {found}")
        wrong = os.path.join(SHARED, "kineto/memory_analysis/memory_timeline.raw.gz")
        self.assertEqual(
            self.error("SELECT * FROM chrome_trace(?)", wrong),
            f"chrome_trace: {wrong}:1:2: expected an event: an object, found '['",
        )

    def test_forms(self):
        """The same events as an object, an array, on one line, one a line, indented, packed: the same rows."""
        events = read_plain(RANKS[0])["traceEvents"]
        events = [{key: plain(value) for key, value in event.items()} for event in events]
        for event in events:
            event.get("args", {}).update({key: plain(value) for key, value in event.get("args", {}).items()})
        query = f"SELECT {', '.join(MEMBERS + list(NUMBERS))}, start_ns, end_ns FROM chrome_trace(?)"
        wanted = self.rows(query, RANKS[0])
        for body in (
            json.dumps(events),
            json.dumps(events, indent=1),
            json.dumps({"traceEvents": events}, separators=(",", ":")),
            json.dumps({"a": [{"b": "]}"}], "traceEvents": events, "z": {}}, indent="\t").replace("\n", "\r\n"),
            "[" + ",\n".join(map(json.dumps, events)) + ",\n{}]",
            "[\n" + ",\n".join(map(json.dumps, events)) + ",\n",
        ):
            for text in (body, gzip.compress(body.encode())):
                self.assertEqual(self.rows(query, self.file(text)), wanted)

    def test_lines(self):
        with open(RANKS[0], encoding="utf-8") as file:
            lines = file.read().split("\n")
        for line, event in self.rows("SELECT _line, event FROM chrome_trace(?)", RANKS[0]):
            self.assertEqual(lines[line - 1].strip(), "{")
            self.assertTrue("\n".join(lines[line - 1 :]).lstrip().startswith(event))

    def test_times(self):
        pick = random.Random(3)
        texts = [
            "0",
            "-1.5",
            "1e3",
            "1.7612345678905e15",
            "0.0005",
            "0.0015",
            "1712195495519689.0004",
            "1712195495519689.0005",
            "9223372036854775.807",
            "9223372036854775.808",
            "1e300",
            "9223372036854775807",
            "9223372036854775808",
            "-98765432109876543210",
        ]
        texts += [
            f"{pick.randrange(10**pick.randrange(1, 17))}.{pick.randrange(10**pick.randrange(1, 8))}"
            for _ in range(300)
        ]
        path = self.file("[" + ",".join('{"ts": %s, "dur": "%s"}' % (text, text) for text in texts) + "]")
        for text, row in zip(texts, self.rows("SELECT ts, dur, start_ns, dur_ns FROM chrome_trace(?)", path)):
            ns = nanoseconds(decimal.Decimal(text))
            ns = ns if abs(ns) < 2**63 else None
            self.assertEqual(row, (float(text), float(text), ns, ns), text)

    def test_what_is_no_json(self):
        path = self.file(
            '[{"name": "C:\\Users\\new\\"\n\x01", "ts": NaN, "dur": -Infinity, "pid": nan, "args": {"correlation": 18446744073709551615,'
            ' "stream": "7", "blocks per SM": inf, "flops": "1e3", "bytes": true, "hlo_op": 5}}]'
        )
        self.assertEqual(
            self.rows(
                "SELECT name, ts, dur, pid, correlation, stream, blocks_per_sm, flops, bytes, hlo_op FROM chrome_trace(?)",
                path,
            ),
            [('C:\\Users\new"\n\x01', None, None, None, "18446744073709551615", 7, None, 1000.0, 1, "5")],
        )

    def test_properties_that_are_no_json(self):
        """What they hold is JSON, whatever the file has: queries look into them."""
        path = self.file(
            '{"a\tb": "C:\\Users\\x", "n": NaN, "deviceProperties": [{"id": 0, "name": "H\\100", "x": [-inf, nan ,-1.5e3,true,null,"NaN"]}],'
            ' "distributedInfo": {"rank": 3, "y": Infinity, "\\q": "\\u00e9\\"\\/"}, "traceEvents": []}'
        )
        self.assertEqual(
            [
                json.loads(value)
                for value in self.rows("SELECT properties, devices, distributed FROM chrome_trace_info(?)", path)[0]
            ],
            [
                {
                    "a\tb": "C:\\Users\\x",
                    "n": None,
                    "deviceProperties": [{"id": 0, "name": "H\\100", "x": [None, None, -1500.0, True, None, "NaN"]}],
                    "distributedInfo": {"rank": 3, "y": None, "\\q": 'é"/'},
                },
                [{"id": 0, "name": "H\\100", "x": [None, None, -1500.0, True, None, "NaN"]}],
                {"rank": 3, "y": None, "\\q": 'é"/'},
            ],
        )
        self.assertEqual(self.one("SELECT rank FROM chrome_trace_info(?)", path), 3)

    def test_reals_beyond_integers(self):
        """A column of reals holds reals, however long the number: what compares and sums is no text."""
        path = self.file(
            '[{"name": "jit_step", "args": {"flops": "12345678901234567890", "model_flops": 12345678901234567890, "blocks per SM": -98765432109876543210}}]'
        )
        self.assertEqual(
            self.rows(
                "SELECT flops, model_flops, blocks_per_sm, typeof(flops) FROM chrome_trace(?) WHERE flops < 2e19", path
            ),
            [(12345678901234567890.0, 12345678901234567890.0, -98765432109876543210.0, "real")],
        )

    def test_growing_file(self):
        with open(RANKS[0], "rb") as file:
            text = file.read()
        ends = [
            text.index(event.encode()) + len(event.encode())
            for event, in self.rows("SELECT event FROM chrome_trace(?)", RANKS[0])
        ]
        pick = random.Random(7)
        start = text.index(b'"traceEvents": [') + 16
        for cut in [start, *pick.choices(range(start, len(text) - 2), k=40)]:
            path = self.file(text[:cut])
            self.assertEqual(self.one("SELECT count(*) FROM chrome_trace(?)", path), sum(end <= cut for end in ends))
            self.assertEqual(
                self.rows("SELECT kind, severity FROM mpg_issues WHERE source = ?", path),
                [("unfinished_trace", "warning")],
            )
        path = self.file(gzip.compress(text)[:-30], "cut.json.gz")
        self.assertRegex(self.error("SELECT count(*) FROM chrome_trace(?)", path), "truncated gzip stream")
        # What cannot be skipped ends the scan, and is counted once.
        self.assertLess(self.one("SELECT count(*) FROM chrome_trace(?) WHERE on_error = 'skip'", path), 10**6)
        self.assertEqual(
            self.rows("SELECT kind, count FROM mpg_issues WHERE source = ?", path), [("skipped_record", 1)]
        )

    def test_skip(self):
        path = self.file('{"traceEvents": [{"name": "a"},\n{"name": oops},\n{"name": "b", "args": {"k": 1 2}}]}')
        self.assertEqual(
            self.error("SELECT name FROM chrome_trace(?)", path),
            f"chrome_trace: {path}:2:10: expected a value, found 'o'",
        )
        self.assertEqual(self.rows("SELECT name FROM chrome_trace(?, 'skip')", path), [("a",), ("b",)])
        self.assertEqual(
            self.rows("SELECT kind, line, count FROM mpg_issues WHERE source = ?", path), [("skipped_record", 2, 1)]
        )
        self.assertEqual(
            self.error("SELECT stream FROM chrome_trace(?, 'skip')", path),
            f"chrome_trace: {path}:3:31: expected ',' or '}}', found '2'",
        )

    def test_noise(self):
        """Random damage gives rows or one clean error."""
        with open(TPU, "rb") as file:
            text = file.read()
        self.db.text_factory = bytes  # what is no UTF-8 is given as it is
        pick = random.Random(11)
        for _ in range(150):
            noisy = bytearray(text)
            for _ in range(pick.randrange(1, 6)):
                noisy[pick.randrange(len(noisy))] = pick.choice(b'{}[]",:\\\x00\xff0e')
            path = self.file(bytes(noisy))
            try:
                self.rows("SELECT *, _line FROM chrome_trace(?, 'skip')", path)
                self.rows("SELECT * FROM chrome_trace_info(?, 'skip')", path)
            except sqlite3.Error as error:
                self.assertRegex(str(error), r"^chrome_trace(_info)?: .*:\d+:\d+: expected ")

    def test_large_values(self):
        """Properties over a megabyte are passed over; an event of some megabytes is read."""
        big = "x" * 3_000_000
        path = self.file(
            json.dumps(
                {
                    "stackFrames": {"a": [big, {"}": '\\"'}]},
                    "traceEvents": [{"name": big, "ts": 1}],
                    "z": [[big]],
                    "s": "t",
                }
            )
        )
        self.assertEqual(self.rows("SELECT length(name), ts FROM chrome_trace(?)", path), [(3_000_000, 1.0)])
        self.assertEqual(self.rows("SELECT events, properties FROM chrome_trace_info(?)", path), [(1, '{"s":"t"}')])
        deep = self.file('[{"name": "deep", "args": {"a": ' + "[" * 100_000 + "]" * 100_000 + "}}]")
        self.assertEqual(self.rows("SELECT name, length(args) FROM chrome_trace(?)", deep), [("deep", 200_007)])


if __name__ == "__main__":
    unittest.main()
