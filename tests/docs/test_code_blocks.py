"""What pages show as bash, Python and C++ runs and compiles."""

import os
import re
import signal
import stat
import subprocess
import sys

import pytest

import doc_pages

COMMAND = os.path.join(doc_pages.ROOT, os.environ.get("MILLRACE_COMMAND", "build/dev/millrace"))
BUILD = os.path.join(doc_pages.ROOT, os.environ.get("MILLRACE_BUILD", "build/dev"))
LIMIT_S = 120
LANGUAGES = ("bash", "python", "cpp")
INCLUDE = re.compile(r'^--8<-- "(.+)"$', re.M)


def write_program(path, text):
  path.write_text(text)
  path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.mark.skipif(not os.path.exists(COMMAND), reason="the command is not built")
@pytest.mark.parametrize(
  "path", [p for p in doc_pages.pages() if doc_pages.runnable(p, ("bash", "python")) and p not in doc_pages.RUN_BY_TESTS]
)
def test_commands_and_programs_run(path, tmp_path):
  programs = tmp_path / "bin"
  programs.mkdir()
  write_program(programs / "millrace", f'#!/bin/sh\nexec "{COMMAND}" "$@"\n')
  write_program(programs / "python3", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
  work = tmp_path / "work"
  work.mkdir()
  (tmp_path / "script.sh").write_text(doc_pages.script_of(path))
  environment = dict(os.environ, PATH=f"{programs}:{os.environ['PATH']}", TF_CPP_MIN_LOG_LEVEL="3")
  environment["PYTHONPATH"] = os.path.join(BUILD, "python")
  environment.pop("TF_CONFIG", None)
  process = subprocess.Popen(
    ["bash", str(tmp_path / "script.sh")],
    cwd=work,
    env=environment,
    stdin=subprocess.DEVNULL,
    stdout=subprocess.PIPE,
    stderr=subprocess.STDOUT,
    text=True,
    start_new_session=True,
  )
  try:
    said, _ = process.communicate(timeout=LIMIT_S)
  finally:
    try:
      os.killpg(process.pid, signal.SIGKILL)  # what a block that failed has left
    except ProcessLookupError:
      pass
  assert process.returncode == 0, f"{path}:\n{said}"


def compiled_sources():
  """Texts of the programs that the build compiles, which pages may show whole."""
  for top in ("examples", "docs/examples"):
    for base, _, names in os.walk(os.path.join(doc_pages.ROOT, top)):
      for name in names:
        if name.endswith((".cc", ".h")):
          yield doc_pages.read(os.path.relpath(os.path.join(base, name), doc_pages.ROOT)).strip()


def cpp_blocks():
  return [(p, i) for p in doc_pages.pages() for i, _ in enumerate(doc_pages.runnable(p, ("cpp",)))]


@pytest.mark.parametrize("path,number", cpp_blocks())
def test_cpp_is_compiled(path, number, tmp_path):
  code = doc_pages.runnable(path, ("cpp",))[number].code
  includes = INCLUDE.findall(code)
  if includes:
    for name in includes:
      # cmake/docs.cmake compiles these.
      assert re.fullmatch(r"docs/examples/\w+(\.\w+)?\.cc", name), name
      assert os.path.exists(os.path.join(doc_pages.ROOT, name)), name
    return
  if code.strip() in set(compiled_sources()):
    return
  if not os.path.isdir(os.path.join(BUILD, "gen")):
    pytest.skip("the headers that the build writes are not there")
  source = tmp_path / "block.cc"
  source.write_text(code)
  done = subprocess.run(
    ["g++", "-std=c++20", "-fsyntax-only", "-I", doc_pages.ROOT, "-I", os.path.join(BUILD, "gen"), str(source)],
    capture_output=True,
    text=True,
    timeout=LIMIT_S,
    check=False,
  )
  assert done.returncode == 0, f"{path}:\n{done.stderr}"


def test_marks_stand_before_code_that_would_run():
  """A mark has its reason and a block below it, and languages have the names that are looked for."""
  for path in doc_pages.pages():
    text = doc_pages.read(path)
    marked = [b for b in doc_pages.blocks(path) if b.reason]
    assert len(marked) == len(re.findall(r"^<!-- not run", text, re.M)), path
    assert all(b.language in LANGUAGES for b in marked), path
    assert not re.search(r"^```(sh|shell|py|c\+\+|cc)$", text, re.M), path
