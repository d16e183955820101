"""docs/security.md, held against the extension: what each name may do, where, and that no stored schema opens a file."""

import contextlib
import ctypes
import itertools
import os
import re
import sqlite3
import struct
import subprocess
import tempfile
import unittest

import figures
from fleets import ROOT, connect, quote
from formats import FORMATS
from table_functions import every

FULL = bool(os.environ.get("MPG_FULL"))
PAGE = os.path.join(ROOT, "docs", "security.md")
BITS = {"DIRECTONLY": 0x80000, "INNOCUOUS": 0x200000}
IN_OPEN, IN_NONBLOCK = 0x20, 0o4000
UNSAFE = "^unsafe use of |^malformed database schema .* - unsafe use of "


def documented():
    """{name: (tier, opens files)} of the table "What each name may do"."""
    found = {}
    with open(PAGE, encoding="utf-8") as page:
        for tier, opens, names in re.findall(
            r"^\| (DIRECTONLY|default|INNOCUOUS) \| (yes|no) \| (.*?) \|", page.read(), re.M
        ):
            if "(table-functions.md)" in names or "(questions.md)" in names:
                listed = [table.name for table in every() if table.over_files == (opens == "yes")]
            elif "of [each format]" in names:
                listed = sorted({sample.table for format in FORMATS.values() for sample in format.samples})
            else:
                listed = re.findall(r"`(\w+)`", names)
            for name in listed:
                assert name not in found, name
                found[name] = tier, opens == "yes"
    return found


def names(entry=None):
    """(functions: {name: (arguments, ...)}, kinds and flags; tables) that loading adds."""
    db, bare = sqlite3.connect(":memory:"), sqlite3.connect(":memory:")
    db.enable_load_extension(True)
    db.execute("SELECT load_extension(?, ?)", (os.path.join(ROOT, "mpg"), entry or "sqlite3_mpg_init"))
    functions = "SELECT name, narg, type, flags FROM pragma_function_list"
    tables = "SELECT name FROM pragma_module_list"
    return (
        sorted(set(db.execute(functions)) - set(bare.execute(functions))),
        sorted(name for name, in set(db.execute(tables)) - set(bare.execute(tables))),
    )


FUNCTIONS_TRIED = "calls of a function by a stored schema"
TABLES_TRIED = "readings of a table by a stored schema"
CRAFTED_TRIED = "databases with rows written into sqlite_schema by hand"
TRIED = {FUNCTIONS_TRIED: 0, TABLES_TRIED: 0, CRAFTED_TRIED: 0}


def tearDownModule():
    figures.record("security", TRIED)


class Watch:
    """Notices every open() of a file by this process and its children, through inotify."""

    def __init__(self, path):
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.fd = self.libc.inotify_init1(IN_NONBLOCK)
        if self.fd < 0 or self.libc.inotify_add_watch(self.fd, os.fsencode(path), IN_OPEN) < 0:
            raise OSError(ctypes.get_errno(), "inotify")

    def opened(self):
        """How often since the last call."""
        with contextlib.suppress(BlockingIOError):
            return len(os.read(self.fd, 1 << 16)) // struct.calcsize("iIII")
        return 0

    def close(self):
        os.close(self.fd)


def attempt(db, *statements):
    """The error of the first statement that has one, else None."""
    for statement in statements:
        try:
            db.execute(statement).fetchall()
        except sqlite3.Error as error:
            return str(error)
    return None


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.canary = os.path.join(cls.folder.name, "canary.csv")
        with open(cls.canary, "w") as file:
            file.write("a,b\n1,2\n")
        cls.watch = Watch(cls.canary)
        cls.functions, cls.tables = names()
        cls.page = documented()

    @classmethod
    def tearDownClass(cls):
        cls.watch.close()
        cls.folder.cleanup()

    def stranger(self, statements, functions=(), rows=()):
        """The bytes of a database that somebody without the extension wrote; functions stand in for those it names, rows go into
        sqlite_schema as they are."""
        db = sqlite3.connect(":memory:", isolation_level=None)
        for function, narg in functions:
            db.create_function(function, narg, lambda *_: 1, deterministic=True)
        for statement in statements:
            db.execute(statement)
        db.execute("PRAGMA writable_schema = 1")
        for kind, called, page, sql in rows:
            db.execute(
                "INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)",
                (kind, called, "t" if kind in ("trigger", "index") else called, page, sql),
            )
        content = db.serialize()
        db.close()
        return content

    def visit(self, content, trusted):
        db = connect()
        db.deserialize(content)
        db.execute(f"PRAGMA trusted_schema = {trusted}")
        return db


class Tiers(Case):
    def test_every_name_has_its_line(self):
        self.assertEqual(sorted({f[0] for f in self.functions} | set(self.tables)), sorted(self.page))

    def test_flags_of_functions(self):
        for name, _, _, flags in self.functions:
            tier, opens = self.page[name]
            self.assertTrue(not opens or tier == "DIRECTONLY", f"{name}: a function that opens a file")
            self.assertEqual({tier} - {"default"}, {bit for bit, value in BITS.items() if flags & value}, name)

    def test_only_directonly_opens_files(self):
        for name, (tier, opens) in self.page.items():
            self.assertTrue(tier == "DIRECTONLY" or not opens, name)

    def outcome(self, name, tier, trusted, stored, error):
        """In what is stored: DIRECTONLY never, default where the schema is trusted, INNOCUOUS always."""
        refused = stored and (tier == "DIRECTONLY" or (tier == "default" and not trusted))
        if refused:
            self.assertRegex(error or "no error", UNSAFE, name)
        elif error is not None:
            self.assertNotRegex(error, UNSAFE, name)

    def test_functions(self):
        """Each with each number of arguments, at every place where a schema may name a function."""
        for name, narg, kind, _ in self.functions:
            call = f"{name}({', '.join(['a'] * narg)})"
            places = {
                "view": (["CREATE VIEW v AS SELECT %s FROM t"], "SELECT * FROM v"),
                "trigger": (
                    ["CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT %s FROM t; END"],
                    "INSERT INTO t(a) VALUES (NULL)",
                ),
            }
            if kind == "s":
                places |= {
                    "condition of a trigger": (
                        ["CREATE TRIGGER r AFTER INSERT ON t WHEN %s BEGIN SELECT 1; END"],
                        "INSERT INTO t(a) VALUES (NULL)",
                    ),
                    "virtual column": (
                        ["CREATE TABLE s(a, b AS (%s))", "INSERT INTO s VALUES (NULL)"],
                        "SELECT b FROM s",
                    ),
                    "stored column": (["CREATE TABLE s(a, b AS (%s) STORED)"], "INSERT INTO s VALUES (NULL)"),
                    "check": (["CREATE TABLE s(a CHECK (%s))"], "INSERT INTO s VALUES (NULL)"),
                    "index": (["CREATE TABLE s(a)", "CREATE INDEX i ON s(%s)"], "INSERT INTO s VALUES (NULL)"),
                    "partial index": (
                        ["CREATE TABLE s(a)", "CREATE INDEX i ON s(a) WHERE %s"],
                        "INSERT INTO s VALUES (NULL)",
                    ),
                    "default": (["CREATE TABLE s(a, b DEFAULT (%s))"], "INSERT INTO s(a) VALUES (NULL)"),
                }
            for place, (schema, use) in places.items():
                inner = (
                    call.replace("(a", "(new.a").replace(", a", ", new.a") if place.startswith("condition") else call
                )
                if place == "default":
                    inner = f"{name}({', '.join(['NULL'] * narg)})"
                path = self.stranger(["CREATE TABLE t(a)"] + [s.replace("%s", inner) for s in schema], [(name, narg)])
                for trusted in (0, 1):
                    with self.subTest(name=name, narg=narg, place=place, trusted=trusted):
                        db = self.visit(path, trusted)
                        TRIED[FUNCTIONS_TRIED] += 1
                        error = attempt(db, "BEGIN", use)
                        self.outcome(name, self.page[name][0], trusted, True, error)
                        db.close()
            for trusted in (0, 1):
                db = self.visit(self.stranger(["CREATE TABLE t(a)"]), trusted)
                for own in (
                    f"SELECT {call} FROM t",
                    f"WITH c AS (SELECT {call} AS x FROM t) SELECT * FROM c",
                    f"CREATE TEMP VIEW w AS SELECT {call} FROM t; SELECT * FROM w",
                    f"CREATE TEMP TRIGGER r AFTER INSERT ON t BEGIN SELECT {call} FROM t; END; INSERT INTO t VALUES (NULL)",
                ):
                    with self.subTest(name=name, own=own, trusted=trusted):
                        self.outcome(
                            name,
                            self.page[name][0],
                            trusted,
                            False,
                            attempt(db, *re.split(r"; (?=SELECT \*|INSERT)", own)),
                        )
                db.close()

    # Where a schema may name a table, as what follows FROM. Each has a table t, views v and u and a trigger r of its own.
    PLACES = {
        "view": (["CREATE VIEW v AS SELECT * FROM %s"], "SELECT * FROM v"),
        "view of a view": (
            ["CREATE VIEW u AS SELECT * FROM %s", "CREATE VIEW v AS SELECT * FROM u"],
            "SELECT * FROM v",
        ),
        "subquery": (["CREATE VIEW v AS SELECT (SELECT count(*) FROM %s)"], "SELECT * FROM v"),
        "common table expression": (
            ["CREATE VIEW v AS WITH c AS (SELECT * FROM %s) SELECT * FROM c"],
            "SELECT * FROM v",
        ),
        "join": (["CREATE VIEW v AS SELECT t.a FROM t LEFT JOIN %s"], "SELECT * FROM v"),
        "condition": (["CREATE VIEW v AS SELECT a FROM t WHERE EXISTS (SELECT 1 FROM %s)"], "SELECT * FROM v"),
        "union": (["CREATE VIEW v AS SELECT 1 UNION SELECT 1 FROM %s"], "SELECT * FROM v"),
        "trigger": (["CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT * FROM %s; END"], "INSERT INTO t VALUES (NULL)"),
        "insert of a trigger": (
            ["CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO t SELECT 1 FROM %s; END"],
            "INSERT INTO t VALUES (NULL)",
        ),
        "update of a trigger": (
            ["CREATE TRIGGER r AFTER INSERT ON t BEGIN UPDATE t SET a = (SELECT count(*) FROM %s); END"],
            "INSERT INTO t VALUES (NULL)",
        ),
        "condition of a trigger": (
            ["CREATE TRIGGER r AFTER INSERT ON t WHEN EXISTS (SELECT 1 FROM %s) BEGIN SELECT 1; END"],
            "INSERT INTO t VALUES (NULL)",
        ),
        "trigger of a view": (
            ["CREATE VIEW v AS SELECT 1 AS a", "CREATE TRIGGER r INSTEAD OF INSERT ON v BEGIN SELECT * FROM %s; END"],
            "INSERT INTO v VALUES (NULL)",
        ),
    }

    def calls(self, table):
        """As a function with the path, and as a bare name with a condition."""
        if not self.page[table][1]:
            return [f"{table}(NULL)" if table == "interval_buckets" else table]
        path = quote(self.canary)
        if table == "trace_profile_diff":
            return [f"{table}({path}, {path})", f"(SELECT * FROM {table} WHERE base = {path} AND test = {path})"]
        name, value = {"log_trace": ("pattern", "'x'"), "trace_timeline": ("of_job", "'j'")}.get(
            table, ("on_error", "'stop'")
        )
        second = "" if name == "on_error" else f", {value}"
        return [f"{table}({path}{second})", f"(SELECT * FROM {table} WHERE path = {path} AND {name} = {value})"]

    def places(self):
        """PLACES in one schema: (place, statements that make it, its use)."""
        for nth, (place, (schema, use)) in enumerate(self.PLACES.items()):
            own = [re.sub(r"\b([tuvr])\b", rf"\g<1>{nth}", text) for text in ["CREATE TABLE t(a)", *schema, use]]
            yield place, own[:-1], own[-1]

    def test_tables(self):
        relations = ["CREATE TABLE capacity(pool, chips, start_time, end_time)"]
        places, turns = list(self.places()), itertools.count()
        for table in self.tables:
            tier, opens = self.page[table]
            for call in self.calls(table):
                turn = next(turns)
                made = [text.replace("%s", call) for _, schema, _ in places for text in schema]
                path = self.stranger(relations + made)
                for trusted in (0, 1):
                    db = self.visit(path, trusted)
                    for place, schema, use in places:
                        with self.subTest(table=table, call=call, place=place, trusted=trusted):
                            TRIED[TABLES_TRIED] += 1
                            self.outcome(table, tier, trusted, True, attempt(db, "BEGIN", use))
                            view = re.search(r"CREATE VIEW (v\d+)", schema[-1])
                            self.outcome(
                                table,
                                tier,
                                trusted,
                                True,
                                (
                                    attempt(
                                        db, f"CREATE TEMP VIEW w AS SELECT * FROM main.{view[1]}", "SELECT * FROM w"
                                    )
                                    if view
                                    else attempt(db, use)
                                ),
                            )
                            db.execute("ROLLBACK")
                    db.close()
                self.assertEqual(0, self.watch.opened(), call)
                for trusted in (0, 1):
                    db = self.visit(self.stranger(["CREATE TABLE t(a)"] + relations), trusted)
                    # What is the user's own is trusted at any setting: each place is tried with the stricter one, by every third call.
                    for nth, (place, (schema, use)) in enumerate(list(self.PLACES.items())[: 1 if trusted else None]):
                        if nth > 0 and (nth + turn) % 3 > 0 and not FULL:
                            continue
                        with self.subTest(table=table, own=place, trusted=trusted):
                            own = [s.replace("%s", call).replace("CREATE", "CREATE TEMP") for s in schema]
                            self.outcome(table, tier, trusted, False, attempt(db, "SAVEPOINT s", *own, use))
                            db.execute("ROLLBACK TO s")
                    db.close()
                # Else the watch would prove nothing. trace_files opens folders, and looks at files from outside.
                self.assertEqual(opens and table != "trace_files", self.watch.opened() > 0, call)


# A module of somebody else's: DIRECTONLY, made in any schema as opener('PATH', column, ...), opens PATH when it is read.
OPENER = r"""
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT1
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct table { sqlite3_vtab base; char *path; } table;

static int connect_(sqlite3 *db, void *aux, int n, const char *const *args, sqlite3_vtab **out, char **error) {
  sqlite3_str *sql = sqlite3_str_new(db);
  table *t = sqlite3_malloc(sizeof *t);
  char *text;
  memset(t, 0, sizeof *t);
  t->path = sqlite3_mprintf("%.*s", (int)strlen(args[3]) - 2, args[3] + 1);
  sqlite3_str_appendf(sql, "CREATE TABLE x(%s", args[4]);
  for (int i = 5; i < n; i++)
    sqlite3_str_appendf(sql, ", %s", args[i]);
  sqlite3_str_appendall(sql, ")");
  text = sqlite3_str_finish(sql);
  sqlite3_declare_vtab(db, text);
  sqlite3_free(text);
  *out = &t->base;
  return sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
}
static int disconnect(sqlite3_vtab *t) {
  sqlite3_free(((table *)t)->path);
  sqlite3_free(t);
  return SQLITE_OK;
}
static int best_index(sqlite3_vtab *t, sqlite3_index_info *info) { return SQLITE_OK; }
static int open_(sqlite3_vtab *t, sqlite3_vtab_cursor **out) {
  *out = sqlite3_malloc(sizeof **out);
  return SQLITE_OK;
}
static int close_(sqlite3_vtab_cursor *c) {
  sqlite3_free(c);
  return SQLITE_OK;
}
static int filter(sqlite3_vtab_cursor *c, int i, const char *s, int n, sqlite3_value **v) {
  close(open(((table *)c->pVtab)->path, O_RDONLY));
  return SQLITE_OK;
}
static int next(sqlite3_vtab_cursor *c) { return SQLITE_OK; }
static int eof(sqlite3_vtab_cursor *c) { return 1; }
static int column(sqlite3_vtab_cursor *c, sqlite3_context *x, int i) { return SQLITE_OK; }
static int rowid(sqlite3_vtab_cursor *c, sqlite3_int64 *row) { return SQLITE_OK; }

int sqlite3_opener_init(sqlite3 *db, char **error, const sqlite3_api_routines *api) {
  static const sqlite3_module module = {0, connect_, connect_, best_index, disconnect, disconnect, open_, close_,
                                        filter, next, eof, column, rowid};
  SQLITE_EXTENSION_INIT2(api);
  return sqlite3_create_module(db, "opener", &module, NULL);
}
"""


class CraftedSchemas(Case):
    """Databases that no SQLite statement makes: rows written into sqlite_schema."""

    def crafted(self, rows):
        TRIED[CRAFTED_TRIED] += 1
        return self.stranger(["CREATE TABLE t(a)", "INSERT INTO t VALUES (1)"], rows=rows)

    def use(self, rows, statements):
        content = self.crafted(rows)
        for trusted in (0, 1):
            for options in ([], ["PRAGMA writable_schema = 1"], ["PRAGMA legacy_alter_table = 1"]):
                db = self.visit(content, trusted)
                for statement in options + statements:
                    attempt(db, statement)
                db.close()
        self.assertEqual(0, self.watch.opened(), rows)

    def test_tables_made_of_readers(self):
        """Under its own and under another name, with and without arguments, in main and called temp: each table in every third way, in all
        where MPG_FULL is set."""
        ways = itertools.count()
        for nth, table in enumerate(self.tables):
            for called in ("x", table):
                for argument in ("", f"({quote(self.canary)})", f"(path={quote(self.canary)})"):
                    for schema in ("", "temp.", "main."):
                        if (nth + next(ways)) % 3 > 0 and not FULL:
                            continue
                        rows = [("table", called, 0, f"CREATE VIRTUAL TABLE {schema}{called} USING {table}{argument}")]
                        self.use(
                            rows,
                            [
                                f"SELECT * FROM {called}",
                                f"SELECT * FROM main.{called}",
                                f"INSERT INTO {called} VALUES (1)",
                                f"DROP TABLE {called}",
                                f"ALTER TABLE {called} RENAME TO y",
                                "SELECT * FROM y",
                                "VACUUM",
                                "PRAGMA integrity_check",
                                f"PRAGMA table_xinfo({called})",
                                "ANALYZE",
                            ],
                        )

    def test_views_renamed_and_triggers_that_call_temp(self):
        reader = f"csv_trace({quote(self.canary)})"
        for rows in (
            [("view", "v", 0, f"CREATE VIEW temp.v AS SELECT * FROM {reader}")],
            [("view", "v", 0, f"CREATE TEMP VIEW v AS SELECT * FROM {reader}")],
            [("trigger", "r", 0, f"CREATE TEMP TRIGGER r AFTER INSERT ON t BEGIN SELECT * FROM {reader}; END")],
            [("table", "v", 0, f"CREATE VIEW v AS SELECT * FROM {reader}")],
            [
                ("view", "v", 0, f"CREATE VIEW v AS SELECT * FROM {reader}"),
                ("view", "csv_trace", 0, "CREATE VIEW csv_trace AS SELECT * FROM v"),
            ],
            [("table", "v", 0, f"CREATE TABLE v(a CHECK (EXISTS (SELECT 1 FROM {reader})))")],
            [("table", "v", 0, f"CREATE TABLE v(a, b DEFAULT (SELECT count(*) FROM {reader}))")],
            [("table", "v", 0, f"CREATE TABLE v AS SELECT * FROM {reader}")],
            [("index", "i", 0, f"CREATE INDEX i ON t(a) WHERE EXISTS (SELECT 1 FROM {reader})")],
        ):
            self.use(
                rows,
                [
                    "SELECT * FROM v",
                    "SELECT * FROM main.v",
                    "SELECT * FROM temp.v",
                    "INSERT INTO t VALUES (2)",
                    "INSERT INTO v VALUES (2)",
                    "ALTER TABLE t RENAME TO u",
                    "ALTER TABLE u RENAME a TO b",
                    "SELECT * FROM csv_trace",
                    "REINDEX",
                ],
            )

    def test_a_crafted_relation_is_not_read_for_another(self):
        """What is INNOCUOUS, or trusted, must not lend its hands to a table that is DIRECTONLY: the rows of the schema say table or
        view, with a page or without, and are virtual."""
        source, library = (os.path.join(self.folder.name, name) for name in ("opener.c", "opener.so"))
        with open(source, "w") as file:
            file.write(OPENER)
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source], check=True)
        questions = {
            "capacity": [
                "SELECT * FROM mpg_records",
                "SELECT * FROM mpg_runs",
                "SELECT * FROM mpg_rollup",
                "SELECT * FROM mpg_ledger('main')",
                "SELECT * FROM mpg_timeline('j')",
            ],
            "chips": [
                "SELECT chip_peak_flops('tpu-v4')",
                "SELECT * FROM mpg_chips",
                "SELECT roofline_ideal(1, 'tpu-v4')",
            ],
        }
        columns = {"capacity": "pool, chips, start_time, end_time", "chips": "chip, dtype, peak_flops"}

        def visit(rows, trusted):
            db = self.visit(self.crafted(rows), trusted)
            db.load_extension(library)
            return db

        for relation, queries in questions.items():
            make = f"USING opener({quote(self.canary)}, {columns[relation]})"
            for kind in ("table", "view"):
                for page in (0, 2):
                    for sql in (
                        f"CREATE VIRTUAL TABLE {relation} {make}",
                        f"CREATE /**/ VIRTUAL TABLE {relation} {make}",
                        f"CREATE VIEW {relation} AS SELECT {columns[relation]} FROM u",
                    ):
                        rows = [(kind, relation, page, sql), ("table", "u", 0, f"CREATE VIRTUAL TABLE u {make}")]
                        for query in queries:
                            for trusted in (0, 1):
                                db = visit(rows, trusted)
                                attempt(db, query)
                                attempt(db, f"CREATE VIEW asked AS {query}")
                                attempt(db, "SELECT * FROM asked")
                                db.close()
                        self.assertEqual(0, self.watch.opened(), (kind, page, sql))
        self.assertIsNone(attempt(visit([("table", "u", 0, f"CREATE VIRTUAL TABLE u {make}")], 0), "SELECT * FROM u"))
        self.assertGreater(self.watch.opened(), 0)  # else the watch would prove nothing

    def test_virtual_tables_that_no_statement_has_used_yet(self):
        """SQLite does not know their columns then, and 3.53 crashes if it is asked for one."""
        path = os.path.join(self.folder.name, "reopened.db")
        db = connect(path)
        db.execute("CREATE VIRTUAL TABLE chips USING fts5(chip, dtype, peak_flops)")
        db.execute("CREATE VIRTUAL TABLE spans USING fts5(job, kind, start_us, end_us, start_time, end_time)")
        db.close()
        self.assertEqual([(275e12,)], connect(path).execute("SELECT chip_peak_flops('tpu-v4', 'bf16')").fetchall())
        with self.assertRaisesRegex(
            sqlite3.OperationalError, "^mpg_records: main.spans: expected a table or a view, found a virtual table"
        ):
            connect(path).execute("SELECT * FROM mpg_records")

    def test_relations_that_are_virtual(self):
        db = connect()
        db.execute("CREATE VIRTUAL TABLE capacity USING fts5(pool, chips, start_time, end_time)")
        with self.assertRaisesRegex(
            sqlite3.OperationalError,
            "^mpg_records: main.capacity: expected a table or a view, found a virtual table; "
            "only in temp may it be one$",
        ):
            db.execute("SELECT * FROM mpg_records")
        db = connect()
        db.execute("CREATE VIRTUAL TABLE temp.capacity USING fts5(pool, chips, start_time, end_time)")
        db.execute("INSERT INTO capacity VALUES ('p', 2, 0, 10)")
        self.assertEqual([("capacity", "p")], db.execute("SELECT record, pool FROM mpg_records").fetchall())


class WithoutFiles(Case):
    """sqlite3_mpg_nofs_init."""

    def test_what_is_there(self):
        functions, tables = names("sqlite3_mpg_nofs_init")
        self.assertEqual([t for t in self.tables if not self.page[t][1]], tables)
        opens = ("mpg_import", "mpg_build", "mpg_time")  # of zones the last
        self.assertEqual([f for f in self.functions if f[0] not in opens], functions)

    def test_it_answers(self):
        text = """SELECT load_extension('./mpg', 'sqlite3_mpg_nofs_init');
            CREATE TABLE capacity(pool, chips, start_time, end_time);
            INSERT INTO capacity VALUES ('p', 2, 0, 10);
            SELECT sum(chip_us), occupancy(category, chip_us) FROM mpg_rollup;
            SELECT * FROM csv_trace('x');"""
        done = subprocess.run(
            ["sqlite3", "-batch", "-init", "/dev/null", ":memory:"],
            cwd=ROOT,
            input=text,
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual("\n20000000|0.0\n", done.stdout)
        self.assertIn("no such table: csv_trace", done.stderr)

    def test_nothing_is_opened(self):
        """Every function and table, with the path of a file for every argument."""
        functions, tables = names("sqlite3_mpg_nofs_init")
        db = sqlite3.connect(":memory:")
        db.enable_load_extension(True)
        db.execute("SELECT load_extension(?, 'sqlite3_mpg_nofs_init')", (os.path.join(ROOT, "mpg"),))
        db.enable_load_extension(False)
        for name, narg, _, _ in functions:
            attempt(db, f"SELECT {name}({', '.join([quote(self.canary)] * narg)})")
        for table in tables:
            for narg in range(4):
                attempt(db, f"SELECT * FROM {table}({', '.join([quote(self.canary)] * narg)})")
        self.assertEqual(0, self.watch.opened())


@unittest.skipIf(os.environ.get("MPG_COVERAGE"), "built to count lines, by other flags")
class Hardening(unittest.TestCase):
    """What Debian's build flags ask for, read from mpg.so as hardening-check reads it."""

    def read(self, *command):
        return subprocess.run(
            [*command, os.path.join(ROOT, "mpg.so")], capture_output=True, text=True, check=True
        ).stdout

    def features(self):
        """As the system's dpkg has them with hardening=+all, as ext/package/debian/rules does; where there is no dpkg, Debian 12's."""
        try:
            text = subprocess.run(
                ["dpkg-buildflags", "--query-features", "hardening"],
                capture_output=True,
                text=True,
                check=True,
                env={**os.environ, "DEB_BUILD_MAINT_OPTIONS": "hardening=+all"},
            ).stdout
        except FileNotFoundError:
            text = "".join(
                f"Feature: {f}\nEnabled: yes\n"
                for f in ("bindnow", "format", "fortify", "relro", "stackprotectorstrong")
            )
        return set(re.findall(r"^Feature: (\w+)\nEnabled: yes", text, re.M))

    def test_flags(self):
        features = self.features()
        self.assertLessEqual({"bindnow", "format", "fortify", "relro", "stackprotectorstrong"}, features)
        segments, dynamic, imports = (
            self.read("readelf", "-lW"),
            self.read("readelf", "-dW"),
            self.read("nm", "-D", "--undefined-only"),
        )
        self.assertIn("GNU_RELRO", segments)
        self.assertRegex(dynamic, r"\(FLAGS\).*BIND_NOW|\(BIND_NOW\)")
        self.assertIn("__stack_chk_fail@", imports)
        self.assertRegex(imports, r"\b__\w+_chk@")  # FORTIFY: what the compiler cannot tell is checked as it runs
        self.assertNotRegex(imports, r"\b(gets|strcpy|strcat|sprintf|vsprintf|mktemp|tmpnam)@")
        if "branch" in features:  # from Debian 13 on
            self.assertRegex(self.read("readelf", "-nW"), "IBT|SHSTK|BTI|PAC")

    def test_what_else_there_should_not_be(self):
        segments, dynamic = self.read("readelf", "-lW"), self.read("readelf", "-dW")
        self.assertRegex(segments, r"GNU_STACK\s.*\sRW\s")
        self.assertNotRegex(segments, r"LOAD\s.*\sRWE\s")
        self.assertNotRegex(dynamic, "TEXTREL|RPATH|RUNPATH")

    def test_every_object_asks_for_it(self):
        """The flags of each compilation, as make has them."""
        done = subprocess.run(
            ["make", "-s", "--no-print-directory", "-B", "-n", "mpg.so"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        compilations = [line for line in done.stdout.splitlines() if " -c " in line]
        self.assertGreater(len(compilations), 100)
        for line in compilations:
            for flag in (
                "-fstack-protector-strong",
                "-D_FORTIFY_SOURCE=2",
                "-Wall",
                "-Werror",
                "-O2",
                "-fvisibility=hidden",
            ):
                self.assertIn(flag, line)


if __name__ == "__main__":
    unittest.main()
