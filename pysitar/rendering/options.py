"""Options of a render: the caller's, else the score's, else the defaults."""
from __future__ import annotations

from dataclasses import dataclass, replace

from pysitar.compared import Compared
from pysitar.errors import ParameterError, Problem, ScoreError, quoted
from pysitar.physics.parameters import Parameter, check_value
from pysitar.rendering.conversion import convert_literal
from pysitar.score.document import Score
from pysitar.score.literals import Argument, Name, quoted_literal
from pysitar.score.timeline import MAX_SECONDS

HIGHEST_INTERNAL_RATE = 3_100_000
LARGEST_SEED = 2**53 - 1          # the highest integer that a number in a score holds exactly

RATE = Parameter(name="rate", unit="Hz", low=8000, high=768_000, default=48000.0, kind="whole",
                 meaning="sample rate of the file")
OVERSAMPLE = Parameter(name="oversample", low=1, high=64, default=2.0, kind="whole",
                       meaning="oversampling factor: internal steps per frame")
SEED = Parameter(name="seed", low=0, high=LARGEST_SEED, default=0.0, kind="whole",
                 meaning="seed of all random values")
TAIL = Parameter(
    name="tail", unit="s", low=0.0, high=MAX_SECONDS,
    meaning="time from the end of the last event to the end of the sound; auto: until silence")
LARGE_TAIL = replace(TAIL, high=1e9)  # where the limits are lifted
FLOOR = Parameter(name="floor", unit="dB", low=-200.0, high=-20.0, default=-60.0,
                  meaning="level below which a voice is silent")
FADE = Parameter(name="fade", unit="s", low=0.0, high=5.0, default=0.4,
                 meaning="longest fade at the end of the sound, at most a quarter of it; 0: none")
CHANNELS = Parameter(name="channels", low=1, high=2, default=2.0, kind="whole",
                     meaning="1 for mono, 2 for stereo")
PEAK = Parameter(name="peak", unit="dB", low=-100.0, high=0.0,
                 meaning="level of the greatest sample after scaling, re full scale")
MOST_JOBS = 1024                # threads, of the options of a command
OPTIONS = {option.name: option
           for option in (RATE, OVERSAMPLE, SEED, TAIL, FLOOR, FADE, CHANNELS, PEAK)}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Options(Compared):
    """Options of a render.

    Parameters: rate, of the file (Hz); oversample, internal steps per frame; seed; tail (s; None:
    until every voice is silent); floor (dB); fade, the longest fade at the end of the sound (s);
    channels, 1 or 2; peak, of the finished sound (dB re full scale; None: not scaled). """

    rate: int = 48000
    oversample: int = 2
    seed: int = 0
    tail: float | None = None
    floor: float = -60.0
    fade: float = 0.4
    channels: int = 2
    peak: float | None = None

    @property
    def internal_rate(self) -> int:
        """The rate of the simulation (Hz)."""
        return self.rate * self.oversample

    @property
    def highest_oversample(self) -> int:
        """The highest oversample at this rate."""
        assert OVERSAMPLE.high is not None
        return min(int(OVERSAMPLE.high), HIGHEST_INTERNAL_RATE // self.rate)


def options(
    score: Score,
    *,
    rate: int | None = None,
    oversample: int | None = None,
    seed: int | None = None,
    tail: float | str | None = None,
    floor: float | None = None,
    fade: float | None = None,
    channels: int | None = None,
    peak: float | None = None,
    allow_large: bool = False,
) -> Options:
    """Return the options of one render.

    Parameters: as in `Options`, None where the score decides; tail, also "auto"; allow_large lifts
    the limits of the internal rate and the tail. Errors: ParameterError for an argument; ScoreError
    with every problem of the score's own options. """
    found, problems = read_options(score, rate=rate, oversample=oversample, seed=seed, tail=tail,
                                   floor=floor, fade=fade, channels=channels, peak=peak,
                                   allow_large=allow_large)
    if problems:
        raise ScoreError(problems)
    return found


def read_options(
    score: Score,
    *,
    rate: int | None = None,
    oversample: int | None = None,
    seed: int | None = None,
    tail: float | str | None = None,
    floor: float | None = None,
    fade: float | None = None,
    channels: int | None = None,
    peak: float | None = None,
    allow_large: bool = False,
) -> tuple[Options, tuple[Problem, ...]]:
    """Return the options of one render, with the problems of the score's own options: each of these
    is replaced by the default.

    Errors: ParameterError for an argument.
    """
    arguments: dict[str, object] = {
        "rate": rate, "oversample": oversample, "seed": seed, "tail": tail, "floor": floor,
        "fade": fade, "channels": channels, "peak": peak}
    problems: list[Problem] = []
    values: dict[str, float | None] = {}
    for name, parameter in OPTIONS.items():
        default = parameter.default if isinstance(parameter.default, float) else None
        value, argument = arguments[name], score.render.get(name)
        if parameter is TAIL and allow_large:
            parameter = LARGE_TAIL
        if value is not None:
            values[name] = None if name == "tail" and value == "auto" else check_value(
                parameter, value)
        elif argument is not None:
            values[name] = _from_score(parameter, argument, default, problems)
        else:
            values[name] = default
    chosen = Options(
        rate=_integer(values["rate"]), oversample=_integer(values["oversample"]),
        seed=_integer(values["seed"]), tail=values["tail"], floor=values["floor"] or 0.0,
        fade=values["fade"] or 0.0,
        channels=_integer(values["channels"]), peak=values["peak"])
    if chosen.internal_rate > HIGHEST_INTERNAL_RATE and not allow_large:
        _report_internal_rate(chosen, score, arguments, problems)
    return chosen, tuple(problems)


def _integer(value: float | None) -> int:
    return int(value or 0)


def _from_score(parameter: Parameter, argument: Argument, default: float | None,
                problems: list[Problem]) -> float | None:
    """Return the value of an option in the score; the default when it is wrong."""
    literal, place = argument.value, argument.value_place
    if parameter.name == TAIL.name and isinstance(literal, Name):
        if literal.text != "auto":
            problems.append(
                Problem(place, f"tail is {quoted(literal.text)}; expected auto, or a time in s"))
        return None
    try:
        return check_value(parameter, convert_literal(parameter, literal))
    except (ParameterError, ValueError) as error:
        problems.append(Problem(place, str(error)))
    return default


def _report_internal_rate(
    chosen: Options, score: Score, arguments: dict[str, object], problems: list[Problem],
) -> None:
    """Report an internal rate above the limit, at the argument or the place in the score that sets
    it.

    Errors: ParameterError for an argument.
    """
    expected = (
        f"with rate {chosen.rate} Hz the internal rate is {chosen.internal_rate} Hz; expected at "
        f"most {HIGHEST_INTERNAL_RATE} Hz, an oversample of {HIGHEST_INTERNAL_RATE // chosen.rate}")
    for name in ("oversample", "rate"):
        if arguments[name] is not None:
            raise ParameterError(name, arguments[name], expected)
        if name in score.render:
            problems.append(
                Problem(score.render[name].value_place,
                        f"{name} is {quoted_literal(score.render[name].value)}; {expected}"))
            return
