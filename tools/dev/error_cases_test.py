"""Tests of error cases as far as they need no TensorFlow: which are asked for, and the handling of their report."""

import sys
import unittest
from unittest import mock

import error_cases
import selecting

REPORT = """    2 another code, as Conv2D attr.strides.huge.kernel
problem: 90.91 % have stock's code, at least 97 % should
1,066 error cases of 2 ops: 90.91 % with stock's code, 60.61 % with its first words; 26 differ, 0 with a reason; 0 not counted
"""


class ReportTest(unittest.TestCase):
  def test_counts(self):
    count = error_cases.read_report(1, REPORT)
    self.assertEqual((count.passed, count.failed), (1040, 1))
    self.assertEqual(len(count.notes), 1)
    count = error_cases.read_report(0, REPORT.replace("problem:", "no problem:"))
    self.assertEqual((count.passed, count.failed), (1040, 0))

  def test_what_ends_without_a_sum_has_failed(self):
    self.assertEqual(error_cases.read_report(1, "servers do not start\n").failed, 1)

  def test_what_failed_is_named(self):
    program = "import sys; sys.stdout.write(%r); sys.exit(1)" % REPORT
    with (
      mock.patch.object(error_cases, "PROGRAM", "-c"),
      mock.patch.object(error_cases.packages, "need_venv", lambda: sys.executable),
      mock.patch.object(error_cases, "say"),
    ):
      self.assertEqual(error_cases.run("dev", [program]).again, ["./dev test %s --errors" % program])


class SelectionTest(unittest.TestCase):
  def test_names(self):
    programs = [("cases_tests", "tests/cases")]
    for name, expected in (
      ("ops", []),
      ("ops/linalg", ["linalg"]),
      ("millrace/ops/linalg/", ["linalg"]),
      ("MatMul", ["MatMul"]),
      ("ops/linalg/cholesky", None),
      ("base", None),
      ("nonsense", None),
    ):
      found = selecting.ops_named(name, programs)
      if expected is None and name.startswith("ops/"):
        self.assertIn("Cholesky", found)
      else:
        self.assertEqual(found, expected, name)


if __name__ == "__main__":
  unittest.main()
