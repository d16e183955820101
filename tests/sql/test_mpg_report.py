"""sql/report/mpg-report: the page says what the aggregates say, fetches nothing, holds hostile names, and is drawn by a real browser."""
import functools
import html.parser
import json
import os
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

from fleets import ROOT, connect

TOOL = os.path.join(ROOT, "sql", "report", "mpg-report")
BUILT = os.path.join(ROOT, "build", "report", "template.html")
PLAIN = os.path.join(ROOT, "sql", "report", "template.html")
HOSTILE = "<script>alert(1)</script>", "\"'&</SCRIPT><!--<img src=x onerror=alert(2)>", "p\"><b>'x'", "{{x}}${y}<!--mpg:title-->\\"
FOLDER = None


def setUpModule():
    global FOLDER
    FOLDER = tempfile.TemporaryDirectory()
    # As in the shell, where :trace can be bound; here mpg_config stands for it.
    db = connect(path("fleet.db"))
    with open(os.path.join(ROOT, "sql", "build.sql"), encoding="utf-8") as file:
        db.executescript("CREATE TABLE mpg_config(name TEXT PRIMARY KEY, value TEXT); INSERT INTO mpg_config VALUES ('trace', '%s/fixtures/fleet');"
                         % ROOT.replace("'", "''"))
        db.executescript(file.read())
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
    return subprocess.run([TOOL, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8")


@functools.lru_cache(None)
def made(database="fleet.db", template=PLAIN, *arguments):
    done = run(path(database), "--template", template, *arguments)
    if done.returncode:
        raise AssertionError(done.stderr)
    return done.stdout


@functools.lru_cache(None)
def vega():
    """Whether the template with Vega is there, or can be made now."""
    if shutil.which("npm"):
        subprocess.run(["make", "-s", "report"], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)
    return os.path.exists(BUILT)


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
        if given.get("class") == "figure":
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


def charts(page):
    return json.loads(re.search(r'<script type="application/json" id="charts">(.*?)</script>', page, re.S)[1])["charts"]


class Page(unittest.TestCase):
    maxDiff = None

    def test_headline_is_what_the_aggregates_say(self):
        answer = connect(path("fleet.db")).execute("SELECT mpg(category, chip_us), mpg_lower(category, chip_us), scheduling_goodput(category, chip_us), "
                                                   "runtime_goodput(category, chip_us), program_goodput(category, chip_us) "
                                                   "FROM ledger WHERE category <> 'queued'").fetchone()
        self.assertIsNone(answer[0])
        lower, sg, rg, pg = (f"{100 * value:.1f}%" for value in answer[1:])
        self.assertEqual({"MPG": "≥ " + lower, "SG": sg, "RG": rg, "PG": pg}, Reader(made()).cards)

    def test_mpg_where_everything_is_known(self):
        shutil.copy(path("fleet.db"), path("known.db"))
        db = sqlite3.connect(path("known.db"))
        db.execute("DELETE FROM ledger WHERE category IN ('untraced', 'unrated')")
        db.commit()
        mpg, = connect(path("known.db")).execute("SELECT mpg(category, chip_us) FROM ledger WHERE category <> 'queued'").fetchone()
        page = made("known.db")
        self.assertEqual(f"{100 * mpg:.1f}%", Reader(page).cards["MPG"])
        self.assertNotIn("at least", page)

    def test_tables_and_charts_are_the_answers_of_the_queries(self):
        page, db = made(), sqlite3.connect(path("fleet.db"))
        db.row_factory = sqlite3.Row
        reader, drawn = Reader(page), {chart["name"]: chart["rows"] for chart in charts(page)}
        self.assertEqual(["headline", "trend", "waterfall", "heatmap", "top_offenders", "before_after", "data_quality"], list(reader.tables))
        self.assertEqual({"trend", "waterfall", "heatmap", "top_offenders", "factors", "before_after", "data_quality"}, set(drawn))
        for name, table in reader.tables.items():
            with self.subTest(name), open(os.path.join(ROOT, "sql", "report", name + ".sql"), encoding="utf-8") as file:
                given = {"width": "hour", "after_since": "2026-01-06 00:00:00"}
                query = file.read()
                self.assertIn(query.rstrip(), "".join(reader.said))
                rows = db.execute(query, {n: given.get(n) for n in re.findall(r":(\w+)", re.sub("--.*", "", query))}).fetchall()
                if name == "headline":
                    self.assertEqual(rows[0].keys(), [cells[0] for cells in table])
                    self.assertEqual([rows[0]["first_hour"], str(rows[0]["hours"]), f'{100 * rows[0]["traced"]:.1f}%'],
                                     [dict(cells[:2] for cells in table)[column] for column in ("first_hour", "hours", "traced")])
                    continue
                self.assertEqual([column.replace("_", " ") for column in rows[0].keys()], table[0])
                self.assertEqual(len(rows), len(table) - 1)
                self.assertEqual([row[0] if isinstance(row[0], str) else str(row[0]) for row in rows], [cells[0] for cells in table[1:]])
                self.assertEqual(list(map(dict, rows)), [{k: v for k, v in row.items() if k != "at"} for row in drawn[name]])

    def test_nothing_is_fetched(self):
        pages = [made()] + ([made(template=BUILT)] if vega() else [])
        for page in pages:
            self.assertLess(len(page.encode()), 2_000_000)
            for tag, given in Reader(page).tags:
                self.assertNotIn(tag, ("link", "iframe", "object", "embed", "base", "img"))
                self.assertEqual(set(), {"src", "href", "srcset", "action", "background", "poster"} & set(given), tag)
            self.assertIn("default-src 'none'", page)
            self.assertNotRegex(re.sub(r"(?s)<script.*?</script>", "", page), r"@import|url\(")

    def test_hostile_names(self):
        plain, reader = Reader(made()), Reader(made("hostile.db"))
        kinds = [tag for tag, _ in reader.tags if tag in ("script", "style", "b", "img", "title")]
        self.assertEqual(["title", "style", "script", "script", "script"], kinds)
        self.assertEqual({name for _, given in plain.tags for name in given}, {name for _, given in reader.tags for name in given})
        self.assertLessEqual(set(HOSTILE), {row[0] for row in reader.tables["top_offenders"]})
        self.assertIn(HOSTILE[2], [row[0] for row in reader.tables["data_quality"]])
        offenders = next(chart["rows"] for chart in charts(made("hostile.db")) if chart["name"] == "top_offenders")
        self.assertLessEqual(set(HOSTILE), {row["segment"] for row in offenders})
        page = made("hostile.db", PLAIN, "--by", "owner", "--rows", "owner", "--columns", "team")
        self.assertIn("\u2028\0x\ufffd", {row["row_segment"] for chart in charts(page) if chart["name"] == "heatmap" for row in chart["rows"]})
        self.assertNotIn("\u2028", re.search(r'id="charts">(.*?)</script>', page, re.S)[1])
        titled = made("fleet.db", PLAIN, "--title", HOSTILE[0] + HOSTILE[3])
        self.assertNotIn("<script>alert", titled)
        self.assertEqual(1, titled.count("alert(1)&lt;/script&gt;{{x}}${y}&lt;!--mpg:title--&gt;\\</title>"))

    def test_a_fleet_without_jobs(self):
        shutil.copy(path("fleet.db"), path("idle.db"))
        db = sqlite3.connect(path("idle.db"))
        db.executescript("DELETE FROM ledger; INSERT INTO ledger(hour, pool, category, chip_us) VALUES ('2026-01-01 00:00:00', 'p', 'idle', 36000000000)")
        db.close()
        page = made("idle.db")
        self.assertIn("2026-01-01 00:00 to 2026-01-01 01:00 · 1 pool · 0 jobs · 10 chips on average", page)
        self.assertEqual({"MPG": "0.0%", "SG": "0.0%", "RG": "–", "PG": "–"}, Reader(page).cards)
        self.assertEqual(["trend", "waterfall", "data_quality"], [chart["name"] for chart in charts(page)])
        self.assertEqual(3, page.count("Nothing to draw."))

    def test_choices(self):
        page = made("fleet.db", PLAIN, "--since", "2026-01-05 06:00:00", "--until", "2026-01-06", "--width", "day", "--rows", "model", "--columns", "day",
                    "--by", "pool", "--top", "3", "--cut", "2026-01-05 12:00:00")
        tables = Reader(page).tables
        self.assertEqual([["2026-01-05"], 3], [[row[0] for row in tables["trend"][1:]], len(tables["top_offenders"]) - 1])
        self.assertEqual({"2026-01-05"}, {row[1] for row in tables["heatmap"][1:]})
        self.assertIn("2026-01-05 06:00 to 2026-01-06 00:00", page)
        self.assertIn("which begins 2026-01-05 12:00", page)
        for width in ("week", "month"):
            at = [row["at"] for chart in charts(made("fleet.db", PLAIN, "--width", width)) if chart["name"] == "trend" for row in chart["rows"]]
            self.assertEqual([{"week": "2026-01-05T00:00:00Z", "month": "2026-01-01T00:00:00Z"}[width]], at)

    def test_times(self):
        """Hours are compared as text: "T" in the place of the space would leave a day out, and a word everything."""
        self.assertEqual(made("fleet.db", PLAIN, "--since", "2026-01-05 06:00:00", "--until", "2026-01-05 18:00", "--cut", "2026-01-05 12"),
                         made("fleet.db", PLAIN, "--since", "2026-01-05T06:00:00", "--until", "2026-01-05T18:00", "--cut", "2026-01-05T12"))
        for option in ("--since", "--until", "--cut"):
            for given in ("yesterday", "2026-01-05T06:00:00Z", "05.01.2026", ""):
                done = run(path("fleet.db"), option, given)
                self.assertEqual((2, ""), (done.returncode, done.stdout))
                self.assertIn(f"argument {option}: expected a day or hour such as 2026-01-05 or '2026-01-05 13:00:00', found '{given}'", done.stderr)

    def test_what_cannot_be_reported(self):
        with open(path("not-a-database.db"), "w", encoding="utf-8") as file:
            file.write("no database at all, whatever it is called" * 20)
        sqlite3.connect(path("empty.db")).executescript("CREATE TABLE t(x)")
        for name, arguments, said in (("nowhere.db", [], "no such file"), ("not-a-database.db", [], "file is not a database"),
                                      ("empty.db", [], "has no ledger; sql/build.sql makes one"), ("fleet.db", ["--since", "2030"], "the ledger is empty")):
            done = run(path(name), *arguments)
            self.assertEqual((1, "", 1), (done.returncode, done.stdout, done.stderr.count("\n")), name)
            self.assertIn(said, done.stderr)
        self.assertFalse(os.path.exists(path("nowhere.db")))

    def test_without_vega_it_says_so(self):
        done = run(path("fleet.db"), "--template", PLAIN, "-o", path("plain.html"))
        self.assertEqual((0, ""), (done.returncode, done.stdout))
        self.assertIn("make report", done.stderr)
        with open(path("plain.html"), encoding="utf-8") as file:
            self.assertEqual(made(), file.read())

    def test_only_the_template_has_scripts_that_node_runs(self):
        """A name that reads as the beginning of Vega in the page, and what follows it as its comment."""
        shutil.copy(path("fleet.db"), path("marked.db"))
        db = sqlite3.connect(path("marked.db"))
        db.execute("UPDATE ledger SET name = ? WHERE job = (SELECT job FROM ledger WHERE job IS NOT NULL GROUP BY job ORDER BY sum(chip_us) DESC)",
                   ("/*mpg:vega*/\nhostile();`/*",))
        db.commit()
        db.close()
        with open(PLAIN, encoding="utf-8") as file, open(path("made-up.html"), "w", encoding="utf-8") as made_up:
            made_up.write(file.read().replace("/*mpg:vega*/", "/*mpg:vega*/\nvar vega = 1;"))
        os.mkdir(path("bin"))
        with open(path("bin/node"), "w", encoding="utf-8") as node:
            node.write("#!/bin/sh\nexec cat >%s\n" % shlex.quote(path("told-to-node")))
        os.chmod(path("bin/node"), 0o755)
        done = subprocess.run([TOOL, path("marked.db"), "--template", path("made-up.html"), "--svg", path("svg marked")],
                              env={**os.environ, "PATH": path("bin") + ":" + os.environ["PATH"]}, stdout=subprocess.PIPE, check=True)
        self.assertIn(b"hostile();", done.stdout)
        with open(path("told-to-node"), encoding="utf-8") as file:
            told = json.load(file)
        self.assertEqual("var vega = 1;", told["vega"])
        self.assertEqual(charts(done.stdout.decode()), told["charts"])

    def test_what_cannot_be_written(self):
        for arguments, said in ((["-o", path("no/where.html")], path("no/where.html") + ": No such file or directory"),
                                (["-o", "/dev/full"], "output: No space left on device"),
                                (["--template", path("nothing.html")], path("nothing.html") + ": No such file or directory"),
                                (["--top", "9" * 20], path("fleet.db") + ": Python int too large to convert to SQLite INTEGER")):
            done = run(path("fleet.db"), *(arguments if "--template" in arguments else ["--template", PLAIN, *arguments]))
            self.assertEqual((1, ""), (done.returncode, done.stdout))
            self.assertEqual("mpg-report: " + said, done.stderr.splitlines()[-1])
            self.assertNotIn("Traceback", done.stderr)

    @unittest.skipUnless(shutil.which("node"), "no node here")
    def test_charts_of_odd_fleets(self):
        """More held than exists: idle is negative, and the bars behind it begin beyond the capacity. A pool where nothing is allocated."""
        if not vega():
            self.skipTest("no npm here, or no network for it: no charts")
        db = sqlite3.connect(path("odd.db"))
        with sqlite3.connect(path("fleet.db")) as source:
            source.backup(db)
        db.executescript("DELETE FROM ledger;"
                         "INSERT INTO ledger(hour, pool, job, category, chip_us) VALUES ('2026-01-01 00:00:00', 'p', NULL, 'idle', -180e9),"
                         " ('2026-01-01 00:00:00', 'p', 'j', 'stall', 360e9), ('2026-01-01 00:00:00', 'p', 'j', 'ideal', 180e9),"
                         " ('2026-01-01 00:00:00', 'empty', NULL, 'idle', 0);"
                         "INSERT INTO ledger(hour, pool, job, category, chip_us) SELECT '2026-01-01 01:00:00', pool, job, category, chip_us FROM ledger")
        db.close()
        done = run(path("odd.db"), "--svg", path("svg odd"), "-o", path("odd.html"))
        self.assertEqual((0, ""), (done.returncode, done.stderr))

        def drawn(name):
            with open(os.path.join(path("svg odd"), name + ".svg"), encoding="utf-8") as file:
                return file.read()

        waterfall = drawn("waterfall")
        self.assertEqual(["100.0%", "+50.0%", "−100.0%", "50.0%"], re.findall(r">([+−]*[0-9.]+\.\d%)<", waterfall))
        self.assertRegex(waterfall, r'aria-label="from_share: 0\.0+%; category: capacity; to_share: 1;')
        self.assertRegex(waterfall, r'aria-label="from_share: 100\.0+%; category: idle; to_share: 1\.5;')
        width, left = (float(re.search(pattern, waterfall)[1]) for pattern in (r' width="(\d+)"', r'translate\(([\d.]+),'))
        bars = re.findall(r'aria-label="from_share[^>]*? d="([^"]*)"', waterfall)
        ends = [max(map(float, re.findall(r"[\d.e-]+", bar)[0::2])) for bar in bars]  # of x, y, x, y, ...
        self.assertEqual([0, 0.5, 0.5, -0.5], [round((end - ends[0]) / ends[0], 2) for end in ends])
        self.assertLess(left + max(ends), width - 50)  # room for a figure
        factors = drawn("factors")
        width, left = (float(re.search(pattern, factors)[1]) for pattern in (r' width="(\d+)"', r'translate\(([\d.]+),'))
        places = [float(x) for x in re.findall(r'role="graphics-symbol" aria-roledescription="point" transform="translate\(([\d.]+),', factors)]
        self.assertEqual(8, len(places))
        self.assertLess(left + max(places), width - 100)
        self.assertEqual({"p"}, set(re.findall(r"pool: ([^;]+); what: not traced", drawn("data_quality"))) - {"all"})
        self.assertEqual(set(), set(re.findall(r"pool: empty; what", drawn("data_quality"))))

    @unittest.skipUnless(shutil.which("node"), "no node here")
    def test_figures_can_be_read_on_their_cells(self):
        """By the contrast of WCAG 2, which has no more than 3.6 : 1 to give on the middle of the colours."""
        if not vega():
            self.skipTest("no npm here, or no network for it: no charts")

        def luminance(colour):
            parts = [int(part) for part in re.findall(r"\d+", colour)] if "rgb" in colour else list(bytes.fromhex(colour[1:]))
            linear = [part / 3294.6 if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in parts]
            return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

        self.assertEqual(0, run(path("fleet.db"), "--svg", path("svg contrast"), "-o", path("svg.html")).returncode)
        with open(os.path.join(path("svg contrast"), "heatmap.svg"), encoding="utf-8") as file:
            drawn = file.read()
        cells = re.findall(r'<path aria-label="column_segment[^>]*? fill="(rgb[^"]+)"', drawn)
        figures = re.findall(r'<text aria-label="column_segment[^>]*? fill="(#[^"]+)"', drawn)
        self.assertEqual((10, 20), (len(cells), len(figures)))
        for cell, figure in zip(cells * 2, figures):
            dark, light = sorted((luminance(cell), luminance(figure)))
            self.assertGreater((light + 0.05) / (dark + 0.05), 3.5, (cell, figure))

    @unittest.skipUnless(shutil.which("node"), "no node here")
    def test_svg(self):
        if not vega():
            self.skipTest("no npm here, or no network for it: no charts")
        for database in ("fleet.db", "hostile.db"):
            done = run(path(database), "--svg", path("svg " + database), "-o", path("svg.html"))
            self.assertEqual((0, "", ""), (done.returncode, done.stdout, done.stderr))
            names = sorted(chart["name"] + ".svg" for chart in charts(made()))
            self.assertEqual(names, sorted(os.listdir(path("svg " + database))))
            for name in names:
                marks = xml.etree.ElementTree.parse(os.path.join(path("svg " + database), name)).getroot()
                tags = {mark.tag.rpartition("}")[2] for mark in marks.iter()}
                self.assertLessEqual({"svg", "g", "path", "text"}, tags)
                self.assertNotIn("script", tags)
            with open(os.path.join(path("svg " + database), "waterfall.svg"), encoding="utf-8") as file:
                texts = file.read()
            self.assertIn("−35.9%", texts)
            self.assertNotIn("currentColor", texts)
        done = run(path("fleet.db"), "--svg", path("none"), "--template", PLAIN)
        self.assertEqual(1, done.returncode)
        self.assertIn("no Vega in the template", done.stderr)

    def test_an_installation_runs_without_its_source(self):
        with tempfile.TemporaryDirectory() as folder:
            environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
            subprocess.run(["make", "-s", "install", f"prefix={folder}"], cwd=ROOT, env=environment, stdout=subprocess.PIPE, check=True)
            done = subprocess.run([os.path.join(folder, "bin/mpg-report"), path("fleet.db")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/")
            self.assertEqual((0, made(template=BUILT if os.path.exists(BUILT) else PLAIN)), (done.returncode, done.stdout.decode()))


@unittest.skipUnless(shutil.which("chromium"), "no chromium here")
class Browser(unittest.TestCase):
    def browse(self, page, *options, width=1100, scheme="light"):
        """What Chromium says on its console; options may make it write a picture or the document."""
        name = path("browsed.html")
        with open(name, "w", encoding="utf-8") as file:
            file.write(page)
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
            browser = subprocess.Popen(
                ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--user-data-dir={profile}",
                 "--enable-logging=stderr", "--virtual-time-budget=20000", "--hide-scrollbars",
                 f"--blink-settings=preferredColorScheme={int(scheme == 'light')}", f"--window-size={width},4200", *options, "file://" + name],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True)
            try:
                out, said = browser.communicate(timeout=240)
            finally:
                if browser.poll() is None:
                    os.killpg(browser.pid, signal.SIGKILL)
        return out, [line for line in said.splitlines() if "CONSOLE" in line]

    def setUp(self):
        if not vega():
            self.skipTest("no npm here, or no network for it: no charts")

    def test_it_draws_every_chart(self):
        for database, width, scheme in (("fleet.db", 1100, "light"), ("hostile.db", 390, "dark")):
            page = made(database, BUILT)
            document, said = self.browse(page, "--dump-dom", width=width, scheme=scheme)
            self.assertEqual([], said)
            self.assertRegex(document, '<body[^>]* class="drawn"')
            self.assertEqual(7, document.count('<svg xmlns="http://www.w3.org/2000/svg"'))
            bars = re.findall(r'aria-label="[^"]*category: ([a-z]+)[^"]*" role="graphics-symbol"', document)
            self.assertGreater(len(set(bars)), 12)

    def test_the_console_is_heard(self):
        """Else silence would prove nothing: a page whose script fails, and one that tries to fetch."""
        _, said = self.browse(made("fleet.db", BUILT).replace('"use strict";', '"use strict"; nowhere();', 1), "--dump-dom")
        self.assertIn("nowhere is not defined", "".join(said))
        _, said = self.browse(made("fleet.db", BUILT).replace("</main>", '<img src="http://127.0.0.1:9/x.png"></main>', 1), "--dump-dom")
        self.assertIn("Content Security Policy", "".join(said))

    def test_light_dark_phone_and_paper(self):
        """Pictures to be looked at: build/report/*.png and report.pdf."""
        for width, scheme in ((1100, "light"), (1100, "dark"), (390, "light"), (390, "dark")):
            picture = os.path.join(ROOT, "build", "report", f"{width}-{scheme}.png")
            _, said = self.browse(made("fleet.db", BUILT), f"--screenshot={picture}", width=width, scheme=scheme)
            self.assertEqual([], said)
            with open(picture, "rb") as file:
                data = file.read()
            self.assertEqual((b"\x89PNG", width), (data[:4], int.from_bytes(data[16:20], "big")))
            self.assertGreater(len(data), 100_000)
        paper = os.path.join(ROOT, "build", "report", "report.pdf")
        _, said = self.browse(made("fleet.db", BUILT), f"--print-to-pdf={paper}", "--no-pdf-header-footer")
        self.assertEqual([], said)
        with open(paper, "rb") as file:
            self.assertEqual(b"%PDF", file.read(4))


if __name__ == "__main__":
    unittest.main()
