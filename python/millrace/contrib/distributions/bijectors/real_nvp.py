"""Bijectors that move and scale a part of each vector by functions of the other part."""

import millrace as tf
from millrace.contrib.distributions.bijectors.base import Bijector


class RealNVP(Bijector):
  """Vectors whose first `num_masked` elements stay, while the others are multiplied by exp(s) and moved by t, where
  (t, s) = shift_and_log_scale_fn(first elements, number of others); s may be None (Dinh, Sohl-Dickstein and Bengio, 2017).

  ValueError for a number of elements that is not positive.
  """

  def __init__(self, num_masked, shift_and_log_scale_fn, is_constant_jacobian=False, validate_args=False, name=None):
    if num_masked <= 0:
      raise ValueError("num_masked must be a positive integer.")
    self._num_masked = num_masked
    self._shift_and_log_scale_fn = shift_and_log_scale_fn
    super().__init__(
      forward_min_event_ndims=1,
      is_constant_jacobian=is_constant_jacobian,
      validate_args=validate_args,
      name=name or "real_nvp",
    )

  def _parts(self, x):
    size = x.get_shape().with_rank_at_least(1)[-1].value
    if size is None:
      raise NotImplementedError("Rightmost dimension must be known prior to graph execution.")
    if self._num_masked >= size:
      raise ValueError("Number of masked units must be smaller than the event size.")
    kept, others = x[..., : self._num_masked], x[..., self._num_masked :]
    shift, log_scale = self._shift_and_log_scale_fn(kept, size - self._num_masked)
    return kept, others, shift, log_scale

  def _forward(self, x):
    kept, others, shift, log_scale = self._parts(x)
    if log_scale is not None:
      others = others * tf.exp(log_scale)
    if shift is not None:
      others = others + shift
    return tf.concat([kept, others], axis=-1)

  def _inverse(self, y):
    kept, others, shift, log_scale = self._parts(y)
    if shift is not None:
      others = others - shift
    if log_scale is not None:
      others = others * tf.exp(-log_scale)
    return tf.concat([kept, others], axis=-1)

  def _forward_log_det_jacobian(self, x):
    log_scale = self._parts(x)[3]
    return tf.constant(0.0, dtype=x.dtype) if log_scale is None else tf.reduce_sum(log_scale, axis=-1)

  def _inverse_log_det_jacobian(self, y):
    log_scale = self._parts(y)[3]
    return tf.constant(0.0, dtype=y.dtype) if log_scale is None else -tf.reduce_sum(log_scale, axis=-1)


def real_nvp_default_template(hidden_layers, shift_only=False, activation=None, name=None, *args, **kwargs):
  """A function for RealNVP of dense layers with `hidden_layers` units and, at the end, as many as are asked for, twice unless
  `shift_only`. It makes its variables once. `activation` is relu if not said; further arguments go to the layers."""
  activation = tf.nn.relu if activation is None else activation
  with tf.name_scope(name, "real_nvp_default_template"):

    def function(x, output_units):
      for units in hidden_layers:
        x = tf.layers.dense(x, units, *args, activation=activation, **kwargs)
      x = tf.layers.dense(x, (1 if shift_only else 2) * output_units, *args, activation=None, **kwargs)
      if shift_only:
        return x, None
      shift, log_scale = tf.split(x, 2, axis=-1)
      return shift, log_scale

    return tf.make_template("real_nvp_default_template", function)
