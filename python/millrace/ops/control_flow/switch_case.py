"""tf.switch_case: the function with the number that an int tensor has."""

from millrace import gen
from millrace.framework import convert, dtypes, tensor
from millrace.framework import graph as graphs
from millrace.ops.control_flow import conditional


def _numbered(branch_fns, default):
  """Returns the functions in the order of their numbers, the last being that for all other numbers."""
  if not isinstance(branch_fns, (list, tuple, dict)):
    raise TypeError("'branch_fns' must be a list, tuple, or dict")
  pairs = list(branch_fns.items()) if isinstance(branch_fns, dict) else list(branch_fns)
  if all(callable(function) for function in pairs):
    pairs = list(enumerate(pairs))
  for pair in pairs:
    if not isinstance(pair, tuple) or len(pair) != 2:
      raise TypeError("Each entry in 'branch_fns' must be a 2-tuple. Received %s." % (pair,))
    number, function = pair
    if not isinstance(number, int):
      raise TypeError("key must be a Python `int`, got %s" % type(number))
    if not callable(function):
      raise TypeError("fn for key %s must be callable." % number)
  if not pairs:
    raise ValueError("Must provide at least one item in 'branch_fns'")
  pairs.sort()
  numbers = [number for number, _ in pairs]
  if numbers != list(range(len(pairs))):
    raise ValueError(
      "branch indices (keys) must form contiguous range of [0 to %d) but found {%s}" % (len(pairs), ",".join(map(str, numbers)))
    )
  functions = [function for _, function in pairs]
  if default is not None:
    if not callable(default):
      raise TypeError("'%s' object is not callable" % type(default).__name__)
    functions.append(default)
  return functions


def switch_case(branch_index, branch_fns, default=None, name="switch_case"):
  """Returns what the function of the number `branch_index` (an int32 scalar) returns.

  `branch_fns` is a list of functions without arguments, or a dict or list of pairs (number, function) whose numbers are 0, 1, ...
  Any other number takes `default`, or the last function. All return structures of the same types. Raises TypeError and
  ValueError for functions and numbers of other kinds.
  """
  if not isinstance(branch_index, tensor.Tensor):
    raise TypeError("'branch_index' must be a Tensor, got %s" % type(branch_index))
  functions = _numbered(branch_fns, default)
  with graphs.name_scope(name, "case", [branch_index]):
    branch_index = convert.convert_to_tensor(branch_index, dtype=dtypes.int32, name="branch_index")

    def built(number):
      if number == len(functions) - 1:
        return functions[number]()
      return conditional.cond(gen.equal(branch_index, number), functions[number], lambda: built(number + 1), strict=True)

    result = built(0)
  # A list of one element counts as that element, as in tf.cond without `strict`.
  return result[0] if isinstance(result, list) and len(result) == 1 else result
