"""The statement `repeat`: the lines up to its `end`, read again and again with a counter."""
from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from pysitar.errors import ScoreError, quoted
from pysitar.score.expressions import Amount, UnknownValueError, substitute
from pysitar.score.global_statements import check_name, whole_number
from pysitar.score.parse_state import FileState
from pysitar.score.tokens import Line, score_error

MAX_LINES = 1_000_000           # of all repeats of a score
MAX_DEPTH = 16
OPENING = frozenset(("repeat", "section"))
# statements that may not be repeated
OUTSIDE = frozenset(("use", "render", "tuning", "tala", "set", "mix", "sweep", "draw", "include",
                     "section", "swing", "accent", "humanise"))
COUNT = re.compile(r"[0-9]{1,20}")
FORM = "repeat 8 as i"


@dataclass(slots=True, eq=False)
class Block:
    """The lines of a repeat, or of a section in one: the first, those after it, and whether its
    `end` was found; blocks in it are items of `body`."""

    line: Line
    body: list[Line | Block] = field(default_factory=list)
    closed: bool = False


def read_repeat(state: FileState, line: Line) -> None:
    """`repeat N as NAME` ... `end`."""
    block, depth = _collect_block(line, state.following_lines)
    if not block.closed:
        state.draft.possible_names.update(_section_names(block))
        state.current.incomplete = True
        raise score_error(line.place, "this repeat has no end; expected end on a line of its own")
    if depth > MAX_DEPTH:
        state.current.incomplete = True
        raise score_error(line.place,
                          f"repeats nest deeper than {MAX_DEPTH} levels; expected fewer")
    _run_block(state, block)


def _collect_block(line: Line, following: Iterator[Line]) -> tuple[Block, int]:
    """Return the block that a line opens, and how deep blocks nest in it."""
    root = Block(line)
    open_blocks = [root]
    deepest = 1
    for inner in following:
        word = inner.words[0].text
        if word in OPENING:
            block = Block(inner)
            open_blocks[-1].body.append(block)
            open_blocks.append(block)
            deepest = max(deepest, len(open_blocks))
        elif word == "end":
            if len(inner.words) > 1:          # reported with the lines of the block
                open_blocks[-1].body.append(inner)
            open_blocks.pop().closed = True
            if not open_blocks:
                break
        else:
            open_blocks[-1].body.append(inner)
    return root, deepest


def _run_block(state: FileState, block: Block) -> None:
    """Read the lines of a repeat as often as it says; stop after the first time with an error."""
    draft, outer = state.draft, state.names
    before = len(draft.problems)
    count, name = 1, ""
    try:
        count, name = _parse_header(state, block.line)
    except UnknownValueError:
        state.current.incomplete = True
    except ScoreError as error:          # its lines are read once
        draft.problems.extend(error.problems)
        name = _written_name(block.line)
        state.current.incomplete = True
    for index in range(count):
        state.names = outer.new_child({name: Amount(float(index))} if name else None)
        for item in block.body:
            state.repeated_lines += 1
            if isinstance(item, Line):
                _read_item(state, item)
            elif item.line.words[0].text == "section":
                _refuse(state, item.line)
                draft.possible_names.update(_section_names(item))
            else:
                _run_block(state, item)
        state.repeated_lines += 1
        if state.repeated_lines > MAX_LINES and len(draft.problems) == before:
            draft.report(block.line.place,
                         f"the repeats of this score have over {MAX_LINES} lines; expected fewer")
        if len(draft.problems) > before:
            break
    state.names = outer
    if len(draft.problems) > before:
        state.current.incomplete = True


def _read_item(state: FileState, line: Line) -> None:
    """Read one line of a repeat."""
    word = line.words[0].text
    if word in OUTSIDE:
        _refuse(state, line)
    elif word == "end":
        state.draft.report(line.words[1].place,
                           f"{quoted(line.words[1].text)} follows end; expected end alone on its "
                           "line")
    else:
        state.read_line(state, line)


def _refuse(state: FileState, line: Line) -> None:
    word = line.words[0].text
    state.draft.report(line.place, f"{word} is inside a repeat; expected it outside")


def _parse_header(state: FileState, line: Line) -> tuple[int, str]:
    """Return the count and the name of the counter ("": none)."""
    words = tuple(substitute(word, state.names) for word in line.words)
    if len(words) < 2:
        raise score_error(line.end, f"the count is missing; expected {FORM}")
    if not COUNT.fullmatch(words[1].text):
        raise score_error(words[1].place, f"{quoted(words[1].text)} is not a count; expected a "
                                          f"whole number from 1 to {MAX_LINES}: {FORM}")
    count = whole_number(float(words[1].text), words[1].place, MAX_LINES)
    if len(words) == 2:
        return count, ""
    if words[2].text != "as":
        raise score_error(words[2].place, f"{quoted(words[2].text)} is in the place of 'as'; "
                                          f"expected {FORM}")
    if len(words) == 3:
        raise score_error(line.end, f"the name is missing; expected {FORM}")
    name = check_name(words[3], "counter")
    if name in state.names:
        raise score_error(words[3].place,
                          f"{quoted(name)} is already a value here; expected another name")
    if len(words) > 4:
        raise score_error(words[4].place, f"{quoted(words[4].text)} follows the name; expected "
                                          f"{FORM}")
    return count, name


def _written_name(line: Line) -> str:
    """Return the name of the counter of a repeat with an error; "" where there is none."""
    words = line.words
    return words[3].text if len(words) > 3 and words[2].text == "as" else ""


def _section_names(block: Block) -> set[str]:
    """Return the possible names of the sections in a block, and of the block itself."""
    names: set[str] = set()
    waiting = [block]
    while waiting:
        one = waiting.pop()
        names.update(word.text for word in one.line.words[1:])
        waiting += [item for item in one.body if isinstance(item, Block)]
    return names
