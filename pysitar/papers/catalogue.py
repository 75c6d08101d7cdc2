"""The figures and tables that can be reproduced, in the order of the papers, and their names."""
from __future__ import annotations

from collections.abc import Sequence

from pysitar.errors import ParameterError, suggest_name
from pysitar.papers import (
    chatziioannou2017,
    ducceschi2019,
    papetti2009,
    schelleng1973,
    tanpura2d,
    walstijn2016,
)
from pysitar.papers.finding import Figure

PAPERS = {
    "chatziioannou2017": "V. Chatziioannou and M. van Walstijn (2017), On the contact duration "
                         "accuracy of discrete-time collision models, ISMA",
    "walstijn2016": "M. van Walstijn and J. Bridges (2016), Simulation of distributed contact in "
                    "string instruments: a modal expansion approach, EUSIPCO",
    "ducceschi2019": "M. Ducceschi and S. Bilbao (2019), Non-iterative solvers for nonlinear "
                     "problems: the case of collisions, DAFx",
    "papetti2009": "S. Papetti, F. Avanzini and D. Rocchesso (2009), Energy and accuracy issues "
                   "in numerical simulations of a non-linear impact model, DAFx",
    "schelleng1973": "J. C. Schelleng (1973), The bowed string and the player, J. Acoust. Soc. Am. "
                     "53",
    "tanpura2d": "J. Bridges and M. van Walstijn (2015), Investigation of tanpura string "
                 "vibrations using a two-dimensional time-domain model incorporating coupling and "
                 "bridge friction, Vienna Talk on Music Acoustics",
}
CATALOGUE: tuple[Figure, ...] = (
    *chatziioannou2017.FIGURES,
    *walstijn2016.FIGURES,
    *ducceschi2019.FIGURES,
    *papetti2009.FIGURES,
    *schelleng1973.FIGURES,
    *tanpura2d.FIGURES,
)
ALL = "all"


def figures_of(names: Sequence[str]) -> tuple[Figure, ...]:
    """Return the figures with the given names, in the order of the catalogue.

    Parameters: names, of figures (chatziioannou2017:fig4), of papers, with or without their year,
    or "all".
    Errors: ParameterError, with the most similar known name.
    """
    years = {paper.rstrip("0123456789"): paper for paper in PAPERS}
    names = [years.get(name, name) for name in names]
    known = [*PAPERS, *(figure.key for figure in CATALOGUE), ALL]
    for name in names:
        if name not in known:
            raise ParameterError(
                "figure", name, f"{suggest_name(name, known)}; pysitar reproduce --list shows all")
    return tuple(figure for figure in CATALOGUE if {ALL, figure.paper, figure.key} & set(names))
