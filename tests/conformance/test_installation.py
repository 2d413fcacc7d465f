"""What `cmake --install` puts there: millrace/millrace.h, the headers that it needs, and archives that a program builds with."""

import os
import re
import shutil
import subprocess

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("MILLRACE_BUILD", os.path.join(ROOT, "build", "dev"))
ENTRY = "millrace/millrace.h"

if not os.path.exists(os.path.join(BUILD, "examples", "hello")):
  pytest.skip(f"{BUILD} has no examples", allow_module_level=True)

PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES CXX)
find_package(millrace 0.1 REQUIRED)
add_executable(hello main.cc)
target_link_libraries(hello PRIVATE millrace::millrace)
"""


def run(*command):
  done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600, check=False)
  assert done.returncode == 0, done.stdout
  return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
  folder = tmp_path_factory.mktemp("installed")
  run("cmake", "--install", BUILD, "--component", "Development", "--prefix", str(folder))
  yield folder
  shutil.rmtree(folder)


def headers(folder):
  return {str(path.relative_to(folder)) for path in folder.rglob("*.h")}


def included(path):
  return set(re.findall(r'^\s*#\s*include\s*["<]((?:millrace|proto)/[^">]+)[">]', path.read_text(), re.M))


def test_the_headers_are_those_that_the_entry_needs(prefix):
  folder = prefix / "include"
  needed, todo = {ENTRY}, [ENTRY]
  while todo:
    new = included(folder / todo.pop()) - needed
    needed |= new
    todo += new
  assert headers(folder) == needed
  assert not [path for path in needed if "/testing/" in path or path.endswith((".pb.h", ".cpu.h"))]


@pytest.mark.parametrize(
  "header",
  [
    "millrace/base/json/json.h",
    "millrace/client/backend/session_backend.h",
    "millrace/exec/plan.h",
    "millrace/cluster/worker/run_graph.h",
  ],
)
def test_a_private_header_is_not_there(prefix, header):
  assert os.path.exists(os.path.join(ROOT, header))
  assert not (prefix / "include" / header).exists()


def test_a_program_builds_with_the_entry_alone(prefix, tmp_path):
  source = os.path.join(ROOT, "examples", "hello", "main.cc")
  shutil.copy(source, tmp_path)
  assert included(tmp_path / "main.cc") == {ENTRY}
  (tmp_path / "CMakeLists.txt").write_text(PROJECT)
  options = [f"-DCMAKE_PREFIX_PATH={prefix}"]
  if shutil.which("ccache"):
    options.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
  if shutil.which("mold"):
    options.append("-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=mold")
  built = str(tmp_path / "built")
  run("cmake", "-G", "Ninja", "-S", str(tmp_path), "-B", built, *options)
  run("cmake", "--build", built)
  assert run(os.path.join(built, "hello")) == "y = 2.00 x + 1.00\n"
