"""PhasedLSTMCell: an LSTM whose units are open at times of their own (Neil et al., 2016)."""

import math

import millrace as tf
from millrace.contrib.rnn.linear import Linear
from millrace.ops.rnn.cell import RNNCell
from millrace.ops.rnn.lstm_cells import LSTMStateTuple
from millrace.ops.variables import scope as scopes


def _log_uniform(low, high):
  """Returns an initializer whose logarithms are uniform between those of `low` and `high`."""

  def initializer(shape, dtype=tf.float32, partition_info=None):
    return tf.exp(tf.random_uniform(shape, math.log(low), math.log(high), dtype=dtype))

  return initializer


class PhasedLSTMCell(RNNCell):
  """An LSTM with inputs (time, x), time as [batch, 1], each unit of which opens and closes with a period.

  Each unit is open for the part ratio_on of its period, which begins at its phase; while it is closed, the part `leak` of what
  happens gets through. ratio_on begins as `ratio_on` and is trained where `trainable_ratio_on`; the periods begin between
  `period_init_min` and `period_init_max`, uniformly in their logarithms. `use_peepholes` gives the gates the cell as well. With
  `reuse`, the variables are found in a scope that has them.
  """

  def __init__(
    self,
    num_units,
    use_peepholes=False,
    leak=0.001,
    ratio_on=0.1,
    trainable_ratio_on=True,
    period_init_min=1.0,
    period_init_max=1000.0,
    reuse=None,
  ):
    super().__init__(_reuse=reuse)
    self._num_units = num_units
    self._use_peepholes = use_peepholes
    self._leak = leak
    self._ratio_on = ratio_on
    self._trainable_ratio_on = trainable_ratio_on
    self._period_init_min = period_init_min
    self._period_init_max = period_init_max
    self._linears = {}

  @property
  def state_size(self):
    return LSTMStateTuple(self._num_units, self._num_units)

  @property
  def output_size(self):
    return self._num_units

  def _product(self, scope, args, columns):
    with scopes.variable_scope(scope):
      if scope not in self._linears:
        self._linears[scope] = Linear(args, columns, True)
      return self._linears[scope](args)

  def call(self, inputs, state):
    """Returns (outputs, next state)."""
    c, h = state
    time, x = inputs
    joined = [x, h]
    gates = tf.sigmoid(self._product("mask_gates", joined + [c] if self._use_peepholes else joined, 2 * self._num_units))
    input_gate, forget_gate = tf.split(axis=1, num_or_size_splits=2, value=gates)
    new_c = c * forget_gate + input_gate * tf.tanh(self._product("new_input", joined, self._num_units))
    output_gate = tf.sigmoid(self._product("output_gate", joined + [new_c] if self._use_peepholes else joined, self._num_units))
    new_h = tf.tanh(new_c) * output_gate
    k = self._openness(time, x.dtype)
    new_c = k * new_c + (1 - k) * c
    new_h = k * new_h + (1 - k) * h
    return new_h, LSTMStateTuple(new_c, new_h)

  def _openness(self, time, dtype):
    """Returns how open each unit is at each time, between 0 and 1 or, where it is closed, a leak."""
    units = [self._num_units]
    period = scopes.get_variable("period", units, initializer=_log_uniform(self._period_init_min, self._period_init_max))
    phase = scopes.get_variable("phase", units, initializer=tf.random_uniform_initializer(0.0, period.initial_value))
    ratio_on = scopes.get_variable(
      "ratio_on", units, initializer=tf.constant_initializer(self._ratio_on), trainable=self._trainable_ratio_on
    )
    own_period = tf.cast(period, time.dtype)
    shifted = time - tf.cast(phase, time.dtype)
    # The gradient of the remainder is that of what is divided.
    remainder = tf.stop_gradient(tf.mod(shifted, own_period) - shifted) + shifted
    cycle = tf.cast(remainder / own_period, dtype)
    rising = 2 * cycle / ratio_on
    k = tf.where(cycle < ratio_on, 2 - rising, self._leak * cycle)
    return tf.where(cycle < 0.5 * ratio_on, rising, k)
