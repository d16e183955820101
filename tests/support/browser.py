"""browser.py - Chromium, driven by chromedriver over HTTP (the W3C's WebDriver), both from Debian."""

import base64
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import urllib.error
import urllib.request

MISSING = next((f"no {name} here" for name in ("chromium", "chromedriver") if not shutil.which(name)), None)
KEYS = {
    "Tab": "\ue004",
    "Enter": "\ue007",
    "Escape": "\ue00c",
    "Space": " ",
    "ArrowLeft": "\ue012",
    "ArrowRight": "\ue014",
    "Shift": "\ue008",
}
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the standard's name of a reference to an element


class Browser:
    """One Chromium with one window. close() ends it and its driver."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
            env={name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
            | {"TMPDIR": self.profile.name},
        )
        try:
            self.port = next(
                int(found[1])
                for found in (re.search(r"successfully on port (\d+)", line) for line in self.driver.stdout)
                if found
            )
            options = {
                "args": [
                    "--headless=new",
                    "--no-sandbox",
                    "--disable-gpu",
                    "--disable-dev-shm-usage",
                    "--hide-scrollbars",
                    "--window-size=1100,900",
                ]
            }
            wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
            self.session = ""
            self.session = (
                "/session/" + self.ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
            )
        except BaseException:
            self.close()
            raise

    def close(self):
        try:
            if getattr(self, "session", ""):
                self.ask("DELETE", "")
        finally:
            if self.driver.poll() is None:
                os.killpg(self.driver.pid, signal.SIGTERM)
            self.driver.communicate()
            self.profile.cleanup()

    def ask(self, method, path, body=None):
        address = f"http://127.0.0.1:{self.port}{self.session if path != '/session' else ''}{path}"
        request = urllib.request.Request(
            address,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(json.load(error)["value"]["message"]) from None

    def open(self, path):
        """A page of a file, read anew though only what follows # is another."""
        self.ask("POST", "/url", {"url": "about:blank"})
        self.ask("POST", "/url", {"url": path if ":" in path else "file://" + path})

    def run(self, script, *arguments):
        """What the script returns, a promise's value too."""
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def find(self, selector):
        return self.ask("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self.run("document.querySelector(arguments[0]).scrollIntoView({ block: 'center' })", selector)
        self.ask("POST", f"/element/{self.find(selector)}/click", {})

    def press(self, *keys):
        """Keys by name; those before the last are held meanwhile."""
        down = [{"type": "keyDown", "value": KEYS.get(key, key)} for key in keys]
        up = [{"type": "keyUp", "value": KEYS.get(key, key)} for key in reversed(keys)]
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": down + up}]})

    def drag(self, selector, start, end):
        """The mouse over an element, from one place to another, in shares of its width."""
        box = self.run(
            "const e = document.querySelector(arguments[0]); e.scrollIntoView({block: 'center'}); const b = e.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]",
            selector,
        )
        at = [
            {"type": "pointerMove", "duration": 0, "x": round(box[0] + box[2] * share), "y": round(box[1] + box[3] / 2)}
            for share in (start, (start + end) / 2, end)
        ]
        moves = [at[0], {"type": "pointerDown", "button": 0}, at[1], at[2], {"type": "pointerUp", "button": 0}]
        self.ask(
            "POST",
            "/actions",
            {"actions": [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": moves}]},
        )

    def console(self):
        """What was said since it was last asked: errors and warnings."""
        return [
            entry["message"]
            for entry in self.ask("POST", "/se/log", {"type": "browser"})
            if entry["level"] in ("SEVERE", "WARNING")
        ]

    def protocol(self, command, **parameters):
        return self.ask("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def look_as(self, width=1100, scheme="light", media="screen", touch=False):
        self.protocol("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=touch)
        self.protocol(
            "Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}]
        )

    def picture(self, path):
        """The whole page as a PNG."""
        size = self.protocol("Page.getLayoutMetrics")["cssContentSize"]
        data = self.protocol(
            "Page.captureScreenshot",
            captureBeyondViewport=True,
            clip={"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1},
        )["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def paper(self, path):
        data = self.protocol("Page.printToPDF", preferCSSPageSize=True, printBackground=True)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
