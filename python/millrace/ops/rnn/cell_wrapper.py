"""RNNCellWrapper: the base of cells that do something around another cell."""

import millrace as tf
from millrace.framework import graph as ops
from millrace.ops.rnn.cell import RNNCell, assert_like_rnncell


class RNNCellWrapper(RNNCell):
  """The base of wrappers: sizes, states and variables are those of the cell inside, which has no scope around it.

  A class below computes in `_around(cell, inputs, state, **kwargs)`, whose last arguments are for calling the cell.
  """

  def __init__(self, *args, **kwargs):
    """Takes the arguments of the class's `_wrap`. TypeError where the first is no cell."""
    own = {name: kwargs.pop(name) for name in ("trainable", "name") if name in kwargs}
    super().__init__(**own)
    self._wrap(*args, **kwargs)

  def _keep(self, cell, dtype):
    assert_like_rnncell("cell", cell)
    self.cell = cell
    if dtype is not None:
      self._dtype = tf.as_dtype(dtype).name

  @property
  def _cell(self):
    return self.cell  # which programs of TensorFlow 1 read by this name

  @property
  def wrapped_cell(self):
    """The cell inside."""
    return self.cell

  @property
  def state_size(self):
    return self.cell.state_size

  @property
  def output_size(self):
    return self.cell.output_size

  def __call__(self, inputs, state, scope=None):
    """Returns (outputs, next state)."""
    return self._around(self.cell, inputs, state, scope=scope)

  def zero_state(self, batch_size, dtype):
    """Returns the cell's zero state."""
    with ops.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
      return self.cell.zero_state(batch_size, dtype)

  @property
  def trainable_weights(self):
    return self.cell.trainable_weights if self._trainable else []

  @property
  def non_trainable_weights(self):
    return self.cell.non_trainable_weights if self._trainable else self.cell.variables

  def get_config(self):
    """Returns the arguments of the constructor; the cell is its class's name and its own arguments."""
    inner = {"class_name": type(self.cell).__name__, "config": self.cell.get_config()}
    return {"cell": inner, **super().get_config()}

  @classmethod
  def from_config(cls, config, custom_objects=None):
    """Returns a wrapper of what get_config() gave. `custom_objects` has the program's own classes by name."""
    config = dict(config)
    inner = config.pop("cell")
    name = inner["class_name"]
    known = (custom_objects or {}).get(name) or getattr(tf.nn.rnn_cell, name, None) or getattr(tf.contrib.rnn, name, None)
    if known is None:
      raise ValueError(f"Unknown layer: {name}")
    if issubclass(known, RNNCellWrapper):
      cell = known.from_config(inner["config"], custom_objects=custom_objects)
    else:
      cell = known.from_config(inner["config"])
    return cls(cell, **config)
