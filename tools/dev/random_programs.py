"""Random programs on servers of ours and of stock TensorFlow (tests/fuzz/programs)."""

import os
import re
import subprocess
import sys

import building
import packages
from console import ROOT, say
from gtest_runner import Count

FOLDER = os.path.join(ROOT, "tests", "fuzz", "programs")
SEED = 1


def command(argv, python):
  return [python, os.path.join(FOLDER, "main.py")] + list(argv)


def environment(preset):
  # By default TensorFlow uses oneDNN's ops on some processors only: other numbers there.
  return dict(
    os.environ,
    MILLRACE_COMMAND=os.path.join(building.folder(preset), "millrace"),
    MILLRACE_BUILD=building.folder(preset),
    TF_CPP_MIN_LOG_LEVEL="3",
    CUDA_VISIBLE_DEVICES="",
    TF_ENABLE_ONEDNN_OPTS="1",
    PYTHONDONTWRITEBYTECODE="1",
  )


def called(argv, preset="dev"):
  """Runs `./dev fuzz programs`; returns the exit code."""
  sys.path.append(FOLDER)
  import command as options

  args = options.parser().parse_args(argv)
  python = packages.need_venv()
  if not args.against and not args.planted:
    building.build(preset, ["programs"] + ["graph_steps"] * args.places + ["gpu_standin"] * args.gpu)
  if args.planted:
    import planted

    return planted.run(args)
  return subprocess.call(command(argv, python), env=environment(preset))


def run(preset, count, prefix=(), options=()):
  """Runs a test per program, of a built preset."""
  argv = ["--count", str(count), "--seed", str(SEED), *options]
  done = subprocess.run(
    [*prefix, *command(argv, packages.need_venv())],
    cwd=ROOT,
    env=environment(preset),
    stdin=subprocess.DEVNULL,
    stdout=subprocess.PIPE,
    stderr=subprocess.STDOUT,
    text=True,
    errors="replace",
  )
  m = re.search(r"^(\d+) agree, (\d+) differ, (\d+) skipped", done.stdout, re.M)
  total = Count(*(int(n) for n in m.groups())) if m else Count()
  if done.returncode != 0:
    total.failed = max(total.failed, 1)
    say(done.stdout.rstrip())
    total.again += re.findall(r"^again: (.+)$", done.stdout, re.M) or ["./dev fuzz programs " + " ".join(argv)]
  total.notes += re.findall(r"^\d+ skipped: .+$", done.stdout, re.M)
  return total
