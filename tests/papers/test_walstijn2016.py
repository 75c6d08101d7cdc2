"""The figures of van Walstijn & Bridges 2016 against golden numbers, which two codes and
scipy.optimize.root agree in; printed equations fail where they are said to."""
import dataclasses

import mpmath
import numpy as np
import pytest
from papers.verdicts import check_flips, verdicts

from pysitar.papers.catalogue import figures_of
from pysitar.papers.walstijn2016 import solving

SCHEMES = ("two-point", "three-point")
# of the ideal string: modes, period ratio, half of the second, middle at 41, 93, 185, 370, quarter
# at 93, 185
IDEAL = {
    "two-point 20 kHz": (55, 1.5101918, 1.5122824,
                         [-0.49612137, 0.99565661, 0.98293115,
                          0.95669045], [0.30884905, 0.70317051]),
    "two-point all modes": (61, 1.5102946, 1.5115110,
                            [-0.49612137, 0.99657451, 0.98167006,
                             0.95666322], [0.30867924, 0.70335732]),
    "three-point 20 kHz": (55, 1.5136017, 1.5160277,
                           [-0.49612137, 1.00959633, 0.97650081,
                            0.97066878], [0.32948288, 0.70439195]),
    "three-point all modes": (61, 1.5122358, 1.5118121,
                              [-0.49612137, 1.02268930, 0.99305374,
                               1.02275189], [0.33000163, 0.69349714]),
}
ROUGHNESS = {"two-point 20 kHz": 0.00790764, "two-point all modes": 0.00788739,
             "three-point 20 kHz": 0.0215641, "three-point all modes": 0.0426343}
FORCE = {
    "two-point": [1.41188075, -0.423840069, -0.425333674, -0.365128854, 0.939002883, -0.432796472],
    "three-point": [1.41052036, -0.424028984, -0.426728668, -0.38443343, 1.06495776, -0.430662621]}
MIDDLE = {"two-point": [-0.00212924239, -0.000369264228, -0.00206157625],
          "three-point": [-0.00212949136, -0.000402498499, -0.0019921202]}
ENERGY = {"two-point": [2.183825876e-3, 2.1390019e-3, 2.098876417e-3, 1.555866276e-3],
          "three-point": [2.097454882e-3, 2.08465913e-3, 2.066071363e-3, 1.694724736e-3]}


@pytest.fixture(scope="module")
def found():
    return {name: figures_of([f"walstijn2016:{name}"])[0].compute()
            for name in ("fig1", "fig2", "fig3", "fig4", "equations")}


@pytest.fixture(scope="module")
def counted():
    return solving.iterations((1e9, 1e11), 70)


def test_snapshots_of_the_ideal_string(found):
    numbers = found["fig1"].numbers
    assert numbers["times_ms"] == pytest.approx(
        [0.0, 0.272, 0.408, 0.544, 0.680, 0.816, 0.952, 1.088], abs=5e-4)
    assert numbers["modes"] == numbers["points"] == 61
    # free until it meets the barrier, a third of a period after its start
    free = np.cos(2.0 * np.pi * np.array([0, 12, 18, 24, 30, 36]) / 123.2632473)
    assert numbers["middle_over_amplitude"][:6] == pytest.approx(free, abs=1e-9)
    assert 1e-6 < numbers["compression_at_0.952_ms_m"] <= numbers[
        "greatest_compression_at_points_m"] < 2e-6
    assert verdicts(found["fig1"]) == ["agrees"]


@pytest.mark.parametrize("name", IDEAL)
def test_the_ideal_string(found, name):
    numbers = found["fig2"].numbers[name]
    modes, first, second, middle, quarter = IDEAL[name]
    assert numbers["modes"] == modes
    assert [numbers["period_ratio"],
            numbers["half_of_second_period_ratio"]] == pytest.approx([first, second], abs=1e-6)
    assert numbers["middle_over_amplitude_at_41_93_185_370"] == pytest.approx(middle, abs=1e-7)
    assert numbers["quarter_over_amplitude_at_93_185"] == pytest.approx(quarter, abs=1e-7)
    # a sample more or less
    assert numbers["roughness_over_amplitude"] == pytest.approx(ROUGHNESS[name], rel=1e-3)
    assert numbers["energy_residual"] < 1e-13


def test_the_period_ratio_is_not_that_of_a_rigid_barrier_nor_cured_by_stiffness(found):
    """Known: 1.510, not 1.500; the excess goes with the time step, where the paper says it is the
    barrier's softness."""
    numbers = found["fig2"].numbers
    assert numbers["free_period_steps"] == pytest.approx(123.2632473, abs=1e-7)
    assert list(numbers["ratio_by_rate"].values())[:3] == pytest.approx(
        [1.510192, 1.505212, 1.502929], abs=1e-6)
    assert numbers["ratio_by_stiffness"]["1e+11"] == pytest.approx(1.510397, abs=1e-6)
    # at ten rates, not at 44.1 kHz alone
    assert min(numbers["excess_at_1e12_over_1e9_by_rate"].values()) > 1.0


def test_the_spurious_oscillations_grow_and_are_not_remedied(found):
    numbers = found["fig2"].numbers
    # golden, over all 400 steps: 0.0426 and 0.0216, two-point 0.0079
    for name in ("all modes", "20 kHz"):
        windows = numbers[f"three-point {name}"]["roughness_by_window"]
        assert windows == sorted(windows) and windows[-1] > 2.4 * windows[0]
        assert max(numbers[f"two-point {name}"]["roughness_by_window"]) < 0.0085
    places = numbers["roughness_by_place"]
    assert places["three-point 20 kHz"][-1] / places["two-point 20 kHz"][-1] == pytest.approx(
        2.727, abs=0.01)
    assert all(one > 1.9 * other for one, other in zip(
        places["three-point 20 kHz"], places["two-point 20 kHz"], strict=True))
    assert verdicts(found["fig2"]) == [
        "agrees", "agrees", "disagrees", "agrees", "agrees", "disagrees"]


def test_the_stiffness_of_the_sitar_is_misprinted(found):
    """Known: EI is 7.95e-5, not 7.95e5, which would make a string of 238 kHz."""
    numbers = found["fig3"].numbers
    assert numbers["modes"] == 60 and numbers["bending_stiffness_N_m2"] == 7.95e-5
    assert [numbers["f1_Hz"],
            numbers["f60_Hz"]] == pytest.approx([300.1595154, 19940.19758], rel=1e-9)
    assert numbers["f1_as_printed_Hz"] == pytest.approx(238e3, rel=0.01)
    assert numbers["times_ms"] == pytest.approx(
        [0.0, 0.317, 0.476, 0.635, 0.793, 0.952, 1.111, 1.270], abs=8e-4)
    rest = [
        numbers[f"equilibrium_{name}"] for name in ("middle_m", "force_end_N", "contact_force_N")]
    assert rest == pytest.approx([2.979652739e-5, 0.005850921435, 1.250372354], rel=1e-8)
    assert verdicts(found["fig3"]) == ["paper is wrong", "agrees"]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_force_of_the_sitar(found, scheme):
    numbers = found["fig4"].numbers[scheme]
    # golden waveforms hold 1e-8 of their greatest value, to step 200
    assert numbers["force_at_start_N"] == pytest.approx(0.981774540279, rel=1e-11)
    assert numbers["force_N_at_20_40_60_100_150_200"] == pytest.approx(FORCE[scheme], abs=1.5e-8)
    assert numbers["middle_m_at_60_100_200"] == pytest.approx(MIDDLE[scheme], abs=3e-11)
    assert numbers["energy_J_at_0_100_200_999"][:3] == pytest.approx(ENERGY[scheme][:3], rel=1e-8)
    # a sample more or less
    assert numbers["energy_J_at_0_100_200_999"][3] == pytest.approx(ENERGY[scheme][3], rel=1e-3)
    assert numbers["energy_residual"] < 1e-13


def test_what_is_rough_and_what_is_chaos(found):
    numbers = found["fig4"].numbers
    # golden: 0.299 and 0.859 N; 51.5 % and 65.2 % of the steps. Rounding grows a thousandfold in
    # these steps, to 1e-10
    assert [numbers[scheme]["roughness_N"]
            for scheme in SCHEMES] == pytest.approx([0.299043, 0.859194], abs=1e-6)
    assert [numbers[scheme]["steps_in_contact"] for scheme in SCHEMES] == [0.515, 0.652]
    # golden: 7.8e-3 and 0.23, 1.5e-2 and 0.27, by another norm
    two, three = (numbers[scheme]["error_in_windows"] for scheme in SCHEMES)
    assert two[0] < three[0] < 0.02 and 0.15 < two[1] < three[1] < 0.3
    # golden: 2.6e-13, 2e-10, 4.7e-7, 0.14; which perturbation it is decides the factor
    grown = [numbers["growth_of_a_perturbation"][step] for step in ("200", "1000", "2000", "5000")]
    assert grown[0] < 1e-11 and 1e-12 < grown[1] < 1e-8 and 1e-9 < grown[2] < 1e-4 and grown[
        3] > 1e-4
    # of ten starts, from 1.4 times on
    assert min(found["fig4"].numbers["roughness_three_over_two_point_by_pluck"]) > 1.25
    assert verdicts(found["fig4"]) == ["agrees", "agrees", "beyond the paper"]


def test_the_missing_factor_2(found):
    """Known: (26) as printed is no solution; with the factor the motion is the closed form, within
    1000 roundings of a cosine."""
    numbers = found["equations"].numbers
    assert numbers["printed error"] > 0.5
    assert numbers["mended error"] < 1e-10
    assert numbers["mode_1_after_1000_steps_m"] == pytest.approx(0.000799357804451, abs=1e-13)
    assert numbers["all_modes_error_after_1000_steps_m"] < 1e-13


def test_the_other_misprints(found):
    numbers = found["equations"].numbers
    assert numbers["growth_in_0.1_s_as_printed"] == pytest.approx(np.exp(0.06420809556), rel=1e-9)
    # golden: per step 5.5e-15 of H
    assert numbers["three-point balance"]["printed"] > 1e-5 and numbers["three-point balance"][
        "mended"] < 1e-13
    matrices = numbers["matrices"]
    # golden: W has the condition number 9e16 in double precision, where its least eigenvalue is
    # rounding; WD is not symmetric, and has no eigenvalue below 0
    assert abs(matrices["W_least_over_greatest_eigenvalue_in_16_digits"]) < 1e-15
    assert matrices["WD_asymmetry"] > 0.1
    assert matrices["WD_least_eigenvalue"] > -1e-12 * matrices["WD_greatest_eigenvalue"]
    # rounding grows a thousandfold in 1000 steps, to 1e-10
    assert matrices["symmetric_part_of_I_plus_WD_least_eigenvalue"] == pytest.approx(
        -18.331355, abs=1e-5)
    assert matrices["symmetric_part_least_at_step"] == 934
    assert verdicts(found["equations"]) == [
        *["paper is wrong"] * 5, "agrees", "agrees", "paper is wrong"]


def test_w_is_positive_definite_in_60_digits():
    """W of the sitar by the paper's own symbols: least over greatest eigenvalue 5.0e-21."""
    with mpmath.workdps(60):
        number = mpmath.mpf
        dt, length, count = 1 / number(44100), number("0.5"), 60
        points = [number(15 + 30 * k) / 10000 for k in range(10)]
        squares = []
        for i in range(1, count + 1):
            beta = i * mpmath.pi / length
            alpha = number("0.6") + number("6.5e-3") * beta + number("5e-6") * beta**3
            omega = mpmath.sqrt((50 * beta**2 + number("7.95e-5") * beta**4) / number("5.55e-4")
                                - alpha**2)
            r, cosine = mpmath.exp(-alpha * dt), mpmath.cos(omega * dt)
            squares.append((1 + 2 * r * cosine + r * r) / 4)
        shapes = [[mpmath.sin(i * mpmath.pi * x / length) for i in range(1, count + 1)]
                  for x in points]
        w = mpmath.matrix([[mpmath.fsum(a * c * b for a, c, b in zip(
            one, squares, other, strict=True)) for other in shapes] for one in shapes])
        values = sorted(mpmath.eigsy(w, eigvals_only=True))
        assert float(values[0] / values[-1]) == pytest.approx(solving.W_RATIO, rel=1e-6)
    string = solving.newton_string(1e9, "two-point")
    assert string.w / (string.xi * string.width) == pytest.approx(
        np.array(w.tolist(), dtype=float), rel=1e-12)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_newtons_method_makes_the_same_motion(scheme):
    """The paper's own iteration, where it converges, and the kernel agree: to 2e-11 of 1.4 N over
    200 steps, golden."""
    string = solving.newton_string(1e9, scheme)
    b = np.arange(1, 61) * np.pi / 0.5
    weights = (-1.0) ** np.arange(60) * (50.0 * b + 7.95e-5 * b**3)
    force, energy = [], []
    for _ in range(201):
        force.append(float(weights @ string.y))
        energy.append(string.energy())
        assert string.step()[1]
    assert [force[n]
            for n in (20, 40, 60, 100, 150, 200)] == pytest.approx(FORCE[scheme], abs=1.5e-8)
    assert [energy[0], energy[100], energy[200]] == pytest.approx(ENERGY[scheme][:3], rel=1e-8)


def test_iterations(counted):
    """Golden, of 2000 steps: at most 12 and 16; the first contact is at step 39."""
    for scheme, most in zip(SCHEMES, (12, 16), strict=True):
        plain = counted[f"{scheme} plain"][0]
        assert plain["failed"] == 0 and plain["steps_done"] == 70
        assert 4 < plain["most"] <= most and 3.0 < plain["mean_in_contact"] < plain["most"]


def test_where_newton_fails_the_solver_does_not(counted):
    """Golden: at 1e11 N/m^2 plain Newton fails by both schemes (here in the first impact), damped
    Newton and pysitar's solver do not."""
    for scheme in SCHEMES:
        plain, damped, own = (counted[f"{scheme} {name}"][1]
                              for name in ("plain", "damped", "pysitar"))
        assert plain["failed"] > 0 and plain["most"] == counted["most_allowed"]
        assert damped["failed"] == 0 and damped["energy_rise"] < 1e-9
        assert own["energy_residual"] < 1e-12


@pytest.fixture(scope="module")
def tried(counted):
    """The numbers of the figure, of fewer stiffnesses, steps and starts."""
    return counted | {"tried": solving.try_starts((0.2, ))}


def test_newtons_method_fails_from_some_starts_at_1e10(tried):
    """From a triangle at 0.2 m both schemes fail, where no rounding decides: also from a start that
    is 1e-13 higher.  From 0.35 m the two-point scheme does not in 1000 steps, which proves
    nothing."""
    numbers = tried["tried"]
    assert numbers["two-point plain 1e10"]["fails_at_step"] == [953]
    assert numbers["three-point plain 1e10"]["fails_at_step"] == [469]
    for scheme in SCHEMES:
        assert numbers[f"{scheme} plain 1e09"]["fails_at_step"] == [None]
        assert numbers[f"{scheme} damped 1e10"]["fails_at_step"] == [None]
    string = solving.newton_string(1e10, "three-point", plucked=0.2)
    string.y *= 1.0 + 1e-13
    string.other *= 1.0 + 1e-13
    assert len(string.run(500, to_failure=True).iterations) == 470
    [figure] = figures_of(["walstijn2016:iterations"])
    statements = figure.judge(tried)
    assert [one.verdict for one in statements] == ["cannot be compared", "agrees", "agrees"]
    assert "first at step 953" in statements[1].computed


def test_newtons_method_runs_in_a_circle():
    """At step 953 from 0.2 m the iterates of (28) repeat after six, to rounding of 1e-6 m."""
    string = solving.newton_string(1e10, "two-point", plucked=0.2)
    for _ in range(953):
        assert string.step()[1]
    free = string.v @ (2.0 * string.c * (string.other - string.a * string.y))
    before, s, iterates = string.heights - string.v @ string.y, string.s, []
    for _ in range(60):
        force, slope = string.force(before, before - s)
        s = s - np.linalg.solve(np.eye(10) + string.w * slope, s - free - string.w @ force)
        iterates.append(s)
    last = np.abs(np.array(iterates[-7:-1]) - iterates[-1]).max(axis=1)
    assert last[0] < 1e-15 and last[1:].min() > 1e-6


# (statement, verdict after the change, changed numbers), see papers.verdicts
FLIPS = {
    "fig1": [
        (0, "disagrees", {("greatest_compression_at_points_m",): 1.01e-5}),
        (0, "disagrees", {("greatest_compression_at_points_m",): 4.9e-7})],
    "fig2": [
        (0, "disagrees", {("ratio_by_rate", "352800"): 1.5026}),
        (0, "disagrees", {("ratio_by_rate", "352800"): 1.4999}),
        (1, "disagrees", {("two-point all modes", "period_ratio"): 1.531}),
        (1, "disagrees", {("two-point 20 kHz", "period_ratio"): 1.4999}),
        (2, "agrees", {("excess_at_1e12_over_1e9_by_rate", "72000"): 0.89}),
        # the two-point scheme: 0.0048 at least
        (3, "disagrees", {("roughness_by_place", "three-point all modes", 4): 0.009}),
        (4, "disagrees", {("three-point all modes", "roughness_by_window", 2): 0.0225}),
        (4, "disagrees", {("three-point all modes", "roughness_by_window"): [
            0.05, 0.06, 0.07, 0.09]}),
        (5, "agrees", {("roughness_by_place", "three-point 20 kHz", 4): 0.007})],
    "fig3": [
        (0, "agrees", {("f1_as_printed_Hz",): 22e3}),
        (1, "disagrees", {("equilibrium_contact_force_N",): 0.0}),
        (1, "disagrees", {("equilibrium_middle_m",): 57e-6}),
        (1, "disagrees", {("equilibrium_middle_m",): -1e-6})],
    "fig4": [
        (0, "disagrees", {("roughness_three_over_two_point_by_pluck", 3): 1.24}),
        (1, "disagrees", {("three-point", "error_in_windows", 1): 0.2}),
        # three of ten positions
        (1, "disagrees", {("errors_in_windows_of_two_and_three_point_by_pluck", at, 0, 1): 0.9
                          for at in range(3)}),
        (2, "cannot be compared", {("growth_of_a_perturbation", "5000"): 9e-8})],
    "equations": [
        (0, "agrees", {("growth_in_0.1_s_as_printed",): 0.999}),
        (1, "agrees", {("force_density_at_1_um_N_per_m", "(2) as printed"): 1e3}),
        (2, "agrees", {("rows_and_columns_of_V",): [60, 10]}),
        (3, "cannot be compared", {("printed error",): 9e-6}),
        (3, "cannot be compared", {("mended error",): 2e-10}),
        (4, "cannot be compared", {("three-point balance", "printed"): 9e-6}),
        (4, "cannot be compared", {("three-point balance", "mended"): 2e-10}),
        (5, "disagrees", {("all_modes_error_after_1000_steps_m",): 2e-15}),
        (6, "disagrees", {("matrices", "W_least_over_greatest_eigenvalue_in_60_digits"): -1e-22}),
        (7, "agrees", {("matrices", "symmetric_part_of_I_plus_WD_least_eigenvalue"): 0.01})],
    "iterations": [
        (1, "disagrees", {("tried", "two-point plain 1e10", "fails_at_step"): [None]}),
        (1, "disagrees", {("tried", "three-point plain 1e10", "fails_at_step"): [None]}),
        (1, "disagrees", {("tried", "three-point plain 1e09", "fails_at_step"): [5]}),
        (2, "disagrees", {("tried", "three-point damped 1e10", "fails_at_step"): [7]}),
        (2, "disagrees", {("tried", f"{scheme} damped 1e10", "mean_in_contact"): [20.0]
                          for scheme in SCHEMES} | {
            ("tried", f"{scheme} plain 1e10", "mean_in_contact"): [13.0] for scheme in SCHEMES})],
}


def test_a_changed_number_changes_its_verdict(found, tried):
    figures = figures_of(["walstijn2016"])
    assert {figure.key.partition(":")[2] for figure in figures} == set(FLIPS)
    for figure in figures:
        name = figure.key.partition(":")[2]
        finding = found[name] if name in found else dataclasses.replace(
            found["fig1"], key=figure.key, numbers=tried, statements=figure.judge(tried))
        check_flips(figure, finding, FLIPS[name])
