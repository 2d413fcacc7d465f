"""Runs GoogleTest programs, several at once, and counts their tests."""

import json
import os
import re
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed

import building
from console import ROOT, say

TIMEOUT_S = 900
# Programs with many equal tests, split into shards that run in parallel.
SHARDS = {"cases_tests": 4, "gpu_cases_tests": 4, "simulation_test": 2, "golden_test": 2}


class Count:
  """Counts passed, failed and skipped tests; how to run the failed ones again, and the tests' own notes."""

  def __init__(self, passed=0, failed=0, skipped=0):
    self.passed, self.failed, self.skipped, self.again, self.notes = passed, failed, skipped, [], []

  def add(self, other):
    self.passed += other.passed
    self.failed += other.failed
    self.skipped += other.skipped
    self.again += other.again
    self.notes += other.notes

  def text(self):
    parts = ["%d passed" % self.passed] if self.passed or self.failed else []
    if self.failed:
      parts.append("%d FAILED" % self.failed)
    if self.skipped:
      parts.append("%d skipped" % self.skipped)
    return ", ".join(parts) or "ok"


def listed(preset):
  """Returns (program, source folder) of every test program of a built preset."""
  path = os.path.join(building.folder(preset), "tests", "list.txt")
  if not os.path.exists(path):
    return []
  with open(path) as f:
    return [tuple(line.split()) for line in f if line.strip()]


def environment(preset):
  env = dict(os.environ)
  # Without the last option the search for leaks crashes over the thread-local memory of libraries that were closed again, as the code
  # that stands in for kernels of GPUs is.
  env["ASAN_OPTIONS"] = "detect_leaks=1:strict_string_checks=1:intercept_tls_get_addr=0"
  env["LSAN_OPTIONS"] = "suppressions=%s" % os.path.join(ROOT, "tests", "lsan.supp")
  env["UBSAN_OPTIONS"] = "print_stacktrace=1"
  env["TSAN_OPTIONS"] = "ignore_noninstrumented_modules=1:suppressions=%s" % os.path.join(ROOT, "tests", "tsan.supp")
  env["GTEST_COLOR"] = "no"
  return env


def standin_with_asan(preset):
  """Variables with which a program that has no sanitizer runs the code of GPUs with the address sanitizer, by libraries that stand in
  for CUDA's; None where there are none."""
  folder = os.path.join(building.folder(preset), "tests", "gpu_standin_asan")
  compiler = shutil.which("g++")
  if compiler is None or not os.path.isdir(folder):
    return None
  library = subprocess.run([compiler, "-print-file-name=libasan.so"], capture_output=True, text=True).stdout.strip()
  return dict(
    LD_PRELOAD=library,
    MILLRACE_CUDA_LIBRARIES=folder,
    MILLRACE_GPU_CACHE=os.path.join(folder, "code"),
    ASAN_OPTIONS="detect_leaks=0",
  )


def prefix(preset):
  """Returns a prefix for TSan, which needs addresses without randomization if the system randomizes many bits."""
  if preset == "tsan" and shutil.which("setarch"):
    if subprocess.run(["setarch", "-R", "true"], capture_output=True).returncode == 0:
      return ["setarch", "-R"]
  return []


def essential(output):
  """Returns the output without tests that passed or were skipped. A test that began and did not end stays."""
  kept, begun = [], None
  for line in output.splitlines():
    if re.match(r"\[  FAILED  \] \d+ tests?, listed below", line):
      break
    if line.startswith("[ RUN      ]"):
      begun = len(kept)
    if line.startswith(("[       OK ]", "[  SKIPPED ]")) and begun is not None:
      del kept[begun:]
      begun = None
    elif not line.startswith(("[---", "[===", "Running main()", "Note: ", "[  PASSED  ]", "[  SKIPPED ]")):
      kept.append(re.sub(r"^(\.\./)+", "", line))
  return "\n".join(line for i, line in enumerate(kept) if line or (i and kept[i - 1]))


def read_report(path, code, again):
  count = Count()
  try:
    with open(path) as f:
      report = json.load(f)
  except (OSError, ValueError):
    count.failed = 1  # it died before it could write
    count.again.append(" ".join(again))
    return count
  for suite in report.get("testsuites", []):
    for test in suite.get("testsuite", []):
      if test.get("result") == "SKIPPED":
        count.skipped += 1
      elif test.get("status") != "RUN":
        continue  # disabled, or not of this shard
      elif test.get("failures"):
        count.failed += 1
        count.again.append("%s --gtest_filter='%s.%s'" % (again[0], suite["name"], test["name"]))
      else:
        count.passed += 1
  if code != 0 and not count.failed:
    count.failed = 1
    count.again.append(" ".join(again))
  return count


def run_one(command, preset, shard, shards, timeout, more=None):
  with tempfile.TemporaryDirectory() as folder:
    report = os.path.join(folder, "report.json")
    env = environment(preset)
    env["TEST_TMPDIR"] = folder
    env.update(more or {})
    if shards > 1:
      env.update(GTEST_TOTAL_SHARDS=str(shards), GTEST_SHARD_INDEX=str(shard))
    full = prefix(preset) + command + ["--gtest_output=json:" + report]
    try:
      done = subprocess.run(
        full,
        cwd=ROOT,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=timeout,
      )
      output, code = done.stdout, done.returncode
    except subprocess.TimeoutExpired as e:
      output = (e.stdout or b"").decode(errors="replace") + "\nstill running after %d s, killed\n" % timeout
      code = -1
    if code < 0:
      output += "\n%s ended by signal %d\n" % (os.path.basename(command[0]), -code)
    count = read_report(report, code, [os.path.relpath(command[0], ROOT)] + command[1:])
    return count, essential(output) if count.failed else ""


def names(preset, programs, filters=None):
  """Returns the names of the tests that programs have, of those with a filter only what it selects."""
  found = []
  for name in programs:
    command = [os.path.join(building.folder(preset), "tests", name), "--gtest_list_tests"]
    if filters and filters.get(name):
      command.append("--gtest_filter=" + filters[name])
    said = subprocess.run(command, capture_output=True, text=True, env=environment(preset), timeout=TIMEOUT_S).stdout
    suite = ""
    for line in said.splitlines():
      word = line.split("#")[0].strip()
      if line.startswith("  "):
        found.append(suite + word)
      elif word.endswith("."):
        suite = word
  return found


def run(preset, programs, filters=None, timeout=TIMEOUT_S, env=None):
  """Runs test programs (names) with an optional filter each, and more variables; prints failures in full."""
  total = Count()
  jobs = []
  with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
    for name in programs:
      command = [os.path.join(building.folder(preset), "tests", name)]
      if filters and filters.get(name):
        command.append("--gtest_filter=" + filters[name])
      shards = SHARDS.get(name, 1)
      jobs += [pool.submit(run_one, command, preset, i, shards, timeout, env) for i in range(shards)]
    try:
      for job in as_completed(jobs):
        count, output = job.result()
        total.add(count)
        if output:
          say(output.rstrip())
    except KeyboardInterrupt:  # running programs have received it, too; the others do not begin
      pool.shutdown(wait=False, cancel_futures=True)
      raise
  return total
