"""Loss scales: losses are made larger before gradients of small types are taken, and gradients smaller again."""

import abc

import millrace as tf
from millrace.framework import composite, nest
from millrace.train.optimizers import optimizer as optimizer_lib


class LossScale(metaclass=abc.ABCMeta):
  """Base class: calling it gives the scale, a float32 scalar; `update(grads)` makes the next one."""

  @abc.abstractmethod
  def __init__(self):
    """Subclasses make their variables."""

  @abc.abstractmethod
  def __call__(self):
    """The scale, as a scalar float32 tensor."""

  @abc.abstractmethod
  def update(self, grads):
    """The op that updates the scale, and whether the gradients may be applied."""

  @abc.abstractmethod
  def get_config(self):
    """The arguments of the constructor, as a map."""

  @classmethod
  def from_config(cls, config):
    return cls(**config)


class FixedLossScale(LossScale):
  """One scale for ever. Raises ValueError below 1."""

  def __init__(self, loss_scale_value):
    if not isinstance(loss_scale_value, (int, float)):
      raise ValueError("loss_scale_value must be a Python int or float.")  # noqa: TRY004 (TensorFlow's class)
    if loss_scale_value < 1:
      raise ValueError("loss_scale_value must be at least 1.")
    self._loss_scale_value = float(loss_scale_value)

  def __call__(self):
    return tf.convert_to_tensor(self._loss_scale_value)

  def update(self, grads):
    del grads
    return tf.no_op(), True

  def get_config(self):
    return {"loss_scale_value": self._loss_scale_value}


def _all_finite(grads):
  """Whether all numbers of the gradients are finite, as a tensor."""
  finite = [
    tf.reduce_all(tf.is_finite(g.values if isinstance(g, composite.IndexedSlices) else g)) for g in grads if g is not None
  ]
  return tf.reduce_all(finite)


class DynamicLossScale(LossScale):
  """Grows by `multiplier` after `increment_period` steps whose gradients were finite, and shrinks by it after another."""

  def __init__(self, initial_loss_scale=2**15, increment_period=2000, multiplier=2.0):
    self._initial_loss_scale = float(initial_loss_scale)
    self._increment_period = int(increment_period)
    self._multiplier = float(multiplier)
    self._current_loss_scale = self._weight("current_loss_scale", tf.float32, self._initial_loss_scale)
    self._num_good_steps = self._weight("good_steps", tf.int64, 0)

  def _weight(self, name, dtype, initial_value):
    return tf.Variable(initial_value, name=name, dtype=dtype, trainable=False, use_resource=True)

  @property
  def initial_loss_scale(self):
    return self._initial_loss_scale

  @property
  def increment_period(self):
    return self._increment_period

  @property
  def multiplier(self):
    return self._multiplier

  def __call__(self):
    return tf.convert_to_tensor(self._current_loss_scale)

  def update(self, grads):
    is_finite = _all_finite(nest.flatten(grads))

    def grow():
      larger = self._current_loss_scale * self._multiplier
      # A scale that isn't finite any more stays as it was.
      scale = tf.where(tf.is_finite(larger), larger, self._current_loss_scale.read_value())
      return tf.group(tf.assign(self._current_loss_scale, scale), tf.assign(self._num_good_steps, 0))

    def good():
      due = self._num_good_steps + 1 >= self._increment_period
      return tf.cond(due, lambda: _true_after(grow()), lambda: _true_after(tf.assign_add(self._num_good_steps, 1)))

    def bad():
      smaller = tf.maximum(self._current_loss_scale / self._multiplier, 1.0)
      return _true_after(tf.group(tf.assign(self._num_good_steps, 0), tf.assign(self._current_loss_scale, smaller)))

    return tf.group(tf.cond(is_finite, good, bad)), is_finite

  def get_config(self):
    return {
      "initial_loss_scale": self.initial_loss_scale,
      "increment_period": self.increment_period,
      "multiplier": self.multiplier,
    }


def _true_after(op):
  with tf.control_dependencies([op]):
    return tf.constant(True)


def _get(loss_scale):
  """A LossScale of a number, of "dynamic", or of itself."""
  if isinstance(loss_scale, LossScale):
    return loss_scale
  if isinstance(loss_scale, (int, float)):
    return FixedLossScale(loss_scale)
  if loss_scale == "dynamic":
    return DynamicLossScale()
  raise ValueError(f"Could not interpret loss scale identifier: {loss_scale}")


class MixedPrecisionLossScaleOptimizer(optimizer_lib.Optimizer):
  """An optimizer whose losses are scaled; steps with gradients that aren't finite are left out."""

  def __init__(self, opt, loss_scale):
    if not isinstance(opt, optimizer_lib.Optimizer):
      raise ValueError(f"`opt` must be an instance of Optimizer, but got: {type(opt)}")  # noqa: TRY004 (TensorFlow's class)
    self._optimizer = opt
    self._use_locking = opt._use_locking
    super().__init__(self._use_locking, opt.get_name() or "MixedPrecisionLossScaleOptimizer")
    self._loss_scale = _get(loss_scale)

  def compute_gradients(
    self,
    loss,
    var_list=None,
    gate_gradients=optimizer_lib.Optimizer.GATE_OP,
    aggregation_method=None,
    colocate_gradients_with_ops=False,
    grad_loss=None,
  ):
    """Gradients of the scaled loss, divided by the scale."""
    scale = self._loss_scale()
    scaled = (lambda: loss() * tf.cast(scale, loss().dtype)) if callable(loss) else loss * tf.cast(scale, loss.dtype)
    grads_and_vars = self._optimizer.compute_gradients(
      loss=scaled,
      var_list=var_list,
      gate_gradients=gate_gradients,
      aggregation_method=aggregation_method,
      colocate_gradients_with_ops=colocate_gradients_with_ops,
      grad_loss=grad_loss,
    )
    return [(self._unscaled(g, 1 / scale), v) for g, v in grads_and_vars]

  def _unscaled(self, grad, reciprocal):
    if grad is None:
      return None
    if isinstance(grad, composite.IndexedSlices):
      values = grad.values * tf.cast(reciprocal, grad.dtype)
      return composite.IndexedSlices(values, grad.indices, dense_shape=grad.dense_shape)
    return grad * tf.cast(reciprocal, grad.dtype)

  def apply_gradients(self, grads_and_vars, global_step=None, name=None):
    """Applies the gradients if they are finite, and updates the scale."""
    grads_and_vars = list(grads_and_vars)
    update, should_apply = self._loss_scale.update([g for g, _ in grads_and_vars])
    if should_apply is True:
      return tf.group(self._optimizer.apply_gradients(grads_and_vars, global_step, name), update)
    # The slots belong to no branch.
    self._optimizer._create_slots([v for g, v in grads_and_vars if g is not None])

    def apply():
      return _true_after(self._optimizer.apply_gradients(grads_and_vars, global_step, name))

    return tf.group(tf.cond(should_apply, apply, lambda: tf.constant(False)), update)

  def get_slot(self, var, name):
    return self._optimizer.get_slot(var, name)

  def get_slot_names(self):
    return self._optimizer.get_slot_names()

  def variables(self):
    return self._optimizer.variables()


def enable_mixed_precision_graph_rewrite(opt, loss_scale="dynamic"):
  """`opt` with a loss scale. Types of ops stay as the program says them: only GPUs gain by others.

  Raises ValueError for an optimizer that has one already.
  """
  if isinstance(opt, MixedPrecisionLossScaleOptimizer):
    raise ValueError(f'"opt" must not already be an instance of a {type(opt).__name__}.')  # noqa: TRY004 (TensorFlow's class)
  return MixedPrecisionLossScaleOptimizer(opt, loss_scale)


def disable_mixed_precision_graph_rewrite():
  """Ends what `enable_mixed_precision_graph_rewrite` began for graphs that are built afterwards: there is nothing to end."""
