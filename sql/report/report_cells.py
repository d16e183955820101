"""report_cells.py - the cells of the ledger as the report's page holds them: whole numbers, which the page filters, adds up and divides last.

pack() gives one zlib stream: a JSON object behind its length (4 bytes, the lowest first), then the cells, column by column.
sql/report/cells.mjs reads it:

    who, place, what, time   an index into the object's list of that name, as the difference to the cell before it: LEB128 of its zigzag code
    us                       chip-microseconds, 64 bits, two's complement: the lowest bytes of all cells, then the next, ... the highest

Equal values lie side by side so, and the stream is small.
"""

import json
import struct
import zlib

MOST_CELLS = 200_000  # of which each takes 4 to 9 bytes of the page
PLACE = ["pool", "chip"]
WHO = ["job", "name", "phase", "framework", "runtime", "model", "size", "team", "owner"]
WHAT = ["category", "cause"]


def coarser(sums, to):
    """The sums of the keys that `to` makes of theirs."""
    found = {}
    for key, us in sums.items():
        key = to(key)
        found[key] = found.get(key, 0) + us
    return found


def by_day(key):
    return (key[0][:10] + " 00:00:00", *key[1:])


def without_jobs(sums, most):
    """The jobs that held least as one of each segment, so that `most` cells are left. Returns (sums, number of jobs that are folded)."""
    held, cells = {}, {}
    for key, us in sums.items():
        held[key[3]] = held.get(key[3], 0) + us
        cells[key[3]] = cells.get(key[3], 0) + 1
    ranked = sorted((job for job in held if job is not None), key=held.get, reverse=True)
    room = most // 2
    while True:
        listed, left = {None}, room
        for job in ranked:
            left -= cells[job]
            if left < 0:
                break
            listed.add(job)
        found = coarser(sums, lambda key: key if key[3] in listed else (*key[:3], None, None, *key[5:12], 1, *key[13:]))
        if len(found) <= most or len(listed) == 1:
            return found, len(ranked) + 1 - len(listed)
        room //= 2


def read(db, within, given, most=None):
    """The cells of the finest grain that fits: by hour, else by day, else by day with the smallest jobs as one of each segment.

    In one pass, for a GROUP BY would sort the ledger. Returns (grain, {(time, pool, chip, those of WHO, is folded, category, cause): us}, number of jobs that are folded).
    """
    most = most or MOST_CELLS
    grain, sums, folded = "hour", {}, 0
    for key in db.execute(
        f"SELECT hour, {', '.join(PLACE + WHO)}, 0, {', '.join(WHAT)}, chip_us FROM ledger WHERE {within}", given
    ):
        us, key = key[-1], key[:-1] if grain == "hour" else by_day(key[:-1])
        sums[key] = sums.get(key, 0) + us
        if grain == "hour" and len(sums) > most:
            grain, sums = "day", coarser(sums, by_day)
    if len(sums) > most:
        sums, folded = without_jobs(sums, most)
    return grain, sums, folded


def worst_jobs(sums, most):
    """The jobs that lost most, then those that held most: where nothing is known of what they did, it is these that one asks about."""
    held, lost = {}, {}
    for key, us in sums.items():
        if key[3] is not None and key[13] != "queued":
            held[key[3]] = held.get(key[3], 0) + us
            lost[key[3]] = lost.get(key[3], 0) + (us if key[13] not in ("ideal", "untraced", "unrated") else 0)
    ranked = sorted(held, key=lambda job: (-lost[job], -held[job], job))
    return [job for job in ranked if held[job] > 0][: max(0, most)]


class Index(dict):
    """Numbers for values, in the order in which they come."""

    def __missing__(self, key):
        self[key] = len(self)
        return self[key]


def leb128(values):
    """The differences of each value to the one before it."""
    out, last = bytearray(), 0
    for value in values:
        code = (value - last) * 2 if value >= last else (last - value) * 2 - 1
        last = value
        while code > 127:
            out.append(code & 127 | 128)
            code >>= 7
        out.append(code)
    return bytes(out)


def planes(values):
    whole = struct.pack(f"<{len(values)}q", *values)
    return b"".join(whole[place::8] for place in range(8))


def pack(head, sums):
    """The stream of what read() gives, with what else the page's script is told."""
    times = {time: number for number, time in enumerate(sorted({key[0] for key in sums}))}
    who, place, what = Index(), Index(), Index()
    cells = sorted((who[key[3:13]], place[key[1:3]], what[key[13:]], times[key[0]], us) for key, us in sums.items())
    head = {
        **head,
        "times": list(times),
        "who": list(who),
        "place": list(place),
        "what": list(what),
        "cells": len(cells),
    }
    text = json.dumps(head, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8", "replace")
    columns = list(zip(*cells)) or [()] * 5
    return zlib.compress(
        struct.pack("<I", len(text)) + text + b"".join(map(leb128, columns[:4])) + planes(columns[4]), 9
    )
