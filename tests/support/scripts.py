"""scripts.py - the SQL files of sql/: a line ".read PATH" in one stands for the part at PATH."""

import os
import re

from fleets import ROOT


def script_text(path):
    """A file with its parts, as the shell reads it in the root of the repository, as the extension holds it, and as it is installed."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return re.sub(r"(?m)^\.read (\S+)\n", lambda part: script_text(part[1]), file.read())
