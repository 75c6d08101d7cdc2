"""The page of a gallery in a real browser, from the file system: heard, sorted, filtered, driven by
keys; it runs no stranger's code."""
import json
import os

import numpy as np
import pytest
from app.gallery.browser import CHROMIUM, Browser

from pysitar.__main__ import main
from pysitar.output.audio import write_audio

pytestmark = pytest.mark.skipif(CHROMIUM is None and not os.environ.get("CI"),
                                reason="there is no Chromium")
HOSTILE = ["<b>bold<|b>.wav", "\"quoted\" 'twice' &amp; &.wav", "new\nline.wav", "रे ♯ \u2028 "
           "\u202e.wav", "50% #1? a+b\\c.wav", "{{script}}.wav", "-o.wav", "bytes \udcff.wav"]
SCRIPT = ("</script><script>document.title = 'hacked'</script><img src=x "
          "onerror=\"document.title='hacked'\">")
NAMES = "[...document.querySelectorAll('.row .name')].map((one) => one.firstChild.textContent)"
OPTION_MEASURES = "document.querySelector('.chosen .name').firstChild.textContent"
RATE, SECONDS = 8000, 30          # so long that none ends while a slow machine looks


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    assert CHROMIUM, "the tests of the page need Chromium: apt-get install chromium"
    with Browser(tmp_path_factory.mktemp("profile")) as one:
        yield one


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A batch by hand: forces and materials that are not in the order of the names, a silent sound,
    one that failed."""
    folder = tmp_path_factory.mktemp("sounds")
    rows = []
    for number, (force, material) in enumerate([(0.5, "glass"), (10.0, "wood"), (2.0, "steel"),
                                                (None, "wood"), (0.25, SCRIPT)], 1):
        name = f"tone-{number}"
        level = 0.0 if material == "steel" else 0.3
        if force is not None:
            write_audio(folder / f"{name}.wav",
                        level * np.sin(0.1 * number * np.arange(SECONDS * RATE)), RATE)
            (folder / f"{name}.wav.json").write_text(json.dumps({"options": {
                "rate": RATE, "oversample": 2, "seed": 0, "format": "wav", "subtype": "PCM_24"}}))
        rows.append({"name": name, "file": f"{name}.wav", "score": "tone's.score", "item": number,
                     "seconds": SECONDS, "rate": RATE,
                     "parameters": {"t.a.pluck.force": force, "material": material},
                     "error": None if force else "no <way>"})
    (folder / "manifest.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    made = tmp_path_factory.mktemp("page")
    assert main(["gallery", str(folder), "-o", str(made), "--title", SCRIPT, "--quiet"]) == 1
    return made / "index.html"


def test_it_opens_plays_and_goes_on_by_keys(browser, page):
    browser.open(page)
    assert browser.value(NAMES) == [f"tone-{number}" for number in range(1, 6)]
    assert browser.value(OPTION_MEASURES) == "tone-1"
    browser.until("document.querySelector('#detail .spectrogram img').complete")
    assert browser.value("[...document.images].filter((one) => one.complete).every((one) => "
                         "one.naturalWidth === 800)")
    browser.key(" ")
    before = browser.until("document.querySelector('audio').currentTime")
    browser.until(f"document.querySelector('audio').currentTime > {before} + 0.2")
    browser.until(
        "Number(getComputedStyle(document.querySelector('.chosen')).getPropertyValue('--at')) > 0")
    browser.key("n")
    browser.until("document.querySelector('audio').currentTime > 0.1 && "
                  "document.querySelector('audio').src.endsWith('/tone-2.wav')")
    assert browser.until("document.querySelector('.playing .name')?.textContent") == "tone-2"
    browser.key(" ")
    assert browser.value("document.querySelector('audio').paused") and browser.until(
        "!document.querySelector('li.playing')")
    browser.key("ArrowDown")
    browser.key("j")
    assert browser.value(OPTION_MEASURES) == "tone-4" and browser.value(
        "document.querySelector('.failure').textContent") == "no <way>"
    browser.key("n")
    assert browser.value(OPTION_MEASURES) == "tone-5"
    browser.key("p")          # the one that failed has no sound
    assert browser.value(OPTION_MEASURES) == "tone-3"
    browser.key("a")
    assert browser.value("document.querySelector('#on').checked")
    browser.value("void(document.querySelector('audio').currentTime = 29.8)")
    browser.until("document.querySelector('audio').src.endsWith('/tone-5.wav') && "
                  "document.querySelector('audio').currentTime > 0")
    assert browser.value("document.querySelector('#detail code').textContent") == (
        "pysitar batch 'tone'\"'\"'s.score' -o again --shard=5/5 --rate=8000 --oversample=2 "
        "--seed=0")
    browser.click("li:nth-child(2) .start")
    browser.until("document.querySelector('audio').src.endsWith('/tone-2.wav')")
    browser.value("void(document.querySelector('audio').pause())")
    browser.click("#detail .wave")          # into its middle
    browser.until("document.querySelector('audio').currentTime > 14.9")
    assert browser.complaints() == []


def put(browser, selector, text):
    browser.value(f"(() => {{ const one = document.querySelector({json.dumps(selector)}); "
                  f"one.value = {json.dumps(text)}; " "one.dispatchEvent(new Event(one.tagName === "
                  "'SELECT' ? 'change' : 'input')); })()")


def test_it_is_sorted_and_filtered_by_any_parameter(browser, page):
    browser.open(page)
    browser.click(".head button[data-column='0']")
    # as numbers; without one: last
    assert browser.value(NAMES) == ["tone-5", "tone-1", "tone-3", "tone-2", "tone-4"]
    browser.click(".head button[data-column='0']")
    assert browser.value(NAMES) == ["tone-2", "tone-3", "tone-1", "tone-5", "tone-4"]
    put(browser, "#sort", "1")
    assert browser.value(NAMES)[1:] == ["tone-1", "tone-3", "tone-2", "tone-4"]
    put(browser, "[data-column='0'] [data-end=low]", "0.5")
    assert sorted(browser.value(NAMES)) == ["tone-1", "tone-2", "tone-3"]
    assert browser.value("document.querySelector('#count').value") == "3 of 5 sounds"
    put(browser, "[data-column='0'] [data-end=high]", "2")
    assert browser.value(NAMES) == ["tone-1", "tone-3"]
    put(browser, "[data-column='1'] select", "=steel")
    assert browser.value(NAMES) == ["tone-3"]
    browser.click("#reset")
    assert len(browser.value(NAMES)) == 5
    browser.click("[data-flag=silent]")
    assert browser.value(NAMES) == ["tone-3"]
    browser.click("[data-flag=failed]")
    assert browser.value(NAMES) == ["tone-4"]
    put(browser, "#search", "nothing of the kind")
    assert browser.value(NAMES) == [] and browser.value("!document.querySelector('#none').hidden")
    browser.click("#again")
    put(browser, "[data-column='1'] select", f"={SCRIPT}")
    assert browser.value(NAMES) == ["tone-5"]
    put(browser, "#search", "GLASS")
    browser.key("t")          # not into a field: the theme
    assert browser.value("document.documentElement.dataset.theme") in ("light", "dark")
    assert browser.complaints() == []


def test_light_and_dark_follow_the_system_until_they_are_chosen(browser, page):
    def paper():
        return browser.value("getComputedStyle(document.body).backgroundColor")

    browser.open(page)
    browser.value("localStorage.clear()")
    browser.dark(False)
    browser.open(page)
    light = paper()
    browser.dark(True)
    dark = paper()
    assert light != dark
    browser.click("#theme")
    assert paper() == light
    browser.open(page)
    assert paper() == light          # it is kept
    browser.key("t")
    assert paper() == dark
    browser.value("localStorage.clear()")
    browser.dark(False)
    assert browser.complaints() == []


def heights(browser, selector):
    """How high waveforms are drawn, in parts of their boxes."""
    return browser.value(
        f"[...document.querySelectorAll('{selector}')].map((image) => "
        "image.getBoundingClientRect().height / "
        "image.parentElement.getBoundingClientRect().height)")


def test_waveforms_share_a_scale_and_their_peaks_are_shown(browser, tmp_path):
    (tmp_path / "sounds").mkdir()
    sounds = {"a": 0.5, "b": 0.05, "c": 0.25, "d": 0.0, "e": 1.0}
    for name, level in sounds.items():
        write_audio(tmp_path / f"sounds/{name}.wav", level * np.sin(0.25 * np.pi * np.arange(RATE)),
                    RATE)
    assert main(["gallery", str(tmp_path / "sounds"), "-o", str(tmp_path / "page"), "--quiet"]) == 0
    browser.open(tmp_path / "page/index.html")
    expected = [0.5, 0.05, 0.25, 0.02, 1.0]          # a silent one is still seen
    assert heights(browser, "li .wave img") == pytest.approx(expected, rel=0.03)
    assert browser.value(
        "[...document.querySelectorAll('.peak')].map((one) => one.textContent)") == [
            "-6.02 dB", "-26 dB", "-12 dB", "silence", "0 dB"]
    assert ("waveforms have one scale: the height is that of the loudest, 0 dB of full scale"
            in browser.value("document.querySelector('#summary').textContent"))
    axis = (
        "[...document.querySelectorAll('#detail .axis.level span')].map((one) => one.textContent)")
    assert heights(browser, "#detail .wave img") == pytest.approx([0.5], rel=0.03)
    assert browser.value(axis) == ["0", "0 dB", "-6.02 dB"]
    browser.key("s")
    assert heights(browser, ".wave img") == pytest.approx(
        [1.0] * 6, rel=0.03) and browser.value(axis) == ["0", "-6.02 dB"]
    assert "each waveform fills its height, whatever its level" in browser.value(
        "document.querySelector('#summary').textContent")
    browser.click("#scale")
    assert heights(browser, "li .wave img") == pytest.approx(
        expected, rel=0.03) and browser.complaints() == []


def test_names_are_text_and_their_files_are_heard(browser, page, tmp_path):
    for number, name in enumerate(HOSTILE):
        write_audio(tmp_path / name, 0.1 * np.sin(0.1 * (number + 1) * np.arange(RATE)), RATE)
    names = sorted(HOSTILE)
    for words in (["-o", str(tmp_path / "copied")], ["-o", str(tmp_path / "linked"), "--link"]):
        assert main(["gallery", str(tmp_path), *words, "--quiet"]) == 0
        browser.open(tmp_path / words[1] / "index.html")
        assert browser.value(NAMES) == [name.replace("\udcff", "\ufffd") for name in names]
        assert browser.value("document.querySelectorAll('b, li script, li em').length") == 0
        for number in range(len(names)):
            browser.click(f"li:nth-child({number + 1}) .start")
            browser.until("document.querySelector('audio').currentTime > 0")
        assert browser.complaints() == []
    browser.open(page)
    assert browser.value("document.title") == SCRIPT == browser.value(
        "document.querySelector('h1').textContent")
    assert SCRIPT in browser.value(
        "[...document.querySelectorAll('.value')].map((one) => one.childNodes[1].textContent)")
    assert browser.value("document.scripts.length") == 2 and browser.complaints() == []


def test_the_policy_lets_in_no_script_and_no_network(browser, page):
    browser.open(page)
    browser.value("document.body.insertAdjacentHTML('beforeend', '<img src=x "
                  "onerror=\"document.title = 1\">')")
    assert browser.value(
        "fetch('http://127.0.0.1:9/').then(() => 'went', () => 'refused')") == "refused"
    assert browser.value("document.title") == SCRIPT
    printed = [what["entry"]["text"] for name, what in browser.events if name == "Log.entryAdded"]
    assert sum("Content Security Policy" in text for text in printed) >= 2


@pytest.mark.parametrize("width", [1280, 400])
def test_nothing_lies_beside_the_page(browser, page, width):
    try:
        browser.size(width, 860)
        browser.open(page)
        browser.click("li:nth-child(2) .name")
        assert browser.value("document.documentElement.scrollWidth") == width
        # it moves to its row with the next layout
        browser.until("document.querySelector('#detail') !== null")
        inside = [browser.value(f"document.querySelector('#detail').getBoundingClientRect().{side}")
                  for side in ("left", "right")]
        assert 0 <= inside[0] < inside[1] <= width
        # under its row where there is no room beside it
        assert browser.value("document.querySelector('#detail').parentElement.tagName") == (
            "MAIN" if width == 1280 else "LI")
    finally:
        browser.size(1280, 900)
