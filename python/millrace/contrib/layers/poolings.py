"""Pooling, and dropout."""

import millrace as tf
from millrace.contrib.framework.argument_scopes import add_arg_scope
from millrace.contrib.layers import convolutions, tensor_aliases
from millrace.layers import dropout_layer as core_dropout
from millrace.layers import pooling as core


def _pool(layer_class, default_name, inputs, kernel_size, stride, padding, data_format, outputs_collections, scope, formats):
  if data_format not in formats:
    raise ValueError(f"data_format has to be either {formats[1]} or {formats[0]}.")
  with tf.name_scope(scope, default_name, [inputs]) as sc:
    layer = layer_class(
      pool_size=kernel_size,
      strides=stride,
      padding=padding,
      data_format=convolutions.layer_format(data_format),
      _scope=sc,
    )
    outputs = layer.apply(tf.convert_to_tensor(inputs))
    return tensor_aliases.collect_named_outputs(outputs_collections, sc, outputs)


_IMAGES = ("NHWC", "NCHW")
_VOLUMES = ("NDHWC", "NCDHW")


@add_arg_scope
def avg_pool2d(inputs, kernel_size, stride=2, padding="VALID", data_format="NHWC", outputs_collections=None, scope=None):
  """Returns the mean of each window of images. ValueError for formats but "NHWC" and "NCHW"."""
  return _pool(
    core.AveragePooling2D, "AvgPool2D", inputs, kernel_size, stride, padding, data_format, outputs_collections, scope, _IMAGES
  )


@add_arg_scope
def avg_pool3d(inputs, kernel_size, stride=2, padding="VALID", data_format="NDHWC", outputs_collections=None, scope=None):
  """Returns the mean of each window of volumes. ValueError for formats but "NDHWC" and "NCDHW"."""
  return _pool(
    core.AveragePooling3D, "AvgPool3D", inputs, kernel_size, stride, padding, data_format, outputs_collections, scope, _VOLUMES
  )


@add_arg_scope
def max_pool2d(inputs, kernel_size, stride=2, padding="VALID", data_format="NHWC", outputs_collections=None, scope=None):
  """Returns the greatest element of each window of images. ValueError for formats but "NHWC" and "NCHW"."""
  return _pool(
    core.MaxPooling2D, "MaxPool2D", inputs, kernel_size, stride, padding, data_format, outputs_collections, scope, _IMAGES
  )


@add_arg_scope
def max_pool3d(inputs, kernel_size, stride=2, padding="VALID", data_format="NDHWC", outputs_collections=None, scope=None):
  """Returns the greatest element of each window of volumes. ValueError for formats but "NDHWC" and "NCDHW"."""
  return _pool(
    core.MaxPooling3D, "MaxPool3D", inputs, kernel_size, stride, padding, data_format, outputs_collections, scope, _VOLUMES
  )


@add_arg_scope
def pool(
  inputs,
  kernel_size,
  pooling_type,
  padding="VALID",
  data_format=None,
  dilation_rate=1,
  stride=1,
  outputs_collections=None,
  scope=None,
):
  """Returns tf.nn.pool() of windows over one to three dimensions; numbers stand for all of them. ValueError for a rank that
  is not known or less than 3."""
  with tf.name_scope(scope, "%s_pool" % pooling_type.lower(), [inputs]) as sc:
    inputs = tf.convert_to_tensor(inputs)
    rank = inputs.get_shape().ndims
    if rank is None:
      raise ValueError("Rank of inputs must be known")
    if rank < 3:
      raise ValueError("Rank of inputs must be >= 3")
    n = rank - 2

    def numbers(value):
      return [value] * n if isinstance(value, int) else list(value)

    outputs = tf.nn.pool(
      input=inputs,
      window_shape=numbers(kernel_size),
      pooling_type=pooling_type,
      padding=padding,
      data_format=data_format,
      dilation_rate=numbers(dilation_rate),
      strides=numbers(stride),
      name=sc,
    )
    return tensor_aliases.collect_named_outputs(outputs_collections, sc, outputs)


@add_arg_scope
def dropout(inputs, keep_prob=0.5, noise_shape=None, is_training=True, outputs_collections=None, scope=None, seed=None):
  """Returns the inputs; in training each element is kept with the probability `keep_prob` and divided by it, else set to zero.

  `is_training` is a bool or a scalar tensor of one. The rest: see tf.layers.Dropout.
  """
  with tf.variable_scope(scope, "Dropout", [inputs]) as sc:
    inputs = tf.convert_to_tensor(inputs)
    layer = core_dropout.Dropout(rate=1 - keep_prob, noise_shape=noise_shape, seed=seed, name=sc.name, _scope=sc)
    outputs = layer.apply(inputs, training=is_training)
    return tensor_aliases.collect_named_outputs(outputs_collections, sc.name, outputs)
