"""The folder that `./dev gpu-check` takes to machines with a card: programs of a build, and all that they need.

The programs bring every shared library of theirs, the C library and its loader too, so that any Linux with a driver runs
them; CUDA's own libraries are those of the machine. The folder is packed as one file.
"""

import lzma
import os
import re
import shutil
import subprocess
import tarfile

from console import ROOT

NAME = "millrace-gpu-check"
LIMIT_MB = 50
PROGRAMS = ("tests/gpu_check", "millrace", "examples/tour", "examples/distributed_cpp")
FILES = ("tests/gpu_check/torch_bench.py", "tests/gpu/differences.txt")
LOADER = "ld-linux-x86-64.so.2"
# Parts of the C library that drivers were linked with, besides what our programs are: all have to be of one version.
C_LIBRARY = ("libdl.so.2", "libpthread.so.0", "librt.so.1", "libutil.so.1", "libm.so.6", "libc.so.6", "libresolv.so.2")
START = """#!/bin/sh
# Checks the GPU of this machine and writes gpu_report.md: ./gpu-check --help
here=$(cd "$(dirname "$0")" && pwd)
path="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
exec "$here/lib/%(loader)s" --library-path "$path" "$here/bin/gpu_check" --folder "$here" --examples "$here/bin" \\
  "--launcher=$here/lib/%(loader)s" "--launcher=--library-path" "--launcher=$path" "$@"
"""
README = """Checks the GPU of a machine, without a network and in less than eight minutes: ./gpu-check

It says what is there, compares every kernel with the CPU, measures (beside PyTorch where python3 has it), and runs examples.
The report is gpu_report.md; the exit code is 0 where everything is as it has to be, 1 where not, 3 where there is no card.
./gpu-check --help lists what it takes. CUDA's libraries are those of the machine: the driver's libcuda.so.1, and NVRTC,
cuBLAS and cuDNN of the system, of CUDA_HOME, of Python's nvidia-* packages or of the folder in MILLRACE_CUDA_LIBRARIES.
"""


def libraries(programs):
  """{name: path} of all shared libraries of programs, as this machine's loader finds them."""
  found = {}
  for program in programs:
    said = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    for name, path in re.findall(r"^\s*(?:(\S+) => )?(/\S+) \(0x", said, re.M):
      found[name or os.path.basename(path)] = path
    if "not found" in said:
      raise FileNotFoundError("%s lacks libraries:\n%s" % (program, said))
  beside = os.path.dirname(os.path.realpath(found["libc.so.6"]))
  for name in C_LIBRARY:
    found.setdefault(name, os.path.join(beside, name))
  return found


def make(build, folder):
  """Fills `folder` from a build."""
  shutil.rmtree(folder, ignore_errors=True)
  for part in ("bin", "lib"):
    os.makedirs(os.path.join(folder, part))
  programs = [os.path.join(build, program) for program in PROGRAMS]
  for program in programs:
    subprocess.run(["strip", "--strip-all", "-o", os.path.join(folder, "bin", os.path.basename(program)), program], check=True)
  for name, path in libraries(programs).items():
    shutil.copyfile(os.path.realpath(path), os.path.join(folder, "lib", name))
  os.chmod(os.path.join(folder, "lib", LOADER), 0o755)
  for name in FILES:
    shutil.copy(os.path.join(ROOT, name), folder)
  with open(os.path.join(folder, "README"), "w", encoding="utf-8") as file:
    file.write(README)
  start = os.path.join(folder, "gpu-check")
  with open(start, "w", encoding="utf-8") as file:
    file.write(START % {"loader": LOADER})
  os.chmod(start, 0o755)
  return folder


class Counted:
  """A file that is written to, and says how many bytes that were."""

  def __init__(self, file, written):
    self._file, self._written, self._bytes = file, written, 0

  def write(self, data):
    self._bytes += len(data)
    self._written(self._bytes)
    return self._file.write(data)


def size(folder):
  """Returns the bytes of the files in a folder."""
  return sum(os.path.getsize(os.path.join(base, name)) for base, _, names in os.walk(folder) for name in names)


def pack(folder, path, written=lambda n: None):
  """Packs it as `path`, a .tar.xz, and calls `written` with the bytes that are packed so far. The programs have most of their code
  in common, so the window is larger than all of them."""
  filters = [{"id": lzma.FILTER_X86}, {"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 256 << 20}]
  part = path + ".part"
  with lzma.open(part, "wb", format=lzma.FORMAT_XZ, filters=filters) as compressed:
    with tarfile.open(fileobj=Counted(compressed, written), mode="w|") as archive:
      archive.add(folder, NAME)
  os.replace(part, path)
  return os.path.getsize(path)


def unpack(path, into):
  """Returns the folder that comes out, as on the machine that it is taken to."""
  shutil.rmtree(into, ignore_errors=True)
  os.makedirs(into)
  with lzma.open(path) as compressed, tarfile.open(fileobj=compressed, mode="r|") as archive:
    archive.extractall(into)
  return os.path.join(into, NAME)
