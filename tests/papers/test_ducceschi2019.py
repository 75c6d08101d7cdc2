"""The figures of Ducceschi & Bilbao 2019 against golden numbers: of two or three independent codes,
and of exact orbits."""

from functools import partial

import numpy as np
import pytest
from papers.verdicts import check_flips, verdicts

from pysitar.papers.catalogue import figures_of
from pysitar.papers.ducceschi2019 import (
    convergence,
    equations,
    oscillator,
    plucked,
    snapshots,
    speed,
)

SHORT = ("fig1", "fig2", "fig3", "fig4", "fig5", "fig6", "fig7", "equations")
# displacement at 10, 20, 30, 40 ms, greatest displacement, greatest contact energy, last energy,
# last contact energy
POINT = {
    "iterative": ((2.3855295486e-05, 3.7954122134e-04, 5.7102932044e-05, -3.1032235854e-05),
                  5.310009e-04, 1.76568359e-04, 3.2175524737e-03, 0.0),
    "explicit": ((2.3855295486e-05, 3.8158844569e-04, 5.5472957076e-05, -3.0427044644e-05),
                 5.310149e-04, 1.76647706e-04, 3.2175524737e-03, 1.684e-06),
    "explicit, mended": ((2.3855295486e-05, 3.7954328300e-04, 5.7102651128e-05, -3.1032176286e-05),
                         5.310009e-04, 1.76568627e-04, 3.2175524737e-03, 0.0),
    "modal": ((2.5762832627e-05, 3.8247097849e-04, 5.9302298248e-05, -3.5499719532e-05), None,
              1.83063030e-04, 3.2057671459e-03, None),
    "modal, mended": ((2.5762832627e-05, 3.8281363926e-04, 5.9206303414e-05, -3.3460957067e-05),
                      None, 1.83063030e-04, 3.2052739149e-03, None),
}
POINT_FINE = {
    "iterative": ((2.4849067425e-05, 3.7943455681e-04, 6.0487850174e-05, -3.4700348008e-05),
                  5.319800e-04, 1.78579683e-04, 3.2102029240e-03, 0.0),
    "explicit": ((2.4849067425e-05, 3.7918904691e-04, 6.0591136586e-05, -3.4649854670e-05),
                 5.319781e-04, 1.78357808e-04, 3.2102029240e-03, 1.959e-10),
    "explicit, mended": ((2.4849067425e-05, 3.7943455715e-04, 6.0487850129e-05, -3.4700347981e-05),
                         5.319800e-04, 1.78579683e-04, 3.2102029240e-03, 0.0),
}
BOARD_FINE = {
    "iterative": ((2.4849067425e-05, 1.6024455360e-05, 1.3392567228e-04, 1.5144960288e-04),
                  5.350668e-04, 1.08811972e-04, 3.2102029240e-03, 0.0),
    "explicit": ((2.4849067425e-05, 1.6025572036e-05, 1.3394167685e-04, 1.5141124049e-04),
                 5.350683e-04, 1.08817492e-04, 3.2102029240e-03, 2.772e-09),
    "explicit, mended": ((2.4849067425e-05, 1.6024455360e-05, 1.3392567228e-04, 1.5144960288e-04),
                         5.350668e-04, 1.08811972e-04, 3.2102029240e-03, 0.0),
}
# (kinetic, potential, contact) energy at 2, 5, 10, 15, 20, 30 ms, and the whole
ENERGIES = {
    ("fig5", "iterative"): (((1.611342e-03, 1.606210e-03, 0.0), (1.611352e-03, 1.606201e-03, 0.0),
                             (1.516451e-03, 1.701102e-03, 0.0), (1.113295e-03, 2.103399e-03,
                                                                 8.586e-07),
                             (1.797239e-03, 1.420314e-03, 0.0), (1.602259e-03, 1.615294e-03, 0.0)),
                            3.21755247e-03),
    ("fig5", "explicit"): (((1.611342e-03, 1.606210e-03, 0.0), (1.611352e-03, 1.606201e-03, 0.0),
                            (1.516451e-03, 1.701102e-03, 0.0), (1.113684e-03, 2.102778e-03,
                                                                1.090e-06),
                            (1.799900e-03, 1.416555e-03, 1.097e-06), (1.604711e-03, 1.611745e-03,
                                                                      1.097e-06)), 3.21755247e-03),
    ("fig6", "iterative"): (((1.605231e-03, 1.604972e-03, 0.0), (1.605214e-03, 1.604989e-03, 0.0),
                             (1.499006e-03, 1.711197e-03, 0.0), (1.099288e-03, 2.109994e-03,
                                                                 9.210e-07),
                             (1.796437e-03, 1.413766e-03, 0.0), (1.550140e-03, 1.660063e-03, 0.0)),
                            3.21020292e-03),
    ("fig6", "explicit"): (((1.605231e-03, 1.604972e-03, 0.0), (1.605214e-03, 1.604989e-03, 0.0),
                            (1.499006e-03, 1.711197e-03, 0.0), (1.099268e-03, 2.110028e-03,
                                                                9.065e-07),
                            (1.797290e-03, 1.412913e-03, 4.829e-12), (1.550327e-03, 1.659876e-03,
                                                                      4.829e-12)), 3.21020292e-03),
}

# (statement, verdict after the change, changed numbers), see papers.verdicts
DRIFT = {("iterative", "drift_of_energy"): 2e-12}
KEPT = (0, "disagrees", {("modal", "change_of_energy_after_pluck"): 2e-12})
MODAL_LEFT = ("tried", "modal", "last_contact_energy_J")
FLIPS = {
    "fig1": [
        (0, "disagrees", {("speed_off_explicit",): 1.1e-3}),
        (0, "disagrees", {("tried", "explicit", "speed_off"): [1.1e-3] * 3 + [0.0] * 7}),
        (1, "disagrees", DRIFT),
        (2, "agrees", {("compression_at_rest_as_printed_m",): -0.2})],
    "fig2": [
        # exact: 28.81 m/s
        (0, "disagrees", {("explicit", "speeds_after_m_per_s", 0): 26.0}),
        (0, "disagrees", {("tried", "explicit", "lowest_speed_off"): [-0.2] * 7 + [-0.09] * 3}),
        (1, "disagrees", {("explicit", "energy_left_in_barrier", 0): 9e-3}),
        (1, "disagrees", {("tried", "explicit", "energy_left_in_barrier"): [
            0.1] * 7 + [9e-3] * 3}),
        (2, "cannot be compared", {("tried", "explicit, mended", "speed_off", 4): 1.1e-5}),
        (2, "cannot be compared", {("speed_off_mended",): 1.1e-5}),
        (3, "disagrees", DRIFT)],
    "fig3": [
        (0, "agrees", {("speed_off_explicit",): 9e-3,
                       ("tried", "explicit", "speed_off"): [9e-3] * 8 + [0.1] * 2}),
        (1, "disagrees", DRIFT)],
    "fig4": [
        (0, "agrees", {("force_at_rest_with_the_printed_height_N",): 0.0}),
        (1, "disagrees", {("explicit", "difference_from_iterative"): 0.031}),
        (1, "disagrees", {("tried", "explicit", "output_off", 0): 0.031}),
        (1, "disagrees", {("tried", "modal", "output_off", 2): 0.12}),
        (1, "disagrees", {("modal", "free_difference_from_iterative"): 0.035}),
        (2, "cannot be compared", {("force_inside_as_printed_N",): 1.0}),
        (2, "cannot be compared", {("explicit", "balance_residual"): 1.1e-11})],
    "fig5": [
        KEPT,
        (1, "agrees", {("modal", "last_energy_J"): 3.2175524737e-3 * 1.0009,
                       ("tried", "modal", "energy_off"): [9e-4] * 10}),
        (2, "disagrees", {(*MODAL_LEFT, 3): 1e-15}),
        (3, "agrees", {MODAL_LEFT: [0.0] * 8 + [1.0] * 2}),
        (3, "disagrees", {MODAL_LEFT: [0.0] * 2 + [1.0] * 8})],
    "fig6": [
        KEPT,
        (1, "disagrees", {("tried", "modal", "energy_off", 0): -1.1e-3}),
        (1, "disagrees", {("modal", "last_energy_J"): 3.2102029240e-3 * 1.0011}),
        # at audio rate 5.2e-4
        (2, "disagrees", {("tried", "explicit", "kinetic_energy_off", 0): 2.7e-4}),
        (2, "disagrees", {("kinetic_energy_off_over_H_at_both_rates", "explicit", 1): 1e-3}),
        (3, "cannot be compared", {MODAL_LEFT: [0.0] * 8 + [1.0] * 2})],
    "fig7": [
        (0, "agrees", {("220500_Hz", "explicit_modal_mended_off_percent", 1): 0.9,
                       ("tried", "modal", "output_off"): [9e-3] * 10})],
    "fig8": [
        (0, "disagrees", {("explicit", "difference_from_iterative"): 0.031}),
        (0, "disagrees", {("tried", "modal", "output_off", 2): 0.12}),
        (1, "cannot be compared", {(name, "least_force_N"): 0.0 for name in plucked.PRINTED}),
        (1, "cannot be compared", {("modal, mended", "least_force_N"): -1e-6}),
        (2, "disagrees", {("rank_of_the_change", "one"): 2}),
        (3, "cannot be compared", {("rank_of_the_change", "most"): 1})],
    "convergence": [
        (0, "disagrees", {("point", "explicit", "order", 0): 0.49}),
        (0, "disagrees", {("modes", "modal", "error", -1): 1.0}),
        (1, "agrees", {("board", "explicit", "error", 0): lambda error: 1.07 * error}),
        (2, "disagrees", {("fixed_modes", "modal", "order"): [1.81, 1.9]}),
        (2, "disagrees", {("fixed_modes", "two-point", "order", 0): 1.79}),
        (2, "disagrees", {("fixed_modes_by_pluck", "modal", 1): 1.81}),
        (2, "disagrees", {("fixed_modes_by_pluck", "two-point", 1): 1.79}),
        (3, "cannot be compared", {
            ("board", "explicit, mended", "difference_from_iterative", 1): 1.1e-5})],
    "convergence-oscillator": [
        (0, "disagrees", {("soft", "explicit", "error", -1): 1e-9}),
        (1, "beyond the paper", {
            ("hard", "explicit", "starts_whose_error_grows_at_some_rate"): 8}),
        (2, "cannot be compared", {("soft", "midpoint", "error", 0): 1e-3})],
    "speed": [
        (0, "disagrees", {("explicit_5x_over_estimate_with_20_iterations",): 0.91}),
        (1, "cannot be compared", {("explicit_5x_over_iterative",): 1.1})],
    "equations": [
        (0, "agrees", {("bounds", "(62) mode", 5): 1.0009}),
        (0, "agrees", {("bounds", "expected", 0): lambda factor: 1.0002 * factor}),
        (1, "agrees", {("barrier", "density", 0): 0.21}),
        (1, "agrees", {("barrier", "density", -1): 0.063}),
        (1, "agrees", {("barrier", "point", 2): 0.19})],
}


@pytest.fixture(scope="module")
def found():
    return {name: figure.compute() for name in SHORT
            for figure in figures_of([f"ducceschi2019:{name}"])}


def check_string(numbers, golden):
    out, greatest, contact, energy, left = golden
    assert numbers["displacement_at_10_20_30_40_ms_m"] == pytest.approx(
        out, rel=0.0, abs=1e-9 * 5.4e-4)
    assert greatest is None or numbers["greatest_displacement_m"] == pytest.approx(
        greatest, rel=1e-6)
    assert numbers["greatest_contact_energy_J"] == pytest.approx(contact, rel=1e-8)
    assert numbers["last_energy_J"] == pytest.approx(energy, rel=1e-8)
    assert left is None or numbers["last_contact_energy_J"] == pytest.approx(left, rel=1e-3)
    assert numbers["balance_residual"] < 5e-12


def test_oscillator_is_on_its_exact_orbit(found):
    for name, (period, compression, contact) in {
            "fig1": (.064818584021, 1.597755601855e-2, 1.726628157092e-3),
            "fig2": (.063147295760, 5.149844087181e-4, 5.533989608956e-5)}.items():
        exact = found[name].numbers["exact"]
        assert (exact["energy_J"], exact["speed_m_per_s"]) == pytest.approx(
            (4.93980220054, 28.810532270187), rel=1e-11)
        assert (exact["period_s"], exact["compression_m"],
                exact["contact_time_s"]) == pytest.approx((period, compression, contact), rel=1e-10)


@pytest.mark.parametrize(("name", "contacts", "speed_after", "energy", "first"),
                         [("fig1", 15, 28.810524, 4.9397996962, 1369),
                          ("fig2", 16, 28.810524, 4.9397996962, 1369),
                          ("fig3", 16, 28.810532, 4.9398021004, 6845)])
def test_speeds_after_impacts(found, name, contacts, speed_after, energy, first):
    for scheme in ("iterative", "explicit, mended"):
        one = found[name].numbers[scheme]
        assert one["contacts"] == contacts == len(one["speeds_after_m_per_s"])
        assert one["speeds_after_m_per_s"] == pytest.approx([speed_after] * contacts, abs=2e-6)
        assert np.abs(one["energy_left_in_barrier"]).max() < 1e-12
    for scheme in oscillator.SCHEMES:
        one = found[name].numbers[scheme]
        assert one["first_energy_J"] == pytest.approx(energy,
                                                      abs=1e-9) and one["first_inside"] == first
        assert one["drift_of_energy"] < 1e-12


def test_the_printed_scheme_keeps_energy_in_the_barrier(found):
    soft, hard, fine = (found[name].numbers["explicit"] for name in ("fig1", "fig2", "fig3"))
    assert soft["speeds_after_m_per_s"][:6] == pytest.approx(
        [28.8090, 28.8092, 28.8105, 28.8099, 28.8099, 28.8067], abs=1e-4)
    # of the hard barrier only the first two do not depend on rounding
    assert hard["speeds_after_m_per_s"][:2] == pytest.approx([18.4309, 8.8840], abs=1e-3)
    assert hard["energy_left_in_barrier"][:2] == pytest.approx([0.7045**2, 0.8719**2], abs=2e-4)
    assert hard["contacts"] == 14
    assert fine["speeds_after_m_per_s"][:6] == pytest.approx(
        [28.7928, 28.8073, 28.7600, 28.7735, 28.8105, 28.7840], abs=1e-4)
    positions = found["fig2"].numbers
    assert positions["iterative"]["positions_from_there_m"][:3] == pytest.approx(
        [.2000971579, .2005335682, .2004937240], abs=1e-9)
    assert positions["explicit"]["positions_from_there_m"] == pytest.approx(
        [.2001020894, .2003974876, .1999797366, .1995615798], abs=1e-9)
    assert positions["explicit, mended"]["positions_from_there_m"][3] == pytest.approx(
        .1993262212, abs=1e-9)


def test_what_is_said_of_the_oscillator(found):
    assert verdicts(found["fig1"]) == ["agrees", "agrees", "paper is wrong"]
    assert verdicts(found["fig2"]) == ["agrees", "agrees", "beyond the paper", "agrees"]
    # known: at 5 times the rate it is only near for the first impacts, from each of ten starts
    assert verdicts(found["fig3"]) == ["disagrees", "agrees"]
    assert min(found["fig3"].numbers["tried"]["explicit"]["speed_off"]) > 0.01
    # the mended scheme is right from each start: its energy is 5e-7 off the exact one at 44.1 kHz
    assert max(found["fig2"].numbers["tried"]["explicit, mended"]["speed_off"]) < 1e-6


@pytest.mark.parametrize("scheme", POINT)
def test_string_and_point(found, scheme):
    for name in ("fig4", "fig5"):
        check_string(found[name].numbers[scheme], POINT[scheme])
    check_string(found["fig7"].numbers["44100_Hz"][scheme], POINT[scheme])
    if scheme in POINT_FINE:
        check_string(found["fig6"].numbers[scheme], POINT_FINE[scheme])
        check_string(found["fig7"].numbers["220500_Hz"][scheme], POINT_FINE[scheme])


@pytest.mark.parametrize("scheme", BOARD_FINE)
def test_string_and_board(scheme):
    """What figure 8 shows of the schemes on a grid; its modal runs take seconds."""
    run, numbers = plucked.record_run(scheme, "board", snapshots.FINER * plucked.RATE,
                                 along=np.array([0.0, 0.9]))
    check_string(numbers, BOARD_FINE[scheme])
    assert np.abs(run.outputs[:, 2]).max() == 0.0
    assert np.array_equal(run.outputs[:, 3], run.outputs[:, 0])
    # known: as printed, the barrier pulls
    assert numbers["least_force_N"] < -1e-5 if scheme == "explicit" else numbers[
        "least_force_N"] == 0.0


def test_board_under_modes():
    """The modal runs of figure 8, at 44.1 kHz: the grid's own waves differ by about 5 %."""
    out = {name: plucked.record_run(name, "board", plucked.RATE)[0].outputs[:, 0]
           for name in ("iterative", "modal", "modal, mended")}
    assert plucked.relative_difference(out["modal, mended"], out["modal"]) < 0.01
    assert 0.01 < plucked.relative_difference(out["modal"], out["iterative"]) < 0.1
    assert plucked.stable_modes(44100.0) == 142 and plucked.intervals(
        44100.0) == 223 and plucked.intervals(220500.0) == 522


@pytest.mark.parametrize(("name", "scheme"), ENERGIES)
def test_energies(found, name, scheme):
    numbers = found[name].numbers[scheme]
    parts, whole = ENERGIES[name, scheme]
    for index, part in enumerate(("Hk_J", "Hp_J", "Hc_J")):
        golden = [row[index] for row in parts]
        # printed to 7 digits, contact energies to 4
        assert numbers[part] == pytest.approx(golden, rel=6e-4 if part == "Hc_J" else 6e-7,
                                              abs=1e-15)
    assert numbers["H_J"] == pytest.approx([whole] * 6, rel=2e-9)


def test_what_is_said_of_the_string(found):
    # known: b must be negative, psi g and the force have the other sign
    assert verdicts(found["fig4"]) == ["paper is wrong", "agrees", "paper is wrong"]
    assert found["fig4"].numbers["force_at_rest_with_the_printed_height_N"] == pytest.approx(
        5e6 * 1e-4**1.4, rel=1e-12)
    # the modal scheme has 0.37 % less energy; where the string is plucked decides whether it keeps
    # less contact energy, and the paper does not say where
    assert verdicts(found["fig5"]) == ["agrees", "disagrees", "agrees", "cannot be compared"]
    assert found["fig5"].numbers["tried"]["modal"]["energy_off"] == pytest.approx(
        [-0.0036] * 10, abs=2e-4)
    assert verdicts(found["fig6"]) == [*["agrees"] * 3, "beyond the paper"]
    assert verdicts(found["fig7"]) == ["disagrees"]
    assert min(found["fig7"].numbers["tried"]["modal"]["output_off"]) > 0.01
    assert found["fig4"].numbers["explicit, mended"]["difference_from_iterative"] < 1e-5
    assert 5e-3 < found["fig4"].numbers["explicit"]["difference_from_iterative"] < 0.05
    shape = found["fig4"].curves["iterative at 15 ms u_m"]
    assert shape.shape == (201,) and shape[0] == shape[-1] == 0.0
    # in contact the string is at the point, in it by (6.6 N / 5e6)^(1 / 1.4) = 0.06 mm at most
    assert -1.7e-4 < shape[100] < -1.0e-4


def test_convergence_of_the_string():
    # golden of grids whose intervals are a multiple of 10; here they are as many as are stable, up
    # to 5 % more
    alone = convergence.on_grids("none")["iterative"]
    assert alone["error"] == pytest.approx([3.905e-2, 2.090e-2, 1.048e-2, 4.896e-3, 2.097e-3],
                                           rel=0.06)
    assert alone["order"] == pytest.approx([.90, 1.00, 1.10, 1.22], abs=0.04)
    numbers = convergence.on_grids("point", factors=(1, 2, 4, 8))
    assert numbers["iterative"]["error"] == pytest.approx([3.980e-2, 2.155e-2, 1.087e-2, 5.126e-3],
                                                          rel=0.06)
    assert numbers["explicit"]["error"] == pytest.approx([4.019e-2, 2.155e-2, 1.087e-2, 5.105e-3],
                                                         rel=0.06)
    # known: the dispersion of the grid hides what the contact errs
    assert numbers["explicit"]["error"] == pytest.approx(numbers["iterative"]["error"], rel=0.02)
    assert max(numbers["explicit, mended"]["difference_from_iterative"]) < 2e-6 < min(
        numbers["explicit"]["difference_from_iterative"])


def test_convergence_in_modes():
    numbers = convergence.in_modes(fixed=False)
    # golden of another code; the last is as small as the reference's own error
    assert numbers["modal"]["error"][:4] == pytest.approx([1.147e-2, 2.975e-3, 1.098e-3, 2.412e-4],
                                                          rel=0.01)
    assert numbers["modal, mended"]["error"] == pytest.approx(
        [1.167e-2, 3.126e-3, 1.274e-3, 2.621e-4, 1.098e-4], rel=0.02)
    fixed = convergence.in_modes(fixed=True)
    assert fixed["two-point"]["order"] == pytest.approx([2.0] * 4, abs=0.1)
    assert min(fixed["modal"]["order"]) < 1.6
    # of ten plucks: 1.72 and 1.97
    lowest = convergence.try_plucks_in_modes()
    assert max(lowest["modal"]) < 1.75 and min(lowest["two-point"]) > 1.9


def test_convergence_of_the_oscillator():
    # golden: errors from -0.5 m at 44.1 kHz, exact positions at 0.05 and 0.15 s
    for stiffness, exact, errors in ((oscillator.SOFT, (-.311252743, -.128383764),
                                      (8.2513e-5, 1.8976e-3, 1.4757e-3, None, 3.2895e-5)),
                                     (oscillator.HARD, (-.350587918, -.024763086),
                                      (2.1829e-3, .7553, 4.2411e-4, 4.4716e-4, 9.7656e-4))):
        numbers = convergence.of_oscillator(stiffness, starts=(oscillator.START, ),
                                            rates=(1, 2, 5, 10))
        # the reference's own error: 1e-3 of the midpoint variant's at 44.1 kHz, over 320^2
        assert numbers["reference_at_0.05_and_0.15_s_m"] == pytest.approx(exact, abs=2e-8)
        for name, golden in zip(convergence.VARIANTS, errors, strict=True):
            assert golden is None or numbers[name]["error"][0] == pytest.approx(golden, rel=0.01)
        for name in ("iterative", "midpoint"):
            # second order from the first rate on where a contact takes 76 steps, later where it
            # takes 2.4
            assert numbers[name]["order"][-1] == pytest.approx(
                2.0, abs=0.01 if stiffness == oscillator.SOFT else 0.1)


def test_speed(monkeypatch):
    """Times are a machine's own: asked is only what is counted, and what follows from any times."""
    monkeypatch.setattr(speed, "measure_times", lambda: {
        speed.case_name(*case): 0.1 * place for place, case in enumerate(speed.CASES, 1)})
    [figure] = figures_of(["ducceschi2019:speed"])
    finding = figure.compute()
    counted = finding.numbers["iterations"]
    assert counted["points_in_contact_at_most"] > 50 and 1.0 < counted["a_point_and_step"] < 8.0
    assert finding.numbers["explicit_5x_over_iterative"] == pytest.approx(2.5)
    # 0.1 s without contact, 0.1 s more for so many iterations
    assert finding.numbers["estimate_with_20_iterations_s_for_a_second"] == pytest.approx(
        0.1 + 2.0 / counted["a_point_and_step"])
    assert verdicts(finding) == ["agrees", "beyond the paper", "cannot be compared"]
    check_flips(figure, finding, FLIPS["speed"])


def test_times_are_taken():
    taken = speed.measure_times(seconds=0.002, rounds=1)
    assert set(taken) == {speed.case_name(*case) for case in speed.CASES}
    assert all(0.0 < one < 1e3 for one in taken.values())


def test_what_is_said_of_convergence(monkeypatch):
    """The whole findings, of fewer rates."""
    monkeypatch.setattr(convergence, "FINEST", 16)
    monkeypatch.setattr(convergence, "PLUCKS", (plucked.PLUCKED, 0.46))
    monkeypatch.setattr(convergence, "on_grids", partial(convergence.on_grids, factors=(1, 2, 4)))
    monkeypatch.setattr(convergence, "in_modes", partial(convergence.in_modes, factors=(1, 2, 4)))
    monkeypatch.setattr(convergence, "RATES", (1, 2, 5))
    monkeypatch.setattr(
        convergence, "of_oscillator",
        partial(convergence.of_oscillator, starts=(oscillator.START, ), rates=(1, 2, 5)))
    string, mass = (figure.compute() for figure in figures_of(
        ["ducceschi2019:convergence", "ducceschi2019:convergence-oscillator"]))
    # known: on the string the iterative scheme does not converge faster; without iteration a scheme
    # need not be less accurate
    assert verdicts(string) == ["agrees", "disagrees", "agrees", "beyond the paper"]
    # with the hard barrier it errs more at 5 times the rate than at twice it, from this one start
    assert mass.numbers["hard"]["explicit"]["starts_whose_error_grows_at_some_rate"] == 1
    assert verdicts(mass) == ["agrees", "cannot be compared", "beyond the paper"]
    for figure, finding in zip(figures_of(["ducceschi2019:convergence",
                                           "ducceschi2019:convergence-oscillator"]),
                               (string, mass), strict=True):
        check_flips(figure, finding, FLIPS[figure.key.partition(":")[2]])
    assert set(string.numbers) == {
        "none", "point", "board", "factors", "modes", "fixed_modes", "fixed_modes_by_pluck"}


def test_what_is_said_of_the_board(monkeypatch):
    """The whole finding, at 44.1 kHz."""
    monkeypatch.setattr(snapshots, "FINER", 1)
    [figure] = figures_of(["ducceschi2019:fig8"])
    finding = figure.compute()
    # known: as printed the barrier pulls; one point is a rank-one change, many are not
    assert verdicts(finding) == ["agrees", "beyond the paper", "agrees", "beyond the paper"]
    assert finding.numbers["rank_of_the_change"]["one"] == 1
    assert finding.numbers["rank_of_the_change"]["most"] > 50
    check_flips(figure, finding, FLIPS["fig8"])
    assert finding.curves["modal at 16 ms u_m"].min() < -3e-4


def test_the_printed_bounds_are_exceeded(found):
    """Known: u(n) u(n-1) can be below 0, so the velocity reaches the bound over
    sqrt(1 - (pi f / fs)^2), which is 1.1061340 at 6 kHz."""
    bounds = found["equations"].numbers["bounds"]
    assert equations.exact_factor(6e3) == pytest.approx(1.1061340, abs=1e-7)
    # a crest between two samples is missed, and the first energy belongs to half a step later
    assert bounds["(22) oscillator"][5] == pytest.approx(1.1061340, abs=1e-6)
    assert bounds["(22) oscillator"] == pytest.approx(bounds["expected"], rel=1e-4)
    # modes near these frequencies
    modes = [equations.exact_factor(one) for one in bounds["mode_frequency_Hz"]]
    assert bounds["(62) mode"] == pytest.approx(modes, rel=1e-3)
    # waves on the grid are slower, so their factor is less
    assert all(1.0 < grid < mode * (1.0 + 1e-3) for grid, mode in zip(
        bounds["(45) string on a grid"], modes, strict=True))
    # slow motion stays within the bound, but for (pi f / fs)^2 / 2
    assert equations.oscillator_ratio(10.0) == pytest.approx(1.0, abs=1e-6)


def test_a_density_on_one_node_tends_to_no_barrier(found):
    """Known: the spacing of the grid is the factor, 1 / 223 m at 44.1 kHz."""
    barrier = found["equations"].numbers["barrier"]
    at = [barrier["rate_over_44100_Hz"].index(factor) for factor in (1, 5, 20)]
    assert [barrier["softer"][place] for place in at] == [223.0, 522.0, 1053.0]
    assert [barrier["density"][place] for place in at] == pytest.approx(
        [0.12406, 0.06284, 0.03345], abs=1e-5)
    assert barrier["density"] == sorted(barrier["density"], reverse=True)
    assert barrier["point"] == pytest.approx([0.65] * 5, abs=2e-3)
    assert verdicts(found["equations"]) == ["paper is wrong"] * 2


@pytest.mark.parametrize("name", SHORT)
def test_a_changed_number_changes_its_verdict(found, name):
    [figure] = figures_of([f"ducceschi2019:{name}"])
    check_flips(figure, found[name], FLIPS[name])


def test_every_figure_has_changes():
    assert {figure.key.partition(":")[2] for figure in figures_of(["ducceschi2019"])} == set(FLIPS)
