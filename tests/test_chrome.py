"""Chrome trace JSON: chrome_trace and chrome_trace_info.

What the tables say of a trace is held against Python's json and, for times, its decimal arithmetic."""
import decimal
import glob
import gzip
import json
import os
import random
import sqlite3
import unittest

import cases
from fleets import ROOT

FIXTURES = os.path.join(ROOT, "fixtures", "profile")
RANKS = [os.path.join(FIXTURES, f"rank{rank}.json") for rank in (0, 1)]
TPU = os.path.join(FIXTURES, "tpu.trace.json")
SHARED = os.path.join(ROOT, "..", "shared", "traces")
MEMBERS = "ph name cat ts dur pid tid id s bp".split()
# Columns of args: name, how args spell it. XProf quotes numbers.
TEXTS = {"grid": "grid", "block": "block", "input_dims": "Input Dims", "input_type": "Input type", "input_strides": "Input Strides",
         "concrete_inputs": "Concrete Inputs", "collective": "Collective name", "dtype": "dtype", "process_group": "Process Group Name",
         "process_group_ranks": "Process Group Ranks", "hlo_category": "hlo_category", "hlo_op": "hlo_op", "hlo_module": "hlo_module",
         "tf_op": "tf_op", "run_id": "run_id"}
NUMBERS = {"correlation": "correlation", "device": "device", "context": "context", "stream": "stream", "queued": "queued",
           "shared_memory": "shared memory", "registers_per_thread": "registers per thread", "blocks_per_sm": "blocks per SM",
           "warps_per_sm": "warps per SM", "occupancy_percent": "est. achieved occupancy %", "bandwidth_gb_s": "memory bandwidth (GB/s)",
           "sequence_number": "Sequence number", "fwd_thread_id": "Fwd thread id", "python_id": "Python id",
           "python_parent_id": "Python parent id", "in_nelems": "In msg nelems", "out_nelems": "Out msg nelems", "group_size": "Group size",
           "flops": "flops", "model_flops": "model_flops", "bytes_accessed": "bytes_accessed", "raw_bytes_accessed": "raw_bytes_accessed",
           "group_id": "group_id", "device_offset_ps": "device_offset_ps", "device_duration_ps": "device_duration_ps"}
NAMES = {"process_name": "name", "process_labels": "labels", "thread_name": "name"}


def read_plain(path):
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rb") as file:
        return json.load(file, parse_float=decimal.Decimal)


def plain(value):
    return float(value) if isinstance(value, decimal.Decimal) else value


def nanoseconds(value):
    if not isinstance(value, (int, decimal.Decimal)):
        return None
    return int((decimal.Decimal(value) * 1000).to_integral_value(decimal.ROUND_HALF_EVEN))


def number(value):
    try:
        return float(value) if isinstance(value, str) else plain(value)
    except ValueError:
        return value  # ROCm's streams: "0x0"


def real_traces():
    return [path for pattern in ("kineto/**/*.gz", "kineto/**/*.json", "tracelens/*.gz")
            for path in sorted(glob.glob(os.path.join(SHARED, pattern), recursive=True))
            if "_et.json" not in path and "memory_timeline" not in path]


decimal.getcontext().prec = 400


class Case(cases.Case):
    FILE = "trace.json"

    def check_trace(self, path):
        """Every column of every event, as Python reads the file."""
        trace = read_plain(path)
        events = [event for event in (trace if isinstance(trace, list) else trace["traceEvents"]) if event]
        names = {}
        for event in events:
            if event.get("ph") == "M" and event["name"] in NAMES:
                thread = event.get("tid") if event["name"] == "thread_name" else None
                names[event["name"], event["pid"], thread] = event["args"][NAMES[event["name"]]]
        columns = MEMBERS + list(TEXTS) + list(NUMBERS) + list(NAMES) + ["start_ns", "dur_ns", "end_ns", "rank", "step", "args", "event"]
        rank = trace.get("distributedInfo", {}).get("rank") if isinstance(trace, dict) else None
        count = 0
        for row, event in zip(self.db.execute(f"SELECT {', '.join(columns)} FROM chrome_trace(?)", (path,)), events):
            found = dict(zip(columns, row))
            args = event.get("args", {})
            count += 1
            for name in MEMBERS:
                self.assertEqual(found[name], plain(event.get(name)), (path, event, name))
            for name, key in TEXTS.items():
                value = args.get(key)
                self.assertEqual(json.loads(found[name], parse_float=decimal.Decimal) if isinstance(value, list) else found[name], value)
            for name, key in NUMBERS.items():
                self.assertEqual(found[name], number(args.get(key)), (path, event, name))
            for name in NAMES:
                thread = event.get("tid") if name == "thread_name" else None
                self.assertEqual(found[name], names.get((name, event.get("pid"), thread)))
            start, dur = nanoseconds(event.get("ts")), nanoseconds(event.get("dur"))
            self.assertEqual((found["start_ns"], found["dur_ns"]), (start, dur))
            self.assertEqual(found["end_ns"], None if start is None or dur is None else start + dur)
            self.assertEqual(found["rank"], rank)
            step = event.get("name", "").removeprefix("ProfilerStep#")
            self.assertEqual(found["step"], step if step != event.get("name", "") else args.get("step_num"))
            self.assertEqual(json.loads(found["event"], parse_float=decimal.Decimal), event)
            self.assertEqual(None if found["args"] is None else json.loads(found["args"], parse_float=decimal.Decimal), event.get("args"))
        self.assertEqual(count, len(events))
        return count

    def check_info(self, path):
        trace = read_plain(path)
        rest = {} if isinstance(trace, list) else {key: value for key, value in trace.items() if key != "traceEvents"}
        events = trace if isinstance(trace, list) else trace["traceEvents"]
        distributed = rest.get("distributedInfo", {})
        row = self.rows("SELECT events, rank, world_size, base_time_ns, devices, distributed, properties FROM chrome_trace_info(?)", path)[0]
        self.assertEqual(row[:4], (sum(bool(event) and event.get("ph") != "M" for event in events), distributed.get("rank"),
                                   distributed.get("world_size"), rest.get("baseTimeNanoseconds")))
        for text, wanted in zip(row[4:], (rest.get("deviceProperties"), rest.get("distributedInfo"), rest or None)):
            self.assertEqual(None if text is None else json.loads(text, parse_float=decimal.Decimal), wanted)


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
        self.assertEqual(self.error("SELECT * FROM chrome_trace(?)", wrong), f"chrome_trace: {wrong}:1:2: expected an event: an object, found '['")

    def test_forms(self):
        """The same events as an object, an array, on one line, one a line, indented, packed: the same rows."""
        events = read_plain(RANKS[0])["traceEvents"]
        events = [{key: plain(value) for key, value in event.items()} for event in events]
        for event in events:
            event.get("args", {}).update({key: plain(value) for key, value in event.get("args", {}).items()})
        query = f"SELECT {', '.join(MEMBERS + list(NUMBERS))}, start_ns, end_ns FROM chrome_trace(?)"
        wanted = self.rows(query, RANKS[0])
        for body in (json.dumps(events), json.dumps(events, indent=1), json.dumps({"traceEvents": events}, separators=(",", ":")),
                     json.dumps({"a": [{"b": "]}"}], "traceEvents": events, "z": {}}, indent="\t").replace("\n", "\r\n"),
                     "[" + ",\n".join(map(json.dumps, events)) + ",\n{}]", "[\n" + ",\n".join(map(json.dumps, events)) + ",\n"):
            for text in (body, gzip.compress(body.encode())):
                self.assertEqual(self.rows(query, self.file(text)), wanted)

    def test_lines(self):
        with open(RANKS[0], encoding="utf-8") as file:
            lines = file.read().split("\n")
        for line, event in self.rows("SELECT _line, event FROM chrome_trace(?)", RANKS[0]):
            self.assertEqual(lines[line - 1].strip(), "{")
            self.assertTrue("\n".join(lines[line - 1:]).lstrip().startswith(event))

    def test_times(self):
        pick = random.Random(3)
        texts = ["0", "-1.5", "1e3", "1.7612345678905e15", "0.0005", "0.0015", "1712195495519689.0004", "1712195495519689.0005",
                 "9223372036854775.807", "9223372036854775.808", "1e300",
                 "9223372036854775807", "9223372036854775808", "-98765432109876543210"]
        texts += [f"{pick.randrange(10**pick.randrange(1, 17))}.{pick.randrange(10**pick.randrange(1, 8))}" for _ in range(300)]
        path = self.file("[" + ",".join('{"ts": %s, "dur": "%s"}' % (text, text) for text in texts) + "]")
        for text, row in zip(texts, self.rows("SELECT ts, dur, start_ns, dur_ns FROM chrome_trace(?)", path)):
            ns = nanoseconds(decimal.Decimal(text))
            ns = ns if abs(ns) < 2**63 else None
            self.assertEqual(row, (float(text), float(text), ns, ns), text)

    def test_threads(self):
        """Read ahead by several threads: the same rows, rowids, lines, errors and issues, whatever looks like the seam between two events."""
        pick = random.Random(5)
        texts = ['},{"', "},\n{\"ph\"", "\\", "a\nb", "}, {", 'x"},\n {"ph": "X"', "void at::kernel<4>(int)"]

        def nested(depth):
            return [{"ph": "X", "ts": 1, "args": nested(depth - 1) if depth else "}"} for _ in range(pick.randrange(4))]

        def event(i):
            made = {"ph": pick.choice("XXXs"), "cat": pick.choice(("kernel", "cpu_op")), "name": pick.choice(texts), "ts": i, "dur": pick.random()}
            if pick.randrange(3) == 0:
                made["args"] = {"stream": i % 7, "Input Dims": nested(2), "grid": [1, [2]]}
            return made

        events = [event(i) for i in range(10000)]
        lines = ["{}" if i % 999 == 0 else json.dumps(one) for i, one in enumerate(events)]
        broken = lines[:]
        for i in range(50, len(broken), 1500):
            broken[i] = pick.choice((broken[i][:-1], '{"ph": "X", "ts": bad}', '{"ph" "X"}', broken[i].replace(",", ",,", 1)))
        forms = {"lines": "[\n" + ",\n".join(lines) + "\n]\n", "one line": json.dumps(events), "indented": json.dumps({"a": [{"ph": 1}, {"ph": 2}], "traceEvents": events, "z": 1}, indent=1),
                 "several": '{"traceEvents": [' + ",".join(lines[:5000]) + '], "other": [' + ",".join(lines[:4000]) + '],\n"traceEvents": [' + ", ".join(lines[5000:]) + ']}',
                 "cut off": "[" + ",\n".join(lines)[:-9], "broken": "[" + ",\n".join(broken) + "]", "crlf": "[\r\n" + ",\r\n".join(lines) + "\r\n]", "no end": "[" + ",\n".join(lines) + "\n] 5"}
        for name, text in forms.items():
            path = self.file(gzip.compress(text.encode(), 1) if name in ("lines", "broken") else text)
            for query in ("SELECT rowid, _line, event, name, dur, stream, step FROM chrome_trace(?1, 'skip') WHERE threads = ?2", "SELECT rowid, ts, stream, input_dims FROM chrome_trace(?1, 'skip') WHERE cat = 'kernel' AND ph = 'X' AND threads = ?2",
                          "SELECT count(*), max(_line) FROM chrome_trace(?1) WHERE name = 'nothing' AND threads = ?2", "SELECT sum(ts), count(rank) FROM chrome_trace(?1) WHERE threads = ?2",
                          "SELECT * FROM chrome_trace_info(?1, 'skip') WHERE threads = ?2"):
                found = []
                for threads in (1, 2, 5):
                    try:
                        found.append(hash(tuple(self.db.execute(query, (path, threads)))))
                    except sqlite3.Error as error:
                        found.append(str(error))
                    found.append(self.rows("SELECT * FROM mpg_issues WHERE source = ?", path))
                self.assertEqual(found[:2], found[2:4], (name, query))
                self.assertEqual(found[:2], found[4:], (name, query))
        for threads in (0, 65, "two", 1.5):
            self.assertEqual(self.error("SELECT * FROM chrome_trace(?) WHERE threads = ?", RANKS[0], threads), "chrome_trace: threads: expected a whole number from 1 to 64")
        self.assertEqual(self.rows("SELECT * FROM chrome_trace(?) WHERE threads = NULL", RANKS[0]), [])

    def test_passed_over(self):
        """WHERE ph, name or cat = a text passes over records within the reader: the same rows as without."""
        path = self.file(json.dumps([{"ph": ph, "name": name, "cat": cat, "ts": i} for i, (ph, name, cat) in enumerate(
            (ph, name, cat) for ph in ("X", "i", None) for name in ("a", "A", "", "a\u00e9", "1", 1, True) for cat in ("kernel", "Kernel"))] + [{"ts": 99}, {"name": "esc\"aped"}])
            .replace('"a\\u00e9"', '"\\u0061\\u00e9"'))
        for where in ("name = 'a'", "name = 'a' AND cat = 'kernel' AND ph = 'X'", "name = 'a' COLLATE NOCASE", "name = ''", "name = 'a\u00e9'", "name = '1'",
                      "name = 'esc\"aped'", "name IS NULL", "name = NULL", "name IN ('a', 'A')", "cat = 'kernel' OR name = 'A'", "name = 'a' AND name = 'A'", "name = x'61'",
                      "name = 'true'", "cat = 'nothing'", "ph = (SELECT 'X')", "cat = 'ker' || 'nel'"):
            plain = where.replace("name", "+name").replace("cat ", "+cat ").replace("ph ", "+ph ")
            found, wanted = (self.rows(f"SELECT ts, rowid, _line FROM chrome_trace(?) WHERE {text}", path) for text in (where, plain))
            self.assertEqual(found, wanted, where)
        self.assertEqual(len(self.rows("SELECT 1 FROM chrome_trace(?) WHERE name = 'a\u00e9' AND cat = 'kernel'", path)), 3)
        self.db.execute("CREATE TABLE wanted(name)")
        self.db.executemany("INSERT INTO wanted VALUES (?)", [("a",), ("A",)])
        self.assertEqual(self.rows("SELECT count(*) FROM chrome_trace(?) AS t JOIN wanted AS w ON t.name = w.name WHERE t.cat = 'kernel'", path), [(6,)])

    def test_groups(self):
        """GROUP BY of columns of text: handed over group by group, the same rows in the same order as SQLite's sorter gives."""
        pick = random.Random(9)
        names = ["a", "A", "", "\u00e9", "\U0001f600", "a\u0000b", 'esc"', "1", 1, True, None, "x" * 9000, "void at::kernel<4>(int)"]

        def event(i):
            made = {"ph": pick.choice("XXXs"), "cat": pick.choice(("kernel", "cpu_op", None, "kernel")), "name": pick.choice(names), "ts": pick.choice((i, i + 0.125, i / 7, "5", -0.0, 1e300)),
                    "dur": pick.choice((1, 2.5, 0.001, i, None)), "pid": pick.choice((1, "one", 2.5, True)), "tid": i % 5, "id": pick.choice((i, hex(i)))}
            return {key: value for key, value in made.items() if pick.randrange(20)} or {"ts": 0}

        first = self.file("[" + ",\n".join("{}" if i % 99 == 0 else json.dumps(event(i)) for i in range(1200)) + "]", "a.json")
        with open(os.path.join(os.path.dirname(first), "b.json"), "w") as file:
            json.dump({"traceEvents": [event(i) for i in range(900)], "z": 1}, file, indent=1)
        with open(os.path.join(os.path.dirname(first), "c.json"), "w") as file:
            file.write('[{"ph": "X", "name": "a", "ts": 1},\n{"ph" "X"},\n{"ph": "X", "name": "a", "ts": 1}')
        values = ("count(*), sum(ts), total(dur), min(start_ns), max(end_ns), group_concat(rowid), group_concat(coalesce(pid, 'none')), count(DISTINCT id), group_concat(typeof(tid)), max(cat), min(length(name))",
                  "group_concat(_line), group_concat(replace(_file, rtrim(_file, '.abcjnos'), '')), sum(dur_ns), max(typeof(s))", "count(*), max(ts)", "1")
        for threads in (1, 3):
            for keys in ("name", "cat", "ph, name", "cat, ph, name", "name, cat"):
                for where in ("1", "cat = 'kernel'", "dur > 2 AND name <> 'a'", "name = 'a' AND ph = 'X'", "rowid %% 3 = 1", "_line > 100"):
                    for columns in values:
                        sql = f"SELECT {keys}, {columns} FROM chrome_trace(?, 'skip') AS t WHERE {where} AND threads = {threads} GROUP BY %s ORDER BY %s"
                        plain = ", ".join("+" + key for key in keys.split(", "))
                        self.assertEqual(self.rows(sql % (keys, keys), os.path.dirname(first)), self.rows(sql % (plain, plain), os.path.dirname(first)), sql)
        self.assertEqual(self.issues(os.path.join(os.path.dirname(first), "c.json")), {"skipped_record": 1, "unfinished_trace": 1})
        self.assertEqual(self.rows("SELECT cat, name, count(*) FROM chrome_trace(?) GROUP BY 1, 2 ORDER BY 1 DESC, 2 DESC", first),
                         self.rows("SELECT cat, name, count(*) FROM chrome_trace(?) GROUP BY +cat, +name ORDER BY 1 DESC, 2 DESC", first))
        self.assertEqual(self.rows("SELECT DISTINCT name FROM chrome_trace(?) LIMIT 3", first), self.rows("SELECT DISTINCT +name FROM chrome_trace(?) LIMIT 3", first))
        plan = "EXPLAIN QUERY PLAN SELECT name, count(*), sum(dur) FROM chrome_trace('x') WHERE cat = 'kernel' AND threads = 2 GROUP BY name"
        self.assertEqual([row for row in self.rows(plan) if "TEMP B-TREE" in row[3]], [])
        for group in ("name COLLATE NOCASE", "pid", "name, pid", "step", "rowid"):
            self.assertTrue([row for row in self.rows(f"EXPLAIN QUERY PLAN SELECT count(*) FROM chrome_trace('x') GROUP BY {group}") if "TEMP B-TREE" in row[3]], group)
        self.assertTrue([row for row in self.rows("EXPLAIN QUERY PLAN SELECT name, sum(bytes) FROM chrome_trace('x') GROUP BY name") if "TEMP B-TREE" in row[3]], "args may be malformed")
        wrong = self.file('[{"ph": "X", "name": "a", "ts": 1},\n{"ph" "X"}]')
        for key in ("name", "+name"):
            self.assertEqual(self.error(f"SELECT count(*) FROM chrome_trace(?) GROUP BY {key}", wrong), f"chrome_trace: {wrong}:2:7: expected ':', found '\"'")

    def test_groups_too_many(self):
        """More records than are gathered in memory: SQLite sorts them, and nothing else is different."""
        path = self.file('[{"ph": "X", "name": "o\'k \u00e9", "ts": 1}' + "".join(f',\n{{"ph": "X", "cat": "it\'s", "name": "n{i * 7919 % 150000}", "ts": {i}, "dur": 0.5}}' for i in range(150000)) + "]")
        for sql in ("SELECT name, sum(dur), max(rowid), min(_line) FROM chrome_trace(?1) WHERE cat = 'it''s' GROUP BY %s ORDER BY 1 LIMIT 5",
                    "SELECT count(*), sum(n), sum(length(name)) FROM (SELECT name, count(*) AS n, _file FROM chrome_trace(?1, 'skip') WHERE threads = 2 GROUP BY %s)",
                    "SELECT cat, name, ts, rowid FROM chrome_trace(?1) GROUP BY cat, %s ORDER BY 1 DESC, 2 DESC LIMIT 3 OFFSET 70000"):
            self.assertEqual(self.rows(sql % "name", path), self.rows(sql % "+name", path), sql)
        with open(path, "a") as file:
            file.write(",\n")
        self.assertEqual(self.error("SELECT count(*) FROM chrome_trace(?) GROUP BY name", path), self.error("SELECT count(*) FROM chrome_trace(?) GROUP BY +name", path))

    def test_what_is_no_json(self):
        path = self.file('[{"name": "C:\\Users\\new\\"\n\x01", "ts": NaN, "dur": -Infinity, "pid": nan, "args": {"correlation": 18446744073709551615,'
                         ' "stream": "7", "blocks per SM": inf, "flops": "1e3", "bytes": true, "hlo_op": 5}}]')
        self.assertEqual(self.rows("SELECT name, ts, dur, pid, correlation, stream, blocks_per_sm, flops, bytes, hlo_op FROM chrome_trace(?)", path),
                         [('C:\\Users\new"\n\x01', None, None, None, "18446744073709551615", 7, None, 1000.0, 1, "5")])

    def test_properties_that_are_no_json(self):
        """What they hold is JSON, whatever the file has: queries look into them."""
        path = self.file('{"a\tb": "C:\\Users\\x", "n": NaN, "deviceProperties": [{"id": 0, "name": "H\\100", "x": [-inf, nan ,-1.5e3,true,null,"NaN"]}],'
                         ' "distributedInfo": {"rank": 3, "y": Infinity, "\\q": "\\u00e9\\"\\/"}, "traceEvents": []}')
        self.assertEqual([json.loads(value) for value in self.rows("SELECT properties, devices, distributed FROM chrome_trace_info(?)", path)[0]], [
            {"a\tb": "C:\\Users\\x", "n": None, "deviceProperties": [{"id": 0, "name": "H\\100", "x": [None, None, -1500.0, True, None, "NaN"]}],
             "distributedInfo": {"rank": 3, "y": None, "\\q": "é\"/"}},
            [{"id": 0, "name": "H\\100", "x": [None, None, -1500.0, True, None, "NaN"]}], {"rank": 3, "y": None, "\\q": "é\"/"}])
        self.assertEqual(self.one("SELECT rank FROM chrome_trace_info(?)", path), 3)

    def test_reals_beyond_integers(self):
        """A column of reals holds reals, however long the number: what compares and sums is no text."""
        path = self.file('[{"name": "jit_step", "args": {"flops": "12345678901234567890", "model_flops": 12345678901234567890, "blocks per SM": -98765432109876543210}}]')
        self.assertEqual(self.rows("SELECT flops, model_flops, blocks_per_sm, typeof(flops) FROM chrome_trace(?) WHERE flops < 2e19", path),
                         [(12345678901234567890.0, 12345678901234567890.0, -98765432109876543210.0, "real")])

    def test_growing_file(self):
        with open(RANKS[0], "rb") as file:
            text = file.read()
        ends = [text.index(event.encode()) + len(event.encode()) for event, in self.rows("SELECT event FROM chrome_trace(?)", RANKS[0])]
        pick = random.Random(7)
        start = text.index(b'"traceEvents": [') + 16
        for cut in [start, *pick.choices(range(start, len(text) - 2), k=40)]:
            path = self.file(text[:cut])
            self.assertEqual(self.one("SELECT count(*) FROM chrome_trace(?)", path), sum(end <= cut for end in ends))
            self.assertEqual(self.rows("SELECT kind, severity FROM mpg_issues WHERE source = ?", path), [("unfinished_trace", "warning")])
        path = self.file(gzip.compress(text)[:-30], "cut.json.gz")
        self.assertRegex(self.error("SELECT count(*) FROM chrome_trace(?)", path), "truncated gzip stream")
        # What cannot be skipped ends the scan, and is counted once.
        self.assertLess(self.one("SELECT count(*) FROM chrome_trace(?) WHERE on_error = 'skip'", path), 10**6)
        self.assertEqual(self.rows("SELECT kind, count FROM mpg_issues WHERE source = ?", path), [("skipped_record", 1)])

    def test_skip(self):
        path = self.file('{"traceEvents": [{"name": "a"},\n{"name": oops},\n{"name": "b", "args": {"k": 1 2}}]}')
        self.assertEqual(self.error("SELECT name FROM chrome_trace(?)", path), f"chrome_trace: {path}:2:10: expected a value, found 'o'")
        self.assertEqual(self.rows("SELECT name FROM chrome_trace(?, 'skip')", path), [("a",), ("b",)])
        self.assertEqual(self.rows("SELECT kind, line, count FROM mpg_issues WHERE source = ?", path), [("skipped_record", 2, 1)])
        self.assertEqual(self.error("SELECT stream FROM chrome_trace(?, 'skip')", path), f"chrome_trace: {path}:3:31: expected ',' or '}}', found '2'")

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
        path = self.file(json.dumps({"stackFrames": {"a": [big, {"}": '\\"'}]}, "traceEvents": [{"name": big, "ts": 1}], "z": [[big]], "s": "t"}))
        self.assertEqual(self.rows("SELECT length(name), ts FROM chrome_trace(?)", path), [(3_000_000, 1.0)])
        self.assertEqual(self.rows("SELECT events, properties FROM chrome_trace_info(?)", path), [(1, '{"s":"t"}')])
        deep = self.file('[{"name": "deep", "args": {"a": ' + "[" * 100_000 + "]" * 100_000 + "}}]")
        self.assertEqual(self.rows("SELECT name, length(args) FROM chrome_trace(?)", deep), [("deep", 200_007)])


if __name__ == "__main__":
    unittest.main()
