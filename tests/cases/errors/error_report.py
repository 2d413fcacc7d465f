"""Which answers agree: a row for each op, the kinds of what does not, and whether that is enough."""

import collections
import dataclasses
import fnmatch
import os
import re

from error_answers import OK
from error_mutants import FETCHED

CODES, WORDS, OF_ONE_OP = 0.97, 0.90, 0.5  # the least shares of cases that agree
FEWEST = 3  # cases of an op
# Kinds of deviations: a case that differs and counts so, one whose answer is another one in each run of stock, which is
# left out, and an op of fewer than FEWEST cases.
DIFFERS, UNSTEADY, FEW = "differs", "unsteady", "few"
# Why stock has no answer of its own to cases of an op, all of which are left out.
STANDS_IN, REFUSES = "stands_in", "refuses"
KINDS_SHOWN, OPS_SHOWN = 25, 60


def read_deviations(path):
  """[(kind, op, pattern, reason)], op and pattern with *, ? and [!T] as file names have them; of FEW without a pattern."""
  rows = []
  for line in _lines(path):
    kind, op, rest = line.split(maxsplit=2)
    if kind not in (DIFFERS, UNSTEADY, FEW):
      raise ValueError("%s: no kind of deviation: %s" % (path, line))
    pattern, reason = ("", rest) if kind == FEW else rest.split(maxsplit=1)
    rows.append((kind, op, pattern, reason))
  return rows


def read_without_stock(path):
  """{op: (kind, reason)}"""
  rows = {}
  for line in _lines(path):
    kind, op, reason = line.split(maxsplit=2)
    if kind not in (STANDS_IN, REFUSES):
      raise ValueError("%s: no kind of reason: %s" % (path, line))
    rows[op] = kind, reason
  return rows


def _lines(path):
  with open(path, encoding="utf-8") as f:
    return [line.strip() for line in f if line.strip() and not line.startswith("#")]


@dataclasses.dataclass
class Row:
  """What was found of one op."""

  op: str
  family: str = ""
  counted: int = 0
  codes: int = 0
  words: int = 0
  named_codes: int = 0  # of those with another code, the ones that have a reason
  named_words: int = 0
  without_stock: int = 0  # left out: stock has no answer of its own
  unsteady: int = 0  # left out: stock's is another one in each run

  def all_cases(self):
    """With those that are left out."""
    return self.counted + self.without_stock + self.unsteady

  def share(self, agreeing):
    return agreeing / self.counted if self.counted else 1.0

  def key(self):
    """Rows with less of it come first."""
    return self.share(self.codes) + self.share(self.words), self.op


def _pattern(words):
  """First words without numbers and names."""
  return re.sub(r"'[^']*'", "'...'", re.sub(r"\d+", "0", " ".join(words)))


@dataclasses.dataclass
class Disagreement:
  mutant: object
  ours: object
  stock: object
  reason: str

  def what(self):
    return "another code" if self.ours.code != self.stock.code else "other words"

  def kind(self):
    """What is the same for mutants that disagree in the same way."""
    return (
      "no error" if self.stock.code == OK else _pattern(self.stock.words()),
      self.ours.ended or ("no error" if self.ours.code == OK else _pattern(self.ours.words())),
    )


def _row_line(name, row):
  return "%-44s %6d %7.1f %7.1f" % (name, row.counted, 100 * row.share(row.codes), 100 * row.share(row.words))


def lines_of(disagreements):
  """Lines with both texts; what is told twice in the same words is named together."""
  together = collections.defaultdict(list)
  for one in disagreements:
    together[one.mutant.op, one.what(), one.reason, one.ours.short(), one.stock.short()].append(one.mutant.title)
  lines = []
  for (op, what, reason, ours, stock), titles in together.items():
    lines += [
      "%s %s: %s%s" % (op, " ".join(titles), what, " (%s)" % reason if reason else ""),
      "  ours:  " + ours,
      "  stock: " + stock,
    ]
  return lines


class Report:
  def __init__(self, deviations, without_stock=None):
    self.deviations = deviations
    self.without_stock = without_stock or {}
    self.answered = []  # lines: what stock answers though it should not
    self.rows = {}
    self.disagreements = []
    self.falls = []  # lines: what ours does not answer
    self.not_counted = []  # lines: what stock does not answer
    self.without_sample = []  # ops

  def reason(self, kind, op, title=""):
    """Why a mutant may differ, or an op have few."""
    for of_kind, of_op, pattern, reason in self.deviations:
      if kind == of_kind and fnmatch.fnmatchcase(op, of_op) and fnmatch.fnmatchcase(title, pattern):
        return reason
    return ""

  def add_op(self, op, family):
    self.rows[op] = Row(op, family)

  def add(self, mutant, ours, stock):
    row = self.rows[mutant.op]
    name = "%s %s" % (mutant.op, mutant.title)
    if ours.ended:
      self.falls.append("%s: the server %s: %s" % (name, ours.ended, ours.text[:200]))
    if mutant.title.startswith(FETCHED + "."):
      if stock.code == OK and not stock.ended:
        self.answered.append("%s: stock has an answer to its sample, so its cases are to be compared" % mutant.op)
      return
    if stock.ended:
      self.not_counted.append("%s: stock %s; ours: %s" % (name, stock.ended, ours.short()))
      return
    if ours.code == OK and stock.code == OK:
      return
    if mutant.op in self.without_stock:
      row.without_stock += 1
      return
    if stock.is_of_one_process() or self.reason(UNSTEADY, mutant.op, mutant.title):
      row.unsteady += 1
      return
    row.counted += 1
    codes = ours.code == stock.code and not ours.ended
    words = codes and ours.words() == stock.words()
    row.codes += codes
    row.words += words
    if not words:
      reason = self.reason(DIFFERS, mutant.op, mutant.title)
      row.named_codes += bool(reason) and not codes
      row.named_words += bool(reason)
      self.disagreements.append(Disagreement(mutant, ours, stock, reason))

  def total(self):
    rows = self.rows.values()
    return Row("all", "", *(sum(getattr(r, f.name) for r in rows) for f in dataclasses.fields(Row)[2:]))

  def problems(self):
    """Why that is not enough, a line each. What has a reason counts for an op, and not for the whole."""
    found = self.falls + self.answered
    total = self.total()
    for what, agreeing, least in (("code", total.codes, CODES), ("first words", total.words, WORDS)):
      if total.share(agreeing) < least:
        found.append("%.2f %% have stock's %s, at least %g %% should" % (100 * total.share(agreeing), what, 100 * least))
    for row in self.rows.values():
      for what, agreeing in (("code", row.codes + row.named_codes), ("first words", row.words + row.named_words)):
        if row.share(agreeing) < OF_ONE_OP:
          found.append("%s: %.0f %% have stock's %s, at least half should" % (row.op, 100 * row.share(agreeing), what))
      if row.all_cases() < FEWEST and not self.reason(FEW, row.op):
        found.append("%s: %d cases, at least %d should be there" % (row.op, row.counted, FEWEST))
    return found

  def kinds(self):
    """[(how many, kind, what, an example)], the most frequent first."""
    of_kind = collections.defaultdict(list)
    for one in self.disagreements:
      of_kind[one.kind()].append(one)
    return sorted(
      ((len(ones), kind, ones[0].what(), "%s %s" % (ones[0].mutant.op, ones[0].mutant.title)) for kind, ones in of_kind.items()),
      key=lambda k: (-k[0], k[1]),
    )

  def table(self, most=OPS_SHOWN):
    """Lines: the ops that agree least, and all of them together."""
    rows = sorted((r for r in self.rows.values()), key=Row.key)
    different = [r for r in rows if r.op not in self.without_stock and (r.words < r.counted or r.all_cases() < FEWEST)]
    lines = ["%-44s %6s %7s %7s" % ("op", "cases", "code %", "words %")]
    for row in different[:most] if len(rows) > 1 else rows:
      lines.append(_row_line(row.op, row))
    if len(different) > most:
      lines.append("and %d ops more that do not agree in all" % (len(different) - most))
    if len(rows) > 1:
      lines.append("%d of %d ops agree in all" % (len(rows) - len(different), len(rows)))
      families = {r.family for r in rows}
      if len(families) > 1:
        lines += [_row_line("ops/" + f, self.of_family(f)) for f in sorted(families, key=lambda f: self.of_family(f).key())]
      lines.append(_row_line("all", self.total()))
    return lines + self.left_out_lines()

  def left_out_lines(self):
    """Of cases that are in no share."""
    total = self.total()
    return [
      "left out: {:,} cases of {:,} ops to which stock has no answer of its own, {:,} cases that stock answers otherwise in each run".format(
        total.without_stock, sum(op in self.without_stock for op in self.rows), total.unsteady
      )
    ]

  def of_family(self, family):
    part = Report(self.deviations, self.without_stock)
    part.rows = {op: r for op, r in self.rows.items() if r.family == family}
    return part.total()

  def kind_lines(self, most=KINDS_SHOWN):
    lines = []
    for count, (stock, ours), what, example in self.kinds()[:most]:
      lines.append("%5d %s, as %s" % (count, what, example))
      lines += ["      ours:  " + ours, "      stock: " + stock]
    return lines

  def whole(self):
    """All that disagrees, for a file."""
    lines = self.table(len(self.rows)) + [""] + self.kind_lines(1 << 30) + [""]
    lines += lines_of(self.disagreements)
    return lines + ["", "not counted:"] + sorted(self.not_counted)

  def summary(self):
    total = self.total()
    named = sum(bool(d.reason) for d in self.disagreements)
    return "{:,} error cases of {:,} ops: {:.2f} % with stock's code, {:.2f} % with its first words; {:,} differ, {:,} with a reason; {:,} not counted, {:,} left out".format(
      total.counted,
      len(self.rows),
      100 * total.share(total.codes),
      100 * total.share(total.words),
      len(self.disagreements),
      named,
      len(self.not_counted),
      total.without_stock + total.unsteady,
    )


_CASES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
DEVIATIONS = os.path.join(_CASES, "error_deviations.txt")
WITHOUT_STOCK = os.path.join(_CASES, "error_without_stock.txt")
