"""A folder as `pysitar batch` makes it, written at once: sounds, sidecars, a manifest."""

import json

import numpy as np

from pysitar.app.analysis.measures import measure_file
from pysitar.output.audio import write_audio

RATE, FRAMES = 8000, 400


def sound(path, *, level=0.5, hz=500.0, subtype="PCM_24"):
    write_audio(path, level * np.sin(2.0 * np.pi * hz * np.arange(FRAMES) / RATE), RATE,
                subtype=subtype)


def batch_folder(folder, count=2):
    """Make the folder; its rows and sidecars, as they are written by `put`."""
    folder.mkdir()
    rows, sidecars = [], []
    for number in range(1, count + 1):
        name = f"a-{number:05d}"
        sound(folder / f"{name}.wav", level=0.5 / number)
        found = measure_file(folder / f"{name}.wav")
        made = {**found.as_dict(), "flags": ["short"], "key": f"{number:064x}"}
        identity = {
            "name": name,
            "score": "a.score",
            "item": number,
            "parameters": {"t.a.pluck.force": 1.0 * number},
        }
        whole = {
            "frames": FRAMES,
            "seconds": FRAMES / RATE,
            "peak": found.peak,
            "clipped": 0,
            "residual": 1e-15,
            "iterations": 3,
            "failed_solves": 0,
            "tail_cut": False,
        }
        options = {
            "rate": RATE,
            "oversample": 1,
            "channels": 1,
            "seed": 0,
            "tail": 0.0,
            "floor": -80.0,
            "peak": None,
            "format": "wav",
            "subtype": "PCM_24",
            "from": 0.0,
            "to": None,
            "only": [],
            "mute": [],
        }
        rows.append(
            {
                **identity,
                "file": f"{name}.wav",
                "seed": 0,
                "rate": RATE,
                "channels": 1,
                "seconds_per_second": 9.0,
                "error": None,
                **made,
                **whole,
            }
        )
        sidecars.append(
            {
                "pysitar": "0.1.0",
                "file": f"{name}.wav",
                "options": options,
                "files": {"a.score": "0" * 64},
                **whole,
                "events": [],
                "batch": {**identity, **made, "bytes": (folder / f"{name}.wav").stat().st_size},
                "timing": {"seconds_per_second": 9.0},
            }
        )
    put(folder, rows, sidecars)
    return rows, sidecars


def put(folder, rows, sidecars=()):
    """Write rows and sidecars, as they are: json writes 1e999 as Infinity, which is put right."""
    (folder / "manifest.jsonl").write_text("".join(written(row) + "\n" for row in rows))
    for row, document in zip(rows, sidecars, strict=False):
        (folder / f"{row['name']}.wav.json").write_text(written(document))


def written(document):
    return json.dumps(document).replace("Infinity", "1e999")
