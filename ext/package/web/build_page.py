"""build_page.py PROGRAM OUT - one HTML file of the page, the extension in WebAssembly, and the report's scripts and style."""

import base64
import glob
import hashlib
import importlib.machinery
import importlib.util
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
STYLE = """
#drop { border: 2px dashed var(--rule); border-radius: .5rem; padding: 1rem; margin: 1rem 0; }
#drop.over { border-color: var(--accent); background: var(--card); }
textarea { width: 100%; font: .85rem/1.5 ui-monospace, Menlo, Consolas, monospace; color: var(--ink); background: var(--card); border: 1px solid var(--rule); border-radius: .3rem; padding: .6rem; }
label.file { color: var(--accent); text-decoration: underline; cursor: pointer; }
label.file input { position: absolute; width: 1px; height: 1px; opacity: 0; }
label.file:focus-within { outline: 2px solid var(--accent); }
.error { color: #b3261e; font-family: ui-monospace, Menlo, Consolas, monospace; white-space: pre-wrap; }
@media (prefers-color-scheme: dark) { .error { color: #ff8f88; } }
"""


def text_of(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def report():
    """mpg-report, which puts the scripts of the report together."""
    sys.path.insert(0, os.path.join(ROOT, "sql", "report"))
    loader = importlib.machinery.SourceFileLoader("mpg_report", os.path.join(ROOT, "sql", "report", "mpg-report"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("mpg_report", loader))
    loader.exec_module(module)
    return module


def examples():
    """The files of fixtures/exports, but for the fleet file: a folder of several formats."""
    paths = [
        path for path in sorted(glob.glob(os.path.join(ROOT, "fixtures", "exports", "*"))) if not path.endswith(".json")
    ]
    return json.dumps([{"name": os.path.basename(path), "text": text_of(path)} for path in paths]).replace(
        "<", "\\u003c"
    )


def page(program):
    # Its last line draws the page of a report as soon as it is read.
    scripts = report().script().replace('if (typeof document === "object") begin();', "")
    scripts += "\n".join(text_of(HERE, name) for name in ("report.mjs", "web.mjs"))
    style = re.search(r"(?s)<style>(.*?)</style>", text_of(ROOT, "sql", "report", "template.html"))[1] + STYLE
    digest = base64.b64encode(hashlib.sha256(scripts.encode()).digest()).decode()
    with open(program.replace(".js", ".wasm"), "rb") as file:
        wasm = base64.b64encode(file.read()).decode()
    worker = f'{text_of(program)}\nconst WASM = "{wasm}";\n{text_of(HERE, "worker.js")}'
    assert "</script" not in worker + scripts
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-{digest}' blob: 'wasm-unsafe-eval'; worker-src blob:; style-src 'unsafe-inline'; img-src data:">
<title>mpg: ML Productivity Goodput</title>
<style>{style}</style>
</head>
<body>
{text_of(HERE, "page.html")}
<script type="application/json" id="fixtures">{examples()}</script>
<script type="text/plain" id="program">{worker}</script>
<script type="module">{scripts}</script>
</body>
</html>
"""


if __name__ == "__main__":
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(page(sys.argv[1]))
