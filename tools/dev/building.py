"""Configures and builds a preset below build/, with progress."""

import glob
import hashlib
import os
import subprocess
import sys
import time

import options
import packages
from console import ROOT, fail, say, seconds

PRESETS = ("release", "dev", "asan", "tsan")
WITH_PYTHON = ("dev", "asan")  # presets that build the Python package
# What a configured build knows to be there or not.
OPTIONAL = {
  "gtest": "/usr/include/gtest",
  "nanobind": os.path.join(packages.VENV, "lib", "python3*", "site-packages", "nanobind"),
}
MOST_USED = (
  "millrace",
  "programs",
  "python",
  "cases_tests",
  "gpu_cases_tests",
  "base_test",
  "cluster_test",
  "benchmarks",
  "fuzzers",
)


def folder(preset):
  return os.path.join(ROOT, "build", preset)


def environment():
  """Returns the environment in which ccache shares objects between checkouts; pip, apt and the tests do not get
  it."""
  env = dict(os.environ)
  env.setdefault("CCACHE_BASEDIR", ROOT)
  env.setdefault("CCACHE_NOHASHDIR", "1")
  return env


def configure(preset):
  build = folder(preset)
  with open(os.path.join(ROOT, "CMakePresets.json"), "rb") as f:
    there = [name for name, path in OPTIONAL.items() if glob.glob(path)]
    stamp = hashlib.sha256(f.read() + " ".join(there).encode()).hexdigest()
  path = os.path.join(build, ".configured")
  if os.path.exists(os.path.join(build, "build.ninja")) and os.path.exists(path):
    with open(path) as f:
      if f.read() == stamp:
        return
  start = time.monotonic()
  log = packages.log_path("configure-" + preset)
  with open(log, "w") as out:
    code = subprocess.call(["cmake", "--preset", preset], cwd=ROOT, stdout=out, stderr=subprocess.STDOUT, env=environment())
  if code != 0:
    with open(log, errors="replace") as out:
      fail("cmake --preset %s failed:\n%s" % (preset, out.read()))
  with open(path, "w") as f:
    f.write(stamp)
  say("configured build/%s (%s)" % (preset, seconds(time.monotonic() - start)))


def run_ninja(preset, command):
  """Off a terminal: prints a line every few seconds, and everything that is not a status line."""
  process = subprocess.Popen(
    command,
    cwd=ROOT,
    stdout=subprocess.PIPE,
    stderr=subprocess.STDOUT,
    text=True,
    errors="replace",
    env=dict(environment(), NINJA_STATUS="@@%f/%t "),
  )
  shown = time.monotonic()
  for line in process.stdout:
    if line.startswith("@@"):
      count, _, what = line[2:].partition(" ")
      if time.monotonic() - shown >= 5:
        shown = time.monotonic()
        say("  build/%s %s %s" % (preset, count, what.strip()))
    elif not line.startswith(("ninja: Entering", "ninja: no work", "-- ")):
      print(line, end="", flush=True)
  return process.wait()


def build(preset, targets=(), keep_going=False):
  """Builds targets (default: all). Exits if that fails."""
  packages.need_packages(packages.BASE, packages.TEST if preset != "release" else ())
  if preset in WITH_PYTHON or "python" in targets:
    packages.need_venv(packages.BINDING)
  configure(preset)
  start = time.monotonic()
  command = ["ninja", "-C", folder(preset), "-j", str(os.cpu_count() or 2)]
  if keep_going:
    command += ["-k", "0"]
  command += list(targets)
  if sys.stdout.isatty():
    code = subprocess.call(command, cwd=ROOT, env=dict(environment(), NINJA_STATUS="[%f/%t %es] "))
  else:
    code = run_ninja(preset, command)
  took = time.monotonic() - start
  if code != 0:
    fail(unknown(preset, targets) or "the build of %s failed (%s)" % (preset, seconds(took)))
  return took


def unknown(preset, targets):
  """Returns what to say of the targets that a build does not have, or "". Files may be targets, too, and are ninja's to judge."""
  known = {name for name in known_targets(preset) if "/" not in name}
  lacking = [t for t in targets if t not in known and "/" not in t and not t.endswith("^")] if known else []
  most_used = ", ".join(name for name in MOST_USED if name in known)
  return "\n".join(
    "build/%s has no target %s%s The most used are %s, and for unit tests ROOM_test and ops_FAMILY_test"
    % (preset, name, options.near(name, known) or ".", most_used)
    for name in lacking
  )


def known_targets(preset):
  """Returns the names of the targets of a configured preset."""
  out = subprocess.run(
    ["ninja", "-C", folder(preset), "-t", "targets", "all"], capture_output=True, text=True, env=environment()
  ).stdout
  return {line.rpartition(":")[0].strip() for line in out.splitlines() if ":" in line}


def slowest(preset, count=10):
  """Returns (seconds, file) of the files that took longest when they were last built."""
  latest = {}
  with open(os.path.join(folder(preset), ".ninja_log")) as f:
    for line in f:
      fields = line.rstrip("\n").split("\t")
      if len(fields) == 5 and fields[3].endswith(".o"):
        latest[fields[3]] = (int(fields[1]) - int(fields[0])) / 1000
  return sorted(((s, f) for f, s in latest.items()), reverse=True)[:count]
