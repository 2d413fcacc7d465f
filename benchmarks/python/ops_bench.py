#!/usr/bin/env python3
"""Measures single ops at sizes of real programs beside stock TensorFlow's, in turns, and names those that are slower (README.md)."""

import argparse
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import bench  # noqa: E402
import op_rows  # noqa: E402
import options  # noqa: E402

SECONDS, WINDOWS = 0.6, 4  # of a row, both sides together
AGAIN = 3.0  # seconds for a row that seems to be slower
WINDOW = 0.03
BEHIND = 0.9  # of stock's speed: a row below is behind
RED = 0.7  # a row below makes the exit code 1


def ratio(records):
  """How many times as fast as stock's ours is, by the best window of each."""
  stock, ours = (min(record["samples"]) for record in records)
  return stock / ours


def measured(name, sides, quick):
  records = bench.measure(name, sides, 0.0 if quick else SECONDS, 1 if quick else WINDOWS)
  if not quick and ratio(records) < BEHIND:
    again = bench.measure(name, sides, AGAIN, WINDOWS)
    for record, more in zip(records, again):
      record["samples"] += more["samples"]
  return records


def line(name, records):
  stock, ours = (min(record["samples"]) for record in records)
  return "%-34s stock %10.1f us   ours %10.1f us   %6.2fx" % (name[len(op_rows.PREFIX) :], stock, ours, stock / ours)


def run(names, package, out, quick=False):
  """Returns the records by name, and the texts of the rows that failed."""
  found, failures, sides = {}, {}, []
  try:
    for name in names:
      try:
        sides = sides or [bench.Side(side, package) for side in bench.SIDES]
        found[name] = measured(name, sides, quick)
      except bench.Failure as error:
        failures[name] = str(error)
        print("%s: %s" % (name, error), flush=True)
        for side in sides:
          side.end()
        sides = []
        continue
      print(line(name, found[name]), flush=True)
      with open(out, "a", encoding="utf-8") as file:
        file.writelines(json.dumps(one) + "\n" for one in found[name])
  finally:
    for side in sides:
      side.end()
  return found, failures


def summary(found, failures):
  behind = sorted((ratio(records), name) for name, records in found.items() if ratio(records) < BEHIND)
  lines = ["", "%d ops, %d behind stock's, %d failed" % (len(found), len(behind), len(failures))]
  return lines + [line(name, found[name]) for _, name in behind]


def main():
  parser = options.Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--package", required=True, help="the folder that has the package millrace")
  parser.add_argument("--quick", action="store_true", help="one window a row, to see that both sides run and agree")
  parser.add_argument("--rows", default="", help="a regular expression: only ops that it finds")
  parser.add_argument("--out", default=os.path.join(bench.ROOT, "build", "bench_ops.jsonl"), help="records are appended here")
  args = parser.parse_args()
  bench.WINDOW = WINDOW
  names = [name for name in op_rows.rows() if re.search(args.rows, name)]
  os.makedirs(os.path.dirname(os.path.abspath(args.out)), exist_ok=True)
  found, failures = run(names, args.package, args.out, args.quick)
  if args.quick:
    print("%d ops agree, %d do not or failed; --quick: too short for a verdict on speed" % (len(found), len(failures)))
    return 1 if failures else 0
  print("\n".join(summary(found, failures)))
  return 1 if failures or any(ratio(records) < RED for records in found.values()) else 0


if __name__ == "__main__":
  sys.exit(main())
