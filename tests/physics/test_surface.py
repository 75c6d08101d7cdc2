"""Surfaces: the ball's envelope by closed forms and by brute force, rough ones by their spectrum,
heights between points, draws."""
import hashlib
import math

import numpy as np
import pytest

from pysitar import ParameterError, Surface, surface_envelope
from pysitar.physics import surface
from pysitar.physics.draws import uniforms


def brute(y, radius, *, periodic):
    """The envelope by its definition, spacing 1."""
    n = len(y)
    found = []
    for s in range(n):
        reach = int(min(radius, n))
        near = [(y[(s + q) % n] if periodic else y[s + q], q) for q in range(-reach, reach + 1)
                if periodic or 0 <= s + q < n]
        found.append(
            max(height - (radius - math.sqrt(radius * radius - q * q)) for height, q in near))
    return np.array(found)


def test_a_spike_is_a_ball_upside_down():
    # impact.md G16
    height, radius, spacing = 2e-5, 5e-3, 1e-6
    y = np.zeros(2001)
    y[1000] = height
    q = (np.arange(2001) - 1000) * spacing
    e = surface_envelope(y, spacing=spacing, radius=radius)
    assert e == pytest.approx(np.maximum(0.0, height + np.sqrt(radius**2 - q * q) - radius),
                              abs=1e-17)
    half = math.sqrt(2.0 * radius * height - height ** 2)
    assert half == pytest.approx(4.46766158e-4, rel=1e-9)
    assert np.flatnonzero(e > 0.0)[[0, -1]] == pytest.approx(
        [1000 - half / spacing, 1000 + half / spacing], abs=1.0)


def test_a_gap_carries_the_ball_on_its_edges():
    # G16: 1 mm wide; deeper than the ball sinks, so the depth does not matter
    for depth in (2.6e-5, 1e-3, 100.0):
        y = np.zeros(2001)
        y[501:1500] = -depth
        e = surface_envelope(y, spacing=1e-6, radius=5e-3)
        assert e[1000] == pytest.approx(-2.506281447e-5, abs=1e-14)          # the digits given
        assert e[1000] == pytest.approx(-(5e-3 - math.sqrt(5e-3 ** 2 - 5e-4 ** 2)), abs=1e-17)
        assert e[500] == e[1500] == 0.0
    # a shallow one is touched at its bottom
    y[501:1500] = -1e-5
    assert surface_envelope(y, spacing=1e-6, radius=5e-3)[1000] == -1e-5


def test_a_slope():
    # y = 3/4 s: the ball, of 5 spacings, touches 3 behind, so it is a quarter of its radius up
    s = np.arange(40) * 1e-3
    e = surface_envelope(0.75 * s, spacing=1e-3, radius=5e-3)
    assert e[:-3] == pytest.approx(0.75 * s[:-3] + 0.25 * 5e-3, abs=1e-16)
    # at the end there is nothing beyond; on a ring the other end is
    assert e[-1] == pytest.approx(0.75 * s[-1], abs=1e-16)
    assert surface_envelope(0.75 * s, spacing=1e-3, radius=5e-3,
                            periodic=True)[0] > 0.75 * s[-1] - 1e-3


@pytest.mark.parametrize("periodic", [False, True])
def test_against_its_definition(periodic):
    rng = np.random.default_rng(3)
    for trial in range(200):
        n, radius = int(rng.integers(1, 50)), 10.0 ** rng.uniform(-1.0, 2.0)
        y = rng.standard_normal(n) * 10.0 ** rng.integers(-3, 3)
        y = np.round(y) if trial % 3 == 0 else np.cumsum(y) if trial % 3 == 1 else y
        e = surface_envelope(y, spacing=1.0, radius=radius, periodic=periodic)
        assert e == pytest.approx(brute(y.tolist(), radius, periodic=periodic), abs=1e-14 *
                                  (np.abs(y).max() + radius))
        assert (e >= y).all()


def test_the_envelope_of_many_points_is_quick():
    # nearly all of 30,000 points within reach: by its definition, 5e8 square roots
    y = np.random.default_rng(1).standard_normal(30000)
    e = surface_envelope(y, spacing=1.0, radius=20000.0)
    assert e[int(y.argmax())] == y.max()
    for s in (0, 12345, 29999):
        q = np.clip(np.arange(30000) - s, -20000, 20000)
        reached = np.where(q == np.arange(30000) - s, y - (20000.0 - np.sqrt(4e8 - q * q)), -np.inf)
        assert e[s] == pytest.approx(reached.max(), abs=1e-11)


def test_a_bowl_rounder_than_the_ball_is_followed():
    # and the ball does not notice points: all are touched
    s = np.arange(-200, 201) * 1e-4
    y = 0.05 - np.sqrt(0.05 ** 2 - s * s)
    assert np.array_equal(surface_envelope(y, spacing=1e-4, radius=1e-6), y)
    inside = surface_envelope(y, spacing=1e-4, radius=0.01)[100:-100]
    # the centre is on a circle of 0.05 - 0.01 m; between points 1e-4 apart the ball sinks 1e-4^2 /
    # 8 (1/0.01 - 1/0.05) at most
    assert inside == pytest.approx(0.04 - np.sqrt(0.04**2 - s[100:-100]**2),
                                   abs=1.1 * 1e-8 / 8.0 * 80.0)


def spectrum(made):
    return 2.0 / made.heights.size * np.abs(np.fft.rfft(made.heights))


@pytest.mark.parametrize("beta", [0.0, 2.0, 3.0])
def test_rough_surface(beta):
    made = Surface.rough(rms=4e-7, shortest=2e-3, longest=5e-2, beta=beta, length=0.5, seed=7)
    assert made.heights.size == 4096 and made.length == 0.5
    assert np.sqrt(np.mean(made.heights ** 2)) == pytest.approx(4e-7, rel=1e-12)
    lines = spectrum(made)
    inside = np.arange(10, 251)          # waves in the length: 0.5 / 0.05 to 0.5 / 0.002
    assert lines[inside] == pytest.approx(lines[10] * (inside / 10.0) ** (-beta / 2.0), rel=1e-9)
    lines[inside] = 0.0
    assert lines.max() <= 1e-20
    assert np.abs(made.heights).max() < 5.0 * 4e-7


def test_rough_surface_is_drawn_from_seed_and_name():
    given = {"rms": 1e-6, "shortest": 5e-3, "longest": 5e-2, "length": 0.3}
    one = Surface.rough(**given, seed=1).heights
    assert np.array_equal(one, Surface.rough(**given, seed=1, name="surface").heights)
    others = [Surface.rough(**given, seed=2).heights,
              Surface.rough(**given, seed=1, name="floor").heights]
    for other in others:
        assert abs(np.corrcoef(one, other)[0, 1]) < 0.6
        assert not np.array_equal(one, other)
    # the phases themselves: 6 to 60 waves
    phases = np.angle(np.fft.rfft(one))[6:61] % (2.0 * math.pi)
    assert phases / (2.0 * math.pi) == pytest.approx(uniforms(seed=1, name="surface", count=55),
                                                     abs=1e-9)


def test_the_transform():
    rng = np.random.default_rng(0)
    for size in (2, 4, 64, 1024):
        re, im = rng.standard_normal((2, size))
        assert surface._waves(re, im) == pytest.approx((np.fft.ifft(re + 1j * im) * size).real,
                                                       abs=1e-15 * size * math.log2(size))
    assert surface._waves(np.array([3.0]), np.array([1.0])) == [3.0]


def test_heights_between_points():
    n = 64
    errors = []
    for factor in (1, 2):
        points = n * factor
        made = Surface(heights=np.sin(2.0 * np.pi * np.arange(points) / points),
                       spacing=1.0 / points)
        x = np.linspace(-3.0, 3.0, 1999)
        errors.append(np.abs(made.at(x) - np.sin(2.0 * np.pi * x)).max())
    # the slopes are chords: errors of h^3 at least
    assert errors[0] < 2.0 * (2.0 * math.pi / n) ** 3 and errors[0] / errors[1] > 7.5
    # at the points, and again after the length
    assert made.at(np.arange(128) / 128) == pytest.approx(made.heights, abs=1e-14)
    assert made.at(np.array([-1e-30, 0.0, 1.0, 5.0])) == pytest.approx(np.zeros(4), abs=1e-14)
    # straight lines and parabolas are met exactly where four points are on them
    bent = Surface(heights=[0.0, 1.0, 4.0, 9.0, 16.0, 25.0], spacing=1.0)
    assert bent.at(np.array([1.25, 2.5, 3.9])) == pytest.approx(
        [1.25**2, 2.5**2, 3.9**2], rel=1e-14)
    x = np.linspace(-2.0, 8.0, 77)
    assert bent.at(x) == pytest.approx(bent.at(x + 12.0), abs=1e-12)
    assert np.ptp(bent.at(x)) > 20.0
    assert Surface(heights=[3.0], spacing=0.1).at(np.array([0.0, 0.07,
                                                            12.3])) == pytest.approx([3.0] * 3)


def test_followed_is_the_ring_s_envelope():
    made = Surface.rough(rms=1e-4, shortest=5e-3, longest=5e-2, length=0.3, seed=4)
    followed = made.followed(0.02)
    assert followed.spacing == made.spacing
    assert np.array_equal(followed.heights, surface_envelope(made.heights, spacing=made.spacing,
                                                             radius=0.02, periodic=True))
    # turning the ring turns it
    turned = Surface(heights=np.roll(made.heights, 100), spacing=made.spacing).followed(0.02)
    assert turned.heights == pytest.approx(np.roll(followed.heights, 100), abs=1e-18)
    assert followed.heights.mean() > made.heights.mean()


def test_draws():
    values = uniforms(seed=3, name="x", count=4001)
    # the definition: SHA-256 of seed, name and the number of four draws, 53 bits each
    digest = hashlib.sha256(b"3:x:1").digest()
    assert values[4:8] == [
        int.from_bytes(digest[i:i + 8], "big") // 2**11 / 2.0**53 for i in (0, 8, 16, 24)]
    assert values[:2] == [0.7042705302244942, 0.034920919638714576]
    for start, count in ((0, 0), (0, 1), (3, 5), (7, 1), (8, 4), (3999, 2)):
        assert uniforms(seed=3, name="x", start=start, count=count) == values[start:start + count]
    assert min(values) >= 0.0 and max(values) < 1.0
    # mean 1/2 and variance 1/12, to four standard errors
    assert np.mean(values) == pytest.approx(0.5, abs=4.0 / math.sqrt(12.0 * 4001))
    assert np.var(values) == pytest.approx(1.0 / 12.0, abs=4.0 / math.sqrt(180.0 * 4001))
    assert uniforms(seed=4, name="x", count=1) != uniforms(seed=3, name="x", count=1) != uniforms(
        seed=3, name="y", count=1)


def test_what_is_refused():
    good = {"rms": 1e-6, "shortest": 1e-3, "longest": 1e-2, "length": 0.1}
    for name, given in (
        ("rms", {"rms": 0.0}),
        ("shortest", {"shortest": 0.0}),
        ("longest", {"longest": 1e-4}),
        ("length", {"length": 5e-3}),
        ("length", {"shortest": 1e-8}),
        ("length", {"shortest": 9e-3, "longest": 9.1e-3, "length": 0.0155}),
        ("beta", {"beta": -1.0}),
        ("seed", {"seed": -1}),
        ("seed", {"seed": 1.5}),
        ("name", {"name": 3}),
        ("length", {"length": math.inf}),
    ):
        with pytest.raises(ParameterError, match=name):
            Surface.rough(**{**good, **given})
    for given in ({"heights": []}, {"heights": [math.nan]}, {"heights": "flat"}, {"spacing": 0.0},
                  {"spacing": 5e-324}):
        with pytest.raises(ParameterError, match=next(iter(given))):
            Surface(**{"heights": [0.0], "spacing": 1e-3, **given})
    for name, given in (("profile", {"profile": [[1.0]]}), ("spacing", {"spacing": -1.0}),
                        ("spacing", {"spacing": 1e-320}), ("radius", {"radius": 0.0}),
                        ("radius", {"radius": math.inf}), ("periodic", {"periodic": 2})):
        with pytest.raises(ParameterError, match=name):
            surface_envelope(**{"profile": [0.0, 1.0], "spacing": 1e-3, "radius": 1e-2, **given})
    with pytest.raises(ParameterError, match="radius"):
        Surface(heights=[0.0], spacing=1.0).followed(-1.0)
