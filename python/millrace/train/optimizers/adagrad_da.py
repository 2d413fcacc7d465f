"""Adagrad with dual averaging."""

import millrace as tf
from millrace import gen
from millrace.framework import graph as graph_lib
from millrace.train.optimizers import optimizer
from millrace.train.optimizers.optimizer import cast


class AdagradDAOptimizer(optimizer.Optimizer):
  """Adagrad Dual Averaging (Duchi et al., 2011): sparse models by L1 regularization; needs the global step."""

  def __init__(
    self,
    learning_rate,
    global_step,
    initial_gradient_squared_accumulator_value=0.1,
    l1_regularization_strength=0.0,
    l2_regularization_strength=0.0,
    use_locking=False,
    name="AdagradDA",
  ):
    if initial_gradient_squared_accumulator_value <= 0.0:
      raise ValueError(
        f"initial_gradient_squared_accumulator_value must be positive: {initial_gradient_squared_accumulator_value}"
      )
    super().__init__(use_locking, name)
    self._learning_rate = learning_rate
    self._initial_value = initial_gradient_squared_accumulator_value
    self._l1_regularization_strength = l1_regularization_strength
    self._l2_regularization_strength = l2_regularization_strength
    self._global_step = global_step
    self._global_step_on_worker = None

  def _create_slots(self, var_list):
    for v in var_list:
      dtype = v.dtype.base_dtype
      with graph_lib.colocate_with(v):
        zeros = tf.constant(0.0, dtype=dtype, shape=v.get_shape())
        squares = tf.constant(self._initial_value, dtype=dtype, shape=v.get_shape())
      self._get_or_make_slot(v, zeros, "gradient_accumulator", self._name)
      self._get_or_make_slot(v, squares, "gradient_squared_accumulator", self._name)

  def _prepare(self):
    self._learning_rate_tensor = tf.convert_to_tensor(self._learning_rate, name="learning_rate")
    # One copy of the step, so that all updates of a run see the same one.
    with graph_lib.colocate_with(self._learning_rate_tensor):
      self._global_step_on_worker = tf.identity(self._global_step) + 1

  def _arguments(self, var, device, dtype):
    """Both accumulators, and rate, L1, L2 and the step."""
    accumulator = self.get_slot(var, "gradient_accumulator")
    squares = self.get_slot(var, "gradient_squared_accumulator")
    with tf.device(device):
      step = tf.identity(self._global_step_on_worker)
    rate = cast(self._learning_rate_tensor, dtype)
    l1 = cast(self._l1_regularization_strength, dtype)
    l2 = cast(self._l2_regularization_strength, dtype)
    return accumulator, squares, (rate, l1, l2, step)

  def _apply_dense(self, grad, var):
    accumulator, squares, rest = self._arguments(var, var.device, var.dtype.base_dtype)
    return gen.apply_adagrad_da(var, accumulator, squares, grad, *rest, use_locking=self._use_locking)

  def _resource_apply_dense(self, grad, var):
    accumulator, squares, rest = self._arguments(var, var.device, grad.dtype.base_dtype)
    return gen.resource_apply_adagrad_da(
      var.handle, accumulator.handle, squares.handle, grad, *rest, use_locking=self._use_locking
    )

  def _apply_sparse(self, grad, var):
    accumulator, squares, rest = self._arguments(var, var.device, var.dtype.base_dtype)
    return gen.sparse_apply_adagrad_da(var, accumulator, squares, grad.values, grad.indices, *rest, use_locking=self._use_locking)

  def _resource_apply_sparse(self, grad, var, indices):
    accumulator, squares, rest = self._arguments(var, var.device, grad.dtype)
    return gen.resource_sparse_apply_adagrad_da(
      var.handle, accumulator.handle, squares.handle, grad, indices, *rest, use_locking=self._use_locking
    )
