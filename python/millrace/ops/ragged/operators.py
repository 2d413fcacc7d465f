"""Functions of elements and Python's operators for ragged tensors."""

from millrace.ops.math import binary, casts, dispatch, division, elementwise
from millrace.ops.ragged.tensor import RaggedTensor


def _elements(function, kind, args, kwargs):
  """Calls a function of elements with the flat values of its ragged arguments; their rows have to be the same."""
  from millrace.ops.ragged import dispatched, shaping

  if kind == "other":
    return dispatched.called(function, args, kwargs)

  return shaping.map_flat_values(function, *args, **kwargs)


dispatch.register(RaggedTensor, _elements)


def _install():
  two = {
    "add": binary.add,
    "sub": binary.subtract,
    "mul": binary.multiply,
    "truediv": division.truediv,
    "floordiv": division.floordiv,
    "mod": binary.floormod,
    "pow": binary.pow,
  }
  for name, function in two.items():
    setattr(RaggedTensor, "__%s__" % name, lambda x, y, call=function: call(x, y))
    setattr(RaggedTensor, "__r%s__" % name, lambda x, y, call=function: call(y, x))
  compared = {"lt": binary.less, "le": binary.less_equal, "gt": binary.greater, "ge": binary.greater_equal}
  for name, function in compared.items():
    setattr(RaggedTensor, "__%s__" % name, lambda x, y, call=function: call(x, y))
  RaggedTensor.__neg__ = lambda x: elementwise.negative(x)
  RaggedTensor.__abs__ = lambda x: elementwise.abs(x)
  RaggedTensor._cast = lambda x, dtype: casts.cast(x, dtype)


_install()
