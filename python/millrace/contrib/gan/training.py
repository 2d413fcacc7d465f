"""Train ops of both networks, and training in which they take turns."""

import time

import millrace as tf
from millrace.contrib.gan import namedtuples
from millrace.contrib.slim import train_ops as slim_train_ops


def gan_train_ops(
  model,
  loss,
  generator_optimizer,
  discriminator_optimizer,
  check_for_unused_update_ops=True,
  is_chief=True,
  **kwargs,
):
  """Returns the GANTrainOps of a model (of two pairs for a CycleGANModel): each optimizer trains its network alone.

  Update ops are those whose names begin with the networks' scopes. Raises ValueError if there are others, if
  `check_for_unused_update_ops`. Keyword arguments are those of tf.contrib.training.create_train_op.
  """
  if isinstance(model, namedtuples.CycleGANModel):
    return _cyclegan_train_ops(
      model, loss, generator_optimizer, discriminator_optimizer, check_for_unused_update_ops, is_chief, kwargs
    )
  step = tf.train.get_or_create_global_step()
  step_increased = step.assign_add(1)
  generator_updates, discriminator_updates = _update_ops(model, kwargs, check_for_unused_update_ops)
  hooks = []

  def train_op(network, optimizer, total_loss, variables, update_ops):
    own_step = None
    if isinstance(optimizer, tf.train.SyncReplicasOptimizer):
      # Such an optimizer counts its own steps, so that both do not count the global one.
      own_step = tf.get_variable(
        f"dummy_global_step_{network}",
        shape=[],
        dtype=step.dtype.base_dtype,
        initializer=tf.zeros_initializer(),
        trainable=False,
        collections=[tf.GraphKeys.GLOBAL_VARIABLES],
      )
      hooks.append(optimizer.make_session_run_hook(is_chief))
    with tf.name_scope(f"{network}_train"):
      return slim_train_ops.create_transformed_train_op(
        total_loss=total_loss,
        optimizer=optimizer,
        variables_to_train=variables,
        global_step=own_step,
        update_ops=update_ops,
        **kwargs,
      )

  generator_op = train_op("generator", generator_optimizer, loss.generator_loss, model.generator_variables, generator_updates)
  discriminator_op = train_op(
    "discriminator",
    discriminator_optimizer,
    loss.discriminator_loss,
    model.discriminator_variables,
    discriminator_updates,
  )
  return namedtuples.GANTrainOps(generator_op, discriminator_op, step_increased, hooks)


def _cyclegan_train_ops(model, loss, generator_optimizer, discriminator_optimizer, check, is_chief, kwargs):
  update_ops = kwargs.pop("update_ops", None)
  made = []
  for name, one, its_loss in (("x2y", model.model_x2y, loss.loss_x2y), ("y2x", model.model_y2x, loss.loss_y2x)):
    given = {} if update_ops is None else {"update_ops": _below(update_ops, one)}
    with tf.name_scope(f"cyclegan_{name}_train"):
      made.append(gan_train_ops(one, its_loss, generator_optimizer, discriminator_optimizer, False, is_chief, **given, **kwargs))
  del check
  first, second = made
  return namedtuples.GANTrainOps(
    (first.generator_train_op, second.generator_train_op),
    (first.discriminator_train_op, second.discriminator_train_op),
    tf.train.get_or_create_global_step().assign_add(1),
    list(first.train_hooks) + list(second.train_hooks),
  )


def _below(update_ops, model):
  allowed = set(_updates_of(model.generator_scope)) | set(_updates_of(model.discriminator_scope))
  return [op for op in update_ops if op in allowed]


def _updates_of(scope):
  """The graph's update ops whose names begin with that of a scope: its own, and of the passes after the first (`scope_1/`)."""
  return tf.get_collection(tf.GraphKeys.UPDATE_OPS, scope.name)


def _update_ops(model, kwargs, check):
  """The update ops of both networks, of `update_ops` or the graph's."""
  given = kwargs.pop("update_ops", None)
  every = set(tf.get_collection(tf.GraphKeys.UPDATE_OPS) if given is None else given)
  generator, discriminator = (
    [op for op in dict.fromkeys(_updates_of(scope)) if op in every]
    for scope in (model.generator_scope, model.discriminator_scope)
  )
  if check:
    unused = sorted(op.name for op in every - set(generator) - set(discriminator))
    if unused:
      raise ValueError(f"There are unused update ops: {unused}")
  return generator, discriminator


class RunTrainOpsHook(tf.train.SessionRunHook):
  """Runs ops a number of times before each run of a session."""

  def __init__(self, train_ops, train_steps):
    self._train_ops = train_ops if isinstance(train_ops, (list, tuple)) else [train_ops]
    self._train_steps = train_steps

  def before_run(self, run_context):
    for _ in range(self._train_steps):
      run_context.session.run(self._train_ops)


def get_sequential_train_hooks(train_steps=namedtuples.GANTrainSteps(1, 1)):
  """Returns a function of GANTrainOps that returns hooks: the generator's steps, then the discriminator's."""

  def get_hooks(train_ops):
    return [
      RunTrainOpsHook(train_ops.generator_train_op, train_steps.generator_train_steps),
      RunTrainOpsHook(train_ops.discriminator_train_op, train_steps.discriminator_train_steps),
    ]

  return get_hooks


def get_joint_train_hooks(train_steps=namedtuples.GANTrainSteps(1, 1)):
  """As get_sequential_train_hooks; steps of both networks run together, those that one has more run alone."""
  generator_steps, discriminator_steps = train_steps
  joint = min(generator_steps, discriminator_steps)

  def get_hooks(train_ops):
    return [
      RunTrainOpsHook([train_ops.generator_train_op, train_ops.discriminator_train_op], joint),
      RunTrainOpsHook(train_ops.generator_train_op, generator_steps - joint),
      RunTrainOpsHook(train_ops.discriminator_train_op, discriminator_steps - joint),
    ]

  return get_hooks


def get_sequential_train_steps(train_steps=namedtuples.GANTrainSteps(1, 1)):
  """Returns a function for the argument `train_step_fn` of slim.learning.train, whose train op is GANTrainOps."""

  def sequential_train_steps(sess, train_ops, global_step, train_step_kwargs):
    """Runs the steps of both networks and counts one; returns the sum of the losses and whether to stop."""
    start = time.time()
    generator_loss = discriminator_loss = 0
    for _ in range(train_steps.generator_train_steps):
      generator_loss = sess.run(train_ops.generator_train_op)
    for _ in range(train_steps.discriminator_train_steps):
      discriminator_loss = sess.run(train_ops.discriminator_train_op)
    sess.run(train_ops.global_step_inc_op)
    step = sess.run(global_step)
    if "should_log" in train_step_kwargs and sess.run(train_step_kwargs["should_log"]):
      tf.logging.info(
        "global step %d: generator loss = %.4f, discriminator loss = %.4f (%.3f sec/step)",
        step,
        generator_loss,
        discriminator_loss,
        time.time() - start,
      )
    should_stop = sess.run(train_step_kwargs["should_stop"]) if "should_stop" in train_step_kwargs else False
    return generator_loss + discriminator_loss, should_stop

  return sequential_train_steps


def gan_train(
  train_ops,
  logdir,
  get_hooks_fn=get_sequential_train_hooks(),
  master="",
  is_chief=True,
  scaffold=None,
  hooks=None,
  chief_only_hooks=None,
  save_checkpoint_secs=600,
  save_summaries_steps=100,
  config=None,
):
  """Trains until a hook ends it, in a MonitoredTrainingSession; returns the last global step.

  Each step runs what the hooks of `get_hooks_fn(train_ops)` run, then counts. Raises ValueError if something is to be saved and
  `logdir` is None.
  """
  if logdir is None and is_chief:
    if save_summaries_steps:
      raise ValueError("logdir cannot be None when save_summaries_steps is not None")
    if save_checkpoint_secs:
      raise ValueError("logdir cannot be None when save_checkpoint_secs is not None")
  every_hook = list(hooks or []) + list(get_hooks_fn(train_ops)) + list(train_ops.train_hooks)
  step = None
  with tf.train.MonitoredTrainingSession(
    master=master,
    is_chief=is_chief,
    checkpoint_dir=logdir,
    scaffold=scaffold,
    hooks=every_hook,
    chief_only_hooks=chief_only_hooks,
    save_checkpoint_secs=save_checkpoint_secs,
    save_summaries_steps=save_summaries_steps,
    config=config,
  ) as session:
    while not session.should_stop():
      step = session.run(train_ops.global_step_inc_op)
  return step
