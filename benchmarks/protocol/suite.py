"""bench.py suite: every case on stock's servers and on ours, in turns, and each row's verdict by its goal.

The records go to a file, whose first line describes their origin: `bench.py report FILE` generates the table again.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

import goals as goals_file
import machine
import report
import verdicts
from case_process import run_case, wait_quiet
from harness import CASES

HERE = os.path.dirname(os.path.abspath(__file__))
STOCK, OURS, MACHINE = "stock", "ours", "machine"
# TensorFlow's servers sometimes fail for reasons of their own, such as calls that gRPC sends twice. They get further
# turns, and the page says so. Ours do not.
STOCK_FAILED, STOCK_TURNS = "stock failed", 3
TURNS = "turns"
LIMITS_SECONDS = 300


def machine_limits(wanted):
  """Returns records of the figures of limits.c that goals name."""
  with tempfile.TemporaryDirectory() as folder:
    command = [sys.executable, os.path.join(HERE, "limits", "limits.py"), "--only", "limits", "--build-dir", folder]
    try:
      out = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=LIMITS_SECONDS).stdout
    except subprocess.TimeoutExpired:
      return []
  found = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
  return [r for r in found if "%s/%s" % (r["case"], r["metric"]) in wanted]


def rounds_of(name, kinds, goals, options, once=run_case, limits=machine_limits):
  """Yields (side, records) of a case, A B A B, and the machine's figures that its goals name.

  A run that fails is not repeated, except after failures of stock's servers: their records have the side STOCK_FAILED. Rows that stock
  left out in a round for a failure of its own get another turn in it.
  """
  wanted = {
    goal.of
    for row, goal in goals.items()
    if row.startswith(name + "/") and goal.of and goal.of.startswith(goals_file.MACHINE + "/")
  }
  for _ in range(options.rounds):
    good = True
    rows = {}
    for side, kind in kinds.items():
      wait_quiet(options.quiet)
      records = once(name, kind, options)
      for _ in range(STOCK_TURNS - 1 if side == STOCK else 0):
        if not verdicts.failures(records):
          break
        yield STOCK_FAILED, records
        records = once(name, kind, options)
      good = good and not verdicts.breaks_off(records)
      rows[side] = {r["metric"] for r in records}
      yield side, records
    left_out = {row for row in rows[OURS] - rows[STOCK] if name + "/" + row in goals}
    if good and left_out:
      yield STOCK, [r for r in once(name, kinds[STOCK], options) if r["metric"] in left_out]
    if wanted:
      yield MACHINE, limits(wanted)
    if not good:
      return


def measure_in_turns(name, metrics, options):
  """Returns the records of these rows of a case, stock's and ours in turns; none if the case fails."""
  with tempfile.TemporaryDirectory() as folder:
    out = os.path.join(folder, "records")
    rows = "^(%s)$" % "|".join(map(re.escape, metrics))
    command = [
      sys.executable,
      os.path.join(HERE, "bench.py"),
      "turns",
      "--a",
      options.a,
      "--b",
      options.b,
      "--cases",
      name,
      "--rows",
      rows,
      "--out",
      out,
      "--scale",
      str(options.scale),
      "--data-dir",
      options.data_dir,
    ]
    try:
      subprocess.run(command, stdout=subprocess.DEVNULL, timeout=options.timeout, check=False)
    except subprocess.TimeoutExpired:
      return []
    if not os.path.exists(out):
      return []
    with open(out) as f:
      return [json.loads(line) for line in f]


def again_in_turns(name, goals, records, options, measure=measure_in_turns):
  """Measures the rows of a case that missed their goals again: returns records (side TURNS, ratios of all
  windows)."""
  of = {side: [r for r in records if r["side"] == side] for side in (STOCK, OURS, MACHINE)}
  missed = [
    row.name.partition("/")[2].removesuffix(goals_file.CPU).removesuffix(".p50")
    for row in verdicts.judge(of[STOCK], of[OURS], of[MACHINE], goals, options.rounds)
    if (row.red or row.short) and verdicts.has_turns(row, goals.get(row.name))
  ]
  if not missed:
    return []
  turns = []
  found = measure(name, list(dict.fromkeys(missed)), options)
  for a, b in zip(found[::2], found[1::2]):
    turns.append(dict(case=name, metric=a["metric"], side=TURNS, ratios=ratios_of(a, b)))
    if b.get("server_cpu_us"):
      # Processor time is counted in ticks, so that only all windows together tell it.
      turns.append(
        dict(case=name, metric=a["metric"] + goals_file.CPU, side=TURNS, ratios=[a["server_cpu_us"] / b["server_cpu_us"]])
      )
  return turns


def ratios_of(stock, ours):
  """Returns how many times better ours is, window by window."""
  pairs = zip(stock["samples"], ours["samples"])
  return [b / a for a, b in pairs] if stock["better"] == "more" else [a / b for a, b in pairs]


def run(names, goals, options):
  """Measures and reports; returns whether no row is red."""
  kinds = {STOCK: options.a, OURS: options.b}
  facts = machine.facts(shlex.split(options.b)[0])
  head = dict(facts=facts, cases=names, rounds=options.rounds, scale=options.scale)
  with open(options.out, "w") as out:
    out.write(json.dumps(head) + "\n")
    for name in names:
      found = []

      def keep(records):
        found.extend(records)
        out.writelines(json.dumps(r) + "\n" for r in records)
        out.flush()

      for side, records in rounds_of(name, kinds, goals, options):
        keep([dict(r, side=side) for r in records])
      if CASES[name]["turns"]:
        keep(again_in_turns(name, goals_file.of_cases(goals, [name]), found, options))
  return again(options.out, goals, options.docs)


def again(path, goals, docs):
  """Prints the table of a file of records; with docs also writes docs/performance.md. Returns whether no row is
  red."""
  with open(path) as f:
    head, *records = [json.loads(line) for line in f]
  of = {side: [r for r in records if r["side"] == side] for side in (STOCK, OURS, MACHINE)}
  in_turns = {"%s/%s" % (r["case"], r["metric"]): r["ratios"] for r in records if r["side"] == TURNS}
  rows = verdicts.judge(of[STOCK], of[OURS], of[MACHINE], goals_file.of_cases(goals, head["cases"]), head["rounds"], in_turns)
  head["facts"] += [("other processes used", machine.company(of[STOCK] + of[OURS]))]
  for case, why in verdicts.failures(r for r in records if r["side"] == STOCK_FAILED).items():
    head["facts"] += [("stock failed and was repeated", "%s: %s" % (case, why))]
  report.show(head, rows)
  if docs:
    report.write(docs, head, rows)
  return not any(row.red for row in rows)
