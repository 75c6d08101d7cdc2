"""Registered parameters of a channel (RPN): the selected one, and the values."""
from __future__ import annotations

from dataclasses import dataclass, field

DATA, DATA_FINE, INCREMENT, DECREMENT = 6, 38, 96, 97
NRPN_FINE, NRPN, RPN_FINE, RPN = 98, 99, 100, 101
SELECT_CONTROLLERS = (NRPN_FINE, NRPN, RPN_FINE, RPN)
ENTRY_CONTROLLERS = (DATA, DATA_FINE, INCREMENT, DECREMENT)
NONE = (127, 127)
BEND_RANGE, FINE, COARSE, PROGRAM, BANK, ZONE = (0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (0, 6)
INITIAL = {BEND_RANGE: (2, 0), FINE: (64, 0), COARSE: (64, 0),
           PROGRAM: (0, 0), BANK: (0, 0), ZONE: (0, 0)}
CENTS = 100                     # per semitone of a bend range
NAMES = {(0, 5): "modulation depth range", ZONE: "MPE configuration"}


@dataclass(slots=True)
class Parameters:
    """The registered parameters that affect pitch.

    Parameters: values, coarse and fine; registered, whether the selected one is; selected, its
    number.
    """

    values: dict[tuple[int, int], tuple[int, int]] = field(default_factory=lambda: dict(INITIAL))
    registered: bool = True
    selected: tuple[int, int] = NONE
    _coarse_received: bool = False      # since the selection
    _fine_received: bool = False        # before the coarse value

    def select(self, controller: int, value: int) -> None:
        """Set one half of the number of the selected parameter."""
        self.registered = controller in (RPN, RPN_FINE)
        coarse, fine = self.selected
        self.selected = (value, fine) if controller in (RPN, NRPN) else (coarse, value)
        self._coarse_received = self._fine_received = False

    def deselect(self) -> None:
        """Select no parameter."""
        self.registered, self.selected = True, NONE

    def enter(self, controller: int, value: int) -> tuple[int, int] | None:
        """Change the selected parameter; return its number (None: it does not affect pitch)."""
        number = self.selected
        if not self.registered or number not in INITIAL:
            return None
        coarse, fine = self.values[number]
        if controller == DATA:          # a fine value stays only if it was received just before
            self.values[number] = (value, fine if self._fine_received else 0)
            self._coarse_received, self._fine_received = True, False
        elif controller == DATA_FINE:
            self.values[number] = (coarse, value)
            self._fine_received = not self._coarse_received
        elif number == ZONE:
            return None
        else:                           # one step of the fine value, if there is one
            step = 1 if controller == INCREMENT else -1
            size = {BEND_RANGE: CENTS, FINE: 128}.get(number, 1)
            whole = coarse * size + (fine if size > 1 else 0) + step
            coarse, fine = divmod(min(max(whole, 0), 128 * size - 1), size)
            self.values[number] = (coarse, fine)
        return number

    @property
    def name(self) -> str:
        """The name of the selected parameter in the list of omissions."""
        if self.selected == NONE:
            return "data entry without a parameter"
        kind = "RPN" if self.registered else "NRPN"
        name = NAMES.get(self.selected, "") if self.registered else ""
        return f"{kind} {self.selected[0]}/{self.selected[1]}" + (f" ({name})" if name else "")

    @property
    def bend_range(self) -> float:
        """The bend range (semitones)."""
        coarse, fine = self.values[BEND_RANGE]
        return coarse + fine / CENTS

    @property
    def tuning(self) -> float:
        """The tuning offset of the channel (semitones)."""
        coarse, fine = self.values[FINE]
        return self.values[COARSE][0] - 64.0 + ((coarse << 7 | fine) - 8192) / 8192.0

    @property
    def program(self) -> tuple[int, int]:
        """The bank and number of the tuning program."""
        return self.values[BANK][0], self.values[PROGRAM][0]
