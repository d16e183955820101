"""mpg_time(time, zone): Unix seconds of dates."""

import datetime
import unittest
import zoneinfo

import cases


class TimeFunction(cases.Case):
    def test_dates(self):
        """A date without a zone is of the zone given; one with a zone keeps it."""
        for time, zone, seconds in (
            ("2026-07-03 10:00:00.5", None, 1783072800.5),
            ("2026-07-03T10:00:00,5", "UTC", 1783072800.5),
            ("2026-07-03 10:00:00.5", "Europe/Berlin", 1783065600.5),
            ("2026-07-03 10:00:00.5", "+02:00", 1783065600.5),
            ("2026-07-03T10:00:00.5Z", "Europe/Berlin", 1783072800.5),
            ("2026-07-03T10:00:00.5-01:00", "Europe/Berlin", 1783076400.5),
            ("2026-07-03 10:00:00.5 UTC", "Europe/Berlin", 1783072800.5),
            ("2026-07-03 10:00:00.5 +0200", "UTC", 1783065600.5),
            ("2026-07-03", "Europe/Berlin", 1783029600.0),
            ("2026-03-29 02:30:00", "Europe/Berlin", 1774747800.0),  # the clock jumped over it
            ("2026-10-25 02:30:00", "Europe/Berlin", 1792888200.0),  # it showed it twice
        ):
            self.assertEqual(seconds, self.one("SELECT mpg_time(?, ?)", time, zone), (time, zone))
        self.assertEqual(1783072800.0, self.one("SELECT mpg_time('2026-07-03 10:00')"))

    def test_a_year_of_hours(self):
        """As Python has it, but for the hours in which clocks change."""
        zone, first = zoneinfo.ZoneInfo("America/New_York"), datetime.datetime(2026, 1, 1)
        for hour in range(0, 8760, 7):
            local = first + datetime.timedelta(hours=hour)
            at = local.replace(tzinfo=zone)
            if at.astimezone(datetime.timezone.utc).astimezone(zone).replace(tzinfo=None) == local:
                self.assertEqual(at.timestamp(), self.one("SELECT mpg_time(?, 'America/New_York')", str(local)), local)

    def test_what_is_no_date(self):
        for time in (
            "",
            "soon",
            "12.5",
            "2026-13-01 10:00:00",
            "2026-02-30",
            "10:00",
            "03/07/2026 10:00:00",
            "2026-07-03 10:00 at",
        ):
            self.assertIsNone(self.one("SELECT mpg_time(?, 'Europe/Berlin')", time), time)
        for time in (None, 7, -1.5):
            self.assertEqual(time, self.one("SELECT mpg_time(?, 'Europe/Berlin')", time), time)
        self.assertIn("mpg_time: zone: expected UTC, an offset", self.error("SELECT mpg_time('2026-07-03', '../x')"))
        self.assertIn('no time zone "Mars/Base"', self.error("SELECT mpg_time('2026-07-03', 'Mars/Base')"))
        self.fails(
            "mpg_time: zone: expected UTC, an offset or the name of a time zone, found 2",
            "SELECT mpg_time('2026-07-03', 2)",
        )

    def test_a_zone_of_each_row(self):
        self.assertEqual(
            [(1783072800.0,), (1783065600.0,), (1783072800.0,), (1783087200.0,)],
            self.rows(
                'SELECT mpg_time(\'2026-07-03 10:00:00\', value) FROM json_each(\'["UTC", "Europe/Berlin", null, "America/New_York"]\')'
            ),
        )


if __name__ == "__main__":
    unittest.main()
