"""Gradients of sums of a table's rows, for the rows that were read alone: optimizers leave the others as they are."""

from millrace import gen
from millrace.framework import composite

_ROWS_OF = {
  "SparseSegmentSum": gen.sparse_segment_sum_grad_v2,
  "SparseSegmentMean": gen.sparse_segment_mean_grad_v2,
  "SparseSegmentSqrtN": gen.sparse_segment_sqrt_n_grad_v2,
}


def function_of(op):
  """The gradient function of an op that was made for sparse gradients (attribute `sparse_gradient`), otherwise None."""
  if op.type.replace("WithNumSegments", "") in _ROWS_OF and op.get_attr("sparse_gradient"):
    return _gradient
  return None


def _gradient(op, grad):
  table, indices, segments = op.inputs[0], op.inputs[1], op.inputs[2]
  shape = gen.shape(table)
  count = gen.strided_slice(shape, [0], [1], [1], shrink_axis_mask=1)
  rows = _ROWS_OF[op.type.replace("WithNumSegments", "")](grad, indices, segments, count)
  slices = composite.IndexedSlices(rows.output, rows.sorted_unique_indices, shape)
  return [slices] + [None] * (len(op.inputs) - 1)
