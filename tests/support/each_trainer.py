"""each_trainer.py - a log of each trainer, and what is asked of it."""

import os

from training import FIXTURES, Case


class OfEachTrainer(Case):
    LOGS = (
        "training/maxtext.log",
        "training/megatron.log",
        "training/torchtitan.log",
        "training/nanogpt.log",
        "trainer/deepspeed.log",
        "trainer/nemo.log",
    )

    def logs(self):
        """Each log and its lines."""
        for log in self.LOGS:
            with open(os.path.join(os.path.dirname(FIXTURES), log), encoding="utf-8") as file:
                yield log, file.read().splitlines(True)

    def sums(self, path):
        return self.rows(
            "SELECT category, round(sum(chip_us) / 1e6, 3) FROM trace_ledger(?) GROUP BY 1 ORDER BY 1", path
        )
