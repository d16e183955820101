"""Values of another type than is asked for, ends of what values may be, and orders among equals, wherever SQL hands them in."""

import json
import unittest

from cases import FolderCase
from fleets import connect


class Options(FolderCase):
    def test_zones_that_are_none(self):
        path = self.file("x\n", "a.log")
        for table, more in {"log_trace": ", '(?<a>.)'", "csv_trace": "", "slurm_nodes_trace": ""}.items():
            self.assertRegex(
                self.error(f"SELECT * FROM {table}(?{more}) WHERE zone = 'No/Where'", path),
                f'^{table}: .*no time zone "No/Where" in ',
            )
            self.assertRegex(
                self.error(f"SELECT * FROM {table}(?{more}) WHERE zone = '../etc'", path), f"^{table}: zone: "
            )

    def test_nulls(self):
        """Texts between commas without the spaces around them; what is empty is NULL anyway. A field keeps its own spaces."""
        path = self.file("a,b,c,d\n-,n/a,,x\n- ,n,0,y\n", "a.csv")
        for nulls, expected in {
            " - , n/a ": [[None, None, None, "x"], ["- ", "n", 0, "y"]],
            "-,,n": [[None, "n/a", None, "x"], ["- ", None, 0, "y"]],
            "0": [["-", "n/a", None, "x"], ["- ", "n", None, "y"]],
        }.items():
            found = [
                list(json.loads(text).values())
                for text, in self.rows("SELECT * FROM csv_trace(?) WHERE nulls = ?", path, nulls)
            ]
            self.assertEqual(expected, found, nulls)


class Relations(FolderCase):
    """Tables of the seven relations whose columns have no type: whole REALs are integers, BLOBs are texts."""

    def setUp(self):
        super().setUp()
        self.db.executescript(
            """
            CREATE TABLE capacity(pool, chip, chips, start_time, end_time);
            CREATE TABLE jobs(job, chips, submit_time, tasks);
            CREATE TABLE allocations(job, attempt, pool, chips, start_time, end_time);
            INSERT INTO capacity VALUES (x'70', CAST('tpu-v4' AS BLOB), 8, 0, 100);
            INSERT INTO jobs VALUES ('J', 4.0, 0, 1.0);
            INSERT INTO allocations VALUES ('J', 2.0, x'70', 4, 0, 100);"""
        )

    def test_as_meant(self):
        self.assertEqual(
            [
                ("capacity", None, "p", "tpu-v4", None, 8.0, None),
                ("jobs", "J", None, None, None, 4.0, 1),
                ("allocations", "J", "p", None, 2, 4.0, None),
            ],
            self.rows("SELECT record, job, pool, chip, attempt, chips, tasks FROM mpg_records"),
        )
        self.assertEqual([("p", 800.0)], self.rows("SELECT pool, sum(chip_seconds) FROM mpg_rollup GROUP BY pool"))

    def test_no_integers(self):
        for value, found in {
            "2.5": "2.5",
            "1e15 + 0.5": "1000000000000000.5",
            "-9.1e15": "-9100000000000000",
            "9e999": "inf",
            "'2.5'": '"2.5"',
            "'two'": '"two"',
            "x'0200000000000000'": "8 bytes that are no text",
        }.items():  # Python's sqlite3 stores numpy's 2 so
            self.db.execute(f"UPDATE allocations SET attempt = {value}")
            self.assertEqual(
                f"mpg_records: main.allocations:1: allocations.attempt: expected an integer, found {found}",
                self.error("SELECT * FROM mpg_records"),
            )
        self.db.execute("UPDATE allocations SET attempt = '2.0'")
        self.assertEqual([(2,)], self.rows("SELECT attempt FROM mpg_records WHERE record = 'allocations'"))

    def test_nothing(self):
        self.db.execute("UPDATE allocations SET pool = zeroblob(0)")
        self.assertEqual(
            "mpg_records: main.allocations:1: allocations.pool: expected a value, found nothing",
            self.error("SELECT * FROM mpg_records"),
        )
        self.db.execute("UPDATE allocations SET pool = 'p', chips = -0.5")
        self.assertRegex(self.error("SELECT * FROM mpg_records"), "allocations.chips: expected .*, found -0.5$")

    def test_of_unknown_encoding(self):
        """A database in UTF-16 tells the same."""
        other = connect()
        other.executescript(
            """PRAGMA encoding = 'UTF-16';
            CREATE TABLE capacity(pool TEXT, chip, chips, start_time, end_time);
            INSERT INTO capacity VALUES ('p\u00e9', 'tpu-v4', 8, 0, 100);"""
        )
        self.assertEqual([("p\u00e9", "tpu-v4")], other.execute("SELECT pool, chip FROM mpg_records").fetchall())
        other.close()


class Chips(FolderCase):
    def test_wrong_rows(self):
        """What the catalogue cannot take is told with its place."""
        path = self.path("chips.csv")
        for text, error in {
            "x" * 256 + ",bf16,1,,": f'2:1: chips.chip: expected a text of less than 256 bytes, found "{"x" * 40}"...',
            "x,bf16,-1,,": '2:8: chips.peak_flops: expected a number of at least 0, found "-1"',
            "x,bf16,1,soon,": '2:10: chips.tdp_w: expected a number, found "soon"',
            "x,bf16,1,,2025.5": '2:11: chips.year: expected an integer, found "2025.5"',
        }.items():
            self.file("chip,dtype,peak_flops,tdp_w,year\n" + text + "\n", "chips.csv")
            self.assertEqual(
                f"trace_records: {path}:{error}", self.error("SELECT * FROM trace_records(?)", self.folder)
            )

    def test_quotes(self):
        """Doubled quotes stand for one, in the first record as in others, however small the file."""
        texts = ['the "fast" one', 'a "b', '"']
        for order in (texts, texts[::-1]):
            lines = [f'c{i},bf16,1e12,"{text.replace(chr(34), chr(34) * 2)}"\n' for i, text in enumerate(order)]
            for n in (1, 3):
                self.file("chip,dtype,peak_flops,source\n" + "".join(lines[:n]), "chips.csv")
                self.assertEqual(
                    [(f"c{i}", text) for i, text in enumerate(order[:n])],
                    self.rows("SELECT chip, source FROM trace_records(?) ORDER BY chip", self.folder),
                )


class Rows(FolderCase):
    def test_rowids(self):
        """Rows are numbered in their order: on from 1, or from what their arguments say."""
        paths = [self.file("a\n", name) for name in ("a.csv", "b.csv")]
        (first, _), (second, _) = found = self.rows("SELECT rowid, path FROM trace_files(?)", self.folder)
        self.assertEqual([path for _, path in found], paths)
        self.assertEqual(second, first + 1)
        self.assertNotIn(self.rows("SELECT rowid FROM trace_files(?)", paths[0]), [[(first,)], [(second,)]])
        self.assertEqual(
            [(i + 1,) for i in range(self.rows("SELECT count(*) FROM mpg_limits")[0][0])],
            self.rows("SELECT rowid FROM mpg_limits"),
        )
        trace = self.file('{"schemaVersion": 1, "traceEvents": []}', "t.json")
        self.assertEqual([(1, trace)], self.rows("SELECT _line, _file FROM chrome_trace_info(?)", trace))

    def test_buckets_in_order(self):
        """Buckets come in the order of time; backwards SQLite turns them around."""
        for column in ("start_time", "end_time"):
            read = f"SELECT start_time, end_time FROM interval_buckets(0, 100, 30) ORDER BY {column}"
            self.assertEqual([(0, 30), (30, 60), (60, 90), (90, 100)], self.rows(read))
            self.assertEqual([(90, 100), (60, 90), (30, 60), (0, 30)], self.rows(read + " DESC"))
            self.assertNotIn("TEMP B-TREE", str(self.rows("EXPLAIN QUERY PLAN " + read)))
            self.assertIn("TEMP B-TREE", str(self.rows("EXPLAIN QUERY PLAN " + read + " DESC")))


class Operations(FolderCase):
    def test_flops_beyond_64_bits(self):
        """2 m n k: an integer as long as it is one of SQLite's, else a REAL."""
        for m, k in ((1 << 20, 1 << 20), (1 << 21, 1 << 19), (1 << 22, 1 << 18), (1 << 23, 1 << 17)):
            ((flops, kind),) = self.rows(
                "SELECT f, typeof(f) FROM (SELECT op_flops('aten::mm', ?) AS f)", json.dumps([[m, k], [k, m]])
            )
            self.assertEqual((2 * m * k * m, "integer" if 2 * m * k * m < 2**63 else "real"), (int(flops), kind))


class GoodputReport(FolderCase):
    """goodput_report over logs of elastic jobs."""

    def report(self, log, columns):
        path = self.file("".join(json.dumps({"job_name": "r"} | row) + "\n" for row in log), "log.jsonl")
        (found,) = self.rows(f"SELECT {columns}, error FROM goodput_report(?)", path)
        self.assertIsNone(found[-1])
        return found[:-1]

    START = [{"job_start_time": 0}, {"step_count": 0, "step_start_time": 10}, {"step_count": 1, "step_start_time": 20}]
    END = [{"job_end_time": 100}]

    def test_waits_and_slices(self):
        """Waits by what their type says, in any case; slices as shares of all, over time."""
        waits = [
            {"elastic_wait_start_time": 30, "elastic_wait_event_type": "scale_up"},
            {"elastic_wait_end_time": 35, "elastic_wait_event_type": "Scale_Up"},
            {"elastic_wait_start_time": 40, "elastic_wait_event_type": "slice_down"},
            {"elastic_wait_end_time": 47, "elastic_wait_event_type": "slice_down"},
            {"elastic_wait_start_time": 50},
            {"elastic_wait_end_time": 59},
        ]
        slices = [
            {
                "elastic_slice_counts_timestamp": at,
                "active_slices": active,
                "available_slices": available,
                "total_slices": 4,
            }
            for at, active, available in ((0, 2, 4), (20, 4, 3))
        ]
        self.assertEqual(
            (5, 7, 0.9, (4 * 20 + 3 * 80) / 400),
            self.report(
                self.START + waits + slices + self.END,
                "elastic_scale_up_s, elastic_slice_down_s, stepping_slice_efficiency, available_slice_efficiency",
            ),
        )
        self.assertEqual(
            (0, None, None),
            self.report(
                self.START + self.END, "elastic_scale_up_s, stepping_slice_efficiency, available_slice_efficiency"
            ),
        )

    def test_types_are_quoted(self):
        events = []
        for at, kind in ((11, 'a"b\\c'), (13, "tab\tend")):
            events += [
                {"custom_badput_event_start_time": at, "custom_badput_event_type": kind},
                {"custom_badput_event_end_time": at + 1, "custom_badput_event_type": kind.upper()},
            ]
        (text,) = self.report(self.START[:2] + events + self.START[2:] + self.END, "custom_badput_events")
        self.assertEqual({'A"B\\C': 1.0, "TAB\tEND": 1.0}, json.loads(text))
        self.assertIn("\\u0009", text)

    def test_entries_of_one_moment(self):
        """Exported entries with one timestamp come in the order of their ids, as texts."""
        log = [
            (row, f"2024-01-01T00:00:0{min(i, 1)}Z", name)
            for i, (row, name) in enumerate(zip(self.START + self.END, ("a", "b", "c", "d")))
        ]
        answers = set()
        for order in ([0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]):
            entries = [
                {"insertId": log[i][2], "timestamp": log[i][1], "jsonPayload": {"job_name": "r"} | log[i][0]}
                for i in order
            ]
            path = self.file(json.dumps(entries), "export.json")
            answers.update(
                self.rows(
                    "SELECT productive_s, total_job_time_s, ideal_step_time_s, error FROM goodput_report(?)", path
                )
            )
        self.assertEqual({(90.0, 100.0, 10.0, None)}, answers)


if __name__ == "__main__":
    unittest.main()
