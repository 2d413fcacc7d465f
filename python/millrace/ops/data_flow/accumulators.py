"""Accumulators: gradients from several workers are added up, and taken as their mean or sum when enough have come."""

from millrace import gen
from millrace.framework import composite, convert, dtypes, tensor_shape
from millrace.ops.math import casts

__all__ = ["ConditionalAccumulator", "ConditionalAccumulatorBase", "SparseConditionalAccumulator"]


class ConditionalAccumulatorBase:
  """What is common to both kinds. Gradients of an older step than the accumulator's own are dropped."""

  def __init__(self, dtype, shape, accumulator_ref):
    self._dtype = dtypes.as_dtype(dtype)
    self._shape = tensor_shape.unknown_shape() if shape is None else tensor_shape.TensorShape(shape)
    self._accumulator_ref = accumulator_ref
    self._name = accumulator_ref.op.name.split("/")[-1]

  @property
  def accumulator_ref(self):
    """The tensor that stands for the accumulator in the graph."""
    return self._accumulator_ref

  @property
  def name(self):
    """The last part of the name of the accumulator's op."""
    return self._name

  @property
  def dtype(self):
    """The type of the gradients."""
    return self._dtype

  def _is_resource(self):
    return self._accumulator_ref.dtype == dtypes.resource

  def num_accumulated(self, name=None):
    """Returns an int32 tensor: how many gradients have come since the last were taken."""
    if name is None:
      name = f"{self._name}_NumAccumulated"
    make = gen.resource_accumulator_num_accumulated if self._is_resource() else gen.accumulator_num_accumulated
    return make(self._accumulator_ref, name=name)

  def set_global_step(self, new_global_step, name=None):
    """Returns the operation that sets the accumulator's own step."""
    step = casts.cast(convert.convert_to_tensor(new_global_step), dtypes.int64)
    make = gen.resource_accumulator_set_global_step if self._is_resource() else gen.accumulator_set_global_step
    return make(self._accumulator_ref, step, name=name)


class ConditionalAccumulator(ConditionalAccumulatorBase):
  """An accumulator of dense gradients. `reduction_type` is "MEAN" or "SUM"."""

  def __init__(self, dtype, shape=None, shared_name=None, name="conditional_accumulator", reduction_type="MEAN"):
    accumulator_ref = gen.resource_conditional_accumulator(
      dtype=dtype,
      shape=tensor_shape.unknown_shape() if shape is None else shape,
      shared_name=shared_name or "",
      name=name,
      reduction_type=reduction_type,
    )
    super().__init__(dtype, shape, accumulator_ref)

  def apply_grad(self, grad, local_step=0, name=None):
    """Returns the operation that adds a gradient, computed from values of step `local_step`."""
    grad = convert.convert_to_tensor(grad, self._dtype)
    grad.get_shape().assert_is_compatible_with(self._shape)
    local_step = casts.cast(convert.convert_to_tensor(local_step), dtypes.int64)
    return gen.resource_accumulator_apply_gradient(self._accumulator_ref, local_step=local_step, gradient=grad, name=name)

  def take_grad(self, num_required, name=None):
    """Returns the mean or sum of the gradients, waiting until `num_required` have come; then the accumulator starts anew."""
    out = gen.resource_accumulator_take_gradient(self._accumulator_ref, num_required, dtype=self._dtype, name=name)
    out.set_shape(self._shape)
    return out


class SparseConditionalAccumulator(ConditionalAccumulatorBase):
  """An accumulator of gradients that are IndexedSlices. `reduction_type` is "MEAN" or "SUM"."""

  def __init__(self, dtype, shape=None, shared_name=None, name="sparse_conditional_accumulator", reduction_type="MEAN"):
    accumulator_ref = gen.sparse_conditional_accumulator(
      dtype=dtype,
      shape=tensor_shape.unknown_shape() if shape is None else shape,
      shared_name=shared_name or "",
      name=name,
      reduction_type=reduction_type,
    )
    super().__init__(dtype, shape, accumulator_ref)

  def apply_indexed_slices_grad(self, grad, local_step=0, name=None):
    """Returns the operation that adds IndexedSlices, computed from values of step `local_step`."""
    return self.apply_grad(
      grad_indices=grad.indices, grad_values=grad.values, grad_shape=grad.dense_shape, local_step=local_step, name=name
    )

  def apply_grad(self, grad_indices, grad_values, grad_shape=None, local_step=0, name=None):
    """Returns the operation that adds the rows `grad_values` with the numbers `grad_indices`; the whole may have `grad_shape`."""
    local_step = casts.cast(convert.convert_to_tensor(local_step), dtypes.int64)
    return gen.sparse_accumulator_apply_gradient(
      self._accumulator_ref,
      local_step=local_step,
      gradient_indices=casts.cast(grad_indices, dtypes.int64),
      gradient_values=grad_values,
      gradient_shape=casts.cast([] if grad_shape is None else grad_shape, dtypes.int64),
      has_known_shape=grad_shape is not None,
      name=name,
    )

  def take_grad(self, num_required, name=None):
    """Returns (indices, values, shape) of the mean or sum of the gradients, waiting until `num_required` have come."""
    return gen.sparse_accumulator_take_gradient(self._accumulator_ref, num_required, dtype=self._dtype, name=name)

  def take_indexed_slices_grad(self, num_required, name=None):
    """Like take_grad, returns IndexedSlices."""
    taken = gen.sparse_accumulator_take_gradient(self._accumulator_ref, num_required, dtype=self._dtype, name=name)
    return composite.IndexedSlices(indices=taken.indices, values=taken.values, dense_shape=taken.shape)
