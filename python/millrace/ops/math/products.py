"""Products of matrices."""

import millrace as tf
from millrace import gen
from millrace.framework import dtypes
from millrace.framework.convert import convert_to_tensor
from millrace.framework.graph import name_scope
from millrace.ops.math.dispatch import other
from millrace.ops.math.elementwise import conj

_SPARSE_TYPES = (dtypes.bfloat16, dtypes.float32)


@other
def matmul(
  a,
  b,
  transpose_a=False,
  transpose_b=False,
  adjoint_a=False,
  adjoint_b=False,
  a_is_sparse=False,
  b_is_sparse=False,
  name=None,
):
  """The product of matrices, or of batches of them, which broadcast.

  `transpose_*` and `adjoint_*` (transposed and conjugated) say how the arguments are taken; `*_is_sparse` that many
  elements are 0, which another kernel uses (float32 and bfloat16, no batches).

  Raises:
    ValueError: if an argument is to be transposed and adjoint, or the shapes do not fit.
  """
  with name_scope(name, "MatMul", [a, b]) as scope:
    _check_one("a", transpose_a, adjoint_a)
    _check_one("b", transpose_b, adjoint_b)
    a = convert_to_tensor(a, name="a")
    b = convert_to_tensor(b, dtype_hint=a.dtype.base_dtype, name="b")
    says_sparse = a_is_sparse or b_is_sparse
    if not says_sparse and (_may_be_batch(a) or _may_be_batch(b)):
      # The op of batches has no transposition without conjugation.
      if transpose_a:
        a = conj(a)
        adjoint_a = True
      if transpose_b:
        b = conj(b)
        adjoint_b = True
      return gen.batch_mat_mul_v2(a, b, adj_x=adjoint_a, adj_y=adjoint_b, name=scope)
    if adjoint_a:
      a = conj(a)
      transpose_a = True
    if adjoint_b:
      b = conj(b)
      transpose_b = True
    is_sparse = says_sparse and a.dtype in _SPARSE_TYPES and b.dtype in _SPARSE_TYPES
    # Only that kernel multiplies bfloat16 and another type.
    mixed = a.dtype != b.dtype and dtypes.bfloat16 in (a.dtype, b.dtype)
    if is_sparse or mixed:
      product = gen.sparse_mat_mul(
        a, b, transpose_a=transpose_a, transpose_b=transpose_b, a_is_sparse=a_is_sparse, b_is_sparse=b_is_sparse, name=scope
      )
      if a.dtype == dtypes.bfloat16 and b.dtype == dtypes.bfloat16:
        product = tf.cast(product, dtypes.bfloat16)
      return product
    return gen.mat_mul(a, b, transpose_a=transpose_a, transpose_b=transpose_b, name=scope)


def _check_one(argument, transpose, adjoint):
  if transpose and adjoint:
    raise ValueError(
      f"Only one of `transpose_{argument}` and `adjoint_{argument}` can be True. Received "
      f"`transpose_{argument}`={transpose}, `adjoint_{argument}`={adjoint}."
    )


def _may_be_batch(x):
  rank = x.get_shape().rank
  return rank is None or rank > 2


def matvec(a, b, transpose_a=False, adjoint_a=False, a_is_sparse=False, b_is_sparse=False, name=None):
  """The product of a matrix and a vector, or of batches of them; arguments as of `matmul`."""
  with name_scope(name, "MatVec", [a, b]):
    column = tf.expand_dims(b, axis=-1)
    product = matmul(a, column, transpose_a=transpose_a, adjoint_a=adjoint_a, a_is_sparse=a_is_sparse, b_is_sparse=b_is_sparse)
    return tf.squeeze(product, axis=-1)


@other
def trace(x, name=None):
  """The sum of the main diagonal of each matrix."""
  with name_scope(name, "Trace", [x]) as scope:
    x = convert_to_tensor(x, name="x")
    return tf.reduce_sum(tf.matrix_diag_part(x), [-1], name=scope)


def sparse_matmul(a, b, transpose_a=False, transpose_b=False, a_is_sparse=False, b_is_sparse=False, name=None):
  """The product of two matrices many of whose elements are 0, as float32."""
  return gen.sparse_mat_mul(
    a, b, transpose_a=transpose_a, transpose_b=transpose_b, a_is_sparse=a_is_sparse, b_is_sparse=b_is_sparse, name=name
  )
