"""Tensor: an output of an operation. The extension has its fields; operators are set by the modules of their ops."""

from millrace import _binding
from millrace.framework import dtypes, tensor_shape


class Tensor(_binding.Tensor):
  """A symbolic handle to one of the outputs of an Operation, whose value a session computes."""

  OVERLOADABLE_OPERATORS = {
    "__add__",
    "__radd__",
    "__sub__",
    "__rsub__",
    "__mul__",
    "__rmul__",
    "__div__",
    "__rdiv__",
    "__truediv__",
    "__rtruediv__",
    "__floordiv__",
    "__rfloordiv__",
    "__mod__",
    "__rmod__",
    "__lt__",
    "__le__",
    "__gt__",
    "__ge__",
    "__and__",
    "__rand__",
    "__or__",
    "__ror__",
    "__xor__",
    "__rxor__",
    "__getitem__",
    "__pow__",
    "__rpow__",
    "__invert__",
    "__neg__",
    "__abs__",
    "__matmul__",
    "__rmatmul__",
    "__ne__",
    "__eq__",
  }

  def __new__(cls, op, value_index, dtype):
    """Returns the output `value_index` of an operation: a graph has one tensor for it. TypeError for what is no operation, or
    another type than it has."""
    from millrace.framework import operation

    if not isinstance(op, operation.Operation):
      raise TypeError("op needs to be an Operation: %s" % (op,))
    made = op.outputs[value_index]
    if dtypes.as_dtype(dtype) != made.dtype:
      raise TypeError("%s is of type %s, not %s" % (made.name, made.dtype.name, dtypes.as_dtype(dtype).name))
    return made

  # numpy's operators leave arithmetic of an array and a tensor to the tensor.
  __array_priority__ = 100

  @property
  def device(self):
    """The name of the device that makes it, as the graph requests it."""
    return self.op.device

  @property
  def _shape(self):
    return self.shape

  @property
  def _dtype(self):
    return self.dtype

  @property
  def _op(self):
    return self.op

  @property
  def _value_index(self):
    return self.value_index

  def get_shape(self):
    """Returns what is known of the shape."""
    return self.shape

  def _shape_tuple(self):
    return _binding.shape(self)

  @property
  def _rank(self):
    known = _binding.shape(self)
    return None if known is None else len(known)

  @property
  def ndim(self):
    """The number of dimensions. Raises ValueError if it is not known."""
    return len(self.shape)

  def set_shape(self, shape):
    """Adds what the program knows of the shape. Raises ValueError if it contradicts what is known."""
    if not isinstance(shape, tensor_shape.TensorShape):
      shape = tensor_shape.TensorShape(shape)
    if shape.ndims is not None:
      _binding.set_shape(self, shape)

  def _as_tf_output(self):
    """What functions of tensorflow.python.pywrap_tensorflow take: itself."""
    return self

  def _as_node_def_input(self):
    return self.name[:-2] if self.value_index == 0 else self.name

  def eval(self, feed_dict=None, session=None):
    """Returns the value, computed by a session; by default the default session of this thread."""
    from millrace.client import default_session

    return default_session.eval_using_default_session(self, feed_dict, self.graph, session)

  @staticmethod
  def _override_operator(operator, function):
    """Sets an operator of all tensors, once."""
    if operator not in Tensor.OVERLOADABLE_OPERATORS:
      raise ValueError("Overriding %s is disallowed" % operator)
    if operator in Tensor.__dict__ and operator not in ("__eq__", "__ne__"):
      raise ValueError("operator %s cannot be overwritten again on class %s." % (operator, Tensor))
    setattr(Tensor, operator, function)

  # Tensors of calls of tf.py_function have values while the program runs.

  def __getattr__(self, name):
    if name == "numpy" and self.graph.is_call:
      return lambda: self.graph.value_of(self)
    raise AttributeError("'%s' object has no attribute '%s'" % (type(self).__name__, name))

  def __int__(self):
    return int(self._known_value("int"))

  def __float__(self):
    return float(self._known_value("float"))

  def _known_value(self, kind):
    if not self.graph.is_call:
      raise TypeError("%s() argument must be a string, a bytes-like object or a number, not '%s'" % (kind, type(self).__name__))
    return self.graph.value_of(self)

  def __iter__(self):
    if self.graph.is_call:
      return (self[i] for i in range(len(self)))
    from millrace.framework import errors

    raise errors.OperatorNotAllowedInGraphError(
      "Iterating over a symbolic `tf.Tensor` is not allowed: its elements are there only when a session runs it. Use tf.unstack to "
      "split it, or tf.map_fn."
    )

  def __len__(self):
    if self.graph.is_call:
      return len(self.graph.value_of(self))
    raise TypeError(
      "len is not well defined for a symbolic Tensor (%s). Please call `x.shape` rather than `len(x)` for shape information."
      % self.name
    )

  def __bool__(self):
    if self.graph.is_call:
      return bool(self.graph.value_of(self))
    from millrace.framework import errors

    raise errors.OperatorNotAllowedInGraphError(
      "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed. Use `if t is not None:` instead of `if t:` to test if a tensor "
      "is defined, and `tf.cond` to choose by the value of a tensor."
    )

  __nonzero__ = __bool__

  def __array__(self, dtype=None, copy=None):
    if self.graph.is_call:
      import numpy as np

      return np.asarray(self.graph.value_of(self), dtype=dtype)
    raise NotImplementedError("Cannot convert a symbolic Tensor (%s) to a numpy array." % self.name)

  def __hash__(self):
    return id(self)

  def __eq__(self, other):
    return id(self) == id(other)

  def __copy__(self):
    return self

  def experimental_ref(self):
    """A hashable reference to this tensor."""
    return _Reference(self)

  ref = experimental_ref

  def __str__(self):
    shape = self.shape
    known = "" if shape.ndims is None else ", shape=%s" % shape
    device = self.device
    placed = ", device=%s" % device if device else ""
    return 'Tensor("%s"%s, dtype=%s%s)' % (self.name, known, self.dtype.name, placed)

  def __repr__(self):
    return "<tf.Tensor '%s' shape=%s dtype=%s>" % (self.name, self.shape, self.dtype.name)


class _Reference:
  """Compares by the identity of what it refers to."""

  __slots__ = ("_tensor",)

  def __init__(self, tensor):
    self._tensor = tensor

  def deref(self):
    return self._tensor

  def __eq__(self, other):
    return isinstance(other, _Reference) and self._tensor is other._tensor

  def __hash__(self):
    return id(self._tensor)

  def __repr__(self):
    return "<Reference wrapping %r>" % (self._tensor,)


_binding.set_hooks(tensor_class=Tensor, as_dtype=dtypes.as_dtype, shape=tensor_shape.TensorShape._of)
_binding.set_dtypes([dtype for dtype in dtypes._interned.values()])
