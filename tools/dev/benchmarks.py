"""Each case of benchmarks/protocol once, at a tenth of its length: no row may be missing, fail or make no progress; and the single
ops of benchmarks/python/ops, of which both packages have to compute the same."""

import os
import re
import subprocess

import building
import packages
from console import ROOT, say
from gtest_runner import Count

SCALE = 0.1
LIMIT_SECONDS = 7200
END_SECONDS = 30  # for the driver to stop its servers


def output_of(command, env, limit):
  """Returns (output, exit code); -1 if the limit ended it."""
  process = subprocess.Popen(
    command,
    cwd=ROOT,
    env=env,
    stdin=subprocess.DEVNULL,
    stdout=subprocess.PIPE,
    stderr=subprocess.STDOUT,
    text=True,
    errors="replace",
  )
  try:
    return process.communicate(timeout=limit)[0], process.returncode
  except subprocess.TimeoutExpired:
    process.terminate()
    try:
      said = process.communicate(timeout=END_SECONDS)[0]
    except subprocess.TimeoutExpired:
      process.kill()
      said = process.communicate()[0]
    return said + "\nstill running after %d s, ended\n" % limit, -1
  except BaseException:
    process.terminate()
    raise


def count_of(said, code):
  """Counts a test for each case that ran, and a failure for each red row."""
  ran = sum(line.startswith("# ") for line in said.splitlines())
  red = sum(line.startswith("RED: ") for line in said.splitlines())
  count = Count(max(0, ran - red), red)
  if code != 0 or not ran:
    count.failed = max(count.failed, 1)
  if count.failed:
    say(said.rstrip())
    count.again.append("./dev bench --scale %g" % SCALE)
  return count


def run(preset):
  python = packages.need_venv()
  servers = "%s server --job {job} --task {task} --cluster {cluster}" % os.path.join(
    os.path.relpath(building.folder(preset), ROOT), "millrace"
  )
  said, code = output_of(
    [python, os.path.join("benchmarks", "protocol", "bench.py"), "run", "--servers", servers, "--scale", str(SCALE)],
    dict(os.environ, TF_VENV=packages.VENV),
    LIMIT_SECONDS,
  )
  return count_of(said, code)


def ops_count_of(said, code):
  """Counts a test for each op that both packages compute alike, and a failure for each other one."""
  found = re.search(r"^(\d+) ops agree, (\d+) do not", said, re.M)
  count = Count(int(found.group(1)), int(found.group(2))) if found else Count(0, 1)
  if code != 0:
    count.failed = max(count.failed, 1)
  if count.failed:
    say(said.rstrip())
    count.again.append("./dev bench ops --quick")
  return count


def run_ops(preset):
  python = packages.need_venv()
  package = os.path.join(building.folder(preset), "python")
  command = [python, os.path.join("benchmarks", "python", "ops_bench.py"), "--package", package, "--quick"]
  return ops_count_of(*output_of(command, dict(os.environ), LIMIT_SECONDS))
