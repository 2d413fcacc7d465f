"""CompiledWrapper, which is not offered."""


class CompiledWrapper:
  """Says that there is no XLA and what to use."""

  def __init__(self, cell, compile_stateful=False):
    raise NotImplementedError(
      "tf.contrib.rnn.CompiledWrapper is not part of Millrace. There is no XLA: use the cell itself, or LSTMBlockCell, "
      "LSTMBlockFusedCell and GRUBlockCellV2, each of which is one op."
    )
