"""tf.raw_ops: every op by its type, `tf.raw_ops.MatMul(a=..., b=...)`, with keyword arguments alone."""

import sys


def _names():
  """The wrapper of each op type."""
  global _by_type
  if _by_type is None:
    from millrace.gen import index

    _by_type = {op_type: name for name, op_type in index.FUNCTIONS.items()}
  return _by_type


_by_type = None
# Arguments whose public names are not those of the schema.
_RENAMED = {
  **dict.fromkeys(("All", "Any", "EuclideanNorm", "Max", "Mean", "Min", "Prod", "Sum"), {"axis": "reduction_indices"}),
  **dict.fromkeys(("Split", "SplitV"), {"axis": "split_dim"}),
  "ExpandDims": {"axis": "dim"},
  "Select": {"x": "t", "y": "e"},
  "Squeeze": {"axis": "squeeze_dims"},
  "Where": {"condition": "input"},
}


def __getattr__(name):
  if name == "__all__":
    return sorted(_names())
  if name.startswith("__") or name not in _names():
    raise AttributeError("module 'millrace.raw_ops' has no attribute %r: there is no op of this type" % name)
  from millrace import gen

  function = getattr(gen, _names()[name])

  renamed = _RENAMED.get(name, {})

  def raw_op(**kwargs):
    return function(**{renamed.get(key, key): value for key, value in kwargs.items()})

  raw_op.__name__ = raw_op.__qualname__ = name
  raw_op.__doc__ = function.__doc__
  raw_op.__signature__ = _signature(function, {new: old for old, new in renamed.items()})
  setattr(sys.modules[__name__], name, raw_op)
  return raw_op


def _signature(function, renamed):
  import inspect

  signature = inspect.signature(function)
  parameters = [
    parameter.replace(name=renamed.get(parameter.name, parameter.name), kind=inspect.Parameter.KEYWORD_ONLY)
    for parameter in signature.parameters.values()
  ]
  return signature.replace(parameters=parameters)


def __dir__():
  return sorted(_names())
