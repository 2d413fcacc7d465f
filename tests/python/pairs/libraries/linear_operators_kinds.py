"""tf.linalg.LinearOperator...: every method of every kind, real and complex, with batches."""

import numpy as np

PROPERTIES = [
  "batch_shape",
  "shape",
  "tensor_rank",
  "domain_dimension",
  "range_dimension",
  "dtype",
  "is_non_singular",
  "is_positive_definite",
  "is_self_adjoint",
  "is_square",
  "name",
]
OF_NOTHING = [
  "to_dense",
  "determinant",
  "log_abs_determinant",
  "diag_part",
  "trace",
  "batch_shape_tensor",
  "shape_tensor",
  "tensor_rank_tensor",
  "domain_dimension_tensor",
  "range_dimension_tensor",
]
OPERATORS = ["adjoint", "inverse", "cholesky"]
ASSERTIONS = ["assert_non_singular", "assert_positive_definite", "assert_self_adjoint"]


def _error(call):
  try:
    return call()
  except Exception as error:
    return error


def _data(*shape, dtype=np.float32, seed=0):
  state = np.random.RandomState(len(shape) * 7 + sum(shape) + seed)
  values = state.randn(*shape)
  if np.dtype(dtype).kind == "c":
    values = values + 1j * state.randn(*shape)
  return values.astype(dtype)


def _symmetric(*shape, dtype=np.float32):
  matrix = _data(*shape, dtype=dtype)
  return (matrix @ np.conj(np.swapaxes(matrix, -1, -2)) + 3 * np.eye(shape[-1])).astype(dtype)


def _all(tf, made, batch=(), assertions=True):
  """What all methods say: values, or errors."""
  rows, columns = int(made.range_dimension), int(made.domain_dimension)
  dtype = made.dtype.as_numpy_dtype
  right, left = _data(*batch, columns, 2, dtype=dtype), _data(*batch, rows, 2, dtype=dtype)
  swap = lambda a: np.conj(np.swapaxes(a, -1, -2))
  results = {name: _error(lambda: getattr(made, name)()) for name in OF_NOTHING}
  results["matmul"] = _error(lambda: made.matmul(right))
  results["matmul_adjoint"] = _error(lambda: made.matmul(left, adjoint=True))
  results["matmul_adjoint_arg"] = _error(lambda: made.matmul(swap(right), adjoint_arg=True))
  results["matmul_both"] = _error(lambda: made.matmul(swap(left), adjoint=True, adjoint_arg=True, name="both"))
  results["matvec"] = _error(lambda: made.matvec(right[..., 0]))
  results["matvec_adjoint"] = _error(lambda: made.matvec(left[..., 1], adjoint=True))
  results["solve"] = _error(lambda: made.solve(left))
  results["solve_adjoint"] = _error(lambda: made.solve(right, adjoint=True))
  results["solve_adjoint_arg"] = _error(lambda: made.solve(swap(left), adjoint_arg=True))
  results["solve_both"] = _error(lambda: made.solve(swap(right), adjoint=True, adjoint_arg=True, name="both"))
  results["solvevec"] = _error(lambda: made.solvevec(left[..., 0]))
  results["solvevec_adjoint"] = _error(lambda: made.solvevec(right[..., 1], adjoint=True))
  results["add_to_tensor"] = _error(lambda: made.add_to_tensor(tf.constant(_data(*batch, rows, columns, dtype=dtype))))
  for name in OPERATORS:
    results[name] = _error(lambda: getattr(made, name)().to_dense())
  results["H"] = _error(lambda: made.H.to_dense())
  kinds = [_error(lambda: type(getattr(made, name)()).__name__) for name in OPERATORS]
  tensors = {name: value for name, value in results.items() if not isinstance(value, Exception)}
  shapes = {name: str(value.shape) for name, value in tensors.items()}
  found = [[str(getattr(made, name)) for name in PROPERTIES], kinds, len(made.submodules), made.trainable_variables]
  with tf.Session() as session:
    found += [shapes, session.run(tensors), {name: value for name, value in results.items() if isinstance(value, Exception)}]
    if assertions:
      found.append([type(_error(lambda: session.run(getattr(made, name)()))).__name__ for name in ASSERTIONS])
  return found


def program_full_matrix(tf):
  return [
    _all(tf, tf.linalg.LinearOperatorFullMatrix(_data(3, 3))),
    _all(tf, tf.linalg.LinearOperatorFullMatrix(_data(2, 4), is_square=False, name="wide"), assertions=False),
    _all(
      tf,
      tf.linalg.LinearOperatorFullMatrix(
        _symmetric(2, 3, 3), is_non_singular=True, is_self_adjoint=True, is_positive_definite=True, is_square=True
      ),
      (2,),
    ),
    _all(tf, tf.linalg.LinearOperatorFullMatrix(_data(2, 2, dtype=np.complex64)), (2,), assertions=False),
  ]


program_full_matrix.rtol = 2e-3
program_full_matrix.atol = 2e-4


def program_diag(tf):
  return [
    _all(tf, tf.linalg.LinearOperatorDiag([1.0, 2.0, -3.0])),
    _all(
      tf,
      tf.linalg.LinearOperatorDiag(
        diag=[[1.0, 2.0], [3.0, 4.0]],
        is_non_singular=True,
        is_self_adjoint=True,
        is_positive_definite=True,
        is_square=True,
        name="mine",
      ),
      (2,),
    ),
    _all(tf, tf.linalg.LinearOperatorDiag(np.complex64([1 + 2j, 3 - 1j]))),
    tf.linalg.LinearOperatorDiag([1.0]).diag.dtype.name,
  ]


program_diag.rtol = 1e-4
program_diag.atol = 1e-5


def program_lower_triangular(tf):
  return [
    _all(tf, tf.linalg.LinearOperatorLowerTriangular(_data(3, 3) + 2 * np.eye(3, dtype=np.float32))),
    _all(
      tf,
      tf.linalg.LinearOperatorLowerTriangular(
        tril=_symmetric(2, 2, 2), is_non_singular=True, is_self_adjoint=False, is_positive_definite=True, is_square=True, name="m"
      ),
      (2,),
      assertions=False,
    ),
    _all(tf, tf.linalg.LinearOperatorLowerTriangular(_symmetric(2, 2, dtype=np.complex64))),
  ]


program_lower_triangular.rtol = 1e-3
program_lower_triangular.atol = 1e-4


def program_householder(tf):
  found = _all(tf, tf.linalg.LinearOperatorHouseholder([1.0, 2.0, -3.0]), assertions=False)
  many = tf.linalg.LinearOperatorHouseholder(
    reflection_axis=[[1.0, 2.0], [3.0, 4.0]],
    is_non_singular=True,
    is_self_adjoint=True,
    is_positive_definite=False,
    is_square=True,
    name="mine",
  )
  with tf.Session() as session:
    axis = session.run(many.reflection_axis)
  return [found, _all(tf, many, (2,), assertions=False), axis]


program_householder.rtol = 1e-4
program_householder.atol = 1e-5


def program_identities(tf):
  with_checks = tf.linalg.LinearOperatorIdentity(tf.placeholder_with_default(3, []), assert_proper_shapes=True)
  scaled = tf.linalg.LinearOperatorScaledIdentity(num_rows=2, multiplier=[2.0, -3.0], assert_proper_shapes=True, name="s")
  with tf.Session() as session:
    found = session.run([with_checks.matmul(_data(3, 2)), with_checks.to_dense(), with_checks.trace(), scaled.multiplier])
    wrong = _error(lambda: session.run(with_checks.matmul(tf.placeholder_with_default(_data(2, 2), [None, None]))))
  return [
    _all(tf, tf.linalg.LinearOperatorIdentity(3)),
    _all(
      tf,
      tf.linalg.LinearOperatorIdentity(
        num_rows=2,
        batch_shape=[2],
        dtype=tf.float64,
        is_non_singular=True,
        is_self_adjoint=True,
        is_positive_definite=True,
        is_square=True,
        name="mine",
      ),
      (2,),
    ),
    _all(tf, tf.linalg.LinearOperatorIdentity(2, [3, 1])),
    _all(tf, tf.linalg.LinearOperatorScaledIdentity(3, 2.0)),
    _all(tf, scaled, (2,)),
    _all(
      tf,
      tf.linalg.LinearOperatorScaledIdentity(
        2, 3.0, is_non_singular=True, is_self_adjoint=True, is_positive_definite=True, is_square=True
      ),
    ),
    _all(tf, tf.linalg.LinearOperatorScaledIdentity(2, np.complex64(2 + 1j))),
    found,
    type(wrong).__name__,
  ]


program_identities.rtol = 1e-4
program_identities.atol = 1e-5


def program_zeros(tf):
  checked = tf.linalg.LinearOperatorZeros(num_rows=2, num_columns=2, assert_proper_shapes=True)
  with tf.Session() as session:
    found = session.run([checked.to_dense(), checked.matmul(_data(2, 2))])
  return [
    _all(tf, tf.linalg.LinearOperatorZeros(3), assertions=False),
    _all(
      tf,
      tf.linalg.LinearOperatorZeros(
        2, 3, [2], tf.float64, is_non_singular=False, is_self_adjoint=False, is_positive_definite=False, is_square=False, name="z"
      ),
      (2,),
      assertions=False,
    ),
    found,
  ]


def _full(tf, *shape, **hints):
  return tf.linalg.LinearOperatorFullMatrix(_data(*shape), **hints)


def program_adjoint_and_inversion(tf):
  matrix = tf.linalg.LinearOperatorFullMatrix(_data(2, 3, 3, dtype=np.complex64), is_non_singular=True)
  positive = tf.linalg.LinearOperatorFullMatrix(_symmetric(3, 3), is_self_adjoint=True, is_positive_definite=True)
  adjoint, inverse = tf.linalg.LinearOperatorAdjoint(matrix), tf.linalg.LinearOperatorInversion(matrix)
  return [
    _all(tf, adjoint, (2,), assertions=False),
    _all(tf, inverse, (2,), assertions=False),
    _all(tf, tf.linalg.LinearOperatorAdjoint(_full(tf, 2, 4), is_square=False, name="a"), assertions=False),
    _all(
      tf,
      tf.linalg.LinearOperatorInversion(
        operator=positive, is_non_singular=True, is_self_adjoint=True, is_positive_definite=True, is_square=True, name="i"
      ),
    ),
    adjoint.operator is matrix,
    inverse.operator is matrix,
    adjoint.adjoint() is matrix,
    inverse.inverse() is matrix,
    tf.linalg.LinearOperatorAdjoint(
      operator=positive, is_non_singular=True, is_self_adjoint=True, is_positive_definite=True
    ).is_self_adjoint,
  ]


program_adjoint_and_inversion.rtol = 2e-3
program_adjoint_and_inversion.atol = 1e-3


def program_composition(tf):
  first, second = _full(tf, 2, 3, 3), _full(tf, 3, 3)
  made = tf.linalg.LinearOperatorComposition([first, second, tf.linalg.LinearOperatorDiag([1.0, 2.0, 3.0])])
  return [
    _all(tf, made, (2,), assertions=False),
    _all(tf, tf.linalg.LinearOperatorComposition([_full(tf, 2, 3), _full(tf, 3, 4)], is_square=False), assertions=False),
    _all(
      tf,
      tf.linalg.LinearOperatorComposition(
        operators=[tf.linalg.LinearOperatorFullMatrix(_symmetric(2, 2), is_non_singular=True)],
        is_non_singular=True,
        is_self_adjoint=True,
        is_positive_definite=True,
        is_square=True,
        name="mine",
      ),
    ),
    [operator.name for operator in made.operators],
  ]


program_composition.rtol = 2e-3
program_composition.atol = 1e-3


def program_block_diag(tf):
  positive = tf.linalg.LinearOperatorFullMatrix(_symmetric(2, 2), is_self_adjoint=True, is_positive_definite=True)
  made = tf.linalg.LinearOperatorBlockDiag([_full(tf, 2, 3, 3), tf.linalg.LinearOperatorDiag([1.0, 2.0])])
  return [
    _all(tf, made, (2,), assertions=False),
    _all(
      tf,
      tf.linalg.LinearOperatorBlockDiag(
        operators=[positive, tf.linalg.LinearOperatorDiag([3.0], is_positive_definite=True)],
        is_non_singular=True,
        is_self_adjoint=True,
        is_positive_definite=True,
        is_square=True,
        name="mine",
      ),
    ),
    [operator.name for operator in made.operators],
  ]


program_block_diag.rtol = 2e-3
program_block_diag.atol = 1e-3


def program_kronecker(tf):
  positive = tf.linalg.LinearOperatorFullMatrix(_symmetric(2, 2), is_self_adjoint=True, is_positive_definite=True)
  made = tf.linalg.LinearOperatorKronecker([_full(tf, 2, 3, 3), _full(tf, 2, 2)])
  return [
    _all(tf, made, (2,), assertions=False),
    _all(
      tf,
      tf.linalg.LinearOperatorKronecker(
        operators=[positive, tf.linalg.LinearOperatorDiag([3.0, 2.0], is_positive_definite=True), positive],
        is_non_singular=True,
        is_self_adjoint=True,
        is_positive_definite=True,
        is_square=True,
        name="mine",
      ),
    ),
    _all(tf, tf.linalg.LinearOperatorKronecker([_full(tf, 2, 3)], is_square=False), assertions=False)[5:6],
    [operator.name for operator in made.operators],
  ]


program_kronecker.rtol = 5e-3
program_kronecker.atol = 2e-3


def program_low_rank_update(tf):
  base = tf.linalg.LinearOperatorDiag([1.0, 2.0, 3.0], is_positive_definite=True, is_non_singular=True)
  first = tf.linalg.LinearOperatorLowRankUpdate(base, _data(3, 2))
  second = tf.linalg.LinearOperatorLowRankUpdate(
    base_operator=_full(tf, 2, 3, 3, is_non_singular=True),
    u=_data(3, 2),
    diag_update=[1.0, 2.0],
    v=_data(2, 3, 2),
    is_diag_update_positive=True,
    is_non_singular=True,
    is_self_adjoint=False,
    is_positive_definite=False,
    is_square=True,
    name="mine",
  )
  third = tf.linalg.LinearOperatorLowRankUpdate(base, _data(3, 1), [0.5], is_diag_update_positive=True)
  fourth = tf.linalg.LinearOperatorLowRankUpdate(base, _data(3, 1), [-0.1])
  with tf.Session() as session:
    parts = session.run(
      [second.u, second.v, second.diag_update, second.diag_operator.to_dense(), second.base_operator.to_dense()]
    )
  return [
    _all(tf, first, assertions=False),
    _all(tf, second, (2,), assertions=False),
    _all(tf, third, assertions=False),
    _all(tf, fourth, assertions=False),
    parts,
    [made.is_diag_update_positive for made in (first, second, third, fourth)],
    first.diag_update,
  ]


program_low_rank_update.rtol = 5e-3
program_low_rank_update.atol = 2e-3


def program_circulant(tf):
  complex_one = tf.linalg.LinearOperatorCirculant(np.complex64([[4, 2 + 1j, 1], [1, 2, 3]]))
  positive = tf.linalg.LinearOperatorCirculant(
    spectrum=[4.0, 2.0, 2.0],
    input_output_dtype=tf.complex64,
    is_non_singular=True,
    is_self_adjoint=True,
    is_positive_definite=True,
    is_square=True,
    name="mine",
  )
  two_real = tf.linalg.LinearOperatorCirculant2D(
    [[4.0, 2.0], [3.0, 5.0]], tf.float32, True, True, is_positive_definite=True, is_square=True, name="two"
  )
  three = tf.linalg.LinearOperatorCirculant3D(_data(2, 2, 3, 2, dtype=np.complex64) + 3)
  operators = [(positive, ()), (complex_one, (2,)), (two_real, ()), (three, (2,))]
  found = [_all(tf, made, batch, assertions=len(batch) == 0) for made, batch in operators]
  with tf.Session() as session:
    for made, _ in operators:
      found.append(session.run([made.convolution_kernel(), made.convolution_kernel(name="k"), made.block_shape_tensor()]))
      found.append([str(made.block_shape), made.block_depth, session.run(made.spectrum)])
  return found


program_circulant.rtol = 2e-3
program_circulant.atol = 2e-4


def program_toeplitz(tf):
  made = tf.linalg.LinearOperatorToeplitz([4.0, 1.0, 2.0], [4.0, -1.0, 0.5])
  many = tf.linalg.LinearOperatorToeplitz(
    col=[[4.0, 1.0], [3.0, 2.0]],
    row=[[4.0, -1.0], [3.0, 1.0]],
    is_non_singular=True,
    is_self_adjoint=False,
    is_positive_definite=False,
    is_square=True,
    name="mine",
  )
  with tf.Session() as session:
    parts = session.run([many.col, many.row])
  complex_one = tf.linalg.LinearOperatorToeplitz(np.complex64([4, 1 + 2j, 2]), np.complex64([4, -1j, 0.5]))
  return [_all(tf, made), _all(tf, many, (2,), assertions=False), _all(tf, complex_one, assertions=False), parts]


program_toeplitz.rtol = 2e-3
program_toeplitz.atol = 2e-4
