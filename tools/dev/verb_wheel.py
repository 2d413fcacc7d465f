"""./dev wheel"""

import os
import re
import subprocess
import sys

import building
import options
import packages
from console import ROOT, Line, fail, say

sys.path.append(os.path.join(ROOT, "tools", "wheel"))
import wheels  # noqa: E402

DESCRIPTION = """Builds the Python package and packs it: one wheel, with the command `millrace` and all shared libraries
that other machines may lack, into build/wheel. It is for the Python of .venv, or for the one that --python names
(3.10 or newer, with its headers)."""


def python_of(named):
  """The Python that the extension is built for: it has nanobind."""
  if named is None:
    return packages.need_venv(packages.BINDING)
  import shutil

  path = shutil.which(named)
  if path is None:
    fail("--python: there is no program '%s'" % named)
  said = subprocess.run([path, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], capture_output=True, text=True)
  version = said.stdout.strip()
  if said.returncode != 0 or not re.match(r"3\.\d\d$", version):
    fail("--python: %s is no Python of 3.10 or newer (it says %s)" % (path, version or said.stderr.strip()))
  venv = os.path.join(ROOT, "build", "wheel", "venv-" + version)
  made = os.path.join(venv, "bin", "python")
  (nanobind,) = packages.requirements(packages.BINDING)
  if subprocess.run([made, "-c", "import nanobind"], capture_output=True).returncode if os.path.exists(made) else True:
    with Line("installing %s for Python %s" % (nanobind, version)):
      packages.run_logged([path, "-m", "venv", "--clear", venv], "venv", "python -m venv")
      packages.run_logged([made, "-m", "pip", "install", "--disable-pip-version-check", nanobind], "pip", "pip install")
  return made


def configure(preset, python):
  """Has the preset build the extension for a Python."""
  building.configure(preset)
  cache = os.path.join(building.folder(preset), "CMakeCache.txt")
  with open(cache, encoding="utf-8") as file:
    text = file.read()
  now = re.search(r"^MILLRACE_PYTHON_EXECUTABLE:\w+=(.*)$", text, re.M)
  own = os.path.join(packages.VENV, "bin", "python")
  if now and (now.group(1) or own) == python and not re.search(r"^MILLRACE_PYTHON:\w+=OFF$", text, re.M):
    return
  # What CMake keeps of the Python of before.
  words = ["cmake", "-U", "Python_*", "-U", "_Python_*", "-U", "NB_*", "-U", "nanobind_*"]
  words += ["-DMILLRACE_PYTHON=ON", "-DMILLRACE_PYTHON_EXECUTABLE=" + python, building.folder(preset)]
  packages.run_logged(words, "configure-" + preset, "cmake", env=building.environment())


def main(argv):
  ap = options.Parser(prog="./dev wheel", description=DESCRIPTION)
  ap.add_argument("--preset", default="release", choices=("release", "dev"), help="dev: into build/wheel/dev, for tests")
  ap.add_argument("--python", help="a Python of 3.10 or newer, such as python3.12")
  args = ap.parse_args(argv)
  packages.need_packages(packages.BASE, packages.TEST)
  packer = packages.need_venv(packages.BINDING + packages.WHEEL)
  python = python_of(args.python)
  configure(args.preset, python)
  building.build(args.preset, ["python"])
  suffix, tag = wheels.of_python(python)
  with Line("packing") as line:
    try:
      path = wheels.make(args.preset, building.folder(args.preset), packer, suffix, tag)
    except subprocess.CalledProcessError:
      line.result = "failed"
      raise SystemExit(1) from None
  size = os.path.getsize(path) / 1e6
  say("%8s %9s" % ("wheel", "installed"))
  for name, packed, installed in wheels.parts(path):
    say("%5.1f MB %6.1f MB  %s" % (packed / 1e6, installed / 1e6, name))
  say("%s (%.1f MB)" % (os.path.relpath(path, ROOT), size))
  if args.preset == "release" and size > wheels.LIMIT_MB:
    fail("the wheel has more than %d MB" % wheels.LIMIT_MB)
  return 0
