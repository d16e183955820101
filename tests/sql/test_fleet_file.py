"""The fleet file: what its options do, and the one error of a mistake in it."""

import json
import os
import sqlite3
import tempfile
import unittest

from cases import Case
from fleets import ROOT
from job_logs import SACCT, clock, job, maxtext, megatron, torchtitan

EXPORTS = os.path.join(ROOT, "fixtures", "exports")


class FleetFile(Case):
    def setUp(self):
        super().setUp()
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def sums(self, path):
        return self.db.execute(
            "SELECT job, category, sum(chip_us) FROM trace_rollup(?) GROUP BY 1, 2", (path,)
        ).fetchall()

    def error(self, text):
        with self.assertRaises(sqlite3.OperationalError) as caught:
            self.db.execute("SELECT count(*) FROM trace_rollup(?)", (text,)).fetchall()
        return str(caught.exception)

    def test_errors(self):
        for text, expected in [
            ('{"sources": [{"path": "x", "zoen": "UTC"}]}', 'source 1: unknown option "zoen"; the nearest is "zone"'),
            ('{"sources": [{"path": "x"}, {"pth": "x"}]}', 'source 2: unknown option "pth"; the nearest is "'),
            ('{"sources": [{"zone": "UTC"}]}', 'source 1: expected a "path", found none'),
            ('{"source": []}', 'expected "sources" or "labels", found "source"'),
            ('{"sources": []}', 'expected an object with "sources"'),
            ('{"sources": [{"path": "x"}], "labels": "tier"}', 'expected "labels" to be a list of keys'),
            ('{"sources": [{"path": "x"}], "labels": ["a,b"]}', 'expected "labels" to be a list of keys'),
            ('{"sources": [{"path": "x"}], "labels": [1]}', 'expected "labels" to be a list of keys'),
            ('{"sources": [{"path": "x"}], "label": ["a"]}', 'expected "sources" or "labels", found "label"'),
            ('{"sources": [', ":1:14: expected a value, found end of text"),
            ('{"sources": [{"path": "x"}, "y"]}', ':1:29: source 2: expected an object with a "path", found "y"'),
            ('{"sources": [{"path": "x", "path": "y"}]}', "expected a key that the object does not have yet"),
            (
                '{"sources": [{"path": ""}]}',
                ':1:15: source 1: expected "path" to be the text of one path, a glob or a folder',
            ),
            (
                '{"sources": [{"path": ["x", "y"]}]}',
                ':1:15: source 1: expected "path" to be the text of one path, a glob or a folder',
            ),
            (
                '{"sources": [{"path": null}]}',
                ':1:15: source 1: expected "path" to be the text of one path, a glob or a folder',
            ),
            (
                '{"sources": [{"path": "x", "labels": ["a"]}]}',
                ':1:28: source 1: "labels" stands beside "sources", not in a source',
            ),
            ('{"sources": [{"path": "x", "table": "a"}]}', 'source 1: unknown option "table"'),
            (
                '{"sources": {"path": "x"}}',
                ':1:2: expected "sources" to be a list of objects with a "path", found {"path": "x"}',
            ),
            ('{"sources": [{"pth": "x"}]}', 'unknown option "pth"; the nearest is "path"'),
            ('{"sources": [{"path": ["x"]}]}', 'the text of one path, a glob or a folder, found ["x"]'),
            ('{"Sources": [{"path": "x"}]}', 'expected "sources" or "labels", found "Sources"'),
            ('{"path": "x"}', ':1:2: expected "sources" or "labels", found "path"'),
            ('{"sources": [\n{"path":\n"/nowhere/at/all"}]}', ":2: source 1: no such file: /nowhere/at/all"),
        ]:
            with self.subTest(text):
                self.assertIn(expected, self.error(text))
                path = self.write("fleet.json", text)
                if '"path"' in text or '"sources"' in text:
                    self.assertIn(expected, self.error(path))

    def test_values(self):
        """Each option that cannot be right is one error, which says where in the file it is."""
        for option, value, expected in [
            ("chips", "many", 'a number above 0, or what counts as a chip, such as gpus or slots, found "many"'),
            ("flops", -4, "a number above 0, found -4"),
            ("devices", True, "a number above 0, found true"),
            ("chips", -4, "a number above 0, or what counts as a chip, such as gpus or slots, found -4"),
            ("chips_per_node", 0, "a number above 0, found 0"),
            ("flops", "1e15 or so", "a number above 0, found"),
            ("year", 26, "a year from 1970 to 2261, found 26"),
            ("year", "2026", 'a year from 1970 to 2261, found "2026"'),
            ("start", "yesterday", "Unix seconds or a time such as"),
            ("start", 1772445660000, "Unix seconds or a time such as"),
            ("start", -1, "Unix seconds or a time such as"),
            ("format", "slrum", "one of acme, "),
            ("format", "maxtext/lines", "one of acme, "),
            ("outcome", "good", "completed, failed, cancelled"),
            ("zone", 1, "a time zone, such as"),
            ("consumable", "perhaps", 'YES, JOB or HOST, as qconf -sc says, found "perhaps"'),
            ("pool", ["a"], "a text or a number"),
            ("pool", "", 'a text or a number, found ""'),
            ("chip", "", 'a text or a number, found ""'),
            ("job", True, "a text or a number, found true"),
            ("phase", False, "a text or a number, found false"),
        ]:
            with self.subTest(option=option, value=value):
                path = self.write(
                    "fleet.json",
                    '{\n  "sources": [\n    {"path": "x"},\n    {"path": "y", %s: %s}]}'
                    % (json.dumps(option), json.dumps(value)),
                )
                self.assertIn(
                    '%s:4:19: source 2: option "%s": expected %s' % (path, option, expected), self.error(path)
                )
        self.assertIn(
            ':1:30: source 1: option "zone": no time zone "Mars" in',
            self.error('{"sources": [{"path": "x"  , "zone": "Mars"}]}'),
        )
        log = os.path.join(EXPORTS, "maxtext-5101.log")
        whole = self.sums(json.dumps({"sources": [{"path": log, "year": 2026}]}))
        self.assertEqual(
            whole, self.sums(json.dumps({"sources": [{"path": log, "year": 2026, "zone": None, "outcome": None}]}))
        )

    def test_each_format_may_be_named(self):
        """By the name of its mapping; an input of a mapping is no option."""
        folder, names = os.path.join(ROOT, "sql", "formats"), []
        for name in os.listdir(folder):
            if name.endswith(".sql"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    names += [name.removesuffix(".sql")] * ("\n--@ input " in file.read())
        self.assertGreater(len(names), 20)
        for name in ["native", *names]:
            text = json.dumps({"sources": [{"path": os.path.join(EXPORTS, "maxtext-5101.log"), "format": name}]})
            self.assertEqual(
                [(name if name == "maxtext" else None,)],
                [
                    (format if name == "maxtext" else None,)
                    for format, in self.rows("SELECT format FROM trace_sources(?)", text)
                ],
                name,
            )
        self.assertIn('unknown option "sacct"', self.error('{"sources": [{"path": "x", "sacct": "y"}]}'))

    def test_options_of_jobs_and_pools_in_each_format(self):
        """Each stands in the ledger of any source that says who held chips, or is listed as unused."""
        names = ["pool", "chip", "phase", "framework", "runtime", "model", "owner", "name", "priority"]
        options = {**dict.fromkeys(names, "given"), "chip": "tpu-v4", "year": 2026, "zone": "UTC"}
        formats = set()
        for folder, _, files in sorted(os.walk(os.path.join(ROOT, "fixtures"))):
            text = json.dumps({"sources": [{"path": folder, **options}]})
            found = {format for format, in self.rows("SELECT format FROM trace_sources(?)", text)} - {None, "hlo"}
            if len(found) != 1 or found <= formats:
                continue
            try:
                held = self.rows(
                    f"SELECT DISTINCT {', '.join(names)} FROM trace_ledger(?) WHERE category <> 'queued'", text
                )
            except sqlite3.OperationalError:  # a profile alone, or a part of an export
                continue
            unused = " ".join(of for of, in self.rows("SELECT detail FROM mpg_issues WHERE kind = 'unused_option'"))
            formats |= found if held else set()
            with self.subTest(folder):
                for name, values in zip(names, zip(*held)):
                    if f'"{name}"' not in unused:
                        idle = set() if name in ("pool", "chip") else {None}  # what no job held
                        self.assertEqual({options[name]}, set(values) - idle, name)
        self.assertGreater(len(formats), 15, formats)

    def test_a_format_that_the_first_bytes_do_not_tell(self):
        """Of a file that is named alone the option decides, as of an export without a header; its reader says what is wrong with one that is not of it."""
        with open(os.path.join(ROOT, "fixtures", "slurm", "sacct_jobs.psv"), encoding="utf-8") as file:
            header, *rows = file.read().splitlines(True)
        whole, path = self.write("whole.psv", header + "".join(rows)), self.write("rows.psv", "".join(rows))
        options = {"format": "slurm", "columns": header.strip().replace("|", ",")}
        self.assertEqual(self.sums(whole), self.sums(json.dumps({"sources": [{"path": path, **options}]})))
        self.assertIn(
            "rows.psv:1:1: expected a header of sacct",
            self.error(json.dumps({"sources": [{"path": path, "format": "slurm"}]})),
        )
        self.assertIn(
            "whole.psv:1:1: expected a PBS accounting record",
            self.error(json.dumps({"sources": [{"path": whole, "format": "pbs"}]})),
        )
        self.assertEqual(
            [
                ("sacct without a header: give the options format, slurm, and columns",),
                ("of the format slurm, and not of pbs, which the option names",),
            ],
            self.rows(
                "SELECT reason FROM trace_sources(?)", json.dumps({"sources": [{"path": self.folder, "format": "pbs"}]})
            ),
        )

    def test_exports_without_a_header(self):
        """Their columns and delimiter are options: of one file, of those of a glob, and of a folder's that begin as such; others are of their own format or none."""
        with open(os.path.join(ROOT, "fixtures", "slurm", "sacct_jobs.psv"), encoding="utf-8") as file:
            header, *rows = file.read().splitlines(True)
        whole = self.sums(self.write("whole.psv", header + "".join(rows)))
        os.mkdir(os.path.join(self.folder, "months"))
        options = {"format": "slurm", "columns": header.strip().replace("|", ",")}
        for delimiter in ("|", "\x1f", ";"):
            parts = ["".join(rows[:3]), "".join(rows[3:])]
            for name, text in zip(("months/1.txt", "months/2.txt"), parts):
                self.write(name, text.replace("|", delimiter))
            self.write("months/notes.txt", "what to read first\n")
            more = {} if delimiter == "|" else {"delimiter": delimiter}
            for path in ("months", "months/[12].txt"):
                source = {"path": os.path.join(self.folder, path), **options, **more}
                self.assertEqual(whole, self.sums(json.dumps({"sources": [source]})), (delimiter, path))
            del source["columns"]
            self.assertEqual(
                {
                    "sacct without a header: give the options format, slurm, %sand columns"
                    % ("delimiter, " if more else "")
                },
                {
                    reason
                    for reason, in self.rows("SELECT reason FROM trace_sources(?)", json.dumps({"sources": [source]}))
                },
            )

    def test_options_that_say_nothing(self):
        """What no file of a source can use is listed with the source's line, and a source whose files others have."""
        self.write("sacct.psv", self.running())
        with open(os.path.join(EXPORTS, "job_5102.out"), encoding="utf-8") as file:
            self.write("a.log", file.read())

        def listed(*sources):
            path = self.write("fleet.json", '{"sources": [\n' + ",\n".join(map(json.dumps, sources)) + "]}")
            self.sums(path)
            return self.rows("SELECT line, detail FROM mpg_issues WHERE kind = 'unused_option' AND source = ?", path)

        for option, value in (("chips", 8), ("consumable", "JOB"), ("year", 2026), ("job", "7"), ("outcome", "failed")):
            self.assertEqual(
                [(2, f'source 1: option "{option}" says nothing of files of slurm: it is not used')],
                listed({"path": "sacct.psv", option: value}),
            )
        self.assertEqual(
            [],
            listed(
                {
                    "path": "sacct.psv",
                    "zone": "UTC",
                    "phase": "training",
                    "chip": "h100",
                    "pool": "p",
                    "format": "slurm",
                    "year": None,
                }
            ),
        )
        self.assertEqual([], listed({"path": "*.*", "zone": "UTC", "chips": 8}))
        self.assertEqual(
            [(3, "source 2: its files are those of sources before it: its options are not used. Name it before them")],
            listed({"path": "*.*"}, {"path": "a.log", "job": "7"}),
        )

    def test_options_that_differ_from_the_log(self):
        """They count, and that is said: of chips, the chip, the end and the job."""

        def listed(logs, given, *more):
            folder = self.folder_of({**{f"{name}.log": log for name, log in logs.items()}, **dict(more)})
            sources = [{"path": os.path.join(folder, name)} for name, _ in more]
            path = json.dumps({"sources": [*sources, {"path": os.path.join(folder, "*.log"), **given}]})
            self.sums(path)
            return [
                detail.split(": ")[0]
                for detail, in self.rows(
                    "SELECT detail FROM mpg_issues WHERE kind = 'conflicting_job' AND severity = 'info' AND detail LIKE 'option%' AND instr(source, ?)",
                    folder,
                )
            ]

        lines = maxtext(
            0, 9, saves=(9,), prefix=lambda seconds: f"I1101 {clock(seconds)[11:]}.000000 1 max_logging.py:36] "
        )
        with open(os.path.join(ROOT, "fixtures/trainer/deepspeed.log"), encoding="utf-8") as file:
            deepspeed = file.read()
        with open(os.path.join(ROOT, "fixtures/training/nanogpt.log"), encoding="utf-8") as file:
            nanogpt = file.read()
        for log, chips in (
            (megatron(60, 1, 9), 8),
            (torchtitan(60, 1, 9), 8),
            (lines, 8),
            (deepspeed, 8),
            (nanogpt, 2),
        ):
            options = {"year": 2026} if log is lines else {}
            self.assertEqual([], listed({"a": log}, {"chips": chips, **options}))
            self.assertEqual(
                [f'option "chips" says 16, and logs say otherwise, the first {chips}'],
                listed({"a": log}, {"chips": 16, **options}),
            )
        titan = torchtitan(60, 1, 9, done=True)
        self.assertEqual([], listed({"a": titan}, {"chip": "h100 sxm", "outcome": "completed"}))
        self.assertEqual(
            ['option "chip" says nvidia-a100-80-sxm4, and logs say otherwise, the first nvidia-h100-sxm'],
            listed({"a": titan}, {"chip": "nvidia-a100-80-sxm4"}),
        )
        self.assertEqual(
            ['option "outcome" says failed, and logs say otherwise, the first completed'],
            listed({"a": titan}, {"outcome": "failed"}),
        )
        jobs = ("sacct.psv", SACCT + job(5101, 0, 1200) + job(5102, 0, 1200) + job("5103_1", 0, 1200, raw=5104))
        said = "SLURM_JOB_ID=5101\n" + megatron(60, 1, 9)
        self.assertEqual([], listed({"a": said}, {"job": "5101"}, jobs))
        self.assertEqual(
            ['option "job" says 5102, and logs say otherwise, the first 5101'],
            listed({"a": said}, {"job": "5102"}, jobs),
        )
        task = "SLURM_ARRAY_JOB_ID=5103\nSLURM_ARRAY_TASK_ID=1\nSLURM_JOB_ID=5104\n" + megatron(60, 1, 9)
        for name in ("5104", "5103_1"):
            self.assertEqual([], listed({"a": task}, {"job": name}, jobs))

    def test_what_counts_as_a_chip(self):
        """A processor has other names in other batch systems: each means it; how many chips is for logs, and what counts as one for schedulers."""

        def sums(path, **options):
            return self.sums(
                json.dumps({"sources": [{"path": os.path.join(ROOT, "fixtures", path), "zone": "UTC", **options}]})
            )

        for nth, name in enumerate(("pbs/accounting.log", "lsf", "sge", "flux", "condor"), 1):
            gpus, processors = sums(name), sums(name, chips="slots")
            self.assertNotEqual(gpus, processors)
            for word, wanted in (
                ("cpus", processors),
                ("ncpus", processors),
                ("ncores", processors),
                ("gpus", gpus),
                ("ngpus", gpus),
            ):
                self.assertEqual(wanted, sums(name, chips=word), (name, word))
            self.assertEqual(gpus, sums(name, chips=8))
            self.assertEqual(
                nth,
                self.rows("SELECT count(*) FROM mpg_issues WHERE kind = 'unused_option' AND detail LIKE '%\"chips\"%'")[
                    0
                ][0],
                name,
            )
        log = os.path.join(EXPORTS, "maxtext-5101.log")
        self.assertEqual(
            self.sums(json.dumps({"sources": [{"path": log, "year": 2026}]})),
            self.sums(json.dumps({"sources": [{"path": log, "year": 2026, "chips": "gpus"}]})),
        )

    def test_a_label_that_no_node_has(self):
        watch = os.path.join(ROOT, "fixtures", "kube", "watch.json")
        for label, listed in (
            (
                "gke-nodepool",
                [('option "pool": no node has the label gke-nodepool: pools are by the labels that the page names',)],
            ),
            ("cloud.google.com/gke-nodepool", []),
        ):
            self.assertEqual(self.sums(watch), self.sums(json.dumps({"sources": [{"path": watch, "pool": label}]})))
            self.assertEqual(listed, self.rows("SELECT detail FROM mpg_issues WHERE kind = 'unused_option'"))

    def running(self):
        return "JobIDRaw|Cluster|State|Submit|Start|End|ElapsedRaw|AllocTRES\n7|c|COMPLETED|1000|1000|2000|1000|gres/gpu=4\n8|c|RUNNING|1000|1000|Unknown|5000|gres/gpu=4\n"

    def test_a_pool_of_another_name(self):
        """It is observed as long as by its own name."""
        path = self.write("sacct.psv", self.running())
        self.assertEqual(self.sums(path), self.sums(json.dumps({"sources": [{"path": path, "pool": "mine"}]})))

    def test_the_order_of_options(self):
        """Sources with the same options are one, however they are written."""
        self.write("a.psv", self.running())
        self.write("b.psv", self.running().replace("\n7|", "\n9|"))
        path = self.write(
            "fleet.json",
            '{"sources": [{"path": "a.psv", "zone": "UTC", "phase": "x"}, {"path": "b.psv",  "phase":"x", "zone" : "UTC", "model": null}]}',
        )
        self.assertEqual([(1,)], self.rows("SELECT count(DISTINCT source) FROM trace_sources(?)", path))

    def test_what_is_a_fleet_file(self):
        """An object with the key "sources", after a byte order mark, too; and not a listing whose pods have volumes with one."""
        with open(os.path.join(EXPORTS, "job_5102.out"), encoding="utf-8") as file:
            self.write("a.log", file.read())
        self.assertIn(
            'fleet.json:1:1: expected an object with "sources", a list of objects',
            self.error(self.write("fleet.json", '[{"path": "a.log"}]')),
        )
        path = self.write("fleet.json", "\ufeff" + '{"sources": [{"path": "./a.log"}]}')
        self.assertEqual([(os.path.join(self.folder, "a.log"),)], self.rows("SELECT file FROM trace_sources(?)", path))
        self.assertEqual(
            [(os.path.join(self.folder, "a.log"),)],
            self.rows(
                "SELECT file FROM trace_sources(?)",
                self.write("fleet.json", '{"sources": [{"path": "a*"}, {"path": ".//./a.log", "job": "7"}]}'),
            ),
        )
        for name, text, reason in (
            ("fleet.json", '{"sources": [{"path": "a.log"}]}', "a fleet file: give it as the path"),
            ("fleet.txt", '{"sources": [{"path": "a.log"}]}', "a fleet file: its name must end in .json"),
        ):
            self.assertEqual(
                [(reason,)],
                self.rows(
                    "SELECT reason FROM trace_sources(?) WHERE file LIKE ?",
                    self.folder,
                    "%" + os.path.basename(self.write(name, text)),
                ),
            )
        with open(os.path.join(ROOT, "fixtures", "kube", "cluster.json"), encoding="utf-8") as file:
            listing = json.load(file)
        wanted = self.sums(self.write("pods.json", json.dumps(listing)))
        for item in listing["items"]:
            if item["kind"] == "Pod":
                item["spec"]["volumes"] = [
                    {"name": "token", "projected": {"sources": [{"serviceAccountToken": {"path": 'token " sources'}}]}}
                ]
        self.assertEqual(wanted, self.sums(self.write("pods.json", json.dumps(listing, indent=4))))

    def test_a_file_under_two_names(self):
        """It belongs to the first source that has it, whatever both call it; the fleet file is none."""
        os.makedirs(os.path.join(self.folder, "logs"))
        with open(os.path.join(EXPORTS, "job_5102.out"), encoding="utf-8") as file:
            log = self.write("logs/a.log", file.read())
        one = self.sums(self.write("fleet.json", '{"sources": [{"path": "logs/a.log", "job": "7"}]}'))
        os.symlink(log, os.path.join(self.folder, "link.log"))
        for path in (".", "logs//a.log", "../%s/logs" % os.path.basename(self.folder), log, "link.log"):
            fleet = self.write(
                "fleet.json", json.dumps({"sources": [{"path": "logs/a.log", "job": "7"}, {"path": path}]})
            )
            self.assertEqual(one, self.sums(fleet), path)
            self.assertEqual([(log,)], self.rows("SELECT file FROM trace_sources(?)", fleet), path)

    def test_a_job_in_the_names_of_files(self):
        """The group job of a pattern over the path; a file that does not match lacks the option; what is no pattern is the job."""
        with open(os.path.join(EXPORTS, "job_5102.out"), encoding="utf-8") as file:
            log = file.read()
        for name in ("exp-7x-try1.log", "exp-8x-try1.log", "other.log"):
            os.makedirs(os.path.join(self.folder, "logs"), exist_ok=True)
            self.write(os.path.join("logs", name), log + f"# {name}\n")

        def jobs(pattern, path="*.log"):
            text = json.dumps({"sources": [{"path": os.path.join(self.folder, "logs", path), "job": pattern}]})
            return [
                tuple(row)
                for row in self.db.execute(
                    "SELECT DISTINCT job FROM trace_rollup(?) WHERE job IS NOT NULL ORDER BY 1", (text,)
                )
            ], [tuple(row) for row in self.db.execute("SELECT missing FROM trace_sources(?) ORDER BY file", (text,))]

        other = os.path.join(self.folder, "logs", "other.log")
        self.assertEqual(
            ([(other,), ("7x",), ("8x",)], [("chip",), ("chip",), ("job, chip",)]), jobs("exp-(?<job>[0-9]+x)")
        )
        self.assertEqual([("7x-try",), ("8x-try",)], jobs(r"/exp-(?P<job>.+try)\d", "exp*")[0])
        self.assertEqual([("exp-7",)], jobs("exp-7")[0])
        place = f'{{"sources": [{{"path": "{self.folder}/logs", "job": %s}}]}}'
        self.assertIn(
            'source 1: option "job": expected a group named job, (?<job>...)', self.error(place % '"exp-(?<run>.)"')
        )
        self.assertIn('source 1: option "job": pattern: missing ', self.error(place % '"exp-(?<job>["'))
        self.write(os.path.join("logs", "a" * 40 + ".log"), log)
        self.db.execute("SELECT mpg_limit('pattern_steps', 1000)").fetchall()
        with self.assertRaisesRegex(
            sqlite3.DataError, 'a{40}.log: option "job": the pattern takes more than 1000 steps'
        ):
            self.sums(place % '"(?<job>(a+)+)$"')

    def test_what_is_missing(self):
        """A script's parameter that was not set is a file or an option to who gives a path."""
        log, events = (
            os.path.join(ROOT, "fixtures", name) for name in ("exports/maxtext-5101.log", "slurm/sacctmgr_events.psv")
        )
        self.assertEqual(
            'trace_rollup: %s: expected the option "year", which a fleet file gives' % log, self.error(log)
        )
        self.assertEqual(
            'trace_rollup: %s: expected a file of slurm for "sacct" beside it, found none; trace_sources says what the others are'
            % events,
            self.error(events),
        )

    def test_what_some_lack_stops_no_others(self):
        """Logs in one folder: those without a year in their times are left out, each with its reason, and the others count."""
        line = "completed step: {n}, seconds: 2.000, TFLOP/s/device: 125.000, Tokens/s/device: 8192.000, loss: 1.0\n"
        steps = lambda clock: "".join(clock % (2 * n) + line.format(n=n) for n in range(5))
        whole = ("2026-03-02T09:00:%02d.000Z ", "[2026-03-02 09:00:%02d] ")
        logs = {f"b{n}.log": steps(clock) for n, clock in enumerate(whole)}
        for name, hour in ("a", 10), ("c", 11):
            logs[f"{name}.log"] = steps(f"I0302 {hour}:00:%02d.123456 140 metric_logger.py:100] ")
        os.mkdir(os.path.join(self.folder, "logs"))
        for name, text in logs.items():
            self.write(os.path.join("logs", name), text)
        folder = os.path.join(self.folder, "logs")
        found = "SELECT replace(file, ?, ''), jobs, reason FROM trace_sources(?) ORDER BY file"
        lacks = 'cannot be read: expected the option "year", which a fleet file gives'
        self.assertEqual(
            [
                ("a.log", 0, lacks),
                ("b0.log", 2, "by its content"),
                ("b1.log", 2, "by its content"),
                ("c.log", 0, lacks),
            ],
            self.db.execute(found, (folder + "/", folder)).fetchall(),
        )
        issues = "SELECT replace(source, ?, '') FROM mpg_issues WHERE kind = 'unreadable_file' ORDER BY 1"
        self.assertEqual([("a.log",), ("c.log",)], self.db.execute(issues, (folder + "/",)).fetchall())
        stopped = "SELECT count(*) FROM trace_rollup(?) WHERE on_error = 'stop'"
        with self.assertRaisesRegex(sqlite3.OperationalError, '/a.log: expected the option "year"'):
            self.db.execute(stopped, (folder,)).fetchall()
        os.rename(os.path.join(folder, "a.log"), os.path.join(folder, "z.log"))
        with self.assertRaisesRegex(sqlite3.OperationalError, '/c.log: expected the option "year"'):
            self.db.execute(stopped, (folder,)).fetchall()
        given = json.dumps({"sources": [{"path": folder, "year": 2026}]})
        self.assertEqual(
            [(4,)], self.db.execute("SELECT count(DISTINCT job) FROM trace_rollup(?)", (given,)).fetchall()
        )

    def test_text_in_place_of_a_path(self):
        path = os.path.join(EXPORTS, "fleet.json")
        with open(path, encoding="utf-8") as file:
            text = file.read().replace('"path": "', f'"path": "{EXPORTS}/')
        self.assertEqual(self.sums(path), self.sums(text))

    def test_options_say_what_jobs_are(self):
        text = json.dumps({"sources": [{"path": EXPORTS, "phase": "bulk_inference", "pool": "mine", "owner": "me"}]})
        self.assertEqual(
            [("mine", "bulk_inference", "me")],
            self.db.execute(
                "SELECT DISTINCT pool, phase, owner FROM trace_rollup(?) WHERE job IS NOT NULL", (text,)
            ).fetchall(),
        )


if __name__ == "__main__":
    unittest.main()
