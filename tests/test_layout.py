"""How the sources are laid out. `make lint` asks black too, which takes a minute."""

import ast
import glob
import os
import re
import shutil
import subprocess
import unittest

from fleets import ROOT

C_WIDTH = 100  # columns, of comments too, which clang-format leaves alone
PYTHON_WIDTH = 120  # as in tests/lint.mk
PYTHON_SIZE = 50_000  # bytes of a file, which is one room


def files(*endings):
    """The sources with these endings, by their paths from the root."""
    rooms = ("ext", "fixtures", "sql", "tests")
    paths = (f"{room}/**/*{ending}" for room in rooms for ending in endings)
    found = (path for pattern in paths for path in glob.glob(pattern, root_dir=ROOT, recursive=True))
    return sorted(path for path in found if os.path.isfile(os.path.join(ROOT, path)))


def programs_in_python():
    """Those that end in .py, and those that begin with their interpreter."""
    plain = [path for path in files("") if "." not in os.path.basename(path)]
    return files(".py") + [path for path in plain if text_of(path).startswith("#!/usr/bin/python3")]


def text_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def wide_lines(text, width):
    """Lines of Python that are too wide without their texts and comments, which are in one piece."""
    wide = {n: line for n, line in enumerate(text.split("\n"), 1) if len(line) > width}
    if wide:
        texts = [node for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.Constant, ast.JoinedStr))]
        within = {n for node in texts for n in range(node.lineno, node.end_lineno + 1) if node.end_lineno > node.lineno}
        wide = {n: line for n, line in wide.items() if n not in within}
    pieces = r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|#.*'
    return [n for n, line in wide.items() if len(line) - sum(map(len, re.findall(pieces, line))) > width]


class Layout(unittest.TestCase):
    def test_no_line_of_c_is_too_wide(self):
        paths = files(".c", ".h")
        self.assertGreater(len(paths), 300)
        for path in paths:
            lines = text_of(path).split("\n")
            self.assertEqual([], [n for n, line in enumerate(lines, 1) if len(line) > C_WIDTH], path)

    @unittest.skipUnless(shutil.which("clang-format"), "no clang-format here")
    def test_c_is_formatted(self):
        done = subprocess.run(
            ["clang-format", "--dry-run", "-Werror", *files(".c", ".h")],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self.assertEqual((0, ""), (done.returncode, done.stdout))

    def test_no_line_of_python_is_too_wide(self):
        paths = programs_in_python()
        self.assertGreater(len(paths), 250)
        for path in paths:
            self.assertEqual([], wide_lines(text_of(path), PYTHON_WIDTH), path)

    def test_no_file_of_python_is_too_long(self):
        sizes = {path: os.path.getsize(os.path.join(ROOT, path)) for path in programs_in_python()}
        self.assertEqual({}, {path: size for path, size in sizes.items() if size > PYTHON_SIZE})

    def test_a_wide_line_is_found(self):
        text = "a = [%s]\nb = '%s'\nc = '''\n%s'''\n" % ("1, " * 40, "b" * 120, "c" * 120)
        self.assertEqual([1], wide_lines(text, PYTHON_WIDTH))


if __name__ == "__main__":
    unittest.main()
