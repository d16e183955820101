"""trainer_case.py - what the mapping sql/formats/trainer.sql makes of a log."""

import json
import os

import cases
from fleets import ROOT

FIXTURES = os.path.join(ROOT, "fixtures/trainer")


T0 = 1772532000


class TrainerLogs(cases.Case):
    def sums(self, path, chips):
        """Seconds of the job by category, of `chips` chips."""
        return {
            category: round(seconds / chips, 3)
            for category, seconds in self.rows(
                "SELECT category, sum(chip_seconds) FROM trace_rollup(?) GROUP BY 1", path
            )
        }

    def steps(self, path):
        return self.rows(
            "SELECT attempt, step, round(start_time - ?2, 3), round(end_time - ?2, 3), executions, loss FROM trace_training_steps(?1)",
            path,
            T0,
        )

    def fleet(self, path, **options):
        return json.dumps({"sources": [{"path": path} | options]})
