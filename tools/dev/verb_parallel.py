"""./dev parallel"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time

import building
import options
import packages
import parallel_page
import verb_wheel
from console import ROOT, fail, say, seconds

DESCRIPTION = """Builds the release and runs the programs of examples/parallel, those in Python by `millrace python` and those in C++.
Each starts servers of its own, prints a table and draws a picture; both go into docs/parallel.md. All take less than
a quarter of an hour on two cores: leave the machine alone meanwhile."""

FOLDER = os.path.join(ROOT, "examples", "parallel", "python")
CPP_LIST = os.path.join(ROOT, "examples", "parallel", "cpp", "parallel.h")
RESULTS = os.path.join(ROOT, "build", "parallel")
CPP_PROGRAM = "millrace_parallel"
MACHINE = "machine"  # the place of the page for what it was measured on
LIMIT_S = 600  # of one program


def python_programs():
  """The scripts of examples/parallel/python that are programs, and no modules of theirs."""
  found = []
  for name in sorted(os.listdir(FOLDER)):
    if name.endswith(".py"):
      with open(os.path.join(FOLDER, name), encoding="utf-8") as f:
        if re.search(r'^if __name__ == "__main__":$', f.read(), re.M):
          found.append(name[: -len(".py")])
  return found


def cpp_programs():
  """The programs that examples/parallel/cpp/parallel.h lists, which is known before anything is built."""
  if not os.path.exists(CPP_LIST):
    return []
  with open(CPP_LIST, encoding="utf-8") as f:
    return re.findall(r'^ *PROGRAM\(\w+, "(\w+)"', f.read(), re.M)


def chosen(parser, names, programs):
  """Of (language, program), those that are named: both of `data_parallel`, one of `cpp/data_parallel`; without names all."""
  known = list(dict.fromkeys(name for _, name in programs)) + ["%s/%s" % pair for pair in programs]
  for name in names:
    if name not in known:
      near = options.near(name, known) or " (there are %s)" % ", ".join(known[: len(set(n for _, n in programs))])
      parser.error("there is no program %s%s" % (name, near))
  return [pair for pair in programs if not names or pair[1] in names or "%s/%s" % pair in names]


def run(name, words, env):
  """Runs a program; shows its lines as they come, and returns the seconds that it took."""
  say("== %s" % name)
  start = time.monotonic()
  process = subprocess.Popen(words, cwd=ROOT, env=env, stdin=subprocess.DEVNULL)
  try:
    code = process.wait(LIMIT_S)
  except subprocess.TimeoutExpired:
    process.kill()
    process.wait()
    fail("%s has not ended after %d s" % (name, LIMIT_S))
  if code != 0:
    fail("%s ended with %d; again: %s" % (name, code, " ".join(words)))
  took = time.monotonic() - start
  say("== %s took %s\n" % (name, seconds(took)))
  return took


def measured_on(command):
  """Words about the machine, the day and the commit."""
  sys.path.append(os.path.join(ROOT, "benchmarks", "protocol"))
  import machine

  facts = dict(machine.facts(command))
  return "Measured on %s cores (%s), %s, commit %s" % (facts["cores"], facts["processor"], facts["date"], facts["commit"])


def check_places(programs):
  """Before anything runs: the page has a place for the figures of each program."""
  with open(parallel_page.PAGE, encoding="utf-8") as f:
    places = parallel_page.places(f.read())
  lacking = [name for name in (*("%s/%s" % pair for pair in programs), MACHINE) if name not in places]
  if lacking:
    fail("docs/parallel.md has no place for the figures of %s" % ", ".join(lacking))


def main(argv):
  ap = options.Parser(
    prog="./dev parallel",
    description=DESCRIPTION,
    formatter_class=argparse.RawDescriptionHelpFormatter,
    allow_abbrev=False,  # a mistyped word must not begin minutes of work
  )
  ap.add_argument("programs", nargs="*", metavar="PROGRAM", help="such as data_parallel, or cpp/data_parallel; default: all")
  ap.add_argument("--small", action="store_true", help="each in seconds; the page stays as it is")
  ap.add_argument("--data", metavar="FOLDER", help="of the four files of Fashion-MNIST; default: that of Debian's package")
  args = ap.parse_args(argv)
  programs = [("python", name) for name in python_programs()] + [("cpp", name) for name in cpp_programs()]
  programs = chosen(ap, args.programs, programs)
  if not args.small:
    check_places(programs)
  python = packages.need_venv(packages.BINDING)
  packages.need_pictures()
  packages.need_packages(packages.BASE, packages.TEST)
  verb_wheel.configure("release", python)
  has_cpp = any(language == "cpp" for language, _ in programs)
  building.build("release", ["millrace", "python"] + ["example_" + CPP_PROGRAM] * has_cpp)
  command = os.path.join(building.folder("release"), "millrace")
  words_of = {
    "python": lambda name: [command, "python", "--python", python, os.path.join(FOLDER, name + ".py")],
    "cpp": lambda name: [os.path.join(building.folder("release"), "examples", CPP_PROGRAM), name, "--server", command],
  }
  env = dict(os.environ, MILLRACE_COMMAND=command, PYTHONDONTWRITEBYTECODE="1")
  where, total = measured_on(command), 0
  for language, name in programs:
    out = os.path.join(RESULTS, language, name)
    shutil.rmtree(out, ignore_errors=True)
    options_of_all = ["--out", out] + ["--small"] * args.small + (["--data", args.data] if args.data else [])
    full_name = "%s/%s" % (language, name)
    total += run(full_name, words_of[language](name) + options_of_all, env)
    if not args.small:
      parallel_page.write(full_name, parallel_page.figures_of(out, full_name))
  if not args.small and not args.programs:
    parallel_page.write(MACHINE, "%s; all programs together took %s." % (where, seconds(total)))
  say(
    "%d programs in %s; tables and pictures: %s"
    % (len(programs), seconds(total), "build/parallel" if args.small else "docs/parallel.md")
  )
  return 0
