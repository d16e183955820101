#!/usr/bin/python3
"""stage.py FOLDER - what mkdocs makes the site of: the pages of docs/, and what they link to elsewhere in the repository.

A page that lies outside of docs/ is a page of the site as well; any other file is a download under files/. The first page's lists are
the navigation (nav.json)."""
import json
import os
import re
import shutil
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../../.."))
LINK = re.compile(r"(!?\[(?:[^][]|\[[^][]*\])*\])\(([^()\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.M | re.S)


def place_of(path):
    """Where a file of the repository lies on the site."""
    if path.startswith("docs/"):
        return path[len("docs/") :]
    return path if path.endswith(".md") else "files/" + path


def linked(page, target):
    """The file of the repository that a link of a page names: of a folder its README. None: it is no file."""
    if ":" in target or target.startswith("#"):
        return None
    path = os.path.normpath(os.path.join(os.path.dirname(page), target.split("#")[0]))
    if os.path.isdir(os.path.join(ROOT, path)):
        path = os.path.join(path, "README.md")
    return path if os.path.isfile(os.path.join(ROOT, path)) else None


def outside_of_code(text, change):
    """Applies `change` to what is between fenced blocks, of which mkdocs knows the language and no more words."""
    parts, at = [], 0
    for block in FENCE.finditer(text):
        parts += [change(text[at : block.start()]), re.sub(r"\A(```\S*)[^\n]*", r"\1", block.group())]
        at = block.end()
    return "".join(parts + [change(text[at:])])


def stage(folder):
    shutil.rmtree(folder, ignore_errors=True)
    waiting = [
        os.path.relpath(os.path.join(place, name), ROOT)
        for place, _, names in os.walk(os.path.join(ROOT, "docs"))
        for name in names
        if name.endswith(".md")
    ]
    done = set()
    while waiting:
        path = waiting.pop()
        if path in done:
            continue
        done.add(path)
        to = os.path.join(folder, place_of(path))
        os.makedirs(os.path.dirname(to), exist_ok=True)
        if not path.endswith(".md"):
            shutil.copyfile(os.path.join(ROOT, path), to)
            continue

        def moved(match, path=path):
            target = linked(path, match[2])
            if target is None:
                is_folder = ":" not in match[2] and not match[2].startswith("#")
                return match[1].strip("[]") if is_folder else match[0]  # a folder without a page
            waiting.append(target)
            anchor = match[2][len(match[2].split("#")[0]) :]
            return f"{match[1]}({os.path.relpath(place_of(target), os.path.dirname(place_of(path)))}{anchor})"

        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            text = outside_of_code(file.read(), lambda part: LINK.sub(moved, part))
        with open(to, "w", encoding="utf-8") as file:
            file.write(text)
    return navigation()


def navigation():
    """The sections of docs/README.md, each with the pages that it names first in a line or cell."""
    with open(os.path.join(ROOT, "docs/README.md"), encoding="utf-8") as file:
        sections = re.split(r"^## ", file.read(), flags=re.M)[1:]
    nav, named = [{"Documentation": "README.md"}], {"README.md"}
    for section in sections:
        title, body = section.split("\n", 1)
        pages = []
        for text, target in re.findall(r"\[([^][]+)\]\(([^()\s#]+\.md)\)", body):
            page = place_of(os.path.normpath(os.path.join("docs", target)))
            if page not in named:
                named.add(page)
                pages.append({text[0].upper() + text[1:]: page})
        nav.append({title: pages})
    return nav


if __name__ == "__main__":
    with open(os.path.join(ROOT, "ext/package/site/mkdocs.yml"), encoding="utf-8") as settings:
        text = settings.read()
    pages = stage(os.path.join(sys.argv[1], "docs"))
    with open(os.path.join(sys.argv[1], "mkdocs.yml"), "w", encoding="utf-8") as settings:
        settings.write(text + "nav: " + json.dumps(pages) + "\n")
