"""./dev fmt"""

import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

import options
import packages
import sources
from console import ROOT, fail, say


def run(check):
  """Formats, or only looks: all files, and those that are not formatted."""
  cxx, python = sources.cxx_files(), sources.python_files()
  return cxx + python, run_clang_format(cxx, check) + run_ruff(python, check)


def run_clang_format(files, check):
  packages.need_packages(packages.FORMAT)
  chunks = [files[i : i + 40] for i in range(0, len(files), 40)]

  def one(chunk):
    if not check:
      subprocess.run(["clang-format-14", "-i"] + chunk, cwd=ROOT, check=True)
      return []
    err = subprocess.run(["clang-format-14", "--dry-run"] + chunk, cwd=ROOT, capture_output=True, text=True).stderr
    return sorted({line.split(":")[0] for line in err.splitlines() if "-Wclang-format-violations" in line})

  with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
    return [path for part in pool.map(one, chunks) for path in part]


def run_ruff(files, check):
  python = packages.need_venv(packages.PYTHON_FORMAT)
  mode = ["--check", "--output-format", "concise"] if check else []
  command = [python, "-m", "ruff", "format", "--no-cache", "--quiet", *mode, *files]
  done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
  if done.returncode not in (0, 1):
    fail("ruff format failed\n" + (done.stdout + done.stderr).rstrip())
  return sorted(set(re.findall(r"^(\S+?\.py):\d+:\d+: ", done.stdout, re.M)))


def main(argv):
  ap = options.Parser(prog="./dev fmt", description="Formats all C++ with clang-format 14 and all Python with ruff.")
  ap.add_argument("--check", action="store_true", help="change nothing; list what is not formatted")
  args = ap.parse_args(argv)
  files, wrong = run(args.check)
  for path in wrong:
    say("%s: not formatted; ./dev fmt does it" % path)
  say("%d files%s" % (len(files), ", %d not formatted" % len(wrong) if args.check else " formatted"))
  return 1 if wrong else 0
