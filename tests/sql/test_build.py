"""sql/build.sql: what it makes, that running it again adds what is new and once, and that its readers need no extension."""

import glob
import json
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
import unittest

import naive
from answers import BUILD, build, built
from fleets import (
    ROOT,
    al,
    bind,
    cap,
    columns_of,
    connect,
    create_tables,
    fleet,
    job,
    quote,
    sp,
    write_csv,
    write_jsonl,
)
from scripts import script_text

FLEET = os.path.join(ROOT, "fixtures", "fleet")
GOLDEN = os.path.join(ROOT, "fixtures", "golden")
RECORDS = ["capacity", "outages", "jobs", "allocations", "spans", "commits", "programs"]
MADE = ["ledger", "waits", "attempts", "runs", "program_ledger", "issues"]
GRAIN = "pool, chip, job, attempt, name, owner, phase, framework, runtime, model, size, priority, category, cause"


def script(*path):
    return script_text("/".join(("sql", *path)))


def content(db, tables):
    return {table: sorted(db.execute(f"SELECT * FROM {table}").fetchall(), key=repr) for table in tables}


def ledger(db, source):
    return sorted(
        db.execute(f"SELECT {GRAIN}, sum(chip_us) FROM {source} GROUP BY {GRAIN} HAVING sum(chip_us) <> 0"), key=repr
    )


class Build(unittest.TestCase):
    maxDiff = None

    def test_the_ledger_is_that_of_the_trace(self):
        for trace in (FLEET, GOLDEN, GOLDEN + ".jsonl"):
            self.assertEqual(ledger(connect(), f"trace_rollup({quote(trace)})"), ledger(built(trace), "ledger"), trace)

    def test_records_are_all_there(self):
        relations = naive.load_folder(FLEET)
        db = built(FLEET)
        for relation in RECORDS:
            self.assertEqual(
                len(relations[relation]), db.execute(f"SELECT count(*) FROM {relation}").fetchone()[0], relation
            )

    def test_again_changes_nothing(self):
        db = connect()
        build(db, {"trace": FLEET})
        before = content(db, RECORDS + MADE)
        build(db, {})
        self.assertEqual(before, content(db, RECORDS + MADE))

    def test_records_are_read_anew_after_a_failure(self):
        """What a build holds of the records, it holds no longer than its questions last."""
        db = connect()
        db.execute("CREATE TABLE mpg_config(name TEXT PRIMARY KEY, value TEXT)")
        db.execute("INSERT INTO mpg_config VALUES ('roofline', 'sky')")
        with self.assertRaisesRegex(sqlite3.OperationalError, "roofline"):
            db.execute("SELECT mpg_build(?)", (FLEET,))
        create_tables(db, fleet(cap(8, 0, 10), al(8, 0, 5)), "temp", True)
        self.assertEqual([(80 * 10**6,)], db.execute("SELECT sum(chip_us) FROM mpg_rollup").fetchall())
        self.assertEqual([(40 * 10**6,)], db.execute("SELECT sum(held_us) FROM mpg_runs").fetchall())

    def test_files_are_read_anew_after_a_build(self):
        """Each build reads its files once, and no later statement sees what it had read."""
        with tempfile.TemporaryDirectory() as folder:
            db = connect()
            for chips in (8, 16):
                write_csv(
                    folder,
                    fleet(
                        cap(chips, 0, 10),
                        al(chips, 0, 5),
                        ("spans", dict(job="j", kind="step", start_time=0, end_time=chips / 8)),
                    ),
                )
                db.execute("SELECT mpg_build(?)", (folder,)).fetchall()
                self.assertEqual(
                    [(chips / 8,)],
                    db.execute("SELECT end_time FROM trace_records(?) WHERE record = 'spans'", (folder,)).fetchall(),
                )
            self.assertEqual([(1.0,), (2.0,)], db.execute("SELECT end_us / 1e6 FROM spans ORDER BY 1").fetchall())

    def test_sums_are_those_of_the_ledger(self):
        sums = "capacity_us allocated_us partial_us untraced_us productive_us unrated_us ideal_us queued_us".split()
        for offset in ("+00:00", "+05:45", "-00:30"):
            db = built(FLEET, offset=offset)
            for table, key in (("day_sums", "day"), ("pool_sums", "pool"), ("job_sums", "job")):
                self.assertEqual(
                    db.execute(
                        f"SELECT {key}, {', '.join(f'sum({name})' for name in sums)} FROM ledger WHERE {key} NOT NULL GROUP BY {key}"
                    ).fetchall(),
                    db.execute(f"SELECT {key}, {', '.join(sums)} FROM {table} ORDER BY {key}").fetchall(),
                    (offset, table),
                )

    def test_in_two_parts_as_at_once(self):
        """Records of every second job arrive later, in files of another form."""
        relations = naive.load_folder(FLEET)
        with tempfile.TemporaryDirectory() as folder:
            parts = []
            for half in (0, 1):
                part = {
                    name: [
                        r
                        for r in rows
                        if ("job" in r and sum(r["job"].encode()) % 2 == half) or ("job" not in r and half == 0)
                    ]
                    for name, rows in relations.items()
                }
                path = os.path.join(folder, str(half))
                os.mkdir(path)
                parts.append(write_csv(path, part) if half == 0 else write_jsonl(path, part, ".gz"))
            db = connect()
            for trace in (parts[0], parts[1], parts[0], parts[1]):
                build(db, {"trace": trace})
        whole = connect()
        build(whole, {"trace": FLEET})
        same = [table for table in RECORDS + MADE if table != "issues"]
        self.assertEqual(content(whole, same), content(db, same))

    def test_what_was_open_ends(self):
        """A trace cut in the middle, then the whole: as if the cut one had never been there."""
        relations = naive.load_folder(GOLDEN)
        cut = {name: [dict(r) for r in rows] for name, rows in relations.items()}
        for name in ("allocations", "spans", "capacity"):
            for row in cut[name]:
                if row.get("end_time") is not None:
                    row["end_time"] = None
                    if "outcome" in row:
                        row["outcome"] = None
        for row in cut["commits"]:
            row["durable_time"] = None
        with tempfile.TemporaryDirectory() as folder:
            early, late = write_jsonl(folder, cut, "", "early.jsonl"), write_jsonl(folder, relations, "", "late.jsonl")
            db = connect()
            build(db, {"trace": early})
            self.assertNotEqual(ledger(db, "ledger"), ledger(connect(), f"trace_rollup({quote(GOLDEN)})"))
            build(db, {"trace": late})
            build(db, {"trace": early})
            build(db, {"trace": late})
        self.assertEqual(ledger(connect(), f"trace_rollup({quote(GOLDEN)})"), ledger(db, "ledger"))

    def test_two_that_differ_in_their_ends(self):
        """Two hosts that came at once, and of which one is gone: its end is not that of the other."""

        def records(open_ones, ends, task=None):
            capacity = [dict(pool="p", chips=8, start_time=0, end_time=end) for end in [None] * open_ones + ends]
            outages = [dict(pool="q", chips=1, start_time=0, end_time=end) for end in [None] * open_ones + ends]
            held = [
                dict(
                    job="j",
                    attempt=1,
                    task=task,
                    pool="p",
                    chips=4,
                    start_time=0,
                    end_time=end,
                    outcome=end and "failed",
                )
                for end in [None] * open_ones + ends
            ]
            return {
                "capacity": capacity + [dict(pool="z", chips=1, start_time=0, end_time=90)],
                "outages": outages,
                "allocations": held,
            }

        both, one, gone, none = records(2, []), records(1, []), records(1, [50]), records(0, [50])
        whole = {name: one[name] + none[name][:1] for name in one}
        for readings, left in (
            ([gone], gone),
            ([gone, gone], gone),
            ([both, gone], gone),
            ([both, gone, both, gone, both], gone),
            ([both, none], gone),
            ([both, none, both], gone),
            ([one, none, one, none], none),
            ([one, whole, whole, whole], none),
            ([records(2, []), records(0, [50, 60]), both], records(0, [50, 60])),
        ):
            db = connect()
            with tempfile.TemporaryDirectory() as folder:
                for i, reading in enumerate(readings):
                    build(db, {"trace": write_jsonl(folder, reading, "", f"{i}.jsonl")})
                expected = ledger(connect(), f"trace_rollup({quote(write_jsonl(folder, left, '', 'left.jsonl'))})")
            self.assertEqual(expected, ledger(db, "ledger"), readings)
        # A task holds its chips once, whichever file tells first.
        with tempfile.TemporaryDirectory() as folder:
            db = connect()
            build(
                db, {"trace": write_jsonl(folder, {"allocations": records(1, [50], "t")["allocations"]}, "", "t.jsonl")}
            )
            self.assertEqual([(50 * 10**6,)], db.execute("SELECT end_us FROM allocations").fetchall())

    def test_duplicates_count_as_often_as_they_are_given(self):
        relations = naive.load_folder(GOLDEN)
        twice = dict(
            relations, capacity=relations["capacity"] * 2, spans=relations["spans"] * 2, jobs=relations["jobs"] * 2
        )
        with tempfile.TemporaryDirectory() as folder:
            write_csv(folder, twice)
            expected = ledger(connect(), f"trace_rollup({quote(folder)})")
            db = connect()
            build(db, {"trace": folder})
            build(db, {})
            self.assertEqual(expected, ledger(db, "ledger"))
            self.assertEqual(2 * 800 * 10**6, db.execute("SELECT sum(capacity_us) FROM cells").fetchone()[0])

    def test_ids_of_an_earlier_version(self):
        """Ids that are text are refused: the same records would be added again under other ids."""
        db = connect()
        db.execute(
            "CREATE TABLE capacity(id TEXT PRIMARY KEY, pool TEXT, chip TEXT, chips REAL, start_us BIGINT, end_us BIGINT) WITHOUT ROWID"
        )
        db.execute("INSERT INTO capacity VALUES ('0c8d27a5-5b1a-5b51-8f0c-6d70672f7370', 'p', 'tpu-v4', 8, 0, 1000000)")
        db.commit()
        with self.assertRaisesRegex(sqlite3.OperationalError, "build into a new file"):
            db.execute("SELECT mpg_build(?)", (GOLDEN,)).fetchall()
        self.assertEqual([(1,)], db.execute("SELECT count(*) FROM capacity").fetchall())

    def test_ids_differ_where_a_field_does(self):
        """Each field of each record is part of its id; the form of the file is not."""
        span = dict(
            job="j",
            attempt=1,
            kind="step",
            start_time=0,
            end_time=5,
            step=3,
            program="g",
            flops=1e12,
            bytes=2e9,
            dtype="bf16",
            executions=2,
        )
        held = dict(job="j", attempt=1, task="0", pool="p", chips=4, start_time=0, end_time=5, outcome="failed")
        commit = dict(job="j", step=3, snapshot_time=1, durable_time=2)
        other = dict(
            job="k",
            attempt=2,
            kind="eval",
            start_time=1,
            end_time=6,
            step=4,
            program="h",
            flops=2e12,
            bytes=3e9,
            dtype="fp8",
            executions=3,
            task="1",
            pool="q",
            chips=5,
            outcome="completed",
            snapshot_time=1.5,
            durable_time=2.5,
        )
        for relation, record in (("spans", span), ("allocations", held), ("commits", commit)):
            rows = [record] + [dict(record, **{field: other[field]}) for field in record]
            found = []
            for write in (write_csv, lambda folder, relations: write_jsonl(folder, relations, "", "r.jsonl")):
                with tempfile.TemporaryDirectory() as folder:
                    write(folder, {relation: rows})
                    found.append(
                        sorted(
                            connect().execute("SELECT id FROM trace_records(?) WHERE record = ?", (folder, relation))
                        )
                    )
            self.assertEqual(len(rows), len(set(found[0])), relation)
            self.assertEqual(*found)

    def test_jobs_are_merged(self):
        db = connect()
        with tempfile.TemporaryDirectory() as folder:
            for i, row in enumerate(
                (dict(job="x", name="n", chips=4), dict(job="x", owner="o", chips=None), dict(job="x", name="m"))
            ):
                build(
                    db,
                    {
                        "trace": write_jsonl(
                            folder,
                            {
                                "jobs": [row],
                                "allocations": [dict(job="x", pool="p", chips=4, start_time=0, end_time=9)],
                            },
                            "",
                            f"{i}.jsonl",
                        )
                    },
                )
        self.assertEqual([("x", "n", "o", 4.0)], db.execute("SELECT job, name, owner, chips FROM jobs").fetchall())
        self.assertEqual([(1,)], db.execute("SELECT count(*) FROM allocations").fetchall())

    def test_attempts_that_begin_at_once(self):
        """Each is in the pool of its own first chips."""
        relations = fleet(
            *(cap(4, 0, 100, pool, "tpu-v4") for pool in "pq"),
            job("j", chips=4),
            al(4, 0, 50, 1, "t", "q", "failed", "j"),
            al(4, 0, 100, 2, "t", "p", "completed", "j"),
        )
        with tempfile.TemporaryDirectory() as folder:
            write_csv(folder, relations)
            db = built(folder)
        self.assertEqual([(1, "q"), (2, "p")], db.execute("SELECT attempt, pool FROM attempts ORDER BY 1").fetchall())

    def test_from_the_tables_of_a_format(self):
        """As a script of sql/formats leaves them: TEMP tables, with some of the columns; gone afterwards."""
        relations = {k: v for k, v in naive.load_folder(GOLDEN).items() if v}
        db = connect()
        for relation, rows in relations.items():
            names = [n for n in columns_of(relation, rows) if any(r.get(n) is not None for r in rows)]
            db.execute(f"CREATE TEMP TABLE {relation}({', '.join(names)})")
            db.executemany(
                f"INSERT INTO {relation} VALUES ({', '.join('?' * len(names))})",
                [[r.get(n) for n in names] for r in rows],
            )
        db.commit()
        db.executescript(BUILD)
        self.assertEqual([], db.execute("SELECT name FROM sqlite_temp_schema").fetchall())
        self.assertEqual(ledger(connect(), f"trace_rollup({quote(GOLDEN)})"), ledger(db, "ledger"))
        db.executescript(BUILD)
        self.assertEqual(ledger(connect(), f"trace_rollup({quote(GOLDEN)})"), ledger(db, "ledger"))

    def test_slurm_end_to_end(self):
        inputs = (
            "CREATE TEMP TABLE slurm_jobs AS SELECT *, _file, _line FROM slurm_trace('fixtures/slurm/sacct_jobs.psv', 'UTC');"
            "CREATE TEMP TABLE slurm_events AS SELECT *, _file, _line FROM slurm_events_trace('fixtures/slurm/sacctmgr_events.psv', 'UTC');"
        )
        db = connect()
        os.chdir(ROOT)
        db.executescript(inputs + script("formats", "slurm.sql"))
        expected = db.execute(
            "SELECT sum(chip_us), scheduling_goodput(category, chip_us) FROM mpg_rollup WHERE category <> 'queued'"
        ).fetchone()
        db.executescript(BUILD)
        self.assertGreater(expected[0], 0)
        self.assertEqual(
            expected,
            db.execute("SELECT sum(capacity_us), 1.0 * sum(allocated_us) / sum(capacity_us) FROM cells").fetchone(),
        )

    def test_goodput_log_end_to_end(self):
        db = connect()
        db.executescript(
            bind(script("formats", "goodput.sql"), log=os.path.join(ROOT, "fixtures", "goodput"), chips=16)
        )
        goodput = "runtime_goodput(category, chip_us), sum(chip_us) FILTER (WHERE category = 'lost')"
        expected = db.execute(f"SELECT job, {goodput} FROM mpg_rollup GROUP BY job ORDER BY job").fetchall()
        db.executescript(BUILD)
        self.assertEqual(len(expected), 2)
        self.assertGreater(min(row[1] for row in expected), 0.2)
        self.assertEqual(expected, db.execute(f"SELECT job, {goodput} FROM cells GROUP BY job ORDER BY job").fetchall())

    def test_nothing_to_read(self):
        """A parameter that nobody set is said to be missing, in this script and in those of the formats."""
        scripts = {}
        for name in glob.glob("*.sql", root_dir=os.path.join(ROOT, "sql", "formats")):
            if name not in (
                "nsys.sql",
                "rocpd.sql",
                "ascend.sql",
                "kube_state.sql",
            ):  # of a database that is attached; an input of kube.sql, which asks for either
                text = script("formats", name)
                scripts[name] = (
                    re.search(r"mpg_required\((?::?\w+|coalesce\(.*?\)), '(:(?!year)\w+)'", text).group(1),
                    text,
                )
        scripts["build.sql"] = ":trace", BUILD
        self.assertGreater(len(scripts), 20)
        for name, (parameter, text) in scripts.items():
            with self.subTest(name), self.assertRaises(sqlite3.OperationalError) as caught:
                db = connect()
                db.executescript(script("device.sql"))
                db.executescript("DROP TABLE device_activity;" + text if name == "build.sql" else text)
            self.assertEqual(
                str(caught.exception),
                f"mpg_required: expected a value for {parameter}, found NULL; the script's first lines say how to set it",
                name,
            )

    def test_configuration(self):
        db = built(GOLDEN, offset="-00:30", sizes="1,3,9", as_of="50", basis="in_service")
        self.assertEqual(
            [("1969-12-31 23:00:00", -1800)], db.execute("SELECT DISTINCT hour, time FROM ledger").fetchall()
        )
        for offset in ("Z", "+14:00", "-11:30"):
            self.assertEqual(
                [(1,)],
                built(GOLDEN, offset=offset).execute("SELECT DISTINCT time BETWEEN -3600 AND 0 FROM ledger").fetchall(),
                offset,
            )
        self.assertEqual(
            {("J1", "L"), ("J2", "M")}, set(db.execute("SELECT DISTINCT job, size FROM ledger WHERE job IS NOT NULL"))
        )
        self.assertEqual([(8 * 50 * 10**6,)], db.execute("SELECT sum(capacity_us) FROM cells").fetchall())

    def test_settings_that_are_none(self):
        """As mpg_build refuses them (test_build_broken.py): the script makes nothing."""
        for name, value, said in [("ofset", "+01:00", "a setting of mpg_config, not 'ofset'")] + [
            ("offset", value, f"offset as +02:00, not '{value}'")
            for value in ("2", "", "Europe/Berlin", "+0200", "+02", "-15:00", "+02:60")
        ]:
            db = connect()
            db.executescript("CREATE TABLE mpg_config(name TEXT PRIMARY KEY, value TEXT)")
            db.executemany("INSERT INTO mpg_config VALUES (?, ?)", [("trace", GOLDEN), (name, value)])
            with self.assertRaises(sqlite3.OperationalError) as caught:
                db.executescript(BUILD)
            self.assertEqual(
                f"mpg_required: expected a value for {said}, found NULL; the script's first lines say how to set it",
                str(caught.exception),
            )

    def test_a_chip_of_the_trace(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(GOLDEN, folder, dirs_exist_ok=True)
            with open(os.path.join(folder, "chips.csv"), "w") as file:
                file.write("chip,dtype,peak_flops\nmine,bf16,1e12\n")
            with open(os.path.join(folder, "capacity.csv")) as file:
                text = file.read()
            with open(os.path.join(folder, "capacity.csv"), "w") as file:
                head, row = text.split("\n")[:2]
                file.write(
                    head + "\n" + ",".join("mine" if i == 1 else cell for i, cell in enumerate(row.split(","))) + "\n"
                )
            self.assertEqual(ledger(connect(), f"trace_rollup({quote(folder)})"), ledger(built(folder), "ledger"))

    def test_a_name_of_a_chip(self):
        """A column for aliases that was added to chips outlives what is built after it."""
        with tempfile.TemporaryDirectory() as folder:
            write_csv(
                folder,
                fleet(cap(8, 0, 10, chip="big one"), ("chips", dict(chip="other", dtype="bf16", peak_flops=1e12))),
            )
            db = connect()
            build(db, {"trace": folder})
            self.assertEqual([("big one",)], db.execute("SELECT DISTINCT chip FROM ledger").fetchall())
            db.executescript(
                """ALTER TABLE chips ADD COLUMN aliases TEXT;
                INSERT INTO chips(chip, dtype, peak_flops, aliases) VALUES ('mine', 'bf16', 1e12, '["big one"]');"""
            )
            build(db, {"trace": folder})
            self.assertEqual([("mine",)], db.execute("SELECT DISTINCT chip FROM ledger").fetchall())
            self.assertEqual(
                [("mine", '["big one"]'), ("other", None)],
                db.execute("SELECT chip, aliases FROM chips ORDER BY chip").fetchall(),
            )

    def test_a_failure_leaves_what_was_there(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "fleet.db")
            db = connect(path)
            build(db, {"trace": GOLDEN})
            before = content(db, RECORDS + MADE)
            bad = os.path.join(folder, "spans.csv")
            with open(bad, "w") as file:
                file.write("job,kind,start_time\nx,step,soon\n")
            with self.assertRaisesRegex(sqlite3.OperationalError, "spans.csv:2:8: spans.start_time"):
                build(db, {"trace": bad})
            db.close()
            self.assertEqual(before, content(sqlite3.connect(path), RECORDS + MADE))

    def test_a_schema_that_may_not_be_read(self):
        """An authorizer's refusal is an error of the build, wherever it comes."""
        for refused in ("SQLITE_READ", "SQLITE_ALTER_TABLE", "SQLITE_CREATE_TABLE", "SQLITE_INSERT"):
            db = connect()
            code = getattr(sqlite3, refused)
            db.set_authorizer(
                lambda action, name, *more: (
                    sqlite3.SQLITE_DENY
                    if action == code and (action != sqlite3.SQLITE_READ or name in ("sqlite_schema", "sqlite_master"))
                    else sqlite3.SQLITE_OK
                )
            )
            with self.assertRaisesRegex(sqlite3.DatabaseError, "mpg_build: .*(prohibited|authorized)", msg=refused):
                db.execute("SELECT mpg_build(?)", (GOLDEN,)).fetchall()
            db.set_authorizer(None)
            self.assertEqual([], db.execute("SELECT name FROM sqlite_schema").fetchall(), refused)

    def test_times_that_count_from_zero(self):
        """The ledger has a row an hour: what is open since 0 would make one for each hour since 1970, beside times of today."""
        with tempfile.TemporaryDirectory() as folder:
            db = connect(os.path.join(folder, "fleet.db"))
            for name, start, end in (("early", 0, None), ("late", 29 * 31557600, 31 * 31557600)):
                with open(os.path.join(folder, f"{name}.jsonl"), "w") as file:
                    print(
                        json.dumps(
                            {
                                "record": "allocation",
                                "job": name,
                                "attempt": 1,
                                "pool": name,
                                "chips": 1,
                                "start_time": start,
                                "end_time": start + 3600,
                            }
                        ),
                        file=file,
                    )
                    print(
                        json.dumps(
                            {"record": "capacity", "pool": name, "chips": 1, "start_time": start, "end_time": end}
                        ),
                        file=file,
                    )
            with self.assertRaises(sqlite3.OperationalError) as caught:
                db.execute("SELECT mpg_build(?)", (os.path.join(folder, "*.jsonl"),)).fetchall()
            self.assertEqual(
                str(caught.exception),
                "mpg_build: expected at most 30 years of one record, found pool early from 1970-01-01T00:00:00Z "
                "to 2000-12-31T18:00:00Z; times that count from 0 belong into a database of their own",
            )
            self.assertEqual([], db.execute("SELECT name FROM sqlite_schema").fetchall())
            db.execute("SELECT mpg_build(?)", (os.path.join(folder, "late.jsonl"),)).fetchall()
            self.assertEqual([(1,)], db.execute("SELECT count(*) FROM allocations").fetchall())

    def test_in_the_shell(self):
        """As the header of the script says, with the parameter in the shell."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "fleet.db")
            for _ in range(2):
                subprocess.run(
                    [
                        "sqlite3",
                        "-batch",
                        "-init",
                        "/dev/null",
                        "-bail",
                        "-cmd",
                        ".load ./mpg",
                        "-cmd",
                        ".param set :trace fixtures/golden",
                        path,
                    ],
                    input=BUILD,
                    cwd=ROOT,
                    text=True,
                    check=True,
                    capture_output=True,
                )
            plain = sqlite3.connect(path)
            self.assertEqual([(0.635, 0.155)], plain.execute("SELECT SG, MPG FROM goodput_by_day").fetchall())
            self.assertEqual([], plain.execute("SELECT * FROM mpg_config").fetchall())

    def test_views_need_nothing(self):
        db = built(FLEET)
        for (view,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'view'").fetchall():
            self.assertGreater(len(db.execute(f"SELECT * FROM {view}").fetchall()), 0, view)
        loaded = connect()
        self.assertEqual(
            loaded.execute(
                f"SELECT pool, scheduling_goodput(category, chip_us) FROM trace_rollup({quote(FLEET)}) "
                "WHERE pool IS NOT NULL GROUP BY pool"
            ).fetchall(),
            db.execute("SELECT pool, SG FROM goodput_by_pool").fetchall(),
        )

    def test_what_nobody_knows_is_no_zero(self):
        """Of jobs without runtime records no ratio of the views is 0, and coverage says that nothing is known."""
        with tempfile.TemporaryDirectory() as folder:
            write_csv(folder, fleet(cap(8, 0, 3600), job(chips=8), al(8, 0, 3600, outcome="completed")))
            db = built(folder)
        for view in ("goodput_by_day", "goodput_by_pool", "goodput_by_job"):
            self.assertEqual(
                [(1.0, None, None, None, None, 0.0, None)],
                db.execute(f"SELECT SG, RG, PG, MPG, MPG_lower, traced, rated FROM {view}").fetchall(),
                view,
            )

    def test_columns_of_any_size(self):
        """Tables of many rows get their generated columns after them: they are the same, in the same order."""
        few = [{"record": "capacity", "pool": "p", "chip": "H100", "chips": 8, "start_time": 0, "end_time": 7200}]
        few += [{"record": "job", "job": "a", "chips": 8, "submit_time": 0}]
        few += [{"record": "allocation", "job": "a", "pool": "p", "chips": 8, "start_time": 0, "end_time": 7200}]
        many = few + [{"record": "job", "job": f"j{i}", "chips": 8, "submit_time": i} for i in range(2000)]
        columns, order = [], []
        for records in (few, many):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "trace.jsonl")
                with open(path, "w", encoding="ascii") as file:
                    file.writelines(json.dumps(record) + "\n" for record in records)
                db = connect(os.path.join(folder, "fleet.db"))
                statements = []
                db.set_trace_callback(statements.append)
                db.execute("SELECT mpg_build(?)", (path,)).fetchall()
                db.set_trace_callback(None)
                order.append(re.findall(r"(INSERT INTO|ALTER TABLE) main\.jobs\b", "\n".join(statements)))
                names = [
                    name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1")
                ]
                columns.append(
                    {name: db.execute("SELECT * FROM pragma_table_xinfo(?)", (name,)).fetchall() for name in names}
                )
                self.assertEqual([(2 * 8.0,)], db.execute("SELECT sum(capacity_chip_hours) FROM ledger").fetchall())
                db.close()
        self.assertGreater(len(columns[0]), 20)
        self.assertEqual(*columns)
        self.assertEqual([["INSERT INTO"], ["INSERT INTO", "ALTER TABLE"]], order)

    def test_weeks(self):
        """The week of a day as built-in SQL computes it is that of iso_week()."""
        db, loaded = built(GOLDEN), connect()
        db.execute("CREATE TEMP TABLE hours(hour)")
        days = [
            row[0]
            for row in loaded.execute(
                "WITH RECURSIVE d(d) AS (SELECT '1999-12-20' UNION ALL SELECT date(d, '+1 day') FROM d LIMIT 12000) SELECT d FROM d"
            )
        ]
        (ledger,) = db.execute("SELECT sql FROM sqlite_schema WHERE name = 'ledger'").fetchone()
        week = re.search(r"week TEXT AS (.*?),\s+month TEXT", ledger, re.S)[1]
        for day in days:
            self.assertEqual(
                loaded.execute("SELECT iso_week(?)", (day,)).fetchone(),
                db.execute(f"SELECT {week.replace('hour', '?1')}", (day,)).fetchone(),
                day,
            )


class Records(unittest.TestCase):
    """trace_records and mpg_records: every field of every record, as Python reads the files."""

    maxDiff = None

    def test_as_python_reads_them(self):
        relations = naive.load_folder(FLEET)
        files, tables = connect(), connect()
        create_tables(tables, relations)
        for relation in RECORDS:
            names = [c for c in naive.COLUMNS[relation] if (relation, c) != ("commits", "attempt")]
            expected = sorted(([self.plain(c, row.get(c)) for c in names] for row in relations[relation]), key=repr)
            for db, source in ((files, f"trace_records({quote(FLEET)})"), (tables, "mpg_records")):
                found = db.execute(f"SELECT {', '.join(names)} FROM {source} WHERE record = ?", (relation,))
                self.assertEqual(
                    expected,
                    sorted(([self.plain(c, v) for c, v in zip(names, row)] for row in found), key=repr),
                    relation,
                )

    def plain(self, column, value):
        if value is None or value == "":
            return None
        if column.endswith("_time"):
            return naive.microseconds(value)
        if column in ("chips", "min_chips", "flops", "bytes", "executions", "tasks", "attempt", "step"):
            return float(value)
        return str(value)

    def test_one_relation(self):
        """A condition on `record` reads the relations that it leaves, however it is written."""
        db = connect()
        source = f"trace_records({quote(FLEET)})"
        counts = dict(db.execute(f"SELECT +record, count(*) FROM {source} GROUP BY 1"))
        everything = sum(counts.values())
        self.assertEqual(set(RECORDS), set(counts) - {"observed", "chips"})
        for name, count in counts.items():
            for where, expected in (
                (f"record = '{name}'", count),
                (f"record <> '{name}'", everything - count),
                (f"record IN ('{name}', '{name}')", count),
                (f"record = '{name.upper()}' COLLATE NOCASE", count),
                (f"record = '{name}' AND record <> 'jobs'", count * (name != "jobs")),
                (f"record = '{name}' OR record = 'none' || job", count),
            ):
                self.assertEqual(
                    (expected,), db.execute(f"SELECT count(*) FROM {source} WHERE {where}").fetchone(), where
                )
        for where, expected in (
            ("record <> 5", everything),
            ("record <> x'6a'", everything),
            ("record <> NULL", 0),
            ("record = NULL", 0),
            ("record IS NOT NULL", everything),
        ):
            self.assertEqual((expected,), db.execute(f"SELECT count(*) FROM {source} WHERE {where}").fetchone(), where)

    def test_skip(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "allocations.csv"), "w") as file:
                file.write("job,pool,chips,start_time,end_time\nx,p,1,0,5\ny,p,-1,0,5\n")
            db = connect()
            with self.assertRaisesRegex(
                sqlite3.OperationalError, "trace_records: .*allocations.csv:3:5: allocations.chips"
            ):
                db.execute("SELECT * FROM trace_records(?)", (folder,)).fetchall()
            self.assertEqual(
                [("x", None)], db.execute("SELECT job, outcome FROM trace_records(?, 'skip')", (folder,)).fetchall()
            )
            self.assertEqual([("skipped_record", 1)], db.execute("SELECT kind, count FROM mpg_issues").fetchall())

    def test_chips_of_its_own(self):
        """Rows of the catalogue that the records add or change, and no others."""
        mine = dict(
            chip="mine",
            dtype="bf16",
            peak_flops=1e12,
            hbm_bytes=16e9,
            hbm_bytes_per_s=5e11,
            ici_bytes_per_s=None,
            tdp_w=99.5,
            vendor="me",
            year=2025,
            source="here",
        )
        changed = dict(chip="TPU v4", dtype="bf16", peak_flops=2e14)
        relations = fleet(cap(8, 0, 10, chip="mine"), ("chips", mine), ("chips", changed))
        tables = connect()
        create_tables(tables, relations)
        with tempfile.TemporaryDirectory() as folder:
            write_csv(folder, relations)
            source = f"trace_records({quote(folder)})"
            found = (
                connect()
                .execute(
                    f"SELECT chip, dtype, peak_flops, hbm_bytes, hbm_bytes_per_s, ici_bytes_per_s, tdp_w, vendor, year, source, job "
                    f"FROM {source} WHERE record = 'chips' ORDER BY chip"
                )
                .fetchall()
            )
            self.assertEqual(("mine", "bf16", 1e12, 16e9, 5e11, None, 99.5, "me", 2025, "here", None), found[0])
            self.assertEqual([("tpu-v4", 2e14)], [(row[0], row[2]) for row in found[1:] if row[1] == "bf16"])
            self.assertEqual({"mine", "tpu-v4"}, {row[0] for row in found})
        # Tables of chips are the catalogue's, in mpg_chips.
        self.assertEqual([("capacity", "mine")], tables.execute("SELECT record, chip FROM mpg_records").fetchall())
        self.assertEqual([(1e12,)], tables.execute("SELECT peak_flops FROM mpg_chips WHERE chip = 'mine'").fetchall())

    def test_arguments(self):
        with tempfile.TemporaryDirectory() as folder:
            write_csv(folder, fleet(cap(8, 0, 10), cap(4, 10, 20)))
            db = connect()
            self.assertEqual(
                [(folder, None, 0), (folder, None, 1)],
                db.execute(
                    "SELECT path, on_error, rowid - min(rowid) OVER () FROM trace_records(?)", (folder,)
                ).fetchall(),
            )
            self.assertEqual(
                [(folder, "skip")],
                db.execute("SELECT path, on_error FROM trace_records(?, 'skip') LIMIT 1", (folder,)).fetchall(),
            )
            for wrong, error in {
                "path > 'a'": "the arguments take = alone, outside OR and RIGHT or FULL JOIN",
                "path = 5": "path: expected text, found 5",
                "path = 'a' AND on_error = 'ignore'": "on_error",
            }.items():
                with self.assertRaisesRegex(sqlite3.OperationalError, f"trace_records: .*{error}"):
                    db.execute(f"SELECT * FROM trace_records WHERE {wrong}").fetchall()
            joined = "SELECT count(*) FROM (SELECT ? AS p UNION ALL SELECT ?) CROSS JOIN trace_records(p)"
            self.assertEqual((4,), db.execute(joined, (folder, folder)).fetchone())

    def test_pages_of_a_new_file(self):
        """Are of 16 KiB, unless their size was chosen or the file has tables."""
        for pages, statement, expected in (
            (4096, "SELECT 1", 16384),
            (8192, "SELECT 1", 8192),
            (4096, "CREATE TABLE mine(x)", 4096),
        ):
            with tempfile.TemporaryDirectory() as folder:
                db = connect(os.path.join(folder, "fleet.db"))
                db.execute(f"PRAGMA page_size = {pages}")
                db.execute(statement)
                db.execute("SELECT mpg_build(?)", (GOLDEN,))
                db.close()
                db = sqlite3.connect(os.path.join(folder, "fleet.db"))
                self.assertEqual((expected,), db.execute("PRAGMA page_size").fetchone(), statement)
                self.assertEqual(ledger(connect(), f"trace_rollup({quote(GOLDEN)})"), ledger(db, "ledger"))
                db.close()

    def test_spans_that_repeat_in_a_file_that_grows(self):
        """Are counted in a new file and in one that has others of their job."""
        first, more = ([sp("step", at, at + 1, at) for at in steps] for steps in (range(3), (3, 4, 4, 5, 5, 5)))
        fleet_of = (cap(8, 0, 10), job("j"), al(8, 0, 10))
        for earlier, later, doubles in (
            ([], more, 3),
            (first, more, 3),
            (first, first + more, 3),
            (first, first, 0),
            (more, first + more, 3),
        ):
            with tempfile.TemporaryDirectory() as folder:
                db = connect()
                for name, spans in (("a", earlier), ("b", later)):
                    trace = os.path.join(folder, name)
                    os.mkdir(trace)
                    write_csv(trace, fleet(*fleet_of, *spans))
                    db.execute("SELECT mpg_build(?)", (trace,))
                found = db.execute(
                    "SELECT coalesce(sum(count), 0) FROM issues WHERE kind = 'duplicate_span'"
                ).fetchone()
                self.assertEqual((doubles,), found, (len(earlier), len(later)))
                self.assertEqual(
                    (len({repr(span) for span in earlier + later}),),
                    db.execute("SELECT count(*) FROM spans").fetchone(),
                )

    def test_its_tables_as_a_trace(self):
        """mpg_rollup reads their microseconds, exactly and without a word about columns that only the build needs."""
        with tempfile.TemporaryDirectory() as folder:
            spans = [sp("step", at + 0.000001, at + 1.000003, at) for at in range(4)]
            write_csv(folder, fleet(cap(8, 0, 10.000007), job("j"), al(8, 0, 9.000001), *spans))
            expected = ledger(connect(), f"trace_rollup({quote(folder)})")
            db = connect()
            db.execute("SELECT mpg_build(?)", (folder,))
        self.assertEqual(expected, ledger(db, "mpg_rollup"))
        self.assertEqual([], db.execute("SELECT * FROM mpg_issues WHERE source LIKE 'main.%'").fetchall())
        db.execute("UPDATE spans SET end_us = end_us + 5 WHERE step = 3")
        self.assertEqual(
            {8 * 4000002 + 8 * 5}, {row[-1] for row in ledger(db, "mpg_rollup") if row[-2] == "no_checkpoint_data"}
        )
        for wrong, error in (
            (-1, "expected a time from 1970-01-01 on in Unix seconds, found -1e-06"),
            ("soon", 'expected Unix seconds or ISO 8601 time, found "soon"'),
            (2**62, "expected a time before 2262-01-01 in Unix seconds"),
        ):
            db.execute("UPDATE spans SET start_us = ? WHERE step = 0", (wrong,))
            with self.assertRaisesRegex(
                sqlite3.OperationalError, "main.spans:[0-9]+: spans.start_time: " + re.escape(error)
            ):
                db.execute("SELECT sum(chip_us) FROM mpg_rollup").fetchall()

    def test_of_itself(self):
        db = connect()
        db.execute("CREATE TEMP VIEW jobs AS SELECT job FROM mpg_records")
        with self.assertRaisesRegex(sqlite3.OperationalError, "defined by itself, through the records"):
            db.execute("SELECT * FROM mpg_records").fetchall()


if __name__ == "__main__":
    unittest.main()
