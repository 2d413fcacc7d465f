"""Derivatives of each element of a tensor, as libraries take them by tensorflow.python.ops.parallel_for.gradients."""

from millrace.framework import convert, nest, tensor
from millrace.ops.control_flow.parallel_for import pfor
from millrace.ops.gradients.backprop import gradients as gradients_of


def jacobian(output, inputs, use_pfor=True, parallel_iterations=None):
  """The derivatives of each element of `output` by each of `inputs`, a tensor or a structure: shapes output.shape + input.shape.

  None for an input that the output does not depend on.
  """
  from millrace.ops.array import gathering, joining, shapes

  flat_inputs = nest.flatten(inputs)
  shape, flat = shapes.shape(output), shapes.reshape(output, [-1])
  rows = pfor(
    lambda i: gradients_of(gathering.gather(flat, i), flat_inputs),
    output.shape.num_elements() or shapes.size(output),
    parallel_iterations,
  )
  results = []
  for row, source in zip(rows, flat_inputs):
    if isinstance(row, tensor.Tensor):
      row = shapes.reshape(row, joining.concat([shape, shapes.shape(row)[1:]], axis=0))
      row.set_shape(output.shape.concatenate(source.shape))
    results.append(row)
  return nest.pack_sequence_as(inputs, results)


def batch_jacobian(output, inp, use_pfor=True, parallel_iterations=None):
  """The derivatives of each row of `output` by the same row of `inp`: [rows, output's elements, inp's elements], in their shapes.

  Raises ValueError if the numbers of rows are known to differ.
  """
  from millrace.ops.array import gathering, joining, moving, shapes

  inp = convert.convert_to_tensor(inp)
  if not output.shape[0].is_compatible_with(inp.shape[0]):
    raise ValueError("Need first dimension of output shape (%s) and inp shape (%s) to match." % (output.shape, inp.shape))
  shape = shapes.shape(output)
  flat = shapes.reshape(output, [shape[0], -1])
  rows = pfor(
    lambda i: gradients_of(gathering.gather(flat, i, axis=1), inp)[0],
    flat.shape[1].value or shapes.shape(flat)[1],
    parallel_iterations,
  )
  if rows is None:
    return None
  rows = moving.transpose(shapes.reshape(rows, joining.concat([shapes.shape(rows)[:1], shape[:1], [-1]], axis=0)), [1, 0, 2])
  rows = shapes.reshape(rows, joining.concat([shape, shapes.shape(inp)[1:]], axis=0))
  rows.set_shape(output.shape.concatenate(inp.shape[1:]))
  return rows
