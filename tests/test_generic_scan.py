"""Scans of csv_trace and jsonl_trace by several threads, and what is done for a query before SQLite sees a row.

Every question is put to the table over files, to the same with unary plus before its columns (which keeps comparisons from
being pushed down), and to a copy of its rows in the database: the answers must be the same, in the same order, for any number
of threads."""
import csv
import faulthandler
import gzip
import io
import json
import os
import random
import sqlite3
import threading

from generic import Case as GenericCase

NAMES = "pool kind n r at note".split()
TYPES = "types='pool TEXT, kind TEXT, n BIGINT, r REAL, at TIME, note TEXT'"
COLUMNS = ", ".join(NAMES)


class Case(GenericCase):
    def records(self, rng, count, plain=False):
        odd = [] if plain else ["x,y", 'say "hi"', "two\nlines", " ", "é", "Pod-A"]
        for _ in range(count):
            yield [rng.choice(["pod-a", "pod-b", "", "a pool with a long name indeed"] + odd), rng.choice(["step", "save", "7", "007"]),
                   rng.choice(["", "1", "2", "-3", str(2**53 + 1), str(-(2**63)), str(rng.randrange(1000))]),
                   rng.choice(["", "0.5", "-0.0", "0", "2", "9007199254740993", str(rng.randrange(-400, 400) / 4)]),
                   rng.choice(["", "2026-01-02T03:04:05Z", "1767323045.5", str(rng.randrange(10**9))]), rng.choice(["", "some words"] + odd)]

    def csv_text(self, records, end="\n"):
        out = io.StringIO(newline="")
        writer = csv.writer(out, lineterminator=end)
        writer.writerow(NAMES)
        writer.writerows(records)
        return out.getvalue().encode()

    def jsonl_text(self, rng, records):
        lines = []
        for i, record in enumerate(records):
            row = {name: None if value == "" else json.loads(value) if name in ("n", "r") else value for name, value in zip(NAMES, record)}
            if i % 7 == 0:
                row = {key: value for key, value in row.items() if value is not None}
            if i % 11 == 0:
                row = dict(sorted(row.items()))
            lines.append(json.dumps(row, ensure_ascii=i % 2 == 0, separators=[(",", ":"), (", ", ": ")][i % 3 == 0]))
        return ("\n".join(lines) + "\n").encode()

    def folder(self, files):
        """Of {name: bytes}."""
        return self.folder_of({name: gzip.compress(data) if name.endswith(".gz") else data for name, data in files.items()})

    def copy(self):
        self.db.execute("DROP TABLE IF EXISTS main.copy")
        self.db.execute("CREATE TABLE main.copy AS SELECT *, _file, _line, rowid AS id FROM t")

    def same(self, sql, *parameters):
        """`sql` says {t}, and {pool} or any other column where unary plus may stand."""
        for plus in ("", "+"):
            columns = {name: plus + name for name in NAMES + ["_file", "_line"]}
            found = self.rows(sql.format(t="t", id="rowid", **columns), *parameters)
            wanted = self.rows(sql.format(t="main.copy", id="id", **columns), *parameters)
            self.assertEqual(found, wanted, (sql, plus, parameters))
            self.assertEqual([list(map(type, row)) for row in found], [list(map(type, row)) for row in wanted], sql)

    def tables(self):
        """Makes t over files of several kinds with several numbers of threads, and the copy."""
        rng = random.Random(11)
        one, two = list(self.records(rng, 900)), list(self.records(rng, 300))
        three = list(self.records(rng, 300, True))
        csv_files = self.folder({"1.csv": self.csv_text(one), "2 two.csv": self.csv_text(two, "\r\n"), "3.csv.gz": self.csv_text(three)})
        json_files = self.folder({"1.jsonl": self.jsonl_text(rng, one), "2 two.jsonl": self.jsonl_text(rng, two),
                                  "3.jsonl.gz": ("[" + self.jsonl_text(rng, three).decode().strip().replace("\n", ",\n") + "]").encode()})
        for module, path in (("csv_trace", csv_files), ("jsonl_trace", json_files)):
            for threads in (1, 2, 5) if os.environ.get("MPG_FULL") else (1, 3):
                self.make(module, path, f"{TYPES}, threads={threads}")
                if threads == 1:
                    self.copy()
                    self.assertEqual(self.rows("SELECT count(*), count(DISTINCT _file) FROM copy"), [(1500, 3)])
                yield path


class Comparisons(Case):
    VALUES = {
        "pool": ["'pod-a'", "'pod-b'", "'POD-A'", "''", "'x'", "'x,y'", "'zz'", "7", "NULL", "x'706f642d61'", "'é'"],
        "kind": ["'7'", "7", "'007'", "7.0", "'step'", "NULL"],
        "n": ["1", "2", "-3", "'1'", "1.0", "1.5", "1e300", "-1e300", "9007199254740993", "9007199254740992.0", "-9223372036854775808", "-9223372036854775808.0",
              "9223372036854775807", "9223372036854775808.0", "NULL", "'x'", "x'31'", "9e999", "-9e999"],
        "r": ["0", "0.5", "-0.0", "2", "'2'", "9007199254740993", "9007199254740992", "1e3", "NULL", "'x'", "9e999"],
        "at": ["1767323045.5", "1767323045", "5e8", "500000000", "NULL", "'2026-01-02'"],
    }

    def term(self, rng):
        column = rng.choice(list(self.VALUES))
        values, name = self.VALUES[column], "{" + column + "}"
        value = lambda: rng.choice(values)
        collate = rng.choice(["", "", "", " COLLATE NOCASE", " COLLATE RTRIM", " COLLATE BINARY"])
        form = rng.randrange(11)
        if form < 4:
            operator = rng.choice("= == < <= > >= <> != IS".split() + ["IS NOT"])
            return rng.choice([f"{name}{collate} {operator} {value()}", f"{value()} {operator} {name}{collate}", f"{name} {operator} {value()}{collate}"])
        if form < 6:
            return f"{name}{collate} {rng.choice(['', 'NOT '])}BETWEEN {value()} AND {value()}"
        if form < 8:
            return f"{name}{collate} {rng.choice(['', '', 'NOT '])}IN ({', '.join(value() for _ in range(rng.randrange(0, 5)))})"
        if form == 8:
            return f"{name} {rng.choice(['IS NULL', 'IS NOT NULL', 'NOTNULL', 'ISNULL'])}"
        if form == 9:
            return f"{name} IN (SELECT column1 FROM (VALUES {', '.join(f'({value()})' for _ in range(3))}))"
        return f"{name} {rng.choice(['LIKE', 'GLOB'])} {rng.choice(['{q}p%{q}', '{q}pod*{q}', '{q}p_d-A{q}', '{q}[!p]*{q}']).format(q=chr(39))}"

    def test_any_condition(self):
        rng = random.Random(12)
        for path in self.tables():
            for _ in range(400 if os.environ.get("MPG_FULL") else 40):
                where = self.term(rng)
                for _ in range(rng.choice([0, 0, 1, 1, 2])):
                    where = f"{where} {rng.choice(['AND', 'AND', 'OR'])} {self.term(rng)}"
                columns = rng.choice([COLUMNS, "pool, kind", "_line", "n", "count(*), sum(n IS NULL), min(_line)", "_file, _line, pool", "r, pool"])
                self.same(f"SELECT {columns} FROM {{t}} WHERE {where}")

    def test_a_rowid_is_of_the_record(self):
        for path in self.tables():
            self.assertEqual(self.one("SELECT count(DISTINCT rowid) FROM t"), 1500)
            for where in ("{pool} = 'pod-a'", "{n} > 5 AND {kind} = '7'", "{pool} = 'pod-a' OR {n} = 2 OR {kind} = 'save'", "_file GLOB '*2*'", "{pool} = 'x,y' OR _file GLOB '*2*'"):
                self.same(f"SELECT {{id}}, _line FROM {{t}} WHERE {where}")
            self.same("SELECT max({id}), count(*) FROM {t}")
            self.make("csv_trace" if "1.csv" in os.listdir(path) else "jsonl_trace", path, TYPES.replace("kind TEXT", "kind BIGINT") + ", on_error=skip, threads=2")
            rows = dict(self.rows("SELECT _file || _line, rowid FROM t"))
            some = self.rows("SELECT _file || _line, rowid, kind FROM t WHERE kind >= 7")
            self.assertTrue(0 < len(some) < len(rows))
            for line, rowid, _ in some:
                self.assertEqual(rows[line], rowid)

    def test_values_of_other_tables(self):
        self.db.execute("CREATE TABLE wanted(pool TEXT, n, r REAL, any)")
        self.db.executemany("INSERT INTO wanted VALUES (?, ?, ?, ?)", [("pod-a", 1, 0.5, "x,y"), ("x,y", "2", -0.0, 7), (None, None, None, None), ("POD-B", 2.5, 2, "pod-b")])
        for path in self.tables():
            for sql in ("SELECT w.rowid, _line FROM wanted AS w JOIN {t} AS x ON x.pool = w.pool AND x.n > w.n ORDER BY 1, 2",
                        "SELECT w.rowid, _line FROM wanted AS w LEFT JOIN {t} AS x ON x.r = w.r AND x.pool IS w.any ORDER BY 1, 2",
                        "SELECT w.rowid, count(x._line) FROM wanted AS w LEFT JOIN {t} AS x ON x.n = w.n WHERE x.n IS NULL OR x.n = 1 GROUP BY 1",
                        "SELECT w.rowid, x._file, _line FROM {t} AS x LEFT JOIN wanted AS w ON x.n = w.n AND x.n <> 1 ORDER BY 2, 3, 1",
                        "SELECT w.rowid, x._file, _line FROM {t} AS x LEFT JOIN wanted AS w ON x.pool = w.pool AND x.n IS NOT NULL AND x._file NOT NULL ORDER BY 2, 3, 1",
                        "SELECT w.rowid, x._file, _line FROM {t} AS x LEFT JOIN wanted AS w ON x.pool = w.pool AND x._file GLOB '*2*' ORDER BY 2, 3, 1",
                        "SELECT w.rowid, x._file, _line FROM {t} AS x LEFT JOIN wanted AS w ON x.pool = w.pool AND x._file LIKE '%2%' AND x.n = 1 AND x.r IS NOT 2 ORDER BY 2, 3, 1",
                        "SELECT w.rowid, _line FROM {t} AS x RIGHT JOIN wanted AS w ON x.n = w.n AND x.pool = 'pod-a' ORDER BY 1, 2",
                        "SELECT w.rowid, x._line FROM wanted AS w RIGHT JOIN {t} AS x ON x.n = w.n AND x.pool = 'pod-a' ORDER BY 1, x._file, x._line",
                        "SELECT w.rowid, x._line FROM wanted AS w FULL JOIN {t} AS x ON x.pool = w.pool AND x.n > w.n AND x.n < 900 ORDER BY 1, x._file, x._line",
                        "SELECT w.rowid, x._line FROM wanted AS w JOIN {t} AS x WHERE (x.pool = w.pool AND x.n = w.n) OR x.n = w.n OR x.kind = w.any ORDER BY 1, x._file, x._line",
                        "SELECT _line FROM {t} WHERE {pool} IN (SELECT any FROM wanted)",
                        "SELECT _line FROM {t} WHERE {n} IN (SELECT n FROM wanted)",
                        "SELECT _line FROM {t} AS x WHERE EXISTS (SELECT 1 FROM wanted AS w WHERE w.any = x.pool AND w.n = x.n)"):
                self.same(sql)
            self.same("SELECT _line, pool FROM {t} WHERE {pool} = ? AND {n} < ?", "pod-a", 2.5)
            self.same("SELECT _line, pool FROM {t} WHERE {pool} IN (?, ?) AND {r} >= ?", "x,y", None, "0")

    def test_files_that_no_row_can_be_of_stay_closed(self):
        for path in self.tables():
            one, two = (os.path.join(path, name) for name in sorted(os.listdir(path))[1:3])
            for where, parameters in (("{_file} = ?", (one,)), ("{_file} = ? AND {pool} = 'pod-a'", (two,)), ("{_file} IN (?, ?, 'x')", (two, one)), ("{_file} GLOB '*/2*'", ()),
                                      ("{_file} LIKE '%TWO%'", ()), ("{_file} LIKE '%É%'", ()), ("{_file} > ?", (one,)), ("{_file} IS NOT ?", (one,)), ("{_file} <> ?", (two,)),
                                      ("{_file} IS NULL", ()), ("{_file} = ? COLLATE NOCASE", (one.upper(),)), ("{_file} = 7", ()), ("{_file} GLOB NULL", ())):
                self.same(f"SELECT _file, count(*), min(_line) FROM {{t}} WHERE {where} GROUP BY 1", *parameters)
        path = self.folder({"1.csv": b"a,b\n1,2\n", "2.csv": b"a,b\n3,4\n", "3.csv": b"something else\n"})
        self.make("csv_trace", path)
        self.assertIn("3.csv:1:1: expected a header with", self.error("SELECT count(*) FROM t"))
        self.assertEqual(self.rows("SELECT a FROM t WHERE _file < ?", path + "/3"), [(1,), (3,)])
        self.assertEqual(self.rows(f"SELECT a FROM t WHERE _file GLOB '{path}/1*'"), [(1,)])  # SQLite makes >= and < of it
        for where, found in (("_file GLOB '*/[12].csv'", [(1,), (3,)]), ("_file LIKE '%/2.CSV'", [(3,)])):
            if sqlite3.sqlite_version_info >= (3, 51):
                self.assertEqual(self.rows(f"SELECT a FROM t WHERE {where}"), found)
            else:
                self.assertIn("3.csv:1:1: expected a header with", self.error(f"SELECT a FROM t WHERE {where}"))
        self.assertIn("3.csv:1:1: expected a header with", self.error("SELECT a FROM t WHERE +_file LIKE '%/2.CSV'"))

    def test_databases_of_utf16(self):
        """Where bytes that are no text become others, and text is in another order."""
        self.db.execute("PRAGMA encoding = 'UTF-16le'")
        path = self.file(b"pool,n\nab\xff,1\nab\xef\xbf\xbd,2\n\xf0\x9f\x98\x80,3\n\xef\xbd\xa1,4\nplain,5\n")
        self.make("csv_trace", path, "types='pool TEXT, n BIGINT'")
        self.copy()
        for value in ("ab\ufffd", "\uff61", "\U0001f600", "plain"):
            for operator in ("=", "<", ">=", "<>", "IS"):
                self.same(f"SELECT n FROM {{t}} WHERE {{pool}} {operator} ?", value)
            self.same("SELECT n FROM {t} WHERE {pool} IN (?, 'x')", value)
            self.same("SELECT DISTINCT pool FROM {t} WHERE {n} > 1")


class Distinct(Case):
    def test_any_question(self):
        keys = ("pool", "n", "r", "at", "pool, kind", "kind, r", COLUMNS, "_file", "_file, pool", "pool COLLATE NOCASE", "n % 2", "upper(pool)", "_line % 10", "1")
        for path in self.tables():
            for key in keys:
                self.same(f"SELECT DISTINCT {key} FROM {{t}}")
                self.same(f"SELECT DISTINCT {key} FROM {{t}} WHERE {{pool}} > 'a' AND {{n}} IS NOT NULL")
                self.same(f"SELECT DISTINCT {key} FROM {{t}} ORDER BY 1 DESC")
            for sql in ("SELECT count(DISTINCT {pool}) FROM {t}", "SELECT count(DISTINCT {pool}), count(*), sum({n} > 1) FROM {t}", "SELECT {kind}, count(DISTINCT {pool}) FROM {t} GROUP BY 1",
                        "SELECT DISTINCT {kind}, count(*) OVER (PARTITION BY {pool}) FROM {t} ORDER BY 1, 2", "SELECT DISTINCT a.kind, b.pool FROM {t} AS a JOIN {t} AS b ON a.n = b.n AND a.n = 2 ORDER BY 1, 2",
                        "SELECT {pool} FROM {t} UNION SELECT {kind} FROM {t}", "SELECT DISTINCT {pool} FROM {t} LIMIT 3 OFFSET 1", "SELECT DISTINCT {pool} FROM {t} WHERE {id} % 2",
                        "SELECT DISTINCT x.pool FROM (SELECT 1 AS n) AS u RIGHT JOIN {t} AS x ON x.n = u.n WHERE u.n IS NULL ORDER BY 1",
                        "SELECT DISTINCT {id}, pool FROM {t}",
                        "SELECT DISTINCT {pool} FROM {t} WHERE _line = 7", "SELECT DISTINCT * FROM (SELECT {pool}, {n} FROM {t} LIMIT 20)", "SELECT DISTINCT {pool} FROM {t} GROUP BY {kind}, {pool}",
                        "SELECT count(*) FROM {t} WHERE {pool} IN (SELECT DISTINCT {note} FROM {t})"):
                self.same(sql)

    def test_more_than_is_remembered(self):
        """Of a column that is mostly different no rows are held back for long; of the next file they are again."""
        text = "".join(f"job number {i // 2}\n" for i in range(120000))
        path = self.folder({"1.csv": ("name,b\n" + text.replace("\n", ",\n")).encode(), "2.csv": ("name,b\n" + "x,y\n" * 50000).encode()})
        for threads in (1, 2):
            self.make("csv_trace", path, f"threads={threads}")
            self.assertEqual(self.rows("SELECT count(*), min(name), max(name) FROM (SELECT DISTINCT name FROM t)"), [(60001, "job number 0", "x")])
            self.assertEqual(self.rows("SELECT DISTINCT b FROM t"), [(None,), ("y",)])


class Blocks(Case):
    """Files of several blocks, a quarter of a megabyte each."""

    def test_quoted_newlines_across_blocks(self):
        rng = random.Random(13)
        records = list(self.records(rng, 30000, True))
        for i in (3000, 9000, 9001, 20000):
            records[i][5] = 'a "quoted" line,\n' * rng.choice([1, 3, 40000])
        path = self.file(self.csv_text(records))
        self.make("csv_trace", path, TYPES + ", threads=1")
        self.copy()
        wanted = [(record[0] or None, record[5] or None) for record in records]
        self.assertEqual(self.rows("SELECT pool, note FROM copy"), wanted)
        for threads in (2, 3):
            self.make("csv_trace", path, f"{TYPES}, threads={threads}")
            for sql in ("SELECT count(*) FROM {t}", "SELECT pool, note FROM {t}", "SELECT _line FROM {t} WHERE length({note}) > 20", "SELECT _line, n FROM {t} WHERE {n} BETWEEN 5 AND 9",
                        "SELECT DISTINCT pool, note FROM {t}", "SELECT sum(n % 1000), max(note), min(_line), max(_line) FROM {t} WHERE {kind} = '7'"):
                self.same(sql)

    def test_paths_into_nested_values_by_several_threads(self):
        """Values are taken apart by the threads, none of which but the owner's may ask SQLite whether to stop: it holds the connection."""
        records = [{"k": f"k{i % 5}", "n": i, "m": {"d": i % 3, "z": [i, {"q": "]" * (i % 4)}]}} for i in range(40000)]
        path = self.file("".join(json.dumps(record) + "\n" for record in records), "f.jsonl")
        wanted = sorted({(f"k{i % 5}", i % 3, "]" * (i % 4)): 0 for i in range(60)})
        faulthandler.dump_traceback_later(120, exit=True)
        for threads in (1, 2, 3):
            options = f"columns='k, n, d $.m.d, q $.m.z[1].q', threads={threads}"
            self.make("jsonl_trace", path, options)
            self.assertEqual(self.rows("SELECT k, d, q FROM t GROUP BY k, d, q ORDER BY k, d, q"), wanted)
            self.assertEqual(self.rows("SELECT count(*), sum(n), max(q) FROM t WHERE d = 1"), [(13333, sum(range(1, 40000, 3)), "]]]")])
            self.db.execute("DROP TABLE IF EXISTS temp.r")
            self.db.execute(f"CREATE VIRTUAL TABLE temp.r USING jsonl_rollup('{path}', {options}, measures='n')")
            self.assertEqual(self.rows("SELECT k, d, q FROM r ORDER BY k, d, q"), wanted)
            self.assertEqual(self.one("SELECT sum(n) FROM r"), sum(range(40000)))
        faulthandler.cancel_dump_traceback_later()

    def test_an_error_comes_behind_the_rows_before_it(self):
        lines = [f"x{i % 7},{i}\n" for i in range(200000)]
        lines[150000] = "x,y\n"
        lines[170000] = "x\n"
        lines[180000] = 'x,"y\n'
        path = self.file("a,v\n" + "".join(lines))
        unfit = (f"{path}:150002:3: expected a whole number within 64 bits for v, found \"y\" "
                 "(nulls='y' reads it as NULL, types='v TEXT' the column as text)")
        ragged = f"{path}:170002:2: expected 2 fields, as in the header, found 1"
        for threads in (1, 2, 4):
            self.make("csv_trace", path, f"threads={threads}, types='v BIGINT'")
            for sql, rows, text in (("SELECT v FROM t", 150000, unfit), ("SELECT a FROM t", 170000, ragged), ("SELECT a FROM t WHERE v >= 140000", 10000, unfit),
                                    ("SELECT CASE WHEN a <> 'x' THEN v END FROM t", 170000, ragged), ("SELECT 1 FROM t WHERE _line > 0", 170000, ragged)):
                cursor, found = self.db.execute(sql), 0
                with self.assertRaises(sqlite3.OperationalError) as raised:
                    for _ in cursor:
                        found += 1
                # Python has asked for the next row before it gives one.
                self.assertEqual((found + 1, str(raised.exception)), (rows, "csv_trace: " + text), sql)
            self.assertEqual(len(self.rows("SELECT a FROM t LIMIT 170000")), 170000)
            self.make("csv_trace", path, f"threads={threads}, types='v BIGINT', on_error=skip")
            for sql, rows, detail in (("SELECT count(*), max(_line) FROM t", (199998 - 19999, 180001), ragged), ("SELECT count(v), max(_line) FROM t", (199997 - 19999, 180001), unfit),
                                      ("SELECT count(*), count(DISTINCT v) FROM t WHERE a >= 'x'", (199997 - 19999, 199997 - 19999), unfit)):
                self.assertEqual(self.rows(sql), [rows], sql)
                found = self.rows("SELECT kind, line, count, detail FROM mpg_issues WHERE source = ?", path)
                self.assertEqual(found, [("skipped_record", 150002 if detail is unfit else 170002, 3 if detail is unfit else 2, detail)], sql)

    def test_json_of_one_array_and_of_lines(self):
        rng = random.Random(14)
        lines = self.jsonl_text(rng, self.records(rng, 9000))
        for text in (lines, b"[" + lines.strip().replace(b"\n", b",") + b"]"):
            path = self.file(text, "f.json")
            self.make("jsonl_trace", path, TYPES + ", threads=1")
            self.copy()
            self.assertEqual(self.one("SELECT count(*) FROM copy"), 9000)
            for threads in (2, 3):
                self.make("jsonl_trace", path, f"{TYPES}, threads={threads}")
                for sql in ("SELECT count(*) FROM {t}", f"SELECT {COLUMNS}, _line FROM {{t}}", "SELECT DISTINCT pool, n FROM {t}", "SELECT _line FROM {t} WHERE {pool} = 'two\nlines'"):
                    self.same(sql)

    def test_what_a_damaged_file_still_gives(self):
        """With on_error=skip every whole record before the damage is there, and the damage is told."""
        text = "a,b\n" + "".join(f"{i},{i * i}\n" for i in range(300000))
        packed = gzip.compress(text.encode())
        path = self.folder({"1.csv": packed[: len(packed) * 2 // 3], "2.csv": b"a,b\n-1,-1\n"})
        first = path + "/1.csv"
        counts = []
        for threads in (1, 2):
            self.make("csv_trace", path, f"threads={threads}")
            cursor, found = self.db.execute("SELECT a FROM t"), 0
            with self.assertRaisesRegex(sqlite3.OperationalError, "1.csv: truncated gzip stream"):
                for _ in cursor:
                    found += 1
            self.make("csv_trace", path, f"threads={threads}, on_error=skip")
            self.assertEqual(self.rows("SELECT count(*), max(a), min(a) FROM t"), [(found + 2, found, -1)])  # one that Python had asked for, and one of the other file
            self.assertEqual(self.issues(first), {"skipped_record": 1})
            counts.append(found)
        self.assertEqual(counts[0], counts[1])
        self.assertGreater(counts[0], 150000)

    def test_columns_behind_the_63rd(self):
        names = [f"c{i}" for i in range(1, 81)]
        path = self.file(",".join(names) + "\n" + "".join(",".join(str(i * k) for k in range(80)) + "\n" for i in range(500)))
        for threads in (1, 2):
            self.make("csv_trace", path, f"threads={threads}")
            self.copy()
            for sql in ("SELECT c1, c64, c80, _line FROM {t} WHERE c2 > 400", "SELECT c1, c70, c71 FROM {t} WHERE c70 = 690", "SELECT c1, c2 FROM {t} WHERE c3 = 8", "SELECT DISTINCT c1, c80 FROM {t}",
                        "SELECT _file, _line FROM {t} WHERE c2 = 4 AND _file <> 'x'"):
                self.same(sql)

    def test_interrupt_and_several_scans_at_once(self):
        path = self.file("a,v\n" + "x,1\n" * 400000)
        self.make("csv_trace", path, "threads=3")
        one, two = self.db.execute("SELECT v FROM t"), self.db.execute("SELECT a FROM t WHERE v = 1")
        for _ in range(1000):
            self.assertEqual((next(one), next(two)), ((1,), ("x",)))
        self.db.interrupt()
        with self.assertRaisesRegex(sqlite3.OperationalError, "interrupted"):
            list(one)
        one.close()
        two.close()
        self.assertEqual(self.one("SELECT count(*) FROM t"), 400000)
        self.assertEqual(self.rows("SELECT count(*) FROM t AS x JOIN (SELECT 1 UNION ALL SELECT 2) JOIN t AS y ON y.a = 'none'"), [(0,)])


    def test_interrupt_of_what_one_thread_reads(self):
        """A large array in one line, of which no row passes: SQLite itself has nothing to do."""
        path = self.file("[" + ",".join('{"a":"x","v":1}' for _ in range(600000)) + "]", "f.json")
        self.make("jsonl_trace", path)
        for sql in ("SELECT count(*) FROM t AS x, (SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3) WHERE x.a = 'y'", "SELECT count(*) FROM t, (SELECT 1 UNION ALL SELECT 2)"):
            timer = threading.Timer(0.05, self.db.interrupt)
            timer.start()
            self.assertEqual(self.error(sql), "interrupted")
            timer.join()

    def test_limits_that_were_lowered(self):
        """They hold for plain records, which no reader looks at, too."""
        csv_path = self.file("a,b\n" + "x,y\n" * 9 + "a text that is long,y\n")
        json_path = self.file('{"a":"x","b":"y"}\n' * 9 + '{"a":"a text that is long","b":"y"}\n', "f.jsonl")
        for module, path in (("csv_trace", csv_path), ("jsonl_trace", json_path)):
            self.make(module, path)
            self.assertEqual(self.one("SELECT count(*) FROM t"), 10)
            self.rows("SELECT mpg_limit('record_bytes', 20)")
            for sql in ("SELECT count(*) FROM t", "SELECT a FROM t", "SELECT count(*) FROM t WHERE a = 'x'"):
                with self.assertRaisesRegex(sqlite3.Error, r":1[01]:1: record of more than 20 bytes$"):
                    self.rows(sql)
            self.rows("SELECT mpg_limit('record_bytes', 67108864)")
            self.rows("SELECT mpg_limit('groups', 1)")
            self.assertEqual(self.rows("SELECT DISTINCT a, b FROM t"), [("x", "y"), ("a text that is long", "y")])
            self.rows("SELECT mpg_limit('groups', 100000000)")


class Roads(Case):
    """Plain records are found many at a time, others read one by one: of damaged files both roads give the same."""

    def compare(self, module, path, options):
        self.db.text_factory = bytes
        for types in ("types=TEXT", "types='a TEXT, n BIGINT, r REAL, at TIME'"):
            self.make(module, path, f"{types}, {options}, threads=1, on_error=skip")
            found = []
            for limit in (64 << 20, 1 << 20):  # with a limit below what plain records may have, none are looked for
                self.rows("SELECT mpg_limit('record_bytes', ?)", limit)
                for sql in ("SELECT *, _line FROM t", "SELECT count(*), sum(_line) FROM t", "SELECT count(*) FROM t", "SELECT a, n, r, at, rowid FROM t WHERE n >= 5 AND a <> 'x'"):
                    found.append((sql, self.rows(sql), self.rows("SELECT kind, line, count, detail FROM mpg_issues WHERE source = ?", path)))
            self.assertEqual(found[:4], found[4:])
            self.assertGreater(len(found[0][1]), 10)
        self.rows("SELECT mpg_limit('record_bytes', ?)", 64 << 20)

    def damaged(self, rng, text, alphabet):
        data = bytearray(text.encode())
        for _ in range(len(data) // rng.choice([400, 4000])):
            at = rng.randrange(400, len(data))
            edit = rng.randrange(4)
            if edit == 0:
                del data[at]
            elif edit == 1:
                data[at:at] = rng.choice(alphabet)
            else:
                data[at:at + 1] = rng.choice(alphabet)
        return bytes(data)

    def test_json(self):
        rng = random.Random(15)
        alphabet = [c.encode() for c in '"{}[]:, 01-.eatfn\\\t\n\r\x01'] + ["é".encode(), b'""', b'":', b',"n":1', b"\\u0061", b"null", b"true", b'"a":', b" \n", b"\xff"]
        for turn in range(60 if os.environ.get("MPG_FULL") else 12):
            lines = []
            for i in range(800):
                row = {"a": rng.choice(["x", "", "some words", "a text that is longer than sixteen bytes", None]), "n": rng.choice([1, 7, 10**17, -5, None, True, 12345678901234567890]),
                       "r": rng.choice([0.5, -1e-7, 1767891265.323983, 3, 10**16 + 0.5]), "at": rng.choice([1767891265.323983, "2026-01-02", 0])}
                lines.append(json.dumps(row, separators=[(",", ":"), (", ", ": ")][turn % 2]))
            self.compare("jsonl_trace", self.file(self.damaged(rng, "\n".join(lines) + "\n" * (turn % 3), alphabet), "f.jsonl"), "columns='a, n, r, at'" if turn % 4 == 0 else "nulls='x'")

    def test_csv(self):
        rng = random.Random(16)
        alphabet = [c.encode() for c in '",\n\r 01-.eat\0\t'] + ["é".encode(), b'""', b"\r\n", b'"a,b"', b"\n\n", b"\xff"]
        for turn in range(60 if os.environ.get("MPG_FULL") else 12):
            lines = ["a,n,r,at"]
            for i in range(800):
                lines.append(f"{rng.choice(['x', '', 'some words', 'a text that is longer than sixteen bytes'])},{rng.choice([1, 7, 10**17, -5, '', ' 8 '])},"
                             f"{rng.choice([0.5, -1e-7, 1767891265.323983, 3, ''])},{rng.choice([1767891265.323983, '2026-01-02', 0])}")
            self.compare("csv_trace", self.file(self.damaged(rng, "\n".join(lines) + "\n" * (turn % 3), alphabet)), "quote=none" if turn % 4 == 0 else "nulls='x'")


class Arguments(Case):
    def test_threads(self):
        path = self.file("a\n1\n")
        for module in ("csv_trace", "jsonl_trace"):
            for threads in ("0", "65", "x", "''", "1.5"):
                self.assertEqual(self.refused(module, path, f"threads={threads}"), f"{module}: threads: expected a whole number from 1 to 64")
            with self.assertRaisesRegex(sqlite3.OperationalError, "no such column: threads"):
                self.rows(f"SELECT * FROM {module}(?) WHERE threads = 1", path)


if __name__ == "__main__":
    import unittest

    unittest.main()
