"""Names of SysEx messages in the list of omissions."""
from __future__ import annotations

UNIVERSAL = {               # not real time or real time, and its two numbers
    (0x7E, 0x09, 0x01): "GM system on", (0x7E, 0x09, 0x02): "GM system off",
    (0x7E, 0x09, 0x03): "GM2 system on", (0x7E, 0x06, 0x01): "identity request",
    (0x7E, 0x08, 0x00): "request of a tuning dump", (0x7E, 0x08, 0x03): "request of a tuning dump",
    (0x7F, 0x04, 0x01): "master volume", (0x7F, 0x04, 0x02): "master balance",
    (0x7F, 0x04, 0x03): "master fine tuning that is cut",
    (0x7F, 0x04, 0x04): "master coarse tuning that is cut",
    (0x7F, 0x04, 0x05): "global parameters",
}
# messages of manufacturers that set pitches, by address; of a part, by its last byte
GS = {(0x40, 0x00, 0x7F): "reset", (0x00, 0x00, 0x7F): "mode set",
      (0x40, 0x00, 0x00): "master tune", (0x40, 0x00, 0x05): "master key shift"}
GS_PART = {0x16: "part key shift", 0x17: "part pitch offset", 0x2A: "part fine tune",
           **dict.fromkeys(range(0x40, 0x4C), "scale tuning")}
XG = {(0x00, 0x00, 0x7E): "system on", (0x00, 0x00, 0x7F): "reset",
      (0x00, 0x00, 0x00): "master tune", (0x00, 0x00, 0x06): "master transpose"}
XG_PART = {0x08: "part note shift", 0x09: "part detune", 0x0A: "part detune",
           0x23: "part bend range",
           **dict.fromkeys(range(0x41, 0x4D), "scale tuning")}
ESCAPE = 0xF7               # not a manufacturer


def sysex_name(data: bytes) -> str:
    """Return the name of a SysEx.  Parameters: data, without its 0xf0 and 0xf7."""
    if not data:
        return "SysEx without data"
    if data[0] == ESCAPE:
        return "SysEx escape"
    if data[0] in (0x7E, 0x7F) and len(data) > 3:
        name = UNIVERSAL.get((data[0], data[2], data[3]))
        if name is None and data[2] == 0x08:
            name = "MIDI tuning that is cut or of an unknown kind"
        return f"SysEx: {name or f'universal, {data[2]:#04x} {data[3]:#04x}'}"
    if data[0] == 0x41 and len(data) > 6 and data[2] == 0x42:
        part = GS_PART if data[4] == 0x40 and data[5] >> 4 == 1 else {}
        name = GS.get((data[4], data[5], data[6])) or part.get(data[6])
        return f"SysEx: GS {name or 'parameter'}"
    if data[0] == 0x43 and len(data) > 5 and data[1] >> 4 == 1 and data[2] == 0x4C:
        part = XG_PART if data[3] == 0x08 else {}
        name = XG.get((data[3], data[4], data[5])) or part.get(data[5])
        return f"SysEx: XG {name or 'parameter'}"
    return f"SysEx of manufacturer {data[0]:#04x}"
