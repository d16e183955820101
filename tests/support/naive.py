#!/usr/bin/python3
"""naive.py - the ledger computed a second time, slowly, from docs/rules.md alone.

Nothing here is clever: time is cut at every instant at which any record begins or ends, and each of
the elementary intervals so made is looked at by itself. Times are whole microseconds, chips are
millionths, chip-time is chip-microseconds; Python's integers and fractions keep them exact.

    import naive
    result = naive.compute(naive.load_folder('fixtures/golden'), bucket='1 hour')
    result.ledger    Counter of (pool, chip, job, attempt, category, cause, bucket) -> chip_us
    result.issues    set of the kinds of issues found
    result.jobs      job -> its dimensions and size
    result.capacity  Counter of (pool, bucket) -> chip_us that the records of capacity add up to

    tests/support/naive.py FOLDER [as_of]     prints totals

Section numbers in the comments are those of docs/rules.md.
Sections 3 to 5 are in naive_jobs.py, the records and their values in naive_records.py.
"""
import bisect
import json
import math
import re
import sys
from collections import Counter, defaultdict
from datetime import datetime, timedelta
from fractions import Fraction

from naive_jobs import OUTCOMES, Jobs
from naive_records import (
    COLUMNS,
    MILLION,
    Chips,
    Row,
    half_even,
    load_folder,
    microseconds,
)  # noqa: F401: those who import this ask it for them

TOO_MUCH = 4 * 10**18  # chip-microseconds of a span that is rated
KINDS = {
    "init",
    "prep",
    "compile",
    "restore",
    "input",
    "checkpoint",
    "eval",
    "hang",
    "step",
    "serve",
    "batch",
    "rollout",
}
DIMENSIONS = ["name", "owner", "phase", "framework", "runtime", "model", "priority", "labels"]


# Buckets of time (UTC)

EPOCH = datetime(1970, 1, 1)
UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}


class Bucket:
    def __init__(self, width):
        self.months = 0
        self.origin = 0
        match = (
            re.fullmatch(r"(?:(\d+) )?([a-z]+?)s?(?: ([+-])(\d\d):(\d\d))?", width) if isinstance(width, str) else None
        )
        self.ahead = 0
        if match and match[3]:
            self.ahead = int(match[3] + "1") * (int(match[4]) * 60 + int(match[5])) * 60 * MILLION
        if match and match[2] in ("month", "quarter", "year"):
            self.months = int(match[1] or 1) * {"month": 1, "quarter": 3, "year": 12}[match[2]]
        elif match:
            self.width = int(match[1] or 1) * UNITS[match[2]] * MILLION
            if match[2] == "week":
                self.origin = 4 * 86400 * MILLION  # 1970-01-05 was a Monday
        else:
            self.width = half_even(Fraction(width) * MILLION)

    def start(self, us):
        us += self.ahead
        if not self.months:
            return (us - self.origin) // self.width * self.width + self.origin - self.ahead
        at = EPOCH + timedelta(microseconds=us)
        month = ((at.year - 1970) * 12 + at.month - 1) // self.months * self.months
        return self.month(month) - self.ahead

    @staticmethod
    def month(month):
        at = datetime(1970 + month // 12, month % 12 + 1, 1)
        return (at - EPOCH) // timedelta(microseconds=1)

    def next(self, start):
        if not self.months:
            return start + self.width
        at = EPOCH + timedelta(microseconds=start + self.ahead)
        return self.month((at.year - 1970) * 12 + at.month - 1 + self.months) - self.ahead

    def label(self, start):
        at = EPOCH + timedelta(microseconds=start + self.ahead)
        if self.months or self.width % (86400 * MILLION) == 0:
            return at.strftime("%Y-%m-%d")
        if self.width % MILLION == 0:
            return at.strftime("%Y-%m-%d %H:%M:%S")
        return at.strftime("%Y-%m-%d %H:%M:%S.%f")


# The rules


def chip_time(r, s, e):
    """Section 8: chip-microseconds of r millionths of a chip over [s, e)."""
    return r * e // MILLION - r * s // MILLION


def floor_share(amount, part, total):
    return amount * part // total


def half_away(x):
    """round(x), half away from zero, of a Fraction."""
    return int(math.copysign(math.floor(abs(x) + Fraction(1, 2)), x)) if x else 0


class Result:
    def __init__(self):
        self.ledger = Counter()
        self.issues = set()
        self.jobs = {}
        self.capacity = Counter()


class Ledger(Jobs):
    def __init__(
        self,
        relations,
        as_of=None,
        since=None,
        until=None,
        bucket=None,
        basis="installed",
        sizes=(16, 256, 2048),
        roofline="compute",
    ):
        self.result = Result()
        self.basis, self.sizes, self.roofline = basis, sizes, roofline
        self.since, self.until = microseconds(since), microseconds(until)
        self.bucket = Bucket(bucket) if bucket is not None else None
        self.rows = {name: [Row(name, values) for values in relations.get(name, [])] for name in COLUMNS}
        self.chips = Chips(self.rows["chips"])
        self.slips()
        self.end_of_trace(microseconds(as_of))

    def issue(self, kind):
        self.result.issues.add(kind)

    def slips(self):
        """Texts that look like what the rules know, and are not."""
        for span in self.rows["spans"]:
            if (
                span.kind not in KINDS
                and re.sub("^train(ing)?|s$", "", re.sub("[^a-z]", "", span.kind.lower())) in KINDS
            ):
                self.issue("similar_kind")
        for job in self.rows["jobs"]:
            try:
                is_object = job.labels is None or isinstance(json.loads(job.labels), dict)
            except ValueError:
                is_object = False
            if not is_object:
                self.issue("invalid_labels")

    # 1. The end of the trace

    def end_of_trace(self, as_of):
        pools = {
            r.pool
            for name in ("capacity", "outages", "allocations", "observed")
            for r in self.rows[name]
            if r.pool is not None
        }
        observed, observed_jobs = {}, {}
        if as_of is None:
            for r in self.rows["observed"]:
                if r.job is not None:
                    observed_jobs[r.job] = max(r.until_time, observed_jobs.get(r.job, r.until_time))
                    continue
                if r.until_time is not None:
                    observed[r.pool] = max(r.until_time, observed.get(r.pool, r.until_time))
            for pool in pools:
                if None in observed:
                    observed.setdefault(pool, observed[None])
            for a in self.rows["allocations"]:
                if a.pool in observed and max(a.start_time, a.end_time or 0) > observed[a.pool]:
                    self.issue("after_observed")
            of_pools, of_jobs = (
                max(
                    (
                        getattr(row, column)
                        for name, rows in self.rows.items()
                        for row in rows
                        for column in ("start_time", "end_time", "submit_time", "snapshot_time", "durable_time")
                        if (name in ("capacity", "outages")) == pools and getattr(row, column, None) is not None
                    ),
                    default=0,
                )
                for pools in (True, False)
            )
            as_of = max(of_pools, of_jobs)
            if of_pools > of_jobs and any(
                a.end_time is None and a.pool not in observed and a.job not in observed_jobs
                for a in self.rows["allocations"]
            ):
                self.issue("as_of_ahead")
            if any(r.end_time is None and r.start_time >= observed.get(r.pool, as_of) for r in self.rows["capacity"]):
                self.issue("not_observed")
        self.pool_end = {pool: observed.get(pool, as_of) for pool in pools}
        self.as_of = max(self.pool_end.values(), default=observed.get(None, as_of))
        self.job_end = defaultdict(lambda: self.as_of)
        for job in {a.job for a in self.rows["allocations"]}:
            self.job_end[job] = max(self.pool_end[a.pool] for a in self.rows["allocations"] if a.job == job)
        for job, until in observed_jobs.items():
            self.job_end[job] = min(self.job_end[job], until)
        for name in ("capacity", "outages", "allocations", "spans"):
            for r in self.rows[name]:
                end = self.job_end[r.job] if name == "spans" else self.pool_end[r.pool]
                if name == "allocations":
                    end = min(end, observed_jobs.get(r.job, end))
                r.counts = r.start_time < end
                r.open = r.end_time is None
                r.cut = r.open or r.end_time > end
                r.length = None if r.open else r.end_time - r.start_time
                if r.cut:
                    r.end_time = end
            self.rows[name] = [r for r in self.rows[name] if r.counts]
        for c in self.rows["commits"]:
            c.taken = c.snapshot_time if c.snapshot_time is not None else c.durable_time
            if c.durable_time is not None and c.durable_time > self.job_end[c.job]:
                c.durable_time = None
        self.rows["commits"] = [c for c in self.rows["commits"] if c.taken is None or c.taken <= self.job_end[c.job]]

    # 8. Windows, buckets and integers

    def pieces(self, s, e):
        """[s, e) cut at the window and at the edges of buckets: (start, end, bucket)."""
        if self.since is not None:
            s = max(s, self.since)
        if self.until is not None:
            e = min(e, self.until)
        while s < e:
            if self.bucket is None:
                yield s, e, None
                return
            start = self.bucket.start(s)
            end = min(e, self.bucket.next(start))
            yield s, end, self.bucket.label(start)
            s = end

    def add(self, pool, chip, job, attempt, category, cause, bucket, us):
        if us:
            self.result.ledger[pool, chip, job, attempt, category, cause, bucket] += us

    def add_chips(self, pool, job, attempt, category, cause, r, s, e):
        chip = self.chip_of(pool, s)
        for a, b, bucket in self.pieces(s, e):
            self.add(pool, chip, job, attempt, category, cause, bucket, chip_time(r, a, b))

    # 2. Capacity, down, idle

    def pool_edges(self, pool):
        edges = set()
        for name in ("capacity", "outages", "allocations"):
            for r in self.rows[name]:
                if r.pool == pool:
                    edges |= {r.start_time, r.end_time}
        return sorted(edges)

    def named_chips(self, pool, at):
        return {
            self.chips.find(r.chip) or r.chip
            for r in self.rows["capacity"]
            if r.pool == pool and r.start_time <= at < r.end_time and r.chip is not None
        }

    def index_chips(self):
        """For each pool the instants at which its chip may change, and the chip from there on."""
        self.chip_edges, self.chip_values = {}, {}
        for pool in self.pools:
            edges = sorted({t for r in self.rows["capacity"] if r.pool == pool for t in (r.start_time, r.end_time)})
            names = [self.named_chips(pool, t) for t in edges]
            if any(len(n) > 1 for n in names):
                self.issue("mixed_pool")
            kinds = {
                self.chips.find(r.chip) or r.chip
                for r in self.rows["capacity"]
                if r.pool == pool and r.chip is not None
            }
            self.chip_edges[pool] = edges
            self.chip_values[pool] = [next(iter(n)) if len(n) == 1 else None for n in names]
            told = {
                self.chips.find(r.chip) or r.chip
                for r in self.rows["observed"]
                if r.pool == pool and r.chip is not None
            }
            if len(kinds or told) == 1:
                self.chip_edges[pool], self.chip_values[pool] = [-math.inf], list(kinds or told)
            elif not kinds and told:
                self.chip_edges[pool], self.chip_values[pool] = [-math.inf], [max(told)]

    def chip_of(self, pool, at):
        i = bisect.bisect_right(self.chip_edges.get(pool, []), at) - 1
        return self.chip_values[pool][i] if i >= 0 else None

    def account_pool(self, pool):
        records = {
            name: [r for r in self.rows[name] if r.pool == pool] for name in ("capacity", "outages", "allocations")
        }
        known = bool(records["capacity"])
        edges = self.pool_edges(pool)
        for s, e in zip(edges, edges[1:]):
            capacity = sum(r.chips for r in records["capacity"] if r.start_time <= s < r.end_time)
            down, held = Counter(), Counter()
            for r in records["outages"]:
                if r.start_time <= s < r.end_time:
                    down[r.kind or "down"] += r.chips
            for r in records["allocations"]:
                if r.start_time <= s < r.end_time:
                    held[r.job, r.number] += r.chips
            if self.basis == "shard":
                capacity, down = 0 if known else None, Counter()
            elif not known:
                capacity = None
                if down or any(held.values()):
                    self.issue("no_capacity")
            elif sum(down.values()) + sum(held.values()) > capacity:
                self.issue("oversubscribed")
            if (
                known
                and self.basis != "shard"
                and not any(r.chips for r in records["capacity"])
                and (any(r.start_time <= s < r.end_time for r in records["capacity"]) or down or any(held.values()))
            ):
                self.issue("zero_capacity")
            chip = self.chip_of(pool, s)
            for a, b, bucket in self.pieces(s, e):
                down_us = sum(chip_time(r, a, b) for r in down.values())
                held_us = sum(chip_time(r, a, b) for r in held.values())
                total = down_us + held_us if capacity is None else chip_time(capacity, a, b)
                self.add(pool, chip, None, None, "idle", None, bucket, total - down_us - held_us)
                if self.basis == "installed":
                    for kind, r in down.items():
                        self.add(pool, chip, None, None, "down", kind, bucket, chip_time(r, a, b))
                elif self.basis == "in_service":
                    total -= down_us
                if total:
                    self.result.capacity[pool, bucket] += total

    # 6. Ideal, inefficiency, unrated

    def work_of(self, span, column):
        """The span's own FLOPs or bytes, else those of its program."""
        if getattr(span, column) is not None:
            return getattr(span, column)
        program = self.programs.get(span.program)
        if program is None or getattr(program, column) is None:
            return None
        executions = span.executions if span.executions is not None else 1.0
        return getattr(program, column) * executions

    def dtype_of(self, span):
        if span.dtype is not None:
            return span.dtype
        program = self.programs.get(span.program)
        return program.dtype if program else None

    def account_productive(self, job, attempt, span, parts, own, own_of_job):
        """parts: [(start, end, pool, r)] in which the productive span is innermost and the job's."""
        flops, moved = self.work_of(span, "flops"), self.work_of(span, "bytes")
        left = 1.0
        if span.length:
            left = (span.end_time - span.start_time) / span.length
        if flops and not own:
            self.issue("hidden_span")
        if span.program is not None and span.program not in self.programs and flops is None:
            self.issue("unknown_program")
        parts = sorted(parts, key=lambda p: (p[2], p[0]))
        kinds = defaultdict(list)
        for part in parts:
            kinds[self.chip_of(part[2], part[0])].append(part)
        total = sum(chip_time(r, s, e) for s, e, _, r in parts)
        if total >= TOO_MUCH:
            flops = None
        ideals = 0
        for chip, members in kinds.items():
            weight = sum(chip_time(r, s, e) for s, e, _, r in members)
            peak = None
            if flops is not None and weight:
                if chip is not None and self.chips.find(chip) is None:
                    self.issue("unknown_chip")
                elif chip is not None:
                    peak = self.chips.peak(self.chips.find(chip), self.dtype_of(span))
                    if peak is None:
                        self.issue("unknown_dtype")
            ideal = 0
            if weight and peak is not None:
                us = 1e6 * (flops * left * own_of_job / own * (weight / total)) / peak
                if self.roofline == "memory":
                    bandwidth = self.chips.bandwidth(self.chips.find(chip))
                    if moved is not None and bandwidth is not None:
                        us = max(us, 1e6 * (moved * left * own_of_job / own * (weight / total)) / bandwidth)
                ideal = half_away(Fraction(us))
            if flops is None or peak is None or ideal >= TOO_MUCH:
                for s, e, pool, r in members:
                    self.add_chips(pool, job.job, attempt.number, "unrated", None, r, s, e)
                continue
            ideals += ideal
            before = 0
            for s, e, pool, r in members:
                after = before + chip_time(r, s, e)
                amount = floor_share(ideal, after, weight) - floor_share(ideal, before, weight) if weight else 0
                before = after
                for a, b, bucket in self.pieces(s, e):
                    part = floor_share(amount, b - s, e - s) - floor_share(amount, a - s, e - s)
                    key = pool, chip, job.job, attempt.number
                    self.add(*key, "ideal", None, bucket, part)
                    self.add(*key, "inefficiency", None, bucket, chip_time(r, a, b) - part)
        if ideals > total:
            self.issue("above_roofline")

    def account_attempt(self, job, attempt, traced):
        ends = sorted(attempt.spans, key=lambda x: x.start_time)
        if any(a.start_time < b.start_time < a.end_time < b.end_time for i, a in enumerate(ends) for b in ends[i:]):
            self.issue("overlapping_spans")
        steps = [s for s in self.in_order(attempt.spans, "step") if s.step is not None]
        batches = [s for s in self.in_order(attempt.spans, "batch") if s.step is not None]
        back = [(a, b) for a, b in zip(steps, steps[1:]) if a.step >= b.step]
        for i, a in enumerate(batches):
            back += [(a, b) for b in batches[i + 1 :] if a.step == b.step][:1]
        anew = [s for s in attempt.spans if s.kind in ("init", "restore")]
        for a, b in back:
            if a.end_time > b.start_time:
                self.issue("concurrent_steps")
            elif not any(self.comes_before(a, s) and self.comes_before(s, b) for s in anew):
                self.issue("repeated_steps")
        edges = {t for r in attempt.allocations + attempt.spans for t in (r.start_time, r.end_time)}
        for a in attempt.allocations:
            edges |= set(self.chip_edges[a.pool]) - {-math.inf}
        edges = sorted(edges)
        own, own_of_job, parts = Counter(), Counter(), defaultdict(list)
        before = None
        for s, e in zip(edges, edges[1:]):
            complete, held = self.gang(job, attempt, s)
            span = self.innermost([x for x in attempt.spans if x.start_time <= s < x.end_time])
            if span:
                own[span] += e - s
                if not complete or not sum(held.values()):
                    self.issue("span_outside_allocation")
            if not complete:
                for pool, r in held.items():
                    self.add_chips(pool, job.job, attempt.number, "partial", None, r, s, e)
                continue
            if span and sum(held.values()):
                own_of_job[span] += e - s
            extra = self.surplus(job, held)
            if span and sum(held.values()) == sum(extra.values()):
                self.issue("span_outside_allocation")
            for pool, r in held.items():
                need = r - extra[pool]
                chip = self.chip_of(pool, s)
                for a, b, bucket in self.pieces(s, e):
                    self.add(
                        pool,
                        chip,
                        job.job,
                        attempt.number,
                        "partial",
                        "surplus",
                        bucket,
                        chip_time(r, a, b) - chip_time(need, a, b),
                    )
                category, cause = self.explain(job, attempt, span, s, traced)
                if category is not None:
                    self.add_chips(pool, job.job, attempt.number, category, cause, need, s, e)
                elif need:
                    # A part goes on while nothing changes that the attempt holds, in any pool.
                    mine = parts[span]
                    for i, (s0, e0, pool0, r0) in enumerate(mine):
                        if (e0, pool0, before) == (s, pool, held) and self.chip_of(pool, s0) == chip:
                            mine[i] = s0, e, pool, need
                            break
                    else:
                        mine.append((s, e, pool, need))
            before = held
        in_order = sorted(attempt.spans, key=lambda x: (x.start_time, -x.end_time))
        for i, span in enumerate(in_order):
            step = next((later for later in in_order[i:] if later.kind == "step"), None)
            if span.kind == "serve" and step and step.fate and step.fate[0] == "lost":
                self.issue("surviving_serve")
        for span in attempt.spans:
            if span.kind == "serve" or span.kind in ("step", "batch", "rollout") and span.fate is None:
                self.account_productive(job, attempt, span, parts[span], own[span], own_of_job[span])

    def explain(self, job, attempt, span, at, traced):
        """(category, cause), or (None, None) where the time is productive."""
        if span is None:
            return self.unexplained(job, attempt, at, traced)
        if span.kind in ("init", "prep"):
            return "startup", None
        if span.kind in ("compile", "restore", "input", "checkpoint", "eval"):
            return span.kind, None
        if span.kind in ("step", "batch", "rollout"):
            return span.fate or (None, None)
        if span.kind == "serve":
            return None, None
        return "stall", span.kind

    # 7. Queued

    def account_queued(self, job, attempts, allocations):
        if job.chips is None:
            return
        starts = [t.start for t in attempts[:1]]
        if job.submit_time is not None:
            starts.append(job.submit_time)
        if not starts:
            return
        begin = min(starts)
        end = self.job_end[job.job] if not attempts or attempts[-1].running else attempts[-1].end
        edges = {begin, end} | {t for a in allocations for t in (a.start_time, a.end_time)}
        edges |= {t for a in attempts for t in (a.start, a.end)}
        for pool in {a.pool for a in allocations}:
            edges |= set(self.chip_edges[pool])
        edges |= set(self.pool_end.values())
        edges = sorted(t for t in edges if begin <= t <= end)
        for s, e in zip(edges, edges[1:]):
            running = [a for a in allocations if a.start_time <= s < a.end_time]
            held = sum(a.chips for a in running)
            asked = self.asked(job, attempts, allocations, s)
            if held + self.rounded_off(running) >= asked:
                continue
            if self.pauses(attempts, s):
                continue
            to_come = [(a.start_time, a.pool) for a in allocations if a.start_time > s]
            gone = [(-a.start_time, a.pool) for a in allocations if a.start_time <= s]
            pool = min(to_come)[1] if to_come else min(gone)[1] if gone else None
            if pool is not None and s >= self.pool_end[pool]:
                continue
            self.add_chips(pool, job.job, None, "queued", None, asked - held, s, e)

    @staticmethod
    def asked(job, attempts, allocations, at):
        """What it has held since it released some, if no attempt began since."""
        held = [a for a in allocations if a.start_time < a.end_time]
        released = [a.end_time for a in held if a.outcome == "released" and not a.cut and a.end_time <= at]
        if not released or any(max(released) <= t.start <= at for t in attempts):
            return job.chips
        times = {max(released)} | {t for a in held for t in (a.start_time, a.end_time) if max(released) <= t <= at}
        return min(job.chips, max(sum(a.chips for a in held if a.start_time <= t < a.end_time) for t in times))

    @staticmethod
    def pauses(attempts, at):
        """Whether nothing is asked for: the attempt before was cancelled or completed, and the next has not begun."""
        begun = [t for t in attempts if t.start <= at]
        if not begun or any(at < t.end for t in begun):
            return False
        latest = max(t.end for t in begun)
        worst = min((t.outcome for t in begun if t.end == latest and t.outcome), key=OUTCOMES.index, default=None)
        return worst in ("completed", "cancelled")

    # 9. Sizes; 10. The same record twice

    def merge(self, rows, key, issue):
        """One record for each key: a value wins over NULL, of two values the greater."""
        merged = {}
        for row in rows:
            name = getattr(row, key)
            if name not in merged:
                merged[name] = row
                continue
            first = merged[name]
            for column in vars(row):
                a, b = getattr(first, column), getattr(row, column)
                if column != "key" and None not in (a, b) and a != b:
                    self.issue(issue)
                if column != "key" and (a is None or b is not None and b > a):
                    setattr(first, column, b)
        return merged

    def size(self, job, allocations):
        most = job.chips
        if most is None:
            most = max(
                (
                    sum(a.chips for a in allocations if a.start_time <= t < a.end_time)
                    for t in {a.start_time for a in allocations}
                ),
                default=0,
            )
        for name, bound in zip("S M L".split(), self.sizes):
            if most < bound * MILLION:
                return name
        return "XL"

    def compute(self):
        self.pools = {r.pool for name in ("capacity", "outages", "allocations") for r in self.rows[name]}
        self.index_chips()
        jobs = self.merge(self.rows["jobs"], "job", "conflicting_job")
        self.programs = self.merge(self.rows["programs"], "program", "conflicting_program")
        of = {name: defaultdict(list) for name in ("allocations", "spans", "commits")}
        for name in of:
            for r in self.rows[name]:
                of[name][r.job].append(r)
        for name in sorted(set(jobs) | set(of["allocations"]) | set(of["spans"]) | set(of["commits"])):
            job = jobs.get(name)
            if job is None:
                job = Row("jobs", {"job": name})
                if of["allocations"][name]:
                    self.issue("unknown_job")
            allocations, spans, commits = (of[n][name] for n in ("allocations", "spans", "commits"))
            attempts = self.number_allocations(job, allocations)
            if commits and not attempts:
                self.issue("commit_without_allocation")
            self.assign_spans(attempts, spans)
            self.decide_steps(attempts, commits, "step")
            self.decide_steps(attempts, commits, "batch")
            for attempt in attempts:
                self.account_attempt(job, attempt, bool(spans or commits))
            self.account_queued(job, attempts, allocations)
            self.result.jobs[name] = {d: getattr(job, d) for d in DIMENSIONS}
            self.result.jobs[name]["size"] = self.size(job, allocations)
        for pool in sorted(self.pools):
            self.account_pool(pool)
        self.result.ledger = Counter({k: v for k, v in self.result.ledger.items() if v})
        return self.result


def compute(relations, **options):
    return Ledger(relations, **options).compute()


def totals(result):
    """Chip-seconds by category."""
    sums = Counter()
    for key, us in result.ledger.items():
        sums[key[4]] += us
    return {category: Fraction(us, MILLION) for category, us in sums.items()}


def main():
    options = {"as_of": float(sys.argv[2])} if len(sys.argv) > 2 else {}
    result = compute(load_folder(sys.argv[1]), **options)
    sums = totals(result)
    for category in sorted(sums):
        print("%-14s %20.6f chip-s" % (category, sums[category]))
    capacity = sum(v for c, v in sums.items() if c != "queued")
    held = capacity - sum(sums.get(c, 0) for c in ("down", "idle", "partial"))
    good = sum(sums.get(c, 0) for c in ("inefficiency", "unrated", "ideal"))
    traced, rated = held - sums.get("untraced", 0), good - sums.get("unrated", 0)
    for name, part, base in (("SG", held, capacity), ("RG", good, traced), ("PG", sums.get("ideal", 0), rated)):
        print(name, "%.4f" % (part / base) if base else "NULL")
    print("issues:", ", ".join(sorted(result.issues)) or "none")


if __name__ == "__main__":
    main()
