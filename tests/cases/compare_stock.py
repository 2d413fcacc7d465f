#!/usr/bin/env python3
"""Runs exported cases on stock TensorFlow and compares values, types, shapes and errors.

  cases_tests --export FOLDER [OP or FAMILY]
  compare_stock.py FOLDER [-v]

One session for a few dozen cases, no graph rewriting. The sessions run in a
child process, since some inputs abort stock: then the case is at fault and a
new child takes the next one. So it is with a case that blocks: a step ends at
its deadline, and a child that says nothing for long is killed. The last line says
`N cases, M against stock, K deviations allowed`.
"""

import argparse
import functools
import glob
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
import traceback

from snapshot_cases import SnapshotChunk
from stock_cases import Chunk, load_cases, type_name

SILENCE_S = 90  # for building a graph, or a case that no deadline ends; what others take of the processors is not counted
# oneDNN has kernels of these types only for processors with instructions for them (AVX512-FP16, AVX-512); elsewhere stock
# computes with Eigen, which treats NaN, infinities and equal elements otherwise: in windows of NaN and -infinity the largest
# half is -infinity with the one, the lowest number with the other. What stock gives on either processor is right.
BY_PROCESSOR = ("float16", "bfloat16")
# oneDNN's ops that stock puts in the place of these families' have no kernel for some of what the op promises, or round in
# another direction. So the rule is what stock computes without them.
WITHOUT_ONEDNN = ("quantize",)


class Report:
  def __init__(self):
    self.cases = 0
    self.against_stock = 0
    self.failures = []  # "math.Add, case 3: what"
    self.deviations = []  # the same with the reason
    self.not_run = []

  def add(self, case, problems, elsewhere=None):
    """problems: None if it did not run on stock; elsewhere: on a processor without instructions for the case's types, if
    that was asked."""
    self.cases += 1
    if problems is None:
      self.not_run.append("%s: %s" % (title(case), case["no_stock"]))
      return
    self.against_stock += 1
    reason = case["deviates"]
    if elsewhere == [] and not reason:
      reason = "stock gives ours on processors without instructions for the type"
    for problem in problems:
      if reason:
        self.deviations.append("%s: %s (%s)" % (title(case), problem, reason))
      else:
        self.failures.append("%s: %s" % (title(case), problem))

  def summary(self):
    return "{:,} cases, {:,} against stock, {} deviations allowed".format(self.cases, self.against_stock, len(self.deviations))


def title(case):
  return "%s.%s, %s" % (case["family"], case["op"], case["name"])


def run_child(stems, wanted, skip, apart, open_chunk, pipe):
  """Runs what is in `wanted` and not in `skip`; writes a line before and after each case."""
  with os.fdopen(pipe, "w") as out:

    def tell(what, problems):
      out.write(json.dumps([what, problems]) + "\n")
      out.flush()

    for stem in stems:
      tell(stem, None)
      chunk = open_chunk(stem)
      cases = [c for c in chunk.cases if c["id"] in wanted and c["id"] not in skip]
      if stem in apart and len(cases) > 1:
        chunk.run_apart(cases, tell)
      else:
        chunk.run(cases, tell)


def starved_seconds(pid):
  """For how long the threads of a process were ready and had no processor, in all; 0 where the kernel does not say."""
  nanos = 0
  for path in glob.glob("/proc/%d/task/*/schedstat" % pid):
    try:
      with open(path, encoding="ascii") as f:
        nanos += int(f.read().split()[1])
    except (OSError, IndexError):  # it has ended
      pass
  return nanos * 1e-9


def lines_of(pipe, silence, starved=lambda: 0.0):
  """Lines from a pipe until its end; TimeoutError if none comes within `silence` seconds and what starved() grows by."""
  rest, since, before = b"", time.monotonic(), starved()
  while True:
    left = since + silence + max(0.0, starved() - before) - time.monotonic()
    if left <= 0:
      raise TimeoutError("no line within %g s" % silence)
    if not select.select([pipe], [], [], left)[0]:
      continue
    block = os.read(pipe, 1 << 16)
    if not block:
      return
    *lines, rest = (rest + block).split(b"\n")
    if lines:
      since, before = time.monotonic(), starved()
    yield from lines


def start_child(stems, wanted, skip, apart, open_chunk):
  """(process, pipe from which run_child's lines come)"""
  reader, writer = os.pipe()
  child = os.fork()
  if child:
    os.close(writer)
    return child, reader
  code = 1
  try:
    os.close(reader)
    run_child(stems, wanted, skip, apart, open_chunk, writer)
    code = 0
  except BaseException:  # pylint: disable=broad-except
    traceback.print_exc()
  finally:
    os._exit(code)


def run_all(stems, wanted, snapshots=None):
  """{case id: [problem]} of the wanted ids, with or without oneDNN's ops, as this process has them. snapshots: (server of
  Millrace, whether of similar cases one is enough), for cases of snapshots."""
  open_chunk = Chunk
  if snapshots is not None:
    target, sample = snapshots
    open_chunk = functools.partial(SnapshotChunk, target=target, seen=set() if sample else None)
  results = {}
  apart = set()  # files with a graph that aborts stock while it is built
  while True:
    child, pipe = start_child(stems, wanted, results, apart, open_chunk)
    started, done, blocks = None, len(results), False
    try:
      for line in lines_of(pipe, SILENCE_S, lambda pid=child: starved_seconds(pid)):
        started, problems = json.loads(line)
        if problems is not None:
          results[started] = problems
    except TimeoutError:
      blocks = True
      os.kill(child, signal.SIGKILL)
    finally:
      os.close(pipe)
    _, status = os.waitpid(child, 0)
    if status == 0:
      return results
    if started in stems and started not in apart:
      apart.add(started)
    elif started in results and len(results) > done:
      continue  # it fell while it ended its session
    elif started is None or started in stems or started in results:
      raise RuntimeError("the child %s between two cases" % ("was silent" if blocks else "ended with status %d" % status))
    elif blocks:
      results[started] = ["stock blocks: nothing within %g s, and no deadline ends it" % SILENCE_S]
    else:
      results[started] = ["stock aborts"]


def run_all_without_onednn(stems, wanted, snapshots=None):
  """run_all in a process of its own, since stock reads the setting while it is imported."""
  with tempfile.TemporaryDirectory() as folder:
    asked, found = os.path.join(folder, "asked"), os.path.join(folder, "results")
    with open(asked, "w", encoding="utf-8") as f:
      json.dump([stems, sorted(wanted), snapshots], f)
    subprocess.run(
      [sys.executable, os.path.abspath(__file__), "--without_onednn", asked, found],
      env=dict(os.environ, TF_ENABLE_ONEDNN_OPTS="0"),
      check=True,
    )
    with open(found, encoding="utf-8") as f:
      return json.load(f)


def load_folder(folder):
  """{stem of an exported file: its cases}, in their order"""
  stems = sorted(p[: -len(".json")] for p in glob.glob(os.path.join(folder, "*.json")))
  return {stem: load_cases(stem) for stem in stems}


def run_some(cases, wanted, run, snapshots=None):
  """run(stems, ids, snapshots) for the files that have a case for which wanted(case) holds; {} if none has."""
  ids = {c["id"] for of_file in cases.values() for c in of_file if not c["no_stock"] and wanted(c)}
  stems = [stem for stem, of_file in cases.items() if any(c["id"] in ids for c in of_file)]
  return run(stems, ids, snapshots) if stems else {}


def depends_on_processor(stem, case):
  """Whether a value of the case has one of the types that stock computes in two ways."""
  constants = Chunk(stem).constants
  names = [f[1] for run in case.get("runs", []) for f in run["fetches"]] + list(case.get("feeds", {}).values())
  types = {type_name(constants[name].dtype) for name in names if name is not None}
  return not types.isdisjoint(BY_PROCESSOR)


def compare(folder, report=None):
  """Adds the cases of an exported folder to the report."""
  report = report or Report()
  cases = load_folder(folder)
  results = run_some(cases, lambda c: c["family"] not in WITHOUT_ONEDNN, run_all)
  differ = {
    c["id"] for stem in cases for c in cases[stem] if results.get(c["id"]) and not c["deviates"] and depends_on_processor(stem, c)
  }
  elsewhere = run_some(cases, lambda c: c["family"] in WITHOUT_ONEDNN or c["id"] in differ, run_all_without_onednn)
  for of_file in cases.values():
    for case in of_file:
      found = elsewhere.get(case["id"])
      report.add(case, results.get(case["id"], found), found)
  return report


def main():
  if len(sys.argv) == 4 and sys.argv[1] == "--without_onednn":  # by run_all_without_onednn
    with open(sys.argv[2], encoding="utf-8") as f:
      stems, wanted, snapshots = json.load(f)
    results = run_all(stems, set(wanted), snapshots)
    with open(sys.argv[3], "w", encoding="utf-8") as f:
      json.dump(results, f)
    return 0
  ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  ap.add_argument("folder")
  ap.add_argument("-v", action="store_true", help="show deviations and what was not run")
  args = ap.parse_args()
  report = compare(args.folder)
  for line in report.failures:
    print(line)
  if args.v:
    for line in report.deviations + report.not_run:
      print("allowed:", line)
  print(report.summary())
  return 1 if report.failures else 0


if __name__ == "__main__":
  sys.exit(main())
