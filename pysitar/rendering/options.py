"""How a score is rendered: what the caller says, else what the score says, else the defaults."""
from __future__ import annotations

from dataclasses import dataclass

from pysitar.errors import ParameterError, Problem, ScoreError, quoted
from pysitar.models.definitions.parameters import Parameter, check_value
from pysitar.rendering.conversion import converted
from pysitar.score.document import Score
from pysitar.score.literals import Argument, Name, literal_text
from pysitar.score.timeline import MAX_SECONDS

HIGHEST_INTERNAL_RATE = 3_100_000
LARGEST_SEED = 2**53 - 1          # what a number in a score can hold exactly

RATE = Parameter(name="rate", unit="Hz", low=8000, high=768_000, default=48000.0, kind="whole", meaning="frames a second of the file")
OVERSAMPLE = Parameter(name="oversample", low=1, high=64, default=2.0, kind="whole", meaning="steps of the simulation a frame")
SEED = Parameter(name="seed", low=0, high=LARGEST_SEED, default=0.0, kind="whole", meaning="of everything random")
TAIL = Parameter(name="tail", unit="s", low=0.0, high=MAX_SECONDS, meaning="how long it goes on after the last event; auto: until silence")
FLOOR = Parameter(name="floor", unit="dB", low=-200.0, high=-20.0, default=-80.0, meaning="what is below it counts as silent")
CHANNELS = Parameter(name="channels", low=1, high=2, default=2.0, kind="whole", meaning="1, mono, or 2, stereo")
PEAK = Parameter(name="peak", unit="dB", low=-100.0, high=0.0, meaning="the level that the greatest sample is brought to, under full scale")
OPTIONS = {option.name: option for option in (RATE, OVERSAMPLE, SEED, TAIL, FLOOR, CHANNELS, PEAK)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a score is rendered.

    Parameters: rate (Hz); oversample; seed; tail (s; None: until every voice sleeps); floor (dB); channels, 1 or 2; peak, that of the
    finished sound (dB under full scale; None: as it comes).
    """

    rate: int = 48000
    oversample: int = 2
    seed: int = 0
    tail: float | None = None
    floor: float = -80.0
    channels: int = 2
    peak: float | None = None

    @property
    def internal_rate(self) -> int:
        """The rate of the simulation (Hz)."""
        return self.rate * self.oversample

    @property
    def most_oversample(self) -> int:
        """The greatest oversample that the rate allows."""
        assert OVERSAMPLE.high is not None
        return min(int(OVERSAMPLE.high), HIGHEST_INTERNAL_RATE // self.rate)


def options(
    score: Score, *, rate: int | None = None, oversample: int | None = None, seed: int | None = None, tail: float | str | None = None,
    floor: float | None = None, channels: int | None = None, peak: float | None = None, allow_large: bool = False,
) -> Options:
    """The options of one render.

    Parameters: as in `Options`, None where the score decides; tail, also "auto"; allow_large lifts the limit of the internal rate.
    Errors: ParameterError for an argument; ScoreError with every problem of the score's own options.
    """
    found, problems = read_options(score, rate=rate, oversample=oversample, seed=seed, tail=tail, floor=floor, channels=channels,
                                   peak=peak, allow_large=allow_large)
    if problems:
        raise ScoreError(problems)
    return found


def read_options(
    score: Score, *, rate: int | None = None, oversample: int | None = None, seed: int | None = None, tail: float | str | None = None,
    floor: float | None = None, channels: int | None = None, peak: float | None = None, allow_large: bool = False,
) -> tuple[Options, tuple[Problem, ...]]:
    """As `options`, but the problems of the score's own options are returned, not raised; the default stands in for each.

    Errors: ParameterError for an argument.
    """
    given: dict[str, object] = {"rate": rate, "oversample": oversample, "seed": seed, "tail": tail, "floor": floor, "channels": channels,
                                "peak": peak}
    problems: list[Problem] = []
    values: dict[str, float | None] = {}
    for name, parameter in OPTIONS.items():
        default = parameter.default if isinstance(parameter.default, float) else None
        value, argument = given[name], score.render.get(name)
        if value is not None:
            values[name] = None if name == "tail" and value == "auto" else check_value(parameter, value)
        elif argument is not None:
            values[name] = _from_score(parameter, argument, default, problems)
        else:
            values[name] = default
    made = Options(rate=_whole(values["rate"]), oversample=_whole(values["oversample"]), seed=_whole(values["seed"]), tail=values["tail"],
                   floor=values["floor"] or 0.0, channels=_whole(values["channels"]), peak=values["peak"])
    if made.internal_rate > HIGHEST_INTERNAL_RATE and not allow_large:
        _too_fast(made, score, given, problems)
    return made, tuple(problems)


def _whole(value: float | None) -> int:
    return int(value or 0)


def _from_score(parameter: Parameter, argument: Argument, default: float | None, problems: list[Problem]) -> float | None:
    """The value of an option in the score; the default when it is wrong."""
    literal, place = argument.value, argument.value_place
    if parameter is TAIL and isinstance(literal, Name):
        if literal.text != "auto":
            problems.append(Problem(place, f"tail is {quoted(literal.text)}; expected auto, or a time in s"))
        return None
    try:
        return check_value(parameter, converted(parameter, literal))
    except (ParameterError, ValueError) as error:
        problems.append(Problem(place, str(error)))
    return default


def _too_fast(made: Options, score: Score, given: dict[str, object], problems: list[Problem]) -> None:
    """Tell an internal rate beyond the limit, at the argument or the place in the score that asks for it."""
    expected = (f"with rate {made.rate} the simulation would run at {made.internal_rate} Hz; at most {HIGHEST_INTERNAL_RATE} Hz is right, "
                f"an oversample of {HIGHEST_INTERNAL_RATE // made.rate}")
    for name in ("oversample", "rate"):
        if given[name] is not None:
            raise ParameterError(name, given[name], expected)
        if name in score.render:
            problems.append(Problem(score.render[name].value_place, f"{name} is {literal_text(score.render[name].value)}; {expected}"))
            return
