"""Layers that are cuDNN's own, which are not offered: each says what to use."""


def _refused(name, instead):
  raise NotImplementedError(f"tf.contrib.cudnn_rnn.{name} is not part of Millrace. {instead}")


class CudnnLSTM:
  """Not offered."""

  def __init__(self, *args, **kwargs):
    _refused(
      "CudnnLSTM", "Use tf.contrib.rnn.LSTMBlockFusedCell, or tf.contrib.cudnn_rnn.CudnnCompatibleLSTMCell in dynamic_rnn."
    )


class CudnnGRU:
  """Not offered."""

  def __init__(self, *args, **kwargs):
    _refused("CudnnGRU", "Use tf.contrib.cudnn_rnn.CudnnCompatibleGRUCell or tf.contrib.rnn.GRUBlockCellV2 in tf.nn.dynamic_rnn.")


class CudnnRNNTanh:
  """Not offered."""

  def __init__(self, *args, **kwargs):
    _refused("CudnnRNNTanh", "Use tf.nn.rnn_cell.BasicRNNCell in tf.nn.dynamic_rnn.")


class CudnnRNNRelu:
  """Not offered."""

  def __init__(self, *args, **kwargs):
    _refused("CudnnRNNRelu", "Use tf.nn.rnn_cell.BasicRNNCell(num_units, activation=tf.nn.relu) in tf.nn.dynamic_rnn.")
