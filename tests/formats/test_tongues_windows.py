"""A fleet of which Slurm's exports tell window by window: together, and built one after the other, they say what one export of all says."""

import os

import story as stories
import tongue_case
from fleets import connect
from sacct_tongue import Slurm, down, up

WINDOWS = 5
SEED = 9  # a fleet in which a job is resized, and has but its last piece in a window


class Windows(tongue_case.TongueCase):
    def seeds(self):
        return super().seeds() if tongue_case.SEEDS else [SEED]

    def check_windows(self, seed, afterwards):
        """Each export is made at the end of its window, or all are made at the end of the last."""
        made = self.new_folder()
        told = stories.generate(made, seed)
        slurm, begin, end = Slurm(told), down(told.begin), up(told.end)
        cuts = [begin + (end - begin) * i // WINDOWS for i in range(WINDOWS + 1)]
        windows = [os.path.join(made, f"window{i}") for i in range(WINDOWS)]
        whole, together = os.path.join(made, "whole"), os.path.join(made, "together")
        for folder in [whole, together, *windows]:
            os.mkdir(folder)
        slurm.write(whole)
        expected = self.found(whole, end)
        db = connect()
        self.addCleanup(db.close)
        for folder, since, until in zip(windows, cuts, cuts[1:]):
            for place in (folder, together):
                slurm.write(place, (since, until), end if afterwards else until)
            db.execute("SELECT mpg_build(?)", (folder,))
        self.check_near(expected, self.found(together, end))
        self.check_near(expected, tongue_case.entries(db, "mpg_rollup", end))

    def test_each_made_at_the_end_of_its_window(self):
        for seed in self.seeds():
            with self.subTest(seed=seed):
                self.check_windows(seed, False)

    def test_all_made_afterwards(self):
        """Of a job that a window saw run they tell how it ended."""
        for seed in self.seeds():
            with self.subTest(seed=seed):
                self.check_windows(seed, True)
