"""sql/report/mpg-report: the page as it reads without scripts says what the aggregates say, fetches nothing and holds hostile names; the charts as files."""

import base64
import collections
import functools
import hashlib
import html.parser
import json
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree
import zlib

from fleets import ROOT, connect
from scripts import script_text
from source_files import EXPORTS

TOOL = os.path.join(ROOT, "sql", "report", "mpg-report")
PLAIN = os.path.join(ROOT, "sql", "report", "template.html")
HOSTILE = (
    "<script>alert(1)</script>",
    "\"'&</SCRIPT><!--<img src=x onerror=alert(2)>",
    "p\"><b>'x'",
    "{{x}}${y}<!--mpg:title-->\\",
)
FOLDER = None


def setUpModule():
    global FOLDER
    FOLDER = tempfile.TemporaryDirectory()
    # As in the shell, where :trace can be bound; here mpg_config stands for it.
    db = connect(path("fleet.db"))
    db.executescript(
        "CREATE TABLE mpg_config(name TEXT PRIMARY KEY, value TEXT); INSERT INTO mpg_config VALUES ('trace', '%s/fixtures/fleet');"
        % ROOT.replace("'", "''")
    )
    db.executescript(script_text("sql/build.sql"))
    db.close()
    shutil.copy(path("fleet.db"), path("hostile.db"))
    db = sqlite3.connect(path("hostile.db"))
    for column in ("job", "name", "owner", "phase", "model", "team"):
        for i, name in enumerate(HOSTILE):
            db.execute(f"UPDATE ledger SET {column} = ? WHERE job IS NOT NULL AND rowid % 7 = ?", (name, i))
    db.execute("UPDATE ledger SET pool = ? WHERE pool = 'v4-zürich'", (HOSTILE[2],))
    db.execute("UPDATE ledger SET owner = char(8232) || char(0) || 'x' || CAST(x'ff' AS TEXT) WHERE rowid % 11 = 3")
    db.commit()
    db.close()


def tearDownModule():
    FOLDER.cleanup()


def path(name):
    return os.path.join(FOLDER.name, name)


def run(*arguments):
    return subprocess.run(
        [TOOL, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
    )


@functools.lru_cache(None)
def made(database="fleet.db", template=PLAIN, *arguments):
    done = run(path(database), "--template", template, *arguments)
    if done.returncode:
        raise AssertionError(done.stderr)
    return done.stdout


class Reader(html.parser.HTMLParser):
    """A page's tags, the texts of its cards, and the cells of each section's table."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.cards, self.tables, self.said, self.stack = [], {}, {}, [], []
        self.section, self.card, self.row = "headline", None, None
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.tags.append((tag, given))
        if tag == "section":
            self.section = given["id"]
        if "data-name" in given:
            self.card = given["data-name"]
        if (given.get("class") or "").startswith("figure"):
            self.cards[self.card] = ""
            self.stack.append("figure")
        if tag == "tr":
            self.tables.setdefault(self.section, []).append([])
        if tag in ("td", "th"):
            self.tables[self.section][-1].append("")
            self.stack.append("cell")

    def handle_endtag(self, tag):
        if self.stack and tag in ("td", "th", "div"):
            self.stack.pop()

    def handle_data(self, data):
        self.said.append(data)
        if self.stack and self.stack[-1] == "figure":
            self.cards[self.card] += data
        elif self.stack:
            self.tables[self.section][-1][-1] += data


def without_scripts(page):
    return re.sub(r"(?s)<script.*?</script>", "", page)


def cells(page):
    """The head of the stream in a page, and how many bytes it has."""
    stream = zlib.decompress(
        base64.b64decode(re.search(r'<script type="application/octet-stream" id="cells">(.*?)</script>', page, re.S)[1])
    )
    return json.loads(stream[4 : 4 + int.from_bytes(stream[:4], "little")])


class Page(unittest.TestCase):
    maxDiff = None

    def test_headline_is_what_the_aggregates_say(self):
        answer = (
            connect(path("fleet.db"))
            .execute(
                "SELECT mpg(category, chip_us), mpg_lower(category, chip_us), scheduling_goodput(category, chip_us), "
                "runtime_goodput(category, chip_us), program_goodput(category, chip_us) "
                "FROM ledger WHERE category <> 'queued'"
            )
            .fetchone()
        )
        self.assertIsNone(answer[0])
        lower, sg, rg, pg = (f"{100 * value:.1f}%" for value in answer[1:])
        self.assertEqual({"MPG": "≥ " + lower, "SG": sg, "RG": rg, "PG": pg}, Reader(made()).cards)

    def test_mpg_where_everything_is_known(self):
        shutil.copy(path("fleet.db"), path("known.db"))
        db = sqlite3.connect(path("known.db"))
        db.execute("DELETE FROM ledger WHERE category IN ('untraced', 'unrated')")
        db.commit()
        (mpg,) = (
            connect(path("known.db"))
            .execute("SELECT mpg(category, chip_us) FROM ledger WHERE category <> 'queued'")
            .fetchone()
        )
        page = made("known.db")
        self.assertEqual(f"{100 * mpg:.1f}%", Reader(page).cards["MPG"])
        self.assertNotIn("at least", without_scripts(page))

    def test_tables_are_the_answers_of_the_queries(self):
        page, db = made(), sqlite3.connect(path("fleet.db"))
        db.row_factory = sqlite3.Row
        reader = Reader(page)
        self.assertEqual(
            ["headline", "trend", "waterfall", "heatmap", "top_offenders", "before_after", "data_quality"],
            list(reader.tables),
        )
        for name, table in reader.tables.items():
            with self.subTest(name), open(os.path.join(ROOT, "sql", "report", name + ".sql"), encoding="utf-8") as file:
                given = {"width": "hour", "after_since": "2026-01-06 00:00:00"}
                query = file.read()
                self.assertIn(query.rstrip(), "".join(reader.said))
                rows = db.execute(
                    query, {n: given.get(n) for n in re.findall(r":(\w+)", re.sub("--.*", "", query))}
                ).fetchall()
                if name == "headline":
                    self.assertEqual(rows[0].keys(), [cells[0] for cells in table])
                    self.assertEqual(
                        [
                            rows[0]["first_hour"],
                            str(rows[0]["hours"]),
                            f'{100 * rows[0]["traced"]:.1f}%',
                            "not known",
                            f'≥ {100 * rows[0]["MPG_lower"]:.1f}%',
                        ],
                        [
                            dict(cells[:2] for cells in table)[column]
                            for column in ("first_hour", "hours", "traced", "MPG", "MPG_lower")
                        ],
                    )
                    continue
                self.assertEqual([column.replace("_", " ") for column in rows[0].keys()], table[0])
                self.assertEqual(len(rows), len(table) - 1)
                self.assertEqual(
                    [row[0] if isinstance(row[0], str) else str(row[0]) for row in rows],
                    [cells[0] for cells in table[1:]],
                )
                for row, shown in zip(rows, table[1:]):
                    for column, text in zip(row.keys(), shown):
                        if column in ("SG", "RG", "PG", "traced", "rated", "share"):
                            self.assertEqual(
                                (
                                    "not known"
                                    if row[column] is None
                                    else f"{100 * row[column]:.1f}%".replace("-0.0%", "0.0%")
                                ),
                                text,
                            )
                        if column == "MPG_lower":
                            self.assertEqual(
                                (
                                    f"{100 * row[column]:.1f}%"
                                    if row["MPG"] is not None
                                    else f"≥ {100 * row[column]:.1f}%"
                                    if row[column]
                                    else "not known"
                                ),
                                text,
                            )

    def test_nothing_known_is_no_zero(self):
        """A scheduler's log alone: no chart, no card and no cell says 0 % of what nobody knows; and no "-0.0" stands anywhere."""
        shutil.copy(path("fleet.db"), path("untraced.db"))
        with sqlite3.connect(path("untraced.db")) as db:
            db.execute(
                "UPDATE ledger SET category = 'untraced' WHERE category NOT IN ('down', 'idle', 'partial', 'queued')"
            )
        page = made("untraced.db")
        reader = Reader(page)
        self.assertEqual(["not known"] * 3, [reader.cards[name] for name in ("MPG", "RG", "PG")])
        for name in ("trend", "heatmap", "top_offenders"):
            head, *rows = reader.tables[name]
            for column in ("RG", "PG", "MPG", "MPG lower"):
                if column in head:
                    self.assertEqual({"not known"}, {row[head.index(column)] for row in rows}, (name, column))
        self.assertEqual(
            [["not known"] * 3] * 4,
            [
                row[2:]
                for row in reader.tables["before_after"]
                if row[1] in ("RG", "PG", "MPG", "MPG_lower")
                for row in [row[:2] + row[2:5]]
            ][:4],
        )
        self.assertNotRegex("".join(Reader(without_scripts(page)).said), r"[-−+]0\.0+\b(?!\d)")

    def test_nothing_is_fetched(self):
        page = made()
        self.assertLess(len(page.encode()), 400_000)
        for tag, given in Reader(page).tags:
            self.assertNotIn(tag, ("link", "iframe", "object", "embed", "base", "img"))
            self.assertEqual(set(), {"src", "href", "srcset", "action", "background", "poster"} & set(given), tag)
        script = re.search(r'<script type="module">(.*?)</script>', page, re.S)[1]
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        self.assertIn(f"""content="default-src 'none'; script-src 'sha256-{digest}';""", page)
        self.assertNotRegex(without_scripts(page), r"@import|url\(")
        self.assertNotRegex(
            script, r"\beval\(|\bfetch\(|\bimport[ (]|XMLHttpRequest|https?://(?!www\.w3\.org/2000/svg)"
        )

    def test_hostile_names(self):
        plain, reader = Reader(made()), Reader(made("hostile.db"))
        kinds = [tag for tag, _ in reader.tags if tag in ("script", "style", "b", "img", "title")]
        self.assertEqual(["title", "style", "script", "script"], kinds)
        self.assertEqual(
            {name for _, given in plain.tags for name in given}, {name for _, given in reader.tags for name in given}
        )
        self.assertLessEqual(set(HOSTILE), {row[0] for row in reader.tables["top_offenders"]})
        self.assertIn(HOSTILE[2], [row[0] for row in reader.tables["data_quality"]])
        self.assertLessEqual(set(HOSTILE), {who[0] for who in cells(made("hostile.db"))["who"]})
        self.assertIn("\u2028\0x\ufffd", {who[8] for who in cells(made("hostile.db"))["who"]})
        titled = made("fleet.db", PLAIN, "--title", HOSTILE[0] + HOSTILE[3])
        self.assertNotIn("<script>alert", titled)
        self.assertEqual(1, titled.count("alert(1)&lt;/script&gt;{{x}}${y}&lt;!--mpg:title--&gt;\\</title>"))

    def test_a_fleet_without_jobs(self):
        shutil.copy(path("fleet.db"), path("idle.db"))
        db = sqlite3.connect(path("idle.db"))
        db.executescript(
            "DELETE FROM ledger; INSERT INTO ledger(hour, pool, category, chip_us) VALUES ('2026-01-01 00:00:00', 'p', 'idle', 36000000000)"
        )
        db.close()
        page = made("idle.db")
        self.assertIn("2026-01-01 00:00 to 2026-01-01 01:00 · 1 pool · 0 jobs · 10 chips on average", page)
        self.assertEqual({"MPG": "0.0%", "SG": "0.0%", "RG": "not known", "PG": "not known"}, Reader(page).cards)
        self.assertEqual(2, page.count("Nothing to show."))

    def test_choices(self):
        page = made(
            "fleet.db",
            PLAIN,
            "--since",
            "2026-01-05 06:00:00",
            "--until",
            "2026-01-06",
            "--width",
            "day",
            "--rows",
            "model",
            "--columns",
            "day",
            "--by",
            "pool",
            "--top",
            "3",
            "--cut",
            "2026-01-05 12:00:00",
        )
        tables = Reader(page).tables
        self.assertEqual(
            [["2026-01-05"], 3], [[row[0] for row in tables["trend"][1:]], len(tables["top_offenders"]) - 1]
        )
        self.assertEqual({"2026-01-05"}, {row[1] for row in tables["heatmap"][1:]})
        self.assertIn("2026-01-05 06:00 to 2026-01-06 00:00", page)
        self.assertIn("which begins 2026-01-05 12:00", page)
        self.assertEqual(
            ["2026-W02", "2026-01"],
            [Reader(made("fleet.db", PLAIN, "--width", width)).tables["trend"][1][0] for width in ("week", "month")],
        )

    def test_timelines(self):
        """The intervals of the jobs that lost most add up to the ledger; with the files, each names its record."""
        db = sqlite3.connect(path("fleet.db"))
        worst = [job for job, in db.execute("SELECT job FROM job_sums ORDER BY lost_us DESC LIMIT 5")]
        shutil.copy(path("fleet.db"), path("bare.db"))
        with sqlite3.connect(path("bare.db")) as bare:
            bare.execute("DELETE FROM mpg_config WHERE name = 'trace'")
        for database, trace, is_told in (
            ("fleet.db", [], True),
            ("bare.db", [], False),
            ("bare.db", ["--trace", os.path.join(ROOT, "fixtures", "fleet")], True),
        ):
            told = cells(made(database, PLAIN, "--jobs", "5", *trace))["timelines"]
            self.assertEqual(set(worst), set(told["jobs"]))
            self.assertNotIn("differ", told["source"])
            for job, timeline in told["jobs"].items():
                sums, names = collections.Counter(), told["texts"]
                for _, _, _, category, _, _, _, _, _, _, us, ideal, file, line, _ in timeline["rows"]:
                    sums[names[category]] += int(us)
                    sums["ideal"] += int(ideal)
                    if not is_told or names[category] != "queued":
                        self.assertEqual([is_told] * 2, [file is not None, line is not None])
                sums["inefficiency"] = sums.pop("productive", 0) - sums["ideal"]
                self.assertEqual(0, timeline["left"]["count"])
                self.assertEqual(
                    dict(
                        db.execute(
                            "SELECT category, sum(chip_us) FROM ledger WHERE job = ? GROUP BY 1 HAVING sum(chip_us) <> 0",
                            (job,),
                        )
                    ),
                    {category: us for category, us in sums.items() if us},
                )
        other = cells(made("fleet.db", PLAIN, "--jobs", "5", "--trace", os.path.join(ROOT, "fixtures", "golden")))[
            "timelines"
        ]
        self.assertIn("its sums differ", other["source"])
        self.assertEqual(
            [{}, "There are no timelines of jobs here: no job has one."],
            [cells(made("fleet.db", PLAIN, "--jobs", "0"))["timelines"][name] for name in ("jobs", "why")],
        )

    def test_what_mpg_config_says(self):
        shutil.copy(path("fleet.db"), path("told.db"))
        with sqlite3.connect(path("told.db")) as db:
            db.execute(
                "INSERT INTO mpg_config VALUES ('target_MPG', '0.55'), ('target_RG', '0.9'), ('currency', 'EUR')"
            )
            db.execute("INSERT INTO prices VALUES ('tpu-v4', 3220000)")
        head = cells(made("told.db"))
        self.assertEqual(
            [{"MPG": 0.55, "RG": 0.9}, {"tpu-v4": 3220000}, "EUR"],
            [head[name] for name in ("targets", "prices", "currency")],
        )
        for wrong in ("60%", "1.5", "nan", ""):
            with sqlite3.connect(path("told.db")) as db:
                db.execute("UPDATE mpg_config SET value = ? WHERE name = 'target_RG'", (wrong,))
            done = run(path("told.db"))
            self.assertEqual(
                (1, f"mpg-report: mpg_config: target_RG: expected a number from 0 to 1, as 0.6, found '{wrong}'\n"),
                (done.returncode, done.stderr),
            )

    def test_times(self):
        """Hours are compared as text: "T" in the place of the space would leave a day out, and a word everything."""
        self.assertEqual(
            made(
                "fleet.db",
                PLAIN,
                "--since",
                "2026-01-05 06:00:00",
                "--until",
                "2026-01-05 18:00",
                "--cut",
                "2026-01-05 12",
            ),
            made(
                "fleet.db",
                PLAIN,
                "--since",
                "2026-01-05T06:00:00",
                "--until",
                "2026-01-05T18:00",
                "--cut",
                "2026-01-05T12",
            ),
        )
        for option in ("--since", "--until", "--cut"):
            for given in ("yesterday", "2026-01-05T06:00:00Z", "05.01.2026", ""):
                done = run(path("fleet.db"), option, given)
                self.assertEqual((2, ""), (done.returncode, done.stdout))
                self.assertIn(
                    f"argument {option}: expected a day or hour such as 2026-01-05 or '2026-01-05 13:00:00', found '{given}'",
                    done.stderr,
                )

    def test_of_traces(self):
        """A folder or a fleet file in place of what mpg_build makes of it, and nothing stays behind."""
        for traces in (EXPORTS, os.path.join(EXPORTS, "fleet.json")):
            db = connect(path("exports.db"))
            db.execute("SELECT mpg_build(?)", (traces,)).fetchall()
            db.close()
            with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict(os.environ, TMPDIR=folder):
                done = run(traces)
                self.assertEqual([], os.listdir(folder))
            self.assertEqual((0, ""), (done.returncode, done.stderr))
            self.assertEqual(run(path("exports.db"), "--trace", traces).stdout, done.stdout)
            os.unlink(path("exports.db"))

    def test_what_cannot_be_reported(self):
        os.mkdir(path("nothing"))
        os.mkfifo(path("fifo"))
        with open(path("nothing/notes.txt"), "w", encoding="utf-8") as file:
            file.write("notes")
        with open(path("not-a-database.db"), "w", encoding="utf-8") as file:
            file.write("no database at all, whatever it is called" * 20)
        sqlite3.connect(path("empty.db")).executescript("CREATE TABLE t(x)")
        for name, arguments, said in (
            ("nowhere.db", [], "no such file"),
            ("not-a-database.db", [], "not-a-database.db:1:1: expected a known format"),
            ("empty.db", [], "has no ledger; mpg_build makes one"),
            ("fifo", [], ": a device, FIFO or socket"),
            ("nothing", [], "expected a file of a known format, or the native trace"),
            ("nothing", ["--extension", path("nowhere.so")], "mpg_build cannot be asked: the extension is not where"),
            (
                "fleet.db",
                ["--since", "2030"],
                "the ledger is empty between these times: its hours are 2026-01-05 00:00:00 to 2026-01-06 23:00:00",
            ),
            (
                "fleet.db",
                ["--cut", "2030"],
                "--cut: expected a time after 2026-01-05 00:00:00, up to 2026-01-06 23:00:00, found 2030",
            ),
            (
                "fleet.db",
                ["--cut", "2026-01-05"],
                "--cut: expected a time after 2026-01-05 00:00:00, up to 2026-01-06 23:00:00, found 2026-01-05",
            ),
            (
                "fleet.db",
                ["--trace", "/nowhere"],
                "There are no timelines of jobs here: trace_timeline: no such file: /nowhere.",
            ),
            ("fleet.db", ["--extension", "/nowhere/mpg.so"], "--extension names it"),
        ):
            done = run(path(name), *arguments)
            self.assertEqual((1, "", 1), (done.returncode, done.stdout, done.stderr.count("\n")), name)
            self.assertIn(said, done.stderr)
        self.assertFalse(os.path.exists(path("nowhere.db")))
        for arguments, said in (
            (["--since", "2026-01-06", "--until", "2026-01-05"], "expected a time after --since, 2026-01-06, found"),
            (["--since", "2026-01-06", "--until", "2026-01-06"], "expected a time after --since, 2026-01-06, found"),
            (["--top", "-1"], "argument --top: expected a whole number from 0, found '-1'"),
            (["--top", "many"], "argument --top: expected a whole number from 0, found 'many'"),
            (["--jobs", "-5"], "argument --jobs: expected a whole number from 0, found '-5'"),
        ):
            done = run(path("fleet.db"), *arguments)
            self.assertEqual((2, ""), (done.returncode, done.stdout), arguments)
            self.assertIn(said, done.stderr)

    def test_what_cannot_be_written(self):
        for arguments, said in (
            (["-o", path("no/where.html")], path("no/where.html") + ": No such file or directory"),
            (["-o", "/dev/full"], "output: No space left on device"),
            (["--template", path("nothing.html")], path("nothing.html") + ": No such file or directory"),
            (["--top", "9" * 20], path("fleet.db") + ": Python int too large to convert to SQLite INTEGER"),
        ):
            done = run(
                path("fleet.db"), *(arguments if "--template" in arguments else ["--template", PLAIN, *arguments])
            )
            self.assertEqual((1, ""), (done.returncode, done.stdout))
            self.assertEqual("mpg-report: " + said, done.stderr.splitlines()[-1])
            self.assertNotIn("Traceback", done.stderr)

    @unittest.skipUnless(shutil.which("node"), "no node here")
    def test_charts_of_odd_fleets(self):
        """More held than exists: idle is negative, and the bars behind it begin beyond the capacity. A pool where nothing is allocated."""
        db = sqlite3.connect(path("odd.db"))
        with sqlite3.connect(path("fleet.db")) as source:
            source.backup(db)
        db.executescript(
            "DELETE FROM ledger;"
            "INSERT INTO ledger(hour, pool, job, category, chip_us) VALUES ('2026-01-01 00:00:00', 'p', NULL, 'idle', -180e9),"
            " ('2026-01-01 00:00:00', 'p', 'j', 'stall', 360e9), ('2026-01-01 00:00:00', 'p', 'j', 'ideal', 180e9),"
            " ('2026-01-01 00:00:00', 'empty', NULL, 'idle', 0);"
            "INSERT INTO ledger(hour, pool, job, category, chip_us) SELECT '2026-01-01 01:00:00', pool, job, category, chip_us FROM ledger"
        )
        db.close()
        done = run(path("odd.db"), "--svg", path("svg odd"), "-o", path("odd.html"))
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        with open(os.path.join(path("svg odd"), "waterfall.svg"), encoding="utf-8") as file:
            waterfall = file.read()
        self.assertEqual(["100.0%", "+50.0%", "−100.0%", "50.0%"], re.findall(r">([+−]*[0-9.]+\.\d%)<", waterfall))
        bars = [
            (float(x), float(x) + float(width))
            for x, width in re.findall(r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)" height="16.0"', waterfall)
        ]
        zero, one = bars[0]
        self.assertEqual(
            [(0, 1), (1, 1.5), (0.5, 1.5), (0, 0.5)],
            [tuple(round((x - zero) / (one - zero), 2) for x in bar) for bar in bars],
        )
        width = float(re.search(r' width="(\d+)"', waterfall)[1])
        self.assertLess(max(end for _, end in bars), width - 40)  # room for a figure

    @unittest.skipUnless(shutil.which("node"), "no node here")
    def test_svg(self):
        for database in ("fleet.db", "hostile.db"):
            done = run(path(database), "--svg", path("svg " + database), "-o", path("svg.html"))
            self.assertEqual((0, "", ""), (done.returncode, done.stdout, done.stderr))
            names = [
                name + ".svg"
                for name in ("before_after", "factors", "heatmap", "losses", "top_offenders", "trend", "waterfall")
            ]
            self.assertEqual(names, sorted(os.listdir(path("svg " + database))))
            for name in names:
                marks = xml.etree.ElementTree.parse(os.path.join(path("svg " + database), name)).getroot()
                tags = {mark.tag.rpartition("}")[2] for mark in marks.iter()}
                self.assertLessEqual(tags, {"svg", "g", "path", "text", "rect", "line", "circle", "title"})
            with open(os.path.join(path("svg " + database), "waterfall.svg"), encoding="utf-8") as file:
                texts = file.read()
            self.assertIn("−35.9%", texts)
            self.assertNotIn("currentColor", texts)
        os.mkdir(path("no node"))
        os.symlink("/usr/bin/python3", path("no node/python3"))
        done = subprocess.run(
            ["/usr/bin/python3", TOOL, path("fleet.db"), "--svg", path("none")],
            env={"PATH": path("no node")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.assertEqual(
            (1, "mpg-report: --svg: it is node that draws, and there is none\n"), (done.returncode, done.stderr)
        )

    def test_an_installation_runs_without_its_source(self):
        with tempfile.TemporaryDirectory() as folder:
            environment = {
                name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")
            }
            subprocess.run(
                ["make", "-s", "install", f"prefix={folder}"],
                cwd=ROOT,
                env=environment,
                stdout=subprocess.PIPE,
                check=True,
            )
            done = subprocess.run(
                [os.path.join(folder, "bin/mpg-report"), path("fleet.db")],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd="/",
            )
            self.assertEqual((0, made()), (done.returncode, done.stdout.decode()))


if __name__ == "__main__":
    unittest.main()
