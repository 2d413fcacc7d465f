"""Runs Python tests: the repository's own tools by unittest, the others by pytest in .venv."""

import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import building
import packages
from console import ROOT, say
from gtest_runner import Count

TOOLS_SECONDS = 300


def _run_tool(path):
  """Runs a file's tests: returns exit code and output. Remaining child processes can hold the output open, so there
  is a limit."""
  try:
    done = subprocess.run(
      [sys.executable, "-B", "-m", "unittest", os.path.basename(path)[:-3]],
      cwd=os.path.dirname(path),
      capture_output=True,
      text=True,
      timeout=TOOLS_SECONDS,
    )
    return done.returncode, done.stderr
  except subprocess.TimeoutExpired as e:
    said = (e.stderr or b"").decode(errors="replace")
    return -1, said + "\n%s: still running after %d s, killed\n" % (os.path.relpath(path, ROOT), TOOLS_SECONDS)


def run_tools(stopped):
  """Runs tools/**/*_test.py and those of benchmarks/, which need only Python itself; no further file once `stopped`, an event,
  is set."""
  total = Count()
  tests = []
  for top in ("tools", "benchmarks"):
    for base, folders, files in os.walk(os.path.join(ROOT, top)):
      folders[:] = [d for d in folders if not d.startswith((".", "__"))]
      tests += [os.path.join(base, f) for f in files if f.endswith("_test.py")]
  for path in sorted(tests):
    if stopped.is_set():
      break
    code, said = _run_tool(path)
    if stopped.is_set():
      break  # what was interrupted has not failed
    ran = re.search(r"^Ran (\d+) test", said, re.M)
    bad = sum(int(n) for n in re.findall(r"(?:failures|errors)=(\d+)", said))
    count = int(ran.group(1)) if ran else 0
    if code != 0:
      bad = max(bad, 1)
      say(said.rstrip())
      total.again.append(
        "cd %s && python3 -m unittest %s" % (os.path.relpath(os.path.dirname(path), ROOT), os.path.basename(path)[:-3])
      )
    total.add(Count(max(count - bad, 0), bad))
  return total


def run(paths, preset, long=False, timeout=1800, env=None, processes=1, prefix=()):
  """Runs pytest on files or folders, each file in one of several processes; the tests find the command in
  $MILLRACE_COMMAND."""
  python = packages.need_venv()
  with tempfile.TemporaryDirectory() as folder:
    report = os.path.join(folder, "report.xml")
    command = [*prefix, python, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", "--junitxml=" + report]
    if not long:
      command += ["-m", "not long"]
    if processes > 1:
      command += ["-n", str(processes), "--dist", "loadfile"]
    # By default TensorFlow uses oneDNN's ops on some processors: other numbers there.
    env = dict(
      os.environ,
      **env or {},
      PYTHONDONTWRITEBYTECODE="1",
      TF_CPP_MIN_LOG_LEVEL="3",
      CUDA_VISIBLE_DEVICES="",
      TF_ENABLE_ONEDNN_OPTS="1",
      MILLRACE_COMMAND=os.path.join(building.folder(preset), "millrace"),
      MILLRACE_BUILD=building.folder(preset),
    )
    try:
      done = subprocess.run(
        command + list(paths),
        cwd=ROOT,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=timeout,
      )
      output, code = done.stdout, done.returncode
    except subprocess.TimeoutExpired as e:
      output = (e.stdout or b"").decode(errors="replace") + "\nstill running after %d s, killed\n" % timeout
      code = -1
    return read_report(report, code, output)


def read_report(report, code, output):
  count = Count()
  try:
    tree = xml.etree.ElementTree.parse(report)
  except (OSError, xml.etree.ElementTree.ParseError):
    tree = None
  if tree is not None:
    for case in tree.iter("testcase"):
      if case.find("failure") is not None or case.find("error") is not None:
        count.failed += 1
        # A file that could not be read has its own name in place of a test's.
        file, name = case.get("classname"), case.get("name")
        path = (file or name).replace(".", "/") + ".py"
        count.again.append("./dev test %s" % path + (" -k '%s'" % name if file else ""))
      elif case.find("skipped") is not None:
        count.skipped += 1
      else:
        count.passed += 1
      # record_property("summary", text) of a test.
      count.notes += [p.get("value") for p in case.iter("property") if p.get("name") == "summary"]
  if code not in (0, 5) and not count.failed:
    count.failed = 1
  if code == 5 and not count.passed + count.skipped:  # no test collected: a selection that names none is a mistake
    count.failed = 1
  if count.failed:
    say(output.rstrip())
  return count
