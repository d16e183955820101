"""training.py - logs of trainers, and what the mappings sql/formats/{maxtext,megatron,nanogpt,torchtitan}.sql make of them."""

import os

import cases
from fleets import ROOT

FIXTURES = os.path.join(ROOT, "fixtures/training")
REAL = os.path.join(ROOT, "../shared/traces/training_logs")


class Case(cases.Case):
    FILE = "train.log"

    def map(self, name, log, **parameters):
        given = (
            dict.fromkeys("log chips chip pool job outcome start zone year flops only_relations rotated starts".split())
            | {"log": log}
            | parameters
        )
        self.script(f"formats/{name}.sql", **given)
        self.assertEqual(
            self.rows("SELECT name FROM temp.sqlite_schema WHERE type = 'table' AND name LIKE 'training%'"),
            [("training_steps",)],
        )

    def seconds(self):
        return {
            (category, cause): round(us / 1e6, 3)
            for category, cause, us in self.rows(
                "SELECT category, cause, sum(chip_us) FROM mpg_rollup WHERE category NOT IN ('ideal', 'inefficiency') GROUP BY 1, 2"
            )
        }

    def productive(self):
        return round(
            self.one("SELECT sum(chip_us) FROM mpg_rollup WHERE category IN ('ideal', 'inefficiency', 'unrated')")
            / 1e6,
            3,
        )
