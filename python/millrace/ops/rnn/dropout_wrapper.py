"""DropoutWrapper: dropout of a cell's inputs, outputs and state."""

import hashlib
import itertools
import numbers

import millrace as tf
from millrace.framework import convert, nest, tensor_values
from millrace.framework import graph as ops
from millrace.framework.tensor_shape import TensorShape
from millrace.ops.control_flow.tensor_array import TensorArray
from millrace.ops.rnn.cell_wrapper import RNNCellWrapper
from millrace.ops.rnn.lstm_cells import LSTMStateTuple
from millrace.ops.rnn.saved_functions import function_of, saved_function


def _default_filter(substate):
  """Of an LSTM only the output is dropped, of arrays nothing, of all else everything."""
  if isinstance(substate, LSTMStateTuple):
    return LSTMStateTuple(c=False, h=True)
  return not isinstance(substate, TensorArray)


class DropoutWrapper(RNNCellWrapper):
  """Dropout around a cell: DropoutWrapper(cell, input_keep_prob=1.0, output_keep_prob=1.0, state_keep_prob=1.0,
  variational_recurrent=False, input_size=None, dtype=None, seed=None, dropout_state_filter_visitor=None).

  The probabilities say how much is kept of the inputs, the outputs and the next state, as numbers or scalar tensors. With
  `variational_recurrent`, one mask is drawn for all steps and all of the batch (Gal and Ghahramani, 2015); its type is `dtype`,
  and if inputs are dropped, `input_size` is a structure of TensorShapes of them without the batch.
  dropout_state_filter_visitor(part) says which parts of the state are dropped: a boolean, or a structure of booleans for the
  part's parts. By default that is all but the `c` of an LSTMStateTuple.

  TypeError for what is no cell and for a visitor that is no function, ValueError for probabilities out of [0, 1] and for
  `variational_recurrent` without what it needs.
  """

  def _wrap(
    self,
    cell,
    input_keep_prob=1.0,
    output_keep_prob=1.0,
    state_keep_prob=1.0,
    variational_recurrent=False,
    input_size=None,
    dtype=None,
    seed=None,
    dropout_state_filter_visitor=None,
  ):
    self._keep(cell, dtype)
    if dropout_state_filter_visitor is not None and not callable(dropout_state_filter_visitor):
      raise TypeError(f"dropout_state_filter_visitor must be callable. Received: {dropout_state_filter_visitor}")
    self._dropout_state_filter = dropout_state_filter_visitor or _default_filter
    with ops.name_scope("DropoutWrapperInit"):
      self._input_keep_prob = _probability("input_keep_prob", input_keep_prob)
      self._state_keep_prob = _probability("state_keep_prob", state_keep_prob)
      self._output_keep_prob = _probability("output_keep_prob", output_keep_prob)
    self._variational_recurrent = variational_recurrent
    self._input_size = input_size
    self._seed = seed
    self._noises = {"input": None, "state": None, "output": None}
    if variational_recurrent:
      self._draw_noises(dtype)

  def _draw_noises(self, dtype):
    """Draws what decides about each element of the inputs, states and outputs in all steps."""
    if dtype is None:
      raise ValueError("When variational_recurrent=True, dtype must be provided")

    def drawn(salt, sizes):
      number = itertools.count()

      def noise(size):
        shape = tf.concat(([1], TensorShape(size).as_list()), 0)
        return tf.random_uniform(shape, seed=self._seed_of(salt, next(number)), dtype=dtype)

      return nest.map_structure_up_to(sizes, noise, sizes)

    if not isinstance(self._input_keep_prob, numbers.Real) or self._input_keep_prob < 1.0:
      if self._input_size is None:
        raise ValueError("When variational_recurrent=True and input_keep_prob < 1.0 or is unknown, input_size must be provided")
      self._noises["input"] = drawn("input", self._input_size)
    self._noises["state"] = drawn("state", self.cell.state_size)
    self._noises["output"] = drawn("output", self.cell.output_size)

  def _seed_of(self, salt, number):
    """A seed for one tensor, different for each but known from the seed of the wrapper."""
    if self._seed is None:
      return None
    text = f"{self._seed}{salt}_{number}"
    return int(hashlib.md5(text.encode("utf-8")).hexdigest()[:8], 16) & 0x7FFFFFFF

  def _dropped(self, values, salt, keep_prob, wanted=None):
    """Returns the structure `values` with dropout where the structure of booleans `wanted` is true, by default everywhere."""
    number = itertools.count()
    if wanted is None:
      # A structure as deep as the values, in which everything is dropped.
      wanted = nest.map_structure(lambda value: True, values)

    def one(is_wanted, value, noise=None):
      position = next(number)
      if isinstance(is_wanted, bool) and not is_wanted:
        return value
      if noise is None:
        return tf.nn.dropout(value, rate=1.0 - keep_prob, seed=self._seed_of(salt, position))
      kept = tf.floor(keep_prob + noise)
      result = value / keep_prob * kept
      result.set_shape(value.get_shape())
      return result

    trees = [wanted, values]
    if self._variational_recurrent:
      trees.append(self._noises[salt])
    return nest.map_structure_up_to(wanted, one, *trees)

  def _around(self, cell, inputs, state, **kwargs):
    if _is_less_than_one(self._input_keep_prob):
      inputs = self._dropped(inputs, "input", self._input_keep_prob)
    output, next_state = cell(inputs, state, **kwargs)
    if _is_less_than_one(self._state_keep_prob):
      wanted = nest.get_traverse_shallow_structure(self._dropout_state_filter, next_state)
      next_state = self._dropped(next_state, "state", self._state_keep_prob, wanted)
    if _is_less_than_one(self._output_keep_prob):
      output = self._dropped(output, "output", self._output_keep_prob)
    return output, next_state

  def get_config(self):
    config = {
      "input_keep_prob": self._input_keep_prob,
      "output_keep_prob": self._output_keep_prob,
      "state_keep_prob": self._state_keep_prob,
      "variational_recurrent": self._variational_recurrent,
      "input_size": self._input_size,
      "seed": self._seed,
    }
    if self._dropout_state_filter is not _default_filter:
      config.update(saved_function("dropout_state_filter_visitor", self._dropout_state_filter))
    return {**super().get_config(), **config}

  @classmethod
  def from_config(cls, config, custom_objects=None):
    return super().from_config(function_of("dropout_state_filter_visitor", config), custom_objects)


def _probability(name, value):
  """Returns a number where the value is known, otherwise the tensor. ValueError for a number out of [0, 1]."""
  tensor = convert.convert_to_tensor(value)
  known = tensor_values.constant_value(tensor)
  if known is None:
    return tensor
  if known < 0 or known > 1:
    raise ValueError(f"Parameter {name} must be between 0 and 1. Received {known}")
  return float(known)


def _is_less_than_one(probability):
  return not isinstance(probability, float) or probability < 1
