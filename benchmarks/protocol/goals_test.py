"""Tests of the goals: every row has one, in a meaningful form."""

import unittest

import goals
from goals import GoalError


class ParseTest(unittest.TestCase):
  def fails(self, text, message, cases=("a",)):
    with self.assertRaisesRegex(GoalError, message):
      goals.parse(text, cases)

  def test_forms(self):
    found = goals.parse(
      """
          a/plain            stock         # as good as stock's
          a/rate             >= 2.5x
          a/time             <= 0.5x
          a/memory           <= 30 MB
          a/disk             >= 0.9 of limits/disk
          a/limit            limit
          a/rate:server_cpu  <= 0.2x
        """,
      ("a",),
    )
    self.assertEqual(
      [(row, g.kind, g.text()) for row, g in found.items()],
      [
        ("a/plain", goals.STOCK, ">= 1.00"),
        ("a/rate", goals.TIMES, ">= 2.50"),
        ("a/time", goals.TIMES, ">= 2.00"),
        ("a/memory", goals.VALUE, "<= 30 MB"),
        ("a/disk", goals.OF, ">= 0.9 of limits/disk"),
        ("a/limit", goals.LIMIT, ""),
        ("a/rate:server_cpu", goals.TIMES, ">= 5.00"),
      ],
    )

  def test_aims(self):
    goal = goals.parse_goal("aim >= 2.5x")
    self.assertEqual((goal.kind, goal.aim, goal.text()), (goals.TIMES, True, "aim >= 2.50"))
    self.assertFalse(goals.parse_goal(">= 2.5x").aim)
    for text in ("aim", "aim stock", "aim limit", "aim >= 1x"):  # a row that is short is as good as stock's, too
      self.fails("a/b " + text, "no goal has the form")

  def test_a_factor_of_one_is_stock(self):
    self.assertEqual(goals.parse("a/b >= 1.0x", ("a",))["a/b"].kind, goals.STOCK)

  def test_a_row_has_one_goal(self):
    self.fails("a/b stock\na/b >= 2x", "line 2: a/b has a goal already")
    self.fails("a/b", "line 1: no goal has the form ''")

  def test_unknown_rows(self):
    self.fails("a/b stock\nc/d stock", "line 2: there is no case c of a row c/d")
    self.fails("b stock", "there is no case b of a row b")
    self.fails("a/b >= 1 of a/c", "a/b names a/c, which is no row")
    self.fails("a/b stock\na/c:server_cpu <= 1x", "a/c:server_cpu is of no row")

  def test_a_case_without_rows(self):
    self.fails("a/b stock", "the case c has no row", ("a", "c"))

  def test_nonsense(self):
    for text in ("2.5x", "> 2x", ">= x", "<= 0.9 of a/b", ">= 2.5 x y", "stock 2"):
      self.fails("a/b " + text, "no goal has the form '%s'" % text)
    self.fails("a/b >= 1.2.3x", "could not convert")

  def test_of_cases(self):
    found = goals.parse("a/b stock\nc/d stock", ("a", "c"))
    self.assertEqual(list(goals.of_cases(found, ["c"])), ["c/d"])


if __name__ == "__main__":
  unittest.main()
