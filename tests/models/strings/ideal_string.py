"""An ideal string whose tuning is stretched, as a spec and as a file."""
import instruments

from pysitar.models.definitions.loader import parse_instrument
from pysitar.models.definitions.spec import BarrierSpec, PluckSpec, StringSpec

HZ = 130.0
PLUCK = PluckSpec(position=0.2, force=2.0, width=0.0, ramp=0.008, release=0.0005, touch=0.0,
                  lead=0.0)
IDEAL = StringSpec(name="a", pitch=HZ, cents=-7.0, stretch=-2.5, length=0.8, linear_density=1e-3,
                   bending_stiffness=0.0, sigma0=0.0, sigma1=0.0, sigma2=0.0, sigma3=0.0,
                   barrier=None, thread=None, pluck=PLUCK)
# never met
HIGH = BarrierSpec(profile="flat", start=0.0, extent=0.02, height=-0.01, points=1, stiffness=1e6,
                   exponent=1.0, damping=0.0)


def parse(**values):
    """The string of a file, with more values."""
    wire = instruments.string(pitch=HZ, length=0.8, **values)
    return parse_instrument(instruments.instrument(wire), name="x", shown="x.toml").strings[0]
