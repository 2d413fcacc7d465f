"""tf.test.TestCase, tf.test.main and folders for tests."""

import contextlib
import os
import random
import sys
import tempfile
import threading
import unittest

import numpy as np

from millrace.platform import flags
from millrace.platform.testing import arrays, sequences

_SEED = 87654321
_folder = None


def get_temp_dir():
  """Returns a folder for files of this test program: $TEST_TMPDIR, otherwise a new one that goes when the program ends."""
  global _folder
  if _folder is None:
    given = os.environ.get("TEST_TMPDIR")
    if given:
      os.makedirs(given, exist_ok=True)
      _folder = given
    else:
      import atexit
      import shutil

      _folder = tempfile.mkdtemp(prefix="millrace_test_")
      atexit.register(shutil.rmtree, _folder, ignore_errors=True)
  return _folder


def test_src_dir_path(relative_path):
  """Returns the path of a file below $TEST_SRCDIR."""
  return os.path.join(os.environ.get("TEST_SRCDIR", ""), "millrace", relative_path)


class _CheckedThread:
  """A thread whose error is the test's when it is joined."""

  def __init__(self, case, target, args, kwargs):
    self._case = case
    self._error = None

    def run():
      try:
        target(*(args or ()), **(kwargs or {}))
      except BaseException as error:  # which join reports
        self._error = error

    self._thread = threading.Thread(target=run, daemon=True)
    self._joined = False

  def start(self):
    self._thread.start()

  def join(self):
    self._thread.join()
    self._joined = True
    if self._error is not None:
      self._case.fail("Error in checkedThread: %s" % self._error)

  def is_alive(self):
    return self._thread.is_alive()


class _CapturedWrites:
  """What was written to a stream."""

  def __init__(self, file):
    self._file = file

  def contents(self):
    with open(self._file, encoding="utf-8") as file:
      return file.read()


class TestCase(arrays.ArrayAssertions, sequences.SequenceAssertions, unittest.TestCase):
  """A test case that begins each test with a fresh default graph with a seed, and has sessions and comparisons of arrays."""

  def __init__(self, methodName="runTest"):
    super().__init__(methodName)
    self._threads = []
    self._tempdir = None
    self._cached = None  # session, graph, config

  def setUp(self):
    from millrace.framework import graph

    self._clear_cached_session()
    random.seed(_SEED)
    np.random.seed(_SEED)
    graph.reset_default_graph()
    graph.get_default_graph().seed = _SEED

  def tearDown(self):
    for thread in self._threads:
      thread.join()
    self._clear_cached_session()

  def _clear_cached_session(self):
    if self._cached is not None:
      self._cached[0].close()
      self._cached = None

  def get_temp_dir(self):
    """Returns a folder of this test alone."""
    if self._tempdir is None:
      self._tempdir = tempfile.mkdtemp(dir=get_temp_dir())
    return self._tempdir

  def create_tempfile(self, file_path=None, content=None, mode="w", encoding="utf8", errors="strict", cleanup=None):
    del cleanup
    path = os.path.join(self.get_temp_dir(), file_path or "file%d" % random.getrandbits(30))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, mode, **({} if "b" in mode else {"encoding": encoding, "errors": errors})) as file:
      if content:
        file.write(content)
    return _TempFile(path)

  def create_tempdir(self, name=None, cleanup=None):
    del cleanup
    path = os.path.join(self.get_temp_dir(), name) if name else tempfile.mkdtemp(dir=self.get_temp_dir())
    os.makedirs(path, exist_ok=True)
    return _TempFile(path)

  def enter_context(self, manager):
    """Enters a context until the end of the test; returns its value."""
    return self.enterContext(manager)

  def checkedThread(self, target, args=None, kwargs=None):
    """Returns a thread, to be started and joined, whose error fails the test."""
    thread = _CheckedThread(self, target, args, kwargs)
    self._threads.append(thread)
    return thread

  def evaluate(self, tensors):
    """Returns the values of a structure of tensors in the default session or the test's own."""
    from millrace.client import session as session_module

    session = session_module.get_default_session()
    if session is None:
      with self.test_session() as session:
        return session.run(tensors)
    return session.run(tensors)

  def evaluate_if_both_tensors(self, a, b):
    from millrace.framework import tensor_values

    return self.evaluate([a, b]) if tensor_values.is_tensor(a) and tensor_values.is_tensor(b) else (a, b)

  @contextlib.contextmanager
  def session(self, graph=None, config=None, use_gpu=False, force_gpu=False):
    """A new session as the default one, with its graph; without `use_gpu`, what is built within is for the CPU."""
    with self._new_session(graph, config) as session, self._on_device(session, use_gpu, force_gpu):
      yield session

  @contextlib.contextmanager
  def cached_session(self, graph=None, config=None, use_gpu=False, force_gpu=False):
    """As session, but the same one each time within a test."""
    session = self._cached_session(graph, config)
    with self._on_device(session, use_gpu, force_gpu):
      yield session

  def test_session(self, graph=None, config=None, use_gpu=False, force_gpu=False):
    """As cached_session for the default graph, as session for a given one."""
    if self.id().endswith(".test_session"):  # unittest takes it for a test
      self.skipTest("Not a test.")
    if graph is None:
      # Arguments of a second use count for nothing.
      first = (graph, config) if self._cached is None else self._cached[1:]
      return self.cached_session(*first, use_gpu, force_gpu)
    return self.session(graph, config, use_gpu, force_gpu)

  def _new_session(self, graph, config):
    from millrace.client import session as session_module
    from millrace.framework import protos

    if config is None:
      config = protos.ConfigProto()
      config.allow_soft_placement = True
    return session_module.Session(graph=graph, config=config)

  def _cached_session(self, graph, config):
    """The session of the test. The arguments have to be those of its first use; without a graph it keeps the default one of then."""
    if self._cached is None:
      self._cached = (self._new_session(graph, config), graph, config)
    elif self._cached[1] is not graph:
      raise ValueError("The graph used to get the cached session is different than the one that was used to create the session.")
    elif self._cached[2] is not config:
      raise ValueError("The config used to get the cached session is different than the one that was used to create the session.")
    return self._cached[0]

  @contextlib.contextmanager
  def _on_device(self, session, use_gpu, force_gpu):
    with session.graph.as_default(), session.as_default():
      if force_gpu:
        with session.graph.device("/device:GPU:0"):
          yield
      elif use_gpu:
        yield
      else:
        with session.graph.device("/device:CPU:0"):
          yield

  @contextlib.contextmanager
  def captureWritesToStream(self, stream):
    """What is written to the stream, also by C++, goes to an object whose `contents()` returns it."""
    number = stream.fileno()
    stream.flush()
    path = os.path.join(self.get_temp_dir(), "captured%d" % random.getrandbits(30))
    kept = os.dup(number)
    try:
      with open(path, "wb") as file:
        os.dup2(file.fileno(), number)
      yield _CapturedWrites(path)
    finally:
      stream.flush()
      os.dup2(kept, number)
      os.close(kept)


class _TempFile:
  """A file or folder of a test: `full_path`, and methods to read and write it."""

  def __init__(self, path):
    self.full_path = path

  def __fspath__(self):
    return self.full_path

  def read_text(self, encoding="utf8", errors="strict"):
    with open(self.full_path, encoding=encoding, errors=errors) as file:
      return file.read()

  def write_text(self, text, mode="w", encoding="utf8", errors="strict"):
    with open(self.full_path, mode, encoding=encoding, errors=errors) as file:
      file.write(text)

  def create_file(self, file_path, content=""):
    path = os.path.join(self.full_path, file_path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf8") as file:
      file.write(content)
    return _TempFile(path)


def main(argv=None):
  """Runs the tests of the script, with the flags of its command line read. Benchmarks run with --benchmarks=PATTERN."""
  from millrace.platform.testing import benchmark

  argv = list(sys.argv if argv is None else argv)
  pattern = [arg.partition("=")[2] for arg in argv if arg.startswith("--benchmarks=")]
  if pattern:
    benchmark.run(pattern[0])
    return
  rest = flags.FLAGS(argv, known_only=True) if len(flags.FLAGS) else argv
  unittest.main(argv=rest)
