"""Keys that people try: what each follows from, and a near word only where it is near."""
import pytest

from pysitar.errors import closest_word, suggest_name
from pysitar.models.definitions.loader import InstrumentError, parse_instrument, preset_text
from pysitar.models.definitions.spec import BALL, BODY, GROUPS, TOP
from pysitar.models.definitions.tried_keys import BALLS, BODIES, TRIED, WHOLE

FOLLOWS = "tension follows from pitch, length and linear_density"


def message(preset, path, value=1.0):
    with pytest.raises(InstrumentError) as caught:
        parse_instrument(preset_text(preset), name=preset, shown="x.toml",
                         changes=[(tuple(path.split(".")), value)])
    [fault] = caught.value.faults
    return fault.message


@pytest.mark.parametrize(("preset", "path", "said"), [
    ("tanpura", "tension", f"the instrument has no tension; {FOLLOWS}"),
    ("tanpura", "pa.tension", f"pa has no tension; {FOLLOWS}"),
    ("tanpura", "*.tension", FOLLOWS),
    ("tanpura", "pa.Tension", FOLLOWS),
    ("tanpura", "pa.mass", "expected linear_density (kg/m)"),
    ("tanpura", "pa.frequency", "expected pitch"),
    ("tanpura", "pa.diameter",
     "expected gauge (m), the outer diameter, with material and winding, or linear_density (kg/m), "
     "of a plain steel wire of diameter d (m) 6165 d^2"),
    ("tanpura", "pa.density", "expected gauge (m), the outer diameter"),
    ("tanpura", "pa.t60", "expected sigma0 (1/s), 6.91 over the decay time T60 (s)"),
    ("tanpura", "pa.stiffness", "expected bending_stiffness (N m^2)"),
    ("tanpura", "pa.bridge.height", "expected barrier"),
    ("tanpura", "pa.position", "expected pa.thread.position or pa.pluck.position"),
    ("tanpura", "pa.pluck.f", "f is its short name in rows; expected force"),
    ("tanpura", "pa.pluck.velocity", "expected force (N)"),
    ("tanpura", "pa.gain", "gain is a key of the whole instrument"),
    ("tanpura", "length", "expected STRING.length"),
    ("tanpura", "body.decay_rates", "expected q"),
    ("tanpura", "pa.lenght", "pa has no lenght; did you mean length?"),
    ("tanpura", "pa.trunction", "pa has no trunction; did you mean truncation?"),
    ("tanpura", "pb.length",
     "the instrument has no pb; expected one of model, gain, spread, scheme, polarisation, body, "
     "pa, sa1, sa2, kharaj"),
    ("bell_bar", "bar.frequency", "expected frequencies (Hz), a list"),
    ("bell_bar", "bar.t60", "expected decay_rates (1/s)"),
    ("bell_bar", "bar.density", "an object is described by its modes"),
    ("bell_bar", "bar.radius", "expected balls.NAME.radius"),
    ("bell_bar", "balls.glass.diameter", "expected radius (m), half of the diameter"),
    ("bell_bar", "balls.glas.radius", "balls has no glas; did you mean glass?"),
])
def test_what_is_said_of_a_key_that_people_try(preset, path, said):
    assert said in message(preset, path)


def test_a_file_is_answered_as_a_score_is():
    text = preset_text("tanpura").replace("length = ", "tension = 120\nlength = ", 1)
    with pytest.raises(InstrumentError, match=f"strings.pa.tension: is not known; {FOLLOWS}"):
        parse_instrument(text, name="t", shown="x.toml")


def test_no_key_that_there_is_stands_in_the_table():
    keys = {WHOLE: TOP, BODIES: BODY, BALLS: BALL}
    for group, part in GROUPS.items():
        inner = {name: table.keys for name, table in part.tables.items()}
        keys |= {group: part.keys, **({} if group != "strings" else inner)}
    for kind, entries in TRIED.items():
        assert not entries.keys() & dict(keys.get(kind, {})).keys(), kind


@pytest.mark.parametrize(("word", "known", "close"), [
    ("lenght", "length", True), ("pluk", "pluck", True), ("veloctiy", "velocity", True),
    ("sa", "sa2", True), ("bra", "bar", True), ("LENGTH", "length", True),
    ("density", "linear_density", True), ("freq", "frequencies", True),
    ("stifness", "stiffness", True), ("tension", "truncation", False), ("spread", "lead", False),
    ("stone", "steel", False), ("pa", "sa", False), ("q", "b", False), ("normal", "uniform", False),
    ("e2", "a2", False), ("", "a", False), ("tarafs_bloom", "train", False),
    ("x" * 10_000, "xy", False)])
def test_only_what_is_close_is_a_hint(word, known, close):
    assert (closest_word(word, (known,)) == known) is close


def test_the_closest_of_several_is_the_hint():
    assert suggest_name("strkie", ["stroke", "strike", "strikes"]) == "did you mean strike?"
    assert suggest_name("pluckk", ["plucked", "pluck"]) == "did you mean pluck?"
    assert suggest_name("zzz", ["a", "b", "a"]) == "expected one of a, b"
    assert suggest_name("zzz", []) == "expected no name: none is defined here"
