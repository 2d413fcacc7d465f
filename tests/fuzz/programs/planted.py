"""`./dev fuzz programs --planted`: random programs must find known faults.

planted/NAME.patch plants one in the product: what it does in words, then a diff in git's format. Each is applied to a copy of the
source below build/planted. Some program of the first 200 must differ from stock with it, and shrink to MOST statements at most.
"""

import glob
import os
import re
import subprocess
import time

import building
import mutants
import packages
import random_programs
from console import ROOT, say, seconds

HERE = os.path.dirname(os.path.abspath(__file__))
PATCHES = os.path.join(HERE, "planted")
COPY = os.path.join(ROOT, "build", "planted")
PRESET = "dev"
PROGRAMS, MOST = 200, 6


class Problem(Exception):
  """Why a fault was not found."""


def _build():
  """The command of the copy."""
  folder = os.path.join(COPY, "build", PRESET)
  commands = [["ninja", "-C", folder, "-j", str(os.cpu_count() or 2), "millrace"]]
  if not os.path.exists(os.path.join(folder, "build.ninja")):
    commands.insert(0, ["cmake", "--preset", PRESET])
  for command in commands:
    # As if the copy were a checkout: ccache then finds the objects of this one.
    done = subprocess.run(
      command, cwd=COPY, capture_output=True, text=True, errors="replace", env=dict(building.environment(), CCACHE_BASEDIR=COPY)
    )
    if done.returncode != 0:
      raise Problem("does not build:\n" + (done.stdout + done.stderr)[-3000:])
  return os.path.join(folder, "millrace")


def _find(binary, argv):
  """(number of the program, statements left, what differs) of the first program that differs."""
  done = subprocess.run(
    random_programs.command(["--against", binary, "--stop", "1", *argv], packages.need_venv()),
    cwd=ROOT,
    env=random_programs.environment(PRESET),
    stdin=subprocess.DEVNULL,
    stdout=subprocess.PIPE,
    stderr=subprocess.STDOUT,
    text=True,
    errors="replace",
  )
  found = re.search(r"^program (\d+) differs: (.*)", done.stdout, re.M)
  left = re.search(r"^\W*Program \d+ of seed .*, (\d+) statements?\.", done.stdout, re.M)
  if not found or not left:
    raise Problem("is not found: " + "\n".join(done.stdout.strip().splitlines()[-3:]))
  return int(found.group(1)), int(left.group(1)), found.group(2)


def run(args):
  """The exit code."""
  patches = sorted(glob.glob(os.path.join(PATCHES, "*.patch")))
  good, argv = 0, ["--count", str(args.count or PROGRAMS), "--seed", str(args.seed), "--variables", args.variables]
  mutants.COPY = COPY
  say("%-32s %7s %10s  %s" % ("fault", "program", "statements", "build and search"))
  for patch in patches:
    start, name = time.monotonic(), os.path.basename(patch)[: -len(".patch")]
    mutants.refresh()
    try:
      problem = mutants.apply(patch)
      if problem:
        raise Problem("does not apply: " + problem)
      k, left, what = _find(_build(), argv)
      good += left <= MOST
      say("%-32s %7d %10d  %s, %s" % (name, k, left, seconds(time.monotonic() - start), what))
    except Problem as e:
      say("%-32s %s (%s)" % (name, e, seconds(time.monotonic() - start)))
  mutants.refresh()  # the copy is without a fault again
  say("%d of %d found and shrunk to %d statements or fewer" % (good, len(patches), MOST))
  return 0 if patches and good == len(patches) else 1
