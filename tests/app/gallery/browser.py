"""A real browser, driven over its debugging pipe: Chromium without a window, sent commands, and
listened to."""
import base64
import fcntl
import json
import os
import selectors
import shlex
import shutil
import subprocess
import time

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which(
    "google-chrome")
WORDS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-default-apps",
         "--disable-sync", "--disable-extensions", "--disable-dev-shm-usage", "--mute-audio",
         "--hide-scrollbars", "--autoplay-policy=no-user-gesture-required",
         "--remote-debugging-pipe")
PATIENCE = 30.0          # s
CODES = {" ": "Space", "/": "Slash", "ArrowDown": "ArrowDown"}


class Browser:
    """One page in a browser; profile, an empty folder.  Attributes: events, everything the browser
    reported, as (name, what)."""

    def __init__(self, profile, *, width=1280, height=900):
        self.events, self._number, self._answers, self._rest, self._session = [], 0, {}, b"", None
        (theirs, self._out), (self._in, ours) = os.pipe(), os.pipe()
        # 3 and 4 may be in use here
        high = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, 10) for descriptor in (theirs, ours)]
        words = shlex.join([CHROMIUM, *WORDS, f"--user-data-dir={profile}",
                            f"--window-size={width},{height}", "about:blank"])
        self._process = subprocess.Popen(["bash", "-c", f"exec {words} 3<&{high[0]} 4>&{high[1]}"],
                                         pass_fds=high, stdin=subprocess.DEVNULL,
                                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                         env=os.environ | {"HOME": str(profile)})
        for descriptor in (theirs, ours, *high):
            os.close(descriptor)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._in, selectors.EVENT_READ)
        pages = [
            one for one in self.call("Target.getTargets")["targetInfos"] if one["type"] == "page"]
        self._session = self.call("Target.attachToTarget", targetId=pages[0]["targetId"],
                                  flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.size(width, height)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.terminate()
        try:
            self._process.wait(10.0)
        finally:
            self._process.kill()
            self._selector.close()
            os.close(self._in)
            os.close(self._out)

    def call(self, method, **parameters):
        """Ask the browser for something; its answer."""
        self._number += 1
        asked = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            asked["sessionId"] = self._session
        os.write(self._out, json.dumps(asked).encode() + b"\0")
        end = time.monotonic() + PATIENCE
        while self._number not in self._answers:
            self._listen(end)
        answer = self._answers.pop(self._number)
        assert "error" not in answer, f"{method}: {answer['error']}"
        return answer["result"]

    def size(self, width, height, *, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=scale, mobile=False)

    def dark(self, wanted):
        self.call("Emulation.setEmulatedMedia", features=[{
            "name": "prefers-color-scheme", "value": "dark" if wanted else "light"}])

    def open(self, path):
        """Open a file, and wait until all of it is there."""
        self.events.clear()
        self.call("Page.navigate", url=path.absolute().as_uri())
        end = time.monotonic() + PATIENCE
        while not any(name == "Page.loadEventFired" for name, _ in self.events):
            self._listen(end)

    def value(self, code):
        """What an expression of JavaScript is in the page; a promise is waited for."""
        answer = self.call("Runtime.evaluate", expression=code, returnByValue=True,
                           awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def until(self, code):
        """Wait until an expression is true."""
        end = time.monotonic() + PATIENCE
        while not (found := self.value(code)):
            assert time.monotonic() < end, f"never true: {code}"
        return found

    def key(self, key):
        """Press and release a key."""
        named = {"key": key, "code": CODES.get(key, f"Key{key.upper()}")}
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", **named, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **named)

    def click(self, selector):
        """Click in the middle of an element, which is brought into view."""
        x, y = self.value(
            f"(() => {{ const one = document.querySelector({json.dumps(selector)}); "
            f"one.scrollIntoView({{block: 'center'}}); const box = one.getBoundingClientRect(); "
            f"return [box.x + box.width / 2, box.y + " "box.height / 2]; })()")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def picture(self, path):
        path.write_bytes(base64.b64decode(
            self.call("Page.captureScreenshot", format="png")["data"]))

    def complaints(self):
        """What the page wrote to the console, what failed in it, and what it asked of anything but
        files."""
        found = [what for name, what in self.events
                 if name in {"Runtime.exceptionThrown", "Runtime.consoleAPICalled"}]
        found += [what["entry"] for name, what in self.events if name == "Log.entryAdded"]
        found += [what for name, what in self.events
                  if name == "Network.loadingFailed" and not what.get("canceled")]
        return found + [url for url in self.requests() if not url.startswith(("file:", "data:"))]

    def requests(self):
        return [what["request"]["url"] for name,
                what in self.events if name == "Network.requestWillBeSent"]

    def _listen(self, end):
        assert self._selector.select(max(0.0, end - time.monotonic())), "the browser says nothing"
        data = os.read(self._in, 1 << 20)
        assert data, "the browser has ended"
        *whole, self._rest = (self._rest + data).split(b"\0")
        for text in whole:
            output = json.loads(text)
            if "id" in output:
                self._answers[output["id"]] = output
            else:
                self.events.append((output["method"], output["params"]))
