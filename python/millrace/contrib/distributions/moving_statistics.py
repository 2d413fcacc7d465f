"""Means and variances over the last values of a tensor, kept in variables."""

import millrace as tf
from millrace.framework.graph import control_dependencies, name_scope


def assign_moving_mean_variance(mean_var, variance_var, value, decay, name=None):
  """Moves both variables towards `value`: (new mean, new variance), where the variance is that around the moving mean."""
  with name_scope(name, "assign_moving_mean_variance", [variance_var, mean_var, value, decay]):
    value = tf.convert_to_tensor(value, dtype=mean_var.dtype.base_dtype, name="value")
    decay = tf.convert_to_tensor(decay, dtype=value.dtype, name="decay")
    difference = value - mean_var
    # Around the old mean, before that moves.
    step = (1.0 - decay) * (variance_var - decay * tf.square(difference))
    with control_dependencies([difference, step]):
      return tf.assign_add(mean_var, (1.0 - decay) * difference), tf.assign_sub(variance_var, step)


def assign_log_moving_mean_exp(log_mean_exp_var, log_value, decay, name=None):
  """Moves the variable, the logarithm of a mean, towards the logarithm of a value: log(decay exp(v) + (1 - decay) exp(value))."""
  with name_scope(name, "assign_log_moving_mean_exp", [log_mean_exp_var, log_value, decay]):
    log_value = tf.convert_to_tensor(log_value, dtype=log_mean_exp_var.dtype.base_dtype, name="log_value")
    decay = tf.convert_to_tensor(decay, dtype=log_value.dtype, name="decay")
    both = tf.stack([log_mean_exp_var + tf.log(decay), log_value + tf.log1p(-decay)])
    return tf.assign(log_mean_exp_var, tf.reduce_logsumexp(both, axis=0))


def moving_mean_variance(value, decay, collections=None, name=None):
  """(moving mean, moving variance) of `value`, in variables that begin with 0; both move at each step that runs them."""
  if collections is None:
    collections = [tf.GraphKeys.GLOBAL_VARIABLES]
  with tf.variable_scope(name, "moving_mean_variance", [value, decay]):
    value = tf.convert_to_tensor(value, name="value")
    mean, variance = (
      tf.get_variable(
        which,
        shape=value.get_shape(),
        dtype=value.dtype.base_dtype,
        initializer=tf.zeros_initializer(),
        trainable=False,
        collections=collections,
      )
      for which in ("moving_mean", "moving_variance")
    )
    return assign_moving_mean_variance(mean, variance, value, decay)
