"""Parse pitches, and compute their frequency in a tuning."""
from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from pysitar.errors import Place, quoted
from pysitar.kernels.core import elementary
from pysitar.score.literals import NOWHERE, Pitch, Quantity, literal_text

NUMBER = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
CENTS = rf"(?P<cents>[+-]{NUMBER}c)?"
SARGAM = re.compile(
    rf"(?P<name>sa|re|ga|ma|pa|dha|ni)(?P<change>[+-](?![0-9.]))?(?P<marks>'+|,+)?{CENTS}")
STEP = re.compile(rf"d(?P<step>[0-9]{{1,6}})(?P<marks>'+|,+)?{CENTS}")
WESTERN = re.compile(rf"(?P<letter>[A-G])(?P<change>[#b])?(?P<octave>[0-9]){CENTS}")
HERTZ = re.compile(rf"(?P<number>{NUMBER})(?P<unit>k?Hz)")
OPEN = re.compile(rf"(?P<number>[+-]{NUMBER})st")

NAMES = ("sa", "re-", "re", "ga-", "ga", "ma", "ma+", "pa", "dha-", "dha", "ni-", "ni")
LETTERS = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
JUST = (1.0, 16 / 15, 9 / 8, 6 / 5, 5 / 4, 4 / 3, 45 / 32, 3 / 2, 8 / 5, 5 / 3, 9 / 5, 15 / 8)
SHRUTI_CENTS = (0.0, 90.225, 111.731, 182.404, 203.910, 294.135, 315.641, 386.314, 407.820, 498.045,
                519.551, 590.224, 611.730, 701.955, 792.180, 813.686, 884.359, 905.865, 996.090,
                1017.596, 1088.269, 1109.775)
SHRUTI_OF_NAME = (0, 2, 4, 6, 7, 9, 11, 13, 15, 16, 19, 20)
MAX_MARKS = 10
UNKNOWN = "unknown"             # the kind of a tuning whose statement has an error
MAX_EDO = 1000


@dataclass(frozen=True, slots=True)
class Tuning:
    """A scale above sa.

    Parameters: sa_hz, the frequency of sa (Hz, above 0); kind: just, edo, shruti or scala; steps,
    the ratios to sa within one period, each above 0, the first 1 (those of a scala tuning are in
    the order of its file, which may fall or repeat); period, the ratio of an octave mark, above 0,
    and possibly 1 or less in a scala file (None: the file has no notes, and octave marks are
    errors); source, the file of a scala tuning, relative to the current folder. """

    sa_hz: float
    kind: str
    steps: tuple[float, ...]
    period: float | None = 2.0
    source: str = ""

    @property
    def has_names(self) -> bool:
        """Whether the tuning has the sargam names."""
        return self.kind in {"just", "shruti"} or len(self.steps) == 12

    @property
    def is_valid(self) -> bool:
        """Whether its statement is valid; else that is already reported, and pitches are not
        checked."""
        return self.kind != UNKNOWN

    @property
    def has_steps(self) -> bool:
        """Whether the tuning has the steps `dN`."""
        return self.kind == "shruti" or (self.kind in {"edo", "scala"} and len(self.steps) != 12)


def western_hz(degree: int, cents: float = 0.0) -> float:
    """Return the frequency (Hz) a number of semitones and cents above A4 = 440 Hz."""
    return 440.0 * elementary.pow(2.0, degree / 12 + cents / 1200)


def just_tuning(sa_hz: float) -> Tuning:
    """Return the tuning of twelve just ratios above sa (Hz)."""
    return Tuning(sa_hz, "just", JUST)


def edo_tuning(sa_hz: float, steps: int) -> Tuning:
    """Return the tuning of 1 to 1000 equal steps of an octave above sa (Hz)."""
    return Tuning(sa_hz, "edo", tuple(elementary.pow(2.0, step / steps) for step in range(steps)))


def shruti_tuning(sa_hz: float) -> Tuning:
    """Return the tuning of 22 shrutis above sa (Hz)."""
    return Tuning(sa_hz, "shruti",
                  tuple(elementary.pow(2.0, cents / 1200) for cents in SHRUTI_CENTS))


DEFAULT_TUNING = just_tuning(western_hz(-20))      # C#3
UNKNOWN_TUNING = Tuning(DEFAULT_TUNING.sa_hz, UNKNOWN, JUST)


def is_pitch(text: str) -> bool:
    """Whether a text is a sargam name, a step or a Western name (`440Hz` and `+3st` are
    quantities)."""
    return bool(SARGAM.fullmatch(text) or STEP.fullmatch(text) or WESTERN.fullmatch(text))


def parse_pitch(text: str, place: Place = NOWHERE) -> Pitch:
    """Return the pitch of a text: `re-14c`, `pa,`, `C#3`, `440Hz`, `+3st`, `d7'`.

    Errors: ValueError with the message.
    """
    match = SARGAM.fullmatch(text)
    if match:
        return _parse_sargam(text, match, place)
    match = STEP.fullmatch(text)
    if match:
        return Pitch(text, "step", int(match["step"]), _parse_octave(match["marks"], text),
                     _parse_cents(match["cents"], text), place=place)
    match = WESTERN.fullmatch(text)
    if match:
        change = {"#": 1, "b": -1}.get(match["change"], 0)
        degree = LETTERS[match["letter"]] + change + 12 * (int(match["octave"]) - 4) - 9
        return Pitch(text, "western", degree, cents=_parse_cents(match["cents"], text), place=place)
    match = HERTZ.fullmatch(text)
    if match:
        hertz = float(match["number"]) * (1000.0 if match["unit"] == "kHz" else 1.0)
        if not 0.0 < hertz < math.inf:
            raise ValueError(
                f"{quoted(text)} is not a pitch; expected a finite frequency above 0 Hz")
        return Pitch(text, "hertz", hertz=hertz, place=place)
    match = OPEN.fullmatch(text)
    if match:
        return Pitch(text, "open", cents=_check_cents(float(match["number"]) * 100.0, text),
                     place=place)
    raise ValueError(_pitch_message(text))


def to_pitch(literal: Pitch | Quantity) -> Pitch:
    """Return the pitch of a value: a pitch, or a quantity in Hz, kHz or st (with its sign).

    Errors: ValueError for another quantity.
    """
    if isinstance(literal, Pitch):
        return literal
    if literal.unit in {"Hz", "kHz"}:
        return parse_pitch(literal_text(literal), literal.place)
    if literal.unit == "st":
        return Pitch(f"{literal.value:+}st", "open", cents=literal.value * 100.0,
                     place=literal.place)
    raise ValueError(_pitch_message(literal_text(literal)))


def frequency(pitch: Pitch, tuning: Tuning, open_hz: float | None, transpose: float = 0.0) -> float:
    """Return the frequency of a pitch (Hz).

    Parameters: open_hz, of the open string (Hz), for `+3st`; transpose (cents).
    Errors: ValueError when the tuning does not have the pitch, or the frequency exceeds the range
    of floating-point numbers. """
    cents = pitch.cents + transpose
    if pitch.kind == "hertz":
        base = pitch.hertz
    elif pitch.kind == "western":
        return _check_frequency(pitch, lambda: western_hz(pitch.degree, cents))
    elif pitch.kind == "open":
        if open_hz is None:
            raise ValueError(
                f"{quoted(pitch.text)} is relative to an open string, and there is none here; "
                f"expected a name or Hz"
            )
        base = open_hz
    else:
        ratio = _step_ratio(pitch, tuning) if pitch.kind == "step" else _name_ratio(pitch, tuning)
        base, period = tuning.sa_hz * ratio, _period(pitch, tuning)
        return _check_frequency(
            pitch,
            lambda: base * elementary.pow(period, pitch.octave) * elementary.pow(2.0, cents / 1200))
    return _check_frequency(pitch, lambda: base * elementary.pow(2.0, cents / 1200))


def quoted_pitch(pitch: Pitch, transpose: float) -> str:
    """Return the subject of a message about a pitch, and by how much (cents) its play moved it."""
    moved = f", moved {transpose:+g} cents by its play," if transpose else ""
    return f"the pitch {quoted(pitch.text)}{moved}"


def string_frequency(pitch: Pitch, tuning: Tuning) -> float:
    """Return the frequency (Hz) of a string of an instrument: as `frequency`, but with the just
    ratio of a name that the scale does not have.

    Errors: ValueError as `frequency`.
    """
    if pitch.kind == "sargam" and not tuning.has_names:
        return frequency(pitch, just_tuning(tuning.sa_hz), None)
    return frequency(pitch, tuning, None)


def _check_frequency(pitch: Pitch, compute: Callable[[], float]) -> float:
    try:
        value = compute()
    except OverflowError:
        value = math.inf
    if not 0.0 < value < math.inf:
        raise ValueError(
            f"{quoted(pitch.text)} exceeds the range of floating-point numbers; expected fewer "
            f"octaves or cents"
        )
    return value


def _period(pitch: Pitch, tuning: Tuning) -> float:
    """Return the ratio of an octave mark.  Errors: ValueError, for marks in a scale without
    notes."""
    if tuning.period is None and pitch.octave:
        raise ValueError(
            f"{quoted(pitch.text)} has octave marks, and {tuning.source} has no notes, "
            "so no period; expected d0 without marks")
    return tuning.period or 1.0


def _step_ratio(pitch: Pitch, tuning: Tuning) -> float:
    count = len(tuning.steps)
    if not tuning.has_steps:
        raise ValueError(
            f"{quoted(pitch.text)} needs a scale counted in steps; expected the names sa re ga in "
            f"this one ({tuning.kind})"
        )
    if pitch.degree >= count:
        hint = "expected octave marks: d0' is sa one period above"
        if tuning.period is None:
            hint = "expected no other step"
        raise ValueError(f"{quoted(pitch.text)} is beyond the last step, d{count - 1}; {hint}")
    return tuning.steps[pitch.degree]


def _name_ratio(pitch: Pitch, tuning: Tuning) -> float:
    if not tuning.has_names:
        raise ValueError(
            f"{quoted(pitch.text)} is a name, and this scale ({tuning.kind} with "
            f"{len(tuning.steps)} steps) has none; "
            f"expected d0 to d{len(tuning.steps) - 1}")
    if tuning.kind == "shruti":
        return tuning.steps[SHRUTI_OF_NAME[pitch.degree]]
    return tuning.steps[pitch.degree]


def _parse_sargam(text: str, match: re.Match[str], place: Place) -> Pitch:
    name = match["name"] + (match["change"] or "")
    if name not in NAMES:
        right = "expected re- ga- dha- ni- (komal) or ma+ (tivra)" if match[
            "change"] == "-" else "expected ma+ (tivra)"
        raise ValueError(f"{quoted(name)} is not a degree; {right}")
    return Pitch(text, "sargam", NAMES.index(name), _parse_octave(match["marks"], text),
                 _parse_cents(match["cents"], text), place=place)


def _parse_octave(marks: str | None, text: str) -> int:
    count = len(marks or "")
    if count > MAX_MARKS:
        raise ValueError(f"{quoted(text)} has {count} octave marks; expected at most {MAX_MARKS}")
    return -count if marks and marks[0] == "," else count


def _parse_cents(cents: str | None, text: str) -> float:
    return _check_cents(float(cents[:-1]), text) if cents else 0.0


def _check_cents(cents: float, text: str) -> float:
    if not math.isfinite(cents):
        raise ValueError(
            f"{quoted(text)} exceeds the range of floating-point numbers; expected fewer cents "
            f"(an octave is 1200c)"
        )
    return cents


def _pitch_message(text: str) -> str:
    shown = quoted(text)
    if re.fullmatch(rf"(?:sa|re|ga|ma|pa|dha|ni|[A-G][#b]?[0-9]|d[0-9]+)[+-]?[',]*[+-]{NUMBER}",
                    text):
        return f"{shown} is not a pitch; expected cents with their c: {quoted(text + 'c')}"
    if not text[:1].isupper() and WESTERN.fullmatch(text[:1].upper() + text[1:]):
        return f"{shown} is not a pitch; expected a capital: {quoted(text[0].upper() + text[1:])}"
    if re.fullmatch(r"d[0-9]{7,}.*", text):
        return (f"{shown} is beyond every scale, which has at most {MAX_EDO} steps; expected d0 to "
                f"d{MAX_EDO - 1}")
    if re.fullmatch(r"[A-G][#b]?", text):
        return f"{shown} is not a pitch; expected an octave: {quoted(text + '4')}"
    if re.fullmatch(r"[A-G][#b]?-?[0-9]{2,}", text) or re.fullmatch(r"[A-G][#b]?-[0-9]", text):
        return f"{shown} is not a pitch; expected an octave of one digit, 0 to 9"
    if re.fullmatch(rf"{NUMBER}st", text):
        return (f"{shown} is not a pitch; expected semitones from the open string with a sign: "
                f"{quoted('+' + text)}")
    if re.fullmatch(rf"[+-]?{NUMBER}(?:c|oct)", text):
        return f"{shown} is not a pitch; expected semitones from the open string: +3st"
    if re.fullmatch(rf"[+-]{NUMBER}", text):
        return (f"{shown} is not a pitch; expected semitones from the open string with their st: "
                f"{quoted(text + 'st')}")
    if re.fullmatch(NUMBER, text):
        return f"{shown} is not a pitch; expected a frequency with its unit: 440Hz"
    if text.lower() != text and SARGAM.fullmatch(text.lower()):
        return f"{shown} is not a pitch; expected small letters: {quoted(text.lower())}"
    return (f"{shown} is not a pitch; expected sa re- re ga- ga ma ma+ pa dha- dha ni- ni, C#3, "
            "440Hz or +3st")
