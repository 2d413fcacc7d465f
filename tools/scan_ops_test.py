"""Tests of cmake/scan_ops.py, which writes the tables of declarations, on small sources."""

import os
import subprocess
import sys
import tempfile
import unittest

SCAN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cmake", "scan_ops.py")
CPU_FILE = "MR_KERNELS(Sub, Cpu){{.make = F}};\nMR_KERNELS(\n    Add, Cpu){{.make = F}};\n"
GPU_FILE = "MR_KERNELS(Add, Gpu){{.make = G}};\n"


class ScanOpsTest(unittest.TestCase):
  def scan(self, table, files):
    """Returns the table of these files, or the complaint, in which FOLDER stands for where they lie."""
    with tempfile.TemporaryDirectory() as folder:
      listing, out = os.path.join(folder, "list"), os.path.join(folder, "out.cc")
      paths = []
      for name, text in files.items():
        paths.append(os.path.join(folder, name))
        with open(paths[-1], "w") as f:
          f.write(text)
      with open(listing, "w") as f:
        f.write("\n".join(paths) + "\n\n")
      command = [sys.executable, SCAN, "--table", table, "--header", "h.h", "--list", listing, "--out", out]
      done = subprocess.run(command, capture_output=True, text=True)
      if done.returncode != 0:
        self.assertFalse(os.path.exists(out))
        return done.stderr.replace(folder, "FOLDER")
      with open(out) as f:
        return f.read()

  def test_table(self):
    text = self.scan("all_ops", {"a.op.cc": "MR_OP(Sub) {\n};\nMR_OP(Add) {\n};\n  MR_OP(NotAtLineStart)\n"})
    self.assertIn('#include "h.h"\n', text)
    self.assertIn("    &::millrace::ops::mr_op_Add,\n    &::millrace::ops::mr_op_Sub,\n};", text)
    self.assertNotIn("NotAtLineStart", text)

  def test_empty_table(self):
    for files in ({}, {"a.op.cc": ""}):
      self.assertIn("AllOps() { return {}; }", self.scan("all_ops", files))

  def test_doubled(self):
    self.assertIn("Add is declared twice", self.scan("all_ops", {"a.op.cc": "MR_OP(Add) {};\nMR_OP(Add) {};\n"}))

  def test_each_device_has_a_table(self):
    cpu = self.scan("all_cpu_kernels", {"a.cpu.cc": CPU_FILE})
    self.assertIn("extern const KernelDecl mr_kernels_Add_Cpu;\nextern const KernelDecl mr_kernels_Sub_Cpu;\n", cpu)
    self.assertIn("    &::millrace::ops::mr_kernels_Add_Cpu,\n    &::millrace::ops::mr_kernels_Sub_Cpu,\n};", cpu)
    self.assertIn("absl::Span<const KernelDecl* const> AllCpuKernels() { return kTable; }", cpu)
    gpu = self.scan("all_gpu_kernels", {"a.gpu.cc": GPU_FILE, "b.gpu.cc": "MR_KERNELS(Mul, Gpu){{.make = G}};\n"})
    self.assertIn("    &::millrace::ops::mr_kernels_Add_Gpu,\n    &::millrace::ops::mr_kernels_Mul_Gpu,\n};", gpu)
    self.assertIn("absl::Span<const KernelDecl* const> AllGpuKernels() { return kTable; }", gpu)
    self.assertNotIn("Cpu", gpu)

  def test_without_files_of_a_device(self):
    self.assertIn("AllGpuKernels() { return {}; }", self.scan("all_gpu_kernels", {}))

  def test_doubled_for_one_device(self):
    self.assertIn(
      "FOLDER/b.gpu.cc:1: Add is declared twice, first at FOLDER/a.gpu.cc:1",
      self.scan("all_gpu_kernels", {"a.gpu.cc": GPU_FILE, "b.gpu.cc": GPU_FILE}),
    )

  def test_kernels_in_a_file_of_another_device(self):
    for table, name in (("all_cpu_kernels", "a.cpu.cc"), ("all_gpu_kernels", "a.gpu.cc")):
      said = self.scan(table, {name: "\n" + CPU_FILE + "MR_KERNELS(\n    Mul, Gpu){{.make = G}};\n"})
      line, device = (5, "Cpu") if name == "a.cpu.cc" else (2, "Gpu")
      self.assertIn("FOLDER/%s:%d: MR_KERNELS(" % (name, line), said)
      self.assertIn("is in a file of kernels for %s" % device, said)

  def test_misspelt_device(self):
    said = self.scan("all_gpu_kernels", {"a.gpu.cc": "MR_KERNELS(Add, Gpus){{.make = G}};\n"})
    self.assertIn("FOLDER/a.gpu.cc:1: MR_KERNELS(Add, Gpus) is in a file of kernels for Gpu", said)


if __name__ == "__main__":
  unittest.main()
