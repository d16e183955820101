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

    tests/naive.py FOLDER [as_of]     prints totals

Section numbers in the comments are those of docs/rules.md.
"""
import bisect
import csv
import gzip
import io
import json
import math
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from datetime import datetime, timedelta, timezone
from fractions import Fraction

MILLION = 10**6
TOO_MUCH = 4 * 10**18  # chip-microseconds of a span that is rated
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

COLUMNS = {
    'capacity': ['pool', 'chip', 'chips', 'start_time', 'end_time'],
    'outages': ['pool', 'chips', 'start_time', 'end_time', 'kind'],
    'jobs': ['job', 'name', 'owner', 'phase', 'framework', 'runtime', 'model', 'priority',
             'chips', 'min_chips', 'tasks', 'submit_time', 'labels'],
    'allocations': ['job', 'attempt', 'task', 'pool', 'chips', 'start_time', 'end_time', 'outcome'],
    'spans': ['job', 'attempt', 'kind', 'start_time', 'end_time', 'step', 'program', 'flops',
              'bytes', 'dtype', 'executions'],
    'commits': ['job', 'attempt', 'step', 'snapshot_time', 'durable_time'],
    'programs': ['program', 'flops', 'bytes', 'dtype'],
    'chips': ['chip', 'dtype', 'peak_flops', 'hbm_bytes', 'hbm_bytes_per_s', 'ici_bytes_per_s',
              'tdp_w', 'vendor', 'year', 'source'],
}
SINGULAR = {'capacity': 'capacity', 'outage': 'outages', 'job': 'jobs',
            'allocation': 'allocations', 'span': 'spans', 'commit': 'commits',
            'program': 'programs', 'chip': 'chips'}
DIMENSIONS = ['name', 'owner', 'phase', 'framework', 'runtime', 'model', 'priority', 'labels']
OUTCOMES = ['node_fail', 'preempted', 'timeout', 'failed', 'cancelled', 'completed']


# Values, as they are written

def half_even(fraction):
    return round(fraction)  # of a Fraction, Python's round is exact and half to even


def microseconds(value):
    """Unix seconds, or ISO 8601 text; None stays None."""
    if value is None or value == '':
        return None
    if isinstance(value, (int, float)):
        return half_even(Fraction(value) * MILLION)
    if re.fullmatch(r'-?[0-9.]+([eE][-+]?[0-9]+)?', value):
        return half_even(Fraction(value) * MILLION)
    m = re.fullmatch(r'(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?)?'
                     r'(Z|[-+]\d\d(?::?\d\d)?)?', value)
    if not m:
        raise ValueError('not a time: %r' % value)
    year, month, day, hour, minute, second = (int(m[i] or 0) for i in range(1, 7))
    at = datetime(year, month, day, hour, minute, second, tzinfo=timezone.utc)
    us = (at - datetime(1970, 1, 1, tzinfo=timezone.utc)) // timedelta(microseconds=1)
    us += half_even(Fraction(m[7] or 0) * MILLION)
    if m[8] and m[8] != 'Z':
        digits = m[8][1:].replace(':', '').ljust(4, '0')
        east = int(digits[:2]) * 3600 + int(digits[2:]) * 60
        us -= (east if m[8][0] == '+' else -east) * MILLION
    return us


def millionths(value):
    return None if value is None or value == '' else half_even(Fraction(value) * MILLION)


def whole(value):
    return None if value is None or value == '' else int(Fraction(value))


def real(value):
    return None if value is None or value == '' else float(value)


def text(value):
    return None if value is None or value == '' else str(value)


UUID = re.compile(r'(?:urn:uuid:)?\{?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\}?', re.I)


def job_name(value):
    value = text(value)
    found = UUID.fullmatch(value) if value is not None else None
    return found[1].lower() if found else value


CONVERT = {'start_time': microseconds, 'end_time': microseconds, 'submit_time': microseconds,
           'snapshot_time': microseconds, 'durable_time': microseconds, 'chips': millionths,
           'min_chips': millionths, 'attempt': whole, 'step': whole, 'tasks': whole,
           'flops': real, 'bytes': real, 'executions': real, 'peak_flops': real,
           'hbm_bytes_per_s': real, 'job': job_name}


class Row:
    """A record with its columns as attributes."""

    def __init__(self, relation, values):
        for column in COLUMNS[relation]:
            setattr(self, column, CONVERT.get(column, text)(values.get(column)))
        self.key = tuple(getattr(self, c) for c in COLUMNS[relation])
        if getattr(self, 'end_time', None) is not None and self.end_time < self.start_time:
            raise ValueError('%s ends before it starts: %r' % (relation, values))


# The three forms of the native trace

def open_text(path):
    if path.endswith('.gz'):
        return gzip.open(path, 'rt', encoding='utf-8', newline='')
    if path.endswith('.zst'):
        return io.StringIO(subprocess.check_output(['zstd', '-dcq', path]).decode('utf-8'))
    return open(path, encoding='utf-8', newline='')


def load_jsonl(path, relations=None):
    relations = relations if relations is not None else {}
    with open_text(path) as f:
        content = f.read()
    if content.lstrip().startswith('['):
        records = json.loads(content)
    else:
        records = [json.loads(line) for line in content.splitlines() if line.strip()]
    for record in records:
        if isinstance(record.get('labels'), (dict, list)):
            record['labels'] = json.dumps(record['labels'], separators=(',', ':'))
        relations.setdefault(SINGULAR[record['record']], []).append(record)
    return relations


def load_csv(path, relations=None):
    relations = relations if relations is not None else {}
    relation = re.match('[a-z]*', os.path.basename(path).lower())[0]
    with open_text(path) as f:
        relations.setdefault(relation, []).extend(csv.DictReader(f))
    return relations


def load_folder(path):
    """A folder of CSV and JSON Lines files, or one such file."""
    relations = {}
    names = [os.path.join(path, n) for n in sorted(os.listdir(path))] if os.path.isdir(path) else [
        path]
    for name in names:
        plain = re.sub(r'\.(gz|zst)$', '', name)
        if plain.endswith('.csv') and re.match(
                '[a-z]*', os.path.basename(name).lower())[0] in COLUMNS:
            load_csv(name, relations)
        elif plain.endswith(('.jsonl', '.json')):
            load_jsonl(name, relations)
    return relations


# The catalogue of chips

def plain(name):
    return re.sub('[ _-]+', ' ', name).strip().lower()


SPELLINGS = {'f64': 'fp64', 'float64': 'fp64', 'f32': 'fp32', 'float32': 'fp32', 'float': 'fp32',
             'f16': 'fp16', 'float16': 'fp16', 'half': 'fp16', 'bfloat16': 'bf16',
             'f8e4m3fn': 'fp8', 'f8e5m2': 'fp8', 's8': 'int8', 'u8': 'int8'}


class Chips:
    def __init__(self, extra=()):
        self.names, self.peaks, self.bandwidths = {}, {}, {}
        for folder in ('schema', '../chips/schema', '../shared/oracle/chips'):
            folder = os.path.join(ROOT, folder)
            if os.path.exists(os.path.join(folder, 'chips.csv')):
                break
        with open(os.path.join(folder, 'chips.csv'), newline='') as f:
            for row in csv.DictReader(f):
                self.add(row['chip'], row['dtype'], real(row['peak_flops']),
                         real(row['hbm_bytes_per_s']))
        with open(os.path.join(folder, 'chip_aliases.csv'), newline='') as f:
            for row in csv.DictReader(f):
                self.names[plain(list(row.values())[0])] = row['chip']
        for row in extra:
            self.add(self.find(row.chip) or row.chip, row.dtype, row.peak_flops,
                     row.hbm_bytes_per_s)

    def add(self, chip, dtype, peak, bandwidth):
        self.names[plain(chip)] = chip
        self.peaks.setdefault(chip, {})[dtype] = peak
        if bandwidth is not None:
            self.bandwidths[chip] = bandwidth

    def bandwidth(self, chip):
        return self.bandwidths.get(chip)

    def find(self, name):
        return None if name is None else self.names.get(plain(name))

    def peak(self, chip, dtype):
        """FLOP/s of one chip, or None."""
        peaks = self.peaks[chip]
        if dtype is None:
            dtype = 'bf16' if 'bf16' in peaks else 'fp16' if 'fp16' in peaks else 'fp32'
        dtype = SPELLINGS.get(dtype.lower(), dtype.lower())
        other = {'bf16': 'fp16', 'fp16': 'bf16'}.get(dtype)
        return peaks.get(dtype) or peaks.get(other)


# Buckets of time (UTC)

EPOCH = datetime(1970, 1, 1)
UNITS = {'second': 1, 'minute': 60, 'hour': 3600, 'day': 86400, 'week': 604800}


class Bucket:
    def __init__(self, width):
        self.months = 0
        self.origin = 0
        match = re.fullmatch(r'(?:(\d+) )?([a-z]+?)s?(?: ([+-])(\d\d):(\d\d))?', width) if isinstance(width, str) else None
        self.ahead = 0
        if match and match[3]:
            self.ahead = int(match[3] + '1') * (int(match[4]) * 60 + int(match[5])) * 60 * MILLION
        if match and match[2] in ('month', 'quarter', 'year'):
            self.months = int(match[1] or 1) * {'month': 1, 'quarter': 3, 'year': 12}[match[2]]
        elif match:
            self.width = int(match[1] or 1) * UNITS[match[2]] * MILLION
            if match[2] == 'week':
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
            return at.strftime('%Y-%m-%d')
        if self.width % MILLION == 0:
            return at.strftime('%Y-%m-%d %H:%M:%S')
        return at.strftime('%Y-%m-%d %H:%M:%S.%f')


# The rules

def chip_time(r, s, e):
    """Section 8: chip-microseconds of r millionths of a chip over [s, e)."""
    return r * e // MILLION - r * s // MILLION


def floor_share(amount, part, total):
    return amount * part // total


def half_away(x):
    """round(x), half away from zero, of a Fraction."""
    return int(math.copysign(math.floor(abs(x) + Fraction(1, 2)), x)) if x else 0


class Attempt:
    def __init__(self, number, allocations):
        self.number = number
        self.allocations = allocations
        self.start = min(a.start_time for a in allocations)
        self.end = max(a.end_time for a in allocations)
        last = [a for a in allocations if a.end_time == self.end]
        self.running = any(a.cut for a in allocations)
        outcomes = [a.outcome for a in last if a.outcome in OUTCOMES and not a.cut]
        self.outcome = None if self.running else min(outcomes, key=OUTCOMES.index, default=None)
        self.spans = []


class Result:
    def __init__(self):
        self.ledger = Counter()
        self.issues = set()
        self.jobs = {}
        self.capacity = Counter()


class Ledger:
    def __init__(self, relations, as_of=None, since=None, until=None, bucket=None,
                 basis='installed', sizes=(16, 256, 2048), roofline='compute'):
        self.result = Result()
        self.basis, self.sizes, self.roofline = basis, sizes, roofline
        self.since, self.until = microseconds(since), microseconds(until)
        self.bucket = Bucket(bucket) if bucket is not None else None
        self.rows = {name: [Row(name, values) for values in relations.get(name, [])]
                     for name in COLUMNS}
        self.chips = Chips(self.rows['chips'])
        self.end_of_trace(microseconds(as_of))

    def issue(self, kind):
        self.result.issues.add(kind)

    # 1. The end of the trace

    def end_of_trace(self, as_of):
        if as_of is None:
            of_pools, of_jobs = (
                max((getattr(row, column) for name, rows in self.rows.items() for row in rows
                     for column in ('start_time', 'end_time', 'submit_time', 'snapshot_time',
                                    'durable_time')
                     if (name in ('capacity', 'outages')) == pools
                     and getattr(row, column, None) is not None), default=0)
                for pools in (True, False))
            as_of = max(of_pools, of_jobs)
            if of_pools > of_jobs and any(a.end_time is None for a in self.rows['allocations']):
                self.issue('as_of_ahead')
        self.as_of = as_of
        for name in ('capacity', 'outages', 'allocations', 'spans'):
            self.rows[name] = [r for r in self.rows[name] if r.start_time < as_of]
            for r in self.rows[name]:
                r.open = r.end_time is None
                r.cut = r.open or r.end_time > as_of
                r.length = None if r.open else r.end_time - r.start_time
                if r.cut:
                    r.end_time = as_of
        for c in self.rows['commits']:
            c.taken = c.snapshot_time if c.snapshot_time is not None else c.durable_time
            if c.durable_time is not None and c.durable_time > as_of:
                c.durable_time = None
        self.rows['commits'] = [c for c in self.rows['commits']
                                if c.taken is None or c.taken <= as_of]

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
        for name in ('capacity', 'outages', 'allocations'):
            for r in self.rows[name]:
                if r.pool == pool:
                    edges |= {r.start_time, r.end_time}
        return sorted(edges)

    def named_chips(self, pool, at):
        return {self.chips.find(r.chip) or r.chip for r in self.rows['capacity']
                if r.pool == pool and r.start_time <= at < r.end_time and r.chip is not None}

    def index_chips(self):
        """For each pool the instants at which its chip may change, and the chip from there on."""
        self.chip_edges, self.chip_values = {}, {}
        for pool in self.pools:
            edges = sorted({t for r in self.rows['capacity'] if r.pool == pool
                            for t in (r.start_time, r.end_time)})
            names = [self.named_chips(pool, t) for t in edges]
            if any(len(n) > 1 for n in names):
                self.issue('mixed_pool')
            kinds = {self.chips.find(r.chip) or r.chip for r in self.rows['capacity']
                     if r.pool == pool and r.chip is not None}
            self.chip_edges[pool] = edges
            self.chip_values[pool] = [next(iter(n)) if len(n) == 1 else None for n in names]
            if len(kinds) == 1:
                self.chip_edges[pool], self.chip_values[pool] = [-math.inf], list(kinds)

    def chip_of(self, pool, at):
        i = bisect.bisect_right(self.chip_edges.get(pool, []), at) - 1
        return self.chip_values[pool][i] if i >= 0 else None

    def account_pool(self, pool):
        records = {name: [r for r in self.rows[name] if r.pool == pool]
                   for name in ('capacity', 'outages', 'allocations')}
        known = bool(records['capacity'])
        edges = self.pool_edges(pool)
        for s, e in zip(edges, edges[1:]):
            capacity = sum(r.chips for r in records['capacity'] if r.start_time <= s < r.end_time)
            down, held = Counter(), Counter()
            for r in records['outages']:
                if r.start_time <= s < r.end_time:
                    down[r.kind or 'down'] += r.chips
            for r in records['allocations']:
                if r.start_time <= s < r.end_time:
                    held[r.job, r.number] += r.chips
            if self.basis == 'shard':
                capacity, down = 0 if known else None, Counter()
            elif not known:
                capacity = None
                if down or any(held.values()):
                    self.issue('no_capacity')
            elif sum(down.values()) + sum(held.values()) > capacity:
                self.issue('oversubscribed')
            if (known and self.basis != 'shard' and not any(r.chips for r in records['capacity'])
                    and (any(r.start_time <= s < r.end_time for r in records['capacity'])
                         or down or any(held.values()))):
                self.issue('zero_capacity')
            chip = self.chip_of(pool, s)
            for a, b, bucket in self.pieces(s, e):
                down_us = sum(chip_time(r, a, b) for r in down.values())
                held_us = sum(chip_time(r, a, b) for r in held.values())
                total = down_us + held_us if capacity is None else chip_time(capacity, a, b)
                self.add(pool, chip, None, None, 'idle', None, bucket, total - down_us - held_us)
                if self.basis == 'installed':
                    for kind, r in down.items():
                        self.add(pool, chip, None, None, 'down', kind, bucket, chip_time(r, a, b))
                elif self.basis == 'in_service':
                    total -= down_us
                if total:
                    self.result.capacity[pool, bucket] += total

    # 3. Attempts and gangs

    def number_allocations(self, job, allocations):
        """Gives every allocation of a job its attempt's number, and returns the attempts."""
        end, number = None, 0
        for a in sorted((a for a in allocations if a.attempt is None), key=lambda a: a.start_time):
            if end is None or a.start_time > end:
                number += 1
                end = a.end_time
            end = max(end, a.end_time)
            a.number = number
        sets = defaultdict(list)
        for a in allocations:
            if a.attempt is not None:
                a.number = a.attempt
            sets[a.number].append(a)
        attempts = sorted((Attempt(n, members) for n, members in sets.items()),
                          key=lambda t: (t.start, t.number))
        for a in allocations:
            for b in allocations:
                if (a.number != b.number and a.chips and b.chips
                        and max(a.start_time, b.start_time) < min(a.end_time, b.end_time)):
                    self.issue('overlapping_attempts')
                if (a is not b and a.task is not None
                        and (a.task, a.attempt, a.pool, a.chips, a.start_time, a.length)
                        == (b.task, b.attempt, b.pool, b.chips, b.start_time, b.length)):
                    self.issue('duplicate_allocation')
        return attempts

    @staticmethod
    def rounded_off(running):
        """Millionths that fractions of chips may have lost: half of one each."""
        return sum(a.chips % MILLION != 0 for a in running) // 2

    @staticmethod
    def gang(job, attempt, at):
        """Whether the gang is complete at an instant, and the chips held by pool."""
        running = [a for a in attempt.allocations if a.start_time <= at < a.end_time]
        held = Counter()
        for a in running:
            held[a.pool] += a.chips
        total = sum(held.values()) + Ledger.rounded_off(running)
        tasks = len({a.task for a in running if a.task is not None})
        all_named = all(a.task is not None for a in attempt.allocations)
        if job.min_chips is not None:
            complete = total >= job.min_chips
        elif job.chips is not None:
            complete = total >= job.chips
            if job.tasks is not None and all_named:
                complete = complete and tasks >= job.tasks
        elif job.tasks is not None:
            complete = tasks >= job.tasks or not all_named
        else:
            complete = True
        return complete, held

    @staticmethod
    def surplus(job, held):
        """By pool, what a complete gang holds beyond the job's need."""
        extra = Counter()
        if job.min_chips is None and job.chips is not None:
            left = max(sum(held.values()) - job.chips, 0)
            for pool in sorted(held, reverse=True):
                extra[pool] = min(left, held[pool])
                left -= extra[pool]
        return extra

    # 4. The innermost span

    def assign_spans(self, attempts, spans):
        by_number = {t.number: t for t in attempts}
        seen = set()
        for span in spans:
            span.of = None
            if span.attempt is not None:
                span.of = by_number.get(span.attempt)
            else:
                covering = [(a.start_time, t.start, t.number) for t in attempts
                            for a in t.allocations if a.start_time <= span.start_time < a.end_time]
                if covering:
                    span.of = by_number[max(covering)[2]]
            key = (span.of,) + span.key[2:]
            if span.of is None:
                self.issue('span_without_allocation')
            elif key in seen:  # what repeats exactly counts once
                self.issue('duplicate_span')
            else:
                seen.add(key)
                span.of.spans.append(span)
        for attempt in attempts:
            for span in attempt.spans:
                if span.open:
                    later = [x.start_time for x in attempt.spans
                             if x.kind == span.kind and x.start_time > span.start_time]
                    span.end_time = max(span.start_time, min(later, default=attempt.end))
                    if later or not attempt.running:
                        self.issue('missing_end')

    @staticmethod
    def inwards(span):
        """Least for the innermost span."""
        rest = (span.step, span.program, span.dtype, span.flops, span.bytes, span.executions)
        return (-span.start_time, span.end_time, span.kind,
                [(x is not None, 0 if x is None else x) for x in rest])

    @staticmethod
    def begins_before(a, b):
        """Of two that start together the outer one does."""
        return a.start_time < b.start_time or (
            a.start_time == b.start_time and Ledger.inwards(b) < Ledger.inwards(a))

    @staticmethod
    def innermost(running):
        return min(running, key=Ledger.inwards, default=None)

    def unexplained(self, job, attempt, at, traced):
        if not traced:
            return 'untraced', None
        if job.phase == 'serving' and any(s.kind == 'serve' for s in attempt.spans):
            return 'stall', 'no_traffic'
        if (attempt.outcome == 'node_fail' and attempt.spans
                and at >= max(s.end_time for s in attempt.spans)):
            return 'stall', 'node_fail'
        return 'unknown', None

    # 5. Which steps survive

    @staticmethod
    def in_order(spans, kind):
        """The steps or batches by their starts; of those that start together the outer one comes first."""
        inwards = sorted((s for s in spans if s.kind == kind), key=Ledger.inwards, reverse=True)
        return sorted(inwards, key=lambda s: s.start_time)

    def decide_steps(self, attempts, commits, kind):
        """Sets span.fate: (category, cause), or None where the step or batch is productive."""
        steps = [s for t in attempts for s in Ledger.in_order(t.spans, kind)]
        numbered = [s for s in steps if s.step is not None]
        last = attempts[-1] if attempts else None

        def protected(step):
            for c in commits:
                if c.durable_time is None:
                    continue
                snapshot = c.snapshot_time if c.snapshot_time is not None else c.durable_time
                if c.step is None or step.step is None:
                    if step.end_time <= snapshot:
                        return True
                elif kind == 'batch' and step.step != c.step:  # which may run while another is committed
                    if step.step < c.step and step.end_time <= snapshot:
                        return True
                elif step.step <= c.step and step.start_time < snapshot:
                    return True
            return False

        def by_end_of_job(step):
            if last.outcome == 'completed' or protected(step):
                return None
            if not commits:
                return 'unknown', 'no_checkpoint_data'
            return ('pending' if last.running else 'lost'), None

        lineage = self.steps_by_number if kind == 'step' else self.batches_by_number
        for step, told in zip(numbered, lineage(numbered)):
            step.fate = ('lost', None) if told == 'superseded' else None if told == 'resumed from' else by_end_of_job(step)
        for step in steps:
            if step.step is None:
                step.fate = by_end_of_job(step)
                if (step.fate is None and step.of is not last and step.of.outcome != 'completed'
                        and not protected(step)):
                    self.issue('unnumbered_steps')

    @staticmethod
    def steps_by_number(numbered):
        """What the numbers of the steps after it tell of each."""
        resume, lowest_later, told = 0, math.inf, []
        for i in range(1, len(numbered)):
            if (numbered[i].of is not numbered[i - 1].of
                    or numbered[i].step <= numbered[i - 1].step):
                resume = i
        for i in range(len(numbered) - 1, -1, -1):
            told.append('superseded' if lowest_later <= numbered[i].step else 'resumed from' if i < resume else 'left')
            lowest_later = min(numbered[i].step, lowest_later)
        return told[::-1]

    @staticmethod
    def batches_by_number(numbered):
        """Of a batch only one of its own number tells that it ran again, and only a later attempt that it was left out."""
        told = []
        for i, batch in enumerate(numbered):
            later = numbered[i + 1:]
            if any(b.step == batch.step for b in later):
                told.append('superseded')
            elif any(b.of is not batch.of and b.step > batch.step for b in later):
                told.append('resumed from')
            else:
                told.append('left')
        return told

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
        flops, moved = self.work_of(span, 'flops'), self.work_of(span, 'bytes')
        left = 1.0
        if span.length:
            left = (span.end_time - span.start_time) / span.length
        if flops and not own:
            self.issue('hidden_span')
        if span.program is not None and span.program not in self.programs and flops is None:
            self.issue('unknown_program')
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
                    self.issue('unknown_chip')
                elif chip is not None:
                    peak = self.chips.peak(self.chips.find(chip), self.dtype_of(span))
                    if peak is None:
                        self.issue('unknown_dtype')
            ideal = 0
            if weight and peak is not None:
                us = 1e6 * (flops * left * own_of_job / own * (weight / total)) / peak
                if self.roofline == 'memory':
                    bandwidth = self.chips.bandwidth(self.chips.find(chip))
                    if moved is not None and bandwidth is not None:
                        us = max(us, 1e6 * (moved * left * own_of_job / own * (weight / total)) / bandwidth)
                ideal = half_away(Fraction(us))
            if flops is None or peak is None or ideal >= TOO_MUCH:
                for s, e, pool, r in members:
                    self.add_chips(pool, job.job, attempt.number, 'unrated', None, r, s, e)
                continue
            ideals += ideal
            before = 0
            for s, e, pool, r in members:
                after = before + chip_time(r, s, e)
                amount = (floor_share(ideal, after, weight) - floor_share(ideal, before, weight)
                          if weight else 0)
                before = after
                for a, b, bucket in self.pieces(s, e):
                    part = (floor_share(amount, b - s, e - s) - floor_share(amount, a - s, e - s))
                    key = pool, chip, job.job, attempt.number
                    self.add(*key, 'ideal', None, bucket, part)
                    self.add(*key, 'inefficiency', None, bucket, chip_time(r, a, b) - part)
        if ideals > total:
            self.issue('above_roofline')

    def account_attempt(self, job, attempt, traced):
        ends = sorted(attempt.spans, key=lambda x: x.start_time)
        if any(a.start_time < b.start_time < a.end_time < b.end_time
               for i, a in enumerate(ends) for b in ends[i:]):
            self.issue('overlapping_spans')
        steps = [s for s in self.in_order(attempt.spans, 'step') if s.step is not None]
        batches = [s for s in self.in_order(attempt.spans, 'batch') if s.step is not None]
        back = [(a, b) for a, b in zip(steps, steps[1:]) if a.step >= b.step]
        for i, a in enumerate(batches):
            back += [(a, b) for b in batches[i + 1:] if a.step == b.step][:1]
        anew = [s for s in attempt.spans
                if s.kind not in ('step', 'batch', 'serve', 'prep', 'input', 'checkpoint', 'eval')]
        for a, b in back:
            if a.end_time > b.start_time:
                self.issue('concurrent_steps')
            elif not any(self.begins_before(a, s) and self.begins_before(s, b) for s in anew):
                self.issue('repeated_steps')
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
                    self.issue('span_outside_allocation')
            if not complete:
                for pool, r in held.items():
                    self.add_chips(pool, job.job, attempt.number, 'partial', None, r, s, e)
                continue
            if span and sum(held.values()):
                own_of_job[span] += e - s
            extra = self.surplus(job, held)
            for pool, r in held.items():
                need = r - extra[pool]
                chip = self.chip_of(pool, s)
                for a, b, bucket in self.pieces(s, e):
                    self.add(pool, chip, job.job, attempt.number, 'partial', 'surplus', bucket,
                             chip_time(r, a, b) - chip_time(need, a, b))
                category, cause = self.explain(job, attempt, span, s, traced)
                if category is not None:
                    self.add_chips(pool, job.job, attempt.number, category, cause, need, s, e)
                elif need:
                    # A part goes on while nothing changes that the attempt holds, in any pool.
                    mine = parts[span]
                    for i, (s0, e0, pool0, r0) in enumerate(mine):
                        if (e0, pool0, before) == (s, pool, held) and self.chip_of(
                                pool, s0) == chip:
                            mine[i] = s0, e, pool, need
                            break
                    else:
                        mine.append((s, e, pool, need))
            before = held
        for span in attempt.spans:
            if span.kind == 'serve' or span.kind in ('step', 'batch') and span.fate is None:
                self.account_productive(job, attempt, span, parts[span], own[span],
                                        own_of_job[span])

    def explain(self, job, attempt, span, at, traced):
        """(category, cause), or (None, None) where the time is productive."""
        if span is None:
            return self.unexplained(job, attempt, at, traced)
        if span.kind in ('init', 'prep'):
            return 'startup', None
        if span.kind in ('compile', 'restore', 'input', 'checkpoint', 'eval'):
            return span.kind, None
        if span.kind in ('step', 'batch'):
            return span.fate or (None, None)
        if span.kind == 'serve':
            return None, None
        return 'stall', span.kind

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
        end = self.as_of if not attempts or attempts[-1].running else attempts[-1].end
        edges = {begin, end} | {t for a in allocations for t in (a.start_time, a.end_time)}
        for pool in {a.pool for a in allocations}:
            edges |= set(self.chip_edges[pool])
        edges = sorted(t for t in edges if begin <= t <= end)
        for s, e in zip(edges, edges[1:]):
            running = [a for a in allocations if a.start_time <= s < a.end_time]
            held = sum(a.chips for a in running)
            if held + self.rounded_off(running) >= job.chips:
                continue
            to_come = [(a.start_time, a.pool) for a in allocations if a.start_time > s]
            gone = [(-a.start_time, a.pool) for a in allocations if a.start_time <= s]
            pool = min(to_come)[1] if to_come else min(gone)[1] if gone else None
            self.add_chips(pool, job.job, None, 'queued', None, job.chips - held, s, e)

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
                if column != 'key' and None not in (a, b) and a != b:
                    self.issue(issue)
                if column != 'key' and (a is None or b is not None and b > a):
                    setattr(first, column, b)
        return merged

    def size(self, job, allocations):
        most = job.chips
        if most is None:
            most = max((sum(a.chips for a in allocations if a.start_time <= t < a.end_time)
                        for t in {a.start_time for a in allocations}), default=0)
        for name, bound in zip('S M L'.split(), self.sizes):
            if most < bound * MILLION:
                return name
        return 'XL'

    def compute(self):
        self.pools = {r.pool for name in ('capacity', 'outages', 'allocations')
                      for r in self.rows[name]}
        self.index_chips()
        jobs = self.merge(self.rows['jobs'], 'job', 'conflicting_job')
        self.programs = self.merge(self.rows['programs'], 'program', 'conflicting_program')
        of = {name: defaultdict(list) for name in ('allocations', 'spans', 'commits')}
        for name in of:
            for r in self.rows[name]:
                of[name][r.job].append(r)
        for name in sorted(set(jobs) | set(of['allocations']) | set(of['spans']) | set(of['commits'])):
            job = jobs.get(name)
            if job is None:
                job = Row('jobs', {'job': name})
                if of['allocations'][name]:
                    self.issue('unknown_job')
            allocations, spans, commits = (of[n][name] for n in ('allocations', 'spans', 'commits'))
            attempts = self.number_allocations(job, allocations)
            if commits and not attempts:
                self.issue('commit_without_allocation')
            self.assign_spans(attempts, spans)
            self.decide_steps(attempts, commits, 'step')
            self.decide_steps(attempts, commits, 'batch')
            for attempt in attempts:
                self.account_attempt(job, attempt, bool(spans or commits))
            self.account_queued(job, attempts, allocations)
            self.result.jobs[name] = {d: getattr(job, d) for d in DIMENSIONS}
            self.result.jobs[name]['size'] = self.size(job, allocations)
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
    options = {'as_of': float(sys.argv[2])} if len(sys.argv) > 2 else {}
    result = compute(load_folder(sys.argv[1]), **options)
    sums = totals(result)
    for category in sorted(sums):
        print('%-14s %20.6f chip-s' % (category, sums[category]))
    capacity = sum(v for c, v in sums.items() if c != 'queued')
    held = capacity - sum(sums.get(c, 0) for c in ('down', 'idle', 'partial'))
    good = sum(sums.get(c, 0) for c in ('inefficiency', 'unrated', 'ideal'))
    traced, rated = held - sums.get('untraced', 0), good - sums.get('unrated', 0)
    for name, part, base in (('SG', held, capacity), ('RG', good, traced),
                             ('PG', sums.get('ideal', 0), rated)):
        print(name, '%.4f' % (part / base) if base else 'NULL')
    print('issues:', ', '.join(sorted(result.issues)) or 'none')


if __name__ == '__main__':
    main()
