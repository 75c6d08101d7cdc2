"""Warnings and progress bars of the commands that render."""
from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from pysitar.api.render_file import Progress
from pysitar.app.messages import one_line, report
from pysitar.app.terminal import bar_stream
from pysitar.errors import MAX_PROBLEMS, Problem, printable
from pysitar.rendering.engine import Engine

WARNING = "pysitar: warning: "


def warn(warnings: Sequence[Problem]) -> None:
    """Report the warnings about scores, at most 20."""
    report_lines([f"{WARNING}{warning.place}: {warning.message}" for warning in warnings], WARNING,
              f"more; pysitar check also reports the first {MAX_PROBLEMS}")


def report_lines(lines: Sequence[str], before: str, more: str) -> None:
    """Report at most 20 lines, and the number of the others.

    Parameters: before, more: the text before and after that number.
    """
    for line in lines[:MAX_PROBLEMS]:
        report(one_line(line))
    if len(lines) > MAX_PROBLEMS:
        report(one_line(f"{before}and {len(lines) - MAX_PROBLEMS} {more}"))


def bar_enabled(quiet: bool) -> bool:
    """Return whether to show a bar: only on a terminal."""
    return not quiet and sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def sound_bar(engine: Engine, *, shown: bool) -> Iterator[Progress | None]:
    """Show a progress bar in seconds of sound; yield its update function, or None without a bar.

    The total grows if the sound lasts longer than expected.
    """
    if not shown:
        yield None
        return
    from tqdm import tqdm  # imported here: slow, and only needed for a bar

    rate = engine.options.rate
    shape = "{l_bar}{bar}| {n:.1f} of {total:.1f} s [{elapsed}<{remaining}, {rate_fmt}]"
    with tqdm(total=engine.least_position / rate, unit="s", leave=False, dynamic_ncols=True,
              bar_format=shape, file=bar_stream()) as bar:
        def show(frames: int, expected: int) -> None:
            bar.total = expected / rate
            bar.update(frames / rate - bar.n)

        yield show


@contextmanager
def count_bar(count: int, unit: str, *, shown: bool) -> Iterator[Callable[[str], None] | None]:
    """Show a progress bar in items; yield a function to call with the name of each finished item,
    or None."""
    if not shown:
        yield None
        return
    from tqdm import tqdm

    with tqdm(total=count, unit=f" {unit}", leave=False, dynamic_ncols=True,
              file=bar_stream()) as bar:
        def show(name: str) -> None:
            bar.set_postfix_str(printable(name, "?")[:40], refresh=False)
            bar.update()

        yield show
