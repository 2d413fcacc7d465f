"""The extension under the address sanitizer: all programs of pairs/ by it, without TensorFlow in the process.

Runs for a build with sanitizers alone (`./dev test --long`); the sanitizer's library has to be in the process before Python's.
"""

import glob
import os
import subprocess

import pair_runner
import pytest

FILES = sorted(glob.glob(os.path.join(pair_runner.PAIRS, "*.py")))
IS_SANITIZED = os.path.basename(os.environ.get("MILLRACE_BUILD", "")) == "asan"

pytestmark = [pytest.mark.long, pytest.mark.skipif(not IS_SANITIZED, reason="a build with sanitizers is tried")]


def _library(name):
  return subprocess.run(["g++", "-print-file-name=" + name], capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture(scope="module", autouse=True)
def sanitizer():
  """Python's own memory comes from malloc, so that its buffers are watched as well; what Python keeps at its end is no leak. The
  sanitizer looks for the functions of exceptions when it begins: the library that has them has to be there, too."""
  libraries = " ".join(_library(name) for name in ("libasan.so", "libstdc++.so.6"))
  values = {"LD_PRELOAD": libraries, "ASAN_OPTIONS": "detect_leaks=0:verify_asan_link_order=0", "PYTHONMALLOC": "malloc"}
  before = {name: os.environ.get(name) for name in values}
  os.environ.update(values)
  yield
  for name, value in before.items():
    if value is None:
      del os.environ[name]
    else:
      os.environ[name] = value


@pytest.mark.parametrize("path", FILES, ids=[os.path.basename(path) for path in FILES])
def test_nothing_is_found(path):
  crashes = [
    "%s:%s\n%s" % (os.path.basename(path), name, record["crash"])
    for name, record in pair_runner.run_side("millrace", path, fresh=True).items()
    if record is None or "crash" in record
  ]
  assert not crashes, "\n\n".join(crashes)
