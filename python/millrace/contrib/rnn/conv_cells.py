"""LSTMs whose products are convolutions (Shi et al., 2015): ConvLSTMCell and Conv1DLSTMCell, Conv2DLSTMCell, Conv3DLSTMCell."""

import millrace as tf
from millrace.framework.tensor_shape import TensorShape
from millrace.ops.rnn.cell import RNNCell
from millrace.ops.rnn.lstm_cells import LSTMStateTuple
from millrace.ops.variables import scope as scopes


class ConvLSTMCell(RNNCell):
  """An LSTM over inputs [batch, positions..., channels] with `conv_ndims` dimensions of positions.

  The gates [i, j, f, o] are a convolution of the inputs and the outputs side by side, with a kernel of shape `kernel_shape`
  and, with `use_bias`, `biases`. `input_shape` is the shape of the inputs without the batch, `output_channels` the number of
  channels of the cell. `skip_connection` appends the inputs to the outputs. `forget_bias` is added to f. `initializers` is not
  used. ValueError for an `input_shape` of another number of dimensions.
  """

  def __init__(
    self,
    conv_ndims,
    input_shape,
    output_channels,
    kernel_shape,
    use_bias=True,
    skip_connection=False,
    forget_bias=1.0,
    initializers=None,
    name="conv_lstm_cell",
  ):
    super().__init__(name=name)
    if conv_ndims != len(input_shape) - 1:
      raise ValueError(f"Invalid input_shape {input_shape} for conv_ndims={conv_ndims}.")
    self._conv_ndims = conv_ndims
    self._input_shape = list(input_shape)
    self._output_channels = output_channels
    self._kernel_shape = list(kernel_shape)
    self._use_bias = use_bias
    self._skip_connection = skip_connection
    self._forget_bias = forget_bias

  @property
  def output_size(self):
    channels = self._output_channels + (self._input_shape[-1] if self._skip_connection else 0)
    return TensorShape(self._input_shape[:-1] + [channels])

  @property
  def state_size(self):
    return LSTMStateTuple(TensorShape(self._input_shape[:-1] + [self._output_channels]), self.output_size)

  def call(self, inputs, state, scope=None):
    """Returns (outputs, next state)."""
    c, h = state
    gates = self._convolved(tf.concat([inputs, h], axis=self._conv_ndims + 1), 4 * self._output_channels)
    i, j, f, o = tf.split(value=gates, num_or_size_splits=4, axis=self._conv_ndims + 1)
    new_c = tf.sigmoid(f + self._forget_bias) * c + tf.sigmoid(i) * tf.tanh(j)
    output = tf.tanh(new_c) * tf.sigmoid(o)
    if self._skip_connection:
      output = tf.concat([output, inputs], axis=-1)
    return output, LSTMStateTuple(new_c, output)

  def _convolved(self, x, channels):
    shape = x.get_shape().as_list()
    if len(shape) not in (3, 4, 5):
      raise ValueError(f"Conv Linear expects 3D, 4D or 5D arguments: {shape}")
    kernel = scopes.get_variable("kernel", self._kernel_shape + [shape[-1], channels], dtype=x.dtype)
    if len(shape) == 3:
      result = tf.nn.conv1d(x, kernel, 1, padding="SAME")
    elif len(shape) == 4:
      result = tf.nn.conv2d(x, kernel, [1, 1, 1, 1], padding="SAME")
    else:
      result = tf.nn.conv3d(x, kernel, [1, 1, 1, 1, 1], padding="SAME")
    if not self._use_bias:
      return result
    zero = tf.constant_initializer(0.0, dtype=x.dtype)
    return result + scopes.get_variable("biases", [channels], dtype=x.dtype, initializer=zero)


class Conv1DLSTMCell(ConvLSTMCell):
  """ConvLSTMCell with one dimension of positions; its arguments but for the first are ConvLSTMCell's."""

  def __init__(self, name="conv_1d_lstm_cell", **kwargs):
    super().__init__(conv_ndims=1, name=name, **kwargs)


class Conv2DLSTMCell(ConvLSTMCell):
  """ConvLSTMCell with two dimensions of positions; its arguments but for the first are ConvLSTMCell's."""

  def __init__(self, name="conv_2d_lstm_cell", **kwargs):
    super().__init__(conv_ndims=2, name=name, **kwargs)


class Conv3DLSTMCell(ConvLSTMCell):
  """ConvLSTMCell with three dimensions of positions; its arguments but for the first are ConvLSTMCell's."""

  def __init__(self, name="conv_3d_lstm_cell", **kwargs):
    super().__init__(conv_ndims=3, name=name, **kwargs)
