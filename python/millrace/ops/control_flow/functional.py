"""Functions over the rows of tensors: map_fn, scan, foldl, foldr."""

import contextlib

from millrace.framework import constants, convert, nest, tensor_shape
from millrace.framework import graph as graphs
from millrace.ops.control_flow import tensor_array, while_loop


@contextlib.contextmanager
def _cached_variables():
  """Variables that a function makes are read once, not in each iteration."""
  from millrace.ops.variables import scope as scopes

  scope = scopes.get_variable_scope()
  set_here = scope.caching_device is None
  if set_here:
    scope.set_caching_device(lambda op: op.device)
  try:
    yield
  finally:
    if set_here:
      scope.set_caching_device(None)


class _Rows:
  """The elements as tensors, whose rows a function takes one after another."""

  def __init__(self, elems):
    self.structure = elems
    self.given = nest.flatten(elems)
    self.tensors = [convert.convert_to_tensor(elem, name="elem") for elem in self.given]

  def count(self):
    """The number of rows: an int if it is known, otherwise a tensor."""
    from millrace.ops.array import shapes

    static = tensor_shape.dimension_value(self.tensors[0].get_shape()[0])
    return static if static is not None else shapes.shape(self.tensors[0])[0]

  def arrays(self, count, with_shapes=False, values=None):
    """The rows as TensorArrays."""
    made = []
    for value in self.tensors:
      shape = value.get_shape()[1:] if with_shapes else None
      made.append(
        tensor_array.TensorArray(dtype=value.dtype, size=count, dynamic_size=False, element_shape=shape, infer_shape=True)
      )
    return [array.unstack(value) for array, value in zip(made, self.tensors if values is None else values)]

  def pack(self, tensors):
    return nest.pack_sequence_as(self.structure, tensors)

  def static_count(self):
    """The number of rows as a Dimension. Raises ValueError if the tensors differ in it."""
    count = tensor_shape.Dimension(tensor_shape.dimension_value(self.tensors[0].get_shape().with_rank_at_least(1)[0]))
    for value in self.tensors[1:]:
      other = tensor_shape.dimension_value(value.get_shape().with_rank_at_least(1)[0])
      count.assert_is_compatible_with(tensor_shape.Dimension(other))
    return count


def _stacked(arrays, rows):
  """The TensorArrays as tensors that have as many rows as the elements."""
  results = [array.stack() for array in arrays]
  count = rows.static_count()
  for result in results:
    result.set_shape(tensor_shape.TensorShape(count).concatenate(result.get_shape()[1:]))
  return results


def _check_function(fn):
  if not callable(fn):
    raise TypeError("fn must be callable.")


def map_fn(fn, elems, dtype=None, parallel_iterations=None, back_prop=True, swap_memory=False, infer_shape=True, name=None):
  """Returns the results of `fn` for all rows of `elems`, stacked along dimension 0.

  `elems` is a tensor or a structure of tensors with equally many rows; `fn` takes a row, or the structure with one row of each,
  and returns tensors of the types `dtype`, by default the structure and types of `elems`. With `infer_shape`, all results of
  one kind have one shape. Raises TypeError if `fn` is not callable, ValueError for scalars.
  """
  _check_function(fn)
  parallel_iterations = parallel_iterations or 10
  structure = elems if dtype is None else dtype
  with graphs.name_scope(name, "map", nest.flatten(elems)), _cached_variables():
    rows = _Rows(elems)
    types = [value.dtype for value in rows.tensors] if dtype is None else nest.flatten(dtype)
    shape = rows.tensors[0].get_shape()
    if shape.ndims is not None and shape.ndims == 0:
      raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
    count = rows.count()
    inputs = rows.arrays(count)
    begin = constants.constant(0)
    results = [tensor_array.TensorArray(dtype=t, size=count, dynamic_size=False, infer_shape=infer_shape) for t in types]

    def compute(i, arrays):
      values = fn(rows.pack([array.read(i) for array in inputs]))
      nest.assert_same_structure(structure, values)
      arrays = [array.write(i, value) for array, value in zip(arrays, nest.flatten(values))]
      return (i + 1, arrays)

    _, results = while_loop.while_loop(
      lambda i, _: i < count,
      compute,
      (begin, results),
      parallel_iterations=parallel_iterations,
      back_prop=back_prop,
      swap_memory=swap_memory,
      maximum_iterations=count,
    )
    return nest.pack_sequence_as(structure, _stacked(results, rows))


def scan(
  fn,
  elems,
  initializer=None,
  parallel_iterations=10,
  back_prop=True,
  swap_memory=False,
  infer_shape=True,
  reverse=False,
  name=None,
):
  """Returns all partial results of `accumulated = fn(accumulated, row)` over the rows of `elems`, stacked along dimension 0.

  It begins with `initializer`, or with the first row; `reverse` goes from the last row to the first, and the results stand in
  the order of the rows. `elems` and the accumulated value may be structures. Raises TypeError if `fn` is not callable,
  ValueError if `fn` changes the structure.
  """
  _check_function(fn)
  structure = elems if initializer is None else initializer
  with graphs.name_scope(name, "scan", nest.flatten(elems)), _cached_variables():
    rows = _Rows(elems)
    count = rows.count()
    inputs = rows.arrays(count, with_shapes=True)
    if initializer is None:
      values = [array.read(count - 1 if reverse else 0) for array in inputs]
      done = 1
    else:
      values = [convert.convert_to_tensor(value) for value in nest.flatten(initializer)]
      done = 0
    results = [
      tensor_array.TensorArray(
        dtype=value.dtype,
        size=count,
        element_shape=value.get_shape() if infer_shape else None,
        dynamic_size=False,
        infer_shape=infer_shape,
      )
      for value in values
    ]
    if initializer is None:
      results = [array.write(count - 1 if reverse else 0, value) for array, value in zip(results, values)]

    def compute(i, accumulated, arrays):
      row = rows.pack([array.read(i) for array in inputs])
      accumulated = fn(nest.pack_sequence_as(structure, accumulated), row)
      nest.assert_same_structure(structure, accumulated)
      accumulated = nest.flatten(accumulated)
      arrays = [array.write(i, value) for array, value in zip(arrays, accumulated)]
      return (i - 1 if reverse else i + 1, accumulated, arrays)

    if reverse:
      begin = count - 1 - done
      goes_on = lambda i, *_: i >= 0
    else:
      begin = done
      goes_on = lambda i, *_: i < count
    _, _, results = while_loop.while_loop(
      goes_on,
      compute,
      (begin, values, results),
      parallel_iterations=parallel_iterations,
      back_prop=back_prop,
      swap_memory=swap_memory,
      maximum_iterations=count,
    )
    return nest.pack_sequence_as(structure, _stacked(results, rows))


def foldl(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
  """Returns the last result of `accumulated = fn(accumulated, row)` over the rows of `elems`, from the first row on.

  It begins with `initializer`, or with the first row. Raises TypeError if `fn` is not callable.
  """
  _check_function(fn)
  with graphs.name_scope(name, "foldl", nest.flatten(elems)), _cached_variables():
    rows = _Rows(elems)
    count = rows.count()
    inputs = rows.arrays(count, values=rows.given)
    if initializer is None:
      value = rows.pack([array.read(0) for array in inputs])
      begin = constants.constant(1)
    else:
      value, begin = initializer, constants.constant(0)

    def compute(i, accumulated):
      row = rows.pack([array.read(i) for array in inputs])
      accumulated = fn(accumulated, row)
      return [i + 1, accumulated]

    return while_loop.while_loop(
      lambda i, _: i < count,
      compute,
      [begin, value],
      parallel_iterations=parallel_iterations,
      back_prop=back_prop,
      swap_memory=swap_memory,
      maximum_iterations=count,
    )[1]


def foldr(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
  """Returns the last result of `accumulated = fn(accumulated, row)` over the rows of `elems`, from the last row on.

  It begins with `initializer`, or with the last row. Raises TypeError if `fn` is not callable.
  """
  _check_function(fn)
  with graphs.name_scope(name, "foldr", nest.flatten(elems)), _cached_variables():
    rows = _Rows(elems)
    count = rows.count()
    inputs = rows.arrays(count, values=rows.given)
    if initializer is None:
      begin = count - 1
      value = rows.pack([array.read(begin) for array in inputs])
    else:
      value, begin = initializer, count

    def compute(i, accumulated):
      i -= 1
      row = rows.pack([array.read(i) for array in inputs])
      accumulated = fn(accumulated, row)
      return [i, accumulated]

    return while_loop.while_loop(
      lambda i, _: i > 0,
      compute,
      [begin, value],
      parallel_iterations=parallel_iterations,
      back_prop=back_prop,
      swap_memory=swap_memory,
      maximum_iterations=count,
    )[1]
