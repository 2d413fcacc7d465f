"""Linear algebra, of matrices for which rounding decides nothing."""

from computing import EVERYWHERE, floats, tame, task_of
from generate import statement

# Of a positive definite matrix, one with a diagonal larger than what else is in its column, a right-hand side of full
# rank, and three diagonals.
OPS = [
  ("tf.linalg.cholesky(whole{n})", (4, 4)),
  ("tf.linalg.cholesky_solve(tf.linalg.cholesky(whole{n}), right{n})", (4, 3)),
  ("tf.linalg.sqrtm(whole{n})", (4, 4)),
  ("tf.linalg.eigvalsh(whole{n})", (4,)),
  ("tf.linalg.svd(right{n}, compute_uv=False)", (3,)),
  ("tf.linalg.lu(large{n})[0]", (4, 4)),
  ("tf.linalg.lu_reconstruct(*tf.linalg.lu(large{n}), validate_args=False)", (4, 4)),
  ("tf.linalg.inv(large{n})", (4, 4)),
  ("tf.linalg.det(large{n})", ()),
  ("tf.linalg.slogdet(large{n})[1]", ()),
  ("tf.linalg.logdet(whole{n})", ()),
  ("tf.linalg.solve(large{n}, right{n})", (4, 3)),
  ("tf.linalg.solve(large{n}, right{n}, adjoint=True)", (4, 3)),
  ("tf.linalg.triangular_solve(large{n}, right{n})", (4, 3)),
  ("tf.linalg.triangular_solve(large{n}, right{n}, lower=False)", (4, 3)),
  ("tf.linalg.lstsq(large{n}, right{n})", (4, 3)),
  ("tf.linalg.expm(large{n} * 0.125)", (4, 4)),
  ("tf.abs(tf.linalg.qr(large{n})[1])", (4, 4)),
  ("tf.linalg.matrix_transpose(tf.linalg.band_part(large{n}, 1, 0))", (4, 4)),
  ("tf.raw_ops.MatrixSolveLs(matrix=large{n}, rhs=right{n}, l2_regularizer=tf.constant(0.5, tf.float64), fast=True)", (4, 3)),
]
OPS += [
  # Of three diagonals, the middle one largest.
  ("tf.linalg.tridiagonal_solve(three{n}, right{n}, diagonals_format='compact')", (4, 3)),
  ("tf.linalg.tridiagonal_solve(three{n}, right{n}, diagonals_format='compact', partial_pivoting=False)", (4, 3)),
  ("tf.linalg.tridiagonal_matmul(three{n}, right{n}, diagonals_format='compact')", (4, 3)),
]


@statement(2, *EVERYWHERE)
def matrix(g, scope):
  x = floats(g, scope, (4, 16))
  text, shape = g.choose(OPS)
  dtype = f"dtype=tf.{x.dtype}"
  lines = [
    f"tame{{n}} = {tame('{0}')}",
    "some{n} = tame{n}[:, :4] * 0.25",
    f"six{{n}} = tf.eye(4, {dtype}) * 6",
    "whole{n} = tf.matmul(some{n}, some{n}, transpose_b=True) + six{n}",
    "large{n} = some{n} + six{n}",
    f"right{{n}} = tame{{n}}[:, 4:7] + tf.reshape(tf.range(12, {dtype}), [4, 3]) + tf.eye(4, 3, {dtype}) * 6",
    "three{n} = tf.stack([some{n}[0], some{n}[1] + 6, some{n}[2]])",
    "{o0} = " + text,
  ]
  g.add(scope, "matrix", lines, [x], outs=[(x.dtype, shape, {})], task=task_of(g, scope, [x]))
  return True
