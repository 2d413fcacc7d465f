"""Normalizations of each example by itself: over layers, channels, or groups of channels."""

import millrace as tf
from millrace.contrib.framework import variables
from millrace.contrib.framework.argument_scopes import add_arg_scope
from millrace.contrib.layers import layer_scope


def _parameters(shape, dtype, center, scale, initializers, variables_collections, trainable):
  """Returns (beta, gamma), None for those that are not wanted."""

  def make(name, initializer):
    return variables.model_variable(
      name,
      shape=shape,
      dtype=dtype,
      initializer=initializers.get(name, initializer),
      collections=layer_scope.collections_of(variables_collections, name),
      trainable=trainable,
    )

  beta = make("beta", tf.zeros_initializer()) if center else None
  gamma = make("gamma", tf.ones_initializer()) if scale else None
  return beta, gamma


@add_arg_scope
def layer_norm(
  inputs,
  center=True,
  scale=True,
  activation_fn=None,
  reuse=None,
  variables_collections=None,
  outputs_collections=None,
  trainable=True,
  begin_norm_axis=1,
  begin_params_axis=-1,
  scope=None,
):
  """Returns activation_fn of the inputs normalized over all dimensions from `begin_norm_axis` on, each example by itself.

  `gamma` and `beta` are of the shape from `begin_params_axis` on. The rest: see batch_norm. ValueError where ranks or sizes are
  not known, or axes are out of range.
  """
  with tf.variable_scope(scope, "LayerNorm", [inputs], reuse=reuse) as sc:
    inputs = tf.convert_to_tensor(inputs)
    shape = inputs.get_shape()
    rank = shape.ndims
    if rank is None:
      raise ValueError(f"Inputs {inputs.name} has undefined rank.")
    dtype = inputs.dtype.base_dtype
    if begin_norm_axis < 0:
      begin_norm_axis = rank + begin_norm_axis
    if begin_params_axis >= rank or begin_norm_axis >= rank:
      raise ValueError(
        f"begin_params_axis ({begin_params_axis}) and begin_norm_axis ({begin_norm_axis}) must be < rank(inputs) ({rank})"
      )
    params_shape = shape[begin_params_axis:]
    if not params_shape.is_fully_defined():
      raise ValueError(f"Inputs {inputs.name}: shape(inputs)[{begin_params_axis}:] is not fully defined: {shape}")
    beta, gamma = _parameters(params_shape, dtype, center, scale, {}, variables_collections, trainable)
    mean, variance = tf.nn.moments(inputs, list(range(begin_norm_axis, rank)), keepdims=True)
    epsilon = 1e-3 if dtype == tf.float16 else 1e-12
    outputs = tf.nn.batch_normalization(inputs, mean, variance, beta, gamma, epsilon)
    outputs.set_shape(shape)
    return layer_scope.finished(outputs, sc.name, outputs_collections, activation_fn)


@add_arg_scope
def instance_norm(
  inputs,
  center=True,
  scale=True,
  epsilon=1e-6,
  activation_fn=None,
  param_initializers=None,
  reuse=None,
  variables_collections=None,
  outputs_collections=None,
  trainable=True,
  data_format="NHWC",
  scope=None,
):
  """Returns activation_fn of the inputs normalized over all dimensions but batch and channels.

  `param_initializers` is a dictionary by "beta" and "gamma", of one element a channel. The rest: see batch_norm. ValueError for
  formats but "NHWC" and "NCHW", and where the rank or the number of channels is not known.
  """
  with tf.variable_scope(scope, "InstanceNorm", [inputs], reuse=reuse) as sc:
    inputs = tf.convert_to_tensor(inputs)
    shape = inputs.get_shape()
    rank = shape.ndims
    if rank is None:
      raise ValueError(f"Inputs {inputs.name} has undefined rank.")
    if data_format not in ("NCHW", "NHWC"):
      raise ValueError("data_format has to be either NCHW or NHWC.")
    axis = 1 if data_format == "NCHW" else rank - 1
    size = shape.as_list()[axis]
    if size is None:
      raise ValueError(f"Inputs {inputs.name} has undefined channels dimension {shape}.")
    beta, gamma = _parameters(
      [size], inputs.dtype.base_dtype, center, scale, param_initializers or {}, variables_collections, trainable
    )
    if axis != rank - 1:
      broadcast = [1] * rank
      broadcast[axis] = size
      beta, gamma = [None if part is None else tf.reshape(part, broadcast) for part in (beta, gamma)]
    axes = [i for i in range(1, rank) if i != axis]
    mean, variance = tf.nn.moments(inputs, axes, keepdims=True)
    outputs = tf.nn.batch_normalization(inputs, mean, variance, beta, gamma, epsilon, name="instancenorm")
    outputs.set_shape(shape)
    return layer_scope.finished(outputs, sc.name, outputs_collections, activation_fn)


@add_arg_scope
def group_norm(
  inputs,
  groups=32,
  channels_axis=-1,
  reduction_axes=(-3, -2),
  center=True,
  scale=True,
  epsilon=1e-6,
  activation_fn=None,
  param_initializers=None,
  reuse=None,
  variables_collections=None,
  outputs_collections=None,
  trainable=True,
  scope=None,
  mean_close_to_zero=False,
):
  """Returns activation_fn of the inputs normalized over `reduction_axes` and the channels of each of `groups`.

  `mean_close_to_zero` computes the variance as the mean of squares without the square of the mean. The rest: see instance_norm.
  ValueError where the rank or the number of channels is not known, the number is no multiple of the groups, or axes are not
  there or are the channels.
  """
  inputs = tf.convert_to_tensor(inputs)
  shape = inputs.get_shape()
  axis, axes, size = _checked_groups(inputs, groups, channels_axis, reduction_axes)
  # Channels become two dimensions: the groups and those of a group.
  dynamic = tf.shape(inputs) if None in shape.as_list() else shape.as_list()
  sizes = [dynamic[i] for i in range(shape.ndims)]
  grouped = tf.reshape(inputs, [*sizes[:axis], groups, size // groups, *sizes[axis + 1 :]])
  moments_axes = sorted([a + 1 if a > axis else a for a in axes] + [axis + 1])
  broadcast = [1] * (shape.ndims + 1)
  broadcast[axis : axis + 2] = [groups, size // groups]
  with tf.variable_scope(scope, "GroupNorm", [inputs], reuse=reuse) as sc:
    beta, gamma = [
      None if part is None else tf.reshape(part, broadcast)
      for part in _parameters(
        [size], inputs.dtype.base_dtype, center, scale, param_initializers or {}, variables_collections, trainable
      )
    ]
    if mean_close_to_zero:
      counts, means, squares, _ = tf.nn.sufficient_statistics(grouped, moments_axes, keepdims=True)
      mean, variance = tf.nn.normalize_moments(counts, means, squares, shift=None)
    else:
      mean, variance = tf.nn.moments(grouped, moments_axes, keepdims=True)
    gain = tf.math.rsqrt(variance + epsilon)
    offset = -mean * gain
    if gamma is not None:
      gain *= gamma
      offset *= gamma
    if beta is not None:
      offset += beta
    outputs = tf.reshape(grouped * gain + offset, dynamic)
    outputs.set_shape(shape)
    return layer_scope.finished(outputs, sc.name, outputs_collections, activation_fn)


def _checked_groups(inputs, groups, channels_axis, reduction_axes):
  """Returns (axis of the channels, axes that are reduced, number of channels), axes from 0 on. ValueError where they do not
  fit."""
  shape = inputs.get_shape()
  rank = shape.ndims
  if rank is None:
    raise ValueError(f"Inputs {inputs.name} has undefined rank.")
  if channels_axis > rank - 1 or any(a > rank - 1 for a in reduction_axes):
    raise ValueError("Axis is out of bounds.")
  axis = channels_axis % rank
  axes = [a % rank for a in reduction_axes]
  if axis in axes:
    raise ValueError(f"reduction_axis must be mutually exclusive with channels_axis: {channels_axis}")
  size = shape.as_list()[axis]
  if size is None:
    raise ValueError(f"Inputs {inputs.name} has undefined channel dimension: {channels_axis}.")
  if groups > size:
    raise ValueError(f"Invalid groups {groups} for {size} channels.")
  if size % groups:
    raise ValueError(f"{size} channels is not commensurate with {groups} groups.")
  return axis, axes, size
