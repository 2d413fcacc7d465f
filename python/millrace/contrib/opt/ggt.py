"""Full-matrix Adagrad on a window of past gradients."""

import millrace as tf
from millrace.framework import nest
from millrace.train.optimizers import optimizer


class GGTOptimizer(optimizer.Optimizer):
  """GGT (Agarwal and others, 2018): preconditions the first moment by the square root of G G^T of the last `window` moments.

  With all gradients as one vector g: m = beta1 * m + (1 - beta1) * g, and M = [last moments] / sqrt(their number). Of
  M^T M + svd_eps * I = U diag(s) U^T, the step is M U diag((sqrt(s) + sigma_eps)^-3) U^T M^T m, and where sqrt(min s) > eps also
  what M does not span, (m - M U diag(1/s) U^T M^T m) / sqrt(min s). Variables: "moment1", "grad_buffer" and "global_step".
  """

  def __init__(
    self,
    learning_rate=0.001,
    beta1=0.9,
    use_locking=False,
    name="GGT",
    window=10,
    eps=1e-4,
    svd_eps=1e-6,
    sigma_eps=1e-2,
  ):
    super().__init__(use_locking, name)
    self._learning_rate = learning_rate
    self._beta1 = beta1
    self._window = window
    self._eps = eps
    self._svd_eps = svd_eps
    self._sigma_eps = sigma_eps
    self._gradients = {}

  def minimize(
    self,
    loss,
    global_step=None,
    var_list=None,
    gate_gradients=optimizer.Optimizer.GATE_OP,
    aggregation_method=None,
    name=None,
    grad_loss=None,
    stop_gradients=None,
    scale_loss_by_num_replicas=None,
  ):
    """The op that makes one step towards a smaller `loss`. There is one replica, so `scale_loss_by_num_replicas` changes nothing."""
    pairs = self.compute_gradients(
      loss,
      var_list=var_list,
      gate_gradients=gate_gradients,
      aggregation_method=aggregation_method,
      grad_loss=grad_loss,
      stop_gradients=stop_gradients,
      scale_loss_by_num_replicas=scale_loss_by_num_replicas,
    )
    if not any(g is not None for g, _ in pairs):
      raise ValueError(
        "No gradients provided for any variable, check your graph for ops that do not support gradients, between variables "
        f"{[str(v) for _, v in pairs]} and loss {loss}."
      )
    return self.apply_gradients(pairs, global_step=global_step, name=name)

  def compute_gradients(
    self,
    loss,
    var_list=None,
    gate_gradients=optimizer.Optimizer.GATE_OP,
    aggregation_method=None,
    grad_loss=None,
    stop_gradients=None,
    scale_loss_by_num_replicas=None,
  ):
    """Pairs (gradient or None, variable); nothing is differentiated through `stop_gradients`, a tensor or a list of them."""
    if stop_gradients is None:
      return super().compute_gradients(loss, var_list, gate_gradients, aggregation_method=aggregation_method, grad_loss=grad_loss)
    if callable(loss):
      loss = loss()
    var_list = tf.trainable_variables() if var_list is None else nest.flatten(var_list)
    gradients = tf.gradients(
      loss,
      var_list,
      grad_ys=grad_loss,
      gate_gradients=gate_gradients == self.GATE_OP,
      aggregation_method=aggregation_method,
      stop_gradients=stop_gradients,
    )
    if gate_gradients == self.GATE_GRAPH:
      gradients = tf.tuple(gradients)
    return list(zip(gradients, var_list))

  def _create_slots(self, var_list):
    ordered = sorted(var_list, key=lambda v: v.name)
    total = sum(v.get_shape().num_elements() for v in ordered)
    first = ordered[0]
    self._create_non_slot_variable(0.0, "global_step", first)
    self._create_non_slot_variable(tf.zeros([total]), "moment1", first)
    self._create_non_slot_variable(tf.zeros([self._window, total]), "grad_buffer", first)

  def _prepare(self):
    self._learning_rate_t = tf.convert_to_tensor(self._call_if_callable(self._learning_rate), name="learning_rate")
    self._beta1_t = tf.convert_to_tensor(self._call_if_callable(self._beta1), name="beta1")
    self._gradients = {}

  def _take(self, grad, var):
    """Keeps a gradient until all are there; the step is made in `_finish`."""
    grad = tf.convert_to_tensor(grad)
    self._gradients[var] = grad
    return grad.op

  def _apply_dense(self, grad, var):
    return self._take(grad, var)

  def _resource_apply_dense(self, grad, var):
    return self._take(grad, var)

  def _apply_sparse_duplicate_indices(self, grad, var):
    return self._take(tf.IndexedSlices(grad.values, grad.indices, tf.shape(var)), var)

  def _resource_apply_sparse_duplicate_indices(self, grad, var, indices):
    return self._take(tf.IndexedSlices(grad, indices, tf.shape(var)), var)

  def _finish(self, update_ops, name_scope):
    ordered = sorted(self._gradients, key=lambda v: v.name)
    with tf.control_dependencies(update_ops):
      flat = tf.concat([tf.reshape(tf.cast(self._gradients[v], tf.float32), [-1]) for v in ordered], axis=0)
      step, written = self._step_along(flat)
      moved = []
      begin = 0
      for var in ordered:
        size = var.get_shape().num_elements()
        part = tf.reshape(step[begin : begin + size], var.get_shape())
        begin += size
        update = tf.assign_sub(var, tf.cast(part, var.dtype.base_dtype), use_locking=self._use_locking)
        if var.constraint is not None:
          with tf.control_dependencies([update.op]):
            update = tf.assign(var, var.constraint(var.read_value()))
        moved.append(update.op)
    return tf.group(*moved, *written, name=name_scope)

  def _step_along(self, gradient):
    """What is taken from the variables, as one vector, and the ops that write the state."""
    graph = tf.get_default_graph()
    moment = self._get_non_slot_variable("moment1", graph=graph)
    buffer = self._get_non_slot_variable("grad_buffer", graph=graph)
    count = self._get_non_slot_variable("global_step", graph=graph)
    before = tf.identity(count)
    m = self._beta1_t * moment + (1 - self._beta1_t) * gradient
    row = tf.cast(tf.floormod(before, float(self._window)), tf.int32)
    rows = tf.where(tf.equal(tf.range(self._window), row), tf.tile(tf.expand_dims(m, 0), [self._window, 1]), tf.identity(buffer))
    step = self._learning_rate_t * self._preconditioned(m, rows, before + 1.0)
    # What was read of the state may be its memory: it is written when all is computed.
    with tf.control_dependencies([step]):
      written = [
        tf.assign(moment, m, use_locking=self._use_locking).op,
        tf.assign(buffer, rows, use_locking=self._use_locking).op,
        tf.assign_add(count, 1.0, use_locking=self._use_locking).op,
      ]
    return step, written

  def _preconditioned(self, m, rows, steps):
    columns = tf.transpose(rows) / tf.sqrt(tf.minimum(steps, float(self._window)))
    squares = tf.matmul(columns, columns, transpose_a=True) + self._svd_eps * tf.eye(self._window)
    sigma, u, _ = tf.linalg.svd(squares)
    root = tf.sqrt(sigma)
    smallest = tf.reduce_min(root)
    # The moment in the coordinates of the eigenvectors, one column.
    inside = tf.matmul(u, tf.matmul(columns, tf.expand_dims(m, 1), transpose_a=True), transpose_a=True)

    def spanned(scale):
      return tf.squeeze(tf.matmul(columns, tf.matmul(u, tf.expand_dims(scale, 1) * inside)), 1)

    step = spanned(tf.pow(root + self._sigma_eps, -3.0))
    return tf.cond(
      smallest > self._eps,
      lambda: step + (m - spanned(1.0 / sigma)) / smallest,
      lambda: tf.identity(step),
    )
