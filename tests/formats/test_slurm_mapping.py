"""The mapping sql/formats/slurm.sql: the ledger held against the utilisation that sreport gave for the same cluster; jobs, attempts, pools and
outages against what was written down."""

import unittest

from slurm import ALL_FIELDS, EPOCH, EVENTS, JOBS, SINCE, SREPORT, STEPS, UNTIL, Mapped


class Mapping(Mapped):
    def test_the_oracle_in_plain_sql(self):
        """sreport: gres/gpu allocated 3609 and reported 16512 GPU-seconds."""
        with open(SREPORT, encoding="ascii") as file:
            oracle = file.read().splitlines()[-1].split("|")
        self.assertEqual((oracle[2], oracle[7]), ("3609", "16512"))
        for sacct in (JOBS, EPOCH, STEPS, ALL_FIELDS):
            with self.subTest(sacct):
                self.map(sacct, EVENTS)
                for table, wanted in (("allocations", 3609), ("capacity", 16512)):
                    self.assertEqual(
                        self.one(
                            f"SELECT sum(chips * max(0, min(coalesce(end_time, ?2), ?2) - max(start_time, ?1))) FROM {table}",
                            SINCE,
                            UNTIL,
                        ),
                        wanted,
                    )
                self.assertEqual(self.rows("SELECT DISTINCT pool, chip, chips FROM capacity"), [("mlpod", "h100", 32)])
                self.assertEqual(
                    self.rows("SELECT sum(chips * (end_time - start_time)), group_concat(DISTINCT kind) FROM outages"),
                    [(1752, "hw_down")],
                )

    def test_jobs_that_ask_for_no_type(self):
        """slurm.conf, AccountingStorageTRES: gres/gpu:tesla "will track only jobs that explicitly request" it. Others hold what their nodes have."""

        def held(job, nodes, alloc, state="COMPLETED"):
            return self.job(job, state, 1000, 1000, 1100, "gres/gpu=4", alloc, nodes)

        gpus = {
            "tesla": "gres/gpu=4,gres/gpu:tesla=4",
            "volta": "gres/gpu=4,gres/gpu:volta=4",
            "both": "gres/gpu=4,gres/gpu:tesla=2,gres/gpu:volta=2",
        }
        self.map_text(
            held(1, "t1", "gres/gpu=4")
            + held(2, "v[1-2]", "gres/gpu=8")
            + held(3, "v3", gpus["volta"])
            + held(4, "v3", "gres/gpu=1")
            + held(5, "t1,v1", "gres/gpu=4")
            + held(6, "b1", "gres/gpu=4")
            + held(7, "x1", "gres/gpu=4")
            + held(8, "t[1,4]", "gres/gpu=4")
            + held(9, "v1", "")
            + held(10, "v1", gpus["tesla"]),
            "c|Cluster||900|Unknown|||gres/gpu=24,gres/gpu:tesla=8,gres/gpu:volta=16\n"
            + "".join(
                f"c|Node|{node}|2000|2100|x|DOWN|{gpus[kind]}\n"
                for node, kind in (("t1", "tesla"), ("v2", "volta"), ("b1", "both"))
            )
            + f"c|Node|v1|2000|2100|x|DOWN|{gpus['volta']}\n",
        )
        self.assertEqual(
            self.rows("SELECT job, pool, chips FROM allocations WHERE chips > 0 ORDER BY CAST(job AS INTEGER)"),
            [
                ("1", "c/tesla", 4),
                ("2", "c/gpu", 8),
                ("3", "c/volta", 4),
                ("4", "c/volta", 1),
                ("5", "c/gpu", 4),
                ("6", "c/gpu", 4),
                ("7", "c/gpu", 4),
                ("8", "c/gpu", 4),
                ("10", "c/tesla", 4),
            ],
        )
        self.map_text(
            held(1, "t1", "gres/gpu=4")
            + held(2, "v[1-2]", "gres/gpu=8")
            + held(3, "v1", "gres/gpu=4,gres/gpu:volta=3"),
            "c|Cluster||1000|1100|||gres/gpu=12,gres/gpu:tesla=4,gres/gpu:volta=8\n"
            + "".join(
                f"c|Node|{node}|2000|2100|x|DOWN|{gpus[kind]}\n"
                for node, kind in (("t1", "tesla"), ("v1", "volta"), ("v2", "volta"))
            ),
        )
        self.assertEqual(
            self.rows("SELECT job, pool, chips FROM allocations WHERE chips > 0"),
            [("1", "c/tesla", 4), ("2", "c/volta", 8), ("3", "c/volta", 4)],
        )
        self.map_text(
            held(1, "t1", "gres/gpu=4")
            + held(2, "v[1-2]", "gres/gpu=8")
            + held(3, "t1", gpus["tesla"])
            + held(4, "v[1-2]", "gres/gpu=8,gres/gpu:volta=8"),
            "c|Cluster||1000|1100|||gres/gpu=12,gres/gpu:tesla=4,gres/gpu:volta=8\n",
        )
        self.assertEqual(
            self.rows("SELECT pool, sum(chips) FROM allocations GROUP BY pool"), [("c/tesla", 8), ("c/volta", 16)]
        )

    def test_the_oracle_in_the_ledger(self):
        self.map(JOBS, EVENTS)
        for table in ("mpg_ledger", "mpg_rollup"):
            self.assertEqual(
                self.rows(
                    f"""SELECT sum(chip_us) FILTER (WHERE category NOT IN ('down', 'idle', 'queued')),
                                     sum(chip_us) FILTER (WHERE category <> 'queued'),
                                     sum(chip_us) FILTER (WHERE category = 'down'),
                                     group_concat(DISTINCT pool)
                              FROM {table} WHERE since = '2026-11-21T05:51:24Z' AND until = '2026-11-21T06:00:00Z'"""
                ),
                [(3609 * 10**6, 16512 * 10**6, 1752 * 10**6, "mlpod")],
            )
        self.assertEqual(
            self.rows(
                """SELECT scheduling_goodput(category, chip_us), runtime_goodput(category, chip_us), mpg(category, chip_us)
                         FROM mpg_rollup WHERE since = ? AND until = ?""",
                SINCE,
                UNTIL,
            ),
            [(3609 / 16512, None, None)],
        )

    def test_conservation(self):
        """Every bucket of every pool adds up to what is installed, and idle is never negative."""
        self.map(JOBS, EVENTS)
        for width in ("1 minute", "7", "1 hour"):
            rows = self.rows(
                """SELECT pool, bucket, sum(chip_us), min(chip_us) FROM mpg_ledger
                                WHERE bucket_width = ? AND since = ? AND until = ? AND category <> 'queued' GROUP BY pool, bucket""",
                width,
                SINCE,
                UNTIL,
            )
            self.assertEqual(sum(row[2] for row in rows), 16512 * 10**6)
            self.assertTrue(all(row[3] >= 0 for row in rows))
            if width == "1 minute":
                self.assertEqual([row[2] for row in rows], [32 * 36 * 10**6] + [32 * 60 * 10**6] * 8)

    def test_in_the_shell(self):
        """With parameters, as the header of the script shows it."""
        self.db.execute("CREATE TABLE here(x)")
        self.script(
            "formats/slurm.sql",
            sacct=JOBS,
            events=EVENTS,
            zone="+01:00",
            columns=None,
            delimiter=None,
            nodes=None,
            reservations=None,
        )
        self.assertEqual(self.rows("SELECT min(start_time), count(*) FROM allocations"), [(1795240353 - 3600, 29)])
        self.assertEqual(self.rows("SELECT min(start_time) FROM capacity"), [(SINCE - 3600,)])

    def test_jobs_and_attempts(self):
        self.map(JOBS, EVENTS)
        self.assertEqual(self.one("SELECT count(*) FROM jobs"), 26)
        self.assertEqual(
            self.rows(
                "SELECT job, name, owner, priority, chips, min_chips, submit_time, json(labels) FROM jobs WHERE job IN ('1', '12', '22') ORDER BY name"
            ),
            [
                (
                    "22",
                    "arr",
                    "vision",
                    "normal",
                    4,
                    None,
                    1795240505,
                    '{"user":"games","partition":"train","nodes":1,"array_job":18}',
                ),
                (
                    "1",
                    "llm-pretrain-ok",
                    "llm",
                    "normal",
                    16,
                    None,
                    1795240352,
                    '{"user":"root","partition":"train","nodes":2,"segment":"pretrain","chip":"h100"}',
                ),
                (
                    "12",
                    "low-preemptee",
                    "vision",
                    "low",
                    24,
                    None,
                    1795240380,
                    '{"user":"root","partition":"train","nodes":3}',
                ),
            ],
        )
        self.assertEqual(
            self.rows(
                "SELECT job, attempt, chips, start_time, end_time, outcome FROM allocations WHERE job IN ('11', '12', '14', '26') ORDER BY job, attempt"
            ),
            [
                ("11", 1, 8, 1795240373, 1795240380, "preempted"),
                ("11", 2, 8, 1795240504, 1795240529, "completed"),
                ("12", 1, 24, 1795240380, 1795240391, "preempted"),
                ("12", 2, 24, 1795240530, 1795240570, "completed"),
                ("14", 1, 0, 1795240888, 1795240888, "cancelled"),
                ("26", 1, 16, 1795240721, 1795240726, "node_fail"),
                ("26", 2, 16, 1795240849, 1795240879, "completed"),
            ],
        )
        self.assertEqual(self.rows("SELECT count(*) FROM temp.sqlite_schema WHERE name LIKE 'slurm%'"), [(0,)])

    def test_demand_ends_with_a_job_that_never_started(self):
        self.map(JOBS, EVENTS)
        self.assertEqual(
            self.rows(
                "SELECT job, sum(chip_us) FROM mpg_ledger WHERE category = 'queued' AND job IN ('14', '15') GROUP BY job"
            ),
            [("14", 40 * (1795240888 - 1795240390) * 10**6), ("15", 32 * 4 * 10**6)],
        )

    def test_a_draining_node_works_until_its_jobs_end(self):
        gpus = "gres/gpu=8"
        self.map_text(
            self.job(1, "COMPLETED", 1000, 1000, 1100, "gres/gpu=4", "gres/gpu=4", "n1")
            + self.job(2, "RUNNING", 1000, 1000, "Unknown", "gres/gpu=16", "gres/gpu=16", "n[2-3]"),
            "c|Cluster||900|Unknown|||gres/gpu=40\n"
            f"c|Node|n1|1050|1200|ticket 42|DRAIN|{gpus}\n"
            f"c|Node|n1|1080|1300|Not responding|DOWN*|{gpus}\n"
            f"c|Node|n1|1150|1350|Kernel upgrade|DRAIN|{gpus}\n"
            f"c|Node|n2|1050|Unknown|drained for maintenance|DRAIN|{gpus}\n"
            f"c|Node|n5|1400|Unknown||POWERED_DOWN|{gpus}\n"
            f"c|Node|n4|1400|1400||DOWN|{gpus}\n",
        )
        self.assertEqual(
            self.rows("SELECT chips, start_time, end_time, kind FROM outages ORDER BY start_time"),
            [
                (4, 1050, 1080, "drained"),
                (4, 1080, 1100, "hw_down"),
                (8, 1100, 1150, "hw_down"),
                (8, 1150, 1200, "hw_down"),
                (8, 1200, 1300, "hw_down"),
                (8, 1300, 1350, "maintenance"),
                (8, 1400, None, "power_saving"),
            ],
        )
        self.assertEqual(
            self.rows(
                "SELECT min(chip_us) >= 0, sum(chip_us) FILTER (WHERE category <> 'queued') FROM mpg_ledger WHERE as_of = 1500"
            ),
            [(1, 40 * 600 * 10**6)],
        )

    def test_states_of_events_are_short(self):
        """sacctmgr writes states as `sinfo -o %t` does, with a mark behind some."""
        states = (
            ("DRNG", "ticket 42", "drained"),
            ("DRNG*", "ticket 42", "drained"),
            ("DRNG", "Xid 48", "hw_down"),
            ("DRAIN@", "ASAP", "maintenance"),
            ("DRNG@", "Reboot ASAP", "maintenance"),
            ("DOWN^", "", "maintenance"),
            ("MAINT*", "", "maintenance"),
            ("BOOT", "", "maintenance"),
            ("IDLE$", "", "maintenance"),
            ("IDLE^", "", "maintenance"),
            ("IDLE~", "", "power_saving"),
            ("IDLE%", "", "power_saving"),
            ("MIX!", "", "power_saving"),
            ("POW_DN", "", "power_saving"),
            ("POWERED_DOWN", "", "power_saving"),
            ("DOWN~", "", "hw_down"),
            ("DRAIN~", "ticket", "drained"),
            ("FAILG", "", "hw_down"),
            ("INVAL", "", "hw_down"),
            ("IDLE*", "", "hw_down"),
            ("DOWN", "Node unexpectedly rebooted", "hw_down"),
            ("DRAIN", "Node unexpectedly rebooted", "hw_down"),
            ("DOWN", "Reboot ASAP : reboot issued", "maintenance"),
            ("FUTR", "Set to State=FUTURE", "not_installed"),
            ("FUTR*", "", "not_installed"),
            ("FUTR$", "", "not_installed"),
            ("FUTURE", "", "not_installed"),
            ("FUTURE+POWERED_DOWN", "", "not_installed"),
            ("IDLE#", "", "power_saving"),
            ("DOWN#", "ResumeTimeout reached", "hw_down"),
            ("IDLE+DRAIN", "ticket 7", "drained"),
            ("MIXED+CLOUD+DRAIN", "xid 79", "hw_down"),
            ("IDLE+CLOUD+POWERED_DOWN", "", "power_saving"),
            ("DOWN+CLOUD+POWERED_DOWN", "", "hw_down"),
            ("DOWN+REBOOT_ISSUED", "", "maintenance"),
            ("IDLE+MAINTENANCE", "", "maintenance"),
        )
        for i, (state, reason, kind) in enumerate(states):
            self.map_text(
                self.job(1, "COMPLETED", 1000, 1000, 1100, "gres/gpu=4", "gres/gpu=4", "n1"),
                f"c|Node|n2|1050|1200|{reason}|{state}|gres/gpu=8\n",
            )
            self.assertEqual(self.rows("SELECT chips, kind FROM outages"), [(8, kind)], (i, state))
            self.assertEqual([], self.rows("SELECT detail FROM mpg_issues WHERE kind = 'unknown_state'"), state)

    def test_events_of_states_that_are_in_service(self):
        """Slurm writes no event of a node that works: one is counted as out of service, and said."""
        for state, kind in (
            ("IDLE", "hw_down"),
            ("MIX", "hw_down"),
            ("PLND", "hw_down"),
            ("UNK", "hw_down"),
            ("CANC_R", "hw_down"),
            ("", "drained"),
        ):
            self.map_text(
                self.job(1, "COMPLETED", 1000, 1000, 1100, "gres/gpu=4", "gres/gpu=4", "n1"),
                f"c|Node|n2|1050|1200||{state}|gres/gpu=8\n",
            )
            self.assertEqual(self.rows("SELECT chips, kind FROM outages"), [(8, kind)], state)
            self.assertEqual(
                self.rows(
                    "SELECT severity, count, line FROM mpg_issues WHERE kind = 'unknown_state' ORDER BY rowid DESC LIMIT 1"
                ),
                [("warning", 1, 2)],
                state,
            )

    def test_a_node_that_was_taken_out_of_the_cluster(self):
        """Its event stays open: it ends with the first row of the cluster that lacks it. A node that comes back has an event of its own."""
        begin = 1795240000
        jobs = self.HEADER + self.job(1, "COMPLETED", begin, begin, begin + 9000, "gres/gpu=8", "gres/gpu=8", "n1")
        head = "Cluster|Cluster Nodes|Event|NodeName|TimeStart|TimeEnd|State|Reason|TRES\n"

        def cluster(nodes, start, end, gpus):
            return f"c|{nodes}|Cluster||{begin + start}|{begin + end if end else 'Unknown'}||Cluster Registered TRES|gres/gpu={gpus}\n"

        def down(node, start, end=None):
            return f"c||Node|{node}|{begin + start}|{begin + end if end else 'Unknown'}|DOWN|xid|gres/gpu=8\n"

        grown = cluster("n[1-3]", 0, 1000, 24) + cluster("n[1-2]", 1000, 5000, 16) + cluster("n[1-3]", 5000, None, 24)
        for events, outages, said in (
            (grown + down("n3", 500), [(500, 1000)], 1),
            (grown + down("n3", 500, 900), [(500, 900)], 0),
            (grown + down("n3", 500, 1000) + down("n3", 5000), [(500, 1000), (5000, None)], 0),
            (grown + down("n2", 500), [(500, None)], 0),
            (grown + down("n9", 500), [(500, None)], 0),  # none of its nodes: a name of the cloud
            (cluster("n[1-3]", 0, None, 24) + down("n3", 500), [(500, None)], 0),
            (grown.replace("n[1-3]", "").replace("n[1-2]", "") + down("n3", 500), [(500, None)], 0),
        ):
            path = self.file(head + events, "events.psv")
            self.map(self.file(jobs), path)
            self.assertEqual(
                self.rows("SELECT start_time - ?1, end_time - ?1 FROM outages ORDER BY 1", begin), outages, events
            )
            self.assertEqual(
                self.one("SELECT total(count) FROM mpg_issues WHERE kind = 'lost_end' AND source = ?", path),
                said,
                events,
            )

    def test_a_node_that_got_other_gpus(self):
        """An outage is of the GPUs that the node had then, less what a job held."""
        g = "gres/gpu=2"
        self.map_text(
            self.job(1, "COMPLETED", 1000, 1000, 1250, g, g, "n1"),
            "c|Cluster||900|1500|||gres/gpu=4\nc|Cluster||1500|Unknown|||gres/gpu=8\n"
            "c|Node|n1|1200|1300||DOWN|gres/gpu=4\nc|Node|n1|1600|1700||DOWN|gres/gpu=8\nc|Node|n1|1800|1900||DOWN|gres/gpu=6\n",
        )
        self.assertEqual(
            [(2, 1200, 1250), (4, 1250, 1300), (8, 1600, 1700), (6, 1800, 1900)],
            self.rows("SELECT chips, start_time, end_time FROM outages ORDER BY start_time"),
        )

    def test_reasons_by_words(self):
        """Which words tell of hardware is a table: Slurm's own failures of a job's start or end do not, a part of the machine does."""
        for reason, kind in (
            ("Kill task failed", "drained"),
            ("Prolog error", "drained"),
            ("Epilog failed: rc 1", "drained"),
            ("batch job complete failure", "drained"),
            ("IB port 1 down", "hw_down"),
            ("bad DIMM in slot 3", "hw_down"),
            ("mlx5_0: link down", "hw_down"),
            ("gpu:3/fell_off_the_bus", "hw_down"),
            ("PSU2 failed", "hw_down"),
            ("uncorrectable memory", "hw_down"),
            ("NVMe wear", "hw_down"),
            ("Fan 3 stopped", "hw_down"),
            ("Low RealMemory (reported:1)", "hw_down"),
            ("distribution of library", "drained"),
            ("kernel-upgrade", "maintenance"),
            ("Reboot ASAP", "maintenance"),
            ("user asked", "drained"),
            ("deadline of bob", "drained"),
        ):
            with self.subTest(reason):
                self.map_text(
                    self.job(1, "COMPLETED", 1000, 1000, 1100, "gres/gpu=4", "gres/gpu=4", "n1"),
                    f"c|Node|n2|1050|1200|{reason}|DRAIN|gres/gpu=8\n",
                )
                self.assertEqual(self.rows("SELECT chips, kind FROM outages"), [(8, kind)])
        self.assertEqual(
            self.rows(
                "SELECT severity, count, line FROM mpg_issues WHERE kind = 'unknown_reason' AND detail LIKE '%: deadline of bob'"
            ),
            [("info", 1, 2)],
        )
        self.db.execute(
            "INSERT INTO outage_reasons VALUES ('deadline of %', 'maintenance'), ('kill task failed', 'hw_down')"
        )
        for reason, kind in (("Deadline of bob", "maintenance"), ("Kill task failed", "hw_down")):
            self.map_text(
                self.job(1, "COMPLETED", 1000, 1000, 1100, "gres/gpu=4", "gres/gpu=4", "n1"),
                f"c|Node|n2|1050|1200|{reason}|DRAIN|gres/gpu=8\n",
            )
            self.assertEqual(self.rows("SELECT chips, kind FROM outages"), [(8, kind)])

    def test_drains_in_the_ledger(self):
        """What Slurm itself failed at is drained; what names a part of the machine is hardware."""
        drains = (
            ("n1", 600, "Kill task failed"),
            ("n2", 1200, "Prolog error"),
            ("n3", 2400, "IB port 1 down"),
            ("n4", 4800, "bad DIMM in slot 3"),
        )
        self.map_text(
            self.job(1, "COMPLETED", 0, 0, 7200, "gres/gpu=8", "gres/gpu=8", "n9"),
            "c|Cluster||0|7200|||gres/gpu=40\n"
            + "".join(f"c|Node|{node}|0|{end}|{reason}|DRAIN|gres/gpu=8\n" for node, end, reason in drains),
        )
        self.assertEqual(
            self.rows("SELECT cause, sum(chip_us) / 1000000 FROM mpg_rollup WHERE category = 'down' GROUP BY 1"),
            [("drained", 14400), ("hw_down", 57600)],
        )

    def test_a_job_between_others_that_ended_before_it_started(self):
        g = "gres/gpu=4"
        self.map_text(
            self.job(700, "COMPLETED", 0, 10, 3600, g, g, "n1")
            + self.job(701, "CANCELLED by 7", 0, 1816, 1800, g, g, "n2")
            + self.job(702, "NODE_FAIL", 0, 2400, 3000, g, g, "n2")
            + self.job(702, "COMPLETED", 3000, 3300, 3600, g, g, "n2"),
            "c|Cluster||0|3600|||gres/gpu=8\n",
        )
        self.assertEqual(
            self.rows("SELECT job, sum(chip_us) / 1000000 FROM mpg_rollup WHERE category = 'untraced' GROUP BY job"),
            [("700", 14360), ("702", 3600)],
        )
        self.assertEqual(self.rows("SELECT line, count FROM mpg_issues WHERE kind = 'end_before_start'"), [(3, 1)])

    def test_ends_before_their_starts(self):
        """One such record counts as nothing, is listed with its line, and the others count."""
        g = "gres/gpu=4"
        self.map_text(
            self.job(1, "COMPLETED", 1000, 1000, 1100, g, g, "n1")
            + self.job(2, "CANCELLED", 1000, 1050, 1034, g, g, "n2"),
            "c|Cluster||900|1200|||gres/gpu=8\nc|Node|n2|1100|1050|x|DOWN|gres/gpu=4\nc|Cluster||1300|1250|||gres/gpu=8\n",
        )
        self.assertEqual(
            self.rows("SELECT job, sum(chip_us) / 1000000 FROM mpg_rollup WHERE category = 'untraced' GROUP BY job"),
            [("1", 400)],
        )
        self.assertEqual(self.rows("SELECT pool, chips, start_time, end_time FROM capacity"), [("c", 8, 900, 1200)])
        self.assertEqual(self.rows("SELECT count(*) FROM outages"), [(0,)])
        self.assertEqual(
            self.rows("SELECT severity, line, count FROM mpg_issues WHERE kind = 'end_before_start' ORDER BY count"),
            [("data_loss", 3, 1), ("data_loss", 3, 2)],
        )

    def test_accelerators_that_are_no_gpus(self):
        """NPUs, DCUs, TPUs, XPUs, HPUs and MLUs are chips, of the type of their list or else of their word. The same sums as by hand."""
        self.map_text(
            self.job(1, "COMPLETED", 1000, 1000, 1100, "gres/npu=8", "cpu=1,gres/npu=8,gres/npu:910b3=8", "n1")
            + self.job(2, "COMPLETED", 1000, 1000, 1050, "gres/npu=4", "gres/npu=4", "n2")
            + self.job(3, "COMPLETED", 1000, 1020, 1050, "gres/dcu:z100=2", "gres/dcu:z100=2", "n3")
            + self.job(4, "COMPLETED", 1000, 1000, 1100, "gres/gpu=1", "gres/gpu=1,gres/tpu=3", "n4"),
            "c|Cluster||900|1200|||gres/dcu=4,gres/dcu:z100=4,gres/gpu=2,gres/npu=16,gres/npu:910b3=8,gres/tpu=3\n",
        )
        held = [
            ("1", "c/910b3", 8, 100),
            ("2", "c/npu", 4, 50),
            ("3", "c/z100", 2, 30),
            ("4", "c/gpu", 1, 100),
            ("4", "c/tpu", 3, 100),
        ]
        self.assertEqual(
            self.rows("SELECT job, pool, chips, end_time - start_time FROM allocations ORDER BY job, pool"), held
        )
        self.assertEqual(
            self.rows("SELECT pool, chips FROM capacity ORDER BY pool"),
            [("c/910b3", 8), ("c/gpu", 2), ("c/npu", 8), ("c/tpu", 3), ("c/z100", 4)],
        )
        self.assertEqual(
            self.rows("SELECT sum(chip_us) / 1000000 FROM mpg_ledger WHERE category = 'untraced'"),
            [(sum(chips * seconds for *_, chips, seconds in held),)],
        )
        self.assertEqual(
            self.rows("SELECT sum(chip_us) / 1000000 FROM mpg_ledger WHERE category <> 'queued'"),
            [(300 * (2 + 8 + 8 + 3 + 4),)],
        )
        self.assertEqual(self.rows("SELECT kind FROM mpg_issues WHERE kind IN ('uncounted_resource', 'no_tres')"), [])

    def test_resources_that_are_no_gpus(self):
        """Each is named, with how many, once: typed ones beside their sum, and alone."""
        self.map_text(
            self.job(1, "COMPLETED", 1000, 1000, 1100, "gres/gpu=4", "cpu=1,gres/gpu=4,gres/gpu:a=4", "n1")
            + self.job(2, "COMPLETED", 1000, 1000, 1100, "gres/fpga=8", "gres/fpga=8,gres/fpga:u280=8", "n2")
            + self.job(3, "COMPLETED", 1000, 1000, 1100, "gres/nic:cx7=2", "", "n2")
            + self.job(4, "COMPLETED", 1000, 1000, 1100, "gres/shard=3", "gres/shard=3", "n2")
        )
        self.assertEqual(
            self.rows("SELECT severity, count, line, detail FROM mpg_issues WHERE kind = 'uncounted_resource'"),
            [
                (
                    "warning",
                    3,
                    3,
                    "only gpu, npu, dcu, tpu, xpu, hpu and mlu count as chips, and not gres/fpga (8 in 1 jobs), gres/nic:cx7 (2 in 1 jobs), gres/shard (3 in 1 jobs)",
                )
            ],
        )

    def test_until_when_a_cluster_was_observed(self):
        """A job that runs has Elapsed of when sacct was asked."""
        path = self.file(
            "Cluster|JobID|State|Submit|Start|End|Elapsed|AllocTRES\nc|1|RUNNING|1000|1000|Unknown|00:10:00|gres/gpu=8\nc|2|COMPLETED|1000|1000|1100|00:01:40|gres/gpu=8\n"
        )
        self.map(path)
        self.assertEqual(self.rows("SELECT pool, until_time FROM observed"), [("c", 1600)])

    def test_a_later_export_beside_an_earlier_one(self):
        """A job ran when the first was made; ends in the second tell that the cluster was seen for longer. The end of what runs is planned."""
        first = "Cluster|JobID|State|Submit|Start|End|Elapsed|AllocTRES\nc|1|RUNNING|1000|1000|Unknown|00:10:00|gres/gpu=8\n"
        folder = self.folder_of(
            {"a.psv": first, "b.psv": first.split("\n")[0] + "\nc|2|COMPLETED|3000|3000|3500|00:08:20|gres/gpu=8\n"}
        )
        self.map(folder)
        self.assertEqual(self.rows("SELECT pool, until_time FROM observed"), [("c", 3500)])
        for table in ("jobs", "events"):
            self.db.execute("DROP TABLE IF EXISTS temp.slurm_" + table)
        path = self.file(first.replace("Unknown", "90000"))
        self.map(path)
        self.assertEqual(
            (self.rows("SELECT pool, until_time FROM observed"), self.rows("SELECT end_time FROM allocations")),
            ([("c", 1600)], [(None,)]),
        )
        self.assertEqual(1, self.issues(path)["planned_end"])

    def test_who_does_not_tell_when_it_was_asked(self):
        """sacct without Elapsed, as squeue: what runs is held until the last time of the trace, and that is listed."""
        text = "Cluster|JobID|State|Submit|Start|End|AllocTRES\nc|1|RUNNING|1000|1000|Unknown|gres/gpu=8\nc|2|COMPLETED|1000|1000|1100|gres/gpu=8\n"
        path = self.file(text)
        self.map(path)
        self.assertEqual(
            [("warning", 2, 1)],
            self.rows("SELECT severity, line, count FROM mpg_issues WHERE kind = 'not_observed' AND source = ?", path),
        )
        path = self.file(text.replace("RUNNING|1000|1000|Unknown", "COMPLETED|1000|1000|1050"))
        self.rows("SELECT count(*) FROM trace_rollup(?)", path)
        self.assertNotIn("not_observed", self.issues(path))

    def test_a_controller_that_was_away_installs_nothing(self):
        """With TrackSlurmctldDown slurmdbd has a second row of the cluster while slurmctld is not connected."""
        self.map_text(
            self.job(1, "COMPLETED", 1000, 1000, 1100, "gres/gpu=4", "gres/gpu=4", "n1"),
            "c|Cluster||900|2000|Cluster Registered TRES||gres/gpu=8\nc|Cluster||1050|1060|slurmctld disconnect||gres/gpu=8\n",
        )
        self.assertEqual(self.rows("SELECT chips, start_time, end_time FROM capacity"), [(8, 900, 2000)])

    def test_several_gpu_types_are_several_pools(self):
        self.map_text(
            self.job(1, "COMPLETED", 1000, 1000, 1100, "gres/gpu=8", "gres/gpu=8,gres/gpu:h100=8", "n1")
            + self.job(
                2, "FAILED", 1000, 1000, 1100, "gres/gpu=6", "gres/gpu=6,gres/gpu:h100=4,gres/gpu:a100=2", "n[1-2]"
            )
            + self.job(3, "FAILED", 1000, 1000, 1100, "gres/gpu=2", "gres/gpu=2", "n3"),
            "c|Cluster||900|1200|||gres/gpu=40,gres/gpu:a100=16,gres/gpu:h100=16\n",
        )
        self.assertEqual(
            self.rows("SELECT pool, chip, chips FROM capacity ORDER BY pool"),
            [("c/a100", "a100", 16), ("c/gpu", None, 8), ("c/h100", "h100", 16)],
        )
        self.assertEqual(
            self.rows("SELECT job, pool, chips FROM allocations ORDER BY job, pool"),
            [("1", "c/h100", 8), ("2", "c/a100", 2), ("2", "c/h100", 4), ("3", "c/gpu", 2)],
        )
        self.assertEqual(
            self.rows("SELECT pool, sum(chip_us) / 1000000 FROM mpg_ledger WHERE category = 'untraced' GROUP BY pool"),
            [("c/a100", 200), ("c/gpu", 200), ("c/h100", 1200)],
        )

    def test_a_node_that_is_out_beside_one_of_another_type(self):
        """What a job holds of a type lies on its nodes of that type: none of it is down while the job runs."""
        node = "c|Node|{}|{}|{}|xid 79|DRAIN|gres/gpu=8,gres/gpu:{}=8\n"
        for alloc in ("gres/gpu=16", "gres/gpu=16,gres/gpu:h100=8,gres/gpu:a100=8"):
            self.map_text(
                self.job(1, "COMPLETED", 1000, 1000, 1100, "gres/gpu=16", alloc, "n[1-2]"),
                "c|Cluster||900|Unknown|||gres/gpu=16,gres/gpu:a100=8,gres/gpu:h100=8\n"
                + node.format("n1", 900, 950, "h100")
                + node.format("n2", 1050, 1200, "a100"),
            )
            self.assertEqual(
                [("c/h100", 8, 900, 950), ("c/a100", 8, 1100, 1200)],
                self.rows("SELECT pool, chips, start_time, end_time FROM outages ORDER BY start_time"),
                alloc,
            )

    def test_what_is_left_out_and_what_is_merged(self):
        h = "gres/gpu:h100=8,gres/gpu=8"
        self.map_text(
            self.job(1, "COMPLETED", 1000, 1000, 1100, "cpu=4", "cpu=4", "n1")  # no GPUs
            + self.job(2, "RUNNING", 1000, 1010, "Unknown", h, h, "n1")  # in two exports: this one is the older
            + self.job(2, "COMPLETED", 1000, 1010, 1090, h, h, "n1")
            + self.job("2.batch", "COMPLETED", 1000, 1010, 1090, "", h, "n1")
            + self.job(3, "RESIZING", 1000, 1020, 1030, "gres/gpu=16", "gres/gpu=16", "n[1-2]")
            + self.job(3, "COMPLETED", 1000, 1030, 1050, "gres/gpu=16", h, "n1")
            + self.job(4, "PENDING", 1000, "Unknown", "Unknown", h, "")
            + self.job("5_[1-3]", "PENDING", 1000, "Unknown", "Unknown", h, "")
            + self.job(6, "REQUEUED", 1000, 1040, 1050, h, h, "n2")
            + self.job(6, "CANCELLED by 7", 1050, "None", 1060, h, "")
            + self.job(
                7,
                "COMPLETED",
                1000,
                1040,
                1050,
                "gres/gpu=1",
                h,
                "n2",
                '{"phase":"training","framework":"jax","step":1}',
            )
            + self.job(8, "COMPLETED", 1000, 1040, 1050, h, h, "n3", '["phase"]')
        )
        self.assertEqual(
            self.rows(
                "SELECT job, attempt, chips, start_time, end_time, outcome FROM allocations ORDER BY job, attempt, start_time"
            ),
            [
                ("2", 1, 8, 1010, 1090, "completed"),
                ("3", 1, 16, 1020, 1030, "released"),
                ("3", 1, 8, 1030, 1050, "completed"),
                ("6", 1, 8, 1040, 1050, "preempted"),
                ("6", 2, 0, 1060, 1060, "cancelled"),
                ("7", 1, 8, 1040, 1050, "completed"),
                ("8", 1, 8, 1040, 1050, "completed"),
            ],
        )
        self.assertEqual(
            self.rows("SELECT job, chips, min_chips, phase, framework, labels FROM jobs ORDER BY job"),
            [
                ("2", 8, None, None, None, "{}"),
                ("3", 16, 8, None, None, "{}"),
                ("4", 8, None, None, None, "{}"),
                ("5_[1-3]", 24, None, None, None, '{"array_job":5}'),
                ("6", 8, None, None, None, "{}"),
                ("7", 1, 8, "training", "jax", '{"phase":"training","framework":"jax","step":1}'),
                ("8", 8, None, None, None, "{}"),
            ],
        )
        self.assertEqual(self.rows("SELECT * FROM capacity"), [])

    def test_resized_jobs(self):
        """A job asks for what it requested first until it starts, and after a resize for what it then holds; after a requeue for what it requests then."""
        row = lambda state, at, until, gpus: self.job(
            1, state, 1000, at, until, f"gres/gpu={gpus}", f"gres/gpu={gpus}", "n1"
        )
        for rows, chips, queued in (
            (row("RESIZING", 1010, 1050, 16) + row("COMPLETED", 1050, 1100, 8), 16, 160),
            (row("RESIZING", 1010, 1050, 8) + row("COMPLETED", 1050, 1100, 16), 8, 80),
            (
                row("RESIZING", 1010, 1050, 16) + row("NODE_FAIL", 1050, 1060, 8) + row("COMPLETED", 1080, 1100, 16),
                16,
                160 + 20 * 8,
            ),
        ):
            self.map_text(rows)
            self.assertEqual([(chips, 8)], self.rows("SELECT chips, min_chips FROM jobs"))
            self.assertEqual(
                queued, self.one("SELECT sum(chip_us) / 1000000 FROM mpg_rollup WHERE category = 'queued'")
            )
            self.assertEqual(0, self.one("SELECT count(*) FROM mpg_rollup WHERE category = 'partial'"))

    def test_types_that_were_counted_from_a_day_on(self):
        """AccountingStorageTRES got gres/gpu:TYPE at 1000: of a cluster of one type all is one pool; of several, what was before is of no type."""
        one, typed = "gres/gpu=8", "gres/gpu=8,gres/gpu:h100=8"
        jobs = (
            self.job(1, "COMPLETED", 100, 100, 200, one, one, "n1")
            + self.job(2, "COMPLETED", 1100, 1100, 1200, typed, typed, "n1")
            + self.job(3, "COMPLETED", 1100, 1100, 1200, one, one, "n2")
        )
        nodes = "".join(
            f"c|Node|n{n}|{start}|{start + 100}|x|DOWN|{tres}\n"
            for n in (1, 2)
            for start, tres in ((300, one), (1300, typed))
        )
        self.map_text(
            jobs, "c|Cluster||0|1000|||gres/gpu=32\nc|Cluster||1000|2000|||gres/gpu=32,gres/gpu:h100=32\n" + nodes
        )
        self.assertEqual(
            self.rows(
                "SELECT DISTINCT pool FROM (SELECT pool FROM capacity UNION ALL SELECT pool FROM allocations UNION ALL SELECT pool FROM outages)"
            ),
            [("c",)],
        )
        self.assertEqual(
            self.rows(
                "SELECT pool, chip, category, sum(chip_us) / 1000000 FROM mpg_rollup GROUP BY pool, chip, category"
            ),
            [("c", "h100", "down", 3200), ("c", "h100", "idle", 64000 - 3200 - 2400), ("c", "h100", "untraced", 2400)],
        )
        self.map_text(
            jobs
            + self.job(
                4, "COMPLETED", 1100, 1100, 1200, "gres/gpu=8,gres/gpu:a100=8", "gres/gpu=8,gres/gpu:a100=8", "n3"
            ),
            "c|Cluster||0|1000|||gres/gpu=32\nc|Cluster||1000|2000|||gres/gpu=32,gres/gpu:h100=24,gres/gpu:a100=8\n"
            + nodes,
        )
        self.assertEqual(
            self.rows("SELECT job, pool FROM allocations ORDER BY job"),
            [("1", "c/gpu"), ("2", "c/h100"), ("3", "c/h100"), ("4", "c/a100")],
        )
        self.assertEqual(
            self.rows("SELECT pool, category, sum(chip_us) / 1000000 FROM mpg_rollup GROUP BY pool, category"),
            [
                ("c/a100", "idle", 7200),
                ("c/a100", "untraced", 800),
                ("c/gpu", "down", 1600),
                ("c/gpu", "idle", 32000 - 2400),
                ("c/gpu", "untraced", 800),
                ("c/h100", "down", 1600),
                ("c/h100", "idle", 24000 - 3200),
                ("c/h100", "untraced", 1600),
            ],
        )
        # GPUs of a type that is not counted beside others that are: two pools.
        self.map_text(jobs, "c|Cluster||0|2000|||gres/gpu=32,gres/gpu:h100=24\n")
        self.assertEqual(self.rows("SELECT pool, chips FROM capacity ORDER BY pool"), [("c/gpu", 8), ("c/h100", 24)])

    def test_a_comment_that_an_attempt_left(self):
        """AccountingStoreFlags=job_comment stores it when an attempt ends: of a job that was requeued and runs, or waits, only what came before has it."""
        said = '{"phase":"training","team":"x"}'
        self.map_text(
            self.job(1, "PREEMPTED", 1000, 1000, 1100, "gres/gpu=8", "gres/gpu=8", "n1", said)
            + self.job(1, "RUNNING", 1100, 1200, "Unknown", "gres/gpu=8", "gres/gpu=8", "n1")
            + self.job(2, "REQUEUED", 1000, 1000, 1100, "gres/gpu=8", "gres/gpu=8", "n1", said)
            + self.job(2, "PENDING", 1100, "Unknown", "Unknown", "gres/gpu=8", "")
            + self.job(3, "PREEMPTED", 1000, 1000, 1100, "gres/gpu=8", "gres/gpu=8", "n1", said)
            + self.job(3, "COMPLETED", 1100, 1200, 1300, "gres/gpu=8", "gres/gpu=8", "n1", "plain")
        )
        self.assertEqual(
            self.rows("SELECT job, phase, labels ->> '$.team' FROM jobs ORDER BY job"),
            [("1", "training", "x"), ("2", "training", "x"), ("3", None, None)],
        )

    def test_siblings_of_a_federation(self):
        """Every cluster lists the job; those that another one was quicker than say REVOKED, and asked for nothing that it did not."""
        fed = 1 << 26

        def job(number, state, start, end, alloc, cluster):
            return self.job(number, state, 1000, start, end, "gres/gpu=8", alloc, "", "", cluster)

        self.map_text(
            job(fed + 1, "COMPLETED", 1100, 1200, "gres/gpu=8", "a")
            + job(fed + 1, "REVOKED", "None", 1100, "", "b")
            + job(fed + 1, "REVOKED", "None", 1100, "", "c")
            + job(fed + 2, "REVOKED", "None", 1050, "", "b")  # ran where no export is from
            + job(fed + 3, "REVOKED", 1000, 1050, "gres/gpu=8", "b")
            + job(fed + 3, "COMPLETED", 1060, 1080, "gres/gpu=8", "a")
        )
        self.assertEqual(
            self.rows("SELECT job, sum(chips * (end_time - start_time)) FROM allocations GROUP BY job ORDER BY job"),
            [(f"a/{fed + 1}", 800), (f"a/{fed + 3}", 160), (f"b/{fed + 2}", 0), (f"b/{fed + 3}", 400)],
        )
        self.assertEqual(
            self.rows(
                "SELECT job, sum(chip_us) / 1000000 FROM mpg_rollup WHERE category = 'queued' GROUP BY job ORDER BY job"
            ),
            [(f"a/{fed + 1}", 800), (f"a/{fed + 3}", 480), (f"b/{fed + 2}", 400)],
        )

    def test_several_clusters(self):
        g = "gres/gpu=8"
        self.map_text(
            self.job(1, "COMPLETED", 1000, 1000, 1100, g, g, "n1", cluster="a")
            + self.job(1, "COMPLETED", 1000, 1000, 1200, g, g, "n1", cluster="b"),
            f"a|Cluster||900|1200|||{g}\nb|Cluster||900|1300|||{g}\nb|Node|n1|1150|1250||DOWN|{g}\n",
        )
        self.assertEqual(
            self.rows("SELECT job, pool, attempt FROM allocations ORDER BY job"), [("a/1", "a", 1), ("b/1", "b", 1)]
        )
        self.assertEqual(self.rows("SELECT pool, start_time, end_time FROM outages"), [("b", 1200, 1250)])

    def test_a_cluster_that_jobs_do_not_name(self):
        path = self.file("JobID|State|Submit|Start|End|AllocTRES\n1|COMPLETED|1000|1000|1100|gres/gpu=8\n")
        self.map(path, self.file(self.EVENT_HEADER + "pod|Cluster||900|1200|||gres/gpu=16\n"))
        self.assertEqual(self.rows("SELECT job, pool FROM allocations"), [("1", "pod")])
        self.map(path)
        self.assertEqual(self.rows("SELECT job, pool FROM allocations"), [("1", "slurm")])


if __name__ == "__main__":
    unittest.main()
