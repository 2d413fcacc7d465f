"""Tests of ./dev gpu-check: what it runs, and what it shows while it packs."""

import contextlib
import io
import os
import tempfile
import unittest
from unittest import mock

import building
import console
import gpu_folder
import verb_gpu_check


class GpuCheckTest(unittest.TestCase):
  def setUp(self):
    out = tempfile.TemporaryDirectory()
    self.addCleanup(out.cleanup)
    self.out = out.name
    for place, name, value in (
      (verb_gpu_check, "OUT", self.out),
      (building, "build", lambda preset, targets: 1.0),
      (gpu_folder, "make", self.make),
      (verb_gpu_check.subprocess, "call", self.call),
    ):
      self.enterContext(mock.patch.object(place, name, value))

  def make(self, build, folder):
    os.makedirs(folder)
    with open(os.path.join(folder, "gpu-check"), "w") as f:
      f.write("x" * 50000)
    return folder

  def call(self, words, env):
    self.assertTrue(os.path.exists(words[0]))
    self.ran = os.path.relpath(words[0], self.out)
    return 0

  def run_verb(self, *words):
    """Returns what the verb says."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
      self.assertEqual(verb_gpu_check.main(["--preset", "dev", *words]), 0)
    return said.getvalue()

  def archives(self):
    return [name for name in os.listdir(self.out) if name.endswith(".xz")]

  def test_the_stand_in_needs_no_archive(self):
    self.assertNotIn("packing", self.run_verb("--stand-in", "--parts", "cases"))
    self.assertEqual((self.ran, self.archives()), (os.path.join("dev", "gpu-check"), []))

  def test_the_stand_in_runs_what_was_packed_if_it_is_told_so(self):
    self.assertIn("packing", self.run_verb("--stand-in", "--packed"))
    self.assertEqual(self.ran, os.path.join("run", gpu_folder.NAME, "gpu-check"))
    self.assertEqual(len(self.archives()), 1)

  def test_packing_shows_how_far_it_is(self):
    folder, seen = self.make("", os.path.join(self.out, "small")), []
    self.assertEqual(gpu_folder.size(folder), 50000)
    gpu_folder.pack(folder, os.path.join(self.out, "small.tar.xz"), seen.append)
    self.assertEqual(seen, sorted(seen))
    self.assertGreater(len([n for n in seen if n < 50000]), 2)
    self.assertGreaterEqual(seen[-1], 50000)

  def test_progress_is_shown_every_few_seconds(self):
    said, now = io.StringIO(), [0.0]
    with mock.patch.object(console.time, "monotonic", lambda: now[0]), contextlib.redirect_stdout(said):
      with console.Line("packing") as line:
        for second in range(12):
          now[0] = second
          line.progress("%d of 12" % second)
    self.assertEqual(said.getvalue(), "packing ... \n  packing 5 of 12\n  packing 10 of 12\npacking: done (11.0 s)\n")


if __name__ == "__main__":
  unittest.main()
