"""Pictures from text, as SVG inside a page. They use the page's colours and need nothing from the network.

A fenced block `sequence` is a sequence diagram of messages, from the top down:

    Client -> Master: RunStep          an arrow; a name that comes first is further left
    Master --> Client: fetched values  a dashed arrow, for replies
    Master -> Master: prune            a local action
    Master: waits for all              a note
    == once a kind of run ==           a line across

A fenced block `boxes` is rows of boxes and arrows between them:

    client
    worker 0 / master | worker 1
    ps 0 | ps 1

    client -> worker 0 / master: RunStep
"""

import re
from html import escape

CHARACTER = 7.0  # the assumed width of a character, in pixels
LINE = 16
TEXT = 'font-family="inherit" font-size="12.5" fill="currentColor"'
# Colours of a light page; docs/assets/pictures.css has those of the page that a picture is on.
FILL = 'class="box" fill="#f5f5f5" stroke="currentColor" stroke-opacity="0.55"'
RIM = 'class="rim" stroke="#fff" stroke-width="5" paint-order="stroke"'
ARROW = re.compile(r"^(?P<a>.+?) (?P<kind>-->|->) (?P<b>[^:]+?)(?:: (?P<text>.*))?$")


def width_of(text):
  return CHARACTER * len(text)


def label(x, y, text, anchor="middle", more=""):
  return '<text x="%.1f" y="%.1f" text-anchor="%s" %s %s>%s</text>' % (x, y, anchor, TEXT, more, escape(text))


def box(x, y, width, height, lines, weight="normal"):
  out = ['<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="4" %s/>' % (x, y, width, height, FILL)]
  top = y + height / 2 - LINE * (len(lines) - 1) / 2 + 4.5
  out += [label(x + width / 2, top + LINE * i, line, more='font-weight="%s"' % weight) for i, line in enumerate(lines)]
  return out


def line(x1, y1, x2, y2, dashed=False, arrow=True):
  return '<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="currentColor" stroke-width="1.2"%s%s/>' % (
    x1,
    y1,
    x2,
    y2,
    ' stroke-dasharray="5 4"' if dashed else "",
    ' marker-end="url(#mr-arrow)"' if arrow else "",
  )


def svg(width, height, parts, title):
  head = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" style="width:%.0fpx;max-width:100%%;height:auto" role="img" '
    'aria-label="%s">' % (width, height, width, escape(title, quote=True))
  )
  marker = (
    '<defs><marker id="mr-arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse">'
    '<path d="M0,0 L10,5 L0,10 z" fill="currentColor"/></marker></defs>'
  )
  return '<div class="picture">%s%s%s</svg></div>' % (head, marker, "".join(parts))


class Sequence:
  """A `sequence` block: parsed, measured, drawn."""

  ROW = 34

  def __init__(self, text):
    self.names, self.rows = [], []
    for source in text.strip().split("\n"):
      source = source.strip()
      across, arrow = re.match(r"^== (.*) ==$", source), ARROW.match(source)
      if not source:
        continue
      if across:
        self.rows.append(("across", across.group(1)))
      elif arrow:
        a, b = self.index(arrow["a"]), self.index(arrow["b"])
        self.rows.append(("arrow", a, b, arrow["text"] or "", arrow["kind"] == "-->"))
      elif ": " in source:
        name, note = source.split(": ", 1)
        self.rows.append(("note", self.index(name), note))
      else:
        raise ValueError("a sequence has no line '%s'" % source)

  def index(self, name):
    name = name.strip()
    if name not in self.names:
      self.names.append(name)
    return self.names.index(name)

  def columns(self):
    """Returns the place of each name's line, and the total width."""
    count = len(self.names)
    half = [max(width_of(n) / 2 + 10, 45) for n in self.names]
    gaps = [half[i] + half[i + 1] + 24 for i in range(count - 1)] + [half[-1] + 10]
    left = half[0] + 6
    for row in self.rows:
      if row[0] == "arrow" and row[1] != row[2]:
        low, high = sorted(row[1:3])
        missing = width_of(row[3]) + 26 - sum(gaps[low:high])
        for i in range(low, high):
          gaps[i] += max(0, missing) / (high - low)
      elif row[0] == "arrow":
        gaps[row[1]] = max(gaps[row[1]], width_of(row[3]) + 48)
      elif row[0] == "note":
        side = width_of(row[2]) / 2 + 14
        gaps[row[1]] = max(gaps[row[1]], side + 8)
        if row[1] > 0:
          gaps[row[1] - 1] = max(gaps[row[1] - 1], side + 8)
        else:
          left = max(left, side + 6)
    places = [left]
    for gap in gaps[:-1]:
      places.append(places[-1] + gap)
    return places, places[-1] + gaps[-1]

  def draw(self):
    places, width = self.columns()
    head, height = 30, 30 + 14 + self.ROW * len(self.rows) + 10
    parts = [
      line(x, head, x, height, arrow=False).replace('stroke-width="1.2"', 'stroke-width="1" stroke-opacity="0.35"')
      for x in places
    ]
    for x, name in zip(places, self.names):
      half = max(width_of(name) / 2 + 10, 45)
      parts += box(x - half, 2, 2 * half, head - 2, [name], "bold")
    for number, row in enumerate(self.rows):
      y = head + 14 + self.ROW * number + self.ROW / 2
      if row[0] == "across":
        parts += [line(4, y, width - 4, y, dashed=True, arrow=False), self.backed(width / 2, y + 4, row[1])]
      elif row[0] == "note":
        half = width_of(row[2]) / 2 + 8
        parts += box(places[row[1]] - half, y - 11, 2 * half, 22, [row[2]])
      elif row[1] == row[2]:
        x = places[row[1]]
        parts.append(
          '<path d="M%.1f,%.1f h26 v12 h-24" fill="none" stroke="currentColor" stroke-width="1.2" '
          'marker-end="url(#mr-arrow)"/>' % (x, y - 6)
        )
        parts.append(label(x + 33, y + 4, row[3], "start"))
      else:
        a, b = places[row[1]], places[row[2]]
        parts.append(line(a, y + 5, b, y + 5, row[4]))
        parts.append(label((a + b) / 2, y - 2, row[3]))
    return svg(width, height, parts, "sequence of " + ", ".join(self.names))

  @staticmethod
  def backed(x, y, text):
    half = width_of(text) / 2 + 6
    return '<rect x="%.1f" y="%.1f" width="%.1f" height="18" class="page" fill="#fff"/>' % (x - half, y - 13, 2 * half) + label(
      x, y, text, more='font-style="italic"'
    )


class Boxes:
  """A `boxes` block. A " / " in a box begins another line of its text; `name = ` before a row is written beside
  it."""

  GAP, BETWEEN = 28, 62

  def __init__(self, text):
    self.rows, self.arrows, self.beside = [], [], []
    for source in text.strip().split("\n"):
      arrow = ARROW.match(source.strip())
      if arrow:
        self.arrows.append((arrow["a"].strip(), arrow["b"].strip(), arrow["text"] or "", arrow["kind"] == "-->"))
      elif source.strip():
        beside, found, row = source.strip().rpartition(" = ")
        self.beside.append(beside if found else "")
        self.rows.append([name.strip() for name in row.split("|")])

  def draw(self):
    between = self.BETWEEN if self.arrows else 12
    margin = max([width_of(b) for b in self.beside]) + (16 if any(self.beside) else 4)
    widths = [[max(width_of(part) for part in name.split(" / ")) + 24 for name in row] for row in self.rows]
    heights = [max(len(name.split(" / ")) for name in row) * LINE + 16 for row in self.rows]
    gap = max([self.GAP] + [width_of(text) + 30 for a, b, text, _ in self.arrows if self.row_of(a) == self.row_of(b)])
    totals = [sum(ws) + gap * (len(ws) - 1) for ws in widths]
    inner = max(totals)
    places, parts, y = {}, [], 4
    for row, ws, height, total, beside in zip(self.rows, widths, heights, totals, self.beside):
      x = margin + (inner - total) / 2
      if beside:
        parts.append(label(margin - 12, y + height / 2 + 4.5, beside, "end", 'font-style="italic"'))
      for name, width in zip(row, ws):
        places[name] = (x, y, width, height)
        parts += box(x, y, width, height, name.split(" / "))
        x += width + gap
      y += height + between
    seen = {}
    right = margin + inner
    for a, b, text, dashed in self.arrows:
      for name in (a, b):
        if name not in places:
          raise ValueError("boxes: an arrow names '%s', which is no box" % name)
      (x1, y1), (x2, y2) = self.ends(places[a], places[b])
      number = seen[(a, b)] = seen.get((a, b), 0) + 1
      shift = 14 * (number - 1)
      parts.append(line(x1 + shift, y1, x2 + shift, y2, dashed))
      if text:
        x, at = (x1 + x2) / 2 + shift, (y1 + y2) / 2
        # On a sloped line, the text has a rim of the page's colour.
        parts.append(label(x, at - 5, text) if y1 == y2 else label(x, at + 4, text, more=RIM))
        right = max(right, x + width_of(text) / 2)
    return svg(right + 6, y - between + 8, parts, "boxes: " + ", ".join(places))

  def row_of(self, name):
    return next((i for i, row in enumerate(self.rows) if name in row), -1)

  @staticmethod
  def ends(a, b):
    """Returns the ends of an arrow: from side to side in one row, from the lower edge to the upper one between
    two."""
    (ax, ay, aw, ah), (bx, by, bw, bh) = a, b
    if ay == by:
      return ((ax + aw, ay + ah / 2), (bx, by + bh / 2)) if ax < bx else ((ax, ay + ah / 2), (bx + bw, by + bh / 2))
    if ay < by:
      return (ax + aw / 2, ay + ah), (bx + bw / 2, by)
    return (ax + aw / 2, ay), (bx + bw / 2, by + bh)


def rooms(layers, there=lambda room: True):
  """Returns a `boxes` text of layers.txt: the existing rooms, by level, the highest on top."""
  levels = {}
  for source in layers.split("\n"):
    m = re.match(r"^([a-z.]+) +(\d+) ", source)
    if m and there(m.group(1)):
      levels.setdefault(int(m.group(2)), []).append(m.group(1))
  return "\n".join("level %d = %s" % (level, " | ".join(levels[level])) for level in sorted(levels, reverse=True))


def draw(kind, text):
  return {"sequence": Sequence, "boxes": Boxes}[kind](text).draw()
