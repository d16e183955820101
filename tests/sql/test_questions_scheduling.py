"""The questions about scheduling and reliability: see test_questions.py."""

import math
import tempfile
import unittest
from collections import Counter, defaultdict
from fractions import Fraction

import naive
import world
from answers import built
from fleets import connect, create_tables, write_csv
from world import HOUR, SIZES, groups, ratio

FAILURES = ("failed", "node_fail", "gang_broken")
INTERRUPTIONS = FAILURES + ("preempted", "timeout")
WORLD = None


def setUpModule():
    global WORLD
    WORLD = world.the_world()


def rank(values, percent):
    """Nearest rank."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


class Scheduling(world.Case):
    def test_sg_by_size(self):
        capacity = sum(r["chip_us"] for r in WORLD.truth if r["category"] != "queued")
        rows = self.ask("sg_by_size")
        self.assertEqual(SIZES, [row["size"] for row in rows])
        for row in rows:
            mine = [r for r in WORLD.truth if r["job"] and WORLD.size[r["job"]] == row["size"]]
            partial = sum(r["chip_us"] for r in mine if r["category"] == "partial")
            queued = sum(r["chip_us"] for r in mine if r["category"] == "queued")
            allocated = sum(r["chip_us"] for r in mine) - partial - queued
            self.assertEqual(len({r["job"] for r in mine}), row["jobs"])
            for name, value in dict(
                held_chip_hours=Fraction(allocated + partial, HOUR),
                queued_chip_hours=Fraction(queued, HOUR),
                own=ratio(allocated, allocated + partial),
                demand=ratio(allocated, allocated + partial + queued),
                contribution=ratio(allocated, capacity),
            ).items():
                self.near(value, row[name], (row["size"], name))

    def test_stranded_idle(self):
        """A sweep over each pool's records: capacity less outages less held, against the shortfalls of the naive accounting."""
        for row in self.ask("stranded_idle"):
            pool, edges = row["pool"], []
            for name, sign in (("capacity", 1), ("outages", -1), ("allocations", -1)):
                for r in WORLD.relations[name]:
                    if r["pool"] == pool:
                        start, end = naive.microseconds(r["start_time"]), (
                            naive.microseconds(r["end_time"]) if r.get("end_time") else WORLD.as_of
                        )
                        edges += [(start, sign * Fraction(r["chips"]), None), (end, -sign * Fraction(r["chips"]), None)]
            for i in WORLD.intervals:
                if i.category == "queued" and i.pool == pool:
                    chips = Fraction(WORLD.jobs[i.job]["chips"]).limit_denominator(10**6)
                    wanted = (
                        round(Fraction(i.us, i.end - i.start), 3)
                        if chips >= 1
                        else Fraction(round(4 * i.us / (i.end - i.start)), 4)
                    )
                    edges += [(i.start, wanted, (i.job, i.start)), (i.end, -wanted, (i.job, i.start))]
            edges.sort(key=lambda e: e[0])
            idle, waiting, totals, at = Fraction(0), Counter(), Counter(), None
            for time, change, job in edges:
                if at is not None and time > at:
                    fits = sum(w for w in waiting.values() if 0 < w <= idle)
                    queued = sum(waiting.values())
                    for what, chips in (
                        ("idle", idle),
                        ("queued", queued),
                        ("stranded", min(idle, queued)),
                        ("fitting", min(idle, fits)),
                    ):
                        totals[what] += max(chips, 0) * (time - at)
                at = time
                if job is None:
                    idle += change
                else:
                    waiting[job] += change
            for what, us in totals.items():
                self.near(us / HOUR, row[what + "_chip_hours"], (pool, what), 1e-5)
            self.near(totals["stranded"] / totals["idle"], row["stranded_share"], pool, 1e-5)
            self.assertGreater(totals["stranded"], 0)

    def test_gang_assembly(self):
        """The generator's own events: first chip, gang complete, ended."""
        first, took, ready = {}, defaultdict(list), set()
        for e in WORLD.events:
            key = e["job"], e["attempt"]
            if e["event"] == "first_chip":
                first[key] = e["at_us"]
            elif e["event"] == "complete" and key not in ready:
                ready.add(key)
                took[WORLD.size[e["job"]]].append(e["at_us"] - first[key])
        attempts = Counter(WORLD.size[job] for job, _ in first)
        never = Counter(WORLD.size[job] for job, attempt in first if (job, attempt) not in ready)
        for row in self.ask("gang_assembly"):
            size = row["size"]
            mine = [r for r in WORLD.truth if r["job"] and WORLD.size[r["job"]] == size]
            incomplete = sum(r["chip_us"] for r in mine if r["category"] == "partial" and not r["cause"])
            surplus = sum(r["chip_us"] for r in mine if r["category"] == "partial" and r["cause"])
            held = sum(r["chip_us"] for r in mine if r["category"] != "queued")
            self.assertEqual((attempts[size], never[size]), (row["attempts"], row["never_ready"]), size)
            for name, value in dict(
                incomplete_chip_hours=Fraction(incomplete, HOUR),
                surplus_chip_hours=Fraction(surplus, HOUR),
                share=ratio(incomplete, held),
                p50_s=Fraction(rank(took[size], 50), 10**6),
                p90_s=Fraction(rank(took[size], 90), 10**6),
                p99_s=Fraction(rank(took[size], 99), 10**6),
                max_s=Fraction(max(took[size]), 10**6),
            ).items():
                self.near(value, row[name], (size, name))

    def test_a_gang_that_is_never_complete(self):
        """Two tasks of three, twice; and one that takes a minute."""
        start = 1767571200
        allocations = [
            dict(
                job=job,
                attempt=1,
                task=str(task),
                pool="p",
                chips=1,
                start_time=start + late,
                end_time=start + 3600,
                outcome="failed",
            )
            for job, tasks in (("x", (0, 0)), ("y", (0, 60)), ("z", (0, 60, 90)))
            for task, late in enumerate(tasks)
        ]
        relations = dict(
            capacity=[dict(pool="p", chip="tpu-v4", chips=9, start_time=start, end_time=start + 3600)],
            allocations=allocations,
            jobs=[dict(job=job, chips=3, tasks=3) for job in "xyz"],
        )
        with tempfile.TemporaryDirectory() as folder:
            write_csv(folder, relations)
            (row,) = self.ask("gang_assembly", built(folder))
        self.assertEqual((3, 2, 90.0, 90.0), (row["attempts"], row["never_ready"], row["p50_s"], row["max_s"]))
        self.near(Fraction(2 * 3600 + 3600 + 3540 + 60 + 2 * 30, 3600), row["incomplete_chip_hours"])

    def test_preemptions(self):
        """Who was preempted for whom, as the scheduler that did it tells."""
        expected = defaultdict(list)
        for e in WORLD.events:
            if e["event"] == "preempted":
                expected[WORLD.size[e["job"]], WORLD.size[e["other"]]].append(e)
        self.assertGreater(len(expected), 1)
        rows = self.ask("preemptions")
        self.assertEqual(
            {key: len(events) for key, events in expected.items()},
            {(row["victim_size"], row["beneficiary_size"]): row["preemptions"] for row in rows},
        )
        for row in rows:
            events = expected[row["victim_size"], row["beneficiary_size"]]
            destroyed = sum(
                a["sums"]["lost"]
                for (job, _), a in WORLD.attempts.items()
                if a["outcome"] == "preempted" and any(e["job"] == job and e["at_us"] == a["end"] for e in events)
            )
            self.near(Fraction(destroyed, HOUR), row["destroyed_chip_hours"])
            self.near(Fraction(destroyed, HOUR) / len(events), row["per_preemption"])
            self.assertEqual(sum(WORLD.chips[e["job"]] for e in events), row["freed_chips"])
            self.assertEqual(len({e["job"] for e in events}), row["victims"])
        self.assertGreater(sum(row["destroyed_chip_hours"] for row in rows), 0)
        self.assertEqual({None}, {row["beneficiary_size"] for row in self.ask("preemptions", within=-1)})

    def test_queue_delay(self):
        first = {}
        for r in WORLD.relations["allocations"]:
            at = naive.microseconds(r["start_time"]), r["pool"]
            first[r["job"]] = min(first.get(r["job"], at), at)

        def delays(segment):
            found = defaultdict(list)
            for job, (at, pool) in first.items():
                if WORLD.jobs[job].get("submit_time"):
                    found[segment(job, pool)].append(max(0, at - naive.microseconds(WORLD.jobs[job]["submit_time"])))
            return found

        for by, segment in (
            ("pool", lambda job, pool: pool),
            ("size", lambda job, pool: WORLD.size[job]),
            ("fleet", lambda job, pool: "fleet"),
            ("priority", lambda job, pool: WORLD.jobs[job]["priority"]),
        ):
            expected = delays(segment)
            cells = [c for c in WORLD.cells if c.job] if by in ("size", "priority") else WORLD.cells
            sums = groups(cells, (lambda c: "fleet") if by == "fleet" else (lambda c: getattr(c, by)))
            rows = self.ask("queue_delay", by=by)
            self.assertEqual(set(sums), {row["segment"] for row in rows})
            for row in rows:
                waits, s = expected.get(row["segment"], []), sums[row["segment"]]
                self.assertEqual(len(waits), row["jobs"])
                for name, value in dict(
                    p50_s=Fraction(rank(waits, 50), 10**6) if waits else None,
                    p90_s=Fraction(rank(waits, 90), 10**6) if waits else None,
                    max_s=Fraction(max(waits), 10**6) if waits else None,
                    queued_chip_hours=Fraction(s.queued, HOUR),
                    SG=s.SG,
                    occupancy=ratio(s.held, s.capacity),
                ).items():
                    self.near(value, row[name], (by, row["segment"], name))
        whole = self.ask("queue_delay", by="fleet")[0]["jobs"]
        self.assertEqual(whole, sum(row["jobs"] for row in self.ask("queue_delay", by="pool")))
        submitted = Counter(WORLD.jobs[job]["submit_time"][:10] for job in first if WORLD.jobs[job].get("submit_time"))
        self.assertEqual(submitted, {row["segment"]: row["jobs"] for row in self.ask("queue_delay", by="day")})

    def test_queue_delay_by_the_clocks_of_the_ledger(self):
        """The day of a submission is that of the SG beside it. Two attempts that begin at once are one first chip."""
        start = 1767654600  # 2026-01-05 23:10, which is the 6th in Berlin
        relations = dict(
            capacity=[dict(pool="p", chip="tpu-v4", chips=8, start_time=start, end_time=start + 7200)],
            jobs=[dict(job="x", chips=4, submit_time=start)],
            allocations=[
                dict(
                    job="x",
                    attempt=attempt,
                    pool="p",
                    chips=4,
                    start_time=start + 60,
                    end_time=start + 3600,
                    outcome="failed",
                )
                for attempt in (1, 2)
            ],
        )
        for offset, days in (
            ("+01:00", {"2026-01-06": 1}),
            ("-03:00", {"2026-01-05": 1}),
            (None, {"2026-01-05": 1, "2026-01-06": 0}),
        ):
            with tempfile.TemporaryDirectory() as folder:
                write_csv(folder, relations)
                db = built(folder, **({"offset": offset} if offset else {}))
            self.assertEqual(
                days, {row["segment"]: row["jobs"] for row in self.ask("queue_delay", db, by="day")}, offset
            )
            self.assertEqual([("p", 1)], [(row["segment"], row["jobs"]) for row in self.ask("queue_delay", db)])


class Reliability(world.Case):
    def loops(self, least):
        found, streak = [], []
        for key in sorted(WORLD.attempts) + [(None, 0)]:
            a = WORLD.attempts.get(key)
            dud = a is not None and a["outcome"] in ("failed", "node_fail") and not a["productive"]
            if streak and (not dud or key[0] != streak[-1][0]):
                if len(streak) >= least:
                    found.append(streak)
                streak = []
            if dud:
                streak.append(key)
        return found

    def test_crash_loops(self):
        for least in (3, 2):
            rows = self.ask("crash_loops", **({} if least == 3 else {"attempts": least}))
            loops = self.loops(least)
            self.assertEqual(
                sorted((keys[0][0], len(keys)) for keys in loops), sorted((row["job"], row["attempts"]) for row in rows)
            )
            self.assertGreater(len(loops), 3)
            self.in_order(rows, "held_chip_hours")
            for keys in loops:
                job = keys[0][0]
                members = [WORLD.attempts[key] for key in keys]
                (row,) = [row for row in rows if row["job"] == job and row["first_us"] == members[0]["start"]]
                self.assertEqual(members[-1]["end"], row["last_us"])
                self.near(Fraction(sum(a["held"] for a in members), HOUR), row["held_chip_hours"])
                blocked, others = 0, set()
                for a in members:
                    chips = Fraction(a["held"], a["end"] - a["start"])
                    queue = [
                        i
                        for i in WORLD.intervals
                        if i.category == "queued"
                        and i.pool == a["pool"]
                        and i.job != job
                        and i.start < a["end"]
                        and i.end > a["start"]
                    ]
                    others |= {i.job for i in queue}
                    edges = sorted({min(max(t, a["start"]), a["end"]) for i in queue for t in (i.start, i.end)})
                    for s, e in zip(edges, edges[1:]):
                        wanted = sum(Fraction(i.us, i.end - i.start) for i in queue if i.start <= s and i.end >= e)
                        blocked += min(chips, wanted) * (e - s)
                self.near(blocked / HOUR, row["blocked_chip_hours"], (job, "blocked"), 1e-4)
                self.assertEqual(len(others), row["blocked_jobs"], job)

    def held_in(self, job, attempt, start, end):
        return sum(
            i.us
            for i in self.by_attempt[job, attempt]
            if start <= i.start and i.end <= end and (i.category != "partial" or i.cause)
        )

    @property
    def by_attempt(self):
        if not hasattr(Reliability, "_by"):
            Reliability._by = defaultdict(list)
            for i in WORLD.intervals:
                Reliability._by[i.job, i.attempt].append(i)
        return Reliability._by

    def test_mttf(self):
        by = defaultdict(list)
        for job, attempt, start, end, outcome in WORLD.runs:
            by[WORLD.size[job]].append((end - start, self.held_in(job, attempt, start, end), outcome))
        fleet = Fraction(
            sum(r[1] for runs in by.values() for r in runs), sum(r[2] in FAILURES for runs in by.values() for r in runs)
        )
        rows = self.ask("mttf")
        self.assertEqual(SIZES, [row["size"] for row in rows])
        for row in rows:
            runs = by[row["size"]]
            time, held, failures = sum(r[0] for r in runs), sum(r[1] for r in runs), sum(r[2] in FAILURES for r in runs)
            self.assertEqual(
                (len(runs), failures, sum(r[2] == "preempted" for r in runs)),
                (row["runs"], row["failures"], row["preemptions"]),
            )
            chips = Fraction(held, time)
            mttf = Fraction(time, failures * HOUR) if failures else None
            for name, value in dict(
                run_hours=Fraction(time, HOUR),
                mean_chips=chips,
                mttf_hours=mttf,
                expected_hours=fleet / chips / HOUR,
                ratio=mttf / (fleet / chips / HOUR) if failures else None,
            ).items():
                self.near(value, row[name], (row["size"], name))

    def test_mttr(self):
        """The spans of each job but servers around each interruption, as they are recorded."""
        expected = defaultdict(list)
        servers = {job["job"] for job in WORLD.relations["jobs"] if job["phase"] == "serving"}
        self.assertTrue(any(run[0] in servers and run[4] in INTERRUPTIONS for run in WORLD.runs))
        for (job, attempt, start, end, outcome), after in zip(WORLD.runs, WORLD.runs[1:]):
            if job != after[0] or outcome not in INTERRUPTIONS or job in servers:
                continue
            spans = WORLD.spans_of(job)
            cut = lambda s: min(s["end"] if s["end"] is not None else after[3], after[3])
            ran = [min(s["end"] if s["end"] is not None else end, end) for s in spans if start <= s["start"] < end]
            progress = self.first_progress(spans, after[2], after[3])
            if progress is None:
                continue
            restore = sum(
                cut(s) - s["start"] for s in spans if s["kind"] == "restore" and after[2] <= s["start"] < progress
            )
            expected[WORLD.size[job], outcome].append(
                (end - max(ran, default=end), after[2] - end, restore, progress - after[2] - restore)
            )
        self.assertGreater(len(expected), 5)
        rows = self.ask("mttr")
        self.assertEqual(
            {key: len(v) for key, v in expected.items()},
            {(row["size"], row["outcome"]): row["interruptions"] for row in rows},
        )
        for row in rows:
            found = expected[row["size"], row["outcome"]]
            for n, name in enumerate(("detect_s", "replace_s", "restore_s", "warm_up_s")):
                self.near(
                    Fraction(sum(f[n] for f in found), len(found) * 10**6),
                    row[name],
                    (row["size"], row["outcome"], name),
                )
            self.near(Fraction(sum(map(sum, found)), len(found) * 10**6), row["mttr_s"])
        self.assertGreater(max(row["detect_s"] for row in rows), 60)

    def first_progress(self, spans, start, end):
        """The first moment in [start, end) at which a step runs itself: not the input, say, that is nested at its very start."""
        steps = sorted(
            (s["start"], end if s["end"] is None else min(s["end"], end))
            for s in spans
            if s["kind"] in ("step", "serve", "batch") and start <= s["start"] < end
        )
        nested = {s["start"]: end if s["end"] is None else s["end"] for s in spans if s["kind"] == "input"}
        for at, until in steps:
            while at in nested and at < until:
                at = nested[at]
            if at < until:
                return at
        return None

    def test_checkpoint_interval(self):
        hits, by_size = Counter(), defaultdict(lambda: [0, 0])
        totals = defaultdict(lambda: [0, 0, 0])
        for job, attempt, start, end, outcome in WORLD.runs:
            hit = outcome in INTERRUPTIONS
            hits[job] += hit
            by_size[WORLD.size[job]][0] += end - start
            by_size[WORLD.size[job]][1] += hit
            t = totals[job]
            t[0] += end - start
            t[1] += self.held_in(job, attempt, start, end)
        self.in_order(self.ask("checkpoint_interval"), "lost_chip_hours")
        for (job, _), a in WORLD.attempts.items():
            totals[job][2] += a["sums"]["lost"]
        rows = {row["job"]: row for row in self.ask("checkpoint_interval")}
        self.assertEqual({job for job, n in hits.items() if n}, set(rows))
        seen = repaired = 0
        for job, row in rows.items():
            run, held, lost = totals[job]
            mtti = by_size[WORLD.size[job]][0] / by_size[WORLD.size[job]][1] / 1e6
            self.assertEqual((hits[job], WORLD.size[job]), (row["interruptions"], row["size"]))
            self.near(Fraction(lost, HOUR), row["lost_chip_hours"], job)
            self.near(Fraction(lost * run, held * hits[job] * 10**6), row["lost_s"], job)
            self.near(mtti, row["mtti_s"], job)
            saves = [s for s in WORLD.spans_of(job) if s["kind"] == "checkpoint" and s["end"] is not None]
            save = sum(s["end"] - s["start"] for s in saves) / len(saves) / 1e6 if saves else None
            self.near(save, row["save_s"], job)
            gaps = []
            begun = sorted(start for j, _, start, _, _ in WORLD.runs if j == job)
            repaired += len(begun) > len({attempt for j, attempt, *_ in WORLD.runs if j == job})
            for start, later in zip(begun, [*begun[1:], math.inf]):
                times = sorted(
                    t
                    for t in (
                        naive.microseconds(c["durable_time"])
                        for c in WORLD.relations["commits"]
                        if c["job"] == job and c.get("durable_time")
                    )
                    if start <= t < later
                )
                gaps += [b - a for a, b in zip(times, times[1:]) if b > a]
            self.near(sum(gaps) / len(gaps) / 1e6 if gaps else None, row["interval_s"], job)
            self.near(sum(gaps) / len(gaps) / 2e6 if gaps else None, row["expected_lost_s"], job)
            if save:
                self.near(math.sqrt(2 * save * mtti), row["young_s"], job)
                daly = (
                    math.sqrt(2 * save * mtti) * (1 + math.sqrt(save / 2 / mtti) / 3 + save / 2 / mtti / 9) - save
                    if save < 2 * mtti
                    else mtti
                )
                self.near(daly, row["daly_s"], job)
                seen += bool(gaps)
        self.assertGreater(seen, 10)
        self.assertGreater(repaired, 1, "runs that a repair parts, within an attempt")

    def test_bad_nodes(self):
        """Tasks that name hosts, some of which fail more often than the others."""
        relations = dict(WORLD.relations)
        hosts = [
            dict(r, task=f"host-{(int(r['task'] or 0) * 7 + len(r['job'])) % 11}") for r in relations["allocations"]
        ]
        for i, r in enumerate(hosts):
            if r["task"] == "host-3" and i % 3 == 0 and r.get("outcome") == "failed":
                r["outcome"] = "node_fail"
        with tempfile.TemporaryDirectory() as folder:
            write_csv(folder, dict(relations, allocations=hosts))
            db = built(folder)
        failures, held = Counter(), Counter()
        for r in hosts:
            key = r["pool"], r["task"]
            failures[key] += r.get("outcome") == "node_fail"
            end = naive.microseconds(r["end_time"]) if r.get("end_time") else WORLD.as_of
            held[key] += Fraction(r["chips"]) * (end - naive.microseconds(r["start_time"]))
        for given in ({}, {"least": 1, "times": 1}):
            least, times = given.get("least", 2), given.get("times", 2)
            expected = []
            for pool, node in held:
                others = [key for key in held if key[0] == pool and key[1] != node]
                of_others, time = sum(failures[k] for k in others), sum(held[k] for k in others)
                mine = failures[pool, node]
                share = of_others * held[pool, node] / time
                if mine >= least and (not of_others or mine >= times * share):
                    expected.append(
                        dict(
                            pool=pool,
                            node=node,
                            failures=mine,
                            held_chip_hours=held[pool, node] / HOUR,
                            rate=mine / (held[pool, node] / HOUR / 1000),
                            peers_rate=of_others / (time / HOUR / 1000),
                            expected=share,
                            ratio=mine / share if share else None,
                        )
                    )
            rows = self.ask("bad_nodes", db, **given)
            self.assertGreater(len(rows), 0)
            key = lambda r: (r["pool"], r["node"])
            self.rows_near(sorted(expected, key=key), sorted(rows, key=key), ["pool", "node"])
        self.assertIn("host-3", {row["node"] for row in rows})

    def test_bad_nodes_of_pools_that_end_apart(self):
        """What is open is held as long as its pool is observed, or its job."""
        db = connect()
        create_tables(
            db,
            dict(
                capacity=[dict(pool=pool, chips=8, start_time=0, end_time=36000) for pool in "pq"],
                allocations=[
                    dict(job=job, attempt=1, task=job, pool=pool, chips=8, start_time=0, end_time=end, outcome=outcome)
                    for job, pool, end, outcome in (
                        ("a", "p", 3600, "node_fail"),
                        ("b", "p", None, None),
                        ("c", "p", None, None),
                        ("d", "q", None, None),
                    )
                ],
            ),
            temp=True,
        )
        db.execute("CREATE TEMP TABLE observed(pool, until_time, job)")
        db.execute("INSERT INTO temp.observed VALUES ('p', 7200, NULL), ('q', 36000, NULL), ('p', 5400, 'c')")
        db.execute("SELECT mpg_build(NULL)").fetchall()
        (row,) = self.ask("bad_nodes", db, least=1)
        (held,) = db.execute("SELECT sum(chip_us) / 3.6e9 FROM ledger WHERE job IN ('b', 'c')").fetchone()
        self.assertEqual(28, held)
        self.assertEqual(("a", 8), (row["node"], row["held_chip_hours"]))
        db.execute("UPDATE allocations SET outcome = 'node_fail' WHERE job IN ('b', 'c')")
        rows = self.ask("bad_nodes", db, least=1, times=0.01)
        self.assertEqual(
            {"a": 8, "b": 16, "c": 12}, {row["node"]: row["held_chip_hours"] for row in rows if row["pool"] == "p"}
        )

    def test_mttr_of_attempts_that_overlap(self):
        """A job of which another attempt runs already was not interrupted: nothing recovers in less than no time."""
        with tempfile.TemporaryDirectory() as folder:
            write_csv(
                folder,
                dict(
                    capacity=[dict(pool="p", chips=8, start_time=0, end_time=1000)],
                    jobs=[dict(job="j", chips=4)],
                    allocations=[
                        dict(job="j", attempt=n, pool="p", chips=4, start_time=start, end_time=end, outcome=outcome)
                        for n, start, end, outcome in (
                            (1, 0, 300, "failed"),
                            (2, 200, 500, "failed"),
                            (3, 600, 900, "completed"),
                        )
                    ],
                    spans=[
                        dict(job="j", attempt=n, kind="step", step=n, start_time=start, end_time=end)
                        for n, start, end in ((1, 0, 300), (2, 200, 500), (3, 650, 900))
                    ],
                ),
            )
            db = built(folder)
        (row,) = self.ask("mttr", db)
        self.assertEqual(
            ("S", "failed", 1, 0, 100, 0, 50, 150),
            tuple(
                row[name] for name in "size outcome interruptions detect_s replace_s restore_s warm_up_s mttr_s".split()
            ),
        )


if __name__ == "__main__":
    unittest.main()
