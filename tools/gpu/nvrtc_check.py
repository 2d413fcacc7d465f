#!/usr/bin/env python3
"""Compiles the texts for GPUs by NVIDIA's compiler, for cards of three generations; no card is needed.

  tools/gpu/nvrtc_check.py                          all of millrace/ops, as each says
  tools/gpu/nvrtc_check.py nn arithmetic/unary      families and texts
  tools/gpu/nvrtc_check.py --recorded FILE          the modules that a program with MILLRACE_GPU_RECORD=FILE has used

A text says with which defines it is checked, in lines such as

  // Defines: T = float half; OP = Tanh Exp
  // Texts: arithmetic/unary.gpu.cu

The first is a product of values, and several lines are a union; a value of several words stands in quotes. The
second names texts that are joined before it. A line `// Checked: with OTHER.gpu.cu` says that the text has no
kernels of its own. Prints registers and spills; exits with 1 if a text does not compile.
"""

import argparse
import itertools
import os
import re
import shlex
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import nvrtc  # noqa: E402

OPS = os.path.join(ROOT, "millrace", "ops")
ARCHS = ("sm_75", "sm_80", "sm_90")


class Unit(NamedTuple):
  """A module: texts by their names below millrace/ops, and defines."""

  names: tuple
  defines: tuple  # (name, value)

  def describe(self):
    return " ".join(["+".join(self.names), *("%s=%s" % define for define in self.defines)])


def text_names(root=OPS):
  for base, folders, files in os.walk(root):
    folders.sort()
    for name in sorted(files):
      if name.endswith(".gpu.cu"):
        yield os.path.relpath(os.path.join(base, name), root)


def read_text(name, root=OPS):
  """As the build puts it into the program (cmake/embed_text.py)."""
  with open(os.path.join(root, name), encoding="utf-8") as f:
    return f.read().replace("#pragma once\n", "")


def comment_lines(text, key):
  """The values of the lines `// KEY: value`; a value goes on in lines that are indented behind the slashes."""
  found = re.findall(r"^// %s:((?:.*)(?:\n//   +.*)*)$" % key, text, re.MULTILINE)
  return [re.sub(r"\n//\s+", " ", value).strip() for value in found]


def misplaced_lines(text):
  """Returns what stands in comments as if it were a line `// KEY: value`, but is none: a key amid a line, or a value that
  goes on without an indent, as they are where lines were broken anew."""
  wrong, lines = [], text.splitlines()
  for i, line in enumerate(lines):
    if not line.startswith("//"):
      continue
    if re.search(r"\b(Defines|Texts):", re.sub(r"^// (Defines|Texts):", "", line)):
      wrong.append(line)
    follows = re.match(r"// \S", line) and not re.match(r"// (Defines|Texts|Checked):", line)
    if follows and i > 0:
      before = i - 1
      while before > 0 and re.match(r"//   +", lines[before]):
        before -= 1
      if re.match(r"// (Defines|Texts):", lines[before]):
        wrong.append(line)
  return wrong


def define_sets(text):
  """Returns the sets of defines of a text, as tuples of (name, value)."""
  sets = []
  for line in comment_lines(text, "Defines"):
    axes = []
    for part in line.split(";"):
      name, _, values = part.partition("=")
      axis = [(name.strip(), value) for value in shlex.split(values)]
      if not re.fullmatch(r"[A-Za-z_]\w*", name.strip()) or not axis or any(value[-1:] in ("=", ":") for _, value in axis):
        raise ValueError("cannot read '%s' of '// Defines: %s'" % (part.strip(), line))
      axes.append(axis)
    sets += itertools.product(*axes)
  return list(dict.fromkeys(sets)) or [()]


def units_of_text(name, root=OPS):
  text = read_text(name, root)
  wrong = misplaced_lines(text)
  if wrong:
    raise ValueError("%s: cannot read '%s'" % (name, wrong[0]))
  if comment_lines(text, "Checked"):
    return []
  before = tuple(itertools.chain.from_iterable(value.split() for value in comment_lines(text, "Texts")))
  return [Unit((*before, name), defines) for defines in define_sets(text)]


def recorded_units(path):
  """Returns the modules of a record: lines of texts joined by +, the entry and defines, separated by tabs. Those with texts
  that programs generate, which no file has, are left out."""
  units = {}
  with open(path, encoding="utf-8") as f:
    for line in f:
      names, _, *defines = line.rstrip("\n").split("\t")
      if any(name.startswith("generated") for name in names.split("+")):
        continue
      units[Unit(tuple(names.split("+")), tuple(tuple(d.split("=", 1)) for d in defines))] = None
  return list(units)


def chosen(names, wanted):
  if not wanted:
    return names
  wanted = [re.sub(r"^millrace/ops/|\.gpu\.(cu|cc)$", "", w).rstrip("/") for w in wanted]
  return [n for n in names if any(n == w + ".gpu.cu" or n.startswith(w + "/") for w in wanted)]


def check(compiler, units, archs, report):
  """Compiles all; returns the numbers of those that compile, that spill, and that fail."""
  texts = {}
  for name in {name for unit in units for name in unit.names}:
    texts[name] = read_text(name)

  def one(job):
    unit, arch = job
    return compiler.compile([(n, texts[n]) for n in unit.names], unit.defines, arch)

  jobs = [(unit, arch) for unit in units for arch in archs]
  good = spilling = failed = 0
  with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
    for (unit, arch), done in zip(jobs, pool.map(one, jobs)):
      if done.error is not None:
        failed += 1
        report("FAILED %s %s\n%s" % (arch, unit.describe(), done.error))
        continue
      good += 1
      for entry in done.entries:
        spills = ", %d bytes SPILLED" % entry.spilled_bytes if entry.spilled_bytes else ""
        spilling += entry.spilled_bytes > 0
        report(
          "%s %s %s: %d registers, %d bytes of stack, %d bytes shared%s"
          % (arch, unit.describe(), entry.name, entry.registers, entry.stack_bytes, entry.shared_bytes, spills)
        )
  return good, spilling, failed


def load_compiler(folder):
  path = nvrtc.find_library(folder)
  if path is None and folder is None:
    sys.path.insert(0, os.path.join(ROOT, "tools", "dev"))
    import packages

    packages.need_nvrtc()
    path = nvrtc.find_library()
  if path is None:
    raise SystemExit("there is no libnvrtc.so in %s" % (folder or ".venv"))
  return nvrtc.Nvrtc(path)


def main():
  ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  ap.add_argument("wanted", nargs="*", help="families and texts; none: all")
  ap.add_argument("--arch", action="append", help="sm_NN; default: %s" % ", ".join(ARCHS))
  ap.add_argument("--recorded", help="a file of MILLRACE_GPU_RECORD, instead of what the texts say")
  ap.add_argument("--library", help="the folder of libnvrtc.so; default: .venv, where it is installed if it is missing")
  ap.add_argument("--quiet", action="store_true", help="print only what fails or spills")
  args = ap.parse_args()
  if args.recorded:
    units = [u for u in recorded_units(args.recorded) if chosen(list(u.names), args.wanted)]
  else:
    units = [unit for name in chosen(list(text_names()), args.wanted) for unit in units_of_text(name)]
  if args.wanted and not units:
    raise SystemExit("no text for GPUs is called %s" % " ".join(args.wanted))
  compiler = load_compiler(args.library)
  archs = args.arch or ARCHS

  def report(text):
    if not args.quiet or text.startswith("FAILED") or "SPILLED" in text:
      print(text, flush=True)

  good, spilling, failed = check(compiler, units, archs, report)
  print(
    "NVRTC %d.%d: %d modules for %s: %d compile, %d do not; %d kernels spill registers"
    % (*compiler.version(), len(units), ", ".join(archs), good, failed, spilling)
  )
  return 1 if failed else 0


if __name__ == "__main__":
  sys.exit(main())
