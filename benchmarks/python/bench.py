#!/usr/bin/env python3
"""Measures the Python package beside TensorFlow's, row by row, in turns (README.md)."""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "benchmarks", "protocol"), os.path.join(ROOT, "tools", "dev"), HERE]

import goals as goals_file  # noqa: E402
from cluster import cpu_seconds  # noqa: E402
import machine  # noqa: E402
import options  # noqa: E402
import report  # noqa: E402
import verdicts  # noqa: E402
from harness import machine_cpu_seconds, median  # noqa: E402
from rows import ROWS, Work  # noqa: E402

SIDES = ("stock", "millrace")
WINDOW = 0.1  # seconds of calls, at least one call
SECONDS, QUICK_SECONDS = 6.0, 0.0  # of windows a row, both sides together
WINDOWS, QUICK_WINDOWS = 7, 2  # at least, of each side
START_SECONDS = 120
ROW_SECONDS = 300
# Rows that need a process each time: what it runs, and how it begins.
IMPORTS = {"stock": "import tensorflow.compat.v1 as tf; tf.disable_v2_behavior()", "millrace": "import millrace as tf"}
STARTS = {
  "start/import": "",
  "start/import_to_first_run": "; a = tf.constant([1.0, 2.0]); assert tf.Session().run(a + a).tolist() == [2.0, 4.0]",
}
START = "import time; start = time.perf_counter(); %s%s; print(time.perf_counter() - start)"
CASES = ("run", "values", "graph", "start", "training")


class Failure(Exception):
  """A side did not do what it was told; the text says what it said."""


def environment(side, package):
  found = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")
  found.pop("PYTHONPATH", None)
  if side == "millrace":
    found["PYTHONPATH"] = package
  return found


class Side:
  """The process of one package."""

  def __init__(self, name, package):
    self.name = name
    self._log = tempfile.TemporaryFile("w+")
    self._process = subprocess.Popen(
      [sys.executable, os.path.join(HERE, "side.py"), name],
      env=environment(name, package),
      stdin=subprocess.PIPE,
      stdout=subprocess.PIPE,
      stderr=self._log,
      text=True,
    )
    self._answer("its start")

  @property
  def pid(self):
    return self._process.pid

  def _answer(self, what):
    line = self._process.stdout.readline()
    if not line:
      self._log.seek(0)
      raise Failure("%s ended during %s with code %s:\n%s" % (self.name, what, self._process.wait(), self._log.read()[-2000:]))
    answer = json.loads(line)
    if "error" in answer:
      raise Failure("%s, at %s: %s\n%s" % (self.name, what, answer["error"], answer["trace"]))
    return answer

  def ask(self, *words):
    try:
      self._process.stdin.write(" ".join(str(word) for word in words) + "\n")
      self._process.stdin.flush()
    except BrokenPipeError:
      pass  # its end is told by the answer that does not come
    return self._answer(" ".join(str(word) for word in words))

  def end(self):
    self._process.stdin.close()
    try:
      self._process.wait(10)
    except subprocess.TimeoutExpired:
      self._process.kill()
      self._process.wait()
    self._log.close()


def record(row, side, unit, samples, better, others):
  case, _, metric = row.partition("/")
  return dict(
    case=case, metric=metric, servers=side, unit=unit, better=better, samples=samples, median=median(samples), others=others
  )


def failed(row, side, text):
  """What stands for a row that a side cannot run; verdicts make it red."""
  return dict(case=row, metric=verdicts.FAILED, servers=side, error=text)


def agree(values, tolerance):
  a, b = values
  return a == b if isinstance(a, bool) else abs(a - b) <= tolerance * max(abs(a), abs(b))


def windows(sides, seconds, least):
  """Returns the seconds of a call, window by window, of each side; the sides take turns in random order."""
  once = [side.ask("calls", 2)["seconds"] for side in sides]
  calls = [max(1, int(WINDOW / max(s, 1e-7))) for s in once]
  taken = [[] for _ in sides]
  end = time.monotonic() + seconds
  while time.monotonic() < end or len(taken[0]) < least:
    for i in random.sample(range(len(sides)), len(sides)):
      taken[i].append(sides[i].ask("calls", calls[i])["seconds"])
  return taken


def measure(row, sides, seconds, least):
  """Returns the records of a row, one of each side."""
  about = [side.ask("row", row) for side in sides]
  checks = [side.ask("check")["check"] for side in sides]
  tolerance = about[0]["tolerance"]
  if not agree(checks, tolerance) or checks[0] is False:
    raise Failure("the sides do not agree: %s" % ", ".join("%s has %r" % pair for pair in zip(SIDES, checks)))
  work = Work(None, None, about[0]["unit"], about[0]["amount"])
  before = busy(sides)
  taken = windows(sides, seconds, least)
  others = others_since(before, busy(sides))
  better = "more" if work.amount else "less"
  return [record(row, s.name, work.unit, [work.value(t) for t in ts], better, others) for s, ts in zip(sides, taken)]


def busy(sides):
  return time.monotonic(), machine_cpu_seconds(), sum(cpu_seconds(side.pid) for side in sides)


def others_since(was, now):
  """How many cores other processes used meanwhile."""
  return round(max(0.0, (now[1] - now[2] - was[1] + was[2]) / max(now[0] - was[0], 1e-3)), 2)


def measure_start(row, package, count):
  """Records of a row that needs a process for each sample, in turns."""
  taken = {side: [] for side in SIDES}
  for i in range(count + 1):
    for side in random.sample(SIDES, len(SIDES)):
      done = subprocess.run(
        [sys.executable, "-c", START % (IMPORTS[side], STARTS[row])],
        env=environment(side, package),
        capture_output=True,
        text=True,
        timeout=START_SECONDS,
      )
      if done.returncode != 0:
        raise Failure("%s: %s" % (side, done.stderr[-2000:]))
      if i > 0:  # the first one reads files from the disk
        taken[side].append(float(done.stdout))
  return [record(row, side, "s", taken[side], "less", 0.0) for side in SIDES]


def run(args):
  """Returns the records of all rows, and writes them as they come."""
  names = [name for name in [*ROWS, *STARTS] if re.search(args.rows, name)]
  seconds, least = (QUICK_SECONDS, QUICK_WINDOWS) if args.quick else (SECONDS, WINDOWS)
  records = []
  sides = []
  try:
    for name in names:
      print("# %s" % name, flush=True)
      try:
        if name in STARTS:
          found = measure_start(name, args.package, least)
        else:
          sides = sides or [Side(side, args.package) for side in SIDES]
          found = measure(name, sides, seconds, least)
      except (Failure, subprocess.TimeoutExpired) as error:
        print(error, flush=True)
        found = [failed(name, "millrace", str(error))]
        for side in sides:
          side.end()
        sides = []
      records += found
      with open(args.out, "a", encoding="utf-8") as file:
        file.writelines(json.dumps(one) + "\n" for one in found)
  finally:
    for side in sides:
      side.end()
  return records


def verdicts_of(records, goals):
  """Returns the lines of the table, red ones for rows that failed."""
  measured = [one for one in records if one["metric"] != verdicts.FAILED]
  rows = verdicts.judge(
    [one for one in measured if one["servers"] == "stock"],
    [one for one in measured if one["servers"] == "millrace"],
    [],
    goals,
    1,
  )
  why = {one["case"]: one["error"].partition("\n")[0] for one in records if one["metric"] == verdicts.FAILED}
  for row in rows:
    if row.name in why:
      row.verdict, row.red = why[row.name], True
  return rows


def main():
  parser = options.Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--package", required=True, help="the folder that has the package millrace")
  parser.add_argument("--quick", action="store_true", help="two windows a row, to see that all of them run")
  parser.add_argument("--rows", default="", help="a regular expression: only rows that it finds")
  parser.add_argument("--out", default=os.path.join(ROOT, "build", "bench_python.jsonl"), help="records are appended here")
  args = parser.parse_args()
  goals = goals_file.read(CASES, os.path.join(HERE, "goals.txt"))
  goals = {name: goal for name, goal in goals.items() if re.search(args.rows, name)}
  os.makedirs(os.path.dirname(os.path.abspath(args.out)), exist_ok=True)
  facts = machine.facts(os.path.join(args.package, "millrace", "bin", "millrace"))
  records = run(args)
  rows = verdicts_of(records, goals)
  facts.append(("others", machine.company([one for one in records if "others" in one])))
  report.show(dict(facts=facts, rounds=1, scale=1), rows)
  if args.quick:
    print("--quick: too short for a verdict on speed")
    return 1 if any(row.red and row.ratio is None for row in rows) else 0
  return 1 if any(row.red for row in rows) else 0


if __name__ == "__main__":
  sys.exit(main())
