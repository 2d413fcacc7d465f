"""Error cases of ops on servers of ours and of stock TensorFlow (tests/cases/errors)."""

import os
import re
import subprocess

import building
import packages
from console import ROOT, say
from gtest_runner import Count

PROGRAM = os.path.join(ROOT, "tests", "cases", "errors", "run_errors.py")
SAMPLE = 300  # cases of ./dev test


def environment(preset):
  return dict(
    os.environ,
    MILLRACE_COMMAND=os.path.join(building.folder(preset), "millrace"),
    MILLRACE_BUILD=building.folder(preset),
    PYTHONDONTWRITEBYTECODE="1",
  )


def run(preset, options=(), prefix=(), show=False):
  """Runs the cases that the options name, of a built preset: all, or ops and families. A case that agrees is a test that
  passed; what is not enough has failed. show: also the table where nothing has failed."""
  done = subprocess.run(
    [*prefix, packages.need_venv(), PROGRAM, *options],
    cwd=ROOT,
    env=environment(preset),
    stdin=subprocess.DEVNULL,
    stdout=subprocess.PIPE,
    stderr=subprocess.STDOUT,
    text=True,
    errors="replace",
  )
  count = read_report(done.returncode, done.stdout)
  if show or count.failed:
    say(done.stdout.rstrip())
  if count.failed:
    names = [o for o in options if not o.startswith("-") and not o.isdigit()]
    count.again.append("./dev test %s --errors" % " ".join(names or ["ops"]))
  return count


def read_report(code, output):
  count = Count(failed=len(re.findall(r"^problem: ", output, re.M)))
  m = re.search(r"^([\d,]+) error cases of .*; ([\d,]+) differ, .*$", output, re.M)
  if m:
    cases, differ = (int(n.replace(",", "")) for n in m.groups())
    count.passed = cases - differ
    count.notes.append(m.group(0))
  if code != 0 and not count.failed:
    count.failed = 1
  return count
