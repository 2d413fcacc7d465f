"""Two cells over the same sequences, one forwards and one backwards."""

import millrace as tf
from millrace.framework import nest
from millrace.framework.tensor_shape import unknown_shape
from millrace.ops.rnn.cell import assert_like_rnncell
from millrace.ops.rnn.dynamic import dynamic_rnn
from millrace.ops.rnn.static import static_rnn
from millrace.ops.variables import scope as scopes


def bidirectional_dynamic_rnn(
  cell_fw,
  cell_bw,
  inputs,
  sequence_length=None,
  initial_state_fw=None,
  initial_state_bw=None,
  dtype=None,
  parallel_iterations=None,
  swap_memory=False,
  time_major=False,
  scope=None,
):
  """Runs dynamic_rnn() with one cell forwards and another one backwards.

  Returns ((outputs forwards, outputs backwards), (last state forwards, last state backwards)), with the outputs of both in the
  order of `inputs`. A sequence that ends at its `sequence_length` is reversed up to there. The variables are in the scopes "fw"
  and "bw" of `scope`, "bidirectional_rnn" by default. The other arguments and the errors are dynamic_rnn's.
  """
  assert_like_rnncell("cell_fw", cell_fw)
  assert_like_rnncell("cell_bw", cell_bw)
  time_axis, batch_axis = (0, 1) if time_major else (1, 0)

  def run(cell, values, state, own_scope):
    return dynamic_rnn(
      cell=cell,
      inputs=values,
      sequence_length=sequence_length,
      initial_state=state,
      dtype=dtype,
      parallel_iterations=parallel_iterations,
      swap_memory=swap_memory,
      time_major=time_major,
      scope=own_scope,
    )

  def reversed_in_time(value):
    if sequence_length is None:
      return tf.reverse(value, axis=[time_axis])
    return tf.reverse_sequence(input=value, seq_lengths=sequence_length, seq_axis=time_axis, batch_axis=batch_axis)

  with scopes.variable_scope(scope or "bidirectional_rnn"):
    with scopes.variable_scope("fw") as fw_scope:
      output_fw, state_fw = run(cell_fw, inputs, initial_state_fw, fw_scope)
    with scopes.variable_scope("bw") as bw_scope:
      backwards = nest.map_structure(reversed_in_time, inputs)
      output_bw, state_bw = run(cell_bw, backwards, initial_state_bw, bw_scope)
  output_bw = nest.map_structure(reversed_in_time, output_bw)
  return (output_fw, output_bw), (state_fw, state_bw)


def static_bidirectional_rnn(
  cell_fw, cell_bw, inputs, initial_state_fw=None, initial_state_bw=None, dtype=None, sequence_length=None, scope=None
):
  """Runs static_rnn() with one cell forwards and another one backwards over a list of inputs.

  Returns (list of the outputs of both side by side, last state forwards, last state backwards). The variables are in the scopes
  "fw" and "bw" of `scope`, "bidirectional_rnn" by default. TypeError for what is no cell or no list, ValueError for no inputs;
  the other arguments and errors are static_rnn's.
  """
  assert_like_rnncell("cell_fw", cell_fw)
  assert_like_rnncell("cell_bw", cell_bw)
  if not nest.is_nested(inputs):
    raise TypeError(f"Argument `inputs` must be a sequence. Received: {inputs}")
  if not inputs:
    raise ValueError("Argument `inputs` must not be empty.")
  with scopes.variable_scope(scope or "bidirectional_rnn"):
    with scopes.variable_scope("fw") as fw_scope:
      output_fw, state_fw = static_rnn(cell_fw, inputs, initial_state_fw, dtype, sequence_length, scope=fw_scope)
    with scopes.variable_scope("bw") as bw_scope:
      backwards = reversed_list(inputs, sequence_length)
      output_bw, state_bw = static_rnn(cell_bw, backwards, initial_state_bw, dtype, sequence_length, scope=bw_scope)
  output_bw = reversed_list(output_bw, sequence_length)
  both = zip(nest.flatten(output_fw), nest.flatten(output_bw))
  outputs = nest.pack_sequence_as(output_fw, [tf.concat([forwards, other], 1) for forwards, other in both])
  return outputs, state_fw, state_bw


def reversed_list(values, lengths):
  """Returns a list of inputs, one a time, in reverse order: of each sequence the first `lengths`, or all where that is None."""
  if lengths is None:
    return list(reversed(values))
  results = [[] for _ in values]
  for sequence in zip(*[nest.flatten(value) for value in values]):
    shape = unknown_shape(rank=sequence[0].get_shape().ndims)
    for value in sequence:
      shape = shape.merge_with(value.get_shape())
      value.set_shape(shape)
    turned = tf.reverse_sequence(tf.stack(sequence), lengths, 0, 1)
    for result, part in zip(results, tf.unstack(turned)):
      part.set_shape(shape)
      result.append(part)
  return [nest.pack_sequence_as(value, result) for value, result in zip(values, results)]
