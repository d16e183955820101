"""The documents: every SQL name is in them, and every example in them does what it shows.

In README.md and the pages under docs/ the ```sql blocks are run in order, those of one page in one fresh shell with the extension
loaded, in the repository root:

    sqlite3 -bail, .mode column, .headers on

The ``` block that follows a ```sql block is its output. A block without output is followed by none. ```sql no-run
is not run. MPG_WRITE_DOCS=1 writes what comes out into the pages: read it before it is committed.
"""

import glob
import os
import re
import sqlite3
import subprocess
import unittest

import formats
from fleets import ROOT, connect

TARGETS = ["studies"]  # what docs/studies reads
STUDIES = os.path.join(ROOT, "docs", "studies")
PAGES = [
    path
    for path in [
        os.path.join(ROOT, "README.md"),
        *sorted(glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True)),
    ]
    if os.path.exists(path)
]
BLOCK = re.compile(r"^```sql[ ]*\n(.*?)^```[ ]*\n(?:```[ ]*\n(.*?)^```[ ]*$)?", re.M | re.S)
MARK = "---- end of block %d ----"


def names():
    """Functions and tables that the extension adds."""
    plain, loaded = sqlite3.connect(":memory:"), connect()
    for pragma in ("pragma_function_list", "pragma_module_list"):
        query = f"SELECT DISTINCT name FROM {pragma}"
        yield from sorted(set(loaded.execute(query)) - set(plain.execute(query)))


def run_page(text):
    """What the blocks of a page print, each by itself."""
    statements = [match[1] for match in BLOCK.finditer(text)]
    script = ".load ./mpg\n.mode column\n.headers on\n"
    for i, statement in enumerate(statements):
        script += statement.rstrip() + "\n.print '" + MARK % i + "'\n"
    done = subprocess.run(
        ["sqlite3", "-batch", "-bail", "-init", "/dev/null", ":memory:"],
        input=script,
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    parts, rest = [], done.stdout
    for i in range(len(statements)):
        part, mark, rest = rest.partition(MARK % i + "\n")
        parts.append(part if mark else part + f"(stopped with {done.returncode})\n")
        if not mark:
            break
    return parts


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def trimmed(text):
    return [line.rstrip() for line in (text or "").rstrip("\n").split("\n")]


def fenced(output):
    """A block of output; nothing where there is none. The page goes on behind it."""
    return "".join(f"{line}\n" for line in ["```", *trimmed(output), "```"])[:-1] if output.strip() else ""


def prose(text):
    """The sentences of a page, without blocks of code, tables, headings, targets of links and inline code."""
    text = re.sub(r"^```.*?^```[ ]*$|<!--.*?-->", "", text, flags=re.M | re.S)
    lines = [line for line in text.split("\n") if not re.match(r"\||#| {4}", line)]
    text = re.sub(r"^\s*(?:[-*]|\d+\.) ", "\n\n", "\n".join(lines), flags=re.M)
    text = re.sub(r"`[^`]*`", "", re.sub(r"\]\([^)]*\)", "]", text))
    sentences = [re.findall("[a-z']+", sentence.lower()) for sentence in re.split(r"[.?!](?=[\s)]|$)|\n\s*\n", text)]
    return [sentence for sentence in sentences if sentence]


def syllables(word):
    """Groups of vowels, without an e that is silent at the end."""
    silent = re.search(r"[^aeiouyl]e$|[^aeiouydt]ed$|[^aeiouyscgxz]es$", word)
    return max(1, len(re.findall("[aeiouy]+", word)) - bool(silent))


def reading_ease(text):
    """Flesch's: 100 is very easy, 60 is plain English, 30 is for experts."""
    sentences = prose(text)
    words = [word for sentence in sentences for word in sentence]
    return 206.835 - 1.015 * len(words) / len(sentences) - 84.6 * sum(map(syllables, words)) / len(words)


class Docs(unittest.TestCase):
    maxDiff = None

    def test_reading_ease(self):
        self.assertEqual(
            [1, 1, 2, 4, 4], [syllables(word) for word in ("made", "asked", "table", "capacity", "allocation")]
        )
        self.assertEqual(
            [["you", "run"], ["it", "ends"]],
            prose("# A title\n\n| a | table |\n\nYou run `this`.\n- It [ends](there.md)\n```\ncode. Code.\n```\n"),
        )
        self.assertGreater(reading_ease("You give the log. The log has each step."), 90)
        self.assertLess(
            reading_ease("Accounting relations necessitate disambiguation of heterogeneous allocations."), 0
        )
        hard = {os.path.relpath(page, ROOT): reading_ease(text_of(page)) for page in PAGES}
        self.assertEqual({}, {page: round(ease) for page, ease in hard.items() if ease < 55})

    def test_the_first_line_says_who_a_page_is_for(self):
        """ "For whoever ...", or what you do with it."""

        def first(text):
            return text.split("\n\n")[1]

        self.assertNotRegex(first("# A title\n\nIt reads files.\n\nFor people."), "^(For|You) ")
        pages = [page for page in PAGES if os.path.dirname(page) != STUDIES]
        self.assertEqual(
            [], [os.path.relpath(page, ROOT) for page in pages if not re.match("(For|You) ", first(text_of(page)))]
        )

    def test_pages_of_formats_are_short(self):
        pages = [page for page in PAGES if os.path.dirname(page) == os.path.join(ROOT, "docs", "formats")]
        self.assertGreater(len(pages), 10)
        self.assertEqual([], [os.path.relpath(page, ROOT) for page in pages if len(text_of(page).split()) > 2500])

    def test_words_in_all(self):
        """A page that grows takes its words from another: what is said twice, narration, rows of an example."""
        words = sum(len(text_of(page).split()) for page in PAGES if os.path.dirname(page) != STUDIES)
        self.assertTrue(30000 < words <= 40000, words)

    def test_words_of_studies(self):
        """Studies count apart: nobody needs them to use mpg, and one more of them shall not shorten a page of the manual."""
        words = {
            os.path.basename(page): len(text_of(page).split()) for page in PAGES if os.path.dirname(page) == STUDIES
        }
        self.assertEqual({}, {page: count for page, count in words.items() if count > 700})
        self.assertTrue(3000 < sum(words.values()) <= 5000, words)

    def test_every_name_is_documented(self):
        text = "\n".join(map(text_of, PAGES))
        missing = [name for name, in names() if not re.search(r"\b%s\b" % re.escape(name), text)]
        self.assertEqual([], missing)

    def test_every_name_has_an_example(self):
        """In a block, or as a call in the two lists that are generated: tests/sql/test_table_functions.py asks each of those."""
        examples = "\n".join(match[1] for path in PAGES for match in BLOCK.finditer(text_of(path)))
        lists = [text_of(path).partition("<!-- generated below: tests/sql/")[2] for path in PAGES]
        self.assertEqual(2, len(list(filter(None, lists))))
        examples += "\n".join(re.findall(r"^- `(\w+\(.*?\))`: ", "\n".join(lists), re.M))
        without = [name for name, in names() if not re.search(r"\b%s\b" % re.escape(name), examples)]
        self.assertEqual(["mpg_take_row"], without)  # an error in any statement but mpg's own

    def test_every_fixture_is_listed(self):
        listed = re.findall(
            r"^\| `([^/`]+)", text_of(os.path.join(ROOT, "fixtures", "README.md")).split("\n## ")[0], re.M
        )
        found = set(os.listdir(os.path.join(ROOT, "fixtures"))) - {"README.md", "fixtures.mk", "generate", "golden.md"}
        of_formats = {
            format.fixtures or name for name, format in formats.FORMATS.items()
        }  # each is on the page of its format
        self.assertEqual(([], []), (sorted(set(listed) - found), sorted(found - set(listed) - of_formats)))
        for name, format in formats.FORMATS.items():
            self.assertIn(
                f"fixtures/{format.fixtures or name}/", text_of(os.path.join(ROOT, "docs", "formats", f"{name}.md"))
            )

    def test_links_lead_somewhere(self):
        """Each relative link of a page names a file that is there; docs/README.md links to each page, or to the folder of
        those of formats; that of studies to each study."""
        dead, linked = [], set()
        for page in PAGES:
            for target in re.findall(
                r"\]\(([^)\s#]+)[^)]*\)", re.sub(r"```.*?```|`[^`]*`", "", text_of(page), flags=re.S)
            ):
                path = os.path.normpath(os.path.join(os.path.dirname(page), target))
                if re.match(r"\w+:", target):
                    continue
                if not os.path.exists(path):
                    dead.append((os.path.relpath(page, ROOT), target))
                if page in (os.path.join(ROOT, "docs", "README.md"), os.path.join(STUDIES, "README.md")):
                    linked |= {
                        path,
                        *(
                            glob.glob(os.path.join(path, "*.md"))
                            if path == os.path.join(ROOT, "docs", "formats")
                            else []
                        ),
                    }
        self.assertEqual([], dead)
        self.assertEqual(
            [],
            [
                os.path.relpath(page, ROOT)
                for page in PAGES[1:]
                if page not in linked and os.path.basename(page) != "README.md"
            ],
        )

    def test_every_package_is_listed(self):
        packages = re.findall(
            r"^\s+(?:[^#\n]*\) )?(?:command_in|header_in|works_in|.*\|\| missing) ([a-z][a-z0-9+.-]*)",
            text_of(os.path.join(ROOT, "ext", "package", "deps.sh")),
            re.M,
        )
        rows = re.findall(
            r"^\| ([^|]+) \|", text_of(os.path.join(ROOT, "docs", "development", "dependencies.md")), re.M
        )
        listed = {name for row in rows for name in row.split(", ")}
        self.assertGreater(len(packages), 40)
        self.assertEqual([], [name for name in packages if name not in listed])

    def test_every_issue_is_documented(self):
        """Kinds that the sources report are listed under docs/."""
        text = "\n".join(map(text_of, PAGES))
        kinds = set()
        for path in glob.glob(os.path.join(ROOT, "ext", "**", "*.c"), recursive=True):
            kinds |= set(re.findall(r'MPG_(?:INFO|WARNING|DATA_LOSS),\s*"([a-z]+_[a-z_]+)"', text_of(path)))
        self.assertEqual([], sorted(kind for kind in kinds if f"`{kind}`" not in text))

    def test_every_issue_of_a_mapping_is_in_the_list(self):
        """Kinds that scripts insert have a line each in docs/issues.md, under their severity."""
        sections = re.findall(
            r"^## (\w+):.*?\n(.*?)(?=^## |\Z)", text_of(os.path.join(ROOT, "docs", "issues.md")), re.M | re.S
        )
        listed = {
            (kind, severity)
            for severity, section in sections
            for names in re.findall(r"^- (`.*?`): ", section, re.M)
            for kind in re.findall(r"`(\w+)`", names)
        }
        inserted = set()
        for path in glob.glob(os.path.join(ROOT, "sql", "**", "*.sql"), recursive=True):
            inserted |= {
                (kind, severity)
                for severity, kind in re.findall(
                    r"'(info|warning|data_loss)'(?: AS \w+)?,\s*'(?!data_loss)([a-z]+_[a-z_]+)'", text_of(path)
                )
            }
        self.assertGreater(len(inserted), 15)
        self.assertEqual([], sorted(inserted - listed))

    def test_no_example_reads_a_file_for_each_row(self):
        """SQLite has no index of a virtual table: the inner one of a join is read again for each row of the outer one."""
        modules = [
            name
            for name, in connect().execute("SELECT name FROM pragma_module_list")
            if re.search("_(trace|cost|ledger|rollup|timeline|records|report)$", name)
        ]
        inner = re.compile(
            r"(?:\bJOIN|\)|\bAS \w+),?\s+(?:(?:%s)\s*\(\s*[':]|mpg_(?:ledger|rollup|timeline)\b)" % "|".join(modules),
            re.I,
        )
        for example in (
            "FROM x JOIN hlo_trace('a') AS h",
            "FROM csv_trace('a'), csv_trace('b')",
            "FROM j AS a,\n     mpg_timeline(a.job)",
            "FROM a JOIN mpg_rollup USING (pool)",
        ):
            self.assertRegex(example, inner)
        scripts = glob.glob(os.path.join(ROOT, "sql", "**", "*.sql"), recursive=True)
        for path, text in [(path, match[1]) for path in PAGES for match in BLOCK.finditer(text_of(path))] + [
            (path, text_of(path)) for path in scripts
        ]:
            self.assertIsNone(inner.search(text), (path, text))

    def check_page(self, path):
        text = text_of(path)
        found = run_page(text)
        if os.environ.get("MPG_WRITE_DOCS"):
            parts = iter(found)

            def block(m):
                output = fenced(next(parts, ""))
                return "```sql\n%s```\n%s%s" % (m[1], output, "\n" if output and m[2] is None else "")

            written = BLOCK.sub(block, text)
            if written != text:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(written)
            return
        for i, match in enumerate(BLOCK.finditer(text)):
            line = text.count("\n", 0, match.start()) + 1
            with self.subTest(f"{os.path.relpath(path, ROOT)}:{line}"):
                self.assertEqual(trimmed(match[2]), trimmed(found[i] if i < len(found) else "(not run)"))


for path in PAGES:
    page = "test_page_" + re.sub(r"\W", "_", os.path.relpath(path, ROOT)[:-3])
    assert not hasattr(Docs, page), f"two pages of the name {page}"
    setattr(Docs, page, lambda self, path=path: self.check_page(path))


if __name__ == "__main__":
    unittest.main()
