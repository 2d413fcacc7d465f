"""tf.TensorArray: an array of tensors that a step writes and reads by number, also in loops."""

import contextlib

from millrace import gen
from millrace.framework import composite, convert, dtypes, tensor, tensor_shape, tensor_values
from millrace.framework import graph as graphs


class TensorArray:
  """An array of tensors of one type, of which each element is written once.

  A write returns a new TensorArray, which stands for the array after it: use that one from then on. With `infer_shape`, all
  elements have one shape. Reading an element clears it unless `clear_after_read=False`. With `colocate_with_first_write_call`
  the array is placed beside the first value that is written.
  """

  def __init__(
    self,
    dtype,
    size=None,
    dynamic_size=None,
    clear_after_read=None,
    tensor_array_name=None,
    handle=None,
    flow=None,
    infer_shape=True,
    element_shape=None,
    colocate_with_first_write_call=True,
    name=None,
  ):
    """Makes an array of `size` elements, which grows if `dynamic_size`; or, of a `handle` and a `flow`, the array that there is.

    Raises ValueError for arguments that exclude each other, TypeError for a handle that is no Tensor.
    """
    self._check_arguments(size, dynamic_size, clear_after_read, tensor_array_name, handle, flow, element_shape)
    self._dtype = dtypes.as_dtype(dtype).base_dtype
    self._dynamic_size = dynamic_size or False
    self._size = size
    self._infer_shape = infer_shape
    # Both lists are shared by all objects that stand for one array.
    self._element_shape = [tensor_shape.as_shape(element_shape)]
    self._beside = [] if colocate_with_first_write_call else None
    with graphs.name_scope(name, "TensorArray", [handle, size, flow]) as scope:
      if handle is not None:
        self._handle, self._flow = handle, flow
      elif colocate_with_first_write_call:
        # The first write says where the array is.
        with graphs.colocate_with(None, ignore_existing=True), graphs.device(None):
          self._create(clear_after_read, tensor_array_name, scope)
      else:
        self._create(clear_after_read, tensor_array_name, scope)

  @staticmethod
  def _check_arguments(size, dynamic_size, clear_after_read, tensor_array_name, handle, flow, element_shape):
    if handle is None:
      if size is None:
        raise ValueError("Argument `size` must be provided if handle is not provided.")
      return
    if tensor_array_name:
      raise ValueError("Cannot provide both `handle` and `tensor_array_name` arguments at the same time.")
    if not isinstance(handle, tensor.Tensor):
      raise TypeError("Expected `handle` to be a Tensor, but got `%s` of type `%s` instead." % (handle, type(handle)))
    if size is not None:
      raise ValueError("Cannot provide both a `handle` and `size` arguments at the same time.")
    if dynamic_size is not None:
      raise ValueError("Cannot provide both a `handle` and `dynamic_size` arguments at the same time.")
    if clear_after_read is not None:
      raise ValueError("Cannot provide both a `handle` and `clear_after_read` arguments at the same time.")
    if element_shape is not None:
      raise ValueError("Cannot provide both `handle` and `element_shape` arguments at the same time.")
    if flow is None:
      raise ValueError("flow must not be None if handle is not None.")

  def _create(self, clear_after_read, tensor_array_name, scope):
    self._handle, self._flow = gen.tensor_array_v3(
      self._size,
      dtype=self._dtype,
      element_shape=self.element_shape,
      dynamic_size=self._dynamic_size,
      clear_after_read=True if clear_after_read is None else clear_after_read,
      identical_element_shapes=self._infer_shape,
      tensor_array_name=tensor_array_name or "",
      name=scope,
    )

  @property
  def flow(self):
    """The tensor that an op on the array takes to run after the ops before it."""
    return self._flow

  @property
  def dtype(self):
    return self._dtype

  @property
  def handle(self):
    """The resource that the array is."""
    return self._handle

  @property
  def element_shape(self):
    """What is known of the shape of an element, as a TensorShape."""
    return self._element_shape[0]

  @property
  def dynamic_size(self):
    """Whether the array grows."""
    return self._dynamic_size

  @property
  def _colocate_with_first_write_call(self):
    return self._beside is not None

  @property
  def _colocate_with(self):
    return self._beside

  def _check_element_shape(self, shape):
    known = self._element_shape[0]
    if not shape.is_compatible_with(known):
      raise ValueError("Inconsistent shapes: saw %s but expected %s " % (shape, known))
    if self._infer_shape:
      self._element_shape[0] = known.merge_with(shape)

  @contextlib.contextmanager
  def _beside_first(self, value):
    if self._beside is None:
      yield
      return
    if not self._beside:
      self._beside.append(value)
    with graphs.colocate_with(self._beside[0]):
      yield

  def identity(self):
    """Returns the array after a copy of its flow, which control dependencies in force hold back."""
    return with_flow(self, gen.identity(self._flow))

  def grad(self, source, flow=None, name=None):
    """Returns the array of the gradients of the elements; that of each `source` is another one."""
    if flow is None:
      flow = self.flow
    with graphs.name_scope(name, "TensorArrayGrad", [self._handle]):
      with graphs.colocate_with(self._handle):
        handle, _ = gen.tensor_array_grad_v3(self._handle, flow, source=source, name=name)
        with graphs.control_dependencies([handle]):
          flow = gen.identity(flow, name="gradient_flow")
        array = TensorArray(
          self._dtype, handle=handle, flow=flow, infer_shape=self._infer_shape, colocate_with_first_write_call=False
        )
        array._element_shape = self._element_shape
        return array

  def read(self, index, name=None):
    """Returns element `index`, which becomes unreadable unless `clear_after_read=False`."""
    value = gen.tensor_array_read_v3(self._handle, index, self._flow, dtype=self._dtype, name=name)
    if self.element_shape.ndims is not None:
      value.set_shape(self.element_shape)
    return value

  def write(self, index, value, name=None):
    """Returns the array with `value` as element `index`. Raises ValueError if other elements have another shape."""
    with graphs.name_scope(name, "TensorArrayWrite", [self._handle, index, value]):
      value = convert.convert_to_tensor(value, preferred_dtype=self._dtype, name="value")
      self._check_element_shape(value.get_shape())
      with self._beside_first(value):
        flow = gen.tensor_array_write_v3(self._handle, index, value, self._flow, name=name)
      return with_flow(self, flow)

  def stack(self, name=None):
    """Returns all elements as one tensor, stacked along dimension 0."""
    from millrace.ops.math import sequences

    with graphs.colocate_with(self._handle):
      with graphs.name_scope(name, "TensorArrayStack", [self._handle]):
        size = self.size()
        value = self.gather(sequences.range(0, size), name=name)
        if not self._dynamic_size and self._size is not None and self.element_shape.ndims is not None:
          value.set_shape([tensor_values.constant_value(size)] + self.element_shape.dims)
        return value

  def gather(self, indices, name=None):
    """Returns the elements of the vector `indices`, stacked along dimension 0."""
    value = gen.tensor_array_gather_v3(
      self._handle, indices, self._flow, dtype=self._dtype, element_shape=self.element_shape, name=name
    )
    if self.element_shape.ndims is not None:
      value.set_shape([None] + self.element_shape.dims)
    return value

  def concat(self, name=None):
    """Returns all elements as one tensor, joined along dimension 0."""
    rest = self.element_shape[1:] if self.element_shape.ndims is not None else tensor_shape.unknown_shape()
    value, _ = gen.tensor_array_concat_v3(self._handle, self._flow, dtype=self._dtype, element_shape_except0=rest, name=name)
    if self.element_shape.ndims is not None:
      dims = [dim.value for dim in self.element_shape.dims]
      size = tensor_values.constant_value(self.size())
      rows = None if size is None or dims[0] is None else int(size) * dims[0]
      value.set_shape([rows] + dims[1:])
    return value

  def unstack(self, value, name=None):
    """Returns the array with the rows of `value` as its elements."""
    from millrace.ops.array import shapes
    from millrace.ops.math import sequences

    with graphs.name_scope(name, "TensorArrayUnstack", [self._handle, value]):
      rows = shapes.shape(value)[0]
      return self.scatter(sequences.range(0, rows), value, name=name)

  def scatter(self, indices, value, name=None):
    """Returns the array with row `i` of `value` as element `indices[i]`."""
    with graphs.name_scope(name, "TensorArrayScatter", [self._handle, value, indices]):
      value = convert.convert_to_tensor(value, preferred_dtype=self._dtype, name="value")
      self._check_element_shape(value.get_shape()[1:])
      with self._beside_first(value):
        flow = gen.tensor_array_scatter_v3(self._handle, indices, value, self._flow, name=name)
      return with_flow(self, flow)

  def split(self, value, lengths, name=None):
    """Returns the array with pieces of `value` as its elements, of `lengths[i]` rows each."""
    from millrace.ops.math import casts

    with graphs.name_scope(name, "TensorArraySplit", [self._handle, value, lengths]):
      value = convert.convert_to_tensor(value, dtype=self._dtype, name="value")
      with self._beside_first(value):
        lengths = casts.cast(lengths, dtypes.int64)
        known = tensor_values.constant_value(lengths)
        if self._infer_shape and value.get_shape().ndims is not None and known is not None:
          if known.shape and known.min() == known.max():
            self._check_element_shape(tensor_shape.TensorShape([known[0]]).concatenate(value.get_shape()[1:]))
        flow = gen.tensor_array_split_v3(self._handle, value, lengths, self._flow, name=name)
      return with_flow(self, flow)

  def size(self, name=None):
    """Returns the number of elements as an int32 scalar."""
    if not self._dynamic_size and self._size is not None:
      return convert.convert_to_tensor(self._size, dtype=dtypes.int32)
    return gen.tensor_array_size_v3(self._handle, self._flow, name=name)

  def close(self, name=None):
    """Returns an op that frees the array in the middle of a step."""
    return gen.tensor_array_close_v3(self._handle, name=name)


def with_flow(array, flow):
  """Returns what stands for the array after the op that `flow` comes from."""
  new = TensorArray.__new__(TensorArray)
  new.__dict__.update(array.__dict__)
  new._flow = flow
  return new


class TensorArraySpec(composite.TypeSpec):
  """Describes a TensorArray."""

  __slots__ = ("_element_shape", "_dtype", "_dynamic_size", "_infer_shape")

  def __init__(self, element_shape=None, dtype=dtypes.float32, dynamic_size=False, infer_shape=True):
    self._element_shape = tensor_shape.as_shape(element_shape)
    self._dtype = dtypes.as_dtype(dtype)
    self._dynamic_size = dynamic_size
    self._infer_shape = infer_shape

  @property
  def value_type(self):
    return TensorArray

  @staticmethod
  def from_value(value):
    """Returns the spec that describes `value`. Raises TypeError if it is no TensorArray."""
    if not isinstance(value, TensorArray):
      raise TypeError("Expected value to be a TensorArray, but got: %s" % type(value))
    return TensorArraySpec(value.element_shape, value.dtype, value.dynamic_size, value._infer_shape)

  def is_compatible_with(self, other):
    """True if arrays of both specs can stand for each other."""
    if isinstance(other, TensorArray):
      other = TensorArraySpec.from_value(other)
    return (
      isinstance(other, TensorArraySpec)
      and self._dtype.is_compatible_with(other._dtype)
      and self._element_shape.is_compatible_with(other._element_shape)
      and self._dynamic_size == other._dynamic_size
    )

  def most_specific_compatible_type(self, other):
    """Returns a spec that describes the arrays of both. Raises ValueError if there is none."""
    if not self.is_compatible_with(other):
      raise ValueError("Types are not compatible: %s vs %s" % (self, other))
    shape = self._element_shape.most_specific_compatible_shape(other._element_shape)
    return TensorArraySpec(shape, self._dtype, self._dynamic_size, self._infer_shape and other._infer_shape)

  def _serialize(self):
    return (self._element_shape, self._dtype, self._dynamic_size, self._infer_shape)

  @property
  def _component_specs(self):
    from millrace.framework import tensor_spec

    return [tensor_spec.TensorSpec([], dtypes.variant)]

  def _to_components(self, value):
    return [value.flow]
