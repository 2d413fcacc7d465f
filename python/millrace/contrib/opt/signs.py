"""PowerSign and AddSign: gradients count more where they agree in sign with their moving average."""

import math

import millrace as tf
from millrace import gen
from millrace.train.optimizers import optimizer
from millrace.train.optimizers.optimizer import cast


class _SignOptimizer(optimizer.Optimizer):
  """What both share: the moving average "m", and the decay of the agreement by the global step."""

  def __init__(self, learning_rate, beta, sign_decay_fn, use_locking, name):
    super().__init__(use_locking, name)
    self._lr = learning_rate
    self._beta = beta
    self._sign_decay_fn = sign_decay_fn
    self._sign_decay_t = None

  def apply_gradients(self, grads_and_vars, global_step=None, name=None):
    """As for every optimizer; the decay of the signs, if there is one, is that of `global_step`."""
    if self._sign_decay_fn is not None:
      self._sign_decay_t = tf.convert_to_tensor(self._sign_decay_fn(global_step), name="sign_decay")
    return super().apply_gradients(grads_and_vars, global_step=global_step, name=name)

  def _create_slots(self, var_list):
    for v in var_list:
      self._zeros_slot(v, "m", self._name)

  def _prepare(self):
    self._lr_t = tf.convert_to_tensor(self._lr, name="learning_rate")
    self._beta_t = tf.convert_to_tensor(self._beta, name="beta")
    if self._sign_decay_fn is None:
      self._sign_decay_t = tf.convert_to_tensor(1.0, name="sign_decay")

  def _hyper(self, special, dtype):
    """Learning rate, the number that only one of the optimizers has, decay of the signs, beta, all as `dtype`."""
    return [cast(t, dtype) for t in (self._lr_t, special, self._sign_decay_t, self._beta_t)]

  def _apply_sparse(self, grad, var):
    return self._resource_apply_sparse(grad.values, var, grad.indices)

  def _apply_rows(self, grad, var, indices, factor_of):
    """Decays all of "m" and moves the rows at `indices` by gradient times `factor_of(agreement of the signs)`."""
    rate, beta, decay = [cast(t, var.dtype.base_dtype) for t in (self._lr_t, self._beta_t, self._sign_decay_t)]
    m = self.get_slot(var, "m")
    faded = tf.assign(m, m * beta, use_locking=self._use_locking)
    with tf.control_dependencies([faded]):
      averaged = tf.scatter_add(m, indices, grad * (1 - beta), use_locking=self._use_locking)
    # Rows of resources are read in no order, unless that is said.
    with tf.control_dependencies([averaged.op]):
      agreement = decay * tf.sign(tf.gather(m, indices)) * tf.sign(grad)
    moved = tf.scatter_sub(var, indices, rate * factor_of(agreement) * grad, use_locking=self._use_locking)
    return tf.group(moved, averaged)


class PowerSignOptimizer(_SignOptimizer):
  """PowerSign (Bello and others, 2017): var -= learning_rate * base ** (decay * sign(g) * sign(m)) * g.

  m = beta * m + (1 - beta) * g, slot "m". `sign_decay_fn` makes the decay of the global step; without it there is none.
  """

  def __init__(self, learning_rate=0.1, base=math.e, beta=0.9, sign_decay_fn=None, use_locking=False, name="PowerSignOptimizer"):
    super().__init__(learning_rate, beta, sign_decay_fn, use_locking, name)
    self._logbase = math.log(base)

  def _prepare(self):
    super()._prepare()
    self._logbase_t = tf.convert_to_tensor(self._logbase, name="logbase")

  def _apply_dense(self, grad, var):
    hyper = self._hyper(self._logbase_t, var.dtype.base_dtype)
    return gen.apply_power_sign(var, self.get_slot(var, "m"), *hyper, grad, use_locking=self._use_locking).op

  def _resource_apply_dense(self, grad, var):
    hyper = self._hyper(self._logbase_t, grad.dtype.base_dtype)
    m = self.get_slot(var, "m").handle
    return gen.resource_apply_power_sign(var.handle, m, *hyper, grad, use_locking=self._use_locking)

  def _resource_apply_sparse(self, grad, var, indices):
    logbase = cast(self._logbase_t, var.dtype.base_dtype)
    return self._apply_rows(grad, var, indices, lambda agreement: tf.exp(logbase * agreement))


class AddSignOptimizer(_SignOptimizer):
  """AddSign (Bello and others, 2017): var -= learning_rate * (alpha + decay * sign(g) * sign(m)) * g.

  m = beta * m + (1 - beta) * g, slot "m". `sign_decay_fn` makes the decay of the global step; without it there is none.
  """

  def __init__(self, learning_rate=0.1, alpha=1.0, beta=0.9, sign_decay_fn=None, use_locking=False, name="AddSignOptimizer"):
    super().__init__(learning_rate, beta, sign_decay_fn, use_locking, name)
    self._alpha = alpha

  def _prepare(self):
    super()._prepare()
    self._alpha_t = tf.convert_to_tensor(self._alpha, name="alpha")

  def _apply_dense(self, grad, var):
    hyper = self._hyper(self._alpha_t, var.dtype.base_dtype)
    return gen.apply_add_sign(var, self.get_slot(var, "m"), *hyper, grad, use_locking=self._use_locking).op

  def _resource_apply_dense(self, grad, var):
    hyper = self._hyper(self._alpha_t, grad.dtype.base_dtype)
    m = self.get_slot(var, "m").handle
    return gen.resource_apply_add_sign(var.handle, m, *hyper, grad, use_locking=self._use_locking)

  def _resource_apply_sparse(self, grad, var, indices):
    alpha = cast(self._alpha_t, var.dtype.base_dtype)
    return self._apply_rows(grad, var, indices, lambda agreement: alpha + agreement)
