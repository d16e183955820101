"""A generated fleet as a site with Kubernetes leaves it, held against what happened: watches, goodput logs, OpenTelemetry, HLO."""

import unittest
from collections import Counter

import kube_fleet
import tongue_case
from kube_tongue import Kube
from story import MILLION, elastic


class KubeSite(tongue_case.TongueCase):
    tell = staticmethod(kube_fleet.write)

    def test_the_ledger(self):
        for seed in self.seeds():
            with self.subTest(seed=seed):
                story, folder, relations = self.fleet(seed)
                self.assertEqual({"otlp", "goodput"}, set(relations["traced"].values()))
                # A node is out of service but for what a pod still holds, and a pod's end is known up to a second late.
                out = Counter()
                for outage in relations["outages"]:
                    out[outage["pool"]] += MILLION * outage["chips"]
                expected, found = self.expected(relations, story.end // MILLION), self.found(
                    folder, story.end // MILLION
                )
                self.check_near(expected, found, lambda key: out[key[0]] if key[1] is None else 0)
                self.check_truth(story, relations, found)
                tongue_case.scrambled(folder, seed)
                self.assertEqual(found, self.found(folder, story.end // MILLION))

    def check_truth(self, story, relations, found):
        kube = Kube(story)
        names = {job: kube.name(job) for job in kube.jobs if not elastic(story, job)}
        self.check_held(story, names, found, relations["traced"])
        for job, name in names.items():
            if (
                relations["traced"].get(name) != "otlp"
                or story.runs[job][-1].outcome is None
                or tongue_case.has_surplus(story, job)
                or len({row[0] for row in kube.attempts(job)}) < len(story.runs[job])
            ):
                continue  # what had not ended at the end of the trace was not exported; attempts that meet in one second are one
            for kinds in (
                ["startup"],
                ["compile"],
                ["restore"],
                ["input"],
                ["checkpoint"],
                ["eval"],
                ["stall"],
                ["lost", "pending"],
                tongue_case.PRODUCTIVE,
            ):
                true = sum(us for (of, _, category, _), us in story.truth.items() if of == job and category in kinds)
                told = tongue_case.of_jobs(found, [name], *kinds)
                self.assertAlmostEqual(true, told, delta=tongue_case.second_an_end(story, job), msg=f"{name} {kinds}")


if __name__ == "__main__":
    unittest.main()
