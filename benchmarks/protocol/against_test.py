"""Tests of the verdicts on two revisions."""

import unittest

import against
import harness

RATE = dict(case="a", metric="rate", unit="GB/s", better="more")


def record(samples, **changes):
  return dict(RATE, **dict(dict(samples=list(samples)), **changes))


class JudgeTest(unittest.TestCase):
  def one(self, pairs=(), a=(), b=()):
    (row,) = against.judge(list(pairs), list(a), list(b))
    return row

  def test_windows_are_compared_with_their_neighbours(self):
    # The load makes both ten times slower; each window is compared with the one next to it.
    row = self.one([(record([10, 100, 50]), record([11, 110, 55]))])
    self.assertAlmostEqual(row.ratio, 1.1)
    self.assertEqual((row.scatter, row.verdict, row.red), (against.LEAST_SCATTER, "faster", False))

  def test_slower(self):
    row = self.one([(record([10, 10, 10], better="less", unit="us"), record([12, 12, 12], better="less", unit="us"))])
    self.assertEqual((row.verdict, row.red), ("slower", True))

  def test_within_its_scatter(self):
    pair = (record([10] * 5), record([8, 9, 9.5, 10, 11]))
    self.assertEqual(self.one([pair]).verdict, "within its scatter")
    self.assertEqual(self.one(a=[record([100])], b=[record([98.1])]).verdict, "within its scatter")
    self.assertEqual(self.one(a=[record([100])], b=[record([97])]).verdict, "slower")

  def test_what_scatters_too_much_tells_nothing(self):
    row = self.one(a=[record([10, 100, 500])], b=[record([70])])
    self.assertEqual((row.verdict, row.red), ("scatters too much to tell", True))
    self.assertEqual(self.one(a=[record([10, 100, 500])], b=[record([81])]).verdict, "within its scatter")
    self.assertEqual(self.one(a=[record([80, 100, 120])], b=[record([50])]).verdict, "slower")

  def test_rounds_count_together(self):
    # Each start has other memory: only all starts together are conclusive.
    pairs = [(record([10, 10]), record([10 * r, 10 * r])) for r in (0.8, 1, 1.2)]
    self.assertEqual(self.one(pairs).verdict, "within its scatter")

  def test_rows_that_took_turns_are_not_judged_twice(self):
    self.assertEqual(len(against.judge([(record([1]), record([1]))], [record([1])], [record([5])])), 1)

  def test_memory(self):
    self.assertEqual(
      self.one(a=[record([20], unit="MB", better="less")], b=[record([30], unit="MB", better="less")]).verdict, "larger"
    )

  def test_what_is_wrong_with_b_is_red(self):
    for a, b, verdict, red in (
      ([record([1])], [], "missing", True),
      ([], [record([1])], "new", False),
      ([record([5])], [record([0])], "no progress", True),
      ([record([0])], [record([5])], "no progress before", False),
      ([record([0])], [record([0])], "no progress", True),
    ):
      row = self.one(a=a, b=b)
      self.assertEqual((row.verdict, row.red), (verdict, red))

  def test_failures(self):
    failed = dict(case="a", metric="FAILED", error="why")
    self.assertEqual((self.one(a=[failed]).verdict, self.one(a=[failed]).red), ("failed before", False))
    self.assertEqual((self.one(b=[failed]).verdict, self.one(b=[failed]).red), ("fails: why", True))


class MeasureTest(unittest.TestCase):
  class Options:
    rounds, quiet, a, b = 2, 0, "A", "B"

  def setUp(self):
    self.before = dict(harness.CASES)
    harness.case("timed", turns=True, doc="-")(lambda b: None)
    harness.case("other", doc="-")(lambda b: None)
    self.ran = []

  def tearDown(self):
    harness.CASES.clear()
    harness.CASES.update(self.before)

  def measure(self, name, why=None, fails=False):
    def once(case, kind, options, timed):
      self.ran.append((kind, timed))
      return [dict(RATE, samples=[1]), *([dict(case=case, metric="FAILED", error="why")] if fails else [])]

    def turns(case, options):
      self.ran.append("turns")
      return ([], why) if why else (["pair"], None)

    return list(against.measure([name], self.Options, once, turns))

  def test_what_cannot_take_turns_alternates(self):
    self.measure("other")
    self.assertEqual(self.ran, [("A", True), ("B", True)] * 2)

  def test_what_takes_turns_is_timed_there(self):
    self.measure("timed")
    self.assertEqual(self.ran, ["turns", ("A", False), ("B", False)] * 2)

  def test_turns_that_fail_are_made_up_for(self):
    self.measure("timed", why="one of them could not run a row")
    self.assertEqual(self.ran, ["turns", ("A", True), ("B", True)] * 2)

  def test_what_fails_is_not_repeated(self):
    self.measure("other", fails=True)
    self.assertEqual(self.ran, [("A", True), ("B", True)])


if __name__ == "__main__":
  unittest.main()
