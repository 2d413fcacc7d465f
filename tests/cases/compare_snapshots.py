#!/usr/bin/env python3
"""Whether ops hand on the buffers of their inputs where stock's do: exported cases on stock and on a server of Millrace.

cases_tests --export FOLDER [OP or FAMILY]
compare_snapshots.py FOLDER [--all] [-v]
"""

import argparse
import os
import sys

import compare_stock
import our_server
from exported_cases import exceptions
from snapshot_cases import NOT_ASKED
from stock_cases import Chunk


class Report:
  def __init__(self):
    self.same = 0
    self.failures = []
    self.deviations = []
    self.not_asked = []
    self.binds = exceptions("binds_snapshots.txt")
    self.found_to_bind = set()  # of these

  def add(self, stem, case, problems):
    title = compare_stock.title(case)
    if not problems:
      self.same += 1
    elif problems[0].startswith(NOT_ASKED):
      self.not_asked.append("%s: %s" % (title, problems[0]))
    else:
      ops = {n.op for n in Chunk(stem).graph_def.node if n.name.startswith(case["id"] + "/")}
      allowed = sorted(ops & set(self.binds))
      self.found_to_bind.update(allowed)
      for problem in problems:
        if allowed:
          self.deviations.append("%s: %s (%s: %s)" % (title, problem, allowed[0], self.binds[allowed[0]]))
        else:
          self.failures.append("%s: %s" % (title, problem))

  def summary(self):
    return "{:,} cases of snapshots as on stock, {:,} not asked, {} deviations allowed".format(
      self.same, len(self.not_asked), len(self.deviations)
    )


def compare(folder, target, report=None, sample=True):
  """Adds the cases of an exported folder to the report; sample: of similar ones, one."""
  report = report or Report()
  cases = compare_stock.load_folder(folder)
  snapshots = (target, sample)

  def without_onednn(case):
    return case["family"] in compare_stock.WITHOUT_ONEDNN

  results = compare_stock.run_some(cases, lambda c: not without_onednn(c), compare_stock.run_all, snapshots)
  results.update(compare_stock.run_some(cases, without_onednn, compare_stock.run_all_without_onednn, snapshots))
  for stem, of_file in cases.items():
    for case in of_file:
      if case["id"] in results:
        report.add(stem, case, results[case["id"]])
  return report


def main():
  ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  ap.add_argument("folder")
  ap.add_argument("--all", action="store_true", help="also cases that are similar to others")
  ap.add_argument("-v", action="store_true", help="show deviations and what was not asked")
  args = ap.parse_args()
  with our_server.OurServer(os.path.join(args.folder, "millrace.log")) as server:
    report = compare(args.folder, server.target(), sample=not args.all)
  for line in report.failures:
    print(line)
  if args.v:
    for line in report.deviations + report.not_asked:
      print("allowed:", line)
  print(report.summary())
  return 1 if report.failures else 0


if __name__ == "__main__":
  sys.exit(main())
