"""Tests what nvrtc_check.py reads; compiling needs NVIDIA's library."""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import nvrtc  # noqa: E402
import nvrtc_check  # noqa: E402
import unit_problems  # noqa: E402

LOG = """ptxas info    : 506 bytes gmem
ptxas info    : Compiling entry function 'Unary' for 'sm_90'
ptxas info    : Function properties for Unary
ptxas         .     72 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 72 bytes cumulative stack size, 5216 bytes smem
ptxas info    : Compiling entry function 'Plain' for 'sm_90'
ptxas info    : Function properties for Plain
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 16 registers
ptxas info    : Function properties for __internal_trig_reduction_slowpathd
ptxas         .     40 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
"""


class NvrtcCheckTest(unittest.TestCase):
  def test_the_log_says_registers_and_spills(self):
    self.assertEqual([("Unary", 40, 20, 72, 5216), ("Plain", 16, 0, 0, 0)], [tuple(e) for e in nvrtc.parse_log(LOG)])

  def test_defines_are_products_and_lines_a_union(self):
    text = '// Defines: T = float half; OP = "a + b"\n// Defines: T = float;\n//   OP = Max\nkernel\n'
    self.assertEqual(
      [(("T", "float"), ("OP", "a + b")), (("T", "half"), ("OP", "a + b")), (("T", "float"), ("OP", "Max"))],
      nvrtc_check.define_sets(text),
    )
    self.assertEqual([()], nvrtc_check.define_sets("// Nothing.\n"))
    with self.assertRaisesRegex(ValueError, "cannot read 'OP'"):
      nvrtc_check.define_sets("// Defines: T = float; OP\n")

  def test_texts_are_joined_before_one(self):
    with tempfile.TemporaryDirectory() as root:
      for name, text in (
        ("a/functors.gpu.cu", "// Checked: with kernel.gpu.cu\n"),
        ("a/kernel.gpu.cu", "// Texts: a/functors.gpu.cu\n// Defines: T = float\n"),
      ):
        os.makedirs(os.path.join(root, "a"), exist_ok=True)
        with open(os.path.join(root, name), "w") as f:
          f.write(text)
      self.assertEqual(["a/functors.gpu.cu", "a/kernel.gpu.cu"], list(nvrtc_check.text_names(root)))
      self.assertEqual([], nvrtc_check.units_of_text("a/functors.gpu.cu", root))
      self.assertEqual(
        [(("a/functors.gpu.cu", "a/kernel.gpu.cu"), (("T", "float"),))], nvrtc_check.units_of_text("a/kernel.gpu.cu", root)
      )

  def test_lines_that_were_broken_anew_are_refused(self):
    amid = "// Sums of rows. Defines: T = float\n"
    self.assertEqual(["// Sums of rows. Defines: T = float"], nvrtc_check.misplaced_lines(amid))
    cut = "// Defines: T = float half;\n//     OP = Max\n// Min\n"
    self.assertEqual(["// Min"], nvrtc_check.misplaced_lines(cut))
    self.assertEqual([], nvrtc_check.misplaced_lines("// Texts: a.gpu.cu\n// Defines: T = float\n//     half\n//\n// More.\n"))
    with self.assertRaisesRegex(ValueError, "cannot read"):
      nvrtc_check.define_sets("// Defines: T = float; OP = Max Defines: T = half\n")

  def test_units_whose_defines_do_not_fit_are_found(self):
    prelude = ["#define GRID 1\n"]
    text = (
      '#ifdef MORE_RESULT\nextern "C" __global__ void One(T* x);\n#endif\n'
      "#ifndef EACH\n#define EACH 4\n#endif\n#if PASS == 1 && EACH\ntemplate <class I> I Two(I i) { return GRID; }\n#endif\n"
    )

    def problems(**defines):
      return unit_problems.problems([text], prelude, tuple(defines.items()))

    self.assertEqual([], problems(MORE_RESULT="1", T="float", PASS="1"))
    self.assertEqual(["T is not defined"], problems(MORE_RESULT="1", PASS="0"))
    self.assertEqual(["PASS is not defined"], problems(MORE_RESULT="1", T="float"))
    self.assertEqual(["nothing uses RESULT", "no kernel is left"], problems(RESULT="1", T="float", PASS="1"))

  def test_each_text_of_an_op_is_checked_as_it_says(self):
    prelude = []
    for path in nvrtc.PRELUDE:
      with open(path, encoding="utf-8") as f:
        prelude.append(f.read())
    wrong, units = [], 0
    for name in nvrtc_check.text_names():
      try:
        of_text = nvrtc_check.units_of_text(name)
      except ValueError as error:
        wrong.append("%s: %s" % (name, error))
        continue
      for unit in of_text:
        texts = [nvrtc_check.read_text(n) for n in unit.names]
        wrong += ["%s: %s" % (unit.describe(), problem) for problem in unit_problems.problems(texts, prelude, unit.defines)]
        units += 1
    self.assertEqual([], wrong)
    self.assertGreater(units, 1000)

  def test_a_record_has_each_module_once(self):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as f:
      f.write(
        "a/x.gpu.cu+a/y.gpu.cu\tOne\tT=float\tE=a = b\na/x.gpu.cu+a/y.gpu.cu\tTwo\tT=float\tE=a = b\ngenerated/1+a/x.gpu.cu\tG\na/z.gpu.cu\tZ\n"
      )
      f.flush()
      self.assertEqual(
        [(("a/x.gpu.cu", "a/y.gpu.cu"), (("T", "float"), ("E", "a = b"))), (("a/z.gpu.cu",), ())],
        nvrtc_check.recorded_units(f.name),
      )

  def test_families_and_texts_can_be_chosen(self):
    names = ["nn/lrn.gpu.cu", "nn/softmax.gpu.cu", "nn_more/x.gpu.cu"]
    self.assertEqual(names[:2], nvrtc_check.chosen(names, ["nn"]))
    self.assertEqual(names[1:2], nvrtc_check.chosen(names, ["millrace/ops/nn/softmax.gpu.cu"]))


if __name__ == "__main__":
  unittest.main()
