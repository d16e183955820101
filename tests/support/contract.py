"""The contract of SQL: every function with its arguments and properties, every table with its columns."""

import glob
import os
import re
import sqlite3

import formats
import table_functions
from fleets import connect

DETERMINISTIC, DIRECTONLY, INNOCUOUS = 0x800, 0x80000, 0x200000
PURE = DETERMINISTIC | INNOCUOUS

GOODPUT = [
    "scheduling_goodput",
    "runtime_goodput",
    "program_goodput",
    "mpg",
    "mpg_lower",
    "runtime_coverage",
    "program_coverage",
    "occupancy",
    "mfu",
    "ettr",
    "goodput",
    "goodput_state",
]
# (name, arguments, type: scalar, aggregate or window function, flags)
FUNCTIONS = {(name, n, "w", PURE) for name in GOODPUT for n in (1, 2, 4)} | {("goodput_merge", 1, "w", PURE)}
FUNCTIONS |= {("roofline_ideal", n, "w", INNOCUOUS) for n in (2, 3, 4)}
FUNCTIONS |= {(name, n, "s", INNOCUOUS) for name in ("roofline_seconds", "roofline_bound") for n in (2, 3, 4)}
FUNCTIONS |= {
    ("chip_peak_flops", 1, "s", INNOCUOUS),
    ("chip_peak_flops", 2, "s", INNOCUOUS),
    ("chip_bandwidth", 1, "s", INNOCUOUS),
}
FUNCTIONS |= {
    ("chip_interconnect", 1, "s", INNOCUOUS),
    ("chip_name", 1, "s", INNOCUOUS),
    ("transformer_flops", 1, "s", PURE),
}
FUNCTIONS |= {
    ("interval_union", 2, "a", PURE),
    ("interval_overlap", 3, "a", PURE),
    ("all_up", 3, "a", PURE),
    ("peak_concurrency", 2, "a", PURE),
    ("mpg_median", 1, "a", PURE),
}
FUNCTIONS |= {
    ("job_size", 1, "s", PURE),
    ("job_size", 2, "s", PURE),
    ("time_bucket", 2, "s", PURE),
    ("iso_week", 1, "s", PURE),
    ("iso_week", 2, "s", PURE),
    ("bar", 3, "s", PURE),
    ("bar", 4, "s", PURE),
} | {("spark", n, "w", PURE) for n in (1, 2, 3, 4)}
FUNCTIONS |= {
    ("op_flops", 2, "s", PURE),
    ("op_flops", 3, "s", PURE),
    ("op_flops", 4, "s", PURE),
    ("op_bytes", 3, "s", PURE),
    ("op_bytes", 4, "s", PURE),
}
FUNCTIONS |= {
    ("mpg_version", 0, "s", PURE),
    ("mpg_debug", 0, "s", INNOCUOUS),
    ("mpg_uuid", 2, "s", PURE),
    ("mpg_required", 2, "s", PURE),
    ("json_first", -1, "s", PURE),
}
FUNCTIONS |= {(name, 1, "s", DETERMINISTIC | DIRECTONLY) for name in ("mpg_import", "mpg_build")}
FUNCTIONS |= {("mpg_keep", n, "s", DETERMINISTIC | DIRECTONLY) for n in (0, 1)} | {
    ("mpg_limit", n, "s", DETERMINISTIC | DIRECTONLY) for n in (1, 2)
}
FUNCTIONS |= {("mpg_progress", n, "s", DETERMINISTIC | DIRECTONLY) for n in (0, 1, 2, 3)}

FUNCTIONS |= {("mpg_time", n, "s", DETERMINISTIC | DIRECTONLY) for n in (1, 2)}
FUNCTIONS |= {("log_group", 2, "s", DETERMINISTIC | DIRECTONLY), ("mpg_take_row", -1, "a", DIRECTONLY)}

READERS = list(formats.READERS)
MADE = ["csv_trace", "jsonl_trace", "csv_rollup", "jsonl_rollup"]  # tables are made of these too, in the schema temp
TABLES = (
    READERS
    + """mpg_ledger mpg_rollup mpg_timeline mpg_runs mpg_records
    trace_sources trace_files mpg_chips mpg_categories mpg_issues mpg_limits mpg_help interval_buckets
""".split()
    + [table.name for table in table_functions.every()]
)

DIMENSIONS = """pool TEXT, chip TEXT, job TEXT, attempt BIGINT, name TEXT, owner TEXT, phase TEXT, framework TEXT, runtime TEXT,
    model TEXT, size TEXT, priority TEXT, labels TEXT, category TEXT, cause TEXT"""
OPTIONS = """bucket_width hidden, since hidden, until hidden, as_of hidden, basis TEXT hidden, sizes TEXT hidden, roofline TEXT hidden,
    on_error TEXT hidden, threads hidden"""
SHAPES = {
    "ledger": DIMENSIONS + ", start_time REAL, end_time REAL, bucket TEXT, chip_us BIGINT, chip_seconds REAL",
    "rollup": DIMENSIONS + ", bucket TEXT, chip_us BIGINT, chip_seconds REAL, intervals BIGINT",
    "timeline": """job TEXT, attempt BIGINT, start_time REAL, end_time REAL, category TEXT, cause TEXT, kind TEXT, step BIGINT,
        program TEXT, pool TEXT, chip TEXT, bucket TEXT, chip_us BIGINT, chip_seconds REAL, _file TEXT, _line BIGINT""",
}
RECORDS = """record TEXT, job TEXT, attempt BIGINT, task TEXT, pool TEXT, chip TEXT, chips REAL, kind TEXT, start_time REAL,
    end_time REAL, outcome TEXT, step BIGINT, program TEXT, flops REAL, bytes REAL, dtype TEXT, executions REAL, snapshot_time REAL,
    durable_time REAL, name TEXT, owner TEXT, phase TEXT, framework TEXT, runtime TEXT, model TEXT, priority TEXT, labels TEXT,
    min_chips REAL, tasks BIGINT, submit_time REAL, peak_flops REAL, hbm_bytes REAL, hbm_bytes_per_s REAL, ici_bytes_per_s REAL,
    tdp_w REAL, vendor TEXT, year BIGINT, source TEXT, until_time REAL, id BIGINT"""
COLUMNS = {
    "trace_ledger": f"{SHAPES['ledger']}, path TEXT hidden, {OPTIONS}",
    "trace_rollup": f"{SHAPES['rollup']}, path TEXT hidden, {OPTIONS}, grain TEXT hidden",
    "trace_timeline": f"{SHAPES['timeline']}, path TEXT hidden, of_job TEXT hidden, {OPTIONS}",
    "mpg_ledger": f"{SHAPES['ledger']}, schema TEXT hidden, {OPTIONS}",
    "mpg_rollup": f"{SHAPES['rollup']}, schema TEXT hidden, {OPTIONS}, grain TEXT hidden",
    "mpg_timeline": f"{SHAPES['timeline']}, of_job TEXT hidden, schema TEXT hidden, {OPTIONS}",
    "mpg_runs": f"""job TEXT, attempt BIGINT, run BIGINT, program TEXT, start_us BIGINT, end_us BIGINT, last_span_us BIGINT, progress_us BIGINT,
        restore_us BIGINT, chips REAL, held_us BIGINT, productive_us BIGINT, ideal_us BIGINT, unrated_us BIGINT, lost_us BIGINT, schema TEXT hidden, {OPTIONS}""",
    "trace_sources": "file TEXT, format TEXT, certainty TEXT, reason TEXT, source BIGINT, files BIGINT, records TEXT, jobs BIGINT, "
    "first_time REAL, last_time REAL, observed_until REAL, feeds TEXT, missing TEXT, inferred TEXT, job TEXT, path TEXT hidden, on_error TEXT hidden",
    "trace_files": "path TEXT, bytes BIGINT, modified REAL, pattern TEXT hidden",
    "trace_records": f"{RECORDS}, path TEXT hidden, on_error TEXT hidden",
    "mpg_records": f"{RECORDS}, schema TEXT hidden, on_error TEXT hidden",
    "mpg_chips": """chip TEXT, vendor TEXT, year BIGINT, dtype TEXT, peak_flops REAL, hbm_bytes BIGINT, hbm_bytes_per_s REAL,
        ici_bytes_per_s REAL, tdp_w REAL, source TEXT, aliases TEXT, devices BIGINT, unit TEXT""",
    "mpg_categories": "category TEXT, layer TEXT, meaning TEXT, in_capacity BIGINT, in_allocated BIGINT, in_productive BIGINT",
    "interval_buckets": "bucket TEXT, start_time REAL, end_time REAL, seconds REAL, interval_start hidden, interval_end hidden, width hidden",
    "mpg_help": "name TEXT, kind TEXT, item TEXT, type TEXT, unit TEXT, meaning TEXT",
    "mpg_limits": "name TEXT, value BIGINT, standard BIGINT, most BIGINT, meaning TEXT",
    "mpg_issues": "source TEXT, severity TEXT, kind TEXT, line BIGINT, count BIGINT, detail TEXT, listed BIGINT hidden",
}
for path in glob.glob(
    os.path.join(formats.ROOT, "tests/formats/columns/*.txt")
):  # of a format's tables: TABLE(COLUMN TYPE, ...)
    with open(path, encoding="utf-8") as file:
        COLUMNS |= {
            name: columns.strip() for name, columns in re.findall(r"^(\w+)\((.*?)^\)$", file.read(), re.M | re.S)
        }
COLUMNS |= {table.name: table.declared for table in table_functions.every()}


def added(query):
    return set(connect().execute(query)) - set(sqlite3.connect(":memory:").execute(query))
