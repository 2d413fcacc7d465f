"""Wrappers that change a cell's inputs or outputs by a matrix: EmbeddingWrapper, InputProjectionWrapper, OutputProjectionWrapper."""

import math

import millrace as tf
from millrace.contrib.rnn.linear import Linear
from millrace.framework import graph as ops
from millrace.ops.rnn.cell import RNNCell, assert_like_rnncell
from millrace.ops.variables import scope as scopes


class _Projection(RNNCell):
  """The base: states are those of the cell inside."""

  def __init__(self, cell, reuse):
    super().__init__(_reuse=reuse)
    assert_like_rnncell("cell", cell)
    self._cell = cell

  @property
  def state_size(self):
    return self._cell.state_size

  @property
  def output_size(self):
    return self._cell.output_size

  def zero_state(self, batch_size, dtype):
    with ops.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
      return self._cell.zero_state(batch_size, dtype)


class EmbeddingWrapper(_Projection):
  """Gives a cell rows of the variable `embedding`, [embedding_classes, embedding_size], for inputs that are numbers of rows.

  It is initialized by `initializer`, otherwise by that of the scope, otherwise uniformly with variance 1. With `reuse`, the
  variables are found in a scope that has them. ValueError for sizes that are not positive.
  """

  def __init__(self, cell, embedding_classes, embedding_size, initializer=None, reuse=None):
    super().__init__(cell, reuse)
    if embedding_classes <= 0 or embedding_size <= 0:
      raise ValueError(f"Both embedding_classes and embedding_size must be > 0: {embedding_classes}, {embedding_size}.")
    self._embedding_classes = embedding_classes
    self._embedding_size = embedding_size
    self._initializer = initializer

  def call(self, inputs, state):
    """Returns (outputs, next state)."""
    with ops.device("/cpu:0"):
      initializer = self._initializer or scopes.get_variable_scope().initializer
      if not initializer:
        initializer = tf.random_uniform_initializer(-math.sqrt(3), math.sqrt(3))
      dtype = state[0].dtype if isinstance(state, tuple) else state.dtype
      shape = [self._embedding_classes, self._embedding_size]
      embedding = scopes.get_variable("embedding", shape, initializer=initializer, dtype=dtype)
      rows = tf.nn.embedding_lookup(embedding, tf.reshape(inputs, [-1]))
      return self._cell(rows, state)


class InputProjectionWrapper(_Projection):
  """Multiplies the inputs by a matrix to `num_proj` columns, adds a bias and applies `activation` before the cell.

  `input_size` is not used. With `reuse`, the variables are found in a scope that has them.
  """

  def __init__(self, cell, num_proj, activation=None, input_size=None, reuse=None):
    super().__init__(cell, reuse)
    if input_size is not None:
      tf.logging.warning("%s: The input_size parameter is deprecated.", self)
    self._num_proj = num_proj
    self._activation = activation
    self._linear = None

  def call(self, inputs, state):
    """Returns (outputs, next state)."""
    if self._linear is None:
      self._linear = Linear(inputs, self._num_proj, True)
    projected = self._linear(inputs)
    if self._activation:
      projected = self._activation(projected)
    return self._cell(projected, state)


class OutputProjectionWrapper(_Projection):
  """Multiplies the outputs of a cell by a matrix to `output_size` columns, adds a bias and applies `activation`.

  With `reuse`, the variables are found in a scope that has them. ValueError for a size that is not positive.
  """

  def __init__(self, cell, output_size, activation=None, reuse=None):
    super().__init__(cell, reuse)
    if output_size < 1:
      raise ValueError(f"Parameter output_size must be > 0: {output_size}.")
    self._output_size = output_size
    self._activation = activation
    self._linear = None

  @property
  def output_size(self):
    return self._output_size

  def call(self, inputs, state):
    """Returns (outputs, next state)."""
    output, next_state = self._cell(inputs, state)
    if self._linear is None:
      self._linear = Linear(output, self._output_size, True)
    projected = self._linear(output)
    if self._activation:
      projected = self._activation(projected)
    return projected, next_state
