"""A generated fleet as a site with PBS leaves it, held against what happened: accounting logs, native capacity, and nanoGPT's logs."""

import unittest

import pbs_fleet
import tongue_case
from pbs_tongue import Pbs
from story import MILLION


class PbsSite(tongue_case.TongueCase):
    tell = staticmethod(pbs_fleet.write)

    def test_the_ledger(self):
        for seed in self.seeds():
            with self.subTest(seed=seed):
                story, folder, relations = self.fleet(seed)
                expected, found = self.expected(relations, story.end // MILLION), self.found(
                    folder, story.end // MILLION
                )
                self.check_near(expected, found)
                names = {job: pbs.name(job) for pbs in [Pbs(story)] for job in pbs.number}
                self.check_held(story, names, found, relations["traced"])
                tongue_case.scrambled(folder, seed)
                self.assertEqual(found, self.found(folder, story.end // MILLION))


if __name__ == "__main__":
    unittest.main()
