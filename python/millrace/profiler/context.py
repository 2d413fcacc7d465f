"""tf.contrib.tfprof.ProfileContext: steps of sessions that are traced, profiled and written while a program runs."""

import os
import threading

import millrace as tf
from millrace.client import session as client
from millrace.framework import errors
from millrace.profiler import profiler

# The steps that are traced and written if a context is not told which: not the first ones, in which much is done once only.
_FIRST, _EVERY, _MOST = 10, 10, 100


class ProfileContext:
  """While this context is entered, the runs of sessions count as steps from 0 on, and some of them are traced.

  `trace_steps` and `dump_steps` are lists of steps; by default every tenth of the first thousand is traced, and written if it is traced.
  A step that is written makes the file `profile_STEP` in `profile_dir`: a ProfileProto of all traced steps until then. With `debug`, the
  RunMetadata of a traced step is written as text to `run_meta_STEP` too. With `enabled` False the context does nothing.

  Raises ValueError without a folder.
  """

  def __init__(self, profile_dir, trace_steps=None, dump_steps=None, enabled=True, debug=False):
    if not profile_dir:
      raise ValueError("Must have a directory for profile.\n")
    usual = range(_FIRST, _FIRST + _EVERY * _MOST, _EVERY)
    self._dir = profile_dir
    self._trace_steps = set(usual if trace_steps is None else trace_steps)
    self._dump_steps = set(self._trace_steps if dump_steps is None else dump_steps)
    self._enabled = enabled
    self._debug = debug
    self._automatic = []
    self._profiles = {}
    self._profiler = None
    self._step = 0
    self._trace_next = False
    self._dump_next = False
    self._lock = threading.Lock()
    self._run = None

  def add_auto_profiling(self, cmd, options, profile_steps):
    """Traces these steps and shows the view `cmd` after them: "scope", "graph", "op" or "code", with options of ProfileOptionBuilder."""
    if cmd not in profiler.VIEWS:
      raise errors.InvalidArgumentError(None, None, f"unknown cmd: {cmd}\n")
    if self._enabled:
      self._automatic.append((cmd, options, set(profile_steps)))
      self._trace_steps.update(profile_steps)

  def get_profiles(self, cmd):
    """Returns a dictionary from steps to what add_auto_profiling showed of this kind; raises ValueError if that was not asked for."""
    if cmd not in self._profiles:
      raise ValueError(f"No autoprofiler for command: {cmd}, was run")
    return self._profiles[cmd]

  @property
  def profiler(self):
    """The tf.profiler.Profiler with all traced steps, or None if this context is not enabled."""
    if self._enabled and self._profiler is None:
      self._profiler = profiler.Profiler(tf.get_default_graph())
    return self._profiler if self._enabled else None

  def trace_next_step(self):
    """Traces the next step too."""
    self._trace_next = self._enabled

  def dump_next_step(self):
    """Traces the next step too, and writes it."""
    self._dump_next = self._enabled
    self._trace_next = self._enabled

  def __enter__(self):
    if self._enabled:
      original = client.BaseSession.run

      def run(session, fetches, feed_dict=None, options=None, run_metadata=None):
        return self._profiled(original, session, fetches, feed_dict, options, run_metadata)

      self._run = original
      client.BaseSession.run = run
    return self

  def __exit__(self, exception_type, exception, traceback):
    if self._run is not None:
      client.BaseSession.run = self._run
      self._run = None

  def _profiled(self, run, session, fetches, feed_dict, options, run_metadata):
    with self._lock:
      step = self._step
      self._step += 1
      traced = self._trace_next or step in self._trace_steps
      dumped = self._dump_next or step in self._dump_steps
      self._trace_next = self._dump_next = False
    if not traced:
      values = run(session, fetches, feed_dict, options, run_metadata)
    else:
      traced_options = tf.RunOptions()
      if options is not None:
        traced_options.CopyFrom(options)
      traced_options.trace_level = tf.RunOptions.FULL_TRACE
      run_metadata = tf.RunMetadata() if run_metadata is None else run_metadata
      values = run(session, fetches, feed_dict, traced_options, run_metadata)
    with self._lock:
      if traced:
        self._add(session.graph, step, run_metadata)
      if dumped and self._profiler is not None:
        self._write(f"profile_{step}", self._profiler.serialize_to_string())
    return values

  def _add(self, graph, step, run_metadata):
    if self._profiler is None:
      self._profiler = profiler.Profiler(graph)
    self._profiler.add_step(step, run_metadata)
    if self._debug:
      self._write(f"run_meta_{step}", str(run_metadata).encode())
    for cmd, options, steps in self._automatic:
      if step in steps:
        self._profiles.setdefault(cmd, {})[step] = self._profiler.profile_as(cmd, options)

  def _write(self, name, data):
    tf.gfile.MakeDirs(self._dir)
    with tf.gfile.Open(os.path.join(self._dir, name), "wb") as file:
      file.write(data)
