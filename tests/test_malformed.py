"""Malformed input, reader by reader: what was expected, what was found, and where; and input that only looks malformed."""
import sqlite3
import unittest

import cases


class Case(cases.FolderCase):
    FILE = "input"

    def read(self, table, text, columns="*", more="", *parameters):
        self.input = self.file(text)
        return self.rows(f"SELECT {columns} FROM {table}(?{more})", self.input, *parameters)

    def issues(self):
        return self.rows("SELECT kind, count, detail FROM mpg_issues WHERE source = ?", self.input)

    def refused(self, table, errors):
        """Each text stops the query with this error, behind the name of table and file."""
        for text, error in errors.items():
            with self.subTest(text=text):
                with self.assertRaises(sqlite3.OperationalError) as raised:
                    self.read(table, text)
                self.assertEqual(f"{table}: {self.input}:{error}", str(raised.exception))


class Hlo(Case):
    HEAD = "ENTRY e { a = f32[4] parameter(0) ROOT b = "

    def test_shapes(self):
        self.refused("hlo_trace", {self.HEAD + text + "\n": error for text, error in {
            "f32[4]{0:T(8 negate(a) }": """1:50: expected a layout that ends with '}', found "{0:T(8 negate(a) }\"""",
            "f32[4]{0 negate(a) }": '2:1: expected an opcode, found end of file within the computation "e" of line 1',
            "f32[<4] negate(a) }": """1:49: expected '=' of a dynamic dimension, found "4] negate(a) }\"""",
            "f32[4 5] negate(a) }": """1:50: expected ',' or ']' of a shape, found "5] negate(a) }\"""",
            "(f32[4] f32[4]) custom-call(a) }": """1:52: expected ',' or ')' of a tuple's shape, found "f32[4]) custom-call(a) }\"""",
            "f32[4] negate(f32[4 a) }": '1:67: expected an operand, found "}"'}.items()})
        self.refused("hlo_trace", {
            "%c (x: f32[2]) -> f32[2 { x = f32[2] parameter(0) }\n":
                """1:18: expected the shape of a computation's result, found " f32[2 { x = f32[2] parameter(0) }\"""",
            "%c (x: f32[2]) -> { x = f32[2] parameter(0) }\n":
                """1:18: expected the shape of a computation's result, found " { x = f32[2] parameter(0) }\"""",
            "%c (x: f32[2] -> f32[2] { x = f32[2] parameter(0) }\n": "2:1: expected the end of a computation's parameters, found end of file"})

    def test_shapes_of_operands(self):
        """An operand may bring its shape, of any form; empty tuples are none; a layout that orders nothing is the default one."""
        for text in ("f32[4] negate(b(f32[4]) a)", "f32[4] negate(f32[4]{0} %a)", "f32[4] negate((f32[4], s32[]) a)", "f32[4]{9} negate(a)",
                     "f32[4]{0:E(0)T(8)} negate(a)", "f32[4] negate(a), literal=s32[] 1, x=2", "f32[4] negate(a), literal=s32[]"):
            self.assertEqual([(0,), (4,)], self.read("hlo_trace", self.HEAD + text + " }\n", "op_flops"), text)
        self.assertEqual([("f32[4]",), ("()",)], self.read("hlo_trace", self.HEAD + "() tuple() }\n", "shape"))
        self.assertEqual([("((), f32[4])", 0)], self.read("hlo_trace", self.HEAD + "((), f32[4]) custom-call(a) }\n", "shape, cost_known")[1:])

    def test_instructions(self):
        self.refused("hlo_trace", {
            "ENTRY e { a f32[] parameter(0) }\n": """1:13: expected '=' behind the name of an instruction, found "f32[] parameter(0) }\"""",
            "ENTRY e { a = f32[] parameter }\n": """1:31: expected '(' behind the opcode, found "}\"""",
            "ENTRY e { a = f32[] parameter(x) }\n": '1:31: expected the number of a parameter, found "x) }"',
            "ENTRY e { a = f32[] parameter(-1) }\n": '1:33: expected the number of a parameter, found ") }"',
            "ENTRY e { a = f32[] parameter(0 }\n": """1:33: expected ')', found "}\"""",
            "ENTRY e { a = f32[] parameter(0), }\n": '1:35: expected the name of an attribute, found "}"',
            "ENTRY e { a = f32[] parameter(0), x }\n": """1:37: expected '=' behind the name of an attribute, found "}\"""",
            "ENTRY e { a = f32[] parameter(0) b = f32[] add(a, ) }\n": '1:51: expected an operand, found ") }"',
            "ENTRY e { a = f32[] parameter(0) b = f32[] add(a a) }\n": """1:50: expected ',' or ')', found "a) }\"""",
            "ENTRY e { t = (f32[]) parameter(0) a = f32[] get-tuple-element(t), index=-1 }\n":
                '1:46: expected an index of get-tuple-element, found "get-tuple-element(t), index=-1 }"',
            "ENTRY e { t = (f32[]) parameter(0) a = f32[] get-tuple-element(t) }\n":
                '1:46: expected an index of get-tuple-element, found "get-tuple-element(t) }"',
            "ENTRY e { a = f32[] parameter(0) c = dot(a, a) }\n": '1:38: expected a shape before the opcode, found "dot(a, a) }"',
            "ENTRY e { a = f32[] constant(1 /* open\n": '2:1: expected the end of a constant, found end of file within the computation "e" of line 1',
            self.HEAD + 'f32[4] negate(a), metadata={op_name="a/b" source="\\"} }\n':
                '2:1: expected the end of an attribute\'s value, found end of file within the computation "e" of line 1',
            self.HEAD + "f32[4] fusion(a), calls={ROOT n = f32[4] negate(a)} }\n":
                '1:92: expected the name of an instruction above, as operand, found "a)} }"',
            self.HEAD + "f32[4] conditional(a, a), branch_computations={ROOT, e} }\n": '1: expected a computation of this module, found "ROOT"'})

    def test_computations(self):
        self.refused("hlo_trace", {
            "ENTRY e ( { a = f32[] parameter(0) }\n": "2:1: expected the end of a computation's parameters, found end of file",
            "ENTRY e x { a = f32[] parameter(0) }\n": """1:9: expected '{' of a computation, found "x { a = f32[] parameter(0) }\"""",
            'c { x = f32[2] parameter(0) }, execution_thread="main\n': "2:1: expected the end of an attribute's value, found end of file",
            "c { x = f32[2] parameter(0) }, execution_thread\n":
                """2:1: expected '=' behind the name of an attribute, found end of file within the computation "c" of line 1"""})
        # Words of the grammar may be names.
        self.assertEqual([("ROOT",)], self.read("hlo_trace", "ENTRY ENTRY { ROOT = f32[] parameter(0) }\n", "name"))
        self.assertEqual([("ENTRY",)], self.read("hlo_cost", "ENTRY { a = f32[] parameter(0) }\n", "entry"))

    def test_headers(self):
        self.refused("hlo_cost", {
            "HloModule\n": "2:1: expected the name of a module, found end of file",
            "HloModule m, x\nENTRY e { }\n": '2:1: expected key=value of a module, found "ENTRY e { }"',
            "HloModule m, x={\nENTRY e { }\n": "3:1: expected the end of a value of the module's header, found end of file",
            "HloModule m\nFileNames\n1 a\n\nENTRY e { }\n": '3:3: expected a number with a string or braces, found "a"',
            'HloModule m\nFileNames\n1 "a\n\nENTRY e { }\n': '3:3: expected a number with a string or braces, found ""a"',
            'HloModule m\nFileNames\n99999999999999999999 "a"\n':
                '3:1: expected a number with a string or braces, found "99999999999999999999 "a""'})
        self.assertEqual([(1, 1, 1)], self.read("hlo_cost", "HloModule m, replica_count=0, num_partitions=-3\nENTRY e { a = f32[] parameter(0) }\n",
                                                "num_partitions, replica_count, devices"))
        self.assertEqual([(2, 3, 6)], self.read("hlo_cost", "HloModule m, replica_count=3, num_partitions=2\nENTRY e { a = f32[] parameter(0) }\n",
                                                "num_partitions, replica_count, devices"))

    def test_comments(self):
        """Of both kinds, wherever a space may be, and within values; a lone slash is none."""
        text = ("HloModule m // c\nENTRY e { a = f32[] /* x */ parameter(0) // no\n"
                " b = f32[] constant(/* { */ 1), x={/* } */ a / b} }\n// end")
        self.assertEqual([("a",), ("b",)], self.read("hlo_trace", text, "name"))


class Goodput(Case):
    def test_values(self):
        self.refused("goodput_trace", {
            '{"job_name": 7}\n': '1:14: expected a text for "job_name", found "7"',
            '{"job_name": "r", "job_start_time": -5}\n': '1:37: expected Unix seconds from 1970 to 2261, found "-5"',
            '{"job_name": "r", "step_count": "x"}\n': '1:33: expected a whole number for "step_count", found "x"'})
        self.assertEqual([(1, "r", "step", 5.0)],
                         self.read("goodput_trace", '{"job_name": "r", "step_count": 1.0, "step_start_time": 5}\n', "step_count, job_name, kind, time"))

    def test_rest(self):
        """Keys of its own are kept as JSON, whatever they hold; a name may be empty."""
        self.assertEqual([("", "other", None), ("r", "job", '{"a":false,"b":true,"c":null,"d":"x\\"","e":[1,{}]}')],
                         self.read("goodput_trace", '{"job_name": ""}\n{"job_name": "r", "job_start_time": 0, "a": false, "b": true, "c": null, '
                                   '"d": "x\\"", "e": [1,{}]}\n', "job_name, kind, rest"))


class Kube(Case):
    def test_objects(self):
        self.refused("kube_trace", {
            '{"kind": "Status", "status": "Failure", "message": "forbidden: no"}':
                "1:1: expected objects of Kubernetes, found the API server's Status: forbidden: no",
            "apiVersion: v1\nkind: List\n": '1:1: expected objects of Kubernetes as JSON (kubectl get ... -o json), found "apiVersion: v1" '
                                            "(YAML: export with -o json)",
            '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "name": "b"}}': '1:1: expected each key once in "metadata", found one again'})

    def test_elements(self):
        """A key twice within an element of a list, be it of owners or containers."""
        for member in ('"metadata": {"name": "a", "ownerReferences": [{"kind": "Job", "kind": "Job"}]}',
                       '"metadata": {"name": "a"}, "status": {"containerStatuses": [{"name": "a", "name": "b"}]}'):
            self.refused("kube_trace", {'{"apiVersion": "v1", "kind": "Pod", ' + member + "}": '1:1: expected each key once in "", found one again'})

    @staticmethod
    def containers(amount, n):
        return '"containers": [' + ", ".join(['{"resources": {"limits": {"nvidia.com/gpu": "%s"}}}' % amount] * n) + "]"

    def test_too_many_chips(self):
        """2^50 millionths of a chip are the most, of a container, a pod, and all pods of a job."""
        pod = '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {%s}}'
        job = '{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"}, "spec": {"parallelism": %d, "template": {"spec": {%s}}}}'
        self.assertEqual([(1125899.0,)], self.read("kube_trace", pod % self.containers("1125899", 1), "chips"))
        self.assertEqual([(999.0 * 1125899,)], self.read("kube_trace", pod % self.containers("1125899", 999), "chips"))
        self.assertEqual([(1000.0 * 1000000,)], self.read("kube_trace", job % (1000, self.containers("1000000", 1)), "chips"))
        self.refused("kube_trace", {
            pod % self.containers("1125900", 1): '1:1: expected a number of chips for "quantity", found "1125900"',
            pod % self.containers("1125899", 1002): "1:1: expected a number of chips, found too many",
            job % (1200, self.containers("1000000", 1)): "1:1: expected a number of chips, found too many"})

    def test_watches(self):
        """What the API server says in the middle of a watch is an issue."""
        for message, detail in (('"message": "too old"', "too old"), ('"code": 410', "the watch ended with an error")):
            self.assertEqual([], self.read("kube_trace", '{"type": "ERROR", "object": {"kind": "Status", ' + message + "}}\n"))
            self.assertEqual([("watch_error", 1, detail)], self.issues())


class Log(Case):
    def test_times_of_a_zone(self):
        """Spaces around a time are none of it; the clock may show it twice, or never."""
        for text, seconds, issue in (("2024-10-27 02:30:00", 1729989000.0, "repeated_time"), ("2024-03-31 02:30:00", 1711848600.0, "skipped_time"),
                                     ("2024-03-31 03:30:00", 1711848600.0, None)):
            found = self.read("log_trace", f"  {text}  x\n   x\n", "time", ", '^(?<time>.*?)x') WHERE zone = (?",
                              "Europe/Berlin")
            self.assertEqual([(seconds,), (None,)], found)
            self.assertEqual([issue] if issue else [], [kind for kind, _, _ in self.issues()])


    def test_patterns_that_need_too_much(self):
        """A pattern that PCRE2 gives up on is an error of its line, with what it needs."""
        for pattern, text, error in (("(?<a>((.)*?)+$)\\z(?!)", "x" * 200000, "the pattern needs more than 64 MiB on this line"),
                                     ("(?<a>(?R)?x)", "x", "the pattern cannot be matched (PCRE2 error -52)")):
            with self.assertRaises(sqlite3.Error) as raised:
                self.read("log_trace", text + "\n", "*", ", ?", pattern)
            self.assertEqual(f"log_trace: {self.input}:1:1: {error}", str(raised.exception))


class Otlp(Case):
    SPAN = ('{"resourceSpans":[{"scopeSpans":[{%s"spans":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","name":"n",'
            '"startTimeUnixNano":"%s","endTimeUnixNano":"1544712661000000000"%s}]}]}]}')
    START = "1544712660000000000"

    def test_members(self):
        self.refused("otlp_trace", {
            self.SPAN % ('"scope":{"name":"a","name":"b"},', self.START, ""):
                '1:1: expected an object "scope" with each key once, found {"name":"a","name":"b"}',
            self.SPAN % ("", self.START, ',"status":{"code":1,"code":2}'): '1:1: expected each key of "status" once, found one again',
            self.SPAN % ("", self.START, ',"name":"m"'): "1:44: expected each key of a span once, found one again"})

    def test_flags_and_kinds(self):
        self.assertEqual([(257, None, None)], self.read("otlp_trace", self.SPAN % ("", self.START, ',"flags":257,"status":7,"kind":"SPAN_KIND_OTHER"'),
                                                        "flags, status, kind"))
        self.assertEqual([(None, "error", "client")],
                         self.read("otlp_trace", self.SPAN % ("", self.START, ',"status":{"code":"STATUS_CODE_ERROR"},"kind":3'), "flags, status, kind"))


class Prometheus(Case):
    ANSWER = '{"status":"success","data":{"resultType":"matrix","result":%s}%s}'

    def test_answers(self):
        self.refused("prometheus_trace", {
            self.ANSWER % ("7", ""): '1:60: expected an array "result", found another value',
            self.ANSWER % ('[{"metric":7,"values":[]}]', ""): "1:71: expected an object of labels, found 7",
            self.ANSWER % ('[{"metric":{},"values":7}]', ""): "1:83: expected an array of samples, found another value",
            '{"status":"success","data":7}': '1:28: expected the answer to a query, with an object "data", found another value'})
        self.assertEqual([], self.read("prometheus_trace", '{"status":"success","data":null}'))

    def test_warnings(self):
        """What the server says beside its answer are issues; what is no list of texts says nothing."""
        self.assertEqual([], self.read("prometheus_trace", self.ANSWER % ("[]", ',"warnings":["w"],"infos":["i","j"],"isPartial":true')))
        self.assertEqual([("info", 2, "i"), ("partial_answer", 1, "the server says that some of its stores did not answer"), ("warning", 1, "w")],
                         sorted(self.issues()))
        self.assertEqual([], self.read("prometheus_trace", self.ANSWER % ("[]", ',"warnings":7,"isPartial":false')))
        self.assertEqual([], self.issues())

    def test_text(self):
        self.refused("prometheus_trace", {
            'a{b="c",=} 1 1700000000000\n': """1:9: expected a label or '}', found "=} 1 1700000000000\"""",
            '# TYPE "a b\nx 1 1700000000000\n': "1:12: expected a closing quote, found end of line",
            '{"a\\qb} 1 1700000000000\n': """1:5: expected one of "\\/bfnrtu behind a backslash, found 'q'"""})
        self.assertEqual([("a b", '{"c":"d"}', 1.0, "gauge")],
                         self.read("prometheus_trace", '# TYPE "a b" gauge\n{"a b",c="d"} 1 1700000000000\n', "metric, labels, value, type"))
        self.assertEqual([("a", None)], self.read("prometheus_trace", f"# TYPE a {'x' * 100}\na 1 1700000000000\n", "metric, type"))


class Slurm(Case):
    """JSON of Slurm: the objects within a job, or node, are taken apart when all of it is there."""

    AGAIN = "expected each key of an object once, found one again"

    def test_keys_that_repeat(self):
        self.refused("slurm_trace", {
            '{"jobs": [\n{"job_id": 1},\n{"job_id": 2, ' + member + "}]}": "3:1: " + self.AGAIN for member in (
                '"time": {"start": 1, "start": 2}', '"array": {"job_id": 1, "job_id": 2}', '"het": {"job_id": 1, "job_id": 2}',
                '"state": {"current": ["A"], "current": ["B"]}', '"tres": {"allocated": [], "allocated": []}',
                '"steps": [{"step": {"id": "1.0", "id": "1.1"}}]', '"steps": [{"step": {"id": "1.0"}, "tres": {"allocated": [], "allocated": []}}]')})
        self.refused("slurm_trace", {'{"meta": {},\n"errors": [{"error": "x", "error": "y"}], "jobs": []}': "2:1: " + self.AGAIN,
                                     '{"jobs": [\n{"job_id": {"set": true, "number": 3, "number": 4}}]}': "2:1: " + self.AGAIN})
        self.refused("slurm_nodes_trace", {'{"nodes": [{"name": "a"},\n{"cpus": {"set": true, "number": 1, "number": 2}}]}\n': "2:1: " + self.AGAIN,
                                           '{"nodes": [\n{"name": "a", "name": "b"}]}\n': "2:1: " + self.AGAIN})

    def test_one_is_left_out(self):
        text = '{"jobs": [\n{"job_id": 1},\n{"job_id": 2, "time": {"start": 1, "start": 2}},\n{"job_id": 1}]}'
        self.assertEqual([("1",), ("1",)], self.read("slurm_trace", text, "JobID", ") WHERE on_error = (?", "skip"))
        self.assertEqual([("skipped_record", 1, f"{self.input}:3:1: {self.AGAIN}")], self.issues())

    def test_errors_of_the_export(self):
        """What slurmrestd says went wrong is an issue, in any of its forms; a list of none is none."""
        for errors, detail in (('[{"error": "x"}]', "x"), ('[{"error": "x", "description": "y"}, {}]', "y"), ('["no"]', ""), ("[]", None), ("7", None)):
            self.assertEqual([], self.read("slurm_trace", '{"errors": %s, "jobs": []}' % errors))
            self.assertEqual([] if detail is None else ["the export says: " + detail], [text for _, _, text in self.issues()])
        self.refused("slurm_trace", {'{"errors": [], "jobs": [7]}': "1:25: expected a job, an object"})


class Sacct(Case):
    def test_fields(self):
        """Of each type what it should be."""
        self.refused("slurm_trace", {
            f"JobID|State|{field}\n1|RUNNING|{value}\n": f'2:11: expected {what} for {field}, found "{value}"' for field, value, what in (
            ("Start", "soon", "a time such as 2026-11-21T05:52:33 or Unix seconds"), ("Elapsed", "soon", "a duration such as 1-02:03:04"),
            ("AllocCPUS", "x", "a number"), ("ExitCode", "x", "an exit code such as 0:9"), ("Flags", "a b", "words with commas between"),
            ("AllocTRES", "gres/gpu=x", "a list such as cpu=8,gres/gpu=4"), ("TRESUsageInAve", "cpu", "a list such as cpu=8,gres/gpu=4"),
            ("AllocTRES", "gres/gpu:a=9223372036854775807,gres/gpu:b=9", "a list such as cpu=8,gres/gpu=4"))})
        job_id = "a job id such as 123, 123_4, 123+0 or 123.batch"
        self.refused("slurm_trace", {f"JobID|State\n{value}|RUNNING\n": f'2:1: expected {job_id} for JobID, found "{value}"'
                                     for value in ("1_[", "1_[1-2", "1_", "x", "1_[2-1]")})

    def test_fields_that_are_too_few(self):
        head = "JobID|State|SubmitLine|WorkDir\n"
        self.refused("slurm_trace", {head + "1|RUNNING|x\n": "2:12: expected 4 fields, found 3, and the lines that follow do not complete them",
                                     head + "1|RUNNING|x|/w\nhello|\n": "3:7: expected 4 fields, found 2, and the lines that follow do not complete them"})
        self.assertEqual([("1", "two\nlines"), ("2", "x")], self.read("slurm_trace", head + "1|RUNNING|two\nlines|/w\n2|RUNNING|x|/w\n", "JobID, SubmitLine"))


class JsonLines(Case):
    def table(self, text, columns):
        self.input = self.file(text, "input.jsonl")
        self.db.execute("DROP TABLE IF EXISTS temp.t")
        option = "columns='" + columns.replace("'", "''") + "'" if columns else "on_error='stop'"
        self.db.execute(f"CREATE VIRTUAL TABLE temp.t USING jsonl_trace('{self.input}', {option})")
        return self.db.execute("SELECT * FROM t").fetchall()

    TEXT = '{"a\\"b": 1, "a": [7, {"x": 5}], "q": {"x": 1, "x": 2}}\n'

    def test_paths(self):
        for path, value in {'$."a\\"b"': 1, "$.a[0]": 7, "$.a[1].x": 5, "$.a[#-1].x": 5, "$.a[9]": None, "$.a.x": None, "$[0]": None}.items():
            self.assertEqual([(value,)], self.table(self.TEXT, "c " + path), path)
        for path, error in {'$."a': 'path "$."a": expected a closing quote at byte 5', "$[x]": """path "$[x]": expected a number and ']' at byte 3""",
                            "$.": 'path "$.": expected a name behind the dot at byte 3', "$..a": 'path "$..a": expected a name behind the dot at byte 3',
                            "$" + ".a" * 33: f'path "${".a" * 20}...": expected at most 32 steps at byte 66'}.items():
            with self.assertRaises(sqlite3.OperationalError) as raised:
                self.table(self.TEXT, "c " + path)
            self.assertEqual(f"jsonl_trace: columns: {error}"[:70], str(raised.exception)[:70])
            self.assertEqual(error[-20:], str(raised.exception)[-20:])

    def test_keys_that_repeat(self):
        """Within a nested value that a path goes through; told with its record, which may be left out."""
        text = '{"q": {"x": 1}}\n{"q": {"x": 1, "x": 2}}\n{"q": {"x": 3}}\n'
        with self.assertRaises(sqlite3.OperationalError) as raised:
            self.table(text, "c $.q.x")
        self.assertEqual(f'jsonl_trace: {self.input}:2:1: expected each key once on the way to column "c", found one again', str(raised.exception))
        self.assertEqual([(None,)], self.table('{"q": {"x": 1, "x": 2}}\n', "c $.r.x"))
        self.db.execute(f"CREATE VIRTUAL TABLE temp.u USING jsonl_trace('{self.input}', columns='c $.q.x', on_error='skip')")
        self.table(text, "q")
        self.assertEqual([("1",), ("3",)], self.db.execute("SELECT * FROM u").fetchall())

    def test_types_of_booleans(self):
        """Alone, or among whole numbers, they are 0 and 1; beside texts they are texts."""
        self.assertEqual([(1, 1, "true", "x"), (0, 1, "y", "true"), (2, 7, None, None)],
                         self.table('{"a":true,"b":1,"c":true,"d":"x"}\n{"a":false,"b":true,"c":"y","d":true}\n{"a":2,"b":7}\n', ""))

    def test_many_members(self):
        with self.assertRaises(sqlite3.DataError) as raised:
            self.table("{" + ", ".join(f'"k{i}": 1' for i in range(2001)) + "}\n", "")
        self.assertEqual(f"jsonl_trace: {self.input}: records of more than 2000 members: name those wanted with columns='...'", str(raised.exception))


class Swf(Case):
    def test_header(self):
        """A header has an end, be it at 4 MiB."""
        path = self.file("; Version: 2\n" + ("; Note: " + "x" * 1000 + "\n") * 5000, "long.swf")
        with self.assertRaises(sqlite3.DataError) as raised:
            self.db.execute("SELECT * FROM swf_trace(?)", (path,)).fetchall()
        self.assertRegex(str(raised.exception), f"^swf_trace: {path}:41[0-9]{{2}}:1: header of more than 4194304 bytes$")


class SlurmNodes(Case):
    def test_values(self):
        self.refused("slurm_nodes_trace", {
            '{"nodes":[7]}': "1:11: expected a node, an object",
            '{"sinfo":[]}': '1:1: expected nodes of scontrol show node --json (a member "nodes"), found none (sinfo --json of 23.02 and later lists '
                            "groups of nodes; jobs are read with slurm_trace)",
            '{"nodes":[{"name":"a"}]}\n7\n': "2:1: expected the object that scontrol show node --json writes",
            "NodeName=b\nNodeName=a\n" + (" Comment=" + "x" * 1000 + "\n") * 1100: "2:1: a node of more than 1048576 bytes",
            "NodeName=a CPUTot=x\n": '1:1: expected a whole number for CPUTot, found "x"',
            "NodeName=a BootTime=soon\n": '1:1: expected a time such as 2026-11-21T05:12:40 for BootTime, found "soon"',
            "NodeName=a Reason=bad [root@soon]\n": '1:1: expected a time such as 2026-11-21T05:12:40 for ReasonTime, found "soon"'})

    def test_lists(self):
        """Of a list of texts what is one; as long as a node is no more than a MiB its lines go on."""
        self.assertEqual([("a", "IDLE+DRAIN")], self.read("slurm_nodes_trace", '{"nodes":[{"name":"a","state":["IDLE",7,"DRAIN"]}]}\n', "NodeName, State"))
        self.assertEqual([("a",)], self.read("slurm_nodes_trace", "NodeName=a\n" + (" Comment=" + "x" * 1000 + "\n") * 1000, "NodeName"))

    def test_times_of_a_zone(self):
        for text, seconds, issue in (("2024-10-27T02:30:00", 1729989000, "repeated_time"), ("2024-03-31T02:30:00", 1711848600, "skipped_time")):
            self.assertEqual([("xid 79", seconds)], self.read("slurm_nodes_trace", f"NodeName=a Reason=xid 79  [root@{text}]  \n",
                                                             "Reason, ReasonTime", ") WHERE zone = (?", "Europe/Berlin"))
            self.assertEqual([issue], [kind for kind, _, _ in self.issues()])


if __name__ == "__main__":
    unittest.main()
