"""Iterators: give one element of a data set a step."""

from millrace import gen
from millrace.data import element_specs
from millrace.framework import dtypes, scopes
from millrace.framework import graph as graphs
from millrace.framework.tensor import Tensor

_MANY_CALLS = 32
# The collection of iterators.
GLOBAL_ITERATORS = "iterators"


class Iterator:
  """An iterator over a data set. Its position is kept between steps; after the last element get_next raises OutOfRangeError."""

  def __init__(self, iterator_resource, initializer, output_types, output_shapes, output_classes):
    self._open(iterator_resource, initializer, element_specs.from_legacy(output_types, output_shapes, output_classes))

  def _open(self, iterator_resource, initializer, spec):
    self._iterator_resource = iterator_resource
    self._initializer = initializer
    self._element_spec = spec
    self._string_handle = gen.iterator_to_string_handle(iterator_resource)
    self._calls = 0
    graphs.add_to_collection(GLOBAL_ITERATORS, iterator_resource)

  @staticmethod
  def from_structure(output_types, output_shapes=None, shared_name=None, output_classes=None):
    """Returns an iterator without a data set; `make_initializer` gives it any of those with such elements."""
    types = element_specs.types_from(output_types)
    shapes = element_specs.shapes_from(types, output_shapes)
    spec = element_specs.from_legacy(types, shapes, _classes(types, output_classes))
    resource = gen.iterator_v2(shared_name=shared_name or "", container="", **element_specs.attrs_of(spec))
    return _iterator(resource, None, spec)

  @staticmethod
  def from_string_handle(string_handle, output_types, output_shapes=None, output_classes=None):
    """Returns the iterator that the string of another one's `string_handle()` names."""
    from millrace.framework import convert

    types = element_specs.types_from(output_types)
    shapes = element_specs.shapes_from(types, output_shapes)
    spec = element_specs.from_legacy(types, shapes, _classes(types, output_classes))
    string_handle = convert.convert_to_tensor(string_handle, dtype=dtypes.string)
    resource = gen.iterator_from_string_handle_v2(string_handle, **element_specs.attrs_of(spec))
    return _iterator(resource, None, spec)

  @property
  def initializer(self):
    """The operation that puts the iterator before the first element. Raises ValueError if there is none."""
    if self._initializer is None:
      raise ValueError(
        "The iterator does not have an initializer. This means it was likely created using "
        "`tf.data.Dataset.make_one_shot_iterator()`. For an initializable iterator, use "
        "`tf.data.Dataset.make_initializable_iterator()` instead."
      )
    return self._initializer

  def make_initializer(self, dataset, name=None):
    """Returns the operation that puts the iterator before the first element of a data set."""
    with scopes.name_scope(name, "make_initializer") as scope:
      _check_fits(self, dataset)
      with scopes.colocate_with(self._iterator_resource):
        return gen.make_iterator(dataset._variant_tensor, self._iterator_resource, name=scope)

  def get_next(self, name=None):
    """Returns the tensors of the next element, as a structure. Called once for a graph, not in a loop of steps."""
    self._calls += 1
    if self._calls > _MANY_CALLS:
      import warnings

      warnings.warn(
        "An unusually high number of `Iterator.get_next()` calls was detected. This often indicates that `Iterator.get_next()` is "
        "being called inside a training loop, which will cause gradual slowdown and eventual resource exhaustion. If this is the "
        "case, restructure your code to call `next_element = iterator.get_next()` once outside the loop, and use `next_element` "
        "as the input to some computation that is invoked inside the loop.",
        stacklevel=2,
      )
    with scopes.colocate_with(self._iterator_resource):
      flat = gen.iterator_get_next(self._iterator_resource, name=name, **element_specs.attrs_of(self._element_spec))
      return element_specs.from_tensor_list(self._element_spec, flat)

  def string_handle(self, name=None):
    """Returns a string tensor by whose value from_string_handle finds the iterator."""
    if name is None:
      return self._string_handle
    return gen.iterator_to_string_handle(self._iterator_resource, name=name)

  @property
  def element_spec(self):
    """The structure of specs of the elements."""
    return self._element_spec

  @property
  def output_classes(self):
    """The structure of classes of the elements."""
    return element_specs.legacy_classes(self._element_spec)

  @property
  def output_shapes(self):
    """The structure of shapes of the elements."""
    return element_specs.legacy_shapes(self._element_spec)

  @property
  def output_types(self):
    """The structure of types of the elements."""
    return element_specs.legacy_types(self._element_spec)


def _classes(types, classes):
  from millrace.data import structures

  if classes is None:
    return structures.map_structure(lambda _: Tensor, types)
  return classes


def _check_fits(iterator, dataset):
  mine, theirs = iterator.element_spec, dataset.element_spec
  if element_specs.are_compatible(mine, theirs):
    return
  from millrace.data import structures

  structures.assert_same_structure(mine, theirs)
  for what, get in (
    ("types", element_specs.legacy_types),
    ("classes", element_specs.legacy_classes),
    ("shapes", element_specs.legacy_shapes),
  ):
    expected, got = get(mine), get(theirs)
    if what == "shapes" or structures.flatten(expected) != structures.flatten(got):
      raise TypeError(f"Expected output {what} {expected!r} but got dataset with output {what} {got!r}.")


def _iterator(resource, initializer, spec):
  made = Iterator.__new__(Iterator)
  made._open(resource, initializer, spec)
  return made


def make_initializable_iterator(dataset, shared_name=None):
  """tf.data.make_initializable_iterator: an iterator whose `initializer` has to run before its first element is taken."""
  _check_graph(dataset)
  spec = dataset.element_spec
  with scopes.colocate_with(dataset._variant_tensor):
    resource = gen.iterator_v2(shared_name=shared_name or "", container="", **element_specs.attrs_of(spec))
    initializer = gen.make_iterator(dataset._variant_tensor, resource)
    return _iterator(resource, initializer, spec)


def make_one_shot_iterator(dataset):
  """tf.data.make_one_shot_iterator: an iterator over a data set that does not depend on anything with state."""
  from millrace.data import one_shot

  _check_graph(dataset)
  spec = dataset.element_spec
  factory = one_shot.factory(dataset)
  with scopes.colocate_with(dataset._variant_tensor):
    resource = gen.one_shot_iterator(dataset_factory=factory, **element_specs.attrs_of(spec))
    return _iterator(resource, None, spec)


def _check_graph(dataset):
  current = graphs.get_default_graph()
  if dataset._variant_tensor.graph is not current and not current.building_function:
    raise ValueError(
      f"The graph {current} of the iterator is different from the graph {dataset._variant_tensor.graph} the dataset: {dataset._variant_tensor} was created in. If you are using the Estimator "
      "API, make sure that no part of the dataset returned by the `input_fn` function is defined outside the `input_fn` function. "
      "Otherwise, make sure that the creation of the data set and of its iterator are in the same graph."
    )
