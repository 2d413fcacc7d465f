"""optimize_loss: the whole step of a training as one function."""

import millrace as tf
from millrace.contrib.framework import shape_checks
from millrace.framework import composite
from millrace.framework import graph as ops
from millrace.framework.graph import GraphKeys

OPTIMIZER_CLS_NAMES = {
  "Adagrad": tf.train.AdagradOptimizer,
  "Adam": tf.train.AdamOptimizer,
  "Ftrl": tf.train.FtrlOptimizer,
  "Momentum": lambda learning_rate: tf.train.MomentumOptimizer(learning_rate, momentum=0.9),
  "RMSProp": tf.train.RMSPropOptimizer,
  "SGD": tf.train.GradientDescentOptimizer,
}

OPTIMIZER_SUMMARIES = ["learning_rate", "loss", "gradients", "gradient_norm", "global_gradient_norm"]


def optimize_loss(
  loss,
  global_step,
  learning_rate,
  optimizer,
  gradient_noise_scale=None,
  gradient_multipliers=None,
  clip_gradients=None,
  learning_rate_decay_fn=None,
  update_ops=None,
  variables=None,
  name=None,
  summaries=None,
  colocate_gradients_with_ops=False,
  increment_global_step=True,
):
  """Returns the loss, which is given out when a step of training is done.

  `learning_rate` is a float, which becomes a variable, a scalar tensor, or None; learning_rate_decay_fn(rate, global_step)
  lessens it. `optimizer` is a name ("SGD", "Adam", "Adagrad", "Ftrl", "Momentum", "RMSProp"), a class, an object, or a function
  of the rate. `gradient_noise_scale` adds noise of that size, `gradient_multipliers` is a dictionary from variables or their
  names to factors, `clip_gradients` a global norm or a function of pairs (gradient, variable). `update_ops`, those of UPDATE_OPS
  by default, run before the loss. `variables` are those that are trained, by default all that can be. `summaries` is a list of
  OPTIMIZER_SUMMARIES. `global_step` is by default that of the graph, and is counted if `increment_global_step`.

  Raises ValueError for unknown optimizers, summaries and kinds of rates and clipping.
  """
  loss = tf.convert_to_tensor(loss)
  shape_checks.assert_scalar(loss)
  if global_step is None:
    global_step = tf.train.get_global_step()
  else:
    tf.train.assert_global_step(global_step)
  with tf.variable_scope(name, "OptimizeLoss", [loss, global_step]):
    if update_ops is None:
      update_ops = list(dict.fromkeys(ops.get_collection(GraphKeys.UPDATE_OPS)))
    if update_ops:
      loss = _after(update_ops, loss)
    rate = _learning_rate(learning_rate)
    summaries = _checked_summaries(summaries)
    if rate is not None and learning_rate_decay_fn is not None:
      if global_step is None:
        raise ValueError("global_step is required for learning_rate_decay_fn.")
      rate = learning_rate_decay_fn(rate, global_step)
      if "learning_rate" in summaries:
        tf.summary.scalar("learning_rate", rate)
    made = _optimizer(optimizer, rate)
    if variables is None:
      variables = tf.trainable_variables()
    gradients = made.compute_gradients(loss, variables, colocate_gradients_with_ops=colocate_gradients_with_ops)
    if gradient_noise_scale is not None:
      gradients = _with_noise(gradients, gradient_noise_scale)
    if gradient_multipliers is not None:
      gradients = _multiplied(gradients, gradient_multipliers)
      if not gradients:
        raise ValueError(
          "Empty list of (gradient, var) pairs encountered. This is most likely to be caused by an improper value of "
          "gradient_multipliers."
        )
    with_norm = "global_gradient_norm" in summaries or "gradient_norm" in summaries
    if with_norm:
      tf.summary.scalar("global_norm/gradient_norm", tf.global_norm([g for g, _ in gradients]))
    gradients = _clipped(gradients, clip_gradients)
    _summarize(loss, gradients, summaries)
    if clip_gradients is not None and with_norm:
      tf.summary.scalar("global_norm/clipped_gradient_norm", tf.global_norm([g for g, _ in gradients]))
    step = global_step if increment_global_step else None
    return _after([made.apply_gradients(gradients, global_step=step, name="train")], loss)


def _after(dependencies, tensor):
  from millrace.ops.control_flow import control_flow_ops

  return control_flow_ops.with_dependencies(dependencies, tensor)


def _learning_rate(learning_rate):
  """Returns the rate as a tensor or variable, None for None."""
  if learning_rate is None:
    return None
  if isinstance(learning_rate, tf.Tensor) and learning_rate.get_shape().ndims == 0:
    return learning_rate
  if not isinstance(learning_rate, float):
    raise ValueError(f"Learning rate should be 0d Tensor or float. Got {learning_rate} of type {type(learning_rate)}")
  if learning_rate < 0.0:
    raise ValueError(f"Invalid learning_rate {learning_rate}.")
  return tf.get_variable("learning_rate", [], trainable=False, initializer=tf.constant_initializer(learning_rate))


def _checked_summaries(summaries):
  if summaries is None:
    return ["loss", "learning_rate", "global_gradient_norm"]
  for summary in summaries:
    if summary not in OPTIMIZER_SUMMARIES:
      raise ValueError(f"Summaries should be one of [{', '.join(OPTIMIZER_SUMMARIES)}], you provided {summary}.")
  return summaries


def _optimizer(optimizer, rate):
  """Returns the optimizer of a name, a class, a function or itself."""
  if isinstance(optimizer, str):
    if rate is None:
      raise ValueError(f"Learning rate is None, but should be specified if optimizer is string ({optimizer}).")
    if optimizer not in OPTIMIZER_CLS_NAMES:
      raise ValueError(f"Optimizer name should be one of [{', '.join(OPTIMIZER_CLS_NAMES)}], you provided {optimizer}.")
    return OPTIMIZER_CLS_NAMES[optimizer](learning_rate=rate)
  if isinstance(optimizer, type) and issubclass(optimizer, tf.train.Optimizer):
    if rate is None:
      raise ValueError(f"Learning rate is None, but should be specified if optimizer is class ({optimizer}).")
    return optimizer(learning_rate=rate)
  if isinstance(optimizer, tf.train.Optimizer):
    return optimizer
  if not callable(optimizer):
    raise ValueError(
      "Unrecognized optimizer: should be string, subclass of Optimizer, instance of subclass of Optimizer or function with one "
      f"argument. Got {optimizer}."
    )
  made = optimizer(rate) if rate is not None else optimizer()
  if not isinstance(made, tf.train.Optimizer):
    raise ValueError(f"Unrecognized optimizer: function should return subclass of Optimizer. Got {made}.")
  return made


def _with_values(gradient, values):
  if isinstance(gradient, composite.IndexedSlices):
    return composite.IndexedSlices(values, gradient.indices, gradient.dense_shape)
  return values


def _values(gradient):
  return gradient.values if isinstance(gradient, composite.IndexedSlices) else gradient


def _with_noise(gradients, scale):
  found = []
  for gradient, variable in gradients:
    if gradient is not None:
      shape = gradient.dense_shape if isinstance(gradient, composite.IndexedSlices) else gradient.get_shape()
      gradient = gradient + tf.truncated_normal(shape) * scale
    found.append((gradient, variable))
  return found


def _multiplied(gradients, multipliers):
  found = []
  for gradient, variable in gradients:
    keys = [variable] if any(variable is key for key in multipliers) else [variable.name]
    factor = next((value for key, value in multipliers.items() if key is keys[0] or key == variable.name), None)
    if gradient is not None and factor is not None:
      gradient = _with_values(gradient, _values(gradient) * tf.cast(factor, gradient.dtype))
    found.append((gradient, variable))
  return found


def _clipped(gradients, clip_gradients):
  if clip_gradients is None:
    return gradients
  if isinstance(clip_gradients, float):
    clipped, _ = tf.clip_by_global_norm([g for g, _ in gradients], clip_gradients)
    return list(zip(clipped, [v for _, v in gradients]))
  if callable(clip_gradients):
    return clip_gradients(gradients)
  raise ValueError(f"Unknown type {type(clip_gradients)} for clip_gradients")


def _summarize(loss, gradients, summaries):
  if "loss" in summaries:
    tf.summary.scalar("loss", loss)
  for gradient, variable in gradients:
    values = _values(gradient)
    if values is not None:
      name = variable.name.replace(":", "_")
      if "gradients" in summaries:
        tf.summary.histogram(f"gradients/{name}", values)
      if "gradient_norm" in summaries:
        tf.summary.scalar(f"gradient_norm/{name}", tf.global_norm([values]))


def adaptive_clipping_fn(
  std_factor=2.0, decay=0.95, static_max_norm=None, global_step=None, report_summary=False, epsilon=1e-8, name=None
):
  """Returns a function of pairs (gradient, variable) that bounds their global norm by what it has been so far.

  The bound is exp(mean + std_factor * deviation) of the logarithms of norms, whose moving averages have the momentum `decay`,
  less at the first steps where `global_step` is given. What is beyond it becomes exp(mean), and never more than
  `static_max_norm`. `report_summary` makes a summary of the bound.
  """

  def clip(grads_and_vars):
    gradients = [gradient for gradient, _ in grads_and_vars]
    norm = tf.global_norm(gradients)
    bound, log_mean = _bound(norm, std_factor, decay, global_step, epsilon, name)
    if report_summary:
      tf.summary.scalar("global_norm/adaptive_max_gradient_norm", bound)
    factor = tf.where(norm < bound, tf.ones_like(norm), tf.exp(log_mean) / norm)
    if static_max_norm is not None:
      factor = tf.minimum(static_max_norm / norm, factor)
    return [
      (None if gradient is None else _with_values(gradient, _values(gradient) * factor), variable)
      for gradient, variable in grads_and_vars
    ]

  return clip


def _bound(norm, std_factor, decay, global_step, epsilon, name):
  """Returns (greatest norm, mean of the logarithms of norms)."""
  from millrace.train import moving_averages

  with tf.variable_scope(name, "AdaptiveMaxNorm", [norm]):
    log_norm = tf.log(norm + epsilon)
    if global_step is not None:
      n = tf.cast(global_step, tf.float32)
      decay = tf.minimum(decay, n / (n + 1.0))

    def average(name, value):
      variable = tf.get_variable(
        name, shape=value.get_shape(), dtype=value.dtype, initializer=tf.zeros_initializer(), trainable=False
      )
      return moving_averages.assign_moving_average(variable, value, decay, zero_debias=False)

    mean = average("mean", log_norm)
    square_mean = average("sq_mean", tf.square(log_norm))
    deviation = tf.sqrt(tf.maximum(epsilon, square_mean - tf.square(mean)))
    return tf.exp(mean + std_factor * deviation), mean
