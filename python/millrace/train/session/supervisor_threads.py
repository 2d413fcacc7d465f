"""The threads of the supervisor: summaries, steps per second and checkpoints."""

import time

import millrace as tf
from millrace.framework import protos
from millrace.train import coordinator


class SummaryThread(coordinator.LooperThread):
  """Writes summaries every so many seconds."""

  def __init__(self, sv, sess):
    super().__init__(sv.coord, sv.save_summaries_secs)
    self._sv = sv
    self._sess = sess

  def run_loop(self):
    if self._sv.global_step is not None:
      summaries, global_step = self._sess.run([self._sv.summary_op, self._sv.global_step])
    else:
      summaries = self._sess.run(self._sv.summary_op)
      global_step = None
    if self._sv.summary_writer:
      tf.logging.info("Recording summary at step %s.", global_step)
      self._sv.summary_writer.add_summary(summaries, global_step)


class StepCounterThread(coordinator.LooperThread):
  """Writes the steps a second."""

  def __init__(self, sv, sess, step_counter=None):
    super().__init__(sv.coord, sv.save_summaries_secs)
    self._sv = sv
    self._sess = sess
    self._last_time = 0.0
    self._last_step = 0
    step_counter = sv.global_step if step_counter is None else step_counter
    self._step_counter = step_counter
    self._summary_tag = f"{self._step_counter.op.name}/sec"

  def start_loop(self):
    self._last_time = time.time()
    self._last_step = tf.train.global_step(self._sess, self._step_counter)

  def run_loop(self):
    current_step = tf.train.global_step(self._sess, self._step_counter)
    added_steps = current_step - self._last_step
    self._last_step = current_step
    current_time = time.time()
    elapsed_time = current_time - self._last_time
    self._last_time = current_time
    steps_per_sec = added_steps / elapsed_time if elapsed_time > 0.0 else float("inf")
    value = protos.Summary.Value(tag=self._summary_tag, simple_value=steps_per_sec)
    if self._sv.summary_writer:
      self._sv.summary_writer.add_summary(protos.Summary(value=[value]), current_step)
    tf.logging.log_first_n(tf.logging.INFO, "%s: %g", 10, self._summary_tag, steps_per_sec)


class CheckpointThread(coordinator.LooperThread):
  """Saves checkpoints every so many seconds."""

  def __init__(self, sv, sess):
    super().__init__(sv.coord, sv.save_model_secs)
    self._sv = sv
    self._sess = sess

  def run_loop(self):
    tf.logging.info("Saving checkpoint to path %s", self._sv.save_path)
    self._sv.saver.save(self._sess, self._sv.save_path, global_step=self._sv.global_step)
    if self._sv.summary_writer and self._sv.global_step is not None:
      current_step = tf.train.global_step(self._sess, self._sv.global_step)
      self._sv.summary_writer.add_session_log(
        protos.SessionLog(status=protos.SessionLog.CHECKPOINT, checkpoint_path=self._sv.save_path), current_step
      )
