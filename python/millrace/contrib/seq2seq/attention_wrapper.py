"""A cell with attention to a memory."""

import millrace as tf
from millrace.contrib.seq2seq.attention import AttentionMechanism, dense
from millrace.contrib.seq2seq.attention_state import AttentionWrapperState
from millrace.framework import nest, tensor_shape
from millrace.ops.rnn.cell import RNNCell, assert_like_rnncell
from millrace.ops.rnn.zero_states import zero_states

_TILING = (
  "Are you using the BeamSearchDecoder?  You may need to tile your %s via the tf.contrib.seq2seq.tile_batch function with argument "
  "multiple=beam_width."
)


def _compute_attention(attention_mechanism, cell_output, attention_state, attention_layer):
  """Returns (attention, alignments, next state of the mechanism)."""
  alignments, next_attention_state = attention_mechanism(cell_output, state=attention_state)
  context = tf.squeeze(tf.matmul(tf.expand_dims(alignments, 1), attention_mechanism.values), [1])
  if attention_layer is not None:
    return attention_layer(tf.concat([cell_output, context], 1)), alignments, next_attention_state
  return context, alignments, next_attention_state


class AttentionWrapper(RNNCell):
  """Runs `cell` on its inputs together with the attention of the step before, then computes attention by its output.

  `attention_mechanism` may be a list; then sizes, layers and what the state has of attention are tuples, and the attentions are
  concatenated. Attention is the context, or with `attention_layer_size` (or `attention_layer`, a layer without bias of that size) the
  layer of output and context. `output_attention` says that it is the output, else that is the cell's. `cell_input_fn(inputs,
  attention)` concatenates them by default. With `alignment_history` the state has TensorArrays of all alignments.
  `initial_cell_state` is what zero_state() gives for the cell. `attention_fn(mechanism, cell output, mechanism's state, layer)` returns
  (attention, alignments, next state) in another way. `dtype` is the type of variables.

  Raises TypeError for what is no cell, mechanism or function, ValueError for numbers of layers and mechanisms that differ, and for
  both a layer and its size.
  """

  def __init__(
    self,
    cell,
    attention_mechanism,
    attention_layer_size=None,
    alignment_history=False,
    cell_input_fn=None,
    output_attention=True,
    initial_cell_state=None,
    name=None,
    attention_layer=None,
    attention_fn=None,
    dtype=None,
  ):
    super().__init__(name=name, dtype=dtype)
    assert_like_rnncell("cell", cell)
    self._is_multi = isinstance(attention_mechanism, (list, tuple))
    self._attention_mechanisms = _checked_mechanisms(attention_mechanism, self._is_multi)
    if cell_input_fn is None:
      cell_input_fn = lambda inputs, attention: tf.concat([inputs, attention], -1)
    elif not callable(cell_input_fn):
      raise TypeError(f"cell_input_fn must be callable, saw type: {type(cell_input_fn).__name__}")
    self._cell = cell
    self._set_layers(attention_layer_size, attention_layer)
    self._attention_fn = attention_fn or _compute_attention
    self._cell_input_fn = cell_input_fn
    self._output_attention = output_attention
    self._alignment_history = alignment_history
    self._initial_cell_state = None
    if initial_cell_state is not None:
      self._set_initial_cell_state(initial_cell_state)

  def _set_layers(self, sizes, layers):
    if sizes is not None and layers is not None:
      raise ValueError("Only one of attention_layer_size and attention_layer should be set")
    mechanisms = self._attention_mechanisms
    if sizes is not None:
      sizes = _one_for_each(sizes, mechanisms, "attention_layer_size", "integer")
      self._attention_layers = tuple(
        dense(size, "attention_layer", mechanism.dtype) for size, mechanism in zip(sizes, mechanisms)
      )
      self._attention_layer_size = sum(sizes)
      return
    if layers is None:
      self._attention_layers = None
      self._attention_layer_size = sum(mechanism.values.get_shape().as_list()[-1] for mechanism in mechanisms)
      return
    self._attention_layers = _one_for_each(layers, mechanisms, "attention_layer", "layer")
    self._attention_layer_size = sum(
      layer.compute_output_shape([None, self._cell.output_size + mechanism.values.get_shape().as_list()[-1]]).as_list()[-1]
      for layer, mechanism in zip(self._attention_layers, mechanisms)
    )

  def _set_initial_cell_state(self, state):
    with tf.name_scope(None, "AttentionWrapperInit", [s for s in nest.flatten(state) if isinstance(s, tf.Tensor)]):
      last = nest.flatten(state)[-1]
      batch_size = last.shape.dims[0].value or tf.shape(last)[0]
      message = (
        f"When constructing AttentionWrapper {self.name}: Non-matching batch sizes between the memory (encoder output) and "
        f"initial_cell_state.  {_TILING % 'initial state'}"
      )
      with tf.control_dependencies(self._batch_size_checks(batch_size, message)):
        self._initial_cell_state = nest.map_structure(lambda s: tf.identity(s, name="check_initial_cell_state"), state)

  def _batch_size_checks(self, batch_size, error_message):
    return [tf.assert_equal(batch_size, mechanism.batch_size, message=error_message) for mechanism in self._attention_mechanisms]

  def _item_or_tuple(self, values):
    """All values, where there are several mechanisms, otherwise the only one."""
    values = tuple(values)
    return values if self._is_multi else values[0]

  @property
  def output_size(self):
    return self._attention_layer_size if self._output_attention else self._cell.output_size

  @property
  def state_size(self):
    """The sizes of the state, as an AttentionWrapperState."""
    mechanisms = self._attention_mechanisms
    return AttentionWrapperState(
      cell_state=self._cell.state_size,
      time=tensor_shape.TensorShape([]),
      attention=self._attention_layer_size,
      alignments=self._item_or_tuple(mechanism.alignments_size for mechanism in mechanisms),
      attention_state=self._item_or_tuple(mechanism.state_size for mechanism in mechanisms),
      alignment_history=self._item_or_tuple(
        mechanism.alignments_size if self._alignment_history else () for mechanism in mechanisms
      ),
    )

  def zero_state(self, batch_size, dtype):
    """Returns the AttentionWrapperState to begin with, zeros or `initial_cell_state`.

    For a BeamSearchDecoder, `batch_size` counts beams. It has to be that of the memory: InvalidArgumentError otherwise.
    """
    with tf.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
      cell_state = self._initial_cell_state
      if cell_state is None:
        cell_state = _initial_state_of(self._cell, batch_size, dtype)
      message = (
        f"When calling zero_state of AttentionWrapper {self.name}: Non-matching batch sizes between the memory (encoder output) "
        "and the requested batch size.  Are you using the BeamSearchDecoder?  If so, make sure your encoder output has been tiled to "
        "beam_width via tf.contrib.seq2seq.tile_batch, and the batch_size= argument passed to zero_state is batch_size * "
        "beam_width."
      )
      with tf.control_dependencies(self._batch_size_checks(batch_size, message)):
        cell_state = nest.map_structure(lambda s: tf.identity(s, name="checked_cell_state"), cell_state)
      mechanisms = self._attention_mechanisms
      alignments = [mechanism.initial_alignments(batch_size, dtype) for mechanism in mechanisms]
      return AttentionWrapperState(
        cell_state=cell_state,
        time=tf.zeros([], dtype=tf.int32),
        attention=zero_states(self._attention_layer_size, batch_size, dtype),
        alignments=self._item_or_tuple(alignments),
        attention_state=self._item_or_tuple(mechanism.initial_state(batch_size, dtype) for mechanism in mechanisms),
        alignment_history=self._item_or_tuple(
          tf.TensorArray(dtype, size=0, dynamic_size=True, element_shape=one.shape) if self._alignment_history else ()
          for one in alignments
        ),
      )

  def call(self, inputs, state):
    """Returns (attention or the cell's output, next AttentionWrapperState). Raises TypeError for another state."""
    if not isinstance(state, AttentionWrapperState):
      raise TypeError(f"Expected state to be instance of AttentionWrapperState. Received type {type(state)} instead.")
    cell_inputs = self._cell_input_fn(inputs, state.attention)
    cell_output, next_cell_state = self._cell(cell_inputs, state.cell_state)
    batch_size = cell_output.shape.dims[0].value or tf.shape(cell_output)[0]
    message = (
      f"When applying AttentionWrapper {self.name}: Non-matching batch sizes between the memory (encoder output) and the query "
      f"(decoder output).  {_TILING % 'memory input'}"
    )
    with tf.control_dependencies(self._batch_size_checks(batch_size, message)):
      cell_output = tf.identity(cell_output, name="checked_cell_output")
    attentions, alignments, states, histories = [], [], [], []
    before = state.attention_state if self._is_multi else [state.attention_state]
    history = state.alignment_history if self._is_multi else [state.alignment_history]
    for i, mechanism in enumerate(self._attention_mechanisms):
      layer = self._attention_layers[i] if self._attention_layers else None
      attention, alignment, next_state = self._attention_fn(mechanism, cell_output, before[i], layer)
      attentions.append(attention)
      alignments.append(alignment)
      states.append(next_state)
      histories.append(history[i].write(state.time, alignment) if self._alignment_history else ())
    attention = tf.concat(attentions, 1)
    next_state = AttentionWrapperState(
      time=state.time + 1,
      cell_state=next_cell_state,
      attention=attention,
      attention_state=self._item_or_tuple(states),
      alignments=self._item_or_tuple(alignments),
      alignment_history=self._item_or_tuple(histories),
    )
    return (attention if self._output_attention else cell_output), next_state


def _checked_mechanisms(attention_mechanism, is_multi):
  mechanisms = tuple(attention_mechanism) if is_multi else (attention_mechanism,)
  for mechanism in mechanisms:
    if isinstance(mechanism, AttentionMechanism):
      continue
    saw = type(mechanism).__name__
    if is_multi:
      raise TypeError(f"attention_mechanism must contain only instances of AttentionMechanism, saw type: {saw}")
    raise TypeError(
      "attention_mechanism must be an AttentionMechanism or list of multiple AttentionMechanism instances, saw type: " + saw
    )
  return mechanisms


def _one_for_each(values, mechanisms, argument, what):
  """`values` as a tuple. Raises ValueError unless there is one for each mechanism."""
  values = tuple(values) if isinstance(values, (list, tuple)) else (values,)
  if len(values) != len(mechanisms):
    raise ValueError(
      f"If provided, {argument} must contain exactly one {what} per attention_mechanism, saw: {len(values)} vs {len(mechanisms)}"
    )
  return values


def _initial_state_of(cell, batch_size, dtype):
  if getattr(cell, "get_initial_state", None) is not None:
    return cell.get_initial_state(batch_size=batch_size, dtype=dtype)
  return cell.zero_state(batch_size, dtype)
