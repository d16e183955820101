"""Sections 3 to 5 of docs/rules.md for the naive ledger: a job's attempts and gangs, its innermost spans, and which of its steps survive."""

import math
from collections import Counter, defaultdict

from naive_records import MILLION

OUTCOMES = ["node_fail", "preempted", "timeout", "failed", "cancelled", "completed"]


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


class Branch:
    """Steps of one attempt whose numbers rise: what ran from one resume on, or a load that no step followed."""

    def __init__(self, of, steps, load, vouched):
        self.of, self.steps, self.load, self.vouched = of, steps, load, vouched
        self.begin = steps[0] if steps else load


class Jobs:
    """What a ledger asks of one job at a time; what it finds wrong goes to the ledger's issue()."""

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
        attempts = sorted((Attempt(n, members) for n, members in sets.items()), key=lambda t: (t.start, t.number))
        for a in allocations:
            for b in allocations:
                if (
                    a.number != b.number
                    and a.chips
                    and b.chips
                    and max(a.start_time, b.start_time) < min(a.end_time, b.end_time)
                ):
                    self.issue("overlapping_attempts")
                if (
                    a is not b
                    and a.task is not None
                    and (a.task, a.attempt, a.pool, a.chips, a.start_time, a.length)
                    == (b.task, b.attempt, b.pool, b.chips, b.start_time, b.length)
                ):
                    self.issue("duplicate_allocation")
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
        total = sum(held.values()) + Jobs.rounded_off(running)
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
                covering = [
                    (a.start_time, t.start, t.number)
                    for t in attempts
                    for a in t.allocations
                    if a.start_time <= span.start_time < a.end_time
                ]
                if covering:
                    span.of = by_number[max(covering)[2]]
            key = (span.of,) + span.key[2:]
            if span.of is None:
                self.issue("span_without_allocation")
            elif key in seen:  # what repeats exactly counts once
                self.issue("duplicate_span")
            else:
                seen.add(key)
                span.of.spans.append(span)
        for attempt in attempts:
            for span in attempt.spans:
                if span.open:
                    later = [
                        x.start_time for x in attempt.spans if x.kind == span.kind and x.start_time > span.start_time
                    ]
                    span.end_time = max(span.start_time, min(later, default=attempt.end))
                    if later or not attempt.running:
                        self.issue("missing_end")

    @staticmethod
    def inwards(span):
        """Least for the innermost span."""
        rest = (span.step, span.program, span.dtype, span.flops, span.bytes, span.executions)
        return (-span.start_time, span.end_time, span.kind, [(x is not None, 0 if x is None else x) for x in rest])

    @staticmethod
    def begins_before(a, b):
        """Of two that start together the outer one does."""
        return a.start_time < b.start_time or (a.start_time == b.start_time and Jobs.inwards(b) < Jobs.inwards(a))

    @staticmethod
    def comes_before(a, b):
        """The same where one may be a restore, which comes before steps that start with it."""
        if a.start_time == b.start_time and (a.kind == "restore") != (b.kind == "restore"):
            return a.kind == "restore"
        return Jobs.begins_before(a, b)

    @staticmethod
    def innermost(running):
        return min(running, key=Jobs.inwards, default=None)

    def unexplained(self, job, attempt, at, traced):
        if not traced:
            return "untraced", None
        if job.phase == "serving" and any(s.kind == "serve" for s in attempt.spans):
            return "stall", "no_traffic"
        if attempt.outcome == "node_fail" and attempt.spans and at >= max(s.end_time for s in attempt.spans):
            return "stall", "node_fail"
        return "unknown", None

    # 5. Which steps survive

    @staticmethod
    def in_order(spans, *kinds):
        """Spans of these kinds by their starts; of those that start together the outer one comes first."""
        inwards = sorted((s for s in spans if s.kind in kinds), key=Jobs.inwards, reverse=True)
        return sorted(inwards, key=lambda s: s.start_time)

    def branches(self, attempts):
        """The branches of a job in their order."""
        found, restored = [], False
        for t in attempts:
            load, fresh = None, False
            for s in sorted(
                self.in_order(t.spans, "step", "restore", "init"), key=lambda s: (s.start_time, s.kind != "restore")
            ):
                if s.kind != "step":
                    fresh = True
                    if s.kind == "restore":
                        restored = True
                        load = s if s.step is not None else load
                    continue
                if s.step is None:
                    continue
                before = ([b for b in found if b.steps] or [None])[-1]
                if before and before.of is t and before.steps[-1].step < s.step and not load:
                    before.steps.append(s)
                else:
                    moved = before is not None and before.of is not t
                    vouched = moved and before.of.outcome == "completed" and not restored
                    if moved and before.steps[-1].step >= s.step and not fresh and not vouched:
                        self.issue("repeated_steps")
                    found.append(Branch(t, [s], load, vouched))
                load, restored, fresh = None, False, False
            if load:
                found.append(Branch(t, [], load, False))
        return found

    @staticmethod
    def parent(branches, i, commits):
        """The index of the branch that branch i goes on from, or None."""
        earlier = [j for j in range(i) if branches[j].steps]
        load = branches[i].load
        if load is None or not earlier:
            return earlier[-1] if earlier else None

        def ran(j):
            return branches[j].steps[0].step <= load.step <= branches[j].steps[-1].step

        taken = [
            c.snapshot_time if c.snapshot_time is not None else c.durable_time
            for c in commits
            if c.step == load.step and c.durable_time is not None and c.durable_time <= load.start_time
        ]
        if taken:
            begun = [j for j in earlier if branches[j].steps[0].start_time < max(taken)]
            if begun and ran(begun[-1]):
                return begun[-1]
        came = [j for j in earlier if branches[j].steps[-1].step >= load.step]
        return ([j for j in earlier if ran(j)] or came or earlier)[-1]

    def limits(self, branches, commits):
        """The highest number that survives of each branch, and before that of what ran before the first."""
        limits = {len(branches) - 1: math.inf}
        i, limit = len(branches) - 1, math.inf
        while i >= 0:
            branch, parent = branches[i], self.parent(branches, i, commits)
            if branch.load:
                first = branch.steps[0].step if branch.steps else None
                limit = min(limit, branch.load.step - (first == branch.load.step))
            elif not branch.vouched:
                limit = min(limit, branch.steps[0].step - 1)
            elif branch.steps[0].step <= branches[parent].steps[-1].step:
                limit = math.inf
            stop = -1 if parent is None else parent
            for j in range(stop, i):
                limits[j] = limit if j == stop or parent is None or not branch.load else -math.inf
            i = stop
        return limits

    def decide_steps(self, attempts, commits, kind):
        """Sets span.fate: (category, cause), or None where the step or batch is productive."""
        steps = [s for t in attempts for s in Jobs.in_order(t.spans, kind)]
        numbered = [s for s in steps if s.step is not None]
        rollouts = [s for t in attempts for s in t.spans if kind == "step" and s.kind == "rollout"]
        last = attempts[-1] if attempts else None
        branches = self.branches(attempts) if kind == "step" else []
        limits = self.limits(branches, commits)

        def protected(step, by_number=False):
            """By a commit's time; with by_number also where its clock says that the step began later."""
            for c in commits:
                if c.durable_time is None:
                    continue
                snapshot = c.snapshot_time if c.snapshot_time is not None else c.durable_time
                if c.step is None or step.step is None:
                    if step.end_time <= snapshot:
                        return True
                elif kind == "batch":  # others may run while one is committed
                    if (step.step <= c.step and step.end_time <= snapshot) or (
                        step.step == c.step and step.start_time < snapshot
                    ):
                        return True
                elif step.step <= c.step:
                    latest = branches[-1].steps if branches and by_number else []
                    if step.start_time < snapshot or (
                        latest and c.step <= latest[-1].step and latest[0].start_time < snapshot
                    ):
                        return True
            return False

        def by_end_of_job(step):
            if protected(step) or step.of.outcome == "completed":
                return None
            if protected(step, by_number=True):
                if step.kind == "step":
                    self.issue("impossible_time")
                return None
            if last.outcome == "completed" and (step.step is None or kind == "batch" or not commits):
                if step.step is None or kind == "step":
                    self.issue("unnumbered_steps" if step.step is None else "unproven_steps")
                return None
            if not commits:
                return "unknown", "no_checkpoint_data"
            return ("pending" if last.running else "lost"), None

        def by_branch(step):
            place = (
                sum(
                    attempts.index(b.of) < attempts.index(step.of)
                    or (b.of is step.of and (b.begin is step or self.begins_before(b.begin, step)))
                    for b in branches
                )
                - 1
            )
            if step.step > limits[place]:
                return "lost", None
            return None if place < len(branches) - 1 else by_end_of_job(step)

        if kind == "batch":
            for batch, told in zip(numbered, self.batches_by_number(numbered)):
                batch.fate = (
                    ("lost", None) if told == "superseded" else None if told == "resumed from" else by_end_of_job(batch)
                )
        for rollout in rollouts:
            rollout.shared = self.step_of(rollout, [s for s in steps if s.of is rollout.of])
        for step in steps + [r for r in rollouts if r.shared is None]:
            if step.step is None:
                step.fate = by_end_of_job(step)
            elif kind == "step":
                step.fate = by_branch(step)
        if kind == "step" and numbered and len(numbered) < len(steps):
            self.issue("unnumbered_steps")
        spans = [s for t in attempts for s in t.spans]
        asked = (
            not spans
            or any(t.outcome != "completed" for t in attempts)
            or any(s.kind == "restore" and s.step is not None for s in spans)
        )
        if any(r.step is not None and r.step < 0 for r in spans + (commits if asked else [])):
            self.issue("impossible_value")
        if asked and any(
            None not in (c.snapshot_time, c.durable_time) and c.snapshot_time > c.durable_time for c in commits
        ):
            self.issue("impossible_time")
        for rollout in rollouts:
            if rollout.shared is not None:
                rollout.fate = rollout.shared.fate

    @staticmethod
    def step_of(rollout, steps):
        """The step of its attempt that a rollout is of, or None."""
        if rollout.step is not None:
            steps = [s for s in steps if s.step == rollout.step]
        before = [s for s in steps if Jobs.begins_before(s, rollout)]
        after = [s for s in steps if s not in before]
        if before and before[-1].end_time > rollout.start_time:
            return before[-1]
        if after:
            return after[0]
        return before[-1] if before and rollout.step is not None else None

    @staticmethod
    def batches_by_number(numbered):
        """Of a batch only one of its own number tells that it ran again, and only a later attempt that it was left out."""
        told = []
        for i, batch in enumerate(numbered):
            later = numbered[i + 1 :]
            if any(b.step == batch.step for b in later):
                told.append("superseded")
            elif any(b.of is not batch.of and b.step > batch.step for b in later):
                told.append("resumed from")
            else:
                told.append("left")
        return told
