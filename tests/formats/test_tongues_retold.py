"""A generated fleet whose files are told in another way, as those who rotate, ship, print and export them do: the ledger stays what it was."""

import functools
import gzip
import json
import os
import random
import re
import shutil
import unittest

import kube_fleet
import pbs_fleet
import slurm_fleet
import test_tongues_deepspeed as deepspeed
import test_tongues_nemo as nemo
import tongue_case
from story import MILLION, stamp

STEP = re.compile(r"(?<!eval )(?<!validate )\bstep: *(\d+)|\biteration +(\d+)/|\bglobal_step=(\d+)")
LAUNCHERS = (
    "0: {}",
    "[rank0]: {}",
    "[1,0]<stdout>:{}",
    "[pod/train-0/main] {}",
    "(TrainWorker pid=4242, ip=10.0.0.1) {}",
    "\x1b[32m{}\x1b[0m",
    "\r\x1b[K{}",
)
NOISE = (
    "",
    "wandb: Syncing run train-1",
    "/usr/lib/python3/dist-packages/torch/utils/data.py:12: UserWarning: this is slow",
    "node7:4242:4250 [0] NCCL INFO comm 0x55d rank 0 nranks 8 cudaDev 0 busId 1000 - Init COMPLETE",
    "Traceback (most recent call last):",
    "".join(f"\rLoading: {share:3}%|##        | {share}/100 [00:01<00:01,  2.0it/s]" for share in (0, 50, 100)),
)


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines(True)


def write(path, lines):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with (gzip.open if path.endswith(".gz") else open)(path, "wt", encoding="utf-8", newline="") as file:
        file.writelines(lines)


def pieces(rng, lines, places=None, most=4):
    """The lines in their order, cut at random places."""
    places = range(1, len(lines)) if places is None else places
    cuts = sorted(rng.sample(places, min(len(places), rng.randrange(most))))
    return [lines[since:until] for since, until in zip([0, *cuts], [*cuts, len(lines)])]


# What becomes of a file, from its path and lines.


def rotated(rng, path, lines):
    """Into parts, of which the newest keeps the name: a number, or a date behind the name or before its ending. A log that begins anew from
    its first step is cut before steps alone: else a part may look like a log of its own."""
    stem, ending = os.path.splitext(path)
    form = rng.choice(
        ["{path}.{number}", "{path}.{number}.gz", "{path}-202601{day:02}", "{stem}-202601{day:02}{ending}"]
    )
    os.remove(path)
    steps = [
        (n, found[found.lastindex]) for n, line in enumerate(lines) for found in [STEP.search(line)] if found and n
    ]
    anew = sum(step == steps[0][1] for _, step in steps) > 1 if steps else False
    parts = pieces(rng, lines, [n for n, _ in steps] if anew else None)
    for nth, part in enumerate(parts, 1):
        name = form.format(path=path, stem=stem, ending=ending, number=len(parts) - nth, day=nth)
        write(name if nth < len(parts) else path, part)


def launched(rng, path, lines):
    form = rng.choice(LAUNCHERS)
    write(path, [form.format(line.rstrip("\n")) + "\n" for line in lines])


def among_others(rng, path, lines):
    write(
        path, [text for line in lines for text in (*(rng.choice(NOISE) + "\n" for _ in range(rng.randrange(3))), line)]
    )


def with_marks(rng, path, lines):
    """As editors and transfers leave it."""
    write(path, ["\ufeff"] + [line.rstrip("\n") + "\r\n" for line in lines])


def backed_up(rng, path, lines):
    """A copy, and one of before that ends within a line."""
    write(os.path.join(os.path.dirname(path), "backup", os.path.basename(path)), lines)
    text = "".join(lines)
    write(path + ".bak", [text[: rng.randrange(1, len(text))]])


def sent_twice(rng, path, lines):
    """Some lines next to themselves."""
    write(path, [line for line in lines for _ in range(rng.randint(1, 2))])


def in_parts(rng, path, lines):
    """Each line in one of several files."""
    os.remove(path)
    for line in lines:
        with open(f"{path}.{rng.randrange(3)}.json", "a", encoding="utf-8") as file:
            file.write(line)


def resent(rng, path, lines):
    """An export of OpenTelemetry in batches, some of them twice, in any order."""
    (resource,) = json.loads(lines[0])["resourceSpans"]
    (scope,) = resource["scopeSpans"]
    batches = [
        json.dumps({"resourceSpans": [{**resource, "scopeSpans": [{**scope, "spans": part}]}]}) + "\n"
        for part in pieces(rng, scope["spans"])
        for _ in range(rng.randint(1, 2))
    ]
    write(path, rng.sample(batches, len(batches)))


# Of tables of sacct and sacctmgr: the header and the rows, as lists.


def exported(change):
    @functools.wraps(change)
    def retell(rng, path, lines):
        head, *rows = (line.rstrip("\n").split("|") for line in lines)
        for name, told in change(rng, head, rows):
            write(f"{path}{name}", ["|".join(row) + "\n" for row in told])

    return retell


def in_another_order(rng, head, rows):
    """Rows and columns; one that nobody asked for; times in ISO 8601, in a zone or another."""
    order = rng.sample(range(len(head)), len(head))
    zone, ahead = rng.choice([("Z", 0), ("+00:00", 0), ("+01:00", 3600), ("-08:00", -28800)])

    def cell(row, i):
        is_time = head[i] in ("Submit", "Start", "End", "TimeStart", "TimeEnd") and row[i].isdigit()
        return stamp((int(row[i]) + ahead) * MILLION, "%Y-%m-%dT%H:%M:%S", 0) + zone if is_time else row[i]

    yield "", [[head[i] for i in order] + ["Flavour"]] + [
        [cell(row, i) for i in order] + ["sweet"] for row in rng.sample(rows, len(rows))
    ]


def in_several_exports(rng, head, rows):
    """Of some rows each, which overlap."""
    yield "", [head]
    for nth in range(3):
        yield str(nth), [head] + [row for row in rows if rng.random() < 0.5]
    yield "rest", [head] + rows[::-1]


class Retold(tongue_case.TongueCase):
    FLEETS = 1

    def check(self, tell, *retellings):
        """Of (which paths below the site, what becomes of these): each gives the ledger, and loses nothing that was not lost before."""
        type(self).tell = staticmethod(tell)
        for seed in self.seeds():
            story, folder, _ = self.fleet(seed, "1e3")
            path = "fleet.json" if os.path.exists(os.path.join(folder, "fleet.json")) else ""
            expected = self.told(os.path.join(folder, path), story.end // MILLION)
            for wanted, retell in retellings:
                with self.subTest(wanted, retell=retell.__name__, seed=seed):
                    other, rng, n = os.path.join(self.new_folder(), "site"), random.Random(seed), 0
                    shutil.copytree(folder, other)
                    for place, _, names in list(os.walk(other)):
                        for name in sorted(names):
                            file = os.path.join(place, name)
                            if re.search(wanted, os.path.relpath(file, other)):
                                retell(rng, file, lines_of(file))
                                n += 1
                    self.assertGreater(n, 0)
                    found = self.told(os.path.join(other, path), story.end // MILLION)
                    self.assertEqual([], sorted(expected ^ found, key=repr)[:20])

    def told(self, path, as_of):
        ledger = self.found(path, as_of)
        lost = self.rows(
            "SELECT kind, sum(count) FROM mpg_issues WHERE severity = 'data_loss' AND instr(source, ?) = 1 GROUP BY 1",
            os.path.dirname(path),
        )
        return {*ledger.items(), *lost}

    def test_slurm(self):
        logs, tables = r"\.(out|log)$", r"\.psv$"
        self.check(
            slurm_fleet.write,
            *((logs, retell) for retell in (rotated, launched, among_others, with_marks, backed_up)),
            *((tables, retell) for retell in (exported(in_another_order), exported(in_several_exports), sent_twice)),
        )

    def test_pbs(self):
        self.check(pbs_fleet.write, *(("^logs/", retell) for retell in (rotated, launched)))

    def test_logs_alone(self):
        for told in (deepspeed.told, nemo.told):
            self.check(lambda story, folder, told=told: deepspeed.write(story, folder, told), (r"\.log$", rotated))

    def test_kubernetes(self):
        watches, spans, steps = r"^(nodes|pods|workloads)\.json$", r"^spans-\d+\.json$", r"^goodput-\d+\.jsonl$"
        self.check(
            kube_fleet.write,
            *((watches, retell) for retell in (sent_twice, in_parts)),
            (spans, resent),
            *((steps, retell) for retell in (sent_twice, backed_up)),
        )


if __name__ == "__main__":
    unittest.main()
