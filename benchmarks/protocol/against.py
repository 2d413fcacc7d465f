"""bench.py against: compares two builds of Millrace, row by row.

Rows whose calls are timed one by one take turns in short windows (turns.py); the other rows are measured with the
builds one after the other, A B A B. Each round starts the servers anew: a process may have faster memory than the
next one for as long as it lives.

The verdict of a row: if B's ratio to A differs from 1 by no more than the row's scatter, the row is within its scatter.
The scatter of a row that takes turns is the interquartile range of its windows' ratios over their median; that of the
others is defined in verdicts.py; it is at least 2 %. A row that differs by more than a quarter and scatters as much is
inconclusive, and red: repeat it with more rounds, or on a quieter machine.
"""

import json
import os
import subprocess
import sys
import tempfile

import verdicts
from case_process import FAILED, HERE, run_case, wait_quiet
from cluster import tf_python, tied
from harness import CASES, median
from tables import fmt

LEAST_SCATTER = 0.02
# The words for a row that got worse, and for one that got better.
WORDS = {"MB": ("larger", "smaller"), "%": ("worse", "better")}


def turns_of(name, options):
  """Returns pairs of records of a case's rows, or why there are none; runs in a process of its own."""
  with tempfile.TemporaryDirectory() as folder:
    out = os.path.join(folder, "records")
    command = [
      tf_python(),
      os.path.join(HERE, "bench.py"),
      "turns",
      "--a",
      options.a,
      "--b",
      options.b,
      "--cases",
      name,
      "--seconds",
      str(options.seconds),
      "--scale",
      str(options.scale),
      "--data-dir",
      options.data_dir,
      "--timeout",
      str(options.timeout),
      "--out",
      out,
    ]
    child = subprocess.Popen(tied(command), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
      _, err = child.communicate(timeout=10 * options.timeout)
      why = err.strip()[-1500:] if child.returncode else None
    except subprocess.TimeoutExpired:
      why = "not done after %d s" % (10 * options.timeout)
    finally:
      if child.poll() is None:
        child.kill()  # its servers end with it
        child.communicate()
    if why:
      return [], why
    if not os.path.exists(out):
      return [], "it has no row"
    with open(out) as f:
      lines = [json.loads(line) for line in f]
    return list(zip(lines[::2], lines[1::2])), None


def measure(names, options, once=run_case, turns=turns_of):
  """Yields (pairs of records, records of A, records of B), round by round."""
  for name in names:
    for _ in range(options.rounds):
      wait_quiet(options.quiet)
      pairs, why = turns(name, options) if CASES[name]["turns"] else ([], None)
      if why:
        print("%s takes no turns: %s" % (name, why), file=sys.stderr)
      a, b = [once(name, kind, options, timed=not pairs) for kind in (options.a, options.b)]
      yield pairs, a, b
      if verdicts.breaks_off(a) or verdicts.breaks_off(b):
        break


class Row:
  def __init__(self, name, unit, a, b, ratio, scatter, verdict, red):
    self.name, self.unit, self.a, self.b, self.ratio = name, unit, a, b, ratio
    self.scatter, self.verdict, self.red = scatter, verdict, red


def within(ratio, scatter):
  return 1 / (1 + scatter) <= ratio <= 1 + scatter


def verdict_of(name, unit, a, b, ratio, scatter):
  """a, b: medians; ratio: how many times better b is."""
  scatter = max(scatter, LEAST_SCATTER)
  worse, better = WORDS.get(unit, ("slower", "faster"))
  if within(ratio, min(scatter, verdicts.MOST_SCATTER)):
    return Row(name, unit, a, b, ratio, scatter, "within its scatter", False)
  if within(ratio, scatter):
    return Row(name, unit, a, b, ratio, scatter, "scatters too much to tell", True)
  return Row(name, unit, a, b, ratio, scatter, better if ratio > 1 else worse, ratio < 1)


def of_turns(pairs):
  """Returns the rows of pairs of records: the windows of a pair are adjacent in time."""
  together = {}
  for a, b in pairs:
    name = "%s/%s" % (a["case"], a["metric"])
    both = together.setdefault(name, (verdicts.Figure(dict(a, samples=[])), verdicts.Figure(dict(b, samples=[]))))
    both[0].samples += a["samples"]
    both[1].samples += b["samples"]
  rows = []
  for name, (a, b) in together.items():
    ratios = [y / x if a.better == "more" else x / y for x, y in zip(a.samples, b.samples)]
    rows.append(verdict_of(name, a.unit, a.median, b.median, median(ratios), verdicts.spread(ratios)))
  return rows


def one_sided(name, a, b):
  """Returns the row of a figure that a side lacks or that is 0; only a failure of B is red."""

  def seen(figure):
    return None if figure is None else figure.median

  if b is None or b.stands_still():
    return Row(name, (a or b).unit, seen(a), seen(b), None, 0, "missing" if b is None else "no progress", True)
  return Row(name, b.unit, seen(a), seen(b), None, 0, "new" if a is None else "no progress before", False)


def judge(pairs, a, b):
  """Returns a Row for everything that was measured."""
  rows = of_turns(pairs)
  done = {row.name for row in rows}
  of_a, of_b = (
    {name: figure for name, figure in verdicts.figures(side).items() if not name.endswith(verdicts.goals_file.CPU)}
    for side in (a, b)
  )
  for name in dict.fromkeys([*of_a, *of_b]):
    x, y = of_a.get(name), of_b.get(name)
    if name in done:
      continue
    if x is None or y is None or x.stands_still() or y.stands_still():
      rows.append(one_sided(name, x, y))
    else:
      ratio = verdicts.ratio_of(x, y)
      rows.append(verdict_of(name, y.unit, x.median, y.median, ratio or 1.0, verdicts.scatter_of(x, y)))
  before, now = verdicts.failures(a), verdicts.failures(b)
  for case in dict.fromkeys([*before, *now]):
    verdict = "fails: " + now[case] if case in now else "failed before"
    rows.append(Row(case + "/" + FAILED, "", None, None, None, 0, verdict, case in now))
  order = [*CASES, *(row.name.partition("/")[0] for row in rows)]
  return sorted(rows, key=lambda row: order.index(row.name.partition("/")[0]))


def show(rows, name_a, name_b):
  layout = "%-52s %16s %16s %7s %8s  %s"
  print("A = %s\nB = %s\n" % (name_a, name_b) + layout % ("row", "A", "B", "ratio", "scatter", "B is"))
  for row in rows:
    figures = ["-" if v is None else ("%s %s" % (fmt(v), row.unit)).strip() for v in (row.a, row.b)]
    print(
      layout
      % (
        row.name,
        *figures,
        "-" if row.ratio is None else "%.2f" % row.ratio,
        "%.0f %%" % (100 * row.scatter) if row.scatter else "-",
        ("RED: " if row.red else "") + row.verdict,
      )
    )
  print("\n%d rows, %d red" % (len(rows), sum(row.red for row in rows)), flush=True)


def run(names, options):
  """Measures and prints the table; returns whether no row is red."""
  pairs, a, b = [], [], []
  for more_pairs, more_a, more_b in measure(names, options):
    pairs, a, b = pairs + more_pairs, a + more_a, b + more_b
    if options.out:
      with open(options.out, "a") as f:
        f.writelines(json.dumps(r) + "\n" for r in [x for pair in more_pairs for x in pair] + more_a + more_b)
  rows = judge(pairs, a, b)
  show(rows, options.name_a or options.a, options.name_b or options.b)
  return not any(row.red for row in rows)
