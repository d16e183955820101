"""Puts the folders of tests/ that have suites or helpers on Python's path, so that a suite imports another by its name alone."""

import os
import sys

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SUITES = ["", "rules", "formats", "sql", "hosts", "robust", "full"]  # a suite's name is in one of them only

for folder in ["fuzz", "tongues", *reversed(SUITES), "support"]:
    path = os.path.normpath(os.path.join(TESTS, folder))
    if path not in sys.path:
        sys.path.insert(0, path)
