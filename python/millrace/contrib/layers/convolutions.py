"""Convolutions over one, two and three dimensions, and transposed ones."""

import millrace as tf
from millrace.contrib.framework import variables
from millrace.contrib.framework.argument_scopes import add_arg_scope
from millrace.contrib.layers import initializers, layer_scope, sizes
from millrace.layers import convolution as core
from millrace.layers import convolution_transpose as core_transpose

_FORMATS = (None, "NWC", "NCW", "NHWC", "NCHW", "NDHWC", "NCDHW")


def layer_format(data_format):
  """Returns the format of layer objects, "channels_first" or "channels_last", for that of ops."""
  return "channels_first" if data_format and data_format.startswith("NC") else "channels_last"


@add_arg_scope
def convolution(
  inputs,
  num_outputs,
  kernel_size,
  stride=1,
  padding="SAME",
  data_format=None,
  rate=1,
  activation_fn=tf.nn.relu,
  normalizer_fn=None,
  normalizer_params=None,
  weights_initializer=initializers.xavier_initializer(),
  weights_regularizer=None,
  biases_initializer=tf.zeros_initializer(),
  biases_regularizer=None,
  reuse=None,
  variables_collections=None,
  outputs_collections=None,
  trainable=True,
  scope=None,
  conv_dims=None,
):
  """Returns activation_fn(convolution with `weights` + biases) of [batch, one to three dimensions, channels].

  `weights` are [*kernel_size, channels, num_outputs]. `padding` is "SAME" or "VALID"; `rate` is the distance of the elements
  that a window meets, where the stride is 1. `data_format` that begins with "NC" puts channels first. `conv_dims` is the number
  of dimensions, where only that is to be taken. The rest: see fully_connected. ValueError for other formats and ranks.
  """
  if data_format not in _FORMATS:
    raise ValueError(f"Invalid data_format: {data_format!r}")
  with layer_scope.scope_of_layer(scope, "Conv", inputs, reuse, layer_scope.WEIGHTS_AND_BIASES) as sc:
    inputs = tf.convert_to_tensor(inputs)
    rank = inputs.get_shape().ndims
    if conv_dims is not None and conv_dims + 2 != rank:
      raise ValueError(f"Convolution expects input with rank {conv_dims + 2}, got {rank}")
    if rank not in (3, 4, 5):
      raise ValueError("Convolution not supported for input with rank", rank)
    layer_class = (core.Conv1D, core.Conv2D, core.Conv3D)[rank - 3]
    layer = layer_class(
      filters=num_outputs,
      kernel_size=kernel_size,
      strides=stride,
      padding=padding,
      data_format=layer_format(data_format),
      dilation_rate=rate,
      activation=None,
      use_bias=bool(not normalizer_fn and biases_initializer),
      kernel_initializer=weights_initializer,
      bias_initializer=biases_initializer,
      kernel_regularizer=weights_regularizer,
      bias_regularizer=biases_regularizer,
      trainable=trainable,
      name=sc.name,
      dtype=inputs.dtype.base_dtype,
      _scope=sc,
      _reuse=reuse,
    )
    outputs = layer.apply(inputs)
    layer_scope.collect_variable(layer.kernel, variables_collections, "weights")
    if layer.use_bias:
      layer_scope.collect_variable(layer.bias, variables_collections, "biases")
    return layer_scope.finished(outputs, sc.name, outputs_collections, activation_fn, normalizer_fn, normalizer_params)


def _over(conv_dims, name, what):
  """Returns convolution() of one number of dimensions under a name of its own, which scopes of arguments know."""

  def function(
    inputs,
    num_outputs,
    kernel_size,
    stride=1,
    padding="SAME",
    data_format=None,
    rate=1,
    activation_fn=tf.nn.relu,
    normalizer_fn=None,
    normalizer_params=None,
    weights_initializer=initializers.xavier_initializer(),
    weights_regularizer=None,
    biases_initializer=tf.zeros_initializer(),
    biases_regularizer=None,
    reuse=None,
    variables_collections=None,
    outputs_collections=None,
    trainable=True,
    scope=None,
  ):
    return convolution(
      inputs,
      num_outputs,
      kernel_size,
      stride,
      padding,
      data_format,
      rate,
      activation_fn,
      normalizer_fn,
      normalizer_params,
      weights_initializer,
      weights_regularizer,
      biases_initializer,
      biases_regularizer,
      reuse,
      variables_collections,
      outputs_collections,
      trainable,
      scope,
      conv_dims=conv_dims,
    )

  function.__name__ = function.__qualname__ = name
  function.__doc__ = f"Returns convolution() of {what}. ValueError for inputs of another rank."
  return add_arg_scope(function)


convolution1d = _over(1, "convolution1d", "series [batch, width, channels]")
convolution2d = _over(2, "convolution2d", "images [batch, height, width, channels]")
convolution3d = _over(3, "convolution3d", "volumes [batch, depth, height, width, channels]")


@add_arg_scope
def convolution2d_in_plane(
  inputs,
  kernel_size,
  stride=1,
  padding="SAME",
  activation_fn=tf.nn.relu,
  normalizer_fn=None,
  normalizer_params=None,
  weights_initializer=initializers.xavier_initializer(),
  weights_regularizer=None,
  biases_initializer=tf.zeros_initializer(),
  biases_regularizer=None,
  reuse=None,
  variables_collections=None,
  outputs_collections=None,
  trainable=True,
  scope=None,
):
  """Returns the convolution of each channel of images by itself, all with the same window: `weights` are
  [*kernel_size, 1, 1]. Arguments: see convolution."""
  with tf.variable_scope(scope, "ConvInPlane", [inputs], reuse=reuse) as sc:
    inputs = tf.convert_to_tensor(inputs)
    dtype = inputs.dtype.base_dtype
    height, width = sizes.two_element_tuple(kernel_size)
    stride_height, stride_width = sizes.two_element_tuple(stride)
    channels = sizes.last_dimension(inputs.get_shape(), min_rank=4)
    weights = variables.model_variable(
      "weights",
      shape=[height, width, 1, 1],
      dtype=dtype,
      initializer=weights_initializer,
      regularizer=weights_regularizer,
      collections=layer_scope.collections_of(variables_collections, "weights"),
      trainable=trainable,
    )
    outputs = tf.nn.depthwise_conv2d(inputs, tf.tile(weights, [1, 1, channels, 1]), [1, stride_height, stride_width, 1], padding)
    if normalizer_fn is None and biases_initializer is not None:
      biases = variables.model_variable(
        "biases",
        shape=[channels],
        dtype=dtype,
        initializer=biases_initializer,
        regularizer=biases_regularizer,
        collections=layer_scope.collections_of(variables_collections, "biases"),
        trainable=trainable,
      )
      outputs = tf.nn.bias_add(outputs, biases)
    return layer_scope.finished(outputs, sc.name, outputs_collections, activation_fn, normalizer_fn, normalizer_params)


def _transposed(layer_class, default_name, formats):
  def function(
    inputs,
    num_outputs,
    kernel_size,
    stride=1,
    padding="SAME",
    data_format=formats[0],
    activation_fn=tf.nn.relu,
    normalizer_fn=None,
    normalizer_params=None,
    weights_initializer=initializers.xavier_initializer(),
    weights_regularizer=None,
    biases_initializer=tf.zeros_initializer(),
    biases_regularizer=None,
    reuse=None,
    variables_collections=None,
    outputs_collections=None,
    trainable=True,
    scope=None,
  ):
    if data_format not in formats:
      raise ValueError(f"data_format has to be either {formats[1]} or {formats[0]}.")
    with layer_scope.scope_of_layer(scope, default_name, inputs, reuse, layer_scope.WEIGHTS_AND_BIASES) as sc:
      inputs = tf.convert_to_tensor(inputs)
      layer = layer_class(
        filters=num_outputs,
        kernel_size=kernel_size,
        strides=stride,
        padding=padding,
        data_format=layer_format(data_format),
        activation=None,
        use_bias=bool(not normalizer_fn and biases_initializer),
        kernel_initializer=weights_initializer,
        bias_initializer=biases_initializer,
        kernel_regularizer=weights_regularizer,
        bias_regularizer=biases_regularizer,
        trainable=trainable,
        name=sc.name,
        dtype=inputs.dtype.base_dtype,
        _scope=sc,
        _reuse=reuse,
      )
      outputs = layer.apply(inputs)
      layer_scope.collect_variable(layer.kernel, variables_collections, "weights")
      if layer.bias is not None:
        layer_scope.collect_variable(layer.bias, variables_collections, "biases")
      return layer_scope.finished(outputs, sc.name, outputs_collections, activation_fn, normalizer_fn, normalizer_params)

  return function


def _named(function, name, doc):
  function.__name__ = function.__qualname__ = name
  function.__doc__ = doc
  return add_arg_scope(function)


convolution2d_transpose = _named(
  _transposed(core_transpose.Conv2DTranspose, "Conv2d_transpose", ("NHWC", "NCHW")),
  "convolution2d_transpose",
  "Returns images of which the inputs could be a convolution. Arguments: see convolution.",
)
convolution3d_transpose = _named(
  _transposed(core_transpose.Conv3DTranspose, "Conv3d_transpose", ("NDHWC", "NCDHW")),
  "convolution3d_transpose",
  "Returns volumes of which the inputs could be a convolution. Arguments: see convolution.",
)
