"""Matrices that Fourier's transform makes diagonal: convolutions on a ring, and on tori of two and three dimensions."""

import millrace as tf
from millrace import gen
from millrace.framework import dtypes
from millrace.framework.graph import name_scope
from millrace.framework.tensor_shape import TensorShape
from millrace.ops.linalg.operators import batches
from millrace.ops.linalg.operators.base import LinearOperator

_TRANSFORMS = {1: (gen.fft, gen.ifft), 2: (gen.fft2d, gen.ifft2d), 3: (gen.fft3d, gen.ifft3d)}
_COMPLEX = {
  dtypes.float32: dtypes.complex64,
  dtypes.float64: dtypes.complex128,
  dtypes.complex64: dtypes.complex64,
  dtypes.complex128: dtypes.complex128,
}


def as_complex(tensor):
  """The tensor as the complex type of its precision."""
  return tf.cast(tensor, _COMPLEX[tensor.dtype.base_dtype])


class CirculantBase(LinearOperator):
  """The inverse transform of `spectrum` times the transform of what it is applied to. The last dimensions of the spectrum are those
  of the torus; rows and columns go over its points in row-major order.
  """

  def __init__(
    self,
    spectrum,
    block_depth,
    input_output_dtype=dtypes.complex64,
    is_non_singular=None,
    is_self_adjoint=None,
    is_positive_definite=None,
    is_square=True,
    name="LinearOperatorCirculant",
  ):
    self._block_depth = block_depth
    with name_scope(name, values=[spectrum]):
      self._spectrum = tf.convert_to_tensor(spectrum, name="spectrum")
      if self._spectrum.get_shape().ndims is not None and self._spectrum.get_shape().ndims < block_depth:
        raise ValueError(f"Argument `spectrum` must have at least {block_depth} dimensions. Received: {self._spectrum}.")
      if not self._spectrum.dtype.is_complex:
        if is_self_adjoint is False:
          raise ValueError(
            "A real spectrum always corresponds to a self-adjoint operator. Expected argument `is_self_adjoint` to be True when "
            f"`spectrum.dtype.is_complex` = True. Received: {is_self_adjoint}."
          )
        is_self_adjoint = True
      if is_square is False:
        raise ValueError(
          "A [[nested] block] circulant operator is always square. Expected argument `is_square` to be True. Received: "
          f"{is_square}."
        )
      super().__init__(
        dtype=dtypes.as_dtype(input_output_dtype),
        graph_parents=[self._spectrum],
        is_non_singular=is_non_singular,
        is_self_adjoint=is_self_adjoint,
        is_positive_definite=is_positive_definite,
        is_square=True,
        name=name,
      )

  @property
  def spectrum(self):
    """The transform of the convolution's kernel: the eigenvalues."""
    return self._spectrum

  @property
  def block_depth(self):
    """The number of dimensions of the torus."""
    return self._block_depth

  @property
  def block_shape(self):
    """What is known of the shape of the torus."""
    return self.spectrum.get_shape()[-self.block_depth :]

  def block_shape_tensor(self):
    """The shape of the torus as an int32 vector."""
    if self.block_shape.is_fully_defined():
      return tf.constant(self.block_shape.as_list(), dtype=dtypes.int32, name="block_shape")
    return tf.shape(self.spectrum)[-self.block_depth :]

  def _shape(self):
    shape = self._spectrum.get_shape()
    if shape.ndims is None:
      return TensorShape(None)
    points = self.block_shape.num_elements() if self.block_shape.is_fully_defined() else None
    return shape[: -self.block_depth].concatenate([points, points])

  def _shape_tensor(self):
    points = tf.reduce_prod(self.block_shape_tensor())
    return tf.concat((tf.shape(self.spectrum)[: -self.block_depth], [points, points]), 0)

  def _axes(self):
    return list(range(-self.block_depth, 0))

  def convolution_kernel(self, name="convolution_kernel"):
    """The inverse transform of the spectrum: the first column of the matrix, of the shape of the spectrum."""
    with self._name_scope(name):
      kernel = _TRANSFORMS[self.block_depth][1](as_complex(self.spectrum))
      return tf.cast(kernel, self.dtype)

  def _applied(self, x, factor):
    """The inverse transform of factor * the transform of the columns of `x`."""
    transform, inverse = _TRANSFORMS[self.block_depth]
    kept = x.get_shape()
    rows_last = tf.matrix_transpose(as_complex(x))
    shape = tf.shape(rows_last)
    on_torus = tf.reshape(rows_last, tf.concat([shape[:-1], self.block_shape_tensor()], 0))
    # A factor for all columns, whose dimension is before those of the torus.
    factor = tf.expand_dims(tf.cast(factor, on_torus.dtype), -(self.block_depth + 1))
    product = inverse(factor * transform(on_torus))
    flat = tf.reshape(product, tf.concat([tf.shape(product)[: -self.block_depth], [-1]], 0))
    result = tf.matrix_transpose(tf.cast(flat, self.dtype))
    if kept.ndims is not None and self.batch_shape.ndims is not None:
      front = tf.broadcast_static_shape(kept[:-2], self.batch_shape)
      result.set_shape(front.concatenate(kept[-2:]))
    return result

  def _own(self, adjoint):
    spectrum = as_complex(self.spectrum)
    return tf.conj(spectrum) if adjoint else spectrum

  def _matmul(self, x, adjoint=False, adjoint_arg=False):
    return self._applied(batches.adjoint_if(x, adjoint_arg), self._own(adjoint))

  def _solve(self, rhs, adjoint=False, adjoint_arg=False):
    return self._applied(batches.adjoint_if(rhs, adjoint_arg), 1.0 / self._own(adjoint))

  def _determinant(self):
    return tf.cast(tf.reduce_prod(as_complex(self.spectrum), axis=self._axes()), self.dtype)

  def _log_abs_determinant(self):
    return tf.cast(tf.reduce_sum(tf.log(tf.abs(self.spectrum)), axis=self._axes()), self.dtype)

  def _trace(self):
    # The sum of the eigenvalues.
    return tf.cast(tf.reduce_sum(as_complex(self.spectrum), axis=self._axes()), self.dtype)

  def _diag_part(self):
    points = self.domain_dimension_tensor()
    element = (tf.reduce_sum(as_complex(self.spectrum), axis=self._axes()) / tf.cast(points, self._own(False).dtype))[
      ..., tf.newaxis
    ]
    diagonal = tf.cast(element * tf.ones([points], dtype=element.dtype), self.dtype)
    diagonal.set_shape(self.batch_shape.concatenate(self.domain_dimension))
    return diagonal

  def _with_spectrum(self, spectrum):
    return type(self)(
      spectrum=spectrum,
      is_non_singular=self.is_non_singular,
      is_self_adjoint=self.is_self_adjoint,
      is_positive_definite=self.is_positive_definite,
      is_square=True,
      input_output_dtype=self.dtype,
    )

  def _adjoint(self):
    return self._with_spectrum(tf.conj(self.spectrum))

  def _inverse(self):
    return self._with_spectrum(1.0 / self.spectrum)

  def assert_hermitian_spectrum(self, name="assert_hermitian_spectrum"):
    """An op that fails unless the convolution's kernel is real, as far as its precision can tell."""
    epsilon = 1e-6 if self._own(False).dtype == dtypes.complex64 else 1e-12
    with self._name_scope(name):
      kernel = _TRANSFORMS[self.block_depth][1](as_complex(self.spectrum))
      points = tf.cast(self.domain_dimension_tensor(), kernel.dtype.real_dtype)
      limit = epsilon * points * tf.reduce_max(tf.abs(kernel))
      return tf.assert_less(tf.abs(tf.imag(kernel)), limit, message="Spectrum was not Hermitian")

  def _assert_non_singular(self):
    return batches.assert_no_entries_of_modulus_zero(self.spectrum, message="Singular operator:  Spectrum contained zero values.")

  def _assert_positive_definite(self):
    return tf.assert_positive(
      tf.real(self.spectrum), message="Not positive definite:  Real part of spectrum was not all positive."
    )

  def _assert_self_adjoint(self):
    return batches.assert_zero_imaginary_part(
      self.spectrum, message="Not self-adjoint:  The spectrum contained non-zero imaginary part."
    )


class LinearOperatorCirculant(CirculantBase):
  """Circulant matrices, whose element [i, j] depends on (i - j) modulo their size: element i - j of the inverse transform of
  `spectrum`. They take and give tensors of `input_output_dtype`; for a real one the spectrum has to be Hermitian.
  """

  def __init__(
    self,
    spectrum,
    input_output_dtype=dtypes.complex64,
    is_non_singular=None,
    is_self_adjoint=None,
    is_positive_definite=None,
    is_square=True,
    name="LinearOperatorCirculant",
  ):
    super().__init__(spectrum, 1, input_output_dtype, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name)


class LinearOperatorCirculant2D(CirculantBase):
  """Block circulant matrices: convolutions on a torus of two dimensions. The arguments are LinearOperatorCirculant's."""

  def __init__(
    self,
    spectrum,
    input_output_dtype=dtypes.complex64,
    is_non_singular=None,
    is_self_adjoint=None,
    is_positive_definite=None,
    is_square=True,
    name="LinearOperatorCirculant2D",
  ):
    super().__init__(spectrum, 2, input_output_dtype, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name)


class LinearOperatorCirculant3D(CirculantBase):
  """Nested block circulant matrices: convolutions on a torus of three dimensions. The arguments are LinearOperatorCirculant's."""

  def __init__(
    self,
    spectrum,
    input_output_dtype=dtypes.complex64,
    is_non_singular=None,
    is_self_adjoint=None,
    is_positive_definite=None,
    is_square=True,
    name="LinearOperatorCirculant3D",
  ):
    super().__init__(spectrum, 3, input_output_dtype, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name)
