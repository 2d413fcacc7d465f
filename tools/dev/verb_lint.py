"""./dev lint"""

import json
import os
import re
import shlex
import subprocess
from concurrent.futures import ThreadPoolExecutor

import building
import options
import packages
import sources
import verb_fmt
from console import ROOT, say

GCC_ONLY = re.compile(
  r"-Winvalid-pch|-fpch-preprocess|-Wno-(restrict|stringop-\w+|maybe-uninitialized|dangling-pointer|"
  r"free-nonheap-object|array-bounds)|-fno-semantic-interposition|-fvect-cost-model|-Werror"
)


def one_by_one(entry):
  """Returns the entries of the files that a unity file compiles together (MILLRACE_UNITY)."""
  if "/Unity/" not in entry["file"]:
    return [entry]
  with open(entry["file"]) as f:
    files = re.findall(r'^#include "(.*)"$', f.read(), re.M)
  return [dict(entry, file=path, arguments=[path if w == entry["file"] else w for w in entry["arguments"]]) for path in files]


def clang_commands():
  """Writes build/lint/compile_commands.json: dev's, without the flags that only g++ understands."""
  with open(os.path.join(building.folder("dev"), "compile_commands.json")) as f:
    entries = json.load(f)
  for entry in entries:
    words = shlex.split(entry.pop("command"))
    kept, skip = [], False
    for i, word in enumerate(words):
      if skip:
        skip = False
      elif word == "-include" and words[i + 1].endswith("cmake_pch.hxx"):
        skip = True
      elif not GCC_ONLY.match(word):
        kept.append(word)
    while kept and not kept[0].endswith(("c++", "g++")):
      kept.pop(0)  # ccache
    entry["arguments"] = kept
  entries = [e for entry in entries for e in one_by_one(entry)]
  folder = os.path.join(ROOT, "build", "lint")
  os.makedirs(folder, exist_ok=True)
  with open(os.path.join(folder, "compile_commands.json"), "w") as f:
    json.dump(entries, f)
  return {os.path.relpath(e["file"], ROOT) for e in entries}, folder


def changed_files():
  """Returns the files that differ from main, committed or not."""

  def git(*words):
    return subprocess.run(["git"] + list(words), cwd=ROOT, capture_output=True, text=True).stdout.split("\n")

  base = git("merge-base", "HEAD", "main")[0] or "HEAD"
  return set(git("diff", "--name-only", base)) | set(git("ls-files", "-o", "--exclude-standard"))


def tidy(files, folder):
  """Runs clang-tidy; returns the number of files with findings."""

  def one(path):
    done = subprocess.run(["clang-tidy-14", "-p", folder, "--quiet", path], cwd=ROOT, capture_output=True, text=True)
    text = done.stdout.strip()
    if text or done.returncode:
      say(text or done.stderr.strip())
    return bool(text or done.returncode)

  with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
    return sum(pool.map(one, files))


def main(argv):
  ap = options.Parser(
    prog="./dev lint", description="Checks rooms, format, static constructors, and runs clang-tidy on what differs from main."
  )
  ap.add_argument("--all", action="store_true", help="clang-tidy on all files")
  args = ap.parse_args(argv)
  packages.need_packages(packages.BASE, packages.TEST)
  problems = sources.text_problems()
  for problem in problems:
    say(problem)
  wrong = verb_fmt.run(True)[1]
  for path in wrong:
    say("%s: not formatted; ./dev fmt does it" % path)
  building.build("dev")
  import check_symbols

  bad_symbols = check_symbols.check(building.folder("dev"))
  for problem in bad_symbols:
    say(problem)
  known, folder = clang_commands()
  files = [f for f in sources.cxx_files() if f in known]
  if not args.all:
    changed = changed_files()
    files = [f for f in files if f in changed]
  complaints = tidy(files, folder)
  long_files = [(n, f) for f in sources.cxx_files() for n in [sources.read(f).count("\n")] if n > 400]
  if long_files:
    say("over 400 lines: " + ", ".join("%s (%d)" % (f, n) for n, f in sorted(long_files, reverse=True)[:12]))
  say(
    "lint: %d layer problems, %d files not formatted, %d symbol problems, clang-tidy on %d files complains about %d"
    % (len(problems), len(wrong), len(bad_symbols), len(files), complaints)
  )
  return 1 if problems or wrong or bad_symbols or complaints else 0
