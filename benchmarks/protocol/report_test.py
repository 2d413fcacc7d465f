"""Tests of the table of the suite and of its page."""

import contextlib
import io
import json
import os
import tempfile
import unittest
import xml.etree.ElementTree as ET

import goals
import report
import suite
from verdicts import Row

HEAD = dict(
  facts=[["processor", "Abacus"], ["cores", "2"], ["date", "today"], ["commit", "abc"], ["TensorFlow", "2"]],
  cases=["a"],
  rounds=3,
  scale=1.0,
)
GOOD = Row("a/x", "us", 1200.4, 300, 4.0, 0.1, ">= 2.00", "ok")
BAD = Row("a/y", "steps/s", None, 0.5, None, goal=">= 1.00", verdict="failed on stock", red=True)


class PageTest(unittest.TestCase):
  def test_rows(self):
    text = report.page(HEAD, [GOOD, BAD])
    self.assertIn("| a/x | 1200 us | 300 us | 4.00 | >= 2.00 | ok |\n", text)
    self.assertIn("| a/y | - | 0.5 steps/s | - | >= 1.00 | **red:** failed on stock |\n", text)
    self.assertIn("**2 rows, 1 red.**\n\n- red: `a/y`: failed on stock\n", text)

  def test_facts_stand_above_the_table(self):
    text = report.page(HEAD, [GOOD])
    for fact in ("| processor | Abacus |", "| commit | abc |", "| measured | 3 rounds |", "(performance.svg)"):
      self.assertLess(text.index(fact), text.index("| row |"))

  def test_a_shortened_run_says_so(self):
    self.assertIn("1 round, shortened to 0.1 of their length", report.page(dict(HEAD, rounds=1, scale=0.1), [GOOD]))


class AgainTest(unittest.TestCase):
  """Tests the way from a file of records to the page."""

  def again(self, ours, more=()):
    goal = goals.parse("a/rate >= 2x\nb/rate stock", ("a", "b"))
    record = dict(case="a", metric="rate", unit="steps/s", better="more", samples=[100], others=0.5)
    with tempfile.TemporaryDirectory() as folder:
      path, said = os.path.join(folder, "records"), io.StringIO()
      with open(path, "w") as f:
        for line in (dict(HEAD, rounds=1), dict(record, side="stock"), dict(record, side="ours", samples=[ours]), *more):
          f.write(json.dumps(line) + "\n")
      with contextlib.redirect_stdout(said):
        good = suite.again(path, goal, os.path.join(folder, "docs"))
      with open(os.path.join(folder, "docs", "performance.md")) as f:
        page = f.read()
      ET.parse(os.path.join(folder, "docs", "performance.svg"))
    return good, said.getvalue(), page

  def test_all_well(self):
    good, said, page = self.again(300)
    self.assertTrue(good)
    self.assertIn("1 rows, 0 red", said)
    self.assertIn("| other processes used | 0.50 cores in the median, at most 0.50 |", page)
    self.assertNotIn("b/rate", page)  # the run did not include that case

  def test_failures_of_stock_are_told(self):
    good, _, page = self.again(300, [dict(case="a", metric="FAILED", error="why\nand where", side="stock failed")])
    self.assertTrue(good)
    self.assertIn("| stock failed and was repeated | a: why |", page)

  def test_red(self):
    good, said, page = self.again(150)
    self.assertFalse(good)
    self.assertRegex(said, "a/rate .* RED: missed")
    self.assertIn("**red:** missed", page)


class AgainInTurnsTest(unittest.TestCase):
  def test_only_what_missed_its_goal(self):
    asked = []

    def measure(name, metrics, options):
      asked.append((name, metrics))
      return [
        dict(metric="fifo.one_per_step", better="more", samples=[1, 2]),
        dict(metric="fifo.one_per_step", better="more", samples=[3, 4]),
      ]

    class Options:
      rounds = 1

    record = dict(case="queues", unit="ops/s", better="more", samples=[100])
    rows = [
      dict(record, metric=metric, side=side, samples=[n])
      for metric, ours in (("fifo.one_per_step", 50), ("fifo.1000_per_step", 200))
      for side, n in (("stock", 100), ("ours", ours))
    ]
    wanted = goals.parse("queues/fifo.one_per_step stock\nqueues/fifo.1000_per_step stock", ("queues",))
    found = suite.again_in_turns("queues", wanted, rows, Options, measure)
    self.assertEqual(asked, [("queues", ["fifo.one_per_step"])])
    self.assertEqual(found, [dict(case="queues", metric="fifo.one_per_step", side="turns", ratios=[3, 2])])

  def test_processor_time_that_missed_its_goal(self):
    asked = []

    def measure(name, metrics, options):
      asked.append(metrics)
      return [
        dict(metric="noop.run", better="less", samples=[4, 6], server_cpu_us=600),
        dict(metric="noop.run", better="less", samples=[2, 2], server_cpu_us=100),
      ]

    class Options:
      rounds = 1

    record = dict(case="null_step", metric="noop.run.p50", unit="us", better="less")
    rows = [
      dict(record, side="stock", samples=[100], server_cpu_us=600),
      dict(record, side="ours", samples=[50], server_cpu_us=200),
    ]
    wanted = goals.parse("null_step/noop.run.p50 stock\nnull_step/noop.run.p50:server_cpu <= 0.2x", ("null_step",))
    found = suite.again_in_turns("null_step", wanted, rows, Options, measure)
    self.assertEqual(asked, [["noop.run"]])
    self.assertEqual(
      found,
      [
        dict(case="null_step", metric="noop.run", side="turns", ratios=[2, 3]),
        dict(case="null_step", metric="noop.run:server_cpu", side="turns", ratios=[6]),
      ],
    )

  def test_times(self):
    self.assertEqual(suite.ratios_of(dict(better="less", samples=[3]), dict(better="less", samples=[1])), [3])


class RoundsTest(unittest.TestCase):
  GOALS = goals.parse("a/x >= 0.9 of limits/y\nb/x stock", ("a", "b"))

  class Options:
    rounds, quiet = 3, 0

  def order(self, name, fails_on=None, stops_on=None, fails=1000):
    turns = []

    def once(case, kind, options):
      turns.append(kind)
      return [
        dict(case=case, metric="FAILED", error="why")
        if kind == fails_on and turns.count(kind) <= fails
        else dict(case=case, metric="x", unit="1/s", better="more", samples=[0 if kind == stops_on else 1])
      ]

    kinds = {suite.STOCK: "s", suite.OURS: "o"}
    return [side for side, _ in suite.rounds_of(name, kinds, self.GOALS, self.Options, once, lambda wanted: [])]

  def test_in_turns(self):
    self.assertEqual(self.order("b"), ["stock", "ours"] * 3)

  def test_the_machine_is_measured_where_a_goal_names_it(self):
    self.assertEqual(self.order("a"), ["stock", "ours", "machine"] * 3)

  def test_what_breaks_off_is_not_repeated(self):
    self.assertEqual(self.order("b", fails_on="o"), ["stock", "ours"])
    for kind in "so":
      self.assertEqual(self.order("b", stops_on=kind), ["stock", "ours"])

  def test_stock_has_further_turns_where_it_fails(self):
    self.assertEqual(self.order("b", fails_on="s", fails=2), ["stock failed"] * 2 + ["stock", "ours"] * 3)
    self.assertEqual(self.order("b", fails_on="s"), ["stock failed"] * 2 + ["stock", "ours"])

  def test_rows_that_stock_left_out_get_another_turn(self):
    turns = []

    def once(case, kind, options):
      turns.append(kind)
      rows = ["w"] if turns == ["s"] else ["w", "x"]
      return [dict(case=case, metric=row, unit="1/s", better="more", samples=[1]) for row in rows]

    kinds = {suite.STOCK: "s", suite.OURS: "o"}
    found = list(suite.rounds_of("b", kinds, self.GOALS, self.Options, once, lambda wanted: []))
    self.assertEqual([side for side, _ in found], ["stock", "ours", "stock"] + ["stock", "ours"] * 2)
    self.assertEqual([r["metric"] for r in found[2][1]], ["x"])


if __name__ == "__main__":
  unittest.main()
