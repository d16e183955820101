"""Shapes that schedulers write in practice, each with the figures that are right: what cannot be, is lost or is told otherwise is counted as it was, or said."""

import json
import unittest

import kube
from cases import Case
from kube import G, when

T0 = 1790000000


class Schedulers(Case):
    def ledger(self, path, category):
        return self.rows(
            "SELECT job, sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category = ? GROUP BY job", path, category
        )

    def said(self, path):
        self.rows("SELECT category FROM trace_rollup(?)", path)
        return self.rows(
            "SELECT kind, count FROM mpg_issues WHERE source LIKE ? || '%' AND kind NOT IN ('no_requeues', 'no_capacity') ORDER BY 1",
            path,
        )


class Slurm(Schedulers):
    HEADER = "JobID|Cluster|State|Submit|Start|End|Elapsed|ReqTRES|AllocTRES|NodeList\n"

    def job(self, number, state="COMPLETED", start=60, end=3660, elapsed="01:00:00", chips=8, nodes="n1"):
        start, end = (at if isinstance(at, str) else T0 + at for at in (start, end))
        held = "" if state == "PENDING" else f"gres/gpu={chips}"
        return f"{number}|c|{state}|{T0}|{start}|{end}|{elapsed}|gres/gpu={chips}|{held}|{nodes}\n"

    def export(self, *jobs, events=""):
        files = {"sacct.psv": self.HEADER + "".join(jobs)}
        if events:
            files["events.psv"] = "Cluster|Event|NodeName|Start|End|State|Reason|TRES\n" + events
        return self.folder_of(files)

    def test_an_elapsed_time_below_zero(self):
        """Of a job that was cancelled while its node was set up: Elapsed is -00:00:16."""
        path = self.export(self.job(1), self.job(2, "CANCELLED by 7", 60, 44, "-00:00:16"))
        self.assertEqual([("1", 28800)], self.ledger(path, "untraced"))
        self.assertEqual([("end_before_start", 1)], self.said(path))

    def test_a_list_of_tasks_that_was_cut(self):
        """Without SLURM_BITSTR_LEN=0 sacct names the first tasks of an array, and dots."""
        path = self.export(self.job(1), self.job("7_[0-9,12,14,...]", "PENDING", "Unknown", "Unknown", "00:00:00"))
        self.assertEqual([("1", 480), ("7", 12 * 8 * 3660)], self.ledger(path, "queued"))
        self.assertEqual([("missing_field", 1)], self.said(path))

    def test_jobs_that_ended_and_do_not_say_when(self):
        """They ran for their Elapsed, whatever the word for their end."""
        for state in ("CANCELLED by 7", "DEADLINE", "REQUEUED", "FAILED", "BOOT_FAIL", "NODE_FAIL"):
            path = self.export(self.job(1, state, end="Unknown", elapsed="00:10:00"), self.job(2))
            self.assertEqual(
                ([("1", 4800), ("2", 28800)], [("missing_field", 1)]),
                (self.ledger(path, "untraced"), self.said(path)),
                state,
            )
            path = self.export(self.job(1, state, "None", "None", "00:00:00"), self.job(2))
            self.assertEqual(
                ([("2", 28800)], [("missing_field", 1)]), (self.ledger(path, "untraced"), self.said(path)), state
            )

    def test_a_cluster_that_grew_between_two_exports(self):
        """The first says what it had without an end; the second begins after that: it had 16, and then 32, not 48."""
        path = self.export(self.job(1), events=f"c|Cluster||{T0}|Unknown|||gres/gpu=16\n")
        with open(f"{path}/events2.psv", "w", encoding="utf-8") as file:
            file.write(
                f"Cluster|Event|NodeName|Start|End|State|Reason|TRES\nc|Cluster||{T0 + 1860}|Unknown|||gres/gpu=32\n"
            )
        self.assertEqual([(None, 16 * 1860 + 32 * 1800 - 28800)], self.ledger(path, "idle"))
        self.assertEqual([("lost_end", 1)], self.said(path))

    def test_states_of_jobs_that_hold_their_chips(self):
        """Until when they were seen their Elapsed says, whatever word Slurm has for it."""
        for state in (
            "RUNNING",
            "CONFIGURING",
            "STOPPED",
            "SIGNALING",
            "STAGE_OUT",
            "POWER_UP_NODE",
            "EXPEDITING",
            "UPDATE_DB",
        ):
            path = self.export(self.job(1, state, end="Unknown", elapsed="00:10:00"))
            self.assertEqual(([("1", 4800)], []), (self.ledger(path, "untraced"), self.said(path)), state)

    def test_an_outage_without_its_resources(self):
        """What was out of service is not known: that is said, also of the only event of a node."""
        path = self.export(
            self.job(1, end=1060, elapsed="00:16:40"),
            events=f"c|Cluster||{T0}|Unknown|||gres/gpu=16\nc|Node|n2|{T0 + 100}|{T0 + 900}|DOWN*|Not responding|\n",
        )
        self.assertEqual([], self.ledger(path, "down"))
        self.assertEqual([("missing_field", 1)], self.said(path))

    def test_jobs_of_one_line(self):
        """A document of JSON in one line: each job has chips of one word."""

        def job(number, count):
            chips = [{"type": "gres", "name": "gpu", "id": 1001, "count": count}]
            return {
                "job_id": number,
                "cluster": "c",
                "state": {"current": ["COMPLETED"]},
                "nodes": "n1",
                "time": {"submission": T0, "start": T0, "end": T0 + 100, "elapsed": 100},
                "tres": {"allocated": chips, "requested": chips},
            }

        path = self.file(
            {"jobs": [job(1, 8), job(2, 18446744073709551614), job(3, -2)], "meta": {"slurm": {"version": {}}}},
            "sacct.json",
        )
        self.assertEqual([("1", 800)], self.ledger(path, "untraced"))
        self.assertEqual([("missing_field", 2)], self.said(path))

    def test_listings_of_squeue_one_after_the_other(self):
        """Until the last one that shows it; what that one shows no more was over before, which is said."""

        def listing(at, *jobs):
            return json.dumps(
                {
                    "jobs": [
                        {
                            "job_id": n,
                            "cluster": "c",
                            "job_state": [state],
                            "submit_time": T0,
                            "start_time": start,
                            "end_time": 0,
                            "nodes": "n1",
                            "tres_req_str": "gres/gpu=8",
                            "tres_alloc_str": "gres/gpu=8" if start else "",
                        }
                        for n, state, start in jobs
                    ],
                    "last_update": at,
                    "meta": {"slurm": {"version": {}}},
                }
            )

        runs, waits = (1, "RUNNING", T0), (2, "PENDING", 0)
        path = self.folder_of({"a.json": listing(T0 + 500, runs), "b.json": listing(T0 + 800, runs)})
        self.assertEqual(([("1", 6400)], []), (self.ledger(path, "untraced"), self.said(path)))
        path = self.folder_of(
            {"a.json": listing(T0 + 500, runs, waits, (3, "RUNNING", T0)), "b.json": listing(T0 + 800, runs)}
        )
        self.assertEqual([("1", 6400), ("3", 4000)], self.ledger(path, "untraced"))
        self.assertEqual([("2", 4000)], self.ledger(path, "queued"))
        self.assertEqual([("lost_end", 2)], self.said(path))
        # Appended to one file each says of itself when it was made; one that lists nothing does, too.
        first, second = listing(T0 + 500, runs, waits, (3, "RUNNING", T0)), listing(T0 + 800, runs)
        for text, ends in (
            (first + "\n" + second, 8 * 800),
            (first + second + listing(T0 + 900, (4, "RUNNING", T0 + 850)), 8 * 800),
            (first + second + listing(T0 + 900), 8 * 800),
            (first, 8 * 500),
        ):
            path = self.file(text, "squeue.json")
            self.assertEqual(("1", ends), self.ledger(path, "untraced")[0], text)
            lost = dict(self.said(path)).get("lost_end", 0)
            self.assertEqual(0 if text == first else 3 - text.endswith(second), lost)
        path = self.file(first + second, "squeue.json")
        self.assertEqual([("1", 6400), ("3", 4000)], self.ledger(path, "untraced"))
        self.assertEqual([("2", 4000)], self.ledger(path, "queued"))
        self.assertEqual(
            [(1, T0 + 500), (2, T0 + 500), (3, T0 + 500), (1, T0 + 800)],
            self.rows("SELECT CAST(JobIDRaw AS INTEGER), last_update FROM slurm_trace(?)", path),
        )
        sacct = (
            self.HEADER
            + self.job(1, "RUNNING", 0, "Unknown", "00:05:00")
            + self.job(3, "RUNNING", 0, "Unknown", "00:05:00")
            + self.job(2, "PENDING", "Unknown", "Unknown", "00:00:00")
        )
        for name in "a.psv", "c.psv":
            path = self.folder_of({name: sacct, "b.json": listing(T0 + 800, runs)})
            self.assertEqual([("1", 6400), ("3", 2400)], self.ledger(path, "untraced"), name)
            self.assertEqual([("2", 2400)], self.ledger(path, "queued"), name)
            self.assertEqual([("lost_end", 2)], self.said(path))
        started = (
            "JobIDRaw|Cluster|State|Submit|Start|End|AllocTRES|NodeList\n"
            + f"2|c|RUNNING|{T0}|{T0 + 900}|Unknown|gres/gpu=8|n1\n"
        )  # after it was listed, and without Elapsed
        path = self.folder_of({"a.json": listing(T0 + 800, runs, waits), "b.psv": started})
        self.assertEqual(
            [(T0 + 900, None)],
            self.rows(
                "SELECT start_time, end_time FROM trace_records(?) WHERE record = 'allocations' AND job = '2'", path
            ),
        )

    def test_exports_one_after_the_other(self):
        """A job that runs in both ran until the later one, whichever comes first by name."""
        for first, second in ("10", "30"), ("30", "10"):
            path = self.folder_of(
                {
                    name: self.HEADER + self.job(1, "RUNNING", end="Unknown", elapsed=f"00:{elapsed}:00")
                    for name, elapsed in (("a.psv", first), ("b.psv", second))
                }
            )
            self.assertEqual(([("1", 14400)], []), (self.ledger(path, "untraced"), self.said(path)))

    def test_exports_that_truncate_cut(self):
        """A job over the edge of two has a row in each, with one Submit and its last state: it is one attempt."""
        path = self.folder_of(
            {
                name: self.HEADER + self.job(1, "FAILED", start, end, f"00:{(end - start) // 60}:00")
                for name, start, end in (("a.psv", 60, 1260), ("b.psv", 1260, 3060))
            }
        )
        rows = self.rows(
            "SELECT attempt, start_time, end_time, outcome FROM trace_records(?) WHERE record = 'allocations' ORDER BY start_time",
            path,
        )
        self.assertEqual([(1, T0 + 60, T0 + 1260, "failed"), (1, T0 + 1260, T0 + 3060, "failed")], rows)
        self.assertEqual([("1", 24000)], self.ledger(path, "untraced"))

    def test_a_job_that_asks_for_any_type(self):
        """What it asks for makes no second type: the cluster is one pool, with and without the events that say so."""
        typed = self.job(1).replace("|gres/gpu=8|n", "|gres/gpu:h100=8,gres/gpu=8|n")
        self.assertIn(":h100", typed)
        for events in "", f"c|Cluster||{T0}|Unknown|||gres/gpu:h100=16,gres/gpu=16\n":
            path = self.export(typed, self.job(2, "PENDING", "Unknown", "Unknown", "00:00:00"), events=events)
            self.assertEqual(
                [("c",)], self.rows("SELECT DISTINCT pool FROM trace_records(?) WHERE record = 'allocations'", path)
            )

    def test_columns_that_were_not_exported(self):
        """What Elapsed says stands in for a Start or an End; what nothing says is listed, also if all jobs lack it."""

        def without(name, *jobs):
            rows = [line.split("|") for line in (self.HEADER + "".join(jobs)).splitlines()]
            at = rows[0].index(name)
            return "".join("|".join(row[:at] + row[at + 1 :]) + "\n" for row in rows)

        waits = self.job(2, "PENDING", "Unknown", "Unknown", "00:00:00")
        for name, held, queued in (
            ("State", 28800, 480),
            ("Submit", 28800, 0),
            ("End", 28800, 480),
            ("Start", 28800, 480),
            ("ReqTRES", 28800, 480),
        ):
            path = self.file(without(name, self.job(1), *[waits] * (name == "ReqTRES")), "sacct.psv")
            self.assertEqual([("1", held)], self.ledger(path, "untraced"), name)
            self.assertEqual([("1", queued)] if queued else [], self.ledger(path, "queued"), name)
            self.assertEqual([("missing_field", 1)], self.said(path), name)
        never = self.job(4, "CANCELLED by 7", "None", 60, "00:00:00").replace(
            "|gres/gpu=8|gres/gpu=8|", "|gres/gpu=8||"
        )
        for lost in (
            ("Start", "Elapsed"),
            ("Start", "Elapsed", "AllocTRES"),
            ("State", "Start", "Elapsed"),
        ):  # it seems never to have run
            for state in "COMPLETED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "CANCELLED by 7", "FAILED":
                path = self.file(self.HEADER + self.job(1, state) + never, "sacct.psv")
                for name in lost:
                    with open(path, encoding="utf-8") as file:
                        header, *jobs = file.read().splitlines(True)
                    rows = [line.split("|") for line in (header, *jobs)]
                    at = rows[0].index(name)
                    path = self.file("".join("|".join(row[:at] + row[at + 1 :]) for row in rows), "sacct.psv")
                said = (
                    [("missing_field", 1 + ("State" in lost))]
                    if state[:3] not in ("FAI", "CAN") or "AllocTRES" not in lost
                    else []
                )
                self.assertEqual(said, self.said(path), (state, lost))
        cluster, node = (
            "Cluster|Event|NodeName|Start|End|State|Reason|TRES\nc|Cluster||%d|Unknown|||gres/gpu=32\n" % T0,
            "c|Node|n2|%d|%d|DOWN|x|gres/gpu=8\n" % (T0, T0 + 60),
        )

        def events(text, **options):
            path = self.folder_of(
                {
                    "sacct.psv": without(options["of"], self.job(1)) if options else self.HEADER + self.job(1),
                    "events.psv": text,
                }
            )
            self.ledger(path, "idle")
            return self.said(path)

        self.assertEqual([], events(cluster + node))
        self.assertEqual(
            [("missing_field", 1)],
            events((cluster + node).replace("|gres/gpu=32", "").replace("|gres/gpu=8", "").replace("|TRES", "")),
        )
        self.assertEqual(
            [("missing_field", 1)],
            events((cluster + node).replace("|End|", "|").replace("|Unknown|", "|").replace(f"|{T0 + 60}|", "|")),
        )
        self.assertEqual(
            [("missing_field", 1)], events(cluster + node + "d|Cluster||%d|Unknown|||gres/gpu=32\n" % T0, of="Cluster")
        )

    def test_events_without_their_cluster(self):
        """They are of the cluster that the jobs name, or the nodes, or of the one that nothing names; of one of several they cannot be."""
        header = "Event|NodeName|Start|End|State|Reason|TRES\n"
        rows = f"Cluster||{T0}|Unknown||boot|gres/gpu=32\nNode|n2|{T0 + 60}|{T0 + 660}|DOWN|xid 79|gres/gpu=8\n"
        anonymous = self.HEADER.replace("Cluster|", ""), self.job(1).replace("|c|", "|")
        node = "NodeName=n1 Arch=x86_64\n   Gres=gpu:8\n   State=IDLE\n   CfgTRES=cpu=8,gres/gpu=8\n\n"
        for jobs, nodes, pool in (
            (self.HEADER + self.job(1), "", "c"),
            ("".join(anonymous), "", "slurm"),
            ("".join(anonymous), node.replace(" Arch", " ClusterName=d Arch"), "d"),
        ):
            path = self.folder_of(
                {"sacct.psv": jobs, "events.psv": header + rows, **({"nodes.txt": nodes} if nodes else {})}
            )
            found = self.rows(
                "SELECT pool, category, sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category <> 'queued' GROUP BY 1, 2",
                path,
            )
            whole = [(pool, "down", 4800), (pool, "idle", 32 * 3660 - 4800 - 28800), (pool, "untraced", 28800)]
            self.assertEqual(([], whole), (self.said(path), found), pool)
        path = self.folder_of(
            {"sacct.psv": self.HEADER + self.job(1) + self.job(2).replace("|c|", "|d|"), "events.psv": header + rows}
        )
        self.assertEqual([("missing_field", 2)], self.said(path))
        self.assertEqual([], self.rows("SELECT * FROM trace_records(?) WHERE record IN ('capacity', 'outages')", path))

    def test_a_sibling_that_was_revoked(self):
        """It has the start of the job that ran as its start and end, and asked for nothing beside that."""
        revoked = (
            self.job(67108865, "REVOKED", 60, 60, "00:00:00", nodes="None assigned")
            .replace("|c|", "|d|")
            .replace("|gres/gpu=8|None", "||None")
        )
        path = self.export(self.job(67108865), revoked)
        self.assertEqual([("c/67108865", 480)], self.ledger(path, "queued"))
        self.assertEqual([("c/67108865", 28800)], self.ledger(path, "untraced"))

    def test_siblings_that_wait(self):
        """A job of a federation waits in each of its clusters, and asks for its chips once; ids of two clusters of their own are two jobs."""
        for state, end in ("PENDING", "Unknown"), ("CANCELLED by 7", 3660):
            for number, jobs in ("67108865", 1), ("67108865_[3]", 1), ("134217729", 1), ("5", 3):
                wait = self.job(number, state, "None", end, "00:00:00", nodes="None assigned").replace(
                    "|gres/gpu=8|gres/gpu=8|", "|gres/gpu=8||"
                )
                path = self.export(self.job(1), *(wait.replace("|c|", f"|{cluster}|") for cluster in "cde"))
                waits = [us for job, us in self.ledger(path, "queued") if job != "c/1"]
                self.assertEqual([8 * 3660] * jobs, waits, (state, number))

    def test_an_hour_that_the_clock_showed_twice(self):
        """Elapsed knows better than Start and End, which are of a clock: that they differ by more than a minute is said."""
        for elapsed, said in (
            ("02:00:00", [("conflict", 1)]),
            ("00:00:00", [("conflict", 1)]),
            ("01:00:00", []),
            ("01:00:30", []),
            ("01:30:00", [("conflict", 1)]),
        ):
            path = self.export(self.job(1, elapsed=elapsed))
            self.assertEqual(([("1", 28800)], said), (self.ledger(path, "untraced"), self.said(path)), elapsed)

    def test_slices_of_gpus(self):
        """Of MIG: a pool of their own, whose chips are no GPUs."""
        for kind in ("1g.5gb", "nvidia_a100_3g.20gb", "h100_1g.10gb.me"):
            path = self.file(
                self.HEADER + self.job(1).replace("gres/gpu=8", f"gres/gpu:{kind}=2,gres/gpu=2"), "sacct.psv"
            )
            self.assertEqual(
                ([("1", 7200)], [("guessed_share", 1)]), (self.ledger(path, "untraced"), self.said(path)), kind
            )


class OtherSchedulers(Schedulers):
    PBS = "ctime=1790000000 qtime=1790000000 etime=1790000000 start=1790000060 exec_host=n1/0*8 exec_vnode=(n1:ncpus=8:ngpus=4) Resource_List.ncpus=8 Resource_List.ngpus=4 Resource_List.select=1:ncpus=8:ngpus=4"

    def pbs(self, *records, use="resources_used.walltime=01:00:00", words=PBS):
        records = (("S", ""), *records, ("E", f"end=1790003660 Exit_status=0 {use}"))
        return self.file(
            "".join(
                f"09/21/2026 14:14:{20 + i};{kind};1.pod;user=u group=g jobname=x queue=q {words} {more}\n"
                for i, (kind, more) in enumerate(records)
            ),
            "20260921",
        )

    def test_jobs_without_gpus_alone(self):
        """That is no file without records: what is said names the options by which they count."""
        words = self.PBS.replace(":ngpus=4", "").replace("Resource_List.ngpus=4 ", "")
        used = "resources_used.ngpus=0 resources_used.walltime=01:00:00"  # as PBS has it of nodes with GPUs that a job gets whole
        flux = {
            "id": 1,
            "state": "INACTIVE",
            "result": "COMPLETED",
            "nnodes": 1,
            "ncores": 8,
            "nodelist": "n1",
            "t_submit": T0,
        }
        flux = self.file({"jobs": [{**flux, "t_run": T0 + 60, "t_inactive": T0 + 3660}]}, "flux.json")
        condor = {
            "ClusterId": 1,
            "ProcId": 0,
            "JobStatus": 4,
            "QDate": T0,
            "JobCurrentStartDate": T0 + 60,
            "RequestCpus": 8,
        }
        condor = self.file(
            [{**condor, "CompletionDate": T0 + 3660, "ExitCode": 0, "ExitBySignal": False, "CpusProvisioned": 8}],
            "h.json",
        )
        for path, options, counted in (
            (
                self.pbs(use=used, words=words),
                {"chips_per_node": 4, "chips": "ncpus"},
                {"chips_per_node": 4, "chips": 8},
            ),
            (flux, {"chips_per_node": 4, "chips": "ncores"}, {"chips_per_node": 4, "chips": 8}),
            (condor, {"chips": "cpus"}, {"chips": 8}),
        ):
            self.rows("SELECT * FROM trace_rollup(?)", path)
            detail = self.one("SELECT detail FROM mpg_issues WHERE kind = 'no_record' AND source = ?", path)
            self.assertIn("but no record of it asks for GPUs", detail)
            for option, value in options.items():
                self.assertRegex(detail, rf"\b{option}\b")
                fleet = json.dumps({"sources": [{"path": path, option: value}]})
                held = self.ledger(fleet, "untraced")
                self.assertEqual([counted[option] * 3600], [us for _, us in held], (path, option))

    def test_running_jobs_of_listings_without_their_time(self):
        """They are held until the last time that there is, hours before the listing in a steady cluster: that is said once a file."""
        runs = {"id": 1, "state": "RUN", "nnodes": 1, "ngpus": 8, "nodelist": "n1", "t_submit": T0, "t_run": T0 + 60}
        waits = {**runs, "id": 2, "state": "SCHED", "t_submit": T0 + 600}
        del waits["t_run"]
        ad = {
            "ClusterId": 1,
            "ProcId": 0,
            "JobStatus": 2,
            "QDate": T0,
            "JobCurrentStartDate": T0 + 60,
            "EnteredCurrentStatus": T0 + 60,
            "RequestGPUs": 8,
        }
        idle = {**ad, "ClusterId": 2, "JobStatus": 1, "QDate": T0 + 600, "EnteredCurrentStatus": T0 + 600}
        del idle["JobCurrentStartDate"]
        for name, without, told in (
            ("flux.json", {"jobs": [runs, waits]}, {"jobs": [{**runs, "runtime": 3600}, waits]}),
            ("queue.json", [ad, idle], [{**each, "ServerTime": T0 + 3660} for each in (ad, idle)]),
        ):
            path, dated = self.file(without, name), self.file(told, name)
            self.assertEqual([8 * 540], [us for _, us in self.ledger(path, "untraced")], name)
            self.assertEqual([("not_observed", 1)], self.said(path), name)
            self.assertEqual([8 * 3600], [us for _, us in self.ledger(dated, "untraced")], name)
            self.assertEqual([], self.said(dated), name)
            ended = (
                json.dumps(without)
                .replace('"state": "RUN"', '"state": "INACTIVE"')
                .replace('"JobStatus": 2', '"JobStatus": 4')
            )
            self.assertNotIn("not_observed", [kind for kind, _ in self.said(self.file(ended, name))], name)

    def test_counters_of_pbs_that_ran_over(self):
        for use in ("resources_used.cput=-596:31:23", "resources_used.walltime=-1"):
            self.assertEqual([("1.pod", 4 * 3600)], self.ledger(self.pbs(use=use), "untraced"), use)

    def test_nodes_that_a_job_of_pbs_gave_back(self):
        """From then on it holds what it kept, and asks for no more; that is said. Its end tells what it began with."""

        def line(kind, at, chunks, gpus, more=""):
            return (
                f"09/21/2026 {at};{kind};1.pod;user=u group=g jobname=x queue=q ctime=1789996460 qtime=1789996460 etime=1789996460 start=1789996460 exec_host=n1/0 exec_vnode={chunks} "
                f"Resource_List.ngpus={gpus} Resource_List.walltime=02:00:00 {more}\n"
            )

        one, both = "(n1:ncpus=8:ngpus=4)", "(n1:ncpus=8:ngpus=4)+(n2:ncpus=8:ngpus=4)"
        for kept, held in (
            ((("u", both, 8), ("c", one, 4)), 8 * 1200 + 4 * 2400),
            ((("c", "(n1:ncpus=8)", 0),), 8 * 600),
            ((("s", one, 4), ("c", "(n1:ncpus=8)", 0)), 8 * 600 + 4 * 600),
            ((("u", both, 8), ("e", both, 8)), 8 * 3600),
        ):
            for started in (True, False):
                text = line("S", "13:14:20", both, 8) if started else ""
                text += "".join(
                    line(kind, f"13:{24 + 10 * i}:20", chunks, gpus) for i, (kind, chunks, gpus) in enumerate(kept)
                ) + line("E", "14:14:20", both, 8, "end=1790000060 Exit_status=0")
                path = self.file(text, "20260921")
                self.assertEqual([("1.pod", held)], self.ledger(path, "untraced"))
                self.assertEqual([], self.ledger(path, "queued"))
                self.assertEqual([("resized_job", 1)] if held < 8 * 3600 else [], self.said(path))

    def test_chips_by_names_of_a_site(self):
        """Beside a job whose chips count: one of PBS with nvgpus, one of Grid Engine with a model as its complex."""
        path = self.pbs(words=self.PBS.replace("ngpus", "nvgpus"))
        self.assertIn("uncounted_resource", dict(self.said(path)))
        for request, said in (
            ("nodes=4:ppn=8:gpu", 1),
            ("nodes=1:gpus+1:ppn=4", 1),
            ("nodes=1:ppn=8 Resource_List.gres=gpu:2", 1),
            ("nodes=1:mics=2", 1),
            ("nodes=1:ppn=8 Resource_List.gres=scratch", None),
            ("select=1:ncpus=8:ngpus=0", None),
        ):
            path = self.pbs(
                words=f"ctime=1790000000 qtime=1790000000 start=1790000060 exec_host=n1/0 Resource_List.{request}"
            )
            self.assertEqual(said and 2 - 1, dict(self.said(path)).get("uncounted_resource"), request)
        line = "gpu.q:n1:ml:ann:train:101:sge:0:1790000000:1790000060:1790003660:0:0:1200:0.5:0.1:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:research:d:NONE:1:0:100.5:20.1:0.3:-l %s=1,h_rt=7200:0.000:NONE:123456.000:0:0\n"
        path = self.file(
            "# Version: 8.1.9\n"
            + line % "gpu"
            + "".join(
                line.replace(":101:", f":{i}:") % name
                for i, name in enumerate(("v100", "a100", "rtx6000", "k80", "h_vmem"), 102)
            ),
            "accounting",
        )
        self.assertEqual([("101", 3600)], self.ledger(path, "untraced"))
        self.assertEqual([("uncounted_resource", 4)], self.said(path))

    def sge(self, number, start=60, end=3660, submitted=0, category="-l gpu=2", slots=1, host="n1", task="NONE"):
        return (
            f"gpu.q:{host}:ml:ann:j:{number}:sge:0:{T0 + submitted}:{start and T0 + start}:{end and T0 + end}:0:0:"
            + "0:" * 18
            + f"p:d:NONE:{slots}:0:1:0:0:{category}:0:{task}:0:0:0\n"
        )

    def test_requests_of_grid_engine(self):
        """Hard ones count, wherever they stand in the category; those of one scope for its tasks."""
        for category, slots, chips in (
            ("-l h_rt=60 -l gpu=2", 1, 2),
            ("-soft -l gpu=2", 1, None),
            ("-l gpu=1 -soft -l gpu=4", 1, 1),
            ("-scope master -l gpu=1 -scope global -l h_rt=60 -pe mpi 8", 8, 1),
            ("-scope master -l gpu=1 -scope slave -l gpu=2,h_rt=60 -pe mpi 3", 3, 5),
            ("-masterl gpu=1 -l h_rt=60 -pe mpi 8", 8, 1),
            ("-scope global -l gpu=1 -pe mpi 4", 4, 4),
        ):
            path = self.file(self.sge(1, category=category, slots=slots), "accounting")
            self.assertEqual([("1", chips * 3600)] if chips else [], self.ledger(path, "untraced"), category)

    def test_hosts_of_grid_engine(self):
        """A consumable HOST is requested once for each host. Without records of tasks nobody knows how many they are."""
        for tasks, hosts, said in (
            ("", 1, [("missing_field", 1)]),
            (self.sge(1, slots=8, host="n2", task="1.n2") + self.sge(1, slots=8, host="n3", task="2.n3"), 3, []),
        ):
            path = self.file(self.sge(1, slots=8) + tasks, "accounting")
            fleet = json.dumps({"sources": [{"path": path, "consumable": "HOST"}]})
            self.assertEqual([("1", 2 * 3600 * hosts)], self.ledger(fleet, "untraced"))
            self.assertEqual(
                said, self.rows("SELECT kind, count FROM mpg_issues WHERE source = ? AND kind <> 'no_capacity'", path)
            )

    def test_numbers_that_grid_engine_gives_anew(self):
        path = self.file(
            self.sge(1)
            + self.sge(1, 10**6 + 100, 10**6 + 200, 10**6)
            + self.sge(2, 0, 0)
            + self.sge(3, 60, 100, 70),
            "accounting",
        )
        self.assertEqual([("1", 120), ("1#2", 200)], self.ledger(path, "queued"))
        self.assertEqual([("1", 7200), ("1#2", 200), ("3", 80)], self.ledger(path, "untraced"))
        self.assertEqual([("missing_field", 1), ("start_before_submit", 1)], self.said(path))

    def ad(self, submitted=0, start=60, end=160, **more):
        return {
            "ClusterId": 1,
            "ProcId": 0,
            "JobStatus": 4,
            "QDate": T0 + submitted,
            "JobCurrentStartDate": T0 + start,
            "CompletionDate": T0 + end,
            "EnteredCurrentStatus": T0 + end,
            "ExitCode": 0,
            "RequestGPUs": 2,
            **more,
        }

    def test_numbers_that_condor_gives_anew(self):
        """By a schedd that lost its queue, or by another one. Runs of one job have the date of its submission."""
        for ads, queued in (
            ([self.ad(), self.ad(10**6, 10**6 + 60, 10**6 + 160)], [("1.0", 120), ("1.0#2", 120)]),
            (
                [self.ad(GlobalJobId="a#1.0#1"), self.ad(start=80, end=200, GlobalJobId="b#1.0#1")],
                [("1.0", 120), ("1.0#2", 160)],
            ),
            (
                [
                    self.ad(JobStatus=2, CompletionDate=0, EpochWriteDate=T0 + 160),
                    self.ad(start=200, end=300, GlobalJobId="a#1.0#1"),
                ],
                [("1.0", 200)],
            ),
        ):
            path = self.file(ads, "history.json")
            self.assertEqual(queued, self.ledger(path, "queued"))
            self.assertEqual([], self.said(path))

    def test_what_is_listed_of_condor(self):
        for more, said in (
            ({"start": -10}, "start_before_submit"),
            ({"AssignedGPUs": "MIG-4f", "GPUsProvisioned": 1}, "guessed_share"),
            ({"GPUs_DeviceName": "NVIDIA A100-SXM4-40GB MIG 1g.5gb"}, "guessed_share"),
            # removed, held or idle after a run whose start is lost
            *[
                ({"JobStatus": s, "CompletionDate": 0, "JobCurrentStartDate": 0, "NumJobStarts": 1}, "missing_field")
                for s in (1, 3, 5)
            ],
        ):
            self.assertEqual([(said, 1)], self.said(self.file([self.ad(**more)], "history.json")))
        for universe in (7, 9, 12):
            path = self.file([self.ad(), self.ad(ClusterId=2, JobUniverse=universe)], "history.json")
            self.assertEqual(
                ([("1.0", 200)], [("uncounted_resource", 1)]), (self.ledger(path, "untraced"), self.said(path))
            )
        factory = {
            key: value
            for key, value in self.ad(ClusterId=2, JobStatus=1, JobMaterializeLimit=50).items()
            if key not in ("ProcId", "JobCurrentStartDate", "CompletionDate")
        }
        path = self.file([self.ad(), factory], "queue.json")
        self.assertEqual(([("1.0", 120)], [("unknown_record", 1)]), (self.ledger(path, "queued"), self.said(path)))

    def test_gpus_that_condor_offers_several_times(self):
        """Jobs that have one GPU at once share it; one after another, on another machine or as two GPUs they do not."""
        for start, slot, device, said in (
            (500, "slot2@n1", "GPU-a", [("guessed_share", 1)]),
            (1000, "slot2@n1", "GPU-a", []),
            (970, "slot2@n1", "GPU-a", []),
            (500, "slot1@n2", "GPU-a", []),
            (500, "slot2@n1", "GPU-b", []),
        ):
            ads = [
                self.ad(end=1000, RequestGPUs=1, AssignedGPUs="GPU-a", LastRemoteHost="slot1@n1"),
                self.ad(start=start, end=1500, ClusterId=2, RequestGPUs=1, AssignedGPUs=device, LastRemoteHost=slot),
            ]
            self.assertEqual(said, self.said(self.file(ads, "history.json")), (start, slot, device))

    def test_condor_jobs_that_all_wait(self):
        path = self.file(
            [
                {
                    "ClusterId": 1,
                    "ProcId": 0,
                    "JobStatus": 1,
                    "QDate": T0,
                    "EnteredCurrentStatus": T0,
                    "ServerTime": T0 + 100,
                    "RequestGPUs": 2,
                }
            ],
            "queue.json",
        )
        self.assertEqual([("1.0", 200)], self.ledger(path, "queued"))

    def test_ids_of_flux(self):
        """Two instances give the same ones. A job of whole nodes that does not say how many is listed."""

        def job(number, submitted=0, run=10, **more):
            return {
                "id": number,
                "urgency": 16,
                "name": "x",
                "ntasks": 1,
                "ngpus": 2,
                "nnodes": 1,
                "nodelist": "n1",
                "state": "INACTIVE",
                "result": "COMPLETED",
                "t_submit": T0 + submitted,
                "t_run": T0 + submitted + run,
                "t_cleanup": T0 + submitted + 110,
                "t_inactive": T0 + submitted + 110,
                **more,
            }

        folder = self.folder_of(
            {
                "a.json": json.dumps({"jobs": [job(1), job(2)]}),
                "b.json": json.dumps({"jobs": [job(1, 5000), job(2, run=-10)]}),
            }
        )
        self.assertEqual([("1", 200), ("1#2", 200), ("2", 240)], self.ledger(folder, "untraced"))
        self.assertEqual([("start_before_submit", 1)], self.said(folder))
        path = self.file(
            {
                "jobs": [
                    job(1),
                    {
                        key: value
                        for key, value in job(2).items()
                        if key not in ("nnodes", "nodelist", "t_run", "t_cleanup", "t_inactive", "result")
                    }
                    | {"state": "SCHED"},
                ]
            },
            "jobs.json",
        )
        self.rows(
            "SELECT category FROM trace_rollup(?)", json.dumps({"sources": [{"path": path, "chips_per_node": 4}]})
        )
        self.assertEqual(1, self.issues(path)["missing_field"])

    def test_attributes_of_condor_that_are_undefined(self):
        path = self.file(
            [
                {
                    "ClusterId": 1,
                    "ProcId": i,
                    "JobStatus": 4,
                    "QDate": T0,
                    "JobCurrentStartDate": T0,
                    "CompletionDate": T0 + 100,
                    "EnteredCurrentStatus": T0 + 100,
                    "ExitCode": 0,
                    "RequestGPUs": 2,
                    **more,
                }
                for i, more in enumerate(
                    (
                        {},
                        {"GPUsProvisioned": "undefined", "AssignedGPUs": "undefined"},
                        {"GPUsProvisioned": "/Expr(undefined)/"},
                    )
                )
            ],
            "history.json",
        )
        self.assertEqual([("1.0", 200), ("1.1", 200), ("1.2", 200)], self.ledger(path, "untraced"))


class Kubernetes(kube.Case, Schedulers):
    def beats(self, *versions):
        """A watch of node n, of versions (chips, heartbeat)."""
        nodes = []
        for i, (chips, beat) in enumerate(versions):
            node = self.node("n", {"cpu": "8"} if chips is None else {G: str(chips)})
            node["metadata"]["resourceVersion"] = str(i + 1)
            node["status"]["conditions"] = [
                {"type": "Ready", "status": "True", "lastTransitionTime": when(0), "lastHeartbeatTime": when(beat)}
            ]
            nodes.append({"type": "MODIFIED" if i else "ADDED", "object": dict(node, apiVersion="v1")})
        return nodes

    def run_of(self, name, owner, start, end=None, chips=8, event="ADDED"):
        state = (
            {"running": {"startedAt": when(start)}}
            if end is None
            else {"terminated": {"exitCode": 0, "startedAt": when(start), "finishedAt": when(end)}}
        )
        return {
            "type": event,
            "object": self.pod(
                name,
                {G: chips},
                spec={"nodeName": "n"},
                metadata={
                    "creationTimestamp": when(start),
                    "ownerReferences": [{"kind": "Job", "name": owner, "controller": True}],
                },
                status={
                    "phase": "Running" if end is None else "Succeeded",
                    "startTime": when(start),
                    "containerStatuses": [{"state": state}],
                },
            ),
        }

    def batch(self, version, pods, chips=8, event="MODIFIED", **status):
        template = {"spec": {"containers": [{"resources": {"limits": {G: chips}}}]}}
        return {
            "type": event,
            "object": {
                "apiVersion": "batch/v1",
                "kind": "Job",
                "metadata": {
                    "name": "j",
                    "namespace": "ns",
                    "uid": "j",
                    "creationTimestamp": when(0),
                    "resourceVersion": str(version),
                },
                "spec": {"parallelism": pods, "completions": pods, "template": template},
                "status": status,
            },
        }

    def watch(self, *events):
        return self.file("\n".join(map(json.dumps, events)), "watch.json")

    def test_a_gpu_that_a_new_plugin_does_not_find(self):
        """Capacity falls from 8 to 7 where the device plugin starts anew: one is out of service, and 8 are installed."""
        path = self.watch(*self.beats((8, 0), (7, 3600), (7, 7200)))
        self.assertEqual([(None, 3600)], self.ledger(path, "down"))
        self.assertEqual([(None, 7 * 7200 + 3600)], self.ledger(path, "idle"))
        self.assertEqual([(None, 3600)], self.ledger(self.watch(*self.beats((8, 0), (7, 3600), (8, 7200))), "down"))

    def test_a_watch_whose_later_file_comes_first(self):
        """watch-10 sorts before watch-9: what a node reported goes by its versions."""
        beats = self.beats((8, 0), (7, 3600), (8, 7200), (8, 9000))
        cordoned = json.loads(json.dumps(beats))
        cordoned[1]["object"]["spec"] = {
            "unschedulable": True,
            "taints": [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule", "timeAdded": when(1800)}],
        }
        for beat in cordoned:
            beat["object"]["status"]["allocatable"] = beat["object"]["status"]["capacity"] = {G: "8"}
        for events, down in ((beats, 3600), (cordoned, 8 * 5400)):
            path = self.folder_of(
                {
                    name: "\n".join(map(json.dumps, some))
                    for name, some in (("watch-9.json", events[:2]), ("watch-10.json", events[2:]))
                }
            )
            self.assertEqual([(None, down)], self.ledger(path, "down"))

    def test_gpus_that_come_after_their_node(self):
        """A node is there before its driver: until then its chips are installed and out of service."""
        self.assertEqual(
            [(None, 8 * 480)], self.ledger(self.watch(*self.beats((None, 120), (8, 600), (8, 7200))), "down")
        )

    def test_a_job_that_becomes_smaller(self):
        """Of two pods the job gave up one: what it held until then it needed."""
        path = self.watch(
            *self.beats((16, 0), (16, 4000)),
            self.batch(1, 2, event="ADDED"),
            self.run_of("a", "j", 0),
            self.run_of("b", "j", 0),
            self.batch(2, 1),
            self.run_of("b", "j", 0, 1000, event="MODIFIED"),
        )
        self.assertEqual([], self.ledger(path, "partial"))
        self.assertEqual([("ns/j", 8 * 4000 + 8 * 1000)], self.ledger(path, "untraced"))

    def test_pods_that_nobody_saw(self):
        """A Job counts four pods that ended, Kueue two evictions: one pod is there."""
        ended = self.run_of("p", "j", 3000, 4000)
        path = self.watch(*self.beats((8, 0), (8, 4000)), self.batch(1, 1, event="ADDED", failed=3, succeeded=1), ended)
        self.assertEqual([("missing_pods", 3)], self.said(path))
        workload = {
            "apiVersion": "kueue.x-k8s.io/v1beta1",
            "kind": "Workload",
            "metadata": {
                "name": "w",
                "namespace": "ns",
                "uid": "w",
                "creationTimestamp": when(0),
                "ownerReferences": [{"kind": "Job", "name": "j", "controller": True}],
            },
            "spec": {
                "podSets": [{"count": 1, "template": {"spec": {"containers": [{"resources": {"limits": {G: 8}}}]}}}]
            },
            "status": {
                "conditions": [{"type": "Admitted", "status": "True", "lastTransitionTime": when(3000)}],
                "schedulingStats": {"evictions": [{"reason": "Preempted", "count": 2}]},
            },
        }
        path = self.watch(
            *self.beats((8, 0), (8, 4000)),
            self.batch(1, 1, event="ADDED", succeeded=1),
            {"type": "ADDED", "object": workload},
            ended,
        )
        self.assertEqual([("missing_pods", 2)], self.said(path))
        self.assertEqual(
            [],
            self.said(self.watch(*self.beats((8, 0), (8, 4000)), self.batch(1, 1, event="ADDED", succeeded=1), ended)),
        )


if __name__ == "__main__":
    unittest.main()
