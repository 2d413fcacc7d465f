"""cmake/ccache.sh, the launcher of compilers."""

import os
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LAUNCHER = os.path.join(ROOT, "cmake", "ccache.sh")


@unittest.skipUnless(shutil.which("ccache") and shutil.which("g++"), "ccache or g++ is not installed")
class PrecompiledHeaderTest(unittest.TestCase):
  def setUp(self):
    folder = tempfile.TemporaryDirectory()
    self.addCleanup(folder.cleanup)
    self.folder = folder.name
    self.write("all.hxx", '#include "a.h"\n')

  def write(self, name, text):
    with open(os.path.join(self.folder, name), "w", encoding="utf-8") as f:
      f.write(text)

  def compile(self, *arguments):
    done = subprocess.run(
      [LAUNCHER, shutil.which("ccache"), shutil.which("g++"), "-fpch-preprocess", *arguments],
      cwd=self.folder,
      env=dict(os.environ, CCACHE_DIR=os.path.join(self.folder, "cache")),
      capture_output=True,
      text=True,
    )
    self.assertEqual(done.returncode, 0, done.stderr)

  def test_comment_in_a_header_changes(self):
    for comment in ("// One.", "// Another comment."):
      self.write("a.h", "#pragma once\n%s\nstruct A {};\n" % comment)
      self.write("main.cc", '#include "a.h"\n%s\nint main() { return sizeof(A) == 0; }\n' % comment)
      self.compile("-MD", "-x", "c++-header", "-c", "all.hxx", "-o", "all.hxx.gch")
      self.compile("-MD", "-include", "all.hxx", "-Winvalid-pch", "-c", "main.cc", "-o", "main.o")


if __name__ == "__main__":
  unittest.main()
