"""What trainings of clusters do besides: give the centers their first values, and end when the loss changes little."""

import time

import millrace as tf


class InitializeClustersHook(tf.train.SessionRunHook):
  """Before the first step the chief runs the op that adds centers until there are enough; other workers wait for that."""

  def __init__(self, init_op, is_initialized, is_chief):
    self._init_op = init_op
    self._is_initialized = is_initialized
    self._is_chief = is_chief

  def after_create_session(self, session, coord):
    while not session.run(self._is_initialized):
      if self._is_chief:
        session.run(self._init_op)
      else:
        time.sleep(1)


class RelativeChangeHook(tf.train.SessionRunHook):
  """Ends a training when the loss changes by less than a share of what it was."""

  def __init__(self, loss, tolerance):
    self._loss = loss
    self._tolerance = tolerance
    self._last = None

  def before_run(self, run_context):
    return tf.train.SessionRunArgs(self._loss)

  def after_run(self, run_context, run_values):
    loss = run_values.results
    if self._last is not None and abs(loss - self._last) / (1 + abs(self._last)) < self._tolerance:
      run_context.request_stop()
    self._last = loss
