"""./dev sim"""

import argparse
import os
import subprocess
import sys

import building
from console import ROOT, fail


def main(argv):
  ap = argparse.ArgumentParser(
    prog="./dev sim",
    description="Runs clusters in simulated time under faults. The same "
    "seed gives the same run. Further options go to the program (tests/simulation).",
  )
  ap.add_argument("--seeds", type=int, metavar="N", help="run N seeds")
  ap.add_argument("--seed", type=int, metavar="S", help="run one seed and say what happens")
  ap.add_argument("--bugs", action="store_true", help="build versions with known bugs; the simulation must find each")
  ap.add_argument("--preset", default="dev", choices=building.PRESETS)
  args, rest = ap.parse_known_args(argv)
  if args.bugs:
    script = os.path.join(ROOT, "tests", "simulation", "bugs.py")
    if not os.path.exists(script):
      fail("tests/simulation/bugs.py is missing, so there are no known bugs to look for")
    return subprocess.call([sys.executable, script] + rest, cwd=ROOT)
  building.build(args.preset, ["millrace_sim"])
  command = [os.path.join(building.folder(args.preset), "tests", "millrace_sim")]
  for name in ("seeds", "seed"):
    if getattr(args, name) is not None:
      command += ["--" + name, str(getattr(args, name))]
  return subprocess.call(command + rest, cwd=ROOT)
