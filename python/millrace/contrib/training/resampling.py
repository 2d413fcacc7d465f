"""Taking each row of a batch as often as it shall count."""

import millrace as tf
from millrace.framework import convert, dtypes


def resample_at_rate(inputs, rates, scope=None, seed=None, back_prop=False):
  """Rows of the `inputs`, tensors [batch, ...], each as often as a Poisson distribution with its rate of `rates` [batch] says.

  Returns the list of tensors with these rows, in the order of the batch. Gradients go through them only with `back_prop`.
  """
  with tf.name_scope(scope, default_name="resample_at_rate", values=[*inputs, rates]):
    rates = convert.convert_to_tensor(rates, name="rates")
    inputs = [convert.convert_to_tensor(value) for value in inputs]
    counts = tf.cast(tf.random_poisson(rates, [], rates.dtype, seed=seed), dtypes.int32)
    rows = tf.repeat(tf.range(tf.shape(counts)[0]), counts)
    chosen = [tf.gather(value, rows) for value in inputs]
    return chosen if back_prop else [tf.stop_gradient(value) for value in chosen]


def weighted_resample(inputs, weights, overall_rate, scope=None, mean_decay=0.999, seed=None):
  """Rows of the `inputs`, each as often as its weight of `weights` [batch] says; in the mean of many calls `overall_rate` times.

  Returns (list of tensors with the rows, their rates). The mean weight is estimated by a moving average with `mean_decay`, in the local
  variables "estimate_mean/resample_count" and "estimate_mean/estimated_mean".
  """
  with tf.name_scope(scope, default_name="weighted_resample", values=[*inputs, weights]) as opened:
    weights = convert.convert_to_tensor(weights, name="weights")
    with tf.variable_scope(scope, "estimate_mean", inputs):
      local = {"trainable": False, "collections": [tf.GraphKeys.LOCAL_VARIABLES], "use_resource": False}
      seen = tf.get_variable("resample_count", initializer=0, **local)
      mean = tf.get_variable("estimated_mean", initializer=0.0, **local)
      count = tf.cast(tf.assign_add(seen, 1), dtypes.float32)
      # At first the plain mean, which needs no beginning.
      decay = tf.minimum((count - 1.0) / count, mean_decay)
      mean = tf.assign(mean, decay * mean + (1.0 - decay) * tf.reduce_mean(weights))
    rates = weights * overall_rate / mean
    results = resample_at_rate([rates, *inputs], rates, scope=opened, seed=seed, back_prop=False)
  return results[1:], results[0]
