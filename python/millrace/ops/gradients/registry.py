"""Functions for gradients that programs register under the name of an op, or under a name of their own."""

import threading
import traceback

from millrace import _binding

_functions = {}  # None: not differentiable
_places = {}
_lock = threading.Lock()


def _register(op_type, function):
  if not isinstance(op_type, str):
    raise TypeError("op_type must be a string")
  with _lock:
    if op_type in _functions or _binding.has_gradient(op_type):
      place = _places.get(op_type, "the package")
      raise KeyError("Registering two gradient with name '%s'! (Previous registration was in %s)" % (op_type, place))
    frame = traceback.extract_stack(limit=3)[0]
    _places[op_type] = "%s %s:%s" % (frame.name, frame.filename, frame.lineno)
    _functions[op_type] = function


class RegisterGradient:
  """Decorates the gradient function of an op type, or of a name for `gradient_override_map`.

  The function is called as `f(op, grad, ...)`, with the gradient of each output, and returns that of each input: a tensor or a
  list of them, None where there is none. Raises TypeError for a name that is no string, KeyError for one that is taken, as those
  of ops that have a gradient are: gradient_override_map gives them another one.
  """

  __slots__ = ["_op_type"]

  def __init__(self, op_type):
    if not isinstance(op_type, str):
      raise TypeError("op_type must be a string")
    self._op_type = op_type

  def __call__(self, f):
    _register(self._op_type, f)
    return f


def no_gradient(op_type):
  """Says that ops of a type have no gradient: what depends on them is constant. Raises TypeError and KeyError as RegisterGradient."""
  _register(op_type, None)


NotDifferentiable = no_gradient
NoGradient = no_gradient


def find(name):
  """Returns (True, function or None) for a registered name, otherwise (False, None)."""
  if name in _functions:
    return True, _functions[name]
  return False, None


def register_internal(name, function):
  """Registers a function for one op of a program. The name is unique, so nothing is checked."""
  _functions[name] = function
  _places[name] = "the package"
