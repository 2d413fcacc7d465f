"""Tests that every patch of known faults applies: a fault that cannot be planted is not tested."""

import glob
import os
import subprocess
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class PatchesTest(unittest.TestCase):
  def test_each_applies(self):
    paths = sorted(glob.glob(os.path.join(ROOT, "tests", "**", "*.patch"), recursive=True))
    self.assertGreater(len(paths), 40)
    for path in paths:
      with self.subTest(patch=os.path.relpath(path, ROOT)):
        done = subprocess.run(["git", "apply", "--check", path], cwd=ROOT, capture_output=True, text=True)
        self.assertEqual("", done.stderr)
        self.assertEqual(0, done.returncode)


if __name__ == "__main__":
  unittest.main()
