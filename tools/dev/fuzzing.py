"""Builds the fuzzers of tests/fuzz (clang, ASan, UBSan) and runs each for a while.

An input that fails is stored in build/fuzz/found; the line of `again:` runs it.
"""

import glob
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

import building
from console import ROOT, say
from gtest_runner import Count

SECONDS = 20
PRESET = "fuzz"


def names():
  return sorted(os.path.basename(p)[: -len(".cc")] for p in glob.glob(os.path.join(ROOT, "tests", "fuzz", "*_fuzz.cc")))


def seeds(name):
  """Returns the folder of the fuzzer's seed corpus, created anew; none for fuzzers without one."""
  with open(os.path.join(ROOT, "tests", "fuzz", name + ".cc")) as f:
    if '#include "tests/fuzz/seeds.h"' not in f.read():
      return []
  folder = os.path.join(building.folder(PRESET), "seeds", name)
  shutil.rmtree(folder, ignore_errors=True)
  os.makedirs(folder)
  subprocess.check_call([os.path.join(building.folder(PRESET), "fuzz", name), "--write_seeds=" + folder], cwd=ROOT)
  return [folder]


def run_one(name, duration):
  folder = os.path.join(building.folder(PRESET), "found", "")
  os.makedirs(folder, exist_ok=True)
  program = os.path.join(building.folder(PRESET), "fuzz", name)
  # The same seed each time: test runs are reproducible, and long runs are done by hand.
  done = subprocess.run(
    [
      program,
      "-max_total_time=%d" % duration,
      "-seed=1",
      "-rss_limit_mb=4096",
      "-timeout=20",
      "-verbosity=0",
      "-print_final_stats=1",
      "-artifact_prefix=" + folder,
    ]
    + seeds(name),
    cwd=ROOT,
    stdin=subprocess.DEVNULL,
    stdout=subprocess.PIPE,
    stderr=subprocess.STDOUT,
    text=True,
    errors="replace",
  )
  runs = [line.split()[-1] for line in done.stdout.splitlines() if line.startswith("stat::number_of_executed_units")]
  count = Count(1, 0)
  if done.returncode != 0:
    count = Count(0, 1)
    found = [line.split("Test unit written to ")[1] for line in done.stdout.splitlines() if "Test unit written to" in line]
    count.again.append(" ".join([os.path.relpath(program, ROOT)] + [os.path.relpath(p, ROOT) for p in found]))
  count.notes.append("%-24s %s runs" % (name, runs[0] if runs else "?"))
  return count, done.stdout if done.returncode else ""


def run(duration=SECONDS, which=None):
  total = Count()
  with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
    for count, output in pool.map(lambda name: run_one(name, duration), which or names()):
      total.add(count)
      if output:
        say("\n".join(output.splitlines()[-60:]))
  return total
