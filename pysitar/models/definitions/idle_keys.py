"""Keys of an instrument file that have no effect beside the value of another key."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from typing import Any, NamedTuple

from pysitar.models.definitions.faults import KeyPath
from pysitar.models.definitions.picks import NONE, TIPS


class Switch(NamedTuple):
    """A key that decides whether others have an effect.

    Fields: path, of the key in its part; is_on, whether the others have one beside a value of it;
    keys, the others, of the same part; expected, beside what they have one.
    """

    path: KeyPath
    is_on: Callable[[Any], bool]
    keys: tuple[KeyPath, ...]
    expected: str


class IdleKey(NamedTuple):
    """A key without effect.

    Fields: path, without the table of the parts; message; switch, the path of the key that decides
    it; is_kept, whether the instrument has that key with its default value: the other ones then
    wait for a change of it.
    """

    path: KeyPath
    message: str
    switch: KeyPath
    is_kept: bool


def _switch(path: str, is_on: Callable[[Any], bool], keys: str, expected: str) -> Switch:
    """Return a switch; keys, the paths of the others with blanks between them."""
    return Switch(tuple(path.split(".")), is_on,
                  tuple(tuple(one.split(".")) for one in keys.split()), expected)


def _is_positive(value: float) -> bool:
    return value > 0.0


_MEMORY = "memory above 0"
_ROSIN = (
    _switch("bow.mu1", _is_positive, "bow.v1", "mu1 above 0"),
    _switch("bow.mu2", _is_positive, "bow.v2", "mu2 above 0"),
)
# by the table of the parts; keys that a part does not have are passed over
SWITCHES: Mapping[str, tuple[Switch, ...]] = {
    "strings": (
        _switch("polarisation", lambda value: value == 2,
                "detuning axis_angle nut_coupling barrier.friction barrier.tilt frets.friction "
                "fretboard.friction pluck.angle", "polarisation = 2"),
        _switch("statics", bool, "theta", "statics = true"),
        _switch("pick.contact", lambda value: value != NONE,
                "pick.mass pick.stiffness pick.exponent pick.damping pick.edge",
                f"contact, one of {', '.join(TIPS)}"),
        _switch("pick.contact", lambda value: value == NONE, "pick.sharpening",
                f'contact = "{NONE}"'),
        _switch("pick.noise", _is_positive, "pick.noise_t60 pick.noise_from pick.noise_to",
                "noise above 0"),
        _switch("bow.torsion", _is_positive, "bow.torsion_q", "torsion above 0"),
        _switch("bow.hairs", lambda value: value > 1, "bow.width", "hairs above 1"),
        _switch("strike.memory", _is_positive, "strike.memory_time", _MEMORY),
        *_ROSIN,
    ),
    "objects": (_switch("depth", _is_positive, "cut", "depth above 0"), *_ROSIN),
    "balls": (_switch("memory", _is_positive, "memory_time", _MEMORY),),
}


def idle_keys(group: str, path: KeyPath, spec: Any, data: Mapping[str, Any]) -> Iterator[IdleKey]:
    """Yield the keys of a part that have no effect.

    Parameters: group, of SWITCHES; path, of the part; spec, its dataclass; data, its table, with
    the keys that the file or a change gives.
    """
    for switch in SWITCHES.get(group, ()):
        value = _value(spec, switch.path)
        if value is None or switch.is_on(value):
            continue
        is_kept = _has(data, switch.path) and value == _default(spec, switch.path)
        for key in switch.keys:
            # 0 where that is the default is no wish for an effect
            if _has(data, key) and (_value(spec, key) or _default(spec, key)):
                beside = ".".join(switch.path if key[:-1] != switch.path[:-1] else switch.path[-1:])
                yield IdleKey((*path, *key), (
                    f"{key[-1]} has no effect while {beside} is {_text(value)}; expected "
                    f"{switch.expected}, or no {key[-1]}"), (*path, *switch.path), is_kept)


def idle_spread(parts: int, data: Mapping[str, Any]) -> Iterator[IdleKey]:
    """Yield the key `spread` of an instrument with a number of parts, if it has only one."""
    if parts == 1 and data.get("spread"):
        yield IdleKey(("spread",), "spread has no effect on an instrument with one part; expected "
                                   "several parts, or no spread", ("spread",), is_kept=False)


def _value(spec: Any, path: KeyPath) -> Any:
    """Return the value at a path of a dataclass; None: it has no such table or key."""
    for name in path:
        spec = getattr(spec, name, None)
    return spec


def _default(spec: Any, path: KeyPath) -> Any:
    """Return the default value of the key at a path of a dataclass."""
    return next(one.default for one in fields(_value(spec, path[:-1])) if one.name == path[-1])


def _has(data: Any, path: KeyPath) -> bool:
    """Return whether a table has a key."""
    for name in path:
        if not isinstance(data, Mapping) or name not in data:
            return False
        data = data[name]
    return True


def _text(value: object) -> str:
    """Return a value as the file has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)
