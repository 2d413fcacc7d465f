"""tf.linalg.LinearOperator...: products and solutions of two, shapes that are not known, own operators, errors."""

import numpy as np
from linear_operators_kinds import _data, _error, _symmetric

A = np.float32([[2, 1], [1, 3]])


def _several(tf):
  return [
    tf.linalg.LinearOperatorIdentity(2),
    tf.linalg.LinearOperatorScaledIdentity(2, 3.0),
    tf.linalg.LinearOperatorDiag([1.0, 2.0]),
    tf.linalg.LinearOperatorFullMatrix(A),
    tf.linalg.LinearOperatorLowerTriangular(A),
    tf.linalg.LinearOperatorCirculant([1.0, 2.0], input_output_dtype=tf.float32),
  ]


def program_products(tf):
  found, dense = [], []
  for left in _several(tf):
    for right in _several(tf):
      product, solution = left.matmul(right, name="product"), left.solve(right)
      found.append(
        [type(product).__name__.replace("_Base", ""), product.is_self_adjoint, product.is_non_singular, product.is_square]
      )
      found.append(type(solution).__name__.replace("_Base", ""))
      dense += [product.to_dense(), solution.to_dense()]
      dense.append((left @ right).to_dense())
  zeros = tf.linalg.LinearOperatorZeros(2)
  for other in _several(tf):
    found += [type(zeros.matmul(other)).__name__, type(other.matmul(zeros)).__name__]
  full = tf.linalg.LinearOperatorFullMatrix(_data(2, 3))
  adjoint = tf.linalg.LinearOperatorFullMatrix(_data(2, 3) + 1)
  dense += [full.matmul(adjoint, adjoint_arg=True).to_dense(), full.matmul(adjoint, adjoint=True).to_dense()]
  with tf.Session() as session:
    return found, session.run([tf.real(matrix) for matrix in dense])


program_products.rtol = 1e-4
program_products.atol = 1e-5


def program_unknown_shapes(tf):
  matrix = tf.placeholder_with_default(_symmetric(2, 3, 3), None)
  vector = tf.placeholder_with_default(np.float32([[1, 2, 3]]), [None, None])
  made = [
    tf.linalg.LinearOperatorFullMatrix(matrix, is_square=True),
    tf.linalg.LinearOperatorLowerTriangular(matrix),
    tf.linalg.LinearOperatorDiag(vector),
    tf.linalg.LinearOperatorHouseholder(vector),
    tf.linalg.LinearOperatorToeplitz(vector, vector),
    tf.linalg.LinearOperatorCirculant(vector, input_output_dtype=tf.float32),
  ]
  made.append(tf.linalg.LinearOperatorBlockDiag([made[2], made[3]]))
  made.append(tf.linalg.LinearOperatorKronecker([made[2], made[3]]))
  made.append(tf.linalg.LinearOperatorComposition([made[0], made[2]]))
  made.append(tf.linalg.LinearOperatorLowRankUpdate(made[2], vector[..., None]))
  found = []
  with tf.Session() as session:
    for each in made:
      found.append([str(each.shape), str(each.is_square)])
      size = session.run(each.domain_dimension_tensor())
      x = tf.placeholder_with_default(_data(1, size, 2), None)
      asked = [each.shape_tensor(), each.batch_shape_tensor(), each.tensor_rank_tensor(), each.to_dense(), each.matmul(x)]
      asked += [each.solve(x), each.determinant(), each.log_abs_determinant(), each.diag_part(), each.trace()]
      found.append(session.run(asked))
  return found


program_unknown_shapes.rtol = 5e-3
program_unknown_shapes.atol = 2e-3


def program_broadcasting(tf):
  """Batches of operators and of what they are applied to."""
  made = [
    tf.linalg.LinearOperatorFullMatrix(_symmetric(2, 1, 3, 3)),
    tf.linalg.LinearOperatorFullMatrix(_symmetric(3, 3), is_self_adjoint=True, is_positive_definite=True),
    tf.linalg.LinearOperatorLowerTriangular(_symmetric(2, 1, 3, 3)),
    tf.linalg.LinearOperatorDiag(_data(2, 1, 3)),
    tf.linalg.LinearOperatorIdentity(3, [2, 1]),
    tf.linalg.LinearOperatorScaledIdentity(3, [[2.0], [3.0]]),
    tf.linalg.LinearOperatorHouseholder(_data(2, 1, 3)),
    tf.linalg.LinearOperatorToeplitz(_data(2, 1, 3), _data(2, 1, 3)),
  ]
  with tf.Session() as session:
    return session.run([[each.matmul(_data(4, 3, 2)), each.solve(_data(4, 3, 2)), each.matvec(_data(4, 3))] for each in made])


program_broadcasting.rtol = 5e-3
program_broadcasting.atol = 1e-3


def program_own_operator(tf):
  class Twice(tf.linalg.LinearOperator):
    """Twice the identity of two dimensions."""

    def __init__(self):
      super().__init__(
        dtype=tf.float32, graph_parents=None, is_non_singular=True, is_self_adjoint=True, is_positive_definite=True, name="Twice"
      )

    def _shape(self):
      return tf.TensorShape([2, 2])

    def _shape_tensor(self):
      return tf.constant([2, 2])

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
      return 2 * (tf.linalg.adjoint(x) if adjoint_arg else x)

  made = Twice()
  tensors = [
    made.to_dense(),
    made.determinant(),
    made.log_abs_determinant(),
    made.solve([[1.0], [2.0]]),
    made.trace(),
    made.diag_part(),
    made.inverse().to_dense(),
    made.cholesky().to_dense(),
    made.add_to_tensor([[1.0, 0.0], [0.0, 1.0]]),
    made.matvec([1.0, 2.0]),
    made.solvevec([1.0, 2.0]),
  ]
  with tf.Session() as session:
    session.run([made.assert_non_singular(), made.assert_positive_definite(), made.assert_self_adjoint()])
    return session.run(tensors), made.adjoint() is made, made.name, made.is_square, made.graph_parents == []


program_own_operator.rtol = 1e-4


def program_gradients(tf):
  x = tf.Variable(_symmetric(3, 3))
  made = [
    tf.linalg.LinearOperatorFullMatrix(x).solve(_data(3, 2)),
    tf.linalg.LinearOperatorLowerTriangular(x).solve(_data(3, 2)),
    tf.linalg.LinearOperatorFullMatrix(x, is_self_adjoint=True, is_positive_definite=True).log_abs_determinant(),
    tf.linalg.LinearOperatorDiag(x[0]).determinant(),
    tf.linalg.LinearOperatorToeplitz(x[0], x[1]).matmul(_data(3, 2)),
    tf.linalg.LinearOperatorLowRankUpdate(tf.linalg.LinearOperatorDiag(x[0]), x[:, :1]).solve(_data(3, 2)),
  ]
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return session.run([tf.gradients(each, x)[0] if each is not made[3] else tf.gradients(each, x)[0] for each in made])


program_gradients.rtol = 5e-3
program_gradients.atol = 1e-3


def program_errors(tf):
  full = tf.linalg.LinearOperatorFullMatrix
  wide = full(np.zeros([2, 3], np.float32))
  lin = tf.linalg
  return [
    _error(case)
    for case in [
      lambda: full(A, is_non_singular=True, is_square=False),
      lambda: full(A, is_self_adjoint=True, is_square=False),
      lambda: full(A, is_self_adjoint=True, is_positive_definite=True, is_non_singular=False),
      lambda: full(A, is_square=False).is_square,
      lambda: full([1.0, 2.0]),
      lambda: full([[1, 2]]),
      lambda: lin.LinearOperatorDiag(1.0),
      lambda: lin.LinearOperatorDiag([1.0], is_square=False),
      lambda: lin.LinearOperatorDiag([1.0], is_self_adjoint=False),
      lambda: lin.LinearOperatorLowerTriangular([1.0]),
      lambda: lin.LinearOperatorLowerTriangular([[1.0]], is_square=False),
      lambda: lin.LinearOperatorHouseholder([1.0], is_self_adjoint=False),
      lambda: lin.LinearOperatorHouseholder([1.0], is_positive_definite=True),
      lambda: lin.LinearOperatorHouseholder([1.0], is_square=False),
      lambda: lin.LinearOperatorHouseholder(1.0),
      lambda: lin.LinearOperatorHouseholder([1.0, 2.0]).assert_positive_definite(),
      lambda: wide.solve(np.zeros([2, 1], np.float32)),
      lambda: full(A, is_non_singular=False).solve(np.zeros([2, 1], np.float32)),
      lambda: wide.determinant(),
      lambda: wide.log_abs_determinant(),
      lambda: wide.inverse(),
      lambda: full(A, is_non_singular=False).inverse(),
      lambda: full(A).cholesky(),
      lambda: full(A).matmul(np.zeros([3, 1], np.float32)),
      lambda: full(A).matmul(np.zeros([2, 1], np.float64)),
      lambda: full(A).matvec(np.zeros([3], np.float32)),
      lambda: full(A).solvevec(np.zeros([3], np.float32)),
      lambda: full(A).matmul(full(np.zeros([3, 1], np.float32))),
      lambda: full(A).solve(full(np.zeros([3, 1], np.float32))),
      lambda: full(A).assert_positive_definite(),
      lambda: lin.LinearOperatorIdentity(-1),
      lambda: lin.LinearOperatorIdentity(2.5),
      lambda: lin.LinearOperatorIdentity([2]),
      lambda: lin.LinearOperatorIdentity(2, batch_shape=2),
      lambda: lin.LinearOperatorIdentity(2, batch_shape=[-2]),
      lambda: lin.LinearOperatorIdentity(2, is_self_adjoint=False),
      lambda: lin.LinearOperatorIdentity(2, is_square=False),
      lambda: lin.LinearOperatorIdentity(2, is_non_singular=False),
      lambda: lin.LinearOperatorIdentity(2, is_positive_definite=False),
      lambda: lin.LinearOperatorScaledIdentity(2, 3.0, is_square=False),
      lambda: lin.LinearOperatorScaledIdentity(-2, 3.0),
      lambda: lin.LinearOperatorZeros(2, is_non_singular=True),
      lambda: lin.LinearOperatorZeros(2, is_self_adjoint=False),
      lambda: lin.LinearOperatorZeros(2, 3, is_square=True),
      lambda: lin.LinearOperatorZeros(2, is_positive_definite=True),
      lambda: lin.LinearOperatorZeros(2, -3),
      lambda: lin.LinearOperatorZeros(2, 3, is_square=False),
      lambda: lin.LinearOperatorZeros(2).assert_positive_definite(),
      lambda: lin.LinearOperatorZeros(2).assert_non_singular(),
      lambda: lin.LinearOperatorComposition([]),
      lambda: lin.LinearOperatorBlockDiag([]),
      lambda: lin.LinearOperatorKronecker([]),
      lambda: lin.LinearOperatorComposition([full(A), full(A.astype(np.float64))]),
      lambda: lin.LinearOperatorBlockDiag([full(A), full(A.astype(np.float64))]),
      lambda: lin.LinearOperatorComposition([full(A, is_non_singular=True)], is_non_singular=False),
      lambda: lin.LinearOperatorInversion(full(A, is_non_singular=False)),
      lambda: lin.LinearOperatorInversion(full(A), is_non_singular=False),
      lambda: lin.LinearOperatorInversion(full(A), is_square=False),
      lambda: lin.LinearOperatorInversion(wide),
      lambda: lin.LinearOperatorAdjoint(full(A, is_self_adjoint=True), is_self_adjoint=False),
      lambda: lin.LinearOperatorBlockDiag([full(A, is_self_adjoint=True)], is_self_adjoint=False),
      lambda: lin.LinearOperatorKronecker([full(A, is_self_adjoint=True)], is_self_adjoint=False),
      lambda: lin.LinearOperatorLowRankUpdate(full(A), [[1.0], [2.0], [3.0]]),
      lambda: lin.LinearOperatorLowRankUpdate(full(A), [[1.0], [2.0]], diag_update=[1.0, 2.0]),
      lambda: lin.LinearOperatorLowRankUpdate(full(A, is_self_adjoint=True), [[1.0], [2.0]], is_self_adjoint=False),
      lambda: lin.LinearOperatorCirculant(1.0),
      lambda: lin.LinearOperatorCirculant([1.0, 2.0], is_self_adjoint=False),
      lambda: lin.LinearOperatorCirculant([1.0, 2.0], is_square=False),
      lambda: lin.LinearOperatorCirculant2D([1.0, 2.0]),
      lambda: lin.LinearOperatorToeplitz([1.0, 2.0], [1.0, 2.0], is_square=False),
      lambda: lin.LinearOperatorToeplitz([1.0, 2.0], [1.0]),
      lambda: lin.LinearOperatorToeplitz(1.0, [1.0]),
    ]
  ]
