"""Monitors that print."""

import millrace as tf
from millrace.contrib.learn.monitors.base import EveryN, output_of


class PrintTensor(EveryN):
  """Prints tensors: a map of tags to tensors or names, or a list of them."""

  def __init__(self, tensor_names, every_n=100, first_n=1):
    super().__init__(every_n, first_n)
    if not isinstance(tensor_names, dict):
      tensor_names = {item: item for item in tensor_names}
    self._tensor_names = tensor_names

  def every_n_step_begin(self, step):
    super().every_n_step_begin(step)
    return list(self._tensor_names.values())

  def every_n_step_end(self, step, outputs):
    super().every_n_step_end(step, outputs)
    values = [f"{tag} = {output_of(outputs, tensor)!s}" for tag, tensor in self._tensor_names.items()]
    tf.logging.info("Step %d: %s", step, ", ".join(values))
    return False


class LoggingTrainable(EveryN):
  """Prints the means of the trainable variables, or of those below a scope."""

  def __init__(self, scope=None, every_n=100, first_n=1):
    super().__init__(every_n, first_n)
    self._scope = scope

  def every_n_step_begin(self, step):
    super().every_n_step_begin(step)
    names = [v.name for v in tf.trainable_variables(scope=self._scope)]
    self._names = {name: name.split(":")[0] + "_mean" for name in names}
    return list(self._names)

  def every_n_step_end(self, step, outputs):
    super().every_n_step_end(step, outputs)
    values = [f"{tag} = {output_of(outputs, name).mean()!s}" for name, tag in self._names.items()]
    tf.logging.info("Logging Trainable: Step %d: %s", step, ", ".join(values))
    return False
