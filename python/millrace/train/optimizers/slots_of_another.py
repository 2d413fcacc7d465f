"""What optimizers have that hand their work to another one: Millrace's own, and those of `millrace.parallel` over any TensorFlow."""


class SlotsOfAnother:
  """The slots and variables of an optimizer are those of the optimizer that it wraps, `_opt`."""

  def get_slot(self, *args, **kwargs):
    return self._opt.get_slot(*args, **kwargs)

  def get_slot_names(self, *args, **kwargs):
    return self._opt.get_slot_names(*args, **kwargs)

  def variables(self):
    return self._opt.variables()
