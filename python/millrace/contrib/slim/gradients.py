"""Gradients between their computing and their applying: multiplied, clipped, summarized."""

import millrace as tf
from millrace.framework import composite


def multiply_gradients(grads_and_vars, gradient_multipliers):
  """Multiplies gradients by the factors that a dictionary has for variables or for names of their ops.

  Factors are numbers or tensors. Raises ValueError for something else than a dictionary, for an empty one, if `grads_and_vars` is no
  list, and if a variable with a factor has no gradient.
  """
  if not isinstance(grads_and_vars, list):
    raise ValueError("`grads_and_vars` must be a list.")  # noqa: TRY004 (TensorFlow's class)
  if not gradient_multipliers:
    raise ValueError("`gradient_multipliers` is empty.")
  if not isinstance(gradient_multipliers, dict):
    raise ValueError("`gradient_multipliers` must be a dict.")  # noqa: TRY004 (TensorFlow's class)
  multiplied = []
  for grad, variable in grads_and_vars:
    key = variable if variable in gradient_multipliers else variable.op.name
    if key in gradient_multipliers:
      if grad is None:
        raise ValueError("Requested multiple of `None` gradient.")
      factor = gradient_multipliers[key]
      if isinstance(grad, composite.IndexedSlices):
        factor = _as_factor(factor, grad.values)
        grad = composite.IndexedSlices(grad.values * factor, grad.indices, grad.dense_shape)
      else:
        grad = grad * _as_factor(factor, grad)
    multiplied.append((grad, variable))
  return multiplied


def _as_factor(factor, values):
  return factor if isinstance(factor, tf.Tensor) else tf.constant(factor, dtype=values.dtype)


def clip_gradient_norms(gradients_to_variables, max_norm):
  """Clips each gradient by itself to a norm of at most `max_norm`; a missing gradient stays missing."""
  clipped = []
  for grad, variable in gradients_to_variables:
    if isinstance(grad, composite.IndexedSlices):
      values = tf.clip_by_norm(grad.values, max_norm)
      grad = composite.IndexedSlices(values, grad.indices, grad.dense_shape)
    elif grad is not None:
      grad = tf.clip_by_norm(grad, max_norm)
    clipped.append((grad, variable))
  return clipped


def clip_gradient_norms_fn(max_norm):
  """Returns clip_gradient_norms of this norm, as `create_train_op(transform_grads_fn=...)` takes it."""

  def clip(grads_and_vars):
    return clip_gradient_norms(grads_and_vars, max_norm)

  return clip


def add_gradients_summaries(grads_and_vars):
  """Adds for each gradient a histogram (`VARIABLE/gradient`) and its norm (`VARIABLE/gradient_norm`); returns the summaries."""
  return summarize_gradients(grads_and_vars, "/")


def add_joined_gradients_summaries(grads_and_vars):
  """As add_gradients_summaries, with names `VARIABLE_gradient` and `VARIABLE_gradient_norm`."""
  return summarize_gradients(grads_and_vars, "_")


def summarize_gradients(grads_and_vars, separator):
  """As add_gradients_summaries; what stands between a variable's name and the word `gradient` is `separator`."""
  summaries = []
  for grad, variable in grads_and_vars:
    if grad is None:
      tf.logging.info("Var %s has no gradient", variable.op.name)
      continue
    values = grad.values if isinstance(grad, composite.IndexedSlices) else grad
    name = variable.op.name + separator + "gradient"
    summaries.append(tf.summary.histogram(name, values))
    summaries.append(tf.summary.scalar(name + "_norm", tf.global_norm([values])))
  return summaries
