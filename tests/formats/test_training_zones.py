"""Clocks of trainers without a zone, behind the times with one that a container's runtime, or what keeps logs, puts before their lines."""

import itertools
import json
import re
import time
import unittest

from test_training_numbers import clock, zoned_deepspeed, zoned_maxtext, zoned_megatron, zoned_nanogpt, zoned_torchtitan
from trainer_case import T0, TrainerLogs

OWN = (zoned_megatron, zoned_torchtitan, zoned_deepspeed, zoned_maxtext, zoned_nanogpt)
KEPT = (
    lambda at, line: f"{at} stdout F {line}",
    lambda at, line: json.dumps({"log": line + "\n", "stream": "stdout", "time": at}),
)


class Zones(TrainerLogs):
    def log(self, lines, keep, hours, waits=lambda at: 0):
        """Lines of a clock that is hours(at) ahead of UTC, each kept waits(at) seconds later."""
        return self.file(
            "".join(
                keep(
                    clock(at + waits(at)).replace(" ", "T") + ".750000000Z",
                    line.format(clock(at + hours(at) * 3600), time.ctime(T0 + at + hours(at) * 3600)),
                )
                + "\n"
                for at, line in lines()
            ),
            lines.__name__ + ".log",
        )

    def each(self):
        for lines, keep in itertools.product(OWN, KEPT):
            if lines not in (zoned_maxtext, zoned_nanogpt) or keep is not KEPT[0]:
                yield lines, keep  # of these the first clock of a line counts

    def end(self, path):
        return self.rows(
            "SELECT CAST(max(end_time) - ? AS INTEGER), round(sum(seconds)) FROM trace_training_steps(?)", T0, path
        )

    def said(self, path):
        return self.rows("SELECT kind, count, detail FROM mpg_issues WHERE source = ? AND severity <> 'info'", path)

    def test_a_zone_by_its_name(self):
        """As PDT or CST, of which several have the name: it is not read, which a row says, unless the option has the zone."""
        for lines in OWN:
            if lines is zoned_deepspeed:
                continue  # whose clock the bracket ends: with a name in it there is none
            path = self.log(lines, lambda at, line: line, lambda at: 0)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            for word in (" PDT", "CST", " CEST", " JST", " UTC", " PDTX"):
                named = self.file(re.sub(r"(\d\d:\d\d:\d\d(?:[.,]\d+)?)(?!\d)", r"\1" + word, text), lines.__name__)
                with self.subTest(lines=lines.__name__, word=word):
                    self.rows("SELECT count(*) FROM trace_training_steps(?)", named)
                    listed = [row[1:] for row in self.said(named) if row[0] == "unread_time"]
                    wanted = [] if word in (" UTC", " PDTX") else [(1, word.strip())]
                    self.assertEqual(wanted, [(n, detail.split(", ")[1]) for n, detail in listed])
                    fleet = json.dumps({"sources": [{"path": named, "zone": "America/Los_Angeles"}]})
                    self.rows("SELECT count(*) FROM trace_training_steps(?)", fleet)
                    self.assertEqual([], [row for row in self.said(named) if row[0] == "unread_time"])

    def test_summer_time_in_one_log(self):
        for (lines, keep), (before, after) in itertools.product(
            self.each(), ((1, 2), (2, 1), (0, 1), (1, 0), (-5, -4))
        ):
            path = self.log(lines, keep, lambda at: after if at > 50 else before)
            with self.subTest(lines=lines.__name__, keep=keep("T", ""), hours=(before, after)):
                self.assertEqual([(100, 100)], self.end(path))
                ((count, detail),) = [row[1:] for row in self.said(path) if row[0] == "conflict"]
                self.assertEqual(sum((after if at > 50 else before) != 0 for at, _ in lines()), count)
                self.assertIn(
                    " is " + ", later ".join(f"{hours:+d}" for hours in (before, after) if hours) + " h", detail
                )
                self.assertEqual(set(), {row[0] for row in self.said(path)} & {"repeated_time", "skipped_time"})

    def test_lines_that_waited(self):
        """As in a trainer's buffer: the line that waited least tells the zone."""
        for (lines, keep), hours, waits in itertools.product(
            self.each(), (8, 0, -3), (lambda at: 725 * (at < 50), lambda at: 4000 * (at < 30), lambda at: 300)
        ):
            path = self.log(lines, keep, lambda at: hours, waits)
            with self.subTest(lines=lines.__name__, keep=keep("T", ""), hours=hours, waits=waits(10)):
                self.assertEqual([(100, 100)], self.end(path))
                self.assertEqual(
                    [len([*lines()])] * (hours != 0), [row[1] for row in self.said(path) if row[0] == "conflict"]
                )

    def test_no_zone(self):
        """Where no zone is so far away the trainer's clock counts, and a row says so."""
        for (lines, keep), hours in itertools.product(self.each(), (8 - 20 / 60, 24, 6.1)):
            path = self.log(lines, keep, lambda at: hours)
            with self.subTest(lines=lines.__name__, keep=keep("T", ""), hours=hours):
                ((end, whole),) = self.end(path)
                self.assertAlmostEqual(100 + hours * 3600, end, delta=1)
                self.assertEqual(100, whole)
                ((count, detail),) = [row[1:] for row in self.said(path) if row[0] == "conflict"]
                self.assertEqual((len([*lines()]), True), (count, f" {hours:+.2f} h" in detail), detail)

    def test_lines_without_a_clock_of_their_own(self):
        """Lines of steps that only the runtime dated, beside others of which the trainer told the time: each is what it is."""
        step = (
            " iteration {:8d}/ 10 | consumed samples: 1 | elapsed time per iteration (ms): 10000.0 | lm loss: 2.0E+00 |"
        )

        def megatron():
            yield 0, "[before the start of training step] datetime: {0} "
            for i in range(1, 11):
                yield 10 * i, step.format(i)
            yield 101, "[after training is done] datetime: {0} "

        def nanogpt():
            yield 0, "{1}"
            for i in range(10):
                yield 10 * i + 10, f"iter {i}: loss 4.1000, time 10000.00ms, mfu 30.00%"

        for lines, keep in itertools.product((megatron, nanogpt), KEPT):
            path = self.log(lines, keep, lambda at: 8)
            self.assertEqual([(100, 100)], self.end(path), keep("T", ""))


if __name__ == "__main__":
    unittest.main()
