"""What of linear operators cannot be asked of TensorFlow 2.15, where it raises TypeError."""

import numpy as np
import pytest

import millrace as tf


@pytest.fixture(autouse=True)
def new_graph():
  tf.reset_default_graph()


def test_hermitian_spectra():
  real_kernel = np.fft.fft([1.0, 2.0, 5.0, -1.0])
  other = real_kernel + 1j
  with tf.Session() as session:
    for spectrum, is_hermitian in [(real_kernel, True), (other, False)]:
      made = tf.linalg.LinearOperatorCirculant(spectrum.astype(np.complex64))
      if is_hermitian:
        session.run(made.assert_hermitian_spectrum(name="check"))
        np.testing.assert_allclose(session.run(made.convolution_kernel()), [1.0, 2.0, 5.0, -1.0], atol=1e-5)
      else:
        with pytest.raises(tf.errors.InvalidArgumentError, match="Spectrum was not Hermitian"):
          session.run(made.assert_hermitian_spectrum())


def test_complex_matrices_that_are_singular():
  fine = tf.linalg.LinearOperatorFullMatrix(np.complex64([[1, 1j], [2, 1]]))
  singular = tf.linalg.LinearOperatorFullMatrix(np.complex64([[1, 1j], [1, 1j]]))
  with tf.Session() as session:
    session.run(fine.assert_non_singular())
    with pytest.raises(tf.errors.InvalidArgumentError, match="Singular matrix up to precision epsilon"):
      session.run(singular.assert_non_singular())


def test_toeplitz_matrices_of_batches():
  col, row = np.float32([[4, 1, 2], [3, 2, 5]]), np.float32([4, -1, 0.5])
  made = tf.linalg.LinearOperatorToeplitz(col, row)
  dense = np.stack([[[c[i - j] if i >= j else row[j - i] for j in range(3)] for i in range(3)] for c in col])
  x = np.float32([[1, 2], [3, -1], [0, 2]])
  with tf.Session() as session:
    np.testing.assert_allclose(session.run(made.to_dense()), dense)
    np.testing.assert_allclose(session.run(made.matmul(x)), dense @ x, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(session.run(made.matmul(x, adjoint=True)), dense.swapaxes(1, 2) @ x, rtol=1e-4, atol=1e-4)


def test_modules():
  inner = tf.linalg.LinearOperatorDiag([1.0, 2.0])
  made = tf.linalg.LinearOperatorComposition([inner, inner])
  assert made.submodules == (inner,)
  assert made.variables == () and made.trainable_variables == ()
  with made.name_scope as scope:
    assert scope == "LinearOperatorDiag_o_LinearOperatorDiag/"

  class Named(tf.linalg.LinearOperatorDiag):
    @tf.linalg.LinearOperator.with_name_scope
    def zero(self):
      return tf.constant(0.0, name="zero")

  assert Named([1.0]).zero().name == "LinearOperatorDiag_1/zero:0"


def test_operators_of_programs():
  """A class of a program derives from one that is there, and has methods of its own beside it."""

  class FromTheRight(tf.linalg.LinearOperatorFullMatrix):
    def matmul_right(self, x, name="matmul_right"):
      with self._name_scope(name, values=[x]):
        x = tf.convert_to_tensor(x, name="x")
        self._check_input_dtype(x)
        return tf.matmul(x, self._matrix)

  made = FromTheRight([[1.0, 2.0], [3.0, 4.0]], name="right")
  product = made.matmul_right([[1.0, 1.0]])
  assert product.op.name == "right_1/matmul_right/MatMul"
  with pytest.raises(TypeError, match="Expected argument to have dtype"):
    made.matmul_right(tf.constant([[1, 1]]))
  with tf.Session() as session:
    np.testing.assert_allclose(session.run(product), [[4.0, 6.0]])
