"""Tests of check_symbols.py on archives of one object."""

import os
import subprocess
import tempfile
import unittest

import check_symbols


class CheckSymbolsTest(unittest.TestCase):
  def problems(self, source, option="-O1"):
    with tempfile.TemporaryDirectory() as build:
      path = os.path.join(build, "x.cc")
      with open(path, "w") as f:
        f.write(source)
      subprocess.run(["c++", "-std=c++20", "-c", option, "-o", path + ".o", path], check=True)
      subprocess.run(["ar", "rc", os.path.join(build, "libmillrace_x.a"), path + ".o"], check=True)
      return check_symbols.check(build)

  def test_static_constructors_are_found_with_and_without_optimization(self):
    for option in ("-O0", "-O1", "-O2"):
      problems = self.problems("int Make(); int made = Make();", option)
      self.assertEqual(len(problems), 1, option)
      self.assertIn("libmillrace_x.a(x.cc.o): has a static constructor, which refers to", problems[0])
      self.assertIn("_Z4Makev", problems[0])

  def test_constants_and_streams_are_none(self):
    self.assertEqual(self.problems("#include <iostream>\nconstinit int kept = 3; int Get() { return kept; }"), [])

  def test_waits_go_through_base(self):
    problems = self.problems('extern "C" unsigned sleep(unsigned); void Wait() { sleep(1); }')
    self.assertEqual(problems, ["libmillrace_x.a(x.cc.o): calls sleep; go through millrace/base"])


if __name__ == "__main__":
  unittest.main()
