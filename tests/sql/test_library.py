"""The SQL library itself: headers that say what a file takes and gives, rules that keep answers exact and portable, and its page.

docs/questions.md is written from the headers: MPG_WRITE_DOCS=1 writes it; read it before it is committed.
"""

import glob
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from answers import FOLDERS, Question, built, paths, text_of
from fleets import ROOT, connect
from scripts import script_text
from table_functions import of_script, without_outputs

MOST_BYTES = 25000
PAGE = os.path.join(ROOT, "docs", "questions.md")
UNITS = {
    "text",
    "ratio",
    "chip-hours",
    "chips",
    "points",
    "log",
    "money",
    "seconds",
    "hours",
    "us",
    "jobs",
    "attempts",
    "runs",
    "preemptions",
    "failures",
    "interruptions",
    "allocations",
    "steps",
    "rank",
    "ranks",
    "value",
    "number",
    "pools",
    "records",
    "per 1000 chip-hours",
}
WIDTH = 140  # of a line, without its texts
# What questions are asked with, to answer something on fixtures/fleet; without: as it is.
EXAMPLES = {
    "goodput": dict(by="phase"),
    "change": dict(after_since="2026-01-06"),
    "change_mix": dict(after_since="2026-01-06"),
    "losses": dict(pool="h100-us-west2"),
    "top_jobs": dict(top=5),
    "migration": dict(what="runtime", before="multi-controller", after="pathways"),
    "program_versions": dict(since="2026-01-06", top=5),
    "rank_disagreements": dict(top=5),
    "stragglers": dict(top=5),
    "queue_delay": dict(by="size"),
    "chips_for_demand": dict(rg=0.95),
    "net_mpg": dict(by="phase"),
    "top_offenders": dict(by="team", top=3),
}

BUILD_FILES = ["sql/build.sql", *sorted(glob.glob("sql/build/*.sql", root_dir=ROOT))]


def every():
    return [Question(path) for folder in FOLDERS for path in paths(folder)]


def questions():
    return [Question(path) for path in paths("questions")]


def entry(q):
    """How it is called, and what it answers: its columns are in mpg_help and in the header of the file."""
    (function,) = of_script(q.path)
    names = ", ".join(f'"{name}"' if name == "by" else name for name, *_ in function.arguments)
    basis = re.match(r".*?[.](?= |$)", q.basis)[0]
    return f"- `{function.name}({names})`: {q.purpose[0].lower() if q.purpose[1].islower() else q.purpose[0]}{q.purpose[1:]} Basis: {basis}"


def page():
    """The page with its generated part anew."""
    with open(PAGE, encoding="utf-8") as file:
        head = file.read().partition("<!-- generated below")[0]
    lines = [head + "<!-- generated below: tests/sql/test_library.py writes this from the headers of the files -->", ""]
    lines += ["## The questions one by one", ""] + [entry(q) for q in questions()]
    return "\n".join(lines).rstrip() + "\n"


class Headers(unittest.TestCase):
    maxDiff = None

    def test_name_and_sections(self):
        for q in every():
            with self.subTest(q.path):
                self.assertEqual(os.path.basename(q.path), q.name)
                self.assertTrue(q.purpose.endswith("."))
                self.assertTrue(q.columns)
                self.assertTrue(q.basis)

    def test_inputs_are_those_of_the_statement(self):
        for q in every():
            self.assertEqual(q.parameters, sorted(name for name, _ in q.inputs), q.path)

    def test_columns_are_those_of_the_answer(self):
        db = built("fixtures/golden")
        for q in every():
            cursor = db.execute(q.sql, {name[1:]: None for name in q.parameters})
            self.assertEqual([d[0] for d in cursor.description], [c[0] for c in q.columns], q.path)
            self.assertLessEqual({c[1] for c in q.columns}, UNITS, q.path)

    def test_every_example_answers_something(self):
        """On the fixture, so that the page shows what one looks like."""
        db = built("fixtures/fleet")
        empty = [q.path for q in every() if not q.ask(db, **EXAMPLES.get(q.name[:-4], {}))]
        self.assertEqual([], empty)


PUBLIC = "fixtures/public/"
ELSEWHERE = {
    ("acme", "sql/formats/acme.sql"): PUBLIC + "acme/trace_*.csv",
    ("pai_jobs", "sql/formats/alibaba_v2020.sql"): PUBLIC + "alibaba-v2020/pai_job_table.csv",
    ("pai_tasks", "sql/formats/alibaba_v2020.sql"): PUBLIC + "alibaba-v2020/pai_task_table.csv",
    ("pai_instances", "sql/formats/alibaba_v2020.sql"): PUBLIC + "alibaba-v2020/pai_instance_table.csv",
    ("pai_machines", "sql/formats/alibaba_v2020.sql"): PUBLIC + "alibaba-v2020/pai_machine_spec.csv",
    ("openb_pods", "sql/formats/alibaba_v2023.sql"): PUBLIC + "alibaba-v2023/openb_pod_list.csv",
    ("openb_nodes", "sql/formats/alibaba_v2023.sql"): PUBLIC + "alibaba-v2023/openb_node_list.csv",
    ("dlrm", "sql/formats/alibaba_v2025.sql"): PUBLIC + "alibaba-v2025/disaggregated_DLRM_trace.csv",
    ("helios", "sql/formats/helios.sql"): PUBLIC + "helios/*/cluster_log.csv",
    ("helios_gpus", "sql/formats/helios.sql"): PUBLIC + "helios/*/cluster_gpu_number.csv",
    ("pai", "sql/formats/pai.sql"): PUBLIC + "pai/pai_job_duration_estimate.csv",
    ("philly", "sql/formats/philly.sql"): PUBLIC + "philly/cluster_job_log",
    ("philly_machines", "sql/formats/philly.sql"): PUBLIC + "philly/cluster_machine_list",
    ("trace", "sql/formats/xplane.sql"): "fixtures/xplane",
    ("base", "sql/profile_diff.sql"): "fixtures/profile/rank0.json",
    ("test", "sql/profile_diff.sql"): "fixtures/profile/rank1.json",
    ("step", "sql/profile_diff.sql"): "10",
}


class Rules(unittest.TestCase):
    """Exact and portable: one statement, built-in functions, sums of integers, no double quotes."""

    def test_one_statement(self):
        for q in every():
            self.assertEqual(1, q.bare.count(";"), q.path)
            self.assertRegex(q.bare.strip(), r"^(WITH|SELECT)\b[^;]*;$", q.path)

    def test_no_double_quotes(self):
        for path in [q.path for q in every()] + BUILD_FILES:
            self.assertNotIn('"', re.sub(r"'(?:[^']|'')*'", "''", re.sub(r"--.*", "", text_of(path))), path)

    def test_texts_are_texts_everywhere(self):
        """With double-quoted strings turned off, in the shell, every script of the library runs: quotes name columns alone."""
        off = ".dbconfig dqs_dml off\n.dbconfig dqs_ddl off\n"
        scripts = {
            "sql/build.sql": ".load ./mpg\n.param set :trace fixtures/golden\n"
            + script_text("sql/build.sql")
            + "\n".join(q.sql for q in every())
        }
        for path in sorted(glob.glob("sql/formats/*.sql", root_dir=ROOT)) + ["sql/profile_diff.sql"]:
            scripts[path] = self.example(path)
        for views in ("sql/hta.sql", "sql/tracelens.sql"):
            scripts[views] = scripts["sql/formats/kineto.sql"] + "\n.read " + views
        for path, text in scripts.items():
            done = subprocess.run(
                ["sqlite3", "-batch", "-bail", "-init", "/dev/null", ":memory:"],
                input=off + text,
                cwd=ROOT,
                text=True,
                capture_output=True,
            )
            self.assertEqual((0, ""), (done.returncode, done.stderr), path)

    def example(self, path):
        """The first example of a script's header, on fixtures where it names files that a user would have."""
        lines = [
            line[7:].partition(" -- ")[0]
            for line in text_of(path).split("\n\n")[0].splitlines()
            if re.match(r"--     (\.|SELECT|ATTACH)", line)
        ]
        there = {
            ".load mpg": ".load ./mpg",
            "ATTACH 'file:PID_results.db?mode=ro' AS rocpd;": "ATTACH 'fixtures/rocpd/4242_results.db' AS rocpd;",
            "ATTACH 'file:ascend_pytorch_profiler_0.db?mode=ro' AS ascend;": "ATTACH 'fixtures/ascend/ascend_pytorch_profiler_11.db' AS ascend;",
            "ATTACH 'file:run.sqlite?mode=ro' AS nsys;": "ATTACH ':memory:' AS nsys;\n"
            + text_of("fixtures/nsys/two-gpus.sql")
            .replace("CREATE TABLE ", "CREATE TABLE nsys.")
            .replace("INSERT INTO ", "INSERT INTO nsys."),
        }
        commands = []
        for line in lines[: 1 + max(i for i, line in enumerate(lines) if line.startswith(".read"))]:
            parameter = re.match(r"\.param set :(\w+)", line)
            commands.append(
                f".param set :{parameter[1]} {ELSEWHERE[parameter[1], path]}"
                if parameter and (parameter[1], path) in ELSEWHERE
                else there.get(line, line)
            )
        self.assertIn(".read " + path, [command.strip() for command in commands])
        return "\n".join(commands) + "\n"

    def test_no_function_of_the_shell(self):
        """Those of sqlite3's shell that other programs do not have."""
        shell = r"\b(readfile|writefile|edit|fsdir|lsmode|sha3|sha3_query|sha1|shell_\w+|decimal\w*|regexp|regexpi|generate_series|ieee754\w*|strtod|dtostr|base64|base85|sqlar_\w+|zipfile\w*|usleep)\s*\("
        self.assertRegex("SELECT readfile ('a')", shell)
        for path in glob.glob("sql/**/*.sql", root_dir=ROOT, recursive=True):
            self.assertNotRegex(re.sub(r"--.*", "", text_of(path)), shell, path)

    def test_parts(self):
        """A file reads parts by the shell's `.read`, nothing else of the shell; each part is of one file, which may read it again, and lies in the folder of that name, but for those of formats/device, which profiles and parts of theirs share, formats/log, which logs of trainers do, sources/join, which a source that is alone has too, and sources/match, of which by_time.sql has one."""
        of = {}
        for path in glob.glob("sql/**/*.sql", root_dir=ROOT, recursive=True):
            for line in re.findall(r"(?m)^\..*", text_of(path)):
                self.assertRegex(
                    line,
                    rf"^\.read ({re.escape(path[:-4])}|sql/formats/(?:device|log)|sql/sources/(?:join|match))/\w+\.sql$",
                    path,
                )
                if not re.search("/(?:formats/(?:device|log)|sources/(?:join|match))/", line):
                    self.assertEqual(path, of.get(line, path))
                of[line] = path
        there = {
            f".read {path}"
            for path in glob.glob("sql/build/*.sql", root_dir=ROOT)
            + glob.glob("sql/formats/*/*.sql", root_dir=ROOT)
            + glob.glob("sql/sources/*/*.sql", root_dir=ROOT)
        }
        self.assertEqual(there, set(of))
        self.assertGreater(len(there), 10)
        for line in there:
            self.assertTrue(text_of(line[6:]).startswith(f"-- {'/'.join(line.split('/')[-2:])} - "), line)
            declared = set(re.findall(r"^--@ (\w+)", text_of(line[6:]), re.M))
            self.assertLessEqual(
                declared,
                {"hint", "if", "end", "part"},
                "what a script declares is said in its first file, but for hints, which are many",
            )

    def test_parts_of_the_build(self):
        """Each part that build_functions.c runs is marked once, and in the order in which it names them."""
        named = re.findall(r"PART\((\w+)\)[,}]", text_of("ext/sqlite/build/build_functions.c"))
        self.assertGreater(len(named), 10)
        self.assertEqual(re.findall(r"(?m)^--@ part (\w+)$", script_text("sql/build.sql")), named)

    def test_blocks(self):
        """Of what is passed over while a condition is not true, nothing is read after it: what a block makes is named in it alone, or in blocks of the same condition."""
        made = lambda sql: set(re.findall(r"CREATE (?:TEMP )?(?:TABLE|VIEW) (?:IF NOT EXISTS )?(\w+)", sql))
        blocks = 0
        for path in sorted(glob.glob("sql/**/*.sql", root_dir=ROOT, recursive=True)):
            if path.count("/") > 2:  # a part
                continue
            conditions, of = [], {}  # the condition that a name was made under
            text = re.sub(r"(?m)--(?!@ (?:if|end)\b).*", "", script_text(path))
            for part in re.split(r"(?m)^(--@ (?:if .*|end))$", text):
                if part.startswith("--@ if "):
                    conditions.append(part)
                    blocks += 1
                elif part == "--@ end":
                    conditions.pop()
                else:
                    for name in made(part):
                        of[name] = list(conditions)
                    for name in {n for n, asked in of.items() if asked and re.search(rf"\b{n}\b", part)}:
                        self.assertIn(of[name][-1], conditions, f"{path}: {name}")
            self.assertEqual([], conditions, path)
        self.assertGreater(blocks, 4)

    def test_no_file_is_long(self):
        long = {
            path: os.path.getsize(os.path.join(ROOT, path))
            for path in glob.glob("sql/**/*.sql", root_dir=ROOT, recursive=True)
        }
        self.assertGreater(len(long), 60)
        self.assertEqual(
            {},
            {path: size for path, size in long.items() if size > MOST_BYTES},
            "divide it: its first file reads the parts (sql/embed_scripts.awk)",
        )

    def test_installed_files_are_whole(self):
        """What is installed is read from any folder: the parts stand where the file reads them."""
        for path in glob.glob("sql/*.sql", root_dir=ROOT) + glob.glob("sql/formats/*.sql", root_dir=ROOT):
            done = subprocess.run(
                ["awk", "-v", "whole=1", "-f", "sql/embed_scripts.awk", path],
                cwd=ROOT,
                text=True,
                capture_output=True,
                check=True,
            )
            self.assertEqual((script_text(path), ""), (done.stdout, done.stderr), path)

    def test_any_awk_compiles_it_in(self):
        """What C would read otherwise in a text is escaped, by each awk there is: they differ in what a replacement may hold."""
        lines = ["SELECT '\"a\"', '\\', '\\\\n', '??/', '&', '\\&';", "SELECT 'a\\\"b';"]
        with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
            file.write("\n".join(lines) + "\n")
            file.flush()
            for awk in (["awk"], ["mawk"], ["gawk"], ["gawk", "--posix"], ["original-awk"], ["busybox", "awk"]):
                if shutil.which(awk[0]) is None:
                    continue
                done = subprocess.run(
                    [*awk, "-f", "sql/embed_scripts.awk", file.name],
                    cwd=ROOT,
                    text=True,
                    capture_output=True,
                    check=True,
                )
                literals = re.findall(r'(?m)^     "(.*)\\n"', done.stdout)
                self.assertEqual(lines, [re.sub(r"\\(.)", r"\1", literal) for literal in literals], awk)
                self.assertNotRegex(done.stdout, r"\?\?")

    def test_a_missing_part(self):
        """Is an error of the build that names the file and the part."""
        with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
            file.write("SELECT 1;\n.read sql/none.sql\n")
            file.flush()
            for whole in ("whole=1", "whole="):
                done = subprocess.run(
                    ["awk", "-v", whole, "-f", "sql/embed_scripts.awk", file.name],
                    cwd=ROOT,
                    text=True,
                    capture_output=True,
                )
                self.assertEqual(
                    (1, f"{file.name}:2: expected a file that can be read, found none: sql/none.sql\n"),
                    (done.returncode, done.stderr),
                )

    def test_what_is_used_uses_nothing(self):
        """A head's `uses` names a script that is there and names none: the extension runs them one after the other, not in depth."""
        uses = {
            path: re.findall(r"(?m)^--@ uses (\S+)$", text_of(path))
            for path in glob.glob("sql/**/*.sql", root_dir=ROOT, recursive=True)
        }
        used = {f"sql/{name}.sql" for names in uses.values() for name in names}
        self.assertGreater(len(used), 1)
        self.assertEqual([], [path for path in used if uses[path]])

    def test_sums_are_of_integers(self):
        """What is in sum() is not divided, nor multiplied by a real; but for points, which are results. Nothing is averaged."""
        for q in every():
            self.assertNotRegex(q.bare, r"\b(avg|total|group_concat)\s*\(", q.path)
            points = {c[0] for c in q.columns if c[1] == "points"} | {"total"}
            for inner in sums(q.bare):
                inner = re.sub(r"CAST\(round\([^()]*(\([^()]*\)[^()]*)*\) AS INTEGER\)", "n", inner)
                inner = re.sub(r"/ \d+", "", inner)  # by an integer: integers again
                if inner.strip() in points:
                    continue
                self.assertNotRegex(inner, r"/|\d\.|\de\d", f"{q.path}: sum({inner})")

    def test_build_sums_integers(self):
        text = re.sub(r"--.*", "", script_text("sql/build.sql"))
        for inner in sums(text):
            self.assertNotRegex(inner, r"/|\d\.|\de\d|chip_seconds", inner)
        self.assertNotRegex(text, r"(?m)^\.")

    def test_lines(self):
        def bare(part):
            return part[0] if part[0].startswith("--") else "''" + "\n" * part[0].count("\n")

        for path in sorted(glob.glob("sql/**/*.sql", root_dir=ROOT, recursive=True)):
            text = re.sub(r"--[^\n]*|'(?:[^']|'')*'|\"[^\"]*\"", bare, text_of(path))
            long = [
                i + 1 for i, line in enumerate(text.splitlines()) if len(line) > WIDTH and not line.startswith("--@")
            ]
            self.assertEqual([], long, path)

    def test_the_rules_can_be_broken(self):
        """The checks see what they are there to see."""
        with tempfile.TemporaryDirectory(dir=ROOT) as folder:
            path = os.path.join(os.path.basename(folder), "bad.sql")
            with open(os.path.join(ROOT, path), "w") as file:
                file.write(
                    "-- bad.sql - nothing.\n--\n--@ column x REAL ratio\n-- Basis: none.\nSELECT sum(a / 2.0) AS x FROM t;\n"
                )
            q = Question(path)
        self.assertEqual(["a / 2.0"], sums(q.bare))
        self.assertEqual([("x", "ratio", "")], q.columns)


def sums(text):
    """The arguments of every sum()."""
    found = []
    for match in re.finditer(r"\bsum\(", text):
        depth, at = 1, match.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
        found.append(text[match.end() : at - 1])
    return found


class Page(unittest.TestCase):
    maxDiff = None

    def test_is_up_to_date(self):
        """What the statements give is tests/test_docs.py's."""
        text = page()
        with open(PAGE, encoding="utf-8") as file:
            found = file.read()
        if os.environ.get("MPG_WRITE_DOCS") and without_outputs(text) != without_outputs(found):
            with open(PAGE, "w", encoding="utf-8") as file:
                file.write(text)
            found = text
        self.assertEqual(without_outputs(found), without_outputs(text))

    def test_each_call_answers(self):
        """As the page prints it, with an example's values in place of the names of arguments."""
        db = connect()
        self.addCleanup(db.close)
        db.execute("SELECT mpg_build('fixtures/fleet')")
        calls = re.findall(
            r"^- `(mpg_(\w+)\((.*?)\))`: ",
            text_of(os.path.relpath(PAGE, ROOT)).partition("<!-- generated below")[2],
            re.M,
        )
        self.assertEqual([q.name[:-4] for q in questions()], [name for _, name, _ in calls])
        for call, name, arguments in calls:
            (function,) = of_script(f"sql/questions/{name}.sql")
            given = {parameter[1:]: None for _, parameter, _, _ in function.arguments} | EXAMPLES.get(name, {})
            names = {argument: parameter for argument, parameter, _, _ in function.arguments}
            bound = re.sub(r'"?(\w+)"?', lambda match: names[match[1]], arguments)
            with self.subTest(call):
                self.assertGreater(len(db.execute(f"SELECT * FROM mpg_{name}({bound})", given).fetchall()), 0)

    def test_tables_and_views_are_described(self):
        db = built("fixtures/golden")
        with open(PAGE, encoding="utf-8") as file:
            text = file.read()
        names = [name for name, in db.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")]
        self.assertEqual([], [name for name in names if f"`{name}`" not in text])


if __name__ == "__main__":
    unittest.main()
