"""Malformed logs, metrics, spans and JSON Lines, reader by reader: what was expected, what was found, and where; and input that only looks malformed."""

import sqlite3
import unittest

from malformed import Case


class Goodput(Case):
    def test_values(self):
        self.refused(
            "goodput_trace",
            {
                '{"job_name": 7}\n': '1:14: expected a text for "job_name", found "7"',
                '{"job_name": "r", "job_start_time": -5}\n': '1:37: expected Unix seconds from 1970 to 2261, found "-5"',
                '{"job_name": "r", "step_count": "x"}\n': '1:33: expected a whole number for "step_count", found "x"',
            },
        )
        self.assertEqual(
            [(1, "r", "step", 5.0)],
            self.read(
                "goodput_trace",
                '{"job_name": "r", "step_count": 1.0, "step_start_time": 5}\n',
                "step_count, job_name, kind, time",
            ),
        )

    def test_rest(self):
        """Keys of its own are kept as JSON, whatever they hold; a name may be empty."""
        self.assertEqual(
            [("", "other", None), ("r", "job", '{"a":false,"b":true,"c":null,"d":"x\\"","e":[1,{}]}')],
            self.read(
                "goodput_trace",
                '{"job_name": ""}\n{"job_name": "r", "job_start_time": 0, "a": false, "b": true, "c": null, '
                '"d": "x\\"", "e": [1,{}]}\n',
                "job_name, kind, rest",
            ),
        )


class Log(Case):
    def test_times_of_a_zone(self):
        """Spaces around a time are none of it; the clock may show it twice, or never."""
        for text, seconds, issue in (
            ("2024-10-27 02:30:00", 1729989000.0, "repeated_time"),
            ("2024-03-31 02:30:00", 1711848600.0, "skipped_time"),
            ("2024-03-31 03:30:00", 1711848600.0, None),
        ):
            found = self.read(
                "log_trace", f"  {text}  x\n   x\n", "time", ", '^(?<time>.*?)x') WHERE zone = (?", "Europe/Berlin"
            )
            self.assertEqual([(seconds,), (None,)], found)
            self.assertEqual([issue] if issue else [], [kind for kind, _, _ in self.issues()])

    def test_patterns_that_need_too_much(self):
        """A pattern that PCRE2 gives up on is an error of its line, with what it needs."""
        for pattern, text, error in (
            ("(?<a>((.)*?)+$)\\z(?!)", "x" * 15000, "the pattern takes more than 10000000 steps on this line: "),
            ("(?<a>(?R)?x)", "x", "the pattern cannot be matched (PCRE2 error -52)"),
        ):
            with self.assertRaises(sqlite3.Error) as raised:
                self.read("log_trace", text + "\n", "*", ", ?", pattern)
            self.assertIn(f"log_trace: {self.input}:1:1: {error}", str(raised.exception))
        self.assertEqual([], self.read("log_trace", "x" * 200000 + "\n", "*", ", ?", "(?<a>((.)*?)+$)\\z(?!)"))
        self.assertEqual(
            [("lines of 200000 bytes and more, left out: the pattern needs more than 64 MiB on this line",)],
            self.rows("SELECT detail FROM mpg_issues WHERE kind = 'long_line'"),
        )


class Otlp(Case):
    SPAN = (
        '{"resourceSpans":[{"scopeSpans":[{%s"spans":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","name":"n",'
        '"startTimeUnixNano":"%s","endTimeUnixNano":"1544712661000000000"%s}]}]}]}'
    )
    START = "1544712660000000000"

    def test_members(self):
        self.refused(
            "otlp_trace",
            {
                self.SPAN
                % (
                    '"scope":{"name":"a","name":"b"},',
                    self.START,
                    "",
                ): '1:1: expected an object "scope" with each key once, found {"name":"a","name":"b"}',
                self.SPAN
                % (
                    "",
                    self.START,
                    ',"status":{"code":1,"code":2}',
                ): '1:1: expected each key of "status" once, found one again',
                self.SPAN % ("", self.START, ',"name":"m"'): "1:44: expected each key of a span once, found one again",
            },
        )

    def test_flags_and_kinds(self):
        self.assertEqual(
            [(257, None, None)],
            self.read(
                "otlp_trace",
                self.SPAN % ("", self.START, ',"flags":257,"status":7,"kind":"SPAN_KIND_OTHER"'),
                "flags, status, kind",
            ),
        )
        self.assertEqual(
            [(None, "error", "client")],
            self.read(
                "otlp_trace",
                self.SPAN % ("", self.START, ',"status":{"code":"STATUS_CODE_ERROR"},"kind":3'),
                "flags, status, kind",
            ),
        )

    def test_lists_by_the_hundred_thousand(self):
        """What stands behind the lists of a resource is looked for once, not once a list: else this takes minutes."""
        span = '{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","startTimeUnixNano":"1700000000000000000"}'
        n = 100_000
        for lists, found in (
            ('"scopeSpans":[],', 0),
            ('"instrumentationLibrarySpans":[],', 0),
            ('"scopeSpans":[{"spans":[%s]}],' % span, n),
        ):
            text = (
                '{"resourceSpans":[{'
                + lists * n
                + '"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"s"}}]}}]}'
            )
            self.assertEqual(
                [(found, "s" if found else None)], self.read("otlp_trace", text, "count(*), max(service)"), lists
            )


class Prometheus(Case):
    ANSWER = '{"status":"success","data":{"resultType":"matrix","result":%s}%s}'

    def test_answers(self):
        self.refused(
            "prometheus_trace",
            {
                self.ANSWER % ("7", ""): '1:60: expected an array "result", found another value',
                self.ANSWER % ('[{"metric":7,"values":[]}]', ""): "1:71: expected an object of labels, found 7",
                self.ANSWER
                % ('[{"metric":{},"values":7}]', ""): "1:83: expected an array of samples, found another value",
                '{"status":"success","data":7}': '1:28: expected the answer to a query, with an object "data", found another value',
            },
        )
        self.assertEqual([], self.read("prometheus_trace", '{"status":"success","data":null}'))

    def test_warnings(self):
        """What the server says beside its answer are issues; what is no list of texts says nothing."""
        self.assertEqual(
            [],
            self.read("prometheus_trace", self.ANSWER % ("[]", ',"warnings":["w"],"infos":["i","j"],"isPartial":true')),
        )
        self.assertEqual(
            [
                ("info", 2, "i"),
                ("partial_answer", 1, "the server says that some of its stores did not answer"),
                ("warning", 1, "w"),
            ],
            sorted(self.issues()),
        )
        self.assertEqual([], self.read("prometheus_trace", self.ANSWER % ("[]", ',"warnings":7,"isPartial":false')))
        self.assertEqual([], self.issues())

    def test_text(self):
        self.refused(
            "prometheus_trace",
            {
                'a{b="c",=} 1 1700000000000\n': """1:9: expected a label or '}', found "=} 1 1700000000000\"""",
                '# TYPE "a b\nx 1 1700000000000\n': "1:12: expected a closing quote, found end of line",
                '{"a\\qb} 1 1700000000000\n': """1:5: expected one of "\\/bfnrtu behind a backslash, found 'q'; the rest of this document is not read""",
            },
        )
        self.assertEqual(
            [("a b", '{"c":"d"}', 1.0, "gauge")],
            self.read(
                "prometheus_trace", '# TYPE "a b" gauge\n{"a b",c="d"} 1 1700000000000\n', "metric, labels, value, type"
            ),
        )
        self.assertEqual(
            [("a", None)], self.read("prometheus_trace", f"# TYPE a {'x' * 100}\na 1 1700000000000\n", "metric, type")
        )


class JsonLines(Case):
    def table(self, text, columns):
        self.input = self.file(text, "input.jsonl")
        self.db.execute("DROP TABLE IF EXISTS temp.t")
        option = "columns='" + columns.replace("'", "''") + "'" if columns else "on_error='stop'"
        self.db.execute(f"CREATE VIRTUAL TABLE temp.t USING jsonl_trace('{self.input}', {option})")
        return self.db.execute("SELECT * FROM t").fetchall()

    TEXT = '{"a\\"b": 1, "a": [7, {"x": 5}], "q": {"x": 1, "x": 2}}\n'

    def test_paths(self):
        for path, value in {
            '$."a\\"b"': 1,
            "$.a[0]": 7,
            "$.a[1].x": 5,
            "$.a[#-1].x": 5,
            "$.a[9]": None,
            "$.a.x": None,
            "$[0]": None,
        }.items():
            self.assertEqual([(value,)], self.table(self.TEXT, "c " + path), path)
        for path, error in {
            '$."a': 'path "$."a": expected a closing quote at byte 5',
            "$[x]": """path "$[x]": expected a number and ']' at byte 3""",
            "$.": 'path "$.": expected a name behind the dot at byte 3',
            "$..a": 'path "$..a": expected a name behind the dot at byte 3',
            "$" + ".a" * 33: f'path "${".a" * 20}...": expected at most 32 steps at byte 66',
        }.items():
            with self.assertRaises(sqlite3.OperationalError) as raised:
                self.table(self.TEXT, "c " + path)
            self.assertEqual(f"jsonl_trace: columns: {error}"[:70], str(raised.exception)[:70])
            self.assertEqual(error[-20:], str(raised.exception)[-20:])

    def test_keys_that_repeat(self):
        """Within a nested value that a path goes through; told with its record, which may be left out."""
        text = '{"q": {"x": 1}}\n{"q": {"x": 1, "x": 2}}\n{"q": {"x": 3}}\n'
        with self.assertRaises(sqlite3.OperationalError) as raised:
            self.table(text, "c $.q.x")
        self.assertEqual(
            f'jsonl_trace: {self.input}:2:1: expected each key once on the path of column "c", found one again',
            str(raised.exception),
        )
        self.assertEqual([(None,)], self.table('{"q": {"x": 1, "x": 2}}\n', "c $.r.x"))
        self.db.execute(
            f"CREATE VIRTUAL TABLE temp.u USING jsonl_trace('{self.input}', columns='c $.q.x', on_error='skip')"
        )
        self.table(text, "q")
        self.assertEqual([("1",), ("3",)], self.db.execute("SELECT * FROM u").fetchall())

    def test_types_of_booleans(self):
        """Alone, or among whole numbers, they are 0 and 1; beside texts they are texts."""
        self.assertEqual(
            [(1, 1, "true", "x"), (0, 1, "y", "true"), (2, 7, None, None)],
            self.table('{"a":true,"b":1,"c":true,"d":"x"}\n{"a":false,"b":true,"c":"y","d":true}\n{"a":2,"b":7}\n', ""),
        )

    def test_many_members(self):
        with self.assertRaises(sqlite3.DataError) as raised:
            self.table("{" + ", ".join(f'"k{i}": 1' for i in range(2001)) + "}\n", "")
        self.assertEqual(
            f"jsonl_trace: {self.input}: records of more than 2000 members: name those wanted with columns='...'",
            str(raised.exception),
        )


if __name__ == "__main__":
    unittest.main()
