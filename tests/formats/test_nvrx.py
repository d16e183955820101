"""ft_launcher's events (nvidia-resiliency-ext): the mapping sql/formats/nvrx.sql, held against loops over the same events that are made here."""

import datetime
import os
import re
import unittest

import cases
from fleets import ROOT

LOG = os.path.join(ROOT, "fixtures/nvrx/ft_launcher.log")
BEGIN = 1772445600
START = (
    ("rendezvous_started", 0),
    ("rendezvous_completed", 6),
    ("worker_start_started", 6.25),
    ("worker_start_completed", 8),
)


def line(node, cycle, event, at):
    time = datetime.datetime.fromtimestamp(BEGIN + at, datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
    return f"[INFO] [ft_launcher@{node}]   - Cycle: {cycle} Event: {event} Node: {node}_4242_0 Rank: None Time: {time} UTC\n"


def events(failures, lates):
    """(node, cycle, event, at): a start at 10, and one after each failure; nodes are late by so much."""
    for node, late in enumerate(lates):
        for cycle, at in enumerate([10, *failures]):
            told = [("failure_detected", 0), ("worker_terminated", 4)] if cycle else []
            for event, after in told + [(event, after + (10 if cycle else 0)) for event, after in START]:
                yield f"node-{node}", cycle, event, at + late + after


def cycles(of):
    """The first failure or else rendezvous, and the last start, of each cycle."""
    out = {}
    for _, cycle, event, at in of:
        begin = "failure_detected" if cycle else "rendezvous_started"
        first, last = out.get(cycle, (None, None))
        if event == begin:
            first = at if first is None else min(first, at)
        if event == "worker_start_completed":
            last = at if last is None else max(last, at)
        out[cycle] = first, last
    return [(BEGIN + first, BEGIN + last) for _, (first, last) in sorted(out.items())]


class Nvrx(cases.Case):
    def spans(self, path):
        return self.rows("SELECT start_time, end_time FROM trace_records(?) WHERE record = 'spans' ORDER BY 1", path)

    def test_the_fixture(self):
        """Times that are found with a pattern here: the last cycle never started its workers."""
        with open(LOG, encoding="utf-8") as file:
            told = re.findall(r"Cycle: (\d+) Event: (\w+) .*10:(\d\d):([\d.]+) UTC", file.read())
        expected = []
        for cycle in "012":
            of = [
                (event, BEGIN + 60 * int(minute) + float(second))
                for number, event, minute, second in told
                if number == cycle
            ]
            expected.append(
                (
                    min(at for _, at in of),
                    max(at for event, at in of if event == "worker_start_completed" or cycle == "2"),
                )
            )
        self.assertEqual(expected, self.spans(LOG))
        self.assertEqual(
            [("nvrx", "likely", "RG")], self.rows("SELECT format, certainty, feeds FROM trace_sources(?)", LOG)
        )
        self.assertEqual({"open_cycle": 1}, self.issues(LOG))

    def test_recovery_is_startup_of_the_job(self):
        """Nodes with logs of their own, of a job that a scheduler knows; what follows is as long as the last node took."""
        of = list(events((300, 700), (0, 1.5, 0.25)))
        files = {}
        for node, cycle, event, at in of:
            files[node + ".log"] = files.get(node + ".log", "") + line(node, cycle, event, at)
        folder = self.folder_of(
            {
                **files,
                "sacct.psv": "JobIDRaw|State|Submit|Start|End|ReqTRES|AllocTRES\n77|COMPLETED|2026-03-02T10:00:00|2026-03-02T10:00:00|2026-03-02T10:20:00|gres/gpu=24|gres/gpu=24\n",
                "fleet.json": {"sources": [{"path": "sacct.psv"}, {"path": "node-*.log", "job": "77"}]},
            }
        )
        expected = cycles(of)
        self.assertEqual(expected, self.spans(folder + "/fleet.json"))
        seconds = dict(
            self.rows("SELECT category, sum(chip_us) / 1e6 FROM trace_ledger(?) GROUP BY 1", folder + "/fleet.json")
        )
        self.assertEqual(24 * sum(end - start for start, end in expected), seconds["startup"])
        self.assertEqual(24 * 1200, sum(s for category, s in seconds.items() if category != "queued"))

    def test_a_launcher_that_began_anew(self):
        """The scheduler requeued the job: cycles are counted from 0 again."""
        first, second = list(events((300,), (0, 1))), [
            (node, cycle, event, at + 2000) for node, cycle, event, at in events((400,), (0, 1))
        ]
        text = "".join(line(*event) for event in sorted(first + second, key=lambda event: event[3]))
        self.assertEqual(cycles(first) + cycles(second), self.spans(self.file(text, "launcher.log")))

    def test_a_launcher_that_began_anew_in_its_first_cycle(self):
        begin = lambda at: "".join(
            line("n0", 0, event, at + late)
            for event, late in (
                ("rendezvous_started", 10),
                ("rendezvous_completed", 16),
                ("worker_start_started", 17),
                ("worker_start_completed", 18),
            )
        )
        path = self.file(begin(0) + begin(480), "x.log")
        self.assertEqual(
            [8.0, 8.0],
            [
                end - start
                for start, end in self.rows(
                    "SELECT start_time, end_time FROM trace_records(?) WHERE record = 'spans' ORDER BY 1", path
                )
            ],
        )

    def test_what_is_not_known_is_listed(self):
        of = [("node-0", 1, "worker_start_completed", 5), ("node-0", 1, "coffee_made", 6)]
        path = self.file("".join(line(*event) for event in of), "launcher.log")
        self.assertEqual([], self.spans(path))
        self.assertEqual({"open_cycle": 1, "unknown_event": 1}, self.issues(path))

    def test_beside_a_trainer_that_writes_into_the_same_log(self):
        """What is sure goes before what is likely: the steps of the trainer count."""
        with open(os.path.join(ROOT, "fixtures/training/megatron.log"), encoding="utf-8") as file:
            text = file.read()
        path = self.file(line("node-0", 1, "failure_detected", 5) + text, "all.log")
        self.assertEqual([("megatron", "sure")], self.rows("SELECT format, certainty FROM trace_sources(?)", path))


if __name__ == "__main__":
    unittest.main()
