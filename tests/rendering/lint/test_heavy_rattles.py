"""A warning where the weight of a rattle draws its string out too far."""
import pytest
from instruments import ideal_wires
from score_texts import bind_text, places_and_messages

# 50 Hz, 1 m, see the file: x = L/4
RATTLE = "\n[strings.low.rattle]\nposition = 0.25\nmass = {}\n"


@pytest.fixture
def warned(here):
    def of(mass, rows="0 b.low pluck f=1mN"):
        (here / "wires.toml").write_text(ideal_wires(low=50.0) + RATTLE.format(mass))
        return places_and_messages(bind_text(f'use "wires.toml" as b\n{rows}').warnings)
    return of


def test_its_message_is_where_the_string_is_first_played(warned):
    ((line, column, message),) = warned(10.0)
    assert (line, column) == (2, 1) and "under its rattle of 10 kg" in message
    assert warned(10.0, "0 b.high pluck f=1mN") == []


def test_the_mass_that_it_names_is_the_limit(warned):
    # the rise grows with the square of the weight; 2 digits of the mass are shown
    ((_, _, message),) = warned(10.0)
    most = 1e-3 * float(message.split("at most ")[1].split(" g")[0])
    assert warned(0.93 * most) == [] and len(warned(1.07 * most)) == 1
