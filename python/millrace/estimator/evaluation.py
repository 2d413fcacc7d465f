"""Evaluations: runs of a model's updates of metrics until the input or a number of steps is over, then their values."""

import time

import millrace as tf
from millrace.framework import graph as graph_lib


def get_or_create_eval_step():
  """The local variable that counts the runs of an evaluation. Raises ValueError if the graph has several."""
  found = tf.get_collection(tf.GraphKeys.EVAL_STEP)
  if len(found) == 1:
    return found[0]
  if len(found) > 1:
    raise ValueError("Multiple tensors added to tf.GraphKeys.EVAL_STEP")
  return tf.get_variable(
    tf.GraphKeys.EVAL_STEP,
    shape=[],
    dtype=tf.int64,
    initializer=tf.zeros_initializer(),
    trainable=False,
    collections=[tf.GraphKeys.LOCAL_VARIABLES, tf.GraphKeys.EVAL_STEP],
  )


class StopAfterNEvalsHook(tf.train.SessionRunHook):
  """Ends an evaluation after so many runs (None for all), and says how many there were."""

  def __init__(self, num_evals, log_progress=True):
    self._num_evals = num_evals
    self._evals_completed = None
    self._log_progress = log_progress
    # Ten lines for any number.
    self._log_frequency = 1 if num_evals is None or num_evals < 20 else num_evals // 10

  def _set_evals_completed_tensor(self, updated_eval_step):
    self._evals_completed = updated_eval_step

  def before_run(self, run_context):
    return tf.train.SessionRunArgs({"evals_completed": self._evals_completed})

  def after_run(self, run_context, run_values):
    done = run_values.results["evals_completed"]
    if self._log_progress:
      if self._num_evals is None:
        tf.logging.info("Evaluation [%d]", done)
      elif done % self._log_frequency == 0 or self._num_evals == done:
        tf.logging.info("Evaluation [%d/%d]", done, self._num_evals)
    if self._num_evals is not None and done >= self._num_evals:
      run_context.request_stop()


def step_hooks(steps):
  """The hooks that end an evaluation after so many runs. Raises ValueError if that are none."""
  if steps is None:
    return []
  if steps <= 0:
    raise ValueError(f"Must specify steps > 0, given: {steps}")
  return [StopAfterNEvalsHook(num_evals=steps)]


def _with_eval_step(eval_ops):
  """The ops together with one that counts the run, and the number of runs once all of them are over."""
  update_eval_step = tf.assign_add(get_or_create_eval_step(), 1, use_locking=True)
  if isinstance(eval_ops, dict):
    eval_ops = {**eval_ops, "update_eval_step": update_eval_step}
    updates = list(eval_ops.values())
  elif isinstance(eval_ops, (list, tuple)):
    eval_ops = updates = [*eval_ops, update_eval_step]
  else:
    eval_ops = updates = [eval_ops, update_eval_step]
  with graph_lib.control_dependencies(updates):
    return eval_ops, tf.identity(get_or_create_eval_step().read_value())


def evaluate_once(
  checkpoint_path,
  master="",
  scaffold=None,
  eval_ops=None,
  feed_dict=None,
  final_ops=None,
  final_ops_feed_dict=None,
  hooks=None,
  config=None,
):
  """Restores a checkpoint (None initializes), runs `eval_ops` until a hook or the input ends it; returns values of `final_ops`."""
  get_or_create_eval_step()
  hooks = list(hooks or [])
  if eval_ops is not None:
    eval_ops, completed = _with_eval_step(eval_ops)
    for hook in hooks:
      if hasattr(hook, "_set_evals_completed_tensor"):
        hook._set_evals_completed_tensor(completed)
  tf.logging.info("Starting evaluation at %s", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.localtime()))
  final_ops_hook = tf.train.FinalOpsHook(final_ops, final_ops_feed_dict)
  hooks.append(final_ops_hook)
  creator = tf.train.ChiefSessionCreator(
    scaffold=scaffold, checkpoint_filename_with_path=checkpoint_path, master=master, config=config
  )
  with tf.train.MonitoredSession(session_creator=creator, hooks=hooks) as session:
    if eval_ops is not None:
      while not session.should_stop():
        session.run(eval_ops, feed_dict)
  tf.logging.info("Finished evaluation at %s", time.strftime("%Y-%m-%d-%H:%M:%S", time.localtime()))
  return final_ops_hook.final_ops_values


def metric_updates(eval_metric_ops):
  """One op that updates all metrics, and a map of the names to the values."""
  values, updates = {}, []
  # In the order of the names, so that graphs are the same each time.
  for name, (value, update) in sorted(eval_metric_ops.items()):
    values[name] = value
    updates.append(update)
  return (tf.group(*updates) if updates else None), values
