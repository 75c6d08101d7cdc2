"""`pysitar watch`: play or render a score again whenever one of its files changes."""
from __future__ import annotations

import argparse
import time
from pathlib import Path

from pysitar.api.render_file import Files, stream
from pysitar.api.report import summary_line
from pysitar.api.request import Request, prepare_engine
from pysitar.app.cli.inputs import read_score
from pysitar.app.cli.options import add_score
from pysitar.app.cli.parsing import Parser, whole_number
from pysitar.app.cli.play import add_device, check_lead, report_played, warn_of_peak
from pysitar.app.cli.request import add_computation, add_selection, make_request, option_errors
from pysitar.app.messages import DONE, UsageError, message, one_line, report
from pysitar.app.playback.device import NoDeviceError, open_output
from pysitar.app.playback.file_changes import FileChanges, files_of
from pysitar.app.playback.player import BLOCK, play_blocks
from pysitar.app.progress import WARNING, warn
from pysitar.errors import PysitarError, ScoreError, counted, printable
from pysitar.output.audio import encoding_of
from pysitar.rendering.engine import Engine
from pysitar.rendering.step_cache import StepCache
from pysitar.score.source_files import Source

NAME = "watch"
POLL = 0.25                     # s between two looks at the files
MEGABYTE = 1 << 20
CACHE, MOST_CACHE = 1024, 1 << 20               # MB
DESCRIPTION = """\
Play a score (extra: play), and play it again whenever its file, a file that it includes or
one of its instruments changes; without a device, or with -o, write it to a sound file each
time. Only instruments whose events or values changed are computed again, and the sound has
the same bits as that of a whole render. Mistakes are reported with file, line and column,
and the last sound plays on. Ctrl-C ends it."""
EPILOG = """\
examples:
  pysitar watch first.score
  pysitar watch first.score --from 8 --only t.pa
  pysitar watch first.score -o first.wav"""


class _ChangedError(PysitarError):
    """A file changed while its sound was being written."""


def parser() -> Parser:
    """Return the parser of the command line."""
    options = Parser(f"pysitar {NAME}", DESCRIPTION, EPILOG)
    add_score(options, standard_input=False)
    group = options.add_argument_group("output")
    group.add_argument("-o", "--output", metavar="FILE",
                       help="write this sound file, .wav or .flac, each time, and play nothing "
                            "(without a device: the name of the score, in the current folder)")
    add_device(group)
    add_selection(options.add_argument_group("part of the score and level"),
                  start="begin at time T", stop="end")
    computation = options.add_argument_group("computation")
    add_computation(computation)
    computation.add_argument("--cache", type=whole_number, default=CACHE, metavar="MB",
                             help="memory for instruments that were computed, MB "
                                  f"(default: {CACHE})")
    return options


def run(arguments: argparse.Namespace) -> int:
    """Watch one score until a signal ends the program; return the exit code.

    Errors: UsageError, of the options; KeyboardInterrupt.
    """
    source = arguments.score
    if source == "-":
        raise UsageError(f"pysitar {NAME}: a score from standard input does not change; expected a "
                         ".score file")
    check_lead(NAME, arguments.lead)
    if not 0 <= arguments.cache <= MOST_CACHE:
        raise UsageError(f"pysitar {NAME}: --cache is {arguments.cache}; expected 0 to "
                         f"{MOST_CACHE} MB")
    if arguments.output is not None:
        encoding_of(arguments.output, "PCM_24")
    _Watch(arguments).run()
    return DONE


def wait() -> None:
    """Wait until the next look at the files."""
    time.sleep(POLL)


class _Watch:
    """A score that is watched: its files, what was computed of it, and what was reported."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.source: str = arguments.score
        self.cache = StepCache(arguments.cache * MEGABYTE)
        self.changes = FileChanges()
        self.changes.watch([self.source])
        self._sources: tuple[Source, ...] | None = None     # of the last sound
        self._problems = ""                                 # that were reported last
        self._looked = 0.0
        self._following: Engine | None = None               # to be played next
        self._voices_before = 0
        self._first = True                                  # no sound yet
        self._request = Request()

    def run(self) -> None:
        """Play or write the score after each change, without end."""
        engine = self._prepare(first=True)
        while True:
            if engine is not None:
                self._following = None
                self._sound(engine)
                engine = self._following
            if engine is None:
                wait()
                engine = self._prepare() if self.changes.found() else None

    def _prepare(self, *, first: bool = False) -> Engine | None:
        """Return the engine of the score, if it has no mistakes and is not that of the last sound;
        report its mistakes, unless they are the last reported ones.

        Parameters: first, wrong options end the program. Errors: UsageError.
        """
        self._voices_before = self.cache.computed
        try:
            with option_errors(NAME, self.arguments):
                parsed = read_score(self.source)
                self.changes.watch(files_of(parsed.score, self.source))
                request = make_request(NAME, self.arguments, parsed)
                engine = prepare_engine(parsed.score, request, problems=parsed.problems,
                                        cache=self.cache)
        except PysitarError as error:
            if first and not isinstance(error, ScoreError):
                raise
            self._report_problems(error)
            return None
        self._request = request
        if self._problems:
            report(f"{printable(self.source, '?')}: no mistakes now")
        elif engine.bound.sources == self._sources:
            return None
        self._problems, self._sources = "", engine.bound.sources
        warn(engine.bound.warnings)
        return engine

    def _report_problems(self, error: PysitarError) -> None:
        text = message(error)
        if text == self._problems:
            return
        self._problems = text
        report(text)
        count = counted(len(error.problems), "mistake") if isinstance(error, ScoreError) else ""
        report(f"{printable(self.source, '?')}: {count or 'a mistake'}; waiting for a change")

    def _sound(self, engine: Engine) -> None:
        """Play or write a sound; report an error of the computation or of the output."""
        computed = self.cache.computed - self._voices_before
        try:
            if self.arguments.output is not None or not self._play(engine):
                self._write(engine)
        except _ChangedError:
            return
        except (PysitarError, OSError) as error:
            if self._first and isinstance(error, OSError):      # -o cannot be written
                raise
            report(message(error))
            self._sources = None            # a file that is saved again, unchanged, tries again
            self.changes.accept_folders()   # an unfinished file, made and removed, does not
            return
        self._first = False
        if not self.arguments.quiet:
            report(f"{printable(self.source, '?')}: {computed} of "
                   f"{counted(len(engine.voices), 'instrument')} computed again")

    def _play(self, engine: Engine) -> bool:
        """Play a sound; return False where there is no device, which is reported once."""
        options = engine.options
        try:
            output = open_output(NAME, rate=options.rate, channels=options.channels,
                                 device=self.arguments.device,
                                 instead=f"; {self._file()} is written instead")
        except NoDeviceError as error:
            report(message(error))
            self.arguments.output = self._file()
            return False
        warn_of_peak(engine)
        played = play_blocks(engine.blocks(BLOCK), output, rate=options.rate,
                             lead=self.arguments.lead, keep_playing=self._keeps)
        report_played(self.source, engine, played, quiet=self.arguments.quiet)
        return True

    def _write(self, engine: Engine) -> None:
        """Write a sound file, unless a file of the score changes meanwhile.  Errors:
        _ChangedError, OSError, PysitarError."""
        def show(frames: int, expected: int) -> None:
            if not self._keeps():
                raise _ChangedError

        result = stream(engine, self._request, Files(path=self._file()), progress=show)
        for warning in result["warnings"][len(engine.bound.warnings):]:
            report(one_line(WARNING + warning))
        if not self.arguments.quiet:
            report(one_line(summary_line(result)))

    def _keeps(self) -> bool:
        """Return False once the score has changed and has no mistakes, and then at every call: a
        further change waits for the next sound, whose start would be lost by looking again."""
        if self._following is not None:
            return False
        now = time.monotonic()
        if now - self._looked >= POLL:
            self._looked = now
            if self.changes.found():
                self._following = self._prepare()
        return self._following is None

    def _file(self) -> str:
        output: str | None = self.arguments.output
        return f"{Path(self.source).stem}.wav" if output is None else output

