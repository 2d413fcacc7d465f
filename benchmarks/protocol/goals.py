"""The goals of the rows of the suite: goals.txt, one line per row.

  CASE/METRIC  GOAL        # comment

  stock                    at least as good as stock's server; less is allowed within the row's scatter (verdicts.py)
  >= 2.5x   <= 0.6x        the figure, divided by stock's. A factor of 1 is `stock`
  >= 500000 tensors/s      the figure itself, in the unit of the row
  >= 0.9 of CASE/METRIC    another figure of the same run: of Millrace, or of the machine (limits/NAME)
  limit                    a figure of the machine and not of a server: no goal
  aim GOAL                 the design's target for the row on the machine for which it was made. On others wake-ups, page
                           faults or the client may take most of the row, whatever servers do: there a row that is as
                           good as stock's may be short of it

CASE/METRIC:server_cpu is the servers' CPU time per call of a row.
"""

import os
import re

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "goals.txt")
MACHINE = "limits"  # the case of the machine's figures, which limits.py measures
CPU = ":server_cpu"

STOCK, LIMIT, TIMES, VALUE, OF = "stock", "limit", "times", "value", "of"
_FORMS = (
  (re.compile(r"(stock|limit)$"), lambda m: dict(kind=m[1])),
  (re.compile(r"(>=|<=) ([\d.]+)x$"), lambda m: dict(kind=TIMES, sign=m[1], number=float(m[2]))),
  (re.compile(r"(>=) ([\d.]+) of (\S+/\S+)$"), lambda m: dict(kind=OF, sign=m[1], number=float(m[2]), of=m[3])),
  (re.compile(r"(>=|<=) ([\d.]+) (\S+)$"), lambda m: dict(kind=VALUE, sign=m[1], number=float(m[2]), unit=m[3])),
)


class GoalError(Exception):
  pass


class Goal:
  def __init__(self, kind, sign=">=", number=1.0, unit=None, of=None, aim=False):
    self.aim = aim  # a row may be short of it
    self.kind, self.sign, self.number, self.unit, self.of = kind, sign, number, unit, of
    if kind == TIMES and number == 1:
      self.kind = STOCK

  @property
  def factor(self):
    """Returns how many times better than stock it must be."""
    return 1 / self.number if self.kind == TIMES and self.sign == "<=" else self.number

  def text(self):
    return "aim " + self._text() if self.aim else self._text()

  def _text(self):
    if self.kind == LIMIT:
      return ""
    if self.kind in (STOCK, TIMES):
      return ">= %.2f" % self.factor
    return "%s %g %s" % (self.sign, self.number, "of " + self.of if self.kind == OF else self.unit)


def parse_goal(text):
  words = text.split(None, 1)
  aim = bool(words) and words[0] == "aim"
  for form, make in _FORMS:
    m = form.match(words[1] if aim and len(words) > 1 else text)
    if m:
      goal = Goal(**make(m), aim=aim)
      if aim and goal.kind in (STOCK, LIMIT):
        break
      return goal
  raise GoalError("no goal has the form '%s' (goals.py lists the forms)" % text)


def parse(text, cases):
  """Returns {row: Goal}, in the order of the lines. Rows of other cases, and second lines of a row, are errors."""
  goals = {}
  for number, line in enumerate(text.splitlines(), 1):
    words = line.partition("#")[0].split(None, 1)
    if not words:
      continue
    try:
      row = words[0]
      case = row.partition("/")[0]
      if "/" not in row or case not in cases:
        raise GoalError("there is no case %s of a row %s" % (case, row))
      if row in goals:
        raise GoalError("%s has a goal already" % row)
      goals[row] = parse_goal(words[1].strip() if len(words) > 1 else "")
    except (GoalError, ValueError) as e:
      raise GoalError("goals, line %d: %s" % (number, e)) from None
  for row, goal in goals.items():
    if goal.kind == OF and not goal.of.startswith(MACHINE + "/") and goal.of not in goals:
      raise GoalError("goals: %s names %s, which is no row" % (row, goal.of))
    if row.endswith(CPU) and row[: -len(CPU)] not in goals:
      raise GoalError("goals: %s is of no row" % row)
  for case in cases:
    if not any(row.startswith(case + "/") for row in goals):
      raise GoalError("goals: the case %s has no row" % case)
  return goals


def read(cases, path=FILE):
  with open(path, encoding="utf-8") as f:
    return parse(f.read(), cases)


def of_cases(goals, names):
  """Returns the goals of the rows of these cases."""
  return {row: goal for row, goal in goals.items() if row.partition("/")[0] in names}
