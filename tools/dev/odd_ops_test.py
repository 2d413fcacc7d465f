"""Tests of the options of `./dev fuzz ops`."""

import contextlib
import io
import unittest

import odd_ops


class OptionsTest(unittest.TestCase):
  def words(self, *argv):
    return odd_ops.command(odd_ops.parser().parse_args(argv))

  def test_they_are_the_program_s(self):
    words = self.words("--only", "MatMul", "--only", "array", "--seed", "3", "--minutes", "2")
    self.assertTrue(words[0].endswith("build/asan/tests/fuzz_ops"))
    self.assertEqual(words[1:], ["--seed", "3", "--minutes", "2", "--only", "MatMul,array"])

  def test_the_line_of_a_finding_is_understood(self):
    self.assertEqual(
      self.words("--only", "MatMul", "--seed", "3", "--case", "0")[1:], ["--seed", "3", "--case", "0", "--only", "MatMul"]
    )

  def test_a_case_is_one_of_an_op(self):
    for argv in (["--case", "3"], ["--case", "3", "--only", "Add", "--minutes", "1"]):
      with contextlib.redirect_stderr(io.StringIO()) as errors, self.assertRaises(SystemExit):
        odd_ops.called(argv)
      self.assertIn("--case", errors.getvalue())


if __name__ == "__main__":
  unittest.main()
