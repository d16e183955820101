"""report_jobs.py - timelines of the jobs that lost most, for the report's page: intervals by category, with the record behind each.

The intervals are those of trace_timeline or mpg_timeline, so the extension is needed; without it the page has no timelines and says so.
"""

import contextlib
import os
import sqlite3
import urllib.parse

MOST_ROWS = 400  # of a job, from which intervals of one kind are taken together
SETTINGS = ("as_of", "basis", "sizes", "roofline")
INTERVALS = """SELECT job, CAST(round(start_time * 1e6) AS INTEGER) AS start_us, CAST(round(end_time * 1e6) AS INTEGER) AS end_us,
       attempt, category, cause, kind, program, step, chip_us, _file, _line
FROM {table}
WHERE job IN ({jobs}){settings}
ORDER BY job, start_us, end_us"""


def load(path, extension, mode="ro"):
    """A connection to the file, with the extension; or why there is none."""
    db = sqlite3.connect(f"file:{urllib.parse.quote(os.path.abspath(path))}?mode={mode}", uri=True)
    if not hasattr(db, "enable_load_extension"):
        return None, "this Python's sqlite3 loads no extensions"
    db.enable_load_extension(True)
    for candidate in extension:
        if candidate == "mpg" or os.path.exists(candidate):
            try:
                db.load_extension(candidate)
                with contextlib.suppress(sqlite3.OperationalError):  # an older extension has no bar
                    db.execute("SELECT mpg_progress('terminal')").fetchall()
                return db, None
            except sqlite3.Error as error:
                said = str(error)
                if candidate != "mpg":
                    return None, said
    return None, "the extension is not where mpg-report looks for it; --extension names it"


class Track:
    """Intervals of one attempt and category, kind and program, of which those that are near are one."""

    def __init__(self, key):
        self.key, self.rows = key, []

    def add(self, row, gap):
        last = self.rows[-1] if self.rows else None
        if last and row["start"] - last["end"] <= gap:
            last["end"] = max(last["end"], row["end"])
            for name in ("count", "us", "ideal"):
                last[name] += row[name]
            if row["first"] is not None:
                last["first"] = row["first"] if last["first"] is None else min(last["first"], row["first"])
                last["last"] = row["last"] if last["last"] is None else max(last["last"], row["last"])
            last["last_line"] = row["last_line"] if row["file"] == last["file"] else None
        else:
            self.rows.append(dict(row))


def intervals_of(answer):
    """{job: [interval, ...]}: ideal work and inefficiency, which share their time, are one interval of the category 'productive'."""
    found = {}
    for job, start, end, attempt, category, cause, kind, program, step, us, file, line in answer:
        is_ideal, rows = category == "ideal", found.setdefault(job, [])
        if category in ("ideal", "inefficiency"):
            category = "productive"
            last = rows[-1] if rows else None
            if (
                last
                and last["key"] == (attempt, category, cause, kind, program)
                and (last["start"], last["end"]) == (start, end)
            ):
                last["us"] += us
                last["ideal"] += us if is_ideal else 0
                continue
        rows.append(
            dict(
                key=(attempt, category, cause, kind, program),
                start=start,
                end=end,
                first=step,
                last=step,
                count=1,
                us=us,
                ideal=us if is_ideal else 0,
                file=file,
                line=line,
                last_line=line,
            )
        )
    return found


def fewer(rows, most):
    """At most so many rows: intervals of one kind that are nearer than a gap are one. Returns (rows, the gap in microseconds, those that are left out)."""
    length, gap = max(row["end"] for row in rows) - min(row["start"] for row in rows), 0
    while True:
        tracks = {}
        for row in rows:
            tracks.setdefault(row["key"], Track(row["key"])).add(row, gap)
        merged = [row for track in tracks.values() for row in track.rows]
        if len(merged) <= most or gap > length:
            break
        gap = max(gap * 2, length // 4000, 1)
    merged.sort(key=lambda row: abs(row["us"]), reverse=True)
    return sorted(merged[:most], key=lambda row: (row["start"], row["end"])), gap, merged[most:]


def texts_of(jobs):
    """What the page's script reads of {job: (rows, gap, left)}: texts once, times as differences."""
    texts, packed = {}, {}

    def place(text):
        return None if text is None else texts.setdefault(text, len(texts))

    for job, (rows, gap, left) in jobs.items():
        begin = last = rows[0]["start"]
        out = []
        for row in rows:
            attempt, *names = row["key"]
            out.append(
                [
                    row["start"] - last,
                    row["end"] - row["start"],
                    attempt,
                    *map(place, names),
                    row["first"],
                    row["last"],
                    row["count"],
                    str(row["us"]),
                    str(row["ideal"]),
                    place(row["file"]),
                    row["line"],
                    row["last_line"],
                ]
            )
            last = row["start"]
        packed[job] = dict(
            begin=begin, rows=out, gap=gap, left=dict(count=len(left), us=str(sum(row["us"] for row in left)))
        )
    return dict(jobs=packed, texts=list(texts))


def same_as_ledger(db, found, jobs):
    """Whether the intervals are those that the ledger was made of: their sums, by job and category, are its."""
    told = {}
    for job, rows in found.items():
        for row in rows:
            names = (
                [("ideal", row["ideal"]), ("inefficiency", row["us"] - row["ideal"])]
                if row["key"][1] == "productive"
                else [(row["key"][1], row["us"])]
            )
            for name, us in names:
                told[job, name] = told.get((job, name), 0) + us
    booked = {
        (job, category): us
        for job, category, us in db.execute(
            f"SELECT job, category, sum(chip_us) FROM ledger WHERE job IN ({', '.join('?' * len(jobs))}) GROUP BY 1, 2",
            jobs,
        )
    }
    return {key: us for key, us in told.items() if us} == {key: us for key, us in booked.items() if us}


def timelines(path, jobs, trace, extension):
    """The timelines of these jobs as the page's script reads them; without any, why."""
    config, why = {}, None
    db, why = load(path, extension) if jobs else (None, "no job has one")
    if db is None:
        return dict(jobs={}, why=f"There are no timelines of jobs here: {why}.")
    with db:
        db.text_factory = lambda text: text.decode("utf-8", "replace")
        if db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'mpg_config'").fetchone():
            config = dict(db.execute("SELECT name, value FROM mpg_config"))
        trace = trace or config.get("trace")
        given = {name: config[name] for name in SETTINGS if config.get(name) is not None}
        settings = "".join(f" AND {name} = :{name}" for name in given)
        values = {**given, "trace": trace, **{f"job{i}": job for i, job in enumerate(jobs)}}
        try:
            query = INTERVALS.format(
                table="trace_timeline(:trace)" if trace else "mpg_timeline",
                jobs=", ".join(f":job{i}" for i in range(len(jobs))),
                settings=settings,
            )
            found = intervals_of(db.execute(query, values))
        except sqlite3.Error as error:
            return dict(jobs={}, why=f"There are no timelines of jobs here: {error}.")
        is_same = same_as_ledger(db, found, jobs)
    if trace is None:  # places within the file's tables say nothing
        for row in (row for rows in found.values() for row in rows):
            row["file"] = row["line"] = row["last_line"] = None
        source = "mpg-report --trace FOLDER names the file and line behind each."
    else:
        source = f"The records are those of {trace}."
    if not is_same:
        source += " They are not what the ledger was made of: its sums differ."
    # What a reader can run: the same rows of one job.
    shown = INTERVALS.format(
        table=f"trace_timeline('{trace.replace(chr(39), chr(39) * 2)}')" if trace else "mpg_timeline",
        jobs=":job",
        settings="".join(f" AND {name} = '{value}'" for name, value in given.items()),
    )
    return dict(
        **texts_of({job: fewer(rows, MOST_ROWS) for job, rows in found.items()}), source=source, sql=shown + ";"
    )
