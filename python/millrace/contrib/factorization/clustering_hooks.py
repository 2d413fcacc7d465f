"""What trainings of clusters do besides: give the centers their first values, and end when the loss changes little."""

import os
import time

import millrace as tf


class InitializeClustersHook(tf.train.SessionRunHook):
  """Before the first step the chief runs the op that adds centers until there are enough; other workers wait for that.

  If the input is over then, and no step follows, the centers are saved in the folder of `config` as they are.
  """

  def __init__(self, init_op, is_initialized, config):
    self._init_op = init_op
    self._is_initialized = is_initialized
    self._config = config
    self._has_unsaved = False

  def after_create_session(self, session, coord):
    while not session.run(self._is_initialized):
      if self._config.is_chief:
        session.run(self._init_op)
        self._has_unsaved = True
      else:
        time.sleep(1)

  def after_run(self, run_context, run_values):
    self._has_unsaved = False  # a step that counts is saved by the estimator

  def end(self, session):
    savers = tf.get_collection(tf.GraphKeys.SAVERS)
    saves = self._config.save_checkpoints_steps or self._config.save_checkpoints_secs
    if self._has_unsaved and saves and savers:
      savers[0].save(session, os.path.join(self._config.model_dir, "model.ckpt"), tf.train.get_global_step())


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
