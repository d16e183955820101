"""A generated fleet as a site with LSF leaves it, held against what happened: lsb.acct, lsb.events, native capacity."""

import os
import unittest

import tongue_case
from lsf_tongue import Lsf
from story import MILLION


def tell(story, folder):
    lsf = Lsf(story)
    lsf.write(folder)
    return lsf.relations()


class LsfSite(tongue_case.TongueCase):
    tell = staticmethod(tell)

    def test_the_ledger(self):
        for seed in self.seeds():
            with self.subTest(seed=seed):
                story, folder, relations = self.fleet(seed)
                found = self.found(os.path.join(folder, "fleet.json"), story.end // MILLION)
                self.check_near(self.expected(relations, story.end // MILLION), found)
                lsf = Lsf(story)
                self.check_held(story, {job: lsf.name(job) for job in lsf.number}, found, ())


if __name__ == "__main__":
    unittest.main()
