"""What the tests of MIDI share: files made of bytes."""


def number(value):
    """A number of variable length."""
    found = [value & 0x7F]
    while value := value >> 7:
        found.insert(0, value & 0x7F | 0x80)
    return bytes(found)


def track(*events, end=True):
    """A track of (delta, bytes)."""
    body = b"".join(number(delta) + bytes(data)
                    for delta, data in events) + (b"\0\xff\x2f\0" if end else b"")
    return b"MTrk" + len(body).to_bytes(4) + body


def midi(*tracks, form=None, division=480, count=None):
    """A file of tracks."""
    form = (0 if len(tracks) == 1 else 1) if form is None else form
    count = len(tracks) if count is None else count
    return b"MThd\0\0\0\6" + form.to_bytes(2) + count.to_bytes(2) + (
        division & 0xFFFF).to_bytes(2) + b"".join(tracks)


def tempo(us):
    return b"\xff\x51\3" + us.to_bytes(3)


def on(key, velocity=100, channel=1):
    return bytes([0x8F + channel, key, velocity])


def off(key, channel=1):
    return bytes([0x7F + channel, key, 64])


def control(kind, value, channel=1):
    return bytes([0xAF + channel, kind, value])


def bend(value, channel=1):
    return bytes([0xDF + channel, value & 0x7F, value >> 7])


def sysex(data):
    return b"\xf0" + number(len(data) + 1) + bytes(data) + b"\xf7"


def rpn(fine, *data, coarse=0, channel=1):
    """Events that select a registered parameter and enter its coarse and fine data."""
    entries = [control(kind, value, channel) for kind, value in zip((6, 38), data, strict=False)]
    return [(0, event)
            for event in (control(101, coarse, channel), control(100, fine, channel), *entries)]
