#!/usr/bin/python3
"""The PostgreSQL extension against SQLite's: the same rows give the same bytes, by any plan and over any shards."""

import os
import random
import re
import shutil
import subprocess
import tempfile
import unittest

import postgres
from fleets import ROOT, connect

TARGETS = ["postgres"]
RATIOS = [
    "scheduling_goodput",
    "runtime_goodput",
    "program_goodput",
    "mpg",
    "mpg_lower",
    "runtime_coverage",
    "program_coverage",
    "occupancy",
    "mfu",
    "ettr",
]
CATEGORIES = [
    "down",
    "idle",
    "partial",
    "startup",
    "lost",
    "unknown",
    "untraced",
    "inefficiency",
    "unrated",
    "ideal",
    "queued",
]


def copy_in(table, rows):
    def text(value):
        return "\\N" if value is None else repr(value) if isinstance(value, float) else str(value)

    return f"COPY {table} FROM STDIN;\n" + "".join("\t".join(map(text, row)) + "\n" for row in rows) + "\\.\n"


def setUpModule():
    global tree, server
    tree, server = postgres.started()


def rows_of(n, seed, types=("int", "real")):
    """(segment, category, chip_time): integers and reals over many magnitudes, a NULL now and then."""
    rng = random.Random(seed)
    rows = []
    for _ in range(n):
        category = rng.choice(CATEGORIES if rng.random() < 0.3 else CATEGORIES[:5] + ["ideal", "inefficiency"])
        kind = rng.choice(types)
        value = (
            rng.randrange(-(2**62), 2**62) >> rng.randrange(62)
            if kind == "int"
            else rng.gauss(0, 1) * 10.0 ** rng.randrange(-20, 20)
        )
        rows.append((rng.choice("abc"), category, None if rng.random() < 0.02 else value))
    return rows


class SameAsSqlite(unittest.TestCase):
    def both(self, table, rows, declaration, arguments, segment="segment"):
        """{segment: [state, every ratio, the JSON]} of the two hosts."""
        lite = connect()
        lite.execute(f"CREATE TABLE {table}({declaration})")
        lite.executemany(f"INSERT INTO {table} VALUES({','.join('?' * len(rows[0]))})", rows)
        wanted = ", ".join(f"{f}({arguments})" for f in RATIOS + ["goodput"])
        ours = lite.execute(
            f"SELECT {segment}, hex(goodput_state({arguments})), {wanted} FROM {table} GROUP BY 1 ORDER BY 1"
        )
        theirs = server.sql(
            f"DROP TABLE IF EXISTS {table}; CREATE TABLE {table}({declaration.replace('REAL', 'double precision')});"
            + copy_in(table, rows)
            + f"SELECT {segment}, upper(encode(goodput_state({arguments}), 'hex')), {wanted} FROM {table} GROUP BY 1 ORDER BY 1"
        )
        return ours.fetchall(), theirs

    def same(self, ours, theirs):
        self.assertEqual(len(ours), len(theirs))
        self.assertGreater(len(ours), 0)
        for a, b in zip(ours, theirs):
            self.assertEqual(a[1], b[1])
            self.assertEqual(a[-1], b[-1])
            for x, y in zip(a[2:-1], b[2:-1]):
                self.assertEqual(x, None if y is None else float(y))

    def test_integers(self):
        self.same(
            *self.both("ints", rows_of(3000, 1, ("int",)), "segment TEXT, category TEXT, v BIGINT", "category, v")
        )

    def test_reals(self):
        self.same(
            *self.both("reals", rows_of(3000, 2, ("real",)), "segment TEXT, category TEXT, v REAL", "category, v")
        )

    def test_wide_rows(self):
        rng = random.Random(3)
        for kind, draw in (("BIGINT", lambda: rng.randrange(10**9)), ("REAL", lambda: rng.random() * 1e9)):
            rows = []
            for _ in range(2000):
                row = [draw() for _ in range(4)]
                for i in (3, 2):
                    if rng.random() < 0.01:
                        row[i] = None
                rows.append((rng.choice("abc"), *(row if rng.random() > 0.01 else [None] * 4)))
            declaration = "segment TEXT, " + ", ".join(f"{c} {kind}" for c in ("c", "a", "g", "i"))
            self.same(*self.both("wide", rows, declaration, "c, a, g, i"))

    def test_nothing_summed_is_null(self):
        self.assertEqual(
            server.sql("SELECT mpg('idle', NULL::bigint), goodput_state('idle', NULL::bigint), mpg(NULL::bytea)"),
            [[None, None, None]],
        )
        self.assertEqual(server.sql("SELECT goodput_state('idle', 1) WHERE false"), [[None]])

    def test_states_cross_over_both_ways(self):
        rows = rows_of(500, 4)
        lite = connect()
        lite.execute("CREATE TABLE t(segment, category, v)")
        lite.executemany("INSERT INTO t VALUES(?, ?, ?)", rows)
        halves = [
            lite.execute("SELECT hex(goodput_state(category, v)) FROM t WHERE rowid % 2 = ?", (i,)).fetchone()[0]
            for i in (0, 1)
        ]
        whole = lite.execute("SELECT hex(goodput_state(category, v)) FROM t").fetchone()[0]
        values = ", ".join(f"(decode('{h}', 'hex'))" for h in halves)
        merged = server.sql(f"SELECT upper(encode(goodput_merge(s), 'hex')) FROM (VALUES {values}) AS x(s)")[0][0]
        self.assertEqual(merged, whole)
        self.assertEqual(lite.execute(f"SELECT hex(goodput_merge(x'{merged}'))").fetchone()[0], whole)

    def test_numeric(self):
        self.assertEqual(
            server.sql(
                "SELECT goodput_state('idle', 7::numeric) = goodput_state('idle', 7::bigint),"
                " goodput_state('idle', 7.00::numeric) = goodput_state('idle', 7::bigint),"
                " goodput_state('idle', 0.1::numeric) = goodput_state('idle', 0.1::double precision),"
                " goodput_state('idle', 9223372036854775807::numeric) = goodput_state('idle', 9223372036854775807)"
            ),
            [["t", "t", "t", "t"]],
        )

    def test_roofline(self):
        lite = connect()
        for expression in (
            "roofline_seconds(1e15, 'nvidia-h100-sxm')",
            "roofline_seconds(1e12, 1e15, 'tpu-v4')",
            "roofline_seconds(1e15, 0.0, 'nvidia-h100-sxm', 'fp8')",
            "chip_peak_flops('tpu-v5p')",
            "chip_bandwidth('nvidia-h100-sxm')",
            "roofline_seconds(NULL, 'tpu-v4')",
        ):
            ours = lite.execute("SELECT " + expression).fetchone()[0]
            theirs = server.sql("SELECT " + expression)[0][0]
            self.assertEqual(ours, None if theirs is None else float(theirs), expression)
        self.assertEqual(
            server.sql("SELECT roofline_bound(1e12, 1e15, 'tpu-v4'), roofline_bound(1e18, 1, 'tpu-v4')"),
            [["memory", "compute"]],
        )
        flops = [random.Random(5).random() * 10.0**e for e in range(5, 18)]
        ours = lite.execute("SELECT roofline_ideal(value, 'tpu-v4') FROM json_each(?)", (str(flops),)).fetchone()[0]
        theirs = server.sql(
            "SELECT roofline_ideal(f, 'tpu-v4') FROM unnest(ARRAY[%s]::double precision[]) f"
            % ",".join(map(repr, flops))
        )
        self.assertEqual(ours, float(theirs[0][0]))

    def test_small_functions(self):
        lite = connect()
        for call in (
            "job_size(15.999999)",
            "job_size(16)",
            "job_size('4096')",
            "job_size(3, '1,2,3')",
            "job_size(NULL)",
            "job_size(3, NULL)",
            "time_bucket(1767571549.85, '1 day')",
            "time_bucket('2026-01-05T23:30:00Z', '1 week')",
            "time_bucket(1767571549, 3600)",
            "time_bucket(1767571549, '1 month +02:00')",
            "time_bucket(NULL, '1 day')",
            "time_bucket(5, NULL)",
            "iso_week('2026-01-01')",
            "iso_week(1767571549, '-05:00')",
            "iso_week(NULL, '-05:00')",
            "iso_week(5, NULL)",
            "chip_interconnect('tpu-v4')",
            "chip_interconnect(NULL)",
            "chip_name('TPU v4')",
            "chip_name('abacus')",
            "chip_name(NULL)",
            "transformer_flops(NULL)",
            "mpg_version()",
            'transformer_flops(\'{"mode":"training","parameters":7e9,"tokens":1e6}\')',
        ):
            ours = lite.execute("SELECT " + call).fetchone()[0]
            theirs = server.sql("SELECT " + call)[0][0]
            self.assertEqual(ours, float(theirs) if isinstance(ours, float) else theirs, call)
        self.assertEqual(
            server.sql(
                "SELECT time_bucket(timestamptz '2026-01-05 23:30:00-05', '1 day'), iso_week(date '2026-01-01'), job_size(300::numeric),"
                ' transformer_flops(\'{"mode": "training", "parameters": 2, "tokens": 1}\'::jsonb)'
            ),
            [["2026-01-06", "2026-W01", "L", "12"]],
        )

    def test_beside_another_time_bucket(self):
        """TimescaleDB's takes (interval, timestamptz): each call finds its own."""
        self.assertEqual(
            server.sql(
                "CREATE SCHEMA other; CREATE FUNCTION other.time_bucket(interval, timestamptz) RETURNS text LANGUAGE sql AS"
                " $$ SELECT 'theirs' $$; SET search_path = public, other;"
                "SELECT time_bucket('1 day', now()), time_bucket(interval '1 day', now()),"
                " time_bucket(timestamptz '2026-01-05 12:00+00', '1 day'), time_bucket(1767571549, '1 day')"
            ),
            [["theirs", "theirs", "2026-01-05", "2026-01-05"]],
        )

    def test_tables_about_itself(self):
        lite = connect()
        for table, order in (("mpg_categories", "category"), ("mpg_chips", "chip, dtype")):
            cursor = lite.execute(f"SELECT * FROM {table} ORDER BY {order}")
            names = ", ".join(column[0] for column in cursor.description)
            ours = [[None if v is None else str(v) for v in row] for row in cursor]
            order = ", ".join(c + ' COLLATE "C"' for c in order.split(", "))
            theirs = server.sql(f"SELECT {names} FROM {table} ORDER BY {order}")
            self.assertEqual(len(ours), len(theirs))
            for a, b in zip(ours, theirs):
                self.assertEqual([number(v) for v in a], [number(v) for v in b])


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return text


class Plans(unittest.TestCase):
    def test_a_parallel_plan_gives_the_same_bytes(self):
        server.sql(
            "CREATE TABLE big AS SELECT i % 5 AS segment, (ARRAY['idle','ideal','lost','inefficiency'])[1 + i % 4] AS category,"
            " i::bigint * 1000003 % 999999937 AS v FROM generate_series(1, 200000) i; ANALYZE big"
        )
        query = "SELECT segment, encode(goodput_state(category, v), 'hex') FROM big GROUP BY 1 ORDER BY 1"
        serial = server.sql("SET max_parallel_workers_per_gather = 0;" + query)
        forced = (
            "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;"
            "SET max_parallel_workers_per_gather = 2;"
        )
        plan = "\n".join(row[0] for row in server.sql(forced + "EXPLAIN " + query))
        self.assertRegex(plan, r"Finalize (Group|Hash)Aggregate")
        self.assertRegex(plan, r"Partial (Group|Hash)Aggregate")
        self.assertRegex(plan, r"Workers Planned: 2")
        self.assertEqual(server.sql(forced + query), serial)

    def test_a_moving_window_equals_a_new_sum(self):
        rows = rows_of(400, 6)
        got = server.sql(
            "DROP TABLE IF EXISTS w; CREATE TABLE w(i serial, segment text, category text, v double precision);"
            + copy_in("w(segment, category, v)", rows)
            + "SELECT i, encode(goodput_state(category, v) OVER (ORDER BY i ROWS BETWEEN 9 PRECEDING AND 3 FOLLOWING), 'hex') FROM w ORDER BY i"
        )
        lite = connect()
        for i in (0, 1, 9, 10, 57, 200, 396, 399):
            lite.execute("DROP TABLE IF EXISTS t")
            lite.execute("CREATE TABLE t(segment, category, v REAL)")
            lite.executemany("INSERT INTO t VALUES(?, ?, ?)", rows[max(0, i - 9) : i + 4])
            self.assertEqual(
                lite.execute("SELECT lower(hex(goodput_state(category, v))) FROM t").fetchone()[0], got[i][1]
            )


class Errors(unittest.TestCase):
    def test_messages(self):
        for query, message in (
            ("SELECT mpg('ideel'::text, 1::bigint)", "mpg: unknown category 'ideel'; the categories are down, idle"),
            ("SELECT mpg(NULL, 1)", "mpg: category is NULL"),
            ("SELECT mpg('idle', 'NaN'::double precision)", "mpg: expected a finite number, found nan"),
            ("SELECT mpg('idle', '-Infinity'::numeric)", "mpg: expected a finite number, found -inf"),
            (
                "SELECT mpg('idle', 9223372036854775808::numeric)",
                "mpg: expected a whole number of at most 64 bits, found 9223372036854775808",
            ),
            ("SELECT mpg(NULL, 1, 1, 1)", "mpg: capacity is NULL"),
            (
                "SELECT goodput_merge('\\x4d5047'::bytea)",
                'goodput_merge: not a goodput state: it does not start with "MPGS"',
            ),
            (
                "SELECT goodput_merge(substr(s, 1, 20)) FROM (SELECT goodput_state('idle', 1) AS s) AS x",
                "goodput_merge: bad goodput state: its checksum does not match",
            ),
            ("SELECT roofline_seconds(1, 'h1000')", "roofline_seconds: unknown chip 'h1000'; nearest: nvidia-h100-sxm"),
            (
                "SELECT roofline_seconds(-1, 'tpu-v4')",
                "roofline_seconds: expected finite flops of at least 0, found -1",
            ),
            ("SELECT roofline_ideal(-1, 'tpu-v4')", "roofline_ideal: expected finite flops of at least 0, found -1"),
            ("SELECT chip_bandwidth('h1000')", "chip_bandwidth: unknown chip 'h1000'; nearest: nvidia-h100-sxm"),
            (
                "SELECT scheduling_goodput('ideel', 1)",
                "scheduling_goodput: unknown category 'ideel'; the categories are",
            ),
            ("SELECT mpg_lower(1, 'NaN', 1, 1)", "mpg_lower: expected a finite number, found nan"),
            ("SELECT ettr('idle', 9223372036854775808::numeric)", "ettr: expected a whole number of at most 64 bits"),
            ("SELECT mfu('ideel', 1) OVER ()", "mpg: unknown category 'ideel'"),
            ("SELECT job_size('many')", "job_size: expected a number of chips"),
            ("SELECT job_size(1, '3,2,1')", "job_size: bounds: expected three rising numbers"),
            ("SELECT time_bucket('noon', 1)", 'time_bucket: expected Unix seconds or ISO 8601 time, found "noon"'),
            ("SELECT time_bucket(5, 'fortnight')", "time_bucket: "),
            # As far away as makes 2025-12-31 of it in 64 bits of microseconds.
            (
                "SELECT time_bucket(date '586580-01-19', '1 day')",
                'time_bucket: expected Unix seconds or ISO 8601 time, found "586580-01-19"',
            ),
            ("SELECT time_bucket(date '5874897-12-31', '1 day')", "time_bucket: expected "),
            ("SELECT time_bucket(date '4713-01-01 BC', '1 day')", "time_bucket: expected "),
            ("SELECT iso_week(5, 'Paris')", "iso_week: expected an offset from UTC such as '+02:00', found 'Paris'"),
            ("SELECT transformer_flops('7e9')", "transformer_flops: expected a JSON object"),
            ('SELECT transformer_flops(\'{"mode":"training","tokenz":1}\')', "transformer_flops: "),
        ):
            with self.assertRaises(postgres.Failed) as caught:
                server.sql(query)
            self.assertIn("ERROR:  " + message, str(caught.exception))
        self.assertEqual(server.sql("SELECT 1"), [["1"]])  # the server lives


class Building(unittest.TestCase):
    def test_what_changed_is_built_anew(self):
        def made_anew(file):
            """What make would do if the file were new: the objects compiled, whether the library is linked."""
            done = subprocess.run(
                [
                    "make",
                    "-n",
                    "-C",
                    postgres.BUILD,
                    "-f",
                    os.path.join(ROOT, "ext/postgres/Makefile"),
                    "all",
                    "-W",
                    file,
                    "VPATH=" + os.path.join(ROOT, "ext/postgres"),
                ],
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            )
            return len(re.findall(r" -c -o \w+\.o ", done.stdout)), " -o mpg.so " in done.stdout

        self.assertEqual((0, False), made_anew("nothing"))
        self.assertEqual((0, True), made_anew(os.path.join(ROOT, "libmpg.a")))
        self.assertEqual((10, True), made_anew("flags"))

    def test_another_server(self):
        flags = os.path.join(postgres.BUILD, "flags")
        with open(flags, encoding="utf-8") as file:
            self.assertIn(postgres.pg_config("version"), file.read())
        before = os.stat(flags).st_mtime_ns
        subprocess.run(["make", "-s", "-C", ROOT, "postgres"], check=True, stdin=subprocess.DEVNULL)
        self.assertEqual(before, os.stat(flags).st_mtime_ns)


class Installation(unittest.TestCase):
    def test_it_calls_nobody_else(self):
        """Who may create functions where a superuser puts the extension gets none of them called."""
        server.sql("CREATE DATABASE hostile")
        server.sql(
            "CREATE ROLE mallory; GRANT CREATE ON SCHEMA public TO mallory; CREATE TABLE called(what text);"
            "GRANT INSERT ON called TO PUBLIC",
            "hostile",
        )
        script = "SET ROLE mallory;"
        for n in range(1, 8):
            arguments = ", ".join(["text"] * n)
            given = ", ".join(f"${i}" for i in range(2, n + 1))
            script += (
                f"CREATE FUNCTION format({arguments}) RETURNS text LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.called VALUES ('format');"
                f" RETURN pg_catalog.format($1{', VARIADIC ARRAY[' + given + ']' if given else ''}); END $$;"
            )
        script += (
            "CREATE FUNCTION unnest(text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.called VALUES ('unnest');"
            " RETURN QUERY SELECT pg_catalog.unnest($1); END $$;"
        )
        server.sql(script, "hostile")
        self.assertEqual(
            server.sql("CREATE EXTENSION mpg; SELECT what, count(*) FROM called GROUP BY what", "hostile"), []
        )
        self.assertEqual(server.sql("SELECT mpg('ideal', 1)", "hostile"), [["1"]])


class Regression(unittest.TestCase):
    def test_install_and_uninstall(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)

        def made(what):
            done = subprocess.run(
                ["make", "-s", "--no-print-directory", "-C", ROOT, what, f"DESTDIR={folder}"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            self.assertEqual(done.returncode, 0, done.stdout)
            return sorted(name for _, _, names in os.walk(folder) for name in names)

        self.assertEqual(made("postgres-install"), ["mpg--0.1.0.sql", "mpg.control", "mpg.so"])
        self.assertEqual(made("postgres-uninstall"), [])

    def test_pg_regress(self):
        """The extension's own suite, as `make installcheck` runs it."""
        program = os.path.join(
            os.path.dirname(os.path.dirname(postgres.pg_config("pgxs"))), "test", "regress", "pg_regress"
        )
        if not os.path.exists(program):
            self.skipTest("no pg_regress")
        folder = tempfile.mkdtemp()  # that the server may look into, as it may not into every repository
        self.addCleanup(shutil.rmtree, folder)
        suite = os.path.join(folder, "ext", "postgres")
        shutil.copytree(os.path.join(ROOT, "ext", "postgres"), suite)
        shutil.copytree(os.path.join(ROOT, "fixtures", "golden"), os.path.join(folder, "fixtures", "golden"))
        subprocess.run(["chmod", "-R", "a+rX", folder], check=True)
        names = re.search(r"^REGRESS = (.*)$", open(os.path.join(suite, "Makefile")).read(), re.M).group(1).split()
        done = subprocess.run(
            [
                program,
                "--inputdir=" + suite,
                "--outputdir=" + postgres.BUILD,
                "--bindir=" + tree.bin,
                "--host=" + server.folder,
                "--user=mpg",
                "--dbname=regression",
                *names,
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=postgres.BUILD,
            env=server.environment,
        )
        differences = os.path.join(postgres.BUILD, "regression.diffs")
        self.assertEqual(
            done.returncode, 0, done.stdout + (open(differences).read() if os.path.exists(differences) else "")
        )


def block(name=""):
    """A script of docs/postgres.md."""
    with open(os.path.join(ROOT, "docs/postgres.md"), encoding="utf-8") as file:
        return re.search(r"^```pgsql%s\n(.*?)^```$" % re.escape(name and " " + name), file.read(), re.M | re.S)[1]


class Page(unittest.TestCase):
    def test_the_first_example(self):
        rows = server.sql(
            "CREATE SCHEMA page; SET search_path = page, public;" + block().replace("CREATE EXTENSION mpg;", "")
        )
        with open(os.path.join(ROOT, "docs/postgres.md"), encoding="utf-8") as file:
            shown = re.search(r"^```pgsql\n.*?^```\n```\n(.*?)^```$", file.read(), re.M | re.S)[1].splitlines()
        self.assertEqual(rows, [[value.strip() for value in line.split("|")] for line in shown[2:]])


class Shards(unittest.TestCase):
    """A hub and two shards, as docs/postgres.md sets them up."""

    @classmethod
    def setUpClass(cls):
        rows = rows_of(20000, 7, ("int",))
        rng = random.Random(8)
        cls.rows = [
            (
                f"job-{i % 20}",
                pool,
                rng.choice(["training", "serving", None]),
                category,
                None if v is None else abs(v) >> 20,
            )
            for i, (pool, category, v) in enumerate(rows)
        ]
        cls.servers = {}
        for name in ("hub", "east", "west"):
            cls.servers[name] = postgres.Server(tree)
            cls.addClassCleanup(cls.servers[name].stop)
        hub = cls.servers["hub"]
        hub.sql(block("hub"))
        for i, name in enumerate(("east", "west")):
            cls.servers[name].sql(
                block("shard").replace("SHARD", name) + copy_in("ledger", cls.rows[i::2]) + "ANALYZE ledger"
            )
            hub.sql(block("hub-shard").replace("SHARD", name).replace("HOST", cls.servers[name].folder))
        hub.sql(block("view") + "ALTER DATABASE postgres SET enable_partitionwise_aggregate = on")

    def test_the_same_answer_as_one_server(self):
        server.sql(
            "DROP SCHEMA IF EXISTS one CASCADE; CREATE SCHEMA one; SET search_path = one, public;"
            "CREATE TABLE ledger(job text, pool text, phase text, category text, chip_us bigint);"
            + copy_in("ledger", self.rows)
        )
        one = server.sql(
            "SELECT pool, phase, scheduling_goodput(category, chip_us), runtime_goodput(category, chip_us),"
            " program_goodput(category, chip_us), mpg(category, chip_us) FROM one.ledger GROUP BY 1, 2 ORDER BY 1, 2"
        )
        self.assertEqual(self.servers["hub"].sql("SELECT * FROM goodput_by_phase ORDER BY 1, 2"), one)
        self.assertEqual(
            self.servers["hub"].sql(
                "SELECT pool, encode(goodput_merge(state), 'hex') FROM segment GROUP BY 1 ORDER BY 1"
            ),
            server.sql(
                "SELECT pool, encode(goodput_state(category, chip_us), 'hex') FROM one.ledger GROUP BY 1 ORDER BY 1"
            ),
        )

    def test_a_row_a_segment_goes_over_the_wire(self):
        plan = "\n".join(
            row[0]
            for row in self.servers["hub"].sql("EXPLAIN (ANALYZE, VERBOSE, TIMING off) SELECT * FROM goodput_by_phase")
        )
        scans = re.findall(r"Foreign Scan.*\(actual rows=(\d+)", plan)
        self.assertEqual(len(scans), 2, plan)
        self.assertLessEqual(sum(map(int, scans)), 2 * 3 * 3, plan)
        self.assertEqual(
            len(
                re.findall(
                    r"Remote SQL: SELECT shard, pool, phase, public.goodput_state\(category, chip_us\).* GROUP BY", plan
                )
            ),
            2,
            plan,
        )
        self.assertIn("Async Foreign Scan", plan)

    def test_a_shard_that_is_down(self):
        lost = postgres.Server(tree)
        hub = self.servers["hub"]
        lost.sql(block("shard").replace("SHARD", "north") + "INSERT INTO ledger VALUES (NULL, 'a', NULL, 'idle', 1)")
        hub.sql(block("hub-shard").replace("SHARD", "north").replace("HOST", lost.folder))
        self.addCleanup(hub.sql, "DROP SERVER north CASCADE")
        self.assertEqual(len(hub.sql("SELECT DISTINCT shard FROM segment")), 3)
        lost.stop()
        with self.assertRaisesRegex(postgres.Failed, 'could not connect to server "north"'):
            hub.sql("SELECT * FROM goodput_by_phase")

    def test_a_shard_that_is_there_twice(self):
        """Under another's name a server does not answer, whatever is asked."""
        hub = self.servers["hub"]
        hub.sql(block("hub-shard").replace("SHARD", "south").replace("HOST", self.servers["east"].folder))
        self.addCleanup(hub.sql, "DROP SERVER south CASCADE")
        for query in (
            "SELECT * FROM goodput_by_phase",
            "SELECT count(*) FROM ledger",
            "SELECT * FROM ledger WHERE shard = 'south'",
            "SET enable_partitionwise_aggregate = off; SELECT mpg(category, chip_us) FROM ledger",
        ):
            with self.assertRaisesRegex(postgres.Failed, "this server is the shard east, and was asked as south"):
                hub.sql(query)

    def test_a_job_in_two_shards(self):
        hub, west = self.servers["hub"], self.servers["west"]
        self.assertEqual(hub.sql("SELECT * FROM divided_jobs"), [])
        west.sql("INSERT INTO ledger SELECT 'job-4', pool, phase, category, 0 FROM ledger LIMIT 3")
        self.addCleanup(west.sql, "DELETE FROM ledger WHERE job = 'job-4'")
        self.assertEqual(hub.sql("SELECT * FROM divided_jobs"), [["job-4", "2", "east", "west"]])


if __name__ == "__main__":
    unittest.main()
