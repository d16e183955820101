"""Malformed input of schedulers, reader by reader: what was expected, what was found, and where; and input that only looks malformed."""

import sqlite3
import unittest

from malformed import Case


class Kube(Case):
    def test_objects(self):
        self.refused(
            "kube_trace",
            {
                '{"kind": "Status", "status": "Failure", "message": "forbidden: no"}': "1:1: expected objects of Kubernetes, found the API server's Status: forbidden: no",
                "apiVersion: v1\nkind: List\n": '1:1: expected objects of Kubernetes as JSON (kubectl get ... -o json), found "apiVersion: v1" '
                "(YAML: export with -o json)",
                '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "name": "b"}}': '1:1: expected each key once in "metadata", found one again',
            },
        )

    def test_elements(self):
        """A key twice within an element of a list, be it of owners or containers."""
        for member in (
            '"metadata": {"name": "a", "ownerReferences": [{"kind": "Job", "kind": "Job"}]}',
            '"metadata": {"name": "a"}, "status": {"containerStatuses": [{"name": "a", "name": "b"}]}',
        ):
            self.refused(
                "kube_trace",
                {
                    '{"apiVersion": "v1", "kind": "Pod", '
                    + member
                    + "}": '1:1: expected each key once in "", found one again'
                },
            )

    @staticmethod
    def containers(amount, n):
        return '"containers": [' + ", ".join(['{"resources": {"limits": {"nvidia.com/gpu": "%s"}}}' % amount] * n) + "]"

    def test_too_many_chips(self):
        """2^50 millionths of a chip are the most, of a container, a pod, and all pods of a job."""
        pod = '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {%s}}'
        job = '{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"}, "spec": {"parallelism": %d, "template": {"spec": {%s}}}}'
        self.assertEqual([(1125899.0,)], self.read("kube_trace", pod % self.containers("1125899", 1), "chips"))
        self.assertEqual([(999.0 * 1125899,)], self.read("kube_trace", pod % self.containers("1125899", 999), "chips"))
        self.assertEqual(
            [(1000.0 * 1000000,)], self.read("kube_trace", job % (1000, self.containers("1000000", 1)), "chips")
        )
        self.refused(
            "kube_trace",
            {
                pod % self.containers("1125900", 1): '1:1: expected a number of chips for "quantity", found "1125900"',
                pod % self.containers("1125899", 1002): "1:1: expected a number of chips, found too many",
                job % (1200, self.containers("1000000", 1)): "1:1: expected a number of chips, found too many",
            },
        )

    def test_watches(self):
        """What the API server says in the middle of a watch is an issue."""
        for message, detail in (('"message": "too old"', "too old"), ('"code": 410', "the watch ended with an error")):
            self.assertEqual(
                [], self.read("kube_trace", '{"type": "ERROR", "object": {"kind": "Status", ' + message + "}}\n")
            )
            self.assertEqual([("watch_error", 1, detail)], self.issues())


class Slurm(Case):
    """JSON of Slurm: the objects within a job, or node, are taken apart when all of it is there."""

    AGAIN = "expected each key of an object once, found one again"

    def test_keys_that_repeat(self):
        self.refused(
            "slurm_trace",
            {
                '{"jobs": [\n{"job_id": 1},\n{"job_id": 2, ' + member + "}]}": "3:1: " + self.AGAIN
                for member in (
                    '"time": {"start": 1, "start": 2}',
                    '"array": {"job_id": 1, "job_id": 2}',
                    '"het": {"job_id": 1, "job_id": 2}',
                    '"state": {"current": ["A"], "current": ["B"]}',
                    '"tres": {"allocated": [], "allocated": []}',
                    '"steps": [{"step": {"id": "1.0", "id": "1.1"}}]',
                    '"steps": [{"step": {"id": "1.0"}, "tres": {"allocated": [], "allocated": []}}]',
                )
            },
        )
        self.refused(
            "slurm_trace",
            {
                '{"meta": {},\n"errors": [{"error": "x", "error": "y"}], "jobs": []}': "2:1: " + self.AGAIN,
                '{"jobs": [\n{"job_id": {"set": true, "number": 3, "number": 4}}]}': "2:1: " + self.AGAIN,
            },
        )
        self.refused(
            "slurm_nodes_trace",
            {
                '{"nodes": [{"name": "a"},\n{"cpus": {"set": true, "number": 1, "number": 2}}]}\n': "2:1: "
                + self.AGAIN,
                '{"nodes": [\n{"name": "a", "name": "b"}]}\n': "2:1: " + self.AGAIN,
            },
        )

    def test_one_is_left_out(self):
        text = '{"jobs": [\n{"job_id": 1},\n{"job_id": 2, "time": {"start": 1, "start": 2}},\n{"job_id": 1}]}'
        self.assertEqual([("1",), ("1",)], self.read("slurm_trace", text, "JobID", ") WHERE on_error = (?", "skip"))
        self.assertEqual([("skipped_record", 1, f"{self.input}:3:1: {self.AGAIN}")], self.issues())

    def test_errors_of_the_export(self):
        """What slurmrestd says went wrong is an issue, in any of its forms; a list of none is none."""
        for errors, detail in (
            ('[{"error": "x"}]', "x"),
            ('[{"error": "x", "description": "y"}, {}]', "y"),
            ('["no"]', ""),
            ("[]", None),
            ("7", None),
        ):
            self.assertEqual([], self.read("slurm_trace", '{"errors": %s, "jobs": []}' % errors))
            self.assertEqual(
                [] if detail is None else ["the export says: " + detail], [text for _, _, text in self.issues()]
            )
        self.refused("slurm_trace", {'{"errors": [], "jobs": [7]}': "1:25: expected a job, an object"})


class Sacct(Case):
    def test_fields(self):
        """Of each type what it should be."""
        self.refused(
            "slurm_trace",
            {
                f"JobID|State|{field}\n1|RUNNING|{value}\n": f'2:11: expected {what} for {field}, found "{value}"'
                for field, value, what in (
                    ("Start", "soon", "a time such as 2026-11-21T05:52:33 or Unix seconds"),
                    ("Elapsed", "soon", "a duration such as 1-02:03:04"),
                    ("AllocCPUS", "x", "a number"),
                    ("ExitCode", "x", "an exit code such as 0:9"),
                    ("Flags", "a b", "words with commas between"),
                    ("AllocTRES", "gres/gpu=x", "a list such as cpu=8,gres/gpu=4"),
                    ("TRESUsageInAve", "cpu", "a list such as cpu=8,gres/gpu=4"),
                    ("AllocTRES", "gres/gpu:a=9223372036854775807,gres/gpu:b=9", "a list such as cpu=8,gres/gpu=4"),
                )
            },
        )
        job_id = "a job id such as 123, 123_4, 123+0 or 123.batch"
        self.refused(
            "slurm_trace",
            {
                f"JobID|State\n{value}|RUNNING\n": f'2:1: expected {job_id} for JobID, found "{value}"'
                for value in ("1_[", "1_[1-2", "1_", "x", "1_[2-1]")
            },
        )

    def test_fields_that_are_too_few(self):
        head = "JobID|State|SubmitLine|WorkDir\n"
        self.refused(
            "slurm_trace",
            {
                head
                + "1|RUNNING|x\n": "2:12: expected 4 fields, found 3, and the lines that follow do not complete them",
                head
                + "1|RUNNING|x|/w\nhello|\n": "3:7: expected 4 fields, found 2, and the lines that follow do not complete them",
            },
        )
        self.assertEqual(
            [("1", "two\nlines"), ("2", "x")],
            self.read("slurm_trace", head + "1|RUNNING|two\nlines|/w\n2|RUNNING|x|/w\n", "JobID, SubmitLine"),
        )


class SlurmNodes(Case):
    def test_values(self):
        self.refused(
            "slurm_nodes_trace",
            {
                '{"nodes":[7]}': "1:11: expected a node, an object",
                '{"sinfo":[]}': '1:1: expected nodes of scontrol show node --json (a member "nodes"), found none (sinfo --json of 23.02 and later lists '
                "groups of nodes; jobs are read with slurm_trace)",
                '{"nodes":[{"name":"a"}]}\n7\n': "2:1: expected the object that scontrol show node --json writes",
                "NodeName=b\nNodeName=a\n"
                + (" Comment=" + "x" * 1000 + "\n") * 1100: "2:1: a node of more than 1048576 bytes",
                "NodeName=a CPUTot=x\n": '1:1: expected a whole number for CPUTot, found "x"',
                "NodeName=a BootTime=soon\n": '1:1: expected a time such as 2026-11-21T05:12:40 for BootTime, found "soon"',
                "NodeName=a Reason=bad [root@soon]\n": '1:1: expected a time such as 2026-11-21T05:12:40 for ReasonTime, found "soon"',
            },
        )

    def test_lists(self):
        """Of a list of texts what is one; as long as a node is no more than a MiB its lines go on."""
        self.assertEqual(
            [("a", "IDLE+DRAIN")],
            self.read("slurm_nodes_trace", '{"nodes":[{"name":"a","state":["IDLE",7,"DRAIN"]}]}\n', "NodeName, State"),
        )
        self.assertEqual(
            [("a",)],
            self.read("slurm_nodes_trace", "NodeName=a\n" + (" Comment=" + "x" * 1000 + "\n") * 1000, "NodeName"),
        )

    def test_times_of_a_zone(self):
        for text, seconds, issue in (
            ("2024-10-27T02:30:00", 1729989000, "repeated_time"),
            ("2024-03-31T02:30:00", 1711848600, "skipped_time"),
        ):
            self.assertEqual(
                [("xid 79", seconds)],
                self.read(
                    "slurm_nodes_trace",
                    f"NodeName=a Reason=xid 79  [root@{text}]  \n",
                    "Reason, ReasonTime",
                    ") WHERE zone = (?",
                    "Europe/Berlin",
                ),
            )
            self.assertEqual([issue], [kind for kind, _, _ in self.issues()])


class Swf(Case):
    def test_header(self):
        """A header has an end, be it at 4 MiB."""
        path = self.file("; Version: 2\n" + ("; Note: " + "x" * 1000 + "\n") * 5000, "long.swf")
        with self.assertRaises(sqlite3.DataError) as raised:
            self.db.execute("SELECT * FROM swf_trace(?)", (path,)).fetchall()
        self.assertRegex(
            str(raised.exception), f"^swf_trace: {path}:41[0-9]{{2}}:1: header of more than 4194304 bytes$"
        )


if __name__ == "__main__":
    unittest.main()
