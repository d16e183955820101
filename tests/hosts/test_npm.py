"""The packages of `make npm`, unpacked as npm installs them: node:sqlite, better-sqlite3 and bun:sqlite find the library and load it."""

import glob
import json
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest

from fleets import ROOT, connect

TARGETS = ["mpg.so", "release"]
CLIENTS = os.path.join(ROOT, "build", "clients")
NODE = os.path.join(CLIENTS, "node", "node_modules", ".bin", "node")
BUN = os.path.join(CLIENTS, "bun", "node_modules", ".bin", "bun")
BETTER = os.path.join(CLIENTS, "better-sqlite3", "node_modules")
QUERY = "SELECT pool, mpg_lower(category, chip_us) AS mpg FROM trace_rollup('fixtures/golden') WHERE category <> 'queued' GROUP BY pool"
TAIL = f'mpg.load(db);\nconsole.log(JSON.stringify(db.prepare("{QUERY}").get()));\n'
PROGRAMS = {
    "node_sqlite": (
        [NODE, "program.mjs"],
        'import { DatabaseSync } from "node:sqlite";\nimport * as mpg from "sqlite-mpg";\n'
        'const db = new DatabaseSync(":memory:", { allowExtension: true });\n',
    ),
    "better_sqlite3": (
        ["node", "program.cjs"],
        'const Database = require("better-sqlite3");\nconst mpg = require("sqlite-mpg");\nconst db = new Database(":memory:");\n',
    ),
    "bun": (
        [BUN, "program.mjs"],
        'import { Database } from "bun:sqlite";\nimport * as mpg from "sqlite-mpg";\nconst db = new Database(":memory:");\n',
    ),
}


@unittest.skipUnless(shutil.which("npm"), "no npm here")
class Npm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        subprocess.run(
            ["make", "-s", "--no-print-directory", "npm"],
            cwd=ROOT,
            check=True,
            stdout=subprocess.DEVNULL,
            env={k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")},
        )
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder, cls.packages = folder.name, {}
        version = connect().execute("SELECT mpg_version()").fetchone()[0]
        for path in glob.glob(os.path.join(ROOT, "dist", f"sqlite-mpg*-{version}.tgz")):
            with tarfile.open(path) as tar:
                package = json.load(tar.extractfile("package/package.json"))
                tar.extractall(os.path.join(cls.folder, "unpacked"))
            os.makedirs(os.path.join(cls.folder, "node_modules"), exist_ok=True)
            os.rename(
                os.path.join(cls.folder, "unpacked", "package"),
                os.path.join(cls.folder, "node_modules", package["name"]),
            )
            cls.packages[package["name"]] = package
        os.symlink(os.path.join(ROOT, "fixtures"), os.path.join(cls.folder, "fixtures"))

    def test_what_they_say(self):
        self.assertIn("sqlite-mpg", self.packages)
        self.assertEqual(2, len(self.packages))
        for name, package in self.packages.items():
            self.assertEqual("Apache-2.0", package["license"])
            self.assertTrue(os.path.exists(f"{self.folder}/node_modules/{name}/LICENSE"))
            self.assertNotIn("@", json.dumps(package))
            if name != "sqlite-mpg":
                self.assertIn(name, self.packages["sqlite-mpg"]["optionalDependencies"])
                with open(f"{self.folder}/node_modules/{name}/mpg.so", "rb") as packed, open(
                    os.path.join(ROOT, "build/release/mpg.so"), "rb"
                ) as built:
                    self.assertTrue(packed.read() == built.read())

    def test_the_report(self):
        database, page = os.path.join(self.folder, "fleet.db"), os.path.join(self.folder, "report.html")
        connect(database).execute("SELECT mpg_build(?)", (os.path.join(ROOT, "fixtures", "golden"),)).fetchall()
        program = os.path.join(
            self.folder, "node_modules", "sqlite-mpg", self.packages["sqlite-mpg"]["bin"]["mpg-report"]
        )
        subprocess.run([program, database, "-o", page], check=True, stdout=subprocess.DEVNULL)
        with open(page, encoding="utf-8") as file:
            self.assertIn("class Page", file.read())

    def loaded(self, client):
        command, head = PROGRAMS[client]
        if subprocess.run(
            ["sh", "-c", f"{command[0]} --version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
        ).returncode:
            self.skipTest(f"no {command[0]}; make clients installs it")
        if client == "better_sqlite3":
            if subprocess.run(
                ["node", "-e", f"require('{BETTER}/better-sqlite3')(':memory:')"],
                stderr=subprocess.DEVNULL,
                check=False,
            ).returncode:
                self.skipTest("no better-sqlite3; make clients installs it")
            for name in os.listdir(BETTER):
                if not os.path.lexists(f"{self.folder}/node_modules/{name}"):
                    os.symlink(f"{BETTER}/{name}", f"{self.folder}/node_modules/{name}")
        with open(os.path.join(self.folder, command[1]), "w", encoding="utf-8") as file:
            file.write(head + TAIL)
        done = subprocess.run(
            command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False
        )
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual({"pool": "golden", "mpg": 0.155}, json.loads(re.search(r"\{.*\}", done.stdout)[0]))


for client_name in PROGRAMS:
    setattr(Npm, f"test_{client_name}", lambda self, client_name=client_name: self.loaded(client_name))


if __name__ == "__main__":
    unittest.main()
