"""A generated fleet as sites with Grid Engine, Flux and HTCondor leave it: who held what, held against what happened."""

import os
import unittest

import tongue_case
from batch_tongue import Condor, Flux, Sge
from story import MILLION


class BatchSites(tongue_case.TongueCase):
    FLEETS = 1

    def site(self, kind):
        def tell(story, folder):
            site = kind(story)
            site.write(folder)
            return site.relations()

        type(self).tell = staticmethod(tell)
        for seed in self.seeds():
            with self.subTest(seed=seed):
                story, folder, relations = self.fleet(seed)
                # What waits is told to the last record, and not to the end.
                expected, found = (
                    {key: us for key, us in ledger.items() if key[1] and key[2] != "queued"}
                    for ledger in (
                        self.expected(relations, story.end // MILLION),
                        self.found(os.path.join(folder, "fleet.json"), story.end // MILLION),
                    )
                )
                self.assertGreater(len(found), 50)
                self.check_near(tongue_case.Counter(expected), tongue_case.Counter(found))

    def test_grid_engine(self):
        self.site(Sge)

    def test_flux(self):
        self.site(Flux)

    def test_condor(self):
        self.site(Condor)


if __name__ == "__main__":
    unittest.main()
