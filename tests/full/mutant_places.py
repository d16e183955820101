"""The mutants of a C file: what may be changed, how tests/full/mutants.txt would list it, and what it lists."""

import os
import re

from fleets import ROOT

EQUIVALENT = os.path.join(ROOT, "tests", "full", "mutants.txt")
TOKEN = re.compile(
    r"""(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?P<directive>^[ \t]*\#(?:\\\n|[^\n])*)
                     |(?P<name>[A-Za-z_]\w*)|(?P<number>\d[\w.]*)
                     |(?P<op>->|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||\+\+|--|[-+*/%&|^]=|[-+*/%<>!&|^~=?:;,.(){}\[\]])|(?P<space>\s+)""",
    re.X | re.S | re.M,
)
SWAPS = {
    "<": ["<="],
    "<=": ["<"],
    ">": [">="],
    ">=": [">"],
    "==": ["!="],
    "!=": ["=="],
    "&&": ["||"],
    "||": ["&&"],
    "+": ["-"],
    "-": ["+"],
    "*": ["/"],
    "/": ["*"],
    "%": ["/"],
    "<<": [">>"],
    ">>": ["<<"],
    "+=": ["-="],
    "-=": ["+="],
    "|=": ["&="],
    "&=": ["|="],
    "++": ["--"],
    "--": ["++"],
}
COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}
TYPES = re.compile(
    r"(?:static|const|unsigned|struct|enum|typedef|extern|return|goto|case|default|else|do|if|for|while|switch|break|continue|"
    r"int|char|bool|double|size_t|u?int\d+_t|mpg_\w+|void|float|long)\b"
)


def tokens(text):
    found, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            at += 1
            continue
        if match.lastgroup not in ("space", "comment"):
            found.append((match.lastgroup, match.group(), match.start(), match.end()))
        at = match.end()
    return found


def mutants(path):
    """(kind, start, end, replacement) of every change to a file."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        text = file.read()
    found = tokens(text)
    function, parentheses, starts = [], 0, True  # of each open brace: whether it is within a function, and not a table
    for i, (group, word, start, end) in enumerate(found):
        previous = found[i - 1] if i else ("", "", 0, 0)
        after = found[i + 1] if i + 1 < len(found) else ("", "", 0, 0)
        if word == "{":
            function.append((function[-1] if function else False) or previous[1] == ")")
            starts = parentheses == 0
            continue
        if word == "}":
            function.pop()
            starts = parentheses == 0
            continue
        parentheses += {"(": 1, ")": -1}.get(word, 0)
        if not function or not function[-1] or group in ("directive", "text"):
            starts = word == ";" and parentheses == 0
            continue
        value_before = (
            previous[0] in ("name", "number") and previous[1] not in ("return", "case") or previous[1] in (")", "]")
        )
        if group == "op" and word in SWAPS:
            binary = word in ("++", "--") or value_before
            spaced = text[start - 1] == " " and text[end : end + 1] in (
                " ",
                "\n",
            )  # clang-format: a pointer's * and a sign have none
            if binary and (spaced or word in ("++", "--")):
                for other in SWAPS[word]:
                    yield "comparison" if word in COMPARISONS else "operator", start, end, other
        elif word == "!" and not value_before:
            yield "negation", start, end, ""
        elif group == "number" and re.fullmatch(r"0|[1-9]\d*", word):
            yield "constant", start, end, str(int(word) + 1)
        elif group == "name" and word in ("true", "false"):
            yield "constant", start, end, "false" if word == "true" else "true"
        elif word == "(" and previous[1] in ("if", "while") and previous[0] == "name":
            level, j = 1, i + 1
            while level:
                level += {"(": 1, ")": -1}.get(found[j][1], 0)
                j += 1
            yield "condition", end, found[j - 1][2], "!(" + text[end : found[j - 1][2]] + ")"
        if starts and group == "name" and not TYPES.match(word) or (starts and word == "*" and after[0] == "name"):
            level, j = 0, i
            while found[j][1] != ";" or level:
                level += {"(": 1, ")": -1, "{": 1, "}": -1}.get(found[j][1], 0)
                if level < 0:
                    break
                j += 1
            if level == 0 and found[j][1] == ";" and after[1] != ":":
                yield "statement", start, found[j][2], ""
        starts = parentheses == 0 and (word in (";", "else") or (word == ")" and is_control(found, i)))


def is_control(found, close):
    """Whether the parenthesis that closes here belongs to if, for or while."""
    level, i = 1, close - 1
    while i >= 0 and level:
        level += {")": 1, "(": -1}.get(found[i][1], 0)
        i -= 1
    return i >= 0 and found[i][1] in ("if", "for", "while", "switch")


def changed(text, mutant):
    _, start, end, other = mutant
    return text[:start] + other + text[end:]


def as_lines(text, mutant):
    """The line before and after, as tests/full/mutants.txt has them."""
    _, start, end, other = mutant
    from_, to = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    squeeze = lambda s: " ".join(s.split())  # noqa: E731
    return squeeze(text[from_:to]), squeeze(text[from_:start] + other + text[end:to])


def statement_lines(text, mutant):
    """Lines of the whole statement: gcov counts one for all of them."""
    _, start, end, _ = mutant
    from_ = max(text.rfind(c, 0, start) for c in ";{}") + 1
    to = min(at for at in (text.find(c, max(start, end - 1)) for c in ";{}") if at >= 0)
    return set(range(text.count("\n", 0, from_) + 1, text.count("\n", 0, to) + 2))


class Equivalents:
    """What tests/full/mutants.txt lists."""

    def __init__(self):
        self.lines, self.patterns = set(), []
        with open(EQUIVALENT, encoding="utf-8") as file:
            for line in file:
                if line.strip() and not line.startswith("#"):
                    path, before, after, _ = [part.strip() for part in line.split(" | ")]
                    if path == "*":
                        self.patterns.append((re.compile(before), after))
                    else:
                        self.lines.add((path, before, after))

    def has(self, path, before, after):
        return (path, before, after) in self.lines or any(
            p.search(before) and p.sub(other, before, count=1) == after for p, other in self.patterns
        )
