"""Operators plus a product of thin matrices."""

import millrace as tf
from millrace.framework.graph import name_scope
from millrace.ops.linalg.operators import batches
from millrace.ops.linalg.operators.base import LinearOperator
from millrace.ops.linalg.operators.diag import LinearOperatorDiag
from millrace.ops.linalg.operators.hints import implied
from millrace.ops.linalg.operators.identity import LinearOperatorIdentity


class LinearOperatorLowRankUpdate(LinearOperator):
  """L + U D V^H with the operator L and matrices U and V of few columns; D is diagonal, `diag_update` or the identity, V is U if
  not said. Solutions and determinants need those of L and of matrices as large as D only.

  ValueError for sizes that are known not to fit and for hints that are wrong.
  """

  def __init__(
    self,
    base_operator,
    u,
    diag_update=None,
    v=None,
    is_diag_update_positive=None,
    is_non_singular=None,
    is_self_adjoint=None,
    is_positive_definite=None,
    is_square=None,
    name="LinearOperatorLowRankUpdate",
  ):
    dtype = base_operator.dtype
    if diag_update is not None:
      diag_update = tf.convert_to_tensor(diag_update, name="diag_update")
    # V = U and a real D make an update that is its own adjoint.
    is_real = diag_update is None or not diag_update.dtype.is_complex
    if v is None and is_real and base_operator.is_self_adjoint:
      is_self_adjoint = implied(
        is_self_adjoint,
        True,
        "A = L + UDU^H, with L self-adjoint and D real diagonal.  Since UDU^H is self-adjoint, this must be a self-adjoint operator.",
      )
    if diag_update is None:
      is_diag_update_positive = implied(
        is_diag_update_positive, True, "Default diagonal is the identity, which is positive.  However, user set that it is not."
      )
    adds_positive = v is None and is_diag_update_positive
    if adds_positive and base_operator.is_positive_definite and base_operator.is_self_adjoint:
      is_positive_definite = implied(
        is_positive_definite,
        True,
        "Arguments imply L + UDU^H is positive definite and self-adjoint, so that is_positive_definite cannot be False.",
      )
    if is_positive_definite and is_self_adjoint:
      is_non_singular = implied(is_non_singular, True, "A positive definite operator is always non-singular.")
    parents = [*base_operator.graph_parents]
    with name_scope(name, values=[*parents, u, diag_update, v]):
      self._u = tf.convert_to_tensor(u, name="u")
      self._v = self._u if v is None else tf.convert_to_tensor(v, name="v")
      self._diag_update = diag_update
      self._base_operator = base_operator
      self._is_diag_update_positive = is_diag_update_positive
      super().__init__(
        dtype=dtype,
        graph_parents=parents + [self._u] + [t for t in (self._diag_update, None if v is None else self._v) if t is not None],
        is_non_singular=is_non_singular,
        is_self_adjoint=is_self_adjoint,
        is_positive_definite=is_positive_definite,
        is_square=is_square,
        name=name,
      )
      self._check_shapes()
      self._diag_operator = self._made_diag_operator()

  def _check_shapes(self):
    if self._u.get_shape().ndims is None:
      return
    self._base_operator.range_dimension.assert_is_compatible_with(self._u.get_shape()[-2])
    if self._v.get_shape().ndims is not None:
      tf.broadcast_static_shape(self._u.get_shape()[:-2], self._v.get_shape()[:-2])
      self._base_operator.domain_dimension.assert_is_compatible_with(self._v.get_shape()[-2])
      self._u.get_shape()[-1].assert_is_compatible_with(self._v.get_shape()[-1])
    if self._diag_update is not None and self._diag_update.get_shape().ndims is not None:
      self._u.get_shape()[-1].assert_is_compatible_with(self._diag_update.get_shape()[-1])

  def _made_diag_operator(self):
    if self._diag_update is not None:
      return LinearOperatorDiag(self._diag_update, is_positive_definite=self._is_diag_update_positive)
    shape = self._u.get_shape()
    rank = shape[-1].value if shape.ndims is not None else None
    return LinearOperatorIdentity(num_rows=tf.shape(self._u)[-1] if rank is None else rank, dtype=self.dtype)

  @property
  def u(self):
    """U."""
    return self._u

  @property
  def v(self):
    """V."""
    return self._v

  @property
  def diag_update(self):
    """The diagonals of D, or None for the identity."""
    return self._diag_update

  @property
  def diag_operator(self):
    """D."""
    return self._diag_operator

  @property
  def is_diag_update_positive(self):
    """Whether D is known to be positive."""
    return self._is_diag_update_positive

  @property
  def base_operator(self):
    """L."""
    return self._base_operator

  def _shape(self):
    batch = self.base_operator.batch_shape
    for other in (self.diag_operator.batch_shape, self.u.get_shape()[:-2], self.v.get_shape()[:-2]):
      batch = tf.broadcast_static_shape(batch, other)
    return batch.concatenate(self.base_operator.shape[-2:])

  def _shape_tensor(self):
    batch = batches.broadcast_shapes(
      [self.base_operator.batch_shape, self.diag_operator.batch_shape, self.u.get_shape()[:-2], self.v.get_shape()[:-2]],
      [
        self.base_operator.batch_shape_tensor,
        self.diag_operator.batch_shape_tensor,
        lambda: tf.shape(self.u)[:-2],
        lambda: tf.shape(self.v)[:-2],
      ],
    )
    return tf.concat([batch, self.base_operator.shape_tensor()[-2:]], 0)

  def _matmul(self, x, adjoint=False, adjoint_arg=False):
    left, right = (self.v, self.u) if adjoint else (self.u, self.v)
    result = self.base_operator.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
    inner = tf.matmul(right, x, adjoint_a=True, adjoint_b=adjoint_arg)
    return result + tf.matmul(left, self.diag_operator.matmul(inner, adjoint=adjoint))

  def _capacitance(self, solved):
    """The matrix D^-1 + V^H L^-1 U, with `solved` for L^-1 U, by which an inverse and a determinant follow from those of L."""
    return self.diag_operator.inverse().add_to_tensor(tf.matmul(self.v, solved, adjoint_a=True))

  def _capacitance_has_cholesky(self):
    return bool(
      self.base_operator.is_self_adjoint
      and self.base_operator.is_positive_definite
      and self.v is self.u
      and self.is_diag_update_positive
    )

  def _solve(self, rhs, adjoint=False, adjoint_arg=False):
    # Woodbury: (L + U D V^H)^-1 = L^-1 - L^-1 U C^-1 V^H L^-1.
    if self.base_operator.is_non_singular is False:
      raise ValueError(
        "Solve not implemented unless this is a perturbation of a non-singular LinearOperator: the base operator is singular."
      )
    left, right = (self.v, self.u) if adjoint else (self.u, self.v)
    first = self.base_operator.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
    inner = tf.matmul(right, first, adjoint_a=True)
    solved = self.base_operator.solve(self.u)
    capacitance = self._capacitance(solved)
    if self._capacitance_has_cholesky():
      corrected = batches.cholesky_solve(tf.cholesky(capacitance), inner)
    else:
      corrected = batches.solve(capacitance, inner, adjoint=adjoint)
    return first - self.base_operator.solve(tf.matmul(left, corrected), adjoint=adjoint)

  def _determinant(self):
    capacitance = self._capacitance(self.base_operator.solve(self.u))
    return tf.matrix_determinant(capacitance) * self.diag_operator.determinant() * self.base_operator.determinant()

  def _log_abs_determinant(self):
    capacitance = self._capacitance(self.base_operator.solve(self.u))
    log = tf.linalg.slogdet(capacitance)[1]
    return log + self.diag_operator.log_abs_determinant() + self.base_operator.log_abs_determinant()

  def _diag_part(self):
    # Of U D V^H the sums over the few columns of u d conj(v).
    weighted = self.u if self._diag_update is None else self.u * self._diag_update[..., tf.newaxis, :]
    return tf.reduce_sum(weighted * tf.conj(self.v), axis=-1) + self.base_operator.diag_part()
