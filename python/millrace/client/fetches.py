"""What a run returns: nested structures of tensors, operations and names, as the values of a flat list."""

import collections.abc

from millrace.framework import composite
from millrace.framework.operation import Operation
from millrace.framework.tensor import Tensor

# (class, fetch function, feed function, feed function of partial runs), the latest first.
_conversions = []


def register_session_run_conversion_functions(
  tensor_type, fetch_function, feed_function=None, feed_function_for_partial_run=None
):
  """Registers how objects of a class are fetched and fed.

  fetch_function(object) returns (fetches, function of their values to the result); feed_function(object, value) a list of pairs
  (tensor, value); feed_function_for_partial_run(object) a list of tensors.
  """
  for conversion in _conversions:
    if issubclass(conversion[0], tensor_type):
      raise ValueError("%s has already been registered so ignore it." % tensor_type)
  _conversions.insert(0, (tensor_type, fetch_function, feed_function, feed_function_for_partial_run))


def conversion_of(value):
  """The registered conversion of a value, or None."""
  for conversion in _conversions:
    if isinstance(value, conversion[0]):
      return conversion
  return None


class _Element:
  """A tensor, an operation, or what stands for one or is made of several."""

  def __init__(self, fetches, contract):
    self._fetches, self._contract = fetches, contract
    self._places = None

  def collect(self, plan):
    self._places = [plan.add(fetch) for fetch in self._fetches]

  def build(self, values):
    if self._contract is None:
      return values[self._places[0]] if self._places else None
    return self._contract([values[place] for place in self._places])


class _Sequence:
  def __init__(self, fetches):
    self._type = type(fetches)
    self._parts = [mapper_of(fetch) for fetch in fetches]

  def collect(self, plan):
    for part in self._parts:
      part.collect(plan)

  def build(self, values):
    results = [part.build(values) for part in self._parts]
    if issubclass(self._type, list):
      return results
    return tuple(results) if self._type is tuple else self._type(*results)


class _Mapping:
  def __init__(self, fetches):
    self._fetches = fetches
    self._parts = [(key, mapper_of(fetch)) for key, fetch in fetches.items()]

  def collect(self, plan):
    for _, part in self._parts:
      part.collect(plan)

  def build(self, values):
    kind = type(self._fetches)
    results = kind(self._fetches.default_factory) if issubclass(kind, collections.defaultdict) else kind()
    for key, part in self._parts:
      results[key] = part.build(values)
    return results


class _Attrs:
  """An object of the package attrs."""

  def __init__(self, fetches):
    self._type = type(fetches)
    self._parts = [mapper_of(getattr(fetches, field.name)) for field in type(fetches).__attrs_attrs__]

  def collect(self, plan):
    for part in self._parts:
      part.collect(plan)

  def build(self, values):
    return self._type(*[part.build(values) for part in self._parts])


def mapper_of(fetch):
  """Returns what maps a structure of fetches to a flat list and back."""
  if fetch is None:
    raise TypeError('Argument `fetch` = %s has invalid type "%s". Cannot be None' % (fetch, type(fetch).__name__))
  if isinstance(fetch, (Tensor, Operation, str, bytes)):
    return _Element([fetch], None)
  conversion = conversion_of(fetch)
  if conversion is None and isinstance(fetch, (list, tuple)):
    return _Sequence(fetch)
  if conversion is None and isinstance(fetch, collections.abc.Mapping):
    return _Mapping(fetch)
  if conversion is None and hasattr(type(fetch), "__attrs_attrs__"):
    return _Attrs(fetch)
  if conversion is not None:
    fetches, contract = conversion[1](fetch)
    return _Element(list(fetches), contract)
  return _Element([fetch], None)


class Plan:
  """The flat lists of a run: `tensors` to fetch and `targets` to run, each once."""

  def __init__(self, graph, fetches):
    self._graph = graph
    self._places = {}  # element: its place in `elements`
    self.elements = []
    self._mapper = mapper_of(fetches)
    self._mapper.collect(self)
    self.tensors = [element for element in self.elements if isinstance(element, Tensor)]
    self.targets = [element for element in self.elements if not isinstance(element, Tensor)]
    self.handles = [tensor for tensor in self.tensors if tensor.op.type in ("GetSessionHandle", "GetSessionHandleV2")]

  def add(self, fetch):
    """Adds a fetch and returns its place. Raises TypeError and ValueError for what is none."""
    try:
      element = self._graph.as_graph_element(fetch, allow_tensor=True, allow_operation=True)
    except TypeError as error:
      raise TypeError(
        'Argument `fetch` = %s has invalid type "%s" must be a string or Tensor. (%s)' % (fetch, type(fetch).__name__, error)
      ) from None
    except (ValueError, KeyError) as error:
      raise ValueError("Argument `fetch` = %s cannot be interpreted as a Tensor. (%s)" % (fetch, error)) from None
    place = self._places.get(element)
    if place is None:
      if not self._graph.is_fetchable(element):
        raise ValueError(
          "Operation %r has been marked as not fetchable." % (element.op if isinstance(element, Tensor) else element).name
        )
      place = self._places[element] = len(self.elements)
      self.elements.append(element)
    return place

  def build(self, values):
    """Returns the structure of results: `values` has that of each fetched tensor."""
    return self._mapper.build([values.get(element) for element in self.elements])


def _sparse_fetch(fetch):
  return [fetch.indices, fetch.values, fetch.dense_shape], lambda values: composite.SparseTensorValue(*values)


def _sparse_feed(feed, value):
  return list(zip([feed.indices, feed.values, feed.dense_shape], value))


def _slices_parts(slices):
  return [slices.values, slices.indices] + ([] if slices.dense_shape is None else [slices.dense_shape])


def _slices_value(values):
  return composite.IndexedSlicesValue(values[0], values[1], values[2] if len(values) > 2 else None)


register_session_run_conversion_functions(
  composite.SparseTensor, _sparse_fetch, _sparse_feed, lambda feed: [feed.indices, feed.values, feed.dense_shape]
)
register_session_run_conversion_functions(
  composite.IndexedSlices,
  lambda fetch: (_slices_parts(fetch), _slices_value),
  lambda feed, value: list(zip(_slices_parts(feed), value)),
  _slices_parts,
)
