"""literals.py - clients that print values as SQL literals: conversing with them, and from literals to canonical JSON."""

import json
import re
import subprocess

LITERAL = re.compile(r"NULL|X'[0-9a-fA-F]*'|'(?:[^']|'')*'|[^,']+")
END = "---- end ----"


class Conversation:
    """A client that reads queries from its input and prints answers and errors."""

    def __init__(self, command, **options):
        self.process = subprocess.Popen(
            ["stdbuf", "-oL", *command],
            text=True,
            encoding="utf-8",
            bufsize=1,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            **options,
        )

    def ask(self, lines, echo):
        """What comes on `lines`; `echo` is what the client repeats END for, which marks the end."""
        self.process.stdin.write(f"{lines}\n{echo % END}\n")
        said = ""
        for line in self.process.stdout:
            said += line
            if said.endswith(END + "\n"):
                return said[: -len(END) - 1]
        raise SystemExit(f"the client ended, having said {said!r}")


def plain(literal):
    if literal == "NULL":
        return "null"
    if literal[:2] == "X'":
        return '{"blob": "%s"}' % literal[2:-1].lower()
    if literal[:1] == "'":
        return json.dumps(literal[1:-1].replace("''", "'"), ensure_ascii=False)
    return literal.replace("Inf", "1e999")


def bound(literal):
    """As a query can hold it that has to be one line."""
    return "(%s)" % literal.replace("Inf", "1e999").replace("\n", "' || char(10) || '")


def split(row):
    return [match[0] for match in LITERAL.finditer(row)]


def answers(path, ask):
    """Prints the answers to the file's queries. ask(query) gives the columns, or none, and the rows, all of literals;
    or raises RuntimeError with the client's message. Literals stand for parameters."""
    last = []
    with open(path, encoding="utf-8") as file:
        queries = file.read().split("\n-- ")[1:]
    for name, query in (text.split("\n", 1) for text in queries):
        query = re.sub(r"\?(\d)", lambda m: bound(last[int(m[1]) - 1]), query)
        try:
            columns, rows = ask(query)
            last = rows[-1] if rows else last
            listed = ", ".join("[%s]" % ", ".join(map(plain, row)) for row in rows)
            answer = f'"columns": [{", ".join(map(plain, columns))}], "rows": [{listed}]'
        except RuntimeError as error:
            answer = '"error": ' + json.dumps(str(error).strip(), ensure_ascii=False)
        print(f'{{"name": {json.dumps(name)}, {answer}}}')
