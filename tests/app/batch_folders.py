"""What a folder of a batch holds."""
import json
from pathlib import Path


def rows(folder, stem="manifest"):
    return [json.loads(line) for line in Path(folder, f"{stem}.jsonl").read_text().splitlines()]


def timeless(folder):
    return [{name: value for name, value in row.items() if name != "seconds_per_second"} for row in rows(folder)]


def stamps(folder):
    return {path.name: path.stat().st_mtime_ns for path in Path(folder).glob("*.wav")}


def remains(folder):
    """What is there of hidden files."""
    return [path.name for path in Path(folder).iterdir() if path.name.startswith(".")]
