"""Local times of slurm_trace: named time zones held against Python's zoneinfo."""

import datetime
import json
import random
import unittest
import zoneinfo

from slurm import Case


class Zones(Case):
    def check(self, zone, times, path):
        """Python's fold = 0 is the same choice: the first of two readings, and a skipped time moved forward."""
        key = zoneinfo.ZoneInfo(zone)
        wanted = [int(time.replace(tzinfo=key).timestamp()) for time in times]
        found = [row[0] for row in self.rows("SELECT Start FROM slurm_trace(?, ?)", path, zone)]
        self.assertEqual(len(found), len(wanted))
        wrong = [(zone, t, f - w) for t, f, w in zip(times, found, wanted) if f != w]
        self.assertEqual(wrong[:5], [])

    def write(self, times):
        return self.file("JobID|Start\n" + "".join(f"{i + 1}|{t.isoformat()}\n" for i, t in enumerate(times)))

    def test_all_zones(self):
        """From 1971, so that no time falls before 1970 in UTC; the rules are carried on to 2261."""
        pick = random.Random(7)
        times = [
            datetime.datetime(1971, 1, 1) + datetime.timedelta(minutes=15 * pick.randrange(35040 * 290))
            for _ in range(150)
        ]
        times += [
            datetime.datetime(1971, 1, 1) + datetime.timedelta(minutes=15 * pick.randrange(35040 * 70))
            for _ in range(350)
        ]
        path = self.write(times)
        zones = sorted(
            z
            for z in zoneinfo.available_timezones()
            if not z.startswith(("right/", "posix/")) and z not in ("localtime", "posixrules")
        )
        self.assertGreater(len(zones), 300)
        for zone in zones:
            self.check(zone, times, path)

    def test_every_quarter_of_an_hour_around_the_changes(self):
        checked = 0
        for zone in (
            "Europe/Berlin",
            "America/New_York",
            "Australia/Lord_Howe",
            "Europe/Dublin",
            "Africa/Casablanca",
            "Asia/Kathmandu",
            "America/St_Johns",
            "Pacific/Apia",
            "America/Sao_Paulo",
            "Asia/Gaza",
            "Antarctica/Troll",
            "America/Nuuk",
            "Africa/Cairo",
        ):
            key = zoneinfo.ZoneInfo(zone)
            times = []
            for year in (1980, 1986, 1995, 2007, 2011, 2026, 2027, 2037, 2038, 2099, 2260):
                for n in range(365):
                    day = datetime.datetime(year, 1, 1) + datetime.timedelta(days=n)
                    if (
                        day.replace(tzinfo=key).utcoffset()
                        != (day + datetime.timedelta(days=1)).replace(tzinfo=key).utcoffset()
                    ):
                        times += [day + datetime.timedelta(minutes=15 * quarter - 360) for quarter in range(144)]
            if times:
                self.check(zone, times, self.write(times))
                checked += len(times)
        self.assertGreater(checked, 10000)

    def test_repeated_and_skipped_times_are_counted(self):
        path = self.write(
            [
                datetime.datetime(2026, 3, 29, 2, 30),
                datetime.datetime(2026, 10, 25, 2, 30),
                datetime.datetime(2026, 10, 25, 2, 59),
            ]
        )
        found = self.rows("SELECT datetime(Start, 'unixepoch') FROM slurm_trace(?, 'Europe/Berlin')", path)
        self.assertEqual(found, [("2026-03-29 01:30:00",), ("2026-10-25 00:30:00",), ("2026-10-25 00:59:00",)])
        self.assertEqual(self.issues(path), {"skipped_time": 1, "repeated_time": 2, "no_requeues": 1, "no_tres": 1})

    def test_elapsed_says_which_of_two_times_it_was(self):
        """Start and End of jobs around the change, and of outages: only if both are of the repeated hour, and of one reading, is it not known."""
        step = datetime.timedelta(minutes=15)
        for zone, first in ("Europe/Berlin", (2026, 10, 25, 0, 0)), ("Australia/Lord_Howe", (2026, 4, 4, 14, 30)):
            key = zoneinfo.ZoneInfo(zone)
            times = [
                datetime.datetime(*first, tzinfo=datetime.timezone.utc) + step * quarter for quarter in range(-4, 13)
            ]
            pairs = [(start, end) for start in times for end in times if start < end]
            local = lambda time: time.astimezone(key)
            twice = lambda time: local(time).replace(fold=0).utcoffset() != local(time).replace(fold=1).utcoffset()
            taken = lambda time: local(time).replace(fold=0).timestamp()
            for paused in 0, 60:
                spans = [(start, end, int((end - start).total_seconds()) - paused) for start, end in pairs]
                text = lambda time: local(time).strftime("%Y-%m-%dT%H:%M:%S")
                jobs = self.file(
                    "JobIDRaw|Start|End|ElapsedRaw|Suspended\n"
                    + "".join(f"1|{text(a)}|{text(b)}|{n}|00:{paused // 60:02d}:00\n" for a, b, n in spans)
                )
                events = self.file(
                    "Cluster|NodeName|TimeStart|TimeEnd|Duration\n"
                    + "".join(
                        f"c|n1|{text(a)}|{text(b)}|0-{n // 3600:02d}:{n // 60 % 60:02d}:00\n" for a, b, n in spans
                    ),
                    "events.psv",
                )
                unknown = [(a, b) for a, b in pairs if twice(a) and twice(b) and local(a).fold == local(b).fold]
                wanted = [
                    (taken(a), taken(b)) if (a, b) in unknown else (a.timestamp(), b.timestamp()) for a, b in pairs
                ]
                self.assertEqual(self.rows('SELECT Start, "End" FROM slurm_trace(?, ?)', jobs, zone), wanted)
                self.assertEqual(self.issues(jobs).get("repeated_time", 0), 2 * len(unknown))
                if paused == 0:
                    found = self.rows("SELECT TimeStart, TimeEnd FROM slurm_events_trace(?, ?)", events, zone)
                    self.assertEqual(found, wanted)

    def test_an_end_in_the_repeated_hour(self):
        """The clock went back while a job ran: its End is before its Start, and Elapsed says when it ended."""
        path = self.file(
            "JobIDRaw|Cluster|State|Submit|Start|End|ElapsedRaw|Suspended|ReqTRES|AllocTRES\n"
            "1|c|COMPLETED|2026-11-01T00:40:00|2026-11-01T01:50:00|2026-11-01T01:10:00|1200|00:00:00|gres/gpu=8|gres/gpu=8\n"
            "2|c|CANCELLED|2026-11-01T00:40:00|2026-11-01T01:50:00|2026-11-01T01:49:44|0|00:00:00|gres/gpu=8|gres/gpu=8\n"
        )
        fleet = json.dumps({"sources": [{"path": path, "zone": "America/Denver"}]})
        self.assertEqual(
            [("1", 1200 * 8)],
            self.rows(
                "SELECT job, sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category = 'untraced' GROUP BY 1", fleet
            ),
        )
        self.assertEqual(
            [("end_before_start", 3, 1)],
            self.rows(
                "SELECT kind, line, count FROM mpg_issues WHERE kind IN ('conflict', 'end_before_start') ORDER BY 1"
            ),
        )

    def test_an_outage_that_ends_in_the_repeated_hour(self):
        """So does the Duration of an event; one that has none, or none above 0, is left out."""
        jobs = self.file(
            "JobIDRaw|Cluster|State|Submit|Start|End|ElapsedRaw|Suspended|ReqTRES|AllocTRES|NodeList\n"
            "1|c|COMPLETED|2026-11-01T00:00:00|2026-11-01T00:00:00|2026-11-01T04:00:00|18000|00:00:00|gres/gpu=8|gres/gpu=8|n9\n"
        )
        events = self.file(
            "Cluster|Event|NodeName|TimeStart|TimeEnd|Duration|Reason|State|TRES\n"
            "c|Cluster||2026-10-31T00:00:00|Unknown|1-05:00:00|Cluster Registered TRES||gres/gpu=32\n"
            "c|Node|n1|2026-11-01T01:50:00|2026-11-01T01:10:00|00:20:00|xid 79|DOWN|gres/gpu=8\n"
            "c|Node|n2|2026-11-01T01:50:00|2026-11-01T01:10:00|00:00:00|xid 79|DOWN|gres/gpu=8\n",
            "events.psv",
        )
        fleet = json.dumps({"sources": [{"path": path, "zone": "America/Denver"} for path in (jobs, events)]})
        self.assertEqual(
            [(1200 * 8,)],
            self.rows("SELECT sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category = 'down'", fleet),
        )
        self.assertEqual(
            [("end_before_start", 4, 1)],
            self.rows(
                "SELECT kind, line, count FROM mpg_issues WHERE kind IN ('conflict', 'end_before_start') ORDER BY 1"
            ),
        )

    def test_only_local_times_need_a_zone(self):
        path = self.file("JobID|Submit|Start|End\n1|1795240353|2026-11-21T05:52:33Z|2026-11-21T05:52:33+02:00\n")
        self.assertEqual(
            self.rows("SELECT Submit, Start, \"End\" FROM slurm_trace(?, 'Asia/Tokyo')", path),
            [(1795240353, 1795240353, 1795233153)],
        )

    def test_files_say_that_they_lack_a_zone(self):
        """Whatever they are of: their times have a space or a T, in any column, or in what scontrol shows."""
        jobs, node, reserved = (
            "JobID|State|AllocTRES|Start\n1|RUNNING|gres/gpu=8|{}\n",
            "NodeName=n1 Arch=x86_64\n   Gres=gpu:8\n   State=DOWN\n   {}\n",
            "ReservationName=r StartTime={} EndTime={}\n   Nodes=n1\n   Flags=MAINT\n",
        )
        for text in (
            jobs,
            jobs.replace("AllocTRES|Start", "Start|AllocTRES").replace("gres/gpu=8|{}", "{}|gres/gpu=8"),
            node.replace("{}", "BootTime={} SlurmdStartTime={}"),
            node.replace("{}", "Reason=x [root@{}]"),
            reserved,
        ):
            for time, lacks in (
                ("2026-11-21T05:52:33", "zone"),
                ("2026-11-21T05:52:33Z", None),
                ("2026-11-21T05:52:33+01:00", None),
                ("1795240353", None),
                *([("2026-11-21 05:52:33", "zone")] if "|" in text else []),
            ):
                with self.subTest(text=text, time=time):
                    self.assertEqual(
                        lacks, self.one("SELECT missing FROM trace_sources(?)", self.file(text.replace("{}", time)))
                    )


if __name__ == "__main__":
    unittest.main()
