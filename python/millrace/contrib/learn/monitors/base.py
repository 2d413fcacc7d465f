"""What a monitor is, and monitors that work every so many steps."""

import millrace as tf


class BaseMonitor:
  """Base class of monitors; every method may be left as it is.

  `step_begin` returns the tensors (or names) that are wanted of the step, `step_end` gets a map of them to values and ends the
  training by returning true.
  """

  def __init__(self):
    self._begun = False
    self._current_epoch = None
    self._current_step = None
    self._max_steps = None
    self._estimator = None

  @property
  def run_on_all_workers(self):
    """Whether workers that aren't the chief have the monitor, too."""
    return False

  def set_estimator(self, estimator):
    """Called once with the estimator whose training it is. Raises ValueError without one."""
    if estimator is None:
      raise ValueError("Missing estimator.")
    self._estimator = estimator

  def begin(self, max_steps=None):
    """Called before the first step. Raises ValueError if it was called before."""
    if self._begun:
      raise ValueError("begin called twice without end.")
    self._max_steps = max_steps
    self._begun = True

  def end(self, session=None):
    """Called after the last step. Raises ValueError without a beginning."""
    del session
    if not self._begun:
      raise ValueError("end called without begin.")
    self._max_steps = None
    self._begun = False

  def epoch_begin(self, epoch):
    """Called before an epoch. Raises ValueError within another one, or for a negative number."""
    if self._current_epoch is not None:
      raise ValueError("epoch_begin called twice without epoch_end.")
    if epoch < 0:
      raise ValueError(f"Invalid epoch {epoch}.")
    self._current_epoch = epoch

  def epoch_end(self, epoch):
    """Called after an epoch. Raises ValueError if it is another one than the last that began."""
    if self._current_epoch != epoch:
      raise ValueError(f"epoch_end expected {self._current_epoch} but got {epoch}.")
    self._current_epoch = None

  def step_begin(self, step):
    """Called before a step; returns a list of what is wanted. Raises ValueError for steps that don't come in order."""
    if step < 0 or (self._current_step is not None and step <= self._current_step):
      raise ValueError(f"Invalid step {step}.")
    self._current_step = step
    return []

  def step_end(self, step, output):
    """Called after a step with the values; returns whether to stop. Raises ValueError for another step."""
    del output
    if self._current_step != step:
      raise ValueError(f"step_end expected {self._current_step} but got {step}.")
    self._current_step = None
    return False

  def post_step(self, step, session):
    """Called after `step_end` of all monitors."""


class EveryN(BaseMonitor):
  """Works in the steps up to `first_n_steps`, every `every_n_steps` steps after, and in the last one.

  Derived classes have `every_n_step_begin(step)`, `every_n_step_end(step, outputs)` and `every_n_post_step(step, session)`.
  """

  def __init__(self, every_n_steps=100, first_n_steps=1):
    super().__init__()
    self._every_n_steps = every_n_steps
    self._first_n_steps = first_n_steps
    # The last step of all, and the last one in which it worked.
    self._last_successful_step = None
    self._last_active_step = 0
    self._every_n_step_begin_called = False

  def every_n_step_begin(self, step):
    """Returns a list of what is wanted of the step."""
    del step
    return []

  def every_n_step_end(self, step, outputs):
    """Returns whether to stop."""
    del step, outputs
    return False

  def every_n_post_step(self, step, session):
    pass

  def _is_due(self, step):
    return step <= self._first_n_steps or step >= self._every_n_steps + self._last_active_step or step == self._max_steps

  def step_begin(self, step):
    super().step_begin(step)
    if self._is_due(step):
      self._every_n_step_begin_called = True
      return self.every_n_step_begin(step)
    self._every_n_step_begin_called = False
    return []

  def step_end(self, step, output):
    super().step_end(step, output)
    return self.every_n_step_end(step, output) if self._every_n_step_begin_called else False

  def post_step(self, step, session):
    super().post_step(step, session)
    if self._every_n_step_begin_called:
      self.every_n_post_step(step, session)
      self._last_active_step = step
    self._last_successful_step = step

  def end(self, session=None):
    super().end(session=session)
    # The last step of all, if it didn't work in that one.
    if self._last_successful_step is not None and self._last_successful_step != self._last_active_step:
      self.every_n_post_step(self._last_successful_step, session)


def tensor_name(tensor):
  """The name of a tensor that may be given as one."""
  return tensor.name if isinstance(tensor, tf.Tensor) else tensor


def output_of(outputs, tensor):
  """The value of a tensor among outputs, which may be told by the tensor or its name."""
  if tensor in outputs:
    return outputs[tensor]
  return outputs[tensor_name(tensor)]
