"""The decoder of a cell: it samples what a helper says."""

import collections

import millrace as tf
from millrace.contrib.seq2seq import decoding, next_inputs
from millrace.framework import nest, tensor_shape
from millrace.ops.rnn.cell import assert_like_rnncell


class BasicDecoderOutput(collections.namedtuple("BasicDecoderOutput", ("rnn_output", "sample_id"))):
  """What a BasicDecoder gives: outputs of the cell (behind the output layer) and samples."""

  __slots__ = ()


class BasicDecoder(decoding.Decoder):
  """Runs `cell` from `initial_state` on the inputs that `helper` gives; `output_layer`, a tf.layers.Layer, is applied to its outputs.

  Raises TypeError for a cell, helper or layer that is none.
  """

  def __init__(self, cell, helper, initial_state, output_layer=None):
    assert_like_rnncell("cell", cell)
    if not isinstance(helper, next_inputs.Helper):
      raise TypeError(f"helper must be a Helper, received: {type(helper)}")
    check_output_layer(output_layer)
    self._cell = cell
    self._helper = helper
    self._initial_state = initial_state
    self._output_layer = output_layer

  @property
  def batch_size(self):
    return self._helper.batch_size

  def _rnn_output_size(self):
    size = self._cell.output_size
    if self._output_layer is None:
      return size
    with_batch = nest.map_structure(lambda s: tensor_shape.TensorShape([None]).concatenate(s), size)
    return nest.map_structure(lambda s: s[1:], self._output_layer.compute_output_shape(with_batch))

  @property
  def output_size(self):
    return BasicDecoderOutput(rnn_output=self._rnn_output_size(), sample_id=self._helper.sample_ids_shape)

  @property
  def output_dtype(self):
    dtype = nest.flatten(self._initial_state)[0].dtype
    return BasicDecoderOutput(nest.map_structure(lambda _: dtype, self._rnn_output_size()), self._helper.sample_ids_dtype)

  def initialize(self, name=None):
    return self._helper.initialize() + (self._initial_state,)

  def step(self, time, inputs, state, name=None):
    """Returns (BasicDecoderOutput, next state, next inputs, finished)."""
    with tf.name_scope(name, "BasicDecoderStep", [time, *_tensors(inputs), *_tensors(state)]):
      outputs, cell_state = self._cell(inputs, state)
      if self._output_layer is not None:
        outputs = self._output_layer(outputs)
      ids = self._helper.sample(time=time, outputs=outputs, state=cell_state)
      finished, inputs, next_state = self._helper.next_inputs(time=time, outputs=outputs, state=cell_state, sample_ids=ids)
    return BasicDecoderOutput(outputs, ids), next_state, inputs, finished


def _tensors(structure):
  return [part for part in nest.flatten(structure) if isinstance(part, tf.Tensor)]


def check_output_layer(output_layer):
  """Raises TypeError for something that is no layer."""
  if output_layer is not None and not isinstance(output_layer, tf.layers.Layer):
    raise TypeError(f"output_layer must be a Layer, received: {type(output_layer)}")
