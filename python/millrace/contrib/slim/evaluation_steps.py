"""Evaluations of each new checkpoint of a folder, and the hook that writes summaries at the end of one."""

import time

import millrace as tf
from millrace.estimator import evaluation


class SummaryAtEndHook(tf.train.SessionRunHook):
  """Writes summaries at the end of a session, at its global step, to `log_dir` or by `summary_writer`.

  Without `summary_op` they are all of the graph. Raises ValueError without a folder and a writer.
  """

  def __init__(self, log_dir=None, summary_writer=None, summary_op=None, feed_dict=None):
    self._summary_op = summary_op
    self._replace_summary_op = summary_op is None
    self._feed_dict = feed_dict
    self._summary_writer = summary_writer
    self._log_dir = log_dir
    if self._log_dir is None and self._summary_writer is None:
      raise ValueError("One of log_dir or summary_writer should be used.")

  def begin(self):
    if self._replace_summary_op:
      # This can still be called when the graph is finished.
      self._summary_op = tf.summary.merge_all()
    self._global_step = tf.train.get_or_create_global_step()

  def after_create_session(self, session, coord):
    if self._summary_writer is None and self._log_dir:
      self._summary_writer = tf.summary.FileWriterCache.get(self._log_dir)

  def end(self, session):
    if self._summary_op is not None:
      global_step = tf.train.global_step(session, self._global_step)
      summary = session.run(self._summary_op, self._feed_dict)
      if self._summary_writer:
        self._summary_writer.add_summary(summary, global_step)
    if self._summary_writer:
      self._summary_writer.flush()


def evaluate_repeatedly(
  checkpoint_dir,
  master="",
  scaffold=None,
  eval_ops=None,
  feed_dict=None,
  final_ops=None,
  final_ops_feed_dict=None,
  eval_interval_secs=60,
  hooks=None,
  config=None,
  max_number_of_evaluations=None,
  timeout=None,
  timeout_fn=None,
):
  """Evaluates each new checkpoint of a folder, in a new session; returns the last values of `final_ops`.

  In each, `eval_ops` run until a hook ends it. The loop ends after `max_number_of_evaluations`, or after `timeout` seconds without a
  checkpoint unless `timeout_fn()` is false.
  """
  evaluation.get_or_create_eval_step()
  hooks = list(hooks or [])
  if eval_ops is not None:
    eval_ops, completed = evaluation._with_eval_step(eval_ops)
    for hook in hooks:
      if hasattr(hook, "_set_evals_completed_tensor"):
        hook._set_evals_completed_tensor(completed)
  final_ops_hook = tf.train.FinalOpsHook(final_ops, final_ops_feed_dict)
  hooks.append(final_ops_hook)
  done = 0
  for path in tf.train.checkpoints_iterator(checkpoint_dir, eval_interval_secs, timeout, timeout_fn):
    creator = tf.train.ChiefSessionCreator(scaffold=scaffold, checkpoint_filename_with_path=path, master=master, config=config)
    with tf.train.MonitoredSession(session_creator=creator, hooks=hooks) as session:
      tf.logging.info("Starting evaluation at %s", time.strftime("%Y-%m-%d-%H:%M:%S", time.gmtime()))
      while eval_ops is not None and not session.should_stop():
        session.run(eval_ops, feed_dict)
      tf.logging.info("Finished evaluation at %s", time.strftime("%Y-%m-%d-%H:%M:%S", time.gmtime()))
    done += 1
    if max_number_of_evaluations is not None and done >= max_number_of_evaluations:
      break
  return final_ops_hook.final_ops_values
