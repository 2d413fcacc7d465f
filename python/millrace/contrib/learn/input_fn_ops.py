"""InputFnOps: what functions of serving return, and functions that make them."""

import collections

import millrace as tf


class InputFnOps(collections.namedtuple("InputFnOps", ["features", "labels", "default_inputs"])):
  """Features, labels (None for serving), and a map of the tensors that receive requests."""


def build_parsing_serving_input_fn(feature_spec, default_batch_size=None):
  """A function whose input is strings of serialized Examples, [batch] (any number by default), which it parses."""

  def input_fn():
    serialized = tf.placeholder(dtype=tf.string, shape=[default_batch_size], name="input_example_tensor")
    return InputFnOps(tf.parse_example(serialized, feature_spec), None, {"examples": serialized})

  return input_fn


def build_default_serving_input_fn(features, default_batch_size=None):
  """A function whose inputs are the features themselves, each like a tensor of the map `features`."""

  def input_fn():
    places = {}
    for name, tensor in features.items():
      shape = tensor.get_shape()
      if shape.ndims is not None:
        shape = tf.TensorShape([default_batch_size, *shape.as_list()[1:]])
      places[name] = tf.placeholder(dtype=tensor.dtype, shape=shape, name=tensor.op.name)
    return InputFnOps(places, None, places)

  return input_fn
