#!/usr/bin/python3
"""build_wheel.py - writes the wheel of sqlite_mpg: VERSION MACHINE LIBRARY FOLDER, run in the repository's top folder.

A wheel is a zip file whose RECORD has the hash of each member, so nothing but Python is needed. Members are in order and bear one
date, so that the same files give the same bytes.
"""
import base64
import glob
import hashlib
import os
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
PLATFORM = "manylinux_2_28"
DATE = (1980, 1, 1, 0, 0, 0)  # the first that zip has
METADATA = """Metadata-Version: 2.1
Name: sqlite-mpg
Version: {version}
Summary: ML Productivity Goodput from trace files, in SQLite: a loadable extension
License: Apache-2.0
Keywords: sqlite,sqlite-extension,goodput,gpu,tpu,slurm
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Classifier: Typing :: Typed
Requires-Python: >=3.8
Description-Content-Type: text/markdown

{readme}"""
WHEEL = """Wheel-Version: 1.0
Generator: mpg ({version})
Root-Is-Purelib: false
Tag: {tag}
"""
ENTRY_POINTS = """[console_scripts]
mpg-report = sqlite_mpg.report:main
"""
REPORT_MAIN = '''"""python -m sqlite_mpg.report DATABASE: the report, as mpg-report writes it."""
from . import main

main()
'''


def bytes_of(path):
    with open(path, "rb") as file:
        return file.read()


def members(version, tag, library):
    """The name of each member, and its bytes."""

    def filled(path):
        return bytes_of(path).decode().replace("@version@", version).encode()

    info = f"sqlite_mpg-{version}.dist-info"
    found = {
        "sqlite_mpg/__init__.py": filled(os.path.join(HERE, "sqlite_mpg.py")),
        "sqlite_mpg/py.typed": b"",
        "sqlite_mpg/mpg.so": bytes_of(library),
        "sqlite_mpg/report/__init__.py": bytes_of("sql/report/mpg-report"),
        "sqlite_mpg/report/__main__.py": REPORT_MAIN.encode(),
        f"{info}/METADATA": METADATA.format(
            version=version, readme=filled(os.path.join(HERE, "description.md")).decode()
        ).encode(),
        f"{info}/WHEEL": WHEEL.format(version=version, tag=tag).encode(),
        f"{info}/entry_points.txt": ENTRY_POINTS.encode(),
        f"{info}/LICENSE": bytes_of("LICENSE"),
        f"{info}/licences.txt": bytes_of("ext/package/release/licences.txt"),
    }
    for path in [path for end in ("sql", "mjs", "py", "html") for path in glob.glob("sql/report/*." + end)]:
        found[f"sqlite_mpg/report/{os.path.basename(path)}"] = bytes_of(path)
    return info, found


def write(path, info, found):
    lines = []
    for name, data in sorted(found.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}")
    record = f"{info}/RECORD"
    found[record] = ("\n".join([*lines, f"{record},,"]) + "\n").encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        for name in sorted(found, key=lambda name: (name.startswith(info), name == record, name)):  # RECORD is last
            member = zipfile.ZipInfo(name, DATE)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = (0o100755 if name.endswith(".so") else 0o100644) << 16
            out.writestr(member, found[name])


def main():
    version, machine, library, folder = sys.argv[1:]
    tag = f"py3-none-{PLATFORM}_{machine}"
    info, found = members(version, tag, library)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"sqlite_mpg-{version}-{tag}.whl")
    write(path + ".new", info, found)
    os.replace(path + ".new", path)
    print(path)


if __name__ == "__main__":
    main()
