"""A generated fleet as kube-state-metrics' samples tell of it: held against what the samples say, and against what happened to their interval."""

import unittest
from collections import Counter

import tongue_case
from kube_state_tongue import EVERY, KubeState
from story import MILLION


def tell(story, folder):
    site = KubeState(story)
    site.write(folder)
    return site.relations()


class StateSite(tongue_case.TongueCase):
    tell = staticmethod(tell)
    FLEETS = 1

    def test_the_ledger(self):
        for seed in self.seeds():
            with self.subTest(seed=seed):
                story, folder, relations = self.fleet(seed)
                site = KubeState(story)
                out = (
                    Counter()
                )  # a node is out of service but for what a pod still holds, which may end at another time than a sample's
                for outage in relations["outages"]:
                    out[outage["pool"]] += EVERY * MILLION * outage["chips"]
                expected, found = (
                    {key: us for key, us in ledger.items() if key[2] != "queued"}
                    for ledger in (self.expected(relations, site.scrapes[-1]), self.found(folder))
                )
                self.check_near(Counter(expected), Counter(found), lambda key: out[key[0]] if key[1] is None else 0)
                self.check_interval(story, site, Counter(found))

    def check_interval(self, story, site, found):
        """Every job held what the generator booked, to an interval at each end of each pod, and to what lies beyond the first and last sample."""
        edge = (EVERY + 7) * MILLION
        for job in site.kube.jobs:
            name = site.kube.name(job)
            true = sum(us for (of, _, category, _), us in story.truth.items() if of == job and category != "queued")
            told = sum(us for (_, of, _, _), us in found.items() if of == name)
            self.assertAlmostEqual(
                true, told, delta=sum(2 * edge * int(row["chips"]) for row in story.allocations[job]), msg=name
            )


if __name__ == "__main__":
    unittest.main()
