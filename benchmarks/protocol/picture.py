"""The ratios of all rows as an SVG: a line for each case, a mark for each row, on a logarithmic axis."""

import math
from xml.sax.saxutils import escape, quoteattr

import goals as goals_file

LEFT, RIGHT, WIDTH = 150, 290, 960  # of the plot; the rest is for names and notes
TOP, LINE, BOTTOM = 64, 30, 60
RADIUS, LANES = 3.4, (0, -6.5, 6.5, -3.3, 3.3)
INK, FAINT, GRID = "#333", "#777", "#e4e4e4"
GOOD, SIDE, RED = "#3b6ea5", "#9aa9b8", "#c0392b"


def is_side(row):
  """Returns whether the row is memory or CPU time: a secondary cost of a figure."""
  return row.unit == "MB" or row.name.endswith(goals_file.CPU)


def ticks(low, high):
  """Returns the numbers 1, 2, 5 of each power of ten, from the last one below `low` to the first one above `high`."""
  steps = [m * 10.0**e for e in range(-4, 7) for m in (1, 2, 5)]
  first = max(i for i, s in enumerate(steps) if s <= low or i == 0)
  last = min(i for i, s in enumerate(steps) if s >= high or i == len(steps) - 1)
  return steps[first : last + 1]


def axis(rows):
  """Returns ticks that include all ratios and 1."""
  ratios = [row.ratio for row in rows if row.ratio] + [row.factor for row in rows if row.red and row.factor]
  return ticks(min(ratios + [0.8]), max(ratios + [2.0]))


def lanes(places):
  """Returns a vertical offset for each place, so that marks do not cover their neighbours."""
  ends = [-math.inf] * len(LANES)
  found = []
  for x in places:
    free = next((i for i, end in enumerate(ends) if x - end > 2 * RADIUS), min(range(len(ends)), key=ends.__getitem__))
    ends[free] = x
    found.append(LANES[free])
  return found


def text(x, y, words, size=12, anchor="start", fill=INK, more=""):
  return '<text x="%.1f" y="%.1f" font-size="%g" text-anchor="%s" fill="%s"%s>%s</text>' % (
    x,
    y,
    size,
    anchor,
    fill,
    more,
    escape(words),
  )


def mark(x, y, row):
  title = "<title>%s</title>" % escape("%s: %.2f, %s" % (row.name, row.ratio, row.verdict))
  if row.red:
    r = RADIUS + 1.4
    return '<path d="M%.1f %.1fl%g %gl%g %gl%g %gz" fill="%s">%s</path>' % (x, y - r, r, r, -r, r, -r, -r, RED, title)
  if is_side(row):
    return '<circle cx="%.1f" cy="%.1f" r="%g" fill="#fff" stroke="%s" stroke-width="1.2">%s</circle>' % (
      x,
      y,
      RADIUS - 0.6,
      SIDE,
      title,
    )
  return '<circle cx="%.1f" cy="%.1f" r="%g" fill="%s" fill-opacity="0.8">%s</circle>' % (x, y, RADIUS, GOOD, title)


def note(rows):
  """Returns the note beside a case's line, and its colour: the row that is furthest below its goal, else the
  worst."""
  red = [row for row in rows if row.red]
  dark = [row for row in red if not row.ratio]
  if dark:
    more = " and %d more" % (len(dark) - 1) if len(dark) > 1 else ""
    return "%s: %s%s" % (dark[0].name.partition("/")[2], dark[0].verdict, more), RED
  timed = [row for row in red or rows if row.ratio and (red or not is_side(row))]
  if not timed:
    return "", FAINT
  worst = min(timed, key=lambda row: row.ratio / (row.factor or 1))
  return "%.2f %s" % (worst.ratio, worst.name.partition("/")[2]), RED if red else FAINT


def draw(rows):
  """Returns the text of the SVG. Rows without a ratio are listed beside the line of their case."""
  cases = list(dict.fromkeys(row.case for row in rows))
  height = TOP + LINE * len(cases) + BOTTOM
  steps = axis(rows)
  low, high = math.log(steps[0]), math.log(steps[-1])

  def at(ratio):
    return LEFT + (WIDTH - LEFT - RIGHT) * (math.log(ratio) - low) / (high - low)

  out = [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" role="img" aria-label=%s>'
    % (WIDTH, height, quoteattr("How many times better Millrace is than stock TensorFlow, row by row")),
    '<rect width="100%" height="100%" fill="#fff"/>',
    text(LEFT, 24, "How many times better than TensorFlow's servers", 15),
    text(
      LEFT, 42, "each mark is a row of the table, on a logarithmic axis; right of the line Millrace is better", 11, fill=FAINT
    ),
    text(WIDTH - RIGHT + 16, TOP - 8, "the case's worst row", 10.5, fill=FAINT),
  ]
  bottom = TOP + LINE * len(cases)
  for step in steps:
    out.append(
      '<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="%s" stroke-width="%g"/>'
      % (at(step), TOP, at(step), bottom, "#888" if step == 1 else GRID, 1.4 if step == 1 else 1)
    )
    out.append(text(at(step), bottom + 16, "%g" % step, 11, "middle", FAINT))
  for i, case in enumerate(cases):
    y = TOP + LINE * (i + 0.5)
    of = sorted((row for row in rows if row.case == case), key=lambda row: row.ratio or 0)
    shown = [row for row in of if row.ratio]
    out.append(text(LEFT - 12, y + 4, case, 12, "end"))
    for row, lane in zip(shown, lanes([at(row.ratio) for row in shown])):
      if row.red and row.factor and row.factor > row.ratio:  # the distance to its goal
        out.append(
          '<path d="M%.1f %.1fH%.1fm0 -4v8" stroke="%s" fill="none" stroke-opacity="0.6"/>'
          % (at(row.ratio), y + lane, at(row.factor), RED)
        )
      out.append(mark(at(row.ratio), y + lane, row))
    words, fill = note(of)
    out.append(text(WIDTH - RIGHT + 16, y + 4, words if len(words) < 46 else words[:44] + "...", 10.5, fill=fill))
  x, y = LEFT, bottom + 42
  for kind, words in (
    (dict(unit="us"), "time or rate"),
    (dict(unit="MB"), "memory or CPU time of the servers"),
    (dict(red=True), "red; the thin line leads to its goal"),
  ):
    out += [mark(x + 5, y - 4, _Legend(**kind)), text(x + 14, y, words, 11, fill=FAINT)]
    x += 28 + 6.2 * len(words)
  return "\n".join(out + ["</svg>", ""])


class _Legend:
  """A row with the attributes that mark() uses."""

  name, ratio, verdict = "", 1.0, ""

  def __init__(self, unit="", red=False):
    self.unit, self.red = unit, red
