"""Table functions that are SQL files: what their heads declare is what they give, and the same as the script run by hand.

docs/table-functions.md is written from the heads: MPG_WRITE_DOCS=1 writes it.
"""

import os
import re
import sqlite3
import threading
import time
import unittest

import cases
from fleets import ROOT, connect, quote
from scripts import script_text
from table_functions import every, without_outputs

PAGE, MANUAL, STATEMENTS = "docs/table-functions.md", "docs/mpg.7", "tests/memory/table_statements.h"
MARK = "<!-- generated below: tests/sql/test_table_functions.py writes this from the heads of the files -->\n"
PROFILES = "fixtures/profile/rank*.json"
RESULTS = "fixtures/mlperf/results/*/*/result_*.txt"
# What the functions of a script are asked with, here and on their page.
ASKED = {
    path: (PROFILES,) for path in ("sql/device.sql", "sql/device_views.sql", "sql/hta.sql", "sql/tracelens.sql")
} | {
    "sql/profile_diff.sql": ("fixtures/profile/rank0.json", "fixtures/profile/rank1.json", 11),
    "sql/formats/mllog.sql": (RESULTS,),
    "sql/formats/hlo.sql": ("fixtures/hlo", "nvidia-h100-sxm"),
    "sql/formats/dcgm.sql": ("fixtures/prometheus/dcgm.json",),
    "sql/training_steps.sql": ("fixtures/training/maxtext.log",),
    "sql/serve_tokens.sql": ("fixtures/serving/vllm.prom",),
}
# How they are run by hand: scripts with their inputs, and the relation of the function if it has another name.
VIEWS = [("device.sql", {}), ("formats/kineto.sql", {"trace": PROFILES})]
BY_HAND = {
    "sql/device.sql": VIEWS,
    "sql/device_views.sql": [*VIEWS, ("device_views.sql", {})],
    "sql/hta.sql": [*VIEWS, ("hta.sql", {})],
    "sql/tracelens.sql": [*VIEWS, ("tracelens.sql", {})],
    "sql/profile_diff.sql": [
        ("profile_diff.sql", {"base": "fixtures/profile/rank0.json", "test": "fixtures/profile/rank1.json", "step": 11})
    ],
    "sql/formats/mllog.sql": [("formats/mllog.sql", {"results": RESULTS})],
    "sql/formats/hlo.sql": [("formats/hlo.sql", {"hlo": "fixtures/hlo", "chip": "nvidia-h100-sxm"})],
    "sql/formats/dcgm.sql": [("formats/dcgm.sql", {"prometheus": "fixtures/prometheus/dcgm.json"})],
    "sql/training_steps.sql": [("formats/maxtext.sql", {"log": "fixtures/training/maxtext.log"})],
    "sql/serve_tokens.sql": [("serve_tokens.sql", {"prometheus": "fixtures/serving/vllm.prom"})],
}
# Arguments that call() gives.
ASKED_BY_PLACE = {"sql/profile_diff.sql": ("step",)}
MADE_BY_HAND = {"trace_training_steps": "training_steps"}
SECTIONS = [
    ("Device activity", ["sql/device.sql", "sql/device_views.sql"]),
    ("The tables of Holistic Trace Analysis (HTA)", ["sql/hta.sql"]),
    ("The tables of TraceLens", ["sql/tracelens.sql"]),
    ("What changed between two profiles", ["sql/profile_diff.sql"]),
    ("Duty and errors from Prometheus", ["sql/formats/dcgm.sql"]),
    ("The cost of HLO programs", ["sql/formats/hlo.sql"]),
    ("MLPerf results", ["sql/formats/mllog.sql"]),
    ("Steps of trainers' logs", ["sql/training_steps.sql"]),
    ("What servers computed", ["sql/serve_tokens.sql"]),
]
PLACE = {"trace", "rank", "process", "device", "chip", "stream", "step"}
UNLISTED = {"sql/hta.sql", "sql/tracelens.sql", "sql/device_views.sql"}
OF_TYPE = {"TEXT": {"text"}, "BIGINT": {"integer"}, "REAL": {"real"}}


def text_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def call(table):
    arguments = ASKED[table.path]
    return f"{table.name}({', '.join(quote(a) if isinstance(a, str) else 'NULL' if a is None else str(a) for a in arguments)})"


def entry(table):
    """A call that answers, and the names of its columns but for the place, if they are not many: mpg_help has all."""
    columns = [f"`{name}`" for name, *_ in table.columns if name not in PLACE and table.path not in UNLISTED]
    return f"- `{call(table)}`: {re.sub('^(HTA|TraceLens): ', '', table.text)}." + (
        f" Columns: {', '.join(columns)}." if columns else ""
    )


def arguments(paths):
    """What each argument is, but for what the top of the page says of every path."""
    found = dict.fromkeys(
        (name, text)
        for table in every()
        if table.over_files and table.path in paths
        for name, _, _, text in table.arguments
    )
    return "; ".join(f"`{name}`, {text}" for name, text in found).replace(": a file, glob, folder or fleet file", "")


def section(title, paths):
    tables = [table for table in every() if table.over_files and table.path in paths]
    files = " and ".join(f"[{path}](../{path})" for path in paths)
    given, first = arguments(paths), SECTIONS[0][1]
    given = "as above" if paths != first and given == arguments(first) else given
    return "\n".join([f"## {title}", "", f"From {files}. Arguments: {given}.", "", *map(entry, tables), ""])


def page():
    return text_of(PAGE).partition(MARK)[0] + MARK + "\n" + "\n".join(section(*of) for of in SECTIONS)


def manual():
    """The manual page with their names."""
    lines = []
    for over_files, what in (
        (True, "run an SQL file over files: docs/table-functions.md."),
        (False, "are questions over the tables that mpg_build makes: docs/questions.md."),
    ):
        lines += [
            ".TP",
            ".BR " + " ,\\  ".join(table.name for table in every() if table.over_files == over_files),
            what,
        ]
    before, mark, rest = text_of(MANUAL).partition(
        '.\\" table functions: tests/sql/test_table_functions.py writes the names\n'
    )
    return before + mark + "\n".join(lines) + "\n" + rest[rest.index('.\\" end of table functions') :]


def statements():
    """Of the test in which each allocation fails: one for each function."""
    lines = [
        "/* table_statements.h - statements of the table functions that are SQL files.",
        "**",
        "** tests/sql/test_table_functions.py writes it. */",
        "/* clang-format off */",
    ]
    for table in every():
        lines.append(
            f'"SELECT count(*) FROM {table.name}{"(" + ", ".join(["NULL"] * len(table.required)) + ")" if table.required else " WHERE 0"}",'
        )
    return "\n".join(lines) + "\n"


class Help(unittest.TestCase):
    def test_says_what_the_heads_say(self):
        """mpg_help against the heads as Python reads them: each function, its arguments, its columns, in their order."""
        found = {}
        for name, *row in connect().execute("SELECT name, kind, item, type, unit, meaning FROM mpg_help"):
            found.setdefault(name, []).append(tuple(row))
        expected = {
            table.name: [("function", None, None, None, table.text)]
            + [("argument", name, type, None, text) for name, _, type, text in table.arguments]
            + [
                ("column", name, type, unit.replace(" ", "_") or None, text or None)
                for name, type, unit, text in table.columns
            ]
            for table in every()
        }
        of_files = {name: [row for row in rows if row[1] != "on_error"] for name, rows in found.items()}
        self.assertEqual(expected, of_files)
        self.assertEqual(
            {table.name for table in every() if table.over_files},
            {name for name, rows in found.items() if len(rows) > len(of_files[name])},
        )

    def test_rows_are_numbered(self):
        self.assertEqual(
            [],
            connect()
            .execute("SELECT * FROM (SELECT rowid AS id, row_number() OVER () AS n FROM mpg_help) WHERE id <> n")
            .fetchall(),
        )


class Pages(unittest.TestCase):
    maxDiff = None

    def check(self, path, expected, same=lambda text: text):
        if os.environ.get("MPG_WRITE_DOCS") and same(expected) != same(text_of(path)):
            with open(os.path.join(ROOT, path), "w", encoding="utf-8") as file:
                file.write(expected)
        self.assertEqual(same(expected), same(text_of(path)))

    def test_reference(self):
        self.check(PAGE, page(), without_outputs)

    def test_every_script_has_a_section(self):
        self.assertEqual(
            {table.path for table in every() if table.over_files}, {path for _, paths in SECTIONS for path in paths}
        )

    def test_statements(self):
        self.check(STATEMENTS, statements())

    def test_manual(self):
        self.check(MANUAL, manual())


class OverFiles(cases.Case):
    def tables(self):
        return [table for table in every() if table.over_files]

    def by_hand(self, table):
        """A connection on which the scripts ran one by one, as their heads say by hand."""
        if table.path not in self.hands:
            self.db = connect()
            for name, inputs in BY_HAND[table.path]:
                unset = dict.fromkeys(re.findall(r":([a-z_0-9]+)", script_text("sql/" + name)))
                self.script(name, **unset | inputs)
            self.hands[table.path] = self.db
        return self.hands[table.path]

    def test_same_as_by_hand(self):
        self.hands = {}
        self.addCleanup(lambda: [db.close() for db in self.hands.values()])
        function = connect()
        self.addCleanup(function.close)
        for table in self.tables():
            with self.subTest(table.name):
                relation = MADE_BY_HAND.get(table.name, table.relation)
                cursor = self.by_hand(table).execute(f"SELECT * FROM temp.{relation}")
                names, expected = [column[0] for column in cursor.description], cursor.fetchall()
                declared = [name for name, *_ in table.columns]
                self.assertEqual(
                    names, declared if relation == table.relation else [name for name in declared if name in names]
                )
                self.assertGreater(len(expected), 0)
                self.assertEqual(expected, function.execute(f"SELECT {', '.join(names)} FROM {call(table)}").fetchall())

    def test_types_of_columns(self):
        for table in self.tables():
            with self.subTest(table.name):
                found = self.rows(
                    "SELECT %s FROM %s"
                    % (", ".join(f'group_concat(DISTINCT typeof("{name}"))' for name, *_ in table.columns), call(table))
                )[0]
                for (name, type, *_), kinds in zip(table.columns, found):
                    self.assertLessEqual(set(kinds.split(",")) - {"null"}, OF_TYPE[type], name)

    def test_arguments(self):
        for table in self.tables():
            with self.subTest(table.name):
                missing = table.required[0]
                self.assertRegex(
                    self.error(f"SELECT * FROM {table.name}"),
                    rf"^{table.name}: expected a path as the argument {missing}",
                )
                self.assertEqual(
                    [], self.rows(f"SELECT * FROM {table.name}({', '.join(['NULL'] * len(table.required))})")
                )
                self.assertRegex(
                    self.error(f"SELECT * FROM {table.name}({', '.join(['7'] * len(table.required))})"),
                    rf"^{table.name}: {missing}: expected text, found 7$",
                )
                self.assertRegex(
                    self.error(f"SELECT * FROM {call(table)} WHERE on_error = 'often'"),
                    rf"^{table.name}: on_error: expected 'stop' or 'skip', found 'often'$",
                )
                self.assertRegex(
                    self.error(f"SELECT * FROM {call(table)} WHERE on_error > 'often'"),
                    rf"^{table.name}: the argument on_error takes = alone, outside OR and RIGHT or FULL JOIN$",
                )
                self.assertEqual([(ASKED[table.path][0],)], self.rows(f"SELECT DISTINCT {missing} FROM {call(table)}"))

    def test_nothing_is_opened_before_it_runs(self):
        for table in self.tables():
            nowhere = f"SELECT * FROM {table.name}({', '.join(['?1'] * len(table.required))})"
            self.assertGreater(len(self.rows("EXPLAIN " + nowhere, "/nowhere")), 0)
            self.assertIn("/nowhere", self.error(nowhere, "/nowhere"))

    def test_a_stored_schema_reads_none(self):
        self.db.execute("CREATE TABLE t(x)")
        for table in self.tables():
            with self.subTest(table.name):
                self.db.execute(f"CREATE VIEW v_{table.name} AS SELECT * FROM {call(table)}")
                self.assertRegex(
                    self.error(f"SELECT * FROM v_{table.name}"), f'unsafe use of virtual table "{table.name}"'
                )
                self.db.execute(
                    f"CREATE TRIGGER t_{table.name} AFTER INSERT ON t BEGIN INSERT INTO t SELECT 1 FROM {call(table)}; END"
                )
                self.assertRegex(self.error("INSERT INTO t VALUES (1)"), f'unsafe use of virtual table "{table.name}"')
                self.db.execute(f"DROP TRIGGER t_{table.name}")

    def test_nothing_is_left_in_the_schema(self):
        for table in self.tables():
            self.rows(f"SELECT count(*) FROM {call(table)}")
        self.assertEqual([], self.rows("SELECT name FROM sqlite_schema UNION ALL SELECT name FROM sqlite_temp_schema"))

    def test_the_inner_table_of_a_join_is_read_once(self):
        table = "trace_device_activity"
        once = self.one(f"SELECT count(*) FROM {table}('{PROFILES}')")
        self.assertEqual(
            once * once,
            self.one(f"SELECT count(*) FROM {table}('{PROFILES}') AS a CROSS JOIN {table}('{PROFILES}') AS b"),
        )
        both = self.rows(
            f"SELECT p.column1, count(*) FROM (VALUES ('fixtures/profile/rank0.json'), ('fixtures/profile/rank1.json')) AS p, {table}(p.column1) GROUP BY 1 ORDER BY 1"
        )
        self.assertEqual(once, sum(n for _, n in both))

    def test_a_folder_with_other_files(self):
        folder = self.folder_of(
            {
                "rank0.json": text_of("fixtures/profile/rank0.json"),
                "notes.txt": "nothing",
                "broken.json": '{"schemaVersion": 1, "traceEvents": [{"cat": "kernel"}',
            }
        )
        alone = self.one("SELECT count(*) FROM trace_device_activity(?)", folder + "/rank0.json")
        self.assertEqual(alone, self.one("SELECT count(*) FROM trace_device_activity(?)", folder))
        self.assertEqual({"ignored_file": 1}, self.issues(folder + "/notes.txt"))
        self.assertEqual({"unreadable_file": 1}, self.issues(folder + "/broken.json"))
        self.assertRegex(
            self.error("SELECT * FROM trace_device_activity(?) WHERE on_error = 'stop'", folder), "broken.json:1:"
        )
        self.assertRegex(
            self.error("SELECT * FROM trace_device_activity(?)", folder + "/broken.json"), "broken.json:1:"
        )
        self.assertRegex(
            self.error("SELECT * FROM trace_device_activity(?)", folder + "/notes.txt"),
            r"notes.txt: expected a file of one of the formats ascend, kineto, nsys, perfetto, rocpd, xplane, xprof, found none; trace_sources says what is there$",
        )

    def test_a_database_as_file(self):
        """An export of Nsight Systems, whatever its path looks like as a URI; two of them one after the other."""
        folder = self.new_folder()
        for name in ("run#1 %41?.sqlite", "other.sqlite"):
            db = sqlite3.connect(os.path.join(folder, name))
            db.executescript(text_of("fixtures/nsys/two-gpus.sql"))
            db.execute("CREATE TABLE of_its_own AS SELECT ? AS name", (name,))  # files of one content are read once
            db.commit()
            db.close()
        rows = self.rows("SELECT trace, count(*) FROM trace_device_activity(?) GROUP BY 1 ORDER BY 1", folder)
        self.assertEqual(
            [os.path.join(folder, name) for name in ("other.sqlite", "run#1 %41?.sqlite")], [trace for trace, _ in rows]
        )
        self.assertEqual(rows[0][1], rows[1][1])


class Questions(cases.Case):
    """Over tables of the open database."""

    @classmethod
    def setUpClass(cls):
        cls.built = connect()
        cls.built.execute("SELECT mpg_build('fixtures/fleet')")
        cls.tables = [table for table in every() if not table.over_files]

    @classmethod
    def tearDownClass(cls):
        cls.built.close()

    def given(self, table):
        """Arguments by their parameters: none, and such that every function has rows."""
        times = {
            "by": "pool",
            "since": "2026-01-06",
            "until": "2026-01-07",
            "after_since": "2026-01-06",
            "what": "runtime",
            "before": "multi-controller",
            "after": "pathways",
            "top": 3,
        }
        parameters = [parameter[1:] for _, parameter, _, _ in table.arguments]
        required = {
            parameter[1:]: times[parameter[1:]]
            for _, parameter, _, text in table.arguments
            if text.startswith("required")
        }
        return required, {name: value for name, value in times.items() if name in parameters}

    def test_names(self):
        self.assertEqual([], [t.name for t in self.tables if t.name != "mpg_" + os.path.basename(t.path)[:-4]])
        self.assertEqual(
            sorted(os.listdir(os.path.join(ROOT, "sql/questions"))),
            sorted(os.path.basename(t.path) for t in self.tables),
        )

    def test_same_as_the_statement(self):
        for table in self.tables:
            for nth, given in enumerate(self.given(table)):
                with self.subTest(table.name, given=given):
                    unset = {parameter[1:]: None for _, parameter, _, _ in table.arguments}
                    cursor = self.built.execute(text_of(table.path), unset | given)
                    self.assertEqual([name for name, *_ in table.columns], [column[0] for column in cursor.description])
                    of = {parameter[1:]: name for name, parameter, _, _ in table.arguments}
                    conditions = " AND ".join(f'"{of[name]}" = :{name}' for name in given)
                    found = self.built.execute(
                        f"SELECT * FROM {table.name}" + (" WHERE " + conditions if given else ""), given
                    ).fetchall()
                    self.assertEqual(cursor.fetchall(), found)
                    self.assertTrue(found or nth == 0)
                    by_place = self.built.execute(
                        f"SELECT * FROM {table.name}({', '.join('?' * len(unset))})", list((unset | given).values())
                    ).fetchall()
                    self.assertEqual(found, by_place)

    def test_types_of_columns(self):
        for table in self.tables:
            types = ", ".join(f'typeof("{name}")' for name, *_ in table.columns)
            required, _ = self.given(table)
            rows = self.built.execute(
                f"SELECT DISTINCT {types} FROM {table.name}"
                + " WHERE before = :before AND after = :after" * bool(required),
                required,
            ).fetchall()
            for at, (name, type, *_) in enumerate(table.columns):
                self.assertLessEqual({row[at] for row in rows} - {"null"}, OF_TYPE[type], (table.name, name))

    def test_an_argument_that_sqlite_does_not_hand_over(self):
        self.fails(
            "mpg_goodput: the argument by takes = alone, outside OR and RIGHT or FULL JOIN",
            "SELECT * FROM mpg_goodput WHERE \"by\" > 'pool'",
        )
        self.fails(
            "mpg_goodput: the argument since takes = alone, outside OR and RIGHT or FULL JOIN",
            "SELECT * FROM mpg_goodput WHERE since > '2026'",
        )

    def test_values_of_arguments(self):
        """A value that an argument cannot take is an error that names it: no answer over all passes for one by a misspelt name, and 'x' is no 0."""
        asked = [(table, f"{table.name}") for table in self.tables] + [
            (table, call(table)) for table in every() if table.over_files
        ]
        kinds = set()
        for table, source in asked:
            for name, _, type, text in table.arguments:
                listed = text.split(":")[0] if text.startswith("'") else None
                bad = {
                    "BIGINT": ["x", "", 1.5, "1e999", b"1"],
                    "REAL": ["x", "", "1 chip", b"1"],
                    "TIME": [
                        "soon",
                        "",
                        "6 Jan",
                        "2026-1-6",
                        "2026-01-06T00:00:00+02:00",
                        "2026-01-06 ",
                        "1767571200",
                        "2026-13",
                        "2026-00-06",
                        "2026-01-32",
                        "2026-01-06 25:00",
                        "2026-01-06T13:60:00",
                        50,
                    ],
                }.get(type, [])
                bad += ["pools", "", listed, listed.split("'")[1].upper()] if listed else []
                says = {
                    "BIGINT": "a whole number",
                    "REAL": "a number",
                    "TIME": "a day or an hour such as '2026-01-06 13:00:00', without a zone",
                }.get(type, listed)
                if limits := re.match(r"((?:from|above) ([0-9.]+)(?: to ([0-9.]+))?): ", text):
                    says += " " + limits[1]
                    bad += (
                        [-1, float(limits[2]) - 1, str(float(limits[2]) - 2), -1e300]
                        + [0.0, 0, "0"] * limits[1].startswith("above 0")
                        + [float(limits[3] or 0) + 1e-3, 1e300] * (limits[3] is not None)
                    )
                    kinds.add("limits")
                for value in bad if name not in ASKED_BY_PLACE.get(table.path, ()) else []:
                    kinds.add((type, bool(listed), table.over_files))
                    with self.subTest(table=table.name, argument=name, value=value):
                        self.assertRegex(
                            self.error(f'SELECT * FROM {source} WHERE "{name}" = ?', value),
                            rf"^{table.name}: {name}: expected {re.escape(says)}, found '",
                        )
        self.assertLessEqual(
            {
                ("BIGINT", False, False),
                ("REAL", False, False),
                ("TIME", False, False),
                ("TEXT", True, False),
                ("BIGINT", False, True),
                ("REAL", False, True),
                ("TEXT", True, True),
                "limits",
            },
            kinds,
        )

    def test_names_of_chips(self):
        """One that the catalogue lacks is the argument's fault, and no file's; one of the user's own is fine."""
        asked = [
            table
            for table in every()
            if table.over_files
            for name, _, _, text in table.arguments
            if name == "chip_name" and "name or alias of mpg_chips" in text
        ]
        self.assertGreater(len(asked), 20)
        for table in asked:
            source = f"SELECT * FROM {call(table)} WHERE chip_name = ?"
            for wrong in ("nvidia-h1000-sxm", "", "my chip"):
                self.assertRegex(
                    self.error(source, wrong),
                    f"^{table.name}: chip_name: unknown chip '{wrong}'; (nearest: |the catalogue)",
                )
        self.db.execute("CREATE TABLE chips(chip, dtype, peak_flops)")
        self.db.execute("INSERT INTO chips VALUES ('my chip', 'bf16', 1e12)")
        self.assertEqual(
            [("my chip",)],
            self.rows("SELECT DISTINCT chip_name FROM trace_hlo_ideal('fixtures/hlo') WHERE chip_name = 'my chip'"),
        )

    def test_arguments_that_must_be_given(self):
        """A question that has no answer without them says so: no rows pass for an answer."""
        db, said = self.built, []
        for table in self.tables:
            for name, _, _, text in table.arguments:
                if text.startswith("required"):
                    given = {
                        other: "x"
                        for other, _, _, more in table.arguments
                        if more.startswith("required") and other != name
                    }
                    for values in (given, {**given, name: None}):
                        where = " AND ".join(f'"{key}" = :{key}' for key in values) or "1"
                        with self.assertRaisesRegex(
                            sqlite3.OperationalError,
                            rf"^{table.name}: expected the argument {name}: {re.escape(text.split(': ', 1)[1])}",
                        ):
                            db.execute(f"SELECT * FROM {table.name} WHERE {where}", values).fetchall()
                    said.append((table.name, name))
        self.assertEqual(
            [
                ("mpg_migration", "before"),
                ("mpg_migration", "after"),
                ("mpg_program_versions", "before"),
                ("mpg_program_versions", "after"),
            ],
            said,
        )
        self.assertEqual([], db.execute("SELECT * FROM mpg_migration('phase', 'serving', 'training')").fetchall())
        self.assertGreater(
            len(
                db.execute("SELECT * FROM mpg_program_versions WHERE since = '1970-01-01 00:00:00'").fetchall()
                + db.execute("SELECT * FROM mpg_program_versions WHERE since = '2026-01-06'").fetchall()
            ),
            0,
        )

    def test_periods_that_end_before_they_begin(self):
        """No rows would pass for what nobody did then: of questions as of the ledger."""
        asked = 0
        for table in self.tables:
            names = [name for name, *_ in table.arguments]
            for since in (name for name in names if name.endswith("since") and name[:-5] + "until" in names):
                for begin, end in (
                    ("2026-01-07", "2026-01-06"),
                    ("2026-01-06T13:00:00Z", "2026-01-06 12:00:00"),
                    ("2026-02", "2026-01-31"),
                    ("2027", "2026-12-31T23:00"),
                ):
                    with self.assertRaisesRegex(
                        sqlite3.OperationalError,
                        f"^{table.name}: {since[:-5]}until: expected a day or an hour "
                        rf"that is not before {since} \({begin}\), found {end}$",
                    ):
                        self.built.execute(
                            f"SELECT * FROM {table.name} WHERE {since} = ? AND {since[:-5]}until = ?", (begin, end)
                        ).fetchall()
                for same in (
                    ("2026-01-06", "2026-01-06"),
                    ("2026-01-06", "2026-01-06 01:00:00"),
                    ("2026-01-06 10:00:00", "2026-01-06T10:00:00Z"),
                ):
                    self.built.execute(
                        f"SELECT * FROM {table.name} WHERE {since} = ? AND {since[:-5]}until = ?", same
                    ).fetchall()
                asked += 1
        self.assertGreaterEqual(asked, 6)
        for table in (
            "mpg_rollup",
            "mpg_ledger",
            "mpg_timeline('x')",
            "mpg_runs",
            "trace_rollup('fixtures/golden')",
            "trace_ledger('fixtures/golden')",
            "trace_timeline('fixtures/golden')",
        ):
            db = connect()
            db.execute("SELECT mpg_import('fixtures/golden')")
            self.assertEqual([], db.execute(f"SELECT * FROM {table} WHERE since = 50 AND until = 50").fetchall())
            for until, found in ((49.5, "49.5"), ("1970-01-01T00:00:49Z",) * 2, (0, "0")):
                with self.assertRaisesRegex(
                    sqlite3.OperationalError,
                    rf": until: expected a time that is not before since \(50\), found {found}$",
                ):
                    db.execute(f"SELECT * FROM {table} WHERE since = 50 AND until = ?", (until,)).fetchall()
            db.close()

    def test_numbers_as_texts(self):
        """As clients that bind everything as text give them."""
        numbers = {
            "least": 2,
            "times": 1,
            "least_share": 0.05,
            "factor": 1.5,
            "top": 3,
            "within": 100,
            "least_attempts": 2,
            "cached": 0.5,
            "points": 2,
        }
        asked = 0
        for table in self.tables:
            every = " WHERE since = '2026-01-06'" if self.given(table)[0] else " WHERE 1"
            for name in {name for name, *_ in table.arguments} & set(numbers):
                source = f'SELECT * FROM {table.name}{every} AND "{name}" = ?'
                rows = self.built.execute(source, (numbers[name],)).fetchall()
                self.assertEqual(rows, self.built.execute(source, (str(numbers[name]),)).fetchall(), (table.name, name))
                asked += rows != self.built.execute(f"SELECT * FROM {table.name}{every}").fetchall()
        self.assertGreaterEqual(asked, 8)
        for given, right in (("'2'", "2"), ("2.0", "2")):
            self.assertEqual(
                self.rows(f"SELECT * FROM trace_hlo_ideal('fixtures/hlo', 'nvidia-h100-sxm', NULL, {right})"),
                self.rows(f"SELECT * FROM trace_hlo_ideal('fixtures/hlo', 'nvidia-h100-sxm', NULL, {given})"),
            )
        self.assertEqual(
            self.rows("SELECT * FROM trace_training_steps('fixtures/training/maxtext.log') WHERE year = 2025"),
            self.rows("SELECT * FROM trace_training_steps('fixtures/training/maxtext.log') WHERE year = '2025'"),
        )

    def test_without_tables(self):
        for table in self.tables:
            self.assertRegex(
                self.error(f"SELECT * FROM {table.name}"),
                rf"^{table.name}: no such table: \w+; SELECT mpg_build\('traces/'\) makes the tables that it reads$",
            )

    def test_a_virtual_table_is_no_relation(self):
        """A stranger's database may have one, of any module, under the name; and a view over the function itself never ends."""
        self.db.execute("CREATE TEMP VIEW cells AS SELECT * FROM mpg_losses")
        self.assertRegex(self.error("SELECT * FROM mpg_losses"), "^mpg_losses: ")
        self.db.execute("CREATE TEMP VIEW ledger AS SELECT * FROM mpg_losses")
        self.assertRegex(self.error("SELECT * FROM mpg_losses"), "^mpg_losses: ")

    def test_a_stored_schema_asks_none(self):
        self.db.execute("SELECT mpg_build('fixtures/golden')")
        for table in self.tables:
            self.db.execute(f"CREATE VIEW v_{table.name} AS SELECT * FROM {table.name}")
            self.assertRegex(self.error(f"SELECT * FROM v_{table.name}"), f'unsafe use of virtual table "{table.name}"')

    def test_without_files(self):
        """A host that registers nothing that opens files has the questions, and none of the others."""
        db = sqlite3.connect(":memory:")
        self.addCleanup(db.close)
        db.enable_load_extension(True)
        db.execute("SELECT load_extension(?, 'sqlite3_mpg_nofs_init')", (os.path.join(ROOT, "mpg"),))
        found = {name for name, in db.execute("SELECT name FROM pragma_module_list")}
        self.assertEqual({t.name for t in self.tables}, {t.name for t in every()} & found)
        with self.assertRaises(sqlite3.Error) as caught:
            db.execute("SELECT * FROM mpg_goodput")
        self.assertEqual(
            "mpg_goodput: no such table: cells; open a database that mpg_build made, which this connection lacks",
            str(caught.exception),
        )

    def test_interrupted(self):
        self.built.set_progress_handler(lambda: 1, 100)
        try:
            with self.assertRaisesRegex(sqlite3.OperationalError, "^interrupted$"):
                self.built.execute("SELECT * FROM mpg_goodput('job')").fetchall()
        finally:
            self.built.set_progress_handler(None, 0)
        self.assertGreater(len(self.built.execute("SELECT * FROM mpg_goodput('job')").fetchall()), 0)


class Interrupted(cases.Case):
    def large(self):
        events = ", ".join(
            '{"ph": "X", "cat": "kernel", "name": "k%d", "pid": 0, "tid": 7, "ts": %d, "dur": 5, "args": {"stream": 7, "device": 0, "correlation": %d}}'
            % (i % 9, i * 10, i)
            for i in range(20000)
        )
        return self.file('{"schemaVersion": 1, "deviceProperties": [], "traceEvents": [%s]}' % events, "large.json")

    SQL = "SELECT count(*) FROM trace_device_activity(?)"

    def setUp(self):
        super().setUp()
        self.other = sqlite3.connect(":memory:", check_same_thread=False)
        self.addCleanup(self.other.close)
        self.other.enable_load_extension(True)
        self.other.load_extension(os.path.join(ROOT, "mpg"))

    def test_from_another_thread(self):
        path = self.large()
        for seconds in (0, 0.02, 0.08):
            begun, found = threading.Event(), []
            self.other.create_function("begin", 0, begun.set)

            def ask():
                try:
                    found.append(self.other.execute(self.SQL.replace("?", "coalesce(begin(), ?)"), (path,)).fetchall())
                except sqlite3.Error as error:
                    found.append(str(error))

            asking = threading.Thread(target=ask)
            asking.start()
            begun.wait(10)
            time.sleep(seconds)
            self.other.interrupt()
            start = time.monotonic()
            asking.join(20)
            self.assertLess(time.monotonic() - start, 5)
            self.assertEqual(["interrupted"], found)
        self.assertEqual([(20000,)], self.other.execute(self.SQL, (path,)).fetchall())

    def test_by_a_progress_handler(self):
        """After each of many numbers of looks; and the connection then closes, which a statement that was left would not let it."""
        path, calls = self.large(), []
        self.other.set_progress_handler(lambda: calls.append(1) and 0, 1)
        self.assertEqual([(20000,)], self.other.execute(self.SQL, (path,)).fetchall())
        # How often is asked depends on the time that reading takes: half as often is enough in any run.
        for most in range(1, len(calls) // 2, max(1, len(calls) // 12)):
            looks = []
            self.other.set_progress_handler(lambda most=most: looks.append(1) or len(looks) > most, 1)
            with self.assertRaisesRegex(sqlite3.OperationalError, "^interrupted$"):
                self.other.execute(self.SQL, (path,)).fetchall()
            self.assertLess(len(looks), most + 40)
        self.other.set_progress_handler(None, 0)
        self.assertEqual([(20000,)], self.other.execute(self.SQL, (path,)).fetchall())


if __name__ == "__main__":
    unittest.main()
