"""The style of the figures: one paper column wide, with colours and line styles that are also
distinct to the colour-blind."""
from __future__ import annotations

import io
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pysitar.papers.finding import Finding

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

WIDTH = 3.35                    # inches, 85 mm
DOTS = 300                      # an inch, of the PNG
# Okabe & Ito 2008
BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, VERMILION, PURPLE = (
    "#000000", "#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7")
GREY = "#999999"
CYCLE = (BLUE, VERMILION, BLACK, GREEN, PURPLE, SKY, ORANGE, YELLOW)
DASHES: tuple[Any, ...] = ("-", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (7, 2)), "-.",
                           (0, (2, 1)), "-")
SNAPSHOTS: tuple[dict[str, Any], ...] = tuple(  # styles of eight successive curves
    {"color": color, "linestyle": style, "linewidth": 0.9}
    for color, style in zip((BLUE, VERMILION, ORANGE, PURPLE, GREEN, SKY, GREY,
                             BLACK), DASHES, strict=True))
STYLES: dict[str, Any] = {
    "font.size": 8.0,
    "axes.titlesize": 8.0,
    "axes.labelsize": 8.0,
    "legend.fontsize": 7.0,
    "xtick.labelsize": 7.0,
    "ytick.labelsize": 7.0,
    "lines.linewidth": 1.0,
    "lines.markersize": 3.0,
    "axes.linewidth": 0.6,
    "axes.grid": True,
    "grid.linewidth": 0.4,
    "grid.alpha": 0.4,
    "legend.frameon": True,
    "legend.framealpha": 0.85,
    "legend.edgecolor": "none",
    "legend.handlelength": 2.0,
    "legend.columnspacing": 1.0,
    "legend.handletextpad": 0.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "svg.fonttype": "path",
}


def sheet(rows: int = 1, columns: int = 1, *, height: float,
          **axes: Any) -> tuple[Drawing, list[Axes]]:
    """Return an empty drawing, one column wide.

    Parameters: rows, columns of axes; height (inches); axes, further options of `Figure.subplots`,
    such as sharex.
    Returns: the drawing, and its axes row by row.
    """
    from matplotlib.figure import Figure as Drawing

    drawing = Drawing(figsize=(WIDTH, height), dpi=DOTS, layout="constrained")
    return drawing, list(drawing.subplots(rows, columns, squeeze=False, **axes).flat)


def legend_below(drawing: Drawing, axes: Axes, *, columns: int = 3) -> None:
    """Put the legend of the axes below the drawing."""
    drawing.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=columns)


def power_of_ten(value: float) -> str:
    """Return the text of a power of ten, with a raised exponent."""
    return f"$10^{{{round(math.log10(value))}}}$"


def pictures_of(finding: Finding, draw: Callable[[Finding], Drawing]) -> tuple[bytes, bytes]:
    """Draw a finding as PNG and as SVG; the bytes are reproducible.

    Errors: ImportError without matplotlib.
    """
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    with mpl.rc_context():
        mpl.rcdefaults()
        styles: Any = STYLES | {"svg.hashsalt": finding.key}
        mpl.rcParams.update(styles)
        drawing = draw(finding)
        png, svg = io.BytesIO(), io.BytesIO()
        FigureCanvasAgg(drawing).print_png(png, metadata={"Software": None
                                                          })  # type: ignore[no-untyped-call]
        FigureCanvasSVG(drawing).print_svg(svg, metadata={"Date": None, "Creator": None
                                                          })  # type: ignore[no-untyped-call]
        return png.getvalue(), svg.getvalue()
