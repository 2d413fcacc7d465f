"""Columns of numbers for an input as it is."""

import numpy as np

import millrace as tf


def infer_real_valued_columns_from_input_fn(input_fn):
  """A list of columns of numbers for what an input function gives."""
  with tf.Graph().as_default():
    features, _ = input_fn()
    return tf.contrib.layers.infer_real_valued_columns(features)


def infer_real_valued_columns_from_input(x):
  """A list of columns of numbers for arrays."""
  arrays = x if isinstance(x, dict) else np.asarray(x)

  def input_fn():
    place = lambda array: tf.placeholder(_type_of(array), [None, *np.asarray(array).shape[1:]])  # noqa: E731
    return ({key: place(array) for key, array in arrays.items()} if isinstance(arrays, dict) else place(arrays)), None

  return infer_real_valued_columns_from_input_fn(input_fn)


def _type_of(array):
  kind = np.asarray(array).dtype
  return tf.float32 if kind == np.float64 else tf.as_dtype(kind)
