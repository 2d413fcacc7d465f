"""Generalized divisive normalization, as models that compress images use it."""

import millrace as tf
from millrace.framework import tensor_shape
from millrace.layers import base
from millrace.layers.input_spec import InputSpec


def _at_least(x, bound):
  """Returns the greater of `x` and `bound`; gradients also go through what is at the bound where they would raise it."""
  bound = tf.convert_to_tensor(bound, dtype=x.dtype.base_dtype)

  @tf.custom_gradient
  def bounded(value):
    def gradient(grad):
      return tf.where(tf.logical_or(value >= bound, grad < 0), grad, tf.zeros_like(grad))

    return tf.maximum(value, bound), gradient

  return bounded(tf.convert_to_tensor(x))


class GDN(base.Layer):
  """Divides each channel by sqrt(beta + sum over channels of gamma * square), or multiplies it if `inverse`.

  `beta` is at least `beta_min` and begins with 1, `gamma` is at least 0 and begins with `gamma_init` times the unit matrix.
  Both are kept as roots of the value and `reparam_offset`^2, so that training cannot make them negative.
  """

  def __init__(
    self,
    inverse=False,
    beta_min=1e-6,
    gamma_init=0.1,
    reparam_offset=2**-18,
    data_format="channels_last",
    activity_regularizer=None,
    trainable=True,
    name=None,
    **kwargs,
  ):
    super().__init__(trainable=trainable, name=name, activity_regularizer=activity_regularizer, **kwargs)
    self.inverse = inverse
    self._beta_min = beta_min
    self._gamma_init = gamma_init
    self._reparam_offset = reparam_offset
    self.data_format = data_format
    self.input_spec = InputSpec(min_ndim=3)

  def _channel_axis(self):
    try:
      return {"channels_first": 1, "channels_last": -1}[self.data_format]
    except KeyError:
      raise ValueError(f"Unsupported `data_format` for GDN layer: {self.data_format}.") from None

  def build(self, input_shape):
    axis = self._channel_axis()
    shape = tensor_shape.TensorShape(input_shape)
    size = shape.as_list()[axis]
    if size is None:
      raise ValueError("The channel dimension of the inputs to `GDN` must be defined.")
    self.input_spec = InputSpec(ndim=shape.ndims, axes={axis: size})
    pedestal = tf.constant(self._reparam_offset**2, dtype=self.dtype)
    beta_bound = tf.constant((self._beta_min + self._reparam_offset**2) ** 0.5, dtype=self.dtype)
    gamma_bound = tf.constant(self._reparam_offset, dtype=self.dtype)

    def beta_initializer(shape, dtype=None, partition_info=None):
      return tf.sqrt(tf.ones(shape, dtype=dtype) + pedestal)

    def gamma_initializer(shape, dtype=None, partition_info=None):
      return tf.sqrt(self._gamma_init * tf.eye(shape[0], shape[1], dtype=dtype) + pedestal)

    beta = self.add_weight("reparam_beta", shape=[size], initializer=beta_initializer, dtype=self.dtype, trainable=True)
    self.beta = tf.square(_at_least(beta, beta_bound)) - pedestal
    gamma = self.add_weight("reparam_gamma", shape=[size, size], initializer=gamma_initializer, dtype=self.dtype, trainable=True)
    self.gamma = tf.square(_at_least(gamma, gamma_bound)) - pedestal
    self.built = True

  def call(self, inputs):
    inputs = tf.convert_to_tensor(inputs, dtype=self.dtype)
    rank = inputs.get_shape().ndims
    axis = self._channel_axis() % rank
    # As a product over channels in the last place.
    order = [i for i in range(rank) if i != axis] + [axis]
    back = [order.index(i) for i in range(rank)]
    moved = tf.transpose(inputs, order) if axis != rank - 1 else inputs
    norms = tf.tensordot(tf.square(moved), self.gamma, [[rank - 1], [1]]) + self.beta
    if axis != rank - 1:
      norms = tf.transpose(norms, back)
    outputs = inputs * (tf.sqrt(norms) if self.inverse else tf.math.rsqrt(norms))
    outputs.set_shape(inputs.get_shape())
    return outputs

  def compute_output_shape(self, input_shape):
    return tensor_shape.TensorShape(input_shape)


def gdn(
  inputs,
  inverse=False,
  beta_min=1e-6,
  gamma_init=0.1,
  reparam_offset=2**-18,
  data_format="channels_last",
  activity_regularizer=None,
  trainable=True,
  name=None,
  reuse=None,
):
  """Returns the inputs after divisive normalization: see GDN. `reuse` says that the variables of `name` are there already."""
  inputs = tf.convert_to_tensor(inputs)
  layer = GDN(
    inverse=inverse,
    beta_min=beta_min,
    gamma_init=gamma_init,
    reparam_offset=reparam_offset,
    data_format=data_format,
    activity_regularizer=activity_regularizer,
    trainable=trainable,
    name=name,
    dtype=inputs.dtype.base_dtype,
    _scope=name,
    _reuse=reuse,
  )
  return layer.apply(inputs)
