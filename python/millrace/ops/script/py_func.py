"""tf.py_func, tf.numpy_function and tf.py_function: functions of this process as ops of a graph.

A graph holds the token of a function, and this process the function itself: sessions of this process and a tf.train.Server of
this process can call it, no other server can.
"""

import threading
import weakref

import numpy as np

from millrace import _binding, gen
from millrace.framework import dtypes, errors
from millrace.framework import graph as graphs

_lock = threading.Lock()
_count = 0
_functions = weakref.WeakValueDictionary()  # by token


class _Function:
  """A function as ops call it. Lives as long as the graphs that have such an op."""

  def __init__(self, function, types, eager):
    self.function = function
    self.types = types
    self.eager = eager
    self.gradient = None

  def call(self, values):
    if self.eager:
      from millrace.ops.script import eager_call

      return eager_call.call(self.function, self.types, values)
    result = self.function(*values)
    if result is None:
      return []
    if isinstance(result, (list, tuple)):
      return [_as_array(value) for value in result]
    return [_as_array(result)]


def _as_array(value):
  """What a function returned as an array. Texts become arrays of objects."""
  array = np.asarray(value, order="C")
  if array.dtype.kind in "US":
    flat = [text.encode() if isinstance(text, str) else bytes(text) for text in array.reshape(-1).tolist()]
    texts = np.empty(len(flat), dtype=object)
    texts[:] = flat
    array = texts.reshape(array.shape)
  return array


def _register(function):
  global _count
  with _lock:
    token = "pyfunc_%d" % _count
    _count += 1
  _functions[token] = function
  return token


def _call(token, eager, device, arrays):
  """Called by the extension, with the GIL held: returns arrays. What it raises fails the step."""
  del eager, device
  function = _functions.get(token)
  if function is None:
    raise ValueError("callback %s is not found" % token)
  return function.call([array[()] if array.ndim == 0 else array for array in arrays])


_CODES = (
  ((TypeError, ValueError), errors.INVALID_ARGUMENT),
  (StopIteration, errors.OUT_OF_RANGE),
  (MemoryError, errors.RESOURCE_EXHAUSTED),
  (NotImplementedError, errors.UNIMPLEMENTED),
)


def _code(error):
  """The code of an error of the step, which is never OK. Exceptions of databases, too, have numbers, which mean something else."""
  if isinstance(error, errors.OpError):
    code = error.error_code
    return code if type(code) is int and errors.OK < code <= errors.UNAUTHENTICATED else errors.UNKNOWN
  return next((code for kinds, code in _CODES if isinstance(error, kinds)), errors.UNKNOWN)


def _text(error):
  """The class, text and traceback of any exception, also of one whose text cannot be had or encoded."""
  import traceback

  kind = type(error).__name__
  try:
    text = str(error)
  except Exception:
    text = "<no text>"
  trace = "".join(traceback.format_exception(type(error), error, error.__traceback__)).rstrip("\n")
  return ("%s: %s\n%s" % (kind, text, trace)).encode("utf-8", "replace")


def _failure(error):
  """Called by the extension for what `_call` raised: returns the code and the text of the step's error."""
  return _code(error), _text(error)


_binding.set_script_function(_call, _failure)


def _internal(func, inp, types, stateful, eager, name):
  if not callable(func):
    raise ValueError("Expected func to be callable. Received func=%s of type %s." % (func, type(func)))
  is_list = isinstance(types, (list, tuple))
  types = [dtypes.as_dtype(t) for t in (types if is_list else [types])]
  function = _Function(func, types, eager)
  token = _register(function)
  graph = graphs.get_default_graph()
  while graph.building_function and graph.outer_graph is not None:
    graph = graph.outer_graph
  graph.__dict__.setdefault("_py_funcs_used_in_graph", []).append(function)
  inp = list(inp)
  if eager:
    result = gen.eager_py_func(inp, token=token, Tout=types, name=name)
  elif stateful:
    result = gen.py_func(inp, token=token, Tout=types, name=name)
  else:
    result = gen.py_func_stateless(inp, token=token, Tout=types, name=name)
  if is_list:
    return result
  return result[0] if isinstance(result, (list, tuple)) else result


def py_func(func, inp, Tout, stateful=True, name=None):
  """Returns what `func` returns for the values of the tensors `inp`, in each step.

  `func` takes numpy arrays (numpy scalars and bytes for scalars) and returns arrays of the types `Tout`: a list of types for a
  list of results, a single one for a single result. Shapes are not known. A function that is not `stateful` may be called less
  often than the op is run. What it raises fails the step: TypeError and ValueError as InvalidArgumentError, StopIteration as
  OutOfRangeError, a class of tf.errors as itself, most others as UnknownError. Raises ValueError if `func` is not callable.
  """
  return _internal(func, inp, Tout, stateful, False, name)


def numpy_function(func, inp, Tout, name=None):
  """Returns what `func` returns for the values of the tensors `inp`: py_func with state."""
  return _internal(func, inp, Tout, True, False, name)


def py_function(func, inp, Tout, name=None):
  """Returns what `func` returns for the tensors `inp`, in each step, with gradients through what it does.

  `func` takes tensors whose values are known (`numpy()` has them) and returns tensors or values of the types `Tout`. Raises
  ValueError if `func` is not callable.
  """
  return _internal(func, inp, Tout, True, True, name)


def function_of(token):
  """The registered function of a token; None if there is none any more."""
  return _functions.get(token)
