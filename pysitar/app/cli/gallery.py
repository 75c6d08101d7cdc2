"""`pysitar gallery`: make a page to listen to the sounds of a folder."""
from __future__ import annotations

import argparse
import os
from pathlib import Path

from pysitar.app.cli.inputs import check_matplotlib, check_output_folder
from pysitar.app.cli.options import add_jobs, add_quiet, worker_count
from pysitar.app.cli.parsing import Parser
from pysitar.app.gallery.build_page import Gallery
from pysitar.app.gallery.files import PAGE, read_owned_files
from pysitar.app.gallery.items import Listing, read_entries
from pysitar.app.gallery.scores import Scores, read_scores, render_scores
from pysitar.app.messages import DONE, FAILED, UsageError, one_line, report
from pysitar.app.progress import WARNING, bar_enabled, count_bar, report_lines, warn
from pysitar.errors import counted, quoted
from pysitar.output.files import check_target, new_folders
from pysitar.system.files import decode_bytes

NAME = "gallery"
DEFAULT = "page"
MERGE = "pysitar batch SCORE... -o DIR --merge writes the manifest again"
DESCRIPTION = f"""\
Make a page of the sounds in DIR. It shows the waveform, spectrogram, energies,
parameters and measures of each sound, and the command that makes it; sounds can be
played, sorted and filtered, also with the keyboard. All waveforms have the same scale.
The page is a folder, {DEFAULT} unless -o names another. Its {PAGE} opens from the file
system in any browser and needs no network; the sounds are copied into the folder, so
that it can be sent as it is.

DIR is the output of pysitar batch, or any folder of .wav and .flac files; the contents
of sidecars (FILE.json) are shown. If DIR holds scores and no sounds, the scores are
rendered first, with their own options and without subfolders, and the opening comment
of each is shown. A file that another score includes and that cannot be played alone is
left out, with a warning. Running the same command again makes only what is new, and
removes what is no longer in DIR."""
EPILOG = f"""\
examples:
  printf 'sweep t.pa.pluck.force = (0.3N 0.6N)\\n' | cat first.score - > forces.score
  pysitar batch forces.score -o forces
  pysitar gallery forces -o {DEFAULT}
  pysitar render first.score -o first.wav --traces first.npz
  pysitar gallery . -o listen --link      this folder, with energies

Then open {DEFAULT}/{PAGE} in a browser.

The energies of a.wav are read from a.npz beside it, which pysitar render --traces
writes. For a folder of scores they are recorded during rendering; a batch records none,
and the page says so.
exit codes: 0 the page is made; 1 it is made, but some sounds or rows of the manifest
cannot be shown, and are named; 2 there is nothing to show, or the command line is
wrong."""


def parser() -> Parser:
    """Return the parser of the command line."""
    options = Parser(f"pysitar {NAME}", DESCRIPTION, EPILOG)
    options.add_argument("folder", metavar="DIR", help="a folder of sounds, or of scores")
    options.add_argument(
        "-o", "--output", default=DEFAULT, metavar="PAGE",
        help=f"the folder of the page, created if it does not exist (default: {DEFAULT})")
    options.add_argument("--title", help="title of the page (default: the name of DIR)")
    group = options.add_mutually_exclusive_group()
    group.add_argument("--copy", action="store_true",
                       help="copy the sounds into the page's folder (the default)")
    group.add_argument(
        "--link", action="store_true",
        help="link to the sounds where they are: the page works only while they stay there")
    add_jobs(options, of="processes that render scores")
    add_quiet(options)
    return options


def run(arguments: argparse.Namespace) -> int:
    """Make a page; return the exit code.

    Errors: UsageError, GalleryError, ScoreError, ParameterError, OSError.
    """
    folder, output, quiet = arguments.folder, arguments.output, arguments.quiet
    jobs = worker_count(NAME, arguments.jobs)
    if not os.path.isdir(folder):
        why = "is not a folder" if os.path.lexists(folder) else "does not exist"
        raise UsageError(
            f"pysitar {NAME}: {quoted(folder)} {why}; expected a folder of sounds, or of scores")
    check_output_folder(NAME, output)
    check_matplotlib(NAME)
    scores = read_scores(folder)
    listing = Listing([], [], []) if scores is not None else read_entries(Path(folder))
    if scores is None and not listing.entries:
        _report_faults(listing)
        raise UsageError(f"pysitar {NAME}: {quoted(folder)} {_nothing(listing, folder)}")
    page = _check_page_folder(output)
    title = decode_bytes(arguments.title or os.path.basename(os.path.abspath(folder)))
    with new_folders(page):
        copied = not arguments.link and scores is None and not os.path.samefile(folder, page)
        gallery = Gallery(page, title, copied=copied)
        if scores is not None:
            listing, gallery.kept = _render(scores, page, jobs, quiet)
        return _show(gallery, listing, quiet=quiet)


def _check_page_folder(output: str) -> Path:
    """Return the folder of the page, which does not exist or has no other page.

    Errors: OSError, GalleryError.
    """
    page = Path(output)
    if page.is_dir():
        read_owned_files(page)
    else:
        check_target(page.with_name(f"{page.name}.html"))  # its parent exists and is writable
    return page


def _render(scores: Scores, page: Path, jobs: int, quiet: bool) -> tuple[Listing, list[str]]:
    """Render scores; return their entries and the files that belong to them."""
    warn([warning for series in scores.plan.series for warning in series.warnings])
    with count_bar(scores.plan.count, "sounds", shown=bar_enabled(quiet)) as on_done:
        listing, own = render_scores(scores, page, jobs=jobs, on_done=on_done)
    return listing._replace(warnings=[*scores.parts, *listing.warnings]), sorted(own)


def _show(gallery: Gallery, listing: Listing, *, quiet: bool) -> int:
    """Make the page and report it; return the exit code."""
    with count_bar(len(listing.entries), "pictures", shown=bar_enabled(quiet)) as on_done:
        gallery.make(listing.entries, on_done)
    warnings = [*listing.warnings, *gallery.warnings]
    report_lines([WARNING + warning for warning in warnings], WARNING, "more")
    _report_faults(listing)
    report_lines([f"pysitar: {name}: {error}" for name, error in gallery.failed], "pysitar: ",
                 "more; the page lists all of them")
    if not quiet:
        count = len(listing.entries)
        total = counted(count + len(listing.faults), "sound")
        report(one_line(f"{gallery.folder / PAGE}: {count - len(gallery.failed)} of {total}"))
    return FAILED if gallery.failed or listing.faults else DONE


def _report_faults(listing: Listing) -> None:
    """Report the manifest rows that are left out."""
    report_lines([f"pysitar: {fault}" for fault in listing.faults], "pysitar: ",
                 "more, also left out")
    if listing.faults and listing.entries:
        report(f"pysitar: {MERGE}")


def _nothing(listing: Listing, folder: str) -> str:
    """Return the reason why there is nothing to show."""
    if listing.faults:
        return f"has no row in its manifest that can be shown; {MERGE}"
    return ("has no sounds (.wav, .flac), no manifest and no scores; expected one of them; pysitar "
            f"batch SCORE -o {quoted(folder)} makes sounds")
