"""Layers of two cells each, one forwards and one backwards: stack_bidirectional_rnn, stack_bidirectional_dynamic_rnn."""

import millrace as tf
from millrace.ops.rnn.bidirectional import bidirectional_dynamic_rnn, static_bidirectional_rnn
from millrace.ops.variables import scope as scopes


def stack_bidirectional_rnn(
  cells_fw,
  cells_bw,
  inputs,
  initial_states_fw=None,
  initial_states_bw=None,
  dtype=None,
  sequence_length=None,
  scope=None,
):
  """Runs static_bidirectional_rnn() once a layer; the outputs of a layer, forwards and backwards, are the next one's inputs.

  Returns (list of outputs of the last layer, tuple of the layers' last states forwards, the same backwards). `cells_fw` and
  `cells_bw` are lists with a cell a layer, and so are the initial states. The variables are in the scopes "cell_i/fw" and
  "cell_i/bw" of `scope`, "stack_bidirectional_rnn" by default. ValueError for no cells, for what is no list, and for lists of
  different lengths.
  """
  _check_layers(cells_fw, cells_bw, initial_states_fw, initial_states_bw)
  states_fw, states_bw = [], []
  with scopes.variable_scope(scope or "stack_bidirectional_rnn"):
    for number, (cell_fw, cell_bw) in enumerate(zip(cells_fw, cells_bw)):
      with scopes.variable_scope(f"cell_{number}") as cell_scope:
        inputs, state_fw, state_bw = static_bidirectional_rnn(
          cell_fw,
          cell_bw,
          inputs,
          initial_state_fw=initial_states_fw[number] if initial_states_fw else None,
          initial_state_bw=initial_states_bw[number] if initial_states_bw else None,
          sequence_length=sequence_length,
          dtype=dtype,
          scope=cell_scope,
        )
      states_fw.append(state_fw)
      states_bw.append(state_bw)
  return inputs, tuple(states_fw), tuple(states_bw)


def stack_bidirectional_dynamic_rnn(
  cells_fw,
  cells_bw,
  inputs,
  initial_states_fw=None,
  initial_states_bw=None,
  dtype=None,
  sequence_length=None,
  parallel_iterations=None,
  time_major=False,
  scope=None,
  swap_memory=False,
):
  """Does the same by bidirectional_dynamic_rnn(), whose other arguments are its own; returns the outputs as one tensor.

  The variables have its scope "bidirectional_rnn" within "cell_i".
  """
  _check_layers(cells_fw, cells_bw, initial_states_fw, initial_states_bw)
  states_fw, states_bw = [], []
  with scopes.variable_scope(scope or "stack_bidirectional_rnn"):
    for number, (cell_fw, cell_bw) in enumerate(zip(cells_fw, cells_bw)):
      with scopes.variable_scope(f"cell_{number}"):
        outputs, (state_fw, state_bw) = bidirectional_dynamic_rnn(
          cell_fw,
          cell_bw,
          inputs,
          initial_state_fw=initial_states_fw[number] if initial_states_fw else None,
          initial_state_bw=initial_states_bw[number] if initial_states_bw else None,
          sequence_length=sequence_length,
          parallel_iterations=parallel_iterations,
          dtype=dtype,
          swap_memory=swap_memory,
          time_major=time_major,
        )
        inputs = tf.concat(outputs, 2)
      states_fw.append(state_fw)
      states_bw.append(state_bw)
  return inputs, tuple(states_fw), tuple(states_bw)


def _check_layers(cells_fw, cells_bw, initial_states_fw, initial_states_bw):
  if not cells_fw:
    raise ValueError("Must specify at least one fw cell for BidirectionalRNN.")
  if not cells_bw:
    raise ValueError("Must specify at least one bw cell for BidirectionalRNN.")
  if not isinstance(cells_fw, list):
    raise ValueError("cells_fw must be a list of RNNCells (one per layer).")  # noqa: TRY004 (TensorFlow's class)
  if not isinstance(cells_bw, list):
    raise ValueError("cells_bw must be a list of RNNCells (one per layer).")  # noqa: TRY004 (TensorFlow's class)
  if len(cells_fw) != len(cells_bw):
    raise ValueError("Forward and Backward cells must have the same depth.")
  for side, states, cells in (("fw", initial_states_fw, cells_fw), ("bw", initial_states_bw, cells_bw)):
    if states is not None and (not isinstance(states, (list, tuple)) or len(states) != len(cells)):
      raise ValueError(f"initial_states_{side} must be a list of state tensors (one per layer).")
