"""Runs of graphs: with a checkpoint, with feeds, as a training, as an evaluation."""

import itertools

import millrace as tf
from millrace.contrib.learn.monitors import adapters
from millrace.estimator import evaluation as evaluation_lib


def get_summary_writer(logdir):
  """The writer of a folder."""
  return tf.summary.FileWriterCache.get(logdir)


class _Task:
  """Stands for an estimator where monitors ask for one."""

  def __init__(self, model_dir, is_chief):
    self.model_dir = model_dir
    self.config = self
    self.is_chief = is_chief
    self.task_id = 0


def train(
  graph,
  output_dir,
  train_op,
  loss_op,
  global_step_tensor=None,
  init_op=None,
  init_feed_dict=None,
  init_fn=None,
  log_every_steps=10,
  supervisor_is_chief=True,
  supervisor_master="",
  supervisor_save_model_secs=600,
  keep_checkpoint_max=5,
  supervisor_save_summaries_steps=100,
  feed_fn=None,
  steps=None,
  fail_on_nan_loss=True,
  monitors=None,
  max_steps=None,
):
  """Trains a graph for `steps` steps more, to the step `max_steps`, or until the input ends; returns the last loss.

  Raises ValueError for both numbers, and without a folder, ops or a global step.
  """
  if not output_dir:
    raise ValueError(f"Output directory should be non-empty {output_dir}.")
  if train_op is None:
    raise ValueError("Missing train_op.")
  if loss_op is None:
    raise ValueError("Missing loss_op.")
  if steps is not None and max_steps is not None:
    raise ValueError("Can not provide both steps and max_steps.")
  with graph.as_default():
    step = global_step_tensor if global_step_tensor is not None else tf.train.get_global_step(graph)
    if step is None:
      raise ValueError('No "global_step" was provided or created.')
    scaffold = tf.train.Scaffold(
      init_op=init_op,
      init_feed_dict=init_feed_dict,
      init_fn=None if init_fn is None else lambda _, session: init_fn(session),
      saver=tf.train.Saver(sharded=True, max_to_keep=keep_checkpoint_max, defer_build=True, save_relative_paths=True),
    )
    hooks = adapters.replace_monitors_with_hooks(monitors, _Task(output_dir, supervisor_is_chief))
    hooks.append(tf.train.NanTensorHook(loss_op, fail_on_nan_loss=fail_on_nan_loss))
    if log_every_steps:
      hooks.append(tf.train.LoggingTensorHook({"loss": loss_op, "step": step}, every_n_iter=log_every_steps))
    if steps is not None or max_steps is not None:
      hooks.append(tf.train.StopAtStepHook(steps, max_steps))
    if feed_fn is not None:
      hooks.append(tf.train.FeedFnHook(feed_fn))
    loss = None
    with tf.train.MonitoredTrainingSession(
      master=supervisor_master,
      is_chief=supervisor_is_chief,
      checkpoint_dir=output_dir,
      scaffold=scaffold,
      hooks=hooks,
      save_checkpoint_secs=supervisor_save_model_secs,
      save_summaries_steps=supervisor_save_summaries_steps,
    ) as session:
      while not session.should_stop():
        _, loss = session.run([train_op, loss_op])
    return loss


def evaluate(
  graph,
  output_dir,
  checkpoint_path,
  eval_dict,
  update_op=None,
  global_step_tensor=None,
  supervisor_master="",
  log_every_steps=10,
  feed_fn=None,
  max_steps=None,
):
  """Runs `update_op` on a checkpoint until the input ends or `max_steps` times; returns the values of a map and the global step.

  The values are also written as summaries into `output_dir`.
  """
  from millrace.estimator import result_summaries

  with graph.as_default():
    step = global_step_tensor if global_step_tensor is not None else tf.train.get_or_create_global_step(graph)
    hooks = [] if feed_fn is None else [tf.train.FeedFnHook(feed_fn)]
    if max_steps is not None:
      hooks.append(evaluation_lib.StopAfterNEvalsHook(max_steps, log_progress=bool(log_every_steps)))
    if update_op is None and max_steps is not None:
      update_op = tf.group(*eval_dict.values())
    results = evaluation_lib.evaluate_once(
      checkpoint_path=checkpoint_path,
      master=supervisor_master,
      eval_ops=update_op,
      final_ops={"values": eval_dict, "step": step},
      final_ops_feed_dict=feed_fn() if feed_fn is not None and update_op is None else None,
      hooks=hooks,
    )
    found, reached = results["values"], int(results["step"])
    if output_dir:
      result_summaries.write(output_dir, found, reached)
    return found, reached


def _session(restore_checkpoint_path):
  """A session of the default graph whose variables are initialized or restored, with its coordinator."""
  session = tf.Session()
  if restore_checkpoint_path:
    tf.train.Saver().restore(session, restore_checkpoint_path)
  else:
    session.run(tf.global_variables_initializer())
  session.run([tf.local_variables_initializer(), tf.tables_initializer()])
  return session


def run_feeds_iter(output_dict, feed_dicts, restore_checkpoint_path=None):
  """Yields the values of a map of tensors for each of the feeds. Raises ValueError without a map."""
  if not output_dict:
    raise ValueError(f"output_dict is invalid: {output_dict}.")
  graph = next(iter(output_dict.values())).graph
  with graph.as_default(), _session(restore_checkpoint_path) as session:
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator) if tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS) else []
    try:
      for feed in feed_dicts:
        yield session.run(output_dict, feed)
    finally:
      coordinator.request_stop()
      coordinator.join(threads, stop_grace_period_secs=10, ignore_live_threads=True)


def run_feeds(output_dict, feed_dicts, restore_checkpoint_path=None):
  """The list of what `run_feeds_iter` yields."""
  return list(run_feeds_iter(output_dict, feed_dicts, restore_checkpoint_path))


def run_n(output_dict, feed_dict=None, restore_checkpoint_path=None, n=1):
  """The values of a map of tensors of `n` runs with the same feeds."""
  return run_feeds(output_dict, itertools.repeat(feed_dict, n), restore_checkpoint_path)


def infer(restore_checkpoint_path, output_dict, feed_dict=None):
  """The values of a map of tensors of one run."""
  (result,) = run_n(output_dict, feed_dict, restore_checkpoint_path)
  return result
