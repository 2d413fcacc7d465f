"""`./dev sim --bugs`: the simulation must find known bugs.

tests/simulation/bugs/NAME.patch plants one in the product: what it does in words, then a diff in git's format. Each is
applied to a copy of the source below build/bugs and must fail some seed; the table says which, and by what.
"""

import argparse
import glob
import os
import re
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tools", "dev"))

import building  # noqa: E402
import mutants  # noqa: E402
from console import say, seconds  # noqa: E402

PATCHES = os.path.join(HERE, "bugs")
COPY = os.path.join(ROOT, "build", "bugs")
PRESET = "dev"
# A seed takes a fraction of a second; a bug may make one hang forever.
LIMIT_SECONDS = 900
# The first words of failure messages, after the code and the client's name. See README.md.
INVARIANTS = ("effect", "torn", "queue", "late", "disk", "reset", "wait", "stuck", "left", "closed", "crash", "hash")


class Problem(Exception):
  pass


def environment():
  # As if the copy were a checkout: ccache then finds the objects of this one.
  return dict(building.environment(), CCACHE_BASEDIR=COPY)


def log_tail(path):
  with open(path, errors="replace") as f:
    return f.read()[-3000:]


def build():
  log = os.path.join(COPY, "build", "bugs.log")
  os.makedirs(os.path.dirname(log), exist_ok=True)
  folder = os.path.join(COPY, "build", PRESET)
  commands = []
  if not os.path.exists(os.path.join(folder, "build.ninja")):
    commands.append(["cmake", "--preset", PRESET])
  commands.append(["ninja", "-C", folder, "-j", str(os.cpu_count() or 2), "millrace_sim"])
  for command in commands:
    with open(log, "w") as out:
      if subprocess.call(command, cwd=COPY, stdout=out, stderr=subprocess.STDOUT, env=environment()) != 0:
        raise Problem("does not build:\n" + log_tail(log))
  return os.path.join(folder, "tests", "millrace_sim")


def apply(patch):
  # The copy is inside a checkout, which git must not mistake for the patch's.
  done = subprocess.run(
    ["git", "apply", "-p1", patch],
    cwd=COPY,
    capture_output=True,
    text=True,
    env=dict(os.environ, GIT_CEILING_DIRECTORIES=os.path.dirname(COPY)),
  )
  if done.returncode != 0:
    raise Problem("does not apply: " + (done.stdout + done.stderr).strip())


def run(program, arguments):
  """Returns exit code and output; None and output after LIMIT_SECONDS."""
  process = subprocess.Popen(
    [program] + arguments,
    cwd=COPY,
    stdin=subprocess.DEVNULL,
    stdout=subprocess.PIPE,
    stderr=subprocess.STDOUT,
    text=True,
    errors="replace",
    start_new_session=True,
  )
  try:
    output, _ = process.communicate(timeout=LIMIT_SECONDS)
    return process.returncode, output
  except subprocess.TimeoutExpired:
    os.killpg(process.pid, signal.SIGKILL)
    return None, process.communicate()[0]
  finally:
    if process.poll() is None:  # Ctrl-C: it is in a session of its own
      os.killpg(process.pid, signal.SIGKILL)


def invariant(message):
  m = re.search(r"\b(%s):" % "|".join(INVARIANTS), message)
  if m:
    return m.group(1)
  if "Deadlock" in message:
    return "deadlock"
  if "passed its limit" in message:
    return "endless"
  return "error"


def find(patch, seeds):
  """Returns (seed, invariant, message) of the first failure that was reported."""
  apply(patch)
  code, output = run(build(), ["--find", "--seeds", str(seeds)])
  m = re.search(r"^seed (\d+): (.*)$", output, re.M)
  if m:
    return int(m.group(1)), invariant(m.group(2)), m.group(2)
  if code is None:
    raise Problem("a seed hangs, and no other fails")
  raise Problem("is not found by %d seeds: %s" % (seeds, output.strip().split("\n")[-1]))


def main(argv):
  ap = argparse.ArgumentParser(prog="./dev sim --bugs", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  ap.add_argument("--seeds", type=int, default=2000, metavar="N", help="seeds that a bug may take (2000)")
  ap.add_argument("--verbose", action="store_true", help="show the messages")
  ap.add_argument("names", nargs="*", help="only these patches")
  args = ap.parse_args(argv)
  patches = sorted(glob.glob(os.path.join(PATCHES, "*.patch")))
  if args.names:
    patches = [p for p in patches if os.path.basename(p)[: -len(".patch")] in args.names]
  building.packages.need_packages(building.packages.BASE, building.packages.TEST)
  found, again = 0, []
  say("%-28s %6s  %-9s %s" % ("bug", "seed", "found by", "build and search"))
  for patch in patches:
    name = os.path.basename(patch)[: -len(".patch")]
    start = time.monotonic()
    mutants.COPY = COPY
    mutants.refresh()
    try:
      seed, by, message = find(patch, args.seeds)
      found += 1
      say("%-28s %6d  %-9s %s" % (name, seed, by, seconds(time.monotonic() - start)))
      if args.verbose:
        say("    " + message[:300])
    except Problem as problem:
      again.append(name)
      say("%-28s %s (%s)" % (name, problem, seconds(time.monotonic() - start)))
  mutants.refresh()  # removes the bug from the copy
  if again:
    say("again: ./dev sim --bugs " + " ".join(again))
  say("%d found, %d not found" % (found, len(again)))
  return 0 if patches and not again else 1


if __name__ == "__main__":
  sys.exit(main(sys.argv[1:]))
