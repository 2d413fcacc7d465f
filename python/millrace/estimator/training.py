"""The training of a model whose spec is there: summaries, hooks, and the loop of steps."""

import millrace as tf
from millrace.estimator.cluster_environment import TaskType


def step_hooks(steps, max_steps):
  """The hooks that end a training after so many steps, or at a step. Raises ValueError for both at once, or for none to do."""
  if steps is not None and max_steps is not None:
    raise ValueError("Can not provide both steps and max_steps.")
  if steps is not None and steps <= 0:
    raise ValueError(f"Must specify steps > 0, given: {steps}")
  if max_steps is not None and max_steps <= 0:
    raise ValueError(f"Must specify max_steps > 0, given: {max_steps}")
  return [tf.train.StopAtStepHook(steps, max_steps)] if steps is not None or max_steps is not None else []


def checked_hooks(hooks):
  """The hooks as a list. Raises TypeError for one that is none."""
  hooks = list(hooks or [])
  for hook in hooks:
    if not isinstance(hook, tf.train.SessionRunHook):
      raise TypeError(f"Hooks must be a SessionRunHook, given: {hook}")
  return hooks


def checked_listeners(listeners):
  """The listeners of savings as a list. Raises TypeError for one that is none."""
  listeners = list(listeners or [])
  for listener in listeners:
    if not isinstance(listener, tf.train.CheckpointSaverListener):
      raise TypeError(f"saving_listeners must be a list of CheckpointSaverListener, given: {listener}")
  return listeners


def train(spec, config, model_dir, session_config, worker_hooks, hooks, global_step, saving_listeners):
  """Trains the model of the default graph; returns the loss of the last step, or None if there was no step.

  `worker_hooks` are those of the input, `hooks` the caller's. Raises ValueError for listeners where nothing saves.
  """
  if not any(summary.op.name == "loss" for summary in tf.get_collection(tf.GraphKeys.SUMMARIES)):
    tf.summary.scalar("loss", spec.loss)
  tf.add_to_collection(tf.GraphKeys.LOSSES, spec.loss)
  worker_hooks = [*worker_hooks, *hooks, tf.train.NanTensorHook(spec.loss)]
  if config.log_step_count_steps is not None:
    worker_hooks.append(
      tf.train.LoggingTensorHook({"loss": spec.loss, "step": global_step}, every_n_iter=config.log_step_count_steps)
    )
  worker_hooks.extend(spec.training_hooks)
  _add_saver(spec, config)
  chief_hooks = _saving_hooks(spec, config, model_dir, worker_hooks, saving_listeners)
  save_summary_steps, log_step_count_steps = config.save_summary_steps, config.log_step_count_steps
  if _first_worker_writes(config):
    # The master evaluates between its steps, so it is the first worker that writes down what happens in each.
    save_summary_steps, log_step_count_steps = 0, None
    if config.task_type == TaskType.WORKER and config.task_id == 0:
      worker_hooks.extend(_summary_hooks(spec, config, model_dir))
  session = tf.train.MonitoredTrainingSession(
    master=config.master,
    is_chief=config.is_chief,
    checkpoint_dir=model_dir,
    scaffold=spec.scaffold,
    hooks=worker_hooks,
    chief_only_hooks=[*chief_hooks, *spec.training_chief_hooks],
    save_checkpoint_secs=0,  # which is done by a hook above
    save_summaries_steps=save_summary_steps,
    config=session_config,
    max_wait_secs=config.session_creation_timeout_secs,
    log_step_count_steps=log_step_count_steps,
  )
  loss = None
  any_step_done = False
  with session:
    while not session.should_stop():
      _, loss = session.run([spec.train_op, spec.loss])
      any_step_done = True
  if not any_step_done:
    tf.logging.warning("Training with estimator made no steps. Perhaps input is empty or misspecified.")
  return loss


def _add_saver(spec, config):
  """Where the model brings no saver, one that keeps as many checkpoints as the configuration says."""
  if spec.scaffold.saver or tf.get_collection(tf.GraphKeys.SAVERS):
    return
  saver = tf.train.Saver(
    sharded=True,
    max_to_keep=config.keep_checkpoint_max,
    keep_checkpoint_every_n_hours=config.keep_checkpoint_every_n_hours,
    defer_build=True,
    save_relative_paths=True,
  )
  tf.add_to_collection(tf.GraphKeys.SAVERS, saver)


def _saving_hooks(spec, config, model_dir, worker_hooks, saving_listeners):
  """The hook that saves, if there is none already; listeners are added to it or to the one that is there."""
  made = []
  saving = [hook for hook in (*worker_hooks, *spec.training_chief_hooks) if isinstance(hook, tf.train.CheckpointSaverHook)]
  if (config.save_checkpoints_secs or config.save_checkpoints_steps) and not saving:
    made = [
      tf.train.CheckpointSaverHook(
        model_dir,
        save_secs=config.save_checkpoints_secs,
        save_steps=config.save_checkpoints_steps,
        scaffold=spec.scaffold,
      )
    ]
    saving = made
  if saving_listeners:
    if not saving:
      raise ValueError(
        "There should be a CheckpointSaverHook to use saving_listeners. Please set one of the RunConfig.save_checkpoints_steps "
        "or RunConfig.save_checkpoints_secs."
      )
    # One of them is enough.
    listeners = saving[0]._listeners
    listeners.extend(listener for listener in saving_listeners if listener not in listeners)
  return made


def _first_worker_writes(config):
  jobs = config.cluster_spec.jobs
  return TaskType.MASTER in jobs and TaskType.WORKER in jobs


def _summary_hooks(spec, config, model_dir):
  hooks = []
  # The master has a file of its own there, which may have been begun in the same second.
  writer = tf.summary.FileWriter(model_dir, graph=tf.get_default_graph(), filename_suffix=".worker_0")
  if config.save_summary_steps and config.save_summary_steps > 0:
    hooks.append(tf.train.SummarySaverHook(scaffold=spec.scaffold, save_steps=config.save_summary_steps, summary_writer=writer))
  if config.log_step_count_steps and config.log_step_count_steps > 0:
    hooks.append(tf.train.StepCounterHook(summary_writer=writer, every_n_steps=config.log_step_count_steps))
  return hooks
