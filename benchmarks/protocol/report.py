"""The table of the suite, in the terminal and as docs/performance.md with its picture."""

import os

import picture
import verdicts
from tables import fmt

NAME = "performance"
INTRODUCTION = """# Performance

Millrace's servers next to TensorFlow's, both driven by the stock TensorFlow Python client on one machine. Everything
on this page is written by `./dev bench --stock --all --rounds %d`; `benchmarks/protocol` has the cases, and `goals.txt`
there what each row has to reach.

%s

The ratio says how many times better Millrace is: above 1 it is better, for times and for rates alike. Figures are
medians over all rounds (stock, Millrace, stock, ...), each on servers started anew. The scatter of a row: each side's
distance between the quartiles of its samples (of fewer than %d: between the lowest and the highest) over their median;
of both sides the root of the sum of the squares. A row whose goal is 1 may be worse by its scatter, but by no more
than %.0f %%; every other goal is compared as it is. A row is red where its goal is missed, and where a side lacks it,
fails or makes no progress; servers of stock that fail are started again, up to twice, which the table says. It is
short where its goal is an aim, the design's figure for its own machine, and it is only as good as stock's. A row that
misses its goal is measured again in turns, both servers at the same time in windows of a tenth of a second, where its
calls can be timed one by one; then that ratio counts.

Figures that stock has no counterpart of are measured by `./dev bench idle`, `./dev bench serving` and `./dev bench --micro`.
"""


def head_line(head):
  return "%d round%s%s" % (
    head["rounds"],
    "" if head["rounds"] == 1 else "s",
    "" if head["scale"] == 1 else ", shortened to %g of their length" % head["scale"],
  )


def summary(rows):
  short = sum(row.short for row in rows)
  return "%d rows, %d red%s" % (len(rows), sum(row.red for row in rows), ", %d short of their aim" % short if short else "")


def figure(value, unit):
  return "-" if value is None else ("%s %s" % (fmt(value), unit)).strip()


def cells(row):
  return (
    row.name,
    figure(row.stock, row.unit),
    figure(row.ours, row.unit),
    "-" if row.ratio is None else "%.2f" % row.ratio,
    row.goal or "-",
    row.verdict.replace("|", "/"),
  )


def show(head, rows):
  for what, value in head["facts"]:
    print("%-22s %s" % (what, value))
  print("%-22s %s\n" % ("measured", head_line(head)))
  layout = "%-52s %18s %18s %7s  %-40s %s"
  print(layout % ("row", "stock", "ours", "ratio", "goal", "verdict"))
  for row in rows:
    *most, verdict = cells(row)
    print(layout % (*most, "RED: " + verdict if row.red else verdict))
  print("\n" + summary(rows), flush=True)


def page(head, rows):
  """Returns the text of docs/performance.md."""
  red = [row for row in rows if row.red]
  lines = ["**%s.**" % summary(rows)]
  if any(row.red or row.short for row in rows):
    lines.append("")  # a list begins behind an empty line
  lines += ["- red: `%s`: %s" % (row.name, row.verdict) for row in red]
  lines += [
    "- short: `%s`: %s times as good as stock's, %s" % (row.name, "%.2f" % row.ratio, row.goal) for row in rows if row.short
  ]
  text = INTRODUCTION % (head["rounds"], "\n".join(lines), verdicts.FEW, 100 * verdicts.MOST_SCATTER)
  text += "\n| | |\n|---|---|\n" + "".join("| %s | %s |\n" % (what, value) for what, value in head["facts"])
  text += "| measured | %s |\n" % head_line(head)
  text += "\n![Ratios of all rows, by case](%s.svg)\n" % NAME
  text += "\n| row | stock | ours | ratio | goal | verdict |\n|---|--:|--:|--:|---|---|\n"
  for row in rows:
    *most, verdict = cells(row)
    text += "| %s | %s |\n" % (" | ".join(most), "**red:** " + verdict if row.red else verdict)
  return text


def write(folder, head, rows):
  os.makedirs(folder, exist_ok=True)
  for ending, text in (("md", page(head, rows)), ("svg", picture.draw(rows))):
    path = os.path.join(folder, "%s.%s" % (NAME, ending))
    with open(path, "w", encoding="utf-8") as f:
      f.write(text)
    print("wrote " + path, flush=True)
