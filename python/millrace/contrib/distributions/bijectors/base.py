"""The base of bijectors."""

import contextlib

import millrace as tf
from millrace.framework import dtypes
from millrace.framework.graph import name_scope
from millrace.framework.tensor_shape import TensorShape


class Bijector:
  """A function with an inverse and a derivative. A class of them has `_forward`, `_inverse`, and one of `_forward_log_det_jacobian`
  and `_inverse_log_det_jacobian`, the logarithm of the absolute value of the determinant of the derivative, and where shapes change
  `_forward_event_shape`, `_forward_event_shape_tensor` and those of the inverse.

  `forward_min_event_ndims` is the number of dimensions that one argument has: 0 where each element is transformed by itself.
  What was made of a tensor is remembered, so that inverse(forward(x)) is x.
  """

  def __init__(
    self,
    graph_parents=None,
    is_constant_jacobian=False,
    validate_args=False,
    dtype=None,
    forward_min_event_ndims=None,
    inverse_min_event_ndims=None,
    name=None,
  ):
    """Raises ValueError if no number of dimensions is given."""
    if forward_min_event_ndims is None and inverse_min_event_ndims is None:
      raise ValueError("Must specify at least one of `forward_min_event_ndims` and `inverse_min_event_ndims`.")
    if inverse_min_event_ndims is None:
      inverse_min_event_ndims = forward_min_event_ndims
    elif forward_min_event_ndims is None:
      forward_min_event_ndims = inverse_min_event_ndims
    if forward_min_event_ndims < 0 or inverse_min_event_ndims < 0:
      raise ValueError("Event dimensions must be non-negative.")
    self._graph_parents = graph_parents or []
    self._is_constant_jacobian = is_constant_jacobian
    self._validate_args = validate_args
    self._dtype = None if dtype is None else dtypes.as_dtype(dtype)
    self._forward_min_event_ndims = forward_min_event_ndims
    self._inverse_min_event_ndims = inverse_min_event_ndims
    self._name = name or _snake_case(type(self).__name__)
    self._from_x, self._from_y = {}, {}

  @property
  def graph_parents(self):
    """Tensors that the function depends on."""
    return self._graph_parents

  @property
  def forward_min_event_ndims(self):
    """The number of dimensions of one argument."""
    return self._forward_min_event_ndims

  @property
  def inverse_min_event_ndims(self):
    """The number of dimensions of one result."""
    return self._inverse_min_event_ndims

  @property
  def is_constant_jacobian(self):
    """Whether the derivative is the same everywhere."""
    return self._is_constant_jacobian

  @property
  def validate_args(self):
    """Whether arguments are checked when ops run."""
    return self._validate_args

  @property
  def dtype(self):
    """The type of arguments, or None for any."""
    return self._dtype

  @property
  def name(self):
    """The name of the scopes of ops."""
    return self._name

  def __call__(self, value, name=None):
    """This function after another one, or applied to a tensor or distribution."""
    from millrace.contrib.distributions.bijectors.composed import Chain
    from millrace.contrib.distributions.transformed import TransformedDistribution
    from millrace.ops.distributions.distribution import Distribution

    if isinstance(value, Distribution):
      return TransformedDistribution(value, self, name=name)
    if isinstance(value, Bijector):
      return Chain([self, value], name=name)
    return self.forward(value, name=name or "forward")

  def forward(self, x, name="forward"):
    """The function of x."""
    with self._name_scope(name, [x]):
      x = self._converted(x)
      if x not in self._from_x:
        self._remember(x, self._forward(x))
      return self._from_x[x]

  def inverse(self, y, name="inverse"):
    """The x whose function is y."""
    with self._name_scope(name, [y]):
      y = self._converted(y)
      if y not in self._from_y:
        self._remember(self._inverse(y), y)
      return self._from_y[y]

  def _remember(self, x, y):
    self._from_x[x], self._from_y[y] = y, x

  def _converted(self, value):
    value = tf.convert_to_tensor(value, dtype=self.dtype)
    return value

  def forward_log_det_jacobian(self, x, event_ndims, name="forward_log_det_jacobian"):
    """The logarithm of the absolute value of the determinant of the derivative at x, whose last `event_ndims` dimensions are those of
    an argument.

    Raises:
      ValueError: for fewer dimensions than the function needs.
    """
    with self._name_scope(name, [x]):
      x = self._converted(x)
      self._check_dimensions(event_ndims, self.forward_min_event_ndims)
      try:
        return self._summed(self._forward_log_det_jacobian(x), x, event_ndims, self.forward_min_event_ndims)
      except NotImplementedError:
        y = self.forward(x)
        of_inverse = -self._inverse_log_det_jacobian(y)
        return self._summed(of_inverse, y, self._dimensions_after(event_ndims), self.inverse_min_event_ndims)

  def inverse_log_det_jacobian(self, y, event_ndims, name="inverse_log_det_jacobian"):
    """forward_log_det_jacobian() of the inverse, at y."""
    with self._name_scope(name, [y]):
      y = self._converted(y)
      self._check_dimensions(event_ndims, self.inverse_min_event_ndims)
      try:
        return self._summed(self._inverse_log_det_jacobian(y), y, event_ndims, self.inverse_min_event_ndims)
      except NotImplementedError:
        x = self.inverse(y)
        of_forward = -self._forward_log_det_jacobian(x)
        before = event_ndims - self.inverse_min_event_ndims + self.forward_min_event_ndims
        return self._summed(of_forward, x, before, self.forward_min_event_ndims)

  def _dimensions_after(self, event_ndims):
    return event_ndims - self.forward_min_event_ndims + self.inverse_min_event_ndims

  @staticmethod
  def _check_dimensions(event_ndims, least):
    if event_ndims < least:
      raise ValueError(f"event_ndims ({event_ndims}) must be larger than min_event_ndims ({least})")

  @staticmethod
  def _summed(log_det, at, event_ndims, least):
    """The logarithms summed over the dimensions that an argument has beside those that the function needs."""
    extra = event_ndims - least
    if not extra:
      return log_det
    # A derivative that does not depend on the argument counts once for each of its elements.
    shape = tf.shape(at)
    elements = tf.zeros(shape[: tf.size(shape) - least], dtype=log_det.dtype)
    return tf.reduce_sum(log_det + elements, axis=list(range(-extra, 0)))

  def _forward(self, x):
    raise NotImplementedError("forward not implemented.")

  def _inverse(self, y):
    raise NotImplementedError("inverse not implemented")

  def _forward_log_det_jacobian(self, x):
    raise NotImplementedError("forward_log_det_jacobian not implemented.")

  def _inverse_log_det_jacobian(self, y):
    raise NotImplementedError("inverse_log_det_jacobian not implemented.")

  def forward_event_shape(self, input_shape):
    """What is known of the shape of a result, for the shape of an argument."""
    return TensorShape(self._forward_event_shape(TensorShape(input_shape)))

  def forward_event_shape_tensor(self, input_shape, name="forward_event_shape_tensor"):
    """The shape of a result for the shape of an argument, as int32 vectors."""
    with self._name_scope(name, [input_shape]):
      return self._forward_event_shape_tensor(tf.convert_to_tensor(input_shape, dtype=dtypes.int32))

  def inverse_event_shape(self, output_shape):
    """What is known of the shape of an argument, for the shape of a result."""
    return TensorShape(self._inverse_event_shape(TensorShape(output_shape)))

  def inverse_event_shape_tensor(self, output_shape, name="inverse_event_shape_tensor"):
    """The shape of an argument for the shape of a result, as int32 vectors."""
    with self._name_scope(name, [output_shape]):
      return self._inverse_event_shape_tensor(tf.convert_to_tensor(output_shape, dtype=dtypes.int32))

  def _forward_event_shape(self, input_shape):
    return input_shape

  def _forward_event_shape_tensor(self, input_shape):
    return input_shape

  def _inverse_event_shape(self, output_shape):
    return output_shape

  def _inverse_event_shape_tensor(self, output_shape):
    return output_shape

  @contextlib.contextmanager
  def _name_scope(self, name=None, values=None):
    with name_scope(self.name):
      with name_scope(name, values=([] if values is None else list(values)) + self.graph_parents) as scope:
        yield scope


def _snake_case(name):
  return "".join("_" + letter.lower() if letter.isupper() and place else letter.lower() for place, letter in enumerate(name))
