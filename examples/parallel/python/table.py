"""A table of figures: printed aligned, and written as a page of Markdown.

table = Table("Spare replicas", "With a spare nobody waits for the slow worker.")
table.add(spares=0, step=Figure(0.2, "%.3f s"))
table.show(args.out)
"""

import os

FILE = "TABLE.md"


class Figure:
  """A number with the form in which it is shown, such as Figure(0.881, "%.1f %%", of=100); None is shown as a dash. A form may also be
  a function that returns the text."""

  def __init__(self, value, form="%g", of=1):
    self.value, self._form, self._of = value, form, of

  def __str__(self):
    if self.value is None:
      return "-"
    return self._form(self.value) if callable(self._form) else self._form % (self.value * self._of)


def percent(value):
  """0.8812 -> 88.1 %"""
  return Figure(value, "%.1f %%", 100)


def seconds(value):
  """3.21 -> 3.2 s, and below a second 0.021 -> 21.0 ms. None, which is a time that was not reached, is a dash."""
  return Figure(value, "%.1f s") if value is None or value >= 1 else Figure(value, "%.1f ms", 1000)


def count(value):
  """12345.6 -> 12,346"""
  return Figure(value, lambda number: format(round(number), ","))


def size(value):
  """Bytes: 12345 -> 12.3 kB"""
  for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
    if value is not None and value >= factor:
      return Figure(value, "%.1f " + unit, 1 / factor)
  return Figure(value, "%d B")


class Table:
  """Rows of named cells. `title` stands above, and `shows` below: the line that says what the figures show."""

  def __init__(self, title, shows):
    self.title, self.shows = title, shows
    self.rows = []

  def add(self, **cells):
    """A row. All have the same names, whose underscores are shown as spaces; a value is a text, a number or a Figure."""
    if self.rows and list(cells) != list(self.rows[0]):
      raise ValueError("A row of this table has %s, not %s" % (list(self.rows[0]), list(cells)))
    self.rows.append(cells)

  def value(self, row, column):
    """The number in a cell, or its text; a row is a number from 0."""
    cell = self.rows[row][column]
    return cell.value if isinstance(cell, Figure) else cell

  def _texts(self):
    """The lines of cells, heading first."""
    names = list(self.rows[0]) if self.rows else []
    return [[name.replace("_", " ") for name in names]] + [[str(cell) for cell in row.values()] for row in self.rows]

  def _to_the_left(self):
    """Of each column, whether it is of words."""
    first = list(self.rows[0].values()) if self.rows else []
    return [isinstance(cell, str) for cell in first]

  def lines(self):
    """The table in aligned columns: words to the left, numbers to the right."""
    texts, left = self._texts(), self._to_the_left()
    widths = [max(len(line[i]) for line in texts) for i in range(len(left))]
    return [
      "  ".join(text.ljust(width) if to_left else text.rjust(width) for text, width, to_left in zip(line, widths, left)).rstrip()
      for line in texts
    ]

  def markdown(self):
    """The title in bold, the table, and what it shows."""
    texts, left = self._texts(), self._to_the_left()
    rows = ["| " + " | ".join(text.replace("|", "\\|") for text in line) + " |" for line in texts]
    rule = "|" + "|".join("---" if to_left else "--:" for to_left in left) + "|"
    return "\n".join(["**%s**" % self.title, "", rows[0], rule, *rows[1:], "", self.shows, ""])

  def show(self, out=None):
    """Prints it, and adds it to TABLE.md in the folder `out`, which is made if need be."""
    print("\n".join([self.title, *("  " + line for line in self.lines()), self.shows, ""]), flush=True)
    if out:
      path = os.path.join(out, FILE)
      there = os.path.exists(path)
      with open(path, "a", encoding="utf-8") as f:
        f.write("\n" * there + self.markdown())
