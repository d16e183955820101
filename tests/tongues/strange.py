"""strange.py - turns of events that the generator never makes, put into a story before a tongue tells it.

Each changes one job of a story, whose books (`truth`) no longer hold of it. It returns whether the job lent itself to that.
"""

from dataclasses import replace

from story import MILLION, OPEN, Commit, Run, elastic, is_whole, microseconds, rows_end, rows_start


def seconds(at):
    return f"{at // MILLION}.{at % MILLION:06d}"


def free(story, pool, start, end):
    """The chips of a pool that nothing holds or takes out of service, at the fullest moment of [start, end)."""
    held = [
        (microseconds(row["start_time"]), microseconds(row["end_time"]), float(row["chips"]))
        for rows in story.allocations.values()
        for row in rows
        if row["pool"] == pool
    ]
    held += [(out.start, out.end, out.chips) for out in story.outages if out.pool == pool]
    held += [
        (microseconds(row["start_time"]), microseconds(row["end_time"]), -float(row["chips"]))
        for row in story.capacity
        if row["pool"] == pool
    ]
    moments = {start} | {at for since, until, _ in held for at in (since, until) if start < at < end}
    return min(-sum(chips for since, until, chips in held if since <= at < until) for at in moments)


def cut(story, run, at):
    """The run ends at a time before its end."""
    for row in rows_end(story, run):
        row["end_time"] = seconds(at)
    run.end = at
    run.pieces = [(start, min(end, at), chips) for start, end, chips in run.pieces if start < at]
    run.spans = [replace(span, end=min(span.end, at)) for span in run.spans if span.start < at]
    run.commits = [
        replace(commit, durable=commit.durable if commit.durable <= at else OPEN)
        for commit in run.commits
        if commit.snapshot < at
    ]


def pairs(story, job):
    runs = story.runs[job]
    return [(a, b) for a, b in zip(runs, runs[1:]) if a.end < b.start and len(a.pieces) == len(b.pieces) == 1]


# ---- the turns of events ----


def requeued_at_once(story, job):
    """A run begins in the microsecond in which the one before ends."""
    for before, run in pairs(story, job):
        if before.pool == run.pool and free(story, run.pool, before.end, run.start) >= run.chips:
            for row in rows_start(story, run, before.end):
                row["start_time"] = seconds(before.end)
            run.start, run.pieces = before.end, [(before.end, run.end, run.chips)]
            return True
    return False


def fell_over(story, job):
    """Two runs fail at once while the job waits for its next, the second begins in the second in which the first ends."""
    for before, run in pairs(story, job):
        at = before.end // MILLION * MILLION + 2 * MILLION
        rows = rows_start(story, run, before.end)
        if at + 2 * MILLION < min(microseconds(row["start_time"]) for row in rows) and not any(
            a["start_time"] == "" or before.end < microseconds(a["start_time"]) < at for a in story.allocations[job]
        ):
            if free(story, run.pool, before.end, at + 2 * MILLION) < run.chips:
                continue
            place = story.runs[job].index(run)
            for later in story.runs[job][place:]:
                later.attempt += 2
            for row in story.allocations[job]:
                if row["attempt"] and microseconds(row["start_time"]) > before.end:
                    row["attempt"] = str(int(row["attempt"]) + 2)
            for nth in (0, 1):
                start, end = at + nth * 900_000, at + nth * 900_000 + 200_000
                story.runs[job].insert(
                    place + nth,
                    Run(job, before.attempt + 1 + nth, run.pool, start, end, "failed", [(start, end, run.chips)]),
                )
                story.allocations[job] += [
                    dict(
                        row,
                        attempt=row["attempt"] and str(before.attempt + 1 + nth),
                        start_time=seconds(start),
                        end_time=seconds(end),
                        outcome="failed",
                    )
                    for row in rows
                ]
            return True
    return False


def saved_twice(story, job):
    """A save of a step follows one of the same step."""
    changed = False
    for run in story.runs[job]:
        for commit in list(run.commits):
            save = next((s for s in run.spans if s.kind == "checkpoint" and s.end == commit.durable), None)
            if (
                save
                and save.end < run.end
                and not any(s.kind == "step" and s.start < save.end <= s.end for s in run.spans)
            ):
                middle = (save.start + save.end) // 2
                place = run.spans.index(save)
                run.spans[place : place + 1] = [replace(save, end=middle), replace(save, start=middle)]
                run.commits.insert(run.commits.index(commit), Commit(commit.step, save.start, middle))
                if commit.snapshot < middle:
                    commit.snapshot = middle
                changed = True
    return changed


def evaluated_at_the_end(story, job):
    """The last thing of a run that completes is an evaluation."""
    run = story.runs[job][-1]
    last = run.spans[-1] if run.spans else None
    if run.outcome != "completed" or last is None or last.kind not in ("step", "checkpoint") or last.end != run.end:
        return False
    begun = last.end - (last.end - last.start) // 5
    saves = [commit for commit in run.commits if commit.durable == run.end]
    if any(span.end > begun for span in run.spans[:-1]) or any(begun < c.durable < run.end for c in run.commits):
        return False
    for commit in saves:
        commit.snapshot, commit.durable = min(commit.snapshot, begun), begun
    last.end = begun
    run.spans.append(replace(last, kind="eval", start=begun, end=run.end, step=None, program=None, flops=None))
    return True


def on_half_the_chips(story, job):
    """From its second run on a job has half as many chips."""
    runs = story.runs[job]
    if elastic(story, job) or not is_whole(story, job) or len(runs) < 2 or any(len(run.pieces) > 1 for run in runs):
        return False
    held = [rows_start(story, run, before.end) for before, run in zip(runs, runs[1:])]
    kept = [rows[: (len(rows) + 1) // 2] for rows in held]
    if any(sum(int(row["chips"]) for row in rows) != run.chips for run, rows in zip(runs[1:], held)) or not all(
        2 * len(few) == len(rows) or len(rows) == 1 and int(rows[0]["chips"]) % 2 == 0 for few, rows in zip(kept, held)
    ):
        return False
    for run, few, rows in zip(runs[1:], kept, held):
        if len(rows) == 1:
            rows[0]["chips"] = str(int(rows[0]["chips"]) // 2)
        story.allocations[job] = [row for row in story.allocations[job] if row in few or row not in rows]
        run.pieces = [(start, end, sum(int(row["chips"]) for row in few)) for start, end, _ in run.pieces]
    return True


def ended_within_a_save(story, job):
    """A run ends while it saves, and what it saves is lost."""
    runs = story.runs[job]
    for run, then in zip(runs, [*runs[1:], None]):
        if run.outcome not in ("preempted", "cancelled", "failed", "timeout") or len(run.pieces) > 1:
            continue
        saves = [s for s in run.spans if s.kind == "checkpoint" and s.end < run.end]
        first = min((s.step for s in then.spans if s.step is not None), default=None) if then else None
        for save in saves[::-1]:
            of = next((c for c in run.commits if save.start <= c.snapshot <= save.end), None)
            if of and (first is None or of.step >= first):
                cut(story, run, (save.start + save.end) // 2)
                return True
    return False


def restarted_in_place(story, job):
    """The last run keeps its chips while its trainer breaks off and starts again from its last save: logs tell of two runs."""
    run = story.runs[job][-1]
    steps = [span for span in run.spans if span.kind == "step"]
    for last, then in zip(steps, steps[1:]) if len(run.pieces) == 1 else ():
        saved = max((c.step for c in run.commits if c.durable <= then.start), default=None)
        fifth = (then.end - then.start) // 5
        others = [
            span
            for span in run.spans
            if span is not then and span.start < then.start + 2 * fifth and span.end > then.start
        ]
        if saved is None or not run.start < last.end <= then.start or last.step < saved or others or then.end >= OPEN:
            continue
        at, back = then.start, last.step - saved
        late = [span for span in run.spans if span.start >= at]
        for thing in late + [commit for commit in run.commits if commit.snapshot >= at]:
            if thing.step is not None:
                thing.step -= back
        for commit in run.commits:
            if commit.snapshot < at < commit.durable:
                commit.durable = OPEN
        begins = [
            replace(
                then, kind=kind, start=at + nth * fifth, end=at + (nth + 1) * fifth, step=None, program=None, flops=None
            )
            for nth, kind in enumerate(("init", "restore"))
        ]
        then.start = begins[-1].end
        parts = [(run.start, at, "failed"), (at, run.end, run.outcome)]
        run.spans = [span for span in run.spans if span not in late] + begins + late
        story.launches[job] = story.runs[job][:-1] + [
            Run(
                *(job, run.attempt, run.pool, start, end, outcome, [(start, end, run.chips)], [[]]),
                [span for span in run.spans if start <= span.start < end],
                [commit for commit in run.commits if start <= commit.snapshot < end],
            )
            for start, end, outcome in parts
        ]
        return True
    return False


CHANGES = (
    restarted_in_place,
    requeued_at_once,
    fell_over,
    saved_twice,
    evaluated_at_the_end,
    on_half_the_chips,
    ended_within_a_save,
)


def change(story):
    """Puts each turn of events into as many jobs as lend themselves to it, one into a job; their names, by job."""
    changed = {}
    for number, job in enumerate(story.runs):
        for nth in range(len(CHANGES)):
            turn = CHANGES[(number + nth) % len(CHANGES)]
            if turn(story, job):
                changed[job] = turn.__name__
                break
    return changed
