"""mpg_build of exports of other windows of time: a window that is missing, or that comes later, changes nothing that the others tell."""

import copy
import itertools
import json
import os
import unittest

from built_case import BuiltCase
from job_logs import pod
from retold import EVENTS, JOBS, T, event, job, kube, node_object

MPG_FULL = os.environ.get("MPG_FULL")


def size(start, end, gpus):
    return event("Cluster", "", start, end, f"gres/gpu={gpus}", "Cluster Registered TRES")


def out(node, start, end, reason="ticket 7"):
    return event("Node", node, start, end, "gres/gpu=8", reason, "DRAIN")


def runs(number, submit, start, made, **options):
    """A job that runs when the export is made."""
    return job(number, "RUNNING", submit, start, None, **options).replace("|1000|1|", f"|{made - start}|1|")


class Windows(BuiltCase):
    def built(self, windows):
        """The tables after a build of each window, which has jobs and events, or of all at once."""
        db = self.after(self.build, windows)
        asks = "SELECT job, chips, (submit_us / 1000000) - ? FROM jobs ORDER BY 1"
        return (
            db.execute("SELECT pool, job, category, sum(chip_us) / 1000000 FROM ledger GROUP BY 1, 2, 3").fetchall(),
            self.held(db),
            db.execute(asks, (T,)).fetchall(),
        )

    def held(self, db):
        return db.execute(
            "SELECT job, attempt, chips, start_us / 1000000 - ?1, end_us / 1000000 - ?1, outcome FROM allocations ORDER BY 1, 4",
            (T,),
        ).fetchall()

    def build(self, db, windows):
        files = {}
        for i, (jobs, events) in enumerate(windows):
            files.update({f"jobs{i}.psv": JOBS + jobs, f"events{i}.psv": EVENTS + events})
        self.build_files(db, files)

    def build_files(self, db, files):
        db.execute("SELECT mpg_build(?)", (self.folder_of(files),)).fetchall()

    def said(self, windows):
        return {kind for (kind,) in self.after(self.build, windows).execute("SELECT kind FROM issues")}

    def test_a_cluster_that_grew_meanwhile(self):
        """Two rows of what it had, both without an end: the later one ends the earlier, and both never count at once."""
        windows = [
            (job(1, "COMPLETED", 0, 0, 1000), size(-3600, None, 16)),
            (job(2, "COMPLETED", 0, 5000, 6000), size(4000, None, 24)),
        ]
        installed = 16 * 7600 + 24 * 2000
        for order in (windows, windows[::-1]):
            ledger = self.built([[window] for window in order])[0]
            self.assertEqual(
                installed, sum(chips for _, _, category, chips in ledger if category != "queued"), order[0]
            )
            self.assertIn("lost_end", self.said([[window] for window in order]))
        told = (job(3, "COMPLETED", 0, 2000, 2500), size(-3600, 3000, 16) + size(3000, 4000, 32))
        for order in itertools.permutations([*windows, told]):
            ledger = self.built([[window] for window in order])[0]
            self.assertEqual(
                16 * 6600 + 32 * 1000 + 24 * 2000,
                sum(chips for _, _, category, chips in ledger if category != "queued"),
            )

    def test_a_requeue_meanwhile(self):
        """What ran in the one window, and was submitted again before the other, ended then; it did not hold its chips until it began anew."""
        first = (runs(1, 0, 10, 500), size(-3600, None, 16))
        last = (job(1, "COMPLETED", 2000, 4000, 4500) + runs(9, 0, 4000, 5000, node="n9"), size(-3600, None, 16))
        for order in ([first, last], [last, first]):
            _, held, asks = self.built([[window] for window in order])
            self.assertEqual(
                [("1", 1, 8, 10, 2000, None), ("1", 2, 8, 4000, 4500, "completed")],
                [row for row in held if row[0] == "1"],
            )
            self.assertIn(("1", 8, 0), asks)
        waits = (job(1, "PENDING", 2000, None, None) + runs(9, 0, 4000, 5000, node="n9"), size(-3600, None, 16))
        self.assertEqual(self.built([[first, waits]])[0], self.built([[first], [waits]])[0])

    def test_what_waited_and_is_gone(self):
        """A job that waits for its next attempt, and that the next window lacks, asked until it was last seen, which is said."""
        first = (
            job(1, "PREEMPTED", 0, 0, 300) + job(1, "PENDING", 300, None, None) + runs(9, 0, 0, 1000, node="n9"),
            size(-3600, None, 16),
        )
        last = (runs(9, 0, 0, 9000, node="n9"), size(-3600, None, 16))
        ledger = self.built([[first], [last]])[0]
        self.assertEqual([8 * 700], [chips for _, job, category, chips in ledger if (job, category) == ("1", "queued")])
        self.assertIn("lost_end", self.said([[first], [last]]))

    def test_what_waited_and_is_told_later(self):
        """A job that waits in an older export alone, which has nothing else that is new: it is listed in either order."""
        first = (job(1, "PENDING", 0, None, None), size(-3600, None, 16))
        last = (runs(9, 0, 0, 9000, node="n9"), size(-3600, None, 16))
        for order in ([first, last], [last, first]):
            self.assertIn("lost_end", self.said([[window] for window in order]))

    def test_another_node_that_is_out(self):
        """The outage of a node that is over is not gone on with by that of another, however alike."""
        first = (runs(9, 0, 0, 1000), size(-3600, None, 16) + out("n2", 500, None))
        last = (runs(9, 0, 0, 9000), size(-3600, None, 16) + out("n3", 6000, 7000))
        for order in ([first, last], [last, first]):
            ledger = self.built([[window] for window in order])[0]
            self.assertEqual([8 * 500 + 8 * 1000], [chips for _, _, category, chips in ledger if category == "down"])
            self.assertIn("lost_end", self.said([[first], [last]]))

    def test_a_window_that_comes_later(self):
        """In every order the tables are those of all windows at once, also where nothing runs in one, which does not say until when it observes."""
        for made in (True, False):
            ran = [runs(9, 0, 0, at, node="n9") if made else "" for at in (1500, 3500, 9000)]
            windows = [
                (
                    job(1, "PREEMPTED", 0, 10, 900)
                    + job(1, "PENDING", 900, None, None)
                    + runs(2, 0, 20, 1500)
                    + ran[0],
                    size(-3600, None, 16) + out("n2", 1000, None),
                ),
                (
                    job(1, "NODE_FAIL", 900, 1600, 2000)
                    + job(1, "PENDING", 2000, None, None)
                    + job(2, "PREEMPTED", 0, 20, 2500)
                    + ran[1],
                    size(-3600, 3000, 16) + size(3000, None, 24) + out("n2", 1000, 1900),
                ),
                (
                    job(1, "COMPLETED", 2000, 4000, 5000) + job(2, "COMPLETED", 2500, 4000, 4500) + ran[2],
                    size(3000, None, 24) + out("n3", 6000, 6500),
                ),
            ]
            once = self.built([windows])
            self.assertEqual([1, 2, 3], [row[1] for row in once[1] if row[0] == "1"])
            for order in itertools.permutations(windows) if made or MPG_FULL else [[windows[i] for i in (0, 2, 1)]]:
                with self.subTest(made=made, order=[windows.index(window) for window in order]):
                    self.assertEqual(once, self.built([[window] for window in order]))
            self.assertEqual(once, self.built([[window] for window in (*windows, windows[0])]))

    def test_pieces_of_a_job_that_later_windows_lack(self):
        """A resized job needs the fewest chips that it held, also where a later export has its last piece alone, running or ended."""
        pieces = (
            job(1, "RESIZING", 0, 0, 400, chips=64)
            + job(1, "RESIZING", 0, 400, 700, chips=48, asked=64)
            + job(1, "RESIZING", 0, 700, 900, chips=32, asked=64)
        )
        last = {"chips": 60, "asked": 64}
        windows = [
            (pieces + runs(1, 0, 900, 1500, **last), size(-3600, None, 64)),
            (runs(1, 0, 900, 3000, **last), size(-3600, None, 64)),
            (job(1, "COMPLETED", 0, 900, 4000, **last) + runs(9, 0, 5000, 6000, node="n9"), size(-3600, None, 64)),
        ]
        once = self.built([windows])
        self.assertNotIn("partial", {row[2] for row in once[0]})
        for order in ((0, 1, 2), (0, 2), (0, 2, 1), (0, 1, 0, 2), (0, 1, 2, 2)):
            with self.subTest(order=order):
                self.assertEqual(once, self.built([[windows[i]] for i in order]))

    def test_an_array_whose_tasks_are_told_later(self):
        """It waited in the first window and is gone in the last: its last task, which goes by its id, asks for what a task does, and is whole."""
        first = (job("5_[1-3]", "PENDING", 0, None, None, raw=5) + runs(9, 0, 0, 500, node="n9"), size(-3600, None, 16))
        tasks = "".join(
            job(f"5_{i}", "COMPLETED", 0, 600 * i, 600 * i + 500, raw=raw) for i, raw in ((1, 6), (2, 7), (3, 5))
        )
        between = (tasks + runs(9, 0, 0, 3000, node="n9"), size(-3600, None, 16))
        last = (runs(9, 0, 0, 9000, node="n9"), size(-3600, None, 16))
        once = self.built([[first, between, last]])
        for order in ([first, last, between], [last, between, first]):
            self.assertEqual(once, self.built([[window] for window in order]))

    def test_an_older_export_that_is_built_again(self):
        """What it tells without an end has the end that the tables have: of a cluster's size, of an outage, and of a node of Kubernetes."""
        first = (runs(9, 0, 0, 1000), size(-3600, None, 16) + out("n2", 500, None))
        last = (runs(9, 0, 0, 9000), size(4000, None, 24) + out("n3", 6000, 7000))
        once = self.built([[first], [last]])
        self.assertEqual(once, self.built([[first], [last], [first]]))

        def listing(heard, ready, since):
            node = node_object("np", heard=heard)
            node["status"]["conditions"][0].update(status=ready, lastTransitionTime=f"2026-03-01T{since}:00Z")
            return kube(node)

        states = [
            listing("09:00", "False", "08:30"),
            listing("10:00", "False", "08:30"),
            listing("12:00", "True", "11:00"),
        ]
        for order in ((2, 1, 0), (0, 2, 1), (0, 1, 2, 0), (0, 1, 2, 1)):
            db = self.after(self.build_files, [states[i] for i in order])
            ((down,),) = db.execute("SELECT sum(chip_us) / 1000000 FROM ledger WHERE category = 'down'").fetchall()
            self.assertLessEqual(down, 8 * 9000, order)  # from 08:30 to 11:00

    def test_attempts_in_the_midst_that_a_later_listing_lacks(self):
        """Pods that failed are listed until the end, and those that were deleted are not: attempts keep their numbers."""

        def event(kind, thing, version):
            told = copy.deepcopy(thing)
            told["metadata"]["resourceVersion"] = str(version)
            return json.dumps({"type": kind, "object": told}) + "\n"

        def running(thing):
            at = thing["status"]["startTime"]
            state = [{"name": "c", "state": {"running": {"startedAt": at}}}]
            return {**thing, "status": {**thing["status"], "phase": "Running", "containerStatuses": state}}

        def deleted(name, start, end):
            thing = pod(name, start, end, 1)
            at = thing["status"]["containerStatuses"][0]["state"]["terminated"]["finishedAt"]
            return {**thing, "metadata": {**thing["metadata"], "deletionTimestamp": at}}

        def workload(at, *conditions):
            """A Workload of Kueue whose pods were taken from it at a time, and which waits, unless its conditions are others."""
            containers = [
                {"name": "c", "resources": {"limits": {"nvidia.com/gpu": "8"}, "requests": {"nvidia.com/gpu": "8"}}}
            ]
            owner = {"apiVersion": "batch/v1", "kind": "Job", "name": "trainer", "uid": "j-trainer", "controller": True}
            conditions = conditions or [("Admitted", "False", at), ("Evicted", "True", at)]
            return {
                "apiVersion": "kueue.x-k8s.io/v1beta1",
                "kind": "Workload",
                "metadata": {
                    "name": "job-trainer",
                    "namespace": "ml",
                    "uid": "w",
                    "creationTimestamp": "2026-11-01T00:00:00Z",
                    "ownerReferences": [owner],
                },
                "spec": {
                    "active": True,
                    "podSets": [{"name": "main", "count": 1, "template": {"spec": {"containers": containers}}}],
                },
                "status": {
                    "conditions": [
                        {
                            "type": kind,
                            "status": status,
                            "reason": "Preempted",
                            "lastTransitionTime": f"2026-11-01T00:{since // 60:02}:00Z",
                        }
                        for kind, status, since in conditions
                    ]
                },
            }

        def built(told):
            windows = [
                {f"pods{i}.json": "".join(event(*one, 10 * i + n) for n, one in enumerate(window))}
                for i, window in enumerate(told)
            ]
            numbers = "SELECT attempt, chips, (start_us / 1000000) % 3600 FROM allocations WHERE job GLOB '*trainer' ORDER BY 3, 2 DESC"
            return self.after(self.build_files, windows).execute(numbers).fetchall()

        gone, failed, also, last = (
            deleted("a", 0, 300),
            pod("b", 360, 420, 1),
            deleted("c", 480, 900),
            pod("d", 1200, 1800),
        )
        begun = [
            [("ADDED", running(gone)), ("DELETED", gone), ("ADDED", running(failed)), ("MODIFIED", failed)],
            [("ADDED", failed), ("ADDED", running(also)), ("DELETED", also)],
        ]
        found = built(
            begun
            + [
                [("ADDED", failed), ("ADDED", running(last))],
                [("ADDED", failed), ("ADDED", running(last)), ("MODIFIED", last)],
            ]
        )
        self.assertEqual([(1, 8, 0), (2, 8, 360), (3, 8, 480), (4, 8, 1200)], found)
        begun = [
            [
                ("ADDED", running(gone)),
                ("DELETED", gone),
                ("ADDED", running(failed)),
                ("MODIFIED", failed),
                ("ADDED", running(also)),
            ],
            [("ADDED", running(also)), ("DELETED", also), ("ADDED", workload(900))],
        ]
        self.assertEqual([(1, 8, 0), (2, 8, 360), (3, 8, 480), (4, 0, 900)], built(begun))
        self.assertEqual([(1, 8, 0), (2, 8, 360), (3, 8, 480), (4, 0, 900)], built([begun[0] + begun[1]]))
        third = deleted("d", 960, 1140)
        begun = [
            [("ADDED", running(failed)), ("MODIFIED", failed), ("ADDED", running(also)), ("DELETED", also)],
            [("ADDED", failed), ("ADDED", running(third)), ("DELETED", third), ("ADDED", workload(1140))],
        ]
        late = [("ADDED", workload(1140)), ("ADDED", failed), ("ADDED", pod("e", 1800, 1860, job="other"))]
        self.assertEqual([(1, 8, 360), (2, 8, 480), (3, 8, 960), (4, 0, 1140)], built([*begun, late]))

        # Its last pods were admitted when those before them ended: the Workload that is left repeats what these held.
        then = deleted("c", 420, 900)
        over = workload(900, ("Admitted", "True", 420), ("Finished", "True", 900))
        begun = [
            ("ADDED", running(failed)),
            ("MODIFIED", failed),
            ("ADDED", running(then)),
            ("DELETED", then),
            ("ADDED", over),
        ]
        self.assertEqual([(1, 8, 360), (2, 8, 420)], built([begun, [("ADDED", failed), ("ADDED", over), late[2]]]))

    def test_nodes_that_were_out_at_about_one_time(self):
        """The end of one that a later watch tells does not take the place of the other's."""

        def node(name, ready, since, heard, version):
            thing = node_object("np", heard=heard)
            thing["metadata"].update(name=name, uid=name, resourceVersion=str(version))
            thing["status"]["conditions"][0].update(status=ready, lastTransitionTime=f"2026-03-01T{since}:00Z")
            return json.dumps({"type": "MODIFIED", "object": thing}) + "\n"

        first = node("a", "False", "08:30", "08:31", 1) + node("b", "False", "08:33", "08:34", 2)
        first += node("a", "True", "08:50", "08:51", 3)
        last = node("a", "True", "08:50", "09:10", 4) + node("b", "False", "08:33", "08:58", 5)
        last += node("b", "True", "08:59", "09:10", 6)
        outages = "SELECT start_us / 60000000 % 60, end_us / 60000000 % 60 FROM outages ORDER BY 1"
        for states in ([{"1.json": first}, {"2.json": last}], [{"1.json": first, "2.json": last}]):
            db = self.after(self.build_files, states)
            self.assertEqual([(30, 50), (33, 59)], db.execute(outages).fetchall(), len(states))


if __name__ == "__main__":
    unittest.main()
