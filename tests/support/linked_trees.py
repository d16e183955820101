"""linked_trees.py - trees below build/ in which everything is as here, but built another way."""

import os

from fleets import ROOT


def links(tree):
    """A folder of links to all that is here but what was built; and ../shared, where that is, is beside it too."""
    os.makedirs(tree, exist_ok=True)
    there = {
        name: os.path.join(ROOT, name)
        for name in os.listdir(ROOT)
        if name not in ("build", "dist", "mpg.so", "libmpg.a", ".git")
    }
    shared = os.path.realpath(os.path.join(ROOT, "..", "shared"))
    if os.path.isdir(shared):
        there[os.path.join("..", "shared")] = shared
    for name, target in there.items():
        link = os.path.join(tree, name)
        if not os.path.lexists(link):
            os.symlink(target, link)
