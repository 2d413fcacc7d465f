"""Tests of the verdicts: which rows are red, and what scatter allows."""

import unittest

import goals
import verdicts

RATE = dict(case="a", metric="rate", unit="steps/s", better="more")


def records(*rounds, **changes):
  return [dict(RATE, samples=list(samples), **changes) for samples in rounds]


def failed(case="a", error="exit 1: why\nmore"):
  return dict(case=case, servers="x", metric="FAILED", error=error)


class ScatterTest(unittest.TestCase):
  def test_quantiles(self):
    self.assertEqual([verdicts.quantile([4, 1, 3, 2], q) for q in (0, 0.25, 0.5, 0.75, 1)], [1, 1.75, 2.5, 3.25, 4])

  def test_spread(self):
    self.assertEqual(verdicts.spread([10]), 0)
    self.assertAlmostEqual(verdicts.spread([9, 10, 11]), 0.2)
    self.assertAlmostEqual(verdicts.spread([8, 8, 9, 10, 10, 11, 12, 12, 1000]), 0.3)  # outliers do not count

  def test_of_both_sides(self):
    still, wide = verdicts.Figure(records([100])[0]), verdicts.Figure(records([10, 100, 500])[0])
    near = verdicts.Figure(records([98.5, 100, 101.5])[0])
    self.assertAlmostEqual(verdicts.scatter_of(still, near), 0.03)
    self.assertAlmostEqual(verdicts.scatter_of(near, near), 0.03 * 2**0.5)
    self.assertGreater(verdicts.scatter_of(near, wide), verdicts.MOST_SCATTER)


class JudgeTest(unittest.TestCase):
  def judge(self, goal, stock, ours, machine=(), rounds=1, more=""):
    return verdicts.judge(list(stock), list(ours), list(machine), goals.parse("a/rate %s\n%s" % (goal, more), ("a",)), rounds)

  def verdict(self, *args, **kinds):
    row = self.judge(*args, **kinds)[0]
    return row.verdict, row.red

  def test_ratio_is_how_many_times_better(self):
    (row,) = self.judge(">= 2x", records([100]), records([300]))
    self.assertEqual((row.stock, row.ours, row.ratio, row.verdict, row.red), (100, 300, 3, "ok", False))
    (row,) = self.judge("<= 0.5x", records([100], better="less"), records([40], better="less"))
    self.assertEqual((row.ratio, row.verdict, row.factor), (2.5, "ok", 2))

  def test_medians_over_all_rounds(self):
    (row,) = self.judge("stock", records([1, 2, 3], [4, 5]), records([6], [6]), rounds=2)
    self.assertEqual((row.stock, row.ratio), (3, 2))

  def test_as_good_as_stock_within_its_scatter(self):
    stock = records([97.5, 100, 102.5])
    self.assertEqual(self.verdict("stock", stock, records([96])), ("ok within its scatter of 5 %", False))
    self.assertEqual(self.verdict("stock", stock, records([94])), ("missed, its scatter is 5 %", True))

  def test_scatter_excuses_no_more_than_a_quarter(self):
    stock = records([10, 100, 500])
    self.assertEqual(self.verdict("stock", stock, records([75])), ("ok within its scatter of 490 %", False))
    self.assertEqual(self.verdict("stock", stock, records([74])), ("missed, its scatter is 490 %", True))

  def test_other_goals_are_compared_as_they_are(self):
    self.assertEqual(self.verdict(">= 2x", records([95, 100, 105]), records([199])), ("missed", True))

  def test_values(self):
    self.assertEqual(self.verdict(">= 50 steps/s", records([100]), records([50])), ("ok", False))
    self.assertEqual(self.verdict(">= 50 steps/s", records([100]), records([49])), ("missed", True))
    self.assertEqual(self.verdict("<= 50 steps/s", records([100]), records([51])), ("missed", True))
    self.assertEqual(self.verdict(">= 50 GB/s", records([100]), records([50])), ("the goal is in GB/s", True))

  def test_of_another_figure(self):
    disk = records([50], case="limits", metric="disk")
    self.assertEqual(self.verdict(">= 0.9 of limits/disk", records([1]), records([45]), disk), ("ok, 0.90 of it", False))
    self.assertEqual(self.verdict(">= 0.9 of limits/disk", records([1]), records([44]), disk), ("missed, 0.88 of it", True))
    self.assertEqual(self.verdict(">= 0.9 of limits/disk", records([1]), records([44])), ("limits/disk was not measured", True))

  def test_what_is_as_good_as_stock_is_short_of_an_aim(self):
    for ours, verdict, red, short in (
      (200, "ok", False, False),
      (199, "short of it", False, True),
      (100, "short of it", False, True),
      (99, "missed", True, False),
    ):
      (row,) = self.judge("aim >= 2x", records([100]), records([ours]))
      self.assertEqual((row.verdict, row.red, row.short), (verdict, red, short))
    (row,) = self.judge("aim >= 50 steps/s", records([20]), records([49]))
    self.assertEqual((row.verdict, row.short), ("short of it", True))
    (row,) = self.judge("aim >= 2x", records([0]), records([0]))
    self.assertTrue(row.red)  # no progress cannot be an aim

  def test_turns_count_where_rounds_miss_a_goal(self):
    def judge(goal, ours, ratios):
      (row,) = verdicts.judge(records([100]), records([ours]), [], goals.parse("a/rate " + goal, ("a",)), 1, {"a/rate": ratios})
      return row.ratio, row.verdict, row.red, row.short

    self.assertEqual(judge("stock", 70, [1.1, 1.2, 1.3]), (1.2, "ok, in turns", False, False))
    self.assertEqual(judge("stock", 110, [0.5]), (1.1, "ok", False, False))
    self.assertEqual(judge(">= 2x", 150, [1.8]), (1.8, "missed, in turns", True, False))
    self.assertEqual(judge("aim >= 2x", 70, [1.8]), (1.8, "short of it, in turns", False, True))

  def test_turns_time_what_a_median_times(self):
    row = verdicts.Row("a/step.p50", "us", ratio=0.5, verdict="missed")
    self.assertEqual(verdicts.in_turns(row.name, {"a/step": [1.5]}), [1.5])
    stock = goals.parse_goal("stock")
    self.assertTrue(verdicts.has_turns(row, stock))
    self.assertFalse(verdicts.has_turns(verdicts.Row("a/step.p99", "us", ratio=0.5, verdict="missed"), stock))
    cpu = verdicts.Row("a/step.p50:server_cpu", "us", ratio=0.5, verdict="missed")
    self.assertTrue(verdicts.has_turns(cpu, stock))
    self.assertEqual(verdicts.in_turns(cpu.name, {"a/step": [1.5], "a/step:server_cpu": [2.5]}), [2.5])
    self.assertFalse(verdicts.has_turns(verdicts.Row("a/rss_peak", "MB", ratio=0.5, verdict="missed"), stock))

  def test_turns_excuse_no_round_that_stood_still_or_is_missing(self):
    def judge(ours, rounds):
      (row,) = verdicts.judge(records([100], [100]), ours, [], goals.parse("a/rate stock", ("a",)), rounds, {"a/rate": [2.0]})
      return row.verdict, row.red

    self.assertEqual(judge(records([50], [50]), 2), ("ok, in turns", False))
    self.assertEqual(judge(records([50, 50, 0]), 1), ("no progress on ours", True))
    self.assertEqual(judge(records([50]), 2), ("only in 1 of 2 rounds on ours", True))

  def test_rows_that_a_side_lacks_are_red(self):
    for stock, ours, verdict in (
      ((), records([1]), "missing on stock"),
      (records([1]), (), "missing on ours"),
      ((), (), "missing on both"),
      ([failed()], (), "failed on stock, missing on ours"),
      ([failed()], [failed()], "failed on both"),
    ):
      self.assertEqual(self.verdict("stock", stock, ours), (verdict, True))

  def test_a_case_that_fails_after_its_rows_is_red(self):
    rows = self.judge("stock", records([1]), records([1]) + [failed()])
    self.assertEqual(
      [(r.name, r.verdict, r.red) for r in rows], [("a/rate", "ok", False), ("a/FAILED", "failed on ours: exit 1: why", True)]
    )

  def test_rounds_that_lack_a_row_are_red(self):
    self.assertEqual(
      self.verdict("stock", records([1], [1], [1]), records([1], [1]), rounds=3), ("only in 2 of 3 rounds on ours", True)
    )

  def test_a_case_that_broke_off_is_red_for_that_alone(self):
    rows = self.judge("stock", records([1]), records([1]) + records([0], metric="other"), rounds=3, more="a/other stock")
    self.assertEqual([(r.name, r.red) for r in rows], [("a/rate", False), ("a/other", True)])

  def test_no_progress_is_red(self):
    for goal in ("stock", ">= 2x", ">= 0 steps/s"):
      self.assertEqual(self.verdict(goal, records([1, 2]), records([5, 5, 5, 0])), ("no progress on ours", True))
    self.assertEqual(self.verdict("stock", records([0]), records([0])), ("no progress on stock and ours", True))

  def test_a_time_of_zero_is_no_standstill(self):
    self.assertEqual(
      self.verdict("stock", records([1], better="less"), records([0], better="less")), ("too short to be measured", True)
    )

  def test_rows_without_goals_are_red(self):
    rows = self.judge("stock", records([1]), records([1]) + records([2], metric="new"))
    self.assertEqual([(r.name, r.verdict, r.red) for r in rows][1], ("a/new", "has no goal in goals.txt", True))

  def test_a_goal_the_wrong_way_round_is_red(self):
    self.assertEqual(self.verdict("<= 0.5x", records([1]), records([9])), ("the goal is turned around", True))

  def test_cpu_time_of_servers(self):
    rows = self.judge("stock", records([1], server_cpu_us=100), records([1], server_cpu_us=25), more="a/rate:server_cpu <= 0.2x")
    self.assertEqual([(r.name, r.ratio, r.red) for r in rows], [("a/rate", 1, False), ("a/rate:server_cpu", 4, True)])

  def test_the_machine_s_own_figures(self):
    (row,) = self.judge("limit", records([1]), records([2]))
    self.assertEqual((row.verdict, row.red, row.ratio), ("the machine's own", False, None))
    self.assertEqual(self.verdict("limit", records([1]), ()), ("missing on ours", True))

  def test_rows_of_a_case_stand_together(self):
    wanted = goals.parse("a/rate stock\nb/rate stock", ("a", "b"))
    rows = verdicts.judge(records([1]), records([1]) + records([1], metric="new"), [], wanted, 1)
    self.assertEqual([r.name for r in rows], ["a/rate", "a/new", "b/rate"])


class IncompleteTest(unittest.TestCase):
  def incomplete(self, measured):
    return verdicts.incomplete(measured, goals.parse("a/rate stock\na/other stock\nb/x stock", ("a", "b")))

  def test_whole(self):
    whole = records([1]) + records([1], metric="other") + records([1], case="b", metric="x", server_cpu_us=3)
    self.assertEqual(self.incomplete(whole), [])

  def test_what_is_wrong(self):
    self.assertEqual(
      self.incomplete(records([1, 0]) + records([1], metric="new") + [failed("b")]),
      ["b failed: exit 1: why", "a/other is missing", "a/rate makes no progress", "a/new has no goal in goals.txt"],
    )


if __name__ == "__main__":
  unittest.main()
