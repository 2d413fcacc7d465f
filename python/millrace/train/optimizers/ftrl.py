"""FTRL-Proximal."""

import millrace as tf
from millrace import gen
from millrace.train.optimizers import optimizer
from millrace.train.optimizers.optimizer import cast


def _require(holds, text, value):
  if not holds:
    raise ValueError(text % value)


class FtrlOptimizer(optimizer.Optimizer):
  """Follow the regularized leader (McMahan et al., 2013), with L1, L2 and shrinkage; slots "accum" and "linear"."""

  def __init__(
    self,
    learning_rate,
    learning_rate_power=-0.5,
    initial_accumulator_value=0.1,
    l1_regularization_strength=0.0,
    l2_regularization_strength=0.0,
    use_locking=False,
    name="Ftrl",
    accum_name=None,
    linear_name=None,
    l2_shrinkage_regularization_strength=0.0,
  ):
    super().__init__(use_locking, name)
    _require(
      initial_accumulator_value >= 0.0, "initial_accumulator_value %f needs to be positive or zero", initial_accumulator_value
    )
    _require(learning_rate_power <= 0.0, "learning_rate_power %f needs to be negative or zero", learning_rate_power)
    _require(
      l1_regularization_strength >= 0.0,
      "l1_regularization_strength %f needs to be positive or zero",
      l1_regularization_strength,
    )
    _require(
      l2_regularization_strength >= 0.0,
      "l2_regularization_strength %f needs to be positive or zero",
      l2_regularization_strength,
    )
    _require(
      l2_shrinkage_regularization_strength >= 0.0,
      "l2_shrinkage_regularization_strength %f needs to be positive or zero",
      l2_shrinkage_regularization_strength,
    )
    self._learning_rate = learning_rate
    self._learning_rate_power = learning_rate_power
    self._initial_accumulator_value = initial_accumulator_value
    self._l1_regularization_strength = l1_regularization_strength
    self._l2_regularization_strength = l2_regularization_strength
    self._l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength
    self._accum_name = accum_name
    self._linear_name = linear_name

  def _create_slots(self, var_list):
    def accum_init(shape, dtype=tf.float32, partition_info=None):
      return tf.ones(shape, dtype=dtype) * self._initial_accumulator_value

    for v in var_list:
      self._get_or_make_slot_with_initializer(
        v, accum_init, v.get_shape(), v.dtype.base_dtype, "accum", self._accum_name or self._name
      )
      self._zeros_slot(v, "linear", self._linear_name or self._name)

  def _prepare(self):
    self._learning_rate_tensor = tf.convert_to_tensor(self._learning_rate, name="learning_rate")
    self._l1_tensor = tf.convert_to_tensor(self._l1_regularization_strength, name="l1_regularization_strength")
    # Stock's beta, which later versions have as a parameter, is zero; its nodes are there all the same. TensorFlow 1.15, which has no
    # beta, also takes rates that are integers.
    beta = 0.0
    rate = tf.cast(self._learning_rate_tensor, tf.float32) if self._learning_rate_tensor.dtype.is_integer else self._learning_rate
    self._l2_tensor = self._l2_regularization_strength + beta / (2.0 * tf.maximum(rate, 1e-36))
    tf.convert_to_tensor(beta, name="beta")
    self._l2_shrinkage_tensor = tf.convert_to_tensor(
      self._l2_shrinkage_regularization_strength, name="l2_shrinkage_regularization_strength"
    )
    self._learning_rate_power_tensor = tf.convert_to_tensor(self._learning_rate_power, name="learning_rate_power")

  def _shrinks(self):
    return self._l2_shrinkage_regularization_strength > 0.0

  def _hyper(self, dtype):
    tensors = [self._learning_rate_tensor, self._l1_tensor, self._l2_tensor]
    if self._shrinks():
      tensors.append(self._l2_shrinkage_tensor)
    tensors.append(self._learning_rate_power_tensor)
    return [cast(t, dtype) for t in tensors]

  def _slots_of(self, var):
    return self.get_slot(var, "accum"), self.get_slot(var, "linear")

  def _apply_dense(self, grad, var):
    apply = gen.apply_ftrl_v2 if self._shrinks() else gen.apply_ftrl
    accum, linear = self._slots_of(var)
    return apply(var, accum, linear, grad, *self._hyper(var.dtype.base_dtype), use_locking=self._use_locking)

  def _resource_apply_dense(self, grad, var):
    apply = gen.resource_apply_ftrl_v2 if self._shrinks() else gen.resource_apply_ftrl
    accum, linear = self._slots_of(var)
    hyper = self._hyper(var.dtype.base_dtype)
    return apply(var.handle, accum.handle, linear.handle, grad, *hyper, use_locking=self._use_locking)

  def _apply_sparse(self, grad, var):
    apply = gen.sparse_apply_ftrl_v2 if self._shrinks() else gen.sparse_apply_ftrl
    accum, linear = self._slots_of(var)
    hyper = self._hyper(var.dtype.base_dtype)
    return apply(var, accum, linear, grad.values, grad.indices, *hyper, use_locking=self._use_locking)

  def _resource_apply_sparse(self, grad, var, indices):
    apply = gen.resource_sparse_apply_ftrl_v2 if self._shrinks() else gen.resource_sparse_apply_ftrl
    accum, linear = self._slots_of(var)
    hyper = self._hyper(grad.dtype)
    return apply(var.handle, accum.handle, linear.handle, grad, indices, *hyper, use_locking=self._use_locking)
