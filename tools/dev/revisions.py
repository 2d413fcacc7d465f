"""Another revision of the repository, built beside this tree: ./dev bench --against REV.

It is in build/against, a git worktree of its own with its own build folder; the next revision replaces it,
and files that did not change between the two are not compiled again.
"""

import os
import subprocess
import sys

import packages
from console import ROOT, Line, fail, say

TREE = os.path.join(ROOT, "build", "against")


def git(folder, *words):
  """Returns (exit code, output)."""
  done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True)
  return done.returncode, (done.stdout + done.stderr).strip()


def need(folder, *words):
  code, said = git(folder, *words)
  if code != 0:
    fail("git %s failed:\n%s" % (" ".join(words), said))
  return said


def commit_of(revision):
  code, said = git(ROOT, "rev-parse", "--verify", "--quiet", revision + "^{commit}")
  if code != 0:
    fail("there is no revision '%s'" % revision)
  return said


def check_out(commit):
  """Checks out the files of the commit in TREE; its ignored ones, such as the build folder, stay."""
  need(ROOT, "worktree", "prune")
  # Without a .git of its own, git would take it for a folder of the outer repository.
  if not os.path.exists(os.path.join(TREE, ".git")):
    need(ROOT, "worktree", "add", "--force", "--detach", TREE, commit)
  need(TREE, "checkout", "--force", "--detach", commit)
  need(TREE, "clean", "-d", "--force")


def build(revision):
  """Builds the release of the revision by its own ./dev; returns (the command of its servers, its name)."""
  commit = commit_of(revision)
  check_out(commit)
  log = packages.log_path("against")
  with Line("building the release of %s in build/against (all of it: build/logs/against.log)" % commit[:12]) as line:
    with open(log, "w") as out:
      code = subprocess.call(
        [sys.executable, "-B", os.path.join(TREE, "tools", "dev"), "build", "release"],
        cwd=TREE,
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=subprocess.STDOUT,
      )
    program = os.path.join(TREE, "build", "release", "millrace")
    if code != 0 or not os.path.exists(program):
      line.result = "failed"
  if line.result == "failed":
    with open(log, errors="replace") as out:
      say("".join(out.readlines()[-25:]).rstrip())
    fail("%s does not build" % revision)
  return program, "%s (%s)" % (revision, commit[:12])
