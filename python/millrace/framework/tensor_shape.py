"""Shapes known in whole, in part or not at all, with TensorFlow 1's behaviour: their elements are Dimension objects."""

import functools
import operator


class Dimension:
  """A number of elements along one axis, or None if it is not known. Compared with something unknown, the answer is None."""

  __slots__ = ("_value",)

  def __init__(self, value):
    if type(value) is int:
      self._value = value
    elif value is None:
      self._value = None
      return
    elif isinstance(value, Dimension):
      self._value = value._value
      return
    else:
      self._value = _as_number(value)
      if self._value is None:
        return
    if self._value < 0:
      raise ValueError("Dimension %d must be >= 0" % self._value)

  @property
  def value(self):
    return self._value

  def __repr__(self):
    return "Dimension(%s)" % (self._value,)

  def __str__(self):
    return "?" if self._value is None else str(self._value)

  def __eq__(self, other):
    try:
      other = as_dimension(other)
    except (TypeError, ValueError):
      return NotImplemented
    if self._value is None or other._value is None:
      return None
    return self._value == other._value

  def __ne__(self, other):
    try:
      other = as_dimension(other)
    except (TypeError, ValueError):
      return NotImplemented
    if self._value is None or other._value is None:
      return None
    return self._value != other._value

  __hash__ = None

  def __bool__(self):
    return bool(self._value)

  def __int__(self):
    return self._value

  def __float__(self):
    return float(self._value)

  def __index__(self):
    return self._value

  def is_compatible_with(self, other):
    """True if both may be the same number."""
    other = as_dimension(other)
    return self._value is None or other._value is None or self._value == other._value

  def assert_is_compatible_with(self, other):
    if not self.is_compatible_with(other):
      raise ValueError("Dimensions %s and %s are not compatible" % (self, other))

  def merge_with(self, other):
    """Returns what is known by both. Raises ValueError if they contradict."""
    other = as_dimension(other)
    self.assert_is_compatible_with(other)
    return Dimension(other._value if self._value is None else self._value)

  def _binary(self, other, function):
    try:
      other = as_dimension(other)
    except (TypeError, ValueError):
      return NotImplemented
    if self._value is None or other._value is None:
      return Dimension(None)
    return Dimension(function(self._value, other._value))

  def _reversed(self, other, function):
    return self._binary(other, lambda mine, its: function(its, mine))

  def _compare(self, other, function):
    other = as_dimension(other)
    if self._value is None or other._value is None:
      return None
    return function(self._value, other._value)

  def __add__(self, other):
    return self._binary(other, operator.add)

  def __radd__(self, other):
    return self._reversed(other, operator.add)

  def __sub__(self, other):
    return self._binary(other, operator.sub)

  def __rsub__(self, other):
    return self._reversed(other, operator.sub)

  def __mul__(self, other):
    return self._binary(other, operator.mul)

  def __rmul__(self, other):
    return self._reversed(other, operator.mul)

  def __floordiv__(self, other):
    return self._binary(other, operator.floordiv)

  def __rfloordiv__(self, other):
    return self._reversed(other, operator.floordiv)

  def __mod__(self, other):
    return self._binary(other, operator.mod)

  def __rmod__(self, other):
    return self._reversed(other, operator.mod)

  def __div__(self, other):
    return self // other

  def __truediv__(self, other):
    raise TypeError("unsupported operand type(s) for /: 'Dimension' and '%s', please use // instead" % type(other).__name__)

  def __rtruediv__(self, other):
    raise TypeError("unsupported operand type(s) for /: '%s' and 'Dimension', please use // instead" % type(other).__name__)

  def __lt__(self, other):
    return self._compare(other, operator.lt)

  def __le__(self, other):
    return self._compare(other, operator.le)

  def __gt__(self, other):
    return self._compare(other, operator.gt)

  def __ge__(self, other):
    return self._compare(other, operator.ge)

  def __reduce__(self):
    return Dimension, (self._value,)


def _as_number(value):
  """The number that `value` is: an index, or a whole number of another kind, such as 2.0 of an array."""
  if hasattr(value, "as_dimension_value"):  # other packages' dimensions
    return value.as_dimension_value()
  inner = getattr(value, "value", value) if type(value).__name__ == "Dimension" else value
  if inner is None:
    return None
  try:
    return operator.index(inner)
  except TypeError:
    if getattr(inner, "is_integer", bool)():
      return int(inner)
    raise TypeError(
      "Dimension value must be integer or None or have an __index__ method, got value '%r' with type '%r'" % (value, type(value))
    ) from None


def as_dimension(value):
  return value if isinstance(value, Dimension) else Dimension(value)


def dimension_value(dimension):
  """The number of a Dimension; anything else as it is."""
  return dimension._value if isinstance(dimension, Dimension) else dimension


def dimension_at_index(shape, index):
  return Dimension(None) if shape.rank is None else shape.dims[index]


class TensorShape:
  """The shape of a tensor: `TensorShape(None)` of unknown rank, `TensorShape([2, None])` a matrix of two rows.

  Made from None, a number, a sequence of numbers, None and Dimension objects, another shape, or a TensorShapeProto.
  """

  __slots__ = ("_numbers",)

  def __init__(self, dims):
    if dims is None:
      self._numbers = None
    elif type(dims) in (list, tuple):
      self._numbers = tuple([d if d is None else _checked(d, dims) for d in dims])
    elif isinstance(dims, TensorShape):
      self._numbers = dims._numbers
    elif hasattr(dims, "unknown_rank") and hasattr(dims, "dim"):
      self._numbers = None if dims.unknown_rank else tuple([None if d.size == -1 else d.size for d in dims.dim])
    else:
      try:
        iterator = iter(dims)
      except TypeError:
        self._numbers = (Dimension(dims)._value,)
      else:
        self._numbers = tuple([d if d is None else _checked(d, dims) for d in iterator])

  @classmethod
  def _of(cls, numbers):
    """The shape of a tuple of numbers and None (or of None), not checked."""
    made = object.__new__(cls)
    made._numbers = numbers
    return made

  @property
  def _dims(self):
    return self.dims

  @property
  def dims(self):
    """A list of Dimension objects, or None if the rank is not known."""
    return None if self._numbers is None else [Dimension(d) for d in self._numbers]

  @property
  def rank(self):
    return None if self._numbers is None else len(self._numbers)

  @property
  def ndims(self):
    return self.rank

  def __repr__(self):
    return "TensorShape(%r)" % (self.dims,)

  def __str__(self):
    if self._numbers is None:
      return "<unknown>"
    words = ["?" if d is None else str(d) for d in self._numbers]
    return "(%s,)" % words[0] if len(words) == 1 else "(%s)" % ", ".join(words)

  def __len__(self):
    if self._numbers is None:
      raise ValueError("Cannot take the length of shape with unknown rank.")
    return len(self._numbers)

  def __bool__(self):
    return self._numbers is not None

  def __iter__(self):
    if self._numbers is None:
      raise ValueError("Cannot iterate over a shape with unknown rank.")
    return iter(self.dims)

  def __getitem__(self, key):
    """A Dimension, or for a slice a TensorShape."""
    if self._numbers is not None:
      found = self.dims[key]
      return TensorShape(found) if isinstance(key, slice) else found
    if not isinstance(key, slice):
      return Dimension(None)
    start = 0 if key.start is None else key.start
    if key.step is not None or key.stop is None or key.stop < 0 or start < 0:
      return unknown_shape()
    return unknown_shape(rank=max(key.stop - start, 0))

  def __eq__(self, other):
    try:
      other = as_shape(other)
    except (TypeError, ValueError):
      return NotImplemented
    return self._numbers == other._numbers

  def __ne__(self, other):
    equal = self.__eq__(other)
    return equal if equal is NotImplemented else not equal

  def __hash__(self):
    return hash(self._numbers)

  def __add__(self, other):
    return self.concatenate(other)

  def __radd__(self, other):
    return as_shape(other).concatenate(self)

  def __concat__(self, other):
    return self.concatenate(other)

  def __reduce__(self):
    return TensorShape, (self.dims,)

  def num_elements(self):
    """The product of the dimensions, or None if that is not known."""
    if self._numbers is None or None in self._numbers:
      return None
    return functools.reduce(operator.mul, self._numbers, 1)

  def merge_with(self, other):
    """Returns what is known by both. Raises ValueError if they contradict."""
    other = as_shape(other)
    if self._numbers is None:
      return other
    if other._numbers is None:
      return self
    if len(self._numbers) != len(other._numbers) or not self.is_compatible_with(other):
      raise ValueError("Shapes %s and %s are not compatible" % (self, other))
    return TensorShape._of(tuple([b if a is None else a for a, b in zip(self._numbers, other._numbers)]))

  def concatenate(self, other):
    other = as_shape(other)
    if self._numbers is None or other._numbers is None:
      return unknown_shape()
    return TensorShape._of(self._numbers + other._numbers)

  def assert_same_rank(self, other):
    other = as_shape(other)
    if self.rank is not None and other.rank is not None and self.rank != other.rank:
      raise ValueError("Shapes %s and %s must have the same rank" % (self, other))

  def assert_has_rank(self, rank):
    if self.rank not in (None, rank):
      raise ValueError("Shape %s must have rank %d" % (self, rank))

  def with_rank(self, rank):
    """This shape, which has `rank` dimensions from now on. Raises ValueError if it has another number of them."""
    try:
      return self.merge_with(unknown_shape(rank=rank))
    except ValueError:
      raise ValueError("Shape %s must have rank %d" % (self, rank)) from None

  def with_rank_at_least(self, rank):
    if self.rank is not None and self.rank < rank:
      raise ValueError("Shape %s must have rank at least %d" % (self, rank))
    return self

  def with_rank_at_most(self, rank):
    if self.rank is not None and self.rank > rank:
      raise ValueError("Shape %s must have rank at most %d" % (self, rank))
    return self

  def is_compatible_with(self, other):
    """True if both may be the shape of one tensor."""
    other = as_shape(other)
    if self._numbers is None or other._numbers is None:
      return True
    if len(self._numbers) != len(other._numbers):
      return False
    return all(a is None or b is None or a == b for a, b in zip(self._numbers, other._numbers))

  def assert_is_compatible_with(self, other):
    if not self.is_compatible_with(other):
      raise ValueError("Shapes %s and %s are incompatible" % (self, other))

  def most_specific_compatible_shape(self, other):
    """The most that is known of both: dimensions in which they differ are unknown, and so is the rank if that differs."""
    other = as_shape(other)
    if self._numbers is None or other._numbers is None or len(self._numbers) != len(other._numbers):
      return unknown_shape()
    return TensorShape._of(tuple([a if a == b else None for a, b in zip(self._numbers, other._numbers)]))

  def is_fully_defined(self):
    return self._numbers is not None and None not in self._numbers

  def assert_is_fully_defined(self):
    if not self.is_fully_defined():
      raise ValueError("Shape %s is not fully defined" % (self,))

  def as_list(self):
    """A list of numbers and None. Raises ValueError if the rank is not known."""
    if self._numbers is None:
      raise ValueError("as_list() is not defined on an unknown TensorShape.")
    return list(self._numbers)

  def as_proto(self):
    from millrace.framework import protos

    proto = protos.TensorShapeProto()
    if self._numbers is None:
      proto.unknown_rank = True
    else:
      for number in self._numbers:
        proto.dim.add().size = -1 if number is None else number
    return proto


def _checked(dimension, dims):
  """The number of a dimension that is not None."""
  if type(dimension) is int and dimension >= 0:
    return dimension
  if isinstance(dimension, Dimension):
    return dimension._value
  try:
    return Dimension(dimension)._value
  except TypeError:
    if isinstance(dims, (list, tuple)):
      raise
    raise TypeError(
      "Failed to convert '%r' to a shape: '%r'could not be converted to a dimension. A shape should either be single dimension "
      "(e.g. 10), or an iterable of dimensions (e.g. [1, 10, None])." % (dims, dimension)
    ) from None


def as_shape(shape):
  return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def unknown_shape(rank=None, **kwargs):
  """A shape of which only the rank is known, or nothing."""
  if rank is None and "ndims" in kwargs:
    rank = kwargs.pop("ndims")
  if kwargs:
    raise TypeError("Unknown argument: %s" % (kwargs,))
  return TensorShape._of(None if rank is None else (None,) * rank)


def scalar():
  return TensorShape._of(())


def vector(length):
  return TensorShape([length])


def matrix(rows, cols):
  return TensorShape([rows, cols])


_UNKNOWN_SHAPE = TensorShape._of(None)
