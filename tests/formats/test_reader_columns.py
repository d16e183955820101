"""Every column of every reader is used by the mapping of its format, its page says what it is, or a table here says why not."""

import os
import re
import unittest

import formats
from fleets import ROOT, connect
from scripts import script_text

BY_THE_FILE = {
    "csv_trace",
    "jsonl_trace",
    "csv_rollup",
    "jsonl_rollup",
    "log_trace",
}  # whose columns are those of the files
REPORT = {"goodput_report"}  # whose columns are those of a library's report
# Reader: mappings, and the page that lists the columns that no mapping uses.
READERS = {
    sample.table: (format.mappings or (name,), name)
    for name, format in formats.FORMATS.items()
    for sample in format.samples
    if sample.table not in BY_THE_FILE | REPORT
}

# Patterns of columns that neither a mapping nor a page names: why.
UNUSED = {
    "slurm_trace": {
        r"(Ave|Max|Min)(CPU|Disk|Pages|RSS|VMSize).*|TRESUsage.*|ReqCPUFreq.*|ConsumedEnergy.*": "what a step used of processors, memory, disks and power: no chip's time",
        r"(Alloc|Req)CPUS|(Alloc|Req)Nodes|NTasks|CPUTime(RAW)?|PlannedCPU(RAW)?|ResvCPU(RAW)?|Layout|SegmentSize|BlockID": "counts of what is no chip, or the same as NNodes and TRES",
        r"(System|User|Total)CPU": "what a job used of processors: no chip's time",
        "Reserved": "the wait, which Submit and Start tell",
        r"AssocID|DBIndex|GID|QOSRAW|QOSREQ|ReservationId|WCKeyID|SLUID|McsLabel": "numbers of what another column names",
        r"AdminComment|SystemComment|Container|Std\w+|Licenses|SubmitLine|WorkDir": "texts of people and paths that say nothing of chips or time",
        r"(Derived)?ExitCode|FailedNode|Restarts": "State and the rows of earlier attempts tell the outcome",
        "Priority": "a number of the moment that it was listed; QOS names the priority",
    },
    "slurm_events_trace": {r"ClusterNodes|EventRaw|StateRaw": "the same as NodeName, Event and State"},
    "pbs_trace": {
        r"Resource_List.place": "where chunks go, not how many",
        r"resource_assigned.ngpus|resources_used.ngpus": "the reader's alloc_gpus is of them",
        r"resources_used.(cpupercent|cput|vmem)": "what a job used of processors and memory",
    },
    "goodput_trace": {
        r"\w+_(time|secs|timestamp)|reached_preemption|preemption_received_at|custom_badput_event_type|elastic_wait_event_type": "the reader's kind, edge, time and event are of them",
        r"(active|total|available)_slices": "the library tells slices, and not how many chips each is of: the option chips says it",
    },
}


def words(text):
    return set(re.findall(r"[A-Za-z_][\w.]*", text))


def read(folder, name):
    with open(os.path.join(ROOT, folder, name), encoding="utf-8") as file:
        return file.read()


class Columns(unittest.TestCase):
    def test_each_is_used_or_on_its_page(self):
        db, used = connect(), 0
        for reader, (mappings, page) in READERS.items():
            code = re.sub(r"--.*", "", "\n".join(script_text(f"sql/formats/{name}.sql") for name in mappings))
            listed = words(" ".join(re.findall(r"`[^`\n]+`", read("docs/formats", page + ".md"))))
            columns = [
                name
                for name, hidden in db.execute("SELECT name, hidden FROM pragma_table_xinfo(?)", (reader,))
                if not hidden
            ]
            self.assertGreater(len(columns), 0, reader)
            by_mapping = [c for c in columns if c in words(code)]
            used += len(by_mapping)
            left = [c for c in columns if c not in by_mapping and c not in listed]
            for pattern in UNUSED.get(reader, {}):
                self.assertTrue(any(re.fullmatch(pattern, c) for c in left), (reader, pattern))
            self.assertEqual(
                [], [c for c in left if not any(re.fullmatch(pattern, c) for pattern in UNUSED.get(reader, {}))], reader
            )
        self.assertGreater(used, 150)
        db.close()

    def test_types(self):
        """What a column is declared as is what it gives. SQLite does not see to it: a whole number in a REAL column is divided as one."""
        given = {"TEXT": {"text"}, "BIGINT": {"integer"}, "REAL": {"real"}}
        db = connect()
        self.addCleanup(db.close)
        for format in formats.FORMATS.values():
            for sample in format.samples:
                columns = [
                    row
                    for row in db.execute(
                        "SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden = 0", (sample.table,)
                    )
                    if row[1] in given
                ]
                if sample.table in BY_THE_FILE or not columns:
                    continue
                with self.subTest(sample.table, file=sample.file):
                    arguments = (os.path.join(ROOT, "fixtures", sample.file), *sample.arguments)
                    kinds = db.execute(
                        "SELECT %s FROM %s(%s)"
                        % (
                            ", ".join('group_concat(DISTINCT typeof("%s"))' % name for name, _ in columns),
                            sample.table,
                            ", ".join("?" * len(arguments)),
                        ),
                        arguments,
                    ).fetchone()
                    for (name, type), found in zip(columns, kinds):
                        self.assertLessEqual(set((found or "null").split(",")) - {"null"}, given[type], name)


if __name__ == "__main__":
    unittest.main()
