"""The layer that normalizes batches by their means and variances."""

import millrace as tf
from millrace.framework import dtypes, tensor_shape
from millrace.framework import graph as ops
from millrace.layers import base, batch_moments, learning_phase, named_values
from millrace.layers.input_spec import InputSpec
from millrace.ops.control_flow import conditional
from millrace.ops.variables.initializers import ones_initializer, zeros_initializer
from millrace.ops.variables.modes import VariableAggregation, VariableSynchronization


class BatchNormalization(batch_moments.BatchMoments, base.Layer):
  """(inputs - mean) / sqrt(variance + epsilon) * gamma + beta, where statistics are over all dimensions but `axis`.

  In training they are those of the batch, and the ops that move `moving_mean` and `moving_variance` by the fraction
  1 - `momentum` towards them come into UPDATE_OPS: they are to run with each step. Otherwise the moving ones are taken.
  `center` says whether there is a `beta`, `scale` whether there is a `gamma`. `fused` makes it one op, which takes images with
  channels first or last; None does that where it can be done.

  With `renorm` outputs of training are corrected by r and d to those that moving statistics (of momentum `renorm_momentum`)
  would give; `renorm_clipping` bounds them: "rmax", "rmin", "dmax". With `virtual_batch_size` the statistics are of parts of
  the batch of that size. `adjustment(shape)` returns (scale, bias) that the normalized values get in training.

  Raises ValueError for axes that there are not or that occur twice, for unknown sizes of them, and for `adjustment` with
  virtual batches.
  """

  _ARGUMENTS = (
    "axis",
    "momentum",
    "epsilon",
    "center",
    "scale",
    "beta_initializer",
    "gamma_initializer",
    "moving_mean_initializer",
    "moving_variance_initializer",
    "beta_regularizer",
    "gamma_regularizer",
    "beta_constraint",
    "gamma_constraint",
  )

  def __init__(
    self,
    axis=-1,
    momentum=0.99,
    epsilon=1e-3,
    center=True,
    scale=True,
    beta_initializer=zeros_initializer(),
    gamma_initializer=ones_initializer(),
    moving_mean_initializer=zeros_initializer(),
    moving_variance_initializer=ones_initializer(),
    beta_regularizer=None,
    gamma_regularizer=None,
    beta_constraint=None,
    gamma_constraint=None,
    renorm=False,
    renorm_clipping=None,
    renorm_momentum=0.99,
    fused=None,
    trainable=True,
    virtual_batch_size=None,
    adjustment=None,
    name=None,
    **kwargs,
  ):
    super().__init__(trainable=trainable, name=name, **kwargs)
    if isinstance(axis, (list, tuple)):
      self.axis = list(axis)
    elif isinstance(axis, int):
      self.axis = axis
    else:
      raise TypeError(f"Expected an int or a list/tuple of ints for the argument 'axis', but received: {axis!r}")
    self.momentum = momentum
    self.epsilon = epsilon
    self.center = center
    self.scale = scale
    self.beta_initializer = named_values.initializer(beta_initializer)
    self.gamma_initializer = named_values.initializer(gamma_initializer)
    self.moving_mean_initializer = named_values.initializer(moving_mean_initializer)
    self.moving_variance_initializer = named_values.initializer(moving_variance_initializer)
    self.beta_regularizer = named_values.regularizer(beta_regularizer)
    self.gamma_regularizer = named_values.regularizer(gamma_regularizer)
    self.beta_constraint = named_values.constraint(beta_constraint)
    self.gamma_constraint = named_values.constraint(gamma_constraint)
    self.renorm = renorm
    self.virtual_batch_size = virtual_batch_size
    self.adjustment = adjustment
    self.fused = fused
    self.supports_masking = True
    if renorm:
      renorm_clipping = renorm_clipping or {}
      if set(renorm_clipping) - {"rmax", "rmin", "dmax"}:
        raise ValueError(
          f"Received invalid keys for `renorm_clipping` argument: {renorm_clipping}. Supported values: ['rmax', 'rmin', 'dmax']."
        )
      self.renorm_clipping = renorm_clipping
      self.renorm_momentum = renorm_momentum

  # Variables.

  def _set_axes(self, shape):
    """Makes `axis` a list of axes from 0 on, and decides on `fused`."""
    rank = len(shape)
    axes = [self.axis] if isinstance(self.axis, int) else self.axis
    self.axis = [axis + rank if axis < 0 else axis for axis in axes]
    if any(not 0 <= axis < rank for axis in self.axis):
      raise ValueError(
        f"Invalid value for `axis` argument. Expected 0 <= axis < inputs.rank (with inputs.rank={rank}). Received: "
        f"axis={tuple(self.axis)}"
      )
    if len(self.axis) != len(set(self.axis)):
      raise ValueError(f"Duplicate axis: {tuple(self.axis)}")
    if self.virtual_batch_size is not None:
      if self.virtual_batch_size <= 0:
        raise ValueError(
          "`virtual_batch_size` must be a positive integer that divides the true batch size of the input tensor. Received: "
          f"virtual_batch_size={self.virtual_batch_size}"
        )
      if 0 in self.axis:
        raise ValueError(
          "When using `virtual_batch_size`, the batch dimension must be 0 and thus axis cannot include 0. Received "
          f"axis={self.axis}"
        )
      if self.adjustment is not None:
        raise ValueError("When using `virtual_batch_size`, adjustment cannot be specified")
    plain = not self.renorm and self.virtual_batch_size is None and self.adjustment is None
    self.fused = self.fused in (None, True) and plain and rank == 4 and self.axis in ([1], [3])
    self._data_format = "NCHW" if self.axis == [1] else "NHWC"

  def _statistic(self, name, shape, initializer):
    """Returns a variable that training does not change by gradients."""
    return self.add_weight(
      name=name,
      shape=shape,
      dtype=self._param_dtype,
      initializer=initializer,
      synchronization=VariableSynchronization.ON_READ,
      trainable=False,
      aggregation=VariableAggregation.MEAN,
      experimental_autocast=False,
    )

  def build(self, input_shape):
    shape = tensor_shape.TensorShape(input_shape)
    if shape.rank is None:
      raise ValueError(f"Input has undefined rank. Received: input_shape={shape}")
    self._set_axes(shape)
    sizes = {axis: shape.as_list()[axis] for axis in self.axis}
    if None in sizes.values():
      raise ValueError(
        f"Input has undefined `axis` dimension. Received input with shape {tuple(shape.as_list())} and axis={tuple(self.axis)}"
      )
    self.input_spec = InputSpec(ndim=shape.rank, axes=sizes)
    half = self.dtype in (None, "float16", "bfloat16")
    self._param_dtype = dtypes.float32 if half else dtypes.as_dtype(self.dtype)
    if len(sizes) == 1 and self.virtual_batch_size is None:
      param_shape = tuple(sizes.values())
    else:
      param_shape = [sizes.get(axis, 1) for axis in range(shape.rank)]
      if self.virtual_batch_size is not None:
        # Statistics have a dimension more, that of the virtual batches.
        param_shape.insert(1, 1)
        self.axis = [axis + 1 for axis in self.axis]
    self.gamma = self.beta = None
    if self.scale:
      self.gamma = self.add_weight(
        name="gamma",
        shape=param_shape,
        dtype=self._param_dtype,
        initializer=self.gamma_initializer,
        regularizer=self.gamma_regularizer,
        constraint=self.gamma_constraint,
        trainable=True,
      )
    if self.center:
      self.beta = self.add_weight(
        name="beta",
        shape=param_shape,
        dtype=self._param_dtype,
        initializer=self.beta_initializer,
        regularizer=self.beta_regularizer,
        constraint=self.beta_constraint,
        trainable=True,
      )
    self._param_shape = param_shape
    self._make_statistics(param_shape)
    self.built = True

  def _make_statistics(self, shape):
    # Statistics are not cut, also where the scope cuts the other variables.
    scope = self._scope or tf.get_variable_scope()
    partitioner = scope.partitioner
    if partitioner is not None:
      scope.set_partitioner(None)
    try:
      self.moving_mean = self._statistic("moving_mean", shape, self.moving_mean_initializer)
      self.moving_variance = self._statistic("moving_variance", shape, self.moving_variance_initializer)
      if self.renorm:

        def moving_stddev_initializer(shape, dtype=None, partition_info=None):
          return tf.sqrt(self.moving_variance_initializer(shape, dtype=dtype))

        with ops.colocate_with(self.moving_variance):
          self.moving_stddev = self._statistic("moving_stddev", shape, moving_stddev_initializer)
        with ops.colocate_with(self.moving_mean):
          self.renorm_mean = self._statistic("renorm_mean", shape, self.moving_mean_initializer)
        with ops.colocate_with(self.moving_stddev):
          self.renorm_stddev = self._statistic("renorm_stddev", shape, moving_stddev_initializer)
    finally:
      if partitioner is not None:
        scope.set_partitioner(partitioner)

  # Values.

  def call(self, inputs, training=False):
    training = learning_phase.decided(training)
    if self.fused:
      return self._fused(inputs, training)
    parts_shape = None
    if self.virtual_batch_size is not None:
      batch_shape = tf.concat([tf.constant([-1]), tf.shape(inputs)[1:]], axis=0)
      parts_shape = tf.concat([tf.constant([self.virtual_batch_size, -1]), batch_shape[1:]], axis=0)
      known = inputs.shape
      inputs = tf.reshape(inputs, parts_shape)
    outputs = self._normalized(inputs, training)
    if parts_shape is not None:
      outputs = tf.reshape(outputs, batch_shape)
      outputs.set_shape(known)
    return outputs

  def _normalized(self, inputs, training):
    """Returns the normalized inputs by single ops, which know all options, and adds the updates."""
    inputs_dtype = inputs.dtype.base_dtype
    if inputs_dtype in (dtypes.float16, dtypes.bfloat16):
      inputs = tf.cast(inputs, dtypes.float32)
    rank = len(inputs.shape)
    reduced = [axis for axis in range(rank) if axis not in self.axis]
    if self.virtual_batch_size is not None:
      del reduced[1]
    sizes = inputs.shape.as_list()
    flat = [1] * rank
    flat[self.axis[0]] = sizes[self.axis[0]]

    def broadcast(value):
      if value is not None and len(value.shape) != rank and reduced != list(range(rank - 1)):
        return tf.reshape(value, flat)
      return value

    scale, offset = broadcast(self.gamma), broadcast(self.beta)
    value = conditional.smart_constant_value(training)
    if value is False:
      mean, variance = self.moving_mean, self.moving_variance
    else:
      if self.adjustment is not None:
        scale, offset = self._adjusted(inputs, training, scale, offset)
      keep = self.virtual_batch_size is not None or len(self.axis) > 1
      mean, variance = tf.nn.moments(inputs, reduced, keepdims=keep)
      mean = self._chosen(training, mean, self.moving_mean)
      variance = self._chosen(training, variance, self.moving_variance)
      new_mean, new_variance = mean, variance
      if self.virtual_batch_size is not None:
        new_mean = tf.reduce_mean(mean, axis=1, keepdims=True)
        new_variance = tf.reduce_mean(variance, axis=1, keepdims=True)
      if self.renorm:
        r, d, new_mean, new_variance = self._renormalized(new_mean, new_variance, training)
        r = broadcast(tf.stop_gradient(r, name="renorm_r"))
        d = broadcast(tf.stop_gradient(d, name="renorm_d"))
        scale, offset = batch_moments.composed(r, d, scale, offset)
      self._add_updates(new_mean, new_variance, training)
    mean = tf.cast(broadcast(mean), inputs.dtype)
    variance = tf.cast(broadcast(variance), inputs.dtype)
    offset = None if offset is None else tf.cast(offset, inputs.dtype)
    scale = None if scale is None else tf.cast(scale, inputs.dtype)
    outputs = tf.nn.batch_normalization(inputs, mean, variance, offset, scale, self.epsilon)
    if inputs_dtype in (dtypes.float16, dtypes.bfloat16):
      outputs = tf.cast(outputs, inputs_dtype)
    outputs.set_shape(inputs.shape)
    return outputs

  def compute_output_shape(self, input_shape):
    return input_shape


def batch_normalization(
  inputs,
  axis=-1,
  momentum=0.99,
  epsilon=1e-3,
  center=True,
  scale=True,
  beta_initializer=zeros_initializer(),
  gamma_initializer=ones_initializer(),
  moving_mean_initializer=zeros_initializer(),
  moving_variance_initializer=ones_initializer(),
  beta_regularizer=None,
  gamma_regularizer=None,
  beta_constraint=None,
  gamma_constraint=None,
  training=False,
  trainable=True,
  name=None,
  reuse=None,
  renorm=False,
  renorm_clipping=None,
  renorm_momentum=0.99,
  fused=None,
  virtual_batch_size=None,
  adjustment=None,
):
  """Returns the inputs normalized over all dimensions but `axis`: see BatchNormalization.

  `training` is a bool or a scalar tensor of one. In training the ops of UPDATE_OPS are to run with each step.
  """
  layer = BatchNormalization(
    axis=axis,
    momentum=momentum,
    epsilon=epsilon,
    center=center,
    scale=scale,
    beta_initializer=beta_initializer,
    gamma_initializer=gamma_initializer,
    moving_mean_initializer=moving_mean_initializer,
    moving_variance_initializer=moving_variance_initializer,
    beta_regularizer=beta_regularizer,
    gamma_regularizer=gamma_regularizer,
    beta_constraint=beta_constraint,
    gamma_constraint=gamma_constraint,
    renorm=renorm,
    renorm_clipping=renorm_clipping,
    renorm_momentum=renorm_momentum,
    fused=fused,
    trainable=trainable,
    virtual_batch_size=virtual_batch_size,
    adjustment=adjustment,
    name=name,
    _reuse=reuse,
    _scope=name,
  )
  return layer.apply(inputs, training=training)
