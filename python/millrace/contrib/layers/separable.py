"""Convolutions in two steps: each channel by itself, then all channels at each place."""

import millrace as tf
from millrace.contrib.framework import variables
from millrace.contrib.framework.argument_scopes import add_arg_scope
from millrace.contrib.layers import convolutions, initializers, layer_scope, sizes
from millrace.layers import separable as core


@add_arg_scope
def separable_convolution2d(
  inputs,
  num_outputs,
  kernel_size,
  depth_multiplier=1,
  stride=1,
  padding="SAME",
  data_format="NHWC",
  rate=1,
  activation_fn=tf.nn.relu,
  normalizer_fn=None,
  normalizer_params=None,
  weights_initializer=initializers.xavier_initializer(),
  pointwise_initializer=None,
  weights_regularizer=None,
  biases_initializer=tf.zeros_initializer(),
  biases_regularizer=None,
  reuse=None,
  variables_collections=None,
  outputs_collections=None,
  trainable=True,
  scope=None,
):
  """Returns the convolution of each channel of images by itself, with `depth_multiplier` outputs of each, then over all.

  `depthwise_weights` are [*kernel_size, channels, depth_multiplier], `pointwise_weights` [1, 1, channels * depth_multiplier,
  num_outputs], which `pointwise_initializer` makes in place of the other one. None as `num_outputs` leaves the second step out.
  The rest: see convolution. ValueError for formats but "NHWC" and "NCHW".
  """
  if data_format not in ("NCHW", "NHWC"):
    raise ValueError("data_format has to be either NCHW or NHWC.")
  with layer_scope.scope_of_layer(scope, "SeparableConv2d", inputs, reuse, layer_scope.SEPARABLE_NAMES) as sc:
    inputs = tf.convert_to_tensor(inputs)
    with_biases = bool(not normalizer_fn and biases_initializer)
    if num_outputs is None:
      outputs = _depthwise(
        inputs,
        sizes.two_element_tuple(kernel_size),
        depth_multiplier,
        sizes.two_element_tuple(stride),
        padding,
        data_format,
        sizes.two_element_tuple(rate),
        (weights_initializer, weights_regularizer),
        (biases_initializer, biases_regularizer) if with_biases else None,
        variables_collections,
        trainable,
      )
    else:
      layer = core.SeparableConv2D(
        filters=num_outputs,
        kernel_size=kernel_size,
        strides=stride,
        padding=padding,
        data_format=convolutions.layer_format(data_format),
        dilation_rate=sizes.two_element_tuple(rate),
        activation=None,
        depth_multiplier=depth_multiplier,
        use_bias=with_biases,
        depthwise_initializer=weights_initializer,
        pointwise_initializer=pointwise_initializer or weights_initializer,
        bias_initializer=biases_initializer,
        depthwise_regularizer=weights_regularizer,
        pointwise_regularizer=weights_regularizer,
        bias_regularizer=biases_regularizer,
        trainable=trainable,
        name=sc.name,
        dtype=inputs.dtype.base_dtype,
        _scope=sc,
        _reuse=reuse,
      )
      outputs = layer.apply(inputs)
      layer_scope.collect_variable(layer.depthwise_kernel, variables_collections, "weights")
      layer_scope.collect_variable(layer.pointwise_kernel, variables_collections, "weights")
      if layer.bias is not None:
        layer_scope.collect_variable(layer.bias, variables_collections, "biases")
    return layer_scope.finished(outputs, sc.name, outputs_collections, activation_fn, normalizer_fn, normalizer_params)


def _depthwise(
  inputs, window, depth_multiplier, stride, padding, data_format, rate, weights, biases, variables_collections, trainable
):
  """Returns the first step alone; `weights` and `biases` are (initializer, regularizer), or None for no biases."""
  dtype = inputs.dtype.base_dtype
  channels = sizes.channel_dimension(inputs.get_shape(), convolutions.layer_format(data_format), min_rank=4)
  collections = layer_scope.collections_of(variables_collections, "weights")
  depthwise = variables.model_variable(
    "depthwise_weights",
    shape=[*window, channels, depth_multiplier],
    dtype=dtype,
    initializer=weights[0],
    regularizer=weights[1],
    trainable=trainable,
    collections=collections,
  )
  strides = [1, 1, *stride] if data_format == "NCHW" else [1, *stride, 1]
  outputs = tf.nn.depthwise_conv2d(inputs, depthwise, strides, padding, rate=list(rate), data_format=data_format)
  if biases is not None:
    added = variables.model_variable(
      "biases",
      shape=[depth_multiplier * channels],
      dtype=dtype,
      initializer=biases[0],
      regularizer=biases[1],
      trainable=trainable,
      collections=layer_scope.collections_of(variables_collections, "biases"),
    )
    outputs = tf.nn.bias_add(outputs, added, data_format=data_format)
  return outputs
