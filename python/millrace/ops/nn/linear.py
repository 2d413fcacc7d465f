"""Layers that are a product and a bias."""

import millrace as tf
from millrace import gen
from millrace.framework import convert
from millrace.framework import graph as ops


def bias_add(value, bias, data_format=None, name=None):
  """Adds the vector `bias` to each position's channels: the last dimension, or dimension 1 for formats "NC...".

  Raises ValueError for another format.
  """
  with ops.name_scope(name, "BiasAdd", [value, bias]) as scope:
    if data_format is not None:
      if data_format.startswith("NC"):
        data_format = "NCHW"
      elif data_format.startswith("N") and data_format.endswith("C"):
        data_format = "NHWC"
      else:
        raise ValueError(f"`data_format` must be of the form `N...C` or `NC...`. Received: data_format={data_format}")
    value = convert.convert_to_tensor(value, name="input")
    bias = convert.convert_to_tensor(bias, dtype=value.dtype, name="bias")
    return gen.bias_add(value, bias, data_format=data_format or "NHWC", name=scope)


def _product_and_bias(x, weights, biases, name):
  x = convert.convert_to_tensor(x, name="x")
  weights = convert.convert_to_tensor(weights, name="weights")
  biases = convert.convert_to_tensor(biases, name="biases")
  return bias_add(tf.matmul(x, weights), biases, name=name)


def xw_plus_b(x, weights, biases, name=None):
  """Returns matmul(x, weights) + biases: of [batch, in], [in, out] and [out]."""
  with ops.name_scope(name, "xw_plus_b", [x, weights, biases]) as scope:
    return _product_and_bias(x, weights, biases, scope)


def relu_layer(x, weights, biases, name=None):
  """Returns relu(matmul(x, weights) + biases)."""
  with ops.name_scope(name, "relu_layer", [x, weights, biases]) as scope:
    return gen.relu(_product_and_bias(x, weights, biases, None), name=scope)
