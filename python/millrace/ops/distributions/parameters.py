"""Parameters of distributions: checks, and probabilities given as such or as logits."""

import millrace as tf
from millrace.framework import dtypes
from millrace.framework.convert import convert_to_tensor
from millrace.framework.graph import control_dependencies, name_scope


def checks_before(checks, are_wanted):
  """A context in which new ops run after the checks, which are made by functions; only if they are wanted."""
  return control_dependencies([check() for check in checks] if are_wanted else [])


def checked(checks, tensor, are_wanted=True):
  """`tensor`, available once the checks have run, which are made by functions; only if they are wanted."""
  if not are_wanted:
    return tensor
  with checks_before(checks, True):
    return tf.identity(tensor)


def broadcast_static(*tensors):
  """What is known of the shape of the tensors broadcast together."""
  shape = tensors[0].get_shape()
  for tensor in tensors[1:]:
    shape = tf.broadcast_static_shape(shape, tensor.get_shape())
  return shape


def broadcast_dynamic(*tensors):
  """The shape of the tensors broadcast together."""
  shape = tf.shape(tensors[0])
  for tensor in tensors[1:]:
    shape = tf.broadcast_dynamic_shape(shape, tf.shape(tensor))
  return shape


def is_close_to_integer(x, message):
  """A check that the elements are whole numbers."""
  if x.dtype.is_integer:
    return tf.no_op()
  return tf.assert_equal(x, tf.floor(x), message=message)


def logits_and_probs(logits=None, probs=None, multidimensional=False, validate_args=False, name="get_logits_and_probs"):
  """(logits, probabilities), of which one is given: log odds, or with `multidimensional` logarithms along the last dimension.

  Raises:
    ValueError: if both or none is given.
    TypeError: for a type that is not floating.
  """
  with name_scope(name, values=[probs, logits]):
    if (probs is None) == (logits is None):
      raise ValueError("Must pass probs or logits, but not both.")
    if probs is None:
      logits = convert_to_tensor(logits, name="logits")
      if not logits.dtype.is_floating:
        raise TypeError("logits must having floating type.")
      if not multidimensional:
        return logits, tf.sigmoid(logits, name="probs")
      if validate_args:
        logits = checked([lambda: tf.assert_rank_at_least(logits, 1)], logits)
      return logits, tf.nn.softmax(logits, name="probs")
    probs = convert_to_tensor(probs, name="probs")
    if not probs.dtype.is_floating:
      raise TypeError("probs must having floating type.")
    if validate_args:
      one = tf.constant(1.0, probs.dtype)
      given = probs
      checks = [lambda: tf.assert_non_negative(given)]
      if multidimensional:
        checks.append(lambda: tf.assert_near(tf.reduce_sum(given, -1), one, message="probs does not sum to 1."))
      else:
        checks.append(lambda: tf.assert_less_equal(given, one, message="probs has components greater than 1."))
      probs = checked(checks, probs)
    with name_scope("logits"):
      if multidimensional:
        # Only the differences between logits matter.
        return tf.log(probs), probs
      return tf.log(probs) - tf.log1p(-1.0 * probs), probs


def log_combinations(n, counts, name="log_combinations"):
  """The logarithm of n! / (the product of counts! along the last dimension)."""
  with name_scope(name, values=[n, counts]):
    n, counts = convert_to_tensor(n, name="n"), convert_to_tensor(counts, name="counts")
    return tf.lgamma(n + 1) - tf.reduce_sum(tf.lgamma(counts + 1), axis=[-1])


def checked_counts(counts, total_count):
  """The counts, checked to be whole numbers that are not negative and have the sum `total_count` along the last dimension."""
  return checked(
    [
      lambda: tf.assert_non_negative(counts, message="counts must be non-negative."),
      lambda: is_close_to_integer(counts, "counts cannot contain fractional components."),
      lambda: tf.assert_equal(total_count, tf.reduce_sum(counts, -1), message="counts must sum to `self.total_count`"),
    ],
    counts,
  )


def checked_total_count(total_count):
  """The number of draws, checked to be a whole number that is not negative."""
  return checked(
    [
      lambda: tf.assert_non_negative(total_count, message="total_count must be non-negative."),
      lambda: is_close_to_integer(total_count, "total_count cannot contain fractional values."),
    ],
    total_count,
  )


def drawn_counts(logits, total_count, count, seed):
  """`count` times how often each of the classes of `logits` is drawn in `total_count` draws, as the logits' type.

  `logits` has the dimensions of the batch and one of the classes, `total_count` broadcasts with the batch.
  """
  classes = tf.shape(logits)[-1]
  draws = tf.cast(total_count, dtypes.int32)
  batch = tf.broadcast_dynamic_shape(tf.shape(draws), tf.shape(logits)[:-1])
  # Each distribution in turn, since their numbers of draws may differ.
  flat_logits = tf.reshape(tf.broadcast_to(logits, tf.concat([batch, [classes]], 0)), [-1, classes])
  flat_draws = tf.reshape(tf.broadcast_to(draws, batch), [-1])

  def of_one(arguments):
    one_logits, one_draws = arguments
    drawn = tf.reshape(tf.multinomial(one_logits[tf.newaxis, ...], count * one_draws, seed), [count, -1])
    return tf.reduce_sum(tf.one_hot(drawn, depth=classes, dtype=logits.dtype), axis=-2)

  counts = tf.transpose(tf.map_fn(of_one, [flat_logits, flat_draws], dtype=logits.dtype), [1, 0, 2])
  return tf.reshape(counts, tf.concat([[count], batch, [classes]], 0))
