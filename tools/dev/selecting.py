"""What `./dev test PATH` means: which programs, with which filter, which Python tests.

millrace/base, base         the unit tests of a room
ops/product, ops/product/cross  the cases of a family or file, also on stock TensorFlow, and its unit tests; before them whether
                            the family's files keep the rules of tools/check_layers.py, also for an op
ops                         all of them, and whether every op and type of stock's has a case
x/y_test.cc, x/y.cc         the tests of that file
conformance, tests/cluster  a folder of tests/, C++ and Python
gpu                         everything about GPUs, on libraries that stand in for CUDA's, also with the address sanitizer
python                      programs in pairs by TensorFlow's package and by ours, and how much of the API they cover
tools                       the tests of the tools, and of what drives the benchmarks
fuzz                        the fuzzers, for 20 s each
MatMul                      the cases of an op, also on stock TensorFlow
WireStatusTest              a suite of GoogleTest, wherever it is; WireStatusTest.EveryCode is one test of it
"""

import glob
import os
import re

import sources
from console import ROOT

PYTHON_FOLDERS = ("cases", "conformance", "cluster", "docs", "gpu", "python")
# Programs that run kernels for GPUs, and unit tests about them by their names.
GPU_CASES = "gpu_cases_tests"
GPU_PROGRAMS = ("gpu_tests", GPU_CASES)
GPU_FILTERS = {"device_test": "*Cuda*:*Gpu*:*Nvrtc*", "kernel_test": "*Gpu*", "exec_test": "*Gpu*", "session_test": "*Gpu*"}


class Selection:
  def __init__(self):
    self.programs = []  # names of GoogleTest programs
    self.filters = {}  # program: gtest filter
    self.python = []  # paths for pytest
    self.stock = []  # ops and families whose cases also run on stock TensorFlow
    self.tools = False
    self.families = []  # folders of ops whose files are to keep the rules of tools/check_layers.py

  def empty(self):
    return not (self.programs or self.python or self.tools)


def python_tests(folder):
  return sorted(
    os.path.relpath(p, ROOT)
    for p in glob.glob(os.path.join(ROOT, folder, "**", "test_*.py"), recursive=True)
    + glob.glob(os.path.join(ROOT, folder, "**", "*_test.py"), recursive=True)
  )


def case_filter(ops):
  """Returns the filter: the harness names a test `<harness>/<op>` or `<harness>/<op>_<number>`."""
  return ":".join("*/%s:*/%s_*" % (op, op) for op in ops)


def family_of(path):
  """Returns the folder of the family of a file or folder of millrace/ops, or that folder."""
  return "/".join(path.split("/")[:3])


def files_of_suite(name):
  return [p for p in sources.cxx_files() if p.endswith("_test.cc") and name in sources.suites_declared(p)]


def suite_filter(suite, test=""):
  """The filter of a suite's tests, or of one, with and without parameters of types and of values."""
  if not test:
    return "*%s.*:*%s/*" % (suite, suite)
  return "*{0}.{1}:*{0}.{1}/*:*{0}/*.{1}".format(suite, test)


def add_file(selection, path, programs, only=None, test=""):
  """Adds the suites (or only one, or one test of it) of a *_test.cc, in the program of the deepest listed folder above it."""
  owners = [(len(folder), name) for name, folder in programs if path.startswith(folder + "/")]
  suites = [only] if only else sources.suites_declared(path)
  if owners and suites:
    name = max(owners)[1]
    parts = [suite_filter(s, test) for s in suites]
    old = selection.filters.get(name)
    selection.filters[name] = ":".join(([old] if old else []) + parts)
    if name not in selection.programs:
      selection.programs.append(name)


def candidates(name):
  """Returns the possible spellings of a path: as given, below millrace/, below tests/."""
  name = name.rstrip("/")
  if name.startswith("./"):
    name = name[2:]
  return [name, "millrace/" + name, "tests/" + name]


def words(programs):
  """What can be given: rooms, families, ops, suites and folders."""
  files = sources.cxx_files()
  families = {family_of(p).split("/", 1)[1] for p in files if p.startswith("millrace/ops/") and p.count("/") > 2}
  rooms = {folder.split("/", 1)[1] for _, folder in programs if folder.startswith("millrace/")}
  suites = {s for p in files if p.endswith("_test.cc") for s in sources.suites_declared(p)}
  ops = set(sources.ops_declared([p for p in files if p.startswith("millrace/ops/")]))
  return sorted(families | rooms | suites | ops | set(PYTHON_FOLDERS))


def select(name, programs):
  """Returns a Selection for a path or name. programs: (program, source folder) of the build."""
  selection = Selection()
  names = {p for p, _ in programs}
  for path in candidates(name):
    full = os.path.join(ROOT, path)
    if path in ("tools", "benchmarks") or path.startswith(("tools/", "benchmarks/")) and os.path.exists(full):
      selection.tools = True
      selection.programs += [p for p, folder in programs if folder.startswith("tools/")]
    elif path.startswith("millrace/ops") and (os.path.isdir(full) or glob.glob(full + ".*")):
      files = [p for p in sources.cxx_files() if p.startswith((path + "/", path + ".")) or p == path + "_test.cc"]
      ops = sources.ops_declared(files)
      selection.families.append(family_of(path))
      if ops and "cases_tests" in names:
        selection.programs.append("cases_tests")
        family = path.split("/")[2:]
        if family:
          selection.filters["cases_tests"] = case_filter(ops)
          selection.stock += family if len(family) == 1 else ops
        else:
          selection.python += python_tests("tests/cases")
      for p, folder in programs:
        if folder == path or folder.startswith(path + "/"):
          selection.programs.append(p)
      for p in files:
        if p == path + "_test.cc":
          add_file(selection, p, programs)
    elif os.path.isdir(full):
      below = [p for p, folder in programs if folder == path or folder.startswith(path + "/")]
      selection.programs += below
      if not below:
        for p in sources.cxx_files():
          if p.startswith(path + "/") and p.endswith("_test.cc"):
            add_file(selection, p, programs)
      if path.startswith("tests"):
        selection.python += python_tests(path)
      if path == "tests/gpu":
        selection.filters.update((p, f) for p, f in GPU_FILTERS.items() if p in names)
        selection.programs += selection.filters
    elif os.path.isfile(full) and path.endswith(".py"):
      selection.python.append(path)
    else:
      test = re.sub(r"(_test)?\.(cc|h)$", "", path) + "_test.cc"
      if os.path.isfile(os.path.join(ROOT, test)):
        add_file(selection, test, programs)
    if not selection.empty():
      return selection
  suite, _, test = name.partition(".")
  for path in files_of_suite(suite):
    add_file(selection, path, programs, suite, test)
  if name in names:
    selection.programs.append(name)
    return selection
  declaring = [p for p in sources.cxx_files() if p.startswith("millrace/ops/") and name in sources.ops_declared([p])]
  if declaring:
    selection.families += sorted({family_of(p) for p in declaring})
    if "cases_tests" in names:
      selection.programs.append("cases_tests")
      selection.filters["cases_tests"] = case_filter([name])
      selection.stock.append(name)
  return selection


def known_to_stock(names):
  """Returns those of ops and families that are not ops of our own."""
  with open(os.path.join(ROOT, "tests/cases/own_ops.txt"), encoding="utf-8") as f:
    own = {line.split()[0] for line in f if line.strip() and not line.startswith("#")}
  return [name for name in names if name not in own]


def ops_named(name, programs):
  """The ops and families whose cases a name means, as `cases_tests --export` takes them: [] for all, None if it means none."""
  selection = select(name, programs)
  if "cases_tests" not in selection.programs:
    return None
  if any(path.rstrip("/") == "millrace/ops" for path in candidates(name)):
    return []
  return selection.stock or None
