"""Slurm's JSON in small documents, of old releases and new ones: slurm_trace's columns by its members, and what it says of documents that are
wrong, cut or hostile."""

import gzip
import json
import os
import sqlite3
import threading
import unittest

from cases import Case, held
from slurm import SACCT


def number(value):
    return {"set": value is not None, "infinite": False, "number": value or 0}


class Shapes(Case):
    """Small documents, in the old shape and the new one."""

    def document(self, *jobs, **members):
        return self.file(json.dumps({"meta": {}, "errors": [], "jobs": jobs} | members), "x.json")

    def job(self, **members):
        return {
            "job_id": 7,
            "name": "j",
            "state": {"current": "RUNNING", "reason": "None"},
            "time": {"start": 1795240353, "end": 0, "submission": 1795240300},
            "tres": {"allocated": [{"type": "gres", "name": "gpu", "count": 2}], "requested": []},
        } | members

    def row(self, columns, job):
        return self.rows(f"SELECT {columns} FROM slurm_trace(?)", self.document(job))[0]

    def test_ids(self):
        for members, wanted in (
            ({}, ("7", "7", None, 1, None)),
            ({"array": {"job_id": 5, "task_id": 2, "task": None}}, ("5_2", "7", "2", 1, None)),
            ({"array": {"job_id": 5, "task_id": number(2), "task": ""}}, ("5_2", "7", "2", 1, None)),
            (
                {"array": {"job_id": 7, "task_id": number(None), "task": "1-3%2"}},
                ("7_[1-3%2]", "7", "[1-3%2]", 3, None),
            ),
            (
                {
                    "array": {"job_id": 0, "task_id": number(None), "task": ""},
                    "het": {"job_id": 6, "job_offset": number(1)},
                },
                ("6+1", "7", None, 1, 1),
            ),
        ):
            self.assertEqual(
                self.row("JobID, JobIDRaw, array_task, array_count, het_offset", self.job(**members)), wanted
            )
        for members, wanted in (
            ({"array_job_id": number(5), "array_task_id": number(0), "array_task_string": ""}, "5_0"),
            ({"array_job_id": 5, "array_task_id": None, "array_task_string": "0-1"}, "5_[0-1]"),
            ({"het_job_id": 6, "het_job_offset": 0}, "6+0"),
        ):
            self.assertEqual(self.row("JobID", {"job_id": 7, "job_state": ["PENDING"]} | members), (wanted,))

    def test_states(self):
        for current, by, wanted in (
            ("COMPLETED", None, ("COMPLETED", "completed", None)),
            (["CANCELLED"], "ada", ("CANCELLED", "cancelled", "ada")),
            (["FAILED"], "ada", ("FAILED", "failed", None)),
            (["RUNNING", "COMPLETING"], None, ("RUNNING", None, None)),
            ([], None, (None, None, None)),
        ):
            self.assertEqual(
                self.row(
                    "state_base, outcome, cancelled_by", self.job(state={"current": current}, kill_request_user=by)
                ),
                wanted,
            )

    def test_marks_without_a_state(self):
        """slurmdbd keeps of some records a mark alone. State 0 is PENDING, which the JSON puts before it, and sacct does not."""
        for current, wanted in (
            (["PENDING"], ("PENDING", None)),
            (["PENDING", "REQUEUED"], ("REQUEUED", "preempted")),
            (["PENDING", "RESIZING"], ("RESIZING", None)),
            (["PENDING", "REVOKED"], ("REVOKED", "cancelled")),
            (["PENDING", "SPECIAL_EXIT", "REQUEUED"], ("REQUEUED", "preempted")),
            (["PENDING", "POWER_UP_NODE"], ("PENDING", None)),
            (["COMPLETED", "REQUEUED"], ("COMPLETED", "completed")),
        ):
            self.assertEqual(self.row("state_base, outcome", self.job(state={"current": current})), wanted)
        # The controller's job waits again, but for one that runs on another cluster.
        for state, wanted in (
            (["PENDING", "REQUEUED"], "PENDING"),
            (["PENDING", "REQUEUED", "REQUEUE_HOLD"], "PENDING"),
            (["PENDING", "REVOKED"], "REVOKED"),
            (["RUNNING", "RESIZING"], "RUNNING"),
        ):
            self.assertEqual(self.row("state_base", {"job_id": 7, "job_state": state}), (wanted,))

    def test_values(self):
        job = self.job(
            exit_code={
                "status": ["SIGNALED"],
                "return_code": number(None),
                "signal": {"id": number(9), "name": "KILL"},
            },
            time={
                "start": number(1795240353),
                "end": number(None),
                "submission": 0,
                "limit": {"set": True, "infinite": True, "number": 0},
                "total": {"seconds": 3, "microseconds": 250000},
            },
            flags=["A", "B"],
            priority=number(5),
            reservation={"id": 0, "name": 0},
            comment={"job": 'a"\u00e9\n', "system": None},
            steps=[
                {"step": {"id": "7.batch", "name": "batch"}, "state": ["COMPLETED"]},
                {"step": {"id": {"step_id": "0"}, "name": "x"}, "state": "FAILED"},
            ],
        )
        self.assertEqual(
            self.row(
                'ExitCode, Start, "End", Submit, TimelimitRaw, TotalCPU, Flags, Priority, Reservation, Comment, SystemComment, alloc_gpus, req_gpus',
                job,
            ),
            ("0:9", 1795240353, None, None, None, 3.25, "A,B", 5, None, 'a"\u00e9\n', None, 2, 0),
        )
        self.assertEqual(
            self.rows("SELECT JobID, JobName, step, outcome, Submit FROM slurm_trace(?)", self.document(job)),
            [
                ("7", "j", None, None, None),
                ("7.batch", "batch", "batch", "completed", None),
                ("7.0", "x", "0", "failed", None),
            ],
        )
        self.assertEqual(self.row("ExitCode", {"job_id": 1, "job_state": "FAILED", "exit_code": 256}), ("1:0",))
        self.assertEqual(self.row("ExitCode", {"job_id": 1, "job_state": "FAILED", "exit_code": 9}), ("0:9",))

    def test_gres(self):
        for members, wanted in (
            ({"tres_per_job": "gres/gpu:a100:2,gres/gpu:h100:1"}, '{"a100":2,"h100":1}'),
            ({"tres_per_node": "gres:gpu:8", "node_count": 3}, '{"":24}'),
            ({"tres_per_task": "gres/gpu=2", "tasks": number(4)}, '{"":8}'),
            ({"tres_per_node": "gres/gpu", "node_count": number(2)}, '{"":2}'),
            ({"tres_per_node": "gres/shard:4"}, "{}"),
            ({"tres_per_job": "gres/gpu:4", "tres_req_str": "cpu=1,gres/gpu=3"}, '{"":3}'),
            ({"tres_per_job": "gres/gpu:99999999999999999999,,gres/gpu:x:y"}, "{}"),
        ):
            self.assertEqual(self.row("req_gpu_types", {"job_id": 1, "job_state": "PENDING"} | members), (wanted,))
        detail = {
            "job_id": 1,
            "job_state": ["RUNNING"],
            "nodes": "n1",
            "tres_alloc_str": "cpu=1",
            "gres_detail": ["gpu:h100:2(IDX:0,3),gpu:a100:1(IDX:4)", "gpu:h100:1(IDX:0)"],
        }
        self.assertEqual(self.row("alloc_gpu_types, alloc_gpus", detail), ('{"h100":3,"a100":1}', 4))

    def test_errors(self):
        head = 'expected jobs of sacct --json, squeue --json or slurmrestd (a member "jobs"), found members '
        for text, wanted in (
            ('{"meta": {}, "nodes": []}', ":1:1: " + head + '"meta, nodes" (nodes are read with slurm_nodes_trace)'),
            ("{}", ":1:1: " + head + '""'),
            ('{"jobs": [7]}', ":1:11: expected a job, an object"),
            ('{"jobs": [{"name": "x"}]}', ':1:1: expected a job with a number "job_id"'),
            ('{"jobs": [{"job_id": 1, "state": tru}]}', ":1:37: expected true"),
            ('{"jobs": [{"job_id": 1}', ":1:24: "),
        ):
            path = self.file(text, "x.json")
            self.assertTrue(
                self.error("SELECT * FROM slurm_trace(?)", path).startswith(f"slurm_trace: {path}{wanted}"),
                self.error("SELECT * FROM slurm_trace(?)", path),
            )
        for text, wanted in (
            ('{"jobs": []}', 'expected nodes of scontrol show node --json (a member "nodes"), found none'),
            ('{"sinfo": []}', "sinfo --json of 23.02 and later lists groups of nodes"),
            (
                "PARTITION AVAIL\n",
                'expected nodes of scontrol show node, such as NodeName=n1 Arch=x86_64 ..., found "PARTITION AVAIL"',
            ),
            (
                '[{"name": "n1"}]',
                'expected nodes of scontrol show node, such as NodeName=n1 Arch=x86_64 ..., found "[{"name": "n1"}]"',
            ),
            ('{"nodes": [{}]}', 'expected a node with a "name"'),
        ):
            self.assertIn(wanted, self.error("SELECT * FROM slurm_nodes_trace(?)", self.file(text, "x.json")))

    def test_skipped(self):
        path = self.document(self.job(), {"name": "x"}, 7, self.job(job_id=8))
        self.assertEqual(self.rows("SELECT JobID FROM slurm_trace(?) WHERE on_error = 'skip'", path), [("7",), ("8",)])
        self.assertEqual(self.issues(path), {"skipped_record": 2, "no_requeues": 1})

    def test_compressed_documents_in_a_row_and_folders(self):
        text = json.dumps({"jobs": [self.job()]})
        path = self.file(gzip.compress((text + "\n" + text).encode()), "x.json.gz")
        with open(os.path.dirname(path) + "/y.psv", "w", encoding="utf-8") as file:
            file.write("JobID|State|AllocTRES\n9|FAILED|\n9|FAILED|\n")
        self.assertEqual(
            self.rows("SELECT JobID FROM slurm_trace(?)", os.path.dirname(path)), [("7",), ("7",), ("9",), ("9",)]
        )

    def test_hostile_documents(self):
        for text in (
            '{"jobs": [{"job_id": 1, "state": ' + "[" * 600 + "]" * 600 + "}]}",
            '{"jobs": [{"job_id": {"set": 1}}]}',
            '{"jobs": [{"job_id": 1, "job_id": 2}]}',
            '{"jobs": {"job_id": 1}}',
            '{"jobs": [{"job_id": 1e400}]}',
            "{",
            '{"jobs": [' + "{}," * 100000,
            '{"jobs": [{"job_id": "1"}]}',
        ):
            path = self.file(text, "x.json")
            with self.assertRaisesRegex(sqlite3.DatabaseError, "^slurm_trace: "):
                self.rows("SELECT * FROM slurm_trace(?)", path)
            if "[[[" not in text:  # too deep is a limit, which nothing passes over
                self.rows("SELECT * FROM slurm_trace(?) WHERE on_error = 'skip'", path)
        self.assertEqual(
            self.row(
                "JobID, State, Start",
                {"job_id": 1, "state": 5, "time": [], "tres": {"allocated": {"x": 1}}, "steps": {"a": 1}},
            ),
            ("1", None, None),
        )

    def test_memory_does_not_grow_with_the_file(self):
        peaks, job = [], json.dumps(self.job(steps=[{"step": {"id": "batch"}}] * 3)) + ","
        for times in (2000, 60000):
            path = self.file('{"jobs": [' + (job * times)[:-1] + "]}", "x.json")
            self.assertEqual(self.one("SELECT count(*) FROM slurm_trace(?)", path), 4 * times)
            peaks.append(held())
        self.assertLess(peaks[1] - peaks[0], 40 * 1024)  # kB; the text that this test itself makes is 20 MB

    def test_interrupt(self):
        path = self.file(
            '{"jobs": [' + (json.dumps(self.job()) + ",") * 100000 + json.dumps(self.job()) + "]}", "x.json"
        )
        timer = threading.Timer(0.05, self.db.interrupt)
        timer.start()
        self.assertEqual(
            self.error("SELECT count(*) FROM slurm_trace(?), (SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3)", path),
            "interrupted",
        )
        timer.join()

    def test_texts_outlive_their_row(self):
        self.assertEqual(
            self.rows("SELECT max(Start), JobName, NodeList FROM slurm_trace(?)", SACCT),
            [(1795240530, "low-preemptee", "n[2-4]")],
        )


if __name__ == "__main__":
    unittest.main()
