"""make site: docs/ as one static site. Every link of it leads somewhere, nothing is loaded from another host, and its search finds what is there."""

import html.parser
import http.server
import os
import shutil
import subprocess
import threading
import time
import unittest
import urllib.parse

import browser
from fleets import ROOT

SITE = os.path.join(ROOT, "build/site/html")
MISSING = None if shutil.which("mkdocs") else "no mkdocs here: make site installs it"


class Page(html.parser.HTMLParser):
    """The addresses of a page, what it loads of itself, and the places in it that a link can name."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loaded, self.places, self.titles = [], [], set(), []
        self.within = None
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.places |= {attrs[name] for name in ("id", "name") if attrs.get(name)}
        self.within = tag
        if tag == "a" and attrs.get("href"):
            self.links.append(attrs["href"])
        elif (
            tag in ("script", "img", "link", "iframe")
            and (attrs.get("src") or attrs.get("href"))
            and attrs.get("rel") != "canonical"
        ):
            self.loaded.append(attrs.get("src") or attrs["href"])

    def handle_data(self, data):
        if self.within == "title":
            self.titles.append(data)


@unittest.skipIf(MISSING, MISSING)
class Site(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        made = subprocess.run(
            ["make", "-s", "site"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        if made.returncode:
            raise AssertionError(made.stdout)
        paths = [
            os.path.join(folder, name) for folder, _, names in os.walk(SITE) for name in names if name.endswith(".html")
        ]
        cls.pages = {path: Page(path) for path in paths}

    def test_each_page_of_the_documentation_is_there(self):
        for folder, _, names in os.walk(os.path.join(ROOT, "docs")):
            for name in names:
                if name.endswith(".md"):
                    place = os.path.relpath(os.path.join(folder, name), os.path.join(ROOT, "docs"))
                    place = (
                        os.path.join(os.path.dirname(place), "index.html")
                        if name == "README.md"
                        else place[: -len("md")] + "html"
                    )
                    self.assertIn(os.path.join(SITE, place), self.pages)

    def test_no_link_is_dead(self):
        dead = []
        for path, page in self.pages.items():
            for link in page.links + page.loaded:
                parts = urllib.parse.urlsplit(link)
                if parts.scheme or parts.netloc or os.path.basename(path) == "404.html":
                    continue
                target = (
                    os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(parts.path)))
                    if parts.path
                    else path
                )
                if os.path.isdir(target):
                    target = os.path.join(target, "index.html")
                if not os.path.exists(target) or (
                    parts.fragment
                    and target in self.pages
                    and urllib.parse.unquote(parts.fragment) not in self.pages[target].places
                ):
                    dead.append((os.path.relpath(path, SITE), link))
        self.assertEqual([], sorted(set(dead)))

    def test_nothing_is_loaded_from_elsewhere(self):
        self.assertEqual(
            [],
            [
                (os.path.relpath(path, SITE), link)
                for path, page in self.pages.items()
                for link in page.loaded
                if urllib.parse.urlsplit(link).netloc
            ],
        )

    @unittest.skipIf(browser.MISSING, browser.MISSING)
    def test_search(self):
        class Handler(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *args):
                super().__init__(*args, directory=SITE)

            def log_message(self, *args):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        chromium = browser.Browser()
        try:
            chromium.open(f"http://127.0.0.1:{server.server_address[1]}/index.html")
            chromium.press("s")  # opens the search
            deadline = time.monotonic() + 60  # the search listens once it has its index
            while not (
                found := chromium.run(
                    """const query = document.getElementById('mkdocs-search-query');
                           query.value = 'gang';
                           query.dispatchEvent(new Event('keyup'));
                           return [...document.querySelectorAll('#mkdocs-search-results article a')].map(a => a.getAttribute('href'))"""
                )
            ):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.1)
            self.assertTrue(any("rules.html" in link for link in found), found)
            self.assertEqual([], chromium.console())
            for page in ("index.html", "formats/slurm.html", "sql.html"):
                chromium.open(f"http://127.0.0.1:{server.server_address[1]}/{page}")
                self.assertGreater(chromium.run("return document.querySelectorAll('h1, h2').length"), 1)
                self.assertEqual([], chromium.console(), page)
        finally:
            chromium.close()
            server.shutdown()
            thread.join()
            server.server_close()


if __name__ == "__main__":
    unittest.main()
