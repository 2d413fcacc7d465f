"""Quantities that are defined for some parameters only."""

import numpy as np

import millrace as tf
from millrace.ops.distributions.parameters import checked


def defined_or_nan(distribution, values, is_defined, check):
  """The values, NaN where they are not defined if the distribution allows that, otherwise with a check that they all are.

  `check` is a function that makes the op of the check. `is_defined` has the shape of the values or broadcasts to it.
  """
  if not distribution.allow_nan_stats:
    return checked([check], values)
  nan = tf.fill(tf.shape(values), np.array(np.nan, dtype=values.dtype.as_numpy_dtype), name="nan")
  return tf.where(tf.broadcast_to(is_defined, tf.shape(values)), values, nan)
