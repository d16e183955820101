#!/usr/bin/python3
"""The goodput aggregates as SQL uses them: windows, groups, filters, views, other encodings and locales; and what they refuse."""
import errno
import json
import locale
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import unittest
from fractions import Fraction

from fleets import ROOT, connect
from goodput_model import CATEGORIES, Case, FUNCTIONS, Model, RATIOS, fnv1a, random_time, random_wide, state_bytes


class Errors(Case):
    KNOWN = ", ".join(CATEGORIES)

    def test_categories(self):
        self.fails(f"mpg: unknown category 'prodctive'; the categories are {self.KNOWN}", "SELECT mpg('prodctive', 1)")
        for name in ["", "IDLE", "idle ", " idle", "Idle", "id", "idl", "idles", "scheduling", "runtime"]:
            self.fails(f"ettr: unknown category '{name}'; the categories are {self.KNOWN}", "SELECT ettr(?, 1)", name)
        self.fails(
            f"mpg: unknown category 'idle\\x00'; the categories are {self.KNOWN}", "SELECT mpg('idle' || char(0), 1)"
        )
        self.fails(
            f"mpg: unknown category '{'é' * 22}...'; the categories are {self.KNOWN}", "SELECT mpg(?, 1)", "é" * 1000
        )
        self.fails("mpg: category is NULL", "SELECT mpg(NULL, 1)")
        self.fails("goodput: category is NULL", "SELECT goodput(NULL, 0)")
        self.fails("mpg: expected text for category, found INTEGER 5", "SELECT mpg(5, 1)")
        self.fails("mpg: expected text for category, found BLOB of 4 bytes", "SELECT mpg(x'69646c65', 1)")

    def test_numbers(self):
        self.fails("mpg: expected a number for chip_time, found TEXT 'x'", "SELECT mpg('idle', 'x')")
        self.fails("mpg: expected a number for chip_time, found TEXT '12'", "SELECT mpg('idle', '12')")
        self.fails(
            "goodput_state: expected a number for chip_time, found BLOB of 2 bytes",
            "SELECT goodput_state('idle', x'0102')",
        )
        self.fails("mpg: expected a finite number, found inf", "SELECT mpg('idle', 9e999)")
        self.fails("mpg: expected a finite number, found -inf", "SELECT mpg('idle', -9e999)")
        self.fails("mpg: the sum of 'idle' would pass 2^122", "SELECT mpg('idle', 1e300)")
        self.fails(
            "mpg: the sum of 'lost' would pass 2^122", "SELECT mpg('lost', column1) FROM (VALUES (3e36), (3e36))"
        )

    def test_wide_rows(self):
        self.fails("mpg: capacity is NULL", "SELECT mpg(NULL, 1, 1, 1)")
        self.fails("mpg: capacity is NULL", "SELECT mpg(NULL, NULL, NULL, 0)")
        self.fails("mpg: allocated is NULL", "SELECT mpg(1, NULL, 1, 1)")
        for i, name in enumerate(["capacity", "allocated", "productive", "ideal"]):
            args = ["1", "1", "1", "1"]
            args[i] = "'7'"
            self.fails(f"mfu: expected a number for {name}, found TEXT '7'", f"SELECT mfu({','.join(args)})")
            args[i] = "9e999"
            self.fails("mfu: expected a finite number, found inf", f"SELECT mfu({','.join(args)})")

    def test_states(self):
        self.fails("mpg: expected a state of goodput_state, found TEXT 'MPGS'", "SELECT mpg('MPGS')")
        self.fails("mpg: expected a state of goodput_state, found INTEGER 1", "SELECT mpg(1)")
        self.fails("mpg: expected a state of goodput_state, found REAL 0.5", "SELECT mpg(0.5)")
        self.fails('goodput_merge: not a goodput state: it does not start with "MPGS"', "SELECT goodput_merge(x'')")
        self.fails('mpg: not a goodput state: it does not start with "MPGS"', "SELECT mpg(zeroblob(100))")
        self.fails("mpg: bad goodput state: 8 bytes, a state has at least 16", "SELECT mpg(x'4d50475301010000')")

        def sealed(body):
            return body + fnv1a(body)

        state = self.one("SELECT goodput_state('lost', 5)")
        self.fails(
            "mpg: goodput state of format version 2, expected version 1",
            "SELECT mpg(?)",
            sealed(b"MPGS\x02" + state[5:-8]),
        )
        self.fails(
            "mpg: goodput state with definitions of version 9, expected version 1",
            "SELECT mpg(?)",
            sealed(b"MPGS\x01\x09" + state[6:-8]),
        )
        self.fails("mpg: bad goodput state: its checksum does not match", "SELECT mpg(?)", state + b"\0")
        self.fails("mpg: bad goodput state: 3 bytes after the last entry", "SELECT mpg(?)", sealed(state[:-8] + b"abc"))
        self.fails(
            "mpg: bad goodput state: slot 20 has no meaning", "SELECT mpg(?)", sealed(state[:8] + b"\x14" + state[9:-8])
        )
        big = Model()
        big.sums["lost"] = Fraction(2**122 - 1)
        self.fails(
            "mpg: the sum of 'lost' would pass 2^122",
            "SELECT mpg(column1) FROM (VALUES (?), (?))",
            state_bytes(big),
            state_bytes(big),
        )
        self.assertEqual(self.one("SELECT runtime_goodput(?)", state_bytes(big)), 0.0)

    def test_every_damaged_byte_is_noticed(self):
        state = self.one(
            "SELECT goodput_state(column1, column2) FROM (VALUES "
            "('idle', 5), ('lost', -0.5), ('ideal', 1e30), ('queued', 1))"
        )
        for i in range(len(state)):
            for x in [1, 2, 4, 8, 16, 32, 64, 128, 255]:
                bad = bytearray(state)
                bad[i] ^= x
                with self.assertRaises(sqlite3.OperationalError):
                    self.one("SELECT goodput_state(?)", bytes(bad))
            with self.assertRaises(sqlite3.OperationalError):
                self.one("SELECT goodput_state(?)", state[:i])
        self.assertEqual(self.one("SELECT goodput_state(?)", state), state)

    def test_the_connection_goes_on(self):
        self.fails("mpg: category is NULL", "SELECT mpg(NULL, 1)")
        self.assertEqual(self.one("SELECT mpg('ideal', 1)"), 1.0)
        self.fails("wrong number of arguments to function mpg()", "SELECT mpg()")
        self.fails("wrong number of arguments to function mpg()", "SELECT mpg(1, 2, 3)")
        self.fails("wrong number of arguments to function goodput_merge()", "SELECT goodput_merge('idle', 1)")


class Windows(Case):
    def frames(self, r, kind):
        def bound(preceding):
            n = r.randrange(4)
            return r.choice(
                [
                    f"{n} PRECEDING",
                    f"{n} FOLLOWING",
                    "CURRENT ROW",
                    "UNBOUNDED PRECEDING" if preceding else "UNBOUNDED FOLLOWING",
                ]
            )

        while True:
            start, end = bound(True), bound(False)
            exclude = r.choice(["", " EXCLUDE CURRENT ROW", " EXCLUDE GROUP", " EXCLUDE TIES"])
            frame = f"{kind} BETWEEN {start} AND {end}{exclude}"
            try:
                self.db.execute(f"SELECT count(*) OVER (ORDER BY k {frame}) FROM t").fetchall()
                return frame
            except sqlite3.OperationalError:
                continue  # the frame ends before it starts

    def check_windows(self, columns, args, f, frame, make):
        # group_concat over the same frame says which rows are in it; the model sums those.
        found = self.db.execute(
            f"SELECT {f}({args}) OVER w, group_concat(id) OVER w FROM t WINDOW w AS (ORDER BY k {frame})"
        ).fetchall()
        rows = {row[0]: row[1:] for row in self.db.execute(f"SELECT id, {columns} FROM t")}
        for value, ids in found:
            model = Model()
            for i in (ids or "").split(","):
                if i:
                    make(model, rows[int(i)])
            if f == "goodput_state":
                self.assertEqual(value, state_bytes(model) if model.rows else None, frame)
            elif f == "goodput":
                wanted = model.answers()[f]
                self.assertEqual(value if value is None else json.loads(value), wanted, frame)
            else:
                self.assertEqual(value, model.answers()[f], frame)

    def run_form(self, seed, columns, row, make):
        r = random.Random(seed)
        names = columns.split(", ")
        self.db.execute(f"CREATE TABLE t(id INTEGER PRIMARY KEY, k, {columns})")
        for trial in range(30):
            self.db.execute("DELETE FROM t")
            for i in range(r.randrange(1, 40)):
                self.db.execute(f"INSERT INTO t VALUES (?, ?{', ?' * len(names)})", (i, r.randrange(12), *row(r)))
            for kind in ["ROWS", "RANGE", "GROUPS"]:
                frame = self.frames(r, kind)
                for f in ["goodput_state", r.choice(RATIOS + ["goodput"])]:
                    self.check_windows(columns, columns, f, frame, make)

    def test_rows_of_categories(self):
        self.run_form(
            6,
            "category, chip_time",
            lambda r: (r.choice(CATEGORIES), random_time(r)),
            lambda model, row: model.add(*row),
        )

    def test_wide_rows(self):
        self.run_form(7, "c, a, p, i", random_wide, lambda model, row: model.add_wide(*row))

    def test_states(self):
        models = {}

        def row(r):
            if r.random() < 0.1:
                return (None,)
            model = Model()
            for _ in range(r.randrange(4)):
                model.add(r.choice(CATEGORIES), random_time(r))
            models[state_bytes(model)] = model
            return (state_bytes(model),)

        self.run_form(8, "state", row, lambda model, row: model.merge(models[row[0]]) if row[0] is not None else None)

    def test_partitions_and_default_frame(self):
        self.db.execute("CREATE TABLE t(pool, k, c, v)")
        r = random.Random(9)
        for i in range(200):
            self.db.execute(
                "INSERT INTO t VALUES (?, ?, ?, ?)", (r.choice("abc"), i, r.choice(CATEGORIES), r.randrange(10**15))
            )
        found = self.db.execute(
            "SELECT pool, k, goodput_state(c, v) OVER (PARTITION BY pool ORDER BY k) FROM t"
        ).fetchall()
        for pool, k, value in found[::7]:
            self.assertEqual(value, self.one("SELECT goodput_state(c, v) FROM t WHERE pool = ? AND k <= ?", pool, k))

    def test_errors_in_windows(self):
        self.fails(
            "mpg: category is NULL",
            "SELECT mpg(column1, 1) OVER (ROWS 1 PRECEDING) FROM (VALUES ('idle'), ('lost'), (NULL))",
        )


class InSql(Case):
    def test_contract(self):
        deterministic, innocuous, direct_only = 0x800, 0x200000, 0x80000
        expected = {(f, n) for f in FUNCTIONS for n in (1, 2, 4)} | {("goodput_merge", 1)}
        found = self.db.execute("SELECT name, narg, type, flags FROM pragma_function_list").fetchall()
        seen = set()
        for name, nargs, kind, flags in found:
            if name in FUNCTIONS + ["goodput_merge"]:
                seen.add((name, nargs))
                self.assertEqual(kind, "w", name)
                self.assertTrue(flags & deterministic and flags & innocuous and not flags & direct_only, name)
        self.assertEqual(seen, expected)

    def table(self):
        self.db.executescript(
            """
            CREATE TABLE ledger(pool, job, category, chip_us);
            INSERT INTO ledger VALUES
                ('a', NULL, 'idle', 50), ('a', 'j1', 'ideal', 25), ('a', 'j1', 'lost', 25),
                ('b', NULL, 'idle', 10), ('b', 'j2', 'ideal', 90), ('c', NULL, 'idle', 7);
        """
        )

    def test_group_filter_having(self):
        self.table()
        rows = self.db.execute("SELECT pool, mpg(category, chip_us) FROM ledger GROUP BY pool ORDER BY pool").fetchall()
        self.assertEqual(rows, [("a", 0.25), ("b", 0.9), ("c", 0.0)])
        rows = self.db.execute(
            "SELECT pool FROM ledger GROUP BY pool HAVING mpg(category, chip_us) > 0.2 "
            "ORDER BY mpg(category, chip_us) DESC"
        ).fetchall()
        self.assertEqual(rows, [("b",), ("a",)])
        self.assertEqual(
            self.one(
                "SELECT mpg(category, chip_us) FILTER (WHERE pool = 'a'), "
                "mpg(category, chip_us) FILTER (WHERE pool = 'z'), mpg(category, chip_us) FROM ledger"
            ),
            (0.25, None, 115 / 207),
        )
        self.assertEqual(
            self.one(
                "SELECT group_concat(m) FROM (SELECT DISTINCT mpg(category, chip_us) AS m FROM ledger "
                "WHERE pool <> 'c' GROUP BY pool, 1 = 1 ORDER BY 1)"
            ),
            "0.25,0.9",
        )

    def test_distinct(self):
        state = self.one("SELECT goodput_state('idle', 5)")
        self.assertEqual(
            json.loads(self.one("SELECT goodput(DISTINCT column1) FROM (VALUES (?), (?), (NULL))", state, state))[
                "capacity"
            ],
            5,
        )
        self.fails("DISTINCT aggregates must have exactly one argument", "SELECT mpg(DISTINCT 'idle', 5)")

    def test_many_groups_at_once(self):
        """Aggregates of different forms in one query keep apart, each with a context of its own."""
        self.db.execute(
            "CREATE TABLE t AS WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n "
            "WHERE i < 4999) SELECT i, i % 1000 AS g, i + 1 AS v FROM n"
        )
        rows = self.db.execute(
            "SELECT g, mpg('ideal', v), scheduling_goodput(2 * v, v, v, v), "
            "json_extract(goodput('idle', v), '$.capacity'), sum(v) FROM t GROUP BY g"
        ).fetchall()
        self.assertEqual(len(rows), 1000)
        for _, m, sg, capacity, total in rows:
            self.assertEqual((m, sg, capacity), (1.0, 0.5, total))

    def test_correlated(self):
        self.table()
        rows = self.db.execute(
            "SELECT pool, (SELECT mpg(category, chip_us) FROM ledger WHERE pool = o.pool) "
            "FROM (SELECT DISTINCT pool FROM ledger) AS o ORDER BY pool"
        ).fetchall()
        self.assertEqual(rows, [("a", 0.25), ("b", 0.9), ("c", 0.0)])

    def test_untrusted_views(self):
        self.table()
        self.db.execute("CREATE VIEW v AS SELECT pool, mpg(category, chip_us) AS m FROM ledger GROUP BY pool")
        self.db.execute("PRAGMA trusted_schema = OFF")
        self.assertEqual(self.one("SELECT m FROM v WHERE pool = 'b'"), 0.9)

    def test_utf16(self):
        for encoding in ["UTF-16le", "UTF-16be"]:
            db = connect()
            db.execute(f"PRAGMA encoding = '{encoding}'")
            db.execute("CREATE TABLE t(c TEXT, v)")
            db.executemany("INSERT INTO t VALUES (?, ?)", [("idle", 3), ("ideal", 1)])
            self.assertEqual(db.execute("SELECT mpg(c, v), json_valid(goodput(c, v)) FROM t").fetchone(), (0.25, 1))
            with self.assertRaises(sqlite3.OperationalError) as caught:
                db.execute("SELECT mpg(c || 'é', v) FROM t").fetchall()
            self.assertTrue(str(caught.exception).startswith("mpg: unknown category 'idleé';"))
            db.close()

    def test_locale(self):
        before = locale.setlocale(locale.LC_NUMERIC)
        for name in ["de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "nl_NL.UTF-8", "pt_BR.UTF-8"]:
            try:
                locale.setlocale(locale.LC_NUMERIC, name)
                break
            except locale.Error:
                continue
        else:
            self.skipTest("no locale with a decimal comma here")
        try:
            self.assertIn('"capacity":0.5,', self.one("SELECT goodput('idle', 0.5)"))
        finally:
            locale.setlocale(locale.LC_NUMERIC, before)

    def test_messages_under_a_locale(self):
        """A host that calls setlocale, in a process of its own: the locale is made here."""
        folder = self.new_folder()
        if not shutil.which("localedef") or not os.path.exists(
            "/usr/share/i18n/locales/de_DE"
        ):  # without which it makes one with a point
            self.skipTest("no localedef, or no sources of locales, here")
        subprocess.run(
            ["localedef", "-c", "-i", "de_DE", "-f", "UTF-8", os.path.join(folder, "comma")],
            capture_output=True,
            check=False,
        )
        program = """if True:
            import locale, sys
            sys.path.insert(0, sys.argv[1])
            from fleets import connect
            locale.setlocale(locale.LC_NUMERIC, "comma")
            assert locale.localeconv()["decimal_point"] == ","
            db = connect()
            for sql in sys.argv[2:]:
                try:
                    print(db.execute(sql).fetchall())
                except Exception as error:
                    print(error)
            """
        chip = "CREATE TABLE chips AS SELECT 'one' AS chip, 'bf16' AS dtype, 1e12 AS peak_flops, 1.5 AS year"
        fleet = (
            "CREATE TABLE allocations AS SELECT 'j' AS job, 'p' AS pool, 1 AS chips, 0 AS start_time, 10 AS end_time, 'completed' AS outcome",
            "CREATE TABLE capacity AS SELECT 'p' AS pool, 'nvidia-h100-sxm' AS chip, 1 AS chips, 0 AS start_time, 10 AS end_time",
            "CREATE TABLE spans AS SELECT 'j' AS job, 'step' AS kind, 0 AS start_time, 1 AS end_time, 1.5e15 AS flops",
            "SELECT count(*) > 0 FROM mpg_ledger",
            "SELECT detail FROM mpg_issues WHERE kind = 'above_roofline'",
        )
        try:
            done = subprocess.run(
                [
                    sys.executable,
                    "-c",
                    program,
                    os.path.join(ROOT, "tests/support"),
                    "SELECT roofline_ideal(-1.5, 'tpu-v4')",
                    "SELECT roofline_seconds(1e12, 1.5)",
                    *fleet,
                    chip,
                    "SELECT roofline_seconds(1e12, 'one')",
                ],
                env=dict(os.environ, LOCPATH=folder),
                capture_output=True,
                text=True,
                check=True,
            )
        except OSError as error:
            if error.errno != errno.ENOEXEC:
                raise
            self.skipTest("an emulated processor: Python cannot start itself")
        said = [line for line in done.stdout.splitlines() if line != "[]"]
        self.assertEqual(
            said[:3],
            [
                "roofline_ideal: expected finite flops of at least 0, found -1.5",
                "roofline_seconds: expected text as chip, found 1.5",
                "[(1,)]",
            ],
        )
        self.assertIn(", up to 1.52 on ", said[3])
        self.assertIn("found 1.5", said[4])


if __name__ == "__main__":
    unittest.main()
