"""Generated fleets in which happens what the generator never makes (strange.py), in each tongue held against the native ledger."""

import os
import unittest

import story as stories
import strange
import test_tongues_batch
import test_tongues_deepspeed
import test_tongues_kube
import test_tongues_kube_state
import test_tongues_lsf
import test_tongues_nemo
import test_tongues_pbs
import test_tongues_slurm
import test_tongues_tfevents
import tongue_case


class Strange(tongue_case.TongueCase):
    """Goes before a suite of a tongue, whose test of the ledger it gives stranger fleets, without the books that the generator kept."""

    FLEETS = 1

    def fleet(self, seed, spans="1e3"):
        return super().fleet(seed, spans)

    def generated(self, folder, seed, spans):
        story = stories.generate(folder, seed, spans)
        self.assertEqual({turn.__name__ for turn in strange.CHANGES}, set(strange.change(story).values()))
        return story

    def check_truth(self, *_):
        pass

    check_held = check_interval = check_truth


class Slurm(Strange, test_tongues_slurm.Slurms):
    test_the_sums_of_the_fleet = test_until_when = test_kept_and_noticed = None


class Kube(Strange, test_tongues_kube.KubeSite):
    pass


if tongue_case.SEEDS or os.environ.get("MPG_FULL"):  # it takes as long as all others

    class KubeState(Strange, test_tongues_kube_state.StateSite):
        pass


class Pbs(Strange, test_tongues_pbs.PbsSite):
    pass


class Lsf(Strange, test_tongues_lsf.LsfSite):
    pass


class Batch(Strange, test_tongues_batch.BatchSites):
    pass


class EventFiles(Strange, test_tongues_tfevents.EventFiles):
    pass


class DeepSpeed(Strange, test_tongues_deepspeed.Logs):
    pass


class Nemo(Strange, test_tongues_nemo.Logs):
    pass


if __name__ == "__main__":
    unittest.main()
