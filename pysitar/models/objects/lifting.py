"""The end of a ball on an object: a hand stops it if it rolls, and lifts it off."""
from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pysitar.kernels.core import elementary
from pysitar.models.objects.seats import Ball
from pysitar.physics.checks import FloatArray, array_of

# s of a roll, at most a quarter of it, in which a hand ends it: two thirds to stop the ball, and a
# third to take its weight and to pull as much upwards, as it does with a ball at rest
ENDING = 0.06
LONGEST = 0.1                   # s after which the ball is removed in any case
LOOK = 16                       # steps between two looks whether it is off
AT_REST = 1e-6                  # of the static compression


def plan_end(ball: Ball, now: int, steps: int | None, sample_rate: float) -> None:
    """Plan the end of a ball that rolls for some steps, in the last of them; None: it ends once it
    is at rest."""
    ball.rest = 0.0
    if steps is None:
        ball.lift_steps = max(1, round(ENDING * sample_rate / 3.0))
        return
    ball.lift_steps = max(1, round(min(ENDING * sample_rate, 0.25 * steps) / 3.0))
    ball.stop = now + max(1, steps - 3 * ball.lift_steps)


def end_ball(ball: Ball, compression: float, now: int, sample_rate: float) -> bool:
    """Let a hand stop a ball whose time is over, then lift it; return whether it is off, or at
    rest. A ball that hops once it is stopped is caught in the air.

    Parameters: compression, of its contact (m)."""
    if ball.ending == "" and now >= ball.stop:
        assert ball.track is not None
        ball.ending, ball.stop = "brake", now + 2 * ball.lift_steps
        ball.track.brake(now, 2 * ball.lift_steps)
        return False
    if ball.ending in {"", "brake"} and compression > 0.0:
        rests = abs(compression - ball.rest) < AT_REST * ball.rest
        ball.ending, ball.lift_start = "rest" if rests else "lift", now
        ball.stop = now + (ball.lift_steps if rests else LOOK)
        return False
    if (ball.ending == "rest" or compression <= 0.0
            or now >= ball.lift_start + LONGEST * sample_rate):
        return True
    ball.stop = now + LOOK
    return False


def weight_inputs(balls: Sequence[Ball], modes: int) -> FloatArray:
    """Return the weights (inputs, modes), N: of all balls that lie or fly, then of each that is
    lifted."""
    lying = [ball for ball in balls if ball.weight > 0.0 and ball.ending != "lift"]
    lifted = lifted_balls(balls)
    weights = np.zeros((bool(lying) + len(lifted), modes))
    for ball in lying:
        weights[0, ball.seat.flight] = ball.weight
    for j, ball in enumerate(lifted, start=len(weights) - len(lifted)):
        weights[j, ball.seat.flight] = ball.weight
    return weights


def weight_parts(balls: Sequence[Ball], now: int, steps: int, inputs: int) -> FloatArray:
    """Return the parts (steps, inputs) of these weights that act: 1, then 1 to -1 where a hand
    lifts."""
    parts = np.ones((steps, inputs))
    lifted = lifted_balls(balls)
    for j, ball in enumerate(lifted, start=inputs - len(lifted)):
        parts[:, j] = array_of([
            elementary.cos(math.pi * min((now - ball.lift_start + n + 0.5) / ball.lift_steps, 1.0))
            for n in range(steps)])
    return parts


def lifted_balls(balls: Sequence[Ball]) -> list[Ball]:
    """Return the balls that a hand lifts."""
    return [ball for ball in balls if ball.ending == "lift"]
