"""Cases of docs/rules.md: one small fleet for each, with the answer by hand, in chip-seconds.

Every case is held against the naive computation, and against the extension over CSV, JSON Lines and tables.
A fleet without capacity has no idle time and its productive time is `unrated`, which keeps most cases small.
"""

import unittest
from collections import Counter

import naive
from fleets import FORMS, ONE, TWO, al, as_source, cap, difference, fleet, job, ledger, project, sp

MS = 10**-6
CHIPS = [("chips", ONE), ("chips", TWO)]
POOL = CHIPS + [cap(2, 0, 10), al(2, 0, 10, outcome="completed"), job()]


def steps(*numbers, start=0, attempt=1, **columns):
    """Steps of 10 s one after another."""
    return [sp("step", start + 10 * i, start + 10 * i + 10, n, attempt, **columns) for i, n in enumerate(numbers)]


class Cases:
    """Those of a suite, by name: each becomes four tests of its class."""

    def __init__(self):
        self.cases = {}

    def __call__(self, name, records, expected, by=("job", "category", "cause"), issues=None, **options):
        """expected: {(values of `by`): chip-seconds}; trailing NULLs may be left out."""
        assert name not in self.cases, name
        wanted = Counter()
        for key, seconds in expected.items():
            key = key if isinstance(key, tuple) else (key,)
            wanted[key + (None,) * (len(by) - len(key))] = round(seconds * 10**6)
        self.cases[name] = fleet(*records), wanted, by, issues, options

    def add_to(self, suite):
        for name, case in self.cases.items():
            words = "".join(c if c.isalnum() else "_" for c in name)
            setattr(suite, "test_naive__" + words, lambda self, case=case: self.naive(*case))
            for form in FORMS:
                setattr(suite, f"test_{form}__{words}", lambda self, case=case, form=form: self.extension(form, *case))
        return suite


class Rules(unittest.TestCase):
    maxDiff = None

    def check_ledger(self, expected, found):
        text = difference(expected, found)
        if text:
            self.fail("\n" + text)

    def naive(self, relations, expected, by, issues, options):
        result = naive.compute(relations, **options)
        self.check_ledger(expected, project(result.ledger, by))
        if issues is not None:
            self.assertEqual(issues, result.issues)

    def extension(self, form, relations, expected, by, issues, options):
        with as_source(relations, form) as (db, source):
            self.check_ledger(expected, ledger(db, source, options, by))
            if issues is not None:
                kinds = {kind for kind, in db.execute("SELECT kind FROM mpg_issues WHERE kind <> 'out_of_order'")}
                self.assertEqual(issues, kinds)
