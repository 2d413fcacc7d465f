#!/usr/bin/env python3
"""Error cases of ops on servers of ours and of stock TensorFlow: their codes and first words.

run_errors.py                     of all ops
run_errors.py Conv2D linalg       of an op and a family
run_errors.py --sample 300        of so many cases, the same ones each time
run_errors.py Conv2D --only 'input1.*'
"""

import argparse
import collections
import concurrent.futures
import fnmatch
import hashlib
import os
import sys
import threading

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
# Errors are those of the kernels that ops are declared with, not of oneDNN's, which stock puts in their place on some
# processors, and which end the process where those have an error.
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..", "..")
sys.path += [os.path.join(ROOT, "tests", "conformance"), os.path.join(ROOT, "tests", "cases"), os.path.join(ROOT, "tools")]

import error_answers  # noqa: E402
import error_mutants  # noqa: E402
import error_report  # noqa: E402
import error_sides  # noqa: E402
import error_store  # noqa: E402
from exported_cases import BUILD, exceptions  # noqa: E402

SEED = "1 "  # of which cases a sample has
CASES_OF_A_SAMPLED_OP = 10
STOCK_SERVERS = 2
AHEAD = 8  # ops whose mutants are made before they are needed


class StockPool:
  """A thread for each of some servers of stock; an op's mutants are asked of one."""

  def __init__(self, store, folder, count=STOCK_SERVERS):
    self.store, self.folder = store, folder
    self.local, self.servers = threading.local(), []
    self.threads = concurrent.futures.ThreadPoolExecutor(count)

  def _answers(self, mutants):
    if not hasattr(self.local, "server"):
      self.local.server = error_sides.StockServer(self.folder)
      self.servers.append(self.local.server)
    answers = []
    for mutant in mutants:
      if answers and answers[-1].ended and mutant.is_other_way_of(before):
        answers.append(answers[-1])  # it would end again
      else:
        answers.append(self.store.ask(mutant, self.local.server))
      before = mutant
    return answers

  def submit(self, mutants):
    return self.threads.submit(self._answers, mutants)

  def stop(self):
    self.threads.shutdown(cancel_futures=True)
    for server in self.servers:
      server.stop()


def by_chance(name):
  """An order that stays as it is when there are more names."""
  return hashlib.sha256((SEED + name).encode()).digest()


def asked(samples, schemas, only, count, without_stock=()):
  """(op, its mutants), one op after the other; `count`: of some ops, as many in all. without_stock: ops of which stock is
  also asked what shows that it has no answer."""
  left = count
  for op in sorted(samples, key=by_chance if count else None):
    mutants = error_mutants.mutants_of(samples[op], schemas)
    if op in without_stock:
      mutants.append(error_mutants.fetched(samples[op], schemas))
    if only:
      mutants = [m for m in mutants if fnmatch.fnmatchcase(m.title, only)]
    if count:
      mutants = sorted(mutants, key=lambda m: by_chance(m.op + m.title))[: min(left, CASES_OF_A_SAMPLED_OP)]
      left -= len(mutants)
    if not mutants:
      return
    yield op, mutants


def compare(pairs, families, report, store):
  """Asks both and adds to the report; pairs: of asked()."""
  with error_sides.log_folder() as folder, error_sides.Ours(folder) as ours:
    stock = StockPool(store, folder)
    ahead, pairs = collections.deque(), iter(pairs)

    def fill():
      while len(ahead) < AHEAD:
        op, mutants = next(pairs, (None, None))
        if op is None:
          return
        ahead.append((op, mutants, stock.submit(mutants)))

    try:
      fill()
      while ahead:
        op, mutants, theirs = ahead.popleft()
        report.add_op(op, families[op])
        for mutant, answer in zip(mutants, theirs.result()):
          step_ms = error_answers.SHORT_STEP_MS if answer.ended == "blocks" else error_answers.STEP_MS
          report.add(mutant, ours.ask(mutant, step_ms), answer)
        fill()
    finally:
      stock.stop()


def parser():
  ap = argparse.ArgumentParser(
    prog="./dev test --errors", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
  )
  ap.add_argument("names", nargs="*", metavar="OP|FAMILY")
  ap.add_argument("--only", metavar="PATTERN", help="cases of such a title alone, as 'input0.*'")
  ap.add_argument("--sample", type=int, default=0, metavar="COUNT", help="so many cases in all, always the same ones")
  return ap


def main(argv):
  args = parser().parse_args(argv)
  if not error_sides.wheel():
    print("no TensorFlow wheel is installed")
    return 0
  samples, families, schemas = error_store.samples(args.names)
  own = exceptions("own_ops.txt")
  samples = {op: s for op, s in samples.items() if op not in own}
  without_stock = error_report.read_without_stock(error_report.WITHOUT_STOCK)
  report = error_report.Report(error_report.read_deviations(error_report.DEVIATIONS), without_stock)
  store = error_sides.Stock(error_store.stock_path())
  compare(asked(samples, schemas, args.only, args.sample, without_stock), families, report, store)
  if not args.sample and not args.only:
    for op in sorted(set(families) - set(samples) - set(own)):
      report.add_op(op, families[op])
  return tell(args, report, store)


def tell(args, report, store):
  if len(report.rows) == 1:
    lines = error_report.lines_of(report.disagreements) + ["not counted: " + line for line in report.not_counted]
  else:
    lines = report.kind_lines()
  print("\n".join(lines + report.table()))
  path = os.path.join(BUILD, "error_disagreements.txt")
  with open(path, "w", encoding="utf-8") as f:
    f.writelines(line + "\n" for line in report.whole())
  problems = report.falls + report.answered if args.sample or args.only else report.problems()
  for problem in problems:
    print("problem: " + problem)
  print("all in %s; stock was asked %d cases that it had not been asked before" % (os.path.relpath(path), store.new))
  print(report.summary())
  return 1 if problems else 0


if __name__ == "__main__":
  sys.exit(main(sys.argv[1:]))
