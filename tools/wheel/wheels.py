"""Which wheels are there, of which state of the sources, and what in them takes how much room."""

import glob
import hashlib
import json
import os
import subprocess
import sys
import sysconfig
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# What a wheel is made of.
SOURCES = (
  "millrace",
  "proto",
  "python",
  "cmake",
  "tools/millrace",
  "tools/opgen",
  "tools/wheel",
  "CMakeLists.txt",
  "CMakePresets.json",
)
NOT_SOURCES = ("_test.cc", "_test.py", ".cases.cc", ".pyc", ".md")
STAMP = "stamp.json"
LIMIT_MB = 40


def folder(preset):
  return os.path.join(ROOT, "build", "wheel", *([] if preset == "release" else [preset]))


def source_files():
  for top in SOURCES:
    path = os.path.join(ROOT, top)
    if os.path.isfile(path):
      yield path
    for base, folders, names in os.walk(path):
      folders[:] = sorted(name for name in folders if name != "__pycache__")
      yield from (os.path.join(base, name) for name in sorted(names) if not name.endswith(NOT_SOURCES))


def digest():
  """Changes when anything does that wheels are made of."""
  found = hashlib.sha256()
  for path in source_files():
    found.update(os.path.relpath(path, ROOT).encode() + b"\0")
    with open(path, "rb") as file:
      found.update(hashlib.sha256(file.read()).digest())
  return found.hexdigest()


def of_python(python=None):
  """Returns (suffix of its extensions, tag of its wheels) of a Python, by default this one."""
  program = "import sys, sysconfig as c; print(c.get_config_var('EXT_SUFFIX'), 'cp%d%d' % sys.version_info[:2], c.get_config_var('ABIFLAGS') or '')"
  if python is None:
    words = [sysconfig.get_config_var("EXT_SUFFIX"), "cp%d%d" % sys.version_info[:2]]
  else:
    words = subprocess.run([python, "-c", program], capture_output=True, text=True, check=True).stdout.split()
  suffix, tag = words[0], words[1]
  return suffix, "%s-%s%s" % (tag, tag, "".join(words[2:]))


def remember(where, path):
  """Notes of which sources a wheel in a folder is."""
  stamps = read_stamps(where)
  stamps[os.path.basename(path)] = digest()
  stamps = {name: text for name, text in stamps.items() if os.path.exists(os.path.join(where, name))}
  with open(os.path.join(where, STAMP), "w", encoding="utf-8") as file:
    json.dump(stamps, file)


def read_stamps(where):
  try:
    with open(os.path.join(where, STAMP), encoding="utf-8") as file:
      return json.load(file)
  except (OSError, ValueError):
    return {}


def current(preset, tag=None):
  """The wheel of a preset for a Python, if it is of the sources as they are; otherwise None."""
  tag = tag or of_python()[1]
  stamps = read_stamps(folder(preset))
  for path in glob.glob(os.path.join(folder(preset), "millrace-*-%s-*.whl" % tag)):
    if stamps.get(os.path.basename(path)) == digest():
      return path
  return None


def make(preset, build, python, suffix, tag):
  """Packs the package of a build by a Python that has auditwheel; returns the wheel's path. Raises CalledProcessError."""
  words = [python, "-B", os.path.join(ROOT, "tools", "wheel", "pack.py"), build, "--suffix", suffix, "--tag", tag]
  done = subprocess.run([*words, "--out", folder(preset)], stdout=subprocess.PIPE, text=True, check=True)
  path = done.stdout.strip().splitlines()[-1]
  remember(folder(preset), path)
  return path


def parts(path):
  """[(name, bytes in the wheel, bytes when installed)], largest first: each program and library, and the rest by kinds."""
  found = {}
  with zipfile.ZipFile(path) as archive:
    for entry in archive.infolist():
      found_part = found.setdefault(_part(entry.filename), [0, 0])
      found_part[0] += entry.compress_size
      found_part[1] += entry.file_size
  return sorted(((name, *sizes) for name, sizes in found.items()), key=lambda part: -part[1])


def _part(name):
  if name.startswith("millrace.libs/libabsl_"):
    return "millrace.libs/libabsl_*"
  if name.endswith(".so") or ".so." in name or name == "millrace/bin/millrace":
    return name
  if ".dist-info/" in name:
    return "licences and metadata"
  if name.startswith("millrace/gen/"):
    return "wrappers of ops, descriptors of messages"
  return "stubs" if name.endswith(".pyi") else "sources and tables"
