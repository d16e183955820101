#!/usr/bin/python3
"""The queries of sql/dashboards, asked in SQLite as Grafana's plugin would: over the plain tables, without the extension."""
import json
import os
import unittest

from answers import built, question
from fleets import ROOT


class Grafana(unittest.TestCase):
    def setUp(self):
        with open(os.path.join(ROOT, "sql/dashboards/grafana.json"), encoding="utf-8") as file:
            self.dashboard = json.load(file)
        self.db = built(os.path.join(ROOT, "fixtures/fleet"))
        self.addCleanup(self.db.close)

    def chosen(self, sql, **chosen):
        """With the values of variables, all of them unless given, as Grafana puts them in."""
        for variable in self.dashboard["templating"]["list"][1:]:
            name = variable["name"]
            values = chosen.get(name) or [value for value, in self.db.execute(variable["query"])]
            sql = sql.replace(
                "${%s:singlequote}" % name, ",".join("'%s'" % value.replace("'", "''") for value in values)
            )
        self.assertNotIn("$", sql)
        return sql

    def rows(self, panel, since=0, until=4102444800000, **chosen):
        sql = panel["targets"][0]["queryText"].replace("$__from", str(since)).replace("$__to", str(until))
        cursor = self.db.execute(self.chosen(sql, **chosen))
        return [dict(zip([d[0] for d in cursor.description], row)) for row in cursor]

    def test_every_panel_has_rows(self):
        ids = set()
        for panel in self.dashboard["panels"]:
            with self.subTest(panel["title"]):
                if panel["title"] != "What the data lack":
                    self.assertTrue(self.rows(panel))
                    self.assertFalse(
                        self.rows(panel, 0, 1)
                        and any(v is not None for row in self.rows(panel, 0, 1) for v in row.values())
                    )
                else:
                    self.rows(panel)
                self.assertEqual(panel["targets"][0]["queryText"], panel["targets"][0]["rawQueryText"])
                ids.add(panel["id"])
        self.assertEqual(len(ids), len(self.dashboard["panels"]))

    def test_the_headline(self):
        headline = next(panel for panel in self.dashboard["panels"] if panel["type"] == "stat")
        expected = self.db.execute(
            "SELECT sum(allocated_us) * 1.0 / sum(capacity_us), sum(ideal_us) * 1.0 / sum(capacity_us) FROM cells"
        ).fetchone()
        row = self.rows(headline)[0]
        self.assertEqual((row["SG"], row["MPG_lower"]), expected)

    def test_what_nobody_knows(self):
        """Without runtime records no panel says 0: the ratio is NULL, which the panel writes as not known; a bound is called one."""
        self.db.execute(
            "UPDATE ledger SET category = 'untraced' WHERE category NOT IN ('down', 'idle', 'partial', 'queued')"
        )
        for panel in (
            panel for panel in self.dashboard["panels"] if panel["fieldConfig"]["defaults"].get("unit") == "percentunit"
        ):
            rows = self.rows(panel)
            self.assertTrue(rows)
            for row in rows:
                self.assertEqual([None, None, None], [row[name] for name in ("RG", "PG", "MPG_lower")], panel["title"])
                self.assertIn(row["traced"], (0, None))  # of nothing that was allocated
            self.assertEqual("not known", panel["fieldConfig"]["defaults"]["noValue"])
            self.assertEqual(
                ["MPG, at least"],
                [one["value"] for over in panel["fieldConfig"]["overrides"] for one in over["properties"]],
            )

    def test_variables(self):
        """Each is in every panel over the ledger, and narrows it; all together are everything."""
        trend = next(panel for panel in self.dashboard["panels"] if panel["title"] == "By pool")
        self.assertEqual(["v4-zürich"], [row["pool"] for row in self.rows(trend, pool=["v4-zürich"])])
        expected = self.db.execute(
            "SELECT sum(ideal_us) * 1.0 / sum(productive_us - unrated_us) FROM cells WHERE phase = 'serving' AND team = 'search'"
        ).fetchone()[0]
        headline = next(panel for panel in self.dashboard["panels"] if panel["type"] == "stat")
        self.assertEqual(expected, self.rows(headline, phase=["serving"], team=["search"])[0]["PG"])

    def test_the_first_day_with_an_offset(self):
        """A range that begins with the trace has all of it, whatever the ledger's clocks."""
        headline = next(panel for panel in self.dashboard["panels"] if panel["type"] == "stat")
        expected = self.rows(headline)
        first, last = self.db.execute("SELECT min(start_us) / 1000, max(end_us) / 1000 + 1 FROM waits").fetchone()
        for offset in ("+00:00", "+05:30", "-08:00"):
            self.db = built(os.path.join(ROOT, "fixtures/fleet"), offset=offset)
            self.addCleanup(self.db.close)
            self.assertEqual(expected, self.rows(headline, first, last), offset)

    def test_lost_is_what_top_jobs_calls_so(self):
        worst = next(panel for panel in self.dashboard["panels"] if panel["title"] == "Jobs by lost chip-hours")
        expected = {row["job"]: row["lost_chip_hours"] for row in question("top_jobs").ask(self.db, top=20)}
        found = {row["job"]: row["lost_chip_hours"] for row in self.rows(worst)}
        self.assertEqual(list(expected), list(found))
        for job, lost in expected.items():
            self.assertAlmostEqual(lost, found[job], 6)

    def test_times_are_unix_seconds(self):
        trend = next(panel for panel in self.dashboard["panels"] if panel["type"] == "timeseries")
        times = [row["time"] for row in self.rows(trend)]
        first = self.db.execute("SELECT min(hour) FROM cells").fetchone()[0]
        self.assertEqual(times, sorted(times))
        self.assertEqual(self.db.execute("SELECT datetime(?, 'unixepoch')", (times[0],)).fetchone()[0], first)


if __name__ == "__main__":
    unittest.main()
