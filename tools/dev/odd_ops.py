"""Every op with odd inputs, attributes and handles (tests/fuzz/ops)."""

import os
import subprocess

import building
import gtest_runner
import options
import packages
from console import ROOT

PROGRAM = "fuzz_ops"


def parser():
  ap = options.Parser(
    prog="./dev fuzz ops",
    description="Runs every op that has a CPU kernel with odd inputs, attributes and handles, under the sanitizers of "
    "addresses and undefined behaviour. A round runs some cases of each op; the next one has the next seed. "
    "Fails if there was a finding.",
  )
  ap.add_argument("--minutes", type=int, metavar="N", help="round after round; without, one round")
  ap.add_argument("--seed", type=int, default=1, metavar="S", help="of the first round (1)")
  ap.add_argument("--only", action="append", default=[], metavar="OP|FAMILY", help="these alone; may be given again")
  ap.add_argument("--case", type=int, metavar="K", help="this case of the seed alone")
  ap.add_argument("--cases", type=int, metavar="N", help="cases of each op in a round (40)")
  ap.add_argument("--jobs", type=int, metavar="J", help="processes that share the ops (one a core)")
  ap.add_argument("--preset", default="asan", choices=building.PRESETS, help="default: asan")
  return ap


def command(args):
  argv = [os.path.join(building.folder(args.preset), "tests", PROGRAM), "--seed", str(args.seed)]
  for name in ("minutes", "case", "cases", "jobs"):
    value = getattr(args, name)
    if value is not None:
      argv += ["--" + name, str(value)]
  if args.only:
    argv += ["--only", ",".join(args.only)]
  return argv


def called(argv):
  """Runs `./dev fuzz ops`; returns the exit code."""
  ap = parser()
  args = ap.parse_args(argv)
  if args.case is not None and not args.only:
    ap.error("--case is the number of an op's case: say which by --only")
  if args.case is not None and args.minutes is not None:
    ap.error("--case runs one case; leave out --minutes")
  packages.need_packages(packages.BASE, packages.TEST)
  building.build(args.preset, [PROGRAM])
  return subprocess.call(gtest_runner.prefix(args.preset) + command(args), cwd=ROOT, env=gtest_runner.environment(args.preset))
