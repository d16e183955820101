"""damage_case.py - what the suites of damaged traces share: what is asked of a trace, and what of its damaged copy is right or said.

MPG_DAMAGES=N makes N damages of each trace (6 unless told); MPG_DAMAGES_TOLD=FILE writes what came of each, a line of JSON each.
"""

import collections
import fnmatch
import json
import os
import random
import shutil
import sqlite3
import tempfile
import unittest
import zlib

import damages
from fleets import ROOT, connect

FIXTURES = os.path.join(ROOT, "fixtures")
TIMES = int(os.environ.get("MPG_DAMAGES", "6"))

# ---- What a trace says: figures, and what is listed ----


def ledger(db, path, on_error, ends=None):
    """Chip-time by what it is of; `ends` gets the last time of each pool."""
    figures = collections.Counter()
    for *key, us, end in db.execute(
        "SELECT pool, chip, job, category, cause, chip_us, end_time FROM trace_ledger(?) WHERE on_error = ?",
        (path, on_error),
    ):
        figures[tuple(key)] += us
        if ends is not None and key[3] != "queued":
            ends[key[0]] = max(end, ends.get(key[0], end))
    return collections.Counter({key: us for key, us in figures.items() if us})


def unbalanced(db, path, figures, ends):
    """Pools whose categories do not sum to their capacity records, until the ledger's end; to the microsecond of each record."""
    sums, capacity, records = collections.Counter(), collections.Counter(), collections.Counter()
    for (pool, _, _, category, _), us in figures.items():
        sums[pool] += us if category != "queued" else 0
    for pool, chips, start, end in db.execute(
        "SELECT pool, chips, start_time, end_time FROM trace_records(?) WHERE on_error = 'skip' AND record = 'capacity'",
        (path,),
    ):
        last = ends.get(pool, start)
        capacity[pool] += chips * max(0, (last if end is None else min(end, last)) - start) * 1e6
        records[pool] += chips
    return [
        (pool, sums[pool], us) for pool, us in capacity.items() if abs(sums[pool] - us) > 2 * records[pool] + 1e-9 * us
    ]


def listed(db):
    rows = db.execute("SELECT source, severity, kind, sum(count) FROM mpg_issues GROUP BY 1, 2, 3")
    return {row[:3]: row[3] for row in rows}


# ---- The traces, and the test over them ----


class Trace:
    """Files of one trace below fixtures/, and `made` ones {name: text}; `damage` names those of them that are damaged. `ask(db, path, on_error)` gives its figures."""

    def __init__(
        self, files, shape, ask=ledger, damage=None, times=(), pairs=(), words=(), lines=damages.FILE_KINDS, made=None
    ):
        self.files, self.shape, self.ask, self.times, self.pairs, self.words, self.made = (
            files,
            shape,
            ask,
            times,
            pairs,
            words,
            made or {},
        )
        self.damage = damage or files
        self.kinds = damages.FIELD_KINDS + damages.RECORD_KINDS + tuple(lines) + (("foreign_word",) if words else ())

    def place(self, folder):
        """Copies the files into a folder of their own; the path to ask: that of the file where it is one."""
        for file in self.files:
            os.makedirs(os.path.dirname(os.path.join(folder, file)), exist_ok=True)
            shutil.copy(os.path.join(FIXTURES, file), os.path.join(folder, file))
        for file, text in self.made.items():
            with open(os.path.join(folder, file), "w", encoding="utf-8", newline="") as out:
                out.write(text)
        return os.path.commonpath([os.path.join(folder, file) for file in list(self.files) + list(self.made)])

    def do_damage(self, folder, kind, rng):
        """Damages one of the files that place() copied; the Damage, None where the kind does not apply."""
        path = os.path.join(folder, rng.choice(self.damage))
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
        done = damages.damaged(self.shape, text, kind, rng, self.times, self.pairs, self.words)
        if not done or done.text == text:
            return None
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(done.text)
        return done


class Answer:
    """What is said of a path: figures, rows of mpg_issues and trace_sources with their counts, pools out of balance, the error if any.
    Without `balance`, and with the figures `expected`, trace_sources is not asked."""

    def __init__(self, trace, path, on_error="skip", balance=True, expected=None):
        db = connect()
        self.figures, self.unbalanced, self.issues, self.error, ends = collections.Counter(), [], {}, None, {}
        try:
            if trace.ask is not ledger:
                self.figures = trace.ask(db, path, on_error)
            else:
                self.figures = ledger(db, path, on_error, ends)
                self.issues = listed(db)  # before the source is read again, which replaces its rows
                self.unbalanced = unbalanced(db, path, self.figures, ends) if balance and on_error == "skip" else []
                if balance or self.figures != expected:
                    for file, *row in db.execute(
                        "SELECT file, coalesce(format, reason), missing FROM trace_sources(?) WHERE on_error = ?",
                        (path, on_error),
                    ):
                        self.issues["trace_sources", file, *row] = 1
        except sqlite3.Error as error:
            self.figures, self.error = collections.Counter(), str(error)
        for key, count in listed(db).items():
            self.issues[key] = max(count, self.issues.get(key, 0))
        db.close()

    def says_more(self, other):
        """The kinds of issues that this answer has and the other has not, or has fewer of."""
        return sorted({str(key[2]) for key, count in self.issues.items() if count > other.issues.get(key, 0)})


class Damaged(unittest.TestCase):
    traces = {}  # by name
    invisible = (
        {}
    )  # (trace, kind, field, or note where none was changed) with * for any: why the damaged trace is a valid one of another fleet

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def place(self, trace):
        for entry in os.listdir(self.folder):
            path = os.path.join(self.folder, entry)
            (shutil.rmtree if os.path.isdir(path) else os.remove)(path)
        return trace.place(self.folder)

    def outcome(self, name, trace, kind, rng, whole):
        """One damage: 'same', 'listed', 'refused' (an error says so), 'invisible' or 'silent'; and the damage. None where the kind does not apply."""
        path = self.place(trace)
        done = trace.do_damage(self.folder, kind, rng)
        if not done:
            return None, None
        answer = Answer(trace, path, balance=rng.random() < 0.3, expected=whole.figures)
        self.assertEqual([], answer.unbalanced, (name, kind, done.note))
        if answer.error:
            self.assertNotRegex(
                answer.error, "out of memory|malformed JSON|datatype|constraint|UNIQUE", (name, kind, done.note)
            )
            return "refused", done
        if rng.random() < 0.3:  # the other mode stops at what this one skipped, or says the same
            stopped = Answer(trace, path, "stop", balance=False, expected=answer.figures)
            if not stopped.error:
                self.assertEqual(answer.figures, stopped.figures, (name, kind, done.note))
        if answer.figures == whole.figures:
            return "same", done
        both = set(answer.figures) | set(whole.figures)
        done.changed = sorted(
            (
                (key, answer.figures[key] - whole.figures[key])
                for key in both
                if answer.figures[key] != whole.figures[key]
            ),
            key=str,
        )[:6]
        done.kinds = answer.says_more(whole)
        return "listed" if done.kinds else "invisible" if self.is_invisible(name, done) else "silent", done

    def is_invisible(self, name, damage):
        return any(
            n == name and kind == damage.kind and fnmatch.fnmatchcase(str(damage.field or damage.note), field)
            for n, kind, field in self.invisible
        )

    def damages_of(self, name, trace):
        """What came of TIMES damages of a trace: (how, Damage)."""
        whole = Answer(trace, self.place(trace))
        self.assertIsNone(whole.error, name)
        self.assertGreater(len(whole.figures), 0, name)
        done = tries = 0
        while done < TIMES and tries < 20 * TIMES:
            rng = random.Random(
                zlib.crc32(("%s %d" % (name, tries)).encode())
            )  # of one damage: it does not depend on those before
            how, damage = self.outcome(name, trace, trace.kinds[tries % len(trace.kinds)], rng, whole)
            tries += 1
            if how:
                done += 1
                yield how, damage

    def test_right_or_said(self):
        counts, silent, told = collections.Counter(), [], os.environ.get("MPG_DAMAGES_TOLD")
        for name, trace in self.traces.items():
            for how, damage in self.damages_of(name, trace):
                counts[how] += 1
                told_of = [name, damage.kind, how, damage.field, damage.note, damage.kinds, damage.changed]
                if how == "silent":
                    silent.append(told_of)
                if told:
                    with open(told, "a", encoding="utf-8") as file:
                        file.write(json.dumps(told_of, default=str) + "\n")
        if told:
            print(dict(counts))
        self.assertEqual([], silent)
