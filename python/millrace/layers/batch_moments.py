"""The statistics of batch normalization: which are used, how they are corrected, and how the moving ones follow the batches."""

import millrace as tf
from millrace.framework import graph as ops
from millrace.ops.control_flow import conditional
from millrace.train import moving_averages


def composed(scale, offset, then_scale, then_offset):
  """Returns (scale, offset) of a transformation followed by another, whose parts may be None."""
  if then_scale is not None:
    scale = scale * then_scale
    offset = offset * then_scale
  if then_offset is not None:
    offset = offset + then_offset
  return scale, offset


class BatchMoments:
  """The part of BatchNormalization that has its statistics."""

  @staticmethod
  def _chosen(training, of_batch, moving):
    """Returns the statistic of the batch in training, else the moving one."""
    return conditional.smart_cond(training, lambda: of_batch, lambda: tf.convert_to_tensor(moving))

  def _adjusted(self, inputs, training, scale, offset):
    """Returns scale and offset with the adjustment of the program before them."""
    more, shift = self.adjustment(tf.shape(inputs))
    more = conditional.smart_cond(training, lambda: more, lambda: tf.ones_like(more))
    shift = conditional.smart_cond(training, lambda: shift, lambda: tf.zeros_like(shift))
    return composed(more, shift, scale, offset)

  def _follow(self, variable, value, momentum):
    """Moves a variable by the fraction 1 - momentum towards a value; returns the op."""
    with ops.colocate_with(variable):
      return moving_averages.assign_moving_average(variable, value, momentum, zero_debias=False)

  def _add_updates(self, new_mean, new_variance, training):
    """Adds the updates of the moving statistics for those of a batch."""

    def update_mean():
      return self._follow(self.moving_mean, new_mean, self.momentum)

    def update_variance():
      if not self.renorm:
        return self._follow(self.moving_variance, new_variance, self.momentum)
      # Standard deviations are averaged, as those that the correction compares with.
      stddev = self._follow(self.moving_stddev, tf.sqrt(new_variance + self.epsilon), self.momentum)
      value = tf.nn.relu(stddev * stddev - self.epsilon)
      with ops.name_scope("AssignNewValue") as scope, ops.colocate_with(self.moving_variance):
        return tf.assign(self.moving_variance, value, name=scope)

    self.add_update(conditional.smart_cond(training, update_mean, lambda: tf.convert_to_tensor(self.moving_mean)))
    self.add_update(conditional.smart_cond(training, update_variance, lambda: tf.convert_to_tensor(self.moving_variance)))

  def _renormalized(self, mean, variance, training):
    """Returns (r, d, mean, variance): the correction of a batch, and its statistics after the correction's own follow them."""
    stddev = tf.sqrt(variance + self.epsilon)
    own_stddev = tf.maximum(self.renorm_stddev, tf.sqrt(float(self.epsilon)))
    r = stddev / own_stddev
    d = (mean - self.renorm_mean) / own_stddev
    # The correction is by statistics from before this batch.
    with ops.control_dependencies([r, d]):
      mean = tf.identity(mean)
      stddev = tf.identity(stddev)
    rmin, rmax, dmax = (self.renorm_clipping.get(key) for key in ("rmin", "rmax", "dmax"))
    if rmin is not None:
      r = tf.maximum(r, rmin)
    if rmax is not None:
      r = tf.minimum(r, rmax)
    if dmax is not None:
      d = tf.minimum(tf.maximum(d, -dmax), dmax)
    r = conditional.smart_cond(training, lambda: r, lambda: tf.ones_like(r))
    d = conditional.smart_cond(training, lambda: d, lambda: tf.zeros_like(d))

    def follow(variable, value):
      value = tf.identity(value)
      return conditional.smart_cond(
        training, lambda: self._follow(variable, value, self.renorm_momentum), lambda: tf.identity(variable)
      )

    new_mean = follow(self.renorm_mean, mean)
    new_stddev = follow(self.renorm_stddev, stddev)
    with ops.control_dependencies([new_mean, new_stddev]):
      return r, d, tf.identity(mean), tf.identity(variance)

  def _fused(self, inputs, training):
    """Returns the normalized inputs by one op, and adds the updates."""
    beta, gamma = self.beta, self.gamma
    if beta is None:
      beta = tf.constant(0.0, dtype=self._param_dtype, shape=self._param_shape)
    if gamma is None:
      gamma = tf.constant(1.0, dtype=self._param_dtype, shape=self._param_shape)

    def of_batch():
      return tf.nn.fused_batch_norm(
        inputs,
        gamma,
        beta,
        mean=self.moving_mean,
        variance=self.moving_variance,
        epsilon=self.epsilon,
        is_training=True,
        data_format=self._data_format,
      )

    def moving():
      return tf.nn.fused_batch_norm(
        inputs,
        gamma,
        beta,
        mean=self.moving_mean,
        variance=self.moving_variance,
        epsilon=self.epsilon,
        is_training=False,
        data_format=self._data_format,
      )

    outputs, mean, variance = conditional.smart_cond(training, of_batch, moving)
    value = conditional.smart_constant_value(training)
    if value is not False:
      if value is None:
        momentum = conditional.smart_cond(training, lambda: self.momentum, lambda: 1.0)
      else:
        momentum = tf.convert_to_tensor(self.momentum)
      self.add_update(self._follow(self.moving_mean, mean, momentum))
      self.add_update(self._follow(self.moving_variance, variance, momentum))
    return outputs
