"""Monitors that write: summaries, checkpoints, steps per second, and what all ops of a graph give."""

import os
import time

import numpy as np

import millrace as tf
from millrace.contrib.learn.monitors.base import BaseMonitor, EveryN
from millrace.framework import protos


class SummarySaver(EveryN):
  """Writes summaries every `save_steps` steps: `summary_op`, or that of `scaffold`, by `summary_writer` or into `output_dir`."""

  def __init__(self, summary_op, save_steps=100, output_dir=None, summary_writer=None, scaffold=None):
    super().__init__(every_n_steps=save_steps)
    self._summary_op = summary_op
    self._summary_writer = summary_writer
    if summary_writer is None and output_dir:
      self._summary_writer = tf.summary.FileWriter(output_dir)
    self._scaffold = scaffold

  def set_estimator(self, estimator):
    super().set_estimator(estimator)
    if self._summary_writer is None:
      self._summary_writer = tf.summary.FileWriterCache.get(estimator.model_dir)

  def every_n_step_begin(self, step):
    super().every_n_step_begin(step)
    if self._summary_op is None and self._scaffold is not None:
      self._summary_op = self._scaffold.summary_op
    return [] if self._summary_op is None else [self._summary_op]

  def every_n_step_end(self, step, outputs):
    super().every_n_step_end(step, outputs)
    if self._summary_op is not None and self._summary_writer:
      self._summary_writer.add_summary(outputs[_key(outputs, self._summary_op)], step)
    return False

  def end(self, session=None):
    super().end(session=session)
    if self._summary_writer:
      self._summary_writer.flush()


def _key(outputs, tensor):
  return tensor if tensor in outputs else getattr(tensor, "name", tensor)


class CheckpointSaver(BaseMonitor):
  """Saves checkpoints every `save_secs` seconds or `save_steps` steps: exactly one of both. Raises ValueError otherwise."""

  def __init__(
    self, checkpoint_dir, save_secs=None, save_steps=None, saver=None, checkpoint_basename="model.ckpt", scaffold=None
  ):
    super().__init__()
    if (save_secs is None) == (save_steps is None):
      raise ValueError("exactly one of save_steps and save_secs should be provided.")
    self._saver = saver
    self._save_path = os.path.join(checkpoint_dir, checkpoint_basename)
    self._scaffold = scaffold
    self._save_secs = save_secs
    self._save_steps = save_steps
    self._last_saved_time = None
    self._last_begin_step = None
    self._last_saved_step = None
    self._summary_writer = tf.summary.FileWriterCache.get(checkpoint_dir)

  def begin(self, max_steps=None):
    super().begin(max_steps)
    self._last_saved_time = None
    self._last_begin_step = None
    self._last_saved_step = None

  def step_begin(self, step):
    super().step_begin(step)
    self._last_begin_step = step
    return []

  def post_step(self, step, session):
    super().post_step(step, session)
    if self._last_saved_time is None or self._is_due(step):
      self._save(step, session)

  def _is_due(self, step):
    if self._save_steps is not None:
      return step >= self._last_saved_step + self._save_steps
    return time.time() >= self._last_saved_time + self._save_secs

  def end(self, session=None):
    super().end(session)
    if self._last_begin_step is not None and self._last_begin_step != self._last_saved_step:
      self._save(self._last_begin_step, session)

  def _save(self, step, session):
    saver = self._saver or (self._scaffold.saver if self._scaffold is not None else None)
    if saver is None:
      tf.logging.info("Saver missing, no checkpoints saved")
      return
    tf.logging.info("Saving checkpoints for %d into %s.", step, self._save_path)
    self._last_saved_time = time.time()
    self._last_saved_step = step
    saver.save(session, self._save_path, global_step=step)
    self._summary_writer.add_session_log(
      protos.SessionLog(status=protos.SessionLog.CHECKPOINT, checkpoint_path=self._save_path), step
    )


class StepCounter(EveryN):
  """Writes the steps a second as "global_step/sec"."""

  def __init__(self, every_n_steps=100, output_dir=None, summary_writer=None):
    super().__init__(every_n_steps=every_n_steps)
    self._summary_tag = "global_step/sec"
    self._last_reported_step = None
    self._last_reported_time = None
    self._summary_writer = summary_writer
    if summary_writer is None and output_dir:
      self._summary_writer = tf.summary.FileWriterCache.get(output_dir)

  def set_estimator(self, estimator):
    super().set_estimator(estimator)
    if self._summary_writer is None:
      self._summary_writer = tf.summary.FileWriterCache.get(estimator.model_dir)

  def every_n_step_end(self, current_step, outputs):
    now = time.time()
    if self._last_reported_time is not None and self._summary_writer:
      steps, seconds = current_step - self._last_reported_step, now - self._last_reported_time
      value = protos.Summary.Value(tag=self._summary_tag, simple_value=steps / seconds)
      self._summary_writer.add_summary(protos.Summary(value=[value]), current_step)
    self._last_reported_time = now
    self._last_reported_step = current_step
    return False


class GraphDump(BaseMonitor):
  """Keeps what all tensors of the graph give in each step, by step in `data`. Ops of the types `ignore_ops` are left out."""

  IGNORE_OPS = ("Const", "Assign", "Identity", "Placeholder", "RandomUniform", "Cast", "RestoreSlice")

  def __init__(self, ignore_ops=None):
    super().__init__()
    self._ignore_ops = GraphDump.IGNORE_OPS if ignore_ops is None else ignore_ops
    self._data = {}

  @property
  def data(self):
    return self._data

  def begin(self, max_steps=None):
    super().begin(max_steps=max_steps)
    graph = tf.get_default_graph()
    tensors = [tensor for op in graph.get_operations() if op.type not in self._ignore_ops for tensor in op.values()]
    plain = (tf.float16, tf.float32, tf.float64, tf.int32, tf.int64, tf.uint8, tf.bool, tf.string)
    self._tensors = [tensor.name for tensor in tensors if tensor.dtype.base_dtype in plain and graph.is_fetchable(tensor)]

  def step_begin(self, step):
    super().step_begin(step)
    return list(self._tensors)

  def step_end(self, step, output):
    super().step_end(step, output)
    self._data[step] = output
    return False

  def compare(self, other_dump, step, atol=1e-06):
    """Two lists of the names of tensors that agree with another dump's in a step, and that don't."""
    mine, others = self.data[step], other_dump.data[step]
    matched, different = [], []
    for key in sorted(mine, key=str):
      if key not in others:
        continue
      one, other = np.asarray(mine[key]), np.asarray(others[key])
      if one.dtype.kind in "fiub" and one.shape == other.shape:
        agrees = np.allclose(one, other, atol=atol)
      else:
        agrees = np.array_equal(one, other)
      (matched if agrees else different).append(key)
    return matched, different
