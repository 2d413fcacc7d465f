"""Tests of the stage that runs each benchmark once."""

import contextlib
import io
import os
import sys
import unittest

import benchmarks


class BenchmarksTest(unittest.TestCase):
  def count(self, said, code):
    with contextlib.redirect_stdout(io.StringIO()):
      count = benchmarks.count_of(said, code)
    return count.passed, count.failed, count.again

  def test_a_test_a_case(self):
    self.assertEqual(self.count("# null_step  build/dev  1.0 s\n# queues  build/dev  2.0 s\ncase metric\n", 0), (2, 0, []))

  def test_red_rows_fail(self):
    self.assertEqual(
      self.count("# a  x  1 s\n# b  x  1 s\nRED: a/rate makes no progress\n", 1), (1, 1, ["./dev bench --scale 0.1"])
    )

  def test_a_run_that_breaks_off_fails(self):
    for said, code in (("# a  x  1 s\n", 1), ("", 0), ("Traceback", 1)):
      self.assertGreaterEqual(self.count(said, code)[1], 1, said)

  def test_ops_that_disagree_fail(self):
    for said, code, found in (
      ("a\n423 ops agree, 0 do not or failed; x\n", 0, (423, 0, [])),
      ("422 ops agree, 1 do not or failed\n", 1, (422, 1, ["./dev bench ops --quick"])),
      ("Traceback", 1, (0, 1, ["./dev bench ops --quick"])),
    ):
      with contextlib.redirect_stdout(io.StringIO()):
        count = benchmarks.ops_count_of(said, code)
      self.assertEqual((count.passed, count.failed, count.again), found)

  def test_a_driver_that_hangs_is_ended(self):
    program = "import signal\nprint('RED: a/x is missing', flush=True)\nsignal.pause()"
    said, code = benchmarks.output_of([sys.executable, "-c", program], dict(os.environ), 1)
    self.assertEqual(code, -1)
    self.assertIn("RED: a/x is missing\n\nstill running after 1 s, ended", said)


if __name__ == "__main__":
  unittest.main()
