"""Every score of scores/ (but its folder batch) rendered, and held against the list of what it
rendered before, scores/hashes.csv.

  python .ci/scores.py                            render all and compare; exit code 1 and a line for
  each difference python .ci/scores.py --renew [--jobs 2]         render all and write the list
  python .ci/scores.py --renew scores/x.score     render these alone; what is no score any more
  leaves the list, too

A sound changes only with a word of it: of the lines that CHANGELOG.md has gained since the list was
last changed, one names each score whose hash is another now (`x`), or says "every score"; and the
version is another. Neither is needed for a score that is new in the list, or whose hash is
again the one of the first list of this version. """
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
SOFTEST = 0.05  # of full scale, -26 dB: what peaks under it is as good as silent
# of the score's own peak, -60 dB: of full scale, it would allow a soft score more
LARGEST_DC = 1e-3
LARGEST_RESIDUAL = 1e-10                     # of the energy balance
ADVICE = f"""\
If it is meant: `python .ci/scores.py --renew [SCORE ...]` writes {LIST}, a line of CHANGELOG.md names each score that changed, or says
"every score", and {PROJECT} has a new version. If not, the code made it another: neither the CPU nor the C library does."""


def scores(root):
    """The files that are rendered, as the list names them."""
    paths = (path.relative_to(root) for path in (root / "scores").rglob("*.score"))
    # those are many sounds each
    return sorted(path.as_posix() for path in paths if path.parts[1] != "batch")


def listed(text):
    return {row["score"]: row for row in csv.DictReader(text.splitlines())}


def rendered(root, names, jobs):
    """The rows of a batch's manifest, by score; the command ends here if the batch could not
    begin."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable, "-m", "pysitar", "batch", *names, "-o", f"{folder}/out", "--oversample",
            "1", "--rate", "48000"
        ]
        done = subprocess.run([*command, "--jobs", str(jobs), "--quiet"], cwd=root,
                              capture_output=True, text=True)
        if not (manifest := Path(folder, "out", "manifest.jsonl")).is_file():
            sys.exit(done.stdout + done.stderr)
        return {
            row["score"]: row
            for row in map(json.loads,
                           manifest.read_text(encoding="utf-8").splitlines())
        }


def faults(row):
    """What is wrong with a sound, whatever the list says."""
    if row["error"]:
        return [row["error"]]
    peak, dc, residual = row["peak"], abs(row["dc"]), row["residual"]
    return [
        said for is_so, said in (
            (not peak >= SOFTEST,
             f"silent: its peak is {peak:.2g} of full scale; expected {SOFTEST} or more"),
            (row["clipped"], f"clipped: {row['clipped']} samples are over full scale"),
            (not dc <= LARGEST_DC * peak,
             f"DC: its mean is {dc:.2g}, its peak {peak:.2g}; expected {LARGEST_DC} of it (-60 "
             f"dB) or less"
             ),
            (not residual <= LARGEST_RESIDUAL,
             f"its energy residual is {residual:.2g}; expected {LARGEST_RESIDUAL} or less"),
            (row["failed_solves"], f"{row['failed_solves']} solves did not converge"),
        ) if is_so
    ]


def differences(rows, known):
    """A line for each sound that the list does not have so."""
    for name in sorted(rows.keys() | known.keys()):
        if name not in rows or name not in known:
            yield f"{name}: " + (f"in {LIST}, and no score any more"
                                 if name in known else f"not in {LIST}")
        elif rows[name]["samples"] != (before := known[name])["samples"]:
            yield f"{name}: another sound, {rows[name]['samples'][:12]}; listed {before['samples'][:12]}"


def renewed(rows, known, names):
    """The list's text with these rows, and as it was for the other scores."""
    made = {name: row for name, row in known.items() if name in names}
    made |= {name: {"score": name, "samples": row["samples"]} for name, row in rows.items()}
    return "".join(
        ",".join(line) + "\n"
        for line in [COLUMNS, *([made[name][key] for key in COLUMNS] for name in sorted(made))])


def unannounced(root):
    """What is missing where hashes are others than in the list before this one: a line of
    CHANGELOG.md for each, and a new version."""
    def git(*arguments):
        return subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True).stdout

    now = {
        name: row["samples"]
        for name, row in listed((root / LIST).read_text(encoding="utf-8")).items()
    }
    new = version((root / PROJECT).read_text(encoding="utf-8"))
    began = git("log", "-n1", "--format=%H", f'-Sversion = "{new}"', "--", PROJECT).strip()
    first = {
        name: row["samples"]
        for name, row in listed(git("show", f"{began}:{LIST}") if began else "").items()
    }
    for commit in git("log", "-n2", "--format=%H", "--", LIST).split():
        before = {
            name: row["samples"]
            for name, row in listed(git("show", f"{commit}:{LIST}")).items()
        }
        if before != now:
            old = version(git("show", f"{commit}:{PROJECT}"))
            said = "\n".join(
                re.findall(r"^\+(?!\+\+ ).*", git("diff", "-U0", commit, "--", "CHANGELOG.md"),
                           re.MULTILINE))
            changed = [
                name for name in sorted(now.keys() & before.keys())
                if now[name] not in {before[name], first.get(name) if old == new else None}
            ]
            words = {name: rf"\bevery score\b|\b{re.escape(Path(name).stem)}\b" for name in changed}
            missing = [
                f"{name}: its hash changed, and no line that CHANGELOG.md gained since names it"
                for name in changed if not re.search(words[name], said, re.IGNORECASE)
            ]
            if changed and old == new:
                missing.append(
                    f"{PROJECT}: the version is {new}, as before {len(changed)} hashes changed; "
                    f"expected a new one, since a "
                    "batch and its workers go by it")
            return missing
    return []


def version(text):
    """The version in the text of pyproject.toml."""
    return re.search(r'^version = "(.+)"$', text, re.MULTILINE)[1]


def main(arguments=None, root=ROOT):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scores", nargs="*", metavar="SCORE", help="with --renew: these alone")
    parser.add_argument("--renew", action="store_true", help="write the list")
    parser.add_argument("--jobs", type=int, default=1,
                        help="scores rendered at the same time (default: 1)")
    asked, names, file = parser.parse_args(arguments), scores(root), root / LIST
    wanted = [os.path.relpath(name, root) for name in asked.scores] or names
    if set(wanted) - set(names) or (asked.scores and not asked.renew):
        parser.error(
            "SCORE: a file of scores/, and none of its folder batch, after --renew would be right")
    known = listed(file.read_text(encoding="utf-8")) if file.exists() else {}
    rows = rendered(root, wanted, asked.jobs)
    wrong = [f"{name}: {fault}" for name in wanted for fault in faults(rows[name])]
    if asked.renew and not wrong:
        file.write_text(renewed(rows, known, names), encoding="utf-8")
    elif not asked.renew and (moved := list(differences(rows, known))):
        wrong += [*moved, ADVICE]
    wrong = wrong or unannounced(root)
    print(
        "\n".join(wrong) or
        f"{len(rows)} scores as listed in {LIST}, "
        f"{sum(row['seconds'] for row in rows.values()):.0f} s of sound"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
