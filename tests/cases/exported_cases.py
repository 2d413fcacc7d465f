"""What `cases_tests --export` writes, for the tests of this folder."""

import os
import subprocess
import threading

import pytest

BUILD = os.environ.get("MILLRACE_BUILD", "build/dev")
PROGRAM = os.path.join(BUILD, "tests", "cases_tests")
EXPORT_SECONDS = 1200


def export(command):
  """A case that blocks on our side ends as an error; what even that does not end is named by the last line."""
  with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as child:
    killer = threading.Timer(EXPORT_SECONDS, child.kill)
    killer.start()
    tail = child.stderr.readlines()[-5:]
    killer.cancel()
  if child.returncode:
    pytest.fail("%s ended with %d: %s" % (" ".join(command), child.returncode, "".join(tail)), pytrace=False)


def folders(parent):
  """One after the other a folder with all cases, or those of the ops and families that $MILLRACE_CASES names."""
  for name in os.environ.get("MILLRACE_CASES", "").split() or [""]:
    folder = parent / (name or "all")
    folder.mkdir()
    export([PROGRAM, "--export", str(folder)] + ([name] if name else []))
    yield str(folder)


def exceptions(name):
  """`OP reason` lines of a file beside this one."""
  out = {}
  with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as f:
    for line in f:
      line = line.split("#")[0].strip()
      if line:
        op, _, reason = line.partition(" ")
        out[op] = reason
  return out


def fail_with(problems):
  if problems:
    pytest.fail("%d problems:\n%s" % (len(problems), "\n".join(problems)), pytrace=False)


def write_deviations(name, report):
  """To a file of the build; the report's summary, which names it."""
  path = os.path.join(BUILD, name)
  with open(path, "w", encoding="utf-8") as f:
    f.writelines(line + "\n" for line in report.deviations)
  return "%s, each named in %s" % (report.summary(), os.path.relpath(path)) if report.deviations else report.summary()
