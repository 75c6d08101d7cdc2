"""Render every score of scores/ (except scores/batch) and compare with scores/hashes.csv.

  python .ci/scores.py                            render all and compare; exit code 1 and a line
                                                  for each difference
  python .ci/scores.py --renew [--jobs 2]         render all and write the list
  python .ci/scores.py --renew scores/x.score     render these alone; scores that no longer exist
                                                  are removed from the list

A sound may change only if CHANGELOG.md says so: among the lines that it gained since the list last
changed, one names each score whose hash differs (`x`), or says "every score"; and the version in
pyproject.toml differs. A score that is new in the list needs neither, nor does one whose hash is
again that of the first list of this version.
"""
import argparse
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIST, PROJECT = "scores/hashes.csv", "pyproject.toml"
COLUMNS = ("score", "samples")               # samples: the SHA-256 of what a 24-bit file holds
SOFTEST = 0.05                               # full scale, -26 dB: a lower peak counts as silent
LARGEST_DC = 1e-3                            # of the score's own peak, -60 dB
LARGEST_RESIDUAL = 1e-10                     # of the energy balance
ADVICE = f"""\
If the change is meant: `python .ci/scores.py --renew [SCORE ...]` writes {LIST}, a line of
CHANGELOG.md names each score that changed, or says "every score", and {PROJECT} gets a new
version. If not, the code is wrong: the samples depend on neither the CPU nor the C library."""


def scores(root):
    """Return the scores to render, relative to the root; those of batch are many sounds each."""
    paths = (path.relative_to(root) for path in (root / "scores").rglob("*.score"))
    return sorted(path.as_posix() for path in paths if path.parts[1] != "batch")


def listed(text):
    """Return the rows of the list, by score."""
    return {row["score"]: row for row in csv.DictReader(text.splitlines())}


def rendered(root, names, jobs):
    """Render scores; return the rows of the manifest, by score.  Exits if no batch starts."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable, "-m", "pysitar", "batch", *names, "-o", f"{folder}/out",
            "--oversample", "1", "--rate", "48000", "--jobs", str(jobs), "--quiet"]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True)
        if not (manifest := Path(folder, "out", "manifest.jsonl")).is_file():
            sys.exit(done.stdout + done.stderr)
        rows = map(json.loads, manifest.read_text(encoding="utf-8").splitlines())
        return {row["score"]: row for row in rows}


def faults(row):
    """Return the faults of a sound, regardless of the list."""
    if row["error"]:
        return [row["error"]]
    peak, dc, residual = row["peak"], abs(row["dc"]), row["residual"]
    return [
        fault for condition, fault in (
            (not peak >= SOFTEST,
             f"silent: its peak is {peak:.2g} of full scale; expected {SOFTEST} or more"),
            (row["clipped"], f"clipped samples: {row['clipped']}; expected none over full scale"),
            (not dc <= LARGEST_DC * peak,
             f"DC: its mean is {dc:.2g}, its peak {peak:.2g}; expected {LARGEST_DC} of it (-60 dB) "
             "or less"),
            (not residual <= LARGEST_RESIDUAL,
             f"its energy residual is {residual:.2g}; expected {LARGEST_RESIDUAL} or less"),
            (row["failed_solves"], f"failed solves: {row['failed_solves']}; expected none"),
        ) if condition]


def differences(rows, known):
    """Yield a line for each sound that differs from the list."""
    for name in sorted(rows.keys() | known.keys()):
        if name not in rows or name not in known:
            yield f"{name}: " + (f"listed in {LIST}, but there is no such score"
                                 if name in known else f"not in {LIST}")
            continue
        now, before = rows[name]["samples"], known[name]["samples"]
        if now != before:
            yield f"{name}: the sound changed: its hash is {now[:12]}; expected {before[:12]}"


def renewed(rows, known, names):
    """Return the text of the list with these rows; the rows of other scores stay."""
    hashes = {name: row for name, row in known.items() if name in names}
    hashes |= {name: {"score": name, "samples": row["samples"]} for name, row in rows.items()}
    return "".join(
        ",".join(line) + "\n"
        for line in [COLUMNS, *([hashes[name][key] for key in COLUMNS] for name in sorted(hashes))])


def unannounced(root):
    """Return what is missing for hashes that differ from the previous list: a line of CHANGELOG.md
    for each, and a new version."""
    def git(*arguments):
        return subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True).stdout

    def hashes(text):
        return {name: row["samples"] for name, row in listed(text).items()}

    now = hashes((root / LIST).read_text(encoding="utf-8"))
    new = version((root / PROJECT).read_text(encoding="utf-8"))
    began = git("log", "-n1", "--format=%H", f'-Sversion = "{new}"', "--", PROJECT).strip()
    first = hashes(git("show", f"{began}:{LIST}") if began else "")
    for commit in git("log", "-n2", "--format=%H", "--", LIST).split():
        before = hashes(git("show", f"{commit}:{LIST}"))
        if before == now:
            continue
        changes = git("diff", "-U0", commit, "--", "CHANGELOG.md")
        added = "\n".join(re.findall(r"^\+(?!\+\+ ).*", changes, re.MULTILINE))
        old = version(git("show", f"{commit}:{PROJECT}"))
        known = first if old == new else {}
        changed = [name for name in sorted(now.keys() & before.keys())
                   if now[name] not in (before[name], known.get(name))]
        missing = [
            f"{name}: its hash changed; expected a line that names it among those that "
            "CHANGELOG.md gained since" for name in changed
            if not re.search(rf"\b(every score|{re.escape(Path(name).stem)})\b", added,
                             re.IGNORECASE)]
        old, new = (version(text) for text in (git("show", f"{commit}:{PROJECT}"),
                                               (root / PROJECT).read_text(encoding="utf-8")))
        if changed and old == new:
            missing.append(f"{PROJECT}: the version is still {new}, and hashes changed; expected a "
                           "new one, by which a batch and its workers know that sounds differ")
        return missing
    return []


def version(text):
    """Return the version in the text of pyproject.toml."""
    return re.search(r'^version = "(.+)"$', text, re.MULTILINE)[1]


def main(arguments=None, root=ROOT):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scores", nargs="*", metavar="SCORE",
                        help="with --renew: only these, files of scores/")
    parser.add_argument("--renew", action="store_true", help="write the list")
    parser.add_argument("--jobs", type=int, default=1, metavar="N",
                        help="number of scores rendered at the same time (default: 1)")
    options, known_scores, file = parser.parse_args(arguments), scores(root), root / LIST
    names = [os.path.relpath(name, root) for name in options.scores] or known_scores
    if options.scores and not options.renew:
        parser.error("a SCORE needs --renew; expected --renew SCORE, or no SCORE to compare all")
    if unknown := sorted(set(names) - set(known_scores)):
        parser.error(f"{unknown[0]} is not in the list of scores; expected a .score file of "
                     "scores/, except those of scores/batch")
    known = listed(file.read_text(encoding="utf-8")) if file.exists() else {}
    rows = rendered(root, names, options.jobs)
    wrong = [f"{name}: {fault}" for name in names for fault in faults(rows[name])]
    if options.renew and not wrong:
        file.write_text(renewed(rows, known, known_scores), encoding="utf-8")
    elif not options.renew and (changed := list(differences(rows, known))):
        wrong += [*changed, ADVICE]
    wrong = wrong or unannounced(root)
    seconds = sum(row["seconds"] or 0.0 for row in rows.values())
    print("\n".join(wrong)
          or f"all scores as listed in {LIST}: {len(rows)} rendered, {seconds:.0f} s of sound")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
