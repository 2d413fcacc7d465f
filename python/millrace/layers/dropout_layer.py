"""The layer that drops elements at random while a model is trained."""

import millrace as tf
from millrace.layers import base, learning_phase
from millrace.ops.control_flow.conditional import smart_cond


class Dropout(base.Layer):
  """In training, sets the fraction `rate` of the elements to zero and divides the others by 1 - rate; else changes nothing.

  `noise_shape` has None for sizes of the inputs, and 1 for dimensions along which elements are dropped together.
  """

  _ARGUMENTS = ("rate", "noise_shape", "seed")

  def __init__(self, rate=0.5, noise_shape=None, seed=None, name=None, **kwargs):
    super().__init__(name=name, **kwargs)
    if isinstance(rate, (int, float)) and not 0 <= rate <= 1:
      raise ValueError(f"Invalid value {rate} received for `rate`, expected a value between 0 and 1.")
    self.rate = rate
    self.noise_shape = noise_shape
    self.seed = seed
    self.supports_masking = True

  def _noise_shape(self, inputs):
    """Returns the shape of the noise with the sizes of the inputs in place of None."""
    if self.noise_shape is None or not hasattr(self.noise_shape, "__iter__"):
      return self.noise_shape
    sizes = tf.shape(inputs)
    return tf.convert_to_tensor([sizes[i] if size is None else size for i, size in enumerate(self.noise_shape)])

  def call(self, inputs, training=False):
    def dropped():
      return tf.nn.dropout(inputs, noise_shape=self._noise_shape(inputs), seed=self.seed, rate=self.rate)

    if isinstance(self.rate, (int, float)) and self.rate == 0:
      return tf.identity(inputs)
    return smart_cond(learning_phase.decided(training), dropped, lambda: tf.identity(inputs))

  def compute_output_shape(self, input_shape):
    return input_shape


def dropout(inputs, rate=0.5, noise_shape=None, seed=None, training=False, name=None):
  """Returns the inputs with elements dropped where `training`, a bool or a scalar tensor of one, says so: see Dropout."""
  layer = Dropout(rate, noise_shape=noise_shape, seed=seed, name=name)
  return layer.apply(inputs, training=training)
