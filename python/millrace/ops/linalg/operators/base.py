"""The base of linear operators: what each of them offers, in terms of the few methods that a class of them has."""

import contextlib
import re

import numpy as np

import millrace as tf
from millrace.framework import dtypes
from millrace.framework.convert import convert_to_tensor
from millrace.framework.graph import get_default_graph, name_scope
from millrace.framework.tensor_shape import TensorShape
from millrace.framework.tensor_values import is_tensor
from millrace.layers.module import Module
from millrace.ops.linalg.operators import batches


def _scope_of(name):
  """The scope of names that an operator's constructor is in, or a new one."""
  current = get_default_graph().get_name_scope()
  if re.fullmatch(re.escape(name) + r"(_\d+)?", current.rpartition("/")[2]):
    return current + "/"
  with name_scope(name) as scope:
    return scope


class LinearOperator(Module):
  """A batch of matrices. A class of operators has methods whose names begin with `_`: `_shape`, `_shape_tensor`, `_matmul`, and
  those of quantities that it knows better than by its dense matrix, such as `_solve`, `_determinant`, `_diag_part`.

  Hints say what the caller knows, so that better methods are taken: they are not checked, but by assert_non_singular() and so on.
  None says that it is not known.
  """

  def __init__(
    self,
    dtype,
    graph_parents=None,
    is_non_singular=None,
    is_self_adjoint=None,
    is_positive_definite=None,
    is_square=None,
    name=None,
  ):
    """Raises ValueError for hints that contradict each other, and for an item of `graph_parents` that is no Tensor."""
    if is_positive_definite and is_self_adjoint:
      if is_non_singular is False:
        raise ValueError("A positive definite matrix is always non-singular.")
      is_non_singular = True
    if is_non_singular:
      if is_square is False:
        raise ValueError("A non-singular matrix is always square.")
      is_square = True
    if is_self_adjoint:
      if is_square is False:
        raise ValueError("A self-adjoint matrix is always square.")
      is_square = True
    self._square_hint = is_square
    graph_parents = [] if graph_parents is None else graph_parents
    for place, item in enumerate(graph_parents):
      if item is None or not is_tensor(item):
        raise ValueError("Graph parent item %d is not a Tensor; %s." % (place, item))
    self._dtype = dtypes.as_dtype(dtype).base_dtype if dtype else dtype
    self._graph_parents = graph_parents
    self._is_non_singular = is_non_singular
    self._is_self_adjoint = is_self_adjoint
    self._is_positive_definite = is_positive_definite
    self._name = name or type(self).__name__
    self._scope_name = _scope_of(self._name)

  # What is inside of an operator is no module of its own.
  _TF_MODULE_IGNORED_PROPERTIES = frozenset(["_graph_parents"])

  @contextlib.contextmanager
  def _name_scope(self, name=None, values=None):
    with name_scope(self.name):
      with name_scope(name, values=([] if values is None else list(values)) + self._graph_parents) as scope:
        yield scope

  @property
  def dtype(self):
    """The type of the matrices' elements."""
    return self._dtype

  @property
  def graph_parents(self):
    """Tensors that the operator depends on."""
    return self._graph_parents

  @property
  def is_non_singular(self):
    """Whether the matrices have inverses: True, False, or None for not known."""
    return self._is_non_singular

  @property
  def is_self_adjoint(self):
    """Whether the matrices are their own adjoint: True, False, or None for not known."""
    return self._is_self_adjoint

  @property
  def is_positive_definite(self):
    """Whether x^H A x has a positive real part for all x but 0: True, False, or None for not known."""
    return self._is_positive_definite

  @property
  def is_square(self):
    """Whether the matrices are square: True, False, or None for not known.

    Raises:
      ValueError: if that was denied and they are.
    """
    rows, columns = self.range_dimension.value, self.domain_dimension.value
    found = None if rows is None or columns is None else rows == columns
    if self._square_hint is False and found:
      raise ValueError("User set is_square hint to False, but the operator was square.")
    return found if self._square_hint is None else self._square_hint

  @property
  def shape(self):
    """What is known of the shape: that of the batch, then rows and columns."""
    return self._shape()

  def _shape(self):
    raise NotImplementedError("_shape is not implemented.")

  def _shape_tensor(self):
    raise NotImplementedError("_shape_tensor is not implemented.")

  def shape_tensor(self, name="shape_tensor"):
    """The shape as an int32 vector."""
    with self._name_scope(name):
      if self.shape.is_fully_defined():
        return convert_to_tensor(self.shape.as_list(), dtype=dtypes.int32, name="shape")
      return self._shape_tensor()

  @property
  def batch_shape(self):
    """What is known of the batch's shape."""
    return self.shape[:-2]

  def batch_shape_tensor(self, name="batch_shape_tensor"):
    """The batch's shape as an int32 vector."""
    with self._name_scope(name):
      return self._batch_shape_tensor()

  def _batch_shape_tensor(self):
    if self.batch_shape.is_fully_defined():
      return convert_to_tensor(self.batch_shape.as_list(), dtype=dtypes.int32, name="batch_shape")
    return self.shape_tensor()[:-2]

  @property
  def tensor_rank(self):
    """The number of dimensions of the batch, and 2: None if it is not known."""
    with self._name_scope("tensor_rank"):
      return self.shape.ndims

  def tensor_rank_tensor(self, name="tensor_rank_tensor"):
    """The number of dimensions of the batch, and 2, as an int32 tensor."""
    with self._name_scope(name):
      if self.shape.ndims is not None:
        return convert_to_tensor(self.shape.ndims)
      return tf.size(self.shape_tensor())

  @property
  def domain_dimension(self):
    """The number of columns, as far as it is known."""
    shape = self.shape
    return shape[-1] if shape.ndims is not None else TensorShape([None])[0]

  def domain_dimension_tensor(self, name="domain_dimension_tensor"):
    """The number of columns as an int32 tensor."""
    with self._name_scope(name):
      return self._side(-1)

  @property
  def range_dimension(self):
    """The number of rows, as far as it is known."""
    shape = self.shape
    return shape[-2] if shape.ndims is not None else TensorShape([None])[0]

  def range_dimension_tensor(self, name="range_dimension_tensor"):
    """The number of rows as an int32 tensor."""
    with self._name_scope(name):
      return self._side(-2)

  def _side(self, place):
    known = (self.domain_dimension if place == -1 else self.range_dimension).value
    return convert_to_tensor(known, dtype=dtypes.int32) if known is not None else self.shape_tensor()[place]

  def assert_non_singular(self, name="assert_non_singular"):
    """An op that fails if a matrix has no inverse, as far as its type can tell."""
    with self._name_scope(name):
      return self._assert_non_singular()

  def _assert_non_singular(self):
    values = tf.svd(self.to_dense(), compute_uv=False)
    epsilon = np.finfo(self.dtype.real_dtype.as_numpy_dtype).eps
    limit = tf.reduce_max(values, axis=-1) * tf.cast(self._side(-1), values.dtype) * epsilon
    return tf.assert_less(limit, tf.reduce_min(values, axis=-1), message="Singular matrix up to precision epsilon.")

  def assert_positive_definite(self, name="assert_positive_definite"):
    """An op that fails if x^H A x has a real part that is not positive, for some x but 0."""
    with self._name_scope(name):
      return self._assert_positive_definite()

  def _assert_positive_definite(self):
    if not self.is_self_adjoint:
      raise NotImplementedError("assert_positive_definite is not implemented.")
    return tf.assert_positive(tf.self_adjoint_eigvals(self.to_dense()), message="Matrix was not positive definite.")

  def assert_self_adjoint(self, name="assert_self_adjoint"):
    """An op that fails if a matrix is not its own adjoint."""
    with self._name_scope(name):
      return self._assert_self_adjoint()

  def _assert_self_adjoint(self):
    dense = self.to_dense()
    return batches.assert_matrices_agree(dense, tf.linalg.adjoint(dense), message="Matrix was not equal to its adjoint.")

  def _check_input_dtype(self, x):
    """`x`, whose type has to be the operator's."""
    if x.dtype.base_dtype != self.dtype:
      raise TypeError(f"Expected argument to have dtype {self.dtype}.  Found: {x.dtype} in tensor {x}")

  def _check_sides(self, place_of_operator, other):
    """Raises ValueError if the sides that meet in a product are known to differ."""
    own = self.domain_dimension if place_of_operator == -1 else self.range_dimension
    own.assert_is_compatible_with(other)

  def matmul(self, x, adjoint=False, adjoint_arg=False, name="matmul"):
    """The product A x with a matrix or batch of matrices, or an operator; with adjoints of either in their places.

    Raises:
      ValueError: if the shapes are known not to fit.
      TypeError: for another type.
    """
    if isinstance(x, LinearOperator):
      left, right = (self.adjoint() if adjoint else self), (x.adjoint() if adjoint_arg else x)
      if right.range_dimension.value is not None and left.domain_dimension.value is not None:
        if right.range_dimension.value != left.domain_dimension.value:
          raise ValueError(
            f"Operators are incompatible. Expected `x` to have dimension {left.domain_dimension} but got {right.range_dimension}."
          )
      with self._name_scope(name):
        from millrace.ops.linalg.operators import algebra

        return algebra.product(left, right)
    with self._name_scope(name, [x]):
      x = convert_to_tensor(x, name="x")
      self._check_input_dtype(x)
      if x.get_shape().ndims is not None:
        self._check_sides(-2 if adjoint else -1, x.get_shape()[-1 if adjoint_arg else -2])
      return self._matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

  def __matmul__(self, other):
    return self.matmul(other)

  def _matmul(self, x, adjoint=False, adjoint_arg=False):
    raise NotImplementedError("_matmul is not implemented.")

  def matvec(self, x, adjoint=False, name="matvec"):
    """The product A x with a vector or batch of vectors."""
    with self._name_scope(name, [x]):
      x = convert_to_tensor(x, name="x")
      self._check_input_dtype(x)
      if x.get_shape().ndims is not None:
        self._check_sides(-2 if adjoint else -1, x.get_shape()[-1])
      return self._matvec(x, adjoint=adjoint)

  def _matvec(self, x, adjoint=False):
    return tf.squeeze(self.matmul(x[..., tf.newaxis], adjoint=adjoint), axis=-1)

  def determinant(self, name="det"):
    """The determinants. NotImplementedError for operators that are known not to be square."""
    self._refuse_not_square("Determinant")
    with self._name_scope(name):
      return self._determinant()

  def log_abs_determinant(self, name="log_abs_det"):
    """The logarithms of the absolute values of the determinants."""
    self._refuse_not_square("Determinant")
    with self._name_scope(name):
      return self._log_abs_determinant()

  def _refuse_not_square(self, what):
    if self.is_square is False:
      raise NotImplementedError(f"{what} not implemented for an operator that is expected to not be square.")

  def _determinant(self):
    if self._has_cholesky():
      return tf.exp(self._log_abs_determinant())
    return tf.matrix_determinant(self.to_dense())

  def _log_abs_determinant(self):
    if self._has_cholesky():
      diagonal = tf.matrix_diag_part(tf.cholesky(self.to_dense()))
      return 2 * tf.reduce_sum(tf.log(diagonal), axis=[-1])
    return tf.linalg.slogdet(self.to_dense())[1]

  def _has_cholesky(self):
    return bool(self.is_self_adjoint and self.is_positive_definite)

  def solve(self, rhs, adjoint=False, adjoint_arg=False, name="solve"):
    """X with A X = rhs, for a matrix or batch of matrices, or an operator; with adjoints of either in their places.

    Raises:
      NotImplementedError: for operators that are known not to be square or to be singular.
      ValueError: if the shapes are known not to fit.
    """
    if self.is_non_singular is False:
      raise NotImplementedError("Exact solve not implemented for an operator that is expected to be singular.")
    self._refuse_not_square("Exact solve")
    if isinstance(rhs, LinearOperator):
      left, right = (self.adjoint() if adjoint else self), (rhs.adjoint() if adjoint_arg else rhs)
      if right.range_dimension.value is not None and left.domain_dimension.value is not None:
        if right.range_dimension.value != left.domain_dimension.value:
          raise ValueError(
            f"Operators are incompatible. Expected `rhs` to have dimension {left.domain_dimension} but got "
            f"{right.range_dimension}."
          )
      with self._name_scope(name):
        from millrace.ops.linalg.operators import algebra

        return algebra.solution(left, right)
    with self._name_scope(name, [rhs]):
      rhs = convert_to_tensor(rhs, name="rhs")
      self._check_input_dtype(rhs)
      if rhs.get_shape().ndims is not None:
        self._check_sides(-1 if adjoint else -2, rhs.get_shape()[-1 if adjoint_arg else -2])
      return self._solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

  def _solve(self, rhs, adjoint=False, adjoint_arg=False):
    rhs = batches.adjoint_if(rhs, adjoint_arg)
    if self._has_cholesky():
      return batches.cholesky_solve(tf.cholesky(self.to_dense()), rhs)
    return batches.solve(self.to_dense(), rhs, adjoint=adjoint)

  def solvevec(self, rhs, adjoint=False, name="solve"):
    """x with A x = rhs for a vector or batch of vectors; errors as of solve()."""
    with self._name_scope(name, [rhs]):
      rhs = convert_to_tensor(rhs, name="rhs")
      self._check_input_dtype(rhs)
      if rhs.get_shape().ndims is not None:
        self._check_sides(-1 if adjoint else -2, rhs.get_shape()[-1])
      return self._solvevec(rhs, adjoint=adjoint)

  def _solvevec(self, rhs, adjoint=False):
    return tf.squeeze(self.solve(rhs[..., tf.newaxis], adjoint=adjoint), axis=-1)

  def adjoint(self, name="adjoint"):
    """The operator of the adjoint matrices: itself if it is known to be that."""
    if self.is_self_adjoint is True:
      return self
    with self._name_scope(name):
      return self._adjoint()

  # The same as a property.
  H = property(adjoint, None, None, "The operator of the adjoint matrices.")

  def _adjoint(self):
    from millrace.ops.linalg.operators.adjoint import LinearOperatorAdjoint

    return LinearOperatorAdjoint(self)

  def inverse(self, name="inverse"):
    """The operator of the inverse matrices. ValueError for operators that are known to have none."""
    if self.is_square is False:
      raise ValueError("Cannot take the Inverse: This operator represents a non square matrix.")
    if self.is_non_singular is False:
      raise ValueError("Cannot take the Inverse: This operator represents a singular matrix.")
    with self._name_scope(name):
      return self._inverse()

  def _inverse(self):
    from millrace.ops.linalg.operators.inversion import LinearOperatorInversion

    return LinearOperatorInversion(self)

  def cholesky(self, name="cholesky"):
    """The operator of the lower triangular L with A = L L^H.

    Raises:
      ValueError: if the hints do not say that the operator is positive definite and its own adjoint.
    """
    if not self._has_cholesky():
      raise ValueError("Cannot take the Cholesky decomposition: Not a positive definite self adjoint matrix.")
    with self._name_scope(name):
      return self._cholesky()

  def _cholesky(self):
    from millrace.ops.linalg.operators.lower_triangular import LinearOperatorLowerTriangular

    return LinearOperatorLowerTriangular(
      tf.cholesky(self.to_dense()), is_non_singular=True, is_self_adjoint=False, is_square=True
    )

  def to_dense(self, name="to_dense"):
    """The matrices."""
    with self._name_scope(name):
      return self._to_dense()

  def _to_dense(self):
    batch = self._batch_shape_tensor()
    identity = tf.eye(num_rows=self._side(-1), batch_shape=batch, dtype=self.dtype)
    dense = self._matmul(identity)
    if self.shape.ndims is not None:
      dense.set_shape(self.shape)
    return dense

  def diag_part(self, name="diag_part"):
    """The diagonals of the matrices."""
    with self._name_scope(name):
      return self._diag_part()

  def _diag_part(self):
    return tf.matrix_diag_part(self.to_dense())

  def trace(self, name="trace"):
    """The sums of the diagonals."""
    with self._name_scope(name):
      return self._trace()

  def _trace(self):
    return tf.reduce_sum(self.diag_part(), axis=-1)

  def add_to_tensor(self, x, name="add_to_tensor"):
    """The matrices + x."""
    with self._name_scope(name, [x]):
      x = convert_to_tensor(x, name="x")
      self._check_input_dtype(x)
      return self._add_to_tensor(x)

  def _add_to_tensor(self, x):
    return self.to_dense() + x
