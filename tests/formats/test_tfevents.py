"""TensorBoard's event files: tfevents_trace and its mapping.

Files are made at random, with fields in any order, and what the table says is held against what was meant; the fixture against a reading of it in Python.
"""

import glob
import gzip
import math
import os
import random
import shutil
import struct
import unittest

import formats
import tfevents
from cases import FolderCase
from fleets import ROOT
from tfevents import Float, begin, event, simple, summary, tensor
from test_xplane import fields

FOLDER = os.path.join(ROOT, "fixtures/tfevents/run-7")
COLUMNS = "wall_time, step, kind, tag, value, text, plugin, file_version"


def records(data):
    """(offset, data) of each record, by its length alone."""
    at = 0
    while at < len(data):
        (n,) = struct.unpack_from("<Q", data, at)
        yield at, data[at + 12 : at + 12 + n]
        at += 16 + n


def message(data):
    """{number: [values]} of a message; a payload as bytes."""
    out = {}
    for number, value, _ in fields(data, 0, len(data)):
        out.setdefault(number, []).append(data[value[0] : value[1]] if isinstance(value, tuple) else value)
    return out


def parsed(data):
    """(offset, wall time, step, tag, value) of each scalar, as simple_value or as a float in tensor_content."""
    for at, payload in records(data):
        one = message(payload)
        (time,) = struct.unpack("<d", one[1][0])
        for whole in one.get(5, []):
            for value in message(whole).get(1, []):
                value = message(value)
                content = value.get(2) or message(value.get(8, [b""])[0]).get(4)
                if content:
                    yield at, time, one.get(2, [0])[0], value[1][0].decode(), struct.unpack("<f", content[0])[0]


class Table(FolderCase):
    def table(self, data, more=""):
        return self.rows(f"SELECT {COLUMNS}, _line FROM tfevents_trace(?) {more}", self.file(data))

    def values(self, *values):
        """(kind, value, text) of each, in a file of its own."""
        return self.rows("SELECT kind, value, text FROM tfevents_trace(?)", self.file(summary(5, 1, *values)))

    def test_fixture_is_what_its_program_writes(self):
        self.assertEqual(
            {name: open(os.path.join(FOLDER, name), "rb").read() for name in os.listdir(FOLDER)}, tfevents.fixture()
        )

    def test_fixture_read_in_python(self):
        for name, data in tfevents.fixture().items():
            rows = self.rows(
                "SELECT _line, wall_time, step, tag, value FROM tfevents_trace(?) WHERE kind = 'scalar'",
                os.path.join(FOLDER, name),
            )
            self.assertEqual(rows, list(parsed(data)))
            self.assertEqual(len(rows), 18)

    def test_checksum(self):
        """The published check value of CRC-32C, and what RFC 3720 says of 32 zeros, through the mask; of every length up to 40."""

        def mask(crc):
            return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF

        self.assertEqual(mask(0xE3069283), tfevents.masked_crc(b"123456789"))
        self.assertEqual(mask(0x8A9136AA), tfevents.masked_crc(bytes(32)))
        for n in range(41):
            self.assertEqual(
                [("é" * n or None,)],
                self.rows("SELECT text FROM tfevents_trace(?)", self.file(event(1, 0, (6, [(2, "é" * n)])))),
            )

    def test_kinds(self):
        data = [
            begin(1, "brain.Event:2"),
            event(2, 0, (4, b"g")),
            event(3, 1, (9, b"m")),
            event(4, 2, (8, [(1, "t")])),
            event(5, 3, (6, [(1, 20), (2, "said")])),
            event(6, 4, (7, [(1, 3), (2, "m/ckpt-4")])),
            event(7, 5),
            event(8, 6, (3, "brain.Event:2"), (10, [(1, "writer")])),
            summary(
                9,
                7,
                [(1, "h"), (5, [(1, 1.0)])],
                [(1, "i"), (4, [(1, 3)])],
                [(1, "a"), (6, [])],
                [(1, "o"), (3, b"")],
                [(1, "n")],
                [(7, "node"), (2, Float(2))],
            ),
        ]
        rows = [row[:-1] for row in self.table(b"".join(data))]
        self.assertEqual(
            rows,
            [
                (1.0, 0, "file_version", None, None, None, None, "brain.Event:2"),
                (2.0, 0, "graph", None, None, None, None, None),
                (3.0, 1, "meta_graph", None, None, None, None, None),
                (4.0, 2, "run_metadata", None, None, None, None, None),
                (5.0, 3, "log_message", None, None, "said", None, None),
                (6.0, 4, "session_log", "checkpoint", None, "m/ckpt-4", None, None),
                (7.0, 5, None, None, None, None, None, None),
                (8.0, 6, "file_version", None, None, "writer", None, "brain.Event:2"),
                (9.0, 7, "histogram", "h", None, None, None, None),
                (9.0, 7, "image", "i", None, None, None, None),
                (9.0, 7, "audio", "a", None, None, None, None),
                (9.0, 7, "histogram", "o", None, None, None, None),
                (9.0, 7, None, "n", None, None, None, None),
                (9.0, 7, "scalar", "node", 2.0, None, None, None),
            ],
        )

    def test_numbers(self):
        f, d = (lambda v: struct.pack("<f", v)), (lambda v: struct.pack("<d", v))
        for expected, value in (
            (0.10000000149011612, simple("x", 0.1)),
            (math.inf, simple("x", math.inf)),
            (0.0, simple("x", 0.0)),
            (0.10000000149011612, tensor("x", 1, (4, f(0.1)))),
            (0.1, tensor("x", 2, (4, d(0.1)))),
            (0.1, tensor("x", 2, (6, d(0.1)))),
            (0.5, tensor("x", 1, (5, Float(0.5)))),
            (0.5, tensor("x", 1, (5, f(0.5)))),
            (0.25, tensor("x", 2, (6, 0.25))),
            (-3.0, tensor("x", 3, (7, -3))),
            (-3.0, tensor("x", 3, (4, struct.pack("<i", -3)))),
            (300.0, tensor("x", 3, (7, b"\xac\x02"))),
            (-1.0, tensor("x", 6, (4, b"\xff"))),
            (255.0, tensor("x", 4, (4, b"\xff"))),
            (-2.0, tensor("x", 5, (4, b"\xfe\xff"))),
            (65534.0, tensor("x", 17, (4, b"\xfe\xff"))),
            (float(2**53), tensor("x", 9, (10, 2**53))),
            (-9.0, tensor("x", 9, (4, struct.pack("<q", -9)))),
            (1.0, tensor("x", 10, (11, 1))),
            (4e9, tensor("x", 22, (16, 4_000_000_000))),
            (1e19, tensor("x", 23, (17, 10**19))),
            (1.5, tensor("x", 14, (13, 0x3FC0))),
            (1.5, tensor("x", 14, (4, b"\xc0\x3f"))),
            (7.0, tensor("x", 1, (4, f(7)), shape=(1, 1))),
        ):
            self.assertEqual([("scalar", expected, None)], self.values(value))

    def test_halves(self):
        """All of them, against Python's."""
        rng = random.Random(7)
        halves = [0, 1, 0x3FF, 0x400, 0x7BFF, 0x7C00, 0x8000, 0xFC00] + [
            rng.randrange(0x7C00) | rng.choice([0, 0x8000]) for _ in range(300)
        ]
        rows = self.values(*(tensor("x", 19, (13, h)) for h in halves))
        self.assertEqual(
            [value for _, value, _ in rows], [struct.unpack("<e", struct.pack("<H", h))[0] for h in halves]
        )

    def test_not_a_number(self):
        self.assertEqual(
            [("scalar", None, "nan")] * 3,
            self.values(simple("x", math.nan), tensor("x", 2, (6, math.nan)), tensor("x", 19, (13, 0x7E00))),
        )

    def test_what_is_no_scalar(self):
        four = struct.pack("<4f", 1, 2, 3, 4)
        for value in (
            tensor("x", 1, (4, four), shape=(2, 2)),
            tensor("x", 1, (5, four), shape=(4,)),
            tensor("x", 1, (5, four)),
            tensor("x", 1),
            tensor("x", 8, (4, bytes(8))),
            tensor("x", 7, (8, "a"), (8, "b"), shape=(2,)),
            tensor("x", 1, (4, four[:4]), shape=(0,)),
            tensor("x", 3, (7, 1), (7, 2)),
        ):
            self.assertEqual([("tensor", None, None)], self.values(value))

    def test_texts(self):
        self.assertEqual(
            [("text", None, "Zürich"), ("text", None, "one")],
            self.values(tensor("x", 7, (8, "Zürich")), tensor("x", 7, (8, "one"), shape=(1,))),
        )

    def test_texts_that_are_no_utf8(self):
        path = self.file(summary(5, 1, tensor("x\xff".encode("latin-1"), 7, (8, b"a\xc3b\xff\xfe")), simple("ok", 1)))
        self.assertEqual(
            [("x\ufffd", "a\ufffdb\ufffd\ufffd"), ("ok", None)],
            self.rows("SELECT tag, text FROM tfevents_trace(?)", path),
        )
        self.assertEqual([("invalid_utf8", "warning", 4)], self.rows("SELECT kind, severity, count FROM mpg_issues"))

    def test_plugins_are_remembered(self):
        data = (
            summary(1, 1, simple("a", 1, "scalars"), simple("b", 1))
            + summary(2, 2, simple("a", 2), simple("b", 2, "other"), simple("scalars", 3))
            + summary(3, 3, simple("b", 3), simple("a", 4, "new"))
        )
        self.assertEqual(
            [row[6] for row in self.table(data)], ["scalars", None, "scalars", "other", None, "other", "new"]
        )

    def test_fields_in_any_order(self):
        rng = random.Random(3)
        data, expected = [], []
        for i in range(300):
            time, step, values = rng.uniform(0, 2e9), rng.choice([0, 1, -1, 2**40, -(2**63), i]), []
            for _ in range(rng.randrange(4)):
                name, number = f"tag {rng.randrange(9)}", struct.unpack("<f", struct.pack("<f", rng.uniform(-9, 9)))[0]
                value = (
                    [(1, name), (2, Float(number))]
                    if rng.random() < 0.5
                    else tensor(name, 1, (4, struct.pack("<f", number)))
                )
                rng.shuffle(value)
                values.append((1, value))
                expected.append((time, step, "scalar", name, number))
            half = rng.randrange(len(values) + 1)
            parts = [(1, time), (2, step), (5, values[:half]), (5, values[half:])]
            order = rng.sample(range(4), 4)  # of the summaries the first stays first
            order[order.index(2)], order[order.index(3)] = (
                sorted((order.index(2), order.index(3))) and (2, 3) if order.index(2) < order.index(3) else (3, 2)
            )
            parts = [parts[k] for k in order]
            if [v for k, v in parts if k == 5] != [values[:half], values[half:]]:
                parts = [(k, v) for k, v in parts if k != 5] + [(5, values[:half]), (5, values[half:])]
            data.append(tfevents.record(tfevents.fields(parts)))
        self.assertEqual([row[:5] for row in self.table(b"".join(data))], expected)
        self.assertGreater(len(expected), 300)

    def test_unknown_fields(self):
        path = self.file(
            event(1, 0, (3, "brain.Event:2"), (11, "x"), (99, 7)) + summary(2, 1, [(1, "a"), (2, Float(1)), (12, 1.5)])
        )
        self.assertEqual(2, self.one("SELECT count(*) FROM tfevents_trace(?)", path))
        self.assertEqual(
            [("unknown_field", "info", 36, 3)], self.rows("SELECT kind, severity, line, count FROM mpg_issues")
        )

    def test_a_tag_from_another_table(self):
        """Rows of the tag alone come out of the reader: those that SQLite would have found among all."""
        path = self.file(
            begin(1)
            + b"".join(
                summary(i, i, [(1, name), (2, Float(i))])
                for i, name in enumerate(("loss", "train/loss", "loss", b"lo\xffss", "checkpoint", "scalar", ""), 2)
            )
            + event(9, 9, (7, [(1, 3)]))
        )
        every = self.rows("SELECT tag, kind, step FROM tfevents_trace(?)", path)
        for wanted in ("loss", "LOSS", "train/loss", "lo\ufffdss", "checkpoint", "", None, 7, b"loss"):
            for kind in (None, "scalar", "session_log"):
                found = self.rows(
                    "SELECT e.tag, e.kind, e.step FROM (SELECT ? AS path, ? AS tag) AS w CROSS JOIN tfevents_trace(w.path) AS e WHERE e.tag = w.tag"
                    + (f" AND e.kind = '{kind}'" if kind else ""),
                    path,
                    wanted,
                )
                self.assertEqual(
                    [row for row in every if row[0] == wanted and wanted is not None and kind in (None, row[1])], found
                )
        self.assertEqual(
            [(name, 2 if name == "loss" else 1) for name in ("loss", "train/loss")],
            self.rows(
                'SELECT w.value, count(*) FROM json_each(\'["loss", "train/loss"]\') AS w JOIN tfevents_trace(?) AS e ON e.tag = w.value GROUP BY 1',
                path,
            ),
        )

    def test_packed(self):
        data = open(os.path.join(FOLDER, os.listdir(FOLDER)[0]), "rb").read()
        path = self.file(gzip.compress(data), "events.gz")
        self.assertEqual(self.table(data), self.rows(f"SELECT {COLUMNS}, _line FROM tfevents_trace(?)", path))


class Damage(FolderCase):
    def setUp(self):
        super().setUp()
        self.parts = [begin(1)] + [summary(i, i, simple("loss", i)) for i in range(2, 8)]
        self.data = b"".join(self.parts)

    def steps(self, data):
        path = self.file(data)
        rows = [step for step, in self.rows("SELECT step FROM tfevents_trace(?) WHERE on_error = 'skip'", path)]
        return path, rows, self.rows("SELECT kind, line, count FROM mpg_issues")

    def test_of_the_data(self):
        at = len(self.parts[0]) + len(self.parts[1])
        path, rows, issues = self.steps(self.data[: at + 14] + b"\x55" + self.data[at + 15 :])
        self.assertEqual(([0, 2, 4, 5, 6, 7], [("skipped_record", at, 1)]), (rows, issues))
        self.assertRegex(
            self.error("SELECT * FROM tfevents_trace(?)", path),
            f"^tfevents_trace: {path}: byte {at}: expected a record of an event file, with the masked CRC-32C 0x[0-9a-f]{{8}} of its data, found 0x[0-9a-f]{{8}}$",
        )

    def test_of_a_length(self):
        at = len(self.parts[0]) + len(self.parts[1])
        path, rows, issues = self.steps(self.data[:at] + b"\x01" + self.data[at + 1 :])
        self.assertEqual(([0, 2], [("skipped_record", at, 1)]), (rows, issues))
        self.assertRegex(
            self.error("SELECT * FROM tfevents_trace(?)", path), f"byte {at}: expected .* of its length, found"
        )

    def test_every_bit(self):
        """Nothing that is wrong is read: of each damaged file the rows are some of the whole one's."""
        whole = self.steps(self.data)[1]
        for at in range(len(self.data)):
            for bit in (1, 128):
                _, rows, issues = self.steps(self.data[:at] + bytes([self.data[at] ^ bit]) + self.data[at + 1 :])
                self.assertLess(len(rows), len(whole))
                self.assertLessEqual(set(rows), set(whole))
                self.assertEqual(["skipped_record"], [kind for kind, *_ in issues])

    def test_what_is_no_event(self):
        """The checksums fit, and the message is none."""
        for payload, said in (
            (b"\x09\x01", "byte 12: expected a field of an Event, found its end within a field"),
            (b"\x0a\x00", "expected field 1 of an Event with wire type 1, found 2"),
            (tfevents.fields([(5, [(1, [(1, 5)])])]), "expected field 1 of a value with wire type 2, found 0"),
            (tfevents.fields([(5, [(1, [(2, 5)])])]), "expected field 2 of a value with wire type 5, found 0"),
            (
                tfevents.fields([(5, [(1, tensor("x", 1, (5, b"abc")))])]),
                "expected whole numbers in field 5 of a tensor, found 3 bytes",
            ),
            (
                tfevents.fields([(5, [(1, tensor("x", 3, (7, b"\xff")))])]),
                "expected whole numbers in field 7 of a tensor, found 1 bytes",
            ),
        ):
            path = self.file(tfevents.record(payload) + self.parts[1])
            self.assertIn(said, self.error("SELECT * FROM tfevents_trace(?)", path))
            self.assertEqual([(2,)], self.rows("SELECT step FROM tfevents_trace(?) WHERE on_error = 'skip'", path))

    def test_limit(self):
        self.rows("SELECT mpg_limit('record_bytes', 100)")
        path = self.file(summary(1, 1, simple("x" * 100, 1)))
        self.assertRegex(
            self.error("SELECT * FROM tfevents_trace(?)", path), "byte 0: an event of [0-9]+ bytes, more than 100$"
        )
        path = self.file(b"".join(summary(1, 1, simple(f"tag {i}", 1, "p")) for i in range(3)))
        self.assertRegex(
            self.error("SELECT * FROM tfevents_trace(?)", path), "byte 0: tags and plugins of more than 100 bytes$"
        )


class Recognition(FolderCase):
    def test_no_other_file_is_one(self):
        """The whole matrix: every file of the fixtures, and those of this format under a name that says nothing."""
        found = dict(self.rows("SELECT file, format FROM trace_sources(?)", os.path.join(ROOT, "fixtures")))
        own = {path for path, format in found.items() if format == "tfevents"}
        recorded = {
            path for path in glob.glob(os.path.join(ROOT, "fixtures/h100/**"), recursive=True) if ".tfevents." in path
        }
        self.assertEqual(own, recorded | {os.path.join(FOLDER, name) for name in os.listdir(FOLDER)})
        self.assertGreater(len(found), 50)
        for name in os.listdir(FOLDER):
            with open(os.path.join(FOLDER, name), "rb") as file:
                self.file(file.read(), name.replace(".", "-") + ".json")
        self.assertEqual(
            [("tfevents", "sure", "by its content")] * 2,
            self.rows("SELECT format, certainty, reason FROM trace_sources(?)", self.folder),
        )

    def test_records_of_examples(self):
        """TFRecords of training data are no event files."""
        path = self.file(tfevents.record(tfevents.fields([(1, [(1, [(1, "feature")])])])) * 9, "train.tfrecord")
        self.assertEqual([(None,)], self.rows("SELECT format FROM trace_sources(?)", path))
        self.assertIn("expected field 1 of an Event", self.error("SELECT * FROM tfevents_trace(?)", path))


class Mapping(FolderCase):
    def write(self, name, *parts):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        self.file(b"".join(parts), name)

    def spans(self, **options):
        import json

        fleet = json.dumps({"sources": [{"path": self.folder, **options}]})
        return self.rows(
            "SELECT job, attempt, kind, start_time, end_time, step, flops FROM trace_records(?) WHERE record = 'spans' ORDER BY attempt, start_time",
            fleet,
        )

    @staticmethod
    def run_of(start, steps, seconds=2.0, name="loss", wait=10):
        yield begin(start)
        for i, step in enumerate(steps):
            yield summary(start + wait + seconds * (i + 1), step, simple(name, 9 - step / 100))

    def test_against_python(self):
        """The fixture's ledger, by adding up in Python what its wall times say."""
        attempts = []
        for name, data in sorted(tfevents.fixture().items()):
            points = [(step, time, value) for _, time, step, tag, value in parsed(data) if tag == "learning/loss"]
            times = [struct.unpack("<d", message(payload)[1][0])[0] for _, payload in records(data)]
            attempts.append((times[0], times[-1], points))
        (begin_1, _, one), (begin_2, end_2, two) = attempts
        mean = {i: (p[-1][1] - p[0][1]) / (len(p) - 1) for i, p in enumerate((one, two))}
        startup = (one[0][1] - mean[0] - begin_1) + (two[0][1] - mean[1] - begin_2)
        resumed = two[0][0]
        lost = sum(mean[0] for step, *_ in one if step >= resumed)
        kept = sum(mean[0] for step, *_ in one if step < resumed) + mean[1] * len(two)
        sums = dict(
            self.rows(
                """SELECT category, sum(chip_us) / 8e6 FROM trace_ledger('{"sources": [{"path": "' || ? || '", "chips": 8, "chip": "tpu-v5e", "outcome": "completed"}]}')
                                 GROUP BY category""",
                FOLDER,
            )
        )
        self.assertEqual(
            {
                "startup": startup,
                "lost": lost,
                "unknown": end_2 - two[-1][1],
                "queued": begin_2 - one[-1][1],
                "productive": kept,
            },
            {
                **{k: v for k, v in sums.items() if k not in ("ideal", "inefficiency")},
                "productive": sums["ideal"] + sums["inefficiency"],
            },
        )
        ideal = sum((110 + step) * 1e12 * 4 for step, *_ in one if step < resumed) + sum(
            (110 + step) * 1e12 * 4 for step, *_ in two
        )
        self.assertAlmostEqual(sums["ideal"], ideal / 197e12, places=4)

    def test_spans_of_several_steps(self):
        self.write("run/a", *self.run_of(1000, [10, 20, 30], 5.0))
        job = self.path("run")
        self.assertEqual(
            self.spans(),
            [(job, 1, "init", 1000.0, 1010.0, None, None)]
            + [(job, 1, "step", 1010.0 + 5 * i, 1015.0 + 5 * i, 10 * (i + 1), None) for i in range(3)],
        )

    def test_restarts(self):
        """A file is an attempt, whatever step it begins with; so is what follows where steps go back within one."""
        for steps in ([4, 5], [3, 4], [1, 2]):
            self.write("run/a", *self.run_of(1000, [1, 2, 3]))
            self.write("run/b", *self.run_of(2000, steps))
            self.assertEqual(
                [(1, step) for step in (1, 2, 3)] + [(2, step) for step in steps],
                [row[1:6:4] for row in self.spans() if row[2] == "step"],
            )
        self.write("run/b", *list(self.run_of(2000, [4, 5])) + list(self.run_of(3000, [3, 4]))[1:])
        self.assertEqual(
            [(1, 1), (1, 2), (1, 3), (2, 4), (2, 5), (3, 3), (3, 4)],
            [row[1:6:4] for row in self.spans() if row[2] == "step"],
        )
        self.assertEqual(
            [("repeated_steps", 1)], self.rows("SELECT kind, count FROM mpg_issues WHERE severity = 'warning'")
        )

    def test_hosts_that_write_at_once(self):
        self.write("run/host-0", *self.run_of(1000, [1, 2, 3]))
        self.write("run/host-1", *self.run_of(1000.5, [1, 2]))
        self.assertEqual([1, 2, 3], [row[5] for row in self.spans() if row[2] == "step"])
        self.assertEqual(
            [(self.path("run/host-1"), 2)],
            self.rows("SELECT source, count FROM mpg_issues WHERE kind = 'parallel_files'"),
        )

    def test_the_tag(self):
        """The one with the most values of the known ones; or the one that is asked for."""
        self.write(
            "run/a",
            begin(1000),
            *(
                summary(1010 + i, i, simple("val_loss", 1), *[simple("train/loss", 1)] * (i % 2), simple("lm loss", 2))
                for i in range(1, 7)
            ),
        )
        self.assertEqual([1, 2, 3, 4, 5, 6], [row[5] for row in self.spans() if row[2] == "step"])
        self.assertEqual([1, 3, 5], [row[5] for row in self.spans(tag="train/loss") if row[2] == "step"])
        self.assertEqual([], self.spans(tag="none"))
        self.assertEqual(
            [('no value of the tag "none" was found',)],
            self.rows("SELECT detail FROM mpg_issues WHERE kind = 'no_steps'"),
        )
        self.write("run/a", begin(1000), summary(1010, 1, simple("accuracy", 1)))
        self.assertEqual([], self.spans())
        self.assertEqual(
            [("no_record",), ("no_steps",)],
            self.rows("SELECT kind FROM mpg_issues WHERE severity = 'warning' ORDER BY kind"),
        )

    def test_keras(self):
        """Its callback writes an epoch's loss, and each batch's if it is asked to, into the folders train and validation of one run."""
        self.write("r/train/a", *self.run_of(1000, range(4), 20, "epoch_loss"))
        self.write("r/validation/b", *self.run_of(1005, range(4), 20, "epoch_loss"))
        steps = [(self.path("r"), i, 1010 + 20 * i, 1030 + 20 * i) for i in range(4)]
        told = lambda: [(job, step, start, end) for job, _, kind, start, end, step, _ in self.spans() if kind == "step"]
        self.assertEqual(steps, told())
        self.write(
            "r/train/a",
            *self.run_of(1000, range(4), 20, "epoch_loss"),
            *(summary(1010 + 4 * i, i, simple("batch_loss", 1)) for i in range(1, 20)),
        )
        self.assertEqual([(self.path("r"), i, 1006 + 4 * i, 1010 + 4 * i) for i in range(2, 20)], told()[1:])
        self.write("r/train/a", *self.run_of(1000, range(4), 20, "loss"))  # of another program
        self.assertEqual({self.path("r/train"), self.path("r")}, {row[0] for row in told()})

    def test_evaluations_make_the_first_step_no_longer(self):
        """Steps of 10 s, and evaluations of 40 s after every second one: the first lasts 10 s, as the others do without theirs."""
        at, events = 1020, [begin(1000)]
        for step in range(1, 9):
            at += 10
            events.append(summary(at, step, simple("train/loss", 1)))
            if step % 2 == 0:
                at += 40
                events.append(summary(at, step, simple("eval/runtime", 40)))
        self.write("r/a", *events)
        self.assertEqual((1020.0, 1030.0), next(row[3:5] for row in self.spans() if row[2] == "step"))

    def test_evaluations_in_folders_of_their_own(self):
        """Estimator's model/eval, an evaluator's folder beside `train`, PyTorch's add_scalars: no chips are held twice for them. A folder of that name by itself is a run."""
        for number, (training, evaluation, name) in enumerate(
            (
                ("r/a", "r/eval/b", "loss"),
                ("r/a", "r/eval_holdout/b", "loss"),
                ("r/train/a", "r/eval/b", "loss"),
                ("r/train/a", "r/validation/b", "epoch_loss"),
                ("r/loss_train/a", "r/loss_val/b", "loss"),
                ("r/a", "r/Test/b", "loss"),
            )
        ):
            folder = f"{number}/"
            self.write(folder + training, *self.run_of(1000, range(100, 1100, 100), 10, name))
            self.write(folder + evaluation, *self.run_of(1060, range(500, 1100, 500), 49, name))
            path = self.path(folder)
            self.assertEqual(
                [(1, 10)],
                self.rows(
                    "SELECT count(DISTINCT job), count(*) FROM trace_records(?) WHERE record = 'spans' AND kind = 'step'",
                    path,
                ),
                evaluation,
            )
            self.assertEqual(
                [(self.path(folder + evaluation),)],
                self.rows("SELECT source FROM mpg_issues WHERE kind = 'unused_events' AND instr(source, ?)", path),
            )
        for number, files in enumerate((("r/eval/b",), ("r/a", "r/next/b"), ("train/a", "test/b"))):
            for nth, file in enumerate(files):
                name = "loss" if nth == 0 else "train_loss"
                self.write(f"alone{number}/{file}", *self.run_of(1000 + 5 * nth, range(10), 10, name))
            self.assertEqual(
                len(files),
                self.one("SELECT count(*) FROM trace_records(?) WHERE record = 'jobs'", self.path(f"alone{number}")),
                files,
            )

    def test_rates(self):
        """TFLOP/s of a device, times the chips and the seconds of a step: the trainer's own where it tells them."""
        self.write(
            "run/a",
            begin(1000),
            *(
                summary(
                    1010 + 10 * i, 5 * i, simple("lm loss", 1), simple("throughput", 200), simple("iteration-time", 1.5)
                )
                for i in (1, 2)
            ),
            summary(1040, 15, simple("lm loss", 1), simple("throughput", 100)),
            summary(1050, 20, simple("lm loss", 1)),
        )
        self.assertEqual(
            [200e12 * 8 * 1.5 * 5] * 2 + [100e12 * 8 * 10, None],
            [row[6] for row in self.spans(chips=8) if row[2] == "step"],
        )
        self.assertEqual(
            [200e12 * 8 * 1.5 * 5] * 2 + [100e12 * 8 * 10, 5e15],
            [row[6] for row in self.spans(chips=8, flops=1e15) if row[2] == "step"],
        )

    def test_checkpoints_of_sessions(self):
        self.write("run/a", *self.run_of(1000, [1, 2, 3]), event(1017, 3, (7, [(1, 3), (2, "m/ckpt-3")])))
        self.assertEqual(
            [(3, 1017.0)],
            self.rows("SELECT step, durable_time FROM trace_records(?) WHERE record = 'commits'", self.folder),
        )
        self.assertEqual(
            [("unknown", None, 1)],
            self.rows(
                "SELECT category, cause, count(*) FROM trace_ledger(?) WHERE category = 'unknown' GROUP BY 1, 2",
                self.folder,
            ),
        )

    def test_what_the_whole_file_says_stays(self):
        """The mapping looks at the values of few tags; what another record lacks is listed, and counted, as of the whole file."""
        data = [
            *self.run_of(1e9, range(1, 6)),
            summary(1e9 + 30, 6, [(1, b"l\xff"), (2, Float(1)), (12, 1.5)]),
            event(1e9 + 31, 6, (7, [(1, 3), (99, 1)])),
            summary(1e9 + 32, 6, simple("other", 1))[:-1] + b"\x00",
            *self.run_of(1e9 + 40, range(6, 9)),
            b"\x07",
        ]
        self.write("run/a", *data)
        listed = "SELECT kind, line, count, detail FROM mpg_issues WHERE source = ? AND kind IN ('unknown_field', 'invalid_utf8', 'skipped_record', 'unfinished_record') ORDER BY 1"
        self.rows("SELECT count(*) FROM tfevents_trace(?) WHERE on_error = 'skip'", self.path("run/a"))
        expected = self.rows(listed, self.path("run/a"))
        self.assertEqual(
            ["invalid_utf8", "skipped_record", "unfinished_record", "unknown_field"], [kind for kind, *_ in expected]
        )
        found = self.rows(
            "SELECT count(*) FROM trace_records(?) WHERE record = 'spans' AND kind = 'step' AND on_error = 'skip'",
            self.folder,
        )
        self.assertEqual([(8,)], found)
        self.assertEqual(expected, self.rows(listed, self.path("run/a")))

    def test_impossible_times(self):
        self.write(
            "run/a", *self.run_of(1e9, [1, 2, 3]), summary(2e9, 4, simple("loss", 1)), summary(0, 5, simple("loss", 1))
        )
        self.assertEqual([1, 2, 3], [row[5] for row in self.spans() if row[2] == "step"])
        self.assertEqual(
            [("data_loss", 2)], self.rows("SELECT severity, count FROM mpg_issues WHERE kind = 'impossible_time'")
        )

    def said(self):
        self.spans()
        return dict(
            self.rows(
                "SELECT kind, sum(count) FROM mpg_issues WHERE kind NOT IN ('overlapping_spans', 'no_capacity') GROUP BY 1"
            )
        )

    def test_values_without_a_number(self):
        """add_scalar without global_step: all are of step 0."""
        self.write("run/a", begin(1e9), *(summary(1e9 + 10 * i, 0, simple("loss", 1)) for i in range(1, 6)))
        self.assertEqual(4, self.said()["repeated_record"])

    def test_a_rate_that_one_step_lacks(self):
        values = lambda i: [simple("lm loss", 1)] + [simple("throughput", 100)] * (i != 3)
        self.write("run/a", begin(1e9), *(summary(1e9 + 10 * i, i, *values(i)) for i in range(1, 6)))
        self.assertEqual({"missing_field": 1}, self.said())

    def test_a_value_earlier_than_the_one_before(self):
        self.write(
            "run/a",
            begin(1e9),
            *(summary(1e9 + at, step, simple("loss", 1)) for step, at in ((1, 10), (2, 20), (3, 15), (4, 40))),
        )
        self.assertEqual({"end_before_start": 1}, self.said())

    def test_a_pause_does_not_lengthen_the_first_step(self):
        """The first value comes 120 s after the file's begin, the others 10 s after each other, but for a pause of an hour."""
        for pause in (0, 3600):
            self.write(
                "run/a",
                begin(1e9),
                *(summary(1e9 + 110 + 10 * i + pause * (i > 15), i, simple("loss", 1)) for i in range(1, 21)),
            )
            self.assertEqual(
                [(1e9 + 110, 1e9 + 120)],
                self.rows("SELECT start_time, end_time FROM trace_training_steps(?) WHERE step = 1", self.folder),
            )
            self.assertEqual(
                [("startup", 110.0), ("unknown", 200.0 + pause)],
                self.rows("SELECT category, sum(chip_seconds) FROM trace_rollup(?) GROUP BY 1", self.folder),
            )

    def test_evaluations_that_say_how_long_they_took(self):
        """Hugging Face's trainer writes eval/runtime when an evaluation is over: it is no part of the step after it, nor a pause in it."""
        events, at = [begin(1e9)], 1e9
        for i in range(1, 31):
            at += 10
            events.append(summary(at, i, simple("train/loss", 1)))
            if i % 10 == 0:
                at += 120
                events.append(summary(at, i, simple("eval/loss", 1), simple("eval/runtime", 119)))
        self.write("run/a", *events)
        self.assertEqual(
            [("eval", 357.0), ("unknown", 303.0)],
            self.rows("SELECT category, sum(chip_seconds) FROM trace_rollup(?) GROUP BY 1", self.folder),
        )
        self.assertEqual([], self.rows("SELECT * FROM mpg_issues WHERE severity <> 'info' AND kind <> 'no_capacity'"))

    def test_the_first_of_every_tenth(self):
        """torchtitan and others write step 1, then each tenth: the first stands for no more steps than there are up to it, counted from 0 or from 1."""
        for numbers, first in (
            ((1, 10, 20, 30), 1),
            ((0, 10, 20, 30), 1),
            ((10, 20, 30), 10),
            ((9, 19, 29), 10),
            ((50, 60, 70), 10),
        ):
            self.write("run/a", begin(1e9), *(summary(1e9 + 100 + 2 * n, n, simple("loss", 1)) for n in numbers))
            self.assertEqual(
                [(1e9 + 100 + 2 * (numbers[0] - first), 1e9 + 100 + 2 * numbers[0], first)],
                self.rows("SELECT start_time, end_time, executions FROM trace_training_steps(?) LIMIT 1", self.folder),
                numbers,
            )

    def test_a_pause_and_losses_that_are_no_number(self):
        """An hour or five minutes between two values of ten seconds, and a loss of NaN or infinity: progress, and listed."""
        write = lambda pause, losses: self.write(
            "run/a",
            begin(1e9),
            *(summary(1e9 + 10 * i + pause * (i > 5), i, simple("loss", losses.get(i, 1))) for i in range(1, 11)),
        )
        write(3600, {})
        self.assertEqual({"long_steps": 1}, self.said())
        write(300, {})
        self.assertEqual({"long_steps": 1}, self.said())
        write(40, {3: float("nan"), 7: float("inf")})
        self.assertEqual({"skipped_steps": 2}, self.said())

    def test_hosts_whose_clocks_are_an_hour_apart(self):
        """As a restart from the first step that ends at the same one: it counts as that, and is listed."""
        self.write("run/events.a", *self.run_of(1e9, range(1, 6)))
        self.write("run/events.b", *self.run_of(1e9 + 3600, range(1, 6)))
        self.assertEqual(5, self.said()["parallel_logs"])
        self.write("run/events.b", *self.run_of(1e9 + 3600, range(3, 8)))
        self.assertNotIn("parallel_logs", self.said())

    def test_with_a_scheduler(self):
        """The job of a scheduler whose id is the folder's name: it says who held chips, and the files what was done."""
        os.mkdir(self.path("5101"))
        shutil.copy(os.path.join(ROOT, "fixtures/exports/sacct.psv"), self.folder)
        (start,) = self.rows(
            "SELECT min(start_time) FROM trace_records(?) WHERE record = 'allocations' AND job = '5101'", self.folder
        )[0]
        self.write("5101/events.out.tfevents.1", *self.run_of(start + 5, [1, 2, 3]))
        self.assertEqual(
            3,
            self.one(
                "SELECT count(*) FROM trace_records(?) WHERE record = 'spans' AND job = '5101' AND kind = 'step'",
                self.folder,
            ),
        )
        self.assertEqual(
            [("5101",)], self.rows("SELECT job FROM trace_sources(?) WHERE format = 'tfevents'", self.folder)
        )

    def test_numbers_in_the_name_of_a_file(self):
        """An event file's name has its time and its process number, which are no job's; a host's name may be."""
        shutil.copy(os.path.join(ROOT, "fixtures/exports/sacct.psv"), self.folder)
        for name in ("events.out.tfevents.1772445605.node-3.5101.0", "events.out.tfevents.5102.node-3.77.0.v2"):
            self.write("logs/" + name, *self.run_of(1772445605, [1, 2, 3]))
            self.assertEqual(
                [(None,)], self.rows("SELECT job FROM trace_sources(?) WHERE format = 'tfevents'", self.folder)
            )
            os.unlink(self.path("logs/" + name))


class Register(unittest.TestCase):
    def test_sample(self):
        self.assertTrue(os.path.exists(os.path.join(ROOT, "fixtures", formats.TFEVENTS)))


if __name__ == "__main__":
    unittest.main()
