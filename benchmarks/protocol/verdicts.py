"""Every row of the suite with its verdict, from the records of two kinds of servers and the goals.

A row is red if a side lacks it, fails or makes no progress, if its goal is missed, and if it has none. It is short
if its goal is an aim and it is only as good as stock's.

The scatter of a row estimates how far its ratio may be off by chance: each side's interquartile range of
its samples of all rounds (of fewer than eight samples: the range), over their median; for
both sides the root of the sum of the squares. A row that must only be as good as stock's may be that much worse, but
never more than a quarter. Other goals are compared exactly.

Rounds one after the other run under different load on a busy machine. So a row that misses its goal there is
measured again in turns (turns.py) if its case has turns, and that ratio counts.
"""

import math

import goals as goals_file
from harness import median

from case_process import FAILED

MOST_SCATTER = 0.25
MISSED, SHORT = "missed", "short of it"  # the beginnings of these verdicts
FEW = 8  # fewer samples have no meaningful quartiles


class Row:
  """A line of the table. stock and ours are medians, or None; ratio: how many times better ours is."""

  def __init__(
    self, name, unit="", stock=None, ours=None, ratio=None, scatter=0.0, goal="", verdict="", red=False, factor=None, short=False
  ):
    self.short = short
    self.name, self.unit, self.stock, self.ours, self.ratio = name, unit, stock, ours, ratio
    self.scatter, self.goal, self.verdict, self.red = scatter, goal, verdict, red
    self.factor = factor  # the least ratio, if the goal is one

  @property
  def case(self):
    return self.name.partition("/")[0]


class Figure:
  """One side's samples of a row."""

  def __init__(self, record):
    self.unit, self.better = record["unit"], record["better"]
    self.samples, self.rounds = list(record["samples"]), 1

  @property
  def median(self):
    return median(self.samples)

  def stands_still(self):
    return self.better == "more" and min(self.samples) <= 0


def figures(records):
  """Returns {row: Figure} of one side; the CPU times of servers are rows of their own."""
  rows = {}
  for r in records:
    if r["metric"] == FAILED:
      continue
    name = "%s/%s" % (r["case"], r["metric"])
    both = [(name, r)]
    if "server_cpu_us" in r:
      both.append((name + goals_file.CPU, dict(unit="us", better="less", samples=[r["server_cpu_us"]])))
    for key, record in both:
      if key in rows:
        rows[key].samples += record["samples"]
        rows[key].rounds += 1
      else:
        rows[key] = Figure(record)
  return rows


def failures(records):
  """Returns {case: the reason, in one line}."""
  return {r["case"]: r["error"].partition("\n")[0] for r in records if r["metric"] == FAILED}


def breaks_off(records):
  """Returns whether a case failed or made no progress, which more rounds would not repair."""
  return bool(failures(records)) or any(figure.stands_still() for figure in figures(records).values())


def quantile(xs, q):
  """Returns a quantile, interpolated between neighbours. Requires two or more samples."""
  xs = sorted(xs)
  at = q * (len(xs) - 1)
  low = min(int(at), len(xs) - 2)
  return xs[low] + (at - low) * (xs[low + 1] - xs[low])


def spread(samples):
  """Returns the interquartile range, or of few samples the range, over the median."""
  middle = median(samples)
  ends = (min(samples), max(samples)) if len(samples) < FEW else (quantile(samples, 0.25), quantile(samples, 0.75))
  return (ends[1] - ends[0]) / abs(middle) if middle else 0.0


def scatter_of(a, b):
  return math.hypot(spread(a.samples), spread(b.samples))


def ratio_of(stock, ours):
  """Returns how many times better ours is; None if that is meaningless."""
  up, down = (ours.median, stock.median) if stock.better == "more" else (stock.median, ours.median)
  return up / down if down > 0 else None


def missing(case, stock, ours, failed):
  """Returns the verdict on a row that a side lacks."""
  words = {
    side: "failed" if case in failed[side] else "missing" for side, figure in (("stock", stock), ("ours", ours)) if figure is None
  }
  if len(words) == 2 and words["stock"] == words["ours"]:
    return words["ours"] + " on both"
  return ", ".join("%s on %s" % (word, side) for side, word in words.items())


def too_few_rounds(stock, ours, rounds):
  return ", ".join(
    "only in %d of %d rounds on %s" % (figure.rounds, rounds, side)
    for side, figure in (("stock", stock), ("ours", ours))
    if figure.rounds < rounds
  )


def has_turns(row, goal):
  """Returns whether turns can change the verdict on a row: a goal was missed, of a median of calls that are timed one by one.

  A row that a round lacks or that makes no progress keeps its verdict.
  """
  return bool(
    row.ratio
    and goal
    and goal.kind in (goals_file.STOCK, goals_file.TIMES)
    and row.unit != "MB"
    and row.verdict.startswith((MISSED, SHORT))
    and not row.name.endswith(".p99")
  )


def in_turns(name, turns):
  """The ratios that turns gave for a row, [] if they gave none. Turns time calls one by one, as medians do."""
  return turns.get(name) or turns.get(name.replace(".p50", ""), [])


def compare(name, goal, stock, ours, others, rounds, turns=()):
  """Returns the line of a row that both sides have. others: {row: Figure} that goals name. turns: the row's ratios in
  turns."""
  row = measured(name, goal, stock, ours, others, rounds)
  if turns and row.red and has_turns(row, goal):
    row.ratio, row.scatter = median(turns), spread(turns)

    def done(verdict, red):
      row.verdict, row.red = verdict + ", in turns", red
      return row

    judged(done, row.ratio, goal.factor, row.scatter)
  if goal.aim and row.red and row.ratio:
    as_stock = row.ratio >= 1 - min(row.scatter, MOST_SCATTER)
    if as_stock and row.verdict.startswith(MISSED):
      row.verdict, row.red, row.short = SHORT + row.verdict.removeprefix(MISSED), False, True
  return row


def measured(name, goal, stock, ours, others, rounds):
  """Returns the line of a row by the rounds alone."""
  row = Row(name, ours.unit, stock.median, ours.median, ratio_of(stock, ours), scatter_of(stock, ours), goal.text())

  def done(verdict, red):
    row.verdict, row.red = verdict, red
    return row

  still = [side for side, figure in (("stock", stock), ("ours", ours)) if figure.stands_still()]
  if still:
    return done("no progress on %s" % " and ".join(still), True)
  few = too_few_rounds(stock, ours, rounds)
  if few:
    return done(few, True)
  if goal.kind == goals_file.LIMIT:
    row.ratio = None
    return done("the machine's own", False)
  if goal.kind == goals_file.VALUE:
    if goal.unit != ours.unit:
      return done("the goal is in %s" % goal.unit, True)
    met = ours.median >= goal.number if goal.sign == ">=" else ours.median <= goal.number
    return done("ok" if met else MISSED, not met)
  if goal.kind == goals_file.OF:
    other = others.get(goal.of)
    if other is None or other.unit != ours.unit:
      return done("%s was not measured" % goal.of, True)
    reached, scatter = ours.median / other.median, scatter_of(other, ours)
    return judged(done, reached, goal.number, scatter, ", %.2f of it" % reached)
  if row.ratio is None:
    return done("too short to be measured", True)
  row.factor = goal.factor
  if goal.kind == goals_file.TIMES and (goal.sign == "<=") != (ours.better == "less"):
    return done("the goal is turned around", True)
  return judged(done, row.ratio, goal.factor, row.scatter)


def judged(done, reached, wanted, scatter, more=""):
  if reached >= wanted:
    return done("ok" + more, False)
  if wanted != 1:
    return done(MISSED + more, True)
  if reached >= 1 - min(scatter, MOST_SCATTER):
    return done("ok within its scatter of %.0f %%%s" % (100 * scatter, more), False)
  return done("%s, its scatter is %.0f %%%s" % (MISSED, 100 * scatter, more), True)


def judge(stock, ours, machine, goals, rounds, turns=()):
  """Returns [Row] from the records of both sides and of the machine: all rows that have goals, and all that were measured.

  turns: {row: ratios} of those that were measured again in turns.
  """
  turns = dict(turns)
  sides = {"stock": figures(stock), "ours": figures(ours)}
  failed = {"stock": failures(stock), "ours": failures(ours)}
  others = dict(figures(machine), **sides["ours"])
  # They are red, and have no further rounds.
  broken_off = {r["case"] for r in [*stock, *ours] if breaks_off([r])}
  rows = []
  for name, goal in goals.items():
    a, b = sides["stock"].get(name), sides["ours"].get(name)
    if a and b:
      rows.append(compare(name, goal, a, b, others, 0 if name.partition("/")[0] in broken_off else rounds, in_turns(name, turns)))
    else:
      rows.append(
        Row(
          name,
          (a or b).unit if a or b else "",
          a and a.median,
          b and b.median,
          goal=goal.text(),
          verdict=missing(name.partition("/")[0], a, b, failed),
          red=True,
        )
      )
  for name in dict.fromkeys([*sides["stock"], *sides["ours"]]):
    if name not in goals and not name.endswith(goals_file.CPU):
      a, b = sides["stock"].get(name), sides["ours"].get(name)
      rows.append(
        Row(
          name,
          (a or b).unit,
          a and a.median,
          b and b.median,
          a and b and ratio_of(a, b),
          verdict="has no goal in goals.txt",
          red=True,
        )
      )
  for case in dict.fromkeys([*failed["stock"], *failed["ours"]]):
    why = "; ".join("failed on %s: %s" % (side, failed[side][case]) for side in failed if case in failed[side])
    rows.append(Row(case + "/" + FAILED, verdict=why, red=True))
  order = list(dict.fromkeys(row.case for row in rows))
  return sorted(rows, key=lambda row: order.index(row.case))


def incomplete(records, goals):
  """Returns the failures of a run on one kind of servers: a line for each row that is missing, failed or makes no
  progress."""
  have, failed = figures(records), failures(records)
  lines = ["%s failed: %s" % (case, why) for case, why in failed.items()]
  for name in goals:
    if name not in have and name.partition("/")[0] not in failed:
      lines.append("%s is missing" % name)
  for name, figure in have.items():
    if name not in goals and not name.endswith(goals_file.CPU):
      lines.append("%s has no goal in goals.txt" % name)
    if figure.stands_still():
      lines.append("%s makes no progress" % name)
  return lines
