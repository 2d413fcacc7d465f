"""Adagrad with one matrix a dimension of a variable."""

import millrace as tf
from millrace.contrib.opt import matrix_functions
from millrace.train.optimizers import optimizer


class ShampooOptimizer(optimizer.Optimizer):
  """Shampoo (Gupta, Koren and Singer, 2018): preconditions the gradient along every dimension by a root of its second moment.

  With n dimensions: gbar = gbar_decay * gbar + gbar_weight * g; for each dimension j, mat_gbar_j = mat_gbar_decay * mat_gbar_j +
  mat_gbar_weight * (g contracted with itself along the others); var -= learning_rate * the product of all
  (mat_gbar_j + epsilon * I)^(-alpha / n) with gbar. Dimensions larger than `max_matrix_size` have the diagonal of their matrix
  instead. Matrices change every `precond_update_interval` steps, their roots every `svd_interval` steps of `global_step`. Numbers may
  be functions of the step. With `use_iterative_root` roots are found by products alone, else by eigenvalues.

  Slots: "mat_gbar_J", "H_J" where roots are kept, "gbar" where it decays.
  """

  def __init__(
    self,
    global_step=0,
    max_matrix_size=768,
    gbar_decay=0.0,
    gbar_weight=1.0,
    mat_gbar_decay=1.0,
    mat_gbar_weight=1.0,
    learning_rate=1.0,
    svd_interval=1,
    precond_update_interval=1,
    epsilon=1e-4,
    alpha=0.5,
    use_iterative_root=False,
    use_locking=False,
    name="Shampoo",
  ):
    super().__init__(use_locking, name)
    self._global_step = global_step
    self._max_matrix_size = max_matrix_size
    self._gbar_decay = gbar_decay
    self._gbar_weight = gbar_weight
    self._mat_gbar_decay = mat_gbar_decay
    self._mat_gbar_weight = mat_gbar_weight
    self._learning_rate = learning_rate
    self._svd_interval = svd_interval
    self._precond_update_interval = precond_update_interval
    self._epsilon = epsilon
    self._alpha = alpha
    self._use_iterative_root = use_iterative_root

  def _is_diagonal(self, size):
    return size > self._max_matrix_size

  def _create_slots(self, var_list):
    for v in var_list:
      for i, size in enumerate(v.get_shape().as_list()):
        shape = tf.TensorShape([size] if self._is_diagonal(size) else [size, size])
        self._zeros(v, shape, f"mat_gbar_{i}")
        if self._svd_interval != 1:
          self._zeros(v, shape, f"H_{i}")
      if self._has_gbar():
        self._zeros_slot(v, "gbar", self._name)

  def _zeros(self, v, shape, slot_name):
    self._get_or_make_slot_with_initializer(
      v, tf.zeros_initializer(), shape, v.dtype.base_dtype, slot_name, f"{self._name}_{slot_name}"
    )

  def _has_gbar(self):
    return callable(self._gbar_decay) or self._gbar_decay != 0.0

  def _prepare(self):
    step = tf.identity(self._global_step) if isinstance(self._global_step, tf.Variable) else self._global_step
    step = self._step = tf.cast(step, tf.float32)

    def now(value, name):
      return tf.cast(value(step) if callable(value) else value, tf.float32, name=name)

    self._gbar_decay_t = now(self._gbar_decay, "gbar_decay")
    self._gbar_weight_t = now(self._gbar_weight, "gbar_weight")
    self._mat_gbar_decay_t = now(self._mat_gbar_decay, "mat_gbar_decay")
    self._mat_gbar_weight_t = now(self._mat_gbar_weight, "mat_gbar_weight")
    self._learning_rate_t = now(self._learning_rate, "learning_rate")

  def _is_due(self, interval):
    """Whether the step is one of every `interval` steps, or None for every step."""
    if not callable(interval) and interval == 1:
      return None
    interval = tf.cast(interval(self._step) if callable(interval) else interval, tf.float32)
    return tf.floormod(self._step, interval) < 1.0

  def _apply_dense(self, grad, var):
    return self._apply(grad, var)

  def _resource_apply_dense(self, grad, var):
    return self._apply(grad, var)

  def _apply_sparse(self, grad, var):
    return self._resource_apply_sparse(grad.values, var, grad.indices)

  def _resource_apply_sparse(self, grad, var, indices):
    rows = var.get_shape().as_list()[0]
    if self._is_diagonal(rows) and not self._has_gbar():
      return self._apply(grad, var, indices)
    return self._apply(tf.convert_to_tensor(tf.IndexedSlices(grad, indices, tf.shape(var))), var)

  def _apply(self, grad, var, indices=None):
    """Moves `var`, or with `indices` those rows of it, whose matrix of dimension 0 is a diagonal."""
    dtype = var.dtype.base_dtype
    rank = var.get_shape().ndims
    written = []
    direction = grad * tf.cast(self._gbar_weight_t, dtype)
    if self._has_gbar():
      gbar = self.get_slot(var, "gbar")
      direction = tf.cast(self._gbar_decay_t, dtype) * gbar + direction
      written.append(tf.assign(gbar, direction, use_locking=self._use_locking).op)
    for i in range(rank):
      rows = indices if i == 0 else None
      moment = self._second_moment(grad, var, i, rows, written)
      root = self._root(moment, var, i, rank, rows, written)
      direction = self._along(direction, root, i, rank)
    step = tf.cast(self._learning_rate_t, dtype) * direction
    with tf.control_dependencies(written):
      if indices is None:
        return tf.assign_sub(var, step, use_locking=self._use_locking).op
      return tf.scatter_sub(var, indices, step, use_locking=self._use_locking).op

  @staticmethod
  def _select(due, new, old):
    return new() if due is None else tf.cond(due, new, old)

  def _write(self, slot, value, rows, written):
    """Writes a slot, or only its `rows`; the op is added to `written`."""
    with tf.control_dependencies([value]):
      if rows is None:
        written.append(tf.assign(slot, value, use_locking=self._use_locking).op)
      else:
        written.append(tf.scatter_update(slot, rows, value, use_locking=self._use_locking).op)

  def _second_moment(self, grad, var, i, rows, written):
    """The matrix of dimension `i`, or its diagonal, after this step."""
    slot = self.get_slot(var, f"mat_gbar_{i}")
    dtype = var.dtype.base_dtype
    kept = tf.identity(slot) if rows is None else tf.gather(slot, rows)
    others = [j for j in range(var.get_shape().ndims) if j != i]

    def updated():
      if slot.get_shape().ndims == 1:
        fresh = tf.reduce_sum(tf.square(grad), axis=others)
      else:
        fresh = tf.tensordot(grad, grad, axes=[others, others])
      return tf.cast(self._mat_gbar_decay_t, dtype) * kept + tf.cast(self._mat_gbar_weight_t, dtype) * fresh

    due = self._is_due(self._precond_update_interval)
    moment = self._select(due, updated, lambda: tf.identity(kept))
    self._write(slot, moment, rows, written)
    return moment

  def _root(self, moment, var, i, rank, rows, written):
    """(moment + epsilon)^(-alpha / rank), kept from an earlier step where it is not due."""
    exponent = -self._alpha / rank

    def computed():
      if moment.get_shape().ndims == 1:
        return tf.pow(moment + self._epsilon, exponent)
      size = var.get_shape().as_list()[i]
      return self._matrix_power(moment, size, exponent)

    if self._svd_interval == 1:
      return computed()
    slot = self.get_slot(var, f"H_{i}")
    kept = tf.identity(slot) if rows is None else tf.gather(slot, rows)
    root = self._select(self._is_due(self._svd_interval), computed, lambda: tf.identity(kept))
    self._write(slot, root, rows, written)
    return root

  def _matrix_power(self, matrix, size, exponent):
    damped = matrix + self._epsilon * tf.eye(size, dtype=matrix.dtype)
    if self._use_iterative_root:
      return matrix_functions.matrix_inverse_pth_root(damped, size, exponent)
    values, vectors = tf.self_adjoint_eig(damped)
    values = tf.pow(tf.maximum(values, self._epsilon), exponent)
    return tf.matmul(vectors * values, vectors, transpose_b=True)

  @staticmethod
  def _along(direction, root, i, rank):
    """`direction` with `root` applied along dimension `i`."""
    if root.get_shape().ndims == 1:
      shape = [1] * rank
      shape[i] = -1
      return direction * tf.reshape(root, shape)
    applied = tf.tensordot(direction, root, axes=[[i], [0]])
    order = list(range(rank - 1))
    order.insert(i, rank - 1)
    return tf.transpose(applied, order)
