"""How a gradient is applied to a variable, by the kind of variable."""

import millrace as tf
from millrace.framework import composite


class _VariableProcessor:
  """Applies gradients to one variable; `target` is what gradients are taken of."""

  def __init__(self, v):
    self._v = v

  def target(self):
    return self._v

  def _constrained(self, update_op):
    """The assignment of the constraint's value after `update_op`, or `update_op` itself without a constraint."""
    if self._v.constraint is None:
      return update_op
    with tf.control_dependencies([update_op]):
      return self._v.assign(self._v.constraint(self._v))

  def _refuse_constraint(self):
    if self._v.constraint is not None:
      raise RuntimeError("Cannot use a constraint function on a sparse variable.")


class RefVariableProcessor(_VariableProcessor):
  """For variables whose ops take references."""

  def __str__(self):
    return f"<_RefVariableProcessor({self._v})>"

  def update_op(self, optimizer, g):
    if isinstance(g, tf.Tensor):
      return self._constrained(optimizer._apply_dense(g, self._v))
    assert isinstance(g, composite.IndexedSlices), f"Gradient {g} is neither a tensor nor IndexedSlices."
    self._refuse_constraint()
    return optimizer._apply_sparse_duplicate_indices(g, self._v)


class ResourceVariableProcessor(_VariableProcessor):
  """For resource variables."""

  def update_op(self, optimizer, g):
    if isinstance(g, composite.IndexedSlices):
      self._refuse_constraint()
      return optimizer._resource_apply_sparse_duplicate_indices(g.values, self._v, g.indices)
    return self._constrained(optimizer._resource_apply_dense(g, self._v))


class TensorProcessor:
  """For tensors: gradients can be taken of them, but nothing can be applied."""

  def __init__(self, v):
    self._v = v

  def target(self):
    return self._v

  def update_op(self, optimizer, g):
    raise NotImplementedError("Trying to update a Tensor ", self._v)


def get_processor(v):
  """The processor for `v`. Raises NotImplementedError for what is neither variable nor tensor."""
  if v.op.type == "VarHandleOp":
    return ResourceVariableProcessor(v)
  if isinstance(v, tf.Variable):
    return RefVariableProcessor(v)
  if isinstance(v, tf.Tensor):
    return TensorProcessor(v)
  raise NotImplementedError("Trying to optimize unsupported type ", v)
