"""What slurm_trace and slurm_events_trace say of the recorded files, held against a reading of them in Python; and of what they are not."""

import csv
import os
import subprocess
import unittest

from fleets import ROOT
from slurm import DERIVED, EPOCH, EVENTS, FIXTURES, JOBS, SREPORT, STEPS, Case, expected_value, read_plain

QUOTED = " (quoted as CSV, which Slurm never does: .import --csv it, and write it in .mode list)"


class Files(Case):
    def columns(self, table):
        return [row[0] for row in self.rows("SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0", table)]

    def compare(self, table, path):
        header, records = read_plain(path)
        if header[-1] == "":
            header, records = header[:-1], [record[:-1] for record in records]
        fields = [name.replace(" ", "") for name in header]
        listed = ", ".join(f'"{name}"' for name in fields)
        found = self.rows(f"SELECT {listed}, _line FROM {table}(?)", path)
        wanted = [tuple(map(expected_value, fields, record)) + (i + 2,) for i, record in enumerate(records)]
        self.assertEqual(found, wanted)
        self.assertEqual([list(map(type, row)) for row in found], [list(map(type, row)) for row in wanted])
        absent = [f'"{name}"' for name in self.columns(table) if name not in fields and name not in DERIVED]
        if table == "slurm_trace":
            self.assertEqual(
                set(self.rows(f"SELECT {', '.join(absent)} FROM {table}(?)", path)), {(None,) * len(absent)}
            )
        return len(found)

    def test_every_recorded_file(self):
        sizes = {
            "sacct_jobs.psv": 29,
            "sacct_jobs_epoch.psv": 29,
            "sacct_jobs_steps.psv": 62,
            "sacct_all_fields.psv": 62,
            "sacct_jobs_nodup.psv": 26,
            "sacct_default.p": 29,
        }
        for name, size in sizes.items():
            with self.subTest(name):
                self.assertEqual(self.compare("slurm_trace", os.path.join(FIXTURES, name)), size)
        self.assertEqual(self.compare("slurm_events_trace", EVENTS), 9)

    def test_the_recorded_field_list(self):
        """Every field that sacct 22.05 lists is a column."""
        path = os.path.join(ROOT, "../shared/traces/slurm/sacct_fields.txt")
        if not os.path.exists(path):
            self.skipTest("../shared is not here")
        with open(path, encoding="ascii") as file:
            fields = file.read().split()
        self.assertGreater(len(fields), 100)
        self.assertEqual(set(fields) - set(self.columns("slurm_trace")), set())

    def test_local_and_epoch_exports_agree(self):
        listed = ", ".join(f'"{name}"' for name in self.columns("slurm_trace"))
        self.assertEqual(
            self.rows(f"SELECT {listed} FROM slurm_trace(?)", JOBS),
            self.rows(f"SELECT {listed} FROM slurm_trace(?)", EPOCH),
        )

    def test_other_output_is_refused(self):
        fixed = self.file("JobID           JobName  Partition \n------------ ---------- ----------\n1  a b\n")
        unnamed = " (exported with -n? then name the fields in the argument columns)"
        for path, first, hint in (
            (SREPORT, "-" * 44 + "...", unnamed),
            (
                EVENTS,
                "Cluster|Cluster Nodes|Event|NodeName|TimeSta...",
                " (a header of sacctmgr show event: read it with slurm_events_trace)",
            ),
            (
                self.file("JOBID|NAME|STATE|REASON|SUBMIT_TIME|START_TIME\n"),
                "JOBID|NAME|STATE|REASON|SUBMIT_TIME|START_TI...",
                " (a header of squeue: export it with --json)",
            ),
            (
                self.file("NodeName=n1 Arch=x86_64\n"),
                "NodeName=n1 Arch=x86_64",
                " (nodes of scontrol: read them with slurm_nodes_trace)",
            ),
            (self.file('"JobID"|"State"\n'), '"JobID"|"State"', QUOTED),
            (fixed, "JobID           JobName  Partition ", " (fixed-width output: export it with -P)"),
        ):
            self.assertEqual(
                self.error("SELECT * FROM slurm_trace(?)", path),
                f'slurm_trace: {path}:1:1: expected a header of sacct field names such as JobID|State|Start, found "{first}"{hint}',
            )
        for path, first, hint in (
            (JOBS, "JobIDRaw|JobID|JobName|Cluster|User|Account|...", " (a header of sacct: read it with slurm_trace)"),
            (
                self.file("NodeName=n1 Arch=x86_64\n"),
                "NodeName=n1 Arch=x86_64",
                " (nodes of scontrol: read them with slurm_nodes_trace)",
            ),
            (self.file('{"events": []}'), '{"events": []}', " (JSON: export events with -P)"),
            (self.file("a|b\n"), "a|b", unnamed),
        ):
            self.assertEqual(
                self.error("SELECT * FROM slurm_events_trace(?)", path),
                f'slurm_events_trace: {path}:1:1: expected a header of sacctmgr show event field names such as Cluster|NodeName|TimeStart, found "{first}"{hint}',
            )

    def test_quoted_as_csv(self):
        """What a data frame wrote of an export is refused, and the way back that is advised leads back."""
        with open(JOBS, encoding="utf-8", newline="") as file:
            records = list(csv.reader(file, delimiter="|", quoting=csv.QUOTE_NONE))
        for quoting, at in (
            (csv.QUOTE_ALL, "1:1: expected a header"),
            (csv.QUOTE_MINIMAL, f"expected {len(records[0])} fields, found"),
        ):
            path, back = self.file(""), self.file("")
            with open(path, "w", encoding="utf-8", newline="") as file:
                csv.writer(file, quoting=quoting, lineterminator="\n").writerows(records)
            error = self.error("SELECT * FROM slurm_trace(?)", path)
            self.assertIn(at, error)
            self.assertTrue(error.endswith(QUOTED), error)
            subprocess.run(
                [
                    "sqlite3",
                    ":memory:",
                    f".import --csv {path} t",
                    ".headers on",
                    ".mode list",
                    f".once {back}",
                    "SELECT * FROM t",
                ],
                check=True,
            )
            columns = ", ".join(f'"{name}"' for name in self.columns("slurm_trace"))
            self.assertEqual(
                self.rows(f"SELECT {columns} FROM slurm_trace(?)", back),
                self.rows(f"SELECT {columns} FROM slurm_trace(?)", JOBS),
            )

    def test_numbers_that_are_none(self):
        """Energy of nodes that do not measure it is what Slurm has for no number."""
        path = self.file(
            "JobID|State|ConsumedEnergyRaw|Priority|AllocTRES\n1|COMPLETED|18446744073709551614|18446744073709551615|energy=18446744073709551614,gres/gpu=2\n"
        )
        self.assertEqual(
            self.rows("SELECT ConsumedEnergyRaw, Priority, alloc_gpus FROM slurm_trace(?)", path), [(None, None, 2)]
        )
        path = self.file("JobID|State|ConsumedEnergyRaw\n1|COMPLETED|18446744073709551613\n")
        self.assertIn(
            'expected a number for ConsumedEnergyRaw, found "18446744073709551613"',
            self.error("SELECT * FROM slurm_trace(?)", path),
        )

    def test_steps_and_arrays(self):
        self.assertEqual(
            self.rows("SELECT step, count(*) FROM slurm_trace(?) GROUP BY step ORDER BY step", STEPS),
            [(None, 29), ("0", 4), ("1", 1), ("2", 1), ("batch", 27)],
        )
        self.assertEqual(
            self.rows(
                "SELECT JobID, job_base, array_task, array_count, step FROM slurm_trace(?) WHERE JobIDRaw LIKE '18%'",
                STEPS,
            ),
            [("18_4", 18, "4", 1, None), ("18_4.batch", 18, "4", 1, "batch")],
        )

    def test_derived_columns(self):
        self.assertEqual(
            self.rows(
                "SELECT State, state_base, cancelled_by, outcome, alloc_gpus, req_gpus, gpu_type, alloc_gpu_types, nodes "
                "FROM slurm_trace(?) WHERE JobIDRaw IN ('12', '14') ORDER BY _line",
                JOBS,
            ),
            [
                ("PREEMPTED", "PREEMPTED", None, "preempted", 24, 24, "h100", '{"h100":24}', '["n1","n2","n4"]'),
                ("CANCELLED by 0", "CANCELLED", "0", "cancelled", 0, 40, "h100", "{}", None),
                ("COMPLETED", "COMPLETED", None, "completed", 24, 24, "h100", '{"h100":24}', '["n2","n3","n4"]'),
            ],
        )
        path = self.file(
            "JobID|State|AllocTRES|NodeList\n1|RUNNING|gres/gpu=8,gres/gpu:a100=4|gpu-[01-02]\n"
            "2+1|FROBBED|gres/gpu:a100=4,gres/gpu:v100=2|x\n3_[1-3,9%2]|PENDING||None assigned\n"
        )
        self.assertEqual(
            self.rows(
                "SELECT outcome, alloc_gpus, gpu_type, alloc_gpu_types, nodes, req_gpus, het_offset, array_count FROM slurm_trace(?)",
                path,
            ),
            [
                (None, 8, None, '{"a100":4,"":4}', '["gpu-01","gpu-02"]', None, None, 1),
                (None, 6, None, '{"a100":4,"v100":2}', '["x"]', None, 1, 1),
                (None, 0, None, "{}", None, None, None, 4),
            ],
        )
        self.assertEqual(
            self.rows(
                "SELECT DISTINCT state_base, gpus, gpu_type, gpu_types FROM slurm_events_trace(?) ORDER BY 1", EVENTS
            ),
            [
                (None, 32, "h100", '{"h100":32}'),
                ("DOWN", 8, "h100", '{"h100":8}'),
                ("DRAIN", 8, "h100", '{"h100":8}'),
                ("INVAL", 8, "h100", '{"h100":8}'),
            ],
        )


if __name__ == "__main__":
    unittest.main()
