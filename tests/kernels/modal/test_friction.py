"""Friction rows of a two-point network: golden numbers, heat, balance, symmetry, limits."""
import numpy as np
import pytest
from twins.friction import ROSIN, FrictionTwin, Rub, bristle, solve, violin_string
from twins.two_point import Contact, Linear

from pysitar.kernels.contact.collision import collision_solution
from pysitar.kernels.modal.three_point import ThreePoint
from pysitar.kernels.modal.two_point import NORMAL_FORCE, OFFSET, SPEED, STIFFNESS, TwoPoint
from pysitar.physics.contact import FRICTION, LINEAR, LawValues, law_array

CONSTANT = (1.0, 0.0, 1.0, 0.0, 1.0)    # a coefficient of friction of 1


def law(row):
    """The law of a twin's row."""
    if isinstance(row, Rub):
        return LawValues(kind=FRICTION, stiffness=row.stiffness, damping=row.damping)
    if isinstance(row, Linear):
        return LawValues(kind=LINEAR, stiffness=row.stiffness, damping=row.resistance)
    return LawValues(stiffness=row.stiffness, damping=row.damping, adhesive=row.adhesive)


def network(omega, alpha, mass, shapes, rows, dt, offset=None, passes=1):
    """A kernel with rows of the twin."""
    shapes = np.atleast_2d(np.array(shapes, dtype=float))
    kernel = TwoPoint(angular_frequencies=np.array(omega, dtype=float),
                      decay_rates=np.array(alpha, dtype=float),
                      masses=np.array(mass, dtype=float), time_step=dt, shapes=shapes,
                      laws=law_array([law(row) for row in rows]),
                      offsets=np.zeros(len(rows)) if offset is None else np.array(offset))
    rubs = [k for k, row in enumerate(rows) if isinstance(row, Rub)]
    kernel.set_friction(np.array(rubs, dtype=np.int32),
                        np.array([rows[k].curve for k in rubs]).reshape(len(rubs), 5),
                        np.array([-1 if rows[k].link is None else rows[k].link for k in rubs],
                                 dtype=np.int32), passes)
    return kernel


def bow(kernel, row=0, speed=0.0, normal=0.0):
    kernel.set_row(row, SPEED, speed)
    kernel.set_row(row, NORMAL_FORCE, normal)


def step(kernel, n=1):
    out = np.empty((n, kernel.outputs().size))
    kernel.advance(n, out)
    return out


def energy(kernel):
    return float(kernel.energy()[:3].sum())


def assert_balance(kernel):
    """Energy and losses are the work of the bow: rounding of some 1e3 steps."""
    row = kernel.energy()
    assert row[:3].sum() + row[3] == pytest.approx(row[4], rel=1e-11)
    assert row[4] > 0.0


def violin(dt, places=(0.11,), stiffness=3e5, curve=ROSIN, passes=4):
    """A bowed G string with torsion; bowed at fractions of its length."""
    b, omega, alpha, mass, count = violin_string()
    shapes = [np.sin(b * (x * 0.325)) for x in places]
    rows = [bristle(stiffness, dt, curve=curve) for _ in places]
    kernel = network(omega, alpha, mass, shapes, rows, dt, passes=passes)
    kernel.set_outputs(np.where(np.arange(b.size) < count, 45.0 * b + 4e-5 * b**3, 0.0)[None])
    return kernel


def test_unit_problem():
    # F0: enumerated states, 3e-17
    w = np.array([[2.0, 1.0, 0.5], [1.0, 2.0, 1.0], [0.5, 1.0, 2.0]])
    rows = [Contact(stiffness=3.0), Rub(stiffness=2.0, damping=1.0),
            Rub(stiffness=4.0, damping=0.5)]
    free = np.array([0.3, 0.2, -0.1])
    for bounds, force, motion in (
            ((0.04, 0.5), (0.1934959349593, 0.04, -0.1119783197832),
             (-0.0710027100271, 0.0384823848238, -0.0127913279133)),
            ((0.04, 0.03), (0.178125, 0.04, -0.03), (-0.08125, -0.028125, -0.1690625))):
        s, f, iterations = collision_solution(w, -free, np.array([0.1, 0.05, -0.02]),
                                              law_array([law(row) for row in rows]),
                                              bounds=np.array([0.0, *bounds]))
        assert iterations >= 0
        assert f == pytest.approx(force, abs=1e-13)     # 13 decimals are printed
        assert -s == pytest.approx(motion, abs=1e-13)


def test_random_problems():
    # stiff problems, up to 4e6 of stiffness times mobility: all are solved
    rng = np.random.default_rng(5)
    for _ in range(600):
        count = int(rng.integers(2, 40))
        shape = rng.normal(size=(count, int(rng.integers(1, 2 * count))))
        w = shape @ shape.T
        size = 10.0 ** rng.uniform(-2, 5)
        kinds = rng.integers(0, 3, count)
        rows = [(Contact(stiffness=size * 10.0 ** rng.uniform(-2, 2), damping=rng.uniform(0, 1)),
                 Linear(stiffness=size, resistance=rng.uniform(0, size)),
                 Rub(stiffness=size, damping=size / 2))[kind] for kind in kinds]
        free, before = rng.normal(size=count), 0.1 * rng.normal(size=count)
        bounds = np.where(rng.random(count) < 0.3, 0.0, 10.0 ** rng.uniform(-3, 1, count))
        s, f, iterations = collision_solution(w, -free, before,
                                              law_array([law(row) for row in rows]), bounds=bounds)
        assert iterations >= 0
        rubs = kinds == 2
        # the solver's residual is at most 1e-9 of the force of the motion, size (N/m) times s (m)
        rounding = 1e-9 * size * np.abs(s).max()
        assert (np.abs(f) <= bounds + rounding)[rubs].all()
        spring = np.clip(size * before - size * s, -bounds, bounds)
        assert f[rubs] == pytest.approx(spring[rubs], abs=rounding)


@pytest.mark.parametrize(("stiffness", "damping", "y", "force", "stored", "heat"), [
    (1e5, None, (2.290448574308e-4, 4.782672909977e-4, 2.692417946579e-5), -1.1243691112e-1,
     7.065805157427e-4, 1.910079046719e-3),
    (1e5, 0.0, (2.284263461974e-4, 4.792240398644e-4, 2.604507809938e-5), -1.4890615517e-1,
     7.069085622134e-4, 1.910001098430e-3),
    (1e5, 0.5, (2.286999039105e-4, 4.788362670094e-4, 2.642734099239e-5), -1.3144771905e-1,
     7.066014144924e-4, 1.910041569964e-3)])
def test_oscillator(stiffness, damping, y, force, stored, heat):
    # F1: 12 digits printed, 10 of the force
    dt = 1.0 / 44100.0
    rub = (bristle(stiffness, dt, curve=CONSTANT) if damping is None
           else Rub(stiffness=stiffness, damping=damping))
    kernel = network([200 * np.pi], [2.0], [0.01], [[1.0]], [rub], dt)
    kernel.set_state(np.array([1e-3]), np.zeros(1))
    bow(kernel, normal=0.4)
    found, energies = [], {}
    for n in range(1200):
        found.append(kernel.displacement()[0])
        energies[n] = energy(kernel)
        step(kernel)
        if n == 1198:
            assert kernel.force()[0] == pytest.approx(force, rel=1e-9)
    assert [found[n] for n in (100, 400, 1199)] == pytest.approx(y, rel=1e-11)
    assert energies[400] == pytest.approx(stored, rel=1e-12)
    assert kernel.friction_heat == pytest.approx(heat, rel=1e-12)


def test_coulomb_friction_is_the_limit_of_a_stiff_bristle():
    # F1 of exact Coulomb friction: the twin has it in closed form; a bristle of stiffness K is
    # off by b / K of displacement, so ten times the stiffness is a tenth of the error
    dt = 1.0 / 44100.0
    coulomb = (2.343181063987e-4, 4.668056697428e-4, 3.702530096390e-5)
    twin = FrictionTwin(omega=[200 * np.pi], alpha=[2.0], mass=[0.01], shapes=[[1.0]],
                        laws=[Rub(stiffness=np.inf)], offset=[0.0], dt=dt, y=[1e-3])
    exact = []
    for _ in range(1200):
        exact.append(twin.y[0])
        twin.step(normal=0.4)
    assert [exact[n] for n in (100, 400, 1199)] == pytest.approx(coulomb, rel=1e-11)
    assert twin.heat == pytest.approx(1.909340470867e-3, rel=1e-12)
    errors = []
    for stiffness in (1e8, 1e9, 1e10):
        kernel = network([200 * np.pi], [2.0], [0.01], [[1.0]],
                         [bristle(stiffness, dt, curve=CONSTANT)], dt)
        kernel.set_state(np.array([1e-3]), np.zeros(1))
        bow(kernel, normal=0.4)
        kernel.set_outputs(np.array([[1.0]]))
        errors.append(np.abs(step(kernel, 1200)[:, 0] - exact).max())
    assert errors[0] / errors[1] == pytest.approx(10.0, rel=0.3)
    assert errors[1] / errors[2] == pytest.approx(10.0, rel=0.3)


@pytest.mark.parametrize(("tilt", "passes", "y", "stored", "heat", "at", "forces"), [
    (0.0, 2, (-4.86960952666e-4, 3.11095811867e-4, -3.63674155758e-4, 4.44788995310e-5),
     1.265923094528e-3, 3.79248567963e-4, 72, (33.2305432335, 0.772325799518)),
    (0.0, 1, (-4.86960952666e-4, 3.11095811867e-4, -3.60367232641e-4, 5.16107635813e-5),
     1.271727525947e-3, 3.73337145241e-4, 72, (33.2305432335, 0.7433172676724)),
    (0.1, 2, (-4.22412083505e-4, 3.20754536636e-4, -2.94395498200e-4, 9.18236802017e-5),
     1.262241356724e-3, 3.81607741978e-4, 71, (32.8198131697, -1.37090955294))])
def test_two_directions_on_a_contact(tilt, passes, y, stored, heat, at, forces):
    # F2: 12 digits printed; the heat is that of both rows, the rest of the balance
    dt, place = 1.0 / 44100.0, np.array([0.3, 0.58])
    shapes = [np.concatenate([np.cos(tilt) * place, np.sin(tilt) * place]),
              np.concatenate([-np.sin(tilt) * place, np.cos(tilt) * place])]
    rows = [Contact(stiffness=1e6, damping=0.1),
            bristle(8e5, dt, curve=(0.3, 0.0, 1.0, 0.0, 1.0), link=0)]
    kernel = network(2 * np.pi * np.array([200.0, 410.0, 197.0, 405.0]), [2.0, 3.0, 2.5, 3.5],
                     [1e-3] * 4, shapes, rows, dt, offset=[-1e-5, 0.0], passes=passes)
    kernel.set_state(np.array([1e-3, -3e-4, 8e-4, 2e-4]), np.zeros(4))
    start = energy(kernel)
    modal = 0.0
    for n in range(400):
        if n == 300:
            assert kernel.displacement() == pytest.approx(y, abs=1e-15)
        if n == 399:
            assert energy(kernel) == pytest.approx(stored, rel=1e-11)
        before = kernel.displacement()
        step(kernel)
        s = kernel.displacement() - before
        _, loss, _ = kernel.coefficients
        modal += float(loss @ (s * s)) / (dt * dt / 2e-3)
        if n == at:
            assert kernel.force() == pytest.approx(forces, rel=1e-10)
        if passes == 2 and tilt == 0.0:     # the cone of the same step
            # up to the rounding of forces of 33 N, 4e-15
            assert abs(kernel.force()[1]) <= 0.3 * max(kernel.force()[0], 0.0) + 4e-15
    assert start - energy(kernel) - modal == pytest.approx(heat, rel=1e-10)
    assert 0.0 < kernel.friction_heat < heat


def test_bowed_string():
    # F4; the string sticks up to step 199, where one pass and four are the same
    dt = 1.0 / 88200.0
    kernel = violin(dt)
    assert kernel.mobility[0, 0] == pytest.approx(7.299170370305e-6, rel=1e-12)
    bow(kernel, speed=0.1, normal=0.6)
    force, end, stored = [], [], 0.0
    for n in range(800):
        stored = energy(kernel) if n == 199 else stored
        end.append(step(kernel)[0, 0])
        force.append(kernel.force()[0])
    assert [force[n] for n in (0, 10, 50, 100, 199)] == pytest.approx(
        [1.06634042148e-1, 6.70754760279e-2, 9.73723505315e-2, 1.63039745484e-1,
         2.92979987025e-1], rel=1e-11)
    assert [end[n] for n in (50, 100, 199)] == pytest.approx(
        [7.12410599062e-2, 1.44567332425e-1, 2.92330630744e-1], rel=1e-11)
    assert stored == pytest.approx(3.801062438058e-5, rel=1e-11)
    assert [force[400], force[799], end[400], end[799]] == pytest.approx(
        [0.60418629924, 0.60938293595, 0.56292838767, 0.55460213769], rel=1e-10)
    one = violin(dt, passes=1)
    bow(one, speed=0.1, normal=0.6)
    first = step(one, 799)[:, 0]
    assert np.array_equal(first[:200], end[:200])
    last = step(one)[0, 0]
    assert [one.force()[0], last] == pytest.approx([0.61618036741, 0.55094277512], rel=1e-10)


def test_rigid_bow_of_the_twin():
    # F4 of exact Coulomb friction, mu 0.8
    b, omega, alpha, mass, _ = violin_string()
    twin = FrictionTwin(omega=omega, alpha=alpha, mass=mass, shapes=[np.sin(b * (0.11 * 0.325))],
                        laws=[Rub(stiffness=np.inf, curve=(0.8, 0.0, 1.0, 0.0, 1.0))],
                        offset=[0.0], dt=1.0 / 88200.0, y=np.zeros(b.size))
    force = []
    for _ in range(400):
        twin.step(speed=0.1, normal=0.6)
        force.append(twin.f[0])
    assert [force[n] for n in (0, 10, 50, 100, 199)] == pytest.approx(
        [1.55330919893e-1, 2.01289946366e-1, 2.32581895847e-1, 2.98612388917e-1,
         1.60944972148e-1], rel=1e-11)


def test_solver_against_gauss_seidel():
    # two hairs, whose rows are solved together: both solve to round-off
    dt, places = 1.0 / 88200.0, (0.10, 0.12)
    kernel = violin(dt, places)
    b, omega, alpha, mass, _ = violin_string()
    twin = FrictionTwin(omega=omega, alpha=alpha, mass=mass,
                        shapes=[np.sin(b * (x * 0.325)) for x in places],
                        laws=[bristle(3e5, dt, curve=ROSIN)] * 2, offset=[0.0, 0.0], dt=dt,
                        y=np.zeros(b.size), passes=4)
    for row in (0, 1):
        bow(kernel, row, 0.3, 0.2)
    for n in range(100):
        step(kernel)
        twin.step(speed=0.3, normal=0.2)
        if n == 40:          # stuck; later both slip
            assert kernel.force() == pytest.approx(twin.f, rel=1e-9)
            assert kernel.friction_heat < 1e-6
    assert kernel.force() == pytest.approx(twin.f, rel=1e-9)
    assert kernel.friction_heat > 3e-5
    assert kernel.friction_heat == pytest.approx(twin.heat, rel=1e-9)


@pytest.mark.parametrize("ringing", [False, True])
def test_heat_of_any_bounds(ringing):
    # random speed and force in each step, the force 0 in 40 %: heat of at least 0, up to the
    # rounding of force times slip, 1 N * 1e-19 m; and the balance to 4e-15 of the greatest H
    rng = np.random.default_rng(3)
    dt = 1.0 / 88200.0
    b, omega, alpha, mass, _ = violin_string()
    rows = [Rub(stiffness=3e5, damping=0.0 if ringing else 1.5e5 * dt, curve=ROSIN)
            for _ in range(2)]
    kernel = network(omega, alpha, mass, [np.sin(b * x) for x in (0.03, 0.04)], rows, dt, passes=3)
    most, last, heat = 0.0, kernel.energy(), 0.0
    for _ in range(1500):
        for row in (0, 1):
            bow(kernel, row, rng.uniform(-1.0, 1.0),
                0.0 if rng.random() < 0.4 else rng.uniform(0.0, 1.0))
        step(kernel)
        now = kernel.energy()
        most = max(most, now[:3].sum())
        change = now - last
        assert kernel.friction_heat - heat >= -1e-19
        assert (np.abs(kernel.force()) <= kernel.memory()[:, 0]).all()
        assert abs(change[:3].sum() + change[3] - change[4]) <= 4e-15 * most + 4e-16 * now[5]
        last, heat = now, kernel.friction_heat
    assert heat > 0.0 and kernel.failed_at == -1


def test_reversal_is_exact():
    dt = 1.0 / 88200.0
    down, up = violin(dt, (0.10, 0.12)), violin(dt, (0.10, 0.12))
    for row in (0, 1):
        bow(down, row, 0.2, 0.3)
        bow(up, row, -0.2, 0.3)
    assert np.array_equal(step(down, 5000), -step(up, 5000))
    assert np.array_equal(down.force(), -up.force()) and np.any(down.force())
    assert_balance(down)


def test_no_bow_is_a_free_string():
    dt = 1.0 / 88200.0
    b, omega, alpha, mass, _ = violin_string()
    bowed = violin(dt)
    free = TwoPoint(angular_frequencies=omega, decay_rates=alpha, masses=mass, time_step=dt,
                    shapes=np.zeros((0, b.size)), laws=law_array([]), offsets=np.zeros(0))
    y = 1e-3 * np.sin(b * 0.1) / b
    for kernel in (bowed, free):
        kernel.set_state(y, np.zeros(b.size))
    step(bowed, 500), step(free, 500)
    assert np.array_equal(bowed.displacement(), free.displacement())
    bow(bowed, speed=0.3)               # a moving bow above the string
    step(bowed, 100), step(free, 100)
    assert np.array_equal(bowed.displacement(), free.displacement())
    assert bowed.friction_heat == 0.0 == bowed.friction_work


def test_lifted_bow_gives_up_its_bristle():
    dt = 1.0 / 88200.0
    kernel = violin(dt)
    bow(kernel, speed=0.1, normal=0.6)
    step(kernel, 150)                   # still sticking
    stored = 0.5 * 3e5 * kernel.compression()[0] ** 2
    heat = kernel.friction_heat
    kernel.set_row(0, NORMAL_FORCE, 0.0)
    step(kernel)
    # K z^2/2 + ... : with D = K, f = 0 and dz = -z the heat is (K/2) z^2 = g dz^2
    assert kernel.friction_heat - heat == pytest.approx(stored, rel=1e-12)
    assert kernel.compression()[0] == 0.0 == kernel.force()[0]
    assert_balance(kernel)


def test_moved_bow_does_no_work():
    dt = 1.0 / 88200.0
    kernel = violin(dt)
    bow(kernel, speed=0.1, normal=0.6)
    step(kernel, 150)
    z, work = kernel.compression()[0], kernel.energy()[4]
    b, *_ = violin_string()
    kernel.set_row_shape(0, np.sin(b * 0.05))
    assert kernel.compression()[0] == z and kernel.energy()[4] == work
    last = kernel.energy()
    step(kernel, 50)
    change = kernel.energy() - last
    assert change[:3].sum() + change[3] == pytest.approx(change[4], rel=1e-12)


def test_bow_that_leaves_and_returns():
    # a row without stiffness is absent; it returns without deflection
    dt = 1.0 / 88200.0
    kernel = violin(dt)
    bow(kernel, speed=0.1, normal=0.6)
    step(kernel, 150)
    kernel.set_row(0, NORMAL_FORCE, 0.0)
    step(kernel)
    kernel.set_row(0, STIFFNESS, 0.0)
    assert np.isnan(kernel.compression()[0])
    step(kernel, 10)
    kernel.set_row(0, STIFFNESS, 3e5)
    assert kernel.compression()[0] == 0.0
    kernel.set_row(0, NORMAL_FORCE, 0.6)
    step(kernel, 10)
    energies = kernel.energy()
    assert kernel.force()[0] != 0.0
    assert energies[:3].sum() + energies[3] == pytest.approx(energies[4], rel=1e-12)


def test_bowed_network_stays_awake():
    # stuck strings at rest under a bow that presses: no motion, but no sleep
    dt = 1.0 / 88200.0
    for normal in (0.6, 0.0):
        kernel = violin(dt)
        kernel.set_sleep(energy_ratio=1e-6, output_level=1e-3, output_ratio=0.0,
                         min_quiet_steps=64)
        kernel.set_row(0, NORMAL_FORCE, normal)
        kernel.wake()
        done = kernel.advance(640, np.empty((640, 1)), energies=np.empty((10, 6)), every=64,
                              may_sleep=True)
        assert (done == 640) == (normal > 0.0)


def test_equilibrium_has_no_friction():
    dt = 1.0 / 44100.0
    rows = [Contact(stiffness=1e6), bristle(8e5, dt, curve=CONSTANT, link=0)]
    place = np.array([0.3, 0.58])
    shapes = [np.concatenate([place, 0 * place]), np.concatenate([0 * place, place])]
    kernel = network(2 * np.pi * np.array([200.0, 410.0, 197.0, 405.0]), [2.0] * 4, [1e-3] * 4,
                     shapes, rows, dt, offset=[1e-4, 0.0], passes=2)
    kernel.set_state(np.array([1e-4, 0.0, 1e-4, 0.0]), np.zeros(4))
    step(kernel, 20)
    kernel.set_equilibrium()
    assert kernel.force()[0] > 0.0 == kernel.force()[1]
    assert kernel.compression()[1] == 0.0 and not kernel.displacement()[2:].any()
    rest = kernel.displacement()
    step(kernel, 100)
    assert kernel.displacement() == pytest.approx(rest, abs=1e-12 * rest[0])


def test_wrong_rows_are_refused():
    kernel = violin(1.0 / 88200.0)
    with pytest.raises(RuntimeError, match="set already"):
        kernel.set_friction(np.array([0], dtype=np.int32), np.array([CONSTANT]),
                            np.array([-1], dtype=np.int32), 1)
    values = {"angular_frequencies": np.array([600.0]), "decay_rates": np.array([1.0]),
              "masses": np.array([0.01]), "time_step": 1e-4, "shapes": np.ones((2, 1)),
              "laws": law_array([LawValues(kind=FRICTION, stiffness=1e5),
                                 LawValues(stiffness=1e5)]), "offsets": np.zeros(2)}
    with pytest.raises(ValueError, match="kind of row 0 is 7"):
        ThreePoint(**values)
    rows, links = np.array([0], dtype=np.int32), np.array([-1], dtype=np.int32)
    for wrong in ({"rows": np.array([1], dtype=np.int32)}, {"curves": np.zeros((1, 4))},
                  {"curves": np.array([[-0.1, 0.0, 1.0, 0.0, 1.0]])}, {"passes": 0},
                  {"curves": np.array([[0.1, 0.0, 0.0, 0.0, 1.0]])},
                  {"links": np.array([0], dtype=np.int32)}):
        given = {"rows": rows, "curves": np.array([CONSTANT]), "links": links, "passes": 2} | wrong
        with pytest.raises(ValueError, match="expected"):
            TwoPoint(**values).set_friction(*given.values())
    kernel = TwoPoint(**values)
    kernel.set_friction(rows, np.array([CONSTANT]), links, 2)
    with pytest.raises(IndexError, match="SPEED"):
        kernel.set_row(1, SPEED, 0.1)
    kernel.set_row(1, OFFSET, 0.1)


def test_gauss_seidel_of_the_twin():
    # the twin itself: a lone row in closed form
    f = solve(np.array([[2.0]]), np.array([0.3]), np.array([0.05]),
              [Rub(stiffness=2.0, damping=1.0)], [10.0], 1.0)
    # f = (K z + D h) / (1 + w D), D = 2
    assert f[0] == pytest.approx((0.1 + 0.6) / 5.0, rel=1e-15)
