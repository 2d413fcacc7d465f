"""Finds parts of a graph that have the form of a pattern, such as a convolution whose sum goes into an activation."""

import abc
import itertools

# Of unordered inputs all orders are tried.
_MOST_UNORDERED = 8


class Pattern(abc.ABC):
  """What an op, and what is before it, may look like."""

  @abc.abstractmethod
  def match(self, op, tensor):
    """Returns a MatchResult of an op, which was reached by its result `tensor` or by none, or None."""


class OpTypePattern(Pattern):
  """Ops of a type, of one of several ("Add|AddV2"), or of any ("*"), whose inputs come from ops of given patterns.

  `inputs` are patterns or types; without them an op may have any inputs. With `ordered_inputs=False` they may have another order.
  """

  def __init__(self, op_type, name=None, inputs=None, ordered_inputs=True):
    self._op_type = op_type
    self._name = name
    self._inputs = [given if isinstance(given, Pattern) else OpTypePattern(given) for given in inputs or []]
    self._ordered_inputs = ordered_inputs
    if not ordered_inputs and len(self._inputs) > _MOST_UNORDERED:
      raise ValueError(f"Only < {_MOST_UNORDERED} inputs are allowed when ordered_inputs is False.")

  @property
  def name(self):
    """The name by which a result finds what this pattern matched, or None."""
    return self._name

  def match(self, op, tensor):
    if self._op_type != "*" and op.type not in self._op_type.split("|"):
      return None
    found = MatchResult()
    found.add(self, op, tensor)
    if not self._inputs:
      return found
    if len(op.inputs) != len(self._inputs):
      return None
    for patterns in [self._inputs] if self._ordered_inputs else itertools.permutations(self._inputs):
      matches = _match_all(patterns, list(op.inputs))
      if matches is not None:
        for match in matches:
          found.merge_from(match)
        return found
    return None


def _match_all(patterns, tensors):
  matches = []
  for pattern, tensor in zip(patterns, tensors):
    match = pattern.match(tensor.op, tensor)
    if match is None:
      return None
    matches.append(match)
  return matches


class OneofPattern(Pattern):
  """What one of several patterns matches; the first that does counts."""

  def __init__(self, sub_patterns):
    self._sub_patterns = sub_patterns

  def match(self, op, tensor):
    for pattern in self._sub_patterns:
      found = pattern.match(op, tensor)
      if found is not None:
        return found
    return None


class MatchResult:
  """The ops and tensors that patterns have matched."""

  def __init__(self):
    self._found = {}
    self._names = {}

  def add(self, pattern, op, tensor):
    """Adds what a pattern has matched. Raises ValueError if its name is another pattern's."""
    self._found[pattern] = (op, tensor)
    if pattern.name is not None:
      if self._names.get(pattern.name, pattern) is not pattern:
        raise ValueError(f"Name {pattern.name} is already bound to another pattern")
      self._names[pattern.name] = pattern

  def get_op(self, pattern_or_name):
    """Returns the op that a pattern, or the one of a name, has matched, or None."""
    return self._of(pattern_or_name)[0]

  def get_tensor(self, pattern_or_name):
    """Returns the tensor by which that op was reached, or None."""
    return self._of(pattern_or_name)[1]

  def _of(self, pattern_or_name):
    if not isinstance(pattern_or_name, (str, Pattern)):
      raise ValueError(f"pattern_or_name has type {type(pattern_or_name)}. Expect Pattern or str.")
    pattern = self._names.get(pattern_or_name) if isinstance(pattern_or_name, str) else pattern_or_name
    return self._found.get(pattern, (None, None))

  def merge_from(self, other):
    """Adds all that another result has."""
    self._found.update(other._found)
    self._names.update(other._names)


class GraphMatcher:
  """Finds the ops of a graph that a pattern matches."""

  def __init__(self, pattern):
    self._pattern = pattern

  def match_op(self, op):
    """Returns the MatchResult of an op, or None."""
    return self._pattern.match(op, tensor=None)

  def match_ops(self, ops):
    """Yields the MatchResult of each op that has one."""
    for op in ops:
      found = self.match_op(op)
      if found is not None:
        yield found

  def match_graph(self, graph):
    """Yields the MatchResult of each op of a graph that has one."""
    return self.match_ops(graph.get_operations())
