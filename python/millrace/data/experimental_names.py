"""Names of tf.data.experimental that stand for others, and counters of elements."""

from millrace import gen
from millrace.data.dataset_spec import DatasetSpec
from millrace.data.optional import OptionalSpec
from millrace.data.results import AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY
from millrace.framework import composite
from millrace.framework.deprecation import deprecated
from millrace.framework.tensor_spec import TensorSpec

__all__ = [
  "AUTOTUNE",
  "INFINITE_CARDINALITY",
  "UNKNOWN_CARDINALITY",
  "DatasetStructure",
  "OptionalStructure",
  "RaggedTensorStructure",
  "SparseTensorStructure",
  "StatsAggregator",
  "Structure",
  "TensorArrayStructure",
  "TensorStructure",
]

DatasetStructure = DatasetSpec
OptionalStructure = OptionalSpec
Structure = composite.TypeSpec


@deprecated(None, "Use `tf.TensorSpec` instead.")
def TensorStructure(dtype, shape):
  """The spec of tensors of a type and a shape."""
  return TensorSpec(shape, dtype)


@deprecated(None, "Use `tf.SparseTensorSpec` instead.")
def SparseTensorStructure(dtype, shape):
  """The spec of sparse tensors of a type and a shape."""
  return composite.SparseTensorSpec(shape, dtype)


@deprecated(None, "Use `tf.TensorArraySpec` instead.")
def TensorArrayStructure(dtype, element_shape, dynamic_size, infer_shape):
  """The spec of tensor arrays."""
  from millrace.ops.control_flow.tensor_array import TensorArraySpec

  return TensorArraySpec(element_shape, dtype, dynamic_size, infer_shape)


@deprecated(None, "Use `tf.RaggedTensorSpec` instead.")
def RaggedTensorStructure(dtype, shape, ragged_rank):
  """The spec of ragged tensors."""
  import millrace

  return millrace.RaggedTensorSpec(shape, dtype, ragged_rank)


class StatsAggregator:
  """Collects what data sets count, as a serialized Summary."""

  def __init__(self):
    self._resource = gen.stats_aggregator_handle()

  def get_summary(self):
    """Returns a string tensor: the Summary of everything since the aggregator was made."""
    return gen.stats_aggregator_summary(self._resource)
