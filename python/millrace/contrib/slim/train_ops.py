"""The op of a training step that gives the loss as its value."""

import millrace as tf
from millrace.contrib.slim import gradients

# What `global_step` is if it was not given, since None means that there is none.
_USE_GLOBAL_STEP = 0


def create_train_op(
  total_loss,
  optimizer,
  global_step=_USE_GLOBAL_STEP,
  update_ops=None,
  variables_to_train=None,
  clip_gradient_norm=0,
  summarize_gradients=False,
  gate_gradients=tf.train.Optimizer.GATE_OP,
  aggregation_method=None,
  colocate_gradients_with_ops=False,
  gradient_multipliers=None,
  check_numerics=True,
):
  """Returns a tensor: the loss, after the gradients were applied.

  `update_ops` run before the loss is there; None are those of the collection UPDATE_OPS. `variables_to_train` None are all trainable
  ones. Gradients are multiplied (`gradient_multipliers`, by variable or name), then clipped to `clip_gradient_norm` unless that is 0.
  `global_step` None counts nothing. With `check_numerics`, a loss that is infinite or no number is an error.
  """

  def transform(grads_and_vars):
    if gradient_multipliers:
      with tf.name_scope("multiply_grads"):
        grads_and_vars = gradients.multiply_gradients(grads_and_vars, gradient_multipliers)
    if clip_gradient_norm > 0:
      with tf.name_scope("clip_grads"):
        grads_and_vars = gradients.clip_gradient_norms(grads_and_vars, clip_gradient_norm)
    return grads_and_vars

  return create_transformed_train_op(
    total_loss,
    optimizer,
    global_step=global_step,
    update_ops=update_ops,
    variables_to_train=variables_to_train,
    transform_grads_fn=transform,
    summarize_gradients=summarize_gradients,
    gate_gradients=gate_gradients,
    aggregation_method=aggregation_method,
    colocate_gradients_with_ops=colocate_gradients_with_ops,
    check_numerics=check_numerics,
  )


def create_transformed_train_op(
  total_loss,
  optimizer,
  global_step=_USE_GLOBAL_STEP,
  update_ops=None,
  variables_to_train=None,
  transform_grads_fn=None,
  summarize_gradients=False,
  gate_gradients=tf.train.Optimizer.GATE_OP,
  aggregation_method=None,
  colocate_gradients_with_ops=False,
  check_numerics=True,
):
  """As create_train_op, with a function that changes the list of gradients and variables."""
  if global_step is _USE_GLOBAL_STEP:
    global_step = tf.train.get_or_create_global_step()
  total_loss = _after_updates(total_loss, update_ops)
  grads = optimizer.compute_gradients(
    total_loss,
    _trained(variables_to_train),
    gate_gradients=gate_gradients,
    aggregation_method=aggregation_method,
    colocate_gradients_with_ops=colocate_gradients_with_ops,
  )
  if transform_grads_fn:
    grads = transform_grads_fn(grads)
  if summarize_gradients:
    with tf.name_scope("summarize_grads"):
      gradients.add_joined_gradients_summaries(grads)
  grad_updates = optimizer.apply_gradients(grads, global_step=global_step)
  with tf.name_scope("train_op"):
    if check_numerics:
      total_loss = tf.check_numerics(total_loss, "LossTensor is inf or nan")
    with tf.control_dependencies([grad_updates]):
      train_op = tf.identity(total_loss, name="control_dependency")
  train_ops = tf.get_collection_ref(tf.GraphKeys.TRAIN_OP)
  if train_op not in train_ops:
    train_ops.append(train_op)
  return train_op


def _after_updates(total_loss, update_ops):
  """The loss with the updates before it, if there are any."""
  collected = set(tf.get_collection(tf.GraphKeys.UPDATE_OPS))
  update_ops = collected if update_ops is None else set(update_ops)
  if not collected.issubset(update_ops):
    tf.logging.warning("update_ops in create_train_op does not contain all the update_ops in GraphKeys.UPDATE_OPS")
  if not update_ops:
    return total_loss
  with tf.control_dependencies(sorted(update_ops, key=lambda op: op.name)):
    barrier = tf.no_op(name="update_barrier")
  with tf.control_dependencies([barrier]):
    return tf.identity(total_loss, name="control_dependency")


def _trained(variables_to_train):
  """The variables to train; those that were given have to be trainable."""
  if variables_to_train is None:
    return tf.trainable_variables()
  trainable = tf.trainable_variables()
  for variable in variables_to_train:
    assert variable in trainable
  return variables_to_train
