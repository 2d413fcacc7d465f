"""Tests of cmake/ccache.sh: how it calls ccache, with a program in place of ccache that prints its arguments."""

import os
import subprocess
import tempfile
import unittest

from console import ROOT

LAUNCHER = os.path.join(ROOT, "cmake", "ccache.sh")
ASKED = ("CCACHE_DEPEND", "CCACHE_PCH_EXTSUM", "CCACHE_EXTRAFILES")
# ccache and the compiler in one: writes its environment to the file after -o, or fails.
PROGRAM = """#!/bin/sh
while [ "$1" != -o ]; do shift; done
if [ -e fail ]; then exit 3; fi
env > "$2"
"""


class LauncherTest(unittest.TestCase):
  def setUp(self):
    self.folder = tempfile.TemporaryDirectory()
    self.addCleanup(self.folder.cleanup)
    self.write("ccache", PROGRAM)
    os.chmod(self.path("ccache"), 0o755)

  def path(self, name):
    return os.path.join(self.folder.name, name)

  def write(self, name, text):
    with open(self.path(name), "w") as f:
      f.write(text)

  def compile(self, output, *words):
    """Returns the exit code, and the arguments."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("CCACHE_")}
    code = subprocess.call(
      [LAUNCHER, self.path("ccache"), "c++", *words, "-o", output, "-c", "x.cc"], cwd=self.folder.name, env=env
    )
    if code != 0:
      return code, {}
    with open(self.path(output)) as f:
      said = dict(line.rstrip("\n").partition("=")[::2] for line in f)
    return code, {name: said[name] for name in ASKED if name in said}

  def test_a_header_leaves_its_checksum(self):
    self.assertEqual(self.compile("all.hxx.gch"), (0, {}))
    with open(self.path("all.hxx.gch.sum")) as f:
      first = f.read()
    self.assertRegex(first, "^[0-9a-f]{32}")
    # Its content decides, although the environment differs.
    os.environ["MILLRACE_LAUNCHER_TEST"] = "another"
    self.addCleanup(os.environ.pop, "MILLRACE_LAUNCHER_TEST", None)
    self.compile("all.hxx.gch")
    with open(self.path("all.hxx.gch.sum")) as f:
      self.assertNotEqual(f.read(), first)

  def test_a_header_that_fails_leaves_none(self):
    self.compile("all.hxx.gch")
    self.write("fail", "")
    self.assertEqual(self.compile("all.hxx.gch"), (3, {}))
    self.assertFalse(os.path.exists(self.path("all.hxx.gch.sum")))

  def test_files_with_a_header_are_looked_up_by_it(self):
    header = self.path("all.hxx")
    self.assertEqual(self.compile("x.o", "-include", header), (0, {}), "there is no checksum")
    self.compile("all.hxx.gch")
    self.assertEqual(
      self.compile("x.o", "-include", header),
      (0, dict(CCACHE_DEPEND="1", CCACHE_PCH_EXTSUM="1", CCACHE_EXTRAFILES=header + ".gch.sum")),
    )
    self.assertEqual(self.compile("y.o"), (0, {}), "it includes none")

  def test_an_error_is_the_compilers(self):
    self.write("fail", "")
    self.assertEqual(self.compile("x.o"), (3, {}))


if __name__ == "__main__":
  unittest.main()
