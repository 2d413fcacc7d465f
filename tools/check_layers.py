#!/usr/bin/env python3
"""Checks what the compiler does not: rooms include only what layers.txt allows,
and use all that it allows, third-party and standard headers stay in their
places, files have telling names, all facets of an op lie in files of one stem
and its kernels in those of their device, code for GPUs beside what declares its
kernels, folders stay small.

  tools/check_layers.py            the whole repository
  tools/check_layers.py PATH...    only these files
  tools/check_layers.py --sizes    how many files each family of ops has, the fullest first

Prints `file:line: what is wrong; what to do instead` and exits with 1 if there
was anything. A line may excuse itself with `NOLINT(layers): reason`.
"""

import argparse
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = ("millrace", "tools", "examples", "docs", "tests", "benchmarks", "python")
SOURCES = (".cc", ".h", ".cu", ".cuh")
KERNEL_FILES = r"millrace/ops/.*\.cpu\.(cc|h)$|millrace/ops/[^.]*\.h$|millrace/ops/.*_test\.cc$"

# Header (regular expression), files that may include it, what other files use instead.
HEADERS = [
  (r"grpc(pp|\+\+)?/", r"millrace/rpc/grpc/|benchmarks/protocol/limits/", "gRPC stays in millrace/rpc/grpc; use rpc::Transport"),
  (
    r"(google/protobuf/|proto/.*\.pb\.h)",
    r"millrace/checkpoint/|millrace/rpc/grpc/reflection|millrace/ops/proto/message_type\.cpu\.cc$|"
    r"millrace/(graph|protocol)/.*_test\.cc$",
    "protobuf stays in checkpoint/, rpc/grpc/reflection*, ops/proto/message_type.cpu.cc and the tests of graph/ and protocol/; "
    "use protocol's structs",
  ),
  (r"(dnnl|oneapi/)", KERNEL_FILES + r"|millrace/device/cpu/", "oneDNN stays in *.cpu.cc, *.cpu.h and device/cpu"),
  (r"(re2/|jpeglib\.h|png\.h)", KERNEL_FILES, "this library stays in the kernels that need it (*.cpu.cc)"),
  (
    r"zlib\.h",
    KERNEL_FILES + r"|millrace/checkpoint/|millrace/rpc/grpc/|examples/",
    "zlib stays in kernels, checkpoint/, rpc/grpc/ and examples/",
  ),
  (r"(hwy/|curl/|openssl/)", r"$^", "nothing is built with this library; cmake/dependencies.cmake has those that there are"),
  (
    r"(cuda|cublas|cudnn|nccl|nvrtc)\w*(\.h|/)",
    r"$^",
    "nothing is built with CUDA; millrace/device/cuda/*_api.h declare what is used of it",
  ),
  (r"CLI/", r"tools/|examples/|tests/gpu_check/", "CLI11 stays in tools/, examples/ and tests/gpu_check/"),
  (r"g(test|mock)/", r".*_test\.cc$|tests/|millrace/.*_suite\.h$", "GoogleTest stays in x_test.cc and tests/"),
  (r"benchmark/", r"benchmarks/", "Google Benchmark stays in benchmarks/"),
  (r"(nanobind/|Python\.h)", r"python/binding/", "Python's headers stay in python/binding"),
  (r"omp\.h", r"millrace/device/cpu/", "nothing uses OpenMP but device/cpu; use ParallelFor"),
  (r"absl/(flags|log|random)/", r"$^", "not used here: options are structs, logging and random are millrace/base's"),
  (
    r"absl/synchronization/|absl/base/call_once\.h|absl/time/clock\.h",
    r"millrace/base/|tests/cluster/",
    "waiting and clocks go through millrace/base, so that the simulation can decide them",
  ),
]

# Standard headers outside millrace/base, in product code and tests.
# The stand-in for CUDA's libraries is libraries of their own, which link to nothing of ours.
STD_SCOPE = re.compile(r"millrace/(?!base/)|tests/(?!cluster/|gpu/standin/)")
STD_HEADERS = {
  "mutex": "millrace/base's Mutex",
  "shared_mutex": "millrace/base's Mutex",
  "thread": "millrace/base's Thread or a lane",
  "condition_variable": "millrace/base's CondVar",
  "stop_token": "millrace/base's cancellation",
  "chrono": "millrace/base's clock",
  "future": "Done or millrace/base's Notification",
  "semaphore": "millrace/base's CondVar",
  "latch": "millrace/base's Notification",
  "barrier": "millrace/base's CondVar",
  "pthread.h": "millrace/base's Thread",
  "fstream": "millrace/base's files",
  "filesystem": "millrace/base's files",
  "random": "millrace/base's random",
  "iostream": "millrace/base's logging (it also has a static constructor)",
  "ctime": "millrace/base's clock",
  "time.h": "millrace/base's clock",
  "sys/time.h": "millrace/base's clock",
}
WAITS = "waiting, time and chance go through millrace/base: "
TOKENS = [
  (r"\bstd::call_once\b", WAITS + "use millrace/base's Mutex"),
  (r"\bstd::this_thread\b|\b(u|nano)?sleep\s*\(", WAITS + "use millrace/base's clock and timers"),
  (r"\.(wait|notify_one|notify_all)\(", WAITS + "std::atomic does not wait here, use CondVar or Notification"),
  (r"\bstd::(async|jthread|thread)\b|\bpthread_\w+\s*\(", WAITS + "use millrace/base's Thread or a lane"),
  (r"\bstd::chrono\b|\b(clock_gettime|gettimeofday)\s*\(", WAITS + "use millrace/base's clock"),
  (r"\bstd::(random_device|mt19937(_64)?)\b|\bs?rand(om)?\s*\(\)", WAITS + "use millrace/base's random"),
  (r"\bstd::[io]?fstream\b|\bfopen\s*\(", "files go through millrace/base's file system"),
  (r"\b(secure_)?getenv\s*\(", "environment variables are read in millrace/base only"),
  (r"__attribute__\s*\(\(\s*constructor|\[\[gnu::constructor\]\]", "no static constructors; declare in a table"),
  (r"^static\s+(const\s+)?(bool|int|auto)\s+\w*regist\w*\s*=", "no self-registration; declare in a table"),
]
# The memory of a kernel's device, wherever its arguments lie. A kernel that asks where they do, or calls the device, knows better.
IGNORES_PLACE = re.compile(r"^(?!.*on_device).*device\(\)\.allocator\(\)(?!->)")
# The macros that declare a facet of an op, by the suffix of its files.
FACET_MACROS = {"op": r"MR_OP", "cpu": r"MR_KERNELS", "gpu": r"MR_KERNELS", "grad": r"MR_(?:NO_)?GRADIENT", "cases": r"MR_CASES"}
ENTRY = "millrace/millrace.h"  # names the public headers
# Headers of the tables that the build generates from the declarations of facets: a library that includes one, and
# libraries that link to that, link to the facets.
TABLES = {
  "millrace/graph/all_ops.h": ("ops.op",),
  "millrace/kernel/all_kernels.h": ("ops.cpu", "ops.gpu"),
  "millrace/client/gradients/all_gradients.h": ("ops.grad",),
}
# Which modules of the Python package may import the extension; all others go through these.
BINDING_USERS = re.compile(
  r"python/millrace/(framework|client|data|io|platform)/|python/millrace/ops/(gradients|control_flow|script)/|python/millrace/train/"
)
MOST_FILES = 45  # files of a folder of millrace/, except tests, cases, kernels for GPUs and README.md
VAGUE = {"util", "utils", "helper", "helpers", "common", "misc", "manager", "managers"}


class Layers:
  """layers.txt: the rooms and the rooms that each may include."""

  def __init__(self, path):
    self.edges, self.test_edges, self.level, self.line = {}, {}, {}, {}
    with open(path, encoding="utf-8") as f:
      for number, line in enumerate(f, 1):
        line = line.split("#")[0].strip()
        if not line:
          continue
        head, _, extra = line.partition("+")
        words = head.split()
        room, level = words[0], int(words[1])
        self.level[room], self.line[room] = level, number
        self.edges[room] = [w for w in words[2:] if w != "none"]
        self.test_edges[room] = extra.split()
        for edge in self.edges[room]:
          if edge not in self.level:
            raise SystemExit("%s:%d: room %s is not declared above %s" % (path, number, edge, room))
          part = "." in room  # a facet or part may include its own room, which has the same level
          if self.level[edge] > level - (0 if part else 1):
            raise SystemExit("%s:%d: %s may not include %s, which is not lower" % (path, number, room, edge))

  def room(self, path):
    """Returns the room of a file below millrace/ or python/binding/, None for other files and unknown rooms."""
    parts = path.split("/")
    if path.startswith("python/binding/"):
      return "python"
    if len(parts) < 3 or parts[0] != "millrace":
      return None
    if parts[1] == "ops":
      m = re.search(r"\.(op|cpu|gpu|grad|cases)\.(cc|h|cu|cuh)$", path)
      return "ops." + (m.group(1) if m else "cpu")
    if parts[1] == "rpc" and parts[2] == "grpc":
      return "rpc.grpc"
    return parts[1]

  def allowed(self, path, room):
    if is_test(path):
      return None if room.startswith("ops.") else [room] + self.edges[room] + self.test_edges[room]
    return [room] + self.edges[room]


class Uses:
  """The rooms that the files of each room include."""

  def __init__(self, layers):
    self.of_products = {room: set() for room in layers.edges}
    self.of_tests = {room: set() for room in layers.edges}

  def add(self, path, room, target, header):
    uses = self.of_tests if is_test(path) else self.of_products
    uses[room].update((target, *TABLES.get(header, ())))

  def asks_for_table(self, facet):
    return any(facet in used for uses in (self.of_products, self.of_tests) for used in uses.values())


def is_test(path):
  return path.endswith("_test.cc") or "/testing/" in path


def strip_comment(line):
  return re.sub(r"//.*$", "", line)


def check_include(layers, path, header, quoted, report, uses):
  if path.endswith((".gpu.cu", ".shared.h")):
    report("a text for GPUs includes nothing (%s); millrace/device/cuda/prelude stands before it" % header)
    return
  if quoted and "/" not in header:
    report('"%s" does not say where it is; include by the path from the root, "millrace/..."' % header)
    return
  for pattern, places, advice in HEADERS:
    if re.match(pattern, header):
      if not re.match(places, path):
        report("%s is not allowed here; %s" % (header, advice))
      return
  if not quoted and header in STD_HEADERS and STD_SCOPE.match(path):
    report("<%s> is not allowed outside millrace/base; use %s" % (header, STD_HEADERS[header]))
  room = layers.room(path)
  if path.startswith("examples/") and header.startswith("millrace/") and header != ENTRY:
    report("examples include of the library what its users do, %s" % ENTRY)
  if room is not None and header == ENTRY:
    report("%s is for users of the library; include what is needed of it" % ENTRY)
  if room is None:
    return
  if room not in layers.edges:
    report("%s is no room; layers.txt lists them" % room)
    return
  if header.startswith(("tests/", "tools/", "examples/", "benchmarks/")) and room != "ops.cases":
    report("%s: a room includes nothing outside millrace/ and proto/" % header)
  target = layers.room(header)
  if target is None:
    return
  uses.add(path, room, target, header)
  allowed = layers.allowed(path, room)
  if allowed is None or target in allowed:
    return
  if target not in layers.edges:
    report("%s: %s is no room; layers.txt lists them" % (header, target))
  else:
    report(
      "%s (level %d) may not include %s (level %d); it may include: %s"
      % (room, layers.level[room], target, layers.level[target], " ".join(allowed))
    )


def check_file(layers, root, path, problems, uses):
  def report_at(number):
    return lambda text: problems.append("%s:%d: %s" % (path, number, text))

  stem = os.path.basename(path).split(".")[0]
  vague = VAGUE.intersection(stem.split("_"))
  if vague:
    report_at(1)("'%s' in a file's name says nothing; name it after what it holds" % sorted(vague)[0])
  if re.match(r"millrace/ops/.*\.(cc|cu)$", path) and not re.search(
    r"\.(op|cpu|gpu|grad|cases)\.cc$|\.gpu\.cu$|_test\.cc$", path
  ):
    report_at(1)("a file of millrace/ops needs a facet: x.op.cc, x.cpu.cc, x.gpu.cc (and x.gpu.cu), x.grad.cc or x.cases.cc")
  with open(os.path.join(root, path), encoding="utf-8") as f:
    lines = f.read().split("\n")
  if path.endswith((".h", ".cuh")) and "#pragma once" not in lines:
    report_at(1)("a header begins with its contract and #pragma once")
  scanned = STD_SCOPE.match(path)
  for number, line in enumerate(lines, 1):
    if "NOLINT(layers)" in line:
      continue
    m = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
    if m:
      check_include(layers, path, m.group(2), m.group(1) == '"', report_at(number), uses)
      continue
    if path.endswith(".shared.h") and "std::" in strip_comment(line):
      report_at(number)("a header that is also a text for GPUs has nothing of std::; call floorf for std::floor")
    if path.endswith(".cpu.cc") and IGNORES_PLACE.search(strip_comment(line)):
      report_at(number)("a kernel of the CPU may run for a GPU, on values in host memory: it asks ctx.allocator()")
    if scanned:
      code = strip_comment(line)
      for pattern, advice in TOKENS:
        if re.search(pattern, code):
          report_at(number)(advice)


def declarations(root, paths):
  """Returns (facet, op, path, line) of all declarations of facets in files of millrace/ops."""
  for path in paths:
    m = re.match(r"millrace/ops/.*\.(\w+)\.cc$", path)
    if not m or m.group(1) not in FACET_MACROS:
      continue
    with open(os.path.join(root, path), encoding="utf-8") as f:
      text = f.read()
    # A declaration may continue on the next line: clang-format breaks long ones.
    for d in re.finditer(r"^%s\(\s*(\w+)" % FACET_MACROS[m.group(1)], text, re.MULTILINE):
      yield m.group(1), d.group(1), path, text.count("\n", 0, d.start()) + 1


def check_stems(root, paths, problems):
  """Checks that all facets are those of an op, and that kernels of an op of x.op.cc are in x.cpu.cc or x_<word>.cpu.cc
  (for GPUs .gpu.cc), gradients in x.grad.cc, cases in x.cases.cc."""
  found = list(declarations(root, paths))
  schemas = {op: path[: -len(".op.cc")] for facet, op, path, _ in found if facet == "op"}
  for facet, op, path, line in found:
    stem = schemas.get(op)
    if stem is None:
      problems.append("%s:%d: no file of millrace/ops has the schema of %s" % (path, line, op))
      continue
    suffix = path[path.rindex("/") :].split(".", 1)[1]
    own = path[: -len(suffix) - 1]
    kernels = facet in ("cpu", "gpu")
    if own == stem or (kernels and own.startswith(stem + "_")):
      continue
    places = "%s.%s" % (stem, suffix) + (" or %s_<word>.%s" % (stem, suffix) if kernels else "")
    problems.append(
      "%s:%d: the schema of %s is in %s.op.cc; declare this in %s, or move the schema" % (path, line, op, stem, places)
    )


def check_devices(root, paths, problems):
  """Checks that files of kernels declare none for another device, which no table would have."""
  for path in paths:
    m = re.match(r"millrace/ops/.*\.(cpu|gpu)\.cc$", path)
    if not m:
      continue
    with open(os.path.join(root, path), encoding="utf-8") as f:
      text = f.read()
    for d in re.finditer(r"^MR_KERNELS\(\s*(\w+),\s*(\w+)\)", text, re.MULTILINE):
      if d.group(2).lower() != m.group(1):
        problems.append(
          "%s:%d: MR_KERNELS(%s, %s) does not belong in a file *.%s.cc; files *.cpu.cc have those for Cpu, *.gpu.cc those "
          "for Gpu" % (path, text.count("\n", 0, d.start()) + 1, d.group(1), d.group(2), m.group(1))
        )


def check_code_for_gpus(root, paths, problems):
  """Checks that x.gpu.cu, which is compiled at run time, lies beside an x.gpu.cc and declares nothing, since no table would
  have it."""
  for path in paths:
    if not re.match(r"millrace/ops/.*\.gpu\.cu$", path):
      continue
    beside = path[: -len("cu")] + "cc"
    if not os.path.exists(os.path.join(root, beside)):
      problems.append("%s:1: there is no %s beside it, which declares the kernels" % (path, beside))
    with open(os.path.join(root, path), encoding="utf-8") as f:
      text = f.read()
    for d in re.finditer(r"^MR_\w+\(", text, re.MULTILINE):
      problems.append(
        "%s:%d: code for GPUs is text that is compiled at run time and no table has; declare this in %s"
        % (path, text.count("\n", 0, d.start()) + 1, beside)
      )


def check_edges(layers, uses, rooms, problems):
  """Checks that each edge of layers.txt is used by an include; those before a `+`, by more than tests. `rooms` are those that
  have files."""
  facets = {facet for table in TABLES.values() for facet in table}

  def links_to(room, facet, seen):
    """Returns whether the room, or one to which it links, needs the table of a facet."""
    seen.add(room)
    return facet in uses.of_products[room] or any(
      links_to(lower, facet, seen) for lower in layers.edges[room] if lower not in seen
    )

  for room in layers.edges:
    where = "layers.txt:%d: " % layers.line[room]
    if room not in rooms:
      # The build links the table of a facet that has no files yet.
      if not (room in facets and uses.asks_for_table(room)):
        problems.append(where + "%s has no files; take the room out" % room)
      continue
    for edge in layers.edges[room]:
      if edge in uses.of_products[room]:
        continue
      problems.append(
        where
        + (
          "only tests of %s include %s; put it behind the +"
          if edge in uses.of_tests[room]
          else "nothing of %s includes %s; take the edge out"
        )
        % (room, edge)
      )
    for edge in layers.test_edges[room]:
      if edge not in uses.of_tests[room] and not (edge in facets and links_to(room, edge, set())):
        problems.append(where + "no test of %s includes %s; take the edge out" % (room, edge))


def counted_files(root, folder):
  """Returns how many files of a folder its limit counts."""
  names = [n for n in os.listdir(os.path.join(root, folder)) if os.path.isfile(os.path.join(root, folder, n))]
  return sum(
    1 for n in names if n != "README.md" and not n.startswith(".") and not re.search(r"_test\.\w+$|\.cases\.\w+$|\.gpu\.\w+$", n)
  )


def check_folders(root, folders, problems):
  for folder in folders:
    count = counted_files(root, folder)
    if count <= MOST_FILES:
      continue
    todo = "move those of one idea to a folder of their own"
    if re.match(r"millrace/ops/\w+$", folder):
      todo = "put an op into the files of one that is alike, or move the files of one idea to millrace/ops/<idea>"
    problems.append(
      "%s:1: %d files beside tests, cases and kernels for GPUs, %d are the most: %s" % (folder, count, MOST_FILES, todo)
    )


def sizes(root):
  """Returns a line for each family of ops: how many files it has of those that it may have."""
  ops = os.path.join("millrace", "ops")
  families = [n for n in sorted(os.listdir(os.path.join(root, ops))) if os.path.isdir(os.path.join(root, ops, n))]
  counts = [(counted_files(root, os.path.join(ops, name)), name) for name in families]
  return ["%2d of %d  %s" % (count, MOST_FILES, name) for count, name in sorted(counts, key=lambda c: -c[0])]


def check_python(root, problems):
  """Checks that the extension is imported only by modules of the Python package that may."""
  for base, folders, files in os.walk(os.path.join(root, "python", "millrace")):
    folders[:] = sorted(d for d in folders if not d.startswith((".", "__")))
    for name in sorted(files):
      path = os.path.relpath(os.path.join(base, name), root)
      if not name.endswith(".py") or BINDING_USERS.match(path):
        continue
      with open(os.path.join(base, name), encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
          if re.match(r"\s*(from millrace import .*\b_binding\b|import millrace\._binding|from millrace\._binding)", line):
            problems.append(
              "%s:%d: only %s import the extension; use what framework/ and client/ have"
              % (path, number, "framework/, client/ and a few others")
            )


def repository_files(root):
  for folder in FOLDERS:
    for base, folders, files in os.walk(os.path.join(root, folder)):
      folders[:] = sorted(d for d in folders if not d.startswith((".", "__")))
      for name in sorted(files):
        if name.endswith(SOURCES):
          yield os.path.relpath(os.path.join(base, name), root)


def check(root, paths=None):
  """Returns all problems of these files (default: of the repository), as lines."""
  layers = Layers(os.path.join(root, "layers.txt"))
  uses, problems = Uses(layers), []
  everything = list(repository_files(root))
  asked = everything if paths is None else paths
  for path in asked:
    check_file(layers, root, path, problems, uses)
  if paths is None:
    check_python(root, problems)
    check_edges(layers, uses, {layers.room(path) for path in everything}, problems)
  misplaced = []
  check_stems(root, everything, misplaced)
  problems += [p for p in misplaced if p.split(":")[0] in asked]
  check_devices(root, asked, problems)
  check_code_for_gpus(root, asked, problems)
  check_folders(root, sorted({os.path.dirname(p) for p in asked if p.startswith("millrace/")}), problems)
  return problems


def main():
  ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  ap.add_argument("paths", nargs="*")
  ap.add_argument("--sizes", action="store_true", help="how many files each family of ops has")
  args = ap.parse_args()
  if args.sizes:
    print("\n".join(sizes(ROOT)))
    return 0
  paths = [os.path.relpath(os.path.abspath(p), ROOT) for p in args.paths if p.endswith(SOURCES)]
  problems = check(ROOT, paths if args.paths else None)
  print("\n".join(problems) if problems else "layers: nothing to complain about")
  return 1 if problems else 0


if __name__ == "__main__":
  sys.exit(main())
