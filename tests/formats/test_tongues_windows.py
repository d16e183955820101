"""A fleet whose scheduler is exported window by window: together, and built one after the other, they say what one export of all says."""

import os
import unittest

import story as stories
import strange
import tongue_case
from batch_tongue import Condor, Flux, Sge
from fleets import connect
from kube_state_tongue import KubeState
from kube_tongue import Kube, write_watch
from lsf_tongue import Lsf
from pbs_tongue import Pbs
from sacct_tongue import Slurm, down, up

WINDOWS = 4
SEED = 9  # a fleet in which a job is resized, and has but its last piece in a window


def ended(row, window, now):
    """Of Grid Engine: what ended in the window."""
    return row if window[0] <= row["end_time"] < window[1] else None


def listed(row, window, now):
    """Of Flux: what ran in the window, as it stands now."""
    end = row.get("t_inactive")
    if row["t_run"] >= window[1] or (end is not None and end < window[0]):
        return None
    if end is not None and end > now:
        row = {key: value for key, value in row.items() if key not in ("t_cleanup", "t_inactive", "result")}
        row["state"] = "RUN"
    return row


def advertised(row, window, now):
    """Of HTCondor: history and queue of what ran in the window, as it stands now."""
    start, end = row["JobStartDate"], row["EnteredCurrentStatus"]
    runs = row["JobStatus"] == 2
    if start >= window[1] or not runs and end < window[0]:
        return None
    if not runs and end > now:
        row = dict(row, JobStatus=2, EnteredCurrentStatus=start, CompletionDate=0, HoldReasonCode=None)
    return dict(row, ServerTime=min(row["ServerTime"], now))


def windowed(tongue, told):
    """The tongue with `write(folder, window, now)`, as Slurm has it."""

    class Windowed(tongue):
        def write(self, folder, window=(0, 1 << 40), now=1 << 40):
            self.window, self.now = window, now
            super().write(folder)

        def records(self, job, lines):
            whole = []
            super().records(job, whole)
            rows = [(at, told(row, self.window, self.now)) for at, row in whole]
            lines.extend((at, row) for at, row in rows if row is not None)

    return Windowed


class Windows(tongue_case.TongueCase):
    def seeds(self, *seeds):
        return super().seeds() if tongue_case.SEEDS else seeds or [SEED]

    def story(self, folder, seed):
        """Of an even seed in it happens what the generator never makes."""
        told = stories.generate(folder, seed, "1e3")
        if seed % 2 == 0:
            strange.change(told)
        return told

    def check_windows(self, tongue, seed, afterwards, path=""):
        """Each export is made at the end of its window, or all are made at the end of the last. `path` is what is read of a folder."""
        made = self.new_folder()
        told = self.story(made, seed)
        site, begin, end = tongue(told), down(told.begin), up(told.end)
        cuts = [begin + (end - begin) * i // WINDOWS for i in range(WINDOWS)] + [end + 1]
        windows = [os.path.join(made, f"window{i}") for i in range(WINDOWS)]
        whole, together = os.path.join(made, "whole"), os.path.join(made, "together")
        for folder in [whole, together, *windows]:
            os.mkdir(folder)
        site.write(whole)
        expected = self.found(os.path.join(whole, path), end)
        db = connect()
        self.addCleanup(db.close)
        for folder, since, until in zip(windows, cuts, cuts[1:]):
            for place in [folder] if path else [folder, together]:
                site.write(place, (since, until), end if afterwards else min(until, end))
            db.execute("SELECT mpg_build(?)", (os.path.join(folder, path),))
        if not path:
            self.check_near(expected, self.found(together, end))
        self.check_near(expected, tongue_case.entries(db, "mpg_rollup", end))

    def test_slurm(self):
        for seed in self.seeds():
            for afterwards in (False, True):
                with self.subTest(seed=seed, afterwards=afterwards):
                    self.check_windows(Slurm, seed, afterwards)

    def test_pbs(self):
        for seed in self.seeds():
            with self.subTest(seed=seed):
                self.check_windows(Pbs, seed, False)

    def test_lsf(self):
        for seed in self.seeds():
            with self.subTest(seed=seed):
                self.check_windows(Lsf, seed, False, "fleet.json")

    def test_others_beside_native_records(self):
        """What is installed and out of service each window tells whole."""
        for seed in self.seeds():
            for tongue, told in ((Sge, ended), (Flux, listed), (Condor, advertised)):
                for afterwards in (False, True) if told is not ended else (True,):
                    with self.subTest(tongue.__name__, seed=seed, afterwards=afterwards):
                        self.check_windows(windowed(tongue, told), seed, afterwards, "fleet.json")

    def test_watches_of_kubernetes(self):
        """Each begins with what is there when the one before it ends: pods that were deleted, and attempts of theirs, it lacks."""
        for seed in self.seeds(4, 11, 17):  # in which that is so
            with self.subTest(seed=seed):
                made = self.new_folder()
                told = self.story(made, seed)
                begin, end = down(told.begin), up(told.end)
                cuts = [begin + (end - begin) * i // WINDOWS for i in range(1, WINDOWS)]
                watched = Kube(told).watched([cut - 1 for cut in cuts] + [end])
                whole, together = os.path.join(made, "whole"), os.path.join(made, "together")
                for folder in (whole, together):
                    os.mkdir(folder)
                write_watch(whole, watched)
                expected = self.found(whole, end)
                db = connect()
                self.addCleanup(db.close)
                for since, until in zip([0, *cuts], [*cuts, 1 << 40]):
                    folder = os.path.join(made, f"watch{since}")
                    os.mkdir(folder)
                    for place in (folder, together):
                        write_watch(place, watched, since, until)
                    db.execute("SELECT mpg_build(?)", (folder,))
                self.check_near(expected, self.found(together, end))
                self.check_near(expected, tongue_case.entries(db, "mpg_rollup", end))

    def test_metrics_of_kubernetes(self):
        """Of each window the samples: pools have what they had, also where nodes came between two windows. (When pods and outages ended there, is known to a sample.)"""
        for seed in self.seeds(1):
            with self.subTest(seed=seed):
                made = self.new_folder()
                told = stories.generate(made, seed, "1e3")
                scrapes = KubeState(told).scrapes
                folders = [os.path.join(made, f"samples{i}") for i in range(3)]
                for folder in folders + [os.path.join(made, "whole")]:
                    os.mkdir(folder)
                KubeState(told).write_answers(folders, [scrapes[len(scrapes) * i // 3] for i in (1, 2)])
                KubeState(told).write_answers([os.path.join(made, "whole")], [])
                db = connect()
                self.addCleanup(db.close)
                for folder in folders:
                    db.execute("SELECT mpg_build(?)", (folder,))
                of_pools = "SELECT pool, sum(chip_us) FROM %s WHERE category <> 'queued' AND as_of = %d GROUP BY pool"
                self.assertEqual(
                    self.rows(of_pools % (f"trace_rollup('{made}/whole')", scrapes[-1])),
                    db.execute(of_pools % ("mpg_rollup", scrapes[-1])).fetchall(),
                )


if __name__ == "__main__":
    unittest.main()
