"""Bad input, as users and their scripts give it: the right exit code, one clear message, no file,
no traceback, no hang."""
import os
import signal
import socket
from collections import namedtuple
from dataclasses import replace

import pytest
from app.commands import HEAD, SHORT, contents, furnish, messages, pysitar
from instruments import TWO_MODES

from pysitar.__main__ import main
from pysitar.models.network.schemes.catalogue import DEFAULT, DEFAULT_SCHEME, STRING_SCHEMES


@pytest.fixture
def folder(here):
    """A folder with a good score, its instrument and a sound file that must stay as it is."""
    (here / "out.wav").write_bytes(b"before")
    return furnish(here, good=SHORT)


def refused(capsys, folder, code, said, *words):
    """Run a command in this process: its exit code, one message with `said` in it, nothing made or
    changed."""
    before = contents(folder)
    assert main(words) == code
    out, printed = capsys.readouterr()
    assert out == ""
    check_message(printed, said)
    assert contents(folder) == before


def check_message(printed, said):
    assert "Traceback" not in printed
    assert len(messages(printed)) == 1, printed
    assert said in printed


ROWS = {                        # a row (line 3), where it is wrong, and a part of what is reported
    "pitch of 0 Hz": ("0 t.a pluck 0Hz", 13, "0Hz"),
    "x beyond the string": ("0 t.a pluck x=1.8", 15, "position is 1.8"),
    "x in metres beyond the string": ("0 t.a pluck x=21cm", 15, "below 0.2"),
    "force nan": ("0 t.a pluck f=nan", 15, "nan"),
    "force inf": ("0 t.a pluck f=inf", 15, "inf"),
    "force 1e999": ("0 t.a pluck f=1e999", 15, "1e999"),
    "force 0": ("0 t.a pluck f=0", 15, "expected a value other than 0"),
    "a time before 0": ("-0.5 t.a pluck", 1, "-0.5"),
    "no such string": ("0 t.b pluck", 5, "no string b"),
    "no such instrument": ("0 u.a pluck", 3, "no instrument is named u"),
    "no such verb": ("0 t.a pluk", 7, "did you mean pluck"),
    "no such parameter": ("0 t.a pluck forze=1N", 13, "did you mean force"),
    "a parameter twice": ("0 t.a pluck f=1N x=0.3 f=2N", 24, "twice"),
    "a parameter twice, short and long": ("0 t.a pluck f=1N force=2N", 18, "twice"),
    "another kind of unit": ("0 t.a pluck f=3cm", 15, "N"),
    "no unit at all": ("0 t.a pluck f=3furlong", 15, "furlong"),
    "full-width digits": ("0 t.a pluck f=３N", 15, "３"),
    "a zero byte": ("0 t.a pluck f=1N\0", 17, "character"),
    "a pitch of no string": ("0 t.a pluck 1e9Hz", 13, "pitch"),
    "four hours and more": ("14401s t.a pluck", 1, "4 hours"),
    "a time beyond numbers": ("1e400 t.a pluck", 1, "1e400"),
    "negative tension": ("set t.a.tension = -70", 9, "has no tension"),
    "a pitch of 0 by set": ("set t.a.pitch = 0", 17, "pitch is 0"),
    "a negative length by set": ("set t.a.length = -1", 18, "length is -1"),
    "a wire of no mass by set": ("set t.a.linear_density = 0", 26, "linear_density is 0"),
    "oversample 1000": ("render oversample=1000", 19, "64"),
    "rate 0": ("render rate=0", 13, "rate is 0"),
    "rate 1e9": ("render rate=1e9", 13, "rate is 1000000000"),
    "a seed before 0": ("render seed=-1", 13, "seed is -1"),
    "a tail before 0": ("render tail=-1s", 13, "tail is -1"),
    "no such statement": ("ploy cycle", 1, "did you mean play"),
    "no such section": ("play cycle", 6, "no section is named cycle"),
    "no such preset": ("use tanpora as u", 5, "did you mean tanpura"),
    "no such instrument file": ('use "no.toml" as u', 5, "No such file"),
    "a folder as instrument": ('use "folder.toml" as u', 5, "regular file"),
    "an include of itself": ('include "bad.score"', 9, "includes itself"),
    "an include of what is not there": ('include "no.score"', 9, "No such file"),
    "a score as instrument": ('use "good.score" as u', 5, ".toml"),
    "a sweep": ("sweep t.a.pluck.force = (0.1 0.2)", 7, "makes many sounds"),
}


@pytest.mark.parametrize(("row", "col", "said"), ROWS.values(), ids=ROWS)
def test_a_row_that_is_wrong(row, col, said, folder, capsys):
    (folder / "folder.toml").mkdir()
    (folder / "bad.score").write_text(f"{HEAD}0 t.a pluck\n{row}\n")
    refused(capsys, folder, 2, f"bad.score:3:{col}: ", "render", "bad.score", "-o", "out.wav")
    refused(capsys, folder, 2, said, "render", "bad.score", "-o", "out.wav")


WHOLE_SCORES = {                # the bytes of a score, and a part of what is reported
    "empty": (b"", "bad.score: nothing sounds"),
    "only an instrument": (HEAD.encode(), "bad.score: nothing sounds"),
    "binary": (b"\x7fELF\x02\x01\x01\0\xff\xfe\x80", "is not UTF-8"),
    "UTF-16": (SHORT.encode("utf-16"), "is not UTF-8"),
    "17 MB": (b"# \n" * 6_000_000, "over 16 MB"),
    "17 MB on one line": (b"#" * 17_000_000, "over 16 MB"),
    "a long word": (HEAD.encode() + b"0 t.a " + b"p" * 100_000, "bad.score:2:7"),
    "a million events and more": (
        HEAD.encode() + b"section s\n0 t.a pluck\nend\nplay s times=1000001 every=0.001\n",
        "at most 1000000"),
    "sections that double": (
        HEAD.encode() + b"".join(b"section s%d\nplay s%d times=9 every=1\nend\n" % (i, i + 1)
                                 for i in range(200))
        + b"section s200\n0 t.a pluck\nend\nplay s0\n", "at most 1000000"),
}


@pytest.mark.parametrize(("data", "said"), WHOLE_SCORES.values(), ids=WHOLE_SCORES)
def test_a_score_that_is_none(data, said, folder, capsys):
    (folder / "bad.score").write_bytes(data)
    refused(capsys, folder, 2, said, "render", "bad.score", "-o", "out.wav")


INSTRUMENTS = {  # what is changed in the instrument's file, and a part of what is reported
    "no TOML": ("length = 0.2", "length = = 0.2", ": is not TOML"),
    "a pitch of 0": ("pitch = 9000.0", "pitch = 0.0", ": strings.a.pitch: pitch is 0.0"),
    "a negative length": ("length = 0.2", "length = -0.2",
                          ": strings.a.length: length is -0.2"),
    "nan": ("gain = 1.0", "gain = nan", ": gain: gain is nan"),
    "a text for a number": ("gain = 1.0", 'gain = "loud"',
                            ': gain: gain is the text "loud"'),
    "negative tension": ("length = 0.2", "length = 0.2\ntension = -70.0",
                         ": strings.a.tension: is not known"),
    "no strings": ("[strings.a", "[body.a", "two.toml"),
    "a missing key": ("linear_density = 1e-3", "", "strings.a.linear_density: is missing"),
    "too many modes": ("pitch = 9000.0\nlength = 0.2", "pitch = 2.0\nlength = 1000.0",
                       "4096 modes"),
    "a pluck beyond the string": ("position = 0.3", "position = 1.8",
                                  "strings.a.pluck.position: position is 1.8"),
}


@pytest.mark.parametrize(("right", "wrong", "said"), INSTRUMENTS.values(), ids=INSTRUMENTS)
def test_an_instrument_that_is_wrong(right, wrong, said, folder, capsys):
    assert right in TWO_MODES
    (folder / "two.toml").write_text(TWO_MODES.replace(right, wrong))
    before = contents(folder)
    assert main(["render", "good.score", "-o", "out.wav"]) == 2
    printed = capsys.readouterr().err
    assert said in printed
    assert "Traceback" not in printed
    assert all(" used at good.score:1:5" in line
               for line in messages(printed)) or len(messages(printed)) == 1
    assert contents(folder) == before


@pytest.mark.parametrize("command", ["render", "check"])
def test_a_string_that_finds_no_rest(command, folder, capsys, monkeypatch):
    """However stiff a bridge is, it is the score that is wrong."""
    class Restless:
        def set_force_tolerance(self, tolerance):
            pass

        def set_equilibrium(self):
            raise ArithmeticError("no equilibrium")

    # every string is given a force tolerance, and a tanpura's statics, before it is settled
    monkeypatch.setitem(STRING_SCHEMES, DEFAULT, replace(
        DEFAULT_SCHEME, network=lambda *_: Restless(), set_statics=lambda *_, **__: None))
    (folder / "drone.score").write_text("use tanpura as t\nrender tail=0\n0 t.pa pluck dur=10ms\n")
    before = contents(folder)
    assert main([command, "drone.score"]) == 2
    printed = "".join(capsys.readouterr())
    check_message(printed, "drone.score:1:5: t cannot be built: string pa: the string's "
                  "equilibrium on its barrier and thread is not found; expected a lower value of "
                  "the barrier's stiffness (1e+09) or height")
    assert contents(folder) == before


Wrong = namedtuple("Wrong", "words code said")
WORDS = {
    "oversample 1000": Wrong("--oversample 1000", 2,
                             "--oversample is 1000; expected a whole number from 1 to 64"),
    "oversample 0": Wrong("--oversample 0", 2, "--oversample is 0"),
    "oversample -1": Wrong("--oversample -1", 2, "--oversample is -1"),
    "oversample 1.5": Wrong("--oversample 1.5", 2, "1.5 is not a whole number"),
    "oversample x": Wrong("--oversample x", 2, "x is not a whole number"),
    "oversample without a number": Wrong("--oversample", 2, "--oversample"),
    "oversample in other digits": Wrong("--oversample ２", 2, "２ is not a whole number"),
    "rate 0": Wrong("--rate 0", 2, "--rate is 0"),
    "rate 1000000000": Wrong("--rate 1000000000", 2, "--rate is 1000000000"),
    "rate 1e9": Wrong("--rate 1e9", 2, "1e9 is not a whole number"),
    "rate of many digits": Wrong("--rate " + "9" * 5000, 2, "is not a whole number"),
    "rate nan": Wrong("--rate nan", 2, "nan is not a whole number"),
    "rate and oversample together": Wrong("--rate 768000 --oversample 64", 2, "--oversample is 64"),
    "seed -1": Wrong("--seed -1", 2, "--seed is -1"),
    "seed of many digits": Wrong("--seed 999999999999999999", 2, "--seed is 999999999999999999"),
    "no such option": Wrong("--loud", 2, "--loud"),
    "an option cut short": Wrong("--over 2", 2, "--over"),
    "two scores": Wrong("other.score", 2, "other.score"),
    "a format that is not there": Wrong("-o out.mp3", 2,
                                        "expected a name that ends in .flac or .wav"),
    "no ending": Wrong("-o out", 2, "expected a name that ends in .flac or .wav"),
    "no name": Wrong("-o ", 2, "expected a name that ends in .flac or .wav"),
    "a folder's name": Wrong("-o out.wav/", 2, "expected a name that ends in .flac or .wav"),
    "a device": Wrong("-o /dev/null", 2, "expected a name that ends in .flac or .wav"),
    "a folder": Wrong("-o folder.wav", 1, "folder.wav: a directory"),
    "a FIFO": Wrong("-o fifo.wav", 1, "fifo.wav: a FIFO"),
    "a socket": Wrong("-o socket.wav", 1, "socket.wav: a socket"),
    "a link to a device": Wrong("-o zero.wav", 1, "zero.wav: a device"),
    "a link to a score": Wrong("-o score.wav", 1, "good.score, whose ending is not .wav"),
    "a link to itself": Wrong("-o loop.wav", 1, "loop.wav: Too many levels"),
    "a folder that is not there": Wrong("-o no/a.wav", 1, "the folder does not exist"),
    "a file as folder": Wrong("-o good.score/a.wav", 1, "Not a directory"),
    "a folder that takes no file": Wrong("-o /proc/a.wav", 1,
                                         "/proc: no file can be made in this folder"),
    "another one": Wrong("-o /sys/a.wav", 1, "/sys: no file can be made in this folder"),
    "a name too long": Wrong(f"-o {'a' * 300}.wav", 1, "File name too long"),
}


@pytest.mark.parametrize("wrong", WORDS.values(), ids=WORDS)
def test_words_that_are_wrong(wrong, folder, capsys):
    furnish_strange(folder)
    words = wrong.words.split(" ")
    output = [] if "-o" in words else ["-o", "out.wav"]
    refused(capsys, folder, wrong.code, wrong.said, "render", "good.score", *output, *words)


def furnish_strange(folder):
    """What could stand where a file is wanted."""
    for ending in ("wav", "score"):
        (folder / f"folder.{ending}").mkdir()
        os.mkfifo(folder / f"fifo.{ending}")
        (folder / f"zero.{ending}").symlink_to("/dev/zero")
        (folder / f"loop.{ending}").symlink_to(f"loop.{ending}")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(f"socket.{ending}")
    (folder / "score.wav").symlink_to("good.score")
    (folder / "gone.score").symlink_to("nowhere.score")


@pytest.mark.parametrize(("words", "said"), [
    (["rendr", "good.score"], "'rendr' is not a command"),
    (["good.score"], "pysitar render good.score"),
    (["--rate", "3"], "--rate"),
    (["render"], "SCORE"),
    (["render", "-"], "expected -o FILE.wav"),
    (["presets", "tanpura"], "tanpura"),
    (["render", "good\nscore", "-o", "x\n\x1b[31m.mp3"], ".wav"),
    (["x\ny"], "is not a command"),
    ([""], "is not a command"),
])
def test_commands_that_are_wrong(words, said, folder, capsys):
    refused(capsys, folder, 2, said, *words)


STRANGE = ["missing", "folder", "fifo", "socket", "zero", "loop", "gone"]


class Hanging(BaseException):
    """What no command takes for an error of a file."""


@pytest.fixture
def alarm():
    """What still waits after 20 s ends with exit code 1."""
    def ring(number, frame):
        raise Hanging

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("kind", STRANGE)
def test_what_is_no_score_never_hangs(kind, folder, capsys, alarm):
    furnish_strange(folder)
    refused(capsys, folder, 2, f"{kind}.score", "render", f"{kind}.score")


def test_check_never_hangs_either(folder, capsys, alarm):
    furnish_strange(folder)
    assert main(["check", *(f"{kind}.score" for kind in STRANGE)]) == 2
    out, printed = capsys.readouterr()
    assert printed == ""
    assert [line.split(":")[0]
            for line in out.splitlines()] == [f"{kind}.score" for kind in STRANGE]


@pytest.mark.parametrize("score", ["", ".", "..", "../..", ".score", "two.toml", "good"])
def test_names_that_are_no_scores(score, folder, capsys):
    refused(capsys, folder, 2, ".score", "render", score, "-o", "new.wav")


@pytest.mark.parametrize("score", ["/dev/zero", "/dev/stdin", "/dev/tty", "/proc/self/mem"])
def test_what_has_not_the_name_of_a_score(score, folder, capsys, alarm):
    refused(capsys, folder, 2, ".score", "render", score, "-o", "new.wav")


def test_an_endless_standard_input(folder):
    endless = "import os\nos.dup2(os.open('/dev/zero', os.O_RDONLY), 0)"
    code, out, printed = pysitar("render", "-", "-o", "out.wav", cwd=folder, before=endless,
                              timeout=20)
    assert (code, out) == (2, "")
    check_message(printed, "over 16 MB")
    assert (folder / "out.wav").read_bytes() == b"before"


ODD = ["a\nb\x1b[31m", "-x", "ünï ☃", " ", "a;rm -rf b", "%s{0}\\", "a\udcff"]


@pytest.mark.parametrize("name", ODD, ids=repr)
def test_odd_names_are_just_names(name, folder, capsys):
    furnish(folder, **{name: SHORT})
    path = f"./{name}.score"
    assert main(["check", path]) == 0
    assert capsys.readouterr().out.count("\n") == 1
    assert main(["render", path]) == 0
    assert (folder / f"{name}.wav").stat().st_size == 44 + 4800 * 6
    printed = capsys.readouterr().err
    assert printed.count("\n") == 1
    assert "\x1b" not in printed


@pytest.mark.parametrize("name", ODD, ids=repr)
def test_odd_names_in_a_message(name, folder, capsys):
    path = f"./{name}.score"
    refused(capsys, folder, 2, "No such file", "render", path, "-o", "out.wav")
    furnish(folder, **{name: HEAD + "0 t.b pluck\n"})
    refused(capsys, folder, 2, ":2:5: ", "render", path, "-o", "out.wav")
    assert main(["render", "good.score", "-o", f"no/{name}.wav"]) == 1
    printed = capsys.readouterr().err
    assert len(printed.splitlines()) == 1
    assert "\x1b" not in printed


@pytest.mark.parametrize("limit", [20, 10_000])
def test_a_disk_that_fills_up(limit, folder):
    before = contents(folder)
    small = f"import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))"
    code, out, printed = pysitar("render", "good.score", "-o", "out.wav", cwd=folder, before=small,
                              timeout=20)
    assert (code, out) == (1, "")
    check_message(printed, "out.wav")
    assert contents(folder) == before


def test_a_disk_that_is_full_before_it_begins(folder, capsys, monkeypatch):
    real = os.statvfs(folder)
    monkeypatch.setattr(os, "statvfs", lambda path: os.statvfs_result((*real[:4], 1, *real[5:])))
    (folder / "good.score").write_text(SHORT.replace("tail=0", "tail=1000s"))
    refused(capsys, folder, 1, "bytes are needed", "render", "good.score", "-o", "out.wav")
    (folder / "good.score").write_text(SHORT)
    assert main(["render", "good.score", "-o", "out.wav", "--allow-large"]) == 0


@pytest.mark.parametrize(("words", "said"), [
    ("-o out.flac --rate 65537",
     "--rate is 65537; expected a whole number of Hz from 1 to 65535, or a multiple of 10"),
    ("-o out.flac --subtype FLOAT",
     "--subtype is FLOAT; expected one of PCM_24, PCM_16 in a .flac file"),
    ("-o out.wav --subtype PCM_32",
     "--subtype is PCM_32; expected one of PCM_24, PCM_16, FLOAT in a .wav file"),
    ("-o out.wav --format flac", "--format is flac, and out.wav does not end in .flac"),
    ("-o out --format wav", "--format is wav, and out does not end in .wav"),
    ("-o out.mp3 --format mp3", "--format: invalid choice: 'mp3'"),
])
def test_formats_that_cannot_be(words, said, folder, capsys):
    refused(capsys, folder, 2, said, "render", "good.score", *words.split())
