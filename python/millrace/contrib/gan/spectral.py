"""Spectral norms of weights by power iteration, and weights that are divided by them."""

import millrace as tf

_U = "spectral_norm_u"


def compute_spectral_norm(w_tensor, power_iteration_rounds=1, training=True, name=None):
  """Returns the largest singular value of weights as a matrix [inputs, outputs], nearly: `power_iteration_rounds` rounds a step.

  The vector of the iteration is a variable; with `training` each run improves it.
  """
  with tf.variable_scope(name, "spectral_norm"):
    outputs = w_tensor.shape.as_list()[-1]
    w = tf.reshape(w_tensor, [-1, outputs])
    u_variable = tf.get_variable(
      _U, shape=(w.shape.as_list()[0], 1), dtype=w.dtype, initializer=tf.truncated_normal_initializer(), trainable=False
    )
    u = u_variable
    for _ in range(power_iteration_rounds):
      v = tf.nn.l2_normalize(tf.matmul(w, u, transpose_a=True))
      u = tf.nn.l2_normalize(tf.matmul(w, v))
    updates = [tf.assign(u_variable, u, name="update_u")] if training else []
    with tf.control_dependencies(updates):
      u = tf.identity(u)
    u, v = tf.stop_gradient(u), tf.stop_gradient(v)
    return tf.matmul(tf.matmul(u, w, transpose_a=True), v)


def spectral_normalize(w, power_iteration_rounds=1, equality_constrained=True, training=True, name=None):
  """Returns weights divided by their spectral norm; if not `equality_constrained`, only where it is above one."""
  with tf.variable_scope(name, "spectral_normalize"):
    norm = compute_spectral_norm(w, power_iteration_rounds=power_iteration_rounds, training=training)
    divisor = norm if equality_constrained else tf.maximum(norm, 1.0)
    return tf.reshape(w / divisor, w.shape)


def spectral_norm_regularizer(scale, power_iteration_rounds=1, training=True, scope=None):
  """Returns a regularizer: `scale` times the spectral norm of weights. Raises ValueError for a scale that is no number or negative."""
  if isinstance(scale, int):
    raise ValueError(f"scale cannot be an integer: {scale}")  # noqa: TRY004 (TensorFlow's class)
  if isinstance(scale, float):
    if scale < 0.0:
      raise ValueError(f"Setting a scale less than 0 on a regularizer: {scale:g}")
    if scale == 0.0:
      tf.logging.info("Scale of 0 disables regularizer.")
      return lambda _: None

  def regularize(weights, name=None):
    with tf.name_scope(scope, "SpectralNormRegularizer", [weights]):
      norm = compute_spectral_norm(weights, power_iteration_rounds=power_iteration_rounds, training=training)
      return tf.multiply(scale, tf.squeeze(norm), name=name)

  return regularize


def spectral_normalization_custom_getter(
  name_filter="kernel", power_iteration_rounds=1, equality_constrained=True, training=True
):
  """Returns a custom getter that normalizes variables whose names `name_filter` fits: a text that they contain, or a function."""

  def wanted(name):
    return name_filter(name) if callable(name_filter) else name_filter in name

  def normalized_getter(getter, name, *args, **kwargs):
    variable = getter(name, *args, **kwargs)
    if not wanted(name) or name.endswith(_U):
      return variable
    if variable.shape.ndims is None or variable.shape.ndims < 2:
      raise ValueError(f"Variable {name} has no two dimensions to normalize")
    return spectral_normalize(
      variable,
      power_iteration_rounds=power_iteration_rounds,
      equality_constrained=equality_constrained,
      training=training,
      name=variable.op.name.rpartition("/")[2],
    )

  return normalized_getter
