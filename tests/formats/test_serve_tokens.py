"""trace_serve_tokens: a server that is simulated second by second, and what its counters say, in the words of vLLM, SGLang, TGI and Triton."""

import json
import os
import re
import random
import sqlite3
import unittest
from collections import Counter

from cases import Case

BEGIN, EVERY, LENGTH = 1772352000, 30, 1800


class Replica:
    """A server that takes requests one after the other: (second, prompt tokens, of them in the cache, of them sent by another replica, tokens to generate, adapter)."""

    def __init__(self, name, requests, alive=((0, LENGTH),), role="both"):
        self.name, self.requests, self.alive, self.role = name, requests, alive, role

    def run(self):
        """Of each second what was done, and which requests ended."""
        queue, done, active, left = sorted(self.requests), [], None, [0, 0]
        for second in range(LENGTH):
            work = Counter()
            if not any(start <= second < end for start, end in self.alive):
                done.append(None)  # there is no server, and no sample
                active = None
                continue
            if active is None and queue and queue[0][0] <= second:
                active = queue.pop(0)
                work.update(cached=active[2], received=active[3])
                left = [active[1] - active[2] - active[3], active[4] if self.role != "prefill" else 0]
            if active is not None:
                prefill = min(left[0], 500)
                decode = 0 if prefill else min(left[1], 40)
                left = [left[0] - prefill, left[1] - decode]
                work.update(prefill=prefill, decode=decode)
                if not any(left):
                    work.update(requests=1, all=active[1], hits=active[2], generated=active[4])
                    active = None
            done.append(work)
        return done


def requests(seed, cached=0.3, received=0.0):
    rng, at, made = random.Random(seed), 0, []
    while at < LENGTH - 60:
        at += rng.choice([2, 5, 9, 240])
        prompt = rng.randrange(100, 6000)
        hit, sent = int(prompt * cached * rng.random()), 0
        sent = int((prompt - hit) * received)
        made.append((at, prompt, hit, sent, rng.randrange(1, 400), rng.choice(["base", "tenant-a", "tenant-b"])))
    return made


def samples(replica, words):
    """Lines of a scrape each EVERY seconds. A server that begins counts from 0."""
    totals, lines, before = Counter(), [], None
    for second, work in enumerate(replica.run()):
        if work is None:
            totals, before = Counter(), None
            continue
        totals.update(work)
        before = second
        if second % EVERY == 0 and before is not None:
            lines += [
                f"{metric}{{{labels + ',' if labels else ''}pod=\"{replica.name}\"}} {value} {BEGIN + second}"
                for metric, labels, value in words(totals)
            ]
    return lines


def vllm(totals):
    for source, key in (
        ("local_compute", "prefill"),
        ("local_cache_hit", "cached"),
        ("external_kv_transfer", "received"),
    ):
        yield "vllm:prompt_tokens_by_source_total", f'model_name="m",source="{source}"', totals[key]
    yield "vllm:prompt_tokens_total", 'model_name="m"', totals["prefill"] + totals["cached"] + totals["received"]
    yield "vllm:generation_tokens_total", 'model_name="m"', totals["decode"]


def old_vllm(totals):
    yield "vllm:prompt_tokens_total", 'model_name="m"', totals["prefill"] + totals["cached"] + totals["received"]
    yield "vllm:prefix_cache_hits_total", 'model_name="m"', totals["cached"]
    yield "vllm:external_prefix_cache_hits_total", 'model_name="m"', totals["received"]
    yield "vllm:generation_tokens_total", 'model_name="m"', totals["decode"]


def sglang(totals):
    for rank in "01":  # ranks of one replica tell the same
        for mode, key in (("prefill_compute", "prefill"), ("prefill_cache", "cached"), ("decode", "decode")):
            yield "sglang:realtime_tokens_total", f'model_name="m",tp_rank="{rank}",mode="{mode}"', totals[key]
    yield from old_sglang(totals)


def old_sglang(totals):  # until 0.4, and beside those above; grows when a request ends
    yield "sglang:prompt_tokens_total", 'model_name="m",tp_rank="0"', totals["all"]
    yield "sglang:cached_tokens_total", 'model_name="m",tp_rank="0"', totals["hits"]
    yield "sglang:generation_tokens_total", 'model_name="m",tp_rank="0"', totals["generated"]


def tgi(totals):  # grows when a request ends
    yield "tgi_request_input_length_sum", "", totals["all"]
    yield "tgi_request_skipped_tokens_sum", "", totals["hits"]
    yield "tgi_request_generated_tokens_sum", "", totals["generated"]


def triton(totals):
    yield "nv_inference_count", 'model="m",version="1"', totals["requests"]


class ServeTokens(Case):
    def write(self, lines, name="metrics.prom"):
        path = os.path.join(self.new_folder(), name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n# EOF\n")
        return path

    def rows(self, path):
        return self.db.execute(
            "SELECT replica, start_time - ?, end_time - ?, prefill_tokens, decode_tokens, cached_tokens, received_tokens, executions FROM trace_serve_tokens(?) ORDER BY replica, end_time",
            (BEGIN, BEGIN, path),
        ).fetchall()

    def truth(self, replica):
        """(since, until) -> what was done from one scrape to the next."""
        done, found = replica.run(), {}
        for until in range(EVERY, LENGTH, EVERY):
            of = done[until - EVERY + 1 : until + 1]
            if done[until - EVERY] is not None and None not in of:
                found[until - EVERY, until] = sum(of, Counter())
        return found

    def test_every_interval_is_what_was_done(self):
        for words in (vllm, old_vllm, sglang):
            for seed in range(3):
                with self.subTest(words=words.__name__, seed=seed):
                    replica = Replica("a", requests(seed, received=0.0 if words is sglang else 0.2))
                    told = {
                        (since, until): (prefill or 0, decode)
                        for _, since, until, prefill, decode, *_ in self.rows(self.write(samples(replica, words)))
                    }
                    true = {
                        when: (work["prefill"], work["decode"])
                        for when, work in self.truth(replica).items()
                        if work["prefill"] or work["decode"]
                    }
                    if (
                        words is old_vllm
                    ):  # what the cache had is told at the request's begin: sums agree, and no interval has more than came
                        self.assertEqual([sum(v[1] for v in true.values())], [sum(v[1] for v in told.values())])
                        self.assertAlmostEqual(
                            sum(v[0] for v in true.values()), sum(v[0] for v in told.values()), delta=6000
                        )
                        continue
                    self.assertEqual(true, told)

    def test_two_servers_that_watch_one_replica(self):
        """A pair of Prometheus, without deduplication: what was done is counted once."""
        once = samples(Replica("a", requests(1, received=0.2)), vllm)
        for label in ("prometheus_replica", "replica", "job"):
            for late in (0, 7):

                def of(server, seconds):
                    return [
                        re.sub(
                            r"^(\S+)\{(.*)\} (\S+) (\S+)$",
                            lambda m: (
                                f'{m[1]}{{{m[2]},{label}="{server}"}} {m[3]} {float(m[4]) + seconds:g}'
                                if seconds
                                else f'{m[1]}{{{m[2]},{label}="{server}"}} {m[3]} {m[4]}'
                            ),
                            line,
                        )
                        for line in once
                    ]

                alone, pair = self.rows(self.write(of("a", 0))), self.rows(self.write(of("a", 0) + of("b", late)))
                self.assertNotEqual([], alone)
                self.assertEqual(
                    [sum(row[i] or 0 for row in alone) for i in (3, 4)],
                    [sum(row[i] or 0 for row in pair) for i in (3, 4)],
                    (label, late),
                )

    def test_servers_that_tell_when_a_request_ends(self):
        replica = Replica("a", requests(5))
        ended = sum((work for work in replica.run()[1 : 1 + (LENGTH - 1) // EVERY * EVERY] if work), Counter())
        for words in (tgi, old_sglang):
            rows = self.rows(self.write(samples(replica, words)))
            self.assertEqual(
                (sum(row[3] for row in rows), sum(row[4] for row in rows), sum(row[5] for row in rows)),
                (ended["all"] - ended["hits"], ended["generated"], ended["hits"]),
                words,
            )
        rows = self.rows(self.write(samples(replica, triton)))
        self.assertEqual(sum(row[7] for row in rows), ended["requests"])
        self.assertEqual({row[3] for row in rows}, {None})

    def test_scaled_to_zero(self):
        """From second 600 to 1200 there is no server: the counters begin anew, and nothing is served in between."""
        replica = Replica("a", requests(1), alive=((0, 600), (1200, LENGTH)))
        rows = self.rows(self.write(samples(replica, vllm)))
        self.assertEqual([row for row in rows if 600 <= row[1] and row[2] < 1200 or row[1] < 600 < row[2] - EVERY], [])
        true = self.truth(replica)
        self.assertEqual(
            {(row[1], row[2]): row[3] for row in rows if (row[1], row[2]) in true},
            {when: work["prefill"] for when, work in true.items() if work["prefill"] or work["decode"]},
        )

    def test_prefill_and_decode_apart(self):
        """One replica computes the prompts, the other gets them: each prompt counts once."""
        asked = requests(7, cached=0)
        first = Replica("prefill-0", asked, role="prefill")
        second = Replica(
            "decode-0", [(at + 20, prompt, 0, prompt, decode, lora) for at, prompt, _, _, decode, lora in asked]
        )
        rows = self.rows(self.write(samples(first, vllm) + samples(second, vllm)))
        by = {
            name: [sum(row[i] or 0 for row in rows if row[0] == name) for i in (3, 4, 6)]
            for name in ("prefill-0", "decode-0")
        }
        self.assertEqual((by["prefill-0"][1], by["decode-0"][0]), (0, 0))
        self.assertEqual(by["prefill-0"][0], sum(work["prefill"] for work in self.truth(first).values()))
        self.assertEqual(by["decode-0"][2], sum(work["received"] for work in self.truth(second).values()))

    def test_adapters_share_what_their_replica_served(self):
        """Requests name their LoRA adapter: the share of a tenant is that of its tokens in each stretch (docs/serving.md)."""
        replica = Replica("a", requests(3))
        path = self.write(samples(replica, vllm))
        self.db.execute("CREATE TEMP TABLE requests(at, adapter, tokens)")
        self.db.executemany(
            "INSERT INTO requests VALUES (?, ?, ?)",
            [
                (BEGIN + at, lora, prompt - hit - sent + decode)
                for at, prompt, hit, sent, decode, lora in replica.requests
            ],
        )
        shares = self.db.execute(
            """
            WITH served AS (SELECT sum(prefill_tokens + decode_tokens) AS tokens FROM trace_serve_tokens(?)),
                 tenant AS (SELECT adapter, sum(tokens) AS tokens FROM requests GROUP BY adapter)
            SELECT adapter, 1.0 * t.tokens / (SELECT sum(tokens) FROM tenant) * s.tokens FROM tenant AS t, served AS s""",
            (path,),
        ).fetchall()
        done = sum(work["prefill"] + work["decode"] for work in self.truth(replica).values())
        self.assertAlmostEqual(sum(tokens for _, tokens in shares), done, delta=1e-6 * done)
        self.assertEqual(len(shares), 3)

    def test_listed(self):
        replica = Replica("a", requests(2))
        alone = [line for line in samples(replica, old_vllm) if "cache_hits" not in line]
        self.rows(self.write(alone))
        self.assertEqual(self.db.execute("SELECT kind, count FROM mpg_issues").fetchall(), [("assumed_computed", 1)])
        self.rows(self.write([line.replace("local_cache_hit", "frob") for line in samples(replica, vllm)]))
        self.assertIn("frob", dict(self.db.execute("SELECT kind, detail FROM mpg_issues"))["unknown_metric"])

    def lines(self, *series, every=EVERY):
        """Series of (metric, labels, values), a sample each EVERY seconds; None is no sample."""
        return [
            f"{metric}{{{labels}}} {value} {BEGIN + every * i}"
            for metric, labels, values in series
            for i, value in enumerate(values)
            if value is not None
        ]

    def issues_of(self, path):
        return dict(
            self.db.execute("SELECT kind, sum(count) FROM mpg_issues WHERE source LIKE ? || '%' GROUP BY kind", (path,))
        )

    def test_models_of_one_replica(self):
        """Each model's inferences are its own: FLOPs of one are not those of another."""
        path = self.write(
            self.lines(
                ("nv_inference_count", 'model="a",version="1",pod="x"', (0, 5, 10)),
                ("nv_inference_count", 'model="b",version="1",pod="x"', (0, 7, 14)),
            )
        )
        self.assertEqual(
            self.db.execute(
                "SELECT model, sum(executions) FROM trace_serve_tokens(?) GROUP BY 1 ORDER BY 1", (path,)
            ).fetchall(),
            [("a", 10), ("b", 14)],
        )

    def test_samples_beside_other_files(self):
        """In one folder with listings of Kubernetes, a log and metrics of the cluster's state; of a fleet file. What is of another format is listed."""
        ask = lambda sql, *values: self.db.execute(sql, values).fetchall()
        tokens = ("vllm:generation_tokens_total", 'pod="x",model_name="m"', (0, 50, 100))
        state = ("kube_pod_created", 'namespace="ml",pod="x",uid="u"', (1, 1, 1))
        listing = json.dumps({"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "Node"}]})
        for samples in ([tokens], [state, tokens]):
            folder = self.folder_of(
                {
                    "a.prom": "\n".join(self.lines(*samples)) + "\n",
                    "list.json": listing,
                    "sub/run.log": "completed step: 1, seconds: 2.0\n",
                }
            )
            for path in (folder, json.dumps({"sources": [{"path": folder + "/a.prom"}]}), folder + "/a.prom"):
                self.assertEqual([(100,)], ask("SELECT sum(decode_tokens) FROM trace_serve_tokens(?)", path))
            ask("SELECT count(*) FROM trace_serve_tokens(?)", folder)
            other = ask(
                "SELECT source FROM mpg_issues WHERE kind = 'ignored_file' AND source GLOB ? ORDER BY 1", folder + "/*"
            )
            self.assertEqual([(folder + "/list.json",), (folder + "/sub/run.log",)], other)
        with self.assertRaisesRegex(
            sqlite3.OperationalError, "list.json: expected a file of the format dcgm, found none"
        ):
            ask("SELECT count(*) FROM trace_serve_tokens(?)", folder + "/list.json")

    def test_a_hit_before_its_prompt(self):
        """A scrape falls between a hit of the cache, told at once, and its prompt, told later: the hit costs nothing in either interval."""
        path = self.write(
            self.lines(
                ("vllm:prompt_tokens_total", 'pod="x"', (0, 0, 100, 180)),
                ("vllm:prefix_cache_hits_total", 'pod="x"', (0, 50, 50, 60)),
                ("vllm:generation_tokens_total", 'pod="x"', (0, 1, 2, 3)),
            )
        )
        self.assertEqual([row[1:4] for row in self.rows(path)], [(0, 30, 0), (30, 60, 50), (60, 90, 70)])
        self.assertEqual(self.issues_of(path), {})
        path = self.write(
            self.lines(
                ("vllm:prompt_tokens_total", 'pod="x"', (0, 100, 200)),
                ("vllm:prefix_cache_hits_total", 'pod="x"', (0, 150, 300)),
                ("vllm:generation_tokens_total", 'pod="x"', (0, 1, 2)),
            )
        )
        self.rows(path)
        self.assertEqual(self.issues_of(path), {"impossible_value": 1})

    def test_ranks_of_data_parallel_attention(self):
        """SGLang numbers tensor ranks through all parts of data parallelism; each part serves requests of its own."""
        for ranks in (((0, 0), (1, 1)), ((0, 0), (1, 0), (2, 1), (3, 1))):
            path = self.write(
                self.lines(
                    *(
                        (
                            "sglang:realtime_tokens_total",
                            f'pod="x",mode="decode",tp_rank="{tp}",dp_rank="{dp}"',
                            (0, 10 + dp, 20 + dp),
                        )
                        for tp, dp in ranks
                    )
                )
            )
            self.assertEqual(sum(row[4] for row in self.rows(path)), 20 + 21)

    def test_values_that_no_counter_has(self):
        path = self.write(
            self.lines(("vllm:generation_tokens_total", 'pod="x"', (100, "NaN", 200, -50, 300, "+Inf", 400)))
        )
        self.assertEqual(
            [row[1:3] + row[4:5] for row in self.rows(path)], [(0, 60, 100), (60, 120, 100), (120, 180, 100)]
        )
        self.assertEqual(self.issues_of(path), {"impossible_value": 2})

    def decoded(self, path):
        return [(row[0],) + row[1:3] + row[4:5] for row in self.rows(path)]

    def test_labels_that_are_new(self):
        """A series that its replica did not have at the scrape before counted from 0, unless it is an old one with another label."""
        decode = "vllm:generation_tokens_total"
        upgraded = self.lines((decode, 'pod="x"', (0, 10, 20)), (decode, 'pod="x",engine="0"', (None,) * 3 + (3, 8)))
        self.assertEqual(
            self.decoded(self.write(upgraded)),
            [("x", 0, 30, 10), ("x", 30, 60, 10), ("x", 60, 90, 3), ("x", 90, 120, 5)],
        )
        engines = self.lines(
            (decode, 'pod="x"', (0, 10, 20)),
            (decode, 'pod="x",engine="0"', (None,) * 3 + (30, 40)),
            (decode, 'pod="x",engine="1"', (None,) * 3 + (31, 41)),
        )
        path = self.write(engines)
        self.assertEqual(self.decoded(path)[2:], [("x", 60, 90, 61), ("x", 90, 120, 20)])
        self.assertEqual(self.issues_of(path), {"counter_reset": 2})
        path = self.write(
            self.lines(
                (decode, 'pod="x"', (980, 990, 1000)), (decode, 'pod="x",region="e"', (None,) * 3 + (1010, 1020))
            )
        )
        self.assertEqual(self.decoded(path)[2:], [("x", 60, 90, 10), ("x", 90, 120, 10)])
        self.assertEqual(self.issues_of(path), {})
        # SGLang makes the series of a mode when it first counts.
        path = self.write(
            self.lines(
                ("sglang:realtime_tokens_total", 'pod="x",mode="prefill_compute",tp_rank="0"', (0, 0, 100, 200)),
                ("sglang:realtime_tokens_total", 'pod="x",mode="decode",tp_rank="0"', (None, None, 40, 90)),
            )
        )
        self.assertEqual(self.decoded(path), [("x", 30, 60, 40), ("x", 60, 90, 50)])

    def test_what_was_counted_out_of_sight(self):
        """A replica that begins between two scrapes, and a gap between scrapes in which nothing fell."""
        path = self.write(
            self.lines(
                ("vllm:generation_tokens_total", 'pod="x"', range(0, 50, 10)),
                ("vllm:generation_tokens_total", 'pod="y"', (None, None, None, 70, 90)),
            )
        )
        self.assertEqual(sum(row[3] for row in self.decoded(path)), 40 + 20)
        self.assertEqual(self.issues_of(path), {"missing_samples": 1})
        path = self.write(
            self.lines(("vllm:generation_tokens_total", 'pod="x"', (0, 10, 20) + (None,) * 20 + (500, 510)))
        )
        self.assertEqual(self.decoded(path)[2:], [("x", 60, 690, 480), ("x", 690, 720, 10)])
        self.assertEqual(self.issues_of(path), {"between_samples": 1})

    def test_which_replica_it_is(self):
        decode = "vllm:generation_tokens_total"
        for label in ("namespace", "cluster"):
            path = self.write(
                self.lines(
                    (decode, f'{label}="a",pod="vllm-0"', (0, 10)), (decode, f'{label}="b",pod="vllm-0"', (0, 100))
                )
            )
            self.assertEqual(self.decoded(path), [("a/vllm-0", 0, 30, 10), ("b/vllm-0", 0, 30, 100)])
        path = self.write(
            self.lines(
                *((decode, f'instance="prometheus:9090",exported_instance="10.0.0.{i}:8000"', (0, 10)) for i in (1, 2))
            )
        )
        self.assertEqual(self.decoded(path), [("10.0.0.1:8000", 0, 30, 10), ("10.0.0.2:8000", 0, 30, 10)])
        path = self.write(self.lines((decode, 'model_name="m"', (0, 10))))
        self.assertEqual(self.decoded(path), [("", 0, 30, 10)])
        self.assertEqual(self.issues_of(path), {"missing_field": 2})

    def test_instances_of_one_pod(self):
        """One server that is scraped under two names counts once; two servers count each."""
        decode = "vllm:generation_tokens_total"
        for other, done, said in ((1, 10, {}), (10, 110, {"conflict": 1})):
            path = self.write(
                self.lines(
                    (decode, 'pod="x",instance="a:8000"', range(0, 50, 10)),
                    (decode, 'pod="x",instance="a:8001"', range(0, 50 * other, 10 * other)),
                )
            )
            self.assertEqual([row[3] for row in self.decoded(path)], [done] * 4)
            self.assertEqual(self.issues_of(path), said)
            for first, second in (
                ('container="a"', 'container="b"'),
                ('job="service"', 'job="pod",container="a",node="n"'),
            ):
                path = self.write(
                    self.lines(
                        (decode, f'pod="x",instance="a:8000",{first}', range(0, 50, 10)),
                        (decode, f'pod="x",instance="a:8000",{second}', range(0, 50 * other, 10 * other)),
                    )
                )
                self.assertEqual([row[3] for row in self.decoded(path)], [done] * 4, second)
                self.assertEqual(self.issues_of(path), said)
            # An agent on each host scrapes localhost; of two Prometheus that do so in each job one counts.
            for first, second in (('job="a"', 'job="b"'), ('node="a"', 'node="b"'), ('service="a"', 'service="b"')):
                path = self.write(
                    self.lines(
                        *(
                            (decode, f'instance="localhost:8000",prometheus_replica="{n}",{label}', values)
                            for n in "01"
                            for label, values in (
                                (first, range(0, 50, 10)),
                                (second, range(3000 * (other - 1), 3000 * (other - 1) + 50 * other, 10 * other)),
                            )
                        )
                    )
                )
                self.assertEqual([row[3] for row in self.decoded(path)], [done] * 4, second)
                self.assertEqual(self.issues_of(path), said, second)

    def test_counters_by_source_and_those_of_all(self):
        """Told at other times, as by two queries, a prompt counts once; and before an upgrade that brought them, all count as computed, which is said."""
        source = "vllm:prompt_tokens_by_source_total"
        late = lambda lines: [re.sub(r"(\d+)$", lambda m: str(int(m[1]) + 7), line) for line in lines]
        path = self.write(
            self.lines(("vllm:prompt_tokens_total", 'pod="x"', (0, 50, 100)))
            + late(
                self.lines(
                    (source, 'pod="x",source="local_compute"', (0, 20, 40)),
                    (source, 'pod="x",source="local_cache_hit"', (0, 30, 60)),
                )
            )
        )
        self.assertEqual([row[1:4] for row in self.rows(path)], [(7, 37, 20), (37, 67, 20)])
        self.assertEqual(self.issues_of(path), {})
        path = self.write(
            self.lines(
                ("vllm:prompt_tokens_total", 'pod="x"', (0, 100, 200, 0, 50)),
                (source, 'pod="x",source="local_compute"', (None,) * 3 + (0, 20)),
                (source, 'pod="x",source="local_cache_hit"', (None,) * 3 + (0, 30)),
            )
        )
        self.assertEqual([row[1:4] for row in self.rows(path)], [(0, 30, 100), (30, 60, 100), (90, 120, 20)])
        self.assertEqual(self.issues_of(path), {"counter_reset": 1, "assumed_computed": 1})

    def test_servers_of_several_kinds_without_a_name(self):
        """As curl saves their pages, without a pod or an instance: what one tells by source says nothing of another's prompts."""
        source = "vllm:prompt_tokens_by_source_total"
        path = self.write(
            self.lines(
                (source, 'source="local_compute"', (0, 20, 40)),
                (source, 'source="local_cache_hit"', (0, 30, 60)),
                ("vllm:prompt_tokens_total", "", (0, 50, 100)),
                ("sglang:prompt_tokens_total", "", (0, 200, 400)),
                ("sglang:cached_tokens_total", "", (0, 40, 80)),
                ("tgi_request_input_length_sum", "", (0, 70, 140)),
            )
        )
        columns = "server, prefill_tokens, cached_tokens"
        self.assertEqual(
            self.db.execute(
                f"SELECT {columns} FROM trace_serve_tokens(?) ORDER BY start_time, server", (path,)
            ).fetchall(),
            [("sglang", 160, 40), ("tgi", 70, None), ("vllm", 20, 30)] * 2,
        )
        issues = dict(self.db.execute("SELECT kind, detail FROM mpg_issues WHERE source = ?", (path,)))
        self.assertIn("such as one without a name of tgi: all count as computed", issues["assumed_computed"])

    def test_stages_of_a_pipeline(self):
        """Each stage of SGLang tells all tokens."""
        path = self.write(
            self.lines(
                *(
                    (
                        "sglang:realtime_tokens_total",
                        f'pod="x",mode="decode",tp_rank="{tp}",pp_rank="{pp}"',
                        (0, 10, 20),
                    )
                    for tp in (0, 1)
                    for pp in (0, 1)
                )
            )
        )
        self.assertEqual([row[3] for row in self.decoded(path)], [10, 10])

    def test_a_replica_of_another_server(self):
        path = self.write(
            self.lines(
                ("vllm:generation_tokens_total", 'pod="x"', (0, 10, 20)),
                ("trtllm:generation_tokens_total", 'pod="y"', (0, 10, 20)),
                ("DCGM_FI_DEV_GPU_UTIL", 'pod="z"', (1, 2, 3)),
            )
        )
        self.rows(path)
        self.assertEqual(self.issues_of(path), {"unknown_metric": 3})

    def test_pages_of_a_server(self):
        """Text without times, in files with the time of the scrape in their names."""
        for name in ("{}.prom", "metrics-{}123.prom", "7-{}"):  # in seconds, or milliseconds
            folder = self.new_folder()
            for i, value in enumerate((0, 10, 20)):
                with open(os.path.join(folder, name.format(BEGIN + EVERY * i)), "w", encoding="utf-8") as file:
                    file.write(f'vllm:generation_tokens_total{{pod="x"}} {value}\n')
            self.assertEqual(self.decoded(folder), [("x", 0, 30, 10), ("x", 30, 60, 10)], name)
            self.assertEqual(self.issues_of(folder), {})
        path = self.write(['vllm:generation_tokens_total{pod="x"} 5'])
        self.assertEqual(self.rows(path), [])
        self.assertEqual(self.issues_of(path).get("no_time"), 1)

    def test_servers_that_tell_lengths_of_requests_alone(self):
        """TensorRT-LLM and JetStream, which names each start of a server: what came counts as computed, and a restart's as its own."""
        for server, came, made in (
            ("trtllm", "trtllm_prompt_tokens_total", "trtllm_generation_tokens_total"),
            ("jetstream", "jetstream_request_input_length_sum", "jetstream_request_output_length_sum"),
        ):
            path = self.write(
                self.lines(
                    (came, 'pod="x",id="a"', (0, 100, 300)),
                    (made, 'pod="x",id="a"', (0, 10, 30)),
                    (came, 'pod="x",id="b"', (None,) * 3 + (50, 90)),
                    (made, 'pod="x",id="b"', (None,) * 3 + (5, 9)),
                )
            )
            self.assertEqual(
                [(server, 100, 10), (server, 200, 20), (server, 50, 5), (server, 40, 4)],
                self.db.execute(
                    "SELECT server, prefill_tokens, decode_tokens FROM trace_serve_tokens(?) ORDER BY end_time", (path,)
                ).fetchall(),
            )
            self.assertEqual(self.issues_of(path), {"assumed_computed": 1, "counter_reset": 2})

    def test_servers_of_few_counters(self):
        """LMDeploy counts all of a prompt, llama.cpp what its cache does not hold."""
        for server, made, assumed in (
            ("lmdeploy", "generation_tokens_total", {"assumed_computed": 1}),
            ("llamacpp", "tokens_predicted_total", {}),
        ):
            path = self.write(
                self.lines(
                    (f"{server}:prompt_tokens_total", 'pod="x"', (0, 100, 300)),
                    (f"{server}:{made}", 'pod="x"', (0, 10, 30)),
                    (f"{server}:requests_processing", 'pod="x"', (1, 2, 3)),
                )
            )
            self.assertEqual(
                [(server, 100, 10), (server, 200, 20)],
                self.db.execute(
                    "SELECT server, prefill_tokens, decode_tokens FROM trace_serve_tokens(?) ORDER BY end_time", (path,)
                ).fetchall(),
            )
            self.assertEqual(self.issues_of(path), assumed)

    def test_names_as_collectors_write_them(self):
        """A collector may write _ for the colon, and Ray writes ray_ in front; an export with both spellings tells once."""
        replica = Replica("a", requests(2, received=0.2))
        for words in (vllm, old_vllm, sglang):
            lines = samples(replica, words)
            expected = self.rows(self.write(lines))
            self.assertNotEqual([], expected)
            said = self.issues_of(self.write(lines))
            for spell in (
                lambda line: line.replace(":", "_", 1),
                lambda line: "ray_" + line,
                lambda line: "ray_" + line.replace(":", "_", 1),
            ):
                path = self.write([spell(line) for line in lines])
                self.assertEqual(expected, self.rows(path), (words.__name__, spell(lines[0])))
                self.assertEqual(said, self.issues_of(path))
            self.assertEqual(
                expected, self.rows(self.write(lines + [line.replace(":", "_", 1) for line in lines])), words.__name__
            )

    def test_replicas_behind_one_agent_of_ray(self):
        """Ray's agent tells of all replicas on its node: each is one, by the name that Ray gave it, or by its worker until that."""
        decode, node = "ray_vllm_generation_tokens_total", 'pod="raycluster-gpu-0",instance="10.0.0.1:8080"'
        for label in ("ReplicaId", "WorkerId"):
            path = self.write(
                self.lines((decode, f'{node},{label}="x"', (0, 10, 20)), (decode, f'{node},{label}="y"', (0, 5, 7)))
            )
            self.assertEqual(
                self.decoded(path), [("x", 0, 30, 10), ("x", 30, 60, 10), ("y", 0, 30, 5), ("y", 30, 60, 2)]
            )
            self.assertEqual(self.issues_of(path), {})
        # Of SGLang the scheduler and the replica are two workers; both tell the replica's name.
        path = self.write(
            self.lines(
                ("ray_sglang_realtime_tokens_total", f'{node},WorkerId="a",replica="x",mode="decode"', (0, 10, 20)),
                ("ray_sglang_generation_tokens_total", f'{node},WorkerId="b",replica="x"', (0, 0, 20)),
            )
        )
        self.assertEqual(self.decoded(path), [("x", 0, 30, 10), ("x", 30, 60, 10)])

    def test_hits_by_their_earlier_name(self):
        """vLLM 0.9 tells hits as those of the GPU, 0.10 under both names, and 0.8 in blocks, which do not count."""
        came, hits, asked = (
            "vllm:prompt_tokens_total",
            "vllm:gpu_prefix_cache_hits_total",
            "vllm:gpu_prefix_cache_queries_total",
        )
        path = self.write(
            self.lines(
                (came, 'pod="x"', (0, 100, 300)), (hits, 'pod="x"', (0, 40, 100)), (asked, 'pod="x"', (0, 100, 300))
            )
        )
        self.assertEqual([row[3:6] for row in self.rows(path)], [(60, None, 40), (140, None, 60)])
        self.assertEqual(self.issues_of(path), {})
        path = self.write(
            self.lines(
                (came, 'pod="x"', (0, 100, 300)),
                (hits, 'pod="x"', (0, 40, 100)),
                (asked, 'pod="x"', (0, 100, 300)),
                ("vllm:prefix_cache_hits_total", 'pod="x"', (0, 40, 100)),
            )
        )
        self.assertEqual([row[3:6] for row in self.rows(path)], [(60, None, 40), (140, None, 60)])
        self.assertEqual(self.issues_of(path), {})
        path = self.write(
            self.lines(
                (came, 'pod="x"', (0, 1600, 3200)), (hits, 'pod="x"', (0, 40, 100)), (asked, 'pod="x"', (0, 100, 200))
            )
        )
        self.assertEqual([row[3] for row in self.rows(path)], [1600, 1600])
        self.assertEqual(self.issues_of(path), {"assumed_computed": 1})
        path = self.write(
            self.lines((came, 'pod="x"', (0, 1600, 3200)), (hits, 'pod="x"', (0, 40, 100)))
        )  # of which of the two?
        self.assertEqual([row[3] for row in self.rows(path)], [1600, 1600])
        self.assertEqual(self.issues_of(path), {"assumed_computed": 1})

    def test_servers_without_a_name_of_their_own(self):
        """NIM's counters, and MindIE's, have no prefix; those of TensorRT-LLM's backend stand beside Triton's inferences."""
        for server, came, made, labels in (
            ("nim", "prompt_tokens_total", "generation_tokens_total", 'model_name="m"'),
            (
                "triton",
                "nv_llm_input_token_len_sum",
                "nv_llm_output_token_len_sum",
                'model="m",response_metric_type="total"',
            ),
        ):
            path = self.write(
                self.lines(
                    (came, f'pod="x",{labels}', (0, 100, 300)),
                    (made, f'pod="x",{labels}', (0, 10, 30)),
                    (
                        ("nv_inference_count", 'pod="x",model="m",version="1"', (0, 1, 3))
                        if server == "triton"
                        else ("num_requests_running", 'pod="x"', (1, 1, 1))
                    ),
                )
            )
            self.assertEqual(
                [
                    (server, "m", 100, 10, 1 if server == "triton" else None),
                    (server, "m", 200, 20, 2 if server == "triton" else None),
                ],
                self.db.execute(
                    "SELECT server, model, prefill_tokens, decode_tokens, executions FROM trace_serve_tokens(?) ORDER BY end_time",
                    (path,),
                ).fetchall(),
            )
            self.assertEqual(self.issues_of(path), {"assumed_computed": 1})

    def test_what_promtool_dumps(self):
        path = self.write(
            [
                f'{{__name__="vllm:generation_tokens_total", pod="x"}} {value} {(BEGIN + EVERY * i) * 1000}'
                for i, value in enumerate((0, 10, 20))
            ]
        )
        self.assertEqual(self.decoded(path), [("x", 0, 30, 10), ("x", 30, 60, 10)])

    def test_what_is_said_of_counters(self):
        def told(*series):
            path = self.write(self.lines(*series))
            self.rows(path)
            return self.issues_of(path)

        self.assertEqual(told(("vllm:generation_tokens_total", 'pod="x"', (5, 9, 3, 8))), {"counter_reset": 1})
        self.assertEqual(told(("vllm:generation_tokens_total", 'pod="x"', (5,))), {"missing_samples": 1})
        for name in (
            "vllm_generation_tokens",
            "vllm:generation_tokens",
            "trtllm:generation_tokens_total",
            "ray_vllm_generation_tokens",
        ):
            self.assertEqual(told((name, 'pod="x"', (5, 9, 13))), {"unknown_metric": 3}, name)


if __name__ == "__main__":
    unittest.main()
