"""NVRTC, NVIDIA's run-time compiler, by ctypes: it needs no card."""

import ctypes
import glob
import os
import re
from typing import NamedTuple, Optional

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PRELUDE = [
  os.path.join(ROOT, "millrace", "device", "cuda", "prelude", name + ".gpu.cu") for name in ("numbers", "parallel", "random")
]
# As CompileOptions of millrace/device/cuda/nvrtc.cc has them, and what makes the log say registers and spills.
OPTIONS = ["--std=c++17", "--device-as-default-execution-space", "-Xptxas", "-v"]


class Entry(NamedTuple):
  """What the compiler says of a kernel."""

  name: str
  registers: int
  spilled_bytes: int  # stores and loads
  stack_bytes: int
  shared_bytes: int


class Compiled(NamedTuple):
  error: Optional[str]  # the log, if the text is wrong
  entries: list


def find_library(folder=None):
  """Returns the path of libnvrtc in a folder, or in a virtual environment's packages; None if there is none."""
  places = (
    [folder] if folder else glob.glob(os.path.join(ROOT, ".venv", "lib", "python3*", "site-packages", "nvidia", "*", "lib"))
  )
  found = [path for place in places for path in glob.glob(os.path.join(place, "libnvrtc.so.[0-9]*"))]
  return max(found) if found else None


def parse_log(log):
  """Returns the entries of the log of -Xptxas -v; functions that are called have no registers of their own."""
  entries, name, spills, stack = [], None, {}, {}
  function = None
  for line in log.splitlines():
    m = re.search(r"Compiling entry function '(\w+)'", line)
    if m:
      name = m.group(1)
      continue
    m = re.search(r"Function properties for (\w+)", line)
    if m:
      function = m.group(1)
      continue
    m = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line)
    if m and function:
      stack[function] = int(m.group(1))
      spills[function] = int(m.group(2)) + int(m.group(3))
      continue
    m = re.search(r"Used (\d+) registers", line)
    if m and name:
      shared = re.search(r"(\d+) bytes smem", line)
      entries.append(Entry(name, int(m.group(1)), spills.get(name, 0), stack.get(name, 0), int(shared.group(1)) if shared else 0))
      name = None
  return entries


class Nvrtc:
  """Thread-safe; calls release Python's lock."""

  def __init__(self, path):
    self._lib = ctypes.CDLL(path)
    with_prelude = []
    for part in PRELUDE:
      with open(part, encoding="utf-8") as f:
        with_prelude.append(f.read())
    self._prelude = '#line 1 "prelude"\n' + "".join(with_prelude)

  def version(self):
    major, minor = ctypes.c_int(), ctypes.c_int()
    self._check("nvrtcVersion", ctypes.byref(major), ctypes.byref(minor))
    return major.value, minor.value

  def compile(self, texts, defines, arch):
    """Compiles (name, text) pairs, joined behind the prelude and the defines, to machine code for "sm_90"."""
    source = [self._prelude, *("#define %s %s\n" % define for define in defines)]
    source += ['\n#line 1 "%s"\n%s' % named for named in texts]
    program = ctypes.c_void_p()
    name = "+".join(n for n, _ in texts).encode()
    self._check("nvrtcCreateProgram", ctypes.byref(program), "".join(source).encode(), name, 0, None, None)
    try:
      options = [option.encode() for option in ["--gpu-architecture=" + arch, *OPTIONS]]
      code = self._lib.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
      log = self._log(program)
      if code != 0:
        return Compiled(log or "nvrtcCompileProgram: error %d" % code, [])
      return Compiled(None, parse_log(log))
    finally:
      self._lib.nvrtcDestroyProgram(ctypes.byref(program))

  def _log(self, program):
    size = ctypes.c_size_t()
    self._check("nvrtcGetProgramLogSize", program, ctypes.byref(size))
    log = ctypes.create_string_buffer(max(size.value, 1))
    self._check("nvrtcGetProgramLog", program, log)
    return log.value.decode(errors="replace").strip()

  def _check(self, call, *args):
    code = getattr(self._lib, call)(*args)
    if code != 0:
      raise RuntimeError("%s: error %d" % (call, code))
