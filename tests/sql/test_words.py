"""Columns of a few words, and arguments that name what is there: a comparison with another word is an error, and not an empty answer."""

import datetime
import json
import os
import unittest

from cases import Case
from fleets import ROOT
from formats import FORMATS

GOLDEN = os.path.join(ROOT, "fixtures", "golden")


class Words(Case):
    def setUp(self):
        super().setUp()
        self.rows("SELECT mpg_build(?)", GOLDEN)

    def test_every_column(self):
        tables = [f"{name}('{GOLDEN}')" for name in ("trace_ledger", "trace_rollup", "trace_timeline")]
        tables += ["mpg_ledger", "mpg_rollup", "mpg_timeline"]
        columns = [(table, "category", "ideal", "Ideal") for table in tables]
        columns += [(table, "size", "S", "small") for table in tables if "timeline" not in table]
        columns += [(table, "record", "jobs", "job") for table in (f"trace_records('{GOLDEN}')", "mpg_records")]
        columns += [("mpg_issues", "severity", "warning", "warn")]
        for table, column, word, other in columns:
            with self.subTest(table=table, column=column):
                self.rows(f"SELECT * FROM {table} WHERE {column} = '{word}'")
                for operator in ("=", "<>"):
                    said = self.error(f"SELECT * FROM {table} WHERE {column} {operator} '{other}'")
                    self.assertRegex(
                        said, rf"^{table.split('(')[0]}: {column}: expected one of .*'{word}'.*, found '{other}'$"
                    )
                self.rows(f"SELECT * FROM {table} WHERE {column} = '{other}' COLLATE NOCASE OR {column} IS NULL")

    def test_columns_of_numbers(self):
        """A text is above each of them: a day would find all rows, or none."""
        sacct = os.path.join(ROOT, "fixtures", "slurm", "sacct_jobs_epoch.psv")
        log = os.path.join(ROOT, "fixtures", "training", "nanogpt.log")
        tables = [(f"{name}('{GOLDEN}')", "start_time") for name in ("trace_ledger", "trace_timeline", "trace_records")]
        tables += [("mpg_ledger", "end_time"), ("mpg_timeline", "step"), ("mpg_records", "until_time")]
        tables += [(f"slurm_trace('{sacct}')", "Submit"), (f"trace_training_steps('{log}')", "start_time")]
        tables += [(f"trace_rollup('{GOLDEN}') WHERE grain = 'full'", "chip_us"), ("mpg_bad_nodes", "failures")]
        for table, column in tables:
            where = f"SELECT count(*) FROM {table} {'AND' if 'WHERE' in table else 'WHERE'} {column}"
            with self.subTest(table=table):
                for value in ("= '2026-01-06'", "> '2026-01-06 10:00:00'", "BETWEEN '2026-01-06T10:00Z' AND 'b'"):
                    word = value.split("'")[1]
                    self.assertEqual(
                        f"{table.split('(')[0]}: {column}: expected a number, such as mpg_time('{word}'), found '{word}'",
                        self.error(f"{where} {value}"),
                    )
                for value in ("> '1772445600'", ">= ' 1.5e9 '", "= 'x'", "<> '2026-01-06'", "> mpg_time('2026-01-06')"):
                    self.rows(f"{where} {value}")

    def test_a_time_that_is_a_parameter(self):
        """Of the ledger, which sees it: the same error, also where it comes from another table, and none for a number."""
        self.db.execute("CREATE TEMP TABLE asked AS SELECT '2026-01-06' AS day, 5 AS number")
        for table in (f"trace_ledger('{GOLDEN}')", "mpg_ledger"):
            name = table.split("(")[0]
            for column in "start_time", "end_time":
                for op in "=", "<", "<=", ">", ">=":
                    with self.subTest(table=table, column=column, op=op):
                        said = (
                            f"{name}: {column}: expected a number, such as mpg_time('2026-01-06'), found '2026-01-06'"
                        )
                        where = f"SELECT count(*) FROM {table} AS t WHERE {column} {op}"
                        self.assertEqual(said, self.error(f"{where} ?", "2026-01-06"))
                        self.assertEqual(said, self.error(f"{where} (SELECT day FROM asked)"))
                        self.rows(f"{where} ?", "x")
                        self.assertEqual(self.rows(f"{where} 5"), self.rows(f"{where} ?", 5))
                        self.assertEqual(self.rows(f"{where} 5"), self.rows(f"{where} (SELECT number FROM asked)"))

    def test_times_that_are_parameters_of_any_table(self):
        """Each reader, trace_records, the timelines and a script's table: as text, as Python binds a datetime, and from a subquery."""
        at = datetime.datetime(2026, 1, 6, 10, 0, 0, 5)
        tables = [(f"trace_records('{GOLDEN}')", "start_time"), ("mpg_records", "until_time")]
        tables += [(f"trace_timeline('{GOLDEN}')", "end_time"), ("mpg_timeline", "start_time"), ("mpg_mttf", "runs")]
        tables += [(f"trace_training_steps('{ROOT}/fixtures/training/nanogpt.log')", "start_time")]
        for name, sample in sorted(
            {s.table: s for f in FORMATS.values() for s in f.samples if f.gives != "rows"}.items()
        ):
            of = dict(self.rows("SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden = 0", name))
            numbers = [column for column, kind in of.items() if kind in ("REAL", "BIGINT")]
            given = ", ".join("'%s'" % text for text in (f"{ROOT}/fixtures/{sample.file}", *sample.arguments))
            tables += [(f"{name}({given})", f'"{numbers[0]}"')] if numbers and name != "goodput_report" else []
        self.assertLess(25, len(tables))
        for table, column in tables:
            named = (
                f"{table.split('(')[0]}: {column.strip(chr(34))}: expected a number, such as mpg_time('%s'), found '%s'"
            )
            with self.subTest(table=table):
                where = f"SELECT count(*) FROM {table} AS t WHERE {column}"
                for op in "<", "<=", ">", ">=":
                    for value in "2026-01-06", "2026-01-06T10:00:00Z", at.isoformat(" "):
                        self.assertEqual(named % (value, value), self.error(f"{where} {op} ?", value))
                    for value, literal in (
                        (1772445600, "1772445600"),
                        (1.5, "1.5"),
                        ("5", "'5'"),
                        ("x", "'x'"),
                        (None, "NULL"),
                    ):
                        self.assertEqual(self.rows(f"{where} {op} {literal}"), self.rows(f"{where} {op} ?", value))
                both = f"{where} BETWEEN ? AND (SELECT '2026-01-07')"
                self.assertEqual(named % ("2026-01-07", "2026-01-07"), self.error(both, 5))

    def test_a_record_that_is_a_parameter(self):
        self.assertIn("found 'span'", self.error("SELECT * FROM mpg_records WHERE record = ?", "span"))
        self.assertEqual(2, self.one("SELECT count(*) FROM mpg_records WHERE record = ?", "jobs"))

    def test_values_of_the_ledger(self):
        for question, arguments, said in (
            ("mpg_losses", "'nopool'", "pool: expected a pool of the ledger, such as 'golden', found 'nopool'"),
            ("mpg_rolling", "'nopool'", "pool: expected a pool of the ledger, such as 'golden', found 'nopool'"),
            (
                "mpg_migration",
                "'phase', 'x', 'training'",
                "before: expected a value of the ledger, such as 'serving', 'training', found 'x'",
            ),
            (
                "mpg_migration",
                "'phase', 'serving', 'x'",
                "after: expected a value of the ledger, such as 'serving', 'training', found 'x'",
            ),
        ):
            self.fails(f"{question}: {said}", f"SELECT * FROM {question}({arguments})")
        self.assertLess(2, self.one("SELECT count(*) FROM mpg_losses('golden')"))
        self.assertLess(2, self.one("SELECT count(*) FROM mpg_losses(NULL)"))

    def test_a_chip_of_the_fleet_file(self):
        """It is listed though nothing is rated; a trace may bring its own."""
        for path, chip, said in (
            ("slurm/sacct_jobs.psv", "h1000", 1),
            ("training/torchtitan.log", "h1000", 1),
            ("slurm/sacct_jobs.psv", "NVIDIA H100 80GB HBM3", 0),
        ):
            path = os.path.join(ROOT, "fixtures", path)
            fleet = json.dumps({"sources": [{"path": path, "chip": chip}]})
            for table in ("trace_rollup", "trace_sources"):
                self.rows(f"SELECT * FROM {table}(?)", fleet)
                self.assertEqual(
                    [(f"option \"chip\": mpg_chips has no '{chip}'",)] * said,
                    self.rows(
                        "SELECT substr(detail, 1, instr(detail, ':') + instr(substr(detail, instr(detail, ':') + 1), ':') - 1) FROM mpg_issues WHERE kind = 'unknown_chip' AND source = ?",
                        path,
                    ),
                )
        said = "Which of nvidia-h100-nvl, nvidia-h100-pcie, nvidia-h100-sxm is it?"
        self.rows("SELECT * FROM trace_rollup(?)", json.dumps({"sources": [{"path": path, "chip": "H100"}]}))
        self.assertEqual(
            f"option \"chip\": mpg_chips has no 'H100': what runs on it is not rated. {said}",
            self.one(
                "SELECT detail FROM mpg_issues WHERE kind = 'unknown_chip' AND source = ? AND instr(detail, 'H100')",
                path,
            ),
        )
        own = self.folder_of(
            {
                "chips.csv": "chip,dtype,peak_flops\nown,bf16,1e15\n",
                "a.psv": open(os.path.join(ROOT, "fixtures/slurm/sacct_jobs.psv"), encoding="utf-8").read(),
            }
        )
        self.rows("SELECT * FROM trace_rollup(?)", json.dumps({"sources": [{"path": own, "chip": "own"}]}))
        self.assertEqual(
            0, self.one("SELECT count(*) FROM mpg_issues WHERE kind = 'unknown_chip' AND instr(source, ?)", own)
        )


if __name__ == "__main__":
    unittest.main()
