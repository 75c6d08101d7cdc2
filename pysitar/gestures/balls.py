"""The ball of a blow, a fall or a roll on an object: its parameters, and its weight."""
from __future__ import annotations

from pysitar.errors import ParameterError
from pysitar.gestures.base import Row
from pysitar.gestures.felt import check_losses
from pysitar.physics import ranges
from pysitar.physics.contact import HIGHEST_EXPONENT, MOST_DAMPING
from pysitar.physics.parameters import Parameter, ranged, table

LIGHTEST, HEAVIEST = 1e-6, 1e3          # kg
STIFFEST = 1e12                         # N/m^exponent
GRAVITY = 9.81                          # m/s^2
MOST_SEATS = 2048                       # balls that an object can have at a time

BALL_NAME = Parameter(name="ball", kind="text",
                      meaning="the name of a ball of the instrument, whose values are the defaults")
PLACE = Parameter(
    name="place", kind="text", meaning=
    "the name of the place of the object that the ball touches; without it, the place of its "
    "shapes"
)
ROW_POINT = Parameter(name="position", alias="x", low=0.0, high=1.0,
                      meaning="where on a bar or plate, as a fraction of its length")
ROW_Y = Parameter(name="y", low=0.0, high=1.0,
                  meaning="where on a plate, as a fraction of its width")
ROW_RADIUS = Parameter(name="r", low=0.0, high=1.0,
                       meaning="where on a disc or membrane, from its middle, in radii")
ANGLE = Parameter(name="angle", unit="deg", low=-360.0, high=360.0,
                  meaning="where on a disc or membrane, the direction from its middle")
COORDINATES = table(ROW_POINT, ROW_Y, ROW_RADIUS, ANGLE)
NAMES = (BALL_NAME, PLACE, *COORDINATES.values())
POINTS = (((PLACE.name,), tuple(COORDINATES)),)         # of which a row has one
MASS = Parameter(name="mass", meaning="the mass of the ball", alias="m", unit="kg", low=LIGHTEST,
                 high=HEAVIEST)
RADIUS = Parameter(name="radius", meaning="the radius of the ball", unit="m", low=1e-6, high=10.0)
STIFFNESS = Parameter(name="stiffness", alias="K", unit="N/m^exponent", low=0.0, high=STIFFEST,
                      open_low=True, smallest=1e-6, meaning=
                      "the contact stiffness of ball and object; harder is brighter")
EXPONENT = Parameter(
    name="exponent", alias="alpha", low=1.0, high=HIGHEST_EXPONENT, default=1.5,
    meaning="the power of the compression in the force; 1.5 is a ball on a plane")
DAMPING = Parameter(
    name="damping", unit="s/m", low=0.0, high=MOST_DAMPING, default=0.0,
    meaning="the Hunt-Crossley damping of the contact, which dissipates the ball's energy")
LOSS_TIME = ranged("loss_time", ranges.LOSS_TIME, default=0.0, meaning=
                   "the loss of a viscoelastic ball, in the place of damping: the force has a part "
                   "loss_time times the rate of its spring's")
IRREGULARITY = Parameter(
    name="irregularity", low=0.0, high=1.0, smallest=1e-9, default=0.0, meaning=
    "the largest lever arm of its contacts, in radii, drawn at each bounce from the seed")
CONTACT = (MASS, STIFFNESS, EXPONENT)


def check_point(row: Row) -> None:
    """Report coordinates of a row that its object does not have."""
    known = () if row.spec.surface is None else row.spec.surface.coordinates
    points = " and ".join(COORDINATES[one].alias or one for one in known)
    for name, parameter in COORDINATES.items():
        if name in row.values and name not in known:
            expected = (f"this object has no {parameter.alias or name}; expected "
                        + (points or "a place that its file names, or none"))
            row.report_value(name, str(ParameterError(name, row.values[name], expected)))


def check_loss(row: Row) -> None:
    """Report two laws of loss, of a hammer or ball, and the time of a memory that it has not."""
    if "memory_time" in row.row_names and row.values["memory"] == 0.0:
        row.report_value("memory_time", "memory_time has no effect while memory is 0; expected "
                                        "memory above 0, or no memory_time")
    try:
        check_losses(row.values["memory"], row.values["damping"],
                     row.values.get("loss_time", 0.0))
    except ParameterError as error:
        row.report_value(error.name, str(error))
