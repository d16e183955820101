"""random_fleets.py - random small fleets full of what real traces are full of: overlaps, gaps, nothing, too much, out of order.

tests/support/random_fleets.py SEED     prints the fleet of a seed as Python data, and what the naive computation makes of it
"""

import random
import sys

import naive
from fleets import ONE, TWO, al, cap, co, fleet, job, out, pr, sp

OUTCOMES = ["completed", "failed", "cancelled", "preempted", "timeout", "node_fail", "released", None]
SHORT = ["init", "prep", "compile", "restore", "input", "checkpoint", "eval", "hang", "rebalance"]


class Odd:
    """What varies from fleet to fleet is chosen once, so that simple ones are among them."""

    def __init__(self, seed):
        self.rng = rng = random.Random(seed)
        self.end = rng.choice([20, 60, 200])
        self.origin = rng.choice([0, 0, 1700000000])
        self.grain = rng.choice([1, 1, 0.5, 0.001, 0.000001])
        self.fractions = rng.random() < 0.3
        self.nulls = rng.choice([0, 0, 0.2, 0.6])
        self.pools = rng.sample(["p", "q", "r"], rng.choice([1, 1, 2, 3]))
        self.capacity = rng.random() < 0.85
        self.records = []

    def time(self, low=0, high=None):
        high = self.end if high is None else high
        steps = int((high - low) / self.grain)
        return self.origin + low + round(self.rng.randint(0, max(0, steps)) * self.grain, 6)

    def span(self, low=0, high=None):
        a, b = self.time(low, high), self.time(low, high)
        return min(a, b), max(a, b)

    def chips(self):
        if self.fractions:
            return self.rng.choice([0.25, 0.5, 0.333333, 1.5, 0.000001, 1, 2])
        return self.rng.choice([0, 1, 1, 1, 2, 2, 3, 4, 8])

    def maybe(self, value, chance=0.5):
        return value if self.rng.random() < chance else None

    def hardware(self):
        rng = self.rng
        for pool in self.pools:
            if not self.capacity or rng.random() < 0.1:
                continue
            chip = rng.choice(["one", "one", "two", "tpu-v4", "abacus", None])
            for _ in range(rng.choice([1, 1, 2, 3])):
                start, end = self.span()
                if rng.random() < 0.7:
                    start = self.origin
                if rng.random() < 0.15:
                    chip = rng.choice(["one", "two", None])
                self.records.append(cap(rng.choice([4, 8, 2, 0, 2.5]), start, self.maybe(end), pool, chip))
        for _ in range(rng.choice([0, 0, 1, 3])):
            start, end = self.span()
            self.records.append(
                out(
                    self.chips(),
                    start,
                    self.maybe(end, 0.9),
                    rng.choice(["hw_down", "maintenance", None]),
                    rng.choice(self.pools),
                )
            )

    def program_of(self):
        """Columns of a span that say what it computed."""
        rng = self.rng
        columns = {}
        if rng.random() < 0.5:
            columns["program"] = rng.choice(["f", "g", "h", "i", "none"])
        if rng.random() < 0.4:
            columns["flops"] = rng.choice([0, 1e6, 2.5e12, 7e12, 33333333333333.0, 12345678])
        if rng.random() < 0.2:
            columns["bytes"] = rng.choice([0, 1e9, 7.7e9, 123456])
        if rng.random() < 0.1:
            columns["dtype"] = rng.choice(["bf16", "int8", "fp16", "int4", "bfloat16"])
        if rng.random() < 0.3:
            columns["executions"] = rng.choice([1, 2, 7, 0])
        return columns

    def attempt_of(self, number):
        return None if self.rng.random() < self.nulls else number

    def work(self, name, number, low, high, step):
        """Spans of one attempt, and the step it came to."""
        rng = self.rng
        at = low + self.rng.choice([0, 0, -2, 1])
        at = max(at, 0)
        going_back = rng.choice([0, 0, 0.15])
        progress, other = rng.choice([("step", "batch"), ("step", "batch"), ("batch", "step")])
        for _ in range(rng.choice([0, 1, 3, 6, 12])):
            if at >= high + 2:
                break
            length = round(rng.choice([0, 1, 2, 5, 10]) * rng.choice([1, 1, self.grain]), 6)
            kind = rng.choice([progress] * 6 + [other, "serve", "rollout"] + SHORT)
            start, end = self.origin + at, self.origin + at + length
            number_of = None
            if kind in ("step", "batch"):
                if rng.random() < going_back:
                    step = max(0, step - rng.choice([0, 1, 2, 9]))
                out_of_order = kind == "batch" and rng.random() < 0.3
                number_of = self.maybe(max(0, step - rng.choice([2, 3, 4])) if out_of_order else step, 0.93)
                step += rng.choice([1, 1, 1, 2])
            elif kind == "restore":
                number_of = self.maybe(max(0, step - rng.choice([1, 1, 2, 5, 0])), 0.5)
            elif kind == "rollout":
                number_of = self.maybe(max(0, step + rng.choice([0, 0, 0, 1, -1, -2])), 0.6)
            self.records.append(
                sp(
                    kind,
                    round(start, 6),
                    self.maybe(round(end, 6), 0.9),
                    number_of,
                    self.attempt_of(number),
                    name,
                    **self.program_of()
                )
            )
            while rng.random() < 0.3:
                a, b = sorted((rng.random(), rng.random()))
                a, b = (round(at + round(x * length / self.grain) * self.grain, 6) for x in (a, b))
                self.records.append(
                    sp(
                        rng.choice(SHORT + ["step", "rollout"]),
                        round(self.origin + a, 6),
                        round(self.origin + b, 6),
                        None,
                        self.attempt_of(number),
                        name,
                        **self.program_of()
                    )
                )
            if rng.random() < 0.3:
                a = round(at + rng.choice([0, length, length / 2]), 6)
                self.records.append(
                    co(
                        self.maybe(step - 1, 0.85),
                        self.maybe(round(self.origin + a, 6), 0.8),
                        self.maybe(round(self.origin + a + rng.choice([0, 1, 4]), 6), 0.85),
                        self.maybe(number),
                        name,
                    )
                )
            at += rng.choice([length, length, length, length + 1, length / 2])
            at = round(round(at / self.grain) * self.grain, 6)
        return step

    def job(self, name):
        rng = self.rng
        if rng.random() < 0.85:
            need = self.maybe(self.chips() or 1, 0.7)
            columns = dict(
                chips=need,
                min_chips=self.maybe(rng.choice([1, 2]), 0.2),
                tasks=self.maybe(rng.choice([1, 2, 3]), 0.3),
                submit_time=self.maybe(self.time()),
                phase=rng.choice(["training", "serving", "bulk_inference", None]),
                framework=rng.choice(["jax", "torch", None]),
                owner=rng.choice(["ann", "bob", None]),
            )
            for _ in range(rng.choice([1, 1, 1, 2])):
                self.records.append(job(name, **columns))
                if rng.random() < 0.2:
                    columns["chips"] = 2
        low, step = rng.choice([0, 0, 3]), rng.choice([0, 1, 100])
        numbers = rng.sample(range(1, 9), 4) if rng.random() < 0.1 else [1, 2, 3, 4]
        for number in numbers[: rng.choice([0, 1, 1, 2, 3, 4])]:
            high = low + rng.choice([3, 10, 25])
            for task in range(rng.choice([1, 1, 2, 3])):
                start, end = self.origin + low, self.origin + high
                if rng.random() < 0.3:
                    start = self.time(low, high)
                if rng.random() < 0.2:
                    end = max(start, self.time(low, high))
                outcome = rng.choice(OUTCOMES)
                self.records.append(
                    al(
                        self.chips(),
                        start,
                        self.maybe(end, 0.92),
                        self.attempt_of(number),
                        self.maybe("t%d" % (task % 2), 0.8),
                        rng.choice(self.pools),
                        outcome,
                        name,
                    )
                )
                if rng.random() < 0.05:
                    self.records.append(self.records[-1])
            step = self.work(name, number, low, high, step)
            low = high + rng.choice([0, 0, 2, 5, -2])
            low = max(low, 0)

    def options(self):
        rng = self.rng
        options = {}
        if rng.random() < 0.35:
            options["as_of"] = self.time()
        if rng.random() < 0.4:
            options["bucket"] = rng.choice([7, 10, 0.5, 60, "1 minute", "1 hour"])
        if rng.random() < 0.2:
            options["since"] = self.time()
        if rng.random() < 0.2:
            options["until"] = self.time()
        if len({"since", "until"} & set(options)) == 2:  # a window that ends before it begins is an error
            options["since"], options["until"] = sorted((options["since"], options["until"]))
        if rng.random() < 0.15:
            options["basis"] = rng.choice(["in_service", "shard"])
        if rng.random() < 0.2:
            options["roofline"] = rng.choice(["memory", "memory", "compute"])
        return options

    def make(self):
        rng = self.rng
        self.records += [
            ("chips", dict(ONE, hbm_bytes_per_s=1e9)),
            ("chips", TWO),
            ("chips", dict(ONE, dtype="int8", peak_flops=4e12, hbm_bytes_per_s=1e9)),
        ]
        self.hardware()
        self.records += [
            pr("f", 3e12),
            pr("g", self.maybe(9.9e12), self.maybe("bf16")),
            pr("h", 1e13, "int8"),
            ("programs", dict(program="i", flops=1e12, bytes=3e9)),
        ]
        if rng.random() < 0.1:
            self.records.append(pr("f", 4e12, "bf16"))
        for name in "abcd"[: rng.choice([1, 1, 2, 3, 4])]:
            self.job(name)
        if rng.random() < 0.1:
            self.records = [r for r in self.records if r[0] != rng.choice(["jobs", "commits", "spans", "allocations"])]
        if rng.random() < 0.5:
            rng.shuffle(self.records)
        return fleet(*self.records), self.options()


def odd_fleet(seed):
    """(relations, options)"""
    return Odd(seed).make()


if __name__ == "__main__":
    relations, options = odd_fleet(int(sys.argv[1]))
    for name, rows in relations.items():
        for row in rows:
            print(name, {k: v for k, v in row.items() if v is not None})
    print(options)
    result = naive.compute(relations, **options)
    for key, us in sorted(result.ledger.items(), key=repr):
        print(key, us)
    print(result.issues)
