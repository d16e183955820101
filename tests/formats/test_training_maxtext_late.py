"""Steps that MaxText tells of later than they ended: dispatch ahead of the device, lines that come together, outputs in files of their own."""

import json
import os
import unittest

from maxtext_logs import MaxTextLogs


class ToldLate(MaxTextLogs):
    def test_hosts_that_are_late(self):
        """The last of four hosts is more than a step late, and its lines may come behind those of all others."""

        def lines(host, late):
            return [(0.1 * host, "Config param steps: 12"), (0.5 + 0.1 * host, "Num_devices: 16, shape (16,)")] + [
                (1 + 0.6 * (n + 1) + late, self.STEP.format(n, 0.6, 150)) for n in range(12)
            ]

        hosts = [lines(host, late) for host, late in enumerate((0, 0.05, 0.3, 0.75))]
        merged = sorted(event for host in hosts for event in host)
        for order in (merged, sum(hosts, []), sum(hosts[::-1], [])):
            self.map("maxtext", self.log(*order, head="TFRT TPU v5p\n"), year=2026)
            self.assertEqual(
                self.rows("SELECT count(*), count(DISTINCT attempt), round(sum(seconds), 3) FROM training_steps"),
                [(12, 1, 7.2)],
            )
            self.assertNotIn(("lost", None), self.seconds())
            self.assertAlmostEqual(self.productive(), 16 * 12 * 0.6, 1)
            # a second of 8.2 is its set-up
            self.assertGreaterEqual(self.one("SELECT runtime_goodput(category, chip_us) FROM mpg_rollup"), 0.87)

    def test_dispatch_ahead(self):
        """Lines that come a step late, with the seconds between dispatches: spans are from line to line, and what a save took is known."""
        lines, now = [(22, self.STEP.format(0, 20.3, 20))], 22
        for n, (gap, seconds) in enumerate(
            [(2, 0.3), (2, 1.7), (2, 2), (7, 2), (0.3, 2), (1.7, 7), (2, 0.3), (2, 1.7), (2, 2)], 1
        ):
            now += gap
            lines += [(now, "Saved a checkpoint at step 5.")] if gap == 7 else []
            lines.append((now, self.STEP.format(n, seconds, 400 / seconds)))
        self.map("maxtext", self.log(*lines), year=2026)
        seconds = self.seconds()
        self.assertAlmostEqual(seconds["checkpoint", None], 8 * 3.3, 2)
        self.assertNotIn(("unknown", None), seconds)
        self.assertAlmostEqual(
            self.productive() + sum(s for key, s in seconds.items() if key != ("queued", None)), 8 * (now - 1.7), 1
        )

    def test_lines_that_are_told_at_once(self):
        """The last two of a run that dispatches ahead, and several of one second: each step counts, and they share the time since the line before."""

        def told(*times, seconds=10.0):
            lines = "".join(
                f"2026-03-02 09:00:{at:06.3f} completed step: {n}, seconds: {seconds}, TFLOP/s/device: 100.0, loss: 1.0\n"
                for n, at in enumerate(times)
            )
            path = self.file("Config param steps: 5\nTFRT TPU v5p\nNum_devices: 8, shape (8,)\n" + lines)
            self.map("maxtext", path)
            steps = self.rows(
                "SELECT step, round(start_time - 1772442000, 3), round(end_time - 1772442000, 3) FROM spans WHERE kind = 'step' ORDER BY start_time"
            )
            self.assertAlmostEqual(5 * 8 * 100e12 * seconds, self.one("SELECT sum(flops) FROM spans"), delta=1)
            self.assertEqual({}, self.issues(path))
            return steps

        early = [(0, 0, 10), (1, 10, 20), (2, 20, 30)]
        self.assertEqual(early + [(3, 30, 40), (4, 40, 50)], told(10, 20, 30, 40, 50))
        self.assertEqual(early + [(3, 30, 35), (4, 35, 40)], told(10, 20, 30, 40, 40))
        self.assertEqual(early + [(3, 30, 35.002), (4, 35.002, 40.004)], told(10, 20, 30, 40, 40.004))
        self.assertEqual(
            [(0, 6.7, 7), (1, 7, 7.5), (2, 7.5, 8), (3, 8, 8.5), (4, 8.5, 9)], told(7, 8, 8, 9, 9, seconds=0.3)
        )

    def test_forty_steps_that_are_told_late(self):
        """Of 2 s each, after a compilation of some 18 s, with a save of 3 s after every tenth; a line comes when the next but one is dispatched."""
        lines, now = [(22, self.STEP.format(0, 20.3, 400 / 20.3))], 22
        for n in range(1, 40):
            now += 0 if n == 39 else {8: 7, 9: 0.3, 0: 1.7}.get(n % 10, 2)
            seconds = {0: 7, 1: 0.3, 2: 1.7}.get(n % 10, 2)
            lines += [(now, f"Saved a checkpoint at step {n + 1}.")] if n % 10 == 8 else []
            lines.append((now, self.STEP.format(n, seconds, 400 / seconds)))
        self.map("maxtext", self.log(*lines), year=2026)
        seconds = self.seconds()
        self.assertTrue(18 <= seconds["compile", None] / 8 <= 20, seconds)
        self.assertAlmostEqual(80, self.productive() / 8, delta=1)
        self.assertNotIn(("lost", None), seconds)
        self.assertTrue(12 <= (seconds["checkpoint", None] + seconds.get(("unknown", None), 0)) / 8 <= 14, seconds)
        runtime, program = self.rows(
            "SELECT runtime_goodput(category, chip_us), program_goodput(category, chip_us) FROM mpg_rollup"
        )[0]
        self.assertTrue(0.70 <= runtime <= 0.75 and 0.42 <= program <= 0.45, (runtime, program))

    def test_a_device_that_is_dispatched_to_ahead(self):
        """MaxText of 2026 beside a device with a queue: each line comes with the next dispatch but one, evaluations between. Where they are none, the second step alone says that seconds are between dispatches."""
        for every, evaluations in ((10, 4), (1000, 0)):
            lines, now, free, told, last = [], 22.0, 22.0, [], 0.0

            def tell(lines, now, told):
                for text, ready in told:
                    now = max(now, ready)
                    lines.append((now, text))
                return now

            for n in range(40):
                now += 0.01
                free = max(now, free) + 2
                seconds, ready, began = now - last, free, now
                for batch in range(5) if (n + 1) % every == 0 else ():
                    now += 0.01
                    free = max(now, free) + 1
                    took, began = now - began, now
                    now = tell(lines, now, told)
                    told = [
                        (
                            f"Completed eval step: {batch}, seconds: {took:.3f}, running loss=3.000, running total_weights=65536",
                            free,
                        )
                    ]
                last = now
                now = tell(lines, now, told)
                told = [(self.STEP.format(n, seconds, 400 / seconds), ready)]
            now = tell(lines, now, told)
            self.map("maxtext", self.log(*lines), year=2026)
            seconds = self.seconds()
            self.assertAlmostEqual(5 * evaluations, seconds.get(("eval", None), 0) / 8, 0)
            self.assertAlmostEqual(80, self.productive() / 8, delta=1)
            self.assertNotIn(("unknown", None), seconds)

    def test_two_outputs_in_files_of_their_own(self):
        """Steps without a clock in one, Orbax's lines with the only one in the other: a job of two attempts, of which the second begins at its load. Steps are where one log with all lines has them."""
        steps = [self.STEP.format(n, 2, 150) + "\n" for n in range(15)]
        told = (
            (24, "[process=0] [async] Finished blocking save in 1.00 seconds. Continuing save @ gs://toy/ckpt/5."),
            (30, "[process=0] [async] Finished save (blocking + background) in 7.00 seconds @ gs://toy/ckpt/5"),
            (100, "[process=0] Finished load in 3.00 seconds @ gs://toy/ckpt/5/items"),
            (115, "[process=0] [async] Finished blocking save in 1.00 seconds. Continuing save @ gs://toy/ckpt/10."),
        )
        asides = [
            f"I0302 09:00:{second % 60:02d}.000000 140 event_tracking.py:138] {text}\n".replace(
                ":00:", f":{second // 60:02d}:", 1
            )
            for second, text in told
        ]
        setup = "Config param steps: 100\nNum_devices: 8\n"
        order = [
            setup,
            *steps[:6],
            asides[0],
            *steps[6:9],
            asides[1],
            *steps[9:12],
            setup,
            asides[2],
            *steps[6:11],
            asides[3],
            *steps[11:15],
        ]
        outputs = "".join(line for line in order if line not in asides), "".join(asides)
        ask = (
            "SELECT kind, step, attempt, start_time, end_time FROM trace_records(?) WHERE record = 'spans' ORDER BY 4, 1",
            "SELECT step, durable_time FROM trace_records(?) WHERE record = 'commits' ORDER BY 1",
            "SELECT attempt, chips, start_time, end_time FROM trace_records(?) WHERE record = 'allocations' ORDER BY 1",
        )
        whole, whole_options = self.file("".join(order)), {"year": 2026, "outcome": "failed"}
        wanted = [self.rows(query, json.dumps({"sources": [{"path": whole} | whole_options]})) for query in ask]
        self.assertEqual(
            [2, [24 - 12, 100]],
            [len(wanted[2]), [start - 1772442000 + 3 * (attempt == 2) for attempt, _, start, _ in wanted[2]]],
        )
        for names in (
            ("run.out", "run.err"),
            ("train.o123", "train.e123"),
            ("stdout.txt", "stderr.txt"),
            ("run.err", "run.out"),
            ("slurm-7_out.log", "slurm-7_err.log"),
        ):
            folder = self.folder_of({name: text for name, text in zip(names, outputs)})
            for job in ({}, {"job": "x"}):
                fleet = json.dumps({"sources": [{"path": folder} | whole_options | job]})
                with self.subTest(names=names, job=job):
                    self.assertEqual(wanted, [self.rows(query, fleet) for query in ask])
                    self.assertEqual(
                        [("joined_log", 4)],
                        self.rows(
                            "SELECT kind, count FROM mpg_issues WHERE source = ? AND severity <> 'info' OR kind = 'joined_log' AND source = ?",
                            *[os.path.join(folder, names[0])] * 2,
                        ),
                    )
                    self.assertEqual([("chip",)] * 2, self.rows("SELECT missing FROM trace_sources(?)", fleet))
        folder = self.folder_of(dict(zip(("run.out", "walk.err"), outputs)))
        self.rows("SELECT 1 FROM trace_rollup(?)", json.dumps({"sources": [{"path": folder} | whole_options]}))
        self.assertEqual(
            [], self.rows("SELECT 1 FROM mpg_issues WHERE kind = 'joined_log' AND source LIKE ? || '%'", folder)
        )

    def test_two_outputs_of_several_runs(self):
        """Whose steps have the same numbers: saves of one number, or loads one right after the other, are of one run each."""

        def told(*lines):
            return "".join(
                f"I0302 09:{second // 60:02d}:{second % 60:02d}.000000 140 event_tracking.py:138] [process=0] {text}\n"
                for second, text in lines
            )

        def save(at):
            return (at, "[async] Finished blocking save in 1.00 seconds. Continuing save @ gs://toy/ckpt/5."), (
                at + 7,
                "[async] Finished save (blocking + background) in 7.00 seconds @ gs://toy/ckpt/5",
            )

        def steps(first, last):
            return "Num_devices: 8\n" + "".join(self.STEP.format(n, 2, 150) + "\n" for n in range(first, last))

        load = "Finished load in 3.00 seconds @ gs://toy/ckpt/5/items"
        for out, err, saved, begins in (
            (steps(0, 12) + steps(0, 12), told(*save(23), *save(223)), [30, 230], None),
            (steps(0, 12) + 2 * steps(6, 9), told(*save(23), (100, load), (200, load)), [30], [11, 100, 200]),
        ):
            fleet = json.dumps(
                {"sources": [{"path": self.folder_of({"a.out": out, "a.err": err}), "year": 2026, "outcome": "failed"}]}
            )
            self.assertEqual(
                saved,
                [
                    at - 1772442000
                    for at, in self.rows(
                        "SELECT durable_time FROM trace_records(?) WHERE record = 'commits' ORDER BY 1", fleet
                    )
                ],
            )
            found = self.rows(
                "SELECT attempt, min(start_time) - ?2, max(end_time) - ?2 FROM trace_records(?1) WHERE kind = 'step' GROUP BY 1 ORDER BY 1",
                fleet,
                1772442000,
            )
            self.assertEqual(begins or [11, found[1][1]], [begin for _, begin, _ in found])
            self.assertLess(223 if begins is None else 0, found[1][2])

    def test_two_outputs_with_clocks(self):
        """Both have one: lines are in its order, and how many devices there are one file says for both."""
        steps = [(2 * n + 1.0, self.STEP.format(n, 2, 150)) for n in range(10)]
        other = [
            (0.5, "Num_devices: 8"),
            (11.5, "[process=0] Finished save (blocking) in 0.50 seconds @ gs://toy/ckpt/5"),
            (15.7, "Training stopped: Target loss"),
        ]
        sums, text = [], lambda events: "".join(
            f"I0302 09:00:{at:09.6f} 140 x.py:1] {line}\n" for at, line in sorted(events)
        )
        for files in (
            {"run.out": text(steps + other)},
            {"run.out": text(steps), "run.err": text(other)},
            {"run.out": text(other), "run.err": text(steps)},
        ):
            fleet = json.dumps({"sources": [{"path": self.folder_of(files), "year": 2026, "job": "x"}]})
            sums.append(
                [
                    self.rows("SELECT category, cause, sum(chip_us) FROM trace_rollup(?) GROUP BY 1, 2", fleet),
                    self.rows(
                        "SELECT attempt, chips, start_time, end_time, outcome FROM trace_records(?) WHERE record = 'allocations'",
                        fleet,
                    ),
                ]
            )
        self.assertEqual(8, sums[0][1][0][1])
        self.assertEqual([sums[0]] * 2, sums[1:])


if __name__ == "__main__":
    unittest.main()
