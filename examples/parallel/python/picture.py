"""Pictures of what a program measured, as SVG, by matplotlib where it is installed.

    picture = Picture("Data parallelism in four forms")
    picture.lines({"in-graph": (seconds, accuracies)}, x="seconds", y="accuracy on the test images", level=0.88)
    picture.bars({"in-graph": 52_300}, axis="examples/s")
    picture.write(args.out, "data_parallel")

Each call of lines or bars is a panel; panels stand side by side.
"""

import os
import sys

# Those of the C++ programs' pictures, too.
COLOURS = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#7f7f7f"]
PANEL_INCHES = (5.4, 3.8)
STYLE = {
  "axes.axisbelow": True,
  "axes.grid": True,
  "axes.spines.right": False,
  "axes.spines.top": False,
  "figure.facecolor": "white",
  "font.size": 10,
  "grid.color": "#e4e4e4",
  "legend.frameon": False,
  "lines.linewidth": 1.6,
  "svg.fonttype": "none",  # text as text, which is smaller, and can be searched
  "svg.hashsalt": "millrace",  # the same picture of the same figures
}
INSTALL = "No picture: matplotlib is not installed; `%s -m pip install matplotlib` installs it." % os.path.basename(
  sys.executable
)


class Picture:
  def __init__(self, title):
    self.title = title
    self._panels = []

  def lines(self, series, x, y, level=None, bottom=0, logarithmic=False):
    """{name: (xs, ys)}, a line each; `level` is a height that is marked. The heights begin at `bottom`, None for where the lowest is."""

    def draw(axes):
      for i, (name, (xs, ys)) in enumerate(series.items()):
        axes.plot(xs, ys, label=name, color=COLOURS[i % len(COLOURS)], marker="o" if len(xs) < 15 else None, markersize=3)
      if level is not None:
        axes.axhline(level, color="#777", linewidth=1, linestyle="--")
      axes.set_xlabel(x)
      axes.set_ylabel(y)
      if logarithmic:
        axes.set_yscale("log")
      elif bottom is not None:
        axes.set_ylim(bottom=bottom)
      if len(series) > 1:
        axes.legend()

    self._panels.append(draw)

  def bars(self, values, axis, errors=None):
    """{name: number}, a bar each with its number; `errors`, {name: number}, are drawn as how far it varies."""

    def draw(axes):
      names = list(values)
      spread = [(errors or {}).get(name, 0) for name in names]
      places = range(len(names))
      drawn = axes.barh(
        places,
        list(values.values()),
        xerr=spread if errors else None,
        color=[COLOURS[i % len(COLOURS)] for i in places],
        height=0.6,
      )
      axes.bar_label(drawn, labels=[_short(values[name]) for name in names], padding=4)
      axes.set_yticks(places, names)
      axes.invert_yaxis()
      axes.grid(axis="y", visible=False)
      axes.set_xlabel(axis)
      axes.margins(x=0.15)
      axes.set_xlim(left=0)

    self._panels.append(draw)

  def write(self, out, name):
    """Writes NAME.svg into the folder `out`; without one, nothing. Without matplotlib it says how to install it, and goes on."""
    if not out:
      return
    try:
      import matplotlib
    except ImportError:
      print(INSTALL, flush=True)
      return
    matplotlib.use("svg")
    from matplotlib import pyplot

    with pyplot.rc_context(STYLE):
      width, height = PANEL_INCHES
      figure, axes = pyplot.subplots(
        1, len(self._panels), figsize=(width * len(self._panels), height), layout="constrained", squeeze=False
      )
      figure.suptitle(self.title, fontweight="bold")
      for panel, draw in zip(axes[0], self._panels):
        draw(panel)
      os.makedirs(out, exist_ok=True)
      figure.savefig(os.path.join(out, name + ".svg"), metadata={"Date": None})
      pyplot.close(figure)


def _short(value):
  """A number in three digits, with commas: 0.0213, 3.21, 52,300."""
  if value == 0:
    return "0"
  return format(float("%.3g" % value), ",.0f") if abs(value) >= 100 else "%.3g" % value
