"""Weight decay beside the step along the gradient, for any optimizer (Loshchilov and Hutter, 2017)."""

import millrace as tf
from millrace.train.optimizers import adam, momentum, optimizer
from millrace.train.optimizers.optimizer import cast


class DecoupledWeightDecayExtension:
  """Makes an optimizer decay its variables: before each step, var -= weight_decay * var.

  It stands before the optimizer among the base classes, and its constructor takes `weight_decay` first. Sparse gradients decay
  the rows that they have. Decay the weight decay yourself as you decay the learning rate: the one is no part of the other.
  """

  def __init__(self, weight_decay, **kwargs):
    self._decay_var_list = None
    self._weight_decay = weight_decay
    self._weight_decay_tensor = None
    super().__init__(**kwargs)

  def minimize(
    self,
    loss,
    global_step=None,
    var_list=None,
    gate_gradients=optimizer.Optimizer.GATE_OP,
    aggregation_method=None,
    colocate_gradients_with_ops=False,
    name=None,
    grad_loss=None,
    decay_var_list=None,
  ):
    """As for every optimizer; only the variables of `decay_var_list` decay, or all if there is none."""
    self._decay_only(decay_var_list)
    return super().minimize(
      loss,
      global_step=global_step,
      var_list=var_list,
      gate_gradients=gate_gradients,
      aggregation_method=aggregation_method,
      colocate_gradients_with_ops=colocate_gradients_with_ops,
      name=name,
      grad_loss=grad_loss,
    )

  def apply_gradients(self, grads_and_vars, global_step=None, name=None, decay_var_list=None):
    """As for every optimizer; only the variables of `decay_var_list` decay, or all if there is none."""
    self._decay_only(decay_var_list)
    return super().apply_gradients(grads_and_vars, global_step=global_step, name=name)

  def _decay_only(self, decay_var_list):
    # minimize calls apply_gradients, which says nothing then: what it was told stays.
    if decay_var_list:
      self._decay_var_list = set(decay_var_list)

  def _decays(self, var):
    return not self._decay_var_list or var in self._decay_var_list

  def _prepare(self):
    weight_decay = self._weight_decay
    if callable(weight_decay):
      weight_decay = weight_decay()
    self._weight_decay_tensor = tf.convert_to_tensor(weight_decay, name="weight_decay")
    super()._prepare()

  def _after_decay(self, var):
    """The scope of what has to be done after `var` has decayed."""
    if not self._decays(var):
      return tf.control_dependencies([])
    rate = cast(self._weight_decay_tensor, var.dtype.base_dtype)
    return tf.control_dependencies([tf.assign_sub(var, rate * var, use_locking=self._use_locking).op])

  def _after_decay_of_rows(self, var, indices):
    if not self._decays(var):
      return tf.control_dependencies([])
    rate = cast(self._weight_decay_tensor, var.dtype.base_dtype)
    decayed = tf.scatter_sub(var, indices, rate * tf.gather(var, indices), use_locking=self._use_locking)
    return tf.control_dependencies([decayed.op])

  def _apply_dense(self, grad, var):
    with self._after_decay(var):
      return super()._apply_dense(grad, var)

  def _resource_apply_dense(self, grad, var):
    with self._after_decay(var):
      return super()._resource_apply_dense(grad, var)

  def _apply_sparse(self, grad, var):
    with self._after_decay_of_rows(var, grad.indices):
      return super()._apply_sparse(grad, var)

  def _resource_apply_sparse(self, grad, var, indices):
    with self._after_decay_of_rows(var, indices):
      return super()._resource_apply_sparse(grad, var, indices)


def extend_with_decoupled_weight_decay(base_optimizer):
  """A class of optimizers that are `base_optimizer` with weight decay: its constructor takes `weight_decay` first.

  Its `minimize` and `apply_gradients` take `decay_var_list`, the variables that decay. The decay comes before the step, so the
  optimizer should be one whose step does not depend on the value of the variable.
  """

  class OptimizerWithDecoupledWeightDecay(DecoupledWeightDecayExtension, base_optimizer):
    """The base optimizer with decoupled weight decay."""

    def __init__(self, weight_decay, *args, **kwargs):
      self._decay_var_list = None
      self._weight_decay = weight_decay
      self._weight_decay_tensor = None
      base_optimizer.__init__(self, *args, **kwargs)

  return OptimizerWithDecoupledWeightDecay


class MomentumWOptimizer(DecoupledWeightDecayExtension, momentum.MomentumOptimizer):
  """tf.train.MomentumOptimizer with decoupled weight decay (SGDW)."""

  def __init__(self, weight_decay, learning_rate, momentum, use_locking=False, name="MomentumW", use_nesterov=False):
    super().__init__(
      weight_decay,
      learning_rate=learning_rate,
      momentum=momentum,
      use_locking=use_locking,
      name=name,
      use_nesterov=use_nesterov,
    )


class AdamWOptimizer(DecoupledWeightDecayExtension, adam.AdamOptimizer):
  """tf.train.AdamOptimizer with decoupled weight decay (AdamW)."""

  def __init__(self, weight_decay, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8, use_locking=False, name="AdamW"):
    super().__init__(
      weight_decay,
      learning_rate=learning_rate,
      beta1=beta1,
      beta2=beta2,
      epsilon=epsilon,
      use_locking=use_locking,
      name=name,
    )
