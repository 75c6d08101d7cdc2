"""The contents of the folder of a batch."""
import json
from pathlib import Path

from pysitar.output import hidden


def rows(folder, stem="manifest"):
    return [json.loads(line) for line in Path(folder, f"{stem}.jsonl").read_text().splitlines()]


def timeless(folder):
    return [{name: value for name, value in row.items() if name != "seconds_per_second"}
            for row in rows(folder)]


def stamps(folder):
    return {path.name: path.stat().st_mtime_ns for path in Path(folder).glob("*.wav")}


def remains(folder):
    """What is there of hidden files."""
    return [path.name for path in Path(folder).iterdir() if path.name.startswith(".")]


def abandoned(folder, command):
    """A folder of unfinished files that a dead process of a command left."""
    owner = hidden._owner()._replace(command=command, start="1")
    path = Path(folder, f".pysitar-{'-'.join(owner)}-{'0' * 32}.part")
    (path / "1").mkdir(parents=True)
    (path / "1" / "half.wav").write_bytes(b"RIFF")
    return path
