"""./dev bench"""

import argparse
import glob
import os
import shlex
import subprocess
import sys

import building
import options
import packages
from console import ROOT, say

OPTIONS = "server --job {job} --task {task} --cluster {cluster}"
SERVER = "build/release/millrace " + OPTIONS
PROTOCOL = os.path.join("benchmarks", "protocol")
PYTHON = os.path.join("benchmarks", "python")

DESCRIPTION = """Measures Millrace's servers through the stock TensorFlow client (benchmarks/protocol).
Leave the machine alone meanwhile.

  ./dev bench                     all cases on Millrace's servers; fails if a row is missing or makes no progress
  ./dev bench --stock             the same on stock TensorFlow's in turn, and how many times better Millrace is
  ./dev bench --stock --all       every row with its goal and verdict; writes docs/performance.md and its picture
                                  (where --scale shortens it, build/performance.md). Fails if a row is red
  ./dev bench --against REV       builds another revision in build/against and says of each row whether this tree is
                                  slower or faster; fails if one is slower
  ./dev bench python              the Python package beside TensorFlow's, in turns, with goals (benchmarks/python);
                                  --quick: only whether each row runs; --rows REGEX: only some
  ./dev bench ops                 400 single ops at sizes of real programs, by both packages in turns, and which are
                                  slower than TensorFlow's; --rows REGEX: only some"""


def parser():
  ap = options.Parser(prog="./dev bench", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter)
  ap.add_argument(
    "what",
    nargs="?",
    choices=["idle", "serving", "python", "ops"],
    help="idle: what a server costs that nobody uses; serving: queries a second of the C++ client; python: the "
    "Python package beside TensorFlow's; ops: single ops by both",
  )
  ap.add_argument("--stock", action="store_true", help="measure stock TensorFlow's servers in turn and compare")
  ap.add_argument("--all", action="store_true", help="with --stock: every case, with goals and verdicts, for docs/performance.md")
  ap.add_argument("--against", metavar="REV", help="compare with another revision of Millrace")
  ap.add_argument("--cases", help="only these cases, separated by commas")
  ap.add_argument("--rounds", type=int, help="with --stock or --against: rounds (default 3)")
  ap.add_argument(
    "--turns",
    nargs="?",
    const="",
    metavar="ROWS",
    help="with --stock: both at the same time, row by row in short windows, for machines that others "
    "use (only rows that this regular expression names)",
  )
  ap.add_argument("--scale", type=float, default=1.0, help="0.3 shortens the cases")
  ap.add_argument(
    "--out", help="records are appended here (default build/bench.jsonl; with --all build/suite.jsonl, which is written anew)"
  )
  ap.add_argument("--micro", nargs="*", metavar="NAME", help="run the C++ micro benchmarks (of these names) instead")
  ap.add_argument("--list", action="store_true", help="list the cases")
  ap.add_argument("--quick", action="store_true", help="with python and ops: too short for figures")
  ap.add_argument("--rows", metavar="REGEX", help="with python and ops: only rows that it finds")
  return ap


def check(ap, args):
  """Rejects options that would be ignored."""
  if args.turns is not None and not (args.stock and args.cases):
    ap.error(
      "--turns compares with --stock, and the cases in which calls are timed one by one: "
      "--stock --cases kernels,null_step --turns"
    )
  if args.turns is not None and args.rounds is not None:
    ap.error("--turns has no rounds: each row has its windows")
  if args.all and not args.stock:
    ap.error("--all compares with stock TensorFlow's servers: --stock --all")
  if args.all and (args.cases or args.turns is not None):
    ap.error("--all runs every case, A B A B: it goes with neither --cases nor --turns")
  if args.against and args.stock:
    ap.error("--against compares with another revision, --stock with TensorFlow: one at a time")
  if args.rounds is not None and not (args.stock or args.against):
    ap.error("--rounds goes with --stock or --against")
  if args.rounds is not None and args.rounds < 1:
    ap.error("--rounds: at least 1")
  if (args.quick or args.rows) and args.what not in ("python", "ops"):
    ap.error("--quick and --rows go with python and ops: ./dev bench python --quick")


def run_micro(filters):
  """Runs Google Benchmark programs, benchmarks/**/*_bench.cc."""
  packages.need_packages(packages.TEST)
  building.build("release", ["benchmarks"])
  worst = 0
  for program in sorted(glob.glob(os.path.join(building.folder("release"), "benchmarks", "*_bench"))):
    if not filters or any(f in os.path.basename(program) for f in filters):
      say("== " + os.path.basename(program))
      worst = max(worst, subprocess.call([program], cwd=ROOT))
  return worst


def run_without_tensorflow(what):
  if what == "idle":
    building.build("release", ["programs"])
    words = [os.path.join(PROTOCOL, "idle.py"), SERVER]
  else:
    packages.need_packages(packages.TEST)
    building.build("release", ["programs", "serving_bench"])
    words = [
      os.path.join(PROTOCOL, "serving.py"),
      os.path.join(building.folder("release"), "benchmarks", "serving_bench"),
      SERVER,
    ]
  return subprocess.call([sys.executable, *words], cwd=ROOT)


def run_python(args):
  """Measures the package of the release, for the Python of .venv."""
  import verb_wheel

  python = packages.need_venv()
  packages.need_packages(packages.BASE, packages.TEST)
  verb_wheel.configure("release", python)
  building.build("release", ["python"])
  words = ["--package", os.path.join(building.folder("release"), "python")]
  words += ["--quick"] * args.quick + (["--rows", args.rows] if args.rows else []) + (["--out", args.out] if args.out else [])
  program = "bench.py" if args.what == "python" else "ops_bench.py"
  return subprocess.call([python, os.path.join(PYTHON, program), *words], cwd=ROOT)


def command_of(args):
  """Returns the subcommand of bench.py and its options. Builds what it measures."""
  rounds = ["--rounds", str(args.rounds or 3)]
  if args.turns is not None:
    command = ["turns", "--a", "stock", "--b", SERVER, "--rows", args.turns]
  elif args.all:
    command = ["suite", "--a", "stock", "--b", SERVER, *rounds, "--docs", "docs" if args.scale >= 1 else "build"]
  elif args.against:
    import revisions

    program, name = revisions.build(args.against)
    command = [
      "against",
      "--a",
      "%s %s" % (shlex.quote(program), OPTIONS),
      "--b",
      SERVER,
      *rounds,
      "--name-a",
      name,
      "--name-b",
      "this tree",
    ]
  elif args.stock:
    command = ["compare", "--a", "stock", "--b", SERVER, *rounds]
  else:
    command = ["run", "--servers", SERVER]
  out = args.out or os.path.join("build", "suite.jsonl" if args.all else "bench.jsonl")
  return command + ["--out", out, "--scale", str(args.scale)] + (["--cases", args.cases] if args.cases else [])


def main(argv):
  ap = parser()
  args = ap.parse_args(argv)
  check(ap, args)
  if args.micro is not None:
    return run_micro(args.micro)
  if args.what in ("python", "ops"):
    return run_python(args)
  if args.what:
    return run_without_tensorflow(args.what)
  python = packages.need_venv()
  if not args.list:
    building.build("release", ["programs"])
  words = ["list"] if args.list else command_of(args)
  # Replaces this program: a signal that ends it ends the servers.
  os.chdir(ROOT)
  os.execve(python, [python, os.path.join(PROTOCOL, "bench.py"), *words], dict(os.environ, TF_VENV=packages.VENV))
