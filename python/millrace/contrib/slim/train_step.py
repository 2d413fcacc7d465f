"""One step of slim.learning.train, and the tensors that say what else it has to do."""

import os
import time

import millrace as tf


def train_step(sess, train_op, global_step, train_step_kwargs):
  """Runs one step and returns (loss, whether the training has to stop).

  `train_step_kwargs` may have boolean tensors "should_stop", "should_log" and "should_trace"; a trace is a file in its "logdir" and, with
  a "summary_writer", an event.
  """
  start = time.time()
  options = metadata = None
  if "should_trace" in train_step_kwargs:
    if "logdir" not in train_step_kwargs:
      raise ValueError("logdir must be present in train_step_kwargs when should_trace is present")
    if sess.run(train_step_kwargs["should_trace"]):
      options, metadata = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), tf.RunMetadata()
  total_loss, step = sess.run([train_op, global_step], options=options, run_metadata=metadata)
  elapsed = time.time() - start
  if metadata is not None:
    _write_trace(metadata, step, train_step_kwargs)
  if "should_log" in train_step_kwargs and sess.run(train_step_kwargs["should_log"]):
    tf.logging.info("global step %d: loss = %.4f (%.3f sec/step)", step, total_loss, elapsed)
  should_stop = sess.run(train_step_kwargs["should_stop"]) if "should_stop" in train_step_kwargs else False
  return total_loss, should_stop


def _write_trace(metadata, step, train_step_kwargs):
  from millrace.client import timeline

  path = os.path.join(train_step_kwargs["logdir"], f"tf_trace-{step}.json")
  tf.logging.info("Writing trace to %s", path)
  with tf.gfile.Open(path, "w") as file:
    file.write(timeline.Timeline(metadata.step_stats).generate_chrome_trace_format())
  if train_step_kwargs.get("summary_writer") is not None:
    train_step_kwargs["summary_writer"].add_run_metadata(metadata, f"run_metadata-{step}")


def step_kwargs(global_step, number_of_steps, log_every_n_steps, trace_every_n_steps, logdir):
  """Makes the tensors that train_step looks at."""

  def every(steps):
    return tf.equal(tf.mod(global_step, steps, name="mod"), 0)

  made = {}
  with tf.name_scope("train_step"):
    if number_of_steps:
      made["should_stop"] = tf.greater_equal(global_step, number_of_steps)
    if log_every_n_steps > 0:
      made["should_log"] = every(log_every_n_steps)
    if trace_every_n_steps is not None:
      made["should_trace"] = every(trace_every_n_steps)
      made["logdir"] = logdir
  return made
