"""Programs that use the GPUs of the stand-in (tests/gpu/standin): how many cards there are, and who holds what of their memory.

cards = Cards(tmp_path, count=2)
with cards.program(TEXT) as program:
  program.expect("ready")
  assert cards.taken(0) ...
"""

import os
import subprocess
import sys
import textwrap

FOLDER = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(FOLDER))
BUILD = os.environ.get("MILLRACE_BUILD") or os.path.join(ROOT, "build", "dev")
LIBRARIES = os.environ.get("MILLRACE_CUDA_LIBRARIES") or os.path.join(BUILD, "tests", "gpu_standin")
COMMAND = os.path.join(ROOT, os.environ.get("MILLRACE_COMMAND", "build/dev/millrace"))
MIB = 1 << 20
LIMIT_S = 180

sys.path.insert(0, os.path.join(ROOT, "tests", "python"))
import pair_runner  # noqa: E402

# Prints the free and all bytes of a card, as nvidia-smi does: the driver alone is asked.
ASK_DRIVER = """
import ctypes, os, sys
cuda = ctypes.CDLL(os.path.join(sys.argv[1], "libcuda.so.1"))
context, free, total = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_size_t()
for code in (
  cuda.cuInit(0),
  cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), int(sys.argv[2])),
  cuda.cuCtxSetCurrent(context),
  cuda.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total)),
):
  assert code == 0, code
print(free.value, total.value)
"""


def there():
  """Whether the stand-in is built."""
  return os.path.exists(os.path.join(LIBRARIES, "libcuda.so.1"))


class Program:
  """A process that is talked with by lines."""

  def __init__(self, words, folder, environment):
    self._process = subprocess.Popen(
      words,
      cwd=folder,
      env=environment,
      stdin=subprocess.PIPE,
      stdout=subprocess.PIPE,
      stderr=subprocess.PIPE,
      text=True,
    )

  def __enter__(self):
    return self

  def __exit__(self, *unused):
    if self._process.poll() is None:
      self._process.kill()
    self._process.communicate()

  def expect(self, line):
    """Reads the next line, which is this one."""
    said = self._process.stdout.readline()
    if said.rstrip("\n") != line:
      if self._process.stdin:
        self._process.stdin.close()
      raise AssertionError("%r instead of %r\n%s" % (said, line, self._process.stderr.read()))

  def tell(self, line=""):
    """What the program's next input() returns."""
    self._process.stdin.write(line + "\n")
    self._process.stdin.flush()

  def end(self):
    """Waits for a good end; returns (output, log)."""
    out, err = self._process.communicate(timeout=LIMIT_S)
    assert self._process.returncode == 0, err
    return out, err

  def fail(self):
    """Waits for an end by an exception; returns its text."""
    _, err = self._process.communicate(timeout=LIMIT_S)
    assert self._process.returncode == 1, err
    return err


class Cards:
  """The cards of a machine that is made for one test."""

  def __init__(self, folder, count=1, memory_mb=4096):
    self._folder = str(folder)
    self._number = 0
    self.memory_bytes = memory_mb * MIB
    self._environment = dict(
      os.environ,
      MILLRACE_CUDA_LIBRARIES=LIBRARIES,
      MILLRACE_STANDIN_GPUS=str(count),
      MILLRACE_STANDIN_MEMORY_MB=str(memory_mb),
      MILLRACE_STANDIN_STRICT="1",
      MILLRACE_GPU_CACHE=os.path.join(LIBRARIES, "code"),
      MILLRACE_STANDIN_CARDS=os.path.join(self._folder, "cards"),
      TF_CPP_MIN_LOG_LEVEL="3",
      PYTHONPATH=os.pathsep.join([pair_runner.package_folder()] + os.environ.get("PYTHONPATH", "").split(os.pathsep)),
    )
    self._environment.pop("CUDA_VISIBLE_DEVICES", None)

  def set(self, name, value):
    """Sets a variable of the programs that start from now on."""
    self._environment[name] = value

  def environment(self, visible=None):
    return dict(self._environment, **({} if visible is None else {"CUDA_VISIBLE_DEVICES": visible}))

  def _write(self, text):
    self._number += 1
    path = os.path.join(self._folder, "program_%d.py" % self._number)
    with open(path, "w", encoding="utf-8") as file:
      file.write(textwrap.dedent(text))
    return path

  def program(self, text, *words, visible=None):
    """Starts a program of TensorFlow 1 with sessions of its own, by `python -m millrace`."""
    words = [sys.executable, "-m", "millrace", self._write(text), *words]
    return Program(words, self._folder, self.environment(visible))

  def run(self, text, *words, visible=None):
    """What such a program prints and logs."""
    with self.program(text, *words, visible=visible) as program:
      return program.end()

  def program_with_servers(self, text, *words, visible=None, flags=()):
    """Starts a program of TensorFlow's own package, whose tf.train.Server is a server of ours."""
    words = [COMMAND, "run", "--python", sys.executable, *flags, self._write(text), *words]
    return Program(words, self._folder, self.environment(visible))

  def taken(self, card=0):
    """How many bytes of a card all processes hold."""
    asked = subprocess.run(
      [sys.executable, "-c", ASK_DRIVER, LIBRARIES, str(card)],
      env=self.environment(),
      capture_output=True,
      text=True,
      timeout=LIMIT_S,
      check=True,
    )
    free, total = map(int, asked.stdout.split())
    assert total == self.memory_bytes
    return total - free

  def part_taken(self, card=0):
    return self.taken(card) / self.memory_bytes
