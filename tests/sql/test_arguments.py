"""The arguments of every table function: a wrong value is an error that names the function, the argument, what was expected and what was
found; so is an argument that is given twice, or that SQLite does not hand over."""

import os
import re
import sqlite3
import unittest

import formats
from cases import Case
from fleets import ROOT

FIXTURES = os.path.join(ROOT, "fixtures")
WRONG = ("12.5", "-1", "'wr0ng'", "x'00'", "''", "1e300", "'2026-13-45'")
COLUMNS = {"_file", "_line", "_record"}  # where a row comes from
# Any text is one of these, or none at all; any number of these.
ANY_TEXT = {
    "of_job",
    "nulls",
    "columns",
    "pattern",
    "measures",
    "by",
    "grain",
    "delimiter",
    "quote",
    "types",
    "step_names",
    "schema",
}
ANY_TEXT |= {"f32", "system_file", "pool_name", "before", "after", "label", "step", "pool"}
TIMES = {"since", "until", "as_of", "bucket_width", "scrape_time", "query_time", "start_time", "end_time", "time_ns"}


class Arguments(Case):
    def setUp(self):
        super().setUp()
        self.rows("SELECT mpg_build(?)", os.path.join(FIXTURES, "golden"))
        self.samples = {}
        for sample in [s for f in formats.FORMATS.values() for s in f.samples] + list(formats.NATIVE):
            self.samples.setdefault(sample.table, sample)

    def tables(self):
        """Each function, its arguments, and conditions that give those which it needs."""
        names = self.rows("SELECT DISTINCT name FROM pragma_module_list ORDER BY name")
        for (name,) in names:
            if not re.match(r"(mpg|trace|hlo)_|.*_(trace|rollup)$|goodput_report$", name):
                continue
            hidden = [
                row[0]
                for row in self.rows("SELECT name FROM pragma_table_xinfo(?) WHERE hidden", name)
                if row[0] not in COLUMNS
            ]
            sample = self.samples.get(name)
            given = {}
            if hidden and hidden[0] in ("path", "pattern") and name != "trace_profile_diff":
                file = sample.file if sample else "golden" if name.startswith("trace") else "generic/jobs-1.csv"
                given = {hidden[0]: os.path.join(FIXTURES, file)}
            if sample:
                given |= dict(zip(hidden[1:], sample.arguments))
            yield name, hidden, given

    def ask(self, name, given, argument, value):
        conditions = [f"\"{key}\" = '{of}'" for key, of in given.items() if key != argument]
        return f"SELECT count(*) FROM {name} WHERE " + " AND ".join(conditions + [f'"{argument}" = {value}'])

    def test_wrong_values(self):
        asked = refused = 0
        for name, hidden, given in self.tables():
            for argument in hidden:
                for value in WRONG:
                    sql = self.ask(name, given, argument, value)
                    asked += 1
                    try:
                        rows = self.one(sql)
                    except sqlite3.Error as error:
                        said = str(error)
                        refused += 1
                        with self.subTest(sql=sql, said=said):
                            self.assertTrue(said.startswith(name + ": "), said)
                            # another argument must be there, or no file or chip is called so
                            if re.search(
                                "as the argument|the argument \\w+: |no such file|unknown chip|arguments: |no time zone",
                                said,
                            ):
                                continue
                            self.assertRegex(said, "expected .*found", said)
                            self.assertTrue(
                                argument in said or name == "trace_files" or any(of in said for of in given.values()),
                                said,
                            )
                    else:
                        with self.subTest(sql=sql, rows=rows):
                            self.assertTrue(
                                argument in ANY_TEXT | TIMES
                                or value.startswith("'")
                                and argument in ("names",)
                                or rows == 0
                                and name.startswith("mpg_")
                                or re.match(r"mpg_", name)
                                and value in ("12.5", "1e300"),
                                "taken as it is",
                            )
        self.assertGreater(asked, 2000)
        self.assertGreater(refused, asked / 2)

    def test_a_path_on_the_right_of_a_right_join(self):
        if sqlite3.sqlite_version_info < (3, 39):
            self.skipTest("no RIGHT JOIN")
        self.rows("CREATE TABLE one AS SELECT 1 AS x")
        for name, hidden, given in self.tables():
            if not given:
                continue
            path, file = next(iter(given.items()))
            with self.subTest(name=name):
                said = self.error(f"SELECT count(*) FROM one RIGHT JOIN {name}('{file}') AS t ON one.x = t.rowid")
                wanted = "the path takes = alone, outside OR and RIGHT or FULL JOIN: join .SELECT"
                if name in ("kube_trace", "slurm_trace"):  # SQLite does not say which columns behind the 63rd are named
                    wanted = "expected a path"
                self.assertRegex(said, f"^{name}: {wanted}")
                if name == "log_trace" or file.endswith("golden"):  # which has two arguments, or other files
                    continue
                self.rows(f"SELECT count(*) FROM one RIGHT JOIN (SELECT * FROM {name}('{file}')) AS t ON one.x = 1")

    def test_an_argument_that_is_given_twice(self):
        for name, hidden, given in self.tables():
            if not given:
                continue
            path, file = next(iter(given.items()))
            with self.subTest(name=name):
                self.assertIn(
                    f"{name}: argument 1 is given twice: expected one value, found 'other' and '{file[:20]}",
                    self.error(f"SELECT * FROM {name}('{file}') WHERE \"{path}\" = 'other'"),
                )
                if "on_error" in hidden:
                    self.assertIn(
                        "is given twice: expected one value, found 'stop' and 'skip'",
                        self.error(f"SELECT * FROM {name}('{file}') WHERE on_error = 'stop' AND on_error = 'skip'"),
                    )
        golden = os.path.join(FIXTURES, "golden")
        self.assertLess(0, self.one(f"SELECT count(*) FROM trace_rollup('{golden}') WHERE path = '{golden}'"))
        self.assertIn(
            "found '1 hour' and 7", self.error("SELECT * FROM mpg_rollup('main', 7) WHERE bucket_width = '1 hour'")
        )


if __name__ == "__main__":
    unittest.main()
