"""Nodes as scontrol and sinfo show them: slurm_nodes_trace, and the capacity and outages that sql/formats/slurm.sql makes of them."""

import json
import os
import unittest

from cases import Case
from slurm import EVENTS, JOBS, NODES, SHARED, UNTIL, WithNodes

LINES = """NodeName=n1 Arch=x86_64 CoresPerSocket=16
   CPUAlloc=0 CPUEfctv=16 CPUTot=16 CPULoad=0.60
   AvailableFeatures=(null)
   Gres=gpu:h100:8(S:0-1)
   OS=Linux 6.18 #1 SMP Owner=x
   State=IDLE+DRAIN ThreadsPerCore=1
   BootTime=2026-11-21T05:12:40 SlurmdStartTime=None
   CfgTRES=cpu=16,mem=20000M
   AllocTRES=
   Reason=xid 79: State=bad [root@2026-11-21T05:53:54]

NodeName=n2 Arch=x86_64
   State=MIXED CfgTRES=cpu=16,gres/gpu=8,gres/gpu:h100=8 AllocTRES=cpu=2,gres/gpu=2

"""


class Nodes(Case):
    def test_what_the_nodes_tell_of_jobs(self):
        """GPUs without a type lie evenly on nodes of several; a job without GPUs that has all CPUs of a node keeps its GPUs from others, which is listed."""
        head = "JobIDRaw|JobID|Cluster|State|Submit|Start|End|ReqTRES|AllocTRES|NodeList\n"
        jobs = "".join(
            f"{n}|{n}|c|COMPLETED|1000|1000|1100|{tres}|{tres}|{nodes}\n"
            for n, tres, nodes in (
                (1, "cpu=8,gres/gpu=6", "n[1-2]"),
                (2, "cpu=64,mem=1G", "n2"),
                (3, "cpu=63,mem=1G", "n2"),
                (4, "cpu=128,mem=1G", "n[1,3]"),
                (5, "cpu=64,mem=1G", "n3"),
                (6, "cpu=8,gres/gpu=3", "n[1-2]"),
            )
        )
        nodes = "".join(
            f"NodeName=n{n} CPUTot=64 State=IDLE{tres} BootTime=2026-11-01T00:00:00\n"
            for n, tres in (
                (1, " CfgTRES=cpu=64,gres/gpu=8,gres/gpu:a100=8"),
                (2, " CfgTRES=cpu=64,gres/gpu=4,gres/gpu:h100=4"),
                (3, " CfgTRES=cpu=64"),
            )
        )
        path = self.folder_of({"sacct.psv": head + jobs, "nodes.txt": nodes})
        self.assertEqual(
            [("c/a100", "1", 300), ("c/gpu", "6", 300), ("c/h100", "1", 300)],
            self.rows(
                "SELECT pool, job, sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category = 'untraced' GROUP BY 1, 2",
                path,
            ),
        )
        self.assertEqual(
            [("blocked_chips", 3, 2), ("missing_field", 2, 2)],
            self.rows(
                "SELECT kind, line, count FROM mpg_issues WHERE kind IN ('blocked_chips', 'missing_field') ORDER BY 1, 2"
            ),
        )
        self.assertIn("1200 chip-seconds", self.one("SELECT detail FROM mpg_issues WHERE kind = 'blocked_chips'"))

    def test_lines(self):
        path = self.file(LINES, "nodes.txt")
        self.assertEqual(
            self.rows(
                """SELECT NodeName, State, state_base, out_of_service, Reason, ReasonUser, ReasonTime, OS, Owner, CPUTot, BootTime, SlurmdStartTime, ActiveFeatures, gpus,
                         gpu_types, alloc_gpus, _line FROM slurm_nodes_trace(?)""",
                path,
            ),
            [
                (
                    "n1",
                    "IDLE+DRAIN",
                    "IDLE",
                    1,
                    "xid 79: State=bad",
                    "root",
                    1795240434,
                    "Linux 6.18 #1 SMP",
                    "x",
                    16,
                    1795237960,
                    None,
                    None,
                    8,
                    '{"h100":8}',
                    0,
                    1,
                ),
                (
                    "n2",
                    "MIXED",
                    "MIXED",
                    0,
                    None,
                    None,
                    None,
                    None,
                    None,
                    None,
                    None,
                    None,
                    None,
                    8,
                    '{"h100":8}',
                    2,
                    12,
                ),
            ],
        )
        self.assertEqual(
            self.rows("SELECT ReasonTime FROM slurm_nodes_trace(?, '+01:00')", path)[0], (1795240434 - 3600,)
        )

    def test_other_accelerators(self):
        """Of each word what TRES lists counts, else what Gres does: a site may let Slurm account for GPUs alone."""
        for text, gpus, types, alloc in (
            ("Gres=npu:910b3:8", 8, {"910b3": 8}, 0),
            ("Gres=npu:8(S:0-1)", 8, {"npu": 8}, 0),
            ("Gres=(null) CfgTRES=cpu=16,gres/npu=8 AllocTRES=gres/npu=3", 8, {"npu": 8}, 3),
            ("Gres=gpu:a800:4,npu:910b3:8 CfgTRES=cpu=16,gres/gpu=4,gres/gpu:a800=4", 12, {"a800": 4, "910b3": 8}, 0),
            ("Gres=gpu:8,npu:8 CfgTRES=cpu=1,gres/gpu=8", 16, {"": 8, "npu": 8}, 0),
            ("Gres=npu:8 GresUsed=npu:(null):2(IDX:0-1)", 8, {"npu": 8}, 2),
            ("Gres=gpu:8 GresUsed=gpu:(null):0(IDX:N/A)", 8, {"": 8}, 0),
            ("Gres=gpu:8,npu:4 CfgTRES=cpu=1,gres/gpu=8,gres/npu=4", 12, {"": 8, "npu": 4}, 0),
        ):
            path = self.file(f"NodeName=n1 Arch=x86_64 CPUTot=16 {text} State=IDLE Partitions=a\n", "nodes.txt")
            (row,) = self.rows("SELECT gpus, gpu_types, alloc_gpus FROM slurm_nodes_trace(?)", path)
            self.assertEqual((gpus, types, alloc), (row[0], json.loads(row[1]), row[2]), text)

    def test_when_nodes_were_listed(self):
        """JSON tells of its last change, before or after the nodes; text does not."""
        nodes = [{"name": "n1", "state": ["IDLE"], "gres": "gpu:8"}]
        for document in (
            {"nodes": nodes, "last_update": 1795240900},
            {"last_update": {"set": True, "infinite": False, "number": 1795240900}, "nodes": nodes},
        ):
            self.assertEqual(
                1795240900, self.one("SELECT last_update FROM slurm_nodes_trace(?)", self.file(document, "nodes.json"))
            )
        for document in ({"nodes": nodes}, {"nodes": nodes, "last_update": {"set": False, "number": 1795240900}}):
            self.assertIsNone(
                self.one("SELECT last_update FROM slurm_nodes_trace(?)", self.file(document, "nodes.json"))
            )
        self.assertEqual([(None,)], self.rows("SELECT DISTINCT last_update FROM slurm_nodes_trace(?)", NODES))

    def test_one_a_line(self):
        self.assertEqual(
            self.rows(
                "SELECT NodeName, State, CPUTot, RealMemory, Partitions, gpus, gpu_type, LastBusyTime FROM slurm_nodes_trace(?) LIMIT 1",
                NODES,
            ),
            [("n1", "IDLE", 16, 20000, "train", 8, "h100", 1795240724)],
        )
        self.assertEqual(self.one("SELECT count(*) FROM slurm_nodes_trace(?)", NODES), 4)

    def test_the_owner_is_nobody(self):
        """Behind it stands the one name with a "_" in it."""
        self.assertEqual(self.rows("SELECT DISTINCT Owner FROM slurm_nodes_trace(?)", NODES), [(None,)])
        path = self.file("NodeName=a State=IDLE Weight=1 Owner=ada(7) MCS_label=N/A\n", "nodes.txt")
        self.assertEqual(self.rows("SELECT Owner FROM slurm_nodes_trace(?)", path), [("ada(7)",)])

    def test_times_with_a_zone_of_their_own(self):
        """What SLURM_TIME_FORMAT may ask for: the argument is for times without one."""
        for text in (
            "2026-11-21T05:53:54",
            "2026-11-21 05:53:54",
            "2026-11-21T04:53:54Z",
            "2026-11-21T05:53:54+0100",
            "2026-11-21T00:53:54-04:00",
            "1795236834",
        ):
            path = self.file(
                f"NodeName=a State=DOWN\n   BootTime={text} SlurmdStartTime=None\n   Reason=x [root@{text}]\n",
                "nodes.txt",
            )
            self.assertEqual(
                self.rows("SELECT BootTime, ReasonTime, ReasonUser, Reason FROM slurm_nodes_trace(?, '+01:00')", path),
                [(1795236834, 1795236834, "root", "x")],
                text,
            )

    def test_what_follows_a_reason_in_its_line(self):
        """With -o a node has one line, and more may follow its reason, which may have had several."""
        head, stamp = "NodeName=a State=DOWN CfgTRES=gres/gpu=8 ", "[root@1795240434]"
        for text, wanted in (
            (f"Reason=xid 79 {stamp}", ("xid 79", "root", 1795240434, None, None)),
            (
                f"Reason=xid 79 {stamp} Comment=for Ada Extra=rack=7 InstanceId=i-1 InstanceType=p5 ",
                ("xid 79", "root", 1795240434, "for Ada", "rack=7"),
            ),
            (f"Reason=State=bad {stamp} ReservationName=maint", ("State=bad", "root", 1795240434, None, None)),
            (f"Reason=bad {stamp}         see [ticket] 7 Comment=c", ("bad", "root", 1795240434, "c", None)),
            (f"Reason=[GPU@3] lost {stamp}", ("[GPU@3] lost", "root", 1795240434, None, None)),
            ("Reason=no [stamp] [a@b] at all Extra=e ", ("no [stamp] [a@b] at all", None, None, None, "e")),
            ("Comment=Reason=none", (None, None, None, "Reason=none", None)),
        ):
            for tail in ("\n", "\n\n", "\nNodeName=b State=IDLE\n"):
                self.assertEqual(
                    self.rows(
                        "SELECT Reason, ReasonUser, ReasonTime, Comment, Extra FROM slurm_nodes_trace(?) LIMIT 1",
                        self.file(head + text + tail, "x"),
                    ),
                    [wanted],
                    text,
                )
        lines = (
            f"NodeName=a State=DOWN\n   Reason=see Comment=7 {stamp}\n          and Extra lines\n   Comment=Extra=x\n"
        )
        self.assertEqual(
            self.rows("SELECT Reason, ReasonTime, Comment, Extra FROM slurm_nodes_trace(?)", self.file(lines, "x")),
            [("see Comment=7", 1795240434, "Extra=x", None)],
        )
        lines = f"NodeName=a State=DOWN\n   CfgTRES=gres/gpu=8\n   Reason=bad {stamp}\n          was State=IDLE CfgTRES=gres/gpu=7\n"
        self.assertEqual(
            self.rows("SELECT State, gpus FROM slurm_nodes_trace(?)", self.file(lines, "x")), [("DOWN", 8)]
        )

    def test_json_is_the_text(self):
        path = SHARED + "/slurm/sinfo.json"
        if not os.path.exists(path):
            self.skipTest("../shared is not here")
        sql = "SELECT NodeName, State, state_base, out_of_service, Gres, CfgTRES, Partitions, CPUTot, CPUAlloc, RealMemory, BootTime, SlurmdStartTime, LastBusyTime, Version, OS, Arch, gpus, gpu_types FROM slurm_nodes_trace(?)"
        self.assertEqual(self.rows(sql, path), self.rows(sql, NODES))

    def test_old_json_states(self):
        path = self.file(
            json.dumps(
                {
                    "nodes": [
                        {
                            "name": "a",
                            "state": "idle",
                            "state_flags": ["DRAIN"],
                            "reason": "x",
                            "reason_changed_at": 1795240434,
                        }
                    ]
                }
            ),
            "x.json",
        )
        self.assertEqual(
            self.rows("SELECT State, out_of_service, ReasonTime, gpus FROM slurm_nodes_trace(?)", path),
            [("IDLE+DRAIN", 1, 1795240434, 0)],
        )

    def test_broken(self):
        path = self.file(LINES[:-2], "x")
        self.assertEqual(self.rows("SELECT NodeName FROM slurm_nodes_trace(?)", path), [("n1",)])
        self.assertEqual(self.issues(path), {"unfinished_record": 1})
        for start in ("Nod", "NodeName=", "NodeName=n1 State=IDLE"):
            path = self.file(start, "x")
            self.assertEqual(
                (self.rows("SELECT NodeName FROM slurm_nodes_trace(?)", path), self.issues(path)),
                ([], {"unfinished_record": 1}),
                start,
            )
        path = self.file("NodeName=a CPUTot=x\nNodeName=b\nnonsense\nNodeName=c BootTime=noon\nNodeName=d\n", "x")
        self.assertEqual(
            self.error("SELECT * FROM slurm_nodes_trace(?)", path),
            f'slurm_nodes_trace: {path}:1:1: expected a whole number for CPUTot, found "x"',
        )
        self.assertEqual(
            [
                row
                for row in self.rows("SELECT NodeName FROM slurm_nodes_trace(?) WHERE on_error = 'skip'", path)
                if row[0] == "d"
            ],
            [("d",)],
        )


class Mapping(WithNodes):
    def listed(self, jobs, nodes, updated):
        """The files of a cluster whose nodes were listed at a time."""
        head = "JobIDRaw|JobID|Cluster|State|Submit|Start|End|ReqTRES|AllocTRES|NodeList\n"
        return self.folder_of(
            {
                "sacct.psv": head + "".join(jobs),
                "nodes.json": {"meta": {"Slurm": {"cluster": "c"}}, "nodes": nodes, "last_update": updated},
            }
        )

    def test_nodes_that_were_seen_end_the_observation(self):
        """Of jobs that run, without Elapsed, nothing says until when: the nodes do, if they had allocated what the jobs hold."""
        start = 1795240000
        job = "7|7|c|RUNNING|{0}|{0}|Unknown|gres/gpu=8|gres/gpu=8|n1\n".format(start)
        ended = "6|6|c|COMPLETED|{}|{}|{}|gres/gpu=4|gres/gpu=4|n2\n".format(start, start, start + 100)
        for used, until, said in ((8, start + 3600, 0), (6, start + 100, 1)):
            nodes = [
                {
                    "name": name,
                    "state": ["MIXED"],
                    "cluster_name": "c",
                    "tres": "cpu=1,gres/gpu=8",
                    "tres_used": f"cpu=1,gres/gpu={n}",
                    "slurmd_version": "25.11",
                }
                for name, n in (("n1", used), ("n2", 0))
            ]
            folder = self.listed([ended, job], nodes, start + 3600)
            held = self.rows(
                "SELECT job, sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category = 'untraced' GROUP BY 1", folder
            )
            self.assertEqual([("6", 400), ("7", 8 * (until - start))], held)
            self.assertEqual(said, self.one("SELECT count(*) FROM mpg_issues WHERE kind = 'not_observed'"))

    def test_resources_of_nodes_that_are_no_chips(self):
        """Slurm accounts for what AccountingStorageTRES lists: of an accelerator by another name the nodes tell alone."""
        nodes = [
            {
                "name": "n1",
                "state": ["IDLE"],
                "cluster_name": "c",
                "gres": "gpu:h100:4(S:0,1),ascend:910b:8(S:0-1)",
                "tres": "cpu=1,gres/gpu=4",
                "slurmd_version": "25.11",
            }
        ]
        folder = self.listed(
            ["6|6|c|COMPLETED|1795240000|1795240000|1795240100|gres/gpu=4|gres/gpu=4|n1\n"], nodes, 1795240900
        )
        self.rows("SELECT count(*) FROM trace_rollup(?)", folder)
        self.assertEqual(
            [(1, "only gpu, npu, dcu, tpu, xpu, hpu and mlu count as chips, and not gres/ascend (8 in 1 nodes)")],
            self.rows("SELECT count, detail FROM mpg_issues WHERE kind = 'uncounted_resource'"),
        )

    def test_capacity_of_nodes(self):
        self.map(JOBS, nodes=NODES)
        self.assertEqual(self.rows("SELECT * FROM capacity"), [("mlpod", "h100", 32, 1795240352, None)])
        self.assertEqual(self.rows("SELECT * FROM outages"), [])
        self.assertEqual(
            self.rows(
                "SELECT sum(chip_us) / 1000000 FROM mpg_rollup WHERE category <> 'queued' AND since = 1795240352 AND until = ?",
                UNTIL,
            ),
            [(32 * (UNTIL - 1795240352),)],
        )

    def test_events_come_first(self):
        self.map(JOBS, EVENTS)
        wanted = [self.rows(f"SELECT * FROM {table} ORDER BY 1, 2, 3") for table in ("capacity", "outages")]
        self.map(JOBS, EVENTS, NODES)
        self.assertEqual(
            [self.rows(f"SELECT * FROM {table} ORDER BY 1, 2, 3") for table in ("capacity", "outages")], wanted
        )

    def test_a_node_that_is_out_since_its_last_event(self):
        """Events that were exported before do not know: the node is out since its reason was set. Those that reach beyond it do."""
        jobs = "Cluster|JobIDRaw|State|Submit|Start|End|ReqTRES|AllocTRES|NodeList\nc|1|COMPLETED|1000|1000|9000|gres/gpu=8|gres/gpu=8|n1\n"
        nodes = json.dumps(
            {
                "nodes": [
                    {
                        "name": "n2",
                        "cluster_name": "c",
                        "state": ["DOWN"],
                        "reason": "xid 79",
                        "reason_changed_at": {"set": True, "infinite": False, "number": 6000},
                        "tres": "cpu=8,gres/gpu=8",
                    }
                ]
            }
        )
        for events, wanted in (
            ("c|Node|n2|2000|3000|xid 48|DOWN|gres/gpu=8\n", [(2000, 3000), (6000, None)]),
            ("c|Node|n2|6000|Unknown|xid 79|DOWN|gres/gpu=8\n", [(6000, None)]),
            ("c|Node|n2|6000|7000|xid 79|DOWN|gres/gpu=8\n", [(6000, 7000)]),
            ("c|Node|n1|2000|3000|xid 48|DOWN|gres/gpu=8\n", [(6000, None)]),
        ):
            self.map(
                self.file(jobs),
                self.file(
                    "Cluster|Event|NodeName|TimeStart|TimeEnd|Reason|State|TRES\nc|Cluster||1000|Unknown|||gres/gpu=16\n"
                    + events
                ),
                self.file(nodes, "nodes.json"),
            )
            self.assertEqual(wanted, self.rows("SELECT start_time, end_time FROM outages ORDER BY 1"), events)

    def test_nodes_of_one_name_in_two_clusters(self):
        """What befell the one says nothing of the other."""
        g = "gres/gpu=8"
        jobs = "Cluster|JobIDRaw|State|Submit|Start|End|ReqTRES|AllocTRES|NodeList\n" + "".join(
            f"{c}|1|COMPLETED|1000|1000|2000|{g}|{g}|n2\n" for c in ("east", "west")
        )
        events = "Cluster|Event|NodeName|TimeStart|TimeEnd|Reason|State|TRES\n" + "".join(
            f"{c}|Cluster||1000|Unknown|||gres/gpu=16\n" for c in ("east", "west")
        )
        nodes = json.dumps(
            {
                "nodes": [
                    {
                        "name": "n1",
                        "cluster_name": "west",
                        "state": ["DOWN"],
                        "reason": "xid 79",
                        "reason_changed_at": {"set": True, "infinite": False, "number": 2000},
                        "tres": "cpu=8," + g,
                    }
                ]
            }
        )
        self.map(
            self.file(jobs),
            self.file(events + f"east|Node|n1|2500|2600|xid 79|DOWN|{g}\n"),
            self.file(nodes, "nodes.json"),
        )
        self.assertEqual(
            self.rows("SELECT * FROM outages ORDER BY pool"),
            [("east", 8, 2500, 2600, "hw_down"), ("west", 8, 2000, None, "hw_down")],
        )
        self.map(
            self.file(jobs),
            self.file(events + f"west|Node|n1|2000|Unknown|xid 79|DOWN|{g}\n"),
            self.file(nodes, "nodes.json"),
        )
        self.assertEqual(self.rows("SELECT * FROM outages ORDER BY pool"), [("west", 8, 2000, None, "hw_down")])

    def test_a_node_that_is_drained(self):
        """From the moment its reason was set, less what a job still holds of it."""
        self.map(JOBS, nodes=self.file(LINES, "nodes.txt"))
        self.assertEqual(self.rows("SELECT chips, start_time FROM capacity"), [(16, 1795240352)])
        held = self.rows("SELECT start_time, end_time FROM allocations WHERE job = '25'")
        self.assertEqual(
            self.rows("SELECT chips, start_time, end_time, kind FROM outages ORDER BY start_time"),
            [(8, 1795240434, held[0][0], "hw_down"), (8, held[0][1], None, "hw_down")],
        )

    def test_a_node_that_is_out_without_a_reason(self):
        """Of a reservation for maintenance, or without power: since it was last busy at the earliest, when it was in service."""
        lines = "".join(
            f"NodeName={name} State={state} CfgTRES=gres/gpu=8 LastBusyTime={busy} BootTime=1795240300{reason}\n"
            for name, state, busy, reason in (
                ("a", "IDLE+MAINTENANCE+RESERVED", 1795240500, ""),
                ("b", "IDLE+CLOUD+POWERED_DOWN", 1795240600, ""),
                ("c", "DOWN", "Unknown", ""),
                ("d", "DOWN", 1795240500, " Reason=x [root@1795240700]"),
            )
        )
        self.map(JOBS, nodes=self.file(lines, "nodes.txt"))
        first = self.one("SELECT min(submit_time) FROM jobs")
        self.assertEqual(
            self.rows("SELECT chips, start_time, end_time, kind FROM outages ORDER BY start_time"),
            [
                (8, first, None, "hw_down"),
                (8, 1795240500, None, "maintenance"),
                (8, 1795240600, None, "power_saving"),
                (8, 1795240700, None, "hw_down"),
            ],
        )

    def test_a_node_that_is_out_for_longer_than_jobs_tell(self):
        """Its chips count from the first job on, and so does its outage; installed for longer, it is out for longer."""
        nodes = self.file(
            "NodeName=m1 State=IDLE CfgTRES=gres/gpu=8\n"
            "NodeName=m2 State=DOWN CfgTRES=gres/gpu=8 Reason=xid 79 [root@2026-09-01T00:00:00]\n",
            "nodes.txt",
        )
        events = self.file(
            "Cluster|NodeName|TimeStart|TimeEnd|State|Reason|TRES\n"
            "mlpod||2026-10-01T00:00:00|Unknown||Cluster Registered TRES|gres/gpu=16\n",
            "events.psv",
        )
        self.map(JOBS, nodes=nodes)
        first = self.one("SELECT min(start_time) FROM capacity")
        self.assertEqual(self.rows("SELECT chips, start_time, end_time FROM outages"), [(8, first, None)])
        self.map(JOBS, events, nodes=nodes)
        self.assertEqual(self.one("SELECT start_time FROM outages"), 1788220800)

    def test_a_node_that_is_out_and_has_no_power(self):
        """Power saving takes one down that did not start in time, and may be asked for one that is drained: it is out for that, as in the events."""
        lines = "".join(
            f"NodeName={name} State={state} CfgTRES=gres/gpu=8 LastBusyTime=1795240500 {reason}[root@{time}]\n"
            for name, state, reason, time in (
                ("a", "DOWN+CLOUD+POWERED_DOWN", "Reason=ResumeTimeout reached ", 1795240600),
                ("b", "MIXED+CLOUD+DRAIN+POWER_DOWN", "Reason=xid 79 ", 1795240601),
                ("c", "IDLE+DRAIN+POWERING_DOWN", "Reason=spare ", 1795240602),
                ("d", "IDLE+CLOUD+POWERING_DOWN", "Reason=x ", 1795240603),
                ("e", "IDLE+CLOUD+POWER_DOWN", "Reason=x ", 1795240604),
                ("f", "DOWN*+CLOUD+POWERING_UP", "Reason=x ", 1795240605),
            )
        )
        self.map(JOBS, nodes=self.file(lines, "nodes.txt"))
        self.assertEqual(
            self.rows("SELECT start_time - 1795240600, kind FROM outages ORDER BY start_time"),
            [(0, "hw_down"), (1, "hw_down"), (2, "drained"), (3, "power_saving"), (4, "power_saving"), (5, "hw_down")],
        )

    def test_listings_that_are_repeated(self):
        """Each state of a node counts from the listing that shows it; an outage that the next does not show ended when it was last seen."""
        at = 1795240000
        job = f"1|1|c|COMPLETED|{at}|{at}|{at + 9000}|gres/gpu=8|gres/gpu=8|n2\n"
        number = lambda value: {"set": True, "infinite": False, "number": value}

        def listing(made, **nodes):
            told = []
            for name, (gpus, *out) in nodes.items():
                reason, since = out or ("", 0)
                told.append(
                    {"name": name, "cluster_name": "c", "tres": f"cpu=1,gres/gpu={gpus}", "slurmd_version": "25.11"}
                )
                told[-1] |= {"state": ["DOWN" if reason else "IDLE"], "reason": reason, "last_busy": number(at - 500)}
                told[-1] |= {"reason_changed_at": number(since and at + since), "boot_time": number(at - 9000)}
            return json.dumps({"nodes": told, "last_update": number(at + made)})

        idle, xid = (8,), (8, "xid 79", 500)
        for listings, capacity, outages in (
            ([listing(1000, n1=xid, n2=idle), listing(4000, n1=idle, n2=idle)], [(16, 0, None)], [(8, 500, 1000)]),
            ([listing(4000, n1=idle, n2=idle), listing(1000, n1=xid, n2=idle)], [(16, 0, None)], [(8, 500, 1000)]),
            ([listing(1000, n1=xid, n2=idle), listing(4000, n1=xid, n2=idle)], [(16, 0, None)], [(8, 500, None)]),
            (
                [listing(1000, n1=xid, n2=idle), listing(4000, n1=(8, "ecc", 3000), n2=idle)],
                [(16, 0, None)],
                [(8, 500, 1000), (8, 3000, None)],
            ),
            ([listing(1000, n1=(4,), n2=idle), listing(4000, n1=idle, n2=idle)], [(12, 0, 4000), (16, 4000, None)], []),
            (
                [listing(1000, n1=idle, n2=idle, n3=idle), listing(4000, n1=idle, n2=idle, n4=idle)],
                [(24, 0, 1000), (16, 1000, 4000), (24, 4000, None)],
                [],
            ),
            ([listing(1000, n1=idle), listing(4000, n2=idle)], [(16, 0, None)], []),  # a file a node
        ):
            folder = self.listed([job], [], 0)
            os.remove(os.path.join(folder, "nodes.json"))
            for i, text in enumerate(listings):
                with open(os.path.join(folder, f"nodes{i}.json"), "w", encoding="utf-8") as file:
                    file.write(text)
            rows = "SELECT chips, start_time - ?1, end_time - ?1 FROM trace_records(?2) WHERE record = ?3 ORDER BY 2"
            self.assertEqual(capacity, self.rows(rows, at, folder, "capacity"), listings)
            self.assertEqual(outages, self.rows(rows, at, folder, "outages"), listings)
            for i in range(len(listings)):
                os.remove(os.path.join(folder, f"nodes{i}.json"))
            with open(os.path.join(folder, "nodes.json"), "w", encoding="utf-8") as file:
                file.write("\n".join(listings))  # one appended to the other
            self.assertEqual(capacity, self.rows(rows, at, folder, "capacity"), listings)
            self.assertEqual(outages, self.rows(rows, at, folder, "outages"), listings)
        shown = lambda name, gpus, busy: (
            f"NodeName={name} CPUTot=64 State=IDLE CfgTRES=gres/gpu={gpus} BootTime={at - 9000} LastBusyTime={at + busy}\n"
        )
        text = shown("n1", 8, 10) + shown("n2", 8, 20) + shown("n1", 8, 1000) + shown("n2", 4, 1010) + shown("n3", 8, 0)
        self.map(
            self.file("JobIDRaw|JobID|Cluster|State|Submit|Start|End|ReqTRES|AllocTRES|NodeList\n" + job),
            nodes=self.file(text, "n.txt"),
        )
        self.assertEqual(
            [(16, 0, 1010), (20, 1010, None)],
            self.rows("SELECT chips, start_time - ?1, end_time - ?1 FROM capacity ORDER BY 2", at),
        )

    def test_gpus_that_are_not_accounted_for(self):
        """Without gres/gpu in AccountingStorageTRES squeue's JSON and the nodes have them, and events of nodes are of those GPUs."""
        at = 1795240000
        node = {"cluster_name": "c", "state": ["IDLE"], "tres": "cpu=8", "gres": "gpu:h100:8(S:0-1)", "boot_time": at}
        job = {
            "job_id": 7,
            "cluster": "c",
            "job_state": ["RUNNING"],
            "submit_time": at,
            "start_time": at,
            "nodes": "n1",
        }
        job |= {"tres_req_str": "cpu=8", "tres_alloc_str": "cpu=8", "gres_detail": ["gpu:h100:8(IDX:0-7)"]}
        head = "Cluster|Event|NodeName|TimeStart|TimeEnd|Reason|State|TRES\n"
        folder = self.folder_of(
            {
                "squeue.json": {"jobs": [job], "last_update": at + 1000, "meta": {"slurm": {}}},
                "nodes.json": {"nodes": [node | {"name": "n1"}, node | {"name": "n2"}], "meta": {"slurm": {}}},
                "events.psv": head
                + f"c|Cluster||{at - 9}|Unknown|||cpu=16\nc|Node|n2|{at + 100}|{at + 300}|xid 79|DOWN|cpu=8\n",
            }
        )
        self.assertEqual(
            [("down", 1600), ("idle", 6400), ("untraced", 8000)],
            self.rows("SELECT category, sum(chip_us) / 1000000 FROM trace_rollup(?) GROUP BY 1", folder),
        )

    def test_types_that_are_not_accounted_for(self):
        """AccountingStorageTRES=gres/gpu counts GPUs without their types: Gres has the type of a node, and so of its jobs and events."""
        at = 1795240000
        jobs = "JobID|Cluster|State|Submit|Start|End|ReqTRES|AllocTRES{}\n" + "".join(
            f"{n}|c|COMPLETED|{at}|{at}|{at + 100}|gres/gpu={chips}|gres/gpu={chips}{{}}\n"
            for n, chips in ((1, 2), (2, 4))
        )
        show = "NodeName={} CPUTot=8 State=IDLE Gres={} BootTime=2026-11-01T00:00:00 CfgTRES=cpu=8,gres/gpu={} AllocTRES=\n"
        nodes = show.format("a1", "nvme:1,gpu:a100:4(S:0,1)", 4) + show.format("v1", "gpu:v100:8(S:0-1)", 8)
        down = f"c|Node|v1|{at + 100}|{at + 200}|xid 79|DOWN|cpu=8,gres/gpu=8\n"
        head = "Cluster|Event|NodeName|TimeStart|TimeEnd|Reason|State|TRES\n"
        placed = [
            ("c/a100", "a100", "idle", 600),
            ("c/a100", "a100", "untraced", 200),
            ("c/v100", "v100", "down", 800),
            ("c/v100", "v100", "idle", 400),
            ("c/v100", "v100", "untraced", 400),
        ]
        mixed = [("c", None, "down", 800), ("c", None, "idle", 1000), ("c", None, "untraced", 600)]
        several = nodes.replace("a100:4(S:0,1)", "a100:2,gpu:k80:2")
        for told, events, listed, figures in (
            (jobs.format("|NodeList", "|a1", "|v1"), down, nodes, placed),
            (jobs.format("|NodeList", "|a1", "|v1"), f"c|Cluster||{at}|Unknown|||gres/gpu=12\n" + down, nodes, placed),
            # nodes that came later, jobs that do not tell their nodes, and a node of two types
            (jobs.format("|NodeList", "|a1", "|v1"), f"c|Cluster||{at}|Unknown|||gres/gpu=12\n" + down, nodes + show.format("v2", "gpu:v100:8", 8), mixed),
            (jobs.format("", "", ""), down, nodes, mixed),
            (jobs.format("|NodeList", "|a1", "|v1"), down, several, None),
        ):  # fmt: skip
            path = self.folder_of({"sacct.psv": told, "events.psv": head + events, "nodes.txt": listed})
            rows = self.rows(
                "SELECT pool, chip, category, sum(chip_us) / 1000000 FROM trace_rollup(?) GROUP BY 1, 2, 3", path
            )
            if figures is None:
                rows = [row for row in rows if row[0] == "c/v100"]
                figures = [row for row in placed if row[0] == "c/v100"]
            self.assertEqual(figures, rows, (told, events))

    def test_events_without_their_resources(self):
        """sacctmgr shows TRES only if it is asked for: what a node that is listed has is that of its events."""
        at = 1795240000
        jobs = f"JobID|Cluster|State|Submit|Start|End|ReqTRES|AllocTRES|NodeList\n1|c|COMPLETED|{at}|{at}|{at + 200}|gres/gpu=2|gres/gpu=2|n2\n"
        node = "NodeName=n{} CPUTot=8 State={} BootTime=2026-11-01T00:00:00 {}AllocTRES=\n"
        gpus = "Gres=gpu:h100:4 CfgTRES=cpu=8,gres/gpu=4,gres/gpu:h100=4 "
        nodes = node.format(1, "IDLE", gpus) + node.format(2, "IDLE", gpus) + node.format(3, "IDLE", "CfgTRES=cpu=8 ")
        events = "Cluster|NodeName|TimeStart|TimeEnd|State|Reason|User\n" + "".join(
            f"c|n{n}|{at + 50}|{at + 150}|DOWN|xid 79|root(0)\n" for n in (1, 3, 4)
        )
        for listed, said in ((nodes, 1), (nodes.replace("n3", "n4"), 1), (nodes + node.format(4, "IDLE", gpus), 0)):
            path = self.folder_of({"sacct.psv": jobs, "events.psv": events, "nodes.txt": listed})
            self.assertIn(("down", 400 if said else 800), self.rows(
                "SELECT category, sum(chip_us) / 1000000 FROM trace_rollup(?) GROUP BY 1", path
            ))  # fmt: skip
            self.assertEqual([(said,)] if said else [], self.rows(
                "SELECT count FROM mpg_issues WHERE source LIKE ? || '%' AND kind = 'missing_field'", path
            ))  # fmt: skip
        # nodes whose own state comes beside events of a cluster that does not account for GPUs
        plain = (
            "Cluster|Event|NodeName|TimeStart|TimeEnd|State|Reason|TRES\n"
            + f"c|Node|n1|{at + 50}|{at + 150}|DOWN|xid 79|cpu=8\n"
        )
        out = node.format(2, "IDLE", gpus) + node.format(1, "IDLE", gpus) + node.format(5, "DOWN", gpus)
        path = self.folder_of({"sacct.psv": jobs, "events.psv": plain, "nodes.txt": out})
        self.assertIn(("down", 400 + 800), self.rows(
            "SELECT category, sum(chip_us) / 1000000 FROM trace_rollup(?) GROUP BY 1", path
        ))  # fmt: skip

    def test_slices_that_are_counted_without_a_type(self):
        at = 1795240000
        jobs = f"JobID|Cluster|State|Submit|Start|End|ReqTRES|AllocTRES|NodeList\n1|c|COMPLETED|{at}|{at}|{at + 200}|gres/gpu=2|gres/gpu=2|n1\n"
        node = "NodeName=n1 CPUTot=8 State=IDLE BootTime=2026-11-01T00:00:00 Gres=gpu:b200:4,gpu:b200_{}:8 CfgTRES=gres/gpu=12,gres/gpu:b200=4 AllocTRES=\n"
        for type, said in (("2g.45gb", 1), ("nvl", 0)):
            path = self.folder_of({"sacct.psv": jobs, "nodes.txt": node.format(type)})
            self.assertEqual(
                2400,
                self.rows("SELECT sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category <> 'queued'", path)[0][0],
            )
            self.assertEqual([("n1",)] * said, self.rows(
                "SELECT substr(detail, instr(detail, 'first ') + 6, 2) FROM mpg_issues WHERE source LIKE ? || '%' AND kind = 'guessed_share'", path
            ))  # fmt: skip

    def test_words_of_states(self):
        """A word of a state takes its node out of service, and not letters within one: UNDRAIN is none, POWER is of Slurm before 21.08."""
        states = {
            "IDLE+UNDRAIN": None,
            "IDLE+POWER_UP": None,
            "IDLE+CLOUD+POWERING_UP": None,
            "MIXED+PLANNED+BLOCKED": None,
            "IDLE+REBOOT_REQUESTED": None,
            "IDLE+NOT_RESPONDING": None,
            "IDLE+DYNAMIC_FUTURE": None,
            "ALLOCATED*": None,
            "UNDRAIN+IDLE+POWERED_DOWN": "power_saving",
            "IDLE+CLOUD+POWER": "power_saving",
            "IDLE~+CLOUD+POWER~": "power_saving",
            "IDLE+POWER_DRAIN+POWER_DOWN": "power_saving",
            "IDLE+CLOUD+INVALID_REG+POWERING_UP": "hw_down",
            "IDLE+INVALID_REG": "hw_down",
            "ERROR": "hw_down",
            "IDLE+FAIL": "hw_down",
            "IDLE*+DRAIN+UNDRAIN": "drained",
            "DOWN*+CLOUD+NOT_RESPONDING": "hw_down",
            "IDLE+DRAIN+MAINTENANCE+RESERVED": "maintenance",
        }
        lines = "".join(
            f"NodeName=n{i} CPUTot=8 State={state} CfgTRES=gres/gpu=8 LastBusyTime={1795240500 + i}\n"
            for i, state in enumerate(states)
        )
        as_json = {
            "nodes": [
                {"name": f"n{i}", "state": s.split("+"), "last_busy": 1795240500 + i, "tres": "gres/gpu=8", "gres": ""}
                for i, s in enumerate(states)
            ]
        }
        for file in (self.file(lines, "nodes.txt"), self.file(json.dumps(as_json), "nodes.json")):
            self.map(JOBS, nodes=file)
            self.assertEqual(
                [(i, kind) for i, kind in enumerate(states.values()) if kind],
                self.rows("SELECT start_time - 1795240500, kind FROM outages ORDER BY 1"),
            )

    def test_a_node_of_the_future(self):
        """`scontrol show node --future`: it need not exist. One that came from there is there. A reboot and maintenance are planned, as in events."""
        lines = "".join(
            f"NodeName={name} State={state} CfgTRES=gres/gpu=8 LastBusyTime={1795240500 + i}\n"
            for i, (name, state) in enumerate(
                (
                    ("a", "FUTURE"),
                    ("b", "FUTURE*+CLOUD"),
                    ("c", "IDLE+DYNAMIC_FUTURE"),
                    ("d", "DOWN+REBOOT_ISSUED"),
                    ("e", "DOWN+MAINTENANCE"),
                )
            )
        )
        self.map(JOBS, nodes=self.file(lines, "nodes.txt"))
        self.assertEqual(
            self.rows("SELECT start_time - 1795240500, kind FROM outages ORDER BY start_time"),
            [(0, "not_installed"), (1, "not_installed"), (3, "maintenance"), (4, "maintenance")],
        )


if __name__ == "__main__":
    unittest.main()
