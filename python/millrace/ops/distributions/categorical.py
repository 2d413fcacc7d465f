"""The categorical distribution: the number of a class."""

import millrace as tf
from millrace.framework import dtypes
from millrace.framework.graph import name_scope
from millrace.framework.tensor_shape import TensorShape
from millrace.ops.distributions.distribution import Distribution, kept_parameters
from millrace.ops.distributions.divergences import RegisterKL
from millrace.ops.distributions.parameters import checked, is_close_to_integer, logits_and_probs
from millrace.ops.distributions.reparameterization import NOT_REPARAMETERIZED


class Categorical(Distribution):
  """The distributions of classes 0, 1, ... with the probabilities `probs` or softmax(`logits`) along the last dimension.

  Samples are of `dtype`. ValueError unless one of both is given.
  """

  def __init__(self, logits=None, probs=None, dtype=dtypes.int32, validate_args=False, allow_nan_stats=True, name="Categorical"):
    parameters = kept_parameters(locals())
    with name_scope(name, values=[logits, probs]) as name:
      self._logits, self._probs = logits_and_probs(
        logits=logits, probs=probs, validate_args=validate_args, multidimensional=True, name=name
      )
      with name_scope("event_size"):
        size = self._logits.get_shape().with_rank_at_least(1)[-1].value if self._logits.get_shape().ndims is not None else None
        if size is not None:
          self._event_size = tf.convert_to_tensor(size, dtype=dtypes.int32, name="event_size")
        else:
          self._event_size = tf.shape(self._logits)[-1]
    super().__init__(
      dtype=dtypes.as_dtype(dtype),
      reparameterization_type=NOT_REPARAMETERIZED,
      validate_args=validate_args,
      allow_nan_stats=allow_nan_stats,
      parameters=parameters,
      graph_parents=[self._logits, self._probs],
      name=name,
    )

  @property
  def event_size(self):
    """The number of classes, a tensor."""
    return self._event_size

  @property
  def logits(self):
    """Logarithms of probabilities, up to a constant."""
    return self._logits

  @property
  def probs(self):
    """The probabilities of the classes."""
    return self._probs

  def _batch_shape_tensor(self):
    return tf.shape(self.logits)[:-1]

  def _batch_shape(self):
    return self.logits.get_shape()[:-1]

  def _event_shape_tensor(self):
    return tf.constant([], dtype=dtypes.int32)

  def _event_shape(self):
    return TensorShape([])

  def _sample_n(self, n, seed=None):
    logits = self.logits
    if logits.get_shape().ndims != 2:
      logits = tf.reshape(logits, [-1, self.event_size])
    drawn_type = dtypes.int64 if self.dtype.size > 4 else dtypes.int32
    drawn = tf.multinomial(logits, n, seed=seed, output_dtype=drawn_type)
    shape = tf.concat([[n], self.batch_shape_tensor()], 0)
    return tf.cast(tf.reshape(tf.transpose(drawn), shape), self.dtype)

  def _classes(self, k):
    """Values as numbers of classes, checked if that is wanted; and both they and the logits, broadcast to one batch."""
    k = tf.convert_to_tensor(k, name="k")
    if self.validate_args:
      given = k
      k = checked(
        [
          lambda: tf.assert_non_negative(given),
          lambda: is_close_to_integer(given, "Elements cannot contain fractional components."),
        ],
        k,
      )
    logits = self.logits
    known = k.get_shape(), logits.get_shape()
    if all(shape.is_fully_defined() for shape in known) and known[0] == known[1][:-1]:
      return k, logits
    logits = logits * tf.ones_like(tf.expand_dims(k, -1), dtype=logits.dtype)
    shape = tf.shape(logits)[:-1]
    k = k * tf.ones(shape, dtype=k.dtype)
    if known[1].ndims is not None and known[0].ndims is not None:
      k.set_shape(tf.broadcast_static_shape(known[0], known[1][:-1]))
    return k, logits

  def _log_prob(self, k):
    k, logits = self._classes(k)
    if not k.dtype.is_integer:
      k = tf.cast(k, dtypes.int32)
    return -tf.nn.sparse_softmax_cross_entropy_with_logits(labels=k, logits=logits)

  def _cdf(self, k):
    """The probability of the classes below k."""
    k, logits = self._classes(k)
    if not k.dtype.is_integer:
      k = tf.cast(k, dtypes.int32)
    is_below = tf.sequence_mask(k, maxlen=self.event_size, dtype=logits.dtype)
    return tf.reduce_sum(tf.nn.softmax(logits) * is_below, -1)

  def _entropy(self):
    return -tf.reduce_sum(tf.nn.log_softmax(self.logits) * self.probs, axis=-1)

  def _mode(self):
    mode = tf.cast(tf.argmax(self.logits, axis=-1), self.dtype)
    mode.set_shape(self.batch_shape)
    return mode


@RegisterKL(Categorical, Categorical)
def _of_two(a, b, name=None):
  with name_scope(name, "kl_categorical_categorical", values=[a.logits, b.logits]):
    difference = tf.nn.log_softmax(a.logits) - tf.nn.log_softmax(b.logits)
    return tf.reduce_sum(tf.nn.softmax(a.logits) * difference, axis=-1)
