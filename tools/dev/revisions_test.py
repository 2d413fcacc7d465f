"""Tests of the tree in which another revision is built."""

import contextlib
import io
import os
import subprocess
import tempfile
import unittest
from unittest import mock

import packages
import revisions

BUILDS = """import os
os.makedirs("build/release", exist_ok=True)
open("build/release/millrace", "w").write(open("text").read())
"""


class RevisionsTest(unittest.TestCase):
  def setUp(self):
    self.folder = tempfile.TemporaryDirectory()
    self.addCleanup(self.folder.cleanup)
    self.root = os.path.join(self.folder.name, "root")
    self.tree = os.path.join(self.root, "build", "against")
    os.makedirs(os.path.join(self.root, "tools", "dev"))
    self.git("init", "--quiet", "--initial-branch", "main")
    self.write("tools/dev/__main__.py", BUILDS)
    self.write(".gitignore", "/build/\n")
    for text in ("first", "second"):
      self.write("text", text)
      self.git("add", "-A")
      self.git("-c", "user.name=n", "-c", "user.email=n@example.com", "commit", "--quiet", "-m", text)
    for patch in (
      mock.patch.object(revisions, "ROOT", self.root),
      mock.patch.object(revisions, "TREE", self.tree),
      mock.patch.object(packages, "LOGS", os.path.join(self.root, "build", "logs")),
    ):
      patch.start()
      self.addCleanup(patch.stop)

  def git(self, *words):
    return subprocess.run(["git", *words], cwd=self.root, check=True, capture_output=True, text=True).stdout.strip()

  def write(self, name, text):
    with open(os.path.join(self.root, name), "w") as f:
      f.write(text)

  def read(self, *names):
    with open(os.path.join(*names)) as f:
      return f.read()

  def build(self, revision):
    with contextlib.redirect_stdout(io.StringIO()):
      return revisions.build(revision)

  def test_builds_the_revision_and_not_this_tree(self):
    self.write("text", "changed")
    program, name = self.build("HEAD~1")
    self.assertEqual(self.read(program), "first")
    self.assertEqual(name, "HEAD~1 (%s)" % self.git("rev-parse", "HEAD~1")[:12])
    self.assertEqual(self.read(self.root, "text"), "changed")
    self.assertEqual(self.git("branch", "--show-current"), "main")

  def test_the_tree_is_used_again(self):
    self.build("HEAD~1")
    kept = os.path.join(self.tree, "build", "kept")
    for path in (kept, os.path.join(self.tree, "left"), os.path.join(self.tree, "text")):
      with open(path, "w") as f:
        f.write("by hand")
    program, _ = self.build("main")
    self.assertEqual(self.read(program), "second")
    self.assertTrue(os.path.exists(kept))  # built files stay
    self.assertFalse(os.path.exists(os.path.join(self.tree, "left")))

  def test_a_tree_that_somebody_deleted_is_made_anew(self):
    self.build("HEAD~1")
    subprocess.run(["rm", "-r", self.tree], check=True)
    self.assertEqual(self.read(self.build("HEAD~1")[0]), "first")

  def test_a_folder_that_is_no_tree_of_ours_is_not_taken_for_one(self):
    # git finds the outer repository.
    os.makedirs(self.tree)
    self.assertEqual(self.read(self.build("HEAD~1")[0]), "first")
    self.assertEqual(self.read(self.root, "text"), "second")

  def test_what_does_not_build(self):
    self.write("tools/dev/__main__.py", "raise SystemExit('it is broken')")
    self.git("-c", "user.name=n", "-c", "user.email=n@example.com", "commit", "--quiet", "-am", "broken")
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said), self.assertRaises(SystemExit):
      revisions.build("HEAD")
    self.assertIn("it is broken", said.getvalue())

  def test_no_such_revision(self):
    said = io.StringIO()
    with contextlib.redirect_stderr(said), self.assertRaises(SystemExit):
      revisions.build("nonsense")
    self.assertIn("there is no revision 'nonsense'", said.getvalue())


if __name__ == "__main__":
  unittest.main()
