"""Shapes that schedulers write in practice, each with the figures that are right: what cannot be, is lost or is told otherwise is counted as it was, or said."""
import unittest

from cases import Case

T0 = 1790000000


class Schedulers(Case):
    def ledger(self, path, category):
        return self.rows("SELECT job, sum(chip_us) / 1000000 FROM trace_rollup(?) WHERE category = ? GROUP BY job", path, category)

    def said(self, path):
        return self.rows("SELECT kind, count FROM mpg_issues WHERE source LIKE ? || '%' AND kind NOT IN ('no_requeues', 'no_capacity') ORDER BY 1", path)


class Slurm(Schedulers):
    HEADER = "JobID|Cluster|State|Submit|Start|End|Elapsed|ReqTRES|AllocTRES|NodeList\n"

    def job(self, number, state="COMPLETED", start=60, end=3660, elapsed="01:00:00", chips=8, nodes="n1"):
        start, end = (at if isinstance(at, str) else T0 + at for at in (start, end))
        held = "" if state == "PENDING" else f"gres/gpu={chips}"
        return f"{number}|c|{state}|{T0}|{start}|{end}|{elapsed}|gres/gpu={chips}|{held}|{nodes}\n"

    def export(self, *jobs, events=""):
        files = {"sacct.psv": self.HEADER + "".join(jobs)}
        if events:
            files["events.psv"] = "Cluster|Event|NodeName|Start|End|State|Reason|TRES\n" + events
        return self.folder_of(files)

    def test_an_elapsed_time_below_zero(self):
        """Of a job that was cancelled while its node was set up: Elapsed is -00:00:16."""
        path = self.export(self.job(1), self.job(2, "CANCELLED by 7", 60, 44, "-00:00:16"))
        self.assertEqual([("1", 28800)], self.ledger(path, "untraced"))
        self.assertEqual([("end_before_start", 1)], self.said(path))


if __name__ == "__main__":
    unittest.main()
