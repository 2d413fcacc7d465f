"""Python programs that use TensorFlow, forked from a process that has imported it: up at once, and not after 4 s of a processor.

    process = forked_python.start(["program.py", "--flag", "value"], stdout=log, stderr=log)

For what would be subprocess.Popen([sys.executable, ...]). The programs themselves are the same, and so is what they see: the
arguments, the first entry of sys.path, `__main__`, the environment. Not the same is what is read while TensorFlow is imported, so a
variable of TensorFlow's environment needs a Python of its own.

The process that forks has one thread of Python, and of TensorFlow none: those begin with the first session.
"""

import atexit
import ctypes
import importlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading

_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG
_REQUEST_BYTES = 1 << 20
_IMPORT_SECONDS = 180  # of TensorFlow, on a busy machine
_RUN_SECONDS = 60  # of `millrace run` up to its Python
_SAYS_ITS_WORDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "says_its_words.py")


class Process:
  """As subprocess.Popen. Streams are those of PIPE, as text."""

  def __init__(self, parent, pid, stdin, stdout, stderr):
    self._parent = parent
    self._ended = os.pidfd_open(pid)
    self.pid, self.stdin, self.stdout, self.stderr = pid, stdin, stdout, stderr
    self.returncode = None

  def __del__(self):
    os.close(self._ended)

  def poll(self):
    if self.returncode is None and select.select([self._ended], [], [], 0)[0]:
      self.returncode = self._parent.ask(dict(ended=self.pid))
    return self.returncode

  def wait(self, timeout=None):
    if self.returncode is None and not select.select([self._ended], [], [], timeout)[0]:
      raise subprocess.TimeoutExpired(f"process {self.pid}", timeout)
    return self.poll()

  def communicate(self, timeout=None):
    if self.stdin:
      self.stdin.close()
    texts = {}
    readers = [
      threading.Thread(target=lambda s=s: texts.update({s: s.read()}), daemon=True) for s in (self.stdout, self.stderr) if s
    ]
    for reader in readers:
      reader.start()
    self.wait(timeout)
    for reader in readers:
      reader.join(timeout)
      if reader.is_alive():
        raise subprocess.TimeoutExpired(f"output of process {self.pid}", timeout)
    return texts.get(self.stdout), texts.get(self.stderr)

  def send_signal(self, number):
    if self.poll() is None:
      signal.pidfd_send_signal(self._ended, number)

  def terminate(self):
    self.send_signal(signal.SIGTERM)

  def kill(self):
    self.send_signal(signal.SIGKILL)


class _Parent:
  """The process that forks. It ends when nobody holds the other end of its socket, and its programs with it."""

  def __init__(self, python, modules):
    self._lock = threading.Lock()
    self._socket, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    self._socket.settimeout(_IMPORT_SECONDS)
    with other:
      self._process = subprocess.Popen(
        [python, os.path.abspath(__file__), str(other.fileno()), *modules], stdin=subprocess.DEVNULL, pass_fds=[other.fileno()]
      )
    atexit.register(self._end)

  def _end(self):
    self._process.kill()
    self._process.wait()

  def ask(self, request, descriptors=()):
    with self._lock:
      socket.send_fds(self._socket, [json.dumps(request).encode()], descriptors)
      try:
        answer = self._socket.recv(_REQUEST_BYTES)
      except TimeoutError:
        raise RuntimeError(
          f"the process {self._process.pid} that forks programs does not answer within {_IMPORT_SECONDS} s"
        ) from None
    if not answer:
      raise RuntimeError(f"the process that forks programs has ended with {self._process.wait()}")
    return json.loads(answer)


_parents = {}
_making = threading.Lock()


def _parent_of(python, modules):
  with _making:
    if (python, modules) not in _parents:
      _parents[python, modules] = _Parent(python, modules)
    return _parents[python, modules]


def start(
  words, stdin=subprocess.DEVNULL, stdout=None, stderr=None, program=None, python=sys.executable, modules=("tensorflow",)
):
  """A program by its words, a path or -c and a text first. Streams: a file, PIPE or DEVNULL; None is that of this process.

  With `program`, the word behind -c and its text is made a descriptor from which that is read. Programs of one `python` and the
  same `modules` are forked from one process, which has imported those.
  """
  theirs, ours, opened = [], [None, None, None], []
  for i, stream in enumerate((stdin, stdout, stderr)):
    if stream == subprocess.PIPE:
      read, write = os.pipe()
      theirs.append(read if i == 0 else write)
      opened.append(theirs[-1])
      ours[i] = os.fdopen(write, "w", 1) if i == 0 else os.fdopen(read, "r", errors="replace")
    elif stream == subprocess.DEVNULL:
      theirs.append(os.open(os.devnull, os.O_RDWR))
      opened.append(theirs[-1])
    else:
      theirs.append(i if stream is None else stream.fileno())
  try:
    request = dict(words=[str(w) for w in words], program=program, environment=dict(os.environ), folder=os.getcwd())
    parent = _parent_of(python, tuple(modules))
    return Process(parent, parent.ask(request, theirs), *ours)
  finally:
    for descriptor in opened:
      os.close(descriptor)


def start_run(command, words, **streams):
  """`millrace run` with these words, where the Python that it names is forked instead."""
  said = subprocess.run(
    [command, "run", "--python", _SAYS_ITS_WORDS, *words], capture_output=True, text=True, check=False, timeout=_RUN_SECONDS
  )
  if said.returncode != 0:
    raise RuntimeError(f"{command} run ended with {said.returncode}: {said.stderr}")
  return start(**json.loads(said.stdout), **streams)


def _die_with(pid):
  ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
  if os.getppid() != pid:
    os._exit(1)


def _code(pid):
  status = os.waitpid(pid, 0)[1]
  return os.waitstatus_to_exitcode(status)


def _serve(asked):
  """Answers requests; returns in the processes that it has forked, with their words and descriptors."""
  own = os.getpid()
  while True:
    text, descriptors, _, _ = socket.recv_fds(asked, _REQUEST_BYTES, 3)
    if not text:
      os._exit(0)
    request = json.loads(text)
    if "ended" in request:
      answer = _code(request["ended"])
    else:
      answer = os.fork()
      if answer == 0:
        _die_with(own)
        asked.close()
        return request, descriptors
      for descriptor in descriptors:
        os.close(descriptor)
    asked.send(json.dumps(answer).encode())


def _become(request, descriptors):
  for i, descriptor in enumerate(descriptors):
    os.dup2(descriptor, i)
    os.close(descriptor)
  os.environ.clear()
  os.environ.update(request["environment"])
  os.chdir(request["folder"])
  words = request["words"]
  if request["program"] is not None:
    with tempfile.TemporaryFile() as f:
      f.write(request["program"].encode())
      f.seek(0)
      words[2] = str(os.dup(f.fileno()))
  if words[0] == "-c":
    sys.argv, sys.path[0] = ["-c", *words[2:]], ""
    exec(compile(words[1], "<string>", "exec"), dict(__name__="__main__", __builtins__=__builtins__))
  else:
    sys.argv, sys.path[0] = words, os.path.dirname(os.path.abspath(words[0]))
    runpy.run_path(words[0], run_name="__main__")


def _main():
  asked = socket.socket(fileno=int(sys.argv[1]))
  # Imported for the programs to come, which find them there.
  for module in sys.argv[2:]:
    importlib.import_module(module)
  _become(*_serve(asked))


if __name__ == "__main__":
  _main()
