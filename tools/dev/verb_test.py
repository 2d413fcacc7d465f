"""./dev test"""

import argparse
import os
import re
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import background
import benchmarks
import building
import error_cases
import fuzzing
import gtest_runner
import idle_build
import options
import packages
import pytest_runner
import random_programs
import selecting
import sources
import verb_fmt
from console import ROOT, say, seconds
from gtest_runner import Count

ASAN_ROOMS = ("base", "tensor", "graph", "protocol")
TSAN_ROOMS = ("base", "exec", "rpc", "rpc_grpc")
SEEDS, LONG_SEEDS, SANITIZED_SEEDS = 100, 2000, 50
TRAINING_SEEDS, LONG_TRAINING_SEEDS = 200, 2000  # of replicas that train
PROGRAMS, LONG_PROGRAMS = 100, 2000
# What --part names, in the order in which they run.
PARTS = ("units", "servers", "values", "benchmarks", "docs", "asan", "tsan", "fuzzers")
LONG_PARTS = ("benchmarks", "docs", "fuzzers")  # which only a long run has
WAITING_PARTS = ("units", "servers", "values")
DEV_PARTS = ("asan", "tsan", "fuzzers")  # which have a preset of their own, and go with dev
# For work that only computes, beside tests that have deadlines.
BESIDE = ["nice", "-n", "10"]


class Report:
  """The stages' lines and the sum at the end. Stages may run concurrently, in threads."""

  def __init__(self):
    self._lock = threading.RLock()
    self._running = []
    self.total = Count()
    self.notes = []  # of the stages, repeated at the end
    self.not_tested = False  # something was not built, or there is no such test
    self.stopped = threading.Event()  # no further stage begins

  def _show(self, change):
    """Changes the running stages, and shows that where it can be done in place."""
    with self._lock:
      change()
      if sys.stdout.isatty():
        running = ", ".join(self._running)
        print("\033[K" + (running + " ..." if running else ""), end="\r", flush=True)

  def stage(self, name, function):
    if self.stopped.is_set():
      return
    self._show(lambda: self._running.append(name))
    try:
      self._stage(name, function)
    finally:
      self._show(lambda: self._running.remove(name))

  def _stage(self, name, function):
    start = time.monotonic()
    try:
      count = function()
    except (SystemExit, Exception) as e:  # such as a build that failed, and reported it
      with self._lock:
        if not isinstance(e, SystemExit) or isinstance(e.code, str):
          say(str(e))
        self.total.add(Count(0, 1))
        self.not_tested = True
        say("%-34s %-28s %s" % (name, "FAILED", seconds(time.monotonic() - start)))
      raise
    with self._lock:
      self.total.add(count)
      say("%-34s %-28s %s" % (name, count.text(), seconds(time.monotonic() - start)))
      for note in count.notes:
        say("  " + note)
        self.notes.append("%s: %s" % (name, note))

  def finish(self, many=False):
    if self.total.again:
      say("again:")
      for line in self.total.again[:40]:
        say("  " + line)
    for note in self.notes if many else ():
      say(note)
    say("%d passed, %d failed" % (self.total.passed, self.total.failed))
    return 3 if self.not_tested else 1 if self.total.failed else 0


def complain(problems):
  for problem in problems:
    say(problem)
  return Count(0 if problems else 1, 1 if problems else 0)


def rules():
  count = complain(sources.text_problems())
  count.add(complain(["%s: not formatted; ./dev fmt does it" % p for p in verb_fmt.run(True)[1]]))
  return count


def gpus_with_asan(report, preset, programs, cases=True):
  """Runs those of the programs that run kernels for GPUs once more, these with the address sanitizer; the cases of all ops only if
  `cases`, since they take minutes."""
  programs = [p for p in programs if p in selecting.GPU_PROGRAMS and (cases or p != selecting.GPU_CASES)]
  env = gtest_runner.standin_with_asan(preset)
  if programs and env:
    report.stage("GPUs with the address sanitizer", lambda: gtest_runner.run(preset, programs, env=env))


def symbols(preset):
  import check_symbols

  return complain(check_symbols.check(building.folder(preset)))


def build(preset, targets=()):
  building.build(preset, targets)
  return Count()


def site(preset):
  import verb_docs

  return complain(["./dev docs fails"] if verb_docs.main(["--preset", preset]) else [])


def simulation(preset, seeds, prefix=(), flags=()):
  """Counts one test per seed if the program's last line says so, otherwise one in all."""
  program = os.path.join(building.folder(preset), "tests", "millrace_sim")
  done = subprocess.run(
    [*prefix, program, *flags, "--seeds", str(seeds)],
    cwd=ROOT,
    stdin=subprocess.DEVNULL,
    stdout=subprocess.PIPE,
    stderr=subprocess.STDOUT,
    text=True,
    errors="replace",
  )
  m = re.search(r"(\d+) passed, (\d+) failed", done.stdout.strip().split("\n")[-1])
  count = Count(int(m.group(1)), int(m.group(2))) if m else Count(1 if done.returncode == 0 else 0, 0)
  if done.returncode != 0 and not count.failed:
    count.failed = 1
  if count.failed:
    say(done.stdout.rstrip())
    count.again.append(" ".join(["./dev sim", *flags, "--seeds %d" % seeds]))
  return count


def sanitized_programs(preset, rooms):
  """Returns the tests of some rooms (None: all) as (programs, targets to build)."""
  packages.need_packages(packages.BASE, packages.TEST)
  building.configure(preset)
  programs = [p for p, _ in gtest_runner.listed(preset) if rooms is None or p in {r + "_test" for r in rooms}]
  return programs, programs + ([] if rooms else ["millrace_sim"] + (["python"] if preset in building.WITH_PYTHON else []))


def sanitized(report, preset, rooms):
  """Builds and runs the unit tests of some rooms with a sanitizer; None: all tests, and some seeds of the simulation."""
  programs, targets = sanitized_programs(preset, rooms)
  timeout = gtest_runner.TIMEOUT_S if rooms else 4 * gtest_runner.TIMEOUT_S
  if programs:
    report.stage("build " + preset, lambda: build(preset, targets))
    report.stage("tests under " + preset, lambda: gtest_runner.run(preset, programs, timeout=timeout))
    if not rooms:
      report.stage("simulation under %s, %d seeds" % (preset, SANITIZED_SEEDS), lambda: simulation(preset, SANITIZED_SEEDS))
      if preset in building.WITH_PYTHON:
        path = os.path.join("tests", "python", "test_sanitized.py")
        report.stage("Python package under " + preset, lambda: pytest_runner.run([path], preset, long=True, timeout=5400))


def run_all(args, report):
  packages.need_packages(packages.BASE, packages.TEST)
  background.end_all_with_signals()
  packages.need_venv(packages.PYTHON_FORMAT + packages.BINDING)  # before the background installs the rest
  venv = packages.start_venv()
  try:
    run_stages(args, report, venv)
  finally:
    venv.end()


def run_stages(args, report, venv):
  """Runs the parts that are wanted; each builds what it needs."""
  preset = args.preset
  wanted = set(args.part or PARTS)
  checks = [
    lambda: report.stage("rooms, headers, format", rules),
    lambda: report.stage("tools", lambda: pytest_runner.run_tools(report.stopped)),
  ]
  if wanted - set(DEV_PARTS):
    side_by_side(lambda: report.stage("build " + preset, lambda: build(preset)), *checks, stopped=report.stopped)
    if preset in ("dev", "release"):
      report.stage("symbols", lambda: symbols(preset))
  else:
    for check in checks:
      check()
  rooms = dict(asan=None, tsan=None) if args.long else dict(asan=ASAN_ROOMS, tsan=TSAN_ROOMS)
  rooms = {sanitizer: rooms[sanitizer] for sanitizer in rooms if preset == "dev" and sanitizer in wanted}
  # What waits leaves time to build what comes later.
  jobs = [(p, sanitized_programs(p, rooms[p])[1]) for p in rooms] if wanted & set(WAITING_PARTS) else []
  idle = idle_build.IdleBuild([job for job in jobs if job[1]])
  try:
    if "units" in wanted:
      units(args, report)
    if wanted & {"servers", "values"}:
      venv.wait()
    servers = [lambda: waiting(args, report)]
    values = [
      lambda: simulation_stage(args, report),
      lambda: python_stage(args, report, "cases", BESIDE),
      lambda: random_programs_stage(args, report),
      lambda: error_sample_stage(args, report),
    ]
    beside = (servers if "servers" in wanted else []) + (values if "values" in wanted else [])
    if beside:
      side_by_side(*beside, stopped=report.stopped)
  finally:
    idle.end()
  if args.long and "benchmarks" in wanted:
    report.stage("benchmarks, each case once", lambda: benchmarks.run(preset))
    report.stage("single ops by both packages", lambda: benchmarks.run_ops(preset))
  if args.long and "docs" in wanted:
    report.stage("documentation as a site", lambda: site(preset))
  for sanitizer in rooms:
    sanitized(report, sanitizer, rooms[sanitizer])
  if args.long and preset == "dev" and "fuzzers" in wanted:
    fuzz(report)


def units(args, report):
  programs = [p for p, _ in gtest_runner.listed(args.preset)]
  # Every type of every op is compiled for the stand-in of a GPU: `./dev test gpu` runs them all, too.
  gpu_cases = {} if args.long else dict(MILLRACE_GPU_CASES="sample")
  report.stage("unit tests and cases", lambda: gtest_runner.run(args.preset, programs, env=gpu_cases))
  gpus_with_asan(report, args.preset, programs, cases=args.long)


def side_by_side(function, *others, stopped=None):
  """Runs `others` in a thread, one after the other, and `function` in this one. Sets `stopped`, an event, if one fails or is
  interrupted: those that ask it end soon."""
  with ThreadPoolExecutor(1) as thread:
    jobs = [thread.submit(other) for other in others]
    try:
      function()
      for job in jobs:
        job.result()
    except BaseException:
      if stopped is not None:
        stopped.set()
      thread.shutdown(wait=False, cancel_futures=True)
      raise


def simulation_stage(args, report):
  if os.path.exists(os.path.join(building.folder(args.preset), "tests", "millrace_sim")):
    seeds = LONG_SEEDS if args.long else SEEDS
    report.stage("simulation, %d seeds" % seeds, lambda: simulation(args.preset, seeds, BESIDE))
    trainings = LONG_TRAINING_SEEDS if args.long else TRAINING_SEEDS
    report.stage("simulated training, %d seeds" % trainings, lambda: simulation(args.preset, trainings, BESIDE, ["--training"]))


def random_programs_stage(args, report):
  count = LONG_PROGRAMS if args.long else PROGRAMS
  report.stage("random programs, %d" % count, lambda: random_programs.run(args.preset, count, BESIDE))
  if args.preset == "dev":
    by_package = ["--client"]
    report.stage("random programs, by the package", lambda: random_programs.run(args.preset, count // 2, BESIDE, by_package))


def error_sample_stage(args, report):
  count = error_cases.SAMPLE
  report.stage("error cases, %d" % count, lambda: error_cases.run(args.preset, ["--sample", str(count)], BESIDE))


def waiting(args, report):
  """Runs Python tests that start servers. Most of their time they wait: for these, and for time limits."""
  for folder in selecting.PYTHON_FOLDERS:
    if folder != "cases":
      python_stage(args, report, folder)


def python_stage(args, report, folder, prefix=()):
  paths = selecting.python_tests(os.path.join("tests", folder))
  if paths:
    packages.need_venv()
    report.stage(folder, lambda: python_tests(args, paths, prefix=prefix))


def python_tests(args, paths, options=(), prefix=()):
  """Runs Python tests, each file in one of several processes; clusters need the machine."""
  processors = os.cpu_count() or 1
  processes = 1
  for folder, most in (("conformance", 2 * processors), ("python", processors)):
    if len(paths) > 1 and all(p.startswith(os.path.join("tests", folder) + os.sep) for p in paths):
      processes = min(4, most)
  if any(p.startswith(os.path.join("tests", "python")) for p in paths):
    packages.need_libraries_venv()
  # Long: 15 minutes of load, hundreds of kills.
  return pytest_runner.run(
    list(paths) + list(options), args.preset, args.long, timeout=5400 if args.long else 1800, processes=processes, prefix=prefix
  )


def fuzz(report):
  packages.need_packages(packages.BASE, packages.TEST)
  report.stage("build fuzz", lambda: build(fuzzing.PRESET, ["fuzzers"]))
  report.stage("fuzzers, %d s each" % fuzzing.SECONDS, fuzzing.run)


def against_stock(names, preset, long):
  return pytest_runner.run(
    ["tests/cases/test_stock.py::test_results", "tests/cases/test_snapshots.py"],
    preset,
    long,
    env=dict(MILLRACE_CASES=" ".join(names)),
  )


def run_selected(args, report):
  packages.need_packages(packages.BASE, packages.TEST)
  building.configure(args.preset)
  # CMake writes the list of programs; new files make it run again. If that fails, the build says so.
  subprocess.run(["ninja", "-C", building.folder(args.preset), "build.ninja"], capture_output=True, env=building.environment())
  programs = gtest_runner.listed(args.preset)
  stock = []
  for name in args.what:
    if name in ("fuzz", "tests/fuzz"):
      fuzz(report)
      continue
    selection = selecting.select(name, programs)
    if selection.empty():
      say(
        "no test is called '%s': give a room (base), a path (millrace/base/done_test.cc), a family (ops/product), "
        "files of ops without suffix (ops/activation/rectifier), an op (MatMul), a suite (WireStatusTest), conformance, cluster or python%s"
        % (name, options.near(name, selecting.words(programs)))
      )
      report.total.add(Count(0, 1))
      report.not_tested = True
      continue
    if selection.tools:
      report.stage("tools", lambda: pytest_runner.run_tools(report.stopped))
    if selection.families:
      report.stage("rules of its files", lambda: complain(sources.layers_problems(selection.families)))
    if selection.programs:
      report.stage("build " + args.preset, lambda: build(args.preset, selection.programs))
      count = Count()
      report.stage(name, lambda: count.add(some_tests(name, args, selection)) or count)
      if not args.filter:
        gpus_with_asan(report, args.preset, selection.programs)
      if not count.failed and not args.filter:
        stock += selecting.known_to_stock(selection.stock)
    if selection.python:
      # Programs of all folders but that of cases import the package.
      targets = ["programs"] + ["python"] * any(not p.startswith(os.path.join("tests", "cases")) for p in selection.python)
      report.stage("build " + args.preset, lambda targets=targets: build(args.preset, targets))
      extra = ["-k", args.k] if args.k else []
      report.stage(name, lambda: python_tests(args, selection.python, extra))
  if stock:
    report.stage("build " + args.preset, lambda: build(args.preset, ["millrace"]))
    report.stage("cases against stock", lambda: against_stock(dict.fromkeys(stock), args.preset, args.long))


def some_tests(name, args, selection):
  """Runs the tests of the programs that the words and the filter select; it is an error that there are none."""
  count = gtest_runner.run(args.preset, selection.programs, filters(args, selection))
  if not count.passed + count.failed + count.skipped:
    there = gtest_runner.names(args.preset, selection.programs, selection.filters)
    raise SystemExit("no test of %s matches --filter '%s'; %s" % (name, args.filter, some_of(there)))
  return count


def some_of(names, most=5):
  """Says which tests there are, of many the first ones."""
  more = ", and %d more" % (len(names) - most) if len(names) > most else ""
  return "there are %s%s" % (", ".join(names[:most]) or "none", more)


def run_errors(args, report):
  """Error cases of the ops that the names mean, of all if there is none."""
  packages.need_packages(packages.BASE, packages.TEST)
  building.configure(args.preset)
  named = [(name, selecting.ops_named(name, [("cases_tests", "tests/cases")])) for name in args.what or ["ops"]]
  unknown = [name for name, ops in named if ops is None]
  for name in unknown:
    say(
      "'%s' means no ops: give ops, a family (ops/product), files of ops without suffix (ops/activation/rectifier) or an op (MatMul)"
      % name
    )
  if unknown:
    report.total.add(Count(0, 1))
    report.not_tested = True
    return
  names = [] if any(not ops for _, ops in named) else list(dict.fromkeys(op for _, ops in named for op in ops))
  report.stage("build " + args.preset, lambda: build(args.preset, ["cases_tests", "millrace"]))
  report.stage("error cases", lambda: error_cases.run(args.preset, names, show=True))


def filters(args, selection):
  if args.filter:
    return {p: args.filter for p in selection.programs}
  return selection.filters


def arguments(argv):
  ap = options.Parser(
    prog="./dev test",
    formatter_class=argparse.RawDescriptionHelpFormatter,
    description="Runs every test, or those of paths and names:\n\n" + selecting.__doc__.split("\n\n", 1)[1],
  )
  ap.add_argument("what", nargs="*", metavar="path|name")
  ap.add_argument(
    "--long",
    action="store_true",
    help="more seeds, everything under ASan and TSan, the fuzzers, Python tests marked long, each "
    "benchmark once at a tenth of its length, the documentation as a site",
  )
  ap.add_argument(
    "--part",
    action="append",
    choices=PARTS,
    help="of all tests only these, so that a long run can be done in several: units; servers (Python tests that start some); "
    "values (simulation, cases and random programs beside stock); asan and tsan (the lower rooms, with --long everything); and "
    "with --long benchmarks, docs, fuzzers. May be given more than once",
  )
  ap.add_argument(
    "--mutants",
    action="store_true",
    help="apply tests/mutants/*.patch (or those of the names) to a copy, one after the other; each must make a test fail",
  )
  ap.add_argument(
    "--errors",
    action="store_true",
    help="of ops, families or all ops: error cases on servers of ours and of stock TensorFlow, their codes and first words",
  )
  ap.add_argument("--preset", default="dev", choices=building.PRESETS, help="default: dev")
  ap.add_argument("--filter", metavar="GTEST", help="GoogleTest's filter, for selected programs")
  ap.add_argument("-k", metavar="WORD", help="pytest's -k, for selected Python tests")
  args = ap.parse_args(argv)
  only_long = [part for part in args.part or [] if part in LONG_PARTS]
  if only_long and not args.long:
    ap.error("--part %s is a part of --long: give both" % only_long[0])
  only_dev = [part for part in args.part or [] if part in DEV_PARTS]
  if only_dev and args.preset != "dev":
    ap.error("--part %s has a preset of its own, and is not run with --preset %s: leave that out" % (only_dev[0], args.preset))
  if args.part and args.what:
    ap.error("--part chooses among all tests, and %s names some: give one of them" % args.what[0])
  if args.part and (args.mutants or args.errors):
    ap.error(
      "--part is of all tests, to which those of %s do not belong: give one" % ("--mutants" if args.mutants else "--errors")
    )
  return args


def main(argv):
  args = arguments(argv)
  report = Report()
  try:
    if args.mutants:
      import mutants

      report.stage("mutants", lambda: mutants.run(args.what))
    elif args.errors:
      run_errors(args, report)
    elif args.what:
      run_selected(args, report)
    else:
      run_all(args, report)
  except SystemExit:
    report.total.failed = max(report.total.failed, 1)
    report.not_tested = True
  return report.finish(many=not args.what and not args.errors)
