"""OpenTelemetry: otlp_trace, held against a reading of the fixtures in Python and against random attributes encoded there."""

import gzip
import json
import os
import random
import re
import unittest

import cases
from fleets import ROOT
from otlp import ALONE, NS, SPANS, T0, Case, encode

KINDS = [None, "internal", "server", "client", "producer", "consumer"]


def camel(key):
    return re.sub("_(.)", lambda m: m[1].upper(), key)


def camels(value):
    """The same JSON with its keys in camelCase; attributes' own keys are values, and stay."""
    if isinstance(value, dict):
        return {camel(k): camels(v) for k, v in value.items()}
    return [camels(v) for v in value] if isinstance(value, list) else value


def plain(value):
    kind, value = next(iter(value.items()), ("", None))
    if kind == "intValue":
        return int(value)
    if kind in ("arrayValue", "kvlistValue"):
        values = value.get("values", [])
        return [plain(v) for v in values] if kind == "arrayValue" else attributes(values)
    return value


def attributes(pairs):
    return {pair["key"]: plain(pair.get("value", {})) for pair in pairs or []}


def anything(depth=0):
    kind = random.randrange(6 if depth > 4 else 9)
    if kind < 6:
        return [
            None,
            True,
            random.randrange(-(2**63), 2**63),
            random.choice([0.1, -2.5e300, 1e-9]),
            'text "\\\n\t\u00e9\U0001f600',
            "",
        ][kind]
    return (
        [anything(depth + 1) for _ in range(random.randrange(4))]
        if kind == 6
        else {f"key {i}\u00e9": anything(depth + 1) for i in range(random.randrange(4))}
    )


class Files(Case):
    def compare(self, path, requests):
        wanted = []
        for request in requests:
            for spans in request["resourceSpans"]:
                resource = attributes(spans["resource"]["attributes"])
                for scope in spans["scopeSpans"]:
                    for s in scope["spans"]:
                        start, end = int(s["startTimeUnixNano"]), int(s.get("endTimeUnixNano", 0)) or None
                        kind, status = s.get("kind"), s.get("status", {}).get("code")
                        wanted.append(
                            (
                                s["traceId"],
                                s["spanId"],
                                s.get("parentSpanId") or None,
                                s["name"],
                                kind[10:].lower() if isinstance(kind, str) else KINDS[kind or 0],
                                [None, "ok", "error"][status or 0],
                                s.get("status", {}).get("message"),
                                start / NS,
                                end and end / NS,
                                start,
                                end,
                                resource["service.name"],
                                resource,
                                scope["scope"]["name"],
                                scope["scope"].get("version"),
                                attributes(s.get("attributes")),
                                [e["name"] for e in s.get("events", [])],
                                [link["traceId"] for link in s.get("links", [])],
                            )
                        )
        found = self.rows(
            """SELECT trace_id, span_id, parent_span_id, name, kind, status, status_message, start_time, end_time, start_ns, end_ns, service, resource,
                                    scope, scope_version, attributes, events, links FROM otlp_trace(?)""",
            path,
        )
        found = [
            row[:12]
            + (json.loads(row[12]),)
            + row[13:15]
            + (
                json.loads(row[15]),
                [e["name"] for e in json.loads(row[16] or "[]")],
                [link["trace_id"] for link in json.loads(row[17] or "[]")],
            )
            for row in found
        ]
        self.assertEqual(found, wanted)
        return len(found)

    def test_fixtures(self):
        with open(SPANS, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        self.assertEqual(self.compare(SPANS, lines), 18)
        self.assertEqual(self.issues(SPANS), {})
        self.assertEqual(
            self.rows("SELECT _line, count(*) FROM otlp_trace(?) GROUP BY 1", SPANS),
            [(i, len(line["resourceSpans"][0]["scopeSpans"][0]["spans"])) for i, line in enumerate(lines, 1)],
        )
        with open(ALONE, encoding="utf-8") as file:
            self.assertEqual(self.compare(ALONE, [camels(json.load(file))]), 4)
        self.assertEqual(self.issues(ALONE), {"dropped": 2})

    def test_random_attributes(self):
        random.seed(11)
        for ascii_only in (True, False):
            values = [{f"k{i}": anything() for i in range(random.randrange(6))} for _ in range(300)]
            spans = [
                {
                    "name": "s",
                    "startTimeUnixNano": T0 * NS,
                    "attributes": [{"key": k, "value": encode(v)} for k, v in value.items()],
                    "events": [
                        {
                            "name": "e",
                            "timeUnixNano": str(T0 * NS + 7),
                            "attributes": [{"key": "a", "value": encode(list(value.values()))}],
                        }
                    ],
                }
                for value in values
            ]
            path = self.file(json.dumps(self.request(*spans, resource=values[0]), ensure_ascii=ascii_only))
            found = self.rows("SELECT attributes, events, resource FROM otlp_trace(?)", path)
            self.assertEqual([json.loads(row[0]) for row in found], values)
            self.assertEqual(
                [json.loads(row[1]) for row in found],
                [[{"name": "e", "time": T0, "attributes": {"a": list(value.values())}}] for value in values],
            )
            self.assertIn(f'"time":{T0}.000000007', found[0][1])
            self.assertEqual({row[2] for row in found}, {found[0][2]})
            self.assertEqual(json.loads(found[0][2]), values[0])
            self.assertEqual(self.one("SELECT min(json_valid(attributes)) FROM otlp_trace(?)", path), 1)

    def test_forms(self):
        one, two = self.request(self.span("a", 0, 1)), self.request(self.span("b", 1, 2))
        names = [("a",), ("b",)]
        both = {"resourceSpans": one["resourceSpans"] + two["resourceSpans"]}
        for text in (
            both,
            [one, two],
            json.dumps(one) + "\n" + json.dumps(two) + "\n",
            json.dumps(one, indent=2) + json.dumps(two),
            json.dumps(both, sort_keys=True),
            json.dumps(both)
            .replace("resourceSpans", "resource_spans")
            .replace("scopeSpans", "scope_spans")
            .replace("UnixNano", "_unix_nano")
            .replace("Time_", "_time_"),
            gzip.compress(json.dumps(both).encode()),
        ):
            self.assertEqual(self.rows("SELECT name FROM otlp_trace(?)", self.file(text)), names)
            self.assertEqual(self.rows("SELECT sum(duration) FROM otlp_trace(?)", self.file(text)), [(2.0,)])
        backwards = {
            "resourceSpans": [
                {
                    "scopeSpans": [{"spans": [self.span("a")], "scope": {"name": "late"}}],
                    "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "x"}}]},
                }
            ]
        }
        self.assertEqual(self.rows("SELECT service, scope FROM otlp_trace(?)", self.file(backwards)), [("x", "late")])
        # Before version 0.19 of the protocol (2022) scopes were instrumentation libraries.
        for key in ("instrumentationLibrary", "instrumentation_library"):
            spans = key + ("_spans" if "_" in key else "Spans")
            old = {
                "resourceSpans": [
                    {
                        "resource": {},
                        spans: [
                            {key: {"name": "old", "version": "1"}, "spans": [self.span("a")]},
                            {"spans": [self.span("b")], key: {"name": "behind"}},
                        ],
                    }
                ]
            }
            self.assertEqual(
                self.rows("SELECT name, scope, scope_version FROM otlp_trace(?)", self.file(old)),
                [("a", "old", "1"), ("b", "behind", None)],
            )
            resource = {
                spans: [{key: {"name": "old"}, "spans": [self.span("a")]}],
                "scopeSpans": [{"scope": {"name": "new"}, "spans": [self.span("a")]}],
            }
            for both in (resource, dict(reversed(resource.items()))):  # the same spans twice
                self.assertEqual(
                    self.rows(
                        "SELECT name, scope FROM otlp_trace(?)",
                        self.file({"resourceSpans": [both, {spans: [{"spans": [self.span("c")]}]}]}),
                    ),
                    [("a", "new"), ("c", None)],
                )
            # A list that is empty is as good as none: protobuf's JSON may have it written out.
            for empty in ([], None):
                for full, void in ((spans, "scopeSpans"), ("scopeSpans", spans)):
                    resource = {full: [{"spans": [self.span("a")]}], void: empty}
                    for either in (resource, dict(reversed(resource.items()))):
                        self.assertEqual(
                            self.rows(
                                "SELECT name FROM otlp_trace(?)",
                                self.file(json.dumps({"resourceSpans": [either]}).replace("[]", "[ ]")),
                            ),
                            [("a",)],
                        )
        # What jq takes out of a request: spans of a resource, or of a scope.
        wanted = [("a", "x", "s", "r"), ("b", "x", "s", "r")]
        resource = {
            "resource": {
                "attributes": [
                    {"key": "service.name", "value": {"stringValue": "x"}},
                    {"key": "mpg.job", "value": {"stringValue": "r"}},
                ]
            },
            "scopeSpans": [{"scope": {"name": "s"}, "spans": [self.span("a", 0, 1), self.span("b", 1, 2)]}],
        }
        for first in ("resource", "scopeSpans", "schemaUrl"):
            part = {
                first: "https://opentelemetry.io/schemas/1.30.0",
                **{first: resource.get(first, "https://")},
                **resource,
            }
            for text in (
                part,
                [part],
                json.dumps(part, indent=2),
                json.dumps({**part, "scopeSpans": []}) + "\n" + json.dumps(part),
                json.dumps(part).replace("scopeSpans", "scope_spans"),
            ):
                path = self.file(text)
                self.assertEqual(
                    self.rows("SELECT name, service, scope, resource ->> '$.\"mpg.job\"' FROM otlp_trace(?)", path),
                    wanted,
                )
                self.assertEqual(self.one("SELECT format FROM trace_sources(?)", path), "otlp")
        (scope,) = resource["scopeSpans"]
        for text in (scope, [scope], dict(reversed(scope.items())), {"schemaUrl": "", **scope}):
            path = self.file(text)
            self.assertEqual(
                self.rows("SELECT name, service, scope, resource FROM otlp_trace(?)", path),
                [("a", None, "s", None), ("b", None, "s", None)],
            )
            self.assertEqual(self.one("SELECT format FROM trace_sources(?)", path), "otlp")
        self.assertEqual(
            self.rows(
                "SELECT name, service FROM otlp_trace(?)", self.file([resource, scope, self.request(self.span("c"))])
            ),
            [("a", "x"), ("b", "x"), ("a", None), ("b", None), ("c", None)],
        )
        self.alone()
        # An id of zeros is none.
        for zeros in ("0" * 16, "AAAAAAAAAAA="):
            root = dict(self.span("a"), parentSpanId=zeros, traceId="0" * 32)
            self.assertEqual(
                self.rows("SELECT trace_id, parent_span_id FROM otlp_trace(?)", self.file(self.request(root))),
                [(None, None)],
            )
        for text in ("{}", {"resourceSpans": []}, {"resourceSpans": [{}]}):
            self.assertEqual(self.rows("SELECT * FROM otlp_trace(?)", self.file(text)), [])

    def alone(self):
        """A span that is in no list, as jq takes it out or a program writes it by itself; its resource may stand in it."""
        told = {
            "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "x"}}]},
            "scope": {"name": "s"},
        }
        one, two = dict(self.span("a", 0, 1), status={"code": 2, "message": "é\n"}), self.span("b", 1, 2)
        for resource, service, scope in (({}, None, None), (told, "x", "s")):
            spans = [{**resource, **one}, {**two, **resource}]
            backwards = [dict(reversed(span.items())) for span in spans]
            for text in (
                "".join(json.dumps(span) + "\n" for span in spans),
                spans,
                json.dumps(spans, indent=2),
                "\n".join(json.dumps(span, indent=2) for span in backwards),
                json.dumps(spans, sort_keys=True),
                json.dumps(spans)
                .replace("UnixNano", "_unix_nano")
                .replace("Time_", "_time_")
                .replace("spanId", "span_id")
                .replace("traceId", "trace_id"),
            ):
                path = self.file(text)
                self.assertEqual(
                    self.rows("SELECT name, duration, status, status_message, service, scope FROM otlp_trace(?)", path),
                    [("a", 1.0, "error", "é\n", service, scope), ("b", 1.0, None, None, service, scope)],
                )
                self.assertEqual(self.one("SELECT format FROM trace_sources(?)", path), "otlp")
        path = self.file(
            json.dumps({"traceId": "1", "startTimeUnixNano": "x"})
            + "\n"
            + json.dumps(one)
            + "\n"
            + json.dumps({"name": "of something else"})
            + "\n"
        )
        self.assertEqual(self.rows("SELECT name, _line FROM otlp_trace(?) WHERE on_error = 'skip'", path), [("a", 2)])
        self.assertEqual(self.issues(path), {"skipped_record": 2})

    def test_attributes_as_an_object(self):
        """As programs write them that take spans apart: the values as they are, or each with its type."""
        values = {
            "mpg.step": 7,
            "mpg.durable": True,
            "x": "é",
            "r": 0.5,
            "none": None,
            "list": [1, "a"],
            "plain": {"a": 1},
            "two": {"a": 1, "b": 2},
        }
        typed = {
            "mpg.step": {"intValue": "7"},
            "mpg.durable": {"boolValue": True},
            "x": {"stringValue": "é"},
            "r": {"doubleValue": 0.5},
            "none": None,
            "list": {"arrayValue": {"values": [{"intValue": "1"}, {"stringValue": "a"}]}},
            "plain": {"a": 1},
            "two": {
                "kvlistValue": {
                    "values": [{"key": "a", "value": {"intValue": 1}}, {"key": "b", "value": {"intValue": 2}}]
                }
            },
        }
        for told in (values, typed):
            request = {
                "resourceSpans": [
                    {
                        "resource": {"attributes": {"service.name": told["x"], **told}},
                        "scopeSpans": [
                            {
                                "scope": {"name": "s", "attributes": told},
                                "spans": [
                                    dict(
                                        self.span("a"),
                                        attributes=told,
                                        events=[{"name": "e", "timeUnixNano": str(T0 * NS), "attributes": told}],
                                    )
                                ],
                            }
                        ],
                    }
                ]
            }
            (found,) = self.rows(
                "SELECT service, resource, scope_attributes, attributes, events FROM otlp_trace(?)", self.file(request)
            )
            self.assertEqual(
                ("é", {"service.name": "é", **values}, values, values, values),
                (found[0], *map(json.loads, found[1:4]), json.loads(found[4])[0]["attributes"]),
            )
        for name in (5, None, True, [1]):  # no text
            path = self.file(
                {
                    "resourceSpans": [
                        {
                            "resource": {"attributes": {"service.name": name}},
                            "scopeSpans": [{"spans": [self.span("a")]}],
                        }
                    ]
                }
            )
            self.assertEqual(
                [("", json.dumps({"service.name": name}, separators=(",", ":")))],
                self.rows("SELECT coalesce(service, ''), resource FROM otlp_trace(?)", path),
            )

    def test_issues(self):
        late = self.span("x", 5, 4)
        late["droppedAttributesCount"] = 3
        path = self.file(
            json.dumps({"resourceMetrics": [{}]})
            + "\n"
            + json.dumps({"resourceLogs": []})
            + "\n"
            + json.dumps(self.request(late))
            + '\n{"resourceSpans": [{'
        )
        self.assertEqual(self.rows("SELECT duration, dropped FROM otlp_trace(?)", path), [(-1.0, 3)])
        self.assertEqual(
            self.issues(path), {"other_signal": 2, "negative_duration": 1, "dropped": 3, "unfinished_record": 1}
        )


class Envelope(Case):
    def test_what_tempo_and_jaeger_answer(self):
        """Grafana Tempo calls them batches, and from its second version on puts them into "trace"; Jaeger's third puts them into "result"."""
        with open(os.path.join(ROOT, "fixtures/otlp/finetune.json"), encoding="utf-8") as file:
            (spans,) = json.load(file).values()
        for name, answer in (
            ("batches", {"batches": spans}),
            ("trace", {"trace": {"resourceSpans": spans}}),
            ("result", {"result": {"resourceSpans": spans}}),
        ):
            path = os.path.join(self.new_folder(), name + ".json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(answer, file)
            ask = "SELECT name, start_time, end_time, attributes FROM otlp_trace(?)"
            self.assertEqual(
                self.db.execute(ask, (path,)).fetchall(),
                self.db.execute(ask, (os.path.join(ROOT, "fixtures/otlp/finetune.json"),)).fetchall(),
            )
            self.assertEqual(self.db.execute("SELECT format FROM trace_sources(?)", (path,)).fetchall(), [("otlp",)])


class Errors(Case):
    def test_errors(self):
        for text, why in (
            (
                {"data": [{"traceID": "1"}]},
                '1:1: expected OTLP as JSON with "resourceSpans", found an object with "data" (Jaeger\'s own JSON? export OTLP)',
            ),
            ("resourceSpans:\n", "1:1: expected a value, found 'r'"),
            (b"\n\x05\x12\x03abc", "2:1: expected a value, found byte 0x05"),
            (
                b"\0\0\0\x09(\xb5/\xfd\x20...",
                '1:1: expected OTLP as JSON, found binary messages: set the file exporter to format "json" without "compression"',
            ),
            (json.dumps(self.request(self.span("a")))[:-20], "found end of file"),
        ):
            path = self.file(text)
            error = self.error("SELECT * FROM otlp_trace(?)", path)
            self.assertTrue(error.startswith(f"otlp_trace: {path}:") and error.endswith(why), error)

    def test_skipped(self):
        good, bad = self.span("good"), {"name": "bad", "startTimeUnixNano": "x"}
        for text, skipped in (
            (json.dumps(self.request(bad, good, bad)), 2),
            (json.dumps(self.request(good))[:100] + "\n" + json.dumps(self.request(good)), 1),
        ):
            path = self.file(text)
            self.assertEqual(self.rows("SELECT name FROM otlp_trace(?) WHERE on_error = 'skip'", path), [("good",)])
            self.assertEqual(self.issues(path), {"skipped_record": skipped})

    def test_other_lines_between(self):
        """Each is left out once, and its own line is said. Objects of something else stop nothing."""
        good = json.dumps(self.request(self.span("good")))
        log = '{"level": "info", "msg": "hello", "resource": {"a": 7}}'
        for other, issues in (
            (["some text"], [("other_lines", None, 1)]),
            ([log], [("unknown_record", 3, 1)]),
            ([good[:60]], [("skipped_record", 3, 1)]),
            (["7"], [("skipped_record", 3, 1)]),
            ([log, "text", '{"a": 1, "b": 2}'], [("other_lines", None, 1), ("unknown_record", 3, 2)]),
        ):
            path = self.file("\n".join([good, good, *other, good]) + "\n")
            self.assertEqual([(3,)], self.rows("SELECT count(*) FROM otlp_trace(?) WHERE on_error = 'skip'", path))
            self.assertEqual(
                issues,
                self.rows("SELECT kind, line, count FROM mpg_issues WHERE source = ? ORDER BY kind", path),
                other,
            )
        for text in (
            log + "\n" + good,
            "\n".join([log] * 7 + [json.dumps(self.request(self.span("good")), indent=1), log]),
        ):
            path = self.file(text + "\n")
            self.assertEqual(self.one("SELECT count(*) FROM otlp_trace(?)", path), 1)
            self.assertEqual(self.one("SELECT format FROM trace_sources(?)", path), "otlp")
            self.assertEqual(
                self.rows("SELECT kind, line, count FROM mpg_issues WHERE source = ? AND line > 0", path),
                [("unknown_record", 1, text.count('"level"'))],
            )
        path = self.file(log + "\n")
        self.assertIn(
            '1:1: expected OTLP as JSON with "resourceSpans", found an object with "level"',
            self.error("SELECT * FROM otlp_trace(?)", path),
        )

    def test_a_file_that_is_being_written(self):
        with open(SPANS, encoding="utf-8") as file:
            text = file.read()
        first = text.index("\n")
        ends = [m.end() for m in re.finditer(r'"status":\{[^}]*\}\}', text)]  # of spans
        for size in (first, first + 1, first + 2, first + 500, len(text) - 30, len(text) - 1, len(text)):
            path = self.file(text[:size])
            self.assertEqual(self.one("SELECT count(*) FROM otlp_trace(?)", path), sum(e <= size for e in ends))
            self.assertEqual(self.issues(path), {} if "\n" in text[size - 1 : size + 1] else {"unfinished_record": 1})

    def test_arguments(self):
        self.assertEqual(
            self.error("SELECT * FROM otlp_trace"), "otlp_trace: expected a path, as in otlp_trace('spans.jsonl')"
        )
        self.assertEqual(self.rows("SELECT * FROM otlp_trace(NULL)"), [])

    def test_texts_outlive_their_row(self):
        self.assertEqual(
            self.rows(
                "SELECT max(end_time), name, service, json_extract(attributes, '$.\"mpg.step\"') FROM otlp_trace(?)",
                SPANS,
            ),
            [(T0 + 7200, "step", "trainer", 5)],
        )

    def test_memory_does_not_grow_with_a_request(self):
        peaks = []
        span = json.dumps(self.span("step", 0, 1, note="x" * 500))
        for times in (1000, 60000):
            path = self.file("")
            with open(path, "w", encoding="ascii") as file:
                file.write('{"resourceSpans":[{"resource":{},"scopeSpans":[{"scope":{},"spans":[' + span)
                for _ in range(times):
                    file.write("," + span)
                file.write("]}]}]}")
            self.assertEqual(
                self.rows("SELECT count(*), sum(duration) FROM otlp_trace(?)", path), [(times + 1, times + 1)]
            )
            peaks.append(cases.peak())
        self.assertLess(peaks[1] - peaks[0], 8 * 1024)  # kB; the second file is 38 MB


if __name__ == "__main__":
    unittest.main()
