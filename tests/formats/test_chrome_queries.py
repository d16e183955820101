"""Queries of chrome_trace that are answered another way: read ahead by threads, records passed over, groups. The same rows, errors and issues."""

import gzip
import json
import os
import random
import sqlite3
import unittest

from chrome import RANKS, Case


class Queries(Case):
    def test_threads(self):
        """Read ahead by several threads: the same rows, rowids, lines, errors and issues, whatever looks like the seam between two events."""
        pick = random.Random(5)
        texts = ['},{"', '},\n{"ph"', "\\", "a\nb", "}, {", 'x"},\n {"ph": "X"', "void at::kernel<4>(int)"]

        def nested(depth):
            return [{"ph": "X", "ts": 1, "args": nested(depth - 1) if depth else "}"} for _ in range(pick.randrange(4))]

        def event(i):
            made = {
                "ph": pick.choice("XXXs"),
                "cat": pick.choice(("kernel", "cpu_op")),
                "name": pick.choice(texts),
                "ts": i,
                "dur": pick.random(),
            }
            if pick.randrange(3) == 0:
                made["args"] = {"stream": i % 7, "Input Dims": nested(2), "grid": [1, [2]]}
            return made

        events = [event(i) for i in range(10000)]
        lines = ["{}" if i % 999 == 0 else json.dumps(one) for i, one in enumerate(events)]
        broken = lines[:]
        for i in range(50, len(broken), 1500):
            broken[i] = pick.choice(
                (broken[i][:-1], '{"ph": "X", "ts": bad}', '{"ph" "X"}', broken[i].replace(",", ",,", 1))
            )
        forms = {
            "lines": "[\n" + ",\n".join(lines) + "\n]\n",
            "one line": json.dumps(events),
            "indented": json.dumps({"a": [{"ph": 1}, {"ph": 2}], "traceEvents": events, "z": 1}, indent=1),
            "several": '{"traceEvents": ['
            + ",".join(lines[:5000])
            + '], "other": ['
            + ",".join(lines[:4000])
            + '],\n"traceEvents": ['
            + ", ".join(lines[5000:])
            + "]}",
            "cut off": "[" + ",\n".join(lines)[:-9],
            "broken": "[" + ",\n".join(broken) + "]",
            "crlf": "[\r\n" + ",\r\n".join(lines) + "\r\n]",
            "no end": "[" + ",\n".join(lines) + "\n] 5",
        }
        for name, text in forms.items():
            path = self.file(gzip.compress(text.encode(), 1) if name in ("lines", "broken") else text)
            for query in (
                "SELECT rowid, _line, event, name, dur, stream, step FROM chrome_trace(?1, 'skip') WHERE threads = ?2",
                "SELECT rowid, ts, stream, input_dims FROM chrome_trace(?1, 'skip') WHERE cat = 'kernel' AND ph = 'X' AND threads = ?2",
                "SELECT count(*), max(_line) FROM chrome_trace(?1) WHERE name = 'nothing' AND threads = ?2",
                "SELECT sum(ts), count(rank) FROM chrome_trace(?1) WHERE threads = ?2",
                "SELECT * FROM chrome_trace_info(?1, 'skip') WHERE threads = ?2",
            ):
                found = []
                for threads in (1, 2, 5):
                    try:
                        found.append(hash(tuple(self.db.execute(query, (path, threads)))))
                    except sqlite3.Error as error:
                        found.append(str(error))
                    found.append(self.rows("SELECT * FROM mpg_issues WHERE source = ?", path))
                self.assertEqual(found[:2], found[2:4], (name, query))
                self.assertEqual(found[:2], found[4:], (name, query))
        for threads, found in ((0, "0"), (65, "65"), ("two", "'two'"), (1.5, "1.5")):
            self.assertEqual(
                self.error("SELECT * FROM chrome_trace(?) WHERE threads = ?", RANKS[0], threads),
                f"chrome_trace: threads: expected a whole number from 1 to 64, found {found}",
            )
        self.assertEqual(
            *(self.rows(f"SELECT * FROM chrome_trace(?){more}", RANKS[0]) for more in (" WHERE threads = NULL", ""))
        )

    def test_passed_over(self):
        """WHERE ph, name or cat = a text passes over records within the reader: the same rows as without."""
        path = self.file(
            json.dumps(
                [
                    {"ph": ph, "name": name, "cat": cat, "ts": i}
                    for i, (ph, name, cat) in enumerate(
                        (ph, name, cat)
                        for ph in ("X", "i", None)
                        for name in ("a", "A", "", "a\u00e9", "1", 1, True)
                        for cat in ("kernel", "Kernel")
                    )
                ]
                + [{"ts": 99}, {"name": 'esc"aped'}]
            ).replace('"a\\u00e9"', '"\\u0061\\u00e9"')
        )
        for where in (
            "name = 'a'",
            "name = 'a' AND cat = 'kernel' AND ph = 'X'",
            "name = 'a' COLLATE NOCASE",
            "name = ''",
            "name = 'a\u00e9'",
            "name = '1'",
            "name = 'esc\"aped'",
            "name IS NULL",
            "name = NULL",
            "name IN ('a', 'A')",
            "cat = 'kernel' OR name = 'A'",
            "name = 'a' AND name = 'A'",
            "name = x'61'",
            "name = 'true'",
            "cat = 'nothing'",
            "ph = (SELECT 'X')",
            "cat = 'ker' || 'nel'",
        ):
            plain = where.replace("name", "+name").replace("cat ", "+cat ").replace("ph ", "+ph ")
            found, wanted = (
                self.rows(f"SELECT ts, rowid, _line FROM chrome_trace(?) WHERE {text}", path) for text in (where, plain)
            )
            self.assertEqual(found, wanted, where)
        self.assertEqual(
            len(self.rows("SELECT 1 FROM chrome_trace(?) WHERE name = 'a\u00e9' AND cat = 'kernel'", path)), 3
        )
        self.db.execute("CREATE TABLE wanted(name)")
        self.db.executemany("INSERT INTO wanted VALUES (?)", [("a",), ("A",)])
        self.assertEqual(
            self.rows(
                "SELECT count(*) FROM chrome_trace(?) AS t JOIN wanted AS w ON t.name = w.name WHERE t.cat = 'kernel'",
                path,
            ),
            [(6,)],
        )

    def test_groups(self):
        """GROUP BY of columns of text: handed over group by group, the same rows in the same order as SQLite's sorter gives."""
        pick = random.Random(9)
        names = [
            "a",
            "A",
            "",
            "\u00e9",
            "\U0001f600",
            "a\u0000b",
            'esc"',
            "1",
            1,
            True,
            None,
            "x" * 9000,
            "void at::kernel<4>(int)",
        ]

        def event(i):
            made = {
                "ph": pick.choice("XXXs"),
                "cat": pick.choice(("kernel", "cpu_op", None, "kernel")),
                "name": pick.choice(names),
                "ts": pick.choice((i, i + 0.125, i / 7, "5", -0.0, 1e300)),
                "dur": pick.choice((1, 2.5, 0.001, i, None)),
                "pid": pick.choice((1, "one", 2.5, True)),
                "tid": i % 5,
                "id": pick.choice((i, hex(i))),
            }
            return {key: value for key, value in made.items() if pick.randrange(20)} or {"ts": 0}

        first = self.file(
            "[" + ",\n".join("{}" if i % 99 == 0 else json.dumps(event(i)) for i in range(1200)) + "]", "a.json"
        )
        with open(os.path.join(os.path.dirname(first), "b.json"), "w") as file:
            json.dump({"traceEvents": [event(i) for i in range(900)], "z": 1}, file, indent=1)
        with open(os.path.join(os.path.dirname(first), "c.json"), "w") as file:
            file.write('[{"ph": "X", "name": "a", "ts": 1},\n{"ph" "X"},\n{"ph": "X", "name": "a", "ts": 1}')
        values = (
            "count(*), sum(ts), total(dur), min(start_ns), max(end_ns), group_concat(rowid), group_concat(coalesce(pid, 'none')), count(DISTINCT id), group_concat(typeof(tid)), max(cat), min(length(name))",
            "group_concat(_line), group_concat(replace(_file, rtrim(_file, '.abcjnos'), '')), sum(dur_ns), max(typeof(s))",
            "count(*), max(ts)",
            "1",
        )
        for threads in (1, 3):
            for keys in ("name", "cat", "ph, name", "cat, ph, name", "name, cat"):
                for where in (
                    "1",
                    "cat = 'kernel'",
                    "dur > 2 AND name <> 'a'",
                    "name = 'a' AND ph = 'X'",
                    "rowid %% 3 = 1",
                    "_line > 100",
                ):
                    for columns in values:
                        sql = f"SELECT {keys}, {columns} FROM chrome_trace(?, 'skip') AS t WHERE {where} AND threads = {threads} GROUP BY %s ORDER BY %s"
                        plain = ", ".join("+" + key for key in keys.split(", "))
                        self.assertEqual(
                            self.rows(sql % (keys, keys), os.path.dirname(first)),
                            self.rows(sql % (plain, plain), os.path.dirname(first)),
                            sql,
                        )
        self.assertEqual(
            self.issues(os.path.join(os.path.dirname(first), "c.json")), {"skipped_record": 1, "unfinished_trace": 1}
        )
        self.assertEqual(
            self.rows("SELECT cat, name, count(*) FROM chrome_trace(?) GROUP BY 1, 2 ORDER BY 1 DESC, 2 DESC", first),
            self.rows(
                "SELECT cat, name, count(*) FROM chrome_trace(?) GROUP BY +cat, +name ORDER BY 1 DESC, 2 DESC", first
            ),
        )
        self.assertEqual(
            self.rows("SELECT DISTINCT name FROM chrome_trace(?) LIMIT 3", first),
            self.rows("SELECT DISTINCT +name FROM chrome_trace(?) LIMIT 3", first),
        )
        plan = "EXPLAIN QUERY PLAN SELECT name, count(*), sum(dur) FROM chrome_trace('x') WHERE cat = 'kernel' AND threads = 2 GROUP BY name"
        self.assertEqual([row for row in self.rows(plan) if "TEMP B-TREE" in row[3]], [])
        for group in ("name COLLATE NOCASE", "pid", "name, pid", "step", "rowid"):
            self.assertTrue(
                [
                    row
                    for row in self.rows(f"EXPLAIN QUERY PLAN SELECT count(*) FROM chrome_trace('x') GROUP BY {group}")
                    if "TEMP B-TREE" in row[3]
                ],
                group,
            )
        self.assertTrue(
            [
                row
                for row in self.rows("EXPLAIN QUERY PLAN SELECT name, sum(bytes) FROM chrome_trace('x') GROUP BY name")
                if "TEMP B-TREE" in row[3]
            ],
            "args may be malformed",
        )
        wrong = self.file('[{"ph": "X", "name": "a", "ts": 1},\n{"ph" "X"}]')
        for key in ("name", "+name"):
            self.assertEqual(
                self.error(f"SELECT count(*) FROM chrome_trace(?) GROUP BY {key}", wrong),
                f"chrome_trace: {wrong}:2:7: expected ':', found '\"'",
            )

    def test_groups_too_many(self):
        """More records than are gathered in memory: SQLite sorts them, and nothing else is different."""
        path = self.file(
            '[{"ph": "X", "name": "o\'k \u00e9", "ts": 1}'
            + "".join(
                f',\n{{"ph": "X", "cat": "it\'s", "name": "n{i * 7919 % 150000}", "ts": {i}, "dur": 0.5}}'
                for i in range(150000)
            )
            + "]"
        )
        for sql in (
            "SELECT name, sum(dur), max(rowid), min(_line) FROM chrome_trace(?1) WHERE cat = 'it''s' GROUP BY %s ORDER BY 1 LIMIT 5",
            "SELECT count(*), sum(n), sum(length(name)) FROM (SELECT name, count(*) AS n, _file FROM chrome_trace(?1, 'skip') WHERE threads = 2 GROUP BY %s)",
            "SELECT cat, name, ts, rowid FROM chrome_trace(?1) GROUP BY cat, %s ORDER BY 1 DESC, 2 DESC LIMIT 3 OFFSET 70000",
        ):
            self.assertEqual(self.rows(sql % "name", path), self.rows(sql % "+name", path), sql)
        with open(path, "a") as file:
            file.write(",\n")
        self.assertEqual(
            self.error("SELECT count(*) FROM chrome_trace(?) GROUP BY name", path),
            self.error("SELECT count(*) FROM chrome_trace(?) GROUP BY +name", path),
        )


if __name__ == "__main__":
    unittest.main()
