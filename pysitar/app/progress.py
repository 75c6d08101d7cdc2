"""Warnings and progress bars of the commands that render."""
from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from pysitar.api.render_file import Progress
from pysitar.app.messages import one_line, report
from pysitar.app.terminal import bar_stream
from pysitar.errors import MAX_PROBLEMS, Problem, printable
from pysitar.rendering.engine import Engine

WARNING = "pysitar: warning: "


def warn(warnings: Sequence[Problem]) -> None:
    """Report the warnings about scores, at most 20."""
    report_lines([f"{WARNING}{warning.place}: {warning.message}" for warning in warnings],
                 WARNING, f"more; pysitar check also reports the first {MAX_PROBLEMS}")


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
    rate = engine.options.rate
    shape = "{l_bar}{bar}| {n:.1f} of {total:.1f} s [{elapsed}<{remaining}, {rate_fmt}]"
    with _bar(engine.least_position / rate, "s", bar_format=shape) as bar:
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
    with _bar(count, f" {unit}") as bar:
        def show(name: str) -> None:
            bar.set_postfix_str(printable(name, "?")[:40], refresh=False)
            bar.update()

        yield show


class BatchProgress:
    """The progress of a batch.

    Parameters: bar, which shows it, or None.
    Attributes: existing, the number of items that existed before; the bar does not count them.
    """

    def __init__(self, bar: Any = None) -> None:
        self._bar, self.existing = bar, 0

    def add(self, *, existing: bool) -> None:
        """Count an item that is finished, has failed, or existed before."""
        self.existing += existing
        if self._bar is not None and existing:
            self._bar.total -= 1
        elif self._bar is not None:
            self._bar.update()


@contextmanager
def missing_items_bar(count: int, *, shown: bool) -> Iterator[BatchProgress]:
    """Show a progress bar of the sounds that a batch makes; yield the progress to add items to."""
    if not shown:
        yield BatchProgress()
        return
    shape = "{l_bar}{bar}| {n_fmt}/{total_fmt} [{elapsed}<{remaining}, {rate_noinv_fmt}]"
    with _bar(count, " sounds", bar_format=shape) as bar:
        yield BatchProgress(bar)


def _bar(total: float, unit: str, *, bar_format: str | None = None) -> Any:
    """Return a progress bar on standard error."""
    from tqdm import tqdm  # imported here: slow, and only needed for a bar

    return tqdm(total=total, unit=unit, leave=False, dynamic_ncols=True, bar_format=bar_format,
                file=bar_stream())
