"""corpus.py - the fuzz corpora as they are committed: tests/fuzz/corpus/TARGET.b64 has an input a line, in base64, the
shortest first. And what every target is given besides: seeds, which are fixtures, whole and in pieces, and texts in
tests/fuzz/seeds of what fixtures do not have; and words."""

import base64
import glob
import gzip
import hashlib
import os
import re
import sqlite3
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(os.path.join(ROOT, "tests"))
import formats  # noqa: E402

PACKED = os.path.join(ROOT, "tests/fuzz/corpus")
LONGEST = 4096  # bytes of an input that is committed
BUDGET = 12_000  # bytes of a packed corpus

# What a target is about, below ext/: whose words it is given, and whose lines tests/fuzz/report.py counts.
FILES = {
    "csv": ["read/parse/csv"],
    "json": ["read/parse/json_records", "read/parse/json_tokens"],
    "lines": ["read/input/lines", "read/input/window"],
    "inflate": ["read/input/unpack", "read/input/stream"],
    "rows": [
        "read/rows/rows",
        "read/rows/csv_rows",
        "read/rows/json_rows",
        "read/parse/json_writer",
        "read/rows/columns",
        "read/parse/json_path",
    ],
    "scan": [
        "read/rows/rows_scan",
        "read/rows/rows_dedup",
        "read/rows/rows_pieces",
        "read/rows/rows_fast",
        "read/parse/csv_fast",
        "read/parse/json_fast",
        "read/parse/blocks",
        "read/rows/rows",
    ],
    "rollup": [
        "read/rows/rows_rollup",
        "read/rows/rows_pieces",
        "read/rows/rows_fast",
        "read/parse/blocks",
        "read/grouping/groups",
        "read/grouping/sum_expression",
        "read/grouping/sum_batch",
        "base/pipeline",
    ],
    "native": [
        "goodput/native/native",
        "goodput/native/native_csv",
        "goodput/native/native_json",
        "goodput/native/native_json_fast",
        "goodput/native/native_csv_fast",
        "goodput/trace/fleet",
        "goodput/trace/fleet_add",
        "goodput/trace/fleet_add_fast",
        "goodput/trace/relation_schema",
    ],
    "slurm": [
        "formats/slurm/slurm",
        "formats/slurm/slurm_row",
        "formats/slurm/slurm_prefetch",
        "formats/slurm/slurm_value",
        "formats/slurm/slurm_repeats",
        "base/hash_set",
    ],
    "slurm_json": [
        "formats/slurm/slurm_json",
        "formats/slurm/slurm_fields",
        "formats/slurm/slurm_object",
        "formats/slurm/slurm_controller",
        "formats/slurm/slurm_nodes",
        "formats/slurm/slurm_shown",
    ],
    "hlo": [
        "formats/hlo/hlo_text",
        "formats/hlo/hlo_parse",
        "formats/hlo/hlo_lex",
        "formats/hlo/hlo_shape_text",
        "program/hlo/hlo_module",
        "program/hlo/hlo_opcode",
        "program/hlo/hlo_shape",
        "program/hlo/hlo_attribute",
        "program/hlo/hlo_cost",
        "program/hlo/hlo_flops",
        "program/hlo/hlo_bytes",
        "program/hlo/hlo_collective",
        "program/hlo/hlo_manual",
        "program/hlo/hlo_trips",
    ],
    "chrome": [
        "formats/chrome/chrome",
        "formats/chrome/chrome_event",
        "formats/chrome/chrome_prefetch",
        "formats/chrome/chrome_info",
        "read/parse/json_lenient",
    ],
    "goodput_log": ["formats/goodput_log/goodput_log", "formats/goodput_log/goodput_row"],
    "zone": ["read/input/zone"],
    "time": ["base/time", "base/time_bucket"],
    "number": ["base/number", "base/text"],
    "names": ["goodput/trace/uuid", "program/dtype", "program/chips"],
    "transformer": ["program/transformer_json", "program/transformer"],
    "state": ["goodput/account"],
    "aggregate": ["goodput/account", "goodput/goodput"],
    "interval": ["read/grouping/interval"],
    "ledger": [
        "goodput/rules/timeline",
        "goodput/rules/rating",
        "goodput/rules/lineage",
        "goodput/rules/rerun_batches",
        "goodput/rules/gang",
        "goodput/rules/pools",
        "goodput/rules/ledger_row",
        "goodput/rules/innermost",
        "goodput/ledger/rollup",
        "goodput/trace/fleet_packed",
    ],
    "sql": [
        "sqlite/functions/goodput_functions",
        "sqlite/functions/roofline_functions",
        "sqlite/functions/interval_functions",
        "sqlite/ledger/ledger_table",
        "sqlite/ledger/ledger_arguments",
        "sqlite/catalogue",
        "sqlite/sqlite_relations",
    ],
}
# A format that is not listed is about what its folder has, but for its tables.
for name in formats.FORMATS:
    FILES.setdefault(
        name,
        sorted(
            path[len(f"{ROOT}/ext/") : -2]
            for path in glob.glob(f"{ROOT}/ext/formats/{name}/*.c")
            if not path.endswith("_table.c")
        ),
    )


def targets():
    shared = {"fuzz", "replay", "libfuzzer", "ledger_naive"}
    return sorted({os.path.basename(path)[:-2] for path in glob.glob(f"{ROOT}/tests/fuzz/*.c")} - shared)


def packed(target):
    """The inputs of a target that are committed."""
    path = f"{PACKED}/{target}.b64"
    if os.path.exists(path):
        with open(path, encoding="ascii") as file:
            for line in file:
                yield base64.b64decode(line.strip(), validate=True)


def found(target):
    """Inputs that once went wrong: tests/fuzz/found/TARGET-WHAT."""
    for path in sorted(glob.glob(f"{ROOT}/tests/fuzz/found/{target}-*")):
        with open(path, "rb") as file:
            yield file.read()


def unpack(target, folder):
    """Writes all inputs of a target, each under the name that libFuzzer would give it; how many there are."""
    os.makedirs(folder, exist_ok=True)
    return len({write(folder, data) for data in (*packed(target), *found(target), *seeds(target))})


def write(folder, data):
    name = hashlib.sha1(data).hexdigest()
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)
    return name


def gains(control):
    """What each file of a merge adds to those before it, from libFuzzer's control file: its new edges, and a little for each
    of them that it takes more often than they did."""
    with open(control, encoding="utf-8", errors="replace") as file:
        text = file.read().splitlines()
    files, added = text[2 : 2 + int(text[0])], {}
    for line in text[2 + int(text[0]) :]:
        kind, number, *of = line.split()
        if kind in ("FT", "COV"):
            name = os.path.basename(files[int(number)])
            added[name] = added.get(name, 0) + len(of) * (1 if kind == "COV" else 0.01)
    return added


def pack(target, folder, added):
    """Of what lies in a folder the inputs that add most for their length, as far as the budget goes."""
    inputs, ranked, room = set(), [], BUDGET
    for path in glob.glob(f"{folder}/*"):
        with open(path, "rb") as file:
            data = file.read()
        ranked.append((-added.get(os.path.basename(path), 0) / (len(data) + 16), data))
    for _, data in sorted(ranked):
        size = len(base64.b64encode(data)) + 1
        if len(data) <= LONGEST and size <= room:
            room -= size
            inputs.add(data)
    os.makedirs(PACKED, exist_ok=True)
    with open(f"{PACKED}/{target}.b64", "w", encoding="ascii") as file:
        for data in sorted(inputs, key=lambda data: (len(data), data)):
            file.write(base64.b64encode(data).decode() + "\n")


# ---- Words ----


def words(target, path):
    """Writes a dictionary: what the target's own files say in quotes, which has the keys and names that its format knows, with
    those of tests/fuzz/TARGET.dict."""
    quoted = set()
    for name in FILES[target]:
        for source in glob.glob(f"{ROOT}/ext/{name}.[ch]"):
            with open(source, encoding="utf-8") as file:
                code = re.sub(r"^#[^\n]*|/\*.*?\*/|//[^\n]*", "", file.read(), flags=re.M | re.S)
            quoted |= {
                text for text in re.findall(r'"([^"\\\n]{1,48})"', code) if "%" not in text and text.count(" ") < 3
            }
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f'"{text}"\n' for text in sorted(quoted))
        own = f"{ROOT}/tests/fuzz/{target}.dict"
        if os.path.exists(own):
            with open(own, encoding="utf-8") as more:
                file.write(more.read())


# ---- Seeds ----


def fixture(pattern, lines=12):
    """The first lines of files below fixtures/, unless all of them fit."""
    for path in sorted(glob.glob(f"{ROOT}/fixtures/{pattern}", recursive=True)):
        if os.path.isfile(path):
            with open(path, "rb") as file:
                data = file.read()
            yield data if len(data) <= LONGEST else b"".join(data.splitlines(keepends=True)[:lines])[:LONGEST]


def texts(target):
    """Texts between empty lines of tests/fuzz/seeds/TARGET.*."""
    for path in sorted(glob.glob(f"{ROOT}/tests/fuzz/seeds/{target}.*")):
        with open(path, encoding="utf-8") as file:
            yield from (text.encode() + b"\n" for text in file.read().rstrip("\n").split("\n\n"))


def seeds(target):
    if target in ("csv", "lines"):
        yield from fixture("fleet/*.csv")
        yield from fixture("golden/*.csv")
        yield b'a,b\r\n"x ""y"" z",\n"1\n2",3\n'
    elif target == "json":
        yield from fixture("golden.jsonl", 6)
        yield b'[{"a":[1,2.5e3,null,true,{"b":"\\u00e9\\n"}]},{"a":""}]'
    elif target == "inflate":
        for data in fixture("golden/*.csv"):
            yield gzip.compress(data, mtime=0)
            yield gzip.compress(data[:40], mtime=0) * 2
            yield subprocess.run(["zstd", "-q", "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout
    elif target == "rows":
        yield from (b"0" + data for data in fixture("fleet/*.csv"))
        yield from (b"1" + data for data in fixture("golden.jsonl", 6))
        yield b'3a $.b[#-1].c REAL, "x ""y" TEXT, z $."p.q"[0]\n{"b":[1,{"c":"2.5"}],"z":1,"p.q":["",7]}\n{"x \\"y":null}\n'
        yield b"?a $.t TIME, n\nn BIGINT\n" + b'{"t":"2026-03-29T02:30:00","n":"7"}\n{"t":1.5,"n":1.5}\n{"t":"2026-01-01T00:00:00Z","n":true}\n'
        yield b"r" + b"a, b\n" + b'1\t2\n"3\tx\n'
        yield b"\xb2b, a\na,c,b\n1,2,3\n"
        yield b"\xb2b, d\na,c,b\n1,2,3\n"
        yield b"<TIME\na,b\n2026-01-01 00:00:00.25, 17 \n1767225600.123456,x\n"
        yield b"4a real, c bigint\na,b,c\n 1.5 ,2,99999999999999999999\n,,\n"
    elif target == "rollup":
        yield from (b"dend_time - start_time AS s\n" + data for data in fixture("golden/*.csv"))
        yield from (
            b"%da * 2 - b AS s, d\na,b,c,d,e\n" % (2 * i)
            + b"".join(b"%d,%d,x%d,%d.5,y\n" % (k, k * k, k % 3, k) for k in range(80))
            for i in range(4)
        )
        yield from (
            b"%da * 2 - b AS s, d\n" % (2 * i + 1)
            + b"".join(b'{"a":%d,"b":-%d,"c":"x%d","d":%d.25}\n' % (k, k, k % 3, k) for k in range(60))
            for i in range(4)
        )
        sums = (
            b"-a + b AS s, -(d) + d AS t, a * a * a AS u",
            b"a + 9223372036854775807 AS s, 1.5 * -d AS t, b * b - a AS u",
            b"a * a * a * b * b * b * b AS s, ((a)) + 1e308 * d AS t",
        )
        for i, expressions in enumerate(sums):
            yield b"%d%s\na,b,c,d\n" % (4 * i, expressions) + b"".join(
                b"%d,-%d,x%d,%d.5e%d\n" % (k, 10 ** (k % 19), k % 3, k, k % 300) for k in range(40)
            )
            yield b"%d%s\n" % (4 * i + 1, expressions) + b"".join(
                b'{"a":%d,"b":%d,"c":"x%d","d":%d.25}\n' % (9 ** (k % 20), -k, k % 3, k) for k in range(40)
            )
    elif target == "scan":
        heads = (
            b"\x00\xff1<40\t2!x1",
            b"\x08\x060]3\t3*",
            b"\x04\x04",
            b"\x0e\x051i16;4;9\t4>0",
            b"\x02\xff30",
            b"\x0a\x023=7.5",
        )
        for head in heads:
            yield head + b"\na,b,c,d,e\n" + b"".join(
                b"%d,%d,x%d,%s,y\n" % (k, k * k, k % 3, b"n/a" if k % 7 == 0 else b"%d.5" % k) for k in range(80)
            )
            yield bytes([head[0] | 1]) + head[1:] + b"\n" + b"".join(
                b'{"a":%d,"b":%d,"c":"x%d","d":%s,"e":"y"}\n'
                % (k, k * k, k % 3, b"null" if k % 7 == 0 else b"%d.25" % k)
                for k in range(60)
            )
        yield from (b"\x02\x1f1=down\n" + data for data in fixture("golden/*.csv"))
        for head in (
            b"\x11\xffa, m $.m.d REAL, q $.m.z[1].q, w $.m\t0>3",
            b'\x13\x06"b" $.m.z[#-1].q BIGINT, c $.a TEXT, n $.m."d"',
        ):
            yield head + b"\n" + b"".join(
                b'{"a":%d,"m":{"d":%d.5,"z":[%d,{"q":"%d"}]}}\n' % (k, k, k, k % 7) for k in range(60)
            )
    elif target == "transformer":
        yield b'{"mode": "training", "layers": 32, "width": 4096, "heads": 32, "kv_heads": 8, "ffn": 14336, "gated": true, "vocabulary": 128256, "sequence": 8192, "batch": 4}'
        yield b'{"mode": "decode", "parameters": 8e9, "layers": 32, "width": 4096, "context": 2048, "tokens": 1, "causal": false}'
    elif target == "native":
        order = ["capacity", "outages", "jobs", "allocations", "spans", "commits", "programs"]
        for i, relation in enumerate(order):
            yield from (b"%d" % i + data for data in fixture(f"golden/{relation}.csv"))
        yield from (b"x" + data for data in fixture("golden.jsonl", 40))
        head = b"".join(line for data in fixture("golden.jsonl") for line in data.splitlines(keepends=True)[:10])
        span = b'{"record":"span","job":"J1","attempt":1,"kind":"step","start_time":%s,"end_time":%s,"step":%d}\n'
        for form in (b"1768025629.%06d", b"%d", b"%d.5", b'"2026-01-10T06:00:%02dZ"', b'"17680256%02d"'):
            yield b"x" + head + b"".join(span % (form % k, form % (k + 1), k * k * k * 997) for k in range(12, 21))
        yield b"x" + head + b"".join(
            span.replace(b'"step":%d', b'"flops":1e%d') % (b"%d" % k, b"%d" % (k + 8), k % 2) for k in range(12, 21)
        )
    elif target == "slurm":
        yield from fixture("slurm/*", 6)
    elif target == "slurm_json":
        yield from fixture("slurm/*.json", 200)
        yield from fixture("slurm/scontrol*", 8)
        yield from texts("slurm_json")
    elif target == "prometheus":
        yield from fixture("prometheus/*", 20)
        yield b'{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"up","gpu":"0"},"values":[[1.5,"1"],[2,"NaN"]]}]}}'
    elif target == "log":
        yield b"(?<time>\\S+ \\S+) step (?<step>\\d+) loss=(?<loss>[0-9.]+)\n2026-01-01 00:00:01,250 step 7 loss=2.5\nother\n"
        yield b"^(?<time>[A-Z][a-z]{2} +\\d+ [0-9:]+) (?<a>x+)*y\nDec 31 23:59:59 xxxy\nJan  1 00:00:01 xy\n"
    elif target == "chrome":
        yield from fixture("profile/*.json", 20)
        yield b'{"traceEvents":[{"ph":"X","name":"k","ts":1.5,"dur":2,"pid":0,"tid":"s","args":{"stream":7}},{}],"distributedInfo":{"rank":1}}'
        yield b"[" + b",\n".join(b'{"ph":"X","ts":%d}' % i for i in range(60)) + b"]"
        yield b"[" + b",".join(
            b'{"ts":%d,"args":{"k":[{"ts":1},{"ts":2}]}}' % i for i in range(40)
        ) + b',{"name":"},{\\"ts\\":1"}], "x": [{"ts":1},{"ts":2}]'
    elif target == "zone":
        for name in ("UTC", "Europe/Berlin", "America/St_Johns", "Africa/Casablanca"):
            path = f"/usr/share/zoneinfo/{name}"
            if os.path.exists(path):
                with open(path, "rb") as file:
                    yield file.read()
        yield from (b"+02:30", b"Europe/Berlin", b"Z")
    elif target == "time":
        yield from (
            b"1795240353",
            b"12.5",
            b"2026-11-21T05:51:24.25+02:00",
            b"2016-12-31 23:59:60Z",
            b"15 minutes",
            b"week",
            b"3 months",
            b"0.5",
            b"10:06:00",
        )
    elif target == "number":
        yield from (
            b"-9223372036854775808",
            b"1.5e-3",
            b"0.5",
            b"2.4999999999999999999",
            b"1e400",
            b"123_[1-3,7%2].batch",
            b"billing=8,gres/gpu:a100=4",
            b"1-02:03:04.5",
        )
    elif target == "names":
        yield from (
            b"TPU v5e",
            b"NVIDIA H100 80GB HBM3",
            b"torch.bfloat16",
            b"2b1e6f0a-4f6e-4a53-9e0c-0d6e5a6f1c11",
            b"inefficiency",
            b"n[01-12,20],gpu[1-3]-[a]",
            b'a $.x."y z"[#-1] REAL, "b ""c" TEXT',
            b"mine\tbf16\t1e15\tNVIDIA Mine",
            b"H100 SXM\tfp8\t1\th100-sxm",
            b"a\tb\t-1\t",
            b"mine\tfp16\t2e14\tm\t8e10\t700\nmine\tfp64_matrix\t1e13\tM 2\nmine\tfp16\t3e14\tv5e\t\t-1\nm2\tfp32\t1\tmine\n",
            b"urn:uuid:{2b1e6f0a4f6e4a539e0c0d6e5a6f1c11}",
            b"f8e4m3fn",
        )
    elif target == "sql":
        for path in sorted(glob.glob(f"{ROOT}/tests/sql/*.test")):
            with open(path, encoding="utf-8") as file:
                for statement in file.read().split("\n\n"):
                    yield statement.partition("----")[0].encode()[:LONGEST]
        yield b"SELECT goodput(category, chip_us) FROM mpg_rollup GROUP BY pool; SELECT * FROM mpg_timeline('a')"
        yield b"SELECT mpg(category, chip_us) OVER (ORDER BY start_time ROWS 2 PRECEDING) FROM mpg_ledger WHERE bucket_width = 20"
        own = b"DROP TABLE chips; CREATE TABLE chips(chip, dtype, peak_flops, year, aliases, hbm_bytes); INSERT INTO chips VALUES ('mine', 'bf16', '1e15', 2026, '[\"m x\"]', NULL)%s; "
        for row in (
            b"",
            b", ('y', 'fp8', 'abc', NULL, NULL, x'00')",
            b", ('y', 'fp8', 1, 0.5, NULL, 1)",
            b", ('y', 'fp8', 1, 1, '{}', 1)",
            b", ('y', 'fp8', 1, 1, '[\"mine\"]', 1)",
            b", ('y', 'fp8', 1, 1, '[7', 1)",
        ):
            yield own % row + b"SELECT chip_peak_flops('m x', 'bf16'), roofline_seconds(1e15, 'y', 1e9) UNION ALL SELECT count(*), max(chip) FROM mpg_chips"
        yield b"INSERT INTO spans VALUES (x'61', 'step', '1970-01-01T00:00:31Z', 35.5, '3', NULL); SELECT job, category, sum(chip_us) FROM mpg_ledger GROUP BY 1, 2; SELECT * FROM mpg_issues"
        yield b"CREATE VIEW outages AS SELECT 'p' AS pool, 1 AS chips, 5 AS start_time, NULL AS end_time, 'maintenance' AS kind; SELECT category, cause, chip_us FROM mpg_rollup; DROP TABLE spans; SELECT mpg_lower(category, chip_us) FROM mpg_rollup"
    elif target == "state":
        db = sqlite3.connect(":memory:")
        db.enable_load_extension(True)
        db.load_extension(f"{ROOT}/mpg")
        for rows in (
            "('ideal', 5)",
            "('ideal', 0.1), ('down', -3)",
            "('queued', 9223372036854775807), ('idle', 1e30), ('lost', 2)",
        ):
            yield db.execute(f"SELECT goodput_state(column1, column2) FROM (VALUES {rows})").fetchone()[0]
    elif target in formats.FORMATS:
        yield from fixture(f"{formats.FORMATS[target].fixtures or target}/**", 60)
        yield from texts(target)
    else:  # scripts of bytes
        yield bytes(range(200))
        yield hashlib.shake_128(target.encode()).digest(600)
