"""Tests of check_op_names.py on small trees."""

import os
import tempfile
import unittest

import check_op_names

OPS = "MR_OP(Neg){};\nMR_OP(Shape){};\n"


class CheckOpNamesTest(unittest.TestCase):
  def problems(self, files, reasons=""):
    tree = {"tools/op_names.txt": reasons, "millrace/ops/math/neg.op.cc": OPS, **files}
    with tempfile.TemporaryDirectory() as root:
      for path, text in tree.items():
        full = os.path.join(root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w") as f:
          f.write(text)
      return check_op_names.check(root)

  def test_a_name_needs_a_reason(self):
    problems = self.problems({"millrace/pass/a.cc": '\nif (node.IsOp("Neg")) {\n'})
    self.assertEqual(1, len(problems), problems)
    self.assertIn('millrace/pass/a.cc:2: "Neg" is an op\'s name', problems[0])

  def test_a_file_with_a_reason(self):
    self.assertEqual([], self.problems({"millrace/pass/a.cc": 'Make("Neg");\n'}, "millrace/pass/a.cc it makes them\n"))

  def test_names_of_nodes_comments_and_tests_are_free(self):
    self.assertEqual(
      [],
      self.problems(
        {
          "millrace/client/a.cc": 'f(scope.WithOpName("Shape"));  // "Neg"\nAdd("Other");\n',
          "millrace/client/a_test.cc": 'Add("Neg");\n',
          "millrace/client/testing/a.h": '#pragma once\nAdd("Neg");\n',
          "millrace/ops/math/neg.cpu.cc": 'Add("Neg");\n',
        }
      ),
    )

  def test_a_reason_without_a_name(self):
    problems = self.problems({"millrace/pass/a.cc": "\n"}, "# why\nmillrace/pass/a.cc it makes them\n")
    self.assertEqual(["tools/op_names.txt: millrace/pass/a.cc writes no op name; take it off"], problems)

  def test_too_many(self):
    most = check_op_names.MOST_NAMES
    problems = self.problems({"millrace/pass/a.cc": 'Make("Neg");\n' * (most + 1)}, "millrace/pass/a.cc it makes them\n")
    self.assertEqual(1, len(problems), problems)
    self.assertIn("%d op names outside of millrace/ops, %d are the most" % (most + 1, most), problems[0])

  def test_a_path_without_a_reason_is_no_entry(self):
    with self.assertRaisesRegex(SystemExit, "op_names.txt:1: millrace/pass/a.cc has no reason"):
      self.problems({}, "millrace/pass/a.cc\n")


if __name__ == "__main__":
  unittest.main()
