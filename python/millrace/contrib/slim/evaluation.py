"""slim.evaluation: evaluates checkpoints, once or whenever there is a new one."""

import millrace as tf
from millrace.contrib.slim import evaluation_steps
from millrace.estimator import evaluation

# What `summary_op` is if it was not given, since None means that there is none.
_USE_DEFAULT = 0


def wait_for_new_checkpoint(checkpoint_dir, last_checkpoint=None, seconds_to_sleep=1, timeout=None):
  """Waits for a checkpoint other than `last_checkpoint`; returns its path, or None after `timeout` seconds."""
  from millrace.train.saver import checkpoint_state

  return checkpoint_state.wait_for_new_checkpoint(checkpoint_dir, last_checkpoint, seconds_to_sleep, timeout)


def checkpoints_iterator(checkpoint_dir, min_interval_secs=0, timeout=None, timeout_fn=None):
  """Yields the path of the newest checkpoint whenever there is another one.

  Between two it waits `min_interval_secs` at least. After `timeout` seconds without one it ends, or if `timeout_fn()` is false it goes on.
  """
  return tf.train.checkpoints_iterator(checkpoint_dir, min_interval_secs, timeout, timeout_fn)


def evaluate_once(
  master,
  checkpoint_path,
  logdir,
  num_evals=1,
  initial_op=None,
  initial_op_feed_dict=None,
  eval_op=None,
  eval_op_feed_dict=None,
  final_op=None,
  final_op_feed_dict=None,
  summary_op=_USE_DEFAULT,
  summary_op_feed_dict=None,
  variables_to_restore=None,
  session_config=None,
  hooks=None,
):
  """Evaluates one checkpoint and returns the value of `final_op`, or None without one.

  `initial_op` runs once, `eval_op` `num_evals` times, `final_op` at the end. Summaries are written to `logdir` at the step of the checkpoint.
  `variables_to_restore` are by default all that slim would restore. Hooks are called in each of the `num_evals` runs.
  """
  summary_op = tf.summary.merge_all() if summary_op == _USE_DEFAULT else summary_op
  all_hooks = _hooks(num_evals, logdir, summary_op, summary_op_feed_dict, hooks)
  saver = _saver(variables_to_restore)
  return evaluation.evaluate_once(
    checkpoint_path,
    master=master,
    scaffold=tf.train.Scaffold(init_op=initial_op, init_feed_dict=initial_op_feed_dict, saver=saver),
    eval_ops=eval_op,
    feed_dict=eval_op_feed_dict,
    final_ops=final_op,
    final_ops_feed_dict=final_op_feed_dict,
    hooks=all_hooks,
    config=session_config,
  )


def evaluation_loop(
  master,
  checkpoint_dir,
  logdir,
  num_evals=1,
  initial_op=None,
  initial_op_feed_dict=None,
  init_fn=None,
  eval_op=None,
  eval_op_feed_dict=None,
  final_op=None,
  final_op_feed_dict=None,
  summary_op=_USE_DEFAULT,
  summary_op_feed_dict=None,
  variables_to_restore=None,
  eval_interval_secs=60,
  max_number_of_evaluations=None,
  session_config=None,
  timeout=None,
  timeout_fn=None,
  hooks=None,
):
  """Evaluates, as evaluate_once, each new checkpoint of a folder, every `eval_interval_secs` seconds at most; returns the last value of `final_op`.

  It ends after `max_number_of_evaluations`, or after `timeout` seconds without a checkpoint unless `timeout_fn()` is false.
  `init_fn(scaffold, session)` runs after `initial_op`.
  """
  summary_op = tf.summary.merge_all() if summary_op == _USE_DEFAULT else summary_op
  all_hooks = _hooks(num_evals, logdir, summary_op, summary_op_feed_dict, hooks)
  saver = _saver(variables_to_restore)
  return evaluation_steps.evaluate_repeatedly(
    checkpoint_dir,
    master=master,
    scaffold=tf.train.Scaffold(init_op=initial_op, init_feed_dict=initial_op_feed_dict, init_fn=init_fn, saver=saver),
    eval_ops=eval_op,
    feed_dict=eval_op_feed_dict,
    final_ops=final_op,
    final_ops_feed_dict=final_op_feed_dict,
    eval_interval_secs=eval_interval_secs,
    hooks=all_hooks,
    config=session_config,
    max_number_of_evaluations=max_number_of_evaluations,
    timeout=timeout,
    timeout_fn=timeout_fn,
  )


def _hooks(num_evals, logdir, summary_op, summary_op_feed_dict, hooks):
  made = [evaluation.StopAfterNEvalsHook(num_evals)]
  if summary_op is not None:
    made.append(evaluation_steps.SummaryAtEndHook(log_dir=logdir, summary_op=summary_op, feed_dict=summary_op_feed_dict))
  return made + list(hooks or [])


def _saver(variables_to_restore):
  return None if variables_to_restore is None else tf.train.Saver(variables_to_restore)
