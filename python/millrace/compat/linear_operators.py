"""tensorflow.python.ops.linalg.linear_operator_util and linear_operator_addition, which libraries of distributions use."""

import millrace as tf
from millrace.framework import dtypes
from millrace.layers.module import Module
from millrace.ops.linalg.operators import batches, hints
from millrace.ops.variables.variable import Variable

assert_no_entries_with_modulus_zero = batches.assert_no_entries_of_modulus_zero
assert_zero_imag_part = batches.assert_zero_imaginary_part


def is_ref(x):
  """Whether `x` is a variable, or a module that has a type and a shape as one has."""
  return isinstance(x, Variable) or (isinstance(x, Module) and hasattr(x, "dtype") and hasattr(x, "shape"))


def assert_not_ref_type(x, arg_name):
  """Raises TypeError for what is of a reference type."""
  if is_ref(x) and not isinstance(x, Module) and getattr(x.dtype, "_is_ref_dtype", False):
    raise TypeError("Argument %s cannot be reference type. Found: %s" % (arg_name, type(x)))


def base_dtype(dtype):
  return tf.as_dtype(dtype).base_dtype


def dtype_name(dtype):
  return tf.as_dtype(dtype).name


def convert_nonref_to_tensor(value, dtype=None, dtype_hint=None, name=None):
  """Returns `value` as a tensor, or as it is if it is a variable. Raises TypeError for a variable of another type."""
  if value is None:
    return None
  if not is_ref(value):
    return tf.convert_to_tensor(value, dtype=dtype, preferred_dtype=dtype_hint, name=name)
  if dtype is not None and base_dtype(value.dtype) != base_dtype(dtype):
    raise TypeError('Mutable type must be of dtype "%s" but is "%s".' % (dtype_name(dtype), dtype_name(value.dtype)))
  return value


def shape_tensor(shape, name=None):
  """A vector of integers, int32 where a list of numbers does not say otherwise."""
  dtype = None
  if isinstance(shape, (tuple, list)):
    shape = [size.value if isinstance(size, tf.Dimension) else size for size in shape]
    dtype = dtypes.int32 if not any(tf.is_tensor(size) for size in shape) else None
  return tf.convert_to_tensor(shape, dtype=dtype, name=name)


def assert_compatible_matrix_dimensions(operator, x):
  """An op that fails unless `x` has as many rows as the operator has columns."""
  return tf.assert_equal(
    tf.shape(x)[-2],
    operator.domain_dimension_tensor(),
    message="Dimensions are not compatible.  shape[-2] of argument to be the same as this operator",
  )


def broadcast_matrix_batch_dims(batch_matrices, name=None):
  """The matrices, all with the batch dimensions that theirs broadcast to. Raises TypeError for what is no list of them."""
  if not isinstance(batch_matrices, (list, tuple)):
    raise TypeError("batch_matrices should be list, tuple of tensors.  Found: %s" % (batch_matrices,))
  with tf.name_scope(name or "broadcast_matrix_batch_dims", values=batch_matrices):
    return batches.with_common_batch(batch_matrices) if batch_matrices else batch_matrices


def matmul_with_broadcast(
  a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False, a_is_sparse=False, b_is_sparse=False, name=None
):
  """tf.matmul of batches that broadcast."""
  with tf.name_scope(name, "MatMulWithBroadcast", [a, b]):
    a, b = batches.with_common_batch([a, b])
    return tf.matmul(a, b, transpose_a, transpose_b, adjoint_a, adjoint_b, a_is_sparse, b_is_sparse)


def matrix_solve_with_broadcast(matrix, rhs, adjoint=False, name=None):
  """tf.matrix_solve of batches that broadcast."""
  with tf.name_scope(name, "MatrixSolveWithBroadcast", [matrix, rhs]):
    return batches.solve(matrix, rhs, adjoint)


def matrix_triangular_solve_with_broadcast(matrix, rhs, lower=True, adjoint=False, name=None):
  """tf.matrix_triangular_solve of batches that broadcast."""
  with tf.name_scope(name, "MatrixTriangularSolve", [matrix, rhs]):
    return batches.triangular_solve(matrix, rhs, lower, adjoint)


def cholesky_solve_with_broadcast(chol, rhs, name=None):
  """tf.cholesky_solve of batches that broadcast."""
  with tf.name_scope(name, "CholeskySolveWithBroadcast", [chol, rhs]):
    return batches.cholesky_solve(chol, rhs)


def use_operator_or_provided_hint_unless_contradicting(operator, hint_attr_name, provided_hint_value, message):
  """What is known of a property: by the operator or by the hint. Raises ValueError with `message` where they contradict."""
  if provided_hint_value is None:
    return getattr(operator, hint_attr_name)
  return hints.taken_over(provided_hint_value, getattr(operator, hint_attr_name), message)


def add_operators(operators, operator_name=None, addition_tiers=None, name=None):
  """Returns a list of operators that have the same sum: one, of the simplest kind that the sum has.

  Raises NotImplementedError for `addition_tiers`, TypeError for what is no list of operators, ValueError for an empty one or
  for operators of several shapes.
  """
  if addition_tiers is not None:
    raise NotImplementedError("add_operators: Millrace has no addition_tiers; leave them out")
  operators = list(operators)
  if not operators:
    raise ValueError("Argument 'operators' must contain at least one operator. Found: %s" % operators)
  if not all(isinstance(operator, tf.linalg.LinearOperator) for operator in operators):
    raise TypeError("Argument 'operators' must contain only LinearOperator instances. Found: %s" % operators)
  if len(operators) == 1:
    return operators
  with tf.name_scope(name, "add_operators"):
    return [_sum(operators, operator_name or "Add/" + "__".join(operator.name for operator in operators) + "/")]


_MULTIPLES = ("LinearOperatorIdentity", "LinearOperatorScaledIdentity")
_DIAGONALS = (*_MULTIPLES, "LinearOperatorDiag")


def _sum(operators, name):
  kinds = {type(operator).__name__ for operator in operators}
  known = {
    "is_self_adjoint": hints.all_true(operators, "is_self_adjoint") or None,
    "is_positive_definite": hints.all_true(operators, "is_positive_definite") or None,
  }
  if known["is_positive_definite"]:
    known["is_non_singular"] = True
  name = name.strip("/").replace("/", "_")
  if kinds <= set(_MULTIPLES):
    scales = [tf.ones([], o.dtype) if type(o).__name__ == _MULTIPLES[0] else o.multiplier for o in operators]
    return tf.linalg.LinearOperatorScaledIdentity(operators[0].range_dimension_tensor(), _total(scales), name=name, **known)
  if kinds <= set(_DIAGONALS):
    return tf.linalg.LinearOperatorDiag(_total([o.diag_part() for o in operators]), name=name, **known)
  # A dense one that is known goes first: others are added to it.
  dense = sorted(operators, key=lambda o: type(o).__name__ in _DIAGONALS)
  total = dense[0].to_dense()
  for operator in dense[1:]:
    total = operator.add_to_tensor(total)
  if kinds <= {*_DIAGONALS, "LinearOperatorLowerTriangular"}:
    return tf.linalg.LinearOperatorLowerTriangular(total, name=name, **known)
  return tf.linalg.LinearOperatorFullMatrix(total, name=name, **known)


def _total(terms):
  """The sum of terms, which broadcast."""
  result = terms[0]
  for term in terms[1:]:
    result += term
  return result
