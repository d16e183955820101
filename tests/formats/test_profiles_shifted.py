"""Profiles of every format, changed in ways that nothing that is asked depends on: all times later by an hour, and records in another order."""

import json
import os
import random
import sqlite3
import tempfile
import unittest

import perfetto
from damage_case import FIXTURES
from damages_binary import decode, encode, places
from fleets import connect
from test_mapping_damage_profiles import XSPACE, activity

LATER_S = 3600


def figures(path):
    """Durations and counts of what devices did, and what is listed; and when the first began."""
    db = connect()
    out = activity(db, path, "stop")
    for what, sql in {
        "names": "SELECT device, stream, class, name, op, count(*), sum(end_ns - start_ns) FROM trace_device_activity(?) GROUP BY 1, 2, 3, 4, 5",
        "time": "SELECT device, busy_ns, idle_ns FROM trace_device_time(?)",
        "gaps": "SELECT cause, idle_ns FROM trace_device_idle(?)",
    }.items():
        for row in db.execute(sql, (path,)):
            out[(what, *row)] += 1
    for row in db.execute("SELECT severity, kind, sum(count) FROM mpg_issues GROUP BY 1, 2"):
        out[("issue", *row)] += 1
    (first,) = db.execute("SELECT min(start_ns) FROM trace_device_activity(?)", (path,)).fetchone()
    db.close()
    return out, first


# ---- Changes: (path, later in seconds, a generator of random numbers or None) ----


def change_json(path, later, rng):
    with open(path, encoding="utf-8") as file:
        profile = json.load(file)
    for event in profile["traceEvents"]:
        if "ts" in event and event.get("ph") != "M":
            event["ts"] += later * 10**6
    if rng:
        rng.shuffle(profile["traceEvents"])
    with open(path, "w", encoding="utf-8") as file:
        json.dump(profile, file)


def change_database(path, later, rng):
    db = sqlite3.connect(path)
    for (table,) in db.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
    ).fetchall():
        info = db.execute('PRAGMA table_info("%s")' % table).fetchall()
        for _, name, *_ in info:
            if name in ("start", "end", "startNs", "endNs"):
                db.execute(
                    'UPDATE "%s" SET "%s" = "%s" + ? WHERE "%s" IS NOT NULL' % (table, name, name, name),
                    (later * 10**9,),
                )
        rows = db.execute('SELECT * FROM "%s"' % table).fetchall()
        if rng and not any(column[5] for column in info):
            rng.shuffle(rows)
            db.execute('DELETE FROM "%s"' % table)
            db.executemany('INSERT INTO "%s" VALUES (%s)' % (table, ", ".join("?" * len(info))), rows)
    db.commit()
    db.close()


def change_xspace(path, later, rng):
    with open(path, "rb") as file:
        fields = decode(file.read(), XSPACE)
    found = list(places(fields, XSPACE))
    for siblings, i, way in found:
        for field in siblings[i][2]:
            if (*way, field[0]) == (1, 3, 3):  # a line's time, from which its events count
                field[2] += later * 10**9
    for siblings in [fields] + [siblings[i][2] for siblings, i, _ in found] if rng else []:
        rng.shuffle(siblings)
    with open(path, "wb") as file:
        file.write(encode(fields))


def change_perfetto(path, later, rng):
    """Packets name and count from those before them of their writer. So each track is written anew by a writer of its own, which numbers its own names
    and has a unit of time, and whose packets keep their order; writers come in any order, and tracks are described anywhere.
    """
    with open(path, "rb") as file:
        data = file.read()
    later *= 10**9
    packets = [dict(perfetto.parse(content)) for _, content in perfetto.parse(data)]
    apart = [[perfetto.packet((60, packet[60]))] for packet in packets if 60 in packet]
    (first,) = (
        {
            dict(perfetto.parse(clock))[1]: dict(perfetto.parse(clock))[2]
            for clock in (c for _, c in perfetto.parse(packet[6]))
        }
        for packet in packets
        if 6 in packet and 10 not in packet
    )
    head = perfetto.packet(perfetto.snapshot(**{f"c{clock}": at + later for clock, at in first.items()}))
    writers = {}
    for name, category, start, end, track, args in perfetto.slices(data):
        args = json.loads(args)
        if track not in writers:
            writers[track] = perfetto.Sequence(len(writers) + 2, first[6] + later, rng.choice((1, 500)) if rng else 1)
        writers[track].slice(start + later, end + later, track, name, category, args, flow=args["corr_id"])
    apart += [writer.out for writer in writers.values()]
    order = [at for at, part in enumerate(apart) for _ in part]
    if rng:
        rng.shuffle(order)
    parts = [iter(part) for part in apart]
    with open(path, "wb") as file:
        file.write(head + b"".join(next(parts[at]) for at in order))


PROFILES = {
    "perfetto/4242_results.pftrace": change_perfetto,
    "profile/rank0.json": change_json,
    "profile/tpu.trace.json": change_json,
    "nsys/two-gpus.sqlite": change_database,
    "rocpd/4242_results.db": change_database,
    "ascend/ascend_pytorch_profiler_11.db": change_database,
    "xplane/tpu-host-0.xplane.pb": change_xspace,
}


class Changed(unittest.TestCase):
    def same(self, file, later, rng):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, os.path.basename(file))
            with open(os.path.join(FIXTURES, file), "rb") as old, open(path, "wb") as new:
                new.write(old.read())
            whole, first = figures(path)
            PROFILES[file](path, later, rng)
            changed, later_first = figures(path)
            self.assertEqual(first + later * 10**9, later_first)
            self.assertGreater(len(whole), 3)
            self.assertEqual(
                {},
                {
                    key: (whole[key], changed[key])
                    for key in sorted(whole.keys() | changed.keys(), key=str)
                    if whole[key] != changed[key]
                },
            )

    def test_later(self):
        for file in PROFILES:
            with self.subTest(file):
                self.same(file, LATER_S, None)

    def test_another_order(self):
        for file in PROFILES:
            for seed in range(3):
                with self.subTest(file, seed=seed):
                    self.same(file, 0, random.Random(seed))


if __name__ == "__main__":
    unittest.main()
