"""Batch normalization with what the layer of tf.layers does not know: weights of examples, and updates that come elsewhere."""

import millrace as tf
from millrace.contrib.framework import variables
from millrace.contrib.layers import layer_scope, sizes
from millrace.framework import graph as ops
from millrace.train import moving_averages


class OwnBatchNorm:
  """The variables of one normalization, and its outputs. Arguments: see batch_norm."""

  def __init__(
    self,
    inputs,
    decay,
    center_and_scale,
    epsilon,
    initializers,
    regularizers,
    variables_collections,
    trainable,
    data_format,
    is_fused,
  ):
    rank = inputs.get_shape().ndims
    if rank is None:
      raise ValueError(f"Inputs {inputs.name} has undefined rank")
    self._inputs = inputs
    self._rank = rank
    self._decay = decay
    self._epsilon = epsilon
    self._data_format = data_format
    self._channel_axis = 1 if data_format == "NCHW" and rank > 2 else rank - 1
    size = inputs.get_shape().as_list()[self._channel_axis]
    if size is None:
      if is_fused:
        raise ValueError("`C` dimension must be known but is None")
      raise ValueError(f"Inputs {inputs.name} has undefined channels dimension {inputs.get_shape()}.")
    half = inputs.dtype.base_dtype in (tf.float16, tf.bfloat16)
    self._dtype = tf.float32 if half else inputs.dtype.base_dtype

    def make(name, initializer, trained):
      return variables.model_variable(
        name,
        shape=[size],
        dtype=self._dtype,
        initializer=initializers.get(name, initializer),
        regularizer=regularizers.get(name) if trained else None,
        collections=layer_scope.collections_of(variables_collections, name),
        trainable=trainable and trained,
      )

    center, scale = center_and_scale
    self._beta = make("beta", tf.zeros_initializer(), True) if center else None
    self._gamma = make("gamma", tf.ones_initializer(), True) if scale else None
    # Statistics of variables that are cut are not cut themselves.
    around = tf.get_variable_scope()
    partitioner = around.partitioner
    try:
      around.set_partitioner(None)
      self._moving_mean = make("moving_mean", tf.zeros_initializer(), False)
      self._moving_variance = make("moving_variance", tf.ones_initializer(), False)
    finally:
      around.set_partitioner(partitioner)
    self._size = size

  def normalized(self, is_training, fused, batch_weights, updates_collections, zero_debias):
    """Returns the outputs, and makes the updates where they are wanted."""
    value = sizes.constant_value(is_training)
    if fused:
      outputs, mean, variance = self._fused(is_training)
    elif value is None or value:
      mean, variance = self._moments(batch_weights)
      outputs = None
    else:
      mean, variance, outputs = self._moving_mean, self._moving_variance, None
    if not fused and (value is None or value):
      return self._with_single_ops(is_training, mean, variance, updates_collections, zero_debias)
    if outputs is None:
      return self._transformed(mean, variance)
    if value is None or value:
      outputs = self._updated(is_training, outputs, mean, variance, updates_collections, zero_debias)
    if self._rank == 2:
      outputs = tf.reshape(outputs, tf.shape(self._inputs))
    outputs.set_shape(self._inputs.get_shape())
    return outputs

  # By one op.

  def _fused(self, is_training):
    inputs = self._inputs
    if self._rank == 2:
      # As an image of one pixel.
      one_pixel = [-1, self._size, 1, 1] if self._data_format == "NCHW" else [-1, 1, 1, self._size]
      inputs = tf.reshape(inputs, one_pixel)
    gamma = self._gamma if self._gamma is not None else tf.constant(1.0, dtype=self._dtype, shape=[self._size])
    beta = self._beta if self._beta is not None else tf.constant(0.0, dtype=self._dtype, shape=[self._size])

    def of_batch():
      return tf.nn.fused_batch_norm(inputs, gamma, beta, epsilon=self._epsilon, data_format=self._data_format)

    def moving():
      return tf.nn.fused_batch_norm(
        inputs,
        gamma,
        beta,
        mean=self._moving_mean,
        variance=self._moving_variance,
        epsilon=self._epsilon,
        is_training=False,
        data_format=self._data_format,
      )

    return sizes.smart_cond(is_training, of_batch, moving)

  # By single ops.

  def _moments(self, batch_weights):
    axes = [axis for axis in range(self._rank) if axis != self._channel_axis]
    inputs = tf.cast(self._inputs, self._dtype)
    if batch_weights is None:
      return tf.nn.moments(inputs, axes)
    weights = tf.convert_to_tensor(batch_weights)
    if weights.get_shape().ndims is None or weights.get_shape().ndims != 1:
      raise ValueError(f"batch_weights must be 1-D but have {weights.get_shape().ndims} dimensions")
    weights = tf.reshape(weights, [-1] + [1] * (self._rank - 1))
    return tf.nn.weighted_moments(inputs, axes, weights)

  def _transformed(self, mean, variance):
    inputs = self._inputs
    if inputs.dtype.base_dtype != self._dtype:
      inputs = tf.cast(inputs, self._dtype)
    parts = [mean, variance, self._beta, self._gamma]
    if self._channel_axis != self._rank - 1:
      shape = [1] * self._rank
      shape[self._channel_axis] = self._size
      parts = [None if part is None else tf.reshape(part, shape) for part in parts]
    mean, variance, beta, gamma = parts
    outputs = tf.nn.batch_normalization(inputs, mean, variance, beta, gamma, self._epsilon)
    if outputs.dtype != self._inputs.dtype.base_dtype:
      outputs = tf.cast(outputs, self._inputs.dtype.base_dtype)
    outputs.set_shape(self._inputs.get_shape())
    return outputs

  def _with_single_ops(self, is_training, mean, variance, updates_collections, zero_debias):
    """Returns the outputs by statistics that are chosen first; those of a batch are taken after their updates if none other
    would run them."""
    if updates_collections is None:

      def of_batch():
        with ops.control_dependencies(self._follow(mean, variance, zero_debias)):
          return tf.identity(mean), tf.identity(variance)

      chosen = sizes.smart_cond(is_training, of_batch, self._kept)
    else:
      updates = sizes.smart_cond(is_training, lambda: self._follow(mean, variance, zero_debias), self._kept)
      for update in updates:
        ops.add_to_collections(updates_collections, update)
      chosen = sizes.smart_cond(is_training, lambda: (mean, variance), self._kept)
    return self._transformed(*chosen)

  # Updates.

  def _kept(self):
    return tf.convert_to_tensor(self._moving_mean), tf.convert_to_tensor(self._moving_variance)

  def _follow(self, mean, variance, zero_debias):
    return (
      moving_averages.assign_moving_average(self._moving_mean, mean, self._decay, zero_debias=zero_debias),
      moving_averages.assign_moving_average(self._moving_variance, variance, self._decay, zero_debias=False),
    )

  def _updated(self, is_training, outputs, mean, variance, updates_collections, zero_debias):
    if updates_collections is None:

      def with_updates():
        with ops.control_dependencies(self._follow(mean, variance, zero_debias)):
          return tf.identity(outputs)

      return sizes.smart_cond(is_training, with_updates, lambda: tf.identity(outputs))
    for update in sizes.smart_cond(is_training, lambda: self._follow(mean, variance, zero_debias), self._kept):
      ops.add_to_collections(updates_collections, update)
    return outputs
