"""ResidualWrapper and DeviceWrapper."""

from millrace.framework import graph as ops
from millrace.framework import nest
from millrace.ops.rnn.cell_wrapper import RNNCellWrapper
from millrace.ops.rnn.saved_functions import function_of, saved_function


class ResidualWrapper(RNNCellWrapper):
  """Adds the inputs to the outputs: ResidualWrapper(cell, residual_fn=None).

  residual_fn(inputs, outputs) says how they become the outputs; by default they have one structure and equal shapes, which are
  checked, and are added.
  """

  def _wrap(self, cell, residual_fn=None, dtype=None):
    self._keep(cell, dtype)
    self._residual_fn = residual_fn

  def _around(self, cell, inputs, state, **kwargs):
    outputs, next_state = cell(inputs, state, **kwargs)
    return (self._residual_fn or _added)(inputs, outputs), next_state

  def get_config(self):
    config = super().get_config()
    if self._residual_fn is not None:
      config.update(saved_function("residual_fn", self._residual_fn))
    return config

  @classmethod
  def from_config(cls, config, custom_objects=None):
    return super().from_config(function_of("residual_fn", config), custom_objects)


def _added(inputs, outputs):
  nest.assert_same_structure(inputs, outputs)
  for one, two in zip(nest.flatten(inputs), nest.flatten(outputs)):
    one.get_shape().assert_is_compatible_with(two.get_shape())
  return nest.map_structure(lambda one, two: one + two, inputs, outputs)


class DeviceWrapper(RNNCellWrapper):
  """Puts a cell on a device: DeviceWrapper(cell, device). Its zero states are there too."""

  def _wrap(self, cell, device, dtype=None):
    self._keep(cell, dtype)
    self._device = device

  def zero_state(self, batch_size, dtype):
    with ops.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]), ops.device(self._device):
      return self.cell.zero_state(batch_size, dtype)

  def _around(self, cell, inputs, state, **kwargs):
    with ops.device(self._device):
      return cell(inputs, state, **kwargs)

  def get_config(self):
    return {**super().get_config(), "device": self._device}
