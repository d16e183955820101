"""A generated fleet of one Slurm cluster whose jobs and nodes do more than most (slurm_ways.py), exported in the ways that sites have."""

import os
import unittest
from collections import Counter

import slurm_fleet
import story as stories
import strange
import tongue_case
from sacct_tongue import down, up
from slurm_ways import Json, NewJson, Ways, shown
from story import MILLION


def whole(site, folder, end):
    site.write(folder)


def day_by_day(site, folder, end):
    """Windows that overlap by an hour, all exported at the end."""
    begin = down(site.story.begin)
    cuts = [begin + (end - begin) * i // 3 for i in range(3)] + [end + 1]
    for since, until in zip(cuts, cuts[1:]):
        site.write(folder, (since, until + 3600), end)


def as_they_go(site, folder, end):
    """Each window exported when it ends."""
    begin = down(site.story.begin)
    cuts = [begin + (end - begin) * i // 3 for i in range(3)] + [end + 1]
    for since, until in zip(cuts, cuts[1:]):
        site.write(folder, (since, until), min(until, end))


def user_by_user(site, folder, end):
    """`sacct -u` of each; events once."""
    site.write(folder)
    os.remove(os.path.join(folder, "sacct.psv"))
    rows = [dict(zip(site.JOBS.split("|"), row)) for row in site.job_rows(0, end, end)]
    user_of = {str(row["JobIDRaw"]): row["User"] for row in rows if row["User"]}
    for n, user in enumerate(sorted(set(user_of.values()))):
        site.write_jobs(
            os.path.join(folder, f"sacct-u{n}"),
            (row.values() for row in rows if user_of[str(row["JobIDRaw"]).partition(".")[0]] == user),
        )


def whole_beside_days(site, folder, end):
    whole(site, folder, end)
    day_by_day(site, folder, end)


def squeue_beside(site, folder, end):
    """Listings of before, beside the accounting."""
    whole(site, folder, end)
    begin = down(site.story.begin)
    for i in (1, 2, 3):
        at = begin + (end - begin) * i // 4
        with open(os.path.join(folder, f"squeue{i}.json"), "w", encoding="utf-8") as file:
            file.write(shown(site, at))


EXPORTS = (
    (Ways, whole),
    (Json, whole),
    (NewJson, whole),
    (Ways, day_by_day),
    (Json, day_by_day),
    (Ways, as_they_go),
    (NewJson, as_they_go),
    (Ways, user_by_user),
    (Ways, whole_beside_days),
    (Ways, squeue_beside),
)


class SlurmWays(tongue_case.TongueCase):
    FLEETS = 1

    def test_the_ledger(self):
        for seed in self.seeds():
            made = self.new_folder()
            told = stories.generate(made, seed, "1e3")
            if seed % 2:
                strange.change(told)
            end, site = up(told.end), Ways(told)
            relations = site.relations()
            nodes = Counter(out["pool"] for out in relations["outages"])
            expected = self.expected(relations, end)
            self.assertGreater(len({job for _, job, *_ in expected}), 50)
            for tongue, export in EXPORTS:
                with self.subTest(seed=seed, tongue=tongue.__name__, export=export.__name__):
                    folder = os.path.join(made, tongue.__name__ + export.__name__)
                    os.mkdir(folder)
                    writer = object.__new__(tongue)
                    vars(writer).update(vars(site))
                    export(writer, folder, end)
                    found = self.found(folder, end)
                    self.check_near(expected, found, lambda key: nodes[key[0]] * MILLION if key[1] is None else 0)

    def test_logs_beside(self):
        """A task's log has the name of its array and index."""
        for seed in self.seeds():
            with self.subTest(seed=seed):
                made = self.new_folder()
                told, folder = stories.generate(made, seed, "1e3"), os.path.join(made, "site")
                os.mkdir(folder)
                relations = slurm_fleet.write(told, folder, Ways)
                self.assertGreater(sum("_" in name for name in os.listdir(folder)), 3)
                end, nodes = up(told.end), Counter(out["pool"] for out in relations["outages"])
                expected, found = self.expected(relations, end), self.found(folder, end)
                self.check_near(expected, found, lambda key: nodes[key[0]] * MILLION if key[1] is None else 0)


if __name__ == "__main__":
    unittest.main()
