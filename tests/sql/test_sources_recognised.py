"""Each format is recognised as its own and as no other, under any name, packed or not (docs/sources.md)."""

import gzip
import json
import os
import pathlib
import re
import shutil
import sqlite3
import tempfile
import unittest

from fleets import ROOT
from source_files import EXPORTS, Folder, SAMPLES


class Recognition(Folder):
    def test_each_format_is_its_own_and_no_other(self):
        for name, expected in SAMPLES.items():
            with self.subTest(name):
                path = os.path.join(ROOT, "fixtures", name)
                rows = self.db.execute("SELECT format, reason FROM trace_sources(?)", (path,)).fetchall()
                self.assertEqual([expected], [format for format, _ in rows], rows)

    def test_records_are_those_of_the_relations(self):
        """What a mapping leaves for joining sources alone is none of them."""
        relations = {"capacity", "outages", "jobs", "allocations", "spans", "commits", "programs", "observed", "chips"}
        found = set()
        for name in SAMPLES:
            for (records,) in self.db.execute(
                "SELECT records FROM trace_sources(?) WHERE records NOT NULL", (os.path.join(ROOT, "fixtures", name),)
            ):
                self.assertLessEqual(set(json.loads(records)), relations, name)
                found |= set(json.loads(records))
        self.assertEqual(set(), relations - found - {"chips"})

    def test_native_csv_as_programs_write_it(self):
        """With all names in quotes, a byte order mark, any ends of lines: it is the same trace, also beside another source."""
        header, row = "job,attempt,kind,start_time,end_time,step", "j,1,step,200,500,1"
        jobs = "job,chips\nj,4\n"
        capacity = "pool,chip,chips,start_time,end_time\np,tpu-v5p,8,0,1000\n"
        allocations = "job,attempt,pool,chips,start_time,end_time,outcome\nj,1,p,4,100,900,completed\n"
        found = set()
        for quote in ("", '"'):
            for end in ("\n", "\r\n", "\r"):
                for mark in ("", "\ufeff"):
                    lines = [",".join(quote + name + quote for name in line.split(",")) + end for line in (header, row)]
                    files = {"jobs.csv": jobs, "capacity.csv": capacity, "allocations.csv": allocations}
                    files |= {"spans.csv": mark + "".join(lines), "sacct.psv": "JobID|State|Start|End\n"}
                    for name, text in files.items():
                        with open(os.path.join(self.folder, name), "w", encoding="utf-8", newline="") as file:
                            file.write(text)
                    rows = self.db.execute(
                        "SELECT category, sum(chip_us) FROM trace_rollup(?) GROUP BY 1 ORDER BY 1", (self.folder,)
                    ).fetchall()
                    with self.subTest(quote=quote, end=end, mark=mark):
                        self.assertEqual(
                            [("native",)],
                            self.db.execute(
                                "SELECT format FROM trace_sources(?) WHERE file GLOB '*spans.csv'", (self.folder,)
                            ).fetchall(),
                        )
                        self.assertIn(("unrated", 1200 * 10**6), rows)
                    found.add(tuple(rows))
        self.assertEqual(1, len(found))

    def test_native_files_whatever_their_names_end_in(self):
        """Alone as beside another source, which takes another road."""
        capacity = "pool,chip,chips,start_time,end_time\np,tpu-v5p,8,0,1000\n"
        held = "job,pool,chips,start_time,end_time,outcome\nj,p,4,0,1000,completed\n"
        record = '{"record":"allocation","job":"j","pool":"p","chips":4,"start_time":0,"end_time":1000}\n'
        other = "JobID|State|Partition|Start|End|AllocTRES\n7|COMPLETED|q|1970-01-01T00:00:00|1970-01-01T00:01:00|gres/gpu=1\n"
        files = {f"allocations{end}": held for end in (".CSV", ".txt", "", ".csv.1", ".2026-11-01", ".csv.part")}
        files |= {"held.JSONL": record, "held": record, "records.log": record}
        for name, text in files.items():
            for beside in ({}, {"sacct.psv": other}):
                with self.subTest(name, beside=list(beside)):
                    folder = self.enterContext(tempfile.TemporaryDirectory())
                    for each, content in ({"capacity.csv": capacity, name: text} | beside).items():
                        pathlib.Path(folder, each).write_text(content, encoding="utf-8")
                    held_by_p = self.db.execute(
                        "SELECT sum(chip_us) FROM trace_rollup(?) WHERE pool = 'p' AND category = 'untraced'", (folder,)
                    ).fetchone()
                    self.assertEqual((4000000000,), held_by_p)
                    self.assertNotIn("ignored_file", str(self.db.execute("SELECT kind FROM mpg_issues").fetchall()))

    def test_every_format_has_a_sample(self):
        mappings = {
            path.stem
            for path in pathlib.Path(ROOT, "sql/formats").glob("*.sql")
            if "\n--@ input " in path.read_text(encoding="utf-8")
        }
        self.assertEqual(set(), mappings - set(SAMPLES.values()))

    def test_among_all_others_under_names_that_say_nothing(self):
        """One folder with all samples: a number is the name of each, and so it stays for all but those that go by their name alone."""
        for number, name in enumerate(SAMPLES):
            shutil.copy(os.path.join(ROOT, "fixtures", name), os.path.join(self.folder, str(number)))
        found = {
            int(os.path.basename(file)): format
            for file, format in self.db.execute("SELECT file, format FROM trace_sources(?)", (self.folder,))
        }
        self.assertEqual(len(SAMPLES), len(found))
        by_name = {
            path.stem
            for path in pathlib.Path(ROOT, "sql/formats").glob("*.sql")
            if re.search(r"(?m)^--@ input \S+ name ", path.read_text(encoding="utf-8"))
        } | {"native"}
        for number, (name, format) in enumerate(SAMPLES.items()):
            with self.subTest(name):
                self.assertIn(found[number], (format, None) if format in by_name else (format,))

    def test_no_rule_claims_the_sample_of_another(self):
        """The rules of all heads, tried here on all samples: what is sure of a file is sure of one format."""
        rules = [
            (path.stem, re.compile(pattern.encode(), re.MULTILINE))
            for path in sorted(pathlib.Path(ROOT, "sql/formats").glob("*.sql"))
            for pattern in re.findall(r"(?m)^--@ input \S+ sure (.*)$", path.read_text(encoding="utf-8"))
        ]
        self.assertGreater(len(rules), 40)
        known = 0
        for name, format in SAMPLES.items():
            with open(os.path.join(ROOT, "fixtures", name), "rb") as file:
                head = file.read(1 << 16)
            claims = set() if b"\0" in head else {of for of, pattern in rules if pattern.search(head)}
            with self.subTest(name):
                self.assertLessEqual(claims, {format})
            known += len(claims)
        self.assertGreater(known, 0.7 * len(SAMPLES))

    def test_no_pattern_begins_with_any_text(self):
        """It matches the same without, in a twentieth of the time, and all are tried on all files; but for those that look on in a line."""
        for path in sorted(pathlib.Path(ROOT, "sql").rglob("*.sql")):
            for line in re.findall(r"(?m)^--@ (?:input|needs|job|hint) .*$", path.read_text(encoding="utf-8")):
                begun = re.match(r"--@ (?:\w+ )?(?::\w+ )?(?:\w+ )?(?:\(\?\w+\))?\^(?:\.|\[\^\\n\])\*(.*)", line)
                self.assertTrue(begun is None or re.search(r"\.\*|\[\^\\n\]\*", begun[1]), (path, line))

    def test_other_ways_to_write_the_same(self):
        """As jq writes it, with keys in order or a line each; with another delimiter of sacct's; samples without the lines that say their type."""

        def read(name):
            with open(os.path.join(ROOT, "fixtures", name), encoding="utf-8") as file:
                return file.read()

        for name in (
            "slurm/sacct.json",
            "slurm/squeue.json",
            "prometheus/dcgm.json",
            "flux/jobs.json",
            "condor/history.json",
            "kube/cluster.json",
            "sge/accounting.jsonl",
            "goodput/ranker-7.jsonl",
            "goodput/ranker-8.json",
        ):
            documents, text = [], read(name).strip()
            while text:
                document, end = json.JSONDecoder().raw_decode(text)
                documents.append(document)
                text = text[end:].strip()
            for options in (
                {"sort_keys": True},
                {"indent": 2},
                {"sort_keys": True, "indent": "\t"},
                {"separators": (",", ":")},
            ):
                path = self.write("x.json", "\n".join(json.dumps(document, **options) for document in documents) + "\n")
                self.assertEqual(
                    [(SAMPLES[name],)], self.rows("SELECT format FROM trace_sources(?)", path), (name, options)
                )
        sacct = read("slurm/sacct_jobs.psv")
        wanted = self.sums(self.write("x.psv", sacct))
        for delimiter in ("\x1f", "\t", ";", "^|^", "~"):
            path = self.write("x.psv", sacct.replace("|", delimiter))
            self.assertEqual(
                [("slurm", "zone")], self.rows("SELECT format, missing FROM trace_sources(?)", path), delimiter
            )
            self.assertEqual(wanted, self.sums(path), delimiter)
        path = self.write(
            "x.prom",
            "".join(line for line in read("prometheus/dcgm.prom").splitlines(True) if not line.startswith("#")),
        )
        self.assertEqual([("dcgm",)], self.rows("SELECT format FROM trace_sources(?)", path))
        # Names in quotes, as Prometheus 3 writes those that have other letters.
        quoted = re.sub(
            r"(?m)^(\w+)\{", r'{"\1",', re.sub(r"(?m)^# (HELP|TYPE) (\w+)", r'# \1 "\2"', read("prometheus/dcgm.prom"))
        )
        labelled = re.sub(r"(?m)^(\w+\{)", r'\1"k8s.cluster.name"="c",', read("prometheus/dcgm.prom"))
        for text in (quoted, labelled):
            for kept in (text, "".join(line for line in text.splitlines(True) if not line.startswith("#"))):
                self.assertEqual(
                    [("dcgm",)], self.rows("SELECT format FROM trace_sources(?)", self.write("x.prom", kept)), kept[:80]
                )

    def test_what_stands_before_it(self):
        """Blank lines change nothing. Other lines and codes of a terminal are passed over, or the reason names them."""
        others = {
            "nohup": b"nohup: ignoring input\n",
            "ssh": b"Warning: Permanently added 'login1' (ED25519) to the list of known hosts.\r\n",
            "script": b'Script started on 2026-03-02 10:00:00+00:00 [TERM="xterm" COLUMNS="211"]\n',
            "shell": b"Welcome\n\n$ cat it\n",
        }
        for nth, (name, format) in enumerate(SAMPLES.items()):
            with open(os.path.join(ROOT, "fixtures", name), "rb") as file:
                text = file.read()
            if b"\0" in text or text.startswith(b"\x28\xb5") or format in ("native", "alibaba_v2020"):
                continue  # binary, packed, or known by the name alone
            path = os.path.join(self.folder, os.path.basename(name))
            heads = {
                "": text,
                "blank": b"\n\n" + text,
                "blank with CRLF": b"\r\n" + text.replace(b"\n", b"\r\n"),
                "codes": b"\n".join(b"\x1b[1;32m" + line + b"\x1b[0m" for line in text.split(b"\n")),
                **{key: other + text for key, other in others.items()},
            }
            plain = None
            for i, (how, changed) in enumerate(heads.items()):
                if i > 1 and (i + nth) % 3 > 0 and not os.environ.get("MPG_FULL"):
                    continue  # each way with a third of the samples
                with open(path, "wb") as file:
                    file.write(changed)
                row = self.db.execute("SELECT format, records, reason FROM trace_sources(?)", (path,)).fetchone()
                with self.subTest(name, how=how, row=row):
                    plain = plain or row
                    if how.startswith("blank"):
                        self.assertEqual(row, plain)
                    elif row[0] is None:
                        self.assertNotEqual(row[2], "no known format begins like this")
            os.remove(path)
        path = os.path.join(self.folder, "x.log")
        with open(path, "wb") as file:
            file.write(others["shell"] + b"03/31/2025 10:59:15;Q;123.server;user=a\n")
        self.assertEqual(
            self.db.execute("SELECT format, reason FROM trace_sources(?)", (path,)).fetchall(),
            [(None, "of the format pbs behind other lines: take those out, as with tail -n +4")],
        )

    def test_bytes_of_nul_that_a_crash_leaves(self):
        """At the end of text of any format, and before what its writer appends: left out and counted, and no record with them."""
        tail = bytes(5000)
        for name, format in SAMPLES.items():
            with open(os.path.join(ROOT, "fixtures", name), "rb") as file:
                text = file.read()
            if b"\0" in text or text.startswith(b"\x28\xb5") or len(text) < 300:
                continue
            path = os.path.join(self.folder, os.path.basename(name))
            kept = []
            for changed in (text, text + tail):
                with open(path, "wb") as file:
                    file.write(changed)
                kept += self.db.execute("SELECT format, records, reason FROM trace_sources(?)", (path,))
            with self.subTest(name):
                self.assertEqual(kept[0], kept[1])
                self.assertIn(
                    ("warning", len(tail)),
                    self.db.execute("SELECT severity, count FROM mpg_issues WHERE kind = 'nul_bytes'").fetchall(),
                )
            os.remove(path)
        for name, table in (("pbs/accounting.log", "pbs_trace"), ("lsf/lsb.acct", "lsf_trace")):
            with open(os.path.join(ROOT, "fixtures", name), "rb") as file:
                lines = file.read().splitlines(keepends=True)
            path = os.path.join(self.folder, "between")
            with open(path, "wb") as file:
                file.write(b"".join(lines[:2]) + tail + b"".join(lines[2:]))
            self.assertEqual(
                self.db.execute(f"SELECT * FROM {table}(?)", (path,)).fetchall(),
                self.db.execute(f"SELECT * FROM {table}(?)", (os.path.join(ROOT, "fixtures", name),)).fetchall(),
            )
            self.assertEqual(
                self.db.execute(
                    "SELECT count FROM mpg_issues WHERE kind = 'nul_bytes' AND source = ?", (path,)
                ).fetchall(),
                [(len(tail),)],
            )

    def test_packed(self):
        with open(os.path.join(EXPORTS, "sacct.psv"), "rb") as file, gzip.open(
            os.path.join(self.folder, "x.gz"), "wb"
        ) as out:
            out.write(file.read())
        self.assertEqual(
            [("slurm",)], self.db.execute("SELECT format FROM trace_sources(?)", (self.folder,)).fetchall()
        )

    def test_behind_much_that_says_nothing(self):
        """Comments and empty lines before a program or a table are no matter of how many."""
        with open(os.path.join(ROOT, "fixtures", "hlo", "decode.hlo"), encoding="utf-8") as file:
            program = file.read()
        for format, text in (
            ("hlo", "\n" * 5000 + program),
            ("hlo", "// a comment\n" * 3000 + program),
            ("swf", "; Note: a line\n" * 3000 + "; Version: 2.2\n" + "1 0 5 60 8 -1 -1 8 60 -1 1 1 1 1 1 1 -1 -1\n"),
            (
                "dcgm",
                "# a comment\n" * 3000
                + '# HELP DCGM_FI_DEV_GPU_UTIL x\n# TYPE DCGM_FI_DEV_GPU_UTIL gauge\nDCGM_FI_DEV_GPU_UTIL{gpu="0"} 5 1772442000000\n',
            ),
        ):
            self.assertEqual(
                [(format,)],
                self.db.execute("SELECT format FROM trace_sources(?)", (self.write("a.txt", text),)).fetchall(),
                text[:20],
            )

    def test_a_run_that_came_to_no_step(self):
        """What a trainer prints when it starts is enough to know its log."""
        for format, text in (
            ("maxtext", "Config param steps: 10\nNum_devices: 8, shape (8,)\n"),
            ("torchtitan", "[titan] 2026-03-03 10:00:00,000 - root - INFO - Starting job: toy\n"),
            ("megatron", "using world size: 8, data-parallel size: 4, context-parallel size: 1\n"),
            ("megatron", "using world size: 8, data-parallel-size: 8, tensor-model-parallel size: 1\n"),
        ):
            path = self.write("a.log", text)
            self.assertEqual(
                [(format, "sure")],
                self.db.execute("SELECT format, certainty FROM trace_sources(?)", (path,)).fetchall(),
            )

    def test_what_is_no_trace_is_a_row_with_the_reason(self):
        self.copy("sacct.psv")
        self.write("notes.md", "# notes\n")
        self.write("empty.log", "")
        self.write("table.txt", "JobID           JobName  Partition\n------------ ---------- ----------\n")
        with open(os.path.join(self.folder, "picture.png"), "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n\0\0\0")
        rows = dict(
            self.db.execute(
                "SELECT replace(file, ? || '/', ''), coalesce(format, reason) FROM trace_sources(?)",
                (self.folder, self.folder),
            )
        )
        self.assertEqual(
            rows,
            {
                "sacct.psv": "slurm",
                "notes.md": "no known format begins like this",
                "empty.log": "an empty file",
                "table.txt": "sacct as a table for people: export it with sacct -P",
                "picture.png": "no known format begins like this",
            },
        )
        self.db.execute("SELECT count(*) FROM trace_rollup(?)", (self.folder,)).fetchall()
        self.assertEqual(4, self.one("SELECT count(*) FROM mpg_issues WHERE kind = 'ignored_file'"))

    def test_a_log_that_nothing_recognises(self):
        """A log may begin with a bracket, and is no broken JSON."""
        for text in ("[INFO] hello\n", "[0] hello\n", '["a"] hello\n', "hello\n"):
            with self.assertRaises(sqlite3.OperationalError) as caught:
                self.db.execute("SELECT count(*) FROM trace_rollup(?)", (self.write("a.log", text),)).fetchall()
            self.assertIn(
                "a.log:1:1: expected a known format, or the native trace: JSON, or CSV in", str(caught.exception)
            )

    def test_of_two_formats_it_asks(self):
        path = self.write("numbers", " ".join(["1"] * 18) + "\n")
        self.assertEqual(
            ("swf", "likely"), self.db.execute("SELECT format, certainty FROM trace_sources(?)", (path,)).fetchone()
        )

    def test_odd_names(self):
        """A name may hold anything but a slash; one file's does not stop the others."""
        expected = self.sums(EXPORTS)
        shutil.copytree(
            EXPORTS, os.path.join(self.folder, 'a "b"\\\n\x01'), ignore=shutil.ignore_patterns("fleet.json")
        )
        self.assertEqual(expected, self.sums(self.folder))
        fleet = self.write("fleet.json", json.dumps({"sources": [{"path": "a*"}]}))
        self.assertIn("only folders match", self.error("SELECT count(*) FROM trace_rollup(?)", fleet))
        fleet = self.write("fleet.json", json.dumps({"sources": [{"path": "a*/*"}]}))
        self.assertEqual(expected, self.sums(fleet))

    def test_what_says_nothing_of_a_fleet_is_listed(self):
        self.copy("sacct.psv", "events.psv")
        shutil.copy(os.path.join(ROOT, "fixtures", "profile", "rank0.json"), self.folder)
        self.sums(self.folder)
        self.assertEqual(
            1,
            self.one(
                "SELECT count(*) FROM mpg_issues WHERE kind = 'ignored_file' AND detail LIKE 'of the format kineto,%'"
            ),
        )


if __name__ == "__main__":
    unittest.main()
