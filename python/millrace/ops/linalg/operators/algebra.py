"""Products and solutions of two operators, of the simplest class that they have."""

from millrace.ops.linalg.operators.circulant import CirculantBase
from millrace.ops.linalg.operators.composition import LinearOperatorComposition
from millrace.ops.linalg.operators.diag import LinearOperatorDiag
from millrace.ops.linalg.operators.identity import LinearOperatorIdentity, LinearOperatorScaledIdentity
from millrace.ops.linalg.operators.lower_triangular import LinearOperatorLowerTriangular
from millrace.ops.linalg.operators.zeros import LinearOperatorZeros


def _both(left, right, hint):
  """What is known of a product of two operators that commute, or whose diagonals multiply."""
  if getattr(left, hint) is False or getattr(right, hint) is False:
    return False if hint == "is_non_singular" else None
  return True if getattr(left, hint) and getattr(right, hint) else None


def _hints(left, right):
  return {
    "is_non_singular": _both(left, right, "is_non_singular"),
    "is_self_adjoint": _both(left, right, "is_self_adjoint"),
    "is_positive_definite": _both(left, right, "is_positive_definite"),
    "is_square": True,
  }


def _kinds(left, right, *classes):
  return isinstance(left, classes[0]) and isinstance(right, classes[1])


def product(left, right):
  """The operator left * right."""
  if isinstance(left, LinearOperatorZeros) or isinstance(right, LinearOperatorZeros):
    if left.is_square and right.is_square:
      return left if isinstance(left, LinearOperatorZeros) else right
    return LinearOperatorComposition([left, right])
  if isinstance(left, LinearOperatorIdentity):
    return right
  if isinstance(right, LinearOperatorIdentity):
    return left
  return _combined(left, right, lambda a, b: a * b) or LinearOperatorComposition([left, right], is_square=_square(left, right))


def _square(left, right):
  return True if left.is_square and right.is_square else None


def solution(left, right):
  """The operator inverse(left) * right."""
  if isinstance(left, LinearOperatorIdentity):
    return right
  if isinstance(right, LinearOperatorIdentity):
    return left.inverse()
  combined = _combined(left, right, lambda a, b: b / a)
  return combined or LinearOperatorComposition([left.inverse(), right], is_square=_square(left, right))


def _combined(left, right, combine):
  """The operator whose diagonal, multiple or spectrum is `combine` of those of the two; None where they have no common form.

  A lower triangular matrix is combined with a diagonal one by rows or columns.
  """
  hints = _hints(left, right)
  if _kinds(left, right, LinearOperatorScaledIdentity, LinearOperatorScaledIdentity):
    return LinearOperatorScaledIdentity(
      num_rows=left.domain_dimension_tensor() if left.domain_dimension.value is None else left.domain_dimension.value,
      multiplier=combine(left.multiplier, right.multiplier),
      **hints,
    )
  if _kinds(left, right, LinearOperatorScaledIdentity, LinearOperatorDiag):
    hints = _real_hints(left, right, hints)
    return LinearOperatorDiag(combine(_last(left.multiplier), right.diag), **hints)
  if _kinds(left, right, LinearOperatorDiag, LinearOperatorScaledIdentity):
    hints = _real_hints(left, right, hints)
    return LinearOperatorDiag(combine(left.diag, _last(right.multiplier)), **hints)
  if _kinds(left, right, LinearOperatorDiag, LinearOperatorDiag):
    return LinearOperatorDiag(combine(left.diag, right.diag), **_real_hints(left, right, hints))
  if _kinds(left, right, LinearOperatorDiag, LinearOperatorLowerTriangular):
    return LinearOperatorLowerTriangular(
      combine(_last(left.diag), right.to_dense()), is_non_singular=hints["is_non_singular"], is_square=True
    )
  if _kinds(left, right, LinearOperatorLowerTriangular, LinearOperatorDiag) and combine(2.0, 3.0) == 6.0:
    return LinearOperatorLowerTriangular(
      left.to_dense() * right.diag[..., None, :], is_non_singular=hints["is_non_singular"], is_square=True
    )
  if isinstance(left, CirculantBase) and type(left) is type(right):
    return type(left)(combine(left.spectrum, right.spectrum), input_output_dtype=left.dtype, **_real_hints(left, right, hints))
  return None


def _real_hints(left, right, hints):
  """Real diagonals and spectra stand for operators that are their own adjoint in any case."""
  if left.is_self_adjoint and right.is_self_adjoint:
    return hints
  return dict(hints, is_self_adjoint=None)


def _last(tensor):
  return tensor[..., None]
