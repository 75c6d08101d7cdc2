"""The oldest versions that pyproject.toml allows, as constraints of pip: oldest.py [EXTRA ...]

Prints one line for each dependency of the package and of these extras, name==version; its words
after a #, if any, are what cannot be pinned, since it has no lower bound. """
import re
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"
REQUIREMENT = re.compile(r"([\w.-]+)(?:\[[\w,-]+\])?\s*(?:>=\s*([\w.]+))?")


def oldest(text, extras=()):
    """Return the constraints of a pyproject.toml and some of its extras.  Errors: KeyError."""
    project = tomllib.loads(text)["project"]
    wanted = list(project["dependencies"])
    for extra in extras:
        wanted += project["optional-dependencies"][extra]
    found = {}
    for requirement in wanted:
        name, floor = REQUIREMENT.match(requirement).groups()
        if floor and found.get(name, floor) != floor:
            raise ValueError(f"{name} has two floors, {found[name]} and {floor}; expected one")
        found[name] = floor or found.get(name)
    return [f"{name}=={floor}" if floor else f"{name}  # has no lower bound"
            for name, floor in sorted(found.items())]


if __name__ == "__main__":
    print("\n".join(oldest(PROJECT.read_text(encoding="utf-8"), sys.argv[1:])))
