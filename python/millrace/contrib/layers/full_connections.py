"""The layer in which every output is connected with every input, and a layer's biases alone."""

import functools

import millrace as tf
from millrace.contrib.framework import variables
from millrace.contrib.framework.argument_scopes import add_arg_scope
from millrace.contrib.layers import initializers, layer_scope, sizes
from millrace.layers import dense_layer


@add_arg_scope
def fully_connected(
  inputs,
  num_outputs,
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
  """Returns activation_fn(inputs * weights + biases) over the last dimension of the inputs.

  With `normalizer_fn` there are no biases: normalizer_fn(products, **normalizer_params) is activated. None as
  `biases_initializer` leaves them out, None as `activation_fn` is linear. `variables_collections` is a list of collections for
  all variables or a dictionary of lists, by "weights" and "biases"; `outputs_collections` are those of the outputs. `reuse`
  says that the variables of `scope` are there. ValueError where `num_outputs` is no whole number, or the size of the last
  dimension is not known.
  """
  if not isinstance(num_outputs, int):
    raise ValueError(f"num_outputs type should be one of {[int]}, got {type(num_outputs)}.")
  with layer_scope.scope_of_layer(scope, "fully_connected", inputs, reuse, layer_scope.WEIGHTS_AND_BIASES) as sc:
    inputs = tf.convert_to_tensor(inputs)
    layer = dense_layer.Dense(
      units=num_outputs,
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


relu = functools.partial(fully_connected, activation_fn=tf.nn.relu)
relu6 = functools.partial(fully_connected, activation_fn=tf.nn.relu6)
elu = functools.partial(fully_connected, activation_fn=tf.nn.elu)
linear = functools.partial(fully_connected, activation_fn=None)


@add_arg_scope
def bias_add(
  inputs,
  activation_fn=None,
  initializer=tf.zeros_initializer(),
  regularizer=None,
  reuse=None,
  variables_collections=None,
  outputs_collections=None,
  trainable=True,
  data_format="NHWC",
  scope=None,
):
  """Returns activation_fn(inputs + biases), with one bias a channel. ValueError for formats but "NHWC" and "NCHW"."""
  if data_format not in ("NCHW", "NHWC"):
    raise ValueError("data_format has to be either NCHW or NHWC.")
  with tf.variable_scope(scope, "BiasAdd", [inputs], reuse=reuse) as sc:
    inputs = tf.convert_to_tensor(inputs)
    rank = inputs.get_shape().ndims
    if rank is None:
      raise ValueError("Dims of shape must be known but is None")
    if rank != 4 and data_format == "NCHW":
      raise ValueError("Data format NCHW only supports 4D Tensor")
    axis = 1 if data_format == "NCHW" else -1
    size = inputs.get_shape().as_list()[axis]
    if size is None:
      raise ValueError("`C` dimension must be known but is None")
    biases = variables.model_variable(
      "biases",
      shape=[size],
      dtype=inputs.dtype.base_dtype,
      initializer=initializer,
      regularizer=regularizer,
      collections=layer_scope.collections_of(variables_collections, "biases"),
      trainable=trainable,
    )
    outputs = tf.nn.bias_add(inputs, biases, data_format=data_format)
    return layer_scope.finished(outputs, sc.name, outputs_collections, activation_fn)


def legacy_fully_connected(
  x,
  num_output_units,
  activation_fn=None,
  weight_init=initializers.xavier_initializer(),
  bias_init=tf.zeros_initializer(),
  name=None,
  weight_collections=(tf.GraphKeys.WEIGHTS,),
  bias_collections=(tf.GraphKeys.BIASES,),
  output_collections=(tf.GraphKeys.ACTIVATIONS,),
  trainable=True,
  weight_regularizer=None,
  bias_regularizer=None,
):
  """Returns activation_fn(x * weights + bias) over the last dimension of `x`; its variables and outputs are in collections.

  None as `bias_init` leaves the bias out. ValueError where the number of dimensions or the size of the last is not known.
  """
  with tf.variable_scope(name, "fully_connected", [x]):
    x = tf.convert_to_tensor(x)
    if x.get_shape().ndims is None:
      raise ValueError("rank of x is unknown")
    size = sizes.last_dimension(x.get_shape(), min_rank=2)
    dtype = x.dtype.base_dtype
    weights = tf.get_variable(
      "weights",
      shape=[size, num_output_units],
      dtype=dtype,
      initializer=weight_init,
      collections=_with_global(weight_collections),
      regularizer=weight_regularizer,
      trainable=trainable,
    )
    flat = tf.reshape(x, [-1, size]) if x.get_shape().ndims > 2 else x
    y = tf.matmul(flat, weights)
    if bias_init is not None:
      bias = tf.get_variable(
        "bias",
        shape=[num_output_units],
        dtype=dtype,
        initializer=bias_init,
        collections=_with_global(bias_collections),
        regularizer=bias_regularizer,
        trainable=trainable,
      )
      y = tf.nn.bias_add(y, bias)
    if x.get_shape().ndims > 2:
      y = tf.reshape(y, tf.concat([tf.shape(x)[:-1], [num_output_units]], 0))
      y.set_shape(x.get_shape()[:-1].concatenate(num_output_units))
    result = activation_fn(y) if activation_fn is not None else y
    tf.add_to_collections(list(output_collections or ()) + [tf.GraphKeys.ACTIVATIONS], result)
    return result


def _with_global(collections):
  return list(dict.fromkeys(list(collections or ()) + [tf.GraphKeys.GLOBAL_VARIABLES]))


legacy_relu = functools.partial(legacy_fully_connected, activation_fn=tf.nn.relu)
legacy_linear = functools.partial(legacy_fully_connected, activation_fn=None)
