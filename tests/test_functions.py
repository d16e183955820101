"""How long functions are, and how many arguments they take. Those above the limits are listed here, each with the reason why it is better whole."""

import glob
import os
import re
import unittest

from fleets import ROOT

LINES, ARGUMENTS = 60, 6
ROWS = "a switch with a case for each column, rule or field, and nothing else"
BYTES = "one loop over bytes: parts would hand each other its position"
LONG = {
    ("ext/formats/hlo/hlo_table.c", "cost_column"): ROWS,
    ("ext/formats/xplane/xplane_table.c", "events_column"): ROWS,
    ("ext/program/hlo/hlo_flops.c", "mpg_hlo_price_flops"): ROWS,
    ("ext/goodput/native/native_csv_fast.c", "read_fields"): ROWS,
    ("ext/read/parse/csv.c", "scan_record"): BYTES,
    ("ext/read/parse/json_tokens.c", "mpg_json_members_scan"): BYTES,
    ("ext/read/parse/json_tokens.c", "mpg_json_unescape"): BYTES,
}
LOOP = "called in the inner loop of a scan: a struct would be filled for each call"
RESULTS = "gives several results, beside its error"
WORDS = "what an issue or error says: who, where, what was expected, what was found"
PLACES = "names the places that it works on, each of another owner"
MANY = {
    ("ext/goodput/rules/gang.c", "add_stretch"): LOOP,
    ("ext/goodput/rules/timeline.c", "emit_rows"): LOOP,
    ("ext/read/grouping/interval.c", "merge_runs"): LOOP,
    ("ext/read/input/unpack.c", "gzip_run"): LOOP,
    ("ext/read/input/unpack.c", "mpg_inflate_run"): LOOP,
    ("ext/read/input/unpack.c", "zstd_run"): LOOP,
    ("ext/read/parse/json_fast.c", "read_two_lines"): LOOP,
    ("ext/read/parse/json_path.c", "mpg_json_path_find"): LOOP,
    ("ext/read/rows/rows_fast.c", "mpg_rows_fast_filter"): LOOP,
    ("ext/read/rows/rows_fast.c", "mpg_rows_fast_keys"): LOOP,
    ("ext/read/rows/rows_fast.c", "mpg_rows_fast_numbers"): LOOP,
    ("ext/read/rows/rows_fast.c", "number_keys"): LOOP,
    ("ext/read/rows/rows_fast.c", "numbers"): LOOP,
    ("ext/read/rows/rows_fast.c", "read_slowly"): LOOP,
    ("ext/formats/goodput_log/goodput_log.c", "mpg_goodput_is_repeat"): RESULTS,
    ("ext/formats/hlo/hlo_shape_text.c", "read_first"): RESULTS,
    ("ext/formats/pbs/pbs_value.c", "add_chunk"): RESULTS,
    ("ext/formats/perfetto/clocks.c", "mpg_perfetto_time"): RESULTS,
    ("ext/formats/perfetto/perfetto.c", "time_of"): RESULTS,
    ("ext/program/hlo/hlo_module.c", "order_from"): RESULTS,
    ("ext/read/parse/json_records.c", "mpg_json_parse"): RESULTS,
    ("ext/read/rows/rows.c", "find_types"): RESULTS,
    ("ext/sqlite/sqlite_relations.c", "read_first"): RESULTS,
    ("ext/base/issues.c", "mpg_issues_add"): WORDS,
    ("ext/goodput/rules/pools.c", "pool_issues"): WORDS,
    ("ext/read/input/unfinished.c", "add_issue"): WORDS,
    ("ext/read/parse/protobuf.c", "malformed"): WORDS,
    ("ext/read/rows/rows.c", "mpg_rows_unfit"): WORDS,
    ("ext/base/pipeline.c", "mpg_pipeline_open"): PLACES,
    ("ext/formats/chrome/chrome.c", "mpg_chrome_open"): PLACES,
    ("ext/formats/prometheus/prometheus.c", "read_sample"): PLACES,
    ("ext/formats/slurm/slurm_nodes.c", "mpg_slurm_show_node_open"): PLACES,
    ("ext/goodput/packed/spill.c", "mpg_spill_read"): PLACES,
    ("ext/goodput/rules/innermost.c", "gather_items"): PLACES,
    ("ext/goodput/rules/innermost.c", "mpg_innermost_build"): PLACES,
    ("ext/goodput/rules/pools.c", "mpg_pools_account"): PLACES,
    ("ext/program/hlo/hlo_shape.c", "mpg_hlo_shape_array"): PLACES,
    ("ext/read/rows/rows.c", "mpg_rows_declare"): PLACES,
    ("ext/sqlite/ledger/ledger_table.c", "make_rows"): PLACES,
    ("ext/sqlite/reader/reader_groups.c", "mpg_reader_groups_sorted"): PLACES,
    ("ext/sqlite/scripts/sources.c", "file_insert"): PLACES,
    ("ext/sqlite/sqlite_relations.c", "mpg_relations_read"): PLACES,
}


def arguments_of(head):
    """How many arguments stand between the first parenthesis of a function's head and its end."""
    inner = head[head.index("(") + 1 : head.rindex(")")]
    depth, count = 0, 0 if inner == "void" else 1
    for letter in inner:
        depth += (letter == "(") - (letter == ")")
        count += letter == "," and depth == 0
    return count


def functions(text):
    """(name, lines, arguments) of each function that a text in the format of this project defines: it begins and ends in column 1."""
    found = []
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        end, head = at, lines[at]
        if head[:1].isalpha() and "(" in head and not head.startswith("typedef"):
            while not lines[end].endswith(("{", ";")) and end + 1 < len(lines):
                end += 1
                head += " " + lines[end].strip()
            name = re.search(r"(\w+)\($", head[: head.index("(") + 1])
            if name and head.endswith(") {") and "=" not in head[: head.index("(")]:
                close = next(i for i in range(end, len(lines)) if lines[i] == "}")
                found.append((name[1], close - at + 1, arguments_of(head)))
                end = close
        at = end + 1
    return found


class Functions(unittest.TestCase):
    def test_what_the_parser_reads(self):
        self.assertEqual(
            [("one", 3, 0), ("two", 4, 3)],
            functions(
                "static int one(void) {\n  return f(1, 2);\n}\nint three(int a);\nconst char *two(int a, void (*f)(int, int),\n                int c) {\n  return 0;\n}\n"
            ),
        )

    def test_limits(self):
        long, many, count = set(), set(), 0
        for path in sorted(glob.glob("ext/**/*.[ch]", root_dir=ROOT, recursive=True)):
            with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                for name, lines, arguments in functions(file.read()):
                    count += 1
                    if lines > LINES:
                        long.add((path, name))
                    if arguments > ARGUMENTS:
                        many.add((path, name))
        self.assertGreater(count, 3500)
        self.assertEqual(set(LONG), long)
        self.assertEqual(set(MANY), many)


if __name__ == "__main__":
    unittest.main()
