"""Reservations of Slurm: slurm_reservations_trace, and what sql/formats/slurm.sql makes of those for maintenance. The figures are by hand."""

import os
import unittest

from cases import Case

T0 = 1795240000  # 2026-11-21T05:46:40Z
SHARED = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))),
    "shared/traces/slurm/sacctmgr_resv.psv",
)
NODES = "".join(
    f"NodeName=n{i} Arch=x86_64 CPUTot=16 State=IDLE CfgTRES=cpu=16,gres/gpu=8,gres/gpu:h100=8 AllocTRES= BootTime={T0 - 9000}\n"
    for i in range(1, 5)
)


def shown(name, start, end, nodes, flags="MAINT,IGNORE_JOBS,SPEC_NODES", users="root", accounts="(null)"):
    return (
        f"ReservationName={name} StartTime={start} EndTime={end} Duration=02:00:00 Nodes={nodes} NodeCnt=3 CoreCnt=48 Features=(null) PartitionName=(null) Flags={flags} "
        f"TRES=cpu=48 Users={users} Groups=(null) Accounts={accounts} Licenses=(null) State=ACTIVE BurstBuffer=(null) MaxStartDelay=(null) \n"
    )


class Reservations(Case):
    COLUMNS = "ReservationName, StartTime, EndTime, Nodes, NodeCnt, Flags, Users, Accounts, State, node_names"
    WANTED = (
        "r",
        1795237200,
        1795244400,
        "n[1-2,05]",
        3,
        "MAINT,SPEC_NODES",
        "root",
        None,
        "ACTIVE",
        '["n1","n2","n05"]',
    )

    def test_text(self):
        """In a line and in several, as local times and as Unix seconds."""
        line = shown("r", "2026-11-21T05:00:00", "2026-11-21T07:00:00", "n[1-2,05]", "MAINT,SPEC_NODES")
        lines = line.replace(" Nodes=", "\n   Nodes=").replace(" Users=", "\n   Users=").replace(" State", "\n   State")
        for text in (line, lines, line + "\n" + line, lines + "\n" + lines):
            path = self.file(text, "r.txt")
            self.assertEqual(
                {self.WANTED}, set(self.rows(f"SELECT {self.COLUMNS} FROM slurm_reservations_trace(?)", path)), text
            )
            self.assertEqual(text.count("Name=r "), self.one("SELECT count(*) FROM slurm_reservations_trace(?)", path))
            self.assertEqual(
                1795237200 - 3600, self.rows("SELECT StartTime FROM slurm_reservations_trace(?, '+01:00')", path)[0][0]
            )

    def test_json(self):
        number = lambda n: {"set": True, "infinite": False, "number": n}
        told = {
            "name": "r",
            "start_time": number(1795237200),
            "end_time": number(1795244400),
            "node_list": "n[1-2,05]",
            "node_count": 3,
            "flags": ["MAINT", "SPEC_NODES"],
            "users": "root",
            "accounts": "",
        }
        path = self.file(
            {
                "reservations": [told, {**told, "end_time": {"set": True, "infinite": True, "number": 0}}],
                "meta": {"slurm": {"version": {"major": "24"}}},
            }
        )
        self.assertEqual(
            [
                self.WANTED[:8] + (None, self.WANTED[9]),
                ("r", 1795237200, None) + self.WANTED[3:8] + (None, self.WANTED[9]),
            ],
            self.rows(f"SELECT {self.COLUMNS} FROM slurm_reservations_trace(?)", path),
        )

    def test_none(self):
        """A cluster without reservations says so, before or behind what it says of itself."""
        meta, none = {"meta": {"slurm": {"cluster": "c"}}}, {"reservations": [], "last_update": {"number": 1}}
        for answer in ({**none, **meta}, {**meta, **none}):
            path = self.file(answer)
            self.assertEqual([], self.rows("SELECT * FROM slurm_reservations_trace(?)", path))
            self.assertEqual([("slurm",)], self.rows("SELECT format FROM trace_sources(?)", path))

    def test_sacctmgr(self):
        path = self.file(
            "Cluster|Name|ID|Flags|NodeNames|TimeStart|TimeEnd|UnusedWall\nc|r|4|MAINT,SPEC_NODES|n[1-2,05]|2026-11-21T05:00:00|2026-11-21T07:00:00|60.0\n",
            "r.psv",
        )
        self.assertEqual(
            [("c", *self.WANTED[:4], None, self.WANTED[5], None, None, None, self.WANTED[9], 2)],
            self.rows(f"SELECT Cluster, {self.COLUMNS}, _line FROM slurm_reservations_trace(?)", path),
        )

    @unittest.skipUnless(os.path.exists(SHARED), "without ../shared/traces")
    def test_the_one_of_a_real_cluster(self):
        self.assertEqual(
            [("mlpod", "maint1", 60)],
            self.rows("SELECT Cluster, ReservationName, EndTime - StartTime FROM slurm_reservations_trace(?)", SHARED),
        )
        self.assertEqual([("slurm",)], self.rows("SELECT format FROM trace_sources(?)", SHARED))

    def test_errors(self):
        for text, error in (
            (shown("r", "soon", 7, "n1"), 'expected a time such as 2026-11-21T05:12:40 for StartTime, found "soon"'),
            ("ReservationName=r StartTime=1\nNodeName=n1\n", "expected reservations of scontrol show reservation"),
            (
                '{"nodes": []}',
                'expected reservations of scontrol show reservation --json (a member "reservations"), found none',
            ),
            ("JobID|State\n1|FAILED\n", "expected a header of sacctmgr show reservation field names"),
        ):
            self.assertIn(error, self.error("SELECT count(*) FROM slurm_reservations_trace(?)", self.file(text, "x")))


class Mapping(Case):
    def down(self, *reservations, job=(0, 1000, "n4"), nodes=NODES, named="r.txt"):
        """Outages after T0 as (chips, from, to, kind), of four nodes of 8 GPUs and one job."""
        sacct = f"Cluster|JobIDRaw|JobID|State|Submit|Start|End|ReqTRES|AllocTRES|NodeList\nc|1|1|COMPLETED|{T0 + job[0]}|{T0 + job[0]}|{T0 + job[1]}|gres/gpu=8|gres/gpu=8,gres/gpu:h100=8|{job[2]}\n"
        self.folder = self.folder_of({"sacct.psv": sacct, "nodes.txt": nodes, named: "".join(reservations)})
        return self.rows(
            "SELECT chips, start_time - ?1, end_time - ?1, kind FROM trace_records(?2) WHERE record = 'outages' ORDER BY 2, 1",
            T0,
            self.folder,
        )

    def issues_of(self, kind):
        return self.rows("SELECT count, detail FROM mpg_issues WHERE kind = ?", kind)

    def test_maintenance(self):
        """Three nodes, of which a job holds one for a while."""
        found = self.down(shown("m", T0 + 100, T0 + 300, "n[1-2,4]"), job=(0, 200, "n4"))
        self.assertEqual(
            [(8, 100, None, "maintenance"), (8, 100, None, "maintenance"), (8, 200, None, "maintenance")], found
        )  # its end is after the last time of the exports

    def test_maintenance_that_is_over(self):
        self.assertEqual(
            [(8, 100, 300, "maintenance"), (8, 100, 300, "maintenance"), (8, 250, 300, "maintenance")],
            sorted(
                self.down(
                    shown("m", T0 + 100, T0 + 300, "n[1-2,4]"),
                    shown("later", T0 + 5000, T0 + 6000, "n1"),
                    job=(0, 250, "n4"),
                    nodes=NODES.replace("BootTime", f"LastBusyTime={T0 + 1000} BootTime"),
                )
            ),
        )
        self.assertEqual(
            [(1, "reservations that hold nothing: later (maintenance, after the last time of the export)")],
            self.issues_of("reservation"),
        )
        self.assertEqual(
            2 * 8 * 200 + 8 * 50,
            self.rows(
                "SELECT sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category = 'down' AND cause = 'maintenance'",
                self.folder,
            )[0][0],
        )

    def test_nodes_that_are_shown_in_maintenance(self):
        """A reservation says from when to when; without it, or if they are out for more, since they were last busy."""
        for state, reserved, expected in (
            ("IDLE+MAINTENANCE+RESERVED", True, [(8, 100, 300, "maintenance")]),
            ("IDLE+MAINTENANCE+RESERVED", False, [(8, 50, None, "maintenance")]),
            (
                "DOWN+MAINTENANCE+RESERVED",
                True,
                [(8, 50, 100, "maintenance"), (8, 100, 300, "maintenance"), (8, 300, None, "maintenance")],
            ),
        ):
            nodes = NODES.replace("State=IDLE", f"State={state}", 1).replace(
                "BootTime", f"LastBusyTime={T0 + 50} BootTime"
            )
            reservations = (
                [shown("m", T0 + 100, T0 + 300, "n1")] if reserved else [shown("o", T0, T0 + 9, "n2", "FLEX")]
            )
            self.assertEqual(expected, self.down(*reservations, nodes=nodes), (state, reserved))

    def test_by_sacctmgr(self):
        head = "Cluster|Name|Flags|NodeNames|TimeStart|TimeEnd\n"
        self.assertEqual(
            [(8, 100, 300, "maintenance")],
            self.down(head, f"c|m|MAINT,SPEC_NODES|n2|{T0 + 100}|{T0 + 300}\n", named="r.psv"),
        )

    def test_other_reservations_are_listed_as_what_they_are(self):
        self.assertEqual(
            [],
            self.down(
                shown("course", T0 + 100, T0 + 300, "n1", "SPEC_NODES", "(null)", "teaching"),
                shown("ada", T0 + 100, T0 + 300, "n1", "DAILY", "ada"),
                shown("float", T0 + 1, T0 + 3, "n1", "FLEX", "(null)"),
            ),
        )
        self.assertEqual(
            [(3, "reservations that hold nothing: course (accounts teaching), ada (users ada), float (FLEX)")],
            self.issues_of("reservation"),
        )

    def test_maintenance_that_cannot_be_placed(self):
        """Without nodes, or with nodes that no file describes: a row, and not silence."""
        self.assertEqual(
            [(8, 100, 300, "maintenance")],
            self.down(
                shown("a", T0 + 100, T0 + 300, "n[1,9]"),
                shown("b", T0 + 100, T0 + 300, "(null)"),
                shown("c", T0 + 300, T0 + 100, "n1"),
            ),
        )
        self.assertEqual(
            [
                (
                    3,
                    "reservations for maintenance whose nodes count as idle: a: 1 nodes of which no file has the GPUs (export scontrol show node), the first n9; b: it names no nodes (export NodeNames); "
                    "c: it ends before it starts",
                )
            ],
            self.issues_of("unused_reservation"),
        )
        self.assertEqual(
            [],
            self.down(
                "Cluster|Name|TRES|TimeStart|TimeEnd|UnusedWall\n", f"c|m|cpu=16|{T0}|{T0 + 60}|60.0\n", named="r.psv"
            ),
        )
        self.assertEqual(
            [(1, "reservations that hold nothing: m (without Flags: export them to tell maintenance)")],
            self.issues_of("reservation"),
        )


if __name__ == "__main__":
    unittest.main()
