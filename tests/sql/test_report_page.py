"""The page of mpg-report in Chromium: whatever is chosen, by hand or by address, every figure is what SQL says for the same filter.

The SQL that is asked is the page's own, as it shows it, and for the cards one of ours. Pictures to be looked at: build/report/.
"""

import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import tempfile
import unittest
import urllib.parse

import browser
from answers import built
from fleets import ROOT, connect, generator
from test_report_cells import OF_JOBS, SEGMENTS, SUMS, FIGURES, random_filter, where

TOOL = os.path.join(ROOT, "sql", "report", "mpg-report")
PICTURES = os.path.join(ROOT, "build", "report")
AXE = os.path.join(ROOT, "build", "axe", "node_modules", "axe-core", "axe.min.js")
HOSTILE = "<script>alert(1)</script>", "\"'&</SCRIPT><!--<img src=x onerror=alert(2)>", "p\"><b>'x'", "long-" * 60
READ = """
for (const details of document.querySelectorAll("#live .data, #live .sql")) if (!details.hidden) details.open = true;
await new Promise((done) => setTimeout(done, 30));
return Object.fromEntries([...document.querySelectorAll("#live > section:not([hidden])")].map((section) => [section.id.replace("live-", ""), {
  sql: section.querySelector(".sql pre")?.textContent,
  rows: [...section.querySelectorAll("tr[data-row]")].map((row) => ({ key: JSON.parse(row.dataset.row), isData: Boolean(row.closest(".data")),
    cells: [...row.querySelectorAll("data")].map((one) => [one.dataset.name, one.value, one.textContent, one.dataset.bound === "true"]) })),
  cards: [...section.querySelectorAll(".factor data, p > data")].map((one) => [one.dataset.name, one.value, one.textContent, one.dataset.bound === "true"]),
}]));
"""
FOLDER, BROWSER, DB = None, None, None


def setUpModule():
    global FOLDER, BROWSER, DB
    if browser.MISSING:
        raise unittest.SkipTest(browser.MISSING)
    FOLDER = tempfile.TemporaryDirectory()
    DB = built(os.path.join(ROOT, "fixtures", "fleet"), path("fleet.db"))
    DB.execute("INSERT INTO mpg_config VALUES ('target_MPG', '0.5'), ('currency', 'EUR')")
    DB.execute(
        "INSERT INTO prices SELECT DISTINCT chip, 2500000 FROM ledger WHERE chip IS NOT NULL AND chip <> 'tpu-v4'"
    )
    DB.commit()
    report("fleet")
    os.makedirs(PICTURES, exist_ok=True)
    BROWSER = browser.Browser()


def tearDownModule():
    if BROWSER:
        BROWSER.close()
        DB.close()
        FOLDER.cleanup()


def path(name):
    return os.path.join(FOLDER.name, name)


def report(name, *options):
    subprocess.run(
        [
            TOOL,
            path(name + ".db"),
            "-o",
            path(name + ".html"),
            "--trace",
            os.path.join(ROOT, "fixtures", "fleet"),
            *options,
        ],
        check=True,
    )


def address(filter, **shown):
    terms = [("no", name) if value is None else (name, value) for name, value in {**filter, **shown}.items()]
    return "#" + urllib.parse.urlencode(terms)


def percent(value, is_bound):
    """The text of a ratio "of/all"."""
    of, all = map(int, value.split("/"))
    if all == 0 or (is_bound and of == 0):
        return "not known"
    text = f"{100 * of / all:.1f}".replace("-0.0", "0.0").replace("-", "−")
    return ("≥ " if is_bound else "") + text + "%"


@unittest.skipIf(browser.MISSING, browser.MISSING)
class Page(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        BROWSER.look_as()
        BROWSER.console()

    def tearDown(self):
        self.assertEqual([], BROWSER.console())

    def open(self, hash="", name="fleet"):
        BROWSER.open(path(name + ".html") + hash)
        self.wait("document.body.classList.contains('drawn')")

    def wait(self, condition):
        self.assertTrue(
            BROWSER.run(
                f"for (let i = 0; i < 200; i++) {{ if ({condition}) return true; await new Promise((done) => setTimeout(done, 25)); }} return false"
            ),
            condition,
        )

    def go(self, hash):
        """As a link to it would."""
        BROWSER.run(
            "if (location.hash !== arguments[0]) { const drawn = new Promise((done) => addEventListener('hashchange', done, { once: true })); location.hash = arguments[0]; await drawn; }",
            hash,
        )

    def state(self):
        return dict(urllib.parse.parse_qsl(BROWSER.run("return location.hash")[1:]))

    def after(self, action, *arguments):
        """What is chosen after something was done with the page."""
        before = BROWSER.run("return location.hash")
        action(*arguments)
        self.wait(f"location.hash !== {json.dumps(before)}")
        return self.state()

    # ---- Every figure against SQL ----

    def check(self, filter):
        """All figures in the page against the statements that it shows, and the cards against ours."""
        told = BROWSER.run(READ)
        ours = DB.execute(f"SELECT {SUMS} FROM cells WHERE {where(filter)}", filter).fetchone()
        sums = dict(zip(FIGURES, (value or 0 for value in ours)))
        is_of_jobs = bool(set(filter) & set(OF_JOBS))
        self.cards(told["cards"]["cards"], sums, is_of_jobs)
        number = 0
        for name, section in told.items():
            if name in ("job", "cards"):
                continue
            cursor = DB.execute(section["sql"])
            columns = [column[0] for column in cursor.description]
            keys = {"losses": 2, "change": 2, "heat": 2}.get(name, 1)
            answer = {tuple(row[:keys]): dict(zip(columns[keys:], row[keys:])) for row in cursor}
            basis = "held" if is_of_jobs and name not in ("segment", "heat") else None
            for row in section["rows"]:
                expected = answer[tuple(row["key"])]
                for cell in row["cells"]:
                    number += 1
                    self.cell(name, cell, expected, basis, section["sql"])
            if name in ("waterfall", "losses", "trend", "change", "heat", "segment"):
                self.assertEqual(
                    {key for key, row in answer.items() if self.is_drawn(name, row, section["sql"])},
                    {tuple(row["key"]) for row in section["rows"] if row["isData"]},
                    name,
                )
        return number

    def is_drawn(self, name, row, sql):
        if name == "heat":
            return row["allocated_us"] + row["partial_us"] != 0
        if name == "segment":
            return bool(
                row["queued_us"]
                or (row["allocated_us"] + row["partial_us"] if "job IS NOT NULL" in sql else row["capacity_us"])
            )
        return name == "trend" or bool(row["chip_us"])

    def cards(self, cards, sums, is_of_jobs):
        held = sums["allocated"] + sums["partial"]
        whole, traced, rated = (
            held if is_of_jobs else sums["capacity"],
            sums["allocated"] - sums["untraced"],
            sums["productive"] - sums["unrated"],
        )
        expected = {
            "MPG": (sums["ideal"], whole),
            "SG": (sums["allocated"], whole),
            "RG": (sums["productive"], traced),
            "PG": (sums["ideal"], rated),
            "traced": (traced, sums["allocated"]),
            "rated": (rated, sums["productive"]),
        }
        told = {name: (value, text, is_bound) for name, value, text, is_bound in cards}
        for name, (of, all) in expected.items():
            is_bound = name == "MPG" and bool(sums["untraced"] or sums["unrated"])
            self.assertEqual((f"{of}/{all}", percent(f"{of}/{all}", is_bound), is_bound), told[name], name)
        self.assertEqual(
            [str(whole), str(sums["ideal"])], [told["held_us" if is_of_jobs else "capacity_us"][0], told["ideal_us"][0]]
        )

    def cell(self, section, cell, row, basis, sql):
        name, value, text, is_bound = cell
        if name == "worst_us":  # the largest loss: its statement is another
            return
        ratio = {
            "MPG": ("ideal_us", "all"),
            "SG": ("allocated_us", "all"),
            "RG": ("productive_us", "traced"),
            "PG": ("ideal_us", "rated"),
            "traced": ("traced", "allocated_us"),
            "rated": ("rated", "productive_us"),
            "unknown": ("unknown_us", "allocated_us"),
            "pending": ("pending_us", "allocated_us"),
        }.get(name)
        if "/" in value:
            self.assertEqual(percent(value, is_bound), text)
        if section == "jobs":
            if name == "MPG":
                self.assertEqual(str(row["held_us"]), value.split("/")[1])
            else:
                self.assertEqual(str(row[name]), value, sql)
            return
        if "allocated_us" in row:
            held = row["allocated_us"] + row.get("partial_us", 0)
            found = {
                **row,
                "traced": row["allocated_us"] - row["untraced_us"],
                "rated": row["productive_us"] - row["unrated_us"],
                "held_us": held,
                "all": held if "allocated_us + partial_us" in sql or basis else row.get("capacity_us"),
                "lost_us": held - row.get("ideal_us", 0) - row["untraced_us"] - row["unrated_us"],
            }
        else:
            found = row
        if ratio:
            self.assertEqual(f"{found[ratio[0]]}/{found[ratio[1]]}", value, (section, name, sql))
            if name == "MPG":
                self.assertEqual(bool(row["untraced_us"] or row["unrated_us"]), is_bound)
        elif name == "share":
            self.assertEqual(str(found["chip_us"]), value.split("/")[0])
        elif name not in ("measure", "measure_us"):
            self.assertEqual(str(found[name]), value, (section, name, sql))

    def test_random_filters(self):
        rng, number = random.Random(5), 0
        head = {"times": [time for time, in DB.execute("SELECT DISTINCT hour FROM ledger ORDER BY 1")]}
        self.open()
        for filter in [{}] + [random_filter(rng, DB, head) for _ in range(12)]:
            shown = {
                "by": rng.choice(SEGMENTS),
                "rows": rng.choice(SEGMENTS),
                "columns": rng.choice(SEGMENTS),
                "lines": "1000",
            }
            with self.subTest(str((filter, shown))):
                self.go(address(filter, **shown))
                number += self.check(filter)
        self.assertGreater(number, 4000)
        print(f"{number} figures", end=" ", flush=True)

    def test_what_is_measured(self):
        """A category that is chosen: its sums by segment, and who has most of it."""
        category, cause = DB.execute(
            "SELECT category, cause FROM ledger WHERE category = 'stall' GROUP BY cause ORDER BY sum(chip_us) DESC LIMIT 1"
        ).fetchone()
        for filter, measured in (
            ({}, {"category": category}),
            ({"pool": "v4-zürich"}, {"category": category, "cause": cause}),
            ({"phase": "training"}, {"category": "idle"}),
        ):
            self.open(address({**filter, **measured}, by="team"))
            told = BROWSER.run(READ)
            condition = " AND ".join(f"{name} IS :{name}" for name in measured)
            expected = {
                team: us
                for team, us in DB.execute(
                    f"SELECT team, sum(iif({condition}, chip_us, 0)) FROM cells WHERE {where(filter)} AND job IS NOT NULL GROUP BY 1",
                    {**filter, **measured},
                )
            }
            found = {
                row["key"][0]: int(dict(cell[:2] for cell in row["cells"])["measure_us"])
                for row in told["segment"]["rows"]
                if not row["isData"]
            }
            self.assertEqual({team: us for team, us in expected.items() if team in found}, found)
            self.assertEqual(sorted(found.values(), reverse=True), list(found.values()))
            jobs = [(row["key"][0]) for row in told["jobs"]["rows"]]
            self.assertEqual([job for job, *_ in DB.execute(told["jobs"]["sql"]) if _[-1]][:10], jobs)
            self.assertIn("measured", BROWSER.run("return document.querySelector('#trail').textContent"))

    # ---- Each kind of click ----

    def test_clicks(self):
        self.open()
        pool = "v4-zürich"
        self.assertEqual(
            {"pool": pool},
            self.after(BROWSER.click, f'#live-segment [data-pick="{urllib.parse.urlencode({"pool": pool})}"]'),
        )
        self.check({"pool": pool})
        self.assertEqual(
            {"pool": pool, "category": "lost"}, self.after(BROWSER.click, '#live-waterfall [data-pick="category=lost"]')
        )
        self.check({"pool": pool})
        stall = BROWSER.run("return document.querySelector('#live-losses [data-pick*=\"cause=\"]').dataset.pick")
        self.assertEqual(
            {"pool": pool, **dict(urllib.parse.parse_qsl(stall))},
            self.after(BROWSER.click, f'#live-losses [data-pick="{stall}"]'),
        )
        self.assertEqual(
            {"pool": pool, "category": "ideal"}, self.after(BROWSER.click, '#live-change [data-pick="category=ideal"]')
        )
        self.assertEqual(
            {"pool": pool}, self.after(BROWSER.click, '#live-waterfall [data-pick="category=ideal"]')
        )  # once more takes it back
        cell = BROWSER.run("return document.querySelector('#live-heat [data-pick]').dataset.pick")
        both = dict(urllib.parse.parse_qsl(cell))
        self.assertEqual({"pool": pool, **both}, self.after(BROWSER.click, f'#live-heat [data-pick="{cell}"]'))
        self.assertEqual({"phase", "size"}, set(both))
        self.check({"pool": pool, **both})
        job = BROWSER.run("return document.querySelector('#live-jobs [data-pick]').dataset.pick")
        self.assertEqual(
            {"pool": pool, **both, **dict(urllib.parse.parse_qsl(job))},
            self.after(BROWSER.click, f'#live-jobs [data-pick="{job}"]'),
        )
        self.check(self.state())
        self.assertIn("The job", BROWSER.run("return document.querySelector('#live-job').textContent"))
        # The trail: one back, to a place, by Escape, all.
        self.assertEqual({**both, **dict(urllib.parse.parse_qsl(job))}, self.after(BROWSER.click, "#trail .off"))
        self.assertEqual({"phase": both["phase"]}, self.after(BROWSER.click, "#trail li:nth-child(2) button"))
        self.assertEqual({}, self.after(BROWSER.press, "Escape"))
        self.after(BROWSER.run, "history.back()")
        self.assertEqual({"phase": both["phase"]}, self.state())
        self.check({"phase": both["phase"]})
        self.assertEqual({}, self.after(BROWSER.click, "#trail [data-back='*']"))

    def test_a_stretch_of_time(self):
        self.open()
        chosen = self.after(BROWSER.drag, "#live-trend svg", 0.3, 0.6)
        self.assertEqual({"since", "until"}, set(chosen))
        self.assertTrue("2026-01-05 06" < chosen["since"] < chosen["until"] < "2026-01-06 12", chosen)
        self.check(chosen)
        BROWSER.run("document.querySelector('#live-trend .chart').focus()")
        BROWSER.press("ArrowRight")
        BROWSER.press("Shift", "ArrowRight")
        within = self.after(BROWSER.press, "Enter")
        self.assertEqual(chosen["since"], within["since"])
        self.assertEqual(
            2,
            len(
                DB.execute("SELECT DISTINCT hour FROM ledger WHERE hour >= :since AND hour < :until", within).fetchall()
            ),
        )
        self.check(within)
        self.after(
            BROWSER.run,
            "const i = document.querySelector('[data-time=since]'); i.value = '2026-01-06T03:00'; document.querySelector('[data-back=\"*\"]').focus(); "
            "location.hash = ''; await new Promise((done) => setTimeout(done, 100)); "
            "const j = document.querySelector('[data-time=since]'); j.value = '2026-01-06T03:00'; j.dispatchEvent(new Event('change', { bubbles: true }))",
        )
        self.assertEqual({"since": "2026-01-06 03:00:00"}, self.state())
        self.check({"since": "2026-01-06 03:00:00"})

    def test_keyboard(self):
        """Everything that can be chosen is reached with Tab, and Enter chooses it; the focus stays where it was."""
        self.open()
        self.assertEqual(
            [],
            BROWSER.run(
                "return [...document.querySelectorAll('#live [data-pick], #live [data-back], #live [data-set]')].filter((one) => one.tabIndex < 0).map((one) => one.outerHTML)"
            ),
        )
        BROWSER.run("document.querySelector('#live-waterfall [data-pick=\"category=idle\"]').focus()")
        self.assertEqual({"category": "idle"}, self.after(BROWSER.press, "Enter"))
        self.assertEqual("category=idle", BROWSER.run("return document.activeElement.dataset.pick"))
        self.assertEqual("true", BROWSER.run("return document.activeElement.getAttribute('aria-pressed')"))
        self.assertEqual({}, self.after(BROWSER.press, "Space"))
        BROWSER.run("document.querySelector('#live-segment [data-pick]').focus()")
        self.assertEqual({"pool"}, set(self.after(BROWSER.press, "Enter")))
        self.assertTrue(BROWSER.run("return document.activeElement.matches('#live-segment [data-pick]')"))

    def test_a_job(self):
        """Its timeline's intervals are those of the ledger, with the place of each; a job without one says so."""
        (job,) = DB.execute("SELECT job FROM job_sums ORDER BY lost_us DESC LIMIT 1").fetchone()
        self.open(address({"job": job}))
        shown = BROWSER.run("return document.querySelector('#live-job').textContent")
        self.assertIn("fixtures/fleet/spans.csv:", shown)
        self.assertIn("productive", shown)
        self.assertGreater(BROWSER.run("return document.querySelectorAll('#live-job svg rect').length"), 20)
        BROWSER.picture(os.path.join(PICTURES, "job.png"))
        (last,) = DB.execute("SELECT job FROM job_sums WHERE held_us > 0 ORDER BY lost_us LIMIT 1").fetchone()
        self.go(address({"job": last}))
        self.assertIn(
            "Timelines are kept of the 10 jobs that lost most; this is none of them",
            BROWSER.run("return document.querySelector('#live-job').textContent"),
        )
        self.go(address({"job": "<b>nobody</b>"}))
        self.assertIn("The job <b>nobody</b>", BROWSER.run("return document.querySelector('#live-job').textContent"))

    # ---- What is known, and who reads it ----

    def test_targets_and_prices(self):
        self.open()
        card = BROWSER.run("return document.querySelector('.factor.MPG .worth').textContent")
        capacity, priced = DB.execute(
            "SELECT sum(capacity_us), sum(iif(chip IS NOT NULL AND chip <> 'tpu-v4', capacity_us, 0)) FROM cells"
        ).fetchone()
        self.assertIn(f"1 point = {capacity / 3.6e11:,.0f} chip-hours", card)
        self.assertIn(f"at least {priced * 2.5 / 3.6e11:,.0f} EUR (no price of tpu-v4)", card)
        self.assertIn("target 50.0%: at most", card)

    def test_nothing_known(self):
        """A scheduler's log alone: nowhere in cards, tables, charts, titles and sentences a 0 for what nobody knows."""
        shutil.copy(path("fleet.db"), path("untraced.db"))
        with sqlite3.connect(path("untraced.db")) as db:
            db.execute(
                "UPDATE ledger SET category = 'untraced' WHERE category NOT IN ('down', 'idle', 'partial', 'queued')"
            )
        report("untraced", "--jobs", "0")
        self.open(name="untraced")
        told = BROWSER.run(READ)
        for name, value, text, _ in told["cards"]["cards"]:
            if name in ("MPG", "RG", "PG"):
                self.assertEqual("not known", text, (name, value))
        for row in told["segment"]["rows"]:
            self.assertEqual(
                [], [cell for cell in row["cells"] if cell[0] in ("MPG", "RG", "PG") and cell[2] != "not known"]
            )
        heat = BROWSER.run(
            "return document.querySelector('#live-heat svg').textContent + [...document.querySelectorAll('#live-heat [aria-label]')].map((one) => one.ariaLabel).join()"
        )
        self.assertNotIn("%", heat)
        self.assertIn("not known", heat)
        everything = BROWSER.run(
            "return document.querySelector('#live').innerText + [...document.querySelectorAll('#live title')].map((one) => one.textContent).join('\\n')"
        )
        self.assertNotRegex(everything, r"(MPG|RG|PG)[^\n%]{0,12} 0\.0%")
        self.assertNotRegex(everything, r"[-−+]0\.0+\b(?!\d)")

    def test_hostile_names(self):
        shutil.copy(path("fleet.db"), path("hostile.db"))
        with sqlite3.connect(path("hostile.db")) as db:
            for column in ("job", "name", "owner", "phase", "model", "team", "cause"):
                for i, name in enumerate(HOSTILE):
                    db.execute(f"UPDATE ledger SET {column} = ? WHERE job IS NOT NULL AND rowid % 7 = ?", (name, i))
            db.execute("UPDATE ledger SET pool = ? WHERE pool = 'v4-zürich'", (HOSTILE[1],))
        report("hostile", "--jobs", "0", "--title", HOSTILE[0])
        for width in (1100, 390):
            BROWSER.look_as(width=width)
            self.open(name="hostile")
            for hash in (
                "",
                address({"pool": HOSTILE[1], "owner": HOSTILE[2]}),
                address({"job": HOSTILE[0]}, by="owner", rows="phase", columns="team"),
                address({"phase": HOSTILE[3], "category": HOSTILE[0]}),
            ):
                self.go(hash)
                self.assertEqual(
                    0, BROWSER.run("return document.querySelectorAll('img, b > script, main script, [onerror]').length")
                )
                self.assertLessEqual(BROWSER.run("return document.documentElement.scrollWidth"), width)

    def test_without_scripts(self):
        BROWSER.protocol("Emulation.setScriptExecutionDisabled", value=True)
        try:
            BROWSER.open(path("fleet.html"))
            self.assertTrue(
                BROWSER.run(
                    "return document.querySelector('#live').hidden && !document.querySelector('#plain').hidden && document.querySelectorAll('#plain table').length === 7"
                )
            )
        finally:
            BROWSER.protocol("Emulation.setScriptExecutionDisabled", value=False)

    def test_the_console_is_heard(self):
        """Else silence would prove nothing."""
        BROWSER.open("about:blank")
        BROWSER.run("console.error('heard')")
        self.assertIn("heard", "".join(BROWSER.console()))

    def test_faults_of_accessibility(self):
        if not os.path.exists(AXE) and shutil.which("npm"):
            subprocess.run(
                [
                    "npm",
                    "install",
                    "--prefix",
                    os.path.join(ROOT, "build", "axe"),
                    "--silent",
                    "--ignore-scripts",
                    "--no-audit",
                    "--no-fund",
                    "--no-save",
                    "axe-core@4.11.0",
                ],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=300,
            )
        if not os.path.exists(AXE):
            self.skipTest("no axe-core: no npm here, or no network for it")
        with open(AXE, encoding="utf-8") as file:
            axe = file.read()
        (job,) = DB.execute("SELECT job FROM job_sums ORDER BY lost_us DESC LIMIT 1").fetchone()
        for width, scheme, hash in ((1100, "light", ""), (390, "dark", address({"job": job, "category": "idle"}))):
            BROWSER.look_as(width=width, scheme=scheme)
            self.open(hash)
            BROWSER.run(READ)
            found = BROWSER.run(
                axe
                + "; const found = await axe.run(document, { resultTypes: ['violations'] }); return found.violations.filter((one) => one.impact === 'serious' || one.impact === 'critical')"
                ".map((one) => [one.id, one.help, one.nodes.length, one.nodes.slice(0, 3).map((node) => [node.html.slice(0, 200), node.failureSummary])])"
            )
            self.assertEqual([], found, (width, scheme))

    def test_the_story(self):
        """docs/report.md: a fleet that got worse, found in four clicks, down to the lines of its trace."""
        with open(os.path.join(ROOT, "docs", "report.md"), encoding="utf-8") as file:
            story = re.search(r"(?s)## A fleet that got worse(.*?)## Options", file.read())[1]
        generated = re.search(r"build/generate (.*) --out worse", story)[1].split()
        trace, self.db = path("worse"), sqlite3.connect(path("worse.db"))
        subprocess.run(
            [generator(), *generated, "--out", trace], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.addCleanup(self.db.close)
        loaded = connect(path("worse.db"))
        loaded.execute("SELECT mpg_build(?)", (trace,)).fetchall()
        loaded.close()
        subprocess.run([TOOL, path("worse.db"), "-o", path("worse.html"), "--trace", trace], check=True)
        self.open(name="worse")
        self.assertIn(
            re.search('"(MPG fell.*?)"', story)[1], BROWSER.run("return document.querySelector('#summary').textContent")
        )
        first = "return document.querySelector('#live-segment tbody tr').innerText.split(/\\s/)[0]"
        self.assertEqual({"category": "input"}, self.after(BROWSER.click, '#live-change [data-pick="category=input"]'))
        self.assertEqual("v5e-us-central1", BROWSER.run(first))
        self.assertIn("category", self.after(BROWSER.click, "#live-segment tbody [data-pick]"))
        days = BROWSER.run(
            "return [...document.querySelectorAll('#live-trend [data-bucket]')].map((one) => one.textContent)"
        )
        shares = {day[:10]: float(re.search(r"([\d.]+)%", day)[1]) for day in days}
        self.assertTrue(shares["2026-01-08"] < 1 and shares["2026-01-09"] > 27, shares)
        self.assertEqual("2026-01-09 00:00:00", self.after(BROWSER.drag, "#live-trend svg", 0.53, 0.97)["since"])
        self.assertEqual("train-000161", self.after(BROWSER.click, "#live-jobs [data-pick]")["job"])
        places = BROWSER.run(
            "return [...document.querySelectorAll('#live-job tbody tr')].map((row) => row.lastElementChild.textContent)"
        )
        self.assertGreater(len(places), 8)
        for place in places:
            name, line = place.rsplit(":", 1)
            with open(name, encoding="utf-8") as file:
                self.assertIn("train-000161,1,input,", file.readlines()[int(line) - 1])

    def test_light_dark_phone_and_paper(self):
        for width, scheme in ((1100, "light"), (1100, "dark"), (390, "light"), (390, "dark")):
            BROWSER.look_as(width=width, scheme=scheme)
            self.open()
            self.assertLessEqual(BROWSER.run("return document.documentElement.scrollWidth"), width)
            # No text of a chart is cut off at its edge.
            self.assertEqual(
                [],
                BROWSER.run(
                    "return [...document.querySelectorAll('#live svg')].flatMap((svg) => { const box = svg.getBoundingClientRect(); return [...svg.querySelectorAll('text')].filter((text) => { "
                    "const one = text.getBoundingClientRect(); return one.left < box.left - 1 || one.right > box.right + 1; }).map((text) => svg.getAttribute('aria-label') + ': ' + text.textContent); })"
                ),
            )
            BROWSER.picture(os.path.join(PICTURES, f"{width}-{scheme}.png"))
        BROWSER.look_as(media="print")
        self.open()
        BROWSER.paper(os.path.join(PICTURES, "report.pdf"))
        with open(os.path.join(PICTURES, "report.pdf"), "rb") as file:
            self.assertEqual(b"%PDF", file.read(4))
        self.assertEqual("none", BROWSER.run("return getComputedStyle(document.querySelector('button.save')).display"))


if __name__ == "__main__":
    unittest.main()
