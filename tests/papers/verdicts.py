"""Verdicts are functions of a figure's numbers: a change of a number that a criterion names changes
the verdict."""
import copy
import functools
import json
import operator
import re

CRITERION = re.compile(r"((agrees|paper is wrong|beyond the paper) if .+|cannot be compared): .+")


def verdicts(finding):
    return [one.verdict for one in finding.statements]


def check_flips(figure, finding, flips):
    """Check that each verdict of a figure can change, and that its numbers, as in the JSON, give
    the statements.

    Parameters: flips, of (index of a statement, verdict after the change, {path among the numbers:
    value, or function of the value}), one or more for each statement that a number decides.
    """
    assert figure.judge(json.loads(json.dumps(finding.numbers))) == finding.statements
    assert all(CRITERION.fullmatch(one.criterion) for one in finding.statements)
    fixed = {index for index, one in enumerate(finding.statements)
             if one.criterion.startswith("cannot be compared: ")}
    named = {index for index, _, _ in flips}
    assert named | fixed == set(range(len(finding.statements))) and not named & fixed
    for index, verdict, changes in flips:
        numbers = copy.deepcopy(finding.numbers)
        for path, value in changes.items():
            *outer, last = path
            place = functools.reduce(operator.getitem, outer, numbers)
            place[last] = value(place[last]) if callable(value) else value
        before = finding.statements[index]
        after = figure.judge(numbers)[index]
        assert before.verdict != after.verdict == verdict, (figure.key, index, changes)
        assert before.criterion == after.criterion
