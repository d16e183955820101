"""study_pictures.py - the pictures of docs/studies: bars drawn from the output of an example, which test_docs holds to the SQL.

A picture stands behind a comment that names columns of the last output above it:

    <!-- segment: before, after -->
    ![Goodput by segment](name.svg)
"""

import html
import re

PICTURE = re.compile(r"^<!-- (\w+): ([\w, ]+) -->\n!\[([^\]]*)\]\(([\w-]+\.svg)\)$", re.M)
OUTPUT = re.compile(r"^```[ ]*\n(.*?)^```[ ]*$", re.M | re.S)
COLOURS = ["#4063d8", "#e0812c", "#389826", "#9558b2", "#888888"]
WIDTH, LABEL, BAR, GAP, TOP = 640, 170, 12, 10, 54


def table(output):
    """Rows of the last answer of an output in columns, as dicts."""
    lines = output.rstrip("\n").split("\n")
    at = max(i for i, line in enumerate(lines) if re.fullmatch("-+( +-+)*", line.rstrip()))
    names, rule, lines = lines[at - 1], lines[at], lines[at + 1 :]
    spans = [match.span() for match in re.finditer("-+", rule)]
    return [{names[a:b].strip(): line[a:b].strip() for a, b in spans} for line in lines]


def number(text):
    return float(text) if text else 0.0


def bars(title, label, columns, rows):
    """An SVG: a group of bars for each row, one for each column. Bars of negative numbers go to the left."""
    values = [[number(row[column]) for column in columns] for row in rows]
    least, most = min(0.0, *map(min, values)), max(0.0, *map(max, values))
    scale = (WIDTH - LABEL - 70) / ((most - least) or 1.0)
    zero = LABEL + (-least * scale)
    group = BAR * len(columns) + GAP
    height = TOP + group * len(rows) + 4
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" font-family="sans-serif" font-size="11">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="8" y="18" font-size="13" font-weight="bold">{html.escape(title)}</text>',
    ]
    for i, column in enumerate(columns):
        x = LABEL + 110 * i
        parts += [
            f'<rect x="{x}" y="30" width="10" height="10" fill="{COLOURS[i]}"/>',
            f'<text x="{x + 15}" y="39">{html.escape(column)}</text>',
        ]
    for n, (row, numbers) in enumerate(zip(rows, values)):
        top = TOP + group * n
        parts.append(
            f'<text x="{LABEL - 8}" y="{top + BAR * len(columns) / 2 + 4:.1f}" text-anchor="end">{html.escape(row[label])}</text>'
        )
        for i, value in enumerate(numbers):
            length = abs(value) * scale
            x = zero if value >= 0 else zero - length
            parts += [
                f'<rect x="{x:.1f}" y="{top + BAR * i}" width="{length:.1f}" height="{BAR - 1}" fill="{COLOURS[i]}"/>',
                f'<text x="{zero + max(value, 0) * scale + 4:.1f}" y="{top + BAR * i + 9.5}" font-size="9">{html.escape(row[columns[i]])}</text>',
            ]
    return "\n".join(
        [
            *parts,
            f'<line x1="{zero:.1f}" y1="{TOP - 4}" x2="{zero:.1f}" y2="{height - 8}" stroke="#444444"/>',
            "</svg>",
            "",
        ]
    )


def pictures(page):
    """(file, SVG) of each picture of a page."""
    for match in PICTURE.finditer(page):
        outputs = OUTPUT.findall(re.sub(r"^```\w.*?^```[ ]*$", "", page[: match.start()], flags=re.M | re.S))
        columns = [column.strip() for column in match[2].split(",")]
        yield match[4], bars(match[3], match[1], columns, table(outputs[-1]))
