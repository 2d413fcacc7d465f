"""`./dev test --mutants`: small wrong changes that the tests must notice.

tests/mutants/NAME.patch is a diff in git's format; a line `test: SELECTOR` above
the diff says which tests have to fail with it (selectors of `./dev test`, as
narrow as can be). The patch is applied to a copy below build/mutants with a
build of its own, so the working tree stays as it is. A patch that no test
notices, that does not apply or that does not build is a failure.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import time

import packages
from console import ROOT, say, seconds
from gtest_runner import Count

COPY = os.path.join(ROOT, "build", "mutants")
NOT_TESTED = 3  # exit code of `./dev test` if it could not build, or found no test
COPIED = (
  "CMakeLists.txt",
  "CMakePresets.json",
  "layers.txt",
  "dev",
  "cmake",
  "millrace",
  "proto",
  "tools",
  "tests",
  "examples",
  "benchmarks",
  "docs",
  "pytest.ini",
)


def refresh():
  """Makes the copy equal to the tree; unchanged files keep their times, so little is rebuilt."""
  os.makedirs(COPY, exist_ok=True)
  for name in COPIED:
    source, target = os.path.join(ROOT, name), os.path.join(COPY, name)
    if os.path.isfile(source):
      copy_file(source, target)
      continue
    wanted = set()
    for base, folders, files in os.walk(source):
      folders[:] = [d for d in folders if not d.startswith((".", "__"))]
      for f in files:
        path = os.path.join(base, f)
        relative = os.path.relpath(path, source)
        wanted.add(relative)
        copy_file(path, os.path.join(target, relative))
    for base, _, files in os.walk(target):
      for f in files:
        if os.path.relpath(os.path.join(base, f), target) not in wanted:
          os.remove(os.path.join(base, f))


def copy_file(source, target):
  with open(source, "rb") as f:
    data = f.read()
  if os.path.exists(target):
    with open(target, "rb") as f:
      if f.read() == data:
        return
  os.makedirs(os.path.dirname(target), exist_ok=True)
  with open(target, "wb") as f:
    f.write(data)
  shutil.copymode(source, target)


def run_tests(selectors):
  """Runs `./dev test` in the copy. Returns (exit code, output)."""
  done = subprocess.run(
    [sys.executable, "-B", os.path.join(COPY, "tools", "dev"), "test"] + selectors,
    cwd=COPY,
    stdin=subprocess.DEVNULL,
    stdout=subprocess.PIPE,
    stderr=subprocess.STDOUT,
    text=True,
    errors="replace",
  )
  return done.returncode, done.stdout


def apply(path, *options):
  """Returns "", or git's error."""
  # The copy is inside a repository, which git must not use here.
  env = dict(os.environ, GIT_CEILING_DIRECTORIES=os.path.dirname(COPY))
  done = subprocess.run(["git", "apply", *options, path], cwd=COPY, env=env, capture_output=True, text=True)
  return (done.stdout + done.stderr).strip() if done.returncode else ""


def selectors(path):
  with open(path) as f:
    m = re.search(r"^test: (.+)$", f.read(), re.M)
  return m.group(1).split() if m else []


def try_one(path):
  """Returns the outcome for a patch: ("red", ...) is the required one."""
  what = selectors(path)
  if not what:
    return "INVALID", "there is no line 'test: SELECTOR'"
  problem = apply(path)
  if problem:
    return "DOES NOT APPLY", problem
  try:
    code, output = run_tests(what)
  finally:
    apply(path, "--reverse")
  failed = re.search(r"^\d+ passed, (\d+) failed", output, re.M)
  if code == NOT_TESTED or not failed:  # without its last line it was killed
    return "NOT TESTED", output[-3000:]
  if code == 0:
    return "SURVIVES", "./dev test " + " ".join(what)
  return "red", "%s failed of ./dev test %s" % (failed.group(1), " ".join(what))


def baseline(paths):
  """Checks that the tests pass without patches, since otherwise their failures mean nothing. Builds everything
  needed."""
  refresh()
  packages.need_venv()
  if not os.path.lexists(os.path.join(COPY, ".venv")):
    os.symlink(packages.VENV, os.path.join(COPY, ".venv"))
  code, output = run_tests(list(dict.fromkeys(s for p in paths for s in selectors(p))))
  if code != 0:
    say(output.rstrip())
  return code == 0


def run(names=()):
  """Tries all patches, or those of the names."""
  paths = sorted(glob.glob(os.path.join(ROOT, "tests", "mutants", "*.patch")))
  if names:
    paths = [p for p in paths if any(n in os.path.basename(p) for n in names)]
  total = Count()
  start = time.monotonic()
  good = bool(paths) and baseline(paths)
  say("  without a patch: %s (%s)" % ("green" if good else "NOT GREEN", seconds(time.monotonic() - start)))
  if not good:
    total.add(Count(0, 1))
    return total
  for path in paths:
    start = time.monotonic()
    word, detail = try_one(path)
    say("  %-40s %-14s %s (%s)" % (os.path.basename(path)[: -len(".patch")], word, detail, seconds(time.monotonic() - start)))
    total.add(Count(1 if word == "red" else 0, 0 if word == "red" else 1))
  say("  %d mutants, %d red" % (len(paths), total.passed))
  return total
