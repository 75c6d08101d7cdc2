"""What the two-point and the three-point network refuse: wrong arrays and values in the constructor
and in calls, which change nothing."""
import pickle

import numpy as np
import pytest
from twins.laws import law_columns
from twins.modal_cases import DT, GOOD

from pysitar.kernels.modal.three_point import ThreePoint
from pysitar.kernels.modal.two_point import TwoPoint

both = pytest.mark.parametrize("scheme", [TwoPoint, ThreePoint])


@both
@pytest.mark.parametrize("name", [name for name in GOOD if name != "time_step"])
def test_wrong_shapes_in_the_constructor(scheme, name):
    assert scheme(**GOOD).rows == 3
    value = GOOD[name]
    longer = np.concatenate([value, value[:1]])
    complex_values = (value["damping"] if name == "laws" else value).astype(np.complex128)
    for wrong in (longer, value[:1].copy(), value[:0].copy(), value[None].copy(), np.zeros(
        ()), complex_values):
        with pytest.raises(ValueError):
            scheme(**{**GOOD, name: wrong})
    with pytest.raises(TypeError):
        scheme(**{**GOOD, name: None})
    with pytest.raises(TypeError):
        scheme(**{key: parameters for key, parameters in GOOD.items() if key != name})


@both
@pytest.mark.parametrize(("name", "value"), [
    ("time_step", 0.0),
    ("time_step", -DT),
    ("time_step", np.nan),
    ("time_step", np.inf),
    ("masses", [1.0, 0.0]),
    ("masses", [1.0, np.nan]),
    ("masses", [1.0, np.inf]),
    ("decay_rates", [0.0, -1.0]),
    ("decay_rates", [np.nan, 0.0]),
    ("angular_frequencies", [100.0, np.pi / DT]),
    ("angular_frequencies", [-1.0, 100.0]),
    ("angular_frequencies", [np.nan, 100.0]),
    ("laws", law_columns(3, kinds=[0, 2, 0])),
    ("laws", law_columns(3, kinds=[0, -1, 0])),
])
def test_wrong_values_in_the_constructor(scheme, name, value):
    with pytest.raises(ValueError):
        scheme(**{**GOOD, name: value if name == "time_step" else np.array(value)})


@both
def test_a_loaded_network_is_not_loaded_again(scheme):
    kernel = scheme(**GOOD)
    with pytest.raises(RuntimeError, match="expected one call"):
        kernel._load_network(2, **GOOD)
    with pytest.raises(TypeError):
        scheme(**GOOD, unknown=1.0)
    assert kernel.advance(2, np.zeros((2, 0))) == 2


@both
def test_wrong_shapes_in_calls(scheme):
    kernel = scheme(**GOOD)
    z = np.zeros
    for call, *arguments in (
        ("set_state", z(2), z(3)),
        ("set_state", z(3), z(2)),
        ("set_state", z(1), z(2)),
        ("set_state", z((2, 1)), z(2)),
        ("set_row_shape", 0, z(3)),
        ("set_row_shape", 0, z(1)),
        ("set_outputs", z((1, 3))),
        ("set_outputs", z((1, 2)), z((1, 3))),
        ("set_outputs", z((1, 2)), z((2, 2))),
        ("set_outputs", z((1, 2)), z((1, 2)), z((1, 2))),
        ("set_outputs", z((1, 2)), z((1, 2)), z((2, 3))),
        ("set_outputs", z(2)),
        ("set_inputs", z((1, 3))),
        ("set_inputs", z(2)),
            # arrays that NumPy would broadcast are errors too
        ("set_outputs", z((2, 1))),
        ("set_outputs", z((2, 2)), z((1, 2))),
        ("set_outputs", z((2, 2)), z((2, 1))),
        ("set_outputs", z((2, 2)), None, z((1, 3))),
        ("set_outputs", z((2, 2)), None, z((2, 1))),
        ("set_inputs", z((1, 1))),
    ):
        with pytest.raises(ValueError):
            getattr(kernel, call)(*arguments)
            pytest.fail(f"{call}{[np.shape(a) for a in arguments]} was taken")
    for row, field in ((-1, 0), (3, 0), (0, -1), (0, 3), (2**40, 0)):
        with pytest.raises(IndexError):
            kernel.set_row(row, field, 1.0)
    for row in (-1, 3):
        with pytest.raises(IndexError):
            kernel.set_row_shape(row, z(2))
    # none of these changed anything
    assert kernel.advance(2, z((2, 0))) == 2


@both
def test_wrong_shapes_in_advance(scheme):
    kernel = scheme(**GOOD)
    z = np.zeros
    one = {
        "control_rows": np.zeros(1, dtype=np.int32), "control_fields": np.zeros(1, dtype=np.int32)
    }
    kernel.set_outputs(z((2, 2)))
    for out in (z((4, 2)), z((6, 2)), z((5, 1)), z((5, 3)), z(10), z((5, 2, 1)), z(
        (5, 2), order="F"), z((5, 2), dtype=np.float32)):
        with pytest.raises(ValueError):
            kernel.advance(5, out)
    with pytest.raises(ValueError):
        kernel.advance(-1, z((0, 2)))
    with pytest.raises(TypeError):
        kernel.advance(5, None)
    frozen = z((5, 2))
    frozen.setflags(write=False)
    with pytest.raises(ValueError):
        kernel.advance(5, frozen)
    out = z((5, 2))
    for options in (
        {"forces": z((5, 1))},
        {"energies": z((1, 5)), "every": 64},
        {"energies": z((0, 6)), "every": 64},
        {"energies": z((4, 6)), "every": 1},
        {"every": 64},
        {"energies": z((5, 6)), "every": -1},
        {"controls": z((5, 1))},
        {**one, "controls": z((4, 1))},
        {**one, "controls": z((5, 2))},
        {**one, "controls": z((5, 1)), "control_fields": None},
        {**one, "controls": z((5, 1)), "control_rows": np.zeros(2, dtype=np.int32)},
    ):
        with pytest.raises(ValueError):
            kernel.advance(5, out, **options)
            pytest.fail(f"{options} was taken")
    for row, field in ((3, 0), (-1, 0), (0, 3), (0, -1)):
        with pytest.raises(IndexError):
            kernel.advance(5, out, controls=z((5, 1)), control_rows=np.array([row], dtype=np.int32),
                           control_fields=np.array([field], dtype=np.int32))
    kernel.set_inputs(z((2, 2)))
    for forces in (None, z((5, 1)), z((4, 2)), z((5, 3))):
        with pytest.raises(ValueError):
            kernel.advance(5, out, forces=forces)
    assert kernel.count == 0
    assert kernel.advance(5, out, forces=z((5, 2))) == 5


@both
def test_arrays_are_kept(scheme):
    # outputs and inputs are copied: later changes of the caller's arrays have no effect
    kernel = scheme(**GOOD)
    weights, shapes = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
    kernel.set_outputs(weights)
    kernel.set_inputs(shapes)
    weights[:] = shapes[:] = np.nan
    del weights, shapes
    out = np.empty((3, 1))
    kernel.advance(3, out, forces=np.ones((3, 1)))
    assert np.isfinite(out).all()
    with pytest.raises(TypeError):
        pickle.dumps(kernel)
