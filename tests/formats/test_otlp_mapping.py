"""OpenTelemetry: the mapping sql/formats/otlp.sql. The ledger is held against sums made by hand."""

import datetime
import json
import os
import unittest

from fleets import ROOT
from otlp import ALONE, SPANS, T0, Case, encode

WATCH = os.path.join(ROOT, "fixtures/kube/watch.json")


class Mapping(Case):
    def test_beside_a_scheduler(self):
        """16 GPUs; the sums by hand. Step 2 and step 3 were run twice; what the pods did before the trainer's first word is unknown."""
        self.script("formats/kube.sql", kube=WATCH, pool=None)
        before = self.rows("SELECT * FROM allocations")
        self.script("formats/otlp.sql", otlp=SPANS)
        self.assertEqual(self.rows("SELECT * FROM allocations"), before)
        self.assertEqual(self.rows("SELECT name FROM temp.sqlite_schema WHERE name LIKE 'otlp%'"), [])
        found = dict(self.rows("SELECT category, sum(chip_us) FROM mpg_rollup WHERE job = 'ml/llm' GROUP BY category"))
        second = 16 * 10**6
        self.assertEqual(
            {k: v for k, v in found.items() if k not in ("ideal", "inefficiency", "queued")},
            {
                "startup": 90 * second,
                "compile": 200 * second,
                "input": 30 * second,
                "checkpoint": 15 * second,
                "restore": 545 * second,
                "lost": (735 + 590) * second,
                "partial": 305 * second // 2,
                "unknown": (30 + 10 + 30 + 25) * second,
            },
        )
        self.assertEqual(found["ideal"] + found["inefficiency"], (570 + 600 + 600 + 695 + 800) * second)
        self.assertAlmostEqual(found["ideal"] / (5 * 1.4e18 / 312e12 * 10**6), 1, 6)
        self.assertEqual(
            self.rows("SELECT DISTINCT job, framework, model FROM jobs ORDER BY job"),
            [("ml/llm", "jax", "llm-70b"), ("ml/urgent", "jax", "llm-70b")],
        )
        self.assertEqual(
            self.rows("SELECT job, attempt, step, snapshot_time - ?1, durable_time - ?1 FROM commits", T0),
            [("ml/llm", 1, 1, 1050, 1100)],
        )
        # The other rank's span and the health check are not among them.
        self.assertEqual(self.rows("SELECT count(*), count(DISTINCT step) FROM spans"), [(15, 5)])

    def test_alone(self):
        self.script("formats/otlp.sql", otlp=ALONE)
        self.assertEqual(self.rows("SELECT pool, chip, chips FROM capacity"), [("lab", "a100-80-sxm4", 8)])
        self.assertEqual(
            self.rows("SELECT category, cause, sum(chip_us) / 8000000 FROM mpg_rollup GROUP BY 1, 2"),
            [("stall", "vocabulary_rebuild", 300), ("startup", None, 600), ("unrated", None, 2700)],
        )

    def megatron(self, names, from_zero=0, **resource):
        """A run of Megatron that saves each third step, dies after step 8, and is restored from step 6; and the same as the console exporter prints it."""
        step, save, load, init = names
        spans, at = [(init, 5, 25, {}), (save + ".finalize", 26, 26, {})], 30
        for first, last in ((1, 8), (7, 12)):
            if first > 1:
                spans.append((load, at + 40, at + 48, {}))
                at += 50
            for i in range(first, last + 1):
                spans.append((step, at, at + 10, {"megatron.iteration": i - from_zero}))
                at += 10
                if i % 3 == 0:
                    spans.append((save, at, at + 2, {"megatron.iteration": i}))
                    at += 2
        spans.append(("megatron.pretrain", 140, at + 3, {}))
        resource = {"nv.dl.rank": 0, "nv.dl.world_size": 8} | resource
        stamp = lambda s: datetime.datetime.fromtimestamp(T0 + s, datetime.timezone.utc).strftime(
            "%Y-%m-%dT%H:%M:%S.%fZ"
        )
        console = [
            {
                "name": name,
                "context": {"trace_id": "0x1f", "span_id": hex(i), "trace_state": "[]"},
                "kind": "SpanKind.INTERNAL",
                "parent_id": None,
                "start_time": stamp(start),
                "end_time": stamp(end),
                "status": {"status_code": "UNSET"},
                "attributes": attributes,
                "events": [],
                "links": [],
                "resource": {"attributes": resource, "schema_url": ""},
            }
            for i, (name, start, end, attributes) in enumerate(spans)
        ]
        otlp = json.dumps(
            self.request(
                *(
                    self.span(name, start, end)
                    | {"attributes": [{"key": k, "value": {"intValue": str(v)}} for k, v in attributes.items()]}
                    for name, start, end, attributes in spans
                ),
                resource=resource,
            )
        )
        return (
            otlp,
            "".join(json.dumps(span, indent=4) + "\n" for span in console),
            "".join(json.dumps(span) + "\n" for span in console),
        )

    def test_megatron_s_own_spans(self):
        """Two generations of names, and numbers of steps as they are before or after them. A save is whole once it is restored, or the next one begins."""
        new = (
            "megatron.train.iteration",
            "megatron.checkpoint.save",
            "megatron.checkpoint.load",
            "megatron.startup.model_init",
        )
        old = ("megatron.train_step", "megatron.save_checkpoint", "megatron.load_checkpoint", "megatron.model_init")
        for names, from_zero, resource, job in (
            (new, 0, {"slurm.job.id": "5101", "nemo.run.id": "r"}, "5101"),
            (old, 1, {"nemo.run.id": "exp"}, "exp"),
        ):
            for content in self.megatron(names, from_zero, **resource):
                path = self.file(content)
                rows = lambda record, columns: self.rows(
                    f"SELECT {columns} FROM trace_records(?1) WHERE record = '{record}' AND job = ?2 ORDER BY start_time, step",
                    path,
                    job,
                )
                self.assertEqual(
                    [(3, 60, 92), (6, 92, 94), (9, 194, 226), (12, 226, 231)],
                    [(s, a - T0, b - T0) for s, a, b in rows("commits", "step, snapshot_time, durable_time")],
                    content[:80],
                )
                self.assertEqual(
                    [(8, 140, 231, "completed")],
                    [
                        (c, a - T0, b - T0, o)
                        for c, a, b, o in rows("allocations", "chips, start_time, end_time, outcome")
                    ],
                )
                self.assertEqual(
                    [*range(1, 9), *range(7, 13)],
                    [s for s, in rows("spans", "step") if s is not None and s][:8]
                    + [s for s, k in rows("spans", "step, kind") if k == "step"][8:],
                )
                self.assertEqual([("restore", 6)], [r for r in rows("spans", "kind, step") if r[0] == "restore"])
                self.assertEqual(
                    {"init": 1, "checkpoint": 5 - from_zero, "restore": 1, "step": 14},
                    {
                        k: sum(r[0] == k for r in rows("spans", "kind"))
                        for k in ("init", "checkpoint", "restore", "step")
                    },
                )
        # Nothing follows: the last save may have gone on.
        content = self.megatron(new, 0, **{"slurm.job.id": "5101"})[2]
        path = self.file("".join(line + "\n" for line in content.splitlines() if "pretrain" not in line))
        self.assertEqual([(9,)], self.rows("SELECT max(step) FROM trace_records(?) WHERE record = 'commits'", path))
        self.assertEqual(1, self.issues(path)["missing_end"])

    def lens(self, name, start, end, error=False, **attributes):
        """A span of nemo-lens; two underscores in the name of an attribute are a dot."""
        span = self.span(name, start, end)
        span["attributes"] = [{"key": k.replace("__", "."), "value": encode(v)} for k, v in attributes.items()]
        return span | ({"status": {"code": 2}} if error else {})

    def told(self, path, columns="kind, start_time - {0}, end_time - {0}, step", record="spans"):
        return self.rows(
            f"SELECT {columns.format(T0)} FROM trace_records(?) WHERE record = '{record}' ORDER BY start_time, end_time DESC",
            path,
        )

    def test_nemo_rl_s_own_spans(self):
        """Steps, start-up, evaluations and saves of its driver. A save is durable when its finalisation ends; of versions that do not tell it, once the next begins or the job ends."""
        spans = [
            self.lens("rl.grpo.job", 20, 200),
            self.lens("rl.startup", 0, 20),
            self.lens("rl.setup.workers", 5, 19),
            self.lens("rl.vllm.generate", 23, 27),
            self.lens("rl.env.step", 23, 24, rl__iteration=1),  # of another program
        ]
        for n in range(1, 9):
            spans += [
                self.lens("rl.grpo.step", 20 * n, 20 * n + 18, rl__iteration=n, rl__epoch=0),
                self.lens("rl.grpo.data_processing", 20 * n, 20 * n + 1),
                self.lens("rl.grpo.generation", 20 * n + 1, 20 * n + 9),
                self.lens("rl.grpo.policy_training", 20 * n + 9, 20 * n + 15),
            ]
            if n % 3 == 0:
                spans += [self.lens("rl.grpo.checkpointing", 20 * n + 15, 20 * n + 18)]
            if n == 4:
                spans += [self.lens("rl.grpo.evaluate", 98, 100)]
        final = [
            self.lens("rl.checkpoint.finalize", 77, 105, rl__iteration=3),
            self.lens("rl.checkpoint.finalize", 137, 150, error=True, rl__iteration=6),
        ]
        resource = {"slurm.job.id": "5101", "dl.rank": 0, "dl.world_size": 1}
        for more, commits in ((final, [(3, 105), (6, None)]), ([], [(3, 135), (6, 200)])):
            path = self.file(json.dumps(self.request(*spans, *more, resource=resource)))
            told = self.told(path)
            self.assertEqual([("init", 0, 20, None), ("init", 5, 19, None)], told[:2])
            self.assertEqual(
                [(n, 20 * n, 20 * n + 18) for n in range(1, 9)], [(s, a, b) for k, a, b, s in told if k == "step"]
            )
            self.assertEqual([(75, 78), (135, 138)], [(a, b) for k, a, b, s in told if k == "checkpoint"])
            self.assertEqual([(98, 100)], [(a, b) for k, a, b, s in told if k == "eval"])
            self.assertEqual(8, sum(k == "input" for k, a, b, s in told))
            self.assertEqual(commits, self.told(path, "step, durable_time - {0}", "commits"))
            self.assertEqual([], self.told(path, "job", "allocations"))
            self.assertEqual({"other_spans": 19}, self.issues(path))  # the job, and what is part of its steps

    def test_nvrx_s_own_spans(self):
        """What its launcher does between cycles is start-up, of the rank that tells the steps, whatever rank the launcher has; a spare node waits beside them."""
        for first, prefix, spare in (
            ("nvrx.cold_start", "nvrx.restart.", "nvrx__membership"),
            ("nv.nvrx.ftl.python.startup", "nv.nvrx.ftl.", "nv__nvrx__ftl__membership"),
        ):
            launcher = [
                self.lens(first, 0, 5),
                self.lens(prefix + "run", 30, 90),
                self.lens(prefix + "await_round", 5, 6),
            ]
            for start in (6, 90):
                launcher += [
                    self.lens(prefix + name, start + at, start + at + 4)
                    for name, at in (("teardown", 0), ("rendezvous", 4), ("health_check", 8), ("worker_launch", 12))
                ]
            launcher += [self.lens(prefix + "rendezvous", 30, 90, **{spare: "standby"})]
            steps = [
                self.lens("megatron.train.iteration", 30 + 10 * n, 40 + 10 * n, megatron__iteration=n + 1)
                for n in range(6)
            ]
            job = {"slurm.job.id": "5101"}
            path = self.file(
                json.dumps(self.request(*launcher, resource=job | {"service.name": "nvrx.ft_launcher"}))
                + "\n"
                + json.dumps(self.request(*steps, resource=job | {"nv.dl.rank": 7}))
            )
            told = self.told(path)
            self.assertEqual([(n + 1, 30 + 10 * n) for n in range(6)], [(s, a) for k, a, b, s in told if k == "step"])
            self.assertEqual(
                [0, 6, 10, 14, 18, 90, 94, 98, 102], [a for k, a, b, s in told if k == "init"], (prefix, told)
            )
            self.assertEqual({"other_spans": 3}, self.issues(path))  # a run, and what the spare node did

    def test_spans_of_stores(self):
        """Jaeger's, Zipkin's and ClickHouse's: as what an exporter wrote."""
        sums = lambda path: self.rows(
            "SELECT job, category, cause, round(sum(chip_seconds), 3) FROM trace_rollup(?) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
            path,
        )
        told = [self.span("attempt", 0, 100, chips=8, pool="lab", chip="nvidia-h100-sxm", outcome="failed")]
        told += [self.span("step", 10 * n, 10 * n + 10, step=n, flops=10**15, dtype="bf16") for n in range(1, 8)]
        told += [self.span("input", 42, 43.25), self.span("commit", 31, 45, step=3)]
        told += [self.span("commit", 60, 62, step=5) | {"status": {"code": 2}}]
        for n, span in enumerate(told):
            span |= {"traceId": "ab" * 16, "spanId": f"{n + 1:016x}"}
        plain = self.file(json.dumps(self.request(*told, resource={"mpg.job": "j", "service.name": "t"})), "plain.json")
        self.assertEqual({"ideal", "inefficiency", "input", "lost"}, {row[1] for row in sums(plain)} - {"unknown"})
        spans = [
            dict(zip(("trace", "id", "name", "status", "start", "length", "service", "resource", "attributes"), row))
            for row in self.rows(
                "SELECT trace_id, span_id, name, status, start_ns, end_ns - start_ns, service, resource, attributes FROM otlp_trace(?)",
                plain,
            )
        ]
        text = lambda value: value if isinstance(value, str) else json.dumps(value)
        texts = lambda attributes: {k: text(v) for k, v in json.loads(attributes).items()}
        tags = lambda attributes: [
            {"key": k, "type": "string" if isinstance(v, str) else "int64", "value": v}
            for k, v in json.loads(attributes).items()
        ]
        jaeger = [
            {
                "traceID": spans[0]["trace"],
                "spans": [
                    {
                        "traceID": span["trace"],
                        "spanID": span["id"],
                        "operationName": span["name"],
                        "references": [],
                        "startTime": span["start"] // 1000,
                        "duration": span["length"] // 1000,
                        "tags": tags(span["attributes"])
                        + ([{"key": "error", "type": "bool", "value": True}] if span["status"] == "error" else []),
                        "logs": [],
                        "processID": "p1",
                    }
                    for span in spans
                ],
                "processes": {"p1": {"serviceName": spans[0]["service"], "tags": tags(spans[0]["resource"])}},
                "warnings": None,
            }
        ]
        zipkin = [
            {
                "traceId": span["trace"],
                "id": span["id"],
                "name": span["name"],
                "timestamp": span["start"] // 1000,
                "duration": span["length"] // 1000,
                "localEndpoint": {"serviceName": span["service"]},
                "tags": texts(span["resource"])
                | texts(span["attributes"])
                | ({"error": "boom"} if span["status"] == "error" else {}),
            }
            for span in spans
        ]
        clickhouse = [
            {
                "Timestamp": f"{datetime.datetime.fromtimestamp(span['start'] // 10**9, datetime.timezone.utc):%Y-%m-%d %H:%M:%S}.{span['start'] % 10**9:09d}",
                "TraceId": span["trace"],
                "SpanId": span["id"],
                "ParentSpanId": "",
                "TraceState": "",
                "SpanName": span["name"],
                "SpanKind": "Internal",
                "ServiceName": span["service"],
                "ResourceAttributes": texts(span["resource"]),
                "ScopeName": "trainer",
                "ScopeVersion": "",
                "SpanAttributes": texts(span["attributes"]),
                "Duration": str(span["length"]),
                "StatusCode": "Error" if span["status"] == "error" else "Unset",
                "StatusMessage": "",
                "Events.Timestamp": [],
                "Links.TraceId": [],
            }
            for span in spans
        ]
        for content in (
            {"data": jaeger, "total": 0, "limit": 0, "offset": 0, "errors": None},
            json.dumps({"total": 1, "data": jaeger}, indent=2),
            zipkin,
            json.dumps(zipkin, indent=2),
            "".join(json.dumps(row) + "\n" for row in clickhouse),
            json.dumps(
                {
                    "meta": [{"name": n, "type": "String"} for n in clickhouse[0]],
                    "data": clickhouse,
                    "rows": len(spans),
                },
                indent=2,
            ),
        ):
            path = self.file(content if isinstance(content, str) else json.dumps(content))
            self.assertEqual((sums(plain), self.issues(plain)), (sums(path), self.issues(path)), str(content)[:90])
        east = json.dumps({"sources": [{"path": path, "zone": "+02:00"}]})
        first = "SELECT min(start_time) FROM trace_records(?) WHERE record = 'spans'"
        self.assertEqual(7200, self.one(first, path) - self.one(first, east))

    def test_spans_of_which_none_is_known_are_listed(self):
        path = self.file(
            json.dumps(
                self.request(self.span("GET /health", 0, 1), self.span("forward", 1, 2), resource={"mpg.job": "j"})
            )
        )
        self.script("formats/otlp.sql", otlp=path)
        self.assertEqual(
            self.rows("SELECT severity, count FROM mpg_issues WHERE kind = 'no_known_span' AND source = ?", path),
            [("warning", 2)],
        )
        self.script("formats/otlp.sql", otlp=ALONE)
        self.assertEqual(
            self.rows("SELECT count FROM mpg_issues WHERE kind = 'no_known_span' AND source = ?", ALONE), []
        )

    def test_a_base_model(self):
        """A restore of a step above those that follow is of another run: begun again, the job goes on from none of its own steps. From a checkpoint of its own it does."""
        for spell in (int, str):
            for loaded, first, lost in ((1000, 1, 10), (10, 1, 10), (5, 6, 5), (9, 10, 1)):
                spans = [
                    self.span("attempt", 0, 40, chips=1, pool="p", outcome="failed"),
                    self.span("attempt", 100, 200, chips=1, pool="p"),
                ]
                for start, of, begin in ((0, 1000, 1), (100, loaded, first)):
                    spans += [self.span("restore", start, start + 4, step=spell(of))] + [
                        self.span("step", start + 2 * n, start + 2 * n + 2, step=spell(n))
                        for n in range(begin, 11 if start == 0 else 13)
                    ]
                self.script(
                    "formats/otlp.sql", otlp=self.file(json.dumps(self.request(*spans, resource={"mpg.job": "j"})))
                )
                self.assertEqual(
                    [(2 * lost,)],
                    self.rows("SELECT sum(chip_us) / 1000000 FROM mpg_rollup WHERE category = 'lost'"),
                    (loaded, spell),
                )

    def test_attributes_of_the_scope(self):
        """They are those of its spans, over those of the resource and below those of a span; one that is misspelt is listed."""
        request = self.request(
            self.span("attempt", 0, 100, chips=4, pool="p"),
            self.span("step", 0, 10, step=1),
            self.span("step", 10, 20, step=2, flops=7.0),
            resource={"mpg.owner": "me", "mpg.job": "r"},
        )
        request["resourceSpans"][0]["scopeSpans"][0]["scope"]["attributes"] = [
            {"key": key, "value": {"stringValue": value}}
            for key, value in (("mpg.job", "j"), ("mpg.flops", "5"), ("mpg.Model", "x"), ("y", "z"))
        ]
        self.script("formats/otlp.sql", otlp=self.file(json.dumps(request)))
        self.assertEqual([("j", "me", 4)], self.rows("SELECT job, owner, chips FROM jobs"))
        self.assertEqual(
            [("j", 1, 5.0), ("j", 2, 7.0)], self.rows("SELECT job, step, CAST(flops AS REAL) FROM spans ORDER BY step")
        )
        self.assertEqual(
            [("attributes that are not of the convention: not read: mpg.Model",)],
            self.rows("SELECT detail FROM mpg_issues WHERE kind = 'unknown_column'"),
        )

    def test_a_kind_of_the_resource(self):
        request = self.request(
            self.span("forward", 0, 10, step=1),
            self.span("x", 10, 20, kind="eval"),
            resource={"mpg.job": "j", "mpg.kind": "step"},
        )
        self.script("formats/otlp.sql", otlp=self.file(json.dumps(request)))
        self.assertEqual([("step", 1), ("eval", None)], self.rows("SELECT kind, step FROM spans ORDER BY start_time"))

    def test_the_convention(self):
        path = self.file(
            "\n".join(
                json.dumps(self.request(*spans, resource=resource))
                for resource, spans in (
                    (
                        {"mpg.job": "j", "mpg.rank": 3},
                        [
                            self.span("attempt", 0, 100, chips=4, pool="p", outcome="preempted"),
                            self.span("step", 0, 10, step=1),
                            self.span("checkpoint", 10, 12, step=1, durable=True),
                            self.span("save", 12, 20, kind="my_save"),
                            self.span("save", 12, 20),
                            self.span("step", 20, 19, step=2),
                            self.span("step", 30),
                        ],
                    ),
                    ({"mpg.job": "j", "mpg.rank": 4}, [self.span("step", 0, 11, step=1)]),
                    (
                        {"mpg.job": "other", "mpg.owner": "me"},
                        [self.span("attempt", 0, 50, chips=2, pool="p"), self.span("step", 0, 10, job="third")],
                    ),
                    ({}, [self.span("step", 0, 10)]),
                )
            )
        )
        self.script("formats/otlp.sql", otlp=path)
        self.assertEqual(
            self.rows(
                "SELECT job, kind, start_time - ?1, end_time - ?1, step FROM spans ORDER BY job, start_time, kind", T0
            ),
            [
                ("j", "step", 0, 10, 1),
                ("j", "checkpoint", 10, 12, 1),
                ("j", "my_save", 12, 20, None),
                ("j", "step", 20, 20, 2),
                ("j", "step", 30, None, None),
                ("third", "step", 0, 10, None),
            ],
        )
        self.assertEqual(self.rows("SELECT job, step, durable_time - ? FROM commits", T0), [("j", 1, 12)])
        self.assertEqual(
            self.rows("SELECT job, attempt, pool, chips, end_time - ?, outcome FROM allocations ORDER BY job", T0),
            [("j", 1, "p", 4, 100, "preempted"), ("other", 1, "p", 2, 50, "completed")],
        )
        self.assertEqual(
            self.rows("SELECT job, owner, chips FROM jobs ORDER BY job"),
            [("j", None, 4), ("other", "me", 2), ("third", "me", None)],
        )
        self.assertEqual(self.rows("SELECT * FROM capacity"), [])  # nobody said what chip it is

    def test_spans_that_were_sent_again(self):
        """OTLP is delivered at least once: what has the ids of another is that one, and was perhaps not over yet."""

        def identified(span, id, trace="0af7651916cd43dd8448eb211c80319c"):
            return {**span, "traceId": trace, "spanId": id}

        spans = [
            identified(self.span("attempt", 0), "00000000000000a1"),
            identified(self.span("attempt", 0, 100, chips=4, pool="p", outcome="completed"), "00000000000000a1"),
            identified(self.span("step", 0, 40, step=1), "00000000000000a2"),
            identified(self.span("step", 40, 100, step=2), "00000000000000a3"),
        ]
        once = [("j", "unrated", 400 * 10**6)]
        for again in (spans[1:], spans, spans[1:] + spans, spans[::-1]):
            for name in "otlp_spans", "capacity", "jobs", "allocations":
                self.db.execute("DROP TABLE IF EXISTS temp." + name)
            path = self.file(json.dumps(self.request(*again, resource={"mpg.job": "j"})))
            self.script("formats/otlp.sql", otlp=path)
            self.assertEqual(
                self.rows("SELECT job, category, sum(chip_us) FROM mpg_rollup GROUP BY job, category"), once
            )
            self.assertEqual(self.rows("SELECT count(*) FROM allocations"), [(1,)])
            self.assertEqual(
                self.rows(
                    "SELECT severity, sum(count) FROM mpg_issues WHERE kind = 'repeated_record' AND source = ?", path
                ),
                [("info", len(again) - 3)] if len(again) > 3 else [(None, None)],
            )
        # Processes that were forked share a generator of ids: these are two steps.
        self.script(
            "formats/otlp.sql",
            otlp=self.file(
                json.dumps(
                    self.request(
                        identified(self.span("step", 0, 40, step=1), "00000000000000a2"),
                        identified(self.span("step", 40, 80, step=2), "00000000000000a2"),
                        resource={"mpg.job": "j"},
                    )
                )
            ),
        )
        self.assertEqual(self.rows("SELECT count(*) FROM spans"), [(2,)])
        for name in "otlp_spans", "capacity", "jobs", "allocations":
            self.db.execute("DROP TABLE IF EXISTS temp." + name)
        # Spans of another trace, and those without an id, are others.
        others = [
            identified(self.span("step", 0, 40, step=1), "00000000000000a2"),
            identified(self.span("step", 0, 40, step=1), "00000000000000a2", "0af7651916cd43dd8448eb211c80319d"),
        ]
        self.script(
            "formats/otlp.sql",
            otlp=self.file(
                json.dumps(
                    self.request(
                        *others,
                        self.span("step", 0, 40, step=1),
                        self.span("step", 0, 40, step=1),
                        resource={"mpg.job": "j"},
                    )
                )
            ),
        )
        self.assertEqual(self.rows("SELECT count(*) FROM spans"), [(4,)])

    def test_requests_that_failed(self):
        """By hand: served from 0 to 40 and from 50 to 60, what failed was alone from 40 to 45, 60 to 70 (twice) and 75 to 80."""

        def failed(start, end):
            return {**self.span("serve", start, end, flops=7e15), "status": {"code": 2}}

        told = (
            {"mpg.job": "j", "mpg.phase": "serving", "mpg.chip": "tpu-v4"},
            [
                self.span("attempt", 0, 100, chips=1, pool="p"),
                self.span("serve", 0, 30, flops=1e15),
                self.span("serve", 20, 40, flops=1e15),
                failed(10, 15),
                failed(35, 45),
                self.span("serve", 50, 60, flops=1e15),
                failed(55, 70),
                failed(60, 70),
                failed(75, 80),
            ],
        )
        alone = {"mpg.job": "k", "mpg.phase": "serving"}, [self.span("attempt", 0, 10, chips=1, pool="q"), failed(0, 4)]
        self.script(
            "formats/otlp.sql",
            otlp=self.file(
                "\n".join(json.dumps(self.request(*spans, resource=resource)) for resource, spans in (told, alone))
            ),
        )
        found = dict(
            ((pool, category, cause), us)
            for pool, category, cause, us in self.rows(
                "SELECT pool, category, cause, sum(chip_us) FROM mpg_rollup GROUP BY 1, 2, 3"
            )
        )
        ideal = found.pop(("p", "ideal", None))
        self.assertAlmostEqual(ideal / (3e15 / self.rows("SELECT chip_peak_flops('tpu-v4', 'bf16')")[0][0] * 1e6), 1, 5)
        self.assertEqual(found.pop(("p", "inefficiency", None)), 50 * 10**6 - ideal)
        self.assertEqual(found.pop(("p", "stall", "failed_request")), 20 * 10**6)
        self.assertEqual(found.pop(("p", "stall", "no_traffic")), 30 * 10**6)
        self.assertEqual(
            (found["q", "stall", "failed_request"], found["q", "unknown", None]), (4 * 10**6, 6 * 10**6)
        )
        self.assertEqual(self.rows("SELECT name FROM temp.sqlite_schema WHERE name LIKE 'otlp%'"), [])

    def test_saves_that_failed(self):
        """A save that ended in an error made nothing durable; a job that tries to save has checkpoints all the same. By hand, of 10 s each: only
        the first save of j is one, k has none, m saved in the step that blocks."""

        def failed(*span, **more):
            return {**self.span(*span, **more), "status": {"code": 2}}

        def spans(*saves):
            return [
                self.span("attempt", 0, 40, chips=1, pool="p", outcome="failed"),
                *(self.span("step", 10 * i, 10 * i + 10, step=i) for i in range(4)),
                *saves,
            ]

        for job, lost, saves in (
            ("j", 30, (self.span("commit", 10, 15, step=0), failed("commit", 30, 35, step=2))),
            ("k", 40, (failed("commit", 30, 35, step=2),)),
            ("m", 10, (self.span("checkpoint", 30, 30, step=2, durable=True),)),
            ("n", 40, (failed("checkpoint", 30, 30, step=2, durable=True),)),
        ):
            for name in "otlp_spans", "capacity", "jobs", "allocations":
                self.db.execute("DROP TABLE IF EXISTS temp." + name)
            self.script(
                "formats/otlp.sql", otlp=self.file(json.dumps(self.request(*spans(*saves), resource={"mpg.job": job})))
            )
            found = dict(self.rows("SELECT category, sum(chip_us) / 1000000 FROM mpg_rollup GROUP BY 1"))
            self.assertEqual(found, {"lost": lost, **({"unrated": 40 - lost} if lost < 40 else {})}, job)

    def test_batches_that_failed(self):
        """By hand: of shard 1 the second run counts, of 2 neither, of 3 the first, which the second would have been instead; 4 runs while 5 fails."""

        def failed(*span, **more):
            return {**self.span(*span, **more), "status": {"code": 2}}

        spans = [
            self.span("attempt", 0, 100, chips=1, pool="p", outcome="completed"),
            failed("batch", 0, 10, step=1),
            self.span("batch", 10, 20, step=1),
            failed("batch", 20, 30, step=2, flops=1e15),
            failed("batch", 30, 35, step=2),
            self.span("batch", 35, 40, step=3),
            failed("batch", 40, 50, step=3),
            self.span("batch", 50, 60, step=4),
            failed("batch", 55, 70, step=5),
            failed("batch", 70, 80),
        ]
        self.script("formats/otlp.sql", otlp=self.file(json.dumps(self.request(*spans, resource={"mpg.job": "j"}))))
        self.assertEqual(
            self.rows("SELECT category, cause, sum(chip_us) / 1000000 FROM mpg_rollup GROUP BY 1, 2"),
            [("lost", None, 10), ("stall", "failed_batch", 45), ("unknown", None, 20), ("unrated", None, 25)],
        )

    def test_ranks_from_the_environment(self):
        """OTEL_RESOURCE_ATTRIBUTES holds texts: ranks are numbers all the same, and what has none is of rank 0."""
        path = self.file(
            "\n".join(
                json.dumps(self.request(*spans, resource=resource))
                for resource, spans in (
                    ({"mpg.job": "j"}, [self.span("attempt", 0, 100, chips=4, pool="p")]),
                    ({"mpg.job": "j", "mpg.rank": "0"}, [self.span("step", 0, 10, step=1)]),
                    ({"mpg.job": "j", "mpg.rank": "1"}, [self.span("step", 0, 11, step=1)]),
                    ({"mpg.job": "k", "mpg.rank": "10"}, [self.span("step", 0, 20, step=1)]),
                    ({"mpg.job": "k", "mpg.rank": "9"}, [self.span("step", 0, 21, step=1)]),
                    ({"mpg.job": "l", "mpg.rank": "host-b"}, [self.span("step", 0, 31, step=1)]),
                    ({"mpg.job": "l", "mpg.rank": "host-a"}, [self.span("step", 0, 30, step=1)]),
                )
            )
        )
        self.script("formats/otlp.sql", otlp=path)
        self.assertEqual(
            self.rows("SELECT job, kind, end_time - ? FROM spans ORDER BY job", T0),
            [("j", "step", 10), ("k", "step", 21), ("l", "step", 30)],
        )
        self.assertEqual(self.rows("SELECT job, chips FROM allocations"), [("j", 4)])

    def test_a_lowest_rank_that_dies_first(self):
        """The others went on: what they tell beyond is left out, and listed."""
        for last, said in ((1, [(2,)]), (3, [])):
            path = self.file(
                "\n".join(
                    json.dumps(self.request(*spans, resource={"mpg.job": "j", "mpg.rank": rank}))
                    for rank, spans in (
                        (
                            0,
                            [self.span("attempt", 0, 100, chips=4, pool="p")]
                            + [self.span("step", 10 * i, 10 * i + 10, step=i) for i in range(1, last + 1)],
                        ),
                        (1, [self.span("step", 10 * i, 10 * i + 10, step=i) for i in range(1, 4)]),
                    )
                )
            )
            self.script("formats/otlp.sql", otlp=path)
            self.assertEqual(
                said, self.rows("SELECT count FROM mpg_issues WHERE kind = 'missing_steps' AND source = ?", path)
            )

    def test_ranks_of_an_attempt_that_are_numbered_anew(self):
        """Rank 0 has gone with its host, and the second attempt has ranks from 4 on: they tell what it did where spans name their attempt; else it is listed, though it did steps of the same numbers."""
        for named in (True, False):
            path = self.file(
                "\n".join(
                    json.dumps(
                        self.request(
                            *spans,
                            resource={"mpg.job": "j", "mpg.rank": rank}
                            | ({"mpg.attempt": 1 + (rank > 3)} if named else {}),
                        )
                    )
                    for rank, spans in (
                        (
                            0,
                            [self.span("attempt", 0, 20, chips=4, pool="p", error=True)]
                            + [self.span("step", 10 * i - 10, 10 * i, step=i) for i in (1, 2)],
                        ),
                        (5, [self.span("step", 100, 111, step=1)]),
                        (
                            4,
                            [self.span("attempt", 100, 120, chips=4, pool="p")]
                            + [self.span("step", 90 + 10 * i, 100 + 10 * i, step=i) for i in (1, 2)],
                        ),
                    )
                )
            )
            self.assertEqual(
                [(0, 20)] + [(100, 120)] * named,
                self.rows(
                    "SELECT start_time - ?1, end_time - ?1 FROM trace_records(?2) WHERE record = 'allocations' ORDER BY 1",
                    T0,
                    path,
                ),
            )
            self.assertEqual(
                [0, 10] + [100, 110] * named,
                [
                    start
                    for start, in self.rows(
                        "SELECT start_time - ? FROM trace_records(?) WHERE record = 'spans' ORDER BY 1", T0, path
                    )
                ],
            )
            self.assertEqual(
                [] if named else [(2,)],
                self.rows("SELECT count FROM mpg_issues WHERE kind = 'missing_steps' AND source = ?", path),
            )

    def test_attempts_of_several_sizes(self):
        """On 8 chips, then on 16, told as numbers or as texts of the environment: each attempt was whole."""
        for eight, sixteen in ((8, 16), ("8", "16")):
            for name in "capacity", "jobs", "allocations":
                self.db.execute("DROP TABLE IF EXISTS temp." + name)
            path = self.file(
                "\n".join(
                    json.dumps(
                        self.request(
                            *spans, resource={"mpg.job": "j", "mpg.pool": "p", "mpg.chip": "tpu-v4", "mpg.chips": chips}
                        )
                    )
                    for chips, spans in (
                        (eight, [self.span("attempt", 0, 100, outcome="failed"), self.span("step", 0, 100, step=1)]),
                        (sixteen, [self.span("attempt", 100, 200), self.span("step", 100, 200, step=2)]),
                    )
                )
            )
            self.script("formats/otlp.sql", otlp=path)
            self.assertEqual(self.rows("SELECT chips, min_chips FROM jobs"), [(16, 8)])
            self.assertEqual(
                self.rows("SELECT category, sum(chip_us) / 1000000 FROM mpg_rollup GROUP BY category"),
                [("idle", 800), ("queued", 800), ("unrated", 2400)],
            )

    def said(self, *spans, resource=None):
        for name in "otlp_spans", "capacity", "jobs", "allocations":
            self.db.execute("DROP TABLE IF EXISTS temp." + name)
        path = self.file(json.dumps(self.request(*spans, resource=resource or {"mpg.job": "j"})))
        self.script("formats/otlp.sql", otlp=path)
        return dict(self.rows("SELECT kind, count FROM mpg_issues WHERE source = ?", path))

    def test_attributes_that_are_misspelt(self):
        attempt = self.span("attempt", 0, 100, chips=4, pool="p")
        self.assertEqual(
            self.said(attempt, self.span("step", 0, 10, Step=1), self.span("step", 10, 20, Step=2)),
            {"unknown_column": 2},
        )
        self.assertEqual(
            self.said(
                attempt,
                self.span("step", 0, 10, step=1),
                resource={"mpg.job": "j", "mpg.Phase": "training", "service.name": "x"},
            ),
            {"unknown_column": 2},
        )

    def test_texts_of_the_environment(self):
        """OTEL_RESOURCE_ATTRIBUTES and shell scripts write texts: true, and a word with a capital letter."""
        self.assertEqual(
            self.said(
                self.span("attempt", 0, 30, chips="4", pool="p", outcome="Failed"),
                self.span("step", 0, 10, step=1),
                self.span("checkpoint", 10, 12, step=1, durable="true"),
            ),
            {},
        )
        self.assertEqual(self.rows("SELECT step FROM commits"), [(1,)])
        self.assertEqual(self.rows("SELECT outcome FROM allocations"), [("failed",)])

    def test_attributes_without_a_value(self):
        attempt = self.span("attempt", 0, 30, chips=4, pool="p")
        for attribute in attempt["attributes"]:
            if attribute["key"] == "mpg.pool":
                attribute["value"] = {}
        self.assertEqual({"missing_field": 1}, self.said(attempt, self.span("step", 0, 10, step=1)))

    def test_attempts_without_a_number_of_chips(self):
        for chips in ({}, {"chips": 0}, {"chips": "eight"}):
            self.assertEqual(
                self.said(self.span("attempt", 0, 30, pool="p", **chips), self.span("step", 0, 10, step=1)),
                {"missing_field": 1},
            )

    def test_steps_that_failed(self):
        """A step that ended in an error counts as one, unless it ran again; which is said."""
        failed = {**self.span("step", 10, 20, step=2), "status": {"code": 2}}
        attempt, one, two = (
            self.span("attempt", 0, 40, chips=4, pool="p"),
            self.span("step", 0, 10, step=1),
            self.span("step", 20, 30, step=2),
        )
        self.assertEqual(self.said(attempt, one, failed), {"skipped_steps": 1})
        self.assertEqual(self.said(attempt, one, failed, two), {})

    def test_several_jobs_in_a_pool(self):
        """What they hold is its capacity, of the chip that they name."""
        requests = [
            self.request(
                self.span("attempt", begin, begin + 100, chips=4, pool="p", **chip),
                *(
                    self.span("step", begin + 10 * i, begin + 10 * i + 10, step=i, flops=1e15, dtype="bf16")
                    for i in range(10)
                ),
                resource={"mpg.job": job},
            )
            for job, begin, chip in (("j", 0, {"chip": "tpu-v4"}), ("k", 300, {}))
        ]
        path = self.file("".join(json.dumps(request) + "\n" for request in requests))
        found = dict(
            self.rows(
                "SELECT category, sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category <> 'queued' GROUP BY 1 HAVING sum(chip_us) <> 0",
                path,
            )
        )
        self.assertEqual({"ideal", "inefficiency"}, set(found))
        self.assertEqual(
            [(800,)], self.rows("SELECT sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category <> 'queued'", path)
        )

    def test_a_file_of_all_signals(self):
        """Pipelines of traces, metrics and logs may share the collector's file exporter."""
        spans = self.request(
            self.span("attempt", 0, 10, chips=4, pool="p"), self.span("step", 0, 10, step=1), resource={"mpg.job": "j"}
        )
        for key in ("resourceMetrics", "resourceLogs", "resource_profiles"):
            path = self.file(json.dumps({key: [{}]}) + "\n" + json.dumps(spans) + "\n")
            self.assertEqual(
                self.rows("SELECT job, category, chip_us FROM trace_rollup(?)", path), [("j", "unrated", 40 * 10**6)]
            )
            self.assertEqual(
                self.rows("SELECT count FROM mpg_issues WHERE kind = 'other_signal' AND source = ?", path), [(1,)]
            )


if __name__ == "__main__":
    unittest.main()
