"""NTMCell: a cell with a memory that it reads and writes, the neural Turing machine (Graves et al., 2014)."""

import collections
import math

import numpy as np

import millrace as tf
from millrace.framework.tensor_shape import TensorShape
from millrace.ops.rnn.cell import LayerRNNCell, assert_like_rnncell

NTMControllerState = collections.namedtuple("NTMControllerState", ("controller_state", "read_vector_list", "w_list", "M", "time"))


def _normal_for(size):
  return tf.truncated_normal_initializer(stddev=1.0 / math.sqrt(size))


class NTMCell(LayerRNNCell):
  """A cell around another one, the `controller`, with a memory of `memory_size` vectors of size `memory_vector_dim`.

  The controller gets the inputs and what was read; its outputs say where `read_head_num` heads read and `write_head_num` heads
  write, erase and add. A head looks for a vector, and moves by at most `shift_range` places. The outputs have `output_dim`
  columns, by default as many as the inputs; they and what the controller says are clipped to [-clip_value, clip_value]. `dtype`
  is the type of the variables. With `reuse`, the variables are found in a scope that has them.

  The state is an NTMControllerState: the controller's, what was read, the weights of the heads, the memory, and the time. At time
  0 all but the controller's is replaced by what the variables say. TypeError for a controller that is no cell.
  """

  def __init__(
    self,
    controller,
    memory_size,
    memory_vector_dim,
    read_head_num,
    write_head_num,
    shift_range=1,
    output_dim=None,
    clip_value=20,
    dtype=tf.float32,
    reuse=None,
  ):
    super().__init__(_reuse=reuse, dtype=dtype)
    assert_like_rnncell("NTM RNN cell", controller)
    self.controller = controller
    self.memory_size = memory_size
    self.memory_vector_dim = memory_vector_dim
    self.read_head_num = read_head_num
    self.write_head_num = write_head_num
    self.shift_range = shift_range
    self.output_dim = output_dim
    self.clip_value = clip_value
    self.num_heads = read_head_num + write_head_num
    # Of a head: a vector, its strength, a gate, a weight for each shift, and a sharpness.
    self.num_parameters_per_head = memory_vector_dim + 2 * shift_range + 4
    self.total_parameter_num = self.num_parameters_per_head * self.num_heads + 2 * memory_vector_dim * write_head_num

  @property
  def state_size(self):
    return NTMControllerState(
      controller_state=self.controller.state_size,
      read_vector_list=[self.memory_vector_dim] * self.read_head_num,
      w_list=[self.memory_size] * self.num_heads,
      M=TensorShape([self.memory_size, self.memory_vector_dim]),
      time=TensorShape([]),
    )

  @property
  def output_size(self):
    """The number of columns of the outputs; None before the first call where the constructor was not told."""
    return self.output_dim

  def build(self, input_shape):
    if self.output_dim is None:
      self.output_dim = input_shape.dims[1].value
    of_controller = self.controller.output_size
    joined = of_controller + self.memory_vector_dim * self.read_head_num
    self._of_parameters = self._make_linear("parameters", of_controller, self.total_parameter_num)
    self._of_outputs = self._make_linear("output", joined, self.output_dim)
    uniform = tf.glorot_uniform_initializer()
    self._first_vectors = [
      self.add_variable(f"initial_read_vector_{number}", shape=[1, self.memory_vector_dim], initializer=uniform)
      for number in range(self.read_head_num)
    ]
    self._first_weights = [
      self.add_variable(f"initial_address_weights_{number}", shape=[1, self.memory_size], initializer=uniform)
      for number in range(self.num_heads)
    ]
    self._first_memory = self.add_variable(
      "memory", shape=[self.memory_size, self.memory_vector_dim], initializer=tf.constant_initializer(1e-6)
    )
    self.built = True

  def _make_linear(self, name, rows, columns):
    kernel = self.add_variable(name + "_kernel", shape=[rows, columns], initializer=_normal_for(rows))
    return kernel, self.add_variable(name + "_bias", shape=[columns], initializer=tf.constant_initializer(0.0))

  def zero_state(self, batch_size, dtype):
    """Returns the state of time 0."""
    zeros = lambda *sizes: tf.zeros(tf.stack([batch_size, *sizes]), dtype)
    return NTMControllerState(
      controller_state=self.controller.zero_state(batch_size, dtype),
      read_vector_list=[zeros(self.memory_vector_dim) for _ in range(self.read_head_num)],
      w_list=[zeros(self.memory_size) for _ in range(self.num_heads)],
      M=zeros(self.memory_size, self.memory_vector_dim),
      time=0,
    )

  def call(self, x, prev_state):
    """Returns (outputs, next state)."""
    vectors, weights, memory = self._begin(x, prev_state)
    controlled, controller_state = self.controller(tf.concat([x] + vectors, axis=1), prev_state.controller_state)
    heads, writes = tf.split(
      self._clipped(controlled, self._of_parameters),
      [self.num_parameters_per_head * self.num_heads, 2 * self.memory_vector_dim * self.write_head_num],
      axis=1,
    )
    heads = tf.split(heads, self.num_heads, axis=1)
    weights = [self._addressed(head, memory, before) for head, before in zip(heads, weights)]
    vectors = [tf.reduce_sum(tf.expand_dims(w, 2) * memory, axis=1) for w in weights[: self.read_head_num]]
    if self.write_head_num:
      memory = self._written(memory, weights[self.read_head_num :], tf.split(writes, 2 * self.write_head_num, axis=1))
    output = self._clipped(tf.concat([controlled] + vectors, axis=1), self._of_outputs)
    return output, NTMControllerState(controller_state, vectors, weights, memory, prev_state.time + 1)

  def _begin(self, x, state):
    """Returns what was read, the weights of the heads, and the memory: of the state, or at time 0 of the variables."""
    batch = tf.shape(x)[0]

    def first():
      return (
        [tf.tile(tf.tanh(vector), tf.stack([batch, 1])) for vector in self._first_vectors]
        + [tf.tile(tf.nn.softmax(w), tf.stack([batch, 1])) for w in self._first_weights]
        + [tf.tile(tf.expand_dims(self._first_memory, 0), tf.stack([batch, 1, 1]))]
      )

    before = list(state.read_vector_list) + list(state.w_list) + [state.M]
    values = tf.cond(tf.equal(state.time, 0), first, lambda: [tf.identity(value) for value in before], strict=True)
    for value, size in zip(values, [self.memory_vector_dim] * self.read_head_num + [self.memory_size] * self.num_heads):
      value.set_shape([x.get_shape().dims[0], size])
    values[-1].set_shape([x.get_shape().dims[0], self.memory_size, self.memory_vector_dim])
    return values[: self.read_head_num], values[self.read_head_num : -1], values[-1]

  def _clipped(self, x, variables):
    kernel, bias = variables
    return tf.clip_by_value(tf.nn.bias_add(tf.matmul(x, kernel), bias), -self.clip_value, self.clip_value)

  def _addressed(self, head, memory, before):
    """Returns the weights of one head for each place of the memory."""
    key, strength, gate, shifts, sharpness = tf.split(head, [self.memory_vector_dim, 1, 1, 2 * self.shift_range + 1, 1], axis=1)
    # By content: the softmax of the cosine of each vector and the one that is looked for.
    key = tf.expand_dims(tf.tanh(key), 2)
    length = tf.sqrt(tf.reduce_sum(tf.square(memory), axis=2)) * tf.sqrt(tf.reduce_sum(tf.square(key), axis=1))
    cosine = tf.squeeze(tf.matmul(memory, key), [2]) / (length + 1e-8)
    found = tf.exp(tf.nn.softplus(strength) * cosine)
    found /= tf.reduce_sum(found, axis=1, keepdims=True)
    # By place: moved from where the head was.
    gate = tf.sigmoid(gate)
    moved = self._moved(gate * found + (1 - gate) * before, tf.nn.softmax(shifts))
    sharp = tf.pow(moved, tf.nn.softplus(sharpness) + 1)
    return sharp / tf.reduce_sum(sharp, axis=1, keepdims=True)

  def _moved(self, weights, shifts):
    """Returns weights moved around the memory; `shifts` are the weights of moving by 0, 1, ..., and by ..., -2, -1."""
    size, reach = self.memory_size, self.shift_range
    none = tf.zeros(tf.stack([tf.shape(shifts)[0], size - 2 * reach - 1]), shifts.dtype)
    by_distance = tf.concat([shifts[:, : reach + 1], none, shifts[:, reach + 1 :]], axis=1)
    distances = (np.arange(size)[:, None] - np.arange(size)[None, :]) % size
    matrix = tf.gather(by_distance, distances.astype(np.int32), axis=1)
    return tf.squeeze(tf.matmul(matrix, tf.expand_dims(weights, 2)), [2])

  def _written(self, memory, weights, vectors):
    """Returns the memory after all heads that write have erased and added."""
    for w, erased, added in zip(weights, vectors[::2], vectors[1::2]):
      w = tf.expand_dims(w, 2)
      memory *= 1 - tf.matmul(w, tf.expand_dims(tf.sigmoid(erased), 1))
      memory += tf.matmul(w, tf.expand_dims(tf.tanh(added), 1))
    return memory
