"""Tests of random programs, as far as they need no TensorFlow: their text, and the handling of their report."""

import sys
import unittest
from unittest import mock

import random_programs
from gtest_runner import Count

sys.path.append(random_programs.FOLDER)
import generate  # noqa: E402
import rules  # noqa: E402
import source  # noqa: E402

REPORT = """program 3 differs: run 1: x: other values
again: ./dev fuzz programs --seed 1 --only 3
2 skipped: stock ends with DeadlineExceededError
7 agree, 1 differ, 2 skipped with reason
"""


def text_of(program):
  return "\n".join(text for _, text in source.blocks_of(program))


class GeneratorTest(unittest.TestCase):
  def test_programs_are_python_and_keep_the_rules(self):
    for k in range(300):
      for variables in ("both", "resource"):
        program = generate.program(9, k, variables)
        compile(text_of(program), "program %d" % k, "exec")
        self.assertIsNone(rules.violation(program), k)

  def test_a_seed_gives_the_same_program_again(self):
    self.assertEqual(text_of(generate.program(1, 17)), text_of(generate.program(1, 17)))
    self.assertNotEqual(text_of(generate.program(1, 17)), text_of(generate.program(2, 17)))

  def test_updates_by_coordinates_and_chosen_references_are_in_programs(self):
    texts = "\n".join(text_of(generate.program(1, k)) for k in range(200))
    for word in ("scatter_nd_update", "scatter_nd_add", "scatter_nd_sub", "RefSelect", "gather_nd"):
      self.assertIn(word, texts)

  def test_every_kind_is_in_programs(self):
    texts = "\n".join(text_of(generate.program(2, k)) for k in range(1000))
    for word in (
      *("function.Defun", "functional_ops.For", "remote_call", "grad_func", "python_grad_func", "MapDefun"),
      *("tf1.gradients", "tensor_scatter_nd", "unravel_index", "Inplace", "edit_distance", "BlockLSTM", "GRUBlockCell"),
      *("CTCLoss", "CTCGreedyDecoder", "tf.ragged.range", "RaggedTensorFromVariant", "unicode_decode", "unicode_transcode"),
      *("tf.print", "tridiagonal_solve", "sqrtm", "eigvalsh", "bessel_i0e", "QuantizeAndDequantize", "raw_ops.Stack("),
      *("shared_name=", "TensorListConcatV2", "RngSkip", "StatefulUniform"),
    ):
      self.assertIn(word, texts)


class ReportTest(unittest.TestCase):
  def run_program(self, text, code):
    program = "import sys; sys.stdout.write(%r); sys.exit(%d)" % (text, code)
    with (
      mock.patch.object(random_programs, "command", lambda argv, python: [sys.executable, "-c", program]),
      mock.patch.object(random_programs.packages, "need_venv", lambda: ""),
      mock.patch.object(random_programs, "say"),
    ):
      return random_programs.run("dev", 10)

  def test_counts(self):
    count = self.run_program(REPORT, 1)
    self.assertEqual((count.passed, count.failed, count.skipped), (7, 1, 2))
    self.assertEqual(count.again, ["./dev fuzz programs --seed 1 --only 3"])
    self.assertEqual(count.notes, ["2 skipped: stock ends with DeadlineExceededError"])

  def test_what_ends_without_a_sum_has_failed(self):
    count = self.run_program("servers do not start\n", 1)
    self.assertEqual((count.passed, count.failed), (0, 1))
    self.assertEqual(count.again, ["./dev fuzz programs --count 10 --seed 1"])
    self.assertIsInstance(count, Count)


if __name__ == "__main__":
  unittest.main()
