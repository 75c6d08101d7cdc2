"""What commands that render show meanwhile: warnings before, a bar during."""
from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from pysitar.api.render_file import Progress
from pysitar.app.messages import one_line, report
from pysitar.app.terminal import bar_stream
from pysitar.errors import SHOWN_PROBLEMS, Problem, printable
from pysitar.rendering.engine import Engine

WARNING = "pysitar: warning: "


def warn(warnings: Sequence[Problem]) -> None:
    """Tell what is doubtful in scores, the first 20."""
    report_lines([f"{WARNING}{warning.place}: {warning.message}" for warning in warnings], WARNING,
              f"more; pysitar check tells of its first {SHOWN_PROBLEMS}, too")


def report_lines(lines: Sequence[str], before: str, more: str) -> None:
    """Tell the first 20 lines, and how many there are besides: before, "and" and the number, more."""
    for line in lines[:SHOWN_PROBLEMS]:
        report(one_line(line))
    if len(lines) > SHOWN_PROBLEMS:
        report(one_line(f"{before}and {len(lines) - SHOWN_PROBLEMS} {more}"))


def bar_enabled(quiet: bool) -> bool:
    """Whether a bar is to be shown: on a terminal only."""
    return not quiet and sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def sound_bar(engine: Engine, *, wanted: bool) -> Iterator[Progress | None]:
    """A progress bar in seconds of sound, which grows when the sound lasts longer than is known; None when it is not wanted."""
    if not wanted:
        yield None
        return
    from tqdm import tqdm  # here, so that what shows no bar does not wait for it

    rate = engine.options.rate
    shape = "{l_bar}{bar}| {n:.1f} of {total:.1f} s [{elapsed}<{remaining}, {rate_fmt}]"
    with tqdm(total=engine.least_position / rate, unit="s", leave=False, dynamic_ncols=True, bar_format=shape, file=bar_stream()) as bar:
        def show(frames: int, expected: int) -> None:
            bar.total = expected / rate
            bar.update(frames / rate - bar.n)

        yield show


@contextmanager
def count_bar(count: int, unit: str, *, wanted: bool) -> Iterator[Callable[[str], None] | None]:
    """A progress bar in things that are named when they are done; None when it is not wanted."""
    if not wanted:
        yield None
        return
    from tqdm import tqdm

    with tqdm(total=count, unit=f" {unit}", leave=False, dynamic_ncols=True, file=bar_stream()) as bar:
        def show(name: str) -> None:
            bar.set_postfix_str(printable(name, "?")[:40], refresh=False)
            bar.update()

        yield show
