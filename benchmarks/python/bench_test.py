"""Tests of what drives the benchmarks of the Python package; they need neither package."""

import os
import sys
import unittest
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
try:
  import numpy  # noqa: F401
except ImportError:  # rows.py makes its values with it
  sys.modules["numpy"] = mock.MagicMock()

import bench  # noqa: E402
import goals as goals_file  # noqa: E402
import op_rows  # noqa: E402
import ops_bench  # noqa: E402
import verdicts  # noqa: E402
from rows import ROWS, Work  # noqa: E402


class FakeSide:
  """Answers as a side does, with calls that take a given time."""

  def __init__(self, name, seconds, check=7.0):
    self.name, self.seconds, self.found, self.asked, self.pid = name, seconds, check, [], os.getpid()

  def ask(self, verb, *words):
    self.asked.append((verb, *words))
    if verb == "row":
      return dict(unit="ms", amount=None, tolerance=0.01)
    return dict(check=self.found) if verb == "check" else dict(seconds=self.seconds)


class BenchTest(unittest.TestCase):
  def test_every_row_has_a_goal(self):
    goals = goals_file.read(bench.CASES, os.path.join(HERE, "goals.txt"))
    self.assertEqual(set(goals), {*ROWS, *bench.STARTS})

  def test_values(self):
    self.assertEqual(Work(None, None, "us").value(2e-6), 2.0)
    self.assertEqual(Work(None, None, "GB/s", 0.1).value(0.05), 2.0)

  def test_sides_take_turns(self):
    sides = [FakeSide("stock", 0.2), FakeSide("millrace", 0.01)]
    records = bench.measure("run/null", sides, 0.0, 3)
    self.assertEqual([one["samples"] for one in records], [[200.0] * 3, [10.0] * 3])
    self.assertEqual([words for words in sides[1].asked if words[0] == "calls"], [("calls", 2)] + [("calls", 10)] * 3)

  def test_sides_that_do_not_agree(self):
    for checks in ((7.0, 8.0), (False, False), (True, False)):
      sides = [FakeSide(name, 0.2, check) for name, check in zip(bench.SIDES, checks)]
      with self.assertRaisesRegex(bench.Failure, "do not agree"):
        bench.measure("run/null", sides, 0.0, 1)

  def test_verdicts(self):
    goals = {
      name: goals_file.parse_goal(text)
      for name, text in (("run/null", "<= 0.25x"), ("graph/build", ">= 3x"), ("start/import", "stock"))
    }
    records = [
      bench.record("run/null", "stock", "us", [40.0, 41.0, 42.0], "less", 0.0),
      bench.record("run/null", "millrace", "us", [10.0, 9.0, 10.0], "less", 0.0),
      bench.record("graph/build", "stock", "ops/s", [100.0], "more", 0.0),
      bench.record("graph/build", "millrace", "ops/s", [200.0], "more", 0.0),
      bench.failed("start/import", "millrace", "no such module\ntrace"),
    ]
    rows = {row.name: row for row in bench.verdicts_of(records, goals)}
    self.assertEqual(
      {name: (row.red, row.verdict) for name, row in rows.items()},
      {
        "run/null": (False, "ok"),
        "graph/build": (True, verdicts.MISSED),
        "start/import": (True, "no such module"),
      },
    )

  def test_ops_that_seem_slower_are_measured_again(self):
    for seconds, windows in ((0.01, 4), (0.3, 8)):
      sides = [FakeSide("stock", 0.2), FakeSide("millrace", seconds)]
      with mock.patch.multiple(ops_bench, SECONDS=0.0, AGAIN=0.0):
        records = ops_bench.measured("ops/unary/exp", sides, False)
      self.assertEqual([len(one["samples"]) for one in records], [windows] * 2)
    self.assertEqual(
      ops_bench.summary({"ops/unary/exp": records}, {})[1:],
      ["1 ops, 1 behind stock's, 0 failed", ops_bench.line("ops/unary/exp", records)],
    )

  @unittest.skipIf(isinstance(sys.modules["numpy"], mock.MagicMock), "numpy is not there")
  def test_sizes_tell_values_apart(self):
    self.assertEqual(op_rows.size_of([1, -2]), 3.0)
    self.assertEqual(op_rows.size_of([3 + 4j, float("nan")]), 5.0)


if __name__ == "__main__":
  unittest.main()
