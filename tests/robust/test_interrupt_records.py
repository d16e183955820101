"""An interruption ends the reading of one record soon, however long: records near the limit of 64 MiB where MPG_FULL is set."""

import os
import sqlite3
import tempfile
import unittest

import figures
import poll_gaps
import xspace
from fleets import connect, quote
from poll_gaps import FULL, gaps, text

ALONE = "it interrupts after milliseconds, and measures gaps"
LONG_BYTES = 62_000_000 if FULL else 6_000_000
LONG_MOST = 0.2  # seconds of a processor between two looks


def numbered(n, text):
    return ",".join(text % i for i in range(n // 15))


def pbs(fields):
    return f"03/31/2025 11:00:00;E;101.pod;user=alice {fields}\n03/31/2025 11:00:00;Q;101.pod;user=alice\n"


def sacct(field, text_of_field):
    """Two jobs of the fixture, the first with another text in a field."""
    head, first, second = text("slurm/sacct_jobs.psv").splitlines()[:3]
    cells = first.split("|")
    cells[head.split("|").index(field)] = text_of_field
    return "\n".join([head, "|".join(cells), second, ""])


def event(members):
    return '[{"ph":"X","name":"k","pid":1,"tid":1,"ts":1,"dur":5,' + members + "}]\n"


def pod(labels="", spec=""):
    return (
        '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"n","labels":{'
        + labels
        + '}},"spec":{'
        + spec
        + "}}\n"
    )


def swf(before, last=""):
    return f"; UnixStartTime: 1\n{before} 1 0 10 600 16 580.5 2048 16 900 4096 1 1 1 1 2 1 -1 -1{last}\n"


def plane(n, many):
    """An XSpace of one plane of n bytes: many messages in it of a number each, or an event of many stats that nothing explains."""

    def sized(number, data):
        return xspace.tag(number, 2) + xspace.varint(len(data)) + data

    name = xspace.message([(2, "/device:TPU:0")])
    if many == "stats":
        stat = xspace.message([(4, [(1, 7), (3, 5)])])
        return sized(1, name + sized(3, sized(4, xspace.message([(1, 1), (3, 10)]) + stat * (n // len(stat)))))
    return sized(
        1, name + b"".join(xspace.message([(4, [(1, i), (2, [(1, i), (2, "k%d" % i)])])]) for i in range(n // 21))
    )


SPAN = (
    '{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","name":"s",'
    '"startTimeUnixNano":"1700000000000000000","endTimeUnixNano":"1700000000000000000","attributes":['
)
PAIR = '{"key":"a","value":{"stringValue":"b"}},'
ANSWER = '{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"m",%s},"values":[[1700000000,"1"]]}]}}\n'
COUNT = "SELECT count(*) FROM %s_trace({long})"
ANSWERS = "SELECT count(labels), count(gpu) FROM prometheus_trace({long})"
PBS = "SELECT count(other), count(alloc_gpus), count(gpu_type), count(nodes) FROM pbs_trace({long})"
SACCT = "SELECT count(alloc_gpus), count(alloc_gpu_types), count(nodes) FROM slurm_trace({long})"
NODES = "SELECT count(gpus), count(gpu_types) FROM slurm_nodes_trace({long})"
SKIP = COUNT + " WHERE on_error = 'skip'"
# One record of n bytes: what it looks like, a statement that reads it, and how many looks that takes a megabyte, at the least, of six: a
# loop without one is told by their number where a clock would need ten times as much, and a quiet machine. The reading of the file alone
# is about ten. What SQLite itself does with so long a text is left out.
LONG = {
    "a field": (lambda n: f"a,b\n1,{'x' * n}\n", COUNT % "csv", 5),
    "a field of digits": (lambda n: f"a,b\n1,{'9' * n}\n", COUNT % "csv", 5),
    "a field of quotes": (lambda n: 'a,b\n1,"' + '""' * (n // 2) + '"\n', COUNT % "csv", 60),
    "a field of line ends": (lambda n: 'a,b\n1,"' + "\n" * n + '"\n', COUNT % "csv", 45),
    "a record of line ends": (
        lambda n: 'a,b\n1,"' + "\n" * n + '"\n',
        "SELECT max(typeof(record)) FROM csv_trace({long})",
        95,
    ),
    "a text of JSON": (lambda n: '{"a":"' + "x" * n + '"}\n', COUNT % "jsonl", 3),
    "a text of escapes": (lambda n: '{"a":"' + "\\n\\u00e9" * (n // 8) + '"}\n', COUNT % "jsonl", 22),
    "line ends in JSON": (lambda n: '{"a":' + "\n" * n + "1}\n", COUNT % "jsonl", 3),
    "members": (lambda n: "{" + numbered(n, '"k%d":1') + "}\n", COUNT % "jsonl", 5),
    "an array of numbers": (lambda n: '{"a":[' + "1," * (n // 2) + "1]}\n", COUNT % "jsonl", 5),
    "an array of objects": (lambda n: '{"a":[' + '{"b":[]},' * (n // 9) + "1]}\n", COUNT % "jsonl", 5),
    "members of a native record": (
        lambda n: '{"record":"capacity","pool":"p","chips":1,"start_time":0,' + numbered(n, '"k%d":1') + "}\n",
        "SELECT count(*) FROM trace_rollup({long})",
        5,
    ),
    "a name of a native record": (
        lambda n: '{"record":"capacity","pool":"' + "x" * n + '","chips":1,"start_time":0}\n',
        "SELECT count(*) FROM trace_rollup({long})",
        3,
    ),
    "members of a log entry": (
        lambda n: '{"job_name":"g","job_start_time":5.0,' + numbered(n, '"k%d":1') + "}\n",
        COUNT % "goodput" + " WHERE threads = 1",
        25,
    ),
    "attributes of a span": (
        lambda n: SPAN + PAIR * (n // len(PAIR)) + PAIR[:-1] + "]}]}]}]}\n",
        "SELECT count(attributes) FROM otlp_trace({long})",
        70,
    ),
    "a list of jobs": (lambda n: '{"jobs":[{"job_id":1,"x":[' + '{"b":[]},' * (n // 9) + "1]}]}\n", COUNT % "slurm", 5),
    "a value of MLLOG": (
        lambda n: ':::MLLOG {"namespace":"","time_ms":5,"event_type":"POINT_IN_TIME","key":"k","value":['
        + '{"b":[]},' * (n // 9)
        + '1],"metadata":{"file":"f","lineno":1}}\n',
        COUNT % "mllog",
        5,
    ),
    "colons before MLLOG": (
        lambda n: ":" * n
        + '::MLLOG {"namespace":"","time_ms":5,"event_type":"POINT_IN_TIME","key":"k","value":1,"metadata":{'
        '"file":"f","lineno":1}}\n',
        COUNT % "mllog",
        60,
    ),
    "operands of HLO": (
        lambda n: "HloModule m\n\nENTRY e {\n  p0 = f32[8,8] parameter(0)\n  ROOT t = ("
        + "f32[8,8], " * (n // 14)
        + "f32[8,8]) tuple("
        + "p0, " * (n // 14)
        + "p0)\n}\n",
        "SELECT flops FROM hlo_cost({long})",
        5,
    ),
    "elements of HLO's tuples": (
        lambda n: "HloModule m\n\nENTRY e {\n  "
        + "x" * (n // 2)
        + " = "
        + "(" * 60
        + "f32[8]"
        + ")" * 60
        + " parameter(0)\n  ROOT r = f32[8] negate("
        + "x" * (n // 2)
        + "#0" * 60
        + ")\n}\n",
        "SELECT flops FROM hlo_cost({long})",
        40,
    ),
    "axes of HLO's groups": (
        lambda n: "HloModule m\n\nENTRY e {\n  p0 = f32[8,8] parameter(0)\n  ROOT r = f32[8,8] all-gather(p0), dimensions={0}, replica_groups=mesh["
        + numbered(n // 2, "'x%d'=2")
        + "] {"
        + numbered(n // 2, "'x%d'")
        + "}\n}\n",
        "SELECT wire_bytes FROM hlo_cost({long})",
        7,
    ),
    "a constant of HLO": (
        lambda n: "HloModule m\n\nENTRY e {\n  ROOT c = f32[8,8] constant({" + "{1,2}," * (n // 6) + "1})\n}\n",
        "SELECT flops FROM hlo_cost({long})",
        3,
    ),
    "labels of a sample": (lambda n: "m{" + numbered(n, 'k%d="v"') + "} 1\nm 2\n", ANSWERS, 26),
    "escapes in a label": (lambda n: 'm{a="' + "\\n" * (n // 2) + '"} 1\nm 2\n', ANSWERS, 23),
    "the name of a metric": (lambda n: "m" * n + " 1\nm 2\n", COUNT % "prometheus", 17),
    "digits of a time": (lambda n: "m 1 0." + "0" * n + "1\nm 2\n", COUNT % "prometheus", 17),
    "labels of a series": (lambda n: ANSWER % numbered(n, '"k%d":"v"'), ANSWERS, 55),
    "escapes of a series": (lambda n: ANSWER % ('"a":"' + "\\n\\u00e9" * (n // 8) + '"'), ANSWERS, 33),
    "line ends of an answer": (lambda n: ANSWER % ("\n" * n + '"a":"b"'), COUNT % "prometheus", 3),
    "keys of an accounting record": (lambda n: pbs(numbered(n, "k%d=1").replace(",", " ")), PBS, 24),
    "words of an accounting record": (lambda n: pbs("comment=" + "xy " * (n // 3)), COUNT % "pbs", 20),
    "quotes that nothing closes": (lambda n: pbs('a="x ' * (n // 5)), COUNT % "pbs", 30),
    "virtual nodes": (
        lambda n: pbs("exec_vnode=" + "+".join(f"(n{i}:ncpus=8:ngpus=4)" for i in range(n // 27))),
        PBS,
        48,
    ),
    "hosts": (lambda n: pbs("exec_host=" + "+".join(f"n{i}/0*8" for i in range(n // 12))), PBS, 38),
    "delimiters in a comment": (lambda n: sacct("Comment", "|" * n), SKIP % "slurm", 25),
    "resources of a job": (lambda n: sacct("AllocTRES", numbered(n * 2 // 3, "gres/gpu:t%d=1")), SACCT, 50),
    "a list of nodes": (lambda n: sacct("NodeList", f"n[{numbered(n, '%d')}]"), SACCT, 17),
    "lines of a comment": (lambda n: sacct("Comment", "\n" * n), SKIP % "slurm", 15),
    "words of a node": (lambda n: "NodeName=n1 OS=" + "ab " * (n // 3) + " State=IDLE\n", NODES, 21),
    "resources of a node": (lambda n: "NodeName=n1 State=IDLE Gres=" + "gpu:h100:8," * (n // 11) + "\n", NODES, 28),
    "arguments of an event": (
        lambda n: event('"args":{' + numbered(n, '"k%d":1') + "}"),
        "SELECT count(args), count(stream), count(device) FROM chrome_trace({long})",
        40,
    ),
    "escapes of an event": (
        lambda n: event('"cat":"' + "\\n\\u00e9" * (n // 8) + '"'),
        "SELECT count(cat) FROM chrome_trace({long})",
        45,
    ),
    "members of an event": (lambda n: event(numbered(n, '"k%d":1')), COUNT % "chrome", 20),
    "brackets in an event": (
        lambda n: event('"args":{"a":"\\\\",' + '"b":' + "[" * (n // 2) + "]" * (n // 2) + "}"),
        COUNT % "chrome",
        22,
    ),
    "words of a job": (lambda n: swf("", " 1" * (n // 2)), SKIP % "swf", 35),
    "spaces before a job": (lambda n: swf(" " * n), COUNT % "swf", 22),
    "labels of a pod": (
        lambda n: pod(numbered(n, '"k%d":"v"')),
        "SELECT count(labels), count(pool) FROM kube_trace({long})",
        56,
    ),
    "stats of an event": (lambda n: plane(n, "stats"), COUNT % "xplane", 60),
    "names of events": (lambda n: plane(n, "names"), COUNT % "xplane", 30),
    "limits of a container": (
        lambda n: pod(spec='"containers":[{"resources":{"limits":{' + numbered(n * 3 // 4, '"a.b/%d":"1"') + "}}}]"),
        COUNT % "kube",
        58,
    ),
}


def write(path, content):
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())


class Records(poll_gaps.Case):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "long")

    def test_long_records(self):
        rows = []
        for name, (record, sql, least) in LONG.items():
            with self.subTest(name):
                write(self.path, record(LONG_BYTES))
                total, count, _, widest, end = gaps(connect(), sql.replace("{long}", quote(self.path)), 1)
                rows.append(
                    {
                        "one record": name,
                        "bytes": LONG_BYTES,
                        "processor seconds": f"{total:.2f}",
                        "looks": count,
                        "widest gap": f"{1000 * max(widest, end):.1f} ms",
                    }
                )
                if FULL:
                    self.judge(max(widest, end), LONG_MOST)
                else:
                    self.assertGreaterEqual(count, least * LONG_BYTES // 1_000_000)
        self.judged()
        if FULL:
            figures.record("long_records", rows)

    def test_any_look_within_a_record(self):
        """What was half read is no error of the file, and no row."""
        for name, (record, sql, _) in LONG.items():
            write(self.path, record(1_000_000))
            db, sql = connect(), sql.replace("{long}", quote(self.path))
            count = gaps(db, sql, 1)[1]
            for at in {1, 2, count // 7, count // 4, count // 2, count * 2 // 3}:
                left = at

                def stop():
                    nonlocal left
                    left -= 1
                    return left <= 0  # as an interruption stays

                with self.subTest(name, at=at, looks=count):
                    db.set_progress_handler(stop, 1)
                    with self.assertRaisesRegex(sqlite3.OperationalError, "^interrupted$"):
                        db.execute(sql).fetchall()


if __name__ == "__main__":
    unittest.main()
