"""LSTM cells and their state."""

import collections

import millrace as tf
from millrace.layers import named_values
from millrace.layers.base import InputSpec
from millrace.ops.rnn.cell import LayerRNNCell, check_floating, depth_of


class LSTMStateTuple(collections.namedtuple("LSTMStateTuple", ("c", "h"))):
  """The state of an LSTM: the cell `c` and the output `h`."""

  __slots__ = ()

  @property
  def dtype(self):
    """The type of both. TypeError where they differ."""
    if self.c.dtype != self.h.dtype:
      raise TypeError(f"Inconsistent dtypes for internal state: {self.c.dtype} vs {self.h.dtype}")
    return self.c.dtype


def _tell_of_joined_state(cell):
  tf.logging.warning("%s: Using a concatenated state is slower and will soon be deprecated.  Use state_is_tuple=True.", cell)


class BasicLSTMCell(LayerRNNCell):
  """The LSTM of Zaremba et al., 2014: c' = sigmoid(f + forget_bias) c + sigmoid(i) act(j), h' = act(c') sigmoid(o).

  The gates are [i, j, f, o] = [inputs, h] W + b. `activation` is a function or its name, tanh by default. The state is an
  LSTMStateTuple, or without `state_is_tuple` one tensor with c and h side by side. With `reuse`, the variables are found in a
  scope that has them.
  """

  def __init__(
    self, num_units, forget_bias=1.0, state_is_tuple=True, activation=None, reuse=None, name=None, dtype=None, **kwargs
  ):
    super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
    if not state_is_tuple:
      _tell_of_joined_state(self)
    self.input_spec = InputSpec(ndim=2)
    self._num_units = num_units
    self._forget_bias = forget_bias
    self._state_is_tuple = state_is_tuple
    self._activation = named_values.activation(activation) if activation else tf.tanh

  @property
  def state_size(self):
    return LSTMStateTuple(self._num_units, self._num_units) if self._state_is_tuple else 2 * self._num_units

  @property
  def output_size(self):
    return self._num_units

  def build(self, input_shape):
    depth = depth_of(input_shape)
    check_floating(self)
    columns = 4 * self._num_units
    self._kernel = self.add_variable("kernel", shape=[depth + self._num_units, columns])
    self._bias = self.add_variable("bias", shape=[columns], initializer=tf.zeros_initializer(dtype=self.dtype))
    self.built = True

  def call(self, inputs, state):
    """Returns (outputs, next state)."""
    check_floating([inputs, state])
    one = tf.constant(1, dtype=tf.int32)
    c, h = state if self._state_is_tuple else tf.split(value=state, num_or_size_splits=2, axis=one)
    gates = tf.nn.bias_add(tf.matmul(tf.concat([inputs, h], 1), self._kernel), self._bias)
    i, j, f, o = tf.split(value=gates, num_or_size_splits=4, axis=one)
    forget_bias = tf.constant(self._forget_bias, dtype=f.dtype)
    kept = tf.multiply(c, tf.sigmoid(tf.add(f, forget_bias)))
    new_c = tf.add(kept, tf.multiply(tf.sigmoid(i), self._activation(j)))
    new_h = tf.multiply(self._activation(new_c), tf.sigmoid(o))
    return new_h, LSTMStateTuple(new_c, new_h) if self._state_is_tuple else tf.concat([new_c, new_h], 1)

  def get_config(self):
    config = {
      "num_units": self._num_units,
      "forget_bias": self._forget_bias,
      "state_is_tuple": self._state_is_tuple,
      "activation": named_values.described(self._activation),
      "reuse": self._reuse,
    }
    return {**super().get_config(), **config}


class LSTMCell(LayerRNNCell):
  """The LSTM of Hochreiter and Schmidhuber with peepholes, clipping and a projection (Sak et al., 2014).

  As BasicLSTMCell with, where `use_peepholes`, the cell times a weight added to i, f and, after the update, o; where
  `cell_clip`, the cell clipped to [-cell_clip, cell_clip]; where `num_proj`, h multiplied by a matrix to `num_proj` columns and
  clipped to [-proj_clip, proj_clip]. `initializer` is that of all weights. With `num_unit_shards` and `num_proj_shards` the
  matrices are partitioned; a partitioner of the scope does that too.
  """

  def __init__(
    self,
    num_units,
    use_peepholes=False,
    cell_clip=None,
    initializer=None,
    num_proj=None,
    proj_clip=None,
    num_unit_shards=None,
    num_proj_shards=None,
    forget_bias=1.0,
    state_is_tuple=True,
    activation=None,
    reuse=None,
    name=None,
    dtype=None,
    **kwargs,
  ):
    super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
    if not state_is_tuple:
      _tell_of_joined_state(self)
    if num_unit_shards is not None or num_proj_shards is not None:
      tf.logging.warning(
        "%s: The num_unit_shards and proj_unit_shards parameters are deprecated and will be removed in Jan 2017.  "
        "Use a variable scope with a partitioner instead.",
        self,
      )
    self.input_spec = InputSpec(ndim=2)
    self._num_units = num_units
    self._use_peepholes = use_peepholes
    self._cell_clip = cell_clip
    self._initializer = named_values.initializer(initializer)
    self._num_proj = num_proj
    self._proj_clip = proj_clip
    self._num_unit_shards = num_unit_shards
    self._num_proj_shards = num_proj_shards
    self._forget_bias = forget_bias
    self._state_is_tuple = state_is_tuple
    self._activation = named_values.activation(activation) if activation else tf.tanh
    self._output_size = num_proj if num_proj else num_units

  @property
  def state_size(self):
    sizes = LSTMStateTuple(self._num_units, self._output_size)
    return sizes if self._state_is_tuple else sum(sizes)

  @property
  def output_size(self):
    return self._output_size

  def build(self, input_shape):
    depth = depth_of(input_shape)
    check_floating(self)
    rows = depth + (self._num_units if self._num_proj is None else self._num_proj)
    columns = 4 * self._num_units
    self._kernel = self._matrix("kernel", [rows, columns], self._num_unit_shards)
    self._bias = self.add_variable("bias", shape=[columns], initializer=tf.zeros_initializer(dtype=self.dtype or tf.float32))
    if self._use_peepholes:
      self._w_f_diag = self.add_variable("w_f_diag", shape=[self._num_units], initializer=self._initializer)
      self._w_i_diag = self.add_variable("w_i_diag", shape=[self._num_units], initializer=self._initializer)
      self._w_o_diag = self.add_variable("w_o_diag", shape=[self._num_units], initializer=self._initializer)
    if self._num_proj is not None:
      self._proj_kernel = self._matrix("projection/kernel", [self._num_units, self._num_proj], self._num_proj_shards)
    self.built = True

  def _matrix(self, name, shape, shards):
    partitioner = tf.fixed_size_partitioner(shards) if shards is not None else None
    return self.add_variable(name, shape=shape, initializer=self._initializer, partitioner=partitioner)

  def call(self, inputs, state):
    """Returns (outputs, next state)."""
    check_floating([inputs, state])
    if self._state_is_tuple:
      c, h = state
    else:
      c = tf.slice(state, [0, 0], [-1, self._num_units])
      h = tf.slice(state, [0, self._num_units], [-1, self._num_units if self._num_proj is None else self._num_proj])
    if inputs.get_shape().with_rank(2).dims[1].value is None:
      raise ValueError("Could not infer input size from inputs.get_shape()[-1]")
    gates = tf.nn.bias_add(tf.matmul(tf.concat([inputs, h], 1), self._kernel), self._bias)
    i, j, f, o = tf.split(value=gates, num_or_size_splits=4, axis=1)
    new_c = self._next_cell(c, i, j, f)
    if self._use_peepholes:
      new_h = tf.sigmoid(o + self._w_o_diag * new_c) * self._activation(new_c)
    else:
      new_h = tf.sigmoid(o) * self._activation(new_c)
    if self._num_proj is not None:
      new_h = tf.matmul(new_h, self._proj_kernel)
      if self._proj_clip is not None:
        new_h = tf.clip_by_value(new_h, -self._proj_clip, self._proj_clip)
    return new_h, LSTMStateTuple(new_c, new_h) if self._state_is_tuple else tf.concat([new_c, new_h], 1)

  def _next_cell(self, c, i, j, f):
    if self._use_peepholes:
      kept = tf.sigmoid(f + self._forget_bias + self._w_f_diag * c) * c
      new_c = kept + tf.sigmoid(i + self._w_i_diag * c) * self._activation(j)
    else:
      new_c = tf.sigmoid(f + self._forget_bias) * c + tf.sigmoid(i) * self._activation(j)
    return new_c if self._cell_clip is None else tf.clip_by_value(new_c, -self._cell_clip, self._cell_clip)

  def get_config(self):
    config = {
      "num_units": self._num_units,
      "use_peepholes": self._use_peepholes,
      "cell_clip": self._cell_clip,
      "initializer": named_values.described(self._initializer),
      "num_proj": self._num_proj,
      "proj_clip": self._proj_clip,
      "num_unit_shards": self._num_unit_shards,
      "num_proj_shards": self._num_proj_shards,
      "forget_bias": self._forget_bias,
      "state_is_tuple": self._state_is_tuple,
      "activation": named_values.described(self._activation),
      "reuse": self._reuse,
    }
    return {**super().get_config(), **config}
