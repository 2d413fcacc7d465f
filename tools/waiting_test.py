"""Tests that wait_for ends as soon as the condition holds, and names it otherwise."""

import unittest

from waiting import wait_for


class WaitForTest(unittest.TestCase):
  def test_gives_what_the_condition_gives(self):
    values = iter([None, 0, "there", "later"])
    self.assertEqual(wait_for(lambda: next(values), "it does not come", poll_s=0), "there")
    self.assertEqual(next(values), "later")

  def test_says_what_it_waited_for(self):
    with self.assertRaisesRegex(TimeoutError, "^after 0 s: it does not come$"):
      wait_for(lambda: False, "it does not come", 0)

  def test_a_text_that_is_made_at_the_deadline(self):
    seen = []
    with self.assertRaisesRegex(TimeoutError, r"^after 0 s: seen \[1"):
      wait_for(lambda: seen.append(1), lambda: "seen %s" % seen, 0)


if __name__ == "__main__":
  unittest.main()
